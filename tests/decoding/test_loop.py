"""The decode loop, over an engine in plain Python and models that are arrays."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from toy_engine import Automaton, ToyEngine, ToyVocabulary

from formgate.core.decoding import (
    CallableModel,
    DecodeStream,
    DecodingError,
    Greedy,
    Multinomial,
    UnconstrainedEngine,
    constrained_decode,
    jump_decode,
)

STOP = 1
SIZE = 268
# Ids 0 (a special token) and 1 (stop) have no text; then some pieces, then every byte.
PIECES = [
    b"ab",
    b"aba",
    b"20",
    b"2024",
    b"-0",
    b"-01",
    "é".encode(),
    "é".encode()[:1],
    b"yes",
    b"no",
]
TOKENS = [None, None, *PIECES, *(bytes([b]) for b in range(256))]
VOCABULARY = ToyVocabulary(TOKENS, [STOP])
BYTE = {data: token for token, data in enumerate(TOKENS) if data is not None and len(data) == 1}

DATE = Automaton.of_counts(("0123456789", 4, 4), ("-", 1, 1), ("01", 2, 2))
WORDS = Automaton.of_strings(["yes", "no", "été", "ab", "aba"])
LETTERS = Automaton.of_counts(("ab", 1, None), (".", 1, 1))


class RandomModel:
    """Scores that depend on the tokens read, as a language model's do."""

    def __init__(self, seed=0, size=SIZE):
        self.seed = seed
        self.size = size
        self.read = []
        self.calls = []

    def _row(self):
        history = [self.seed, *self.read]
        return np.random.default_rng(history).normal(0, 4, self.size).astype(np.float32)

    def start(self, prompt_ids):
        self.read = list(prompt_ids)
        self.calls.append(("start", len(self.read)))
        return self._row()

    def step(self, token):
        self.read.append(token)
        self.calls.append(("step", 1))
        return self._row()


class ExtendingModel(RandomModel):
    def extend(self, tokens):
        self.read.extend(tokens)
        self.calls.append(("extend", len(tokens)))
        return self._row()


def decode(automaton, model=None, **options):
    engine = ToyEngine(automaton, VOCABULARY)
    options.setdefault("max_tokens", 50)
    return constrained_decode(model or RandomModel(), engine, [5, 6], **options)


@pytest.mark.parametrize("seed", range(30))
def test_greedy_output_satisfies_the_constraint(seed):
    result = decode(DATE, RandomModel(seed))
    assert re.fullmatch(r"\d{4}-[01]{2}", result.text)
    assert result.complete
    assert result.finish_reason == "terminal"
    assert result.text_bytes == b"".join(TOKENS[t] for t in result.tokens)


@pytest.mark.parametrize("seed", range(30))
def test_greedy_is_the_highest_allowed_score_at_every_step(seed):
    result = decode(LETTERS, RandomModel(seed), max_tokens=12)
    engine, model = ToyEngine(LETTERS, VOCABULARY), RandomModel(seed)
    row, state = model.start([5, 6]), engine.start()
    for token in result.tokens:
        allowed = engine.allowed_tokens(state).to_list()
        assert token == max(allowed, key=lambda t: row[t])
        row, state = model.step(token), engine.advance(state, token)


@given(seed=st.integers(0, 10**6), temperature=st.sampled_from([0.3, 1.0, 3.0]))
def test_sampled_output_satisfies_the_constraint(seed, temperature):
    sampler = Multinomial(temperature=temperature, top_k=20, top_p=0.9, seed=seed)
    result = decode(WORDS, RandomModel(seed), sampler=sampler)
    assert result.text in {"yes", "no", "été", "ab", "aba"}
    assert result.complete


@pytest.mark.parametrize("sampler", [None, Multinomial(seed=3, top_p=0.8)])
@pytest.mark.parametrize("automaton", [DATE, WORDS, LETTERS])
def test_skipping_forced_tokens_changes_nothing_but_the_work(automaton, sampler):
    plain, skipping = RandomModel(8), ExtendingModel(8)
    expected = decode(automaton, plain, sampler=sampler, max_tokens=30)
    result = decode(automaton, skipping, sampler=sampler, max_tokens=30, skip_forced=True)
    assert (result.tokens, result.text) == (expected.tokens, expected.text)
    assert result.forced == expected.forced
    assert len(skipping.calls) <= len(plain.calls)


