r"""Word boundaries, resolved as far as the neighbouring characters allow.

``\b`` holds between a word character and anything else, the ends of the text included. Often one
side is known from the pattern: in ``\bfoo`` the next character is an ``f``. What is known is used
here, so that the engine tracks as little context as possible; the language is unchanged.

An empty text has no boundary, and before Python 3.14 it has no non-boundary either: ``\B`` then
fails on it. The running Python's rule is kept.
"""

from __future__ import annotations

import sys
from enum import Enum
from typing import TYPE_CHECKING

from formgate.plugins.regex._ranges import contains, intersects, is_subset
from formgate.plugins.regex._syntax import (
    Alternation,
    CharClass,
    Literal,
    Repeat,
    Sequence,
    Syntax,
)
from formgate.plugins.regex._unicode import category

if TYPE_CHECKING:
    from formgate.core.grammar import GrammarBuilder, Node

__all__ = ["Side", "WordBoundaries", "side_of"]

_EMPTY_HAS_NON_BOUNDARY = sys.version_info >= (3, 14)

# A larger class than this is not compared with the set of word characters, unless it is one that a
# word or non-word escape gives: it would cost more than it saves.
_COMPARED_RANGES = 64
_COMPARED_BRANCHES = 16
_LAYERS = 6


class Side(Enum):
    """What is known of the character on one side of a place."""

    UNKNOWN = "unknown"
    NONE = "no character: an end of the text"
    WORD = "a word character"
    OTHER = "a character that is no word character"


def side_of(item: Syntax | None, *, last: bool, ascii_only: bool) -> Side:
    """Say what the last (or first) character of a match of the item is.

    Looks through few layers only, so the cost is bounded; what lies deeper counts as unknown.
    """
    item = _edge(item, last=last)
    if not isinstance(item, Alternation):
        return _side_of_character(item, last=last, ascii_only=ascii_only)
    if len(item.branches) > _COMPARED_BRANCHES:
        return Side.UNKNOWN
    sides = {
        _side_of_character(_edge(branch, last=last), last=last, ascii_only=ascii_only)
        for branch in item.branches
    }
    return sides.pop() if len(sides) == 1 else Side.UNKNOWN


def _edge(item: Syntax | None, *, last: bool) -> Syntax | None:
    """Return the part of an item that its matches surely end (or begin) with."""
    for _ in range(_LAYERS):
        if isinstance(item, Repeat):
            item = item.body if item.minimum > 0 else None
        elif isinstance(item, Sequence):
            item = item.items[-1 if last else 0] if item.items else None
        else:
            return item
    return None


def _side_of_character(item: Syntax | None, *, last: bool, ascii_only: bool) -> Side:
    """Say of which kind a literal's or a class's character is; anything else is unknown."""
    word = category("w", ascii_only)
    if isinstance(item, Literal):
        code = ord(item.text[-1 if last else 0])
        return Side.WORD if contains(word, code) else Side.OTHER
    if isinstance(item, CharClass):
        ranges = item.ranges
        if ranges is word:
            return Side.WORD
        if ranges is category("W", ascii_only) or not ranges:
            return Side.OTHER
        if len(ranges) <= _COMPARED_RANGES:
            if is_subset(ranges, word):
                return Side.WORD
            if not intersects(ranges, word):
                return Side.OTHER
    return Side.UNKNOWN


class WordBoundaries:
    """Writes boundaries by one notion of word character, each condition once."""

    def __init__(self, builder: GrammarBuilder, any_text: Node, *, ascii_only: bool) -> None:
        self._builder = builder
        self._any_text = any_text
        self._ascii_only = ascii_only
        self._characters: dict[Side, Node] = {}
        self._made: dict[tuple[Side, bool, bool], Node] = {}
        self._between: dict[tuple[Side, Side, bool], Node | None] = {}

    def _character(self, side: Side) -> Node:
        """Return the class of the characters of a kind."""
        node = self._characters.get(side)
        if node is None:
            letter = "w" if side is Side.WORD else "W"
            node = self._builder.char_class(category(letter, self._ascii_only))
            self._characters[side] = node
        return node

    def _condition(self, side: Side, *, behind: bool, negative: bool = False) -> Node:
        """Return the condition that the next or last character exists and is of this kind."""
        node = self._made.get((side, behind, negative))
        if node is None:
            builder = self._builder
            one = self._character(side)
            if behind:
                node = builder.look_behind(builder.seq(self._any_text, one), negative=negative)
            else:
                node = builder.look_ahead(builder.seq(one, self._any_text), negative=negative)
            self._made[side, behind, negative] = node
        return node

    def node(self, before: Side, after: Side, *, negated: bool) -> Node | None:
        r"""Return what ``\b`` (or ``\B``) asks between two sides; None if it always holds.

        Each is written once.
        """
        key = before, after, negated
        if key not in self._between:
            write = self._non_boundary if negated else self._boundary
            self._between[key] = write(before, after)
        return self._between[key]

    def _boundary(self, before: Side, after: Side) -> Node | None:
        r"""Write ``\b``."""
        builder = self._builder
        if before is not Side.UNKNOWN and after is not Side.UNKNOWN:
            differ = (before is Side.WORD) != (after is Side.WORD)
            return None if differ else builder.nothing()
        if before is not Side.UNKNOWN:
            return self._condition(Side.WORD, behind=False, negative=before is Side.WORD)
        if after is not Side.UNKNOWN:
            return self._condition(Side.WORD, behind=True, negative=after is Side.WORD)
        return builder.choice(
            builder.seq(
                self._condition(Side.WORD, behind=True),
                self._condition(Side.WORD, behind=False, negative=True),
            ),
            builder.seq(
                self._condition(Side.WORD, behind=True, negative=True),
                self._condition(Side.WORD, behind=False),
            ),
        )

    def _non_boundary(self, before: Side, after: Side) -> Node | None:
        r"""Write ``\B``."""
        builder = self._builder
        if before is not Side.UNKNOWN and after is not Side.UNKNOWN:
            same = (before is Side.WORD) == (after is Side.WORD)
            empty_text = before is Side.NONE and after is Side.NONE
            if not same or (empty_text and not _EMPTY_HAS_NON_BOUNDARY):
                return builder.nothing()
            return None
        if before is not Side.UNKNOWN:
            return self._half_known(before, behind=False)
        if after is not Side.UNKNOWN:
            return self._half_known(after, behind=True)
        inside_word = builder.seq(
            self._condition(Side.WORD, behind=True), self._condition(Side.WORD, behind=False)
        )
        after_other = builder.seq(
            self._condition(Side.OTHER, behind=True),
            self._condition(Side.WORD, behind=False, negative=True),
        )
        at_start = builder.seq(
            builder.look_behind(builder.empty()), self._half_known(Side.NONE, behind=False)
        )
        return builder.choice(inside_word, after_other, at_start)

    def _half_known(self, known: Side, *, behind: bool) -> Node:
        r"""Write ``\B`` on the unknown side, given the other."""
        if known is Side.WORD:
            return self._condition(Side.WORD, behind=behind)
        if known is Side.NONE and not _EMPTY_HAS_NON_BOUNDARY:
            return self._condition(Side.OTHER, behind=behind)
        return self._condition(Side.WORD, behind=behind, negative=True)
