"""Sets of numbers against plain arithmetic, and their spellings against the rules of JSON."""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction

import pytest
from compiled import acceptor, compiled
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from formgate.core.errors import GrammarError, UnsupportedConstraint
from formgate.core.grammar import GrammarBuilder
from formgate.plugins.json_schema._numbers import NumberSet

JSON_NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?")

BOUNDS = [
    Decimal(text)
    for text in [
        "0", "1", "-1", "2", "5", "7", "9", "10", "11", "99", "100", "101", "999", "1000", "123",
        "-123", "0.1", "0.5", "0.05", "0.99", "1.5", "2.25", "9.9", "10.01", "-0.5", "-10.75",
        "0.001", "123.456", "1e10", "1e-5", "99999.99", "65535", "9007199254740993", "1e22",
    ]
]  # fmt: skip
MODULI = [
    Decimal(text)
    for text in [
        "1", "2", "3", "5", "7", "10", "0.5", "0.1", "0.01", "0.25", "1.5", "4", "6", "0.3", "100",
        "12", "2.5", "0.07", "8",
    ]
]  # fmt: skip


class Judged:
    """A set and the predicate it should be."""

    def __init__(self, numbers, predicate):
        self.numbers = numbers
        self.predicate = predicate


def at_least(bound, exclusive):
    return Judged(
        NumberSet.at_least(bound, exclusive),
        lambda x: x > bound if exclusive else x >= bound,
    )


def at_most(bound, exclusive):
    return Judged(
        NumberSet.at_most(bound, exclusive),
        lambda x: x < bound if exclusive else x <= bound,
    )


def multiple_of(modulus):
    return Judged(
        NumberSet.multiple_of(modulus), lambda x: (x / Fraction(modulus)).denominator == 1
    )


def chosen(values):
    return Judged(NumberSet.of(values), lambda x: x in {Fraction(value) for value in values})


def both(left, right):
    return Judged(left.numbers & right.numbers, lambda x: left.predicate(x) and right.predicate(x))


def either(left, right):
    return Judged(left.numbers | right.numbers, lambda x: left.predicate(x) or right.predicate(x))


def other(one):
    return Judged(~one.numbers, lambda x: not one.predicate(x))


atoms = st.one_of(
    st.builds(at_least, st.sampled_from(BOUNDS), st.booleans()),
    st.builds(at_most, st.sampled_from(BOUNDS), st.booleans()),
    st.builds(multiple_of, st.sampled_from(MODULI)),
    st.builds(chosen, st.lists(st.sampled_from(BOUNDS), min_size=1, max_size=5)),
)
sets = st.recursive(
    atoms,
    lambda inner: st.one_of(
        st.builds(both, inner, inner), st.builds(either, inner, inner), st.builds(other, inner)
    ),
    max_leaves=6,
)

near = st.builds(
    lambda bound, step, places: bound + Decimal(step).scaleb(-places),
    st.sampled_from(BOUNDS),
    st.integers(-3, 3),
    st.integers(0, 6),
)
multiples = st.builds(lambda m, k: m * k, st.sampled_from(MODULI), st.integers(-200, 200))
values = st.one_of(near, multiples, st.decimals(-1000, 1000, places=3))


@st.composite
def plain_texts(draw):
    """A plain decimal, with zeros behind."""
    text = format(draw(values), "f")
    zeros = "0" * draw(st.integers(0, 3))
    return text + (zeros if "." in text else f".{zeros}" if zeros else "")


@st.composite
def exponent_texts(draw):
    """A number with an exponent, normalised or not."""
    value, shift = draw(values), draw(st.integers(-8, 25))
    digits = (
        format(value.scaleb(-shift), "f") if draw(st.booleans()) else f"{value:e}".split("e")[0]
    )
    mark, sign = draw(st.sampled_from("eE")), draw(st.sampled_from(["", "+", "-"]))
    return f"{digits}{mark}{sign}{draw(st.integers(0, 30))}"


@settings(max_examples=120, deadline=None)
@given(sets, st.lists(plain_texts(), min_size=20, max_size=40), st.lists(exponent_texts()))
def test_random_sets(judged, plain, exponents):
    try:
        accepts = acceptor(judged.numbers)
    except UnsupportedConstraint:
        assume(False)  # too many residues
    for text in plain:
        value = Fraction(text)
        assert judged.numbers.contains(Decimal(text)) == judged.predicate(value), text
        assert accepts(text) == judged.predicate(value), text
    for text in exponents:
        if accepts(text):
            assert JSON_NUMBER.fullmatch(text), text
            assert judged.predicate(Fraction(text)), text