def test_forced_tokens_are_read_in_one_pass_and_the_model_never_waits_for_them():
    only = Automaton.of_strings(["xyz1", "xyz2"])
    model = ExtendingModel()
    result = decode(only, model, skip_forced=True)
    assert model.calls == [("start", 2 + 3)]  # prompt and x, y, z; the choice needs one row
    assert result.forced == 3

    without_extend = RandomModel()
    late = Automaton.of_strings(["1xyz1", "2xyz2", "2xyz3"])
    result = decode(late, without_extend, skip_forced=True)
    assert result.text in {"1xyz1", "2xyz2", "2xyz3"}
    assert {name for name, _ in without_extend.calls} <= {"start", "step"}


def test_a_forced_output_needs_no_model():
    model = RandomModel()
    assert decode(Automaton.of_strings(["xyz"]), model, skip_forced=True).text == "xyz"
    assert model.calls == []


def test_stop_token_ends_the_output_and_is_no_text():
    scores = np.zeros(len(TOKENS), np.float32)
    scores[BYTE[b"a"]], scores[STOP] = 1, 2
    language = Automaton.of_counts(("a", 1, None))
    result = decode(language, CallableModel(lambda _: scores))
    assert result.finish_reason == "stop"
    assert result.tokens == (BYTE[b"a"], STOP)
    assert result.text == "a"
    assert result.complete


def test_length_ends_the_output_and_says_whether_it_is_complete():
    scores = np.zeros(len(TOKENS), np.float32)
    scores[BYTE[b"a"]] = 1
    cut = decode(LETTERS, CallableModel(lambda _: scores), max_tokens=4)
    assert (cut.finish_reason, cut.text, cut.complete) == ("length", "aaaa", False)
    open_ended = Automaton.of_counts(("a", 1, None))
    cut = decode(open_ended, CallableModel(lambda _: scores), max_tokens=4)
    assert (cut.finish_reason, cut.text, cut.complete) == ("length", "aaaa", True)


def test_an_output_of_no_tokens():
    assert decode(Automaton.of_strings([""])).finish_reason == "terminal"
    result = decode(DATE, max_tokens=0)
    assert (result.finish_reason, result.tokens, result.complete) == ("length", (), False)


def test_streamed_characters_are_whole_and_add_up():
    lead, rest = BYTE["é".encode()[:1]], BYTE["é".encode()[1:]]
    scores = np.zeros(len(TOKENS), np.float32)
    scores[[lead, rest]] = 5
    stream = DecodeStream(
        CallableModel(lambda _: scores), ToyEngine(WORDS, VOCABULARY), [5], max_tokens=9
    )
    steps = list(stream)
    assert steps[0].text == ""
    assert steps[1].text == "é"
    assert [step.token_bytes for step in steps[:2]] == [b"\xc3", b"\xa9"]
    assert "".join(step.text for step in steps) == stream.result().text == "été"


def test_a_character_that_was_cut_off_is_marked():
    scores = np.zeros(len(TOKENS), np.float32)
    scores[BYTE["é".encode()[:1]]] = 5
    result = decode(WORDS, CallableModel(lambda _: scores), max_tokens=1)
    assert result.text == "\N{REPLACEMENT CHARACTER}"
    assert result.text_bytes == b"\xc3"
    assert not result.complete


def test_a_stream_can_be_left_and_taken_up():
    stream = DecodeStream(RandomModel(4), ToyEngine(DATE, VOCABULARY), [5, 6], max_tokens=50)
    first = list(itertools.islice(stream, 2))
    assert stream.finish_reason is None
    result = stream.result()
    assert result.tokens[:2] == tuple(step.token for step in first)
    assert result.tokens == decode(DATE, RandomModel(4)).tokens
    assert stream.result() == result


