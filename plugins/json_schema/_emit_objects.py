"""The nodes of objects: members by name and by sets of names, and members that must be there."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from formgate.core.grammar import Cell, Entry
from formgate.plugins.json_schema._disjoint import is_empty

if TYPE_CHECKING:
    from formgate.core.grammar import Node
    from formgate.plugins.json_schema._closed import ClosedObject
    from formgate.plugins.json_schema._emit import Emitter
    from formgate.plugins.json_schema._scalars import State
    from formgate.plugins.json_schema._strings import StringSet
    from formgate.plugins.json_schema._style import Style

__all__ = ["ObjectWriter"]

_MAX_OPTIONAL = 6  # entries whose presence is told apart
_MAX_WAYS = 64  # to choose the cells that members must be of
_SOME = "some" in Cell._fields  # whether a cell can want some member to be special


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
            Entry(name, value(member, level + 1), required)
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
        if self._any_will_do(closed):
            return self._with_extra(closed, entries, cells, gaps, state)
        ways = self._ways(closed) if _SOME else None
        if ways is None:
            self._emitter.unsupported(
                state,
                "that some member, of a name that is not known, satisfies what the others need "
                "not (patternProperties or additionalProperties under not or oneOf) cannot be "
                "enforced here",
                "name the member, or state what all members satisfy",
            )
            return self._members(entries, cells, gaps, closed.low, closed.high)
        found = []
        for way in ways:
            special = list(cells)
            for number, member in way.items():
                some = self._emitter.value(member, level + 1)
                special[number] = special[number]._replace(**{"some": some})  # noqa: PIE804 (not every core has it)
            found.append(self._members(entries, special, gaps, closed.low, closed.high))
        return self._builder.choice(*found)

    def _any_will_do(self, closed: ClosedObject) -> bool:
        """Say whether all that is needed is some member of any cell."""
        if len(closed.needs) > 1:
            return False
        need = closed.needs[0]
        if any(member is not closed.cells[number][1] for number, member in need.items()):
            return False
        others = [keys for number, (keys, _) in enumerate(closed.cells) if number not in need]
        return not others or (not _SOME and all(is_empty(keys) for keys in others))

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

    def _with_extra(
        self,
        closed: ClosedObject,
        entries: list[Entry],
        cells: list[Cell],
        gaps: Style,
        state: State,
    ) -> Node:
        """Return the node of members of which one, at least, is of a cell.

        It tells apart which entries are there: a member more than those is of a cell.
        """
        builder = self._builder
        banned = entries[len(closed.entries) :]
        entries = entries[: len(closed.entries)]
        optional = [entry for entry in entries if not entry.required]
        if not optional:
            return self._members(entries + banned, cells, gaps, closed.low, closed.high)
        required = len(entries) - len(optional)
        if self._ordered and closed.low <= required + 1 and closed.high is None:
            gone = [Entry(entry.key, builder.nothing(), False) for entry in entries]
            others = self._part(gone + banned, cells, gaps, 1, None)
            named = self._part(entries, [], gaps, max(required, 1), None)
            both = builder.seq(named, gaps.comma, others)
            inside = both if required else builder.choice(both, others)
            return builder.seq(gaps.opened, inside, gaps.closing)
        if len(optional) > _MAX_OPTIONAL:
            self._emitter.unsupported(
                state,
                f"some member beyond the {len(entries)} named ones must be there, and too many of "
                "those are optional to tell",
                "require the members, or name those that may be there",
            )
            return self._members(entries + banned, cells, gaps, closed.low, closed.high)
        found = []
        absent = [Entry(entry.key, builder.nothing(), False) for entry in optional]
        for chosen in range(1 << len(optional)):
            there = {entry.key for bit, entry in enumerate(optional) if chosen >> bit & 1}
            kept = [
                Entry(entry.key, entry.value, True)
                for entry in entries
                if entry.required or entry.key in there
            ]
            low = max(closed.low, len(kept) + 1)
            if closed.high is None or low <= closed.high:
                gone = [entry for entry in absent if entry.key not in there]
                found.append(self._members(kept + gone + banned, cells, gaps, low, closed.high))
        return builder.choice(*found)
