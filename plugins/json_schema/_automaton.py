"""The automaton: states, their alternatives for objects and arrays, and which are surely empty."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formgate.core.errors import LimitError
from formgate.plugins.json_schema._array_clauses import ArrayClauses
from formgate.plugins.json_schema._closed import (
    ClosedArray,
    ClosedObject,
    close_array,
    close_object,
    needed_members,
)
from formgate.plugins.json_schema._facts import ARRAY, FALSE, OBJECT
from formgate.plugins.json_schema._numbers import NumberSet
from formgate.plugins.json_schema._object_clauses import ObjectClauses
from formgate.plugins.json_schema._scalars import told
from formgate.plugins.json_schema._shapes import NOTHING, both
from formgate.plugins.json_schema._states import Schemas
from formgate.plugins.json_schema._strings import StringSet

if TYPE_CHECKING:
    from collections.abc import Hashable

    from formgate.plugins.json_schema._options import Options
    from formgate.plugins.json_schema._shapes import Lits, ObjectShape
    from formgate.plugins.json_schema._states import State
    from formgate.plugins.json_schema._values import Json

__all__ = ["Automaton"]

_CLOSED_OBJECTS = -1  # keys beside the kinds, in State.clauses
_CLOSED_ARRAYS = -2
_COMPOSITE = ARRAY | OBJECT
_MAX_DEPTH = 6  # of members within members, when looking for what cannot be


class Automaton:
    """The alternating automaton of a schema.

    Args:
        schema: The root.
        options: The options.

    Attributes:
        world: The subschemas and states.
    """

    def __init__(self, schema: Json, options: Options) -> None:
        self.world = Schemas(schema, options)
        self._objects = ObjectClauses(self.world, self.join)
        self._arrays = ArrayClauses(self.world, self.join)
        self._within: set[int] = set()
        self._joins: dict[tuple[Lits, Lits, bool], Lits] = {}
        self._known: dict[Hashable, tuple[ObjectShape, list[ClosedObject]]] = {}

    @property
    def root(self) -> State:
        """The state of the root.

        Raises:
            WrongSchemaError: It is no schema.
        """
        return self.world.root

    def close(self) -> None:
        """Cut the references that go in circles, so that memory is free at once.

        The collector of garbage would otherwise go through it all; a third of the time.
        """
        self._objects.close()
        self._arrays.close()
        self.world.close()

    def objects(self, state: State) -> list[ClosedObject]:
        """Return the alternatives for objects in a state."""
        if not state.kinds & OBJECT:
            return []
        if not state.lits:
            return [ClosedObject([], [], [(StringSet.ALL, state)], 0, None, [])]
        found: list[ClosedObject] | None = state.clauses.get(_CLOSED_OBJECTS)
        if found is None:
            try:
                found = [
                    closed
                    for shape in self._objects.of_state(state)
                    for part in self._objects.closable(shape)
                    for closed in self._close(part)
                ]
            except LimitError as error:
                raise self.world.limited(error, state.lits) from None
            state.clauses[_CLOSED_OBJECTS] = found
        return found

    def _close(self, shape: ObjectShape) -> list[ClosedObject]:
        """Return the alternatives of a shape, those of one that says the same in the same order.

        Branches that many schemas list (as of all transforms, and of some) make equal shapes.
        """
        known = self._known.get(shape.key)
        if known is not None and known[0].in_order_of(shape):
            return known[1]
        closed = close_object(shape, self.world)
        self._known[shape.key] = shape, closed
        return closed

    def arrays(self, state: State) -> list[ClosedArray]:
        """Return the alternatives for arrays in a state."""
        if not state.kinds & ARRAY:
            return []
        if not state.lits:
            return [ClosedArray([], state, [], 0, None, unique=False, repeats=False)]
        found: list[ClosedArray] | None = state.clauses.get(_CLOSED_ARRAYS)
        if found is None:
            try:
                closed = [close_array(one, self.world) for one in self._arrays.of_state(state)]
            except LimitError as error:
                raise self.world.limited(error, state.lits) from None
            found = [one for one in closed if one is not None]
            state.clauses[_CLOSED_ARRAYS] = found
        return found

    def join(self, have: Lits, lits: Lits, search: bool) -> Lits:
        """Return a conjunction: NOTHING if it is seen to be empty, the first if it says no more."""
        key = (have, lits, search)
        found = self._joins.get(key)
        if found is None:
            found = self._joins[key] = self._join(have, lits, search=search)
        return found

    def _join(self, have: Lits, lits: Lits, *, search: bool) -> Lits:
        """Return a conjunction that is not known yet."""
        world = self.world
        tag, values = world.known(have), world.known(lits)
        if tag is not None and values is not None and not tag.kinds & _COMPOSITE:
            within = told(tag.scalars, values.scalars)
            if within is not None:
                return have if within else NOTHING
        alike = world.alike
        known = {alike(lit) for lit in have}
        lits = tuple([lit for lit in lits if alike(lit) not in known])
        joined = both(have, lits)
        if not known.isdisjoint([alike(lit) ^ 1 for lit in lits]) or (
            not world.values.keys().isdisjoint(have)
            and sum(lit in world.values for lit in joined) > 1
        ):
            joined = NOTHING
        if joined in (NOTHING, have):
            return joined
        before, after = world.state(have), world.state(lits)
        if not before.kinds & after.kinds & _COMPOSITE:
            return self._scalars(before, after, (have, lits, joined))
        state = world.state(joined)
        if state.empty is not None:
            return NOTHING if state.empty else joined
        with world.below():
            if search:
                return NOTHING if self.is_empty(state) else joined
            bits, numbers, strings = world.conjoined(state, before, after)
            if bits or not numbers.is_empty() or not strings.is_empty():
                state.empty = False
        return joined

    def _scalars(self, before: State, after: State, lits: tuple[Lits, Lits, Lits]) -> Lits:
        """Return a conjunction that has scalars only; either part alone if it implies the other.

        Args:
            before: The state of the first part.
            after: That of the second.
            lits: The literals of the parts, and of both together.
        """
        world = self.world
        if before.scalars is None or after.scalars is None:
            with world.below():
                world.scalars(before)
                world.scalars(after)
        scalars = bits, numbers, strings = world.common(before, after)
        if (
            not bits
            and (numbers is NumberSet.NONE or numbers.is_empty())
            and (strings is StringSet.NONE or strings.is_empty())
        ):
            return NOTHING
        for part, said in zip((before, after), lits, strict=False):
            if not part.kinds & _COMPOSITE and world.scalars(part) == scalars:
                return said
        state = world.state(lits[2])
        state.empty = False
        if state.scalars is None:
            state.scalars = scalars
        return lits[2]

    def is_empty(self, state: State) -> bool:
        """Say whether surely no value is in a state.

        A state that is being looked at already counts as not empty, so the answer may be a wrong
        "not sure" for recursive schemas; the engine finds those.
        """
        if state.empty is not None:
            return state.empty
        if not state.lits or state.lits == (FALSE,):
            state.empty = bool(state.lits)
            return state.empty
        bits, numbers, strings = self.world.scalars(state)
        if bits or not numbers.is_empty() or not strings.is_empty():
            state.empty = False
            return False
        if state.index in self._within or len(self._within) >= _MAX_DEPTH:
            return False
        self._within.add(state.index)
        try:
            with self.world.below():
                state.empty = self._no_array(state) and self._no_object(state)
        finally:
            self._within.discard(state.index)
        return state.empty

    def _no_array(self, state: State) -> bool:
        """Say whether surely no array is in a state."""
        for array in self.arrays(state):
            needed = array.prefix[: array.low]
            if array.low > len(array.prefix):
                needed = [*needed, array.rest]
            if not any(self.is_empty(item) for item in needed):
                return False
        return True

    def _no_object(self, state: State) -> bool:
        """Say whether surely no object is in a state."""
        if state.kinds & OBJECT and state.lits and _CLOSED_OBJECTS not in state.clauses:
            found = self._no_shape(state)
            if found is not None:
                return found
        for one in self.objects(state):
            if not any(needed and self.is_empty(member) for _, member, needed in one.entries):
                return False
        return True

    def _no_shape(self, state: State) -> bool | None:
        """Say whether surely no object is in a state by its required members; None: they won't do.

        Most states that are asked about are conjunctions of alternatives, which need no closing.
        """
        try:
            shapes = self._objects.of_state(state)
        except LimitError as error:
            raise self.world.limited(error, state.lits) from None
        for shape in shapes:
            needed = needed_members(shape)
            if needed is None:
                return None
            if not any(self.is_empty(self.world.state(lits)) for lits in needed):
                return False
        return True
