"""The scalars that satisfy a schema: null, truth values, numbers and strings.

They need no alternatives: the sets of them are closed under union and complement, so a schema's
scalars are computed bottom-up, once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar, cast

from formgate.core.errors import GrammarError, LimitError
from formgate.plugins.json_schema._deadline import check_time
from formgate.plugins.json_schema._facts import FALSE, NUMBER, STRING, Facts, Op
from formgate.plugins.json_schema._numbers import NumberSet
from formgate.plugins.json_schema._spelled import Numerals, join_numbers, meet_numbers
from formgate.plugins.json_schema._strings import StringSet

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from formgate.plugins.json_schema._options import Options
    from formgate.plugins.json_schema._shapes import Lits

__all__ = ["ScalarSets", "Scalars", "State", "told"]

T = TypeVar("T")

# Null and truth values as bits of their kinds, numbers, strings.
Scalars = tuple[int, NumberSet | Numerals, StringSet]

_BITS = 7
_SCALARS = _BITS | NUMBER | STRING
_TASKS = 16  # more than the tasks that work on literals; task 0 is to find the scalars
_ALL: Scalars = (_BITS, NumberSet.ALL, StringSet.ALL)
_NONE: Scalars = (0, NumberSet.NONE, StringSet.NONE)


class State:
    """A conjunction of literals, in its one form.

    Attributes:
        index: Its number.
        lits: Its literals.
        kinds: The kinds of values that its literals allow by what they say themselves.
        scalars, empty, clauses: What was found out of it.
    """

    __slots__ = ("clauses", "empty", "index", "kinds", "lits", "scalars")

    def __init__(self, index: int, lits: Lits, kinds: int) -> None:
        self.index = index
        self.lits = lits
        self.kinds = kinds
        self.scalars: Scalars | None = None
        self.empty: bool | None = None
        self.clauses: dict[int, Any] = {}


class _Below:
    """What is worked on in a ``with`` block; what was being worked on before is back after it."""

    __slots__ = ("_kept", "_world")

    def __init__(self, world: ScalarSets) -> None:
        self._world = world
        self._kept = world.busy, world.depth

    def __enter__(self) -> None:
        self._world.busy, self._world.depth = set(), 0

    def __exit__(self, *_: object) -> None:
        self._world.busy, self._world.depth = self._kept


class ScalarSets:
    """Finds scalars, and keeps account of what is being worked on.

    Args:
        options: The options.

    Attributes:
        relaxed: What was left out: the reason by the place.
        busy, depth: The tasks that are being worked on, each by way of the one before.
    """

    def __init__(self, options: Options) -> None:
        self.options = options
        self.relaxed: dict[str, str] = {}
        self._scalars: dict[int, Scalars] = {}
        self.busy: set[int] = set()
        self.depth = 0

    def facts(self, lit: int) -> Facts:
        """Return what the schema of a literal says, its sign aside."""
        raise NotImplementedError

    def where(self, lits: Iterable[int]) -> str:
        """Return the places of the schemas of literals, for people."""
        raise NotImplementedError

    def scalars(self, state: State) -> Scalars:
        """Return the null, truth values, numbers and strings of a state."""
        found = state.scalars
        if found is None:
            found = _NONE
            if state.kinds & _SCALARS:
                lits = state.lits
                if len(lits) == 1:
                    found = self.scalars_of(lits[0])
                else:
                    found = _merged(_meet, map(self.scalars_of, lits), _ALL)
            state.scalars = found
        return found

    def conjoined(self, state: State, left: State, right: State) -> Scalars:
        """Return the scalars of a state that is known to be the conjunction of two others."""
        if state.scalars is None and state.kinds & _SCALARS:
            state.scalars = self.common(left, right)
        return self.scalars(state)

    def common(self, left: State, right: State) -> Scalars:
        """Return the scalars that are in both of two states."""
        return _meet(self.scalars(left), self.scalars(right))

    def scalars_of(self, lit: int) -> Scalars:
        """Return the null, truth values, numbers and strings that satisfy a literal.

        Raises:
            GrammarError: The schema is defined by itself.
            LimitError: Too many schemas apply by way of each other.
        """
        found = self._scalars.get(lit)
        if found is not None:
            return found
        if lit <= FALSE:
            return _NONE if lit else _ALL
        self.go_in(lit * _TASKS, lit)
        try:
            facts = self.facts(lit)
            found = self._denied(lit, facts) if lit & 1 else self._allowed(facts)
        finally:
            self.come_out(lit * _TASKS)
        self._scalars[lit] = found
        return found

    def go_in(self, task: int, lit: int) -> None:
        """Note that a literal is being worked on; refuse circles and great depth."""
        if task in self.busy:
            raise self.circular(lit)
        if self.depth >= self.options.max_depth:
            raise LimitError(
                f"{self.where((lit & ~1,))}: more than max_depth={self.options.max_depth} schemas "
                "apply to one value by way of each other; raise it, or simplify the schema"
            )
        self.busy.add(task)
        self.depth += 1

    def come_out(self, task: int) -> None:
        """Note that it is done with."""
        self.busy.discard(task)
        self.depth -= 1

    def below(self) -> _Below:
        """Look at a member, an item or a name: what is being worked on above is no circle."""
        return _Below(self)

    def circular(self, lit: int) -> GrammarError:
        """Return the error for a schema that is defined by itself."""
        return GrammarError(
            f"{self.where((lit & ~1,)) or '#'}: the schema refers to itself without going into a "
            "member or an item, so it says nothing",
            hint="let the reference stand below properties, items or the like",
        )

    def _allowed(self, facts: Facts) -> Scalars:
        """Return the scalars that some facts allow."""
        kinds = facts.kinds
        numbers: NumberSet | Numerals = NumberSet.NONE
        strings = StringSet.NONE
        if kinds & NUMBER:
            numbers = NumberSet.ALL if facts.number is None else facts.number
        if kinds & STRING:
            strings = StringSet.ALL if facts.string is None else facts.string
        found = (kinds & _BITS, numbers, strings)
        for op, *parts in facts.ops:
            if op in (Op.BASE, Op.CONSTS, Op.DEPENDENT, Op.REQUIRED):
                continue
            if found[0] == 0 and found[1] is NumberSet.NONE and found[2] is StringSet.NONE:
                break
            found = _meet(found, self._applied(op, parts, found))
        return found

    def _denied(self, lit: int, facts: Facts) -> Scalars:
        """Return the scalars that are not allowed, or a superset where that set is a superset."""
        allowed = self.scalars_of(lit ^ 1)
        if not self.relaxed:
            return _complement(allowed)
        return self._denied_loosely(facts)

    def _denied_loosely(self, facts: Facts) -> Scalars:
        """Deny each part by itself: what was left out of a part may be anything, denied or not."""
        kinds = facts.kinds
        numbers: NumberSet | Numerals = NumberSet.ALL
        strings = StringSet.ALL
        if kinds & NUMBER:
            numbers = NumberSet.NONE if facts.number is None else ~facts.number
        if kinds & STRING and not facts.loose:
            strings = StringSet.NONE if facts.string is None else ~facts.string
        found: Scalars = (_BITS & ~kinds, numbers, strings)
        for op, *parts in facts.ops:
            if op in (Op.REF, Op.NOT):
                found = _join(found, self.scalars_of(parts[0] ^ (op == Op.REF)))
            elif op == Op.ALL:
                for part in parts:
                    found = _join(found, self.scalars_of(part ^ 1))
            elif op == Op.ANY:
                one = _ALL
                for part in parts:
                    one = _meet(one, self.scalars_of(part ^ 1))
                found = _join(found, one)
            elif op in (Op.ONE, Op.IF):
                found = _ALL
        return found

    def _applied(self, op: str, parts: list[int], within: Scalars) -> Scalars:
        """Return the scalars that satisfy schemas applied in one way."""
        if op == Op.REF:
            return self.scalars_of(parts[0])
        if op == Op.NOT:
            return self.scalars_of(parts[0] ^ 1)
        if op == Op.ALL:
            return _merged(_meet, map(self.scalars_of, parts), _ALL)
        if op == Op.ANY:
            return _merged(_join, map(self.scalars_of, parts), _NONE)
        if op == Op.ONE:
            return self._one(parts, within)
        test, then, other = parts
        return _join(
            _meet(self.scalars_of(test), self.scalars_of(then)),
            _meet(self.scalars_of(test ^ 1), self.scalars_of(other)),
        )

    def _one(self, parts: list[int], within: Scalars) -> Scalars:
        """Return the scalars that satisfy exactly one of some literals."""
        alone = ((_meet(self.scalars_of(part), within), _NONE) for part in parts)
        once, twice = _merged(_counted, alone, (_NONE, _NONE))
        # A part may be larger than it should be where something is left out: nothing is taken away.
        if self.relaxed or twice == _NONE:
            return once
        return _meet(once, _complement(twice))


def _merged(merge: Callable[[T, T], T], parts: Iterable[T], nothing: T) -> T:
    """Return parts merged two by two, so that n sets of one point each cost n log n."""
    waiting = list(parts)
    while len(waiting) > 1:
        merged = []
        for pair in zip(waiting[::2], waiting[1::2], strict=False):
            check_time()
            merged.append(merge(*pair))
        waiting = [*merged, *waiting[len(waiting) & ~1 :]]
    return waiting[0] if waiting else nothing


def _counted(
    left: tuple[Scalars, Scalars], right: tuple[Scalars, Scalars]
) -> tuple[Scalars, Scalars]:
    """Return what is in some part, and what is in two, of the parts on both sides."""
    once, twice = left
    other_once, other_twice = right
    twice = _join(_join(twice, other_twice), _meet(once, other_once))
    return _join(once, other_once), twice


def _meet(left: Scalars, right: Scalars) -> Scalars:
    """Return what is in both."""
    if left is _ALL or right is _NONE:
        return right
    if right is _ALL or left is _NONE:
        return left
    bits, number, string = left
    other_bits, other_number, other_string = right
    if number is not other_number:
        if number is NumberSet.ALL or other_number is NumberSet.NONE:
            number = other_number
        elif other_number is not NumberSet.ALL and number is not NumberSet.NONE:
            number = meet_numbers(number, other_number)
    if string is not other_string:
        if string is StringSet.ALL or other_string is StringSet.NONE:
            string = other_string
        elif other_string is not StringSet.ALL and string is not StringSet.NONE:
            string = _common(string, other_string)
    return bits & other_bits, number, string


def told(tag: Scalars | None, others: Scalars | None) -> bool | None:
    """Say whether all values of a tag are in a set, or none; None: some, or not seen at a glance.

    A tag has some listed strings, and the set has them too or has all others.
    """
    if tag is None or others is None or tag[0] or tag[1] is not NumberSet.NONE:
        return None
    listed, key = tag[2].values, others[2].key
    if not listed or key[0] != "values":
        return None
    given = cast("frozenset[str]", key[1])
    if listed <= given:
        return bool(key[2])
    return not key[2] if listed.isdisjoint(given) else None


def _common(left: StringSet, right: StringSet) -> StringSet:
    """Return the strings in both; enumerations that tell alternatives apart are quick."""
    listed = left.values
    if listed is None:
        listed = right.values
        if listed is None:
            return left & right
        left, right = right, left
    others = right.values
    if others is None:
        others = (~right).values
        if others is None:
            return left & right
        kept = listed - others
    else:
        kept = listed & others
    return left if len(kept) == len(listed) else StringSet.of(kept)


def _join(left: Scalars, right: Scalars) -> Scalars:
    """Return what is in either."""
    if left is _NONE or right is _ALL:
        return right
    if right is _NONE or left is _ALL:
        return left
    bits, number, string = left
    other_bits, other_number, other_string = right
    if number is not other_number:
        if number is NumberSet.NONE or other_number is NumberSet.ALL:
            number = other_number
        elif other_number is not NumberSet.NONE and number is not NumberSet.ALL:
            number = join_numbers(number, other_number)
    if string is not other_string:
        if string is StringSet.NONE or other_string is StringSet.ALL:
            string = other_string
        elif other_string is not StringSet.NONE and string is not StringSet.ALL:
            string = string | other_string
    return bits | other_bits, number, string


def _complement(one: Scalars) -> Scalars:
    """Return what is not in a set."""
    bits, number, string = one
    return (
        _BITS & ~bits,
        NumberSet.NONE if number is NumberSet.ALL else ~number,
        StringSet.NONE if string is StringSet.ALL else ~string,
    )