@settings(max_examples=100, deadline=None)
@given(sets)
def test_members_and_emptiness(judged):
    numbers = judged.numbers
    members = numbers.finite(40)
    if members is not None:
        assert all(judged.predicate(Fraction(value)) for value in members)
        assert members == sorted(set(members))
        assert numbers.is_empty() == (not members)
    candidates = {Fraction(bound) + Fraction(step, 8) for bound in BOUNDS for step in range(-9, 10)}
    found = {value for value in candidates if judged.predicate(value)}
    if found:
        assert not numbers.is_empty()
    if members is not None:
        assert found <= {Fraction(value) for value in members}


@settings(max_examples=60, deadline=None)
@given(sets)
def test_emptiness_is_the_engines(judged):
    try:
        engine = compiled(judged.numbers)
    except UnsupportedConstraint:
        assume(False)
    assert judged.numbers.is_empty() == (engine is None)


@settings(max_examples=200, deadline=None)
@given(sets, sets)
def test_laws(left, right):
    a, b = left.numbers, right.numbers
    assert a & a == a
    assert hash(a & b) == hash(b & a)
    assert a & b == b & a
    assert ~~a == a
    assert a | b == ~(~a & ~b)
    assert (a & NumberSet.ALL, a | NumberSet.NONE) == (a, a)
    assert (a & ~a).is_empty()
    assert (a & NumberSet.NONE, a | NumberSet.ALL) == (NumberSet.NONE, NumberSet.ALL)


ALL_SPELLINGS = ["0", "-0", "0.0", "-0.00e5", "0E-7", "12", "12.50", "1e5", "1.5E+400", "25e-001"]


@pytest.mark.parametrize("text", [*ALL_SPELLINGS, "-3", "-1e-9"])
def test_all_numbers(text):
    assert acceptor(NumberSet.ALL)(text)


@pytest.mark.parametrize("text", ["", "-", "01", "1.", ".5", "1e", "+1", "1e+", "--1", "1 ", "0x1"])
def test_what_is_no_number(text):
    assert not acceptor(NumberSet.ALL)(text)
    assert not acceptor(NumberSet.INTEGERS)(text)


@pytest.mark.parametrize("text", ALL_SPELLINGS)
def test_sign_bounds_take_every_spelling(text):
    assert acceptor(NumberSet.at_least(0))(text)
    above = acceptor(NumberSet.at_least(0, exclusive=True))
    assert above(text) == (Fraction(text) > 0)
    below = acceptor(NumberSet.at_most(0))
    assert below(text) == (Fraction(text) <= 0)
    assert below(f"-{text.lstrip('-')}")


@pytest.mark.parametrize("text", ["1e3", "12E+3", "5.0e3", "1e0", "7e-0", "1.25e16", "1e400"])
def test_integers_with_exponents(text):
    assert acceptor(NumberSet.INTEGERS)(text)
    assert acceptor(NumberSet.INTEGERS & NumberSet.at_least(1))(text)


@pytest.mark.parametrize("text", ["1e-3", "1.5e0", "12e-1", "1.5", "1.25e1"])
def test_what_is_no_integer_with_an_exponent(text):
    assert not acceptor(NumberSet.INTEGERS)(text)


@pytest.mark.parametrize(
    ("modulus", "text", "accepted"),
    [
        ("0.5", "1e308", True),
        ("0.5", "12.0E+3", True),
        ("0.01", "1.25e18", True),
        ("0.01", "1e-2", False),
        ("2.5", "1e0", False),
        ("2.5", "1e1", True),
        ("100", "7e2", True),
        ("100", "7e1", False),
        ("100", "1.25e18", True),
        ("3", "3e2", False),
    ],
)
def test_multiples_with_exponents(modulus, text, accepted):
    """Where every whole mantissa will do; others are written without exponents."""
    multiples_of_it = NumberSet.multiple_of(Decimal(modulus))
    assert acceptor(multiples_of_it)(text) == accepted
    above = multiples_of_it & NumberSet.at_least(1000)
    assert not acceptor(above)(text) or Fraction(text) >= 1000
    assert acceptor(above)("1e400") == (modulus != "3")


