"""Decoding with jumps and drafts: the same text as token by token, with less work."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import formgate
from formgate.core.decoding import (
    AfterMarker,
    DecodingError,
    Multinomial,
    Prefixed,
    UnconstrainedEngine,
    WithinBudget,
    bounded,
    constrained_decode,
    inner_text,
    jump_decode,
)

PIECES = [b'{"', b'": "', b'"}', b"name", b"na", b"me", b"aaa", b"aa", b"a,", b", "]
TOKENS = [*(bytes([byte]) for byte in range(128)), *PIECES, None]
STOP = len(TOKENS) - 1
VOCABULARY = formgate.Vocabulary(TOKENS, stop_ids=[STOP])
IDS = {data: token for token, data in enumerate(TOKENS) if data is not None}
LONGEST = max(map(len, IDS))


class RewindableRandomModel:
    """Scores that depend on all tokens read; counts passes and checks what it is told to forget."""

    def __init__(self, seed=0, period=None):
        self.seed, self.period = seed, period
        self.held = []
        self.passes = 0
        self.rewound = 0

    def _row(self, held):
        history = held if self.period is None else held[-self.period :]
        return np.random.default_rng([self.seed, *history]).normal(0, 4, len(TOKENS))

    def start(self, prompt_ids):
        self.held = []
        return self.read(prompt_ids, 1)[0]

    def step(self, token):
        return self.read([token], 1)[0]

    def read(self, tokens, rows):
        assert 0 < rows <= len(tokens)
        self.passes += 1
        self.held += tokens
        first = len(self.held) - rows + 1
        return [self._row(self.held[:end]) for end in range(first, len(self.held) + 1)]

    def rewind(self, count):
        assert 0 < count <= len(self.held)
        self.rewound += count
        del self.held[-count:]


def tokenize(text):
    """Greedy longest match."""
    tokens = []
    while text:
        length = next(n for n in range(min(LONGEST, len(text)), 0, -1) if text[:n] in IDS)
        tokens.append(IDS[text[:length]])
        text = text[length:]
    return tokens


PATTERNS = [
    r'\{"name": "[a-c]{1,9}"\}',
    r"(name: [0-9]{2}, age\n)+",
    "a{30}|b",
    "aaa, [a,b ]{0,30}",
    "fixed text without a choice",
]


def plain(engine, seed, sampler=None, limit=60, period=None):
    model = RewindableRandomModel(seed, period)
    return constrained_decode(model, engine, [65], max_tokens=limit, sampler=sampler), model


@settings(deadline=None)
@given(
    st.sampled_from(PATTERNS),
    st.integers(0, 99),
    st.sampled_from([None, Multinomial(seed=3), Multinomial(seed=3, top_k=3)]),
    st.tuples(st.integers(0, 6), st.integers(1, 3)),
    st.integers(1, 70),
)
def test_drafts_change_nothing_but_the_work(pattern, seed, sampler, draft, limit):
    engine = formgate.compile(pattern, VOCABULARY)
    # Short memory makes outputs repeat themselves, so that drafts are right now and then.
    expected, model = plain(engine, seed, sampler, limit, period=2)
    own = RewindableRandomModel(seed, period=2)
    result = jump_decode(
        own,
        engine,
        [65],
        max_tokens=limit,
        sampler=sampler,
        draft_tokens=draft[0],
        draft_ngram=draft[1],
    )
    assert result.tokens == expected.tokens
    assert result.text == expected.text
    assert result.complete == expected.complete
    assert result.passes == own.passes <= model.passes
    assert result.accepted <= result.drafted
    assert own.rewound == result.drafted - result.accepted
    # What the model holds is what was read: prompt and output, but for what it need not read.
    held = [65, *result.tokens]
    assert own.held == held[: len(own.held)]


@settings(deadline=None)
@given(st.sampled_from(PATTERNS), st.integers(0, 99), st.integers(0, 5), st.integers(1, 70))
def test_jumps_stay_in_the_language(pattern, seed, count, limit):
    engine = formgate.compile(pattern, VOCABULARY)
    model = RewindableRandomModel(seed)
    result = jump_decode(
        model, engine, [65], max_tokens=limit, tokenize=tokenize, draft_tokens=count
    )
    assert engine.is_prefix(result.text_bytes)
    assert result.complete == engine.accepts(result.text_bytes)
    assert len(result.tokens) <= limit
    assert result.finish_reason != "length" or len(result.tokens) == limit
    state = engine.start()
    for token in result.tokens:
        state = engine.advance(state, token)


def test_forced_text_is_written_as_the_tokenizer_does_and_its_end_left_open():
    engine = formgate.compile(PATTERNS[0], VOCABULARY)
    model = RewindableRandomModel(1)
    result = jump_decode(model, engine, [65], max_tokens=60, tokenize=tokenize)
    assert result.complete
    # '": "' is the last token of the forced text, and could have reached further.
    assert result.tokens[:2] == (IDS[b'{"'], IDS[b"name"])
    assert result.jumped >= 2
    assert result.passes < len(result.tokens)


def test_text_without_a_choice_needs_no_model():
    engine = formgate.compile(PATTERNS[-1], VOCABULARY)
    model = RewindableRandomModel(1)
    result = jump_decode(model, engine, [65], max_tokens=60, tokenize=tokenize)
    assert (result.text, result.finish_reason) == (PATTERNS[-1], "terminal")
    assert model.passes == result.passes == 0
    assert result.jumped == len(result.tokens)


def test_repeated_text_is_drafted():
    engine = formgate.compile("(abcdefgh){9}.", VOCABULARY)

    def score(self, held):
        row = np.zeros(len(TOKENS), np.float32)
        row[ord("abcdefgh"[(len(held) - 1) % 8])] = 9
        return row

    model = type("Repeating", (RewindableRandomModel,), {"_row": score})()
    anything = UnconstrainedEngine(VOCABULARY, len(TOKENS))
    free = jump_decode(model, anything, [65], max_tokens=72, draft_tokens=8)
    assert free.text == "abcdefgh" * 9
    assert free.passes < 20
    assert free.accepted > 50
    assert jump_decode(model, engine, [65], max_tokens=80).passes == 1  # for the last character


def test_wrong_tokens_of_a_tokenizer_are_not_used():
    engine = formgate.compile(PATTERNS[0], VOCABULARY)
    for wrong in (lambda _: [], lambda _: [IDS[b"a"]], lambda _: [IDS[b'{"'], STOP]):
        model = RewindableRandomModel(1)
        result = jump_decode(model, engine, [65], max_tokens=60, tokenize=wrong)
        assert result.complete


@settings(deadline=None)
@given(st.integers(0, 99), st.integers(1, 30), st.integers(0, 4))
def test_budgets(seed, budget, count):
    engine = WithinBudget(formgate.compile("[a-c]+[.]", VOCABULARY), budget + 1)
    model = RewindableRandomModel(seed, period=1)
    result = jump_decode(model, engine, [65], max_tokens=budget + 1, draft_tokens=count)
    assert result.complete


@settings(deadline=None)
@given(st.sampled_from(PATTERNS[:2]), st.integers(0, 99), st.integers(0, 3), st.booleans())
def test_jumps_within_boundaries(pattern, seed, count, tight):
    inner = formgate.compile(pattern, VOCABULARY)
    limit = 26 if tight else 60
    engine = bounded(inner, after="<", between="\n\n", healed=b"na", max_tokens=limit)
    model = RewindableRandomModel(seed)
    result = jump_decode(
        model, engine, [65], max_tokens=limit, tokenize=tokenize, draft_tokens=count
    )
    assert result.complete
    assert result.text.startswith("na")
    before, _, answer = result.text.partition("<\n\n")
    assert inner.accepts(answer)
    assert "<" not in before
    assert inner_text(engine, result.tokens) == (inner, answer.encode())


def test_forced_text_of_wrappers():
    inner = formgate.compile("fixed (a|b)", VOCABULARY)
    engine = Prefixed(inner, "pre")
    assert engine.forced_text(engine.start()) == b"prefixed "
    assert engine.forced_text(engine.start(), 5) == b"prefi"
    assert engine.forced_text(engine.start(), 2) == b"pr"
    assert engine.forced_text(inner.start()) == b"fixed "
    after = AfterMarker(engine, "<")
    assert after.forced_text(after.start()) == b""
    assert after.forced_text(after.advance(after.start(), ord("<"))) == b"prefixed "


def test_arguments_out_of_range():
    engine = formgate.compile("a", VOCABULARY)
    model = RewindableRandomModel()
    with pytest.raises(ValueError, match="the prompt has no tokens"):
        jump_decode(model, engine, [], max_tokens=1)
    for options in ({"max_tokens": -1}, {"draft_tokens": -1}, {"draft_ngram": 0}):
        with pytest.raises(ValueError, match=f"{next(iter(options))} must be at least"):
            jump_decode(model, engine, [1], **({"max_tokens": 1} | options))


def test_unusable_scores_are_refused():
    engine = formgate.compile("a|b", VOCABULARY)
    nothing = np.full(len(TOKENS), np.nan, np.float32)
    model = type("Broken", (RewindableRandomModel,), {"_row": lambda *_: nothing})()
    with pytest.raises(DecodingError, match="NaN"):
        jump_decode(model, engine, [65], max_tokens=9)
