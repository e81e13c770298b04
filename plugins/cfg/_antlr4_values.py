r"""What ANTLR4's literals and classes of characters stand for: ``'\n'``, ``[a-z\u{1F600}]``."""

from __future__ import annotations

import re
import sys
import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING

from formgate.core.errors import UnsupportedConstraint

if TYPE_CHECKING:
    from formgate.core.errors import GrammarError
    from formgate.plugins.cfg._antlr4_tokens import Token
    from formgate.plugins.cfg._scanner import Scanner

__all__ = ["char_set", "literal_text"]

Ranges = tuple[tuple[int, int], ...]

_PLAIN = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f"}
_ITEM = re.compile(
    r"\\u\{(?P<long>[0-9A-Fa-f]{1,6})\}|\\u(?P<u>[0-9A-Fa-f]{4})|\\(?P<not>[pP])\{(?P<p>[^}]*)\}"
    r"|\\(?P<escape>[nrtbf])|\\(?P<plain>[^A-Za-z0-9])|(?P<char>[^\\])",
    re.DOTALL,
)


def literal_text(scan: Scanner, token: Token) -> str:
    """Return the text of a literal.

    Raises:
        GrammarError: It has an escape of unknown meaning.
    """
    inside, place, text = token.text[1:-1], 0, ""
    while place < len(inside):
        match = _ITEM.match(inside, place)
        if match is None or match["p"] is not None:
            raise _unknown(scan, token)
        text += chr(_code(scan, token, match))
        place = match.end()
    return text


def char_set(scan: Scanner, token: Token) -> Ranges:
    """Return the ranges of a class of characters.

    Raises:
        GrammarError: It is empty, has an escape of unknown meaning, or a range that is none.
        UnsupportedConstraint: It has a property that is not known here.
    """
    inside, place = token.text[1:-1], 0
    ranges: list[tuple[int, int]] = []
    while place < len(inside):
        match = _ITEM.match(inside, place)
        if match is None:
            raise _unknown(scan, token)
        place = match.end()
        if match["p"] is not None:
            ranges += _category(scan, token, match["p"], negated=match["not"] == "P")
            continue
        low = high = _code(scan, token, match)
        last = _ITEM.match(inside, place + 1)
        if inside.startswith("-", place) and last is not None and last["p"] is None:
            high = _code(scan, token, last)
            place = last.end()
        if high < low:
            raise scan.error("this class has a range that is none", token.start, token.end)
        ranges.append((low, high))
    if not ranges:
        raise scan.error("this class is empty", token.start, token.end)
    return tuple(ranges)


def _code(scan: Scanner, token: Token, match: re.Match[str]) -> int:
    """Return the character of one item."""
    digits = match["long"] or match["u"]
    code = int(digits, 16) if digits else 0
    if code > sys.maxunicode or 0xD800 <= code <= 0xDFFF:
        raise scan.error("this has the number of no character", token.start, token.end)
    if digits:
        return code
    return ord(_PLAIN.get(match["escape"] or "", match["plain"] or match["char"] or ""))


def _unknown(scan: Scanner, token: Token) -> GrammarError:
    return scan.error("an escape of no known meaning", token.start, token.end)


def _category(scan: Scanner, token: Token, name: str, *, negated: bool) -> list[tuple[int, int]]:
    """Return the characters of a general category, by its short name."""
    ranges = _of_category(name) if name.isalpha() and len(name) <= 2 else []
    if not ranges:
        raise UnsupportedConstraint(
            f"the property {name!r} is not known here",
            source=scan.source,
            offset=token.start,
            end=token.end,
            hint="general categories are, by their short names: \\p{L}, \\p{Nd}",
        )
    if not negated:
        return ranges
    found, low = [], 0
    for first, last in ranges:
        if first > low:
            found.append((low, first - 1))
        low = last + 1
    return [*found, (low, sys.maxunicode)] if low <= sys.maxunicode else found


@lru_cache(maxsize=16)
def _of_category(name: str) -> list[tuple[int, int]]:
    """Return the ranges of a category; empty if there is none of that name."""
    ranges: list[tuple[int, int]] = []
    for code in range(sys.maxunicode + 1):
        if unicodedata.category(chr(code)).startswith(name):
            if ranges and ranges[-1][1] == code - 1:
                ranges[-1] = ranges[-1][0], code
            else:
                ranges.append((code, code))
    return ranges
