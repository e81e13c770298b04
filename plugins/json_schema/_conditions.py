"""Conditions: disjunctions of what single members are, kept beside what a shape says for sure.

Independent implications (``if`` a tag has a value ``then`` another member must be there) make as
many alternatives as all their combinations. Where they are many, each stays a condition of one
shape instead: a list of literals of which one holds, each about one member. The grammar keeps which
are not met yet as a part of its states (``any_of`` of ``GrammarBuilder.members``), so they add up.

A set of what members satisfy in conditions and its complement part the values of a member, so it is
certain which conditions a value meets.
"""

from __future__ import annotations

from collections import Counter
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from formgate.plugins.json_schema._facts import FALSE, Op
from formgate.plugins.json_schema._shapes import NOTHING, ObjectShape, one

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from formgate.plugins.json_schema._facts import Facts
    from formgate.plugins.json_schema._shapes import Condition, Join, Literal, Lits
    from formgate.plugins.json_schema._states import Schemas, State

__all__ = [
    "AnyOf",
    "Either",
    "alternatives",
    "any_of",
    "conditions_of",
    "open_literals",
    "parts_of",
    "sets_of",
    "settled",
    "tellable",
    "tractable",
]

AnyOf = list[list[tuple[str, int | None]]]  # as ``GrammarBuilder.members`` takes it
Parts = dict[str, list[tuple["State", list["State"]]]]

_MOST = 16  # conditions that one disjunction may make
_MOST_TOGETHER = 12  # that share members, directly or not: the engine has no more
_MOST_SETS = 3  # that conditions know of the values of one member
_DEEP = 4  # of schemas within each other that are looked at
_APPLIED = (Op.REF, Op.ALL, Op.ANY, Op.ONE, Op.NOT, Op.IF)


class Either(NamedTuple):
    """A literal of a condition, settled: a member that is there in a state, or is not there.

    Attributes:
        name: The name of the member.
        state: What it is if it is there; None: it must not be.
        gone: Whether it need not be there.
    """

    name: str
    state: State | None
    gone: bool


def conditions_of(shapes: list[ObjectShape], world: Schemas) -> tuple[Condition, ...] | None:
    """Return conditions that together hold where one of some shapes does, if that is simple."""
    count = 1
    said = []
    for shape in shapes:
        literals = _literals_of(shape)
        if literals is None or not all(
            tellable(lits, world, plain=True) for _, lits, _ in literals
        ):
            return None
        count *= len(literals)
        if count > _MOST:
            return None
        said.append(literals)
    found = (_merged(chosen, world) for chosen in product(*said))
    return tuple(dict.fromkeys(one for one in found if one is not None))


def open_literals(
    shape: ObjectShape, singles: Iterable[Literal], world: Schemas, join: Join
) -> Condition | None:
    """Return those of some literals that may hold, or not, of objects that have a shape.

    None if one of them surely holds. The shape must ask for nothing, and need no members that are
    not known by name.

    Args:
        shape: The shape.
        singles: Of a member each: its name, what it satisfies, and whether it must be there.
        world: The subschemas.
        join: Returns the conjunction of what a member satisfies.
    """
    found: dict[str, Literal] = {}
    for name, lits, needed in singles:
        have = shape.props.get(name)
        if have is None:
            have = NOTHING if shape.bans_name(name) else ()
        asked = name in shape.required
        gone = not needed and not asked
        joined = NOTHING if NOTHING in (have, lits) else join(have, lits, True)
        if joined == NOTHING:
            if not gone:
                continue
            if have == NOTHING:
                return None
            literal = name, NOTHING, True
        elif joined == have:
            if asked or not needed:
                return None
            literal = name, (), False
        else:
            literal = name, lits, gone
        before = found.get(name)
        if before is not None:
            merged = _merged((before, literal), world)
            if merged is None:
                return None
            (literal,) = merged
        found[name] = literal
    return tuple(found.values())  # as the schema names them


def alternatives(condition: Condition) -> list[ObjectShape]:
    """Return a condition as shapes, of which one holds."""
    return [
        ObjectShape({name: lits}, {} if gone else {name: None}) for name, lits, gone in condition
    ]


def _literals_of(shape: ObjectShape) -> list[Literal] | None:
    """Return what a shape says of members, one by one, if that is all it says."""
    said = shape.universals or shape.some or shape.low or shape.high is not None or shape.asks
    if said or shape.conditions or shape.evaluated is not None:
        return None
    names = dict.fromkeys((*shape.props, *shape.required))
    return [(name, shape.props.get(name, ()), name not in shape.required) for name in names]


def _merged(literals: Iterable[Literal], world: Schemas) -> Condition | None:
    """Return a condition with one literal for each name; None if it always holds."""
    found: dict[str, Literal] = {}
    for name, lits, gone in literals:
        have = found.get(name)
        if have is not None:
            either = world.union((world.negation(have[1]) ^ 1, world.negation(lits) ^ 1))
            found[name] = name, one(either), gone or have[2]
        else:
            found[name] = name, lits, gone
    if any(not lits and gone for _, lits, gone in found.values()):
        return None
    return tuple(sorted(found.values()))


