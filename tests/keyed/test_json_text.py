"""Text spelled inside JSON strings, against ``json`` and against languages written out in full."""

from __future__ import annotations

import itertools
import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import formgate
from formgate.core.errors import GrammarError
from formgate.core.grammar import GrammarBuilder, MaskOptions

BYTES = formgate.Vocabulary([bytes([i]) for i in range(256)] + [None], stop_ids=[256])
SPELLINGS = {
    "a": ["a", "\\u0061"],
    "b": ["b", "\\u0062"],
    "é": ["é", "\\u00e9", "\\u00E9"],
    "\n": ["\\n", "\\u000a", "\\u000A"],
    "/": ["/", "\\/", "\\u002f", "\\u002F"],
}
OPTIONS = [
    MaskOptions(),
    MaskOptions(prefix_uses=1),
    MaskOptions(class_tables=False),
    MaskOptions(cut_subtrees=False, automaton_walk=False, keep_masks=False),
]
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)


def string_of(make):
    """Return the engine for one JSON string with the text that ``make(builder)`` matches."""
    builder = GrammarBuilder()
    quote = builder.literal('"')
    builder.start(builder.seq(quote, make(builder), quote))
    return builder.build().compile(BYTES)


def all_units(text):
    """Spell every character by its code units."""
    data = text.encode("utf-16-be")
    units = (data[i : i + 2].hex() for i in range(0, len(data), 2))
    return '"' + "".join(f"\\u{unit}" for unit in units) + '"'


@settings(max_examples=150, deadline=None)
@given(texts, texts)
def test_every_spelling_of_a_literal(text, other):
    for part in (lambda b: b.literal(text), lambda b: b.strings([text])):
        engine = string_of(lambda b, part=part: b.json_text(part(b)))
        exact = string_of(lambda b, part=part: b.json_text(part(b), escapes=False))
        spelled = [json.dumps(text), json.dumps(text, ensure_ascii=False), all_units(text)]
        spelled.append(all_units(text).upper().replace("\\U", "\\u"))
        for one in spelled:
            assert engine.accepts(one)
            assert exact.accepts(one) == (one == json.dumps(text, ensure_ascii=False))
        for one in (json.dumps(other), all_units(other)):
            assert engine.accepts(one) == (other == text)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(texts, st.integers(0, 2)), max_size=4), texts)
def test_classes_and_complements(parts, probe):
    """``[a-f]`` and what it is not, spelled in any way."""
    inside = string_of(lambda b: b.json_text(b.star(b.char_class([(0x61, 0x66), (0xE9, 0x1F600)]))))
    outside = string_of(
        lambda b: b.json_text(b.complement(b.star(b.char_class([(0x61, 0x66), (0xE9, 0x1F600)]))))
    )
    exact = string_of(
        lambda b: b.json_text(b.complement(b.star(b.char_class([(97, 102)]))), escapes=False)
    )
    text = "".join(t for t, _ in parts) + probe
    shortest = json.dumps(text, ensure_ascii=False)
    for one in {shortest, json.dumps(text), all_units(text)}:
        assert exact.accepts(one) == (one == shortest and set(text) - set("abcdef") != set())
    member = all(0x61 <= ord(c) <= 0x66 or 0xE9 <= ord(c) <= 0x1F600 for c in text)
    for one in (json.dumps(text), json.dumps(text, ensure_ascii=False), all_units(text)):
        assert inside.accepts(one) == member
        assert outside.accepts(one) != member


def test_what_is_no_string():
    engine = string_of(lambda b: b.json_text(b.any_text()))
    for text in ['"\\ud83d"', '"\\ude00\\ud83d"', '"\n"', '"\\x"', '"\\u12"', '"', '"a', '"\\"']:
        assert not engine.accepts(text), text
    for byte in (0x80, 0xC0, 0xED):  # no lone continuation, no overlong character
        assert not engine.accepts(b'"' + bytes([byte, 0xA0]) + b'"')


