"""The nodes of arrays: items one after the other, counted, and without repetition."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formgate.core.errors import LimitError
from formgate.core.grammar import Entry, Item, Some
from formgate.plugins.json_schema._array_compared import Compared, simplified
from formgate.plugins.json_schema._array_counter import Counter
from formgate.plugins.json_schema._array_told import told
from formgate.plugins.json_schema._decide import Decider
from formgate.plugins.json_schema._facts import FALSE_VALUE, NULL, TRUE_VALUE
from formgate.plugins.json_schema._numbers import NumberSet
from formgate.plugins.json_schema._spelled import meet_numbers
from formgate.plugins.json_schema._strings import StringSet

if TYPE_CHECKING:
    from formgate.core.grammar import GrammarBuilder, Node
    from formgate.plugins.json_schema._array_counter import Sort
    from formgate.plugins.json_schema._closed import ClosedArray
    from formgate.plugins.json_schema._emit import Emitter
    from formgate.plugins.json_schema._states import State
    from formgate.plugins.json_schema._style import Style


__all__ = ["ArrayWriter"]

_MAX_FINITE = 1_000  # numbers or strings that are listed one by one
_MOST_NESTED = 64  # items that may be left out, each after those before
_MAX_STEPS = 20_000  # states of the automaton that counts
_MAX_SORTS = 1_024  # of items, by which of the things that are counted they satisfy
_MOST_WITHIN = 4  # levels of members within items that are looked at for what varies
_MOST_CONDITIONS = 8  # of GrammarBuilder.items


class ArrayWriter:
    """Writes arrays.

    Args:
        emitter: What writes their items.
    """

    def __init__(self, emitter: Emitter) -> None:
        self._emitter = emitter
        self.builder: GrammarBuilder = emitter.builder
        self._world = emitter.world
        self.decider = Decider(emitter.automaton)
        self.counting = 0
        self._reach: dict[State, set[State]] = {}
        self._nesting: dict[State, bool] = {}
        self._brackets = self.builder.literal("["), self.builder.literal("]")

    def write(self, closed: ClosedArray, level: int, state: State) -> Node:
        """Return the node of the arrays of one alternative."""
        builder, gaps = self.builder, self._emitter.style(level)
        if closed.high == 0:
            return builder.seq(self._brackets[0], gaps.hollow, self._brackets[1])
        if closed.repeats or (closed.unique and closed.counts):
            items = self._compared(closed, level, gaps, state)
        else:
            items = self._listed(closed, level, gaps, state)
        inside = builder.seq(gaps.opened, items, gaps.closing)
        if closed.low == 0:
            inside = builder.choice(inside, gaps.hollow)
        return builder.seq(self._brackets[0], inside, self._brackets[1])

    def _listed(self, closed: ClosedArray, level: int, gaps: Style, state: State) -> Node:
        """Return the node of at least one item, not compared and counted at once."""
        if closed.counts:
            return self._counted(closed, level, gaps, state)
        if closed.unique and (closed.high is None or closed.high > 1):
            return self._unique(closed, level, gaps, state)
        return self._plain(closed, level, gaps)

    def _compared(self, closed: ClosedArray, level: int, gaps: Style, state: State) -> Node:
        """Return the node of items that are compared and counted, or of which two are equal."""
        simple = simplified(closed, self._emitter)
        if simple is None or simple.high == 0:
            return self.builder.nothing()
        if not (simple.repeats or simple.counts) or (simple.unique and simple.high == 1):
            return self._listed(simple._replace(unique=simple.high != 1), level, gaps, state)
        compared = Compared(self, self._emitter, simple, (level, gaps))
        items = compared.write_unique(state) if simple.unique else None
        if items is None:
            items = compared.write_out()
        if items is not None:
            return items
        found = told(simple, state, self._world)
        self._world.unsupported(*found)
        return self._listed(simple, level, gaps, state)

    def _plain(self, closed: ClosedArray, level: int, gaps: Style) -> Node:
        """Return the node of at least one item, each at its position."""
        builder, value = self.builder, self._emitter.value
        low, high, length = closed.low, closed.high, len(closed.prefix)
        tail: Node | None = None
        if high is None or high > length:
            rest = value(closed.rest, level + 1)
            tail = builder.repeat(
                builder.seq(gaps.comma, rest),
                max(low - max(length, 1), 0),
                None if high is None else high - max(length, 1),
            )
            if length == 0:
                return builder.seq(rest, tail)
        parts = [value(one, level + 1) for one in closed.prefix]
        parts[1:] = [builder.seq(gaps.comma, part) for part in parts[1:]]
        needed = max(low, 1)
        after = self._open(parts[needed:], tail)
        return builder.seq(*parts[:needed], *([] if after is None else [after]))

    def _open(self, parts: list[Node], tail: Node | None) -> Node | None:
        """Return what may end after any of some parts, or go on after all; None for nothing.

        Each part stands within the one before; of many, the ways to end in the first half stand
        beside the first half and what follows it, so that nodes nest no deeper than a few parts.
        """
        builder, half = self.builder, len(parts) // 2
        if len(parts) > _MOST_NESTED:
            early = self._open(parts[: half - 1], None)
            late = self._open(parts[half:], tail)
            ways = [builder.seq(*parts[:half], *([] if late is None else [late]))]
            return builder.choice(*ways, *([] if early is None else [early]))
        for part in reversed(parts):
            tail = builder.optional(part if tail is None else builder.seq(part, tail))
        return tail

    # --- items that differ ---

    def _unique(self, closed: ClosedArray, level: int, gaps: Style, state: State) -> Node:
        """Return the node of at least one item, no two equal."""
        if closed.prefix:
            return self._unique_tuple(closed, level, gaps, state)
        named = self._names(closed, gaps)
        if named is not None:
            return named
        entries, strings, values = self.values(closed.rest, level)
        if values is None:
            nested = self._nested([closed.rest], level, state)
            if nested is None:
                return self._unwritten(closed, level, gaps)
            entries, strings, values = [], [], nested
        return self.builder.distinct(
            entries,
            strings=strings,
            values=values,
            comma=gaps.comma,
            min=max(closed.low, 1),
            max=closed.high,
            escapes=self._emitter.escapes,
        )

    def _names(self, closed: ClosedArray, gaps: Style) -> Node | None:
        """Return the node of items that are strings of a list; None where others may come.

        They are read as the names of an object are, which are told apart letter by letter.
        """
        builder, world = self.builder, self._world
        automaton = self._emitter.automaton
        if automaton.arrays(closed.rest) or automaton.objects(closed.rest):
            return None
        bits, numbers, strings = world.scalars(closed.rest)
        texts = strings.finite(_MAX_FINITE)
        if bits or not numbers.is_empty() or not texts:
            return None
        nothing = builder.literal("")
        return builder.members(
            [Entry(text, nothing) for text in texts],
            colon=nothing,
            comma=gaps.comma,
            min=max(closed.low, 1),
            max=closed.high,
            escapes=self._emitter.escapes,
        )

    def values(self, state: State, level: int) -> tuple[list[Node], list[Node], list[Node] | None]:
        """Return the values of a state: one by one, and sets of strings and numbers.

        The last is None where there are arrays and objects that are not listed one by one.
        """
        builder = self.builder
        bits, numbers, strings = self._world.scalars(state)
        composites = self._composites(state, level)
        if composites is None:
            return [], [], None
        entries = [
            builder.literal(text)
            for bit, text in ((NULL, "null"), (FALSE_VALUE, "false"), (TRUE_VALUE, "true"))
            if bits & bit
        ]
        sets_of_strings, sets_of_numbers = [], []
        listed = numbers.finite(_MAX_FINITE)
        if listed is None:
            sets_of_numbers.append(self._emitter.numbers(numbers, state))
        else:
            entries += [
                self._emitter.numbers(meet_numbers(numbers, NumberSet.of([number])), state)
                for number in listed
            ]
        texts = strings.finite(_MAX_FINITE)
        if texts is None:
            sets_of_strings.append(self._emitter.texts(strings, state))
        else:
            entries += [self._emitter.string(StringSet.of([text]), state) for text in texts]
        return entries + composites, sets_of_strings, sets_of_numbers

    def _composites(self, state: State, level: int) -> list[Node] | None:
        """Return the nodes of the arrays and objects of a state, if they are single values."""
        automaton, world = self._emitter.automaton, self._world
        if not automaton.arrays(state) and not automaton.objects(state):
            return []
        found = world.only_values(state)
        if found is None:
            return None
        lits, others = found
        kept = [lit for lit in lits if self.decider.holds(others, world.values[lit])]
        values = dict.fromkeys(world.state((lit,)) for lit in kept)
        return [self._emitter.value(one, level + 1) for one in values]

    def _unique_tuple(self, closed: ClosedArray, level: int, gaps: Style, state: State) -> Node:
        """Return the node of items at positions of their own, no two equal.

        Where no two positions have a value in common, they cannot be equal.
        """
        positions, rest = list(closed.prefix), []
        if closed.high is None or closed.high > len(positions):
            rest.append(closed.rest)
        if closed.high is not None and closed.high <= len(positions) + 1:
            every = positions + rest
            apart = all(
                self._emitter.automaton.is_empty(self._world.both(one, other))
                for place, one in enumerate(every)
                for other in every[:place]
            )
            if apart:
                return self._plain(closed, level, gaps)
        nested = self._nested(positions + rest, level, state)
        if nested is None:
            return self._unwritten(closed, level, gaps)
        return self.builder.distinct(
            first=nested[: len(positions)],
            values=nested[len(positions) :],
            comma=gaps.comma,
            min=max(closed.low, 1),
            max=closed.high,
            escapes=self._emitter.escapes,
        )

    def _nested(self, items: list[State], level: int, state: State) -> list[Node] | None:
        """Return the nodes of items that must differ; None where they cannot be written.

        What is left of an item depends on the items read in each list around it: as lists that hold
        each other have no end of such states, each level of nesting is written by itself. That
        another item can follow must not depend on the lists below: there are too many of them.
        """
        emitter = self._emitter
        deeper = any(self.recurs(one, state) for one in items)
        if deeper and emitter.nest >= emitter.options.max_nested:
            return None
        if deeper and not all(self._varied(one, state) for one in items):
            emitter.unsupported(
                state,
                "uniqueItems cannot be enforced for an array whose items may hold, at any depth, "
                "such an array again, and are of few values otherwise",
                "let the items vary by a string or a number, limit the depth by definitions of "
                'their own, or compile with on_unsupported="relax" and check the result',
            )
            return None
        emitter.nest += deeper
        try:
            return [emitter.value(one, level + 1) for one in items]
        finally:
            emitter.nest -= deeper

    def _unwritten(self, closed: ClosedArray, level: int, gaps: Style) -> Node:
        """Return the node in place of items that must differ and are not written."""
        emitter = self._emitter
        if emitter.nest >= emitter.options.max_nested:
            return self.builder.nothing()
        return self._plain(closed, level, gaps)

    def _varied(self, item: State, state: State) -> bool:
        """Say whether an item varies by a string or a number without arrays in a state."""
        seen, level = {item, state}, [item]
        for _ in range(_MOST_WITHIN):
            further: list[State] = []
            for one in level:
                _, numbers, strings = self._world.scalars(one)
                if numbers.finite(_MAX_FINITE) is None or strings.finite(_MAX_FINITE) is None:
                    return True
                further += self._held(one)
            level = [part for part in dict.fromkeys(further) if part not in seen]
            seen.update(level)
        return False

    def nests(self, state: State) -> bool:
        """Say whether a state may hold a list without repetition that may hold itself."""
        found = self._nesting.get(state)
        if found is None:
            found = self._nesting[state] = any(
                array.unique and any(self.recurs(item, one) for item in (*array.prefix, array.rest))
                for one in self._reached(state)
                for array in self._emitter.automaton.arrays(one)
            )
        return found

    def recurs(self, item: State, state: State) -> bool:
        """Say whether an item may hold, at any depth, an array in the state it is itself in."""
        return state in self._reached(item)

    def _reached(self, state: State) -> set[State]:
        """Return the states of what a value may hold, at any depth, and its own."""
        found = self._reach.get(state)
        if found is None:
            found = self._reach[state] = {state}
            work = [state]
            while work:
                held = self._held(work.pop())
                work += [part for part in held if part not in found]
                found.update(held)
        return found

    def _held(self, state: State) -> list[State]:
        """Return the states of what a value holds."""
        automaton = self._emitter.automaton
        held: list[State] = []
        for array in automaton.arrays(state):
            held += (*array.prefix, array.rest, *(count.state for count in array.counts))
        for closed in automaton.objects(state):
            held += [member for _, member, _ in closed.entries]
            held += [member for _, member in closed.cells]
            held += [member for need in closed.needs for member in need.values()]
        return held

    # --- items that are counted ---

    def _counted(self, closed: ClosedArray, level: int, gaps: Style, state: State) -> Node:
        """Return the node of items of which so many satisfy something: an automaton as rules.

        Its states are the position, as far as it matters, and how often each thing was seen. An
        item is sorted by which of the things it satisfies. For a bound from below alone, items that
        satisfy the thing may also pass uncounted, which spares the complement.
        """
        counts = closed.counts
        if len(counts) <= _MOST_CONDITIONS and all(one[2:] == (1, None) for one in counts):
            return self._conditioned(closed, level, gaps)
        if closed.low <= max(one.start + one.low for one in counts):
            closed = closed._replace(low=0)  # enough of something is enough items
        far = max([1, len(closed.prefix), closed.low, *(one.start for one in counts)])
        if closed.high is not None:
            far = max(far, closed.high)
        tops = [one.low if one.high is None else one.high for one in counts]
        steps = far + 1
        for top in tops:
            steps *= top + 1
        where = self._world.name(state.lits) or "#"
        if steps > _MAX_STEPS:
            raise LimitError(
                f"{where}: counting items (contains, minContains, maxContains beside minItems "
                f"and maxItems) takes {steps} states, more than {_MAX_STEPS}; lower the bounds"
            )
        self.counting += 1
        name = f"{where} (count {self.counting}{self._emitter.suffix})"
        return Counter(self, closed, (level, gaps), name, far).write()

    def _conditioned(self, closed: ClosedArray, level: int, gaps: Style) -> Node:
        """Return the node of items of which some must satisfy something, each thing once or more.

        The engine keeps which things are wanted still, and how many items there were.
        """
        places = []
        for place in range(1 + max([len(closed.prefix), *(one.start for one in closed.counts)])):
            state = closed.prefix[place] if place < len(closed.prefix) else closed.rest
            some = [
                Some(node, [condition for condition, sign in enumerate(signs) if sign])
                for signs, node in self.sorted_item(closed, place, level)[0]
                if any(signs)
            ]
            places.append(Item(self._emitter.value(state, level + 1), some))
        known = {one for place in places for _, meets in place.some for one in meets}
        if len(known) < len(closed.counts):
            return self.builder.nothing()  # no item can be what is wanted
        return self.builder.items(places, comma=gaps.comma, min=max(closed.low, 1), max=closed.high)

    def sorted_item(self, closed: ClosedArray, place: int, level: int) -> tuple[list[Sort], bool]:
        """Return the ways to sort the item at a position, and whether no item has two."""
        state = closed.prefix[place] if place < len(closed.prefix) else closed.rest
        listed = self._sorted_strings(closed, state, place)
        if listed is not None:
            return listed, True
        found: list[tuple[tuple[bool, ...], State]] = [((), state)]
        for one in closed.counts:
            further = []
            for signs, had in found:
                with_it = self._world.both(had, one.state)
                if place < one.start:
                    further.append(((*signs, False), had))
                    continue
                further.append(((*signs, True), with_it))
                if with_it is had:
                    continue
                if one.high is None:
                    further.append(((*signs, False), had))
                else:
                    further.append(((*signs, False), self._world.without(had, one.state)))
            found = [
                (signs, one_state)
                for signs, one_state in further
                if not self._emitter.automaton.is_empty(one_state)
            ]
            if len(found) > _MAX_SORTS:
                raise LimitError(
                    f"{self._world.name(state.lits) or '#'}: items are of more than {_MAX_SORTS} "
                    f"sorts by which of {len(closed.counts)} things they satisfy (contains, or "
                    "items under not); ask for fewer things"
                )
        return [(signs, self._emitter.value(one, level + 1)) for signs, one in found], False

    def _sorted_strings(self, closed: ClosedArray, state: State, place: int) -> list[Sort] | None:
        """Return the ways to sort an item that is one of a few strings, each string in one way."""
        bits, numbers, strings = self._world.scalars(state)
        if bits or strings.values is None or not numbers.is_empty():
            return None
        automaton = self._emitter.automaton
        if automaton.arrays(state) or automaton.objects(state):
            return None
        counted = [self._world.scalars(one.state)[2] for one in closed.counts]
        sorts: dict[tuple[bool, ...], list[str]] = {}
        for value in sorted(strings.values):
            signs = tuple(
                place >= one.start and those.contains(value)
                for one, those in zip(closed.counts, counted, strict=True)
            )
            sorts.setdefault(signs, []).append(value)
        return [
            (signs, self._emitter.string(StringSet.of(one), state)) for signs, one in sorts.items()
        ]
