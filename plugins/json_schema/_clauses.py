"""Alternatives: what literals say of objects, or of arrays, as a list of shapes.

Each list is a disjunction: a value satisfies the literal exactly if it has one of the shapes. The
shapes may overlap. They are multiplied as ``_products`` says, and a schema is taken away from
shapes one part at a time, from those only that it may overlap with; so real schemas have few
alternatives, and ``max_clauses`` bounds the rest.

Where ``unevaluatedProperties`` or ``unevaluatedItems`` asks which names or items a schema speaks
of, its alternatives are *tracked*: each shape carries what is evaluated in it. Evaluating more only
allows more; so it is enough to have an alternative for each set of branches that pass, whatever
the others do (``LOOSELY``). Only under negation must an alternative know exactly which pass
(``EXACTLY``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from formgate.core.errors import LimitError
from formgate.plugins.json_schema._facts import FALSE, TRUE, Facts, Op, keyword_of
from formgate.plugins.json_schema._products import ManyError, Products, Shape

if TYPE_CHECKING:
    from collections.abc import Iterable

    from formgate.plugins.json_schema._shapes import Join, Lits
    from formgate.plugins.json_schema._states import Schemas, State

__all__ = ["EXACTLY", "LOOSELY", "UNTRACKED", "Clauses"]

UNTRACKED, LOOSELY, EXACTLY = 0, 1, 2

S = TypeVar("S", bound=Shape)


class Clauses(Products[S]):
    """Alternatives for one kind of values.

    Args:
        world: The subschemas.
        join: Returns the conjunction of what a member or an item satisfies.
        kind: The kind of values.
        anything: The shape that says nothing.
        task: A number of its own, from 1 to 5.
    """

    _textual = False  # whether the order of a schema's text matters

    def __init__(self, world: Schemas, join: Join, kind: int, anything: S, task: int) -> None:
        super().__init__(world, join, anything)
        self._kind = kind
        self._task = task * 3

    # --- what the kinds differ in ---

    def base(self, facts: Facts, track: int) -> S | None:
        """Return what a schema's own keywords say; None if that is surely nothing."""
        raise NotImplementedError

    def denied_base(self, facts: Facts) -> list[S]:
        """Return the ways not to satisfy them."""
        raise NotImplementedError

    def rest_of(self, facts: Facts) -> int | None:
        """Return the literal for what nothing else speaks of, if the schema has one."""
        raise NotImplementedError

    def with_rest(self, shape: S, rest: int, *, track: int) -> S | None:
        """Return a tracked shape whose unevaluated parts all satisfy a literal."""
        raise NotImplementedError

    def denied_rest(self, shape: S, rest: int) -> S | None:
        """Return a tracked shape with some unevaluated part that does not."""
        raise NotImplementedError

    def dependent(self, op: tuple[Any, ...], track: int) -> list[S]:
        """Return what depends on the presence of a member."""
        raise NotImplementedError

    def denied_dependent(self, op: tuple[Any, ...]) -> list[S]:
        """Return the ways not to satisfy that."""
        raise NotImplementedError

    def implication(self, test: int, then: int) -> list[S] | None:  # noqa: ARG002
        """Return what satisfies one literal if it satisfies another, if that is simple to say."""
        return None

    def less(self, shape: S, denied: S) -> S | None:  # noqa: ARG002
        """Return a shape without values that another one has, if that is simple to say.

        Otherwise the shape as it is; None if nothing remains.
        """
        return shape

    def keepable(self, shape: S) -> bool:  # noqa: ARG002
        """Say whether a grammar can keep the conditions of a shape."""
        return True

    def either(
        self,
        shape: S,  # noqa: ARG002
        denials: list[S],  # noqa: ARG002
    ) -> tuple[list[S], S | None, list[S]] | None:
        """Return what of a shape satisfies one of some denials, as a shape with a condition.

        And what of the shape remains, None for nothing, and the denials that have no part in the
        condition. None in all if that is not simple to say.
        """
        return None

    def discriminated(self, branches: list[list[S]]) -> bool:
        """Say quickly whether no two branches overlap; False if that is not certain."""
        raise NotImplementedError

    # --- what they share ---

    def of_state(self, state: State) -> list[S]:
        """Return the alternatives of a state."""
        found: list[S] | None = state.clauses.get(self._kind)
        if found is None:
            try:
                with self._making(conditions=False, impatient=self._factors):
                    found = self._of_lits(state.lits)
            except ManyError:
                found = self._with_conditions(state.lits)
            state.clauses[self._kind] = found
        return found

    def _with_conditions(self, lits: Lits) -> list[S]:
        """Return the alternatives of a conjunction, with conditions of those that can be.

        Without, where a grammar cannot keep the conditions: written out they are more than parts.
        """
        found: list[S] | None = None
        try:
            with self._making(conditions=True):
                found = self._of_lits(lits)
            if all(map(self.keepable, found)):
                return found
        except LimitError:
            pass
        try:
            with self._making(conditions=False):
                return self._of_lits(lits)
        except LimitError:
            if found is None:
                raise
        return found

    def _of_lits(self, lits: Lits) -> list[S]:
        """Return the alternatives of a conjunction."""
        if len(lits) == 1 and not lits[0] & 1:
            return self.of(lits[0])
        found = [self._any]
        positive = [lit for lit in lits if not lit & 1]
        if self._textual and len(positive) > 1:
            positive.sort(key=self._world.position)
        for lit in positive:
            found = self._satisfying(found, lit, UNTRACKED, self._any)
        for lit in lits:
            if lit & 1:
                found = self._subtract(found, lit ^ 1)
        return found

    def of(self, lit: int, track: int = UNTRACKED) -> list[S]:
        """Return the alternatives of a literal.

        Raises:
            GrammarError: The schema is defined by itself.
            LimitError: There are too many alternatives.
        """
        if lit <= FALSE:
            return [] if lit else [self._any]
        if lit & 1:
            track = UNTRACKED
        found = self._memo.get((lit, track))
        if found is None:
            facts = self._world.facts(lit)
            if not facts.kinds & self._kind:
                return [self._any] if lit & 1 else []
            if not facts.ops and not lit & 1 and self.rest_of(facts) is None:
                base = self.base(facts, track)
                found = self._memo[lit, track] = [] if base is None else [base]
                return found
            task = lit * 16 + self._task + track
            self._world.go_in(task, lit)
            try:
                found = self._denied(lit, facts) if lit & 1 else self._allowed(lit, facts, track)
            finally:
                self._world.come_out(task)
            self._memo[lit, track] = found
        return found

    def _allowed(self, lit: int, facts: Facts, track: int) -> list[S]:
        """Return the alternatives of a schema."""
        rest = self.rest_of(facts)
        if rest is None or (rest == TRUE and not track):
            return self._conjunction(lit, facts, track)
        tracked = self._conjunction(lit, facts, track or LOOSELY)
        found = (self.with_rest(shape, rest, track=track) for shape in tracked)
        return self._distinct(shape for shape in found if shape is not None)

    def _conjunction(self, lit: int, facts: Facts, track: int) -> list[S]:
        """Return the alternatives of a schema, what is unevaluated aside."""
        base = self.base(facts, track)
        if base is None:
            return []
        if not facts.ops:
            return [base]
        found = [self._any]
        placed = False
        for op in facts.ops:
            try:
                if op[0] == Op.BASE:
                    placed = True
                    found = self.product(found, [base])
                else:
                    found = self._apply(op, track, found, self._any if placed else base)
            except LimitError as error:
                raise self._world.limited(error, (lit,), keyword_of(op)) from None
            if not found:
                return []
        return found if placed else self.product(found, [base])

    def _apply(  # noqa: PLR0911 (one for each way)
        self, op: tuple[Any, ...], track: int, found: list[S], base: S
    ) -> list[S]:
        """Return what of some alternatives satisfies schemas applied in one way."""
        kind = op[0]
        if kind == Op.REF:
            return self.product(found, self.of(op[1], track))
        if kind == Op.NOT:
            return self._subtract(found, op[1])
        if kind == Op.ALL:
            for lit in op[1:]:
                found = self._satisfying(found, lit, track, base)
            return found
        if kind == Op.ANY:
            return self.product(found, self._any_of(op[1:], track))
        if kind == Op.CONSTS:
            shapes = (shape for lit in op[1:] for shape in self.of(lit))
            return self.product(found, self._distinct(shapes, len(op)))
        if kind == Op.ONE:
            return self._one_of(op[1:], track, found, base)
        if kind == Op.IF:
            return self._conditional(op[1:], track, found)
        return self.product(found, self.dependent(op, track))

    def _conditional(self, lits: tuple[int, ...], track: int, found: list[S]) -> list[S]:
        """Return what of some alternatives satisfies one literal or another, as a third says."""
        test, then, other = lits
        if other == TRUE and not track:
            implied = [self._any] if then == TRUE else self.implication(test, then)
            if implied is not None:
                return self.product(found, implied)
        if self._factoring and not track:
            first = self.factored(self._union((self.of(test ^ 1), self.of(then))))
            second = self.factored(self._union((self.of(test), self.of(other))))
            if first is not None and second is not None:
                return self.product(self.product(found, [first]), [second])
        passed = self.product(self.product(found, self.of(test, track)), self.of(then, track))
        failed = self.product(self._subtract(found, test), self.of(other, track))
        return self._union((passed, failed))

    def _satisfying(self, found: list[S], lit: int, track: int, base: S) -> list[S]:
        """Return what of some alternatives satisfies a literal, where a shape holds beside it.

        What they require may make the branches of a ``oneOf`` exclude each other, as ``_one_of``
        says; the shape is not met here.
        """
        alone = found == [self._any] and base is self._any
        if alone or lit <= FALSE or lit & 1 or (lit, track) in self._memo:
            return self.product(found, self.of(lit, track))
        facts = self._world.facts(lit)
        if not (facts.kinds & self._kind and self._applies_only(facts)):
            return self.product(found, self.of(lit, track))
        kind, *lits = facts.ops[0]
        if kind == Op.ONE:
            branches = [self.of(one, track) for one in lits]
            if not self.discriminated(branches):
                inside = [self.product(found, branch) for branch in branches]
                if self.discriminated([self.product(branch, [base]) for branch in inside]):
                    return self._union(inside)
        return self.product(found, self.of(lit, track))

    def _any_of(self, lits: tuple[int, ...], track: int) -> list[S]:
        """Return the alternatives of a disjunction."""
        branches = [self.of(lit, track) for lit in lits]
        if not any(shape.evaluated is not None for branch in branches for shape in branch):
            return self._distinct((shape for branch in branches for shape in branch), len(lits))
        if track == LOOSELY:
            found: list[S] = []
            for branch in branches:
                found = self._distinct((*found, *branch, *self.product(found, branch)))
            return found
        passed: list[S] = []  # with some branch that passes
        failed = [self._any]  # with none so far
        for lit, branch in zip(lits, branches, strict=True):
            denied = self.of(lit ^ 1)
            passed = self._distinct(
                (
                    *self.product(passed, branch),
                    *self.product(passed, denied),
                    *self.product(failed, branch),
                )
            )
            failed = self.product(failed, denied)
        return passed

    def _one_of(self, lits: tuple[int, ...], track: int, within: list[S], base: S) -> list[S]:
        """Return the alternatives of an exclusive disjunction, beside others.

        What is beside it may make the branches exclude each other: names required there, say. It
        is met elsewhere, where the text has it; but here, if parts are to be taken away.
        """
        branches = [self._beside(self.product(within, self.of(lit, track)), base) for lit in lits]
        whole = [[shape for _, shape in branch] for branch in branches]
        if self.discriminated(whole):
            return self._distinct((bare for branch in branches for bare, _ in branch), len(lits))
        found: list[S] = []
        for place, branch in enumerate(branches):
            for bare, shape in branch:
                kept = [shape]
                for other, others in enumerate(whole):
                    if other == place or not kept:
                        continue
                    kept = self._without(kept, lits[other], others)
                    self._bear(kept)
                untouched = len(kept) == 1 and kept[0] is shape
                found += [bare] if untouched else kept
                self._bear(found)
        return self._distinct(found)

    def _beside(self, shapes: list[S], base: S) -> list[tuple[S, S]]:
        """Return shapes without and with what another one says, where something has both."""
        pairs = ((shape, self._meet(shape, base)) for shape in shapes)
        return [(shape, both) for shape, both in pairs if both is not None]

    def _subtract(self, shapes: list[S], lit: int) -> list[S]:
        """Return shapes less what a literal allows."""
        if lit <= FALSE or not shapes:
            return shapes if lit else []
        if lit & 1:
            return self.product(shapes, self.of(lit ^ 1))
        facts = self._world.facts(lit)
        if not facts.kinds & self._kind:
            return shapes
        if not self._applies_only(facts):
            return self._without(shapes, lit, self.of(lit))
        task = lit * 16 + self._task + EXACTLY + 7
        self._world.go_in(task, lit)
        try:
            return self._deny(facts.ops[0], shapes)
        finally:
            self._world.come_out(task)

    def _applies_only(self, facts: Facts) -> bool:
        """Say whether a schema does nothing but apply others, in one way."""
        return (
            len(facts.ops) == 1
            and self.base(facts, UNTRACKED) is self._any
            and self.rest_of(facts) is None
        )

    def _without(self, shapes: list[S], lit: int, branch: list[S]) -> list[S]:
        """Return shapes less what a literal allows, given its alternatives.

        Shapes that have nothing in common with them stay as they are.
        """
        kept: list[S] = []
        touched: list[S] = []
        for shape in shapes:
            for other in branch:
                if not self._apart(shape, other):
                    touched.append(shape)
                    break
            else:
                kept.append(shape)
        if touched and lit > FALSE and not lit & 1 and self._applies_only(self._world.facts(lit)):
            kept += self._subtract(touched, lit)
        else:
            for shape in touched:
                kept += self._parts(shape, self.of(lit ^ 1))
        return self._distinct(kept)

    def _parts(self, shape: S, denials: list[S]) -> list[S]:
        """Return the parts of a shape that satisfy one of some denials."""
        found: list[S] = []
        if self._factoring and len(denials) > 1:
            together = self.either(shape, denials)
            if together is not None:
                found, left, denials = together
                if left is None:
                    return found
                shape = left
        for denied in denials:
            part = self._meet(shape, denied)
            if part is None:
                continue
            found.append(part)
            if part.same(shape):  # it says so already
                break
            # What this part has need not be in the others: so there are fewer and smaller ones.
            remains = self.less(shape, denied)
            if remains is None:
                break
            shape = remains
        return found

    def _denied(self, lit: int, facts: Facts) -> list[S]:
        """Return the ways not to satisfy a schema."""
        found = list(self.denied_base(facts))
        for op in facts.ops:
            try:
                found += self._deny(op, [self._any])
            except LimitError as error:
                raise self._world.limited(error, (lit,), keyword_of(op)) from None
        rest = self.rest_of(facts)
        if rest is not None and rest != TRUE:
            tracked = self._conjunction(lit, facts, EXACTLY)
            parts = (self.denied_rest(shape, rest) for shape in tracked)
            found += [part for part in parts if part is not None]
        return self._distinct(found)

    def _deny(  # noqa: PLR0911 (one for each way)
        self, op: tuple[Any, ...], shapes: list[S]
    ) -> list[S]:
        """Return what of some shapes does not satisfy schemas applied in one way."""
        kind = op[0]
        if kind == Op.REF:
            return self._subtract(shapes, op[1])
        if kind == Op.NOT:
            return self.product(shapes, self.of(op[1]))
        if kind == Op.ALL:
            return self._union(self._subtract(shapes, lit) for lit in op[1:])
        if kind in (Op.ANY, Op.CONSTS):
            return self._none_of(op[1:], shapes)
        if kind == Op.ONE:
            found = list(self._none_of(op[1:], shapes))
            for place, lit in enumerate(op[1:]):
                for other in op[1 : place + 1]:
                    found += self.product(self.product(shapes, self.of(lit)), self.of(other))
            return found
        if kind == Op.IF:
            _, test, then, other = op
            return [
                *self._subtract(self.product(shapes, self.of(test)), then),
                *self._subtract(self._subtract(shapes, test), other),
            ]
        return [] if kind == Op.BASE else self.product(shapes, self.denied_dependent(op))

    def _none_of(self, lits: Iterable[int], shapes: list[S]) -> list[S]:
        """Return what of some shapes satisfies none of some literals."""
        for lit in lits:
            shapes = self._subtract(shapes, lit)
        return shapes
