"""Nodes written once for all builders: the calls that write something are kept and made again.

Formats and common sets of numbers are in many schemas. Reading a pattern and walking its tree, or
taking bounds apart digit by digit, takes up to a millisecond; making the same calls again, equal
ones once, a fraction of that. What the calls describe is shortened before: a sequence within a
sequence, or a choice within a choice, is part of it unless others refer to it, too. Where they
describe characters alone, they are made once, on a builder of their own, and others include what
that has built.
"""

from __future__ import annotations

from functools import partial
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from formgate.core.grammar import Cell, GrammarBuilder, Node

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from formgate.core._native import Automaton
    from formgate.core.grammar import BareEntry, Entry, Grammar

__all__ = ["Call", "Program", "Recorder", "write_automaton"]

# A call: the method, the indices of calls whose nodes it takes, and what else it takes.
Call = tuple[str, tuple[int, ...], tuple[object, ...]]

_LISTS = frozenset(["seq", "choice"])
# Calls whose nodes mean the same in every grammar.
_ALONE = frozenset(
    [
        *(
            "literal",
            "char_class",
            "any_char",
            "any_text",
            "strings",
            "automaton",
            "empty",
            "nothing",
        ),
        *("seq", "choice", "intersection", "complement", "repeat", "optional", "star", "plus"),
    ]
)
_FEW = 3  # calls that are as well made again
_BYTES_OF_A_CALL = 200


class Recorder:
    """Looks like a builder to what writes regular languages, and keeps what it is told."""

    def __init__(self) -> None:
        self._index: dict[Call, int] = {}
        self._format_notes: object = None

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

    def automaton(self, automaton: Automaton) -> Node:
        """Keep a node that is an automaton."""
        return self._add("automaton", (), automaton)

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

    def calls(self) -> list[Call]:
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

    def given(self, place: int) -> Node:
        """Stand for a node that is given when the calls are made again."""
        return self._add("given", (), place)

    def json_text(self, part: Node, *, escapes: bool = True) -> Node:
        """Keep ``json_text``."""
        return self._add("json_text", (part,), escapes)

    def members(
        self,
        entries: Iterable[Entry | BareEntry],
        cells: Iterable[Cell],
        *,
        colon: Node,
        comma: Node,
        ordered: bool,
        min: int,  # noqa: A002
        max: int | None,  # noqa: A002
        escapes: bool,
        needs: Mapping[str, Iterable[str]],
        any_of: Iterable[Iterable[tuple[str, int | None]]] = (),
    ) -> Node:
        """Keep ``members``: those of one cell, as objects of any kind have them."""
        (cell,) = cells
        if list(entries) or cell.some or needs or any_of:
            raise AssertionError("recorded objects have any members")
        nodes = cell.keys, cell.value, colon, comma
        return self._add("members", nodes, ordered, min, max, escapes)

    def program(self, wanted: Node) -> Program:
        """Return the calls that one of the nodes takes, and those that define rules."""
        return Program(*self.shortened(wanted))

    def shortened(self, wanted: Node) -> tuple[list[Call], int]:
        """Return the calls of the program, and which of them makes the node."""
        return _shortened(self.calls(), cast("int", wanted))


class _Step(NamedTuple):
    """One call of a program: the method's place, what finds its nodes, and what else it takes."""

    method: int
    take: Callable[[list[Any]], Any] | None
    values: tuple[object, ...]


