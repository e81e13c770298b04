"""The textbook meaning of a tree on one given text: which spans it matches.

Sets of positions, no states, no search tricks: slow and short enough to be read as a definition.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from oracle.tree import Tree


def matches(tree: Tree, text: bytes) -> bool:
    """Whether the whole of `text` is in the language of `tree`."""
    return len(text) in _Meaning(text).ends(tree, 0)


class _Meaning:
    def __init__(self, text: bytes) -> None:
        self.text = text
        self.everywhere = range(len(text) + 1)
        self.ends = functools.cache(self._ends)

    def _ends(self, tree: Tree, start: int) -> frozenset[int]:
        """Where matches of `tree` that begin at `start` can end."""
        kind, *parts = tree
        if kind in ("ahead", "behind"):
            return self._look(kind, parts, start)
        return frozenset(getattr(self, "_ends_" + kind)(parts, start))

    def _ends_empty(self, _parts, start):
        return {start}

    def _ends_nothing(self, _parts, _start):
        return set()

    def _ends_any_text(self, _parts, start):
        return {end for end in self.everywhere[start:] if _is_text(self.text[start:end])}

    def _ends_lit(self, parts, start):
        return {start + len(parts[0])} if self.text.startswith(parts[0], start) else set()

    def _ends_strings(self, parts, start):
        return {start + len(value) for value in parts[0] if self.text.startswith(value, start)}

    def _ends_bytes(self, parts, start):
        piece = self.text[start : start + 1]
        inside = piece and any(low <= piece[0] <= high for low, high in parts[0])
        return {start + 1} if inside else set()

    def _ends_chars(self, parts, start):
        for end in self.everywhere[start + 1 : start + 5]:
            piece = self.text[start:end]
            if _is_text(piece):
                code_point = ord(piece.decode())
                inside = any(low <= code_point <= high for low, high in parts[0])
                return {end} if inside else set()
        return set()

    def _ends_seq(self, parts, start):
        here = {start}
        for part in parts:
            here = {end for begin in here for end in self.ends(part, begin)}
        return here

    def _ends_choice(self, parts, start):
        return {end for part in parts for end in self.ends(part, start)}

    def _ends_repeat(self, parts, start):
        body, least, most = parts
        # beyond this many iterations only empty ones can be left, which change nothing
        enough = len(self.text) + 2
        here, result, done = {start}, set[int](), 0
        least, most = min(least, enough), enough * 2 if most is None else min(most, enough * 2)
        while True:
            if done >= least:
                result |= here
            if done == most:
                return result
            here = {end for begin in here for end in self.ends(body, begin)}
            done += 1

    def _ends_scope(self, parts, start):
        return {end for end in self.everywhere[start:] if matches(parts[0], self.text[start:end])}

    def _ends_and(self, parts, start):
        return {
            end
            for end in self.everywhere[start:]
            if all(self._inside(p, start, end) for p in parts)
        }

    def _ends_not(self, parts, start):
        texts = self._ends_any_text((), start)
        return {end for end in texts if not self._inside(parts[0], start, end)}

    def _ends_scope(self, parts, start):
        return {end for end in self.everywhere[start:] if self._inside(parts[0], start, end)}

    def _inside(self, part, start, end):
        """Whether `part`, seeing nothing but this span, matches it."""
        return matches(part, self.text[start:end])

    def _look(self, kind, parts, start):
        inner, negative = parts
        if kind == "ahead":
            holds = len(self.text) in self.ends(inner, start)
        else:
            holds = start in self.ends(inner, 0)
        return frozenset() if holds is negative else frozenset({start})


def _is_text(piece: bytes) -> bool:
    try:
        piece.decode()
    except UnicodeDecodeError:
        return False
    return True
