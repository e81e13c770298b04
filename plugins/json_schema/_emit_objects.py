"""The nodes of objects: members by name and by sets of names, and members that must be there."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, cast

from formgate.core.grammar import Cell, Entry, Some
from formgate.plugins.json_schema._conditions import any_of, parts_of

if TYPE_CHECKING:
    from formgate.core.grammar import BareEntry, Node
    from formgate.plugins.json_schema._closed import ClosedObject
    from formgate.plugins.json_schema._conditions import AnyOf
    from formgate.plugins.json_schema._emit import Emitter
    from formgate.plugins.json_schema._scalars import State
    from formgate.plugins.json_schema._strings import StringSet
    from formgate.plugins.json_schema._style import Style

__all__ = ["ObjectWriter"]

_MAX_NEEDS = 6  # that members of a cell may meet: each set of them is a value of its own
_MAX_CONDITIONS = 8


class ObjectWriter:
    """Writes objects.

    Args:
        emitter: What writes their members.
    """

    def __init__(self, emitter: Emitter) -> None:
        self._emitter = emitter
        self._builder = emitter.builder
        self._ordered = emitter.options.property_order == "schema"
        self._braces = emitter.builder.literal("{"), emitter.builder.literal("}")
        self._keys: dict[StringSet, Node] = {}
        self._written: dict[int, tuple[ClosedObject, Node]] = {}  # which keeps the number in use

    def of(self, closed: ClosedObject, level: int, state: State) -> Node:
        """Return the node of the objects of one alternative, once for several states."""
        if closed.needs or not self._emitter.one_node():
            return self.write(closed, level, state)
        written = self._written.get(id(closed))
        if written is None:
            written = self._written[id(closed)] = closed, self.write(closed, level, state)
        return written[1]

    def write(self, closed: ClosedObject, level: int, state: State) -> Node:
        """Return the node of the objects of one alternative."""
        builder, gaps, value = self._builder, self._emitter.style(level), self._emitter.value
        entries = self._entries(closed.entries, level)
        conditions: AnyOf = []
        if closed.conditions:
            parts, conditions = self._parted(closed)
            for place, (name, _, required) in enumerate(closed.entries):
                if name in parts:
                    own = [value(one, level + 1) for one in parts[name]]
                    first, *others = own or [builder.nothing()]
                    entries[place] = Entry(name, first, required, others)
        cells = [
            Cell(self._names(keys, state), value(member, level + 1))
            for keys, member in closed.cells
        ]
        if cells:
            # What entries are named is no name of a cell, even where no member follows.
            entries += [(name, builder.nothing(), False) for name in closed.banned]
        if closed.needs:
            inside = self._needing(closed, entries, cells, (level, gaps), state)
        else:
            inside = self._members(closed, entries, cells, gaps, conditions)
        if closed.hollow:
            inside = builder.choice(inside, gaps.hollow)
        return builder.seq(self._braces[0], inside, self._braces[1])

    def _entries(self, given: list[tuple[str, State, bool]], level: int) -> list[Entry | BareEntry]:
        """Return members by name with nodes for their states."""
        if not given:
            return []
        names, members, required = zip(*given, strict=True)
        known = list(map(self._emitter.known().get, members))
        nodes = cast("list[Node]", known)
        if None in known:
            value = self._emitter.value
            nodes = [
                value(member, level + 1) if node is None else node
                for node, member in zip(known, members, strict=True)
            ]
        return list(zip(names, nodes, required, strict=True))

    def _names(self, strings: StringSet, state: State) -> Node:
        """Return the node of the names of a cell."""
        found = self._keys.get(strings)
        if found is None:
            found = self._keys[strings] = self._emitter.texts(strings, state)
        return found

    def _parted(self, closed: ClosedObject) -> tuple[dict[str, list[State]], AnyOf]:
        """Return the parts of the values of members that conditions tell apart, and conditions."""
        emitter = self._emitter
        members = {name: member for name, member, _ in closed.entries}
        within = parts_of(closed.conditions, members, emitter.world, emitter.automaton.is_empty)
        states = {name: [part for part, _ in parts] for name, parts in within.items()}
        return states, any_of(closed.conditions, within)

    def _members(
        self,
        closed: ClosedObject,
        entries: list[Entry | BareEntry],
        cells: list[Cell],
        gaps: Style,
        conditions: AnyOf | None = None,
    ) -> Node:
        """Return the node of at least one member, with what stands around."""
        if closed.high == 0 or not (entries or cells) or [] in (conditions or ()):
            return self._builder.nothing()
        needs: dict[str, list[str]] = {}
        for name, other in closed.asks:
            needs.setdefault(name, []).append(other)
        members = self._builder.members(
            entries,
            cells,
            colon=gaps.colon,
            comma=gaps.comma,
            ordered=self._ordered,
            min=max(closed.low, 1),
            max=closed.high,
            escapes=self._emitter.escapes,
            needs=needs,
            any_of=conditions or (),
        )
        return self._builder.seq(gaps.opened, members, gaps.closing)

    # --- members that must be there ---

    def _needing(
        self,
        closed: ClosedObject,
        entries: list[Entry | BareEntry],
        cells: list[Cell],
        place: tuple[int, Style],
        state: State,
    ) -> Node:
        """Return the node of members, some of which must be of cells, and special perhaps."""
        level, gaps = place
        if self._any_will_do(closed):  # the least number of members says it
            return self._members(closed, entries, cells, gaps)
        count = max(sum(number in need for need in closed.needs) for number in range(len(cells)))
        if len(closed.needs) > _MAX_CONDITIONS or count > _MAX_NEEDS:
            self._emitter.unsupported(
                state,
                f"that more than {_MAX_NEEDS} members, of names that are not known, are special "
                "(patternProperties or additionalProperties under not or oneOf) cannot be enforced",
                "name a member, or state what all members satisfy",
            )
            return self._members(closed, entries, cells, gaps)
        special = [
            cell._replace(some=self._special(closed, number, level))
            for number, cell in enumerate(cells)
        ]
        return self._members(closed, entries, special, gaps)

    def _special(self, closed: ClosedObject, number: int, level: int) -> list[Some]:
        """Return the values of a cell by which needs they meet, for each set of needs."""
        found = []
        own = [place for place, need in enumerate(closed.needs) if number in need]
        for count in range(1, len(own) + 1):
            for chosen in combinations(own, count):
                member = closed.needs[chosen[0]][number]
                for place in chosen[1:]:
                    member = self._emitter.world.both(member, closed.needs[place][number])
                # That one need cannot be met is for the engine to see.
                if count == 1 or not self._emitter.automaton.is_empty(member):
                    found.append(Some(self._emitter.value(member, level + 1), chosen))
        return found

    def _any_will_do(self, closed: ClosedObject) -> bool:
        """Say whether all that is needed is some member beyond the entries, which are all there."""
        return (
            len(closed.needs) == 1
            and len(closed.needs[0]) == len(closed.cells)
            and all(closed.cells[number][1] is one for number, one in closed.needs[0].items())
            and all(required for _, _, required in closed.entries)
        )
