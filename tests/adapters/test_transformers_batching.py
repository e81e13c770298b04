"""Continuous batching with a constraint for each request, on a tiny random model."""

from __future__ import annotations

import re

import pytest
from toy_engine import Automaton

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers", minversion="5.20")

from transformers.generation import (  # noqa: E402
    CompileConfig,
    ContinuousBatchingConfig,
    GenerationConfig,
)

from formgate import FormgateError  # noqa: E402
from formgate.adapters.transformers import continuous_batching, generate_batch  # noqa: E402
from formgate.core.decoding import BudgetError, DecodingError  # noqa: E402

DIGITS = "0123456789"
DATE = Automaton.of_counts((DIGITS, 4, 4), ("-", 1, 1), ("01", 1, 1), (DIGITS, 1, 1))
DATE_RE = r"\d{4}-[01]\d"
LETTERS = Automaton.of_counts(("abcdefgh", 1, 6), (".", 1, 1))
LETTERS_RE = r"[a-h]{1,6}\."
WORDS = ["yes", "no", "maybe"]

pytestmark = pytest.mark.filterwarnings("ignore")  # transformers warns of what it leaves out


def cache(blocks=64, **options):
    return ContinuousBatchingConfig(page_size=16, num_blocks=blocks, max_batch_tokens=64, **options)


def config(setup, **options):
    options.setdefault("max_new_tokens", 24)
    tokenizer = setup.tokenizer
    return GenerationConfig(
        eos_token_id=tokenizer.eos_token_id, pad_token_id=tokenizer.pad_token_id, **options
    )


def ids_of(setup, text):
    return setup.tokenizer(text)["input_ids"]


def finished(batching, count):
    found = {}
    while len(found) < count:
        result = batching.get_result(timeout=60)
        assert result is not None
        assert result.is_finished() or result.error
        found[result.request_id] = result
    return found


@pytest.mark.parametrize("sampling", [{}, {"do_sample": True, "temperature": 0.8, "top_k": 4}])
def test_each_request_has_its_own_constraint(setup, sampling):
    engines = [setup.engine(DATE), setup.engine(LETTERS), None]
    patterns = [DATE_RE, LETTERS_RE, None]
    requests = {}
    with continuous_batching(
        setup.model,
        generation_config=config(setup, **sampling),
        continuous_batching_config=cache(),
    ) as batching:
        for index in range(12):
            request = batching.add_request(
                ids_of(setup, "the year" + " yes" * index), engines[index % 3]
            )
            requests[request] = patterns[index % 3]
        results = finished(batching, 12)
    for request, pattern in requests.items():
        assert results[request].error is None
        if pattern is not None:
            text, ended = setup.text(torch.tensor(results[request].generated_tokens))
            assert ended
            assert re.fullmatch(pattern, text)


def test_the_output_is_that_of_generate(setup):
    """Greedily, constraint or not, a request gets what generate would give it."""
    from formgate.adapters.transformers import FormgateLogitsProcessor

    engine = setup.engine(Automaton.of_strings(["red", "green", "redder", "blue", "été"]))
    prompts = ["the year", "yes no", "name: Ada", "x"]
    answers = generate_batch(
        setup.model,
        setup.tokenizer,
        prompts,
        engine,
        generation_config=config(setup),
        continuous_batching_config=cache(),
    )
    for prompt, answer in zip(prompts, answers, strict=True):
        inputs = setup.inputs(prompt)
        processor = FormgateLogitsProcessor(engine)
        output = setup.model.generate(**inputs, logits_processor=[processor], max_new_tokens=24)
        assert setup.texts(output, inputs) == [answer.text]
        assert answer.complete
        assert answer.value == answer.text