def tellable(lits: Lits, world: Schemas, *, plain: bool = False, depth: int = _DEEP) -> bool:
    """Say whether it is certain which values satisfy literals, as of scalars nothing is left out.

    Args:
        lits: The literals.
        world: The subschemas.
        plain: They must also be about kinds and scalars alone.
        depth: How many schemas within each other are looked at.
    """
    for lit in lits:
        if lit <= FALSE:
            continue
        facts = world.facts(lit)
        if facts.loose or not depth or (plain and _within(facts)):
            return False
        for op in facts.ops:
            if op[0] not in _APPLIED or not tellable(op[1:], world, plain=plain, depth=depth - 1):
                return False
    return True


def _within(facts: Facts) -> bool:
    """Say whether a schema speaks of members or items."""
    inner = (facts.objects, facts.arrays, facts.rest_members, facts.rest_items)
    return any(one is not None for one in inner)


def tractable(shape: ObjectShape, world: Schemas) -> bool:
    """Say whether a grammar can keep the conditions of a shape as they are."""
    if shape.some or shape.high is not None or shape.low > max(1, len(shape.required)):
        return False
    group: dict[str, str] = {}

    def root(name: str) -> str:
        while group.setdefault(name, name) != name:
            name = group[name]
        return name

    sets: dict[str, set[Lits]] = {}
    linked = [[name for name, _, _ in condition] for condition in shape.conditions]
    linked += [list(pair) for pair in shape.asks]
    for names in linked:
        for name in names:
            group[root(name)] = root(names[0])
    for condition in shape.conditions:
        for name, lits, _ in condition:
            if lits and lits != NOTHING:
                sets.setdefault(name, set()).add(tuple(map(world.alike, lits)))
    together = Counter(root(names[0]) for names in linked if names)
    few = all(count <= _MOST_TOGETHER for count in together.values())
    return few and all(len(own) <= _MOST_SETS for own in sets.values())


def settled(
    shape: ObjectShape,
    states: dict[str, Lits],
    needed: Collection[str],
    absent: Collection[str],
    world: Schemas,
) -> list[tuple[Either, ...]] | None:
    """Return the conditions of a shape, and what names ask for, as far as they are open.

    None if one of them cannot be met, for all that is known.

    Args:
        shape: The shape.
        states: What members satisfy.
        needed: Names that must be there.
        absent: Names that cannot be.
        world: The subschemas.
    """
    found = []
    asked: list[Condition] = [
        ((name, NOTHING, True), (other, (), False)) for name, other in shape.asks
    ]
    for condition in (*shape.conditions, *asked):
        left = []
        met = False
        for name, lits, gone in condition:
            if name in absent:
                met = met or gone
                continue
            may_be_gone = gone and name not in needed
            if lits == NOTHING:
                if may_be_gone:
                    left.append(Either(name, None, gone=True))
                continue
            said = () if set(lits) <= set(states[name]) else lits
            met = met or (not said and (gone or name in needed))
            left.append(Either(name, world.state(said), may_be_gone))
        if met:
            continue
        if not left:
            return None
        found.append(tuple(left))
    return found


def parts_of(
    conditions: Sequence[tuple[Either, ...]],
    members: dict[str, State],
    world: Schemas,
    is_empty: Callable[[State], bool],
) -> Parts:
    """Return the values of members in parts, each with the states of conditions that it is in.

    Which of these a value is in and which not makes its part, so it is in one alone: no text is
    read in several ways at once.

    Args:
        conditions: The conditions.
        members: The states of members.
        world: The subschemas.
        is_empty: Says whether surely no value is in a state.
    """
    found: Parts = {}
    for name, sets in sets_of(conditions).items():
        parts: list[tuple[State, list[State]]] = [(members[name], [])]
        for own in sets:
            split = [(world.both(part, own), [*of, own]) for part, of in parts]
            if own.lits:
                split += [(world.without(part, own), of) for part, of in parts]
            parts = [one for one in split if not is_empty(one[0])]
        found[name] = parts
    return found


def sets_of(conditions: Sequence[tuple[Either, ...]]) -> dict[str, dict[State, None]]:
    """Return which states conditions ask for, by name."""
    sets: dict[str, dict[State, None]] = {}
    for condition in conditions:
        for literal in condition:
            if literal.state is not None:
                sets.setdefault(literal.name, {})[literal.state] = None
    return sets


def any_of(conditions: Sequence[tuple[Either, ...]], parts: Parts) -> AnyOf:
    """Return conditions by the numbers of the parts of which one will do."""
    found: AnyOf = []
    for condition in conditions:
        literals: list[tuple[str, int | None]] = []
        for name, state, gone in condition:
            if gone:
                literals.append((name, None))
            if state is not None:
                own = enumerate(parts[name])
                literals += [(name, place) for place, (_, within) in own if state in within]
        found.append(literals)
    return found
