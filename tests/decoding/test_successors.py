"""Where all tokens of a mask lead: as one step of the engine for each of them says."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import formgate
from formgate.core.decoding import AfterMarker, WithinBudget, _successors
from formgate.core.decoding._successors import Successors
from formgate.core.decoding._token_table import token_table


@pytest.fixture(autouse=True)
def always(monkeypatch):
    """Walk for small masks too."""
    monkeypatch.setattr(_successors, "_FEW", 0)


def agree(engine, state, successors):
    mask = engine.allowed_tokens(state)
    states, where = successors.of(state, mask)
    for token, index in zip(mask.ids().tolist(), where.tolist(), strict=True):
        target = states[index]
        if token in engine.vocabulary.stop_ids:
            assert target is None
        else:
            assert target == engine.advance(state, token)


PATTERNS = ["(ab|ba|c){2,}c", "[abc]{0,9}(a|bcc)", "a(b(a(b(a)?c)?c)?c)?c", "é[a-c]*è|ü{3}"]


@settings(deadline=None)
@given(
    st.sampled_from(PATTERNS),
    st.lists(st.text("abcéèü", min_size=1, max_size=4), max_size=12),
    st.booleans(),
    st.randoms(use_true_random=False),
)
def test_agrees_with_single_steps(pattern, pieces, all_bytes, rng):
    singles = [bytes([byte]) for byte in (range(256) if all_bytes else b"abc")]
    tokens = [*singles, *(piece.encode() for piece in pieces), None, None]
    vocabulary = formgate.Vocabulary(
        tokens, stop_ids=[len(tokens) - 1], special={"<m>": len(tokens) - 2}
    )
    try:
        engine = formgate.compile(pattern, vocabulary)
    except formgate.EmptyLanguageError:
        return
    for each in (engine, AfterMarker(engine, "b"), AfterMarker(engine, "<m>")):
        successors = Successors(each, token_table(vocabulary, len(vocabulary)))
        state = each.start()
        for _ in range(8):
            agree(each, state, successors)
            going = [t for t in each.allowed_tokens(state).to_list() if t != len(tokens) - 1]
            if not going:
                break
            state = each.advance(state, rng.choice(going))


@given(st.lists(st.text("abc", min_size=1, max_size=5), max_size=9), st.sampled_from(["", "ab"]))
def test_the_trie_holds_what_single_bytes_spell(pieces, singles):
    tokens = [
        *(s.encode() for s in singles),
        *(piece.encode() for piece in pieces),
        "é".encode(),
        None,
    ]
    vocabulary = formgate.Vocabulary(tokens, stop_ids=[len(tokens) - 1])
    trie = token_table(vocabulary, len(tokens)).trie
    alphabet = {each for each in tokens if each is not None and len(each) == 1}
    levels = [[b""]]  # by depth, the text of each node
    for parents, data in trie.levels:
        above = levels[-1]
        levels.append([above[p] + bytes([d]) for p, d in zip(parents, data, strict=True)])
        assert len(levels[-1]) == len(set(levels[-1]))
    for token, text in enumerate(tokens):
        depth, node = trie.token_depths[token], trie.token_nodes[token]
        if text is not None and all(bytes([byte]) in alphabet for byte in text):
            assert levels[depth][node] == text
        else:
            assert depth == 0


def test_many_states_are_forgotten(monkeypatch, byte_vocabulary):
    monkeypatch.setattr(_successors, "_MAX_STATES", 5)
    engine = formgate.compile("[a-z]{200}", byte_vocabulary)
    successors = Successors(engine, token_table(byte_vocabulary, 257))
    state = engine.start()
    for _ in range(150):
        agree(engine, state, successors)
        state = engine.advance(state, ord("a"))


def test_a_real_vocabulary(smol_vocabulary):
    schema = {"type": "object", "properties": {"a": {"type": "string", "maxLength": 60}}}
    engine = formgate.compile(schema, smol_vocabulary)
    successors = Successors(engine, token_table(smol_vocabulary, len(smol_vocabulary)))
    state = engine.advance_many(engine.start(), [ord_of(smol_vocabulary, c) for c in '{"a": "x'])
    agree(engine, state, successors)
    bounded = WithinBudget(engine, 10)
    inner = bounded.start()
    for character in '{"a": "x':
        inner = bounded.advance(inner, ord_of(smol_vocabulary, character))
    mask = bounded.allowed_tokens(inner)
    assert 0 < len(mask) < len(engine.allowed_tokens(state))
    # After this token there is one more: string and object must be closed by the two.
    for token in mask.ids().tolist():
        after = engine.advance(state, token)
        assert engine.is_accepting(after) or engine.min_tokens(after) == 1


def ord_of(vocabulary, character):
    data = character.encode()
    return next(t for t in range(len(vocabulary)) if vocabulary.token_bytes(t) == data)


def test_the_table_of_tokens_is_shared(byte_vocabulary):
    assert token_table(byte_vocabulary, 257) is token_table(byte_vocabulary, 257)
    assert np.array_equal(token_table(byte_vocabulary, 257).trie.levels[0][0], np.zeros(256))
