"""Alternatives for objects: what schemas say of members, and the ways not to satisfy it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from formgate.plugins.json_schema._clauses import UNTRACKED, Clauses
from formgate.plugins.json_schema._conditions import (
    alternatives,
    conditions_of,
    open_literals,
    tellable,
    tractable,
)
from formgate.plugins.json_schema._facts import OBJECT, TRUE, Facts, ObjectFacts, Op
from formgate.plugins.json_schema._keys import EVERY_KEY, NO_KEY, Keys
from formgate.plugins.json_schema._shapes import ANY_OBJECT, NOTHING, ObjectShape, both, one
from formgate.plugins.json_schema._strings import FEW_NAMES, StringSet
from formgate.plugins.json_schema._tags import Tags

if TYPE_CHECKING:
    from collections.abc import Iterable

    from formgate.plugins.json_schema._shapes import Join, Lits
    from formgate.plugins.json_schema._states import Schemas

__all__ = ["ObjectClauses"]

_NO_NAMES: frozenset[str] = frozenset()


class ObjectClauses(Clauses[ObjectShape]):
    """Alternatives for objects.

    Args:
        world: The subschemas.
        join: Returns the conjunction of what a member or an item satisfies.
    """

    _textual = True  # members come in the order in which the schema names them
    _factors = True

    def __init__(self, world: Schemas, join: Join) -> None:
        super().__init__(world, join, OBJECT, ANY_OBJECT, 1)

    def base(self, facts: Facts, track: int) -> ObjectShape | None:
        """Return what a schema's own keywords say of members."""
        objects = facts.objects
        if objects is None:
            return ANY_OBJECT
        props = {name: one(lit) for name, lit in objects.props.items()}
        listed, patterns, whole = _patterns(objects)
        for name, lit in listed:
            props[name] = both(props.get(name, ()), one(lit))
        universals = [
            (Keys(_NO_NAMES, (pattern,), inside=True), one(lit))
            for pattern, lit in patterns
            if lit != TRUE
        ]
        sets = tuple(pattern for pattern, _ in patterns)
        required = dict.fromkeys(objects.required)
        for name in required:
            if props.get(name) == NOTHING:
                return None
        high = objects.high
        if high is not None and max(objects.low, len(required)) > high:
            return None
        if objects.additional != TRUE and whole:
            others = Keys(frozenset(props), sets, inside=False)
            universals.append((others, one(objects.additional)))
        if objects.names != TRUE:
            allowed = self._names(objects.names)
            if allowed is not StringSet.ALL:
                universals.append((Keys(_NO_NAMES, (allowed,), inside=False), NOTHING))
        evaluated = None
        if track:
            evaluated = (
                EVERY_KEY
                if objects.evaluates or not whole
                else Keys(frozenset(props), sets, inside=True)
            )
        return ObjectShape(props, required, tuple(universals), (), objects.low, high, evaluated)

    def denied_base(self, facts: Facts) -> list[ObjectShape]:
        """Return the ways in which members do not satisfy a schema's own keywords."""
        objects = facts.objects
        if objects is None:
            return []
        # Without a required member, or with one that does not satisfy what it should.
        found = [
            ObjectShape({name: one(lit ^ 1)}, {} if name in objects.required else {name: None})
            for name, lit in objects.props.items()
            if lit != TRUE or name in objects.required
        ]
        listed, patterns, whole = _patterns(objects)
        if not whole:
            return [ANY_OBJECT]  # what was left out may be anything
        found += [
            ObjectShape({name: one(lit ^ 1)}, {name: None}) for name, lit in listed if lit != TRUE
        ]
        some: list[tuple[Keys, Lits]] = [
            (Keys(_NO_NAMES, (pattern,), inside=True), one(lit ^ 1))
            for pattern, lit in patterns
            if lit != TRUE
        ]
        if objects.additional != TRUE:
            names = frozenset((*objects.props, *(name for name, _ in listed)))
            others = Keys(names, tuple(pattern for pattern, _ in patterns), inside=False)
            some.append((others, one(objects.additional ^ 1)))
        if objects.names != TRUE:
            denied = self._names(objects.names ^ 1)
            if denied is not StringSet.NONE:
                some.append((Keys(_NO_NAMES, (denied,), inside=True), ()))
        found += [ObjectShape({}, {}, (), ((keys, lits),), 1) for keys, lits in some]
        found += [_absent(name) for name in objects.required if name not in objects.props]
        if objects.low:
            found.append(ObjectShape({}, {}, high=objects.low - 1))
        if objects.high is not None:
            found.append(ObjectShape({}, {}, low=objects.high + 1))
        return found

    def rest_of(self, facts: Facts) -> int | None:
        """Return the literal of ``unevaluatedProperties``."""
        return facts.rest_members

    def with_rest(self, shape: ObjectShape, rest: int, *, track: int) -> ObjectShape | None:
        """Return a tracked shape whose unevaluated members all satisfy a literal."""
        evaluated = shape.evaluated or NO_KEY
        if evaluated == EVERY_KEY or rest == TRUE:
            kept: ObjectShape | None = shape.plain()
        else:
            others = ObjectShape({}, {}, ((evaluated.opposite(), one(rest)),))
            kept = self._meet(shape.plain(), others)
        if kept is None or not track:
            return kept
        return ObjectShape(
            kept.props,
            kept.required,
            kept.universals,
            kept.some,
            kept.low,
            kept.high,
            EVERY_KEY,
            kept.asks,
            kept.conditions,
        )

    def denied_rest(self, shape: ObjectShape, rest: int) -> ObjectShape | None:
        """Return a tracked shape with some unevaluated member that does not."""
        evaluated = shape.evaluated or NO_KEY
        if evaluated == EVERY_KEY:
            return None
        some = ((evaluated.opposite(), one(rest ^ 1)),)
        return self._meet(shape.plain(), ObjectShape({}, {}, (), some, 1))

    def dependent(self, op: tuple[Any, ...], track: int) -> list[ObjectShape]:
        """Return objects without a member, and those with it that satisfy what it asks for."""
        kind, name, asked = op
        if kind == Op.REQUIRED:
            return [_asking([name], asked)]
        if asked == TRUE:
            return [ANY_OBJECT]
        if not track:
            found = self.of(asked)
            names = _only_required(found)
            if names is not None:
                return [_asking([name], names)]
            return [_absent(name), *found]  # whether the member is there makes no difference then
        present = ObjectShape({}, {name: None})
        return [_absent(name), *self.product([present], self.of(asked, track))]

    def denied_dependent(self, op: tuple[Any, ...]) -> list[ObjectShape]:
        """Return objects with a member that do not satisfy what it asks for."""
        kind, name, asked = op
        present = [ObjectShape({}, {name: None})]
        if kind == Op.REQUIRED:
            return self.product(present, [_absent(other) for other in asked])
        return self.product(present, self.of(asked ^ 1, UNTRACKED))

    def implication(self, test: int, then: int) -> list[ObjectShape] | None:
        """Return objects with some names if they have another, if that is all two literals say."""
        names = _only_required(self.of(test))
        if names is None or len(names) != 1:
            return None
        others = _only_required(self.of(then))
        return None if others is None else [_asking(names, others)]

    def less(  # noqa: PLR0911 (one for each form)
        self, shape: ObjectShape, denied: ObjectShape
    ) -> ObjectShape | None:
        """Return a shape without values that another one has, if that is simple to say."""
        if denied.single is not None and not (shape.some or shape.asks):
            return self._less_single(shape, *denied.single)
        if denied.universals or denied.low > 1 or denied.high is not None or denied.asks:
            return shape
        if denied.conditions:
            return shape
        if denied.some:
            (keys, lits), *more = denied.some
            if more or lits or denied.props or denied.required:
                return shape
            return self._meet(shape, ObjectShape({}, {}, ((keys, NOTHING),)))
        if len(denied.props) != 1 or (denied.low and not denied.required):
            return shape
        ((name, lits),) = denied.props.items()
        if any(other != name for other in denied.required):
            return shape  # an object without that one is not taken away
        opposite = one(self._world.negation(lits))
        if not denied.required:
            return self._meet(shape, ObjectShape({name: opposite}, {name: None}))
        if self._join(shape.props.get(name, ()), opposite, True) == NOTHING:
            return self._meet(shape, _absent(name))
        return shape

    def _less_single(
        self, shape: ObjectShape, name: str, lits: Lits, needed: bool
    ) -> ObjectShape | None:
        """Return a shape less what has one member in some state, or may have it."""
        opposite = one(self._world.negation(lits))
        if not needed:
            self._count_meet()
            return shape.with_member(name, opposite, True, self._join)
        if self._join(shape.props.get(name, ()), opposite, True) == NOTHING:
            self._count_meet()
            return shape.with_member(name, NOTHING, False, self._join)
        return shape

    def either(
        self, shape: ObjectShape, denials: list[ObjectShape]
    ) -> tuple[list[ObjectShape], ObjectShape | None, list[ObjectShape]] | None:
        """Return what of a shape satisfies one of those denials that speak of one member."""
        if shape.some or shape.asks or shape.high is not None:
            return None
        singles: list[ObjectShape] = []
        others: list[ObjectShape] = []
        for denied in denials:
            single = denied.single
            simple = single is not None and tellable(single[1], self._world)
            (singles if simple else others).append(denied)
        if len(singles) < 2:
            return None
        self._count_meet()
        said = [one.single for one in singles if one.single is not None]
        condition = open_literals(shape, said, self._world, self._join)
        if condition is None:
            return [shape], None, []
        if len(condition) < 2:
            found = self.product([shape], alternatives(condition)) if condition else []
        else:
            part = shape.with_condition(condition)
            if not tractable(part, self._world):
                return None
            found = [part]
        remains: ObjectShape | None = shape
        for name, lits, needed in said:
            if remains is None or not others:
                return found, None, []
            remains = self._less_single(remains, name, lits, needed)
        return found, remains, others

    def factored(self, shapes: list[ObjectShape]) -> ObjectShape | None:
        """Return alternatives as one shape with conditions, if that is simple to say."""
        found = conditions_of(shapes, self._world)
        if found is None:
            return None
        return ObjectShape({}, {}, conditions=found) if found else ANY_OBJECT

    def keepable(self, shape: ObjectShape) -> bool:
        """Say whether a grammar can keep the conditions of a shape."""
        return not shape.conditions or tractable(shape, self._world)

    def closable(self, shape: ObjectShape) -> list[ObjectShape]:
        """Return a shape with conditions in parts, if a grammar cannot keep them.

        Raises:
            LimitError: They make too many alternatives.
        """
        if self.keepable(shape):
            return [shape]
        found = [shape.unconditional()]
        with self._making(conditions=False):
            for condition in shape.conditions:
                found = self.product(found, alternatives(condition))
        return found

    def discriminated(self, branches: list[list[ObjectShape]]) -> bool:
        """Look for a name that every branch requires, with values that no two branches share."""
        shapes = [(place, shape) for place, branch in enumerate(branches) for shape in branch]
        if len({place for place, _ in shapes}) < 2:
            return True
        names = set(shapes[0][1].required)
        for _, shape in shapes[1:]:
            names.intersection_update(shape.required)
        return any(self._tells_apart(name, shapes) for name in sorted(names))

    def _tells_apart(self, name: str, shapes: list[tuple[int, ObjectShape]]) -> bool:
        """Say whether each value that the members of a name may have belongs to one branch."""
        tags = Tags()
        for place, shape in shapes:
            lits = shape.props.get(name)
            if not lits:
                return False
            with self._world.below():
                state = self._world.state(lits)
                if not tags.add(place, state.kinds, self._world.scalars(state)):
                    return False
        return True

    def _names(self, lit: int) -> StringSet:
        """Return the names that satisfy a literal."""
        with self._world.below():
            return self._world.scalars_of(lit)[2]