@pytest.mark.parametrize("automaton", [DATE, LETTERS])
@pytest.mark.parametrize("sampler", [Greedy(), Multinomial(seed=1)])
def test_log_probabilities(automaton, sampler):
    engine, model = ToyEngine(automaton, VOCABULARY), RandomModel(2)
    state, row = engine.start(), model.start([5, 6]).astype(float)
    stream = DecodeStream(
        RandomModel(2), engine, [5, 6], max_tokens=8, sampler=sampler, logprobs=True
    )
    for step in stream:
        allowed = engine.allowed_tokens(state).to_list()
        assert step.allowed == len(allowed)
        assert step.forced == (len(allowed) == 1)
        whole, kept = np.exp(row).sum(), np.exp(row[allowed]).sum()
        assert step.logprob == pytest.approx(row[step.token] - np.log(whole), abs=1e-4)
        assert step.masked_logprob == pytest.approx(row[step.token] - np.log(kept), abs=1e-4)
        state = engine.advance(state, step.token)
        row = model.step(step.token).astype(float)


def test_log_probabilities_do_not_change_the_choice():
    for sampler in (Greedy(), Multinomial(seed=5)):
        with_them = decode(LETTERS, sampler=sampler, logprobs=True)
        assert with_them.tokens == decode(LETTERS, sampler=sampler).tokens


def test_log_probability_far_below_the_favourites():
    scores = np.full(len(TOKENS), 500.0, np.float32)
    scores[BYTE[b"a"]] = -500
    scores[BYTE[b"."]] = -501
    stream = DecodeStream(
        CallableModel(lambda _: scores),
        ToyEngine(Automaton.of_strings(["a", "."]), VOCABULARY),
        [5],
        max_tokens=1,
        logprobs=True,
    )
    (step,) = stream
    assert step.token == BYTE[b"a"]
    assert step.logprob == pytest.approx(-1000 - np.log(len(TOKENS) - 2), rel=1e-4)
    assert step.masked_logprob == pytest.approx(-np.log1p(np.exp(-1)), abs=1e-5)


def test_timings_count_every_phase():
    model = ExtendingModel()
    result = decode(LETTERS, model, max_tokens=10)
    timings = result.timings
    assert timings.prompt_ns > 0
    assert timings.forward.count == len(result.tokens) - 1 == len(model.calls) - 1
    for phase in (timings.mask, timings.sample, timings.advance):
        assert phase.count == len(result.tokens)
        assert phase.max_ns >= phase.mean_ns > 0
    assert timings.overhead > 0


def test_scores_wider_than_the_vocabulary_are_cut():
    model = RandomModel(size=len(TOKENS) + 40)
    result = decode(DATE, model)
    assert result.complete
    assert max(result.tokens) < len(TOKENS)
    free = UnconstrainedEngine(VOCABULARY, len(TOKENS))
    assert max(constrained_decode(model, free, [5], max_tokens=20).tokens) < len(TOKENS)


def test_scores_narrower_than_the_vocabulary_are_refused():
    with pytest.raises(DecodingError, match=r"scores 20 token ids.*vocabulary has 268.*size="):
        decode(DATE, RandomModel(size=20))


@pytest.mark.parametrize(
    "sampler", [Greedy(), Multinomial(seed=0), Multinomial(top_k=3, top_p=0.5)]
)
@pytest.mark.parametrize("automaton", [DATE, LETTERS, Automaton.of_strings(["z"])])
@pytest.mark.parametrize(
    ("value", "message"),
    [(np.nan, "NaN to"), (-np.inf, "score of minus infinity"), (np.inf, "infinite score")],
)
def test_unusable_scores_are_refused(sampler, automaton, value, message):
    scores = np.zeros(len(TOKENS), np.float32)
    scores[2:] = value
    with pytest.raises(DecodingError, match=message):
        decode(automaton, CallableModel(lambda _: scores), sampler=sampler)


def test_one_usable_token_is_enough():
    scores = np.full(len(TOKENS), -np.inf, np.float32)
    scores[BYTE[b"a"]] = -3
    for sampler in (Greedy(), Multinomial(seed=0), Multinomial(top_k=2, top_p=0.5, seed=0)):
        result = decode(LETTERS, CallableModel(lambda _: scores), sampler=sampler, max_tokens=5)
        assert result.text == "aaaaa"


@pytest.mark.parametrize("scores", [np.zeros((1, len(TOKENS))), 3.0, ["a"]])
def test_scores_that_are_no_row_are_refused(scores):
    with pytest.raises(DecodingError, match="scores"):
        decode(DATE, CallableModel(lambda _: scores))


