"""Bracketed classes and the escapes they share with the rest of a pattern.

A class is found whole by one scan and its set cached by its text, so a class met before costs a
dictionary look-up. Offsets in errors are those of the whole pattern.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from formgate.core.errors import GrammarError
from formgate.plugins.regex._casing import class_variants, literal_variants
from formgate.plugins.regex._ranges import Ranges, complement, normalise
from formgate.plugins.regex._unicode import category

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["CATEGORIES", "CONTROL_ESCAPES", "CaseRule", "CharacterEscape", "char_class", "escape"]

CATEGORIES = frozenset("dDsSwW")

# Escapes for one character, inside and outside of classes; \b is the backspace only inside.
CONTROL_ESCAPES: Mapping[str, str] = {
    "a": "\a",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "v": "\v",
    "\\": "\\",
}

# The first member may be "]"; no member may end in a lone backslash. Here and below: no repeat
# directly within a repeat, so that a missing end is found out in linear time.
_EXTENT = re.compile(
    r"\[(?: \^(?:\\.|[^\\]) | \\. | [^\\^] ) [^\]\\]*(?:\\.[^\]\\]*)* \]", re.DOTALL | re.VERBOSE
)
_HEX_DIGITS = {"x": 2, "u": 4, "U": 8}
_HEX = re.compile("[0-9a-fA-F]*")
_OCTAL = re.compile("[0-7]{1,3}")
_NAME = re.compile(r"\{([^}\\]*(?:\\.[^}\\]*)*)\}", re.DOTALL)

_CACHE_SIZE = 1024
_CACHED_LENGTH = 200


class CaseRule(NamedTuple):
    """Which flags bear on sets of characters."""

    ignore_case: bool
    ascii_only: bool


class CharacterEscape(NamedTuple):
    """An escape that stands for one code point, and where it ends in the pattern."""

    code: int
    end: int


_cache: dict[tuple[str, CaseRule], Ranges] = {}


def escape(pattern: str, start: int, *, in_class: bool) -> CharacterEscape:
    r"""Read the escape at ``start`` that stands for one character.

    Outside of a class the caller has dealt with ``\b`` and with references to groups.

    Raises:
        GrammarError: The escape is none that ``re`` knows.
    """
    letter = pattern[start + 1 : start + 2]
    if not letter:
        raise GrammarError("bad escape (end of pattern)", source=pattern, offset=start)
    control = CONTROL_ESCAPES.get(letter)
    if control is not None:
        return CharacterEscape(ord(control), start + 2)
    if in_class and letter == "b":
        return CharacterEscape(8, start + 2)
    if letter in _HEX_DIGITS:
        return _hexadecimal(pattern, start, _HEX_DIGITS[letter])
    if letter == "N":
        return _named(pattern, start)
    octal = _OCTAL.match(pattern, start + 1)
    if octal is not None:
        code = int(octal.group(), 8)
        if code > 0o377:
            raise GrammarError(
                f"octal escape value \\{octal.group()} outside of range 0-0o377",
                source=pattern,
                offset=start,
                end=octal.end(),
            )
        return CharacterEscape(code, octal.end())
    if letter.isascii() and letter.isalnum():
        raise GrammarError(f"bad escape \\{letter}", source=pattern, offset=start, end=start + 2)
    return CharacterEscape(ord(letter), start + 2)


def _hexadecimal(pattern: str, start: int, digits: int) -> CharacterEscape:
    """Read an escape of exactly so many hexadecimal digits."""
    match = _HEX.match(pattern, start + 2, start + 2 + digits)
    end = start + 2 if match is None else match.end()
    if end != start + 2 + digits:
        raise GrammarError(
            f"incomplete escape {pattern[start:end]}", source=pattern, offset=start, end=end
        )
    code = int(pattern[start + 2 : end], 16)
    if code > 0x10FFFF:
        raise GrammarError(
            f"bad escape {pattern[start:end]}", source=pattern, offset=start, end=end
        )
    return CharacterEscape(code, end)


def _named(pattern: str, start: int) -> CharacterEscape:
    r"""Read ``\N{name}``."""
    import unicodedata  # noqa: PLC0415 (a shared library of 1 MB that few patterns need)

    match = _NAME.match(pattern, start + 2)
    if match is None:
        raise GrammarError(
            r"\N is not followed by a character name in braces",
            source=pattern,
            offset=start,
            end=start + 2,
        )
    try:
        code = ord(unicodedata.lookup(match.group(1)))
    except (KeyError, TypeError, UnicodeEncodeError):
        raise GrammarError(
            f"undefined character name {match.group(1)!r}",
            source=pattern,
            offset=start,
            end=match.end(),
        ) from None
    return CharacterEscape(code, match.end())


def char_class(pattern: str, start: int, rule: CaseRule) -> tuple[Ranges, int]:
    """Read the class whose bracket stands at ``start``.

    Returns:
        Its set, and where the class ends.

    Raises:
        GrammarError: The class is unterminated or has a bad escape or range.
    """
    extent = _EXTENT.match(pattern, start)
    if extent is None:
        raise GrammarError("unterminated character set", source=pattern, offset=start)
    text, end = extent.group(), extent.end()
    key = (text, rule)
    ranges = _cache.get(key)
    if ranges is None:
        ranges = _members(pattern, start, end, rule)
        if len(text) <= _CACHED_LENGTH:
            if len(_cache) >= _CACHE_SIZE:
                _cache.clear()
            _cache[key] = ranges
    return ranges, end


def _members(pattern: str, start: int, end: int, rule: CaseRule) -> Ranges:
    """Return the set of a class, given its extent."""
    singles: set[int] = set()
    spans: list[tuple[int, int]] = []
    categories: list[tuple[int, int]] = []
    position = start + 1
    negated = pattern[position] == "^"
    position += negated
    last = end - 1
    while position < last:
        here = position
        code, position = _member(pattern, here, rule, categories)
        if pattern[position] != "-":
            if code is not None:
                singles.add(code)
            continue
        if position + 1 == last:
            singles.add(0x2D)
            position = last
            if code is not None:
                singles.add(code)
            continue
        upper, position = _member(pattern, position + 1, rule, categories)
        if code is None or upper is None or upper < code:
            raise GrammarError(
                f"bad character range {pattern[here:position]}",
                source=pattern,
                offset=here,
                end=position,
            )
        spans.append((code, upper))
    if not rule.ignore_case:
        pieces = [*((code, code) for code in singles), *spans]
    elif len(singles) == 1 and not spans and not categories:
        (only,) = singles
        pieces = list(literal_variants(chr(only), rule.ascii_only) or ((only, only),))
    else:
        pieces = class_variants(singles, spans, ascii_only=rule.ascii_only)
    ranges = normalise(pieces + categories)
    return complement(ranges) if negated else ranges


def _member(
    pattern: str, start: int, rule: CaseRule, categories: list[tuple[int, int]]
) -> tuple[int | None, int]:
    """Read one member: its code point (None for a category, which is added) and where it ends."""
    character = pattern[start]
    if character != "\\":
        return ord(character), start + 1
    letter = pattern[start + 1]
    if letter in CATEGORIES:
        categories += category(letter, rule.ascii_only)
        return None, start + 2
    found = escape(pattern, start, in_class=True)
    return found.code, found.end
