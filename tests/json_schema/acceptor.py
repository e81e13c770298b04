"""Does a value belong to a state? Plain Python over the closed shapes, without grammars or engines.

It tests what is made of a schema before anything is written, and it orders the members of a value
as the text policy ``property_order="schema"`` wants them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from formgate.plugins.json_schema._automaton import Automaton
from formgate.plugins.json_schema._options import read_options
from formgate.plugins.json_schema._values import value_key

if TYPE_CHECKING:
    from formgate.plugins.json_schema._closed import ClosedArray, ClosedObject
    from formgate.plugins.json_schema._states import State


class Acceptor:
    """Decides values under one schema.

    Args:
        schema: The schema.
        **options: As for the format.
    """

    def __init__(self, schema: Any, **options: Any) -> None:
        self.automaton = Automaton(schema, read_options(options))

    def accepts(self, value: Any) -> bool:
        """Say whether a value is valid."""
        return self.ordered(value) is not None

    def ordered(self, value: Any) -> tuple[Any] | None:
        """Return a value with its members in the schema's order; None if it is not valid."""
        return self._value(self.automaton.root, value)

    def _value(self, state: State, value: Any) -> tuple[Any] | None:
        if isinstance(value, dict):
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
        else:
            belongs = numbers.contains(value)
        return (value,) if belongs else None

    def _object(self, closed: ClosedObject, value: dict[str, Any]) -> dict[str, Any] | None:
        if len(value) < closed.low or (closed.high is not None and len(value) > closed.high):
            return None
        if any(required and name not in value for name, _, required in closed.entries):
            return None
        states = {name: state for name, state, _ in closed.entries if name in value}
        cells = {}
        for name in value:
            if name not in states and name not in closed.banned:
                for number, (keys, state) in enumerate(closed.cells):
                    if keys.contains(name):
                        states[name] = state
                        cells[name] = number
        if len(states) < len(value):
            return None
        if not all(self._met(need, cells, value) for need in closed.needs):
            return None
        kept = {name: self._value(state, value[name]) for name, state in states.items()}
        if None in kept.values():
            return None
        return {name: member[0] for name, member in kept.items() if member is not None}

    def _met(self, need: dict[int, State], cells: dict[str, int], value: dict[str, Any]) -> bool:
        return any(
            number in need and self._value(need[number], value[name]) is not None
            for name, number in cells.items()
        )

    def _array(self, closed: ClosedArray, value: list[Any]) -> list[Any] | None:
        if len(value) < closed.low or (closed.high is not None and len(value) > closed.high):
            return None
        kept = []
        for place, item in enumerate(value):
            state = closed.prefix[place] if place < len(closed.prefix) else closed.rest
            found = self._value(state, item)
            if found is None:
                return None
            kept.append(found[0])
        for count in closed.counts:
            number = sum(
                self._value(count.state, item) is not None for item in value[count.start :]
            )
            if number < count.low or (count.high is not None and number > count.high):
                return None
        different = len({value_key(item) for item in value})
        if closed.unique and different < len(value):
            return None
        return None if closed.repeats and different == len(value) else kept
