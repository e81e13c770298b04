"""A pattern as a search, and what is easily known of it.

A search for P is any text, P, any text. Written so, every pattern would be a search for the engine
too; most are anchored, and then nothing stands beside them. So the text around goes in where no
anchor forbids it, branch by branch, and swallows what repeats at the edge: ``^a|b+`` becomes
``a.* | .*b.*``.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from formgate.plugins.json_schema._ecma import parse_ecma
from formgate.plugins.json_schema._ecma_trees import without_boundaries
from formgate.plugins.regex._measure import UNBOUNDED, Measures
from formgate.plugins.regex._parser import Parsed
from formgate.plugins.regex._ranges import ANY
from formgate.plugins.regex._syntax import (
    Alternation,
    Anchor,
    AnchorKind,
    CharClass,
    Literal,
    Look,
    Repeat,
    RepeatMode,
    Sequence,
    Syntax,
)
from formgate.plugins.regex._write import Writer, flatten

if TYPE_CHECKING:
    from formgate.core.grammar import GrammarBuilder, Node

__all__ = ["Search", "begins_anywhere", "search", "write_search"]

_ANY_TEXT = Repeat(CharClass(ANY, 0, 0), 0, None, RepeatMode.GREEDY, 0, 0)
_CONDITIONS = (Anchor, Look)


class Search(NamedTuple):
    """A pattern as it is searched for.

    Args:
        pattern: The pattern.
        tree: What the whole text is.
        low: Fewest characters of a text.
        high: Most characters, or None for no limit.
        everything: Whether every text is matched.
        begins, ends: What every text begins and ends with, as far as that is seen.
    """

    pattern: str
    tree: Syntax
    low: int
    high: int | None
    everything: bool
    begins: str
    ends: str


@lru_cache(maxsize=512)
def search(pattern: str) -> Search:
    """Return what a pattern asks of the whole text.

    Raises:
        GrammarError: It is no pattern.
        UnsupportedConstraint: It cannot be enforced exactly.
        LimitError: It is nested too deep.
    """
    items = _opened(flatten(parse_ecma(pattern)), 0, AnchorKind.TEXT_START)
    items = _opened(items, -1, AnchorKind.TEXT_END)
    while items and isinstance(items[0], Anchor) and items[0].kind is AnchorKind.TEXT_START:
        items = items[1:]
    while items and isinstance(items[-1], Anchor) and items[-1].kind is AnchorKind.TEXT_END:
        items = items[:-1]
    items = without_boundaries(items)
    tree = items[0] if len(items) == 1 else Sequence(items, 0, len(pattern))
    measure = Measures().of(tree)
    high = None if measure.high >= UNBOUNDED else measure.high
    everything = bool(items) and all(item is _ANY_TEXT for item in items)
    parts = flatten(tree)
    return Search(pattern, tree, measure.low, high, everything, _edge(parts, 1), _edge(parts, -1))


def _edge(items: list[Syntax], step: int) -> str:
    """Return the literal text at one edge of items."""
    found = ""
    for item in items[::step]:
        if not isinstance(item, Literal):
            break
        found = found + item.text if step == 1 else item.text + found
    return found


def _opened(items: list[Syntax], edge: int, anchor: AnchorKind) -> list[Syntax]:
    """Return items with any text beyond one edge of them, unless they are anchored there.

    Recurs as deep as groups are nested, which is limited.
    """
    items = list(items)
    while items and _loose(items[edge]):
        item = items.pop(edge)
        if isinstance(item, Repeat) and item.minimum:
            once = item.minimum == 1
            rest = flatten(item.body) if once else [item._replace(maximum=item.minimum)]
            items = rest + items if edge == 0 else items + rest
    step = 1 if edge == 0 else -1
    for item in items[::step]:
        if not isinstance(item, _CONDITIONS):
            break
        if isinstance(item, Anchor) and item.kind is anchor:
            return items
    if items and isinstance(items[edge], Alternation) and _is_anchored(items[edge], edge, anchor):
        first = items[edge]
        assert isinstance(first, Alternation)  # noqa: S101 (tells the type checker)
        branches: list[Syntax] = [
            Sequence(_opened(flatten(branch), edge, anchor), first.start, first.end)
            for branch in first.branches
        ]
        items[edge] = Alternation(branches, first.start, first.end)
        return items
    return [_ANY_TEXT, *items] if edge == 0 else [*items, _ANY_TEXT]


def _loose(item: Syntax) -> bool:
    """Say whether repeating an item more often than it must be makes no difference at an edge."""
    return isinstance(item, Repeat) and (item.minimum == 0 or item.maximum != item.minimum)


def _is_anchored(item: Syntax, edge: int, anchor: AnchorKind) -> bool:
    """Say whether a branch of an alternation begins (or ends) with an anchor."""
    stack = [item]
    while stack:
        node = stack.pop()
        if isinstance(node, Alternation):
            stack += node.branches
        elif isinstance(node, Sequence):
            stack += node.items[edge:] if edge else node.items[:1]
        elif isinstance(node, Anchor) and node.kind is anchor:
            return True
    return False


@lru_cache(maxsize=64)
def begins_anywhere(pattern: str) -> bool:
    """Say whether any text may come before what a pattern finds, if that is not any text."""
    items = flatten(search(pattern).tree)
    return len(items) > 1 and items[0] == _ANY_TEXT


def write_search(found: Search, builder: GrammarBuilder) -> Node:
    """Return the node of a search, its tree perhaps replaced by a narrower one."""
    if found.everything:
        return builder.any_text()
    return Writer(found.pattern, Parsed(found.tree, Measures(), False), builder).write()
