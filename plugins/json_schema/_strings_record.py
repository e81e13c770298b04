"""Nodes written once for all builders: the calls that write something are kept and made again.

Formats and common sets of numbers are in many schemas. Reading a pattern and walking its tree, or
taking bounds apart digit by digit, takes up to a millisecond; making the same calls again, equal
ones once, a fraction of that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from formgate.core.grammar import GrammarBuilder, Node

__all__ = ["Recorder"]

# A call: the method, the indices of calls whose nodes it takes, and what else it takes.
_Call = tuple[str, tuple[int, ...], tuple[object, ...]]


class Recorder:
    """Looks like a builder to what writes regular languages, and keeps what it is told."""

    def __init__(self) -> None:
        self._index: dict[_Call, int] = {}

    def _add(self, method: str, nodes: Iterable[Node] = (), *values: object) -> Node:
        """Keep a call, and return its index for a node."""
        call = method, tuple(cast("Iterable[int]", nodes)), values
        return cast("Node", self._index.setdefault(call, len(self._index)))

    def literal(self, text: str) -> Node:
        """Keep ``literal``."""
        return self._add("literal", (), text)

    def char_class(self, ranges: Iterable[tuple[int, int]]) -> Node:
        """Keep ``char_class``."""
        return self._add("char_class", (), tuple(ranges))

    def any_char(self) -> Node:
        """Keep ``any_char``."""
        return self._add("any_char")

    def any_text(self) -> Node:
        """Keep ``any_text``."""
        return self._add("any_text")

    def strings(self, values: Iterable[str]) -> Node:
        """Keep ``strings``."""
        return self._add("strings", (), tuple(values))

    def empty(self) -> Node:
        """Keep ``empty``."""
        return self._add("empty")

    def nothing(self) -> Node:
        """Keep ``nothing``."""
        return self._add("nothing")

    def seq(self, *parts: Node) -> Node:
        """Keep ``seq``."""
        return self._add("seq", parts)

    def choice(self, *parts: Node) -> Node:
        """Keep ``choice``."""
        return self._add("choice", parts)

    def intersection(self, *parts: Node) -> Node:
        """Keep ``intersection``."""
        return self._add("intersection", parts)

    def complement(self, part: Node) -> Node:
        """Keep ``complement``."""
        return self._add("complement", (part,))

    def repeat(self, part: Node, min: int = 0, max: int | None = None) -> Node:  # noqa: A002
        """Keep ``repeat``."""
        return self._add("repeat", (part,), min, max)

    def optional(self, part: Node) -> Node:
        """Keep ``optional``."""
        return self._add("optional", (part,))

    def calls(self) -> list[_Call]:
        """Return the calls kept so far."""
        return list(self._index)

    def star(self, part: Node) -> Node:
        """Keep ``star``."""
        return self._add("star", (part,))

    def plus(self, part: Node) -> Node:
        """Keep ``plus``."""
        return self._add("plus", (part,))

    def rule(self, name: str) -> Node:
        """Keep ``rule``; names must differ from those of other recorders."""
        return self._add("rule", (), name)

    def define(self, name: str, body: Node) -> None:
        """Keep ``define``."""
        self._add("define", (body,), name)

    def replay(self, builder: GrammarBuilder, wanted: Node) -> Node:
        """Make the calls on a builder and return its node for one of ours."""
        nodes: list[Node] = []
        calls: dict[str, Callable[..., Node]] = {}
        for method, parts, values in self._index:
            call = calls.get(method)
            if call is None:
                call = calls[method] = getattr(builder, method)
            if method == "define":
                call(*values, nodes[parts[0]])
                nodes.append(nodes[parts[0]])  # so that those after it keep their places
            elif values:
                nodes.append(call(*[nodes[part] for part in parts], *values))
            elif len(parts) == 2:
                nodes.append(call(nodes[parts[0]], nodes[parts[1]]))
            else:
                nodes.append(call(*[nodes[part] for part in parts]))
        return nodes[cast("int", wanted)]
