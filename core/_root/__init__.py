"""Exact constrained decoding: which tokens may come next so that the output lies in a language.

The public names, each loaded when first used (PEP 562): importing formgate costs a few milliseconds
and brings in neither numpy nor the native core nor a back end.
"""

from __future__ import annotations

TYPE_CHECKING = False  # what checkers take for true; importing typing would cost 9 ms
if TYPE_CHECKING:
    from formgate.core._native import (
        CancelToken,
        Engine,
        State,
        TokenMask,
        set_mask_budget,
        set_pool_budget,
    )
    from formgate.core.compiler import compile  # noqa: A004 (the field's word, as in re.compile)
    from formgate.core.errors import (
        AmbiguousPluginError,
        CompileCancelled,
        CompileTimeout,
        EmptyLanguageError,
        FormgateError,
        GrammarError,
        LimitError,
        MissingDependencyError,
        ParseError,
        PluginError,
        StateError,
        TokenError,
        UnsupportedConstraint,
        VocabularyError,
    )
    from formgate.core.grammar import Grammar, GrammarBuilder, Limits
    from formgate.core.matcher import Matcher
    from formgate.core.parsing import parse
    from formgate.core.protocol import MaskEngine
    from formgate.core.vocabulary import Vocabulary

    __version__: str

__all__ = [
    "AmbiguousPluginError",
    "CancelToken",
    "CompileCancelled",
    "CompileTimeout",
    "EmptyLanguageError",
    "Engine",
    "FormgateError",
    "Grammar",
    "GrammarBuilder",
    "GrammarError",
    "LimitError",
    "Limits",
    "MaskEngine",
    "Matcher",
    "MissingDependencyError",
    "ParseError",
    "PluginError",
    "State",
    "StateError",
    "TokenError",
    "TokenMask",
    "UnsupportedConstraint",
    "Vocabulary",
    "VocabularyError",
    "__version__",
    "compile",
    "parse",
    "set_mask_budget",
    "set_pool_budget",
]

_HOMES = {
    "compiler": ("compile",),
    "errors": (
        "AmbiguousPluginError",
        "CompileCancelled",
        "CompileTimeout",
        "EmptyLanguageError",
        "FormgateError",
        "GrammarError",
        "LimitError",
        "MissingDependencyError",
        "ParseError",
        "PluginError",
        "StateError",
        "TokenError",
        "UnsupportedConstraint",
        "VocabularyError",
    ),
    "grammar": ("Grammar", "GrammarBuilder", "Limits"),
    "matcher": ("Matcher",),
    "parsing": ("parse",),
    "protocol": ("MaskEngine",),
    "vocabulary": ("Vocabulary",),
    "_native": (
        "CancelToken",
        "Engine",
        "State",
        "TokenMask",
        "set_mask_budget",
        "set_pool_budget",
    ),
}


def __getattr__(name: str) -> object:
    """Load the module that holds a public name; the name is then an ordinary attribute."""
    if name == "__version__":
        from importlib.metadata import version  # noqa: PLC0415 (20 ms that few callers need)

        value: object = version("formgate")
    elif name == "decoding":
        from importlib import import_module  # noqa: PLC0415 (kept out of the import budget)

        value = import_module("formgate.decoding")
    else:
        from importlib import import_module  # noqa: PLC0415 (kept out of the import budget)

        home = next((home for home, names in _HOMES.items() if name in names), None)
        if home is None:
            message = f"module {__name__!r} has no attribute {name!r}"
            raise AttributeError(message)
        value = getattr(import_module(f"formgate.core.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the public names, loaded or not."""
    return sorted({*globals(), *__all__})
