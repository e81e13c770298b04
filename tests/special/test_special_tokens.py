"""Special tokens as parts of a grammar: by their ids, never by their spelling."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import formgate
from formgate.core.errors import GrammarError, TokenError, UnsupportedConstraint
from formgate.core.grammar import GrammarBuilder

# One character of a word for each special token.
SPECIAL = {"1": "<one>", "2": "<two>"}
PIECES = ["a", "b", "é", "ab", "ba", "aab", "bé"]
words = st.text("abé12", max_size=7)


def vocabulary_of(texts):
    """Return a vocabulary of texts, all bytes, two special tokens and a stop id."""
    tokens = [t.encode() for t in texts] + [bytes([b]) for b in range(256)] + [b"\xffa", None, None]
    first = len(tokens) - 2
    special = {"<one>": first, "<two>": first + 1}
    return formgate.Vocabulary([*tokens, None], stop_ids=[len(tokens)], special=special)


def word(builder, text):
    parts = (
        builder.special_token(SPECIAL[c]) if c in SPECIAL else builder.literal(c) for c in text
    )
    return builder.seq(*parts)


@settings(max_examples=200, deadline=None)
@given(st.lists(words, min_size=1, max_size=6), st.lists(st.integers(0, 10**6), max_size=12))
def test_masks_are_those_of_words_with_a_letter_each(language, choices):
    vocabulary = vocabulary_of(PIECES)
    stop = len(vocabulary) - 1
    pieces = dict(enumerate(piece.encode() for piece in PIECES))
    pieces |= {len(PIECES) + b: bytes([b]) for b in range(256)}
    pieces |= {stop - 2: b"\xfe1", stop - 1: b"\xfe2"}  # what no other piece spells
    spelled = {
        b"".join(b"\xfe" + c.encode() if c in SPECIAL else c.encode() for c in text)
        for text in language
    }
    prefixes = {text[:i] for text in spelled for i in range(len(text) + 1)}
    builder = GrammarBuilder()
    builder.start(builder.choice(*(word(builder, text) for text in language)))
    engine = builder.build().compile(vocabulary)
    state, prefix = engine.start(), b""
    for choice in [*choices, 0]:
        allowed = set(engine.allowed_tokens(state).to_list())
        expected = {
            token
            for token, piece in pieces.items()
            if prefix + piece in prefixes and (token >= stop - 2 or b"\xfe" not in piece)
        }
        if prefix in spelled:
            expected.add(stop)
        assert allowed == expected
        assert allowed == {t for t in range(len(vocabulary)) if engine.is_allowed(state, t)}
        onward = sorted(allowed - {stop})
        if not onward:
            return
        token = onward[choice % len(onward)]
        state, prefix = engine.advance(state, token), prefix + pieces[token]


def test_they_stand_beside_rules_and_any_text():
    vocabulary = vocabulary_of([])
    one, two = vocabulary.special["<one>"], vocabulary.special["<two>"]
    builder = GrammarBuilder()
    nested = builder.choice(
        builder.literal("x"),
        builder.seq(
            builder.special_token("<one>"), builder.rule("r"), builder.special_token("<two>")
        ),
    )
    builder.define("r", nested)
    builder.start(builder.seq(builder.any_text(), builder.rule("r")))
    engine = builder.build().compile(vocabulary)
    state = engine.start()
    for token in (*b"<one>", 0xC3, 0xA9, one, one, ord("x"), two):
        state = engine.advance(state, token)
    assert engine.allowed_tokens(state).to_list() == [two]
    assert "<two>" in engine.explain(state)
    assert engine.min_tokens(state) == 1
    assert engine.forced_text(state) == b""
    assert engine.is_accepting(engine.advance(state, two))


def test_bytes_never_spell_them():
    vocabulary = vocabulary_of([])
    builder = GrammarBuilder()
    builder.start(builder.special_token("<one>"))
    engine = builder.build().compile(vocabulary)
    with pytest.raises(TokenError):
        engine.advance(engine.start(), 0xFF)
    assert not engine.is_prefix(b"\xff")
    assert not engine.accepts("<one>")


def test_what_cannot_be_meant_is_refused():
    vocabulary = vocabulary_of([])
    builder = GrammarBuilder()
    builder.start(builder.special_token("<three>"))
    with pytest.raises(GrammarError, match="it has <one>, <two>"):
        builder.build().compile(vocabulary)
    builder = GrammarBuilder()
    builder.start(builder.seq(builder.special_token("<one>"), builder.byte_class([(0, 255)])))
    with pytest.raises(UnsupportedConstraint, match="0xF4"):
        builder.build().compile(vocabulary)
    stopping = formgate.Vocabulary([b"a", None], stop_ids=[1], special={"<end>": 1})
    builder = GrammarBuilder()
    builder.start(builder.seq(builder.literal("a"), builder.special_token("<end>")))
    with pytest.raises(GrammarError, match="ends the output"):
        builder.build().compile(stopping)


def test_lark_grammars_have_them_as_parts():
    vocabulary = vocabulary_of([])
    one, two = vocabulary.special["<one>"], vocabulary.special["<two>"]
    source = 'start: %special_token """<one>""" /[a-z]+/ %special_token """<two>"""'
    engine = formgate.compile(source, vocabulary, format="lark", lexing="any")
    state = engine.start()
    for token in (one, *b"abc", two):
        state = engine.advance(state, token)
    assert engine.is_accepting(state)
    wrong = source.replace('"""<one>"""', "[1]")
    with pytest.raises(GrammarError, match="special token is named"):
        formgate.compile(wrong, vocabulary, format="lark", lexing="any")
    with pytest.raises(GrammarError, match="no special token"):
        formgate.compile(source.replace("one", "six"), vocabulary, format="lark", lexing="any")
