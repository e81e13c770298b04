"""Bodies of rules of a Lark grammar, as trees and as operations for a stack machine."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lark.lexer import Pattern as LarkPattern

    from formgate.plugins.cfg._lark_patterns import Pattern

__all__ = ["Body", "Content", "Node", "Op", "Symbol", "operations", "ordered"]


class Op(NamedTuple):
    """One step of a machine that builds the body of a rule on a stack.

    Args:
        kind: ``terminal`` and ``rule`` push a symbol; ``seq`` and ``choice`` replace the ``low``
            topmost by one; ``repeat`` replaces the topmost.
        name: Of the symbol.
        low: How many; for ``repeat`` the least count.
        high: The greatest count; None for any.
    """

    kind: str
    name: str = ""
    low: int = 0
    high: int | None = None


class Symbol(NamedTuple):
    """A terminal or rule where it is used.

    Args:
        kind: ``terminal`` or ``rule``.
        name: Its name.
        hidden: Whether lark's tree of a text leaves it out.
    """

    kind: str
    name: str
    hidden: bool


class Node:
    """A part of a body with parts of its own; what has none is a ``Symbol``.

    Args:
        kind: ``expansions`` (alternatives), ``expansion`` (one after the other), ``expr`` (repeated
            from ``low`` to ``high`` times, by the operator ``?``, ``*``, ``+``, ``~`` for one count
            or ``..`` for two), ``maybe`` (in square brackets), ``alias`` (which has a name in
            lark's tree) or ``template_usage`` (a template, then its arguments), as lark calls them.
        children: Its parts. They are replaced as the tree is worked on.
    """

    __slots__ = ("children", "high", "kind", "low", "name", "operator")

    def __init__(
        self,
        kind: str,
        children: list[object],
        *,
        operator: str = "",
        low: int = 0,
        high: int | None = None,
        name: str = "",
    ) -> None:
        self.kind = kind
        self.children = children
        self.operator = operator
        self.low = low
        self.high = high
        self.name = name

    def with_children(self, children: list[object]) -> Node:
        """Return the same node with other parts."""
        return Node(
            self.kind,
            children,
            operator=self.operator,
            low=self.low,
            high=self.high,
            name=self.name,
        )


class Body(NamedTuple):
    """A rule for the step in which lark writes repetitions out.

    Args:
        name: The rule's name.
        tree: Its alternatives.
        keeps_all: Whether lark's tree of a text has all its terminals, those in quotes as well.
        priority: As written.
    """

    name: str
    tree: Node
    keeps_all: bool
    priority: int


class Content(NamedTuple):
    """What a grammar says.

    Args:
        terminals: The patterns of all terminals, those without a name of their own included.
        priorities: Of those that the grammar names.
        bodies: The rules, templates as far as they are used.
        ignored: Names of the terminals that may stand anywhere.
        declared: Names that ``%declare`` leaves to a program.
        files: Texts of imported files, by path.
    """

    terminals: Mapping[str, Pattern | LarkPattern]
    priorities: Mapping[str, int]
    bodies: Sequence[Body]
    ignored: Sequence[str]
    declared: frozenset[str]
    files: Mapping[str, str]


def ordered(tree: Node) -> list[Node]:
    """Return the nodes of a tree in the order in which lark works on them: the deepest first."""
    nodes = [tree]
    for node in nodes:  # grows while it is read
        nodes += [child for child in reversed(node.children) if type(child) is Node]
    nodes.reverse()
    return nodes


def operations(tree: Node) -> tuple[Op, ...]:
    """Return the operations that build a body, in one walk with a stack."""
    done: list[Op] = []
    stack: list[object] = [tree]
    while stack:
        item = stack.pop()
        if type(item) is Op:
            done.append(item)
        elif type(item) is Symbol:
            done.append(Op(item.kind, item.name))
        elif type(item) is Node:
            if item.kind == "expr":
                stack.append(Op("repeat", low=item.low, high=item.high))
            elif item.kind == "maybe":
                stack.append(Op("repeat", low=0, high=1))
            elif item.kind != "alias":
                kind = "choice" if item.kind == "expansions" else "seq"
                stack.append(Op(kind, low=len(item.children)))
            stack += reversed(item.children)
    return tuple(done)