def test_copies_of_a_request(setup):
    answers = generate_batch(
        setup.model,
        setup.tokenizer,
        ["the year", "yes"],
        [setup.engine(DATE), setup.engine(Automaton.of_strings(WORDS))],
        generation_config=config(setup, do_sample=True, num_return_sequences=4),
        continuous_batching_config=cache(),
    )
    assert [answer.prompt_index for answer in answers] == [0] * 4 + [1] * 4
    assert all(re.fullmatch(DATE_RE, answer.text) for answer in answers[:4])
    assert all(answer.text in WORDS for answer in answers[4:])


def test_requests_that_are_put_back_to_make_room(setup, monkeypatch):
    """A cache too small for all of them: some lose their place and go on later."""
    from transformers.generation.continuous_batching.requests import RequestState

    resets = []
    original = RequestState.create_equivalent_initial_request

    def counted(state):
        resets.append(len(state.generated_tokens))
        return original(state)

    monkeypatch.setattr(RequestState, "create_equivalent_initial_request", counted)
    # Fixed lengths, so that every request outgrows its first block of 16 tokens.
    automaton = Automaton.of_counts(("abcdefgh", 20, 20), (DIGITS, 8, 8))
    answers = generate_batch(
        setup.model,
        setup.tokenizer,
        [f"the year {index}" for index in range(8)],
        setup.engine(automaton),
        generation_config=config(setup, do_sample=True),
        continuous_batching_config=cache(blocks=8),
        max_new_tokens=40,
    )
    assert any(resets)  # at least one had output already
    assert len(answers) == 8
    assert all(re.fullmatch(r"[a-h]{20}\d{8}", answer.text) for answer in answers)


def test_a_source_and_its_value(setup):
    values = [[True, False], {"a": 1.5}, "été"]
    answers = generate_batch(
        setup.model,
        setup.tokenizer,
        ["the year", "x"],
        {"enum": values},
        generation_config=config(setup, max_new_tokens=200, do_sample=True),
        continuous_batching_config=cache(),
    )
    assert len(answers) == 2
    for answer in answers:
        if answer.complete:
            assert answer.value in values


def test_cut_off_outputs(setup):
    (answer,) = generate_batch(
        setup.model,
        setup.tokenizer,
        ["the year"],
        setup.engine(DATE),
        generation_config=config(setup),
        continuous_batching_config=cache(),
        max_new_tokens=2,
    )
    assert not answer.complete
    with pytest.raises(FormgateError, match="incomplete"):
        _ = answer.value


@pytest.mark.parametrize("given", ["here", "in the config"])
def test_outputs_are_whole_and_begin_after_a_marker(setup, given):
    limit = {"max_new_tokens": 9}
    answers = generate_batch(
        setup.model,
        setup.tokenizer,
        ["the year", "x", "yes"],
        [setup.engine(each) for each in (DATE, Automaton.of_strings(WORDS), DATE)],
        generation_config=config(setup, do_sample=True, **({} if given == "here" else limit)),
        continuous_batching_config=cache(),
        whole=True,
        after="-",
        between="o",
        **(limit if given == "here" else {}),
    )
    assert all(answer.complete and len(answer.tokens) <= 9 for answer in answers)
    assert all(answer.before.endswith("-o") for answer in answers)
    assert re.fullmatch(DATE_RE, answers[0].text)
    assert answers[1].text in WORDS


def test_outputs_cannot_be_whole_without_a_limit(setup):
    engine = setup.engine(DATE)
    options = config(setup)
    options.max_new_tokens = None
    with pytest.raises(FormgateError, match="whole=True needs max_new_tokens"):
        generate_batch(
            setup.model, setup.tokenizer, ["x"], engine, generation_config=options, whole=True
        )
    with pytest.raises(BudgetError, match="at most 1 tokens"):
        generate_batch(setup.model, setup.tokenizer, ["x"], engine, max_new_tokens=1, whole=True)


