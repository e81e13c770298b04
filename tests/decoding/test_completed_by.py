"""Which tokens a text completes: as one step of the engine for each of them says."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import formgate
from formgate.core.decoding import AfterMarker, Prefixed

PIECES = [
    "ab",
    'a"',
    '":',
    '":1',
    '":1,"',
    '":1,"a',
    '":1,"a"',
    '","',
    '","a',
    "\\u00",
    "61",
    '\\"',
    '"a"',
    '{"',
    '{"a"',
    '{"a":1}',
    "}}",
    '"}',
    "]",
    '"]',
    '"],["',
    ",1",
    "1,",
    "11",
    '1,"a',
    ":",
    "é",
    "aé",
]
OPEN = {"type": "object"}
SOURCES = [
    OPEN,
    {"type": "object", "required": ["a", "b"], "additionalProperties": {"type": "integer"}},
    {"type": "object", "propertyNames": {"maxLength": 2}, "minProperties": 2},
    {"type": "object", "propertyNames": {"enum": ["a", "b"]}, "minProperties": 2},
    {"type": "object", "patternProperties": {"^a": {"type": "integer"}}, "minProperties": 2},
    {"type": "object", "additionalProperties": OPEN},
    {"type": "array", "uniqueItems": True, "items": {"type": "string"}},
    {"type": "array", "uniqueItems": True, "items": OPEN, "minItems": 2},
    {"type": "array", "uniqueItems": True, "items": {"type": "integer"}, "minItems": 2},
    {"type": "array", "uniqueItems": True, "items": {"type": "array", "uniqueItems": True}},
    {"anyOf": [OPEN, {"type": "array", "uniqueItems": True, "items": OPEN}]},
    {"type": "object", "minProperties": 3},
    "[ab]{2,5}(11)*",
]
TEXTS = [
    '":1}',
    '"}',
    '":1,"b":1}',
    '":1,"a":1,"b":1}',
    '":{}}',
    '1,"b":1}',
    ":1}",
    '":1,"aa":1}',
    "}",
    "]",
    '"]',
    '":{}}]',
    ",1]",
    ',{"a":1}]',
    '":1}]',
    "]]",
    '1,"a":1}',
    '1,"a":1,"b":1}',
    ',"a":1}',
    ',"b":1,"ab":1}',
    "1",
    "",
    "11",
    "b",
    '":1,"é":1}',
    '\\":1}',
    '61":1}',
]
TOKENS = [*(bytes([byte]) for byte in range(256)), *map(str.encode, PIECES), b"ab", None]
STOP = len(TOKENS) - 1


@pytest.fixture(scope="module")
def vocabulary():
    return formgate.Vocabulary(TOKENS, stop_ids=[STOP])


@pytest.fixture(scope="module")
def engines(vocabulary):
    return [formgate.compile(source, vocabulary) for source in SOURCES]


def by_steps(engine, state, text):
    """The tokens after which a text ends an output, one by one."""
    found = []
    for token in engine.allowed_tokens(state).to_list():
        if token == STOP:
            continue
        at = engine.advance(state, token)
        try:
            for byte in text:
                at = engine.advance(at, byte)
        except formgate.TokenError:
            continue
        if engine.is_accepting(at):
            found.append(token)
    return found


def walk(engine, rng, length):
    """A state after some tokens, most of them of several bytes."""
    state = engine.start()
    for _ in range(length):
        allowed = [t for t in engine.allowed_tokens(state).to_list() if t != STOP]
        if not allowed:
            break
        likely = [t for t in allowed if t >= 256 or chr(t) in 'ab"{}[]:,1\\u06']
        state = engine.advance(state, rng.choice(likely or allowed))
    return state


@settings(deadline=None, max_examples=400)
@given(
    st.sampled_from(range(len(SOURCES))),
    st.integers(0, 9),
    st.sampled_from(TEXTS),
    st.integers(0, 2**32),
)
def test_what_is_found_is_right(engines, index, length, text, seed):
    engine = engines[index]
    state = walk(engine, random.Random(seed), length)
    found = engine.completed_by(state, text)
    right = by_steps(engine, state, text.encode())
    assert set(found.to_list()) <= set(right)
    if index == len(SOURCES) - 1:  # nothing is remembered there
        assert found.to_list() == right


@pytest.mark.parametrize(
    ("index", "before", "text"),
    [
        (0, '{"a":1,"', '":1}'),
        (0, '{"a":1,"', '":{"a":1}}'),
        (11, '{"z', '":1,"b":1,"a":1}'),
        (11, '{"zz":1,"b', '":1,"a":1}'),
        (1, '{"a":1,"b":1,"a', '":1}'),
        (5, '{"a":{"b":{}},"a', '":{}}'),
        (5, '{"a":{"b":{},"a', '":{}}}'),
        (6, '["a","b', '"]'),
        (9, '[[1,["', '"]]]'),
    ],
)
def test_all_are_found_where_a_name_or_an_item_is_under_way(engines, index, before, text):
    engine = engines[index]
    state = engine.advance_many(engine.start(), list(before.encode()))
    right = by_steps(engine, state, text.encode())
    assert right
    assert engine.completed_by(state, text).to_list() == right


def test_a_key_that_a_token_ends_must_not_come_in_the_text(engines):
    engine = engines[11]
    state = engine.advance_many(engine.start(), list(b'{"zz":1,"b'))
    ends = TOKENS.index(b'":')
    assert ends in engine.completed_by(state, '1,"c":1}')
    assert ends not in engine.completed_by(state, '1,"b":1}')


def test_only_what_is_asked_about_is_found(engines, vocabulary):
    engine = engines[0]
    state = engine.advance_many(engine.start(), list(b'{"'))
    among = formgate.TokenMask.from_ids(len(vocabulary), [ord("a"), ord("\n"), STOP])
    assert engine.completed_by(state, '":1}', among).to_list() == [ord("a")]
    other = formgate.TokenMask.from_ids(7, [1])
    with pytest.raises(ValueError, match="another size"):
        engine.completed_by(state, "}", other)
    with pytest.raises(TypeError):
        engine.completed_by(state, 7)


def test_after_the_end_nothing_is_completed(engines):
    engine = engines[0]
    state = engine.advance_many(engine.start(), [ord("{"), ord("}"), STOP])
    assert not engine.completed_by(state, "")


def test_a_question_about_long_names_is_bounded(vocabulary):
    """More members than one question may look at: what is found is right, if not all."""
    engine = formgate.compile(OPEN, vocabulary)
    state = engine.advance_many(engine.start(), list(b'{"'))
    text = '":1' + "".join(f',"{n}":1' for n in range(300)) + "}"
    found = engine.completed_by(state, text).to_list()
    assert set(found) <= set(by_steps(engine, state, text.encode()))


def test_boundaries_ask_the_engine_inside(engines, vocabulary):
    engine = engines[0]
    for wrapped, lead in ((Prefixed(engine, "ab"), b"ab"), (AfterMarker(engine, "ab"), b"ab")):
        state = wrapped.start()
        assert wrapped.completed_by(state, b'":1}') is None
        for byte in lead + b'{"':
            state = wrapped.advance(state, byte)
        assert wrapped.completed_by(state, b'":1}') == engine.completed_by(state, b'":1}')
