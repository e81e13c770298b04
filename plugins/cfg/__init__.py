"""Context-free formats: ``lark``, ``gbnf``, ``ebnf``, ``abnf``; and ``grammar``, shipped ones.

The module is imported whenever plugins are loaded, so it holds the registration only; a parser is
imported when the first grammar of its format is compiled.
"""

from __future__ import annotations

import os
import re
from importlib import import_module
from typing import TYPE_CHECKING

from formgate.core.errors import GrammarError
from formgate.core.registry import Format, ToolSpec, hookimpl

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from formgate.core.errors import FormgateError
    from formgate.core.grammar import GrammarBuilder
    from formgate.plugins.cfg._abnf import compile_abnf
    from formgate.plugins.cfg._convert import convert
    from formgate.plugins.cfg._ebnf import compile_ebnf
    from formgate.plugins.cfg._gbnf import compile_gbnf
    from formgate.plugins.cfg._lark import compile_lark
    from formgate.plugins.cfg._lint import lint
    from formgate.plugins.cfg._shipped import shipped, shipped_path
    from formgate.plugins.cfg._testing import check_grammar

__all__ = [
    "FORMGATE_API",
    "check_grammar",
    "compile_abnf",
    "compile_ebnf",
    "compile_gbnf",
    "compile_lark",
    "convert",
    "lint",
    "register_formats",
    "register_tools",
    "shipped",
    "shipped_path",
]

FORMGATE_API = (1, 0)

# Where a name is imported from when it is first asked for.
_MODULES = {
    "check_grammar": "_testing",
    "compile_abnf": "_abnf",
    "compile_ebnf": "_ebnf",
    "compile_gbnf": "_gbnf",
    "compile_lark": "_lark",
    "convert": "_convert",
    "lint": "_lint",
    "shipped": "_shipped",
    "shipped_path": "_shipped",
}
# Compiled when first needed, which for most sources is never.
_LARK_START = r"(?m)^[?!]{0,2}start[ \t]*(?:\.[ \t]*[+-]?\d+[ \t]*)?:(?!:)"
_FIRST_RULE = r"(?:\[\d+[a-z]?\]\s*)?[^\W\d][\w.-]*\s*::="


def __getattr__(name: str) -> object:
    """Import a public name when it is first asked for."""
    if name in _MODULES:
        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _write_gbnf(source: object, builder: GrammarBuilder, options: Mapping[str, object], /) -> None:
    """Import the parser and let it write the grammar."""
    from formgate.plugins.cfg._gbnf import compile_format  # noqa: PLC0415

    compile_format(source, builder, options)


def _write_ebnf(source: object, builder: GrammarBuilder, options: Mapping[str, object], /) -> None:
    """Import the parsers and let one write the grammar."""
    from formgate.plugins.cfg._ebnf import compile_format  # noqa: PLC0415

    compile_format(source, builder, options)


def _write_abnf(source: object, builder: GrammarBuilder, options: Mapping[str, object], /) -> None:
    """Import the parser and let it write the grammar."""
    from formgate.plugins.cfg._abnf import compile_format  # noqa: PLC0415

    compile_format(source, builder, options)


def _write_lark(source: object, builder: GrammarBuilder, options: Mapping[str, object], /) -> None:
    """Import the front end and let it write the grammar."""
    from formgate.plugins.cfg._lark import compile_format  # noqa: PLC0415

    compile_format(source, builder, options)


def _explain_gbnf(source: object, options: Mapping[str, object], error: FormgateError, /) -> None:
    """Add to an error of the engine where in the grammar it arises."""
    from formgate.plugins.cfg._gbnf_places import explain  # noqa: PLC0415 (errors only)

    explain(source, options, error)


def _explain_lark(source: object, options: Mapping[str, object], error: FormgateError, /) -> None:
    """Add to an error of the engine where in the grammar it arises."""
    from formgate.plugins.cfg._lark_places import explain  # noqa: PLC0415 (errors only)

    explain(source, options, error)


