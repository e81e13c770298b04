r"""What ``\w``, ``\d``, ``\s`` and IGNORECASE mean to the running Python.

Python's ``re`` asks the character database of the interpreter it runs on, so the sets depend on
``unicodedata.unidata_version``. For one version the tables are stored (``_unicode_tables``, made by
``tools/make_unicode_tables.py`` with the functions here); for any other they are read off the
interpreter at first use: three scans of one text that holds every code point, and one pass over the
case mappings, 0.05 to 0.2 s in all. Only public means are used: ``str`` methods and ``re`` itself.

Case. ``re`` compares lower-case forms, and takes two of them for one where they share an
upper-case form (Greek final sigma, the long s). That makes an equivalence of code points, whose
classes of two or more members are the *case groups* here.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import NamedTuple

from formgate.plugins.regex._ranges import MAX_CODE, Ranges, complement

__all__ = ["CaseTable", "case_table", "category", "compute_cases", "compute_category"]

_ASCII: dict[str, Ranges] = {
    "d": ((0x30, 0x39),),
    "s": ((0x09, 0x0D), (0x20, 0x20)),
    "w": ((0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A)),
}


@cache
def category(letter: str, ascii_only: bool) -> Ranges:
    r"""Return the set that an escape stands for.

    Args:
        letter: One of ``d D s S w W``.
        ascii_only: Whether the ASCII flag holds.
    """
    lower = letter.lower()
    if letter != lower:
        return complement(category(lower, ascii_only))
    if ascii_only:
        return _ASCII[letter]
    from formgate.plugins.regex import _unicode_tables as tables  # noqa: PLC0415 (20 KB)

    if unicodedata.unidata_version != tables.VERSION:
        return compute_category(letter)
    flat = {"d": tables.DIGIT, "s": tables.SPACE, "w": tables.WORD}[letter]
    return tuple(zip(flat[::2], flat[1::2], strict=True))


class CaseTable(NamedTuple):
    """How letters relate by case.

    Args:
        groups: For each code point that has variants, its whole group, sorted.
        lower: Simple lower-case form of each code point that differs from its own.
    """

    groups: dict[int, tuple[int, ...]]
    lower: dict[int, int]


@cache
def case_table() -> CaseTable:
    """Return the case relations of the running Python, in about 1 ms from the stored table."""
    from formgate.plugins.regex import _unicode_tables as tables  # noqa: PLC0415 (20 KB)

    lower: dict[int, int] = {}
    if unicodedata.unidata_version == tables.VERSION:
        runs = tables.LOWER
        for index in range(0, len(runs), 4):
            first, last, step, delta = runs[index : index + 4]
            lower.update((code, code + delta) for code in range(first, last + 1, step))
        return _case_table(lower, tables.SHARED_UPPER)
    return _case_table(*compute_cases())


def _case_table(lower: dict[int, int], shared: tuple[tuple[int, ...], ...]) -> CaseTable:
    """Make the groups out of lower-case forms and of those that share an upper-case form."""
    members: dict[int, list[int]] = {}
    for upper_code, code in lower.items():
        members.setdefault(code, [code]).append(upper_code)
    for codes in shared:
        union = [member for code in codes for member in members.get(code, (code,))]
        members.update((code, union) for code in codes)
    groups: dict[int, tuple[int, ...]] = {}
    for union in members.values():
        group = tuple(sorted(union))
        groups.update((code, group) for code in group)
    return CaseTable(groups, lower)


def _every_code_point() -> str:
    """Return one text of every code point in order, surrogates included, in 40 ms.

    Not kept: it takes 4 MB and each set is computed once.
    """
    return "".join(map(chr, range(MAX_CODE + 1)))


def compute_category(letter: str) -> Ranges:
    """Read the set of ``d``, ``s`` or ``w`` off the running Python, in about 50 ms."""
    runs = re.finditer(rf"\{letter}+", _every_code_point())
    return tuple((run.start(), run.end() - 1) for run in runs)


def compute_cases() -> tuple[dict[int, int], tuple[tuple[int, ...], ...]]:
    """Read the case relations off the running Python, in 0.1 s.

    Returns:
        Simple lower-case forms of the code points that have another one; and the sets of
        lower-case forms that share an upper-case form.
    """
    every = _every_code_point()
    lower = {
        code: ord(mapped[0])
        for code, character in enumerate(every)
        if (mapped := character.lower()) != character
    }
    by_upper: dict[str, list[int]] = {}
    for code, character in enumerate(every):
        upper = character.upper()
        if upper != character and code not in lower:
            by_upper.setdefault(upper, []).append(code)
    shared = sorted(tuple(codes) for codes in by_upper.values() if len(codes) > 1)
    return lower, tuple(shared)
