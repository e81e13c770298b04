"""From a set of numbers to the node of their spellings.

A set is written as zero, what lies above it, and the mirror image of what lies below it. Each half
is cut into ranges of one kind:

- all decimals of a range, or its multiples of a power of ten: digit by digit (``_numbers_digits``);
- few numbers: their decimals as one automaton;
- other divisibility: residues (``_numbers_residues``).

Every range takes its plain decimals, with zeros after the last digit as JSON has them (``1.0``).
Exponents on top of that, where they cost a few nodes:

- all numbers, and all above (below) zero: every spelling;
- other ranges and single numbers: one digit but 0 before the point and any exponent that fits;
- integers without an upper bound: on whole mantissas where there is no lower bound either, and on
  mantissas of at most 16 fraction digits from ``e16`` on (so are large floats printed); so also
  multiples of what divides a power of ten, with exponents that make multiples of that power.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, cast

from formgate.core.forking import lock_across_forks
from formgate.plugins.json_schema._numbers import ALWAYS, NEVER, NumberSet, holds, multiples
from formgate.plugins.json_schema._numbers_digits import Bound, Digits
from formgate.plugins.json_schema._strings_record import Recorder

if TYPE_CHECKING:
    from formgate.core.grammar import GrammarBuilder, Node
    from formgate.plugins.json_schema._notes import Notes
    from formgate.plugins.json_schema._numbers import Exact, Indicator
    from formgate.plugins.json_schema._strings_record import Program

__all__ = ["NumberWriter", "Range", "plain", "recorded_numbers", "write_numbers"]

_FEW = 512
_MANY_SETS = 64  # of one builder, after which others are met but once
_FLOAT_PLACES = 16
_MAX_STEPS = 32_768  # of programs that are kept; some 200 bytes each


class Range(NamedTuple):
    """Numbers above zero that an indicator holds for; bounds that are None are 0 and infinity.

    ``low_in`` and ``high_in`` say whether the bounds, for which the indicator holds, belong too.
    """

    low: Exact | None
    low_in: bool
    high: Exact | None
    high_in: bool
    one: Indicator


class _Half(NamedTuple):
    """The numbers above zero: single ones and ranges."""

    points: tuple[Exact, ...]
    ranges: tuple[Range, ...]


class _Programs:
    """Programs of sets that were written lately; together they have a bounded number of steps."""

    def __init__(self) -> None:
        self._known: dict[NumberSet, Program] = {}
        self._steps = 0
        self._lock = lock_across_forks()

    def __contains__(self, key: NumberSet) -> bool:
        return key in self._known

    def get(self, key: NumberSet) -> Program | None:
        """Return the program of a set, if it is here."""
        return self._known.get(key)

    def keep(self, key: NumberSet, program: Program) -> None:
        """Keep a program unless it is large; the oldest go."""
        if len(program) > _MAX_STEPS // 16:
            return
        with self._lock:
            if key not in self._known:
                self._known[key] = program
                self._steps += len(program)
            while self._steps > _MAX_STEPS:
                self._steps -= len(self._known.pop(next(iter(self._known))))


_programs = _Programs()


def write_numbers(numbers: NumberSet, builder: GrammarBuilder, notes: Notes) -> Node:
    """Return the node of a set that a builder has not been given yet.

    What other builders will hardly be given is not recorded: that takes longer than to write it.
    """
    if len(notes.numbers) < _MANY_SETS or numbers in _programs:
        return recorded_numbers(numbers).write(builder)
    if notes.writer is None:
        notes.writer = NumberWriter(builder)
    return notes.writer.write(numbers)


def recorded_numbers(numbers: NumberSet) -> Program:
    """Return the calls that write a set of numbers."""
    found = _programs.get(numbers)
    if found is None:
        recorder = Recorder()
        writer = NumberWriter(cast("GrammarBuilder", recorder))
        found = recorder.program(writer.write(numbers))
        _programs.keep(numbers, found)
    return found


class NumberWriter:
    """Writes a set."""

    def __init__(self, builder: GrammarBuilder) -> None:
        self._digits = Digits(builder)
        self._builder = builder
        self._zero: Node | None = None
        self._exponent: Node | None = None
        self._bounded: dict[tuple[int | None, int | None], Node] = {}
        self._halves: dict[_Half, Node | None] = {}

    def write(self, numbers: NumberSet) -> Node:
        """Return the node of a set."""
        builder = self._builder
        if numbers is NumberSet.ALL:
            return self._everything()
        above = self._half(half_above_zero(numbers.points, numbers.flags, numbers.between))
        mirrored = tuple([-point for point in numbers.points[::-1]])
        below = self._half(half_above_zero(mirrored, numbers.flags[::-1], numbers.between[::-1]))
        sign = builder.literal("-")
        parts: list[Node] = []
        zero = numbers.contains(0)
        if above is not None and above == below:
            parts.append(builder.seq(builder.optional(sign), above))
        else:
            parts += [] if above is None else [above]
            parts += [] if below is None else [builder.seq(sign, below)]
        if zero:
            parts.append(self._zeros())
        if len(parts) == 1:
            return parts[0]
        return builder.choice(*parts)

    def _everything(self) -> Node:
        """Return the spellings of all numbers, as JSON has them."""
        builder, digits = self._builder, self._digits
        return builder.seq(
            builder.optional(builder.literal("-")),
            builder.choice(digits.zero, builder.seq(digits.nonzero, digits.digits)),
            builder.optional(builder.seq(digits.point, builder.plus(digits.digit))),
            builder.optional(self._any_exponent()),
        )

    def _zeros(self) -> Node:
        """Return every spelling of zero."""
        if self._zero is None:
            builder, digits = self._builder, self._digits
            self._zero = builder.seq(
                builder.optional(builder.literal("-")),
                digits.zero,
                digits.no_fraction,
                builder.optional(self._any_exponent()),
            )
        return self._zero

    def _any_exponent(self) -> Node:
        """Return any exponent."""
        if self._exponent is None:
            builder = self._builder
            self._exponent = builder.seq(
                builder.char_class([(69, 69), (101, 101)]),
                builder.optional(builder.char_class([(43, 43), (45, 45)])),
                builder.plus(self._digits.digit),
            )
        return self._exponent

    def _half(self, half: _Half) -> Node | None:
        """Return the node of numbers above zero, or None for none."""
        if half not in self._halves:
            parts = [self._range(part) for part in half.ranges]
            few = [point for part in half.ranges for point in self._enumerated(part) or ()]
            points = sorted({*half.points, *few})
            if points:
                parts.append(self._points(points))
            some = [part for part in parts if part is not None]
            node = some[0] if len(some) == 1 else self._builder.choice(*some) if some else None
            self._halves[half] = node
        return self._halves[half]

    # -- ranges

    def _range(  # noqa: PLR0911 (one return for each kind of range)
        self, part: Range
    ) -> Node | None:
        """Return the node of a range, or None where it is enumerated."""
        if self._enumerated(part) is not None:
            return None
        if part.one == ALWAYS:
            return self._decimals(part)
        from formgate.plugins.json_schema import _numbers_residues  # noqa: PLC0415

        scale = _scale(part.one)
        if scale is None:
            node = _numbers_residues.write_residues(part, self._digits)
        else:
            low, high = _tightened(part)
            if high is not None and low >= high:
                return self._points([low]) if low == high else None
            first = None if low == part.one[0][0] else _bound(low, included=True)
            last = None if high is None else _bound(high, included=True)
            node = self._digits.between(first, last, scale)
        shift = _numbers_residues.whole_from(part.one)
        if part.high is not None or shift is None:
            return node
        builder = self._builder
        large = self._large_integers(part, shift)
        if part.low is None or (part.low <= 1 and part.low_in):
            if (scale, shift) == (0, 0):
                return builder.choice(
                    builder.seq(node, builder.optional(self._exponents(0, None))), large
                )
            digits = self._digits
            whole = builder.seq(digits.nonzero, digits.digits, digits.no_fraction)
            return builder.choice(node, builder.seq(whole, self._exponents(shift, None)), large)
        return builder.choice(node, large)

    def _enumerated(self, part: Range) -> list[Exact] | None:
        """Return the numbers of a range if there are few, and they are no range of integers."""
        if part.high is None or part.one[0] == (0, 1) or _scale(part.one) is not None:
            return None
        found = multiples(part.one, part.low or 0, part.high, _FEW)
        if found is None:
            return None
        if part.low_in and part.low is not None:
            found.append(part.low)
        if part.high_in:
            found.append(part.high)
        return found

    def _decimals(self, part: Range) -> Node:
        """Return all decimals of a range."""
        builder, digits = self._builder, self._digits
        low, high = part.low, part.high
        first = None if low is None else _bound(low, included=part.low_in)
        last = None if high is None else _bound(high, included=part.high_in)
        node = digits.between(first, last, None)
        if first is None and last is None:
            return builder.seq(node, builder.optional(self._any_exponent()))
        return builder.choice(node, *self._scientific(part))

    def _scientific(self, part: Range) -> list[Node]:
        """Return the decimals of a range with one digit before the point and an exponent."""
        builder, digits = self._builder, self._digits
        least = None if part.low is None else _scientific(part.low)
        most = None if part.high is None else _scientific(part.high)
        low = None if least is None else Bound(least[0][0], least[0][1:], part.low_in)
        high = None if most is None else Bound(most[0][0], most[0][1:], part.high_in)
        if least and most and least[1] == most[1]:
            return [
                builder.seq(digits.between(low, high, None), self._exponents(least[1], least[1]))
            ]
        parts: list[Node] = []
        if least:
            above = digits.between(low, Bound("10", "", included=False), None)
            parts.append(builder.seq(above, self._exponents(least[1], least[1])))
        first = None if least is None else least[1] + 1
        last = None if most is None else most[1] - 1
        if first is None or last is None or first <= last:
            mantissa = builder.seq(digits.nonzero, digits.tail(None, 0))
            parts.append(builder.seq(mantissa, self._exponents(first, last)))
        if most and high and high != ("1", "", False):
            if high == ("1", "", True):
                below = builder.seq(builder.literal("1"), digits.no_fraction)
            else:
                below = digits.between(Bound("1", "", included=True), high, None)
            parts.append(builder.seq(below, self._exponents(most[1], most[1])))
        return parts

    def _exponents(self, low: int | None, high: int | None) -> Node:
        """Return the exponents of a range that is not empty."""
        known = self._bounded.get((low, high))
        if known is None:
            node = self._digits.exponent(low, high)
            known = self._bounded[low, high] = self._builder.nothing() if node is None else node
        return known

    def _large_integers(self, part: Range, shift: int) -> Node:
        """Return large integers as floats are printed, from a bound on, multiples of a power."""
        builder, digits = self._builder, self._digits
        places = builder.optional(
            builder.seq(digits.point, builder.repeat(digits.digit, 1, _FLOAT_PLACES), digits.zeros)
        )
        start = max(_FLOAT_PLACES + shift, len(str(int(part.low or 0))))
        return builder.seq(digits.nonzero, places, self._exponents(start, None))

    # -- single numbers

    def _points(self, points: list[Exact]) -> Node:
        """Return the spellings of single numbers."""
        builder, digits = self._builder, self._digits
        whole: list[str] = []
        broken: list[str] = []
        groups: dict[tuple[int, bool], list[str]] = {}
        for point in points:
            text = plain(point)
            (broken if "." in text else whole).append(text)
            figures, exponent = _scientific(point)
            mantissa = figures[0] if len(figures) == 1 else f"{figures[0]}.{figures[1:]}"
            groups.setdefault((exponent, len(figures) > 1), []).append(mantissa)
        parts: list[Node] = []
        if whole:
            parts.append(builder.seq(self._texts(whole), digits.no_fraction))
        if broken:
            parts.append(builder.seq(self._texts(broken), digits.zeros))
        for (exponent, has_fraction), mantissas in groups.items():
            zeros = digits.zeros if has_fraction else digits.no_fraction
            ending = self._exponents(exponent, exponent)
            parts.append(builder.seq(self._texts(mantissas), zeros, ending))
        return builder.choice(*parts)

    def _texts(self, texts: list[str]) -> Node:
        """Return some texts."""
        if len(texts) == 1:
            return self._builder.literal(texts[0])
        return self._builder.strings(texts)


def half_above_zero(
    points: tuple[Exact, ...], flags: tuple[bool, ...], between: tuple[Indicator, ...]
) -> _Half:
    """Return what belongs to a set above zero: points and ranges, which take their ends in."""
    first = next((i for i, point in enumerate(points) if point > 0), len(points))
    cuts: list[Exact | None] = [None, *points[first:], None]
    open_flags = [False, *flags[first:], False]
    single: list[Exact] = []
    ranges: list[Range] = []
    taken = False  # whether the point to the left lies in the range before it
    for index, one in enumerate(between[first:]):
        low, high = cuts[index], cuts[index + 1]
        low_in = open_flags[index] and not taken
        taken = False
        if one == NEVER:
            if low_in and low is not None:
                single.append(low)
            continue
        if low_in and low is not None and not holds(one, low):
            single.append(low)
            low_in = False
        if high is not None and open_flags[index + 1] and holds(one, high):
            taken = True
        ranges.append(Range(low, low_in, high, taken, one))
    return _Half(tuple(single), tuple(ranges))


def _scale(one: Indicator) -> int | None:
    """Return how many fraction digits the multiples have, if of a power of ten not above 1."""
    if len(one) != 1 or one[0][1] != 1:
        return None
    modulus = one[0][0]
    if modulus == 1:
        return 0
    if modulus.numerator != 1 or modulus == 0:
        return None
    scale = len(str(modulus.denominator)) - 1
    return scale if 10**scale == modulus.denominator else None


def _tightened(part: Range) -> tuple[Exact, Exact | None]:
    """Return the least and the greatest multiple of a range; None for no bound."""
    modulus = part.one[0][0]
    low, high = part.low or 0, part.high
    if not part.low_in:
        low = (low // modulus + 1) * modulus
    if high is not None and not part.high_in:
        high = -(-high // modulus + 1) * modulus
    return low, high


def plain(value: Exact) -> str:
    """Return a positive number as a plain decimal."""
    if isinstance(value, int) or value.denominator == 1:
        return str(int(value))
    figures, exponent = _scientific(value)
    places = len(figures) - 1 - exponent
    digits = figures.rjust(places + 1, "0")
    return f"{digits[:-places]}.{digits[-places:]}"


def _bound(value: Exact, *, included: bool) -> Bound:
    """Return a positive number as a bound."""
    whole, _, fraction = plain(value).partition(".")
    return Bound(whole, fraction, included)


def _scientific(value: Exact) -> tuple[str, int]:
    """Return the figures of a positive number and the exponent of the first of them."""
    denominator = value.denominator
    places = 0
    if denominator != 1:
        twos = (denominator & -denominator).bit_length() - 1
        odd, fives = denominator >> twos, 0
        while odd > 1:
            odd //= 5
            fives += 1
        places = max(twos, fives)
    text = str(value.numerator * (10**places // denominator))
    return text.rstrip("0"), len(text) - 1 - places
