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

__all__ = ["Search", "enumerate_tree", "search", "write_search"]

_ANY_TEXT = Repeat(CharClass(ANY, 0, 0), 0, None, RepeatMode.GREEDY, 0, 0)
_CONDITIONS = (Anchor, Look)
_LEAVES = (Literal, CharClass)


class Search(NamedTuple):
    """A pattern as it is searched for.

    Args:
        pattern: The pattern.
        tree: What the whole text is.
        low: Fewest characters of a text.
        high: Most characters, or None for no limit.
        everything: Whether every text is matched.
    """

    pattern: str
    tree: Syntax
    low: int
    high: int | None
    everything: bool


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
    tree = items[0] if len(items) == 1 else Sequence(items, 0, len(pattern))
    measure = Measures().of(tree)
    high = None if measure.high >= UNBOUNDED else measure.high
    everything = bool(items) and all(item is _ANY_TEXT for item in items)
    return Search(pattern, tree, measure.low, high, everything)


def _opened(items: list[Syntax], edge: int, anchor: AnchorKind) -> list[Syntax]:
    """Return items with any text beyond one edge of them, unless they are anchored there.

    Recurs as deep as groups are nested, which is limited.
    """
    items = list(items)
    while items and _loose(items[edge]):
        item = items.pop(edge)
        if item is not _ANY_TEXT and isinstance(item, Repeat) and item.minimum:
            body = item.body
            rest = item if item.maximum == item.minimum else item._replace(maximum=item.minimum)
            items.insert(0 if edge == 0 else len(items), body if item.minimum == 1 else rest)
            break
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
    return (
        isinstance(item, Repeat)
        and isinstance(item.body, _LEAVES)
        and (item.minimum == 0 or item.maximum != item.minimum)
    )


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


def write_search(found: Search, builder: GrammarBuilder) -> Node:
    """Return the node of a search."""
    if found.everything:
        return builder.any_text()
    return Writer(found.pattern, Parsed(found.tree, Measures(), False), builder).write()


def enumerate_tree(tree: Syntax, limit: int) -> set[str] | None:
    """Return all texts of a tree if there are no more than a limit, else None.

    Trees with look-around are not enumerated. Recurs as deep as groups are nested.
    """
    found: set[str] | None = None
    if isinstance(tree, Literal):
        found = {tree.text}
    elif isinstance(tree, CharClass):
        if sum(last - first + 1 for first, last in tree.ranges) <= limit:
            found = {chr(code) for first, last in tree.ranges for code in range(first, last + 1)}
    elif isinstance(tree, Sequence):
        found = _enumerate_sequence(tree, limit)
    elif isinstance(tree, Alternation):
        found = _enumerate_alternation(tree, limit)
    elif isinstance(tree, Repeat):
        found = _enumerate_repeat(tree, limit)
    return None if found is None or len(found) > limit else found


def _enumerate_sequence(tree: Sequence, limit: int) -> set[str] | None:
    """Return all texts of a sequence, or None."""
    found = {""}
    for item in tree.items:
        inner = enumerate_tree(item, limit)
        if inner is None or len(found) * len(inner) > 4 * limit:
            return None
        found = {text + more for text in found for more in inner}
    return found


def _enumerate_alternation(tree: Alternation, limit: int) -> set[str] | None:
    """Return all texts of an alternation, or None."""
    found: set[str] = set()
    for branch in tree.branches:
        inner = enumerate_tree(branch, limit)
        if inner is None or len(found) > limit:
            return None
        found |= inner
    return found


def _enumerate_repeat(tree: Repeat, limit: int) -> set[str] | None:
    """Return all texts of a repeat, or None."""
    body = enumerate_tree(tree.body, limit) if tree.maximum != 0 else {""}
    if body is None or (body - {""} and (tree.minimum > limit or tree.maximum is None)):
        return None
    if not body - {""}:
        return {""} if body or not tree.minimum else set()
    found: set[str] = set() if tree.minimum else {""}
    texts = {""}
    for count in range(1, (tree.maximum or 0) + 1):
        texts = {text + more for text in texts for more in body}
        found |= texts if count >= tree.minimum else set()
        if len(texts) * len(body) > 4 * limit or len(found) > limit:
            return None if count < (tree.maximum or 0) or len(found) > limit else found
    return found
