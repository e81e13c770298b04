"""IGNORECASE, as the running Python's ``re`` means it.

A literal matches its whole case group (``k`` also matches the Kelvin sign); with the ASCII flag,
only the two ASCII letters. A class is closed under the groups before it is negated. Two rules are
``re``'s own, and kept because patterns must mean here what they mean there:

- a range that goes beyond U+FFFF takes in every character whose lower-case form, or that form's
  upper-case form, is in the range, whatever the ASCII flag says;
- a single upper-case letter beyond U+FFFF among other members of a class matches nothing, unless
  this Python has mended that.

The escapes for words, digits and spaces are closed under case already.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from functools import cache
from typing import TYPE_CHECKING

from formgate.plugins.regex._ranges import Ranges, normalise
from formgate.plugins.regex._unicode import case_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

__all__ = ["class_variants", "literal_variants"]

_LAST_BMP = 0xFFFF

# Variants of ASCII letters outside ASCII: dotted and dotless i, Kelvin sign, long s. Holding them
# here lets common patterns do without the full table.
_BEYOND_ASCII = {"i": (0x130, 0x131), "k": (0x212A,), "s": (0x17F,)}


@cache
def literal_variants(character: str, ascii_only: bool) -> Ranges | None:
    """Return what a literal matches under IGNORECASE, or None where that is only itself."""
    if character.isascii():
        if not character.isalpha():
            return None
        codes = {ord(character.lower()), ord(character.upper())}
        if not ascii_only:
            codes.update(_BEYOND_ASCII.get(character.lower(), ()))
        return normalise((code, code) for code in codes)
    if ascii_only:
        return None
    group = case_table().groups.get(ord(character))
    return None if group is None else normalise((code, code) for code in group)


def cased_parts(text: str, ascii_only: bool) -> Iterator[tuple[int, int, Ranges | None]]:
    """Cut characters that stand for themselves under IGNORECASE into those that have variants.

    Yields where a part begins and ends, and what it matches: one character that has variants, or
    None for a run of others.
    """
    plain = 0
    for index, character in enumerate(text):
        variants = literal_variants(character, ascii_only)
        if variants is None:
            continue
        if plain < index:
            yield plain, index, None
        yield index, index + 1, variants
        plain = index + 1
    if plain < len(text):
        yield plain, len(text), None


def class_variants(
    singles: Iterable[int], spans: Iterable[tuple[int, int]], *, ascii_only: bool
) -> list[tuple[int, int]]:
    """Return what the members of a class match under IGNORECASE, before negation.

    Args:
        singles: Members given one by one; not the only member (that makes it a literal).
        spans: Members given as ranges.
        ascii_only: Whether the ASCII flag holds.
    """
    found = list(spans)
    for code in singles:
        if code > _LAST_BMP:
            found += _single_beyond_bmp(code, ascii_only=ascii_only)
        else:
            variants = literal_variants(chr(code), ascii_only)
            found += ((code, code),) if variants is None else variants
    for first, last in spans:
        if last < 0x80 or ascii_only:
            for code in _ascii_letters(first, last):
                found += literal_variants(chr(code), ascii_only) or ()
        else:
            found += _closure(first, min(last, _LAST_BMP))
        if last > _LAST_BMP:
            found += _range_beyond_bmp(first, last, ascii_only=ascii_only)
    return found


def _ascii_letters(first: int, last: int) -> list[int]:
    """Return the ASCII letters of a range."""
    upper = range(max(first, 0x41), min(last, 0x5A) + 1)
    lower = range(max(first, 0x61), min(last, 0x7A) + 1)
    return [*upper, *lower]


@cache
def _cased() -> list[int]:
    """Return every code point that has case variants, sorted."""
    return sorted(case_table().groups)


def _closure(first: int, last: int) -> list[tuple[int, int]]:
    """Return the variants of a range, which itself need not be among them."""
    cased, groups = _cased(), case_table().groups
    within: Sequence[int] = cased[bisect_left(cased, first) : bisect_right(cased, last)]
    return [(variant, variant) for code in within for variant in groups[code]]


def _single_beyond_bmp(code: int, *, ascii_only: bool) -> list[tuple[int, int]]:
    """Return what one member above U+FFFF matches."""
    table = case_table()
    if ascii_only or code not in table.groups:
        return [(code, code)]
    if code in table.lower and _upper_beyond_bmp_is_lost():
        return []
    return [(variant, variant) for variant in table.groups[code]]


@cache
def _upper_beyond_bmp_is_lost() -> bool:
    """Ask ``re`` whether U+10400, an upper-case letter, is matched by a class that names it."""
    return re.compile("[\U00010400b]", re.IGNORECASE).match("\U00010400") is None


@cache
def _single_uppers() -> list[tuple[int, int, int]]:
    """Return (code, lower-case form, upper-case form of that) of every cased code point.

    Of an upper-case form of several characters ``re`` sees the first.
    """
    table = case_table()
    codes = set(table.groups)
    codes.update(code for code in range(_LAST_BMP + 1) if len(chr(code).upper()) > 1)
    return [
        (code, lower, ord(chr(lower).upper()[0]))
        for code in sorted(codes)
        for lower in (table.lower.get(code, code),)
    ]


def _range_beyond_bmp(first: int, last: int, *, ascii_only: bool) -> list[tuple[int, int]]:
    """Return what a range that ends above U+FFFF takes in besides its own members."""
    found: list[tuple[int, int]] = []
    for code, folded, upper in _single_uppers():
        if ascii_only and code > 0x7F:
            lower, upper_form = code, ord(chr(code).upper()[0])
        else:
            lower, upper_form = folded, upper
        if first <= lower <= last or first <= upper_form <= last:
            found.append((code, code))
    return found
