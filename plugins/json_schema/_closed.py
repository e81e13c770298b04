"""Closed shapes: alternatives with every name and every position accounted for.

A shape says things about overlapping sets of names; a closed one has an entry for each name that
matters and *cells* for all others: disjoint sets of names, each with one state for the members.
Likewise an array becomes a state for each of its first positions and one for all that follow.

The cells are the atoms of the Boolean algebra that the patterns generate, made by splitting one
after the other and dropping the surely empty; atoms with equal states are one cell.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from formgate.core.errors import LimitError
from formgate.plugins.json_schema._asks import left_of, with_asked, without_asking
from formgate.plugins.json_schema._conditions import settled
from formgate.plugins.json_schema._deadline import check_time
from formgate.plugins.json_schema._disjoint import Patience
from formgate.plugins.json_schema._facts import FALSE
from formgate.plugins.json_schema._shapes import NOTHING, both, least
from formgate.plugins.json_schema._strings import StringSet, exclude, is_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from formgate.plugins.json_schema._asks import Asks
    from formgate.plugins.json_schema._conditions import Either
    from formgate.plugins.json_schema._keys import Keys
    from formgate.plugins.json_schema._shapes import Lits, ObjectShape
    from formgate.plugins.json_schema._shapes_arrays import ArrayShape
    from formgate.plugins.json_schema._states import Schemas, State

__all__ = ["ClosedArray", "ClosedObject", "Count", "close_array", "close_object", "needed_members"]

# A set of names, the state of their members, and to which sets of ``some`` the names belong.
_Cell = tuple[StringSet, "State", tuple[bool, ...]]

_NO_NAMES: frozenset[str] = frozenset()
_MANY_CELLS = 12
_PATIENCE_S = 1.5  # for asking the engine which combinations of patterns there are


class ClosedObject(NamedTuple):
    """What one alternative says of objects.

    Attributes:
        entries: Names, the states of their members, and whether they are required.
        banned: Names of which there is no member.
        cells: Disjoint sets that have all other names that may be, with the states of their
            members. Names of entries and banned ones do not count as being in them.
        low, high: How many members there may be.
        needs: Each says: some member is of one of these cells and in that state beside.
        asks: Pairs of names of entries: where the first comes, so must the second.
        conditions: Of each, one literal holds; there are no ``asks`` beside.
    """

    entries: list[tuple[str, State, bool]]
    banned: list[str]
    cells: list[tuple[StringSet, State]]
    low: int
    high: int | None
    needs: list[dict[int, State]]
    asks: Asks = ()
    conditions: Sequence[tuple[Either, ...]] = ()

    @property
    def hollow(self) -> bool:
        """Whether there may be no members."""
        return self.low == 0 and all(any(one.gone for one in each) for each in self.conditions)


class Count(NamedTuple):
    """How many items from a position on are in a state."""

    start: int
    state: State
    low: int
    high: int | None


class ClosedArray(NamedTuple):
    """What one alternative says of arrays.

    Attributes:
        prefix: The states of the first items.
        rest: The state of all that follow.
        counts: How many items must be in other states, too.
        low, high: How many items there may be.
        unique: Whether no two may be equal.
        repeats: Whether some two must be.
    """

    prefix: list[State]
    rest: State
    counts: list[Count]
    low: int
    high: int | None
    unique: bool
    repeats: bool


def close_object(shape: ObjectShape, world: Schemas) -> list[ClosedObject]:
    """Return the alternatives of a shape: one, or more where some member must be special.

    Raises:
        LimitError: There would be more than ``max_clauses``.
    """
    if shape.high is None:
        return _close(shape, world)
    return [closed for one in _reachable(shape, world) for closed in _close(one, world)]


def _reachable(shape: ObjectShape, world: Schemas) -> list[ObjectShape]:
    """Return a shape in parts, if names ask for each other and members are counted both ways.

    These come together or not at all, so that not every number of members can be reached.
    """
    whole: list[ObjectShape] = []
    work = [shape]
    while work:
        one = work.pop()
        free = one.low <= max(len(one.required), 1) and not one.some
        name = None if free else _circular(one.asks)
        if name is None:
            whole.append(one)
        else:
            work += reversed(one.parted(name))
        if len(whole) + len(work) > world.options.max_clauses:
            raise LimitError(
                "names that ask for each other, in an object that counts its members both ways, "
                f"make more than max_clauses={world.options.max_clauses} alternatives; raise it, "
                "or leave out minProperties or maxProperties"
            )
    return whole


def _circular(asks: Asks) -> str | None:
    """Return a name that asks for itself by way of others; None if there is none."""
    for name, other in asks:
        if name in with_asked({other: None}, asks):
            return name
    return None


def _close(shape: ObjectShape, world: Schemas) -> list[ClosedObject]:
    """Return the alternatives of a shape."""
    states, patterns = _known(shape)
    cells: list[_Cell] = []
    if shape.high is None or shape.high > len(shape.required):
        cells = _cells(shape, states, patterns, world)
    if not shape.some:
        closed = _closed(shape, states, _NO_NAMES, cells, world)
        return [] if closed is None else [closed]
    found = []
    for splits, required, left in _witnesses(shape, states, world.options.max_clauses):
        closed = _closed(shape, splits, required, cells, world)
        if closed is None:
            continue
        needs = [_need(cells, place, shape.some[place][1], world) for place in left]
        if not all(needs):
            continue
        if needs:
            low = max(closed.low, 1 + sum(needed for _, _, needed in closed.entries))
            if shape.high is not None and low > shape.high:
                continue
            unlike = [need for place, need in enumerate(needs) if need not in needs[:place]]
            closed = closed._replace(low=low, needs=unlike)
        found.append(closed)
    return found


def needed_members(shape: ObjectShape) -> list[Lits] | None:
    """Return what the required members of a shape satisfy, if it asks for no others; else None."""
    required = shape.required
    count = len(required)
    if (
        shape.conditions
        or shape.some
        or shape.low > count
        or (shape.high is not None and shape.high < count)
    ):
        return None
    found = []
    for name in required:
        lits = shape.props.get(name, ())
        for keys, those in shape.universals:
            if keys.contains(name):
                lits = both(lits, those)
        found.append(lits if name.isascii() or is_text(name) else NOTHING)
    return found


def _need(cells: list[_Cell], place: int, lits: Lits, world: Schemas) -> dict[int, State]:
    """Return the cells of which some member may be the one, and the states that it must be in."""
    found = {}
    for number, (_, state, sets) in enumerate(cells):
        if sets[place]:
            joined = world.state(both(state.lits, lits))
            if joined.lits != NOTHING:
                found[number] = joined
    return found


def _known(shape: ObjectShape) -> tuple[dict[str, Lits], dict[StringSet, None]]:
    """Return what members of the names that matter satisfy, and the patterns of all others."""
    states = dict(shape.props)
    if not states.keys() >= shape.required.keys():
        for name in shape.required:
            states.setdefault(name, ())
    for pair in shape.asks:
        for name in pair:
            states.setdefault(name, ())
    for condition in shape.conditions:
        for name, _, _ in condition:
            states.setdefault(name, ())
    patterns: dict[StringSet, None] = {}
    for keys, _ in (*shape.universals, *shape.some):
        if keys.names and not keys.names <= states.keys():
            states.update(dict.fromkeys(sorted(keys.names - states.keys()), ()))
        patterns.update(dict.fromkeys(keys.patterns))
    if shape.universals:
        _satisfy(states, shape.universals)
    return states, patterns


def _satisfy(states: dict[str, Lits], universals: Sequence[tuple[Keys, Lits]]) -> None:
    """Say of members by name what all members of some sets of names satisfy."""
    together: dict[Keys, Lits] = {}
    for keys, those in universals:
        together[keys] = both(together.get(keys, ()), those)
    for keys, those in together.items():
        joined: dict[Lits, Lits] = {}  # most members satisfy what others do
        for name in keys.among(states):
            have = states[name]
            if have not in joined:
                joined[have] = both(have, those)
            states[name] = joined[have]


def _closed(
    shape: ObjectShape,
    states: dict[str, Lits],
    required: frozenset[str],
    cells: list[_Cell],
    world: Schemas,
) -> ClosedObject | None:
    """Return a closed shape, given its cells; None if that is nothing."""
    needed = with_asked(
        {**shape.required, **dict.fromkeys(required)} if required else shape.required, shape.asks
    )
    members = world.states(states.values())
    entries = list(zip(states, members, map(needed.__contains__, states), strict=True))
    absent: set[str] = set()
    if world.nothing in members:
        absent = {name for name, state, _ in entries if state is world.nothing}
    if not "".join(states).isascii():
        absent.update([name for name in states if not is_text(name)])
    banned: list[str] = []
    if absent:
        absent = without_asking(absent, shape.asks)
        if not absent.isdisjoint(needed):
            return None
        banned = [name for name in states if name in absent and is_text(name)]
        entries = [entry for entry in entries if entry[0] not in absent]
    count = len(needed)
    low, high = max(shape.low, count), shape.high
    if not cells and (high is None or high > len(entries)):
        high = len(entries)
    if high is not None and low > high:
        return None
    plain = [(strings, state) for strings, state, _ in cells]
    if shape.conditions:
        conditions = settled(shape, states, needed, absent, world)
        if conditions is None:
            return None
        return ClosedObject(entries, banned, plain, low, shape.high, [], (), conditions)
    asks = left_of(shape.asks, needed, absent)
    return ClosedObject(entries, banned, plain, low, shape.high, [], asks)


def _witnesses(
    shape: ObjectShape, states: dict[str, Lits], most: int
) -> Iterator[tuple[dict[str, Lits], frozenset[str], list[int]]]:
    """Return the ways to have the members that there must be.

    Each is: what the members satisfy by name, names required beyond the shape's, and which of the
    members that must be there are of other names.
    """
    ways: list[tuple[dict[str, Lits], frozenset[str], list[int]]] = [(states, _NO_NAMES, [])]
    for place, (keys, lits) in enumerate(shape.some):
        further = []
        for splits, required, left in ways:
            known = [name for name in splits if keys.contains(name)]
            given = [name for name in known if name in shape.required or name in required]
            if any(set(lits) <= set(splits[name]) for name in given):
                further.append((splits, required, left))
                continue
            for name in known:
                joined = both(splits[name], lits)
                if joined != NOTHING:
                    further.append(({**splits, name: joined}, required | {name}, left))
                    if not lits:
                        # The first of the names that is there: so no way is part of another.
                        splits = {**splits, name: NOTHING}  # noqa: PLW2901
            further.append((splits, required, [*left, place]))
            if len(further) > most:
                raise LimitError(
                    f"an object needs some members among more than max_clauses={most} "
                    "combinations; raise it, name the members, or simplify what stands under not"
                )
        ways = further
    yield from ways


def _cells(
    shape: ObjectShape,
    names: dict[str, Lits],
    patterns: dict[StringSet, None],
    world: Schemas,
) -> list[_Cell]:
    """Return the sets of names beyond the known ones, with the states of their members."""
    if not patterns:
        sets = tuple(not keys.inside for keys, _ in shape.some)
        lits: Lits = ()
        for keys, those in shape.universals:
            if not keys.inside:
                lits = both(lits, those)
        state = world.state(lits)
        return [] if state.lits == NOTHING else [(StringSet.ALL, state, sets)]
    merged: dict[tuple[State, tuple[bool, ...]], StringSet] = {}
    for strings, state, signs in _atoms(shape, patterns, world):
        if strings.values is not None and strings.values <= names.keys():
            continue
        sets = tuple(
            any(signs[one] for one in keys.patterns) is keys.inside for keys, _ in shape.some
        )
        have = merged.get((state, sets))
        merged[state, sets] = strings if have is None else have | strings
    return [(strings, state, sets) for (state, sets), strings in merged.items()]


def _atoms(
    shape: ObjectShape, patterns: dict[StringSet, None], world: Schemas
) -> Iterator[tuple[StringSet, State, dict[StringSet, bool]]]:
    """Return the atoms of the patterns' algebra that members may be named by."""
    for strings, signs in _split(shape, patterns, world.options.max_cells):
        lits: Lits = ()
        for keys, those in shape.universals:
            if any(signs[pattern] for pattern in keys.patterns) is keys.inside:
                lits = both(lits, those)
        state = world.state(lits)
        if state.lits != NOTHING:
            yield strings, state, signs


