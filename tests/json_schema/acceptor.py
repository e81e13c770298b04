"""Does a value belong to a state? Plain Python over the closed shapes, without grammars or engines.

It tests what is made of a schema before anything is written, and it orders the members of a value as
the text policy ``property_order="schema"`` wants them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from formgate.core.errors import UnsupportedConstraint
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
        bits, numbers, strings = self.automaton.world.scalars(state)
        if value is None:
            return (value,) if bits & 1 else None
        if isinstance(value, bool):
            return (value,) if bits & (4 if value else 2) else None
        if isinstance(value, str):
            return (value,) if strings.contains(value) else None
        if isinstance(value, dict):
            for closed in self.automaton.objects(state):
                found = self._object(closed, value)
                if found is not None:
                    return (found,)
            return None
        if isinstance(value, list):
            for array in self.automaton.arrays(state):
                items = self._array(array, value)
                if items is not None:
                    return (items,)
            return None
        return (value,) if numbers.contains(value) else None

    def _object(self, closed: ClosedObject, value: dict[str, Any]) -> dict[str, Any] | None:
        if closed.unsure:
            raise UnsupportedConstraint(closed.unsure)
        if len(value) < closed.low or (closed.high is not None and len(value) > closed.high):
            return None
        kept: dict[str, Any] = {}
        for name, state, required in closed.entries:
            if name in value:
                member = self._value(state, value[name])
                if member is None:
                    return None
                kept[name] = member[0]
            elif required:
                return None
        known = len(kept)
        names = {name for name, _, _ in closed.entries}
        for name, inner in value.items():
            if name in names:
                continue
            if name in closed.banned:
                return None
            for keys, state in closed.cells:
                if keys.contains(name):
                    member = self._value(state, inner)
                    if member is None:
                        return None
                    kept[name] = member[0]
                    break
            else:
                return None
        return None if closed.extra and len(kept) == known else kept

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
