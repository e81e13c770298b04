"""Finite sets of texts, small ones against the judge and large ones against sorted lists."""

from __future__ import annotations

import bisect
import random
import time

import pytest
from hypothesis import given, note
from hypothesis import strategies as st
from oracle.compare import Comparison
from oracle.native import check_everything, native_vocabulary, try_compile, try_oracle
from oracle.strategies import ALPHABETS, TinyVocabulary, every_byte_too, examples, vocabularies

import formgate

_SYLLABLES = ["ka", "lo", "mi", "ne", "ra", "su", "té", "vo", "語", "-"]


@examples(150)
@given(st.data())
def test_small_sets(data):
    alphabet = data.draw(st.sampled_from(ALPHABETS))
    texts = data.draw(st.lists(st.text(alphabet, max_size=6), min_size=1, max_size=8))
    tiny = data.draw(vocabularies(alphabet))
    oracle = try_oracle(("strings", tuple(text.encode() for text in texts)), tiny)
    label = f"{texts!r} with {tiny}"
    note(label)
    engine = try_compile(texts, tiny, format="choice")
    check_everything(engine, oracle, tiny, label)


@examples(80)
@given(st.data())
def test_a_choice_is_its_alternation(data):
    """The same set as a grammar of strings, and repeated within a larger grammar."""
    texts = data.draw(st.lists(st.text("ab", max_size=4), min_size=1, max_size=6))
    tiny = data.draw(vocabularies("ab"))
    values = tuple(text.encode() for text in texts)
    builder = formgate.GrammarBuilder()
    builder.start(builder.repeat(builder.strings(values), 1, 2))
    oracle = try_oracle(("repeat", ("strings", values), 1, 2), tiny)
    check_everything(try_compile(builder.build(), tiny), oracle, tiny, f"{texts!r} with {tiny}")


@examples(80)
@given(st.data())
def test_many_words_among_alternatives(data):
    """Alternatives that are words become one automaton; others stay beside it."""
    texts = data.draw(st.lists(st.text("abc", max_size=5), min_size=18, max_size=40))
    tiny = data.draw(vocabularies("abc"))
    values = tuple(text.encode() for text in texts)
    builder = formgate.GrammarBuilder()
    builder.define("more", builder.choice(*map(builder.literal, texts[:17])))
    rest = [builder.literal(text) for text in texts[17:]]
    choice = builder.choice(builder.rule("more"), *rest, builder.star(builder.literal("cc")))
    low, high = data.draw(st.sampled_from([(1, 1), (0, 2), (2, None)]))
    builder.start(builder.repeat(choice, low, high))
    model = ("choice", ("strings", values), ("repeat", ("lit", b"cc"), 0, None))
    label = f"{texts!r} {low} to {high} with {tiny}"
    note(label)
    oracle = try_oracle(("repeat", model, low, high), tiny)
    check_everything(try_compile(builder.build(), tiny), oracle, tiny, label)


def words(count, seed=1):
    rng = random.Random(seed)
    found = set()
    while len(found) < count:
        found.add("".join(rng.choice(_SYLLABLES) for _ in range(rng.randint(2, 9))))
    return sorted(found)


def syllable_vocabulary():
    pieces = [a + b for a in ["", *_SYLLABLES] for b in _SYLLABLES]
    tokens = (None, *(piece.encode() for piece in pieces), b"\xaa", b"\xe8\xaa", b"a-")
    return every_byte_too(TinyVocabulary(tokens, stop_ids=(0,)))


def check_large(count, prefixes):
    tiny = syllable_vocabulary()
    texts = words(count)
    started = time.perf_counter()
    engine = formgate.compile(texts, native_vocabulary(tiny), format="choice")
    took = time.perf_counter() - started
    ordered = sorted(text.encode() for text in texts)
    rng = random.Random(count)
    for _ in range(prefixes):
        text, state, done = rng.choice(ordered), engine.start(), b""
        while True:
            check_prefix(engine, state, done, (tiny, ordered))
            fitting = [
                token
                for token, piece in enumerate(tiny.tokens)
                if piece and text.startswith(piece, len(done))
            ]
            if not fitting:
                break
            token = rng.choice(fitting)
            done += tiny.tokens[token]
            state = engine.advance(state, token)
        assert engine.is_accepting(state)
        assert engine.accepts(text)
        assert not engine.accepts(text + b"~")
    return took


def check_prefix(engine, state, done, subject):
    """Every byte is a token, so a token fits exactly when some choice begins so."""
    tiny, ordered = subject
    expected = set()
    for token, piece in enumerate(tiny.tokens):
        if piece:
            longer = done + piece
            place = bisect.bisect_left(ordered, longer)
            if place < len(ordered) and ordered[place].startswith(longer):
                expected.add(token)
    place = bisect.bisect_left(ordered, done)
    if place < len(ordered) and ordered[place] == done:
        expected |= set(tiny.stop_ids)
    got = {int(token) for token in engine.allowed_tokens(state).ids()}
    assert got == expected, f"after {done!r}: extra {got - expected}, missing {expected - got}"


def test_ten_thousand():
    check_large(10_000, 40)


@pytest.mark.slow
def test_a_hundred_thousand():
    assert check_large(100_000, 100) < 20


@pytest.mark.slow
def test_a_million():
    assert check_large(1_000_000, 100) < 60


def test_masks_of_a_set_of_all_short_texts():
    """Where the set is regular in disguise, minimisation must not merge what differs."""
    texts = [a + b + c for a in ("", "a", "b") for b in ("", "a", "b") for c in ("a", "bb")]
    tiny = TinyVocabulary((b"a", b"b", b"ab", b"bb", b"bba", None), stop_ids=(5,))
    oracle = try_oracle(("strings", tuple(text.encode() for text in texts)), tiny)
    engine = formgate.compile(texts, native_vocabulary(tiny), format="choice")
    comparison = Comparison(engine, oracle, len(tiny.tokens), "short texts")
    comparison.check_protocol(comparison.explore(limit=200))