def _write_grammar(
    source: object, builder: GrammarBuilder, options: Mapping[str, object], /
) -> None:
    """Find the grammar of a name and let its format write it."""
    from formgate.plugins.cfg._shipped import compile_format  # noqa: PLC0415

    compile_format(source, builder, options)


def _write_special_token(
    source: object, builder: GrammarBuilder, options: Mapping[str, object], /
) -> None:
    """Write one special token of the vocabulary, given by its name."""
    if not isinstance(source, str):
        raise GrammarError(
            f"a special token is named by a text, not {source!r:.60}",
            hint='write its name as the vocabulary has it, such as "<|tool_call|>"',
        )
    for name in sorted(options):
        raise GrammarError(f"the special_token format has no option {name!r}")
    builder.start(builder.special_token(source))


def _looks_like_gbnf(source: object) -> bool:
    """Say whether a source is surely GBNF: a line of it defines the rule ``root``."""
    if not isinstance(source, str) or "::=" not in source:
        return False
    return any(
        line.partition("::=")[0].strip() == "root" for line in source.splitlines() if "::=" in line
    )


def _looks_like_ebnf(source: object) -> bool:
    """Say whether a source is surely EBNF: it begins with ``name ::=``, and is no GBNF."""
    if not isinstance(source, str) or "::=" not in source or _looks_like_gbnf(source):
        return False
    place = 0
    while True:
        while source[place : place + 1].isspace():
            place += 1
        if not source.startswith("/*", place):
            return re.compile(_FIRST_RULE).match(source, place) is not None
        place = max(source.find("*/", place + 2), place) + 2


def _looks_like_lark(source: object) -> bool:
    """Say whether a source is surely a Lark grammar: a line of it defines the rule ``start``."""
    if isinstance(source, os.PathLike):
        from pathlib import PurePath  # noqa: PLC0415 (7 ms that most sources need not pay)

        return isinstance(source, PurePath) and source.suffix.lower() == ".lark"
    if not isinstance(source, str) or "start" not in source:
        return False
    return re.search(_LARK_START, source) is not None and not (
        _looks_like_gbnf(source) or _looks_like_ebnf(source)
    )


@hookimpl
def register_formats(register: Callable[[Format], None]) -> None:
    """Offer the formats."""
    register(
        Format(
            name="lark",
            compile=_write_lark,
            guess=_looks_like_lark,
            explain=_explain_lark,
            description="context-free grammars in the language of the lark package",
        )
    )
    register(
        Format(
            name="gbnf",
            compile=_write_gbnf,
            guess=_looks_like_gbnf,
            explain=_explain_gbnf,
            description="context-free grammars in the language of llama.cpp",
        )
    )
    register(
        Format(
            name="ebnf",
            compile=_write_ebnf,
            guess=_looks_like_ebnf,
            description="context-free grammars in the notation of W3C or of ISO/IEC 14977",
        )
    )
    register(
        Format(
            name="abnf",
            compile=_write_abnf,
            description="context-free grammars in the notation of internet standards",
        )
    )
    register(
        Format(
            name="grammar",
            compile=_write_grammar,
            description="a grammar that comes with formgate, by its name: json, csv, xml, ...",
        )
    )
    register(
        Format(
            name="special_token",
            compile=_write_special_token,
            description="one special token of the vocabulary, by its name, inside other formats",
        )
    )


@hookimpl
def register_tools(register: Callable[[ToolSpec], None]) -> None:
    """Offer what commands call."""
    register(ToolSpec("lint", "formgate.plugins.cfg._lint:lint", "checks a grammar for faults"))
    register(
        ToolSpec(
            "convert",
            "formgate.plugins.cfg._convert:convert",
            "converts grammars of Nearley and ANTLR4",
        )
    )
    register(
        ToolSpec(
            "test-grammar",
            "formgate.plugins.cfg._testing:check_grammar",
            "tests a grammar with samples, random texts and an independent judge",
        )
    )