def _patterns(
    objects: ObjectFacts,
) -> tuple[list[tuple[str, int]], list[tuple[StringSet, int]], bool]:
    """Return the names of patterns that match but a few, all other patterns, and if that is all."""
    listed, patterns, whole = [], [], True
    for pattern, lit in objects.patterns:
        if pattern is None:
            whole = False
        elif pattern.values is not None and len(pattern.values) <= FEW_NAMES:
            listed += [(name, lit) for name in sorted(pattern.values)]
        else:
            patterns.append((pattern, lit))
    return listed, patterns, whole


def _only_required(shapes: list[ObjectShape]) -> list[str] | None:
    """Return the names that alternatives require, if that is all they say; else None."""
    if len(shapes) != 1:
        return None
    (shape,) = shapes
    said = shape.universals or shape.some or shape.low or shape.high is not None or shape.asks
    if said or shape.conditions or shape.evaluated is not None or any(shape.props.values()):
        return None
    return list(shape.required)


def _asking(names: Iterable[str], asked: Iterable[str]) -> ObjectShape:
    """Return objects in which each of some names needs all of others."""
    others = list(asked)
    asks = tuple((name, other) for name in names for other in others if other != name)
    return ObjectShape({}, {}, asks=asks) if asks else ANY_OBJECT


def _absent(name: str) -> ObjectShape:
    """Return objects without a member."""
    return ObjectShape({name: NOTHING}, {})
