"""Whether the first match of a pattern in the order of trying is always its longest one.

So it is where reading a text from left to right never leaves a choice but that between going on and
stopping, and going on is tried first: repeats are greedy, what may follow a part cannot begin as
the part goes on, and no text begins with two branches, but for plain texts of which the longer ones
stand first. Then no look-ahead has to say which match is taken. Such patterns are the deterministic
regular expressions of Brüggemann-Klein and Wood, "One-Unambiguous Regular Languages", Information
and Computation 142 (1998), with branches that are told apart later than by their first character.

One choice more is allowed: what follows a greedy repeat may begin as the repeat goes on, as the
quote behind ``'(?:[^']|'')*'`` does. Where no text of the repeated part begins another, a text says
how far each number of rounds reaches, and where all texts that may follow have one length, more
rounds make a longer match; the most that lead to a match are tried first.

Cost: one pass, with sets of characters compared at each part; what is repeated before such an end,
and the end, are looked at twice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from formgate.plugins.regex._first_match_choices import nested_texts, plain_texts
from formgate.plugins.regex._first_match_facts import Facts, Rest, Sets, meet, single, union
from formgate.plugins.regex._ranges import ANY
from formgate.plugins.regex._syntax import (
    Alternation,
    CharClass,
    Literal,
    Repeat,
    RepeatMode,
    Sequence,
    Syntax,
)
from formgate.plugins.regex._write import flatten

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["is_longest"]

# As deep as patterns are whose first match is written out.
_MAX_NESTING = 50

# Branches of which all pairs are compared.
_MOST_BRANCHES = 32


class _Part(NamedTuple):
    """A part of which the longest match is the first one.

    Args:
        may_be_empty: It matches the empty text.
        first: The characters that it may begin with.
        more: The characters that it may go on with where it has matched already.
    """

    may_be_empty: bool
    first: Sets
    more: Sets


_EMPTY = _Part(True, (), ())


def is_longest(tree: Syntax, facts: Facts, spend: Callable[[int], None]) -> bool:
    """Say whether it is proved that the first match of a pattern is its longest one.

    Args:
        tree: The pattern.
        facts: What is known of its parts.
        spend: Told of the work to be done.
    """
    return _Proof(facts, spend).part(tree, 0) is not None


def _joined(before: _Part, after: _Part) -> _Part | None:
    """Return one part after another; None where the second may begin as the first goes on."""
    if meet(before.more, after.first) or (before.may_be_empty and meet(before.first, after.first)):
        return None
    return _Part(
        before.may_be_empty and after.may_be_empty,
        union([before.first, after.first]) if before.may_be_empty else before.first,
        union([before.more, after.first, after.more]) if after.may_be_empty else after.more,
    )


class _Proof:
    """Looks at the parts of one pattern; None stands for a part of which nothing is proved."""

    def __init__(self, facts: Facts, spend: Callable[[int], None]) -> None:
        self._facts = facts
        self._spend = spend
        self._end = Rest(None, None, None)

    def part(self, node: Syntax, depth: int) -> _Part | None:
        """Look at one part. Recursive; the nesting is bounded here."""
        if isinstance(node, CharClass):
            return _Part(False, (node.ranges,), ())
        if isinstance(node, Literal):
            return _Part(False, (single(node.text[0]),), ()) if node.text else _EMPTY
        self._spend(1)
        found: _Part | None = None  # of what looks around itself, or is atomic
        if depth > _MAX_NESTING:
            pass
        elif isinstance(node, Sequence):
            found = self._sequence(flatten(node), depth + 1)
        elif isinstance(node, Alternation):
            found = self._alternation(node.branches, depth + 1)
        elif isinstance(node, Repeat):
            found = self._repeat(node, depth + 1)
        return found

    def _sequence(self, items: list[Syntax], depth: int) -> _Part | None:
        """Look at parts one after the other."""
        whole = before = last = _EMPTY
        for index, item in enumerate(items):
            after = self.part(item, depth)
            if after is None:
                return None
            both = _joined(whole, after)
            if both is None:
                rest = self._counted_rounds(last, items[index - 1 :], depth)
                return None if rest is None else _joined(before, rest)
            before, whole, last = whole, both, after
        return whole

    def _counted_rounds(self, rounds: _Part, items: list[Syntax], depth: int) -> _Part | None:
        """Look at a repeat whose rounds a text tells, before what has one length, to the end."""
        repeat, *rest = items
        if not isinstance(repeat, Repeat) or repeat.mode is not RepeatMode.GREEDY:
            return None
        facts = [self._facts.of(item) for item in rest]
        if depth > _MAX_NESTING or any(fact.low != fact.high for fact in facts):
            return None
        body, follows = self.part(repeat.body, depth), self._sequence(rest, depth + 1)
        if body is None or body.more or follows is None:
            return None
        first = union([rounds.first, follows.first]) if rounds.may_be_empty else rounds.first
        return _Part(False, first, (ANY,))

    def _alternation(self, branches: list[Syntax], depth: int) -> _Part | None:
        """Look at branches, of which no text may begin with two."""
        texts = plain_texts(branches)
        if texts is not None:
            return self._texts(texts)
        parts: list[_Part] = []
        for branch in branches:
            found = self.part(branch, depth)
            if found is None or found.may_be_empty:
                return None
            parts.append(found)
        first = parts[0].first
        rests: list[Rest] = []
        for index, part in enumerate(parts[1:], 1):
            if meet(first, part.first):
                if len(branches) > _MOST_BRANCHES:
                    return None
                rests = rests or [self._facts.rest(branch, self._end) for branch in branches]
                self._spend(index)
                if not all(self._facts.disjoint(one, rests[index]) for one in rests[:index]):
                    return None
            first = union([first, part.first])
        return _Part(False, first, union([part.more for part in parts]))

    def _texts(self, texts: list[str]) -> _Part | None:
        """Look at plain texts, of which a longer one may stand before one that begins it."""
        if not all(texts):
            return None
        more: set[str] = set()
        for index, near in enumerate(nested_texts(texts, self._spend)):
            length = len(texts[index])
            for other in near:
                if len(texts[other]) < length:
                    return None
                more.update(texts[other][length : length + 1])
        firsts = union([(single(text[0]),) for text in texts])
        return _Part(False, firsts, union([(single(one),) for one in more]))

    def _repeat(self, node: Repeat, depth: int) -> _Part | None:
        """Look at a repeat."""
        low, high = node.minimum, node.maximum
        if high == 0:
            return _EMPTY
        if node.mode is not RepeatMode.GREEDY and (
            low != high or node.mode is RepeatMode.POSSESSIVE
        ):
            return None
        body = self.part(node.body, depth)
        if body is None or body.may_be_empty or (high != 1 and meet(body.more, body.first)):
            return None
        return _Part(
            not low, body.first, body.more if low == high else union([body.more, body.first])
        )
