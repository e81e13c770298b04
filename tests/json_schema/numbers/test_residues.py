"""Automata of divisibility wherever a node may stand, against arithmetic and brute force."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from itertools import product

import pytest
from compiled import byte_vocabulary
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import formgate
from formgate.core.errors import EmptyLanguageError
from formgate.core.grammar import GrammarBuilder
from formgate.plugins.json_schema._numbers import NumberSet
from formgate.plugins.json_schema._numbers_write import recorded_numbers

PLAIN = re.compile(r"(0|[1-9]\d*)(\.\d+)?")

wholes = st.sampled_from([3, 6, 7, 11, 12, 13, 77])
below = st.one_of(st.none(), st.integers(0, 300))


@st.composite
def divided(draw):
    """Numbers that some moduli divide, and others do not, perhaps above a bound."""
    numbers = NumberSet.multiple_of(draw(wholes))
    for modulus in draw(st.lists(wholes, max_size=2)):
        other = NumberSet.multiple_of(modulus)
        numbers = draw(st.sampled_from([numbers & ~other, numbers | other]))
    low = draw(below)
    return numbers if low is None else numbers & NumberSet.at_least(low)


def holds(numbers, text):
    return PLAIN.fullmatch(text) is not None and numbers.contains(Decimal(text))


def engine_of(write, vocabulary=None):
    """Return the engine of what is written to a builder, or None for no text."""
    builder = GrammarBuilder()
    builder.start(write(builder))
    try:
        return builder.build().compile(vocabulary or byte_vocabulary())
    except EmptyLanguageError:
        return None


@settings(max_examples=60, deadline=None)
@given(divided(), divided())
def test_inside_boolean_operators(left, right):
    def write(builder):
        one, other = left.node(builder), right.node(builder)
        return builder.choice(
            builder.seq(builder.literal("+"), builder.intersection(one, other)),
            builder.seq(builder.literal("-"), builder.intersection(one, builder.complement(other))),
        )

    engine = engine_of(write)
    for value in range(500):
        text = str(value)
        both, first = left.contains(value), left.contains(value)
        both = both and right.contains(value)
        accepted = [engine is not None and engine.accepts(sign + text) for sign in "+-"]
        assert accepted == [both, first and not right.contains(value)], text


@settings(max_examples=40, deadline=None)
@given(divided(), st.integers(1, 999))
def test_fewest_tokens(numbers, start):
    engine = engine_of(numbers.node)
    assume(engine is not None)
    state = engine.start()
    for byte in str(start).encode():
        if byte not in engine.allowed_tokens(state):
            return
        state = engine.advance(state, byte)
    shortest = next(
        length
        for length in range(6)
        if any(
            holds(numbers, f"{start}" + "".join(rest))
            for rest in product("0123456789.", repeat=length)
        )
    )
    assert engine.min_tokens(state) == shortest


@settings(max_examples=40, deadline=None)
@given(divided(), st.sets(st.sampled_from("0123456789"), min_size=3, max_size=8), st.data())
def test_digits_that_no_token_is(numbers, single, data):
    """Masks where some digits occur in longer tokens only."""
    more = data.draw(st.sets(st.text("0123456789", min_size=2, max_size=3), max_size=5))
    tokens = sorted(single | more)
    vocabulary = formgate.Vocabulary([*(t.encode() for t in tokens), None], stop_ids=[len(tokens)])
    engine = engine_of(numbers.node, vocabulary)

    def ends(text, most):
        """Say whether some tokens make a member of a text, by trying them."""
        level = {text}
        for _ in range(most + 1):
            if any(holds(numbers, one) for one in level):
                return True
            level = {one + token for one in level for token in tokens}
        return False

    work = [("", None if engine is None else engine.start())]
    while work:
        text, state = work.pop()
        mask = [] if engine is None else engine.allowed_tokens(state).to_list()
        assert (len(tokens) in mask) == holds(numbers, text), text
        for number, token in enumerate(tokens):
            if number in mask:
                after = engine.advance(state, number)
                # What the brute force cannot reach in a few tokens, the engine must spell.
                assert engine.min_tokens(after) > 3 or ends(text + token, 3), text + token
                if len(text) < 2:
                    work.append((text + token, after))
            else:
                assert not ends(text + token, 2), text + token


@pytest.mark.parametrize("escapes", [True, False])
def test_inside_a_json_string(escapes):
    numbers = NumberSet.multiple_of(7) & NumberSet.at_least(10)
    engine = engine_of(lambda builder: builder.json_text(numbers.node(builder), escapes=escapes))
    for value in range(200):
        text = str(value)
        spelled = "".join(f"\\u{ord(one):04x}" for one in text)
        assert engine.accepts(text) == numbers.contains(value)
        assert engine.accepts(spelled) == (escapes and numbers.contains(value))


def test_lists_without_repetition():
    schema = {"type": "array", "uniqueItems": True, "items": {"multipleOf": 11, "minimum": 100}}
    engine = formgate.compile(json.dumps(schema), byte_vocabulary(), format="json_schema")
    assert engine.accepts("[110,121,132.0]")
    assert not engine.accepts("[110,121,110.0]")
    assert not engine.accepts("[110,120]")


def test_written_once_and_made_again():
    numbers = NumberSet.multiple_of(429) & ~NumberSet.multiple_of(8)
    program = recorded_numbers(numbers)
    assert recorded_numbers(numbers) is program
    engines = [engine_of(numbers.node), engine_of(program.write)]
    for value in range(0, 10_000, 33):
        accepted = {engine.accepts(str(value)) for engine in engines}
        assert accepted == {numbers.contains(value)}, value


def test_what_an_automaton_takes_counts():
    small, large = (
        len(recorded_numbers(NumberSet.multiple_of(modulus) & ~NumberSet.multiple_of(8)))
        for modulus in (3, 4001)
    )
    assert large > small + 4001 // 10


@pytest.mark.parametrize("modulus", ["5e-324", "25e-60", "4e-31", "125e-13", "2e-9", "0.25"])
@settings(max_examples=60, deadline=None)
@given(st.data())
def test_many_places(modulus, data):
    """Multiples that their last digits tell, many places after the point."""
    value = Decimal(modulus)
    places = -int(value.as_tuple().exponent)
    numbers = NumberSet.multiple_of(value)
    if modulus not in _AUTOMATA:
        builder = GrammarBuilder()
        builder.start(numbers.node(builder))
        _AUTOMATA[modulus] = builder.build().compile(byte_vocabulary())
    many = data.draw(st.integers(0, 20))
    digits = ["0"] * max(places - many + data.draw(st.integers(0, 2)), 1)
    digits += data.draw(st.text("05123", max_size=many))
    for place in data.draw(st.lists(st.integers(0, len(digits) - 1), max_size=2)):
        digits[place] = "7"
    text = f"{data.draw(st.sampled_from(['0', '3', '120']))}.{''.join(digits)}"
    assert _AUTOMATA[modulus].accepts(text) is numbers.contains(Decimal(text))
    # By whole numbers, which share no code with the set.
    shift = max(places, len(digits))
    whole = int(text.replace(".", "")) * 10 ** (shift - len(digits))
    assert numbers.contains(Decimal(text)) is (whole % int(value.scaleb(shift)) == 0)


_AUTOMATA: dict[str, formgate.Engine] = {}
