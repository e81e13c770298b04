"""Trees: languages written as nested tuples, the common input of every judge and of the engine.

A tree is a tuple whose first item names the operator:

    ("lit", bytes)  ("chars", ranges)  ("bytes", ranges)  ("any_text",)  ("empty",)  ("nothing",)
    ("seq", t...)  ("choice", t...)  ("repeat", t, least, most or None)  ("strings", (bytes, ...))
    ("and", t...)  ("not", t)  ("ahead", t, negative)  ("behind", t, negative)  ("scope", t)

Look-around speaks of the whole rest (or the whole past) of the text, as in the grammar builder. It
sees no further than the nearest scope around it; each part of `and` and `not` is one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable

Ranges = tuple[tuple[int, int], ...]
Tree = tuple[Any, ...]

EMPTY: Tree = ("empty",)
NOTHING: Tree = ("nothing",)
ANY_TEXT: Tree = ("any_text",)
MAX_CODE_POINT = 0x10FFFF
SURROGATES = (0xD800, 0xDFFF)


class TreeBuilder(Protocol):
    """The operators a tree is written with; the engine's GrammarBuilder has the same ones."""

    def literal(self, text: bytes) -> Any: ...
    def char_class(self, ranges: Ranges) -> Any: ...
    def byte_class(self, ranges: Ranges) -> Any: ...
    def any_text(self) -> Any: ...
    def empty(self) -> Any: ...
    def nothing(self) -> Any: ...
    def seq(self, *nodes: Any) -> Any: ...
    def choice(self, *nodes: Any) -> Any: ...
    def repeat(self, node: Any, min: int, max: int | None) -> Any: ...  # noqa: A002 - its name
    def strings(self, values: Iterable[bytes]) -> Any: ...
    def intersection(self, *nodes: Any) -> Any: ...
    def complement(self, node: Any) -> Any: ...
    def look_ahead(self, node: Any, *, negative: bool) -> Any: ...
    def look_behind(self, node: Any, *, negative: bool) -> Any: ...
    def scope(self, node: Any) -> Any: ...


def normal_ranges(ranges: Iterable[tuple[int, int]], top: int = MAX_CODE_POINT) -> Ranges:
    """Sort and merge ranges; for code points, cut the surrogates out."""
    pieces = sorted((low, high) for low, high in ranges if low <= high)
    if top == MAX_CODE_POINT:
        cut: list[tuple[int, int]] = []
        for low, high in pieces:
            cut += [(low, min(high, SURROGATES[0] - 1)), (max(low, SURROGATES[1] + 1), high)]
        pieces = sorted((low, high) for low, high in cut if low <= high)
    merged: list[tuple[int, int]] = []
    for low, high in pieces:
        if merged and low <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(merged[-1][1], high))
        else:
            merged.append((low, high))
    return tuple(merged)


def negated(ranges: Ranges) -> Ranges:
    """The code points outside `ranges`."""
    result, next_low = [], 0
    for low, high in normal_ranges(ranges):
        result.append((next_low, low - 1))
        next_low = high + 1
    result.append((next_low, MAX_CODE_POINT))
    return normal_ranges(result)


ALL_CHARS = normal_ranges([(0, MAX_CODE_POINT)])


def build(tree: Tree, builder: TreeBuilder) -> Any:
    """Write `tree` with the operators of `builder` and return its node."""
    kind, *parts = tree
    if kind in _NULLARY:
        return getattr(builder, kind)()
    if kind in _VARIADIC:
        return getattr(builder, _VARIADIC[kind])(*(build(part, builder) for part in parts))
    if kind in _VALUE:
        return getattr(builder, _VALUE[kind])(parts[0])
    inner = build(parts[0], builder)
    if kind == "repeat":
        return builder.repeat(inner, parts[1], parts[2])
    if kind in ("ahead", "behind"):
        look = builder.look_ahead if kind == "ahead" else builder.look_behind
        return look(inner, negative=parts[1])
    return builder.complement(inner) if kind == "not" else builder.scope(inner)


_NULLARY = ("any_text", "empty", "nothing")
_VARIADIC = {"seq": "seq", "choice": "choice", "and": "intersection"}
_VALUE = {"lit": "literal", "chars": "char_class", "bytes": "byte_class", "strings": "strings"}


def uses(tree: Tree, kinds: Iterable[str]) -> bool:
    """Whether an operator of `kinds` occurs anywhere in `tree`."""
    wanted, stack = set(kinds), [tree]
    while stack:
        top = stack.pop()
        if top[0] in wanted:
            return True
        stack += [part for part in top[1:] if isinstance(part, tuple) and _is_tree(part)]
    return False


def _is_tree(part: tuple[Any, ...]) -> bool:
    return bool(part) and isinstance(part[0], str)
