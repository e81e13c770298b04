"""Numbers that divisibility decides: ``multipleOf: 7``, ``not: {multipleOf: 0.3}``, combinations.

With all moduli multiples of ``10**-s``, a decimal is read from the left as a whole number of that
unit, modulo the moduli's least common multiple: one residue for each prefix, ``s`` places after the
point, and beyond them only whether there is another digit but 0. Bounds run along as comparisons
with the digits of both. Residues that no digits to come tell apart count as one. That makes a
deterministic automaton, explored from its start and brought to its least form by refining
partitions (Moore 1956), then written from its end: a state that leads to itself alone becomes a
repetition, up to four states on a cycle an expression, more of them rules.

Multiples without bounds whose modulus has no prime factor but 2 and 5 need no automaton: the last
digits decide, and all endings are listed. Cost: ten steps for each state; the states are limited.
"""

from __future__ import annotations

from math import gcd, lcm
from typing import TYPE_CHECKING

from formgate.plugins.json_schema._deadline import check_time
from formgate.plugins.json_schema._numbers_automata import POINT, AutomatonWriter, too_large

if TYPE_CHECKING:
    from formgate.core.grammar import Node
    from formgate.plugins.json_schema._numbers import Exact, Indicator
    from formgate.plugins.json_schema._numbers_digits import Digits
    from formgate.plugins.json_schema._numbers_write import Range

__all__ = ["whole_from", "write_residues"]

_MAX_RESIDUES = 10_000  # that digits tell apart
_MAX_CYCLE = 50_000  # residues in all
_MAX_STATES = 40_000
_MAX_ENDINGS = 2048
_OFTEN = 255  # states after which the deadline is looked at

_START, _ZERO, _WHOLE, _POINTED, _PLACES = range(5)

# What has been read: phase, count of digits (of places after the point), residue, and the
# comparisons with the bounds, -1, 0 or 1; None where a bound is met for sure.
_State = tuple[int, int, int, "int | None", "int | None"]


def write_residues(part: Range, digits: Digits) -> Node:
    """Return the node of the plain decimals of a range.

    Raises:
        UnsupportedConstraint: The automaton would be too large.
    """
    if part.low is None and part.high is None and len(part.one) == 1:
        node = _endings(part.one[0][0], digits)
        if node is not None:
            return node
    automaton = _Automaton(part)
    return AutomatonWriter(*automaton.least(), digits).write()


def whole_from(one: Indicator) -> int | None:
    """Return the least exponent from which on every whole mantissa makes a multiple, or None."""
    if len(one) != 1 or not one[0][0]:
        return None
    modulus = one[0][0]
    scale = places_of(modulus)
    deciding = _deciding(int(modulus * 10**scale))
    return None if deciding is None else max(deciding - scale, 0)


# -- the last digits decide


def _endings(modulus: Exact, digits: Digits) -> Node | None:
    """Return the positive multiples of a modulus by their last digits, or None."""
    scale = places_of(modulus)
    whole = int(modulus * 10**scale)
    width = _deciding(whole)
    if width is None or 10**width // whole > _MAX_ENDINGS:
        return None
    builder = digits.builder
    parts: list[Node] = []
    for places in range(scale + 1):
        # The digits before and after the point are one number, `places` of them after it.
        unit = whole // gcd(whole, 10 ** (scale - places))
        width = _deciding(unit) or 0
        zeros = digits.zeros if places == scale else builder.empty()
        if not scale:
            zeros = digits.no_fraction
        values = range(0, 10**width, unit)
        lead = [digits.nonzero, digits.digits]
        if width > places:
            ends = [_pointed(str(value).zfill(width), places) for value in values]
            parts.append(builder.seq(*lead, builder.strings(ends), zeros))
            short = [_pointed(str(value).zfill(places + 1), places) for value in values[1:]]
            if short:
                parts.append(builder.seq(builder.strings(short), zeros))
        elif not places:
            parts.append(builder.seq(*lead, zeros))
        else:
            ends = [str(value).zfill(width) if width else "" for value in values]
            free = places - width
            any_ending = builder.strings(ends)
            fraction = builder.seq(builder.repeat(digits.digit, free, free), any_ending)
            parts.append(builder.seq(*lead, digits.point, fraction, zeros))
            small = [
                builder.seq(
                    *[digits.zero] * count,
                    digits.nonzero,
                    builder.repeat(digits.digit, free - 1 - count, free - 1 - count),
                    any_ending,
                )
                for count in range(free)
            ]
            if len(ends) > 1:
                small.append(builder.seq(*[digits.zero] * free, builder.strings(ends[1:])))
            if small:
                head = builder.seq(digits.zero, digits.point)
                parts.append(builder.seq(head, builder.choice(*small), zeros))
    return builder.choice(*parts)


