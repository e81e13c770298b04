"""Whether a value is in a state, decided on the automaton that grammars are made of.

It decides what a grammar cannot enforce, too: ``uniqueItems`` over any values, for one. Numbers are
exact where they are given so, as ``int`` or ``Decimal``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from formgate.core.errors import GrammarError, LimitError
from formgate.plugins.json_schema._conditions import sets_of
from formgate.plugins.json_schema._values import is_decimal, is_number, value_key

if TYPE_CHECKING:
    from formgate.plugins.json_schema._automaton import Automaton
    from formgate.plugins.json_schema._closed import ClosedArray, ClosedObject
    from formgate.plugins.json_schema._conditions import Either
    from formgate.plugins.json_schema._scalars import State
    from formgate.plugins.json_schema._values import Json

__all__ = ["Decider"]


class Decider:
    """Decides values.

    Args:
        automaton: What the states are of.
    """

    def __init__(self, automaton: Automaton) -> None:
        self.automaton = automaton

    def ordered(self, state: State, value: Json) -> tuple[Json] | None:
        """Return a value with its members in the order of ``property_order="schema"``.

        Returns:
            The value in a tuple, or None if it is not in the state.

        Raises:
            GrammarError: It is no JSON value.
            LimitError: It is nested too deeply.
            WrongSchemaError: A part of the schema that the value reaches is wrong.
        """
        try:
            return self._value(state, value)
        except RecursionError:
            raise LimitError("the value is nested too deeply for Python's stack") from None

    def holds(self, state: State, value: Json) -> bool:
        """Say whether a value is in a state.

        Raises:
            GrammarError: As for ``ordered``.
            LimitError: As for ``ordered``.
            WrongSchemaError: As for ``ordered``.
        """
        return self.ordered(state, value) is not None

    def _value(self, state: State, value: Json) -> tuple[Json] | None:
        """Return a value, in the schema's order, if it is in a state."""
        if isinstance(value, dict):
            if not all(isinstance(name, str) for name in value):
                return None  # no JSON value, so none that is valid
            objects = (self._object(one, value) for one in self.automaton.objects(state))
            return next(((found,) for found in objects if found is not None), None)
        if isinstance(value, list):
            arrays = (self._array(one, value) for one in self.automaton.arrays(state))
            return next(((found,) for found in arrays if found is not None), None)
        bits, numbers, strings = self.automaton.world.scalars(state)
        if value is None or isinstance(value, bool):
            belongs = bits & (1 if value is None else 4 if value else 2) > 0
        elif isinstance(value, str):
            belongs = strings.contains(value)
        elif isinstance(value, (int, float)) or is_decimal(value):
            belongs = is_number(value) and numbers.contains(value)  # NaN is no JSON value
        else:
            raise GrammarError(
                f"{value!r:.60} is no JSON value",
                hint="values are dicts, lists, str, int, float, Decimal, truth values and None",
            )
        return (value,) if belongs else None

    def _object(self, closed: ClosedObject, value: dict[str, Json]) -> dict[str, Json] | None:
        """Return an object, in the schema's order, if it is of an alternative."""
        if len(value) < closed.low or (closed.high is not None and len(value) > closed.high):
            return None
        missing = any(required and name not in value for name, _, required in closed.entries)
        if missing or any(name in value and other not in value for name, other in closed.asks):
            return None
        if not all(any(self._met_by(one, value) for one in each) for each in closed.conditions):
            return None
        states = {name: state for name, state, _ in closed.entries if name in value}
        if closed.conditions:
            self._part(closed, states, value)
        cells = {}
        for name in value:
            if name not in states and name not in closed.banned:
                for number, (keys, state) in enumerate(closed.cells):
                    if keys.contains(name):
                        states[name] = state
                        cells[name] = number
        if len(states) < len(value):
            return None
        return self._members(closed, states, cells, value)

    def _met_by(self, literal: Either, value: dict[str, Json]) -> bool:
        """Say whether a literal of a condition holds for an object."""
        if literal.name not in value:
            return literal.gone
        state = literal.state
        return state is not None and self._value(state, value[literal.name]) is not None

    def _part(self, closed: ClosedObject, states: dict[str, State], value: dict[str, Json]) -> None:
        """Narrow the states of members to the parts that conditions tell apart, as grammars do."""
        world = self.automaton.world
        for name, sets in sets_of(closed.conditions).items():
            if name not in states:
                continue
            for own in sets:
                if self._value(own, value[name]) is not None:
                    states[name] = world.both(states[name], own)
                elif own.lits:
                    states[name] = world.without(states[name], own)

    def _members(
        self,
        closed: ClosedObject,
        states: dict[str, State],
        cells: dict[str, int],
        value: dict[str, Json],
    ) -> dict[str, Json] | None:
        """Return members in order, if each is in its state and some are what must be there."""
        kept: dict[str, Json] = {}
        wanted = list(closed.needs)
        for name, own in states.items():
            state = own
            if name in cells:
                met = self._met(wanted, cells[name], value[name])
                state = self._special(own, cells[name], met)
                wanted = [need for need in wanted if need not in met]
            found = self._value(state, value[name])
            if found is None:
                return None
            kept[name] = found[0]
        return None if wanted else kept

    def _met(
        self, wanted: list[dict[int, State]], number: int, member: Json
    ) -> list[dict[int, State]]:
        """Return which of the needs that are still wanted a member of a cell meets."""
        return [
            need
            for need in wanted
            if number in need and self._value(need[number], member) is not None
        ]

    def _special(self, state: State, number: int, met: list[dict[int, State]]) -> State:
        """Return the state in which a member of a cell is written: the order is that of all of it.

        So the grammar has it: as long as a need is wanted, the member that meets it is written as
        what meets it.
        """
        for need in met:
            state = self.automaton.world.both(state, need[number])
        return state

    def _array(self, closed: ClosedArray, value: list[Json]) -> list[Json] | None:
        """Return an array, in the schema's order, if it is of an alternative."""
        if len(value) < closed.low or (closed.high is not None and len(value) > closed.high):
            return None
        kept = []
        counted = [0] * len(closed.counts)
        for place, item in enumerate(value):
            state = closed.prefix[place] if place < len(closed.prefix) else closed.rest
            found = self._value(self._sorted(closed, place, state, item, counted), item)
            if found is None:
                return None
            kept.append(found[0])
        for number, count in zip(counted, closed.counts, strict=True):
            if number < count.low or (count.high is not None and number > count.high):
                return None
        different = len({value_key(item) for item in value})
        if closed.unique and different < len(value):
            return None
        return None if closed.repeats and different == len(value) else kept

    def _sorted(
        self, closed: ClosedArray, place: int, state: State, item: Json, counted: list[int]
    ) -> State:
        """Return the state in which an item is written, and count what it satisfies.

        So the grammar has it: an item is sorted by what is wanted still, and by what there may be
        no more than so many of.
        """
        world = self.automaton.world
        for number, count in enumerate(closed.counts):
            if place < count.start or (count.high is None and counted[number] >= count.low):
                continue
            if self._value(count.state, item) is not None:
                counted[number] += 1
                state = world.both(state, count.state)
            elif count.high is not None and isinstance(item, (dict, list)):
                state = world.without(state, count.state)
        return state