def test_one_request_that_fails_does_not_end_the_others(setup):
    class Breaking(type(setup.engine(DATE))):
        def advance(self, state, token):
            del state, token
            raise ValueError("broken")

    broken = Breaking(DATE, setup.vocabulary)
    with continuous_batching(
        setup.model, generation_config=config(setup), continuous_batching_config=cache()
    ) as batching:
        good = batching.add_request(ids_of(setup, "the year"), setup.engine(DATE))
        bad = batching.add_request(ids_of(setup, "the year"), broken)
        results = finished(batching, 2)
    assert results[good].error is None
    assert re.fullmatch(DATE_RE, setup.text(torch.tensor(results[good].generated_tokens))[0])
    assert "a token that the constraint forbids: broken" in results[bad].error
    with pytest.raises(DecodingError, match="prompt 0: the request holds a token"):
        generate_batch(
            setup.model,
            setup.tokenizer,
            ["x"],
            broken,
            generation_config=config(setup),
            continuous_batching_config=cache(),
        )


def test_unusable_scores_end_one_request(setup):
    from tiny_llama import make_model

    model = make_model(setup.tokenizer, 0)
    with torch.no_grad():
        for token in (
            (queue := setup.engine(Automaton.of_strings(["q"])))
            .allowed_tokens(queue.start())
            .to_list()
        ):
            model.get_output_embeddings().weight[token] = float("nan")
    with continuous_batching(
        model, generation_config=config(setup), continuous_batching_config=cache()
    ) as batching:
        bad = batching.add_request(ids_of(setup, "x"), setup.engine(Automaton.of_strings(["q"])))
        good = batching.add_request(ids_of(setup, "x"), setup.engine(DATE))
        results = finished(batching, 2)
    assert "NaN or infinity" in results[bad].error
    assert results[good].error is None


def test_the_model_is_as_it_was(setup):
    from transformers.generation.continuous_batching import cb_logits_processors

    before = dict(cb_logits_processors.CLASSIC_TO_CB_PROCESSORS_MAP)
    with continuous_batching(
        setup.model, generation_config=config(setup), continuous_batching_config=cache()
    ):
        assert before == cb_logits_processors.CLASSIC_TO_CB_PROCESSORS_MAP
        assert "_get_logits_processor" not in vars(setup.model)
    setup.model._get_logits_processor = original = setup.model._get_logits_processor
    try:
        with continuous_batching(
            setup.model, generation_config=config(setup), continuous_batching_config=cache()
        ):
            pass
        assert vars(setup.model)["_get_logits_processor"] is original
    finally:
        del setup.model._get_logits_processor


@pytest.mark.parametrize(
    "options",
    [
        {"use_async_batching": True},
        {"use_cuda_graph": True},
        {"use_cuda_graph": (False, True)},
        {"varlen_compile_config": CompileConfig()},
    ],
)
def test_recorded_steps_are_refused(setup, options):
    with (
        pytest.raises(DecodingError, match=next(iter(options))),
        continuous_batching(setup.model, continuous_batching_config=cache(**options)),
    ):
        pass


def test_what_does_not_fit(setup):
    engine = setup.engine(DATE)
    with continuous_batching(
        setup.model, generation_config=config(setup), continuous_batching_config=cache()
    ) as batching:
        with pytest.raises(TypeError, match="not an engine"):
            batching.add_request([5], "a+")
        with pytest.raises(DecodingError, match="eos_token_id lacks"):
            batching.add_request([5], engine, eos_token_id=[7])
        from tiny_llama import toy_vocabulary
        from toy_engine import ToyEngine

        wide = ToyEngine(DATE, toy_vocabulary(setup.tokenizer, size=900))
        with pytest.raises(DecodingError, match="scores 330 token ids"):
            batching.add_request([5], wide)
        batching.add_request([5], engine, eos_token_id=[7, setup.tokenizer.eos_token_id])
        (result,) = finished(batching, 1).values()
        assert result.error is None
    with (
        pytest.raises(DecodingError, match="persistent_manager"),
        continuous_batching(setup.model, persistent_manager=True),
    ):
        pass
    with pytest.raises(FormgateError, match="2 engines were given for 3 prompts"):
        generate_batch(setup.model, setup.tokenizer, ["a", "b", "c"], [engine, engine])
