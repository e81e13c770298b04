"""Decimals between two bounds, digit by digit.

Bounds are positive decimals, and so is what lies between them; signs and zero are the caller's.
A decimal is compared with a bound of as many digits before the point from the left: while all
digits so far are the bound's, the next decides, and once one differs the rest is free. That is one
node for each digit and bound, shared from the right; numbers of other lengths before the point are
smaller or larger altogether.

What may follow a free digit depends on the scale alone: any digits after the point, digits up to a
certain place and zeros after it (multiples of a power of ten), or no fraction at all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from formgate.core.grammar import GrammarBuilder, Node

__all__ = ["NO_FRACTION", "Bound", "Digits"]

# The scale of numbers without a fraction, where an integer may have zeros for one.
NO_FRACTION = -1


class Bound(NamedTuple):
    """A bound: digits before and after the point, without needless zeros.

    Args:
        whole: Digits before the point; ``0`` for none.
        fraction: Digits after the point.
        included: Whether the bound belongs to what it bounds.
    """

    whole: str
    fraction: str
    included: bool


class Digits:
    """Writes runs of digits and bounded decimals to one builder."""

    def __init__(self, builder: GrammarBuilder) -> None:
        self.builder = builder
        self._spans: dict[tuple[int, int], Node] = {}
        self._free: dict[tuple[int | None, int], Node] = {}
        self._tails: dict[tuple[int | None, int], Node] = {}
        self.digit = self.span(0, 9)
        self.nonzero = self.span(1, 9)
        self.zero = builder.literal("0")
        self.point = builder.literal(".")
        self.zeros = builder.star(self.zero)
        self.digits = builder.star(self.digit)
        self.no_fraction = builder.optional(builder.seq(self.point, builder.plus(self.zero)))

    def span(self, low: int, high: int) -> Node:
        """Return the node of the digits of a range."""
        node = self._spans.get((low, high))
        if node is None:
            node = self._spans[low, high] = self.builder.char_class([(48 + low, 48 + high)])
        return node

    def tail(self, scale: int | None, place: int) -> Node:
        """Return what may follow a free number's digits; ``place`` of them are fraction digits.

        At place 0 the point is part of it.
        """
        node = self._tails.get((scale, place))
        if node is None:
            node = self._tails[scale, place] = self._tail(scale, place)
        return node

    def _tail(self, scale: int | None, place: int) -> Node:
        """Write what ``tail`` returns."""
        builder = self.builder
        if scale == NO_FRACTION:
            return builder.empty()
        if place == 0:
            if scale == 0:
                return self.no_fraction
            digits = builder.plus(self.digit)
            if scale is not None:
                digits = builder.seq(builder.repeat(self.digit, 1, scale), self.zeros)
            return builder.optional(builder.seq(self.point, digits))
        if scale is None:
            return self.digits
        if place >= scale:
            return self.zeros
        return builder.seq(builder.repeat(self.digit, 0, scale - place), self.zeros)

    def free(self, scale: int | None, count: int) -> Node:
        """Return so many free digits before the point, and what follows them."""
        if not count:
            return self.tail(scale, 0)
        node = self._free.get((scale, count))
        if node is None:
            node = self.digit if count == 1 else self.builder.repeat(self.digit, count, count)
            node = self._free[scale, count] = self.followed(node, scale)
        return node

    def followed(self, node: Node, scale: int | None) -> Node:
        """Return digits before the point and what may follow them."""
        return node if scale == NO_FRACTION else self.builder.seq(node, self.tail(scale, 0))

    # -- numbers without a sign

    def above_zero(self, scale: int | None) -> Node:
        """Return the decimals above zero."""
        builder = self.builder
        large = self.followed(builder.seq(self.nonzero, self.digits), scale)
        if scale in (0, NO_FRACTION):
            return large
        return builder.choice(large, self.below_one(scale))

    def below_one(self, scale: int | None) -> Node:
        """Return the decimals above 0 and below 1."""
        return self.builder.seq(self.builder.literal("0."), self.some(scale, 0))

    def some(self, scale: int | None, place: int) -> Node:
        """Return fraction digits from a place on that are not all zero."""
        builder = self.builder
        if scale is None:
            return builder.seq(self.zeros, self.nonzero, self.digits)
        zeros = [self.zero] * (scale - place)
        parts = [
            builder.seq(*zeros[:count], self.nonzero, self.tail(scale, place + count + 1))
            for count in range(scale - place)
        ]
        return parts[0] if len(parts) == 1 else builder.choice(*parts)

    def between(self, low: Bound | None, high: Bound | None, scale: int | None) -> Node:
        """Return the decimals above zero and between two different bounds.

        Where the scale is a number, included bounds have no more fraction digits than that, and
        are not excluded unless low is 0.
        """
        if low is None or (low.whole == "0" and not low.fraction):
            low = None
            if high is None:
                return self.above_zero(scale)
        writer = _Between(self, low, high, scale)
        return writer.write()

    def exponent(self, low: int | None, high: int | None) -> Node | None:
        """Return the exponents from ``low`` to ``high``, with any zeros in front; None for none."""
        builder = self.builder
        parts: list[Node] = []
        if high is None or high >= 0:
            sign = builder.optional(builder.literal("+"))
            parts.append(builder.seq(sign, self._padded(max(low or 0, 0), high)))
        if low is None or low <= 0:
            least = 0 if high is None or high >= 0 else -high
            most = None if low is None else -low
            parts.append(builder.seq(builder.literal("-"), self._padded(least, most)))
        if not parts or (low is not None and high is not None and low > high):
            return None
        mark = builder.char_class([(69, 69), (101, 101)])
        return builder.seq(mark, parts[0] if len(parts) == 1 else builder.choice(*parts))

    def _padded(self, low: int, high: int | None) -> Node:
        """Return the natural numbers of a range, with any zeros in front."""
        builder = self.builder
        if low == 0 and high is None:
            return builder.plus(self.digit)
        parts = [builder.plus(self.zero)] if low == 0 else []
        least = max(low, 1)
        if high is None or high > least:
            first = Bound(str(least), "", included=True)
            last = None if high is None else Bound(str(high), "", included=True)
            parts.append(builder.seq(self.zeros, self.between(first, last, NO_FRACTION)))
        elif high == least:
            parts.append(builder.seq(self.zeros, builder.literal(str(high))))
        return parts[0] if len(parts) == 1 else builder.choice(*parts)


class _Between:
    """Writes one range; None stands for what matches nothing."""

    def __init__(
        self, digits: Digits, low: Bound | None, high: Bound | None, scale: int | None
    ) -> None:
        self._digits = digits
        self._builder = digits.builder
        self._low = low
        self._high = high
        self._scale = scale
        self._nothing_more = digits.tail(scale, 0) if scale == NO_FRACTION else None

    def write(self) -> Node:
        """Return the node."""
        node = self._whole()
        return self._builder.nothing() if node is None else node

    def _whole(self) -> Node | None:
        """Return the node, or None."""
        low, high, digits, builder = self._low, self._high, self._digits, self._builder
        parts: list[Node | None] = []
        least = len(low.whole) if low else 0
        if low and high and least == len(high.whole):
            return self._choice([self._same_length(low, high)])
        if low:
            parts.append(self._at_least(low, 0, self._above(low)))
            least += 1
        else:
            least = 1
            if self._scale not in (0, NO_FRACTION) and not (high and high.whole == "0"):
                parts.append(digits.below_one(self._scale))
        if high is None:
            free = builder.repeat(digits.digit, max(least - 1, 0), None)
            parts.append(digits.followed(builder.seq(digits.nonzero, free), self._scale))
        elif high.whole == "0":
            parts.append(self.small(high))
        else:
            longest = len(high.whole)
            if least < longest:
                free = builder.repeat(digits.digit, least - 1, longest - 2)
                parts.append(digits.followed(builder.seq(digits.nonzero, free), self._scale))
            parts.append(self._at_most(high))
        return self._choice(parts)

    def small(self, high: Bound) -> Node | None:
        """Return the decimals above 0 and up to a bound below 1."""
        rest = self._fraction("", high.fraction, low_in=False, high_in=high.included)
        return None if rest is None else self._builder.seq(self._digits.zero, rest)

    # -- digits before the point

    def _free(self, count: int) -> Node:
        """Return so many free digits before the point, and what follows them."""
        return self._digits.free(self._scale, count)

    def _above(self, low: Bound) -> Node | None:
        """Return the fractions that do not fall below a bound."""
        if low.included and not low.fraction:
            return self._digits.tail(self._scale, 0)
        point = self._digits.point
        rest = self._low_places(low.fraction, low.included)[0]
        return None if rest is None else self._builder.seq(point, rest)

    def _at_least(self, low: Bound, start: int, rest: Node | None) -> Node | None:
        """Return whole numbers of the bound's length, from its digit ``start`` on, not below it."""
        whole = low.whole
        node = rest
        for index in range(len(whole) - 1, start - 1, -1):
            after = self._free(len(whole) - 1 - index)
            digit = int(whole[index])
            if (
                node == after
            ):  # all that follow the digit will do, so the digit is free from here on
                node = self._step(digit, 9, after) if digit else self._free(len(whole) - index)
            else:
                more = self._step(digit + 1, 9, after)
                node = self._choice([more, self._then(whole[index], node)])
        return node

    def _at_most(self, high: Bound, start: int = 0) -> Node | None:
        """Return whole numbers of the bound's length, from its digit ``start`` on, not above it."""
        whole = high.whole
        node = self._below(high)
        for index in range(len(whole) - 1, start - 1, -1):
            after = self._free(len(whole) - 1 - index)
            digit = int(whole[index])
            least = 0 if index else 1  # zero is not above zero, and no number begins with it
            if node != after:
                less = self._step(least, digit - 1, after)
                node = self._choice([less, self._then(whole[index], node)])
            elif digit == 9 and not least:
                node = self._free(len(whole) - index)
            else:
                node = self._step(least, digit, after)
        return node

    def _below(self, high: Bound) -> Node | None:
        """Return the fractions that do not rise above a bound."""
        digits, builder = self._digits, self._builder
        if not high.fraction:
            if not high.included:
                return None
            return digits.tail(NO_FRACTION if self._scale == NO_FRACTION else 0, 0)
        rest = self._high_places(high.fraction, high.included)[0]
        return None if rest is None else builder.optional(builder.seq(digits.point, rest))

    def _same_length(self, low: Bound, high: Bound) -> Node | None:
        """Return what lies between bounds with equally many digits before the point."""
        same = 0
        while same < len(low.whole) and low.whole[same] == high.whole[same]:
            same += 1
        rest: Node | None
        if same == len(low.whole):
            rest = self._fraction(
                low.fraction, high.fraction, low_in=low.included, high_in=high.included
            )
        else:
            left = len(low.whole) - 1 - same
            first, last = int(low.whole[same]), int(high.whole[same])
            least = self._at_least(low, same + 1, self._above(low))
            most = self._at_most(high, same + 1)
            free = self._free(left)
            if least == free:
                first -= 1
            if most == free:
                last += 1
            parts = [self._step(first + 1, last - 1, free)]
            if least != free:
                parts.append(self._then(low.whole[same], least))
            if most != free:
                parts.append(self._then(high.whole[same], most))
            rest = self._choice(parts)
        if rest is None or not same:
            return rest
        return self._builder.seq(self._builder.literal(low.whole[:same]), rest)

    # -- digits after the point

    def _low_places(self, fraction: str, included: bool) -> list[Node | None]:
        """Return what may follow the first 0, 1, ... fraction digits of a lower bound."""
        digits = self._digits
        places: list[Node | None]
        places = [self._beyond(len(fraction), included)]
        for index in range(len(fraction) - 1, -1, -1):
            more = self._step(int(fraction[index]) + 1, 9, digits.tail(self._scale, index + 1))
            places.append(self._choice([more, self._then(fraction[index], places[-1])]))
        return places[::-1]

    def _high_places(self, fraction: str, included: bool) -> list[Node | None]:
        """Return what may follow the first 0, 1, ... fraction digits of an upper bound."""
        digits, builder = self._digits, self._builder
        places: list[Node | None] = [digits.zeros if included else None]
        for index in range(len(fraction) - 1, -1, -1):
            less = self._step(0, int(fraction[index]) - 1, digits.tail(self._scale, index + 1))
            node = self._choice([less, self._then(fraction[index], places[-1])])
            places.append(builder.optional(node) if index and node is not None else node)
        return places[::-1]

    def _fraction(self, low: str, high: str, *, low_in: bool, high_in: bool) -> Node | None:
        """Return the fractions, with the point, between two; they are not equal."""
        digits, builder = self._digits, self._builder
        width = max(len(low), len(high))
        bottom, top = low.ljust(width, "0"), high.ljust(width, "0")
        same = 0
        while bottom[same] == top[same]:
            same += 1
        lows = self._low_places(low, low_in)
        highs = self._high_places(high, high_in)
        place = same + 1
        above = lows[place] if place < len(lows) else self._beyond(place, low_in)
        parts = [
            self._then(bottom[same], above),
            self._step(int(bottom[same]) + 1, int(top[same]) - 1, digits.tail(self._scale, place)),
            self._then(top[same], highs[place] if place < len(highs) else None),
        ]
        node = self._choice(parts)
        if node is None:
            return None
        # Zeros may be left out at the end: the lower bound itself may stop early.
        for index in range(same, -1, -1):
            if low_in and not low[index:]:
                node = builder.optional(builder.seq(digits.point, node) if not index else node)
            elif not index:
                node = builder.seq(digits.point, node)
            if index:
                node = builder.seq(builder.literal(bottom[index - 1]), node)
        return node

    def _beyond(self, place: int, included: bool) -> Node:
        """Return what may follow a lower bound and zeros up to a place."""
        digits, scale = self._digits, self._scale
        return digits.tail(scale, place) if included else digits.some(scale, place)

    # -- small parts

    def _step(self, low: int, high: int, rest: Node) -> Node | None:
        """Return a digit of a range and a rest, or None where the range is empty."""
        if low > high:
            return None
        digits = self._digits
        span = self._builder.literal(str(low)) if low == high else digits.span(low, high)
        return span if rest == self._nothing_more else self._builder.seq(span, rest)

    def _then(self, digit: str, rest: Node | None) -> Node | None:
        """Return a digit and a rest."""
        if rest is None or rest == self._nothing_more:
            return None if rest is None else self._builder.literal(digit)
        return self._builder.seq(self._builder.literal(digit), rest)

    def _choice(self, parts: list[Node | None]) -> Node | None:
        """Return any of the parts that match something, or None where none does."""
        some = [part for part in parts if part is not None]
        if len(some) > 1:
            return self._builder.choice(*some)
        return some[0] if some else None
