r"""Format ``regex``: Python's ``re`` syntax and Unicode semantics, under full match.

A text is in the language of a pattern exactly where ``re.fullmatch`` of the running Python matches
it. See ``docs/reference/regex.md`` for what is refused and why.

The module is imported whenever plugins are loaded, so it holds the registration only; the parser is
imported when the first pattern is compiled.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from formgate.core.registry import Format, hookimpl

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from formgate.core.grammar import GrammarBuilder
    from formgate.plugins.regex._first_match import compile_first_match, compile_lexeme
    from formgate.plugins.regex._format import compile_regex, compile_string
    from formgate.plugins.regex._parse import parse

__all__ = [
    "FORMGATE_API",
    "compile_first_match",
    "compile_lexeme",
    "compile_regex",
    "compile_string",
    "parse",
    "register_formats",
]

FORMGATE_API = (1, 0)


def __getattr__(name: str) -> object:
    """Import what reads and writes patterns when it is first asked for."""
    if name == "compile_first_match":
        from formgate.plugins.regex._first_match import compile_first_match  # noqa: PLC0415

        return compile_first_match
    if name == "compile_lexeme":
        from formgate.plugins.regex._first_match import compile_lexeme  # noqa: PLC0415

        return compile_lexeme
    if name == "compile_regex":
        from formgate.plugins.regex._format import compile_regex  # noqa: PLC0415

        return compile_regex
    if name == "compile_string":
        from formgate.plugins.regex._format import compile_string  # noqa: PLC0415

        return compile_string
    if name == "parse":
        from formgate.plugins.regex._parse import parse  # noqa: PLC0415

        return parse
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _write_pattern(
    source: object, builder: GrammarBuilder, options: Mapping[str, object], /
) -> None:
    """Import the parser and let it write the pattern."""
    from formgate.plugins.regex._format import compile_format  # noqa: PLC0415

    compile_format(source, builder, options)


@hookimpl
def register_formats(register: Callable[[Format], None]) -> None:
    """Offer the format."""
    register(
        Format(
            name="regex",
            compile=_write_pattern,
            aliases=("re",),
            guess=lambda source: isinstance(source, re.Pattern),
            description="Python regular expressions, matched in full",
        )
    )
