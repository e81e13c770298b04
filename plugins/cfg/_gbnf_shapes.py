"""The shape of a GBNF grammar: for what is judged before writing it, and for places of faults."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from formgate.core.grammar import Node

if TYPE_CHECKING:
    from collections.abc import Container, Iterable

__all__ = ["Recorder", "Shape", "TokenTerminal"]


class TokenTerminal(NamedTuple):
    """A token terminal of a grammar.

    Attributes:
        token: The token's name, with its brackets, or its id.
        negated: Whether it is any token but that.
        begin: Where it begins in the source.
        end: Where it ends.
    """

    token: str | int
    negated: bool
    begin: int
    end: int


class Shape:
    """A node: its kind and parts, the name of a rule, the counts of a repetition."""

    __slots__ = ("counts", "kind", "name", "parents", "parts")

    def __init__(
        self,
        kind: str,
        parts: tuple[int, ...] = (),
        name: str = "",
        counts: tuple[int, int | None] = (1, 1),
    ) -> None:
        self.kind = kind
        self.parts = parts
        self.name = name
        self.counts = counts
        self.parents: list[int] = []


class Recorder:
    """Stands in for a builder.

    Attributes:
        shapes: The nodes, by number; parts have smaller numbers, rules apart.
        rules: The bodies of the rules.
    """

    def __init__(self) -> None:
        self.shapes: list[Shape] = []
        self.rules: dict[str, int] = {}

    # --- what the parser calls ---

    def literal(self, text: str) -> Node:
        """Record a text."""
        return self._new(Shape("text" if text else "seq"))

    def char_class(self, ranges: Iterable[tuple[int, int]], *, negated: bool = False) -> Node:  # noqa: ARG002 (as the builder's)
        """Record a character."""
        return self._new(Shape("text"))

    def any_char(self) -> Node:
        """Record a character."""
        return self._new(Shape("text"))

    def special_token(self, token: str | int) -> Node:  # noqa: ARG002 (as the builder's)
        """Record a token."""
        return self._new(Shape("token"))

    def except_token(self, token: str | int) -> Node:  # noqa: ARG002 (as the builder's)
        """Record that there is any token but one."""
        return self._new(Shape("except"))

    def rule(self, name: str) -> Node:
        """Record a use of a rule."""
        return self._new(Shape("rule", name=name))

    def seq(self, *parts: Node) -> Node:
        """Record a sequence."""
        return self._new(Shape("seq", parts))

    def choice(self, *parts: Node) -> Node:
        """Record alternatives."""
        return self._new(Shape("choice", parts))

    def repeat(self, part: Node, min: int = 0, max: int | None = None) -> Node:  # noqa: A002
        """Record a repetition."""
        return self._new(Shape("repeat", (part,), counts=(min, max)))

    def optional(self, part: Node) -> Node:
        """Record an option."""
        return self.repeat(part, 0, 1)

    def star(self, part: Node) -> Node:
        """Record a repetition."""
        return self.repeat(part)

    def plus(self, part: Node) -> Node:
        """Record a repetition."""
        return self.repeat(part, 1)

    def define(self, name: str, body: Node) -> None:
        """Record a rule."""
        self.rules[name] = body

    def _new(self, shape: Shape) -> Node:
        self.shapes.append(shape)
        return Node(len(self.shapes) - 1)

    # --- what is made of it ---

    def parts(self, node: int) -> tuple[int, ...]:
        """Return the parts of a node; of a use of a rule, the rule's body."""
        shape = self.shapes[node]
        return (self.rules[shape.name],) if shape.kind == "rule" else shape.parts

    def link(self) -> None:
        """Note for each node what it is part of."""
        for node in range(len(self.shapes)):
            for part in self.parts(node):
                self.shapes[part].parents.append(node)

    def below(self, node: int, ends: Container[int] = ()) -> set[int]:
        """Return a node and all below it; not those that are only below certain ends."""
        seen = {node}
        work = [node]
        while work:
            at = work.pop()
            if at not in ends:
                fresh = [part for part in self.parts(at) if part not in seen]
                seen.update(fresh)
                work += fresh
        return seen
