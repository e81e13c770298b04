"""The steps from a pattern to a node: parse, look at what is atomic, write."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from formgate.core.errors import GrammarError
from formgate.plugins.regex._casing import cased_parts
from formgate.plugins.regex._parse import parse
from formgate.plugins.regex._possessive import check_atomic
from formgate.plugins.regex._write import Writer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from formgate.core.grammar import GrammarBuilder, Node

__all__ = ["compile_format", "compile_regex", "compile_string", "flags_of"]

_OPTIONS = ("flags",)
_FLAG_LETTERS = {
    "a": re.ASCII,
    "i": re.IGNORECASE,
    "m": re.MULTILINE,
    "s": re.DOTALL,
    "u": re.UNICODE,
    "x": re.VERBOSE,
}


def compile_regex(pattern: str, builder: GrammarBuilder, *, flags: int | str = 0) -> Node:
    r"""Write the language of the texts that a pattern matches in full.

    The text that anchors and look-around see is the text that the node matches. Cost: linear in
    the pattern, some 30 µs for a typical one.

    Args:
        pattern: A pattern in the syntax of the running Python's ``re``.
        builder: Where to write.
        flags: ``re`` flags, or their letters, as in ``"im"``.

    Raises:
        GrammarError: ``re`` refuses the pattern too; the message and the offset are its own.
        UnsupportedConstraint: The pattern asks for what cannot be enforced exactly.

    Example:
        >>> from formgate.core.grammar import GrammarBuilder
        >>> builder = GrammarBuilder()
        >>> builder.start(compile_regex(r"\d{4}-\d\d", builder))
    """
    parsed = parse(pattern, flags_of(flags))
    if parsed.has_atomic:
        check_atomic(pattern, parsed)
    return Writer(pattern, parsed, builder).write()


def compile_string(
    text: str, builder: GrammarBuilder, *, ignore_case: bool = False, ascii_only: bool = False
) -> Node:
    """Write a string as ``re`` matches it where all its characters are escaped.

    The same as `compile_regex` of the escaped text, without reading a pattern. Cost: linear in the
    text, some 2 µs.

    Args:
        text: The string.
        builder: Where to write.
        ignore_case: Whether letters stand for their variants in case, too.
        ascii_only: Whether only those of ASCII do, as under ``re.ASCII``.

    Raises:
        TypeError: The text is none.
        GrammarError: No text has such a string, since it has a lone surrogate.

    Example:
        >>> from formgate.core.grammar import GrammarBuilder
        >>> builder = GrammarBuilder()
        >>> builder.start(compile_string("select", builder, ignore_case=True))
    """
    if not isinstance(text, str):
        raise TypeError(f"text is a str, not {type(text).__name__}")
    if not ignore_case:
        return builder.literal(text)
    parts = [
        builder.literal(text[begin:end]) if variants is None else builder.char_class(variants)
        for begin, end, variants in cased_parts(text, ascii_only)
    ]
    return builder.seq(*parts)


def compile_format(source: object, builder: GrammarBuilder, options: Mapping[str, object]) -> None:
    """Write a pattern given to ``formgate.compile``.

    Args:
        source: A pattern, or a compiled ``re.Pattern`` for text.
        builder: Where to write.
        options: ``flags`` and no other.

    Raises:
        GrammarError: The source is no pattern for text, ``re`` refuses it, or an option is unknown.
        UnsupportedConstraint: The pattern asks for what cannot be enforced exactly.
    """
    unknown = sorted(set(options) - set(_OPTIONS))
    if unknown:
        raise GrammarError(
            f"the regex format has no option {unknown[0]!r}",
            hint="its options are: " + ", ".join(_OPTIONS),
        )
    flags = flags_of(options.get("flags", 0))
    if isinstance(source, re.Pattern):
        if flags:
            raise GrammarError(
                "cannot process flags argument with a compiled pattern",
                hint="give the flags to re.compile, or the pattern as a string",
            )
        flags = source.flags
        source = source.pattern
    if not isinstance(source, str):
        what = "a bytes pattern" if isinstance(source, bytes) else type(source).__name__
        raise GrammarError(
            f"the regex format takes a pattern as a string or a re.Pattern for text, not {what}",
            hint="decode the pattern: a model's output is text",
        )
    builder.start(compile_regex(source, builder, flags=flags))


def flags_of(flags: object) -> int:
    """Return flags as the integer that ``re`` takes."""
    if isinstance(flags, str):
        unknown = sorted(set(flags) - set(_FLAG_LETTERS))
        if unknown:
            raise GrammarError(
                f"unknown regex flag {unknown[0]!r}",
                hint="the flags are the letters " + ", ".join(_FLAG_LETTERS),
            )
        flags = sum({int(_FLAG_LETTERS[letter]) for letter in flags})
    if not isinstance(flags, int) or isinstance(flags, bool) or not 0 <= flags < 1 << 31:
        raise GrammarError(
            f"regex flags must be re flags or a string of letters, not {flags!r}",
            hint='for example flags=re.IGNORECASE | re.DOTALL, or flags="is"',
        )
    return int(flags)
