"""Exact constrained decoding: which tokens may come next so that the output lies in a language.

The public names, each loaded when first used (PEP 562): importing formgate costs a few milliseconds
and brings in neither numpy nor the native core nor a back end.
"""

from __future__ import annotations

import os
import sys
import time
from _thread import get_ident

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


# Packages that are imported where they are first needed, beside the standard library's.
_PACKAGES = frozenset({"formgate", "lark", "nanobind_backend", "numpy", "pluggy"})
_LONGEST_WAIT_S = 10.0


def _before_fork() -> None:
    """Wait until no other thread loads a module that formgate may load when it is first needed.

    The child of a fork lacks that thread, so the module would stay locked there for good, and the
    first use that needs it would never end. The import system has no public way to say what is
    being loaded. Its table of locks has been the same in all releases since 3.4; where it is not
    there, nothing is waited for. The wait is bounded: a thread may wait for the one that forks.

    The same holds for locks (``formgate.core.forking``). They are taken here, since a module that
    came meanwhile would register its own hook too late for this fork.
    """
    deadline = time.monotonic() + _LONGEST_WAIT_S
    while True:
        time.sleep(0)  # what follows is then done before the next thread has its turn
        while _loading() and time.monotonic() < deadline:
            time.sleep(0.0002)
        hold = getattr(sys.modules.get("formgate.core.forking"), "hold", None)
        if hold is None or not hold(deadline):
            return


def _after_fork(*, in_child: bool = False) -> None:
    """Release the locks."""
    let_go = getattr(sys.modules.get("formgate.core.forking"), "let_go", None)
    if let_go is not None:
        let_go(in_child=in_child)


def _after_fork_in_child() -> None:
    """Forget what was being loaded nevertheless; it is loaded anew where it is needed.

    A thread may have begun to between the wait and the fork.
    """
    _after_fork(in_child=True)
    table = _import_locks()
    for name in _loading():
        table.pop(name, None)
        module = sys.modules.get(name)
        if getattr(getattr(module, "__spec__", None), "_initializing", False):
            del sys.modules[name]


def _import_locks() -> dict[str, object]:
    """Return the locks of modules that are being loaded, by name, as weak references."""
    return getattr(sys.modules.get("_frozen_importlib"), "_module_locks", {})


def _loading() -> list[str]:
    """Return the modules that matter whose locks another thread holds."""
    own = get_ident()
    found = []
    for name, reference in list(_import_locks().items()):
        package = name.partition(".")[0]
        if package not in _PACKAGES and package not in sys.stdlib_module_names:
            continue
        lock = reference() if callable(reference) else None
        # The lock's own lock is held while it is taken and released.
        is_held = getattr(getattr(lock, "lock", None), "locked", None)
        if getattr(lock, "owner", None) not in (None, own) or (is_held is not None and is_held()):
            found.append(name)
    return found


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork_in_child
    )


def __dir__() -> list[str]:
    """List the public names, loaded or not."""
    return sorted({*globals(), *__all__})
