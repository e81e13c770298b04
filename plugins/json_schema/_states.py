"""States: conjunctions of subschemas and negated subschemas.

Together with the alternatives of ``_clauses`` this is an alternating tree automaton over JSON
values: a state is a set of literals; a value is in it if each of its literals holds; what a state
says of members and items are states again. Subschemas are finitely many, hence so are states, and
negation is a sign on a literal, pushed inwards by the dual of each keyword (Attouche et al.,
"Witness Generation for JSON Schema", PVLDB 15, 2022). States are made when something reaches them.
"""

from __future__ import annotations

from copy import copy
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

from formgate.core.errors import GrammarError, LimitError
from formgate.plugins.json_schema._deadline import check_time
from formgate.plugins.json_schema._facts import (
    ALL_KINDS,
    ARRAY,
    FALSE,
    NUMBER,
    OBJECT,
    STRING,
    TRUE,
    ArrayFacts,
    Facts,
    ObjectFacts,
    Op,
)
from formgate.plugins.json_schema._numbers import NumberSet
from formgate.plugins.json_schema._read import beside, read
from formgate.plugins.json_schema._read_scalars import KINDS
from formgate.plugins.json_schema._resolve import Library, pointer
from formgate.plugins.json_schema._scalars import Scalars, State
from formgate.plugins.json_schema._shapes import NOTHING, Lits, both, one
from formgate.plugins.json_schema._sites import Site
from formgate.plugins.json_schema._strings import StringSet
from formgate.plugins.json_schema._telling import Telling
from formgate.plugins.json_schema._values import all_texts, value_key
from formgate.plugins.json_schema._wrong import WrongSchemaError

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Iterable

    from formgate.plugins.json_schema._options import Options
    from formgate.plugins.json_schema._resolve import Env, Where
    from formgate.plugins.json_schema._strings_keys import Content
    from formgate.plugins.json_schema._values import Json

__all__ = ["Scalars", "Schemas", "Site", "State"]

_NOTHING_SAID = (ALL_KINDS, None, None)
_LAST = (1 << 62,)  # a position after all others
_FEW = 4  # keywords of a schema that is looked at before it is read
_OFTEN = 15  # new states, or literals, after which the deadline is looked at
_SHORT = 8  # a chain of references that is followed at once


