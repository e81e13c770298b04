r"""Whether all matches of a pattern at a place end at the same place.

Then it does not matter in which order they are tried: the first match is the only one, and no
condition has to say which it is. So it is where what can end in several places goes on to a
character that it cannot have itself, as in ``(?:\w{1,20} ?)+\.``: the text says how far it goes.

Cost: each part is looked at once, and its characters once more for each part that it is in.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from formgate.plugins.regex._first_match_facts import Rest, Sets, meet, single, union
from formgate.plugins.regex._measure import children
from formgate.plugins.regex._syntax import (
    Alternation,
    Anchor,
    Atomic,
    CharClass,
    Literal,
    Look,
    Repeat,
    RepeatMode,
    Sequence,
    Syntax,
)
from formgate.plugins.regex._write import flatten

if TYPE_CHECKING:
    from collections.abc import Callable

    from formgate.plugins.regex._first_match_facts import Facts

__all__ = ["Ends", "looks_around"]

# As deep as patterns are whose first match is written out.
_MAX_NESTING = 50

# Branches of which all pairs are compared.
_MOST_BRANCHES = 16


def looks_around(tree: Syntax) -> bool:
    """Say whether a pattern has conditions, or parts of which only the first match is tried."""
    stack = [tree]
    while stack:
        node = stack.pop()
        if isinstance(node, Look | Anchor | Atomic):
            return True
        if isinstance(node, Repeat) and node.mode is RepeatMode.POSSESSIVE:
            return True
        stack += children(node)
    return False


class Ends:
    """Looks at the parts of one pattern, each once.

    Args:
        facts: What is known of the parts.
        spend: Told of the work to be done.
    """

    __slots__ = ("_characters", "_end", "_facts", "_known", "_spend")

    def __init__(self, facts: Facts, spend: Callable[[int], None]) -> None:
        self._facts = facts
        self._spend = spend
        self._end = Rest(None, None, None)
        # By identity; the node is kept so that no other can take its id.
        self._known: dict[int, tuple[Syntax, bool]] = {}
        self._characters: dict[int, tuple[Syntax, Sets]] = {}

    def alike(self, node: Syntax, depth: int = 0) -> bool:
        """Say whether it is proved that all matches of a part at a place end alike.

        Recursive; the nesting is bounded here.
        """
        fact = self._facts.of(node)
        if fact.low == fact.high:
            return True
        found = self._known.get(id(node))
        if found is None:
            self._spend(1)
            found = self._known[id(node)] = node, depth < _MAX_NESTING and self._look(node, depth)
        return found[1]

    def _look(self, node: Syntax, depth: int) -> bool:
        """Look at a part that has several widths."""
        if isinstance(node, Sequence):
            return self._sequence(flatten(node), depth + 1)
        if isinstance(node, Alternation):
            return self._alternation(node.branches, depth + 1)
        if isinstance(node, Atomic):
            return self.alike(node.body, depth + 1)
        if isinstance(node, Repeat):
            return node.minimum == node.maximum and self.alike(node.body, depth + 1)
        return False

    def _sequence(self, items: list[Syntax], depth: int) -> bool:
        """Look at parts one after the other: from where each begins, what tells where it ends."""
        self._spend(len(items))
        begun: Sets | None = None  # the characters of parts whose ends are open
        for item in items:
            if isinstance(item, Literal):
                if begun is not None and any(not meet(one, begun) for one in _singles(item)):
                    begun = None
                continue
            fact = self._facts.of(item)
            if begun is not None and fact.low and not meet(fact.first, begun):
                begun = None
            if begun is None and self.alike(item, depth):
                continue
            begun = union([begun or (), self._characters_of(item)])
        return begun is None

    def _alternation(self, branches: list[Syntax], depth: int) -> bool:
        """Look at branches, of which no text may begin with two."""
        if len(branches) > _MOST_BRANCHES:
            return False
        if not all(self.alike(branch, depth) for branch in branches):
            return False
        rests = [self._facts.rest(branch, self._end) for branch in branches]
        self._spend(len(rests) * len(rests))
        return all(
            self._facts.disjoint(one, other)
            for index, other in enumerate(rests)
            for one in rests[:index]
        )

    def _characters_of(self, node: Syntax) -> Sets:
        """Return all characters that a part may consume.

        Recursive; the nesting of patterns is bounded before.
        """
        if isinstance(node, CharClass):
            return (node.ranges,)
        if isinstance(node, Literal):
            return union(_singles(node))
        if isinstance(node, Look | Anchor):
            return ()
        found = self._characters.get(id(node))
        if found is None:
            self._spend(1)
            parts = [self._characters_of(part) for part in children(node)]
            found = self._characters[id(node)] = node, union(parts)
        return found[1]


def _singles(node: Literal) -> list[Sets]:
    """Return the characters of a plain text."""
    return [(single(one),) for one in node.text]