class Program:
    """Calls to make on a builder.

    Args:
        calls: The calls.
        wanted: Which of them makes the node of it all.
    """

    __slots__ = ("_alone", "_grammar", "_methods", "_steps", "_wanted")

    def __init__(self, calls: list[Call], wanted: int) -> None:
        self._wanted = wanted
        self._alone = len(calls) > _FEW and all(method in _ALONE for method, _, _ in calls)
        self._grammar: Grammar | None = None
        self._methods = list(dict.fromkeys(method for method, _, _ in calls))
        self._steps = []
        for method, parts, values in calls:
            take: Callable[[list[Any]], Any] | None = None
            if method == "define":
                values = (*values, parts[0])  # noqa: PLW2901
            elif len(parts) == 1:
                take = itemgetter(slice(parts[0], parts[0] + 1))
            elif parts:
                take = itemgetter(*parts)
            self._steps.append(_Step(self._methods.index(method), take, values))

    def __len__(self) -> int:
        """Return how large it is, in calls; an automaton is as large as so many calls."""
        return len(self._steps) + sum(
            automaton.memory_usage() // _BYTES_OF_A_CALL
            for step in self._steps
            if self._methods[step.method] == "automaton"
            for automaton in cast("tuple[Automaton]", step.values)
        )

    def write(self, builder: GrammarBuilder, given: Sequence[Node] = ()) -> Node:
        """Make the calls and return the node of it all.

        Args:
            builder: On which to make them.
            given: The nodes that some calls stand for.
        """
        if not self._alone or isinstance(builder, Recorder):
            return self._replay(builder, given)
        if self._grammar is None:
            own = GrammarBuilder()
            own.start(self._replay(own, given))
            self._grammar = own.build()
        return builder.include(self._grammar)

    def _replay(self, builder: GrammarBuilder, given: Sequence[Node]) -> Node:
        """Make the calls one by one."""
        nodes: list[Any] = []
        add = nodes.append
        calls: list[Callable[..., Any]] = [
            given.__getitem__
            if name == "given"
            else partial(_ADAPTED[name], builder)
            if name in _ADAPTED
            else getattr(builder, name)
            for name in self._methods
        ]
        for method, take, values in self._steps:
            if take is not None:
                add(calls[method](*take(nodes), *values))
            elif self._methods[method] != "define":
                add(calls[method](*values))
            else:
                name, body = values
                calls[method](name, nodes[cast("int", body)])
                add(nodes[cast("int", body)])  # so that those after it keep their places
        return cast("Node", nodes[self._wanted])


def _json_text(builder: GrammarBuilder, part: Node, escapes: bool) -> Node:
    """Make a call of ``json_text``."""
    return builder.json_text(part, escapes=escapes)


def _members(builder: GrammarBuilder, *kept: Any) -> Node:
    """Make a call of ``members``."""
    keys, value, colon, comma, ordered, low, high, escapes = kept
    return builder.members(
        [],
        [Cell(keys, value)],
        colon=colon,
        comma=comma,
        ordered=ordered,
        min=low,
        max=high,
        escapes=escapes,
    )


def write_automaton(builder: GrammarBuilder, automaton: Automaton) -> Node:
    """Return the node of what an automaton takes."""
    if isinstance(builder, Recorder):
        return builder.automaton(automaton)
    return Node(builder._core.automaton(automaton))  # noqa: SLF001 (automata are not public)


_ADAPTED: dict[str, Callable[..., Node]] = {
    "automaton": write_automaton,
    "json_text": _json_text,
    "members": _members,
}


def _shortened(calls: list[Call], wanted: int) -> tuple[list[Call], int]:
    """Return what is needed of some calls, lists within lists as one, and the wanted one."""
    uses = _uses(calls, wanted)
    made: list[Call] = []  # of each call, nested lists taken apart
    for method, parts, values in calls:
        if method in _LISTS:
            flat: list[int] = []
            for part in parts:
                inner = made[part]
                if inner[0] == method and (uses[part] == 1 or len(inner[1]) < 2):
                    flat += inner[1]
                else:
                    flat.append(part)
            parts = tuple(flat)  # noqa: PLW2901
            if method == "seq":
                parts = tuple([part for part in parts if made[part][0] != "empty"])  # noqa: PLW2901
        made.append((method, parts, values))
    needed = _uses(made, wanted)
    places: dict[int, int] = {}
    kept: dict[Call, int] = {}
    for place, (method, parts, values) in enumerate(made):
        if needed[place]:
            call = method, tuple([places[part] for part in parts]), values
            places[place] = kept.setdefault(call, len(kept))
    return list(kept), places[wanted]


def _uses(calls: list[Call], wanted: int) -> list[int]:
    """Return how often each call's node is taken; rules are, where they are defined."""
    uses = [0] * len(calls)
    uses[wanted] = 1
    for place in range(len(calls) - 1, -1, -1):
        method, parts, _ = calls[place]
        if method == "define":
            uses[place] += 1
        if uses[place]:
            for part in parts:
                uses[part] += 1
    return uses