def _deciding(whole: int) -> int | None:
    """Return how many last digits say whether a number is a multiple, or None if all do."""
    twos = (whole & -whole).bit_length() - 1
    odd, fives = whole >> twos, 0
    while odd % 5 == 0:
        odd //= 5
        fives += 1
    return max(twos, fives) if odd == 1 else None


def places_of(value: Exact) -> int:
    """Return how many fraction digits a decimal has."""
    return 0 if value.denominator == 1 else _deciding(value.denominator) or 0


def _pointed(text: str, places: int) -> str:
    """Return digits with a point before the last so many of them."""
    return f"{text[:-places]}.{text[-places:]}" if places else text


# -- all digits decide


class _Automaton:
    """The plain decimals of a range, as a deterministic automaton over digits and the point."""

    def __init__(self, part: Range) -> None:
        from formgate.plugins.json_schema._numbers_write import plain  # noqa: PLC0415

        moduli = [(modulus, count) for modulus, count in part.one if modulus]
        self._scale = max([places_of(modulus) for modulus, _ in moduli], default=0)
        unit = 10**self._scale
        self._cycle = lcm(*[int(modulus * unit) for modulus, _ in moduli])
        if self._cycle > _MAX_CYCLE:
            raise too_large("residues", self._cycle, _MAX_RESIDUES)
        constant = sum(count for modulus, count in part.one if not modulus)
        self._generic = constant == 1
        self._good = [
            constant + sum(count for modulus, count in moduli if residue % int(modulus * unit) == 0)
            == 1
            for residue in range(self._cycle)
        ]
        self._same = _equal_residues(self._cycle, self._scale, self._good)
        different = len(set(self._same))
        if different > _MAX_RESIDUES:
            raise too_large("residues", different, _MAX_RESIDUES)
        # Without a lower bound, what is not above zero is left out: a fraction after 0 has to tell.
        self._bounded = part.low is not None
        self._low = plain(part.low).partition(".")[::2] if part.low is not None else ("0", "")
        self._high = None if part.high is None else plain(part.high).partition(".")[::2]
        self._low_in, self._high_in = self._bounded and part.low_in, part.high_in
        bounds = [self._low] if self._bounded else []
        bounds += [] if self._high is None else [self._high]
        self._longest = max([len(whole) for whole, _ in bounds], default=0)
        self._last = max([self._scale, *[len(fraction) for _, fraction in bounds]])

    def least(self) -> tuple[list[dict[int, int]], list[bool]]:
        """Return the least automaton: steps by symbol and whether to accept; 0 is the start."""
        start: _State = (
            _START,
            0,
            0,
            0,
            None if self._high is None else 0,
        )
        index: dict[_State, int] = {start: 0}
        order = [start]
        steps: list[dict[int, int]] = []
        for state in order:
            if not len(steps) & _OFTEN:
                check_time()
            found: dict[int, int] = {}
            for symbol in range(11):
                after = self._step(state, symbol)
                if after is None:
                    continue
                if after not in index:
                    if len(order) >= _MAX_STATES:
                        raise too_large("states", f"more than {_MAX_STATES}", _MAX_STATES)
                    index[after] = len(order)
                    order.append(after)
                found[symbol] = index[after]
            steps.append(found)
        return _least(steps, [self._accepts(state) for state in order])

    def _step(self, state: _State, symbol: int) -> _State | None:
        """Return the state after a symbol, or None where nothing can follow."""
        phase, count, residue, low, high = state
        compared: tuple[int | None, int | None] | None
        if symbol == POINT:
            if phase not in (_WHOLE, _ZERO) or not (self._scale or self._whole_good(residue)):
                return None
            compared = self._at_point(count, low, high)
            return None if compared is None else (_POINTED, 0, residue, *compared)
        if phase == _ZERO:
            return None
        if phase in (_START, _WHOLE):
            compared = self._digit(count, symbol, low, high)
            if phase == _START and symbol == 0:
                return (_ZERO, 1, 0, *compared)
            residue = self._same[(residue * 10 + symbol) % self._cycle]
            return (_WHOLE, min(count + 1, self._longest + 1), residue, *compared)
        compared = self._place(count, symbol, low, high)
        if count < self._scale:
            residue = self._same[(residue * 10 + symbol) % self._cycle]
        elif symbol:
            residue = -1
        after = min(count + 1, self._last + 1)
        return None if compared is None else (_PLACES, after, residue, *compared)

    def _whole_good(self, residue: int) -> bool:
        """Say whether a whole number belongs, or may with a fraction; there are no scaled ones."""
        return self._generic or self._good[residue]

    def _digit(
        self, count: int, symbol: int, low: int | None, high: int | None
    ) -> tuple[int | None, int | None]:
        """Compare the digit before the point with those of the bounds."""
        if low == 0:
            above = symbol and not self._bounded
            low = None if above else _compare_digit(symbol, self._low[0], count)
        if self._high and high == 0:
            high = _compare_digit(symbol, self._high[0], count)
        return low, high

    def _at_point(
        self, count: int, low: int | None, high: int | None
    ) -> tuple[int | None, int | None] | None:
        """Return what is left to compare after the point: 0, or None where nothing is."""
        if low is not None:
            order = _compared(count, len(self._low[0]), low)
            if order < 0:
                return None
            low = None if order else 0
        if self._high:
            order = _compared(count, len(self._high[0]), high)
            if order > 0:
                return None
            high = None if order else 0
        return low, high

    def _place(
        self, count: int, symbol: int, low: int | None, high: int | None
    ) -> tuple[int | None, int | None] | None:
        """Compare the digit after the point with those of the bounds."""
        if low == 0:
            fraction = self._low[1]
            digit = int(fraction[count]) if count < len(fraction) else 0
            if symbol < digit:
                return None
            low = None if symbol > digit else 0
        if self._high and high == 0:
            fraction = self._high[1]
            digit = int(fraction[count]) if count < len(fraction) else 0
            if symbol > digit:
                return None
            high = None if symbol < digit else 0
        return low, high

    def _accepts(self, state: _State) -> bool:
        """Say whether the text may end here."""
        phase, count, residue, low, high = state
        if phase in (_START, _POINTED):
            return False
        if phase in (_ZERO, _WHOLE):
            compared = self._at_point(count, low, high)
            if compared is None or phase == _ZERO:
                return False  # zero is not above zero
            low, high = compared
            count = 0
        if low == 0 and (count < len(self._low[1]) or not self._low_in):
            return False
        if self._high and high == 0 and count >= len(self._high[1]) and not self._high_in:
            return False
        if residue < 0:
            return self._generic
        shift = 10 ** max(self._scale - count, 0)
        return self._good[residue * int(shift) % self._cycle]


