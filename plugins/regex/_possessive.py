"""When an atomic group or a possessive quantifier is the same as the ordinary form.

They forbid backtracking, so in general they change the language, and no operator of the grammar can
say so. But where the text leaves only one way to match, there is nothing to go back to, and the
ordinary form is exact. That is proved, by rules that look at widths and first characters only:

1. the body has one width: wherever it matches, it ends at one place;
2. a greedy repeat of a body of one width, where what follows cannot begin as the body does (or the
   text ends): every other number of rounds leaves a rest that cannot be matched;
3. branches that are plain texts, none of which begins another: at most one of them matches;
4. a sequence of such parts;
5. the end of a look-ahead: nothing is left to go back for.

Anything else is refused. Cost: linear, and for each construct the nullable items that follow it.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from formgate.core.errors import UnsupportedConstraint
from formgate.plugins.regex._measure import children
from formgate.plugins.regex._ranges import NOTHING, Ranges, intersects, normalise
from formgate.plugins.regex._syntax import (
    Alternation,
    Atomic,
    CharClass,
    Literal,
    Look,
    Repeat,
    RepeatMode,
    Sequence,
    Syntax,
)

if TYPE_CHECKING:
    from formgate.plugins.regex._measure import Measures
    from formgate.plugins.regex._parser import Parsed

__all__ = ["check_atomic"]


class _Rest(NamedTuple):
    """What follows a place, as a list: an item, then the rest after it; None ends the text."""

    item: Syntax | None
    after: _Rest | None


# Two ends of a look-ahead's body, past which the text may go on in any way: right at the end, where
# no later condition can ask for another try, and further in.
_FREE = _Rest(None, None)
_ANYTHING = _Rest(None, _FREE)


def check_atomic(pattern: str, parsed: Parsed) -> None:
    """Return if dropping atomicity leaves the language as it is.

    Raises:
        UnsupportedConstraint: For the first construct of which that is not proved.
    """
    checker = _Checker(parsed.measures)
    stack: list[tuple[Syntax, _Rest | None]] = [(parsed.tree, None)]
    while stack:
        node, rest = stack.pop()
        possessive = isinstance(node, Repeat) and node.mode is RepeatMode.POSSESSIVE
        if (possessive or isinstance(node, Atomic)) and not checker.is_plain(node, rest):
            what = "a possessive quantifier" if possessive else "an atomic group"
            way_out = "without the last +" if possessive else "with (?: for (?>"
            raise UnsupportedConstraint(
                f"{what} that may change what the pattern matches cannot be enforced",
                source=pattern,
                offset=node.start,
                end=node.end,
                hint=f"write it {way_out}, or let what follows begin with another character",
            )
        stack += reversed(_parts(node, rest))


def _parts(node: Syntax, rest: _Rest | None) -> list[tuple[Syntax, _Rest | None]]:
    """Return the parts of a node, each with what follows it."""
    if isinstance(node, Sequence):
        found: list[tuple[Syntax, _Rest | None]] = []
        for item in reversed(node.items):
            found.append((item, rest))
            rest = _Rest(item, _ANYTHING if rest is _FREE else rest)
        return found[::-1]
    if isinstance(node, Look):
        return [(node.body, _ANYTHING if node.behind else _FREE)]
    if isinstance(node, Repeat) and node.maximum != 1:
        again = Repeat(node.body, 0, None, RepeatMode.GREEDY, node.start, node.end)
        rest = _Rest(again, _ANYTHING if rest is _FREE else rest)
    return [(part, rest) for part in children(node)]


class _Checker:
    """Applies the rules."""

    def __init__(self, measures: Measures) -> None:
        self._measures = measures
        self._first: dict[int, tuple[Syntax, Ranges]] = {}

    def is_plain(self, node: Syntax, rest: _Rest | None) -> bool:
        """Say whether a construct is proved to be the same without its atomicity."""
        if rest is _FREE:
            return True
        if isinstance(node, Atomic):
            node = node.body
        return all(self._has_one_way(part, after) for part, after in self._spread(node, rest))

    def _spread(self, node: Syntax, rest: _Rest | None) -> list[tuple[Syntax, _Rest | None]]:
        """Return the items of a sequence (nested ones spread out), each with what follows it."""
        found: list[tuple[Syntax, _Rest | None]] = []
        stack = [(node, rest)]
        while stack:
            part, after = stack.pop()
            if isinstance(part, Sequence):
                stack += _parts(part, after)
            else:
                found.append((part, after))
        return found

    def _has_one_way(self, node: Syntax, rest: _Rest | None) -> bool:
        """Say whether an item ends at one place at most, or the greedy choice is the only one."""
        measure = self._measures.of(node)
        if measure.low == measure.high or isinstance(node, Atomic):
            return True  # an atomic group is looked at by itself
        if isinstance(node, Repeat):
            body = self._measures.of(node.body)
            return (
                node.mode is not RepeatMode.LAZY
                and body.low == body.high
                and self._cannot_begin(rest, self._first_of(node.body))
            )
        return isinstance(node, Alternation) and _is_prefix_free(node)

    def _cannot_begin(self, rest: _Rest | None, with_any_of: Ranges) -> bool:
        """Say whether what follows can begin with none of these characters."""
        while rest is not None:
            if rest.item is None:
                return False
            if intersects(self._first_of(rest.item), with_any_of):
                return False
            if self._measures.of(rest.item).low:
                return True
            rest = rest.after
        return True

    def _first_of(self, root: Syntax) -> Ranges:
        """Return a set that holds every character a match of the node can begin with."""
        known = self._first
        stack: list[tuple[Syntax, bool]] = [(root, False)]
        while stack:
            node, ready = stack.pop()
            if id(node) in known:
                continue
            parts = [] if isinstance(node, Look) else children(node)
            if ready or not parts:
                known[id(node)] = node, self._combine(node, parts)
                continue
            stack.append((node, True))
            stack += [(part, False) for part in parts]
        return known[id(root)][1]

    def _combine(self, node: Syntax, parts: list[Syntax]) -> Ranges:
        """Return the first characters of a node whose parts' are known."""
        if isinstance(node, Literal):
            code = ord(node.text[0])
            return ((code, code),)
        if isinstance(node, CharClass):
            return node.ranges
        if isinstance(node, Sequence):
            needed: list[Syntax] = []
            for part in parts:
                needed.append(part)
                if self._measures.of(part).low:
                    break
            parts = needed
        sets = [first for part in parts if (first := self._first[id(part)][1])]
        if len(sets) > 1:
            return normalise(span for ranges in sets for span in ranges)
        return sets[0] if sets else NOTHING


def _is_prefix_free(node: Alternation) -> bool:
    """Say whether the branches are plain texts of which none begins another (or equals it)."""
    texts = [branch.text for branch in node.branches if isinstance(branch, Literal)]
    if len(texts) != len(node.branches):
        return False
    texts.sort()
    return not any(after.startswith(text) for text, after in pairwise(texts))
