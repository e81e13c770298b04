"""Bytes that occur only inside longer tokens, under all kinds of schemas and after other grammars.

Small languages are held to brute force in test_missing_bytes.py.

The judges are engines over single bytes: one over those that are tokens here, whose texts can
always be spelled, and one over all bytes, whose language nothing may leave.
"""

from __future__ import annotations

import json
import random
from typing import Any

import hypothesis
import pytest
from hypothesis import strategies as st
from random_schemas import schemas

import formgate
from formgate.core.errors import EmptyLanguageError, GrammarError, LimitError, UnsupportedConstraint

LONGER = (
    b"  ", b' "', b'": ', b'":"', b', "', b'",', b"es", b"true", b"false", b"null", b"1.5", b"a.b",
    b'"a": "', b'e"', "é".encode(), "éè".encode(), b"\xc3", b"\xa9 ", b"4,", b"[[", b"]]", b"}}",
    b'{"', b"\\n", b"\\u00", b"\n  ", b"ss", b"s]", b"ab", b"ba", b'a"', b'b": ',
)  # fmt: skip
STEPS = 14


def vocabulary_of(bytes_: list[int], longer: tuple[bytes, ...] = ()) -> formgate.Vocabulary:
    """Return single bytes, longer tokens, and a stop token."""
    single = [bytes([byte]) for byte in bytes_]
    tokens = [*single, *(token for token in longer if token not in single)]
    return formgate.Vocabulary([*tokens, None], stop_ids=[len(tokens)])


ALL = vocabulary_of([*range(256)])


def follow(engine: formgate.Engine, state: Any, text: bytes, ids: dict[int, int]) -> Any:
    """Return where an engine over single bytes is after a text; None where it cannot go."""
    for byte in text:
        if state is None or byte not in ids or not engine.is_allowed(state, ids[byte]):
            return None
        state = engine.advance(state, ids[byte])
    return state


def with_accents(schema: Any) -> Any:
    """Return a schema in which names and texts hold characters of two bytes."""
    text = json.dumps(schema)
    for letter, other in (("a", "é"), ("b", "bè"), ("ab", "éè")):
        text = text.replace(f'"{letter}"', f'"{other}"')
    return json.loads(text)


@hypothesis.settings(
    max_examples=80, deadline=None, suppress_health_check=list(hypothesis.HealthCheck)
)
@hypothesis.given(
    schema=st.one_of(schemas(), schemas().map(with_accents)),
    dropped=st.sets(st.sampled_from(b" \ns.4eabl\xc3\xa9\xa8"), min_size=1, max_size=5),
    options=st.sampled_from([{}, {"property_order": "any"}]),
    seed=st.integers(0, 2**32),
)
def test_masks(schema: Any, dropped: set[int], options: dict[str, Any], seed: int) -> None:
    kept = [byte for byte in range(256) if byte not in dropped]
    vocabulary, single = vocabulary_of(kept, LONGER), vocabulary_of(kept)

    def compiled(words: formgate.Vocabulary) -> formgate.Engine | None:
        try:
            return formgate.compile(schema, words, format="json_schema", timeout_s=60, **options)
        except EmptyLanguageError:
            return None

    try:
        least, most = compiled(single), compiled(ALL)
    except (GrammarError, LimitError, UnsupportedConstraint):
        hypothesis.reject()
    engine = compiled(vocabulary)
    if engine is None:
        assert least is None
        return
    assert most is not None
    here = {byte: at for at, byte in enumerate(kept)}
    everywhere = {byte: byte for byte in range(256)}
    chance = random.Random(seed)
    state, inside = engine.start(), most.start()
    spelled = None if least is None else least.start()
    for _ in range(STEPS):
        allowed = {*engine.allowed_tokens(state).to_list()}
        assert allowed, "no token leads on"
        onward = []
        for token in range(len(vocabulary) - 1):
            text = vocabulary.token_bytes(token)
            assert engine.is_allowed(state, token) is (token in allowed), text
            if least is not None and follow(least, spelled, text, here) is not None:
                assert token in allowed, text
            if token in allowed:
                assert follow(most, inside, text, everywhere) is not None, text
                onward.append(token)
        if not onward:
            return
        token = chance.choice(onward)
        text = vocabulary.token_bytes(token)
        state, inside = engine.advance(state, token), follow(most, inside, text, everywhere)
        spelled = None if least is None else follow(least, spelled, text, here)


def test_characters_that_cannot_be_finished_are_not_begun() -> None:
    for longer in ((), ("é".encode(),)):
        kept = [byte for byte in range(256) if byte != 0xA9]
        words = vocabulary_of(kept, longer)
        schema = {"propertyNames": {"enum": ["a", "é", "èé", "è"]}}
        engine = formgate.compile(schema, words, format="json_schema", timeout_s=60)
        assert engine.accepts('{"è": 1}')
        assert engine.accepts('{"\\u00e9": 1, "\\u00e8\\u00e9": 1}')
        state = engine.start()
        for byte in (*b'{"', 0xC3):
            state = engine.advance(state, kept.index(byte))
        allowed = engine.allowed_tokens(state).to_list()
        assert [words.token_bytes(token) for token in allowed] == [b"\xa8"]


# Has bytes of the grammar inside longer tokens only, and recursion: what follows counts as well.
RECURSIVE = 'root ::= "(" root ")" | "so"'
WITHOUT_S = vocabulary_of(
    [byte for byte in range(256) if byte != ord("s")], (b"so", b"es", b"sort")
)
UNIQUE = {"type": "array", "items": {"type": "string"}, "uniqueItems": True}


@pytest.mark.parametrize("pattern", ["^x", "a.c"])
@pytest.mark.parametrize("order", ["schema", "any"])
def test_lists_beside_recursive_patterns(pattern: str, order: str) -> None:
    members = {
        "properties": {"a": {"$ref": "#"}},
        "patternProperties": {pattern: {"type": "string"}},
    }
    schema = {"anyOf": [UNIQUE, {"type": "object", **members}]}
    engine = formgate.compile(
        schema, WITHOUT_S, format="json_schema", timeout_s=60, property_order=order
    )
    assert engine.accepts('{"a": ["b", "c"], "axc": "x"}')
    assert engine.accepts('{"a": {"a": []}}')
    assert not engine.accepts('["b", "b"]')
    assert not engine.is_prefix('{"a": "')


def test_lists_after_a_recursive_grammar() -> None:
    recursive = formgate.compile(RECURSIVE, WITHOUT_S, format="gbnf")
    assert recursive.accepts("((so))")
    engine = formgate.compile(UNIQUE, WITHOUT_S, format="json_schema", timeout_s=60)
    assert engine.accepts('["a", "b"]')
    assert not engine.accepts('["a", "a"]')
    state = engine.start()
    for byte in b'["a", "':
        state = engine.advance(state, byte)  # all before "s": tokens of the same numbers
    allowed = engine.allowed_tokens(state)
    texts = {WITHOUT_S.token_bytes(token) for token in allowed.to_list()}
    assert b"a" in texts
    assert b'"' in texts
    assert not any(b"s" in text for text in texts)