def test_a_failed_decode_has_no_result():
    stream = DecodeStream(
        CallableModel(lambda _: np.zeros(3)), ToyEngine(DATE, VOCABULARY), [5], max_tokens=3
    )
    for _ in range(2):
        with pytest.raises(DecodingError):
            stream.result()


def test_an_engine_that_allows_nothing_is_named():
    class Stuck(ToyEngine):
        def allowed_tokens(self, state):
            return super().allowed_tokens(("ended", 0))

    with pytest.raises(DecodingError, match="allows no token"):
        constrained_decode(RandomModel(), Stuck(DATE, VOCABULARY), [5], max_tokens=3)


def test_a_sampler_that_breaks_the_mask_is_caught():
    class Stubborn:
        def start(self):
            return lambda _row: 7

    with pytest.raises(DecodingError, match="forbidden"):
        decode(LETTERS, sampler=Stubborn())


@pytest.mark.parametrize("sampler", [5, 0, "greedy", Greedy, lambda row: 0])
@pytest.mark.parametrize("decode_with", [constrained_decode, jump_decode])
def test_what_is_no_sampler_is_named(decode_with, sampler):
    engine = ToyEngine(WORDS, VOCABULARY)
    with pytest.raises(TypeError, match=r"is no sampler: pass Greedy\(\), Multinomial"):
        decode_with(RandomModel(0), engine, [5, 6], max_tokens=3, sampler=sampler)


def test_arguments_out_of_range():
    engine = ToyEngine(DATE, VOCABULARY)
    with pytest.raises(ValueError, match="prompt has no tokens"):
        constrained_decode(RandomModel(), engine, [], max_tokens=3)
    with pytest.raises(ValueError, match="max_tokens"):
        constrained_decode(RandomModel(), engine, [1], max_tokens=-1)


def test_an_engine_without_a_vocabulary():
    engine = ToyEngine(DATE, VOCABULARY)
    del engine.vocabulary

    class Bare:
        inner = ToyEngine(DATE, VOCABULARY)
        start = inner.start
        allowed_tokens = inner.allowed_tokens
        advance = inner.advance
        is_accepting = inner.is_accepting
        is_terminal = inner.is_terminal

    with pytest.raises(TypeError, match="vocabulary="):
        constrained_decode(RandomModel(), Bare(), [5], max_tokens=30)
    assert constrained_decode(
        RandomModel(), Bare(), [5], max_tokens=30, vocabulary=VOCABULARY
    ).complete


def test_unconstrained_decoding_is_the_model_alone():
    engine = UnconstrainedEngine(VOCABULARY, len(TOKENS))
    model = RandomModel(3)
    row, expected = model.start([5]), []
    for _ in range(20):
        expected.append(int(row.argmax()))
        row = model.step(expected[-1])
    if STOP in expected:
        expected = expected[: expected.index(STOP) + 1]
    result = constrained_decode(RandomModel(3), engine, [5], max_tokens=20)
    assert list(result.tokens) == expected
    assert result.complete

    scores = np.zeros(len(TOKENS), np.float32)
    scores[STOP] = 1
    result = constrained_decode(CallableModel(lambda _: scores), engine, [5], max_tokens=20)
    assert (result.finish_reason, result.text) == ("stop", "")
    with pytest.raises(ValueError, match="not allowed"):
        engine.advance(engine.advance(engine.start(), STOP), 3)


def test_torch_rows_of_every_type():
    torch = pytest.importorskip("torch")
    for dtype in (torch.float32, torch.float16, torch.bfloat16, torch.float64):
        scores = torch.zeros(len(TOKENS), dtype=dtype)
        scores[BYTE[b"a"]] = 1
        scores.requires_grad_(requires_grad=True)
        result = decode(LETTERS, CallableModel(lambda _: scores), max_tokens=3)  # noqa: B023
        assert result.text == "aaa"


def test_the_short_name_holds_the_same():
    import formgate
    import formgate.core.decoding as whole

    assert formgate.decoding.constrained_decode is whole.constrained_decode
    assert {name: getattr(formgate.decoding, name) for name in whole.__all__} == {
        name: getattr(whole, name) for name in whole.__all__
    }