@settings(max_examples=100, deadline=None)
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_floats_as_python_writes_them(value):
    text = repr(value)
    assert acceptor(NumberSet.ALL)(text)
    assert acceptor(NumberSet.at_least(0))(text) == (value >= 0)
    assert acceptor(NumberSet.INTEGERS)(text) == value.is_integer()
    high = NumberSet.at_most(value) & NumberSet.at_least(Decimal("-1e400"))
    assert acceptor(high)(text)
    assert not acceptor(NumberSet.at_least(value, exclusive=True))(text)
    assert acceptor(NumberSet.of([value]))(text)


def test_numbers_of_any_size():
    huge = 10**400 + 1
    accepts = acceptor(NumberSet.INTEGERS & NumberSet.at_least(huge))
    assert accepts(str(huge))
    assert accepts(f"{huge}.000")
    assert not accepts(str(huge - 1))
    tiny = Decimal("1e-300")
    accepts = acceptor(NumberSet.at_most(tiny) & NumberSet.at_least(0, exclusive=True))
    assert accepts("1e-300")
    assert accepts("9.99E-301")
    assert accepts("0." + "0" * 299 + "1")
    assert not accepts("1.0000001e-300")


def test_residues_beyond_doubles():
    seven = NumberSet.multiple_of(7) & NumberSet.at_least(2**60)
    accepts = acceptor(seven)
    first = 2**60 + -(2**60) % 7
    assert accepts(str(first))
    assert not accepts(str(first + 1))
    assert not accepts(str(first - 7))


def test_float_bounds_mean_what_they_are_written_as():
    assert NumberSet.multiple_of(0.1).contains(Decimal("0.3"))
    assert not NumberSet.at_most(0.1).contains(Decimal("0.1000000000000000055511151231257827"))
    assert NumberSet.of([1.0]) == NumberSet.of([1])


def test_each_set_is_written_once_for_a_builder():
    builder = GrammarBuilder()
    numbers = NumberSet.at_least(3) & NumberSet.INTEGERS
    assert numbers.node(builder) == (NumberSet.INTEGERS & NumberSet.at_least(3)).node(builder)


@pytest.mark.parametrize("value", [0, -1, Decimal("-0.5")])
def test_multiple_of_what_is_not_positive(value):
    with pytest.raises(GrammarError, match="multipleOf must be above 0"):
        NumberSet.multiple_of(value)


@pytest.mark.parametrize("value", [Decimal("inf"), float("nan"), "1", True, None, Fraction(1, 3)])
def test_what_is_no_number_of_json(value):
    with pytest.raises(GrammarError, match=r"number|decimal"):
        NumberSet.at_least(value)


@pytest.mark.parametrize(
    "value",
    [
        Decimal("1e999999999"),
        Decimal("1e-999999999"),
        pytest.param(10**5000, id="a large integer"),
    ],
)
def test_numbers_too_long_to_write_out(value):
    with pytest.raises(UnsupportedConstraint, match="more than 4000 digits"):
        NumberSet.at_least(value)
    assert NumberSet.of([Decimal("0e999999999")]) == NumberSet.of([0])


def test_moduli_too_large():
    numbers = NumberSet.multiple_of(10_007)
    with pytest.raises(UnsupportedConstraint, match="multipleOf needs 10007 residues"):
        numbers.node(GrammarBuilder())
    few = numbers & NumberSet.at_least(0) & NumberSet.at_most(50_000)
    assert acceptor(few)("20014")


def test_residues_that_no_digits_tell_apart_count_as_one():
    """22,000 residues, of which few differ; and bounds that begin in the middle of them."""
    numbers = NumberSet.multiple_of(11) & ~NumberSet.multiple_of(2000)
    for one in (numbers, numbers & NumberSet.at_least(21_989) & ~NumberSet.of([22_011])):
        accepts = acceptor(one)
        for value in [*range(0, 300, 11), *range(21_900, 22_100), 44_000, 220_000, 220_011]:
            for text in (str(value), f"-{value}", f"{value}.0", f"{value}.5"):
                assert accepts(text) == one.contains(Decimal(text)), text


def test_too_many_moduli():
    numbers = NumberSet.ALL
    for prime in [3, 7, 11, 13, 17, 19, 23, 29]:
        numbers &= ~NumberSet.multiple_of(prime)
    with pytest.raises(UnsupportedConstraint, match="combinations of multipleOf"):
        numbers &= ~NumberSet.multiple_of(31)