def _split(
    shape: ObjectShape, patterns: dict[StringSet, None], most: int
) -> list[tuple[StringSet, dict[StringSet, bool]]]:
    """Return the atoms that are not surely empty or banned, with the patterns that they match."""
    atoms: list[tuple[StringSet, dict[StringSet, bool]]] = [(StringSet.ALL, {})]
    patience = Patience(_PATIENCE_S)
    for pattern in patterns:
        split: list[tuple[StringSet, dict[StringSet, bool]]] = []
        for strings, signs in atoms:
            check_time()
            split += _halves(shape, pattern, strings, signs)
        atoms = split
        if len(atoms) > _MANY_CELLS:
            # Patterns that exclude each other make no combinations: have the engine look.
            kept = []
            for strings, signs in atoms:
                matched = [one for one, sign in signs.items() if sign]
                if len(matched) < 2 or not patience.is_empty(strings, matched):
                    kept.append((strings, signs))
            atoms = kept
        if len(atoms) > most:
            raise LimitError(
                f"the patterns for the names of one object (patternProperties, propertyNames) make "
                f"more than max_cells={most} combinations; raise it, or use patterns that exclude "
                "each other, or fewer"
            )
    return atoms


def _halves(
    shape: ObjectShape, pattern: StringSet, strings: StringSet, signs: dict[StringSet, bool]
) -> Iterator[tuple[StringSet, dict[StringSet, bool]]]:
    """Return what of an atom matches a pattern and what does not, if there may be such names."""
    without = {**signs, pattern: False}
    if any(exclude(one, pattern) for one, sign in signs.items() if sign):
        if not _hopeless(shape, without):
            yield strings, without
        return
    for one, now in ((pattern, {**signs, pattern: True}), (~pattern, without)):
        if not _hopeless(shape, now):
            part = one if strings is StringSet.ALL else strings & one
            if not part.is_empty():
                yield part, now


