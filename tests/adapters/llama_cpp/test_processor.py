"""The logits processor and the samplers within llama.cpp's own generation."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import formgate
from formgate.core.decoding import DecodingError, jump_decode

PATTERN = r"[A-Z][a-z]{2,8}, [0-9]{2}"


@pytest.fixture
def engine(vocabulary):
    return formgate.compile(PATTERN, vocabulary)


def processor_of(engine, **options):
    from formgate.adapters.llama_cpp import FormgateLogitsProcessor

    return FormgateLogitsProcessor(engine, **options)


@pytest.mark.parametrize(
    "options",
    [
        {"temperature": 0},
        {"temperature": 1.5, "seed": 3},
        {"temperature": 0.7, "repeat_penalty": 1.3, "seed": 4},
        {"temperature": 0.9, "mirostat_mode": 2, "seed": 5},
        {"temperature": 0.9, "logit_bias": {5: 3.0}},  # which would drop a plain list
    ],
)
def test_completions(llama, engine, prompt, options):
    processor = processor_of(engine, llama=llama)
    for text in ("A name and an age:", "A name and an age: Who"):
        answer = llama.create_completion(
            prompt(text), max_tokens=30, **options, **processor.options()
        )["choices"][0]
        assert answer["finish_reason"] == "stop"
        assert re.fullmatch(PATTERN, answer["text"])
        assert processor.error is None


@pytest.mark.parametrize("text", ["-" * 64, "\n" + " " * 80, "x" + "=" * 32])
def test_texts_are_whole_where_llama_cpp_python_would_lose_a_token(llama, vocabulary, prompt, text):
    """It makes text of a token in 32 bytes, and leaves out what does not fit, without a word."""
    ids = range(len(vocabulary))
    long = [token for token in ids if (vocabulary.token_bytes(token) or b"") in text.encode()]
    engine = formgate.compile([text], vocabulary)
    processor = processor_of(engine, llama=llama)
    answer = llama.create_completion(
        prompt("Draw a line."),
        max_tokens=100,
        # The longer, the likelier.
        logit_bias={t: 10.0 * len(vocabulary.token_bytes(t) or b"") for t in long},
        **processor.options(),
    )["choices"][0]
    assert answer["text"] == text


def test_what_only_a_lost_token_spells_is_not_forbidden(llama):  # which imports llama_cpp
    """An output goes on in any case."""
    tokens = [b"-" * 64, None]
    vocabulary = formgate.Vocabulary(tokens, stop_ids=[1])
    engine = formgate.compile(["-" * 64], vocabulary)
    processor = processor_of(engine)
    processor._lost = formgate.TokenMask.from_ids(2, [0])
    scores = np.zeros(2, np.float32)
    assert processor(np.array([7], np.int32), scores).tolist() == [0.0, -np.inf]


def test_chats(llama, vocabulary):
    engine = formgate.compile(["yes", "no"], vocabulary)
    processor = processor_of(engine, llama=llama)
    answer = llama.create_chat_completion(
        [{"role": "user", "content": "Is water wet?"}],
        max_tokens=9,
        **processor.options(chat=True),
    )
    processor.check()
    assert answer["choices"][0]["message"]["content"] in ("yes", "no")


def test_scores_are_strided_and_changed_in_place(engine, vocabulary):
    processor = processor_of(engine)
    entries = np.zeros(len(vocabulary), [("id", np.int32), ("logit", np.float32), ("p", "f4")])
    scores = entries["logit"]
    assert scores.strides == (12,)
    history = np.array([5, 6, 7], np.int32)
    assert processor(history, scores) is scores
    allowed = engine.allowed_tokens(engine.start())
    assert np.flatnonzero(scores > -np.inf).tolist() == allowed.to_list()
    assert not entries["p"].any()
    assert not entries["id"].any()


def test_generation_goes_on_from_call_to_call(engine, vocabulary):
    processor = processor_of(engine)
    state, history = engine.start(), [5, 6]
    rng = np.random.default_rng(0)
    while True:
        scores = rng.normal(size=len(vocabulary)).astype(np.float32)
        processor(np.array(history, np.int32), scores)
        token = int(scores.argmax())
        assert token in engine.allowed_tokens(state)
        if token in vocabulary.stop_ids:
            break
        state = engine.advance(state, token)
        history.append(token)
    assert processor.error is None
    assert not processor.check()


def test_what_goes_wrong_ends_the_output_and_is_raised(llama, engine, vocabulary, prompt):
    processor = processor_of(engine)
    scores = np.zeros(len(vocabulary), np.float32)
    first = engine.allowed_tokens(engine.start()).to_list()[0]
    processor(np.array([5], np.int32), scores)
    # Two tokens at once, as drafts come.
    processor(np.array([5, first, first], np.int32), scores)
    assert set(np.flatnonzero(scores > -np.inf)) <= set(vocabulary.stop_ids)
    with pytest.raises(DecodingError, match="draft_model"):
        processor.check()
    processor.reset()
    assert not processor.check()
    processor(np.array([5], np.int32), np.zeros_like(scores))
    processor(np.array([5, 5, 5], np.int32), np.zeros_like(scores))
    assert isinstance(processor.error, DecodingError)
    for wrong in (np.full(len(vocabulary), -np.inf), np.full(len(vocabulary), np.nan)):
        processor.reset()
        processor(np.array([5], np.int32), wrong.astype(np.float32))
        with pytest.raises(DecodingError, match="no allowed token has a finite score"):
            processor.check()
    processor.reset()
    processor(np.array([5], np.int32), np.zeros(10, np.float32))
    with pytest.raises(DecodingError, match="scores 10 token ids"):
        processor.check()
    # A generation is stopped by the criterion that belongs to the processor.
    options = processor.options()
    options["logits_processor"].append(lambda _ids, scores: np.full_like(scores, -np.inf))
    options["logits_processor"].reverse()
    with pytest.raises(DecodingError, match="no allowed token has a finite score"):
        llama.create_completion(prompt("Hi"), max_tokens=9, temperature=0, **options)


def test_another_prompt_begins_another_generation(llama, engine, prompt):
    options = processor_of(engine).options()
    for text in ("A name:", "B", "A much longer question about a name:", "A name:"):
        tokens = prompt(text)
        answer = llama.create_completion(tokens, max_tokens=30, temperature=0, **options)
        assert re.fullmatch(PATTERN, answer["choices"][0]["text"])
    # A further turn of the chat could be meant either way.
    with pytest.raises(DecodingError, match="take options"):
        llama.create_completion([*tokens, 300, 301], max_tokens=30, temperature=0, **options)


def test_a_model_that_drafts_by_itself_is_refused(llama, engine, monkeypatch):
    from llama_cpp.llama_speculative import LlamaPromptLookupDecoding

    from formgate.adapters.llama_cpp import generate

    monkeypatch.setattr(llama, "draft_model", LlamaPromptLookupDecoding())
    for refused in (
        lambda: processor_of(engine, llama=llama),
        lambda: generate(llama, "Hi", engine),
    ):
        with pytest.raises(DecodingError, match="draft_model"):
            refused()


def test_a_model_with_fewer_tokens_is_refused(llama, vocabulary):
    tokens = [vocabulary.token_bytes(token) for token in range(len(vocabulary))]
    larger = formgate.Vocabulary([*tokens, b"new"], stop_ids=[2])
    with pytest.raises(DecodingError, match=r"vocabulary_of\(llama\)"):
        processor_of(formgate.compile("a", larger), llama=llama)
    with pytest.raises(TypeError, match="is not an engine"):
        processor_of("a")


# ------------------------------------------------------------------------------------ samplers


@pytest.mark.parametrize(
    "options",
    [
        {"temperature": 0},
        {"top_k": 5, "seed": 1},
        {"top_p": 0.9, "min_p": 0.05, "typical_p": 0.9, "seed": 2},
        {"repeat_penalty": 1.2, "frequency_penalty": 0.5, "presence_penalty": 0.1, "seed": 3},
        {"mirostat": 2, "seed": 4},
    ],
)
def test_chains_of_llama_cpp_on_allowed_tokens(llama, model, engine, prompt, options):
    from formgate.adapters.llama_cpp import SamplerChain

    chain = SamplerChain(llama, **options)
    texts = [
        jump_decode(model, engine, prompt("A name and an age:"), max_tokens=30, sampler=chain).text
        for _ in range(2)
    ]
    assert all(re.fullmatch(PATTERN, text) for text in texts)
    assert texts[0] == texts[1]  # every decode begins from the seed again


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(scores=st.lists(st.floats(-30, 30, width=32), min_size=3, max_size=3))
def test_a_greedy_chain_takes_the_highest_allowed_score(llama, vocabulary, scores):
    from formgate.adapters.llama_cpp import SamplerChain

    engine = formgate.compile("[abc]", vocabulary)
    mask = engine.allowed_tokens(engine.start())
    ids = mask.to_list()
    assert len(ids) == 3
    row = np.full(len(vocabulary), 99, np.float32)
    row[ids] = scores
    token = SamplerChain(llama, temperature=0).pick(row, mask)
    assert row[token] == max(scores)
    assert token in ids


def test_chains_out_of_range(llama, engine):
    from formgate.adapters.llama_cpp import SamplerChain

    for name, value in {
        "temperature": -1,
        "top_k": -1,
        "top_p": 0,
        "min_p": 2,
        "typical_p": 0,
        "repeat_penalty": 0,
        "frequency_penalty": float("nan"),
        "penalty_last_n": -1,
        "mirostat": 1,
        "mirostat_tau": 0,
        "seed": -1,
    }.items():
        with pytest.raises(ValueError, match=f"{name} must be"):
            SamplerChain(llama, **{name: value})
    mask = engine.allowed_tokens(engine.start())
    with pytest.raises(DecodingError, match="scores 3 token ids"):
        SamplerChain(llama).pick(np.zeros(3, np.float32), mask)
    with pytest.raises(DecodingError, match="no finite score"):
        SamplerChain(llama).pick(np.full(mask.size, -np.inf, np.float32), mask)


@pytest.fixture
def chain():
    import llama_cpp

    handle = llama_cpp.llama_sampler_chain_init(llama_cpp.llama_sampler_chain_default_params())
    yield handle
    llama_cpp.llama_sampler_free(handle)


def test_a_mask_in_a_chain_of_one_s_own(llama, model, engine, prompt, chain):
    import llama_cpp

    from formgate.adapters.llama_cpp import MaskSampler

    sampler = MaskSampler(engine)
    llama_cpp.llama_sampler_chain_add(chain, sampler.pointer)
    llama_cpp.llama_sampler_chain_add(chain, llama_cpp.llama_sampler_init_top_k(40))
    llama_cpp.llama_sampler_chain_add(chain, llama_cpp.llama_sampler_init_dist(1))
    for _ in range(2):
        llama_cpp.llama_sampler_reset(chain)
        model.start(prompt("A name and an age:"))
        tokens = []
        for _ in range(30):
            token = llama_cpp.llama_sampler_sample(chain, llama.ctx, -1)
            if token in engine.vocabulary.stop_ids:
                break
            tokens.append(token)
            model.step(token)
        sampler.check()
        text = b"".join(map(engine.vocabulary.token_bytes, tokens)).decode()
        assert re.fullmatch(PATTERN, text)
        assert sampler.matcher.is_terminated


def test_a_mask_behind_a_cut_says_what_is_wrong(llama, model, vocabulary, prompt, chain):
    import llama_cpp

    from formgate.adapters.llama_cpp import MaskSampler

    sampler = MaskSampler(formgate.compile("zzz|yyy", vocabulary))
    llama_cpp.llama_sampler_chain_add(chain, llama_cpp.llama_sampler_init_top_k(3))
    llama_cpp.llama_sampler_chain_add(chain, sampler.pointer)
    llama_cpp.llama_sampler_chain_add(chain, llama_cpp.llama_sampler_init_greedy())
    model.start(prompt("What is the capital of France?"))
    llama_cpp.llama_sampler_sample(chain, llama.ctx, -1)
    with pytest.raises(DecodingError, match="put the mask first"):
        sampler.check()
    llama_cpp.llama_sampler_reset(chain)
    llama_cpp.llama_sampler_accept(chain, 300)
    with pytest.raises(DecodingError, match="accepted token 300"):
        sampler.check()


def test_a_chain_owns_its_mask_sampler(llama, model, vocabulary, prompt):
    """As the documentation has it: nothing but the chain refers to the sampler."""
    import gc

    import llama_cpp

    from formgate.adapters.llama_cpp import MaskSampler

    chain = llama_cpp.llama_sampler_chain_init(llama_cpp.llama_sampler_chain_default_params())
    engine = formgate.compile("[0-9]{3}-[0-9]{4}", vocabulary)
    llama_cpp.llama_sampler_chain_add(chain, MaskSampler(engine).pointer)
    llama_cpp.llama_sampler_chain_add(chain, llama_cpp.llama_sampler_init_greedy())
    gc.collect()

    def write(chain, tokens):
        while (token := llama_cpp.llama_sampler_sample(chain, llama.ctx, -1)) not in stops:
            tokens.append(token)
            model.step(token)
        return b"".join(map(vocabulary.token_bytes, tokens)).decode()

    stops = engine.vocabulary.stop_ids
    model.start(prompt("Call me: "))
    first = llama_cpp.llama_sampler_sample(chain, llama.ctx, -1)
    model.step(first)
    copy = llama_cpp.llama_sampler_clone(chain)
    assert engine.accepts(write(chain, [first]))
    llama_cpp.llama_sampler_free(chain)
    gc.collect()
    # The copy stands where the chain stood when it was copied.
    model.start(prompt("Call me: "))
    model.step(first)
    assert engine.accepts(write(copy, [first]))
    llama_cpp.llama_sampler_free(copy)


def test_what_llama_cpp_has_freed_can_be_used_again(vocabulary):
    import llama_cpp

    from formgate.adapters.llama_cpp import MaskSampler

    sampler = MaskSampler(formgate.compile("a", vocabulary))
    assert llama_cpp.llama_sampler_name(sampler.pointer) == b"formgate"
    llama_cpp.llama_sampler_free(sampler.pointer)
    assert llama_cpp.llama_sampler_name(sampler.pointer) == b"formgate"
    llama_cpp.llama_sampler_free(sampler.pointer)
