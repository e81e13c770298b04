"""Items that may repeat, some of which must meet conditions: against languages written out.

Values are drawn from few short texts, so a language of bounded length is a set of texts.
"""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import formgate
from formgate.core.errors import EmptyLanguageError, GrammarError, LimitError
from formgate.core.grammar import GrammarBuilder, Item, Some

VALUES = ["0", "1", "11", "[]", '"a"']
MOST_ITEMS = 4

values = st.lists(st.sampled_from(VALUES), max_size=3, unique=True)
places = st.lists(
    st.tuples(
        values, st.lists(st.tuples(values, st.sets(st.integers(0, 2), min_size=1)), max_size=3)
    ),
    min_size=1,
    max_size=3,
)


def texts_of(given_places, least, most):
    """Return all texts of at most so many items."""
    wanted = {one for _, some in given_places for _, meets in some for one in meets}
    found = set()

    def go_on(items, met):
        if least <= len(items) and wanted <= met:
            found.add(",".join(items))
        if len(items) == most:
            return
        own, some = given_places[min(len(items), len(given_places) - 1)]
        if not own:  # an item that cannot come
            return
        for value in own:
            go_on([*items, value], met)
        for special, meets in some:
            for value in special:
                if value in own:
                    go_on([*items, value], met | meets)

    go_on([], frozenset())
    return found


def grammar_of(given_places, least, most, *, recursive):
    """Return the grammar; a recursive one takes ``[]`` for a list of nothing, to any depth."""
    builder = GrammarBuilder()

    def either(texts):
        parts = [builder.literal(text) for text in texts if text != "[]" or not recursive]
        if recursive and "[]" in texts:
            parts.append(builder.rule("nested"))
        return builder.choice(*parts)

    # The part of an own value that meets conditions, as the interface asks for.
    node = builder.items(
        [
            Item(
                either(own),
                [Some(either([v for v in one if v in own]), sorted(meets)) for one, meets in some],
            )
            for own, some in given_places
        ],
        comma=builder.literal(","),
        min=least,
        max=most,
    )
    if recursive:
        inner = builder.optional(builder.seq(builder.literal("<"), builder.rule("nested")))
        builder.define(
            "nested",
            builder.seq(builder.literal("["), inner, builder.literal("]")),
        )
    builder.start(node)
    return builder.build()


@settings(max_examples=300, deadline=None)
@given(places, st.integers(0, 3), st.integers(0, MOST_ITEMS), st.booleans(), st.data())
def test_items_are_those_written_out(given_places, least, most, recursive, data):
    most = max(least, most)
    texts = texts_of(given_places, least, most)
    single = sorted(set("".join(texts)) | set(',0[]"<'))
    tokens = [*single, *data.draw(st.lists(st.sampled_from(["0,", ",1", "11", "],[", "0,0"])))]
    tokens = list(dict.fromkeys(tokens))
    vocabulary = formgate.Vocabulary([t.encode() for t in tokens] + [None], stop_ids=[len(tokens)])
    grammar = grammar_of(given_places, least, most, recursive=recursive)
    if not texts:
        with pytest.raises(EmptyLanguageError):
            grammar.compile(vocabulary)
        return
    engine = grammar.compile(vocabulary)
    if recursive:
        assert all(engine.accepts(text) for text in texts)
    prefixes = {text[:i] for text in texts for i in range(len(text) + 1)}
    state, prefix = engine.start(), ""
    for choice in data.draw(st.lists(st.integers(0, 10**6), min_size=12, max_size=16)):
        allowed = set(engine.allowed_tokens(state).to_list())
        expected = {i for i, token in enumerate(tokens) if prefix + token in prefixes}
        if prefix in texts:
            expected.add(len(tokens))
        if recursive:  # texts of deeper lists are not written out
            allowed = {i for i in allowed if i == len(tokens) or "<" not in prefix + tokens[i]}
        assert allowed == expected, (prefix, sorted(allowed ^ expected))
        onward = sorted(allowed - {len(tokens)})
        if not onward:
            return
        token = onward[choice % len(onward)]
        state, prefix = engine.advance(state, token), prefix + tokens[token]


def test_many_items_are_one_node():
    builder = GrammarBuilder()
    digit = builder.char_class([(0x30, 0x39)])
    some = [Some(builder.literal("7"), [0]), Some(builder.literal("8"), [1])]
    comma = builder.literal(",")
    builder.start(builder.items([Item(digit, some)], comma=comma, min=3, max=100_000))
    vocabulary = formgate.Vocabulary(
        [*(bytes([byte]) for byte in range(256)), None], stop_ids=[256]
    )
    engine = builder.build().compile(vocabulary)
    assert engine.accepts("7,8,1")
    assert not engine.accepts("7,8")
    assert not engine.accepts("7,1,1")
    assert engine.accepts(",".join("1" * 99_998 + "78"))
    assert not engine.is_prefix(",".join("1" * 99_999 + "1"))
    assert not engine.accepts(",".join("1" * 99_999 + "78"))


def test_what_is_refused():
    builder = GrammarBuilder()
    comma = builder.literal(",")
    with pytest.raises(GrammarError, match="items need a place"):
        builder.items([], comma=comma)
    with pytest.raises(GrammarError, match="min <= max"):
        builder.items([Item(comma)], comma=comma, min=2, max=1)
    with pytest.raises(LimitError, match="condition 8"):
        builder.items([Item(comma, [Some(comma, [8])])], comma=comma)


def test_all_that_is_left_must_meet_what_is_wanted():
    vocabulary = formgate.Vocabulary([b"0", b"1", b",", None], stop_ids=[3])
    grammar = grammar_of([(["0", "1"], [(["1"], {0})])], 0, 2, recursive=False)
    engine = grammar.compile(vocabulary)
    state = engine.start()
    for token in (0, 2):
        state = engine.advance(state, token)
    assert engine.allowed_tokens(state).to_list() == [1]
    assert engine.allowed_tokens(engine.advance(state, 1)).to_list() == [3]