def _hopeless(shape: ObjectShape, signs: dict[StringSet, bool]) -> bool:
    """Say whether names with these signs are surely not allowed, whatever else they match."""
    for keys, lits in shape.universals:
        if lits == NOTHING:
            known = [signs.get(pattern) for pattern in keys.patterns]
            if keys.inside and True in known:
                return True
            if not keys.inside and all(sign is False for sign in known):
                return True
    return False


def close_array(shape: ArrayShape, world: Schemas) -> ClosedArray | None:
    """Return what a shape says position by position; None if that is surely nothing."""
    low, high = shape.low, shape.high
    counts, rests = [], list(shape.rests)
    for start, lits, fewest, most in shape.counts:
        state = world.state(lits)
        if fewest:
            low = max(low, start + fewest)
        if not state.lits:
            high = least(high, None if most is None else start + most)
        elif state.lits == NOTHING:
            if fewest:
                return None
        elif most == 0:
            rests.append((start, (world.negation(state.lits),)))
        elif fewest or most is not None:
            counts.append(Count(start, state, fewest, most))
    prefix, rest, high = _positions(shape, rests, high, world)
    if high is not None:
        if low > high:
            return None
        del prefix[high:]
    return ClosedArray(prefix, rest, counts, low, high, shape.unique, shape.repeats)


def _positions(
    shape: ArrayShape, rests: list[tuple[int, Lits]], high: int | None, world: Schemas
) -> tuple[list[State], State, int | None]:
    """Return the states of the first items, that of all others, and how many items may be."""
    length = max([len(shape.prefix), *(start for start, _ in rests)])
    if high is not None:
        length = min(length, high)
    prefix = []
    for place in range(length):
        lits = shape.prefix[place] if place < len(shape.prefix) else ()
        state = world.state(_at(lits, rests, place))
        if FALSE in state.lits:
            high = least(high, place)
            break
        prefix.append(state)
    rest = world.state(_at((), rests, None))
    if rest.lits == NOTHING:
        high = least(high, len(prefix))
    while prefix and prefix[-1] is rest:
        prefix.pop()
    return prefix, rest, high


def _at(lits: Lits, rests: list[tuple[int, Lits]], place: int | None) -> Lits:
    """Return what the item at a position satisfies; None: one beyond all positions."""
    for start, those in rests:
        if place is None or start <= place:
            lits = both(lits, those)
    return lits
