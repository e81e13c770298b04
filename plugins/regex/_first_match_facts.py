"""What parts of a pattern, and the rest of it from a place on, can begin with.

A guard (see ``_first_match``) is left out where no text begins both with what it forbids and with
what it stands before. Three proofs are tried: by the first character, known for every part; by the
first few characters, position by position, worked out on demand; and by what a negative look-ahead
forbids, as the one in ``(?:(?!-->).)*-->``. All look at supersets of what can be matched (other
conditions are passed over), so they fail to prove at worst.

Cost: one pass from the leaves up, results kept by node; a look-up for a part known already.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from formgate.plugins.regex._measure import UNBOUNDED, children
from formgate.plugins.regex._ranges import Ranges, intersects, is_subset, normalise
from formgate.plugins.regex._syntax import (
    Alternation,
    Anchor,
    Atomic,
    CharClass,
    Literal,
    Look,
    Repeat,
    Sequence,
    Syntax,
)
from formgate.plugins.regex._write import flatten

if TYPE_CHECKING:
    from formgate.core.grammar import Node

__all__ = ["Fact", "Facts", "Rest", "Sets", "meet", "single", "union"]

# The union of these sets; few, so that large classes need not be merged.
Sets = tuple[Ranges, ...]

# Sets of the first, second, ... character; beyond the last one, anything goes.
_Head = tuple[Sets, ...]

_MOST_SETS = 8
_HEAD_LENGTH = 4
_HEAD_VISITS = 100


class Fact(NamedTuple):
    """What is known of one part.

    Args:
        low: Fewest characters it consumes.
        high: Most characters it consumes.
        total: It can be matched at any place of any text.
        first: Holds every character that a match which is not empty begins with.
    """

    low: int
    high: int
    total: bool
    first: Sets


class Rest:
    """The rest of a pattern from a place on: a part, then what comes after it.

    Args:
        item: The part; None where the pattern ends.
        after: What comes after it; None only where the pattern ends.
        fact: What is known of the part.

    Attributes:
        total: It can be matched at any place of any text.
        first: Holds every character it can begin with; None if it need not begin with any.
        ahead: Once written, the node of every text that begins with a match.
        head: The first characters by position, once asked for.
    """

    __slots__ = ("after", "ahead", "fact", "first", "head", "item", "total")

    def __init__(self, item: Syntax | None, after: Rest | None, fact: Fact | None) -> None:
        self.item = item
        self.after = after
        self.fact = fact
        self.ahead: Node | None = None
        self.head: _Head | None = None
        self.total = True
        self.first: Sets | None = None
        if fact is None or after is None:
            return
        self.total = fact.total and after.total
        if fact.low:
            self.first = fact.first
        elif after.first is not None:
            self.first = union([fact.first, after.first])


class Facts:
    """Facts of the parts of one pattern, each found once."""

    __slots__ = ("_known", "_visits")

    def __init__(self) -> None:
        # By identity; the node is kept with its fact so that no other can take its id.
        self._known: dict[int, tuple[Syntax, Fact]] = {}
        self._visits = 0

    def of(self, root: Syntax) -> Fact:
        """Return what is known of a node."""
        known = self._known
        found = known.get(id(root))
        if found is not None:
            return found[1]
        stack = [root]
        while stack:
            node = stack[-1]
            parts = children(node) if type(node) in _COMPOSITES else []
            size = len(stack)
            for part in parts:
                if id(part) in known:
                    continue
                if type(part) in _COMPOSITES:
                    stack.append(part)
                else:
                    known[id(part)] = part, _leaf(part)
            if len(stack) == size:
                known[id(node)] = node, self._combine(node, parts) if parts else _leaf(node)
                stack.pop()
        return known[id(root)][1]

    def rest(self, item: Syntax, after: Rest) -> Rest:
        """Return the rest of a pattern that is a part, then what comes after it."""
        return Rest(item, after, self.of(item))

    def _combine(self, node: Syntax, parts: list[Syntax]) -> Fact:
        """Return what is known of a node whose parts are known."""
        facts = [self._known[id(part)][1] for part in parts]
        if isinstance(node, Sequence):
            return _in_sequence(facts)
        if isinstance(node, Alternation):
            return Fact(
                min([fact.low for fact in facts]),
                max([fact.high for fact in facts]),
                any(fact.total for fact in facts),
                union([fact.first for fact in facts]),
            )
        (body,) = facts
        if not isinstance(node, Repeat):
            return body
        if node.maximum == 0:
            return Fact(0, 0, True, ())
        if node.maximum is None:
            high = UNBOUNDED if body.high else 0
        else:
            high = min(body.high * node.maximum, UNBOUNDED)
        low = min(body.low * node.minimum, UNBOUNDED)
        return Fact(low, high, not node.minimum or body.total, body.first)

    # -- disjointness

    def disjoint(self, one: Rest, other: Rest) -> bool:
        """Say whether it is proved that no text begins with both."""
        if one.first is None or other.first is None:
            return False
        if not meet(one.first, other.first):
            return True
        pairs = zip(self._head(one), self._head(other), strict=False)
        if any(not meet(left, right) for left, right in pairs):
            return True
        return self._barred(one, self._head(other)) or self._barred(other, self._head(one))

    def _barred(self, rest: Rest, head: _Head) -> bool:
        """Say whether no text that begins so is matched by a rest, by its first look-ahead."""
        place: Rest | None = rest
        while place is not None and place.fact is not None and place.item is not None:
            if self._bars(place.item, head):
                return True
            if place.fact.high:
                break
            place = place.after
        return False

    def _bars(self, node: Syntax, head: _Head) -> bool:
        """Say whether a part begins with a look-ahead that forbids every text that begins so.

        Recursive; the nesting of patterns is bounded before.
        """
        if isinstance(node, Look):
            return node.negative and not node.behind and _covers(node.body, head)
        if isinstance(node, Alternation):
            return all(self._bars(branch, head) for branch in node.branches)
        if isinstance(node, Repeat):
            return node.minimum > 0 and self._bars(node.body, head)
        if isinstance(node, Atomic):
            return self._bars(node.body, head)
        if isinstance(node, Sequence):
            for item in node.items:
                if self._bars(item, head):
                    return True
                if self.of(item).high:
                    break
        return False

    def _head(self, rest: Rest) -> _Head:
        """Return the first characters of a rest, by position."""
        if rest.head is not None:
            return rest.head
        items: list[Syntax] = []
        sure = 0
        place: Rest | None = rest
        while place is not None and place.fact is not None and sure < _HEAD_LENGTH:
            items.append(place.item)  # type: ignore[arg-type]  # there is one where there is a fact
            sure += place.fact.low
            place = place.after
        self._visits = 0
        head: _Head = ()
        for item in reversed(items):
            head = self._before(item, head)
        rest.head = head
        return head

    def _before(self, node: Syntax, head: _Head) -> _Head:  # noqa: PLR0911 (one for each kind)
        """Return the first characters of a node and what follows it, given those of the latter.

        Recursive; the nesting of patterns is bounded before, and the visits here.
        """
        self._visits += 1
        if self._visits > _HEAD_VISITS:
            return ()
        if isinstance(node, Literal):
            return (*((single(one),) for one in node.text[:_HEAD_LENGTH]), *head)[:_HEAD_LENGTH]
        if isinstance(node, CharClass):
            return ((node.ranges,), *head)[:_HEAD_LENGTH]
        if isinstance(node, Anchor | Look):
            return head
        if isinstance(node, Alternation):
            return _either([self._before(branch, head) for branch in node.branches])
        if isinstance(node, Repeat):
            return self._before_repeat(node, head)
        items = node.items if isinstance(node, Sequence) else [node.body]
        sure = 0
        for count, item in enumerate(items):
            if sure >= _HEAD_LENGTH:
                items, head = items[:count], ()
                break
            sure += self.of(item).low
        for item in reversed(items):
            head = self._before(item, head)
        return head

    def _before_repeat(self, node: Repeat, head: _Head) -> _Head:
        """Return the first characters of a repeat and what follows it.

        As many rounds as there are positions tell everything: each that is not empty fills one.
        """
        optional = _HEAD_LENGTH if node.maximum is None else node.maximum - node.minimum
        found = head
        for _ in range(min(optional, _HEAD_LENGTH)):
            grown = _either([head, self._before(node.body, found)])
            if grown == found:
                break
            found = grown
        for _ in range(min(node.minimum, _HEAD_LENGTH)):
            found = self._before(node.body, found)
        return found


def _in_sequence(facts: list[Fact]) -> Fact:
    """Return what is known of parts one after the other."""
    low = high = 0
    total = True
    first: list[Sets] = []
    for fact in facts:
        if not low:
            first.append(fact.first)
        low += fact.low
        high += fact.high
        total = total and fact.total
    return Fact(min(low, UNBOUNDED), min(high, UNBOUNDED), total, union(first))


def _leaf(node: Syntax) -> Fact:
    """Return what is known of a node without parts that matter."""
    if isinstance(node, CharClass):
        return Fact(1, 1, False, (node.ranges,))
    if isinstance(node, Literal):
        length = len(node.text)
        return Fact(length, length, not length, (single(node.text[0]),) if length else ())
    return Fact(0, 0, isinstance(node, Sequence), ())


def _covers(node: Syntax, head: _Head) -> bool:
    """Say whether every text that begins so begins with a match of a part."""
    if isinstance(node, Alternation):
        return any(_covers(branch, head) for branch in node.branches)
    sets: list[Ranges] = []
    for item in flatten(node):
        if isinstance(item, Literal):
            sets.extend(((ord(one), ord(one)),) for one in item.text)
        elif isinstance(item, CharClass):
            sets.append(item.ranges)
        else:
            return False
    if len(sets) > len(head):
        return False
    pairs = zip(head, sets, strict=False)
    return all(is_subset(one, own) for position, own in pairs for one in position)


_COMPOSITES = frozenset((Sequence, Alternation, Repeat, Atomic))

_SINGLES: list[Ranges] = [((code, code),) for code in range(128)]


def single(character: str) -> Ranges:
    """Return the set of one character; one object for each of ASCII."""
    code = ord(character)
    return _SINGLES[code] if code < 128 else ((code, code),)


def union(parts: list[Sets]) -> Sets:
    """Return the union, each set once."""
    parts = [sets for sets in parts if sets]
    if len(parts) <= 1:
        return parts[0] if parts else ()
    found = {id(ranges): ranges for sets in parts for ranges in sets if ranges}
    if len(found) > _MOST_SETS:
        return (normalise(chain.from_iterable(found.values())),)
    return tuple(found.values())


def _either(heads: list[_Head]) -> _Head:
    """Return the first characters of any one of several texts."""
    return tuple(union(list(position)) for position in zip(*heads, strict=False))


def meet(left: Sets, right: Sets) -> bool:
    """Say whether a character is in both unions."""
    return any(intersects(one, other) for one in left for other in right)