@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.lists(st.sampled_from(sorted(SPELLINGS)), min_size=1, max_size=3, unique=True),
    st.integers(0, 3),
    st.integers(0, 3),
    st.data(),
)
def test_bounded_text_under_tokens(letters, least, more, data):
    most = min(least + more, 3)
    language = {
        '"' + "".join(spelling) + '"}'
        for count in range(least, most + 1)
        for text in itertools.product(letters, repeat=count)
        for spelling in itertools.product(*(SPELLINGS[c] for c in text))
    }
    if not language or len(language) > 4000:
        return
    cuts = st.tuples(st.sampled_from(sorted(language)), st.integers(0, 12), st.integers(2, 9))
    longer = [t[i : i + n] for t, i, n in data.draw(st.lists(cuts, max_size=10))]
    longer += data.draw(st.lists(st.text('ab"\\u0}', min_size=2, max_size=5), max_size=5))
    single = sorted(set("".join(language)))
    tokens = [*single, *dict.fromkeys(t for t in longer if len(t) > 1)]
    given_tokens = [t.encode() for t in tokens]
    given_tokens += [bytes([b]) for b in "é".encode()]  # characters in two tokens
    vocabulary = formgate.Vocabulary([*given_tokens, None], stop_ids=[len(given_tokens)])
    builder = GrammarBuilder()
    part = builder.char_class([(ord(c), ord(c)) for c in letters])
    own = builder.repeat(part, least, most)
    if data.draw(st.booleans()):
        own = builder.intersection(
            builder.star(part), builder.repeat(builder.any_char(), least, most)
        )
    text = builder.json_text(own)
    builder.start(builder.seq(builder.literal('"'), text, builder.literal('"}')))
    grammar = builder.build()
    spelled = {text.encode() for text in language}
    prefixes = {text[:i] for text in spelled for i in range(len(text) + 1)}
    choices = data.draw(st.lists(st.integers(0, 10**6), min_size=1, max_size=15))
    for options in OPTIONS:
        engine = grammar.compile(vocabulary, options=options)
        state, prefix = engine.start(), b""
        for choice in choices:
            allowed = set(engine.allowed_tokens(state).to_list())
            expected = {i for i, token in enumerate(given_tokens) if prefix + token in prefixes}
            if prefix in spelled:
                expected.add(len(given_tokens))
            assert allowed == expected, prefix
            onward = sorted(allowed - {len(given_tokens)})
            if not onward:
                break
            token = onward[choice % len(onward)]
            state, prefix = engine.advance(state, token), prefix + given_tokens[token]


@pytest.mark.parametrize("kind", ["bytes", "json", "members", "lone"])
def test_what_has_no_spelling_is_refused(kind):
    def part(builder):
        if kind == "bytes":
            return builder.byte_class([(0, 255)])
        if kind == "json":
            return builder.json_text(builder.literal("a"))
        if kind == "lone":
            return builder.literal(b"\xff")
        nothing = builder.empty()
        return builder.members([], colon=nothing, comma=nothing)

    with pytest.raises(GrammarError, match="json_text"):
        string_of(lambda b: b.json_text(part(b)))


@settings(max_examples=40, deadline=None)
@given(st.lists(st.text("abcé/\n", max_size=5), min_size=18, max_size=30), texts)
def test_many_words(words, other):
    listed = string_of(lambda b: b.json_text(b.choice(*map(b.literal, words))))
    exact = string_of(lambda b: b.json_text(b.choice(*map(b.literal, words)), escapes=False))
    for word in [*words, other]:
        spelled = [json.dumps(word), json.dumps(word, ensure_ascii=False), all_units(word)]
        for one in spelled:
            assert listed.accepts(one) == (word in words)
            plain = one == json.dumps(word, ensure_ascii=False)
            assert exact.accepts(one) == (word in words and plain)
