r"""Character classes of JavaScript's regular expressions: ``[a-z\d]``, ``[^\s]``, ``.``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from formgate.plugins.cfg._scanner import Scanner

__all__ = ["js_class"]

Ranges = list[tuple[int, int]]

_DIGITS: Ranges = [(0x30, 0x39)]
_WORDS: Ranges = [(0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A)]
_SPACES: Ranges = [
    (0x09, 0x0D), (0x20, 0x20), (0xA0, 0xA0), (0x1680, 0x1680), (0x2000, 0x200A),
    (0x2028, 0x2029), (0x202F, 0x202F), (0x205F, 0x205F), (0x3000, 0x3000), (0xFEFF, 0xFEFF),
]  # fmt: skip
_LINE_ENDS: Ranges = [(0x0A, 0x0A), (0x0D, 0x0D), (0x2028, 0x2029)]
_SETS = {"d": _DIGITS, "w": _WORDS, "s": _SPACES}
_CONTROLS = {"n": 10, "r": 13, "t": 9, "v": 11, "f": 12, "b": 8, "0": 0}
_ITEM = re.compile(
    r"\\(?:(?P<set>[dwsDWS])|x(?P<x>[0-9A-Fa-f]{2})|u(?P<u>[0-9A-Fa-f]{4})|c(?P<c>[A-Za-z])"
    r"|(?P<control>[nrtvfb]|0(?![0-9]))|(?P<plain>[^A-Za-z0-9]))|(?P<char>[^\\])"
)


def js_class(scan: Scanner, text: str, offset: int) -> tuple[Ranges, bool]:
    """Return the ranges of a class, and whether it is what they do not hold.

    Raises:
        GrammarError: The class has an escape of unknown meaning, is empty, or out of order.
    """
    if text == ".":
        return _LINE_ENDS, True
    negated = text.startswith("[^")
    inside = text[2 if negated else 1 : -1]
    items: list[int | Ranges] = []  # a character, or a set of them
    dashes: list[int] = []
    place = 0
    while place < len(inside):
        match = _ITEM.match(inside, place)
        if match is None:
            raise scan.error(
                "an escape of no known meaning in this class", offset, offset + len(text)
            )
        if match[0] == "-":
            dashes.append(len(items))
        items.append(_meaning(match))
        place = match.end()
    ranges: Ranges = []
    at = 0
    while at < len(items):
        low = items[at]
        if at + 1 in dashes and at + 2 < len(items):
            high = items[at + 2]
            if not isinstance(low, int) or not isinstance(high, int) or high < low:
                raise scan.error("this class has a range that is none", offset, offset + len(text))
            ranges.append((low, high))
            at += 3
        else:
            ranges += [(low, low)] if isinstance(low, int) else low
            at += 1
    if not ranges and not negated:
        raise scan.error("this class is empty", offset, offset + len(text))
    return ranges, negated


def _meaning(match: re.Match[str]) -> int | Ranges:
    """Return what one item of a class stands for."""
    if match["set"]:
        ranges = _SETS[match["set"].lower()]
        return ranges if match["set"].islower() else _others(ranges)
    for kind in ("x", "u"):
        if match[kind]:
            return int(match[kind], 16)
    if match["c"]:
        return ord(match["c"]) % 32
    if match["control"]:
        return _CONTROLS[match["control"]]
    return ord(match["plain"] or match["char"])


def _others(ranges: Ranges) -> Ranges:
    """Return the characters in none of some ranges, which are in order."""
    found, low = [], 0
    for first, last in ranges:
        if first > low:
            found.append((low, first - 1))
        low = last + 1
    return [*found, (low, 0x10FFFF)]