class Schemas(Telling):
    """All subschemas and states of one compilation.

    Args:
        schema: The root.
        options: The options.

    Attributes:
        env: Where the root stands.
        values: Literals of single values, each of its own, and the values.
    """

    def __init__(self, schema: Json, options: Options) -> None:
        super().__init__(options)
        self._relax = options.relax
        self._beside_type, self._beside_ref = beside(options.content)
        self.library = Library(schema, options.draft, options.resources)
        self.unknown_formats: dict[str, Where] = {}
        self.contents: list[tuple[Content, Where]] = []  # what is said, and no grammar says
        self._states: dict[Lits, State] = {}
        self._flat: dict[Lits, State] = {}
        self._leaves: dict[Hashable, int] = {}
        self._consts: dict[Hashable, int] = {}
        self.values: dict[int, Json] = {}
        self._unions: dict[Lits, int] = {}
        self._unlisted: dict[int, int] = {}
        self._positions: dict[int, tuple[int, ...]] = {}
        self.env = self.library.env(self.library.root, ())

    @cached_property
    def root(self) -> State:
        """The state of the root, read when it is asked for."""
        root = self.library.root
        return self.state((self.lit(root.root, self.env, root.where),))

    def close(self) -> None:
        """Cut references that go in circles."""
        self._sites.clear()
        for state in self._states.values():
            state.clauses.clear()

    # --- literals ---

    def lit(self, schema: Json, env: Env, where: Where) -> int:
        """Return the literal of a schema as written.

        Raises:
            WrongSchemaError: It is no schema.
        """
        if isinstance(schema, dict):
            found = env.literals.get(id(schema))
            if found is None:
                found = self._short(schema, env, where) if len(schema) <= _FEW else None
                if found is None:
                    found = self._new(schema, env, where).index * 2
                env.literals[id(schema)] = found
            return found
        if schema is True:
            return TRUE
        if schema is False:
            return FALSE
        raise WrongSchemaError(env, where, "a schema is an object or a truth value")

    def _short(self, schema: dict[str, Json], env: Env, where: Where) -> int | None:
        """Return the literal of a schema that says nothing, one type or one reference; else None.

        Most schemas within others are such: they need not be read again and again.
        """
        if not schema:
            return TRUE
        draft = env.resource.draft
        if "$ref" in schema:
            alone = draft.lone_ref or (
                draft.id_keyword not in schema
                and "$schema" not in schema
                and self._beside_ref[draft.rank].isdisjoint(schema)
                and all_texts(schema)
            )
            return self._referred(schema["$ref"], env, where) if alone else None
        kind = schema.get("type")
        # Where a draft is named, it may be another one, for which integers are others.
        other = "$schema" in schema or not self._beside_type[draft.rank].isdisjoint(schema)
        if kind.__class__ is not str or other:
            return None
        number = NumberSet.INTEGERS if kind == "integer" else None
        kinds = KINDS.get(kind) if number is None else NUMBER
        if kinds is None or (number and draft.rank == 4):
            return None
        if not env.resource.asserting or not all_texts(schema):
            return None
        return self._leaf(kind, kinds, number, env, where)

    def _leaf(self, kind: str, kinds: int, number: NumberSet | None, env: Env, where: Where) -> int:
        """Return the literal of some kinds of values; the first place that says so names it."""
        key = (kinds, number, None)
        found = self._leaves.get(key)
        if found is None:
            site = self._new({"type": kind}, env, where)
            site.facts = facts = Facts()
            facts.kinds, facts.number = kinds, number
            found = self._leaves[key] = site.first = site.index * 2
        return found

    def _referred(self, reference: object, env: Env, where: Where) -> int | None:
        """Return the literal that a reference leads to; None if it goes on from there, or fails."""
        if not isinstance(reference, str) or (reference != "#" and reference[:2] != "#/"):
            return None
        known = env.references
        if reference not in known:
            known[reference] = None
            try:
                schema, inner, way = self.library.resolve(reference, env, where)
                if isinstance(schema, bool) or (isinstance(schema, dict) and "$ref" not in schema):
                    known[reference] = self.lit(schema, inner, way)
            except GrammarError:
                pass  # to be raised where it is read, if it is
        return known[reference]

    def target(self, schema: Json, env: Env, where: Where, reference: Where) -> int:
        """Return the literal of what a reference leads to.

        Raises:
            GrammarError: It is no schema.
        """
        if not isinstance(schema, (dict, bool)):
            raise GrammarError(
                f"{pointer(reference)}: the reference leads to {pointer(where)}, which is no schema"
            )
        return self.lit(schema, env, where)

    def const(self, value: Json) -> int:
        """Return the literal that just one value satisfies.

        Raises:
            TypeError: It is no JSON value.
        """
        key = value_key(value)
        found = self._consts.get(key)
        if found is None:
            facts = Facts()
            self._const_facts(facts, value)
            found = self._consts[key] = self._made(facts)
            self.values[found] = value
        return found

    def _const_facts(self, facts: Facts, value: Json) -> None:
        """Say that just one value will do."""
        if isinstance(value, dict):
            facts.kinds = OBJECT
            objects = facts.objects = ObjectFacts()
            objects.props = {name: self.const(inner) for name, inner in value.items()}
            objects.required = list(value)
            objects.additional = FALSE
        elif isinstance(value, list):
            facts.kinds = ARRAY
            arrays = facts.arrays = ArrayFacts()
            arrays.prefix = [self.const(inner) for inner in value]
            arrays.rest = FALSE
            arrays.low = arrays.high = len(value)
        elif isinstance(value, str):
            facts.kinds = STRING
            facts.string = StringSet.of([value])
        elif value is None or isinstance(value, bool):
            facts.kinds = 1 if value is None else 4 if value else 2
        else:
            facts.kinds = NUMBER
            facts.number = NumberSet.of([value])

    def union(self, lits: Iterable[int]) -> int:
        """Return a literal that holds where one of some does."""
        key = tuple(sorted({lit for lit in lits if lit != FALSE}))
        if TRUE in key:
            return TRUE
        if len(key) < 2:
            return key[0] if key else FALSE
        found = self._unions.get(key)
        if found is None:
            facts = Facts()
            facts.ops.append((Op.ANY, *key))
            found = self._unions[key] = self._made(facts)
        return found

    def negation(self, lits: Lits) -> int:
        """Return a literal that holds where a conjunction does not."""
        if len(lits) == 1:
            return lits[0] ^ 1
        return self.union(lit ^ 1 for lit in lits)

    def _made(self, facts: Facts) -> int:
        """Return the literal of a schema that nobody wrote."""
        site = self._new(None, None, (None, ""))
        site.facts = facts
        return site.index * 2

    def _new(self, schema: Json, env: Env | None, where: Where) -> Site:
        """Make a site."""
        if not len(self._sites) & _OFTEN:
            check_time()
        site = Site(len(self._sites), schema, env, where)
        self._sites.append(site)
        return site

    def facts(self, lit: int) -> Facts:
        """Return what the schema of a literal says, its sign aside."""
        site = self._sites[lit >> 1]
        if site.facts is None:
            site.facts = self._read(site)
        return site.facts

    def site(self, lit: int) -> Site:
        """Return the subschema of a literal, its sign aside."""
        return self._sites[lit >> 1]

    def alike(self, lit: int) -> int:
        """Return the literal of the first schema looked up that is written in the same words.

        Schemas that were generated say the same again and again; to measure what is written twice
        against itself shape by shape would be a waste. Where parts may be left out, each place is
        read and told. Cost: a copy of the text, once.
        """
        if self._relax:
            return lit
        site = self._sites[lit >> 1]
        first = site.first
        if first is None:
            first = site.first = site.first_alike()
        return first | (lit & 1)

    def _read(self, site: Site) -> Facts:
        """Read the schema of a site."""
        if site.env is None:
            return Facts()  # the schema true
        env = self.library.enter(site.schema, site.env, site.where)
        facts = read(site.schema, env, site.where, self)
        facts.alias = self._alias(facts, site.index)
        return facts

    def position(self, lit: int) -> tuple[int, ...]:
        """Return where the schema of a literal stands in the text; what nobody wrote comes last."""
        found = self._positions.get(lit)
        if found is None:
            site = self._sites[lit >> 1]
            if site.schema is not None:
                found = self.library.position(site.where)
            else:
                inner = [one for op in self.facts(lit).ops for one in op[1:] if one > FALSE]
                found = min(map(self.position, inner), default=_LAST)
            self._positions[lit] = found
        return found

    def _alias(self, facts: Facts, index: int) -> Lits | None:
        """Return literals that say the same as the facts, or None."""
        if facts.ops:
            return _applied(facts)
        key = _content(facts)
        if key is None:
            return None
        if key == _NOTHING_SAID:
            return (TRUE,)
        leaf = self._leaves.setdefault(key, index * 2)
        return None if leaf == index * 2 else (leaf,)

    # --- states ---

    def state(self, lits: Lits) -> State:
        """Return the state of a conjunction.

        Raises:
            LimitError: There are too many.
        """
        found = self._flat.get(lits)
        if found is None:
            flat = self._flatten(lits)
            if len(flat) == 1:
                flat = self._shared(flat)
            found = self._states.get(flat)
            if found is None:
                if len(self._states) >= self.options.max_states:
                    raise LimitError(
                        f"the schema needs more than max_states={self.options.max_states} sets of "
                        "subschemas that values are measured against; raise it, or simplify the "
                        "schema"
                    )
                if not len(self._states) & _OFTEN:
                    check_time()
                kinds = 0 if flat == (FALSE,) else ALL_KINDS
                for lit in flat:
                    if lit > FALSE and not lit & 1:
                        kinds &= self.facts(lit).kinds
                found = self._states[flat] = State(len(self._states), flat, kinds)
            self._flat[lits] = found
        return found

    def states(self, many: Collection[Lits]) -> list[State]:
        """Return the states of conjunctions; most of them were asked for before."""
        found = list(map(self._flat.get, many))
        if None in found:
            return [one or self.state(lits) for one, lits in zip(found, many, strict=True)]
        return cast("list[State]", found)

    @property
    def nothing(self) -> State | None:
        """The state of which surely no value is, if it was asked for; there is but one."""
        return self._states.get(NOTHING)

    def known(self, lits: Lits) -> State | None:
        """Return the state of a conjunction, if it was asked for before."""
        return self._flat.get(lits)

    def _shared(self, flat: Lits) -> Lits:
        """Return the first literal in the same words as a lone one.

        Not where there are others beside it: the places of schemas order what they say. So does the
        place that a reference leads to.
        """
        (lit,) = flat
        facts = self.facts(lit)
        if lit <= FALSE or not (facts.ops or facts.objects or facts.arrays):
            return flat
        first = self.alike(lit)
        return flat if first == lit or not self._sites[lit >> 1].whole else (first,)

    def _flatten(self, lits: Lits) -> Lits:
        """Replace literals by what they are other names of."""
        if len(lits) == 1:
            alone = self._follow(lits[0])
            if alone is not None:
                return alone
        kept: set[int] = set()
        stack = list(lits)
        seen: set[int] = set()
        while stack:
            lit = stack.pop()
            if lit in kept or lit == TRUE:
                continue
            if lit == FALSE:
                return (FALSE,)
            alias = self.facts(lit).alias
            if alias is None or (lit & 1 and len(alias) > 1):
                if lit ^ 1 in kept:
                    return (FALSE,)
                kept.add(lit)
                continue
            if lit in seen:
                if self._circular(lit):
                    raise self.circular(lit)
                continue
            seen.add(lit)
            stack += [inner ^ (lit & 1) for inner in alias]
        return tuple(sorted(kept))

    def _follow(self, lit: int) -> Lits | None:
        """Return what a literal is another name of, if that is soon found."""
        for _ in range(_SHORT):
            if lit <= FALSE:
                return () if lit == TRUE else (FALSE,)
            alias = self.facts(lit).alias
            if alias is None:
                return (lit,)
            if len(alias) > 1:
                return None
            lit = alias[0] ^ (lit & 1)
        return None

    def _circular(self, lit: int) -> bool:
        """Say whether a literal is another name of itself."""
        stack = [lit]
        seen: set[int] = set()
        while stack:
            alias = self.facts(stack.pop()).alias
            for inner in alias or ():
                if inner >> 1 == lit >> 1:
                    return True
                if inner > FALSE and inner not in seen:
                    seen.add(inner)
                    stack.append(inner)
        return False

    def both(self, left: State, right: State) -> State:
        """Return the state of what is in both."""
        return self.state(both(left.lits, right.lits))

    def without(self, left: State, right: State) -> State:
        """Return the state of what is in the first and not in the second."""
        return self.state(both(left.lits, one(self.negation(right.lits))))

    def only_values(self, state: State) -> tuple[list[int], State] | None:
        """Return literals of single values, of which each array and object of a state is one.

        None if that cannot be told; those of the values are in the state that are in the second of
        what is returned, which does not list them: to ask each of the list would take its square.
        """
        for lit in state.lits:
            if not lit & 1:
                for op in self.facts(lit).ops:
                    if op[0] == Op.CONSTS:
                        others = one(self._unlisted_literal(lit, op))
                        for other in state.lits:
                            others = others if other == lit else both(others, one(other))
                        return list(op[1:]), self.state(others)
        return None

    def _unlisted_literal(self, lit: int, listed: tuple[Any, ...]) -> int:
        """Return the literal of what a schema says of arrays and objects beside its list."""
        found = self._unlisted.get(lit)
        if found is None:
            facts = copy(self.facts(lit))
            facts.ops = [op for op in facts.ops if op is not listed]
            facts.alias = None
            found = self._unlisted[lit] = self._made(facts)
        return found


def _content(facts: Facts) -> Hashable | None:
    """Return what facts share exactly if they say the same, where that is little; else None."""
    if facts.objects is not None or facts.loose or facts.rest_items is not None:
        return None
    if facts.rest_members is not None:
        return None
    scalars = facts.kinds, facts.number, facts.string
    if facts.arrays is None:
        return scalars
    said = facts.arrays.plain
    return None if said is None else (scalars, said)


def _applied(facts: Facts) -> Lits | None:
    """Return the literals that facts do nothing but apply, all of them; else None."""
    if len(facts.ops) > 1 or facts.arrays is not None or _content(facts) != _NOTHING_SAID:
        return None
    op, *parts = facts.ops[0]
    if op in (Op.REF, Op.ALL) or (op in (Op.ANY, Op.ONE) and len(parts) == 1):
        return tuple(parts)
    return (parts[0] ^ 1,) if op == Op.NOT else None
