"""The nodes of objects: members by name and by sets of names, and members that must be there."""

from __future__ import annotations

from functools import partial
from itertools import product
from typing import TYPE_CHECKING, cast

from formgate.core.grammar import Cell, Entry

if TYPE_CHECKING:
    from collections.abc import Callable

    from formgate.core.grammar import Node
    from formgate.plugins.json_schema._closed import ClosedObject
    from formgate.plugins.json_schema._emit import Emitter
    from formgate.plugins.json_schema._scalars import State
    from formgate.plugins.json_schema._strings import StringSet
    from formgate.plugins.json_schema._style import Style

__all__ = ["ObjectWriter"]

_MAX_WAYS = 64  # to choose the cells that members must be of
# Makes an entry of a tuple: there are very many, and this is quicker than calling the class.
_entry = cast("Callable[[tuple[str, Node, bool]], Entry]", partial(tuple.__new__, Entry))


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

    def write(self, closed: ClosedObject, level: int, state: State) -> Node:
        """Return the node of the objects of one alternative."""
        builder, gaps, value = self._builder, self._emitter.style(level), self._emitter.value
        entries = [
            _entry((name, value(member, level + 1), required))
            for name, member, required in closed.entries
        ]
        cells = [
            Cell(self._names(keys, state), value(member, level + 1))
            for keys, member in closed.cells
        ]
        if cells:
            # What entries are named is no name of a cell, even where no member follows.
            entries += [Entry(name, builder.nothing(), False) for name in closed.banned]
        if closed.needs:
            inside = self._needing(closed, entries, cells, (level, gaps), state)
        else:
            inside = self._members(entries, cells, gaps, closed.low, closed.high)
        if closed.low == 0:
            inside = builder.choice(inside, gaps.hollow)
        return builder.seq(self._braces[0], inside, self._braces[1])

    def _names(self, strings: StringSet, state: State) -> Node:
        """Return the node of the names of a cell."""
        found = self._keys.get(strings)
        if found is None:
            found = self._keys[strings] = self._emitter.texts(strings, state)
        return found

    def _members(
        self, entries: list[Entry], cells: list[Cell], gaps: Style, low: int, high: int | None
    ) -> Node:
        """Return the node of at least one member, with what stands around."""
        if high == 0 or not (entries or cells):
            return self._builder.nothing()
        members = self._part(entries, cells, gaps, max(low, 1), high)
        return self._builder.seq(gaps.opened, members, gaps.closing)

    def _part(
        self, entries: list[Entry], cells: list[Cell], gaps: Style, low: int, high: int | None
    ) -> Node:
        """Return the node of members."""
        return self._builder.members(
            entries,
            cells,
            colon=gaps.colon,
            comma=gaps.comma,
            ordered=self._ordered,
            min=low,
            max=high,
            escapes=self._emitter.escapes,
        )

    # --- members that must be there ---

    def _needing(
        self,
        closed: ClosedObject,
        entries: list[Entry],
        cells: list[Cell],
        place: tuple[int, Style],
        state: State,
    ) -> Node:
        """Return the node of members, some of which must be of cells, and special perhaps."""
        level, gaps = place
        if self._any_will_do(closed):  # the least number of members says it
            return self._members(entries, cells, gaps, closed.low, closed.high)
        ways = self._ways(closed)
        if ways is None:
            self._emitter.unsupported(
                state,
                "that two members, of names that are not known, are special (patternProperties or "
                "additionalProperties under not or oneOf) cannot be enforced here",
                "name a member, or state what all members satisfy",
            )
            return self._members(entries, cells, gaps, closed.low, closed.high)
        found = []
        for way in ways:
            special = list(cells)
            for number, member in way.items():
                some = self._emitter.value(member, level + 1)
                special[number] = special[number]._replace(some=some)
            found.append(self._members(entries, special, gaps, closed.low, closed.high))
        return self._builder.choice(*found)

    def _any_will_do(self, closed: ClosedObject) -> bool:
        """Say whether all that is needed is some member beyond the entries, which are all there."""
        return (
            len(closed.needs) == 1
            and len(closed.needs[0]) == len(closed.cells)
            and all(closed.cells[number][1] is one for number, one in closed.needs[0].items())
            and all(required for _, _, required in closed.entries)
        )

    def _ways(self, closed: ClosedObject) -> list[dict[int, State]] | None:
        """Return the ways to choose a cell for each need; None where one needs two members."""
        found: list[dict[int, State]] = []
        count = 1
        for need in closed.needs:
            count *= len(need)
        if count > _MAX_WAYS:
            return None
        for chosen in product(*(need.items() for need in closed.needs)):
            way: dict[int, State] = {}
            for number, member in chosen:
                have = way.setdefault(number, member)
                if have is not member:
                    weaker = set(have.lits) <= set(member.lits)
                    if not weaker and not set(member.lits) <= set(have.lits):
                        return None
                    way[number] = member if weaker else have
            if way not in found:
                found.append(way)
        return found
