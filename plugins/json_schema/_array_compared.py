"""Arrays whose items are compared and counted, too, or of which two must be equal.

Without repetition, items that are counted are sorted by what they satisfy. Of values that are few
it is decided one by one whether they come, as far as the counts depend on it: each way to decide is
an alternative, in which the values are required, or left out. Of sets of values without end some
one may have to come, which the engine keeps account of.

All else is written out where there are few values in all: an automaton whose states are the values
that have come.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from formgate.core.errors import LimitError
from formgate.core.grammar import Some
from formgate.plugins.json_schema._deadline import check_time
from formgate.plugins.json_schema._facts import FALSE_VALUE, NULL, TRUE_VALUE
from formgate.plugins.json_schema._shapes import least

if TYPE_CHECKING:
    from collections.abc import Iterator

    from formgate.core.grammar import Node
    from formgate.plugins.json_schema._closed import ClosedArray, Count
    from formgate.plugins.json_schema._emit import Emitter
    from formgate.plugins.json_schema._emit_arrays import ArrayWriter
    from formgate.plugins.json_schema._scalars import State
    from formgate.plugins.json_schema._style import Style

__all__ = ["Compared", "simplified"]

_MAX_SORTS = 64  # of items, by what they satisfy
_MAX_VALUES = 12  # in all, where each set of them is a state
_MAX_CONDITIONS = 8  # of GrammarBuilder.distinct
_MAX_STEPS = 20_000  # states of that automaton
_WORDS = ((NULL, None), (FALSE_VALUE, False), (TRUE_VALUE, True))

# Numbers of the values that have come; None once two were equal. Then the position, as far as it
# matters, and how many items were counted.
_Seen = tuple[frozenset[int] | None, int, tuple[int, ...]]


class _Class(NamedTuple):
    """Items that satisfy the same: values one by one, sets of strings, and sets of others."""

    signs: tuple[bool, ...]
    entries: list[Node]
    strings: list[Node]
    values: list[Node]


class _Way(NamedTuple):
    """A way to decide which values come: some, not others; and what sets must have one."""

    needed: frozenset[Node]
    banned: frozenset[Node]
    wanted: list[int]


class Compared:
    """Writes the items of one alternative."""

    def __init__(
        self, arrays: ArrayWriter, emitter: Emitter, closed: ClosedArray, place: tuple[int, Style]
    ) -> None:
        self._arrays = arrays
        self._emitter = emitter
        self._builder = emitter.builder
        self._world = emitter.world
        self._is_empty = emitter.automaton.is_empty
        self._closed = closed
        self._level, self._gaps = place
        self._far = 0  # from this position on, positions are alike

    # --- without repetition ---

    def write_unique(self, state: State) -> Node | None:
        """Return the node of at least one item, no two equal; None where that is not possible."""
        closed = self._closed
        if closed.prefix or any(count.start for count in closed.counts):
            return None
        classes = self._classes(state)
        if classes is None or not self._is_possible(classes):
            return None
        return self._builder.choice(*(self._listed(classes, way) for way in self._ways(classes)))

    def _classes(self, state: State) -> list[_Class] | None:
        """Return the items by what they satisfy; None where they cannot be told or written."""
        found: list[tuple[tuple[bool, ...], State]] = [((), self._closed.rest)]
        for count in self._closed.counts:
            parts = [
                ((*signs, sign), part)
                for signs, have in found
                for sign, part in (
                    (True, self._world.both(have, count.state)),
                    (False, self._world.without(have, count.state)),
                )
            ]
            found = [(signs, part) for signs, part in parts if not self._is_empty(part)]
            if len(found) > _MAX_SORTS:
                return None
        classes = []
        for signs, part in found:
            entries, strings, values = self._arrays.values(part, self._level)
            if values is None:
                if self._arrays.recurs(part, state):
                    return None
                entries, strings = [], []
                values = [self._emitter.value(part, self._level + 1)]
            classes.append(_Class(signs, entries, strings, values))
        return classes

    def _is_possible(self, classes: list[_Class]) -> bool:
        """Say whether no count depends on how many items come of sets without end."""
        for number, count in enumerate(self._closed.counts):
            many = any(one.signs[number] for one in classes if one.strings or one.values)
            if many and (count.high is not None or count.low > 1):
                return False
        return len(self._closed.counts) <= 8 or not any(
            one.strings or one.values for one in classes
        )

    def _ways(self, classes: list[_Class]) -> Iterator[_Way]:
        """Yield the ways to decide which values come; no list is of two."""
        counts = self._closed.counts
        entries = [(node, one.signs) for one in classes for node in one.entries]
        endless = [
            any(one.signs[number] for one in classes if one.strings or one.values)
            for number in range(len(counts))
        ]
        work: list[tuple[int, tuple[int, ...], frozenset[Node], frozenset[Node]]]
        work = [(0, (0,) * len(counts), frozenset(), frozenset())]
        found = 0
        while work:
            at, taken, needed, banned = work.pop()
            check_time()
            left = [
                sum(signs[number] for _, signs in entries[at:]) for number in range(len(counts))
            ]
            status = [
                _status(count, have, more, more_without_end)
                for count, have, more, more_without_end in zip(
                    counts, taken, left, endless, strict=True
                )
            ]
            if None in status:
                continue
            open_ = [number for number, one in enumerate(status) if one]
            while at < len(entries) and not any(entries[at][1][number] for number in open_):
                at += 1
            if at == len(entries):
                found += 1
                if found > self._world.options.max_clauses:
                    raise LimitError(
                        f"{self._world.where(self._closed.rest.lits) or '#'}: which items come, "
                        "none twice and so many of some kind, makes more than max_clauses="
                        f"{self._world.options.max_clauses} alternatives; raise it, or lower "
                        "minContains or maxContains"
                    )
                wanted = [number for number in open_ if taken[number] < counts[number].low]
                yield _Way(needed, banned, wanted)
                continue
            node, signs = entries[at]
            after = tuple(have + sign for have, sign in zip(taken, signs, strict=True))
            work.append((at + 1, taken, needed, banned | {node}))
            work.append((at + 1, after, needed | {node}, banned))

    def _listed(self, classes: list[_Class], way: _Way) -> Node:
        """Return the node of the items that come in one way."""
        entries = [node for one in classes for node in one.entries if node not in way.banned]
        strings: list[Node | Some] = []
        values: list[Node | Some] = []
        for one in classes:
            meets = [place for place, number in enumerate(way.wanted) if one.signs[number]]
            strings += [Some(node, meets) if meets else node for node in one.strings]
            values += [Some(node, meets) if meets else node for node in one.values]
        return self._builder.distinct(
            entries,
            strings=strings,
            values=values,
            comma=self._gaps.comma,
            min=max(self._closed.low, 1),
            max=self._closed.high,
            escapes=self._emitter.escapes,
            needed=way.needed,
        )

    # --- few values ---

    def write_out(self) -> Node | None:
        """Return the node of at least one item, by the values that have come; None: too many."""
        closed = self._closed
        known: dict[int, int] = {}
        places = []
        last = max([len(closed.prefix), *(count.start for count in closed.counts)])
        for place in range(last + 1):
            found = self._place(closed, place, known)
            if found is None:
                return None
            places.append(found)
        self._far = max(last, closed.low, 1 if closed.high is None else closed.high)
        builder = self._builder
        start: _Seen = (frozenset(), 0, (0,) * len(closed.counts))
        numbers = {start: 0}
        self._arrays.counting += 1
        where = self._world.name(closed.rest.lits) or "#"
        name = f"{where} (set {self._arrays.counting}{self._emitter.suffix})"
        work, first = [start], builder.nothing()
        while work:
            seen = work.pop()
            check_time()
            ways = [builder.empty()] if self._may_end(seen) else []
            place = seen[1]
            for value, node, signs in places[min(place, last)]:
                after = self._after(seen, value, signs)
                if after is None:
                    continue
                if after not in numbers:
                    if len(numbers) >= _MAX_STEPS:
                        return None
                    numbers[after] = len(numbers)
                    work.append(after)
                item = builder.seq(self._gaps.comma, node) if place else node
                ways.append(builder.seq(item, builder.rule(f"{name}: {numbers[after]}")))
            body = builder.choice(*ways)
            if seen == start:
                first = body
            else:
                builder.define(f"{name}: {numbers[seen]}", body)
        return first

    def _place(
        self, closed: ClosedArray, place: int, known: dict[int, int]
    ) -> list[tuple[int, Node, tuple[bool, ...]]] | None:
        """Return the values at a position: their numbers, nodes, and by what they are counted."""
        state = closed.prefix[place] if place < len(closed.prefix) else closed.rest
        if self._is_empty(state):
            return []
        lits = self._lits(state)
        if lits is None:
            return None
        holds = self._arrays.decider.holds
        found = []
        for lit in lits:
            value = self._world.values[lit]
            if not holds(state, value):
                continue
            number = known.setdefault(lit, len(known))
            if len(known) > _MAX_VALUES:
                return None
            signs = [place >= count.start and holds(count.state, value) for count in closed.counts]
            one = self._world.both(self._world.state((lit,)), state)
            found.append((number, self._emitter.value(one, self._level + 1), tuple(signs)))
        return found

    def _lits(self, state: State) -> list[int] | None:
        """Return literals of single values that have all that is in a state; None: too many."""
        bits, numbers, strings = self._world.scalars(state)
        listed, texts = numbers.finite(_MAX_VALUES), strings.finite(_MAX_VALUES)
        if listed is None or texts is None:
            return None
        scalars = [word for bit, word in _WORDS if bits & bit]
        lits = [self._world.const(value) for value in (*scalars, *listed, *texts)]
        automaton = self._emitter.automaton
        if automaton.arrays(state) or automaton.objects(state):
            more = self._world.only_values(state)
            if more is None:
                return None
            listed_ones, others = more
            holds = self._arrays.decider.holds
            lits += [lit for lit in listed_ones if holds(others, self._world.values[lit])]
        return list(dict.fromkeys(lits))

    def _after(self, seen: _Seen, value: int, signs: tuple[bool, ...]) -> _Seen | None:
        """Return what has come after one more item; None if that must not come."""
        values, place, counts = seen
        closed = self._closed
        if closed.high is not None and place >= closed.high:
            return None
        if values is not None and value in values:
            if closed.unique:
                return None
            values = None
        elif values is not None:
            values |= {value}
        after = []
        for count, have, sign in zip(closed.counts, counts, signs, strict=True):
            if count.high is not None and have + sign > count.high:
                return None
            after.append(min(have + sign, count.low) if count.high is None else have + sign)
        return values, min(place + 1, self._far), tuple(after)

    def _may_end(self, seen: _Seen) -> bool:
        """Say whether a list of at least one item may end."""
        values, place, counts = seen
        return (
            place >= max(self._closed.low, 1)
            and (self._closed.unique or values is None)
            and all(
                have >= count.low for have, count in zip(counts, self._closed.counts, strict=True)
            )
        )


def simplified(closed: ClosedArray, emitter: Emitter) -> ClosedArray | None:
    """Return an array without counts of what all its items satisfy, or none; None for nothing."""
    low, high, kept = closed.low, closed.high, []
    world, is_empty = emitter.world, emitter.automaton.is_empty
    for count in closed.counts:
        states = closed.prefix[count.start :]
        if high is None or high > len(closed.prefix):
            states = [*states, closed.rest]
        if all(is_empty(world.without(state, count.state)) for state in states):
            low = max(low, count.start + count.low) if count.low else low
            high = least(high, None if count.high is None else count.start + count.high)
        elif all(is_empty(world.both(state, count.state)) for state in states):
            if count.low:
                return None
        else:
            kept.append(count)
    if high is not None and low > high:
        return None
    prefix = closed.prefix if high is None else closed.prefix[:high]
    return closed._replace(low=low, high=high, counts=kept, prefix=prefix)


def _status(count: Count, have: int, left: int, endless: bool) -> bool | None:
    """Say whether a count depends on what else comes; None if it cannot be kept."""
    if count.high is not None and have > count.high:
        return None
    if have + left < count.low and not endless:
        return None
    return have < count.low or (count.high is not None and have + left > count.high)