def _equal_residues(cycle: int, scale: int, good: list[bool]) -> list[int]:
    """Return for each residue the least one that no further digits tell apart from it.

    As in Moore's algorithm; the ten residues after one follow each other.
    """
    units = [10**place for place in range(scale + 1)]
    blocks: list[int] = []
    numbers: dict[object, int] = {}
    for residue in range(cycle):
        flags = tuple([good[residue * unit % cycle] for unit in units])
        blocks.append(numbers.setdefault(flags, len(numbers)))
    count = 0
    while len(numbers) > count:
        count = len(numbers)
        around = blocks * (2 + 10 // cycle)
        starts = (residue * 10 % cycle for residue in range(cycle))
        numbers = {}
        blocks = [
            numbers.setdefault((block, *around[start : start + 10]), len(numbers))
            for block, start in zip(blocks, starts, strict=True)
        ]
    first: dict[int, int] = {}
    return [first.setdefault(block, residue) for residue, block in enumerate(blocks)]


def _compare_digit(symbol: int, whole: str, count: int) -> int:
    """Compare a digit with the one at its place, if there is one."""
    if count >= len(whole):
        return 0
    return (symbol > int(whole[count])) - (symbol < int(whole[count]))


def _compared(count: int, length: int, known: int | None) -> int:
    """Compare whole numbers by their count of digits, then by what their digits said."""
    return (count > length) - (count < length) or known or 0


def _least(
    steps: list[dict[int, int]], accepting: list[bool]
) -> tuple[list[dict[int, int]], list[bool]]:
    """Return the least automaton that accepts the same."""
    live = _live(steps, accepting)
    steps = [{symbol: after for symbol, after in found.items() if after in live} for found in steps]
    blocks = [int(flag) for flag in accepting]
    count = len(set(blocks))
    while True:
        check_time()
        numbers: dict[object, int] = {}
        blocks = [
            numbers.setdefault(
                (blocks[state], *[(symbol, blocks[after]) for symbol, after in found.items()]),
                len(numbers),
            )
            for state, found in enumerate(steps)
        ]
        if len(numbers) == count:
            break
        count = len(numbers)
    merged: list[dict[int, int]] = [{} for _ in range(count)]
    flags = [False] * count
    for state, found in enumerate(steps):
        merged[blocks[state]] = {symbol: blocks[after] for symbol, after in found.items()}
        flags[blocks[state]] = accepting[state]
    return merged, flags


def _live(steps: list[dict[int, int]], accepting: list[bool]) -> set[int]:
    """Return the states from which a text can end."""
    before: list[list[int]] = [[] for _ in steps]
    for state, found in enumerate(steps):
        for after in found.values():
            before[after].append(state)
    stack = [state for state, flag in enumerate(accepting) if flag]
    live = set(stack)
    while stack:
        for state in before[stack.pop()]:
            if state not in live:
                live.add(state)
                stack.append(state)
    return live
