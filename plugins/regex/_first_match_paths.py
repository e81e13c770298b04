"""The ways through a part that can match nothing, in the order they are tried.

``re`` ends a loop at a round that matched nothing, and such a round may come before others that
match something: ``(?:|a)*`` never takes an ``a``. So the body of such a loop is rewritten as a list
of paths, each of which either surely consumes a character or surely consumes none:

- one after the other: the paths of the first part, in order; one that consumes is followed by the
  other parts as they are, one that does not by each of the others' paths;
- alternatives: the paths of one after those of the other;
- a greedy loop: each path of the body that consumes, then the loop again; each that does not ends
  the loop; last, no round at all. A lazy loop: no round, then the paths that consume (an empty
  round leads to where no round has failed already);
- an atomic group: each path under the condition that no earlier one can be taken.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from formgate.core.errors import UnsupportedConstraint
from formgate.plugins.regex._syntax import (
    Alternation,
    Atomic,
    Look,
    Repeat,
    RepeatMode,
    Sequence,
    Syntax,
)

if TYPE_CHECKING:
    from formgate.plugins.regex._first_match_facts import Facts

__all__ = ["Path", "paths_of"]

_MAX_PATHS = 64


class Path(NamedTuple):
    """One way through: what it matches, and whether that is always or never the empty text."""

    node: Syntax
    empty: bool


class _TooManyPaths(Exception):  # noqa: N818 (a signal)
    """More paths than are taken apart."""


def paths_of(pattern: str, node: Syntax, facts: Facts) -> list[Path]:
    """Return the ways through a node, in order.

    At most one of them is empty and free of conditions. Recursive; the nesting of patterns is
    bounded before.

    Raises:
        UnsupportedConstraint: There are too many.
    """
    try:
        return _paths(node, facts)
    except _TooManyPaths:
        raise UnsupportedConstraint(
            f"what is repeated can match nothing in more than {_MAX_PATHS} ways",
            source=pattern,
            offset=node.start,
            end=node.end,
            hint="let each round consume a character: (?:a|b)* for (?:a?b?)*",
        ) from None


def _paths(node: Syntax, facts: Facts) -> list[Path]:
    """Return the ways through a node."""
    fact = facts.of(node)
    if fact.low:
        return [Path(node, False)]
    if not fact.high:
        return [Path(_nothing(node) if fact.total else node, True)]
    if isinstance(node, Sequence):
        found = _in_sequence(node.items, node, facts)
    elif isinstance(node, Alternation):
        found = [path for branch in node.branches for path in _paths(branch, facts)]
    elif isinstance(node, Repeat) and node.mode is not RepeatMode.POSSESSIVE:
        found = _in_repeat(node, facts)
    elif isinstance(node, Repeat):
        found = _first_of(_in_repeat(node._replace(mode=RepeatMode.GREEDY), facts, atomic=True))
    else:
        assert isinstance(node, Atomic)  # noqa: S101 (tells the type checker)
        found = _first_of(_paths(node.body, facts))
    return _distinct(found, facts)


def _nothing(node: Syntax) -> Sequence:
    """Return the empty text at a node's place."""
    return Sequence([], node.start, node.end)


def _distinct(paths: list[Path], facts: Facts) -> list[Path]:
    """Return the paths without a second one that is empty and free: it fails as the first did."""
    found: list[Path] = []
    free = False
    for path in paths:
        if path.empty and facts.of(path.node).total:
            if free:
                continue
            free = True
        found.append(path)
    if len(found) > _MAX_PATHS:
        raise _TooManyPaths
    return found


def _in_sequence(items: list[Syntax], place: Syntax, facts: Facts) -> list[Path]:
    """Return the ways through items one after the other."""
    found = [Path(_nothing(place), True)]
    rest: Syntax = _nothing(place)
    for item in reversed(items):
        own: list[Path] = []
        for path in _paths(item, facts):
            if not path.empty:
                own.append(Path(_joined(path.node, rest, place), False))
            elif facts.of(path.node).total:
                own += found
            else:
                own += [Path(_joined(path.node, last.node, place), last.empty) for last in found]
        found = _distinct(own, facts)
        rest = _joined(item, rest, place)
    return found


def _joined(first: Syntax, second: Syntax, place: Syntax) -> Syntax:
    """Return two parts as one."""
    if isinstance(second, Sequence) and not second.items:
        return first
    return Sequence([first, second], place.start, place.end)


def _in_repeat(node: Repeat, facts: Facts, *, atomic: bool = False) -> list[Path]:
    """Return the ways through a repeat, whose rounds are atomic or not."""
    body = Atomic(node.body, node.start, node.end) if atomic else node.body
    if node.minimum:
        if node.minimum > _MAX_PATHS:
            raise _TooManyPaths
        most = None if node.maximum is None else node.maximum - node.minimum
        rest = node._replace(body=body, minimum=0, maximum=most)
        return _in_sequence([*[body] * node.minimum, rest], node, facts)
    again = node._replace(body=body, maximum=node.maximum and node.maximum - 1)
    stop = Path(_nothing(node), True)
    rounds = [
        path if path.empty else Path(_joined(path.node, again, node), False)
        for path in _paths(body, facts)
    ]
    if node.mode is RepeatMode.LAZY:
        return [stop, *(path for path in rounds if not path.empty)]
    return [*rounds, stop]


def _first_of(paths: list[Path]) -> list[Path]:
    """Return the paths, each under the condition that no earlier one can be taken."""
    found: list[Path] = []
    guards: list[Syntax] = []
    for node, empty in paths:
        part = node if empty else Atomic(node, node.start, node.end)
        found.append(Path(Sequence([*guards, part], node.start, node.end), empty))
        guards = [*guards, Look(node, False, True, node.start, node.end)]
    return found
