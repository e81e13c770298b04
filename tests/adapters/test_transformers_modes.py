"""Every mode of ``generate``, over a tiny random Llama and an engine in plain Python.

Outputs are judged by Python ``re``, by membership, or by enumeration of all that the constraint
allows; never by the engine that made the masks.
"""

from __future__ import annotations

import re

import pytest
from toy_engine import Automaton

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from formgate.adapters.transformers import FormgateLogitsProcessor  # noqa: E402
from formgate.core.decoding import DecodingError  # noqa: E402

DIGITS = "0123456789"
DATE = Automaton.of_counts((DIGITS, 4, 4), ("-", 1, 1), ("01", 1, 1), (DIGITS, 1, 1))
DATE_RE = r"\d{4}-[01]\d"
LETTERS = Automaton.of_counts(("abcdefgh", 1, 6), (".", 1, 1))
LETTERS_RE = r"[a-h]{1,6}\."
COLOURS = ["red", "green", "redder", "greener", "blue", "été"]
FEW = ["yes", "no"]
PROMPTS = ["the year", "dates like 1999-12-31 and", "yes", "name: Ada age: 36 name: Bob"]


def run(setup, engines, prompts=PROMPTS[:1], *, processor=None, **options):
    inputs = setup.inputs(*prompts)
    if processor is None:
        drafts = "assistant_model" in options or "prompt_lookup_num_tokens" in options
        processor = FormgateLogitsProcessor(
            engines, num_beams=options.get("num_beams", 1), drafts=drafts
        )
    options.setdefault("max_new_tokens", 30)
    torch.manual_seed(options.pop("seed", 0))
    output = setup.model.generate(**inputs, logits_processor=[processor], **options)
    return output, inputs


def spellings(engine, vocabulary):
    """All token sequences of a finite language, without the stop token."""
    found, open_ones = [], [((), engine.start())]
    while open_ones:
        tokens, state = open_ones.pop()
        for token in engine.allowed_tokens(state).to_list():
            if token in vocabulary.stop_ids:
                found.append(tokens)
            else:
                open_ones.append(((*tokens, token), engine.advance(state, token)))
    return found


def log_probability(setup, prompt_ids, tokens):
    """Log-probability of tokens and a stop token under the bare model."""
    output = [*tokens, setup.tokenizer.eos_token_id]
    ids = torch.tensor([[*prompt_ids, *output]])
    with torch.no_grad():
        rows = setup.model(ids).logits[0].log_softmax(-1)
    return sum(float(rows[len(prompt_ids) - 1 + i, t]) for i, t in enumerate(output))


@pytest.mark.parametrize("prompt", PROMPTS)
@pytest.mark.parametrize("in_place", [False, True])
def test_greedy(setup, prompt, in_place):
    processor = FormgateLogitsProcessor(setup.engine(DATE), in_place=in_place)
    output, inputs = run(setup, None, [prompt], processor=processor)
    (text,) = setup.texts(output, inputs)
    assert re.fullmatch(DATE_RE, text)


def test_greedy_takes_the_best_allowed_token(setup):
    engine = setup.engine(LETTERS)
    output, inputs = run(setup, engine)
    ids = inputs["input_ids"][0].tolist()
    state = engine.start()
    for token in output[0, len(ids) :].tolist():
        with torch.no_grad():
            scores = setup.model(torch.tensor([ids])).logits[0, -1]
        allowed = engine.allowed_tokens(state).to_list()
        assert token == max(allowed, key=lambda t: float(scores[t]))
        state, ids = engine.advance(state, token), [*ids, token]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("extra", [{}, {"temperature": 0.3}, {"top_k": 3}, {"top_p": 0.4}])
def test_sampling_many_sequences_that_end_at_different_lengths(setup, seed, extra):
    options = {"do_sample": True, "num_return_sequences": 8, "seed": seed, **extra}
    output, inputs = run(setup, setup.engine(LETTERS), **options)
    texts = setup.texts(output, inputs)
    assert len(texts) == 8
    assert all(re.fullmatch(LETTERS_RE, text) for text in texts)


def test_sampling_follows_the_masked_distribution(setup):
    output, inputs = run(
        setup,
        setup.engine(Automaton.of_strings(FEW)),
        do_sample=True,
        num_return_sequences=400,
        renormalize_logits=True,
    )
    texts = setup.texts(output, inputs)
    engine = setup.engine(Automaton.of_strings(FEW))
    allowed = engine.allowed_tokens(engine.start()).to_list()
    with torch.no_grad():
        scores = setup.model(**inputs).logits[0, -1][allowed].softmax(-1).tolist()
    starts_with_y = sum(
        p for p, t in zip(scores, allowed, strict=True) if setup.vocabulary.tokens[t][:1] == b"y"
    )
    assert sum(text == "yes" for text in texts) / 400 == pytest.approx(starts_with_y, abs=0.1)


@pytest.mark.parametrize("options", [{}, {"do_sample": True, "num_return_sequences": 3}])
def test_left_padded_batch_with_different_prompts(setup, options):
    output, inputs = run(setup, setup.engine(DATE), PROMPTS, **options)
    assert (inputs["attention_mask"] == 0).any()
    assert all(re.fullmatch(DATE_RE, text) for text in setup.texts(output, inputs))


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"do_sample": True, "num_return_sequences": 3},
        {"num_beams": 3, "num_return_sequences": 2},
        {"num_beams": 3, "do_sample": True, "num_return_sequences": 3},
    ],
)
def test_left_padded_batch_with_different_engines(setup, options):
    automata = [DATE, Automaton.of_strings(COLOURS), LETTERS, DATE]
    engines = [setup.engine(automaton) for automaton in automata]
    output, inputs = run(setup, engines, PROMPTS, **options)
    texts = setup.texts(output, inputs)
    each = options.get("num_return_sequences", 1)
    for index, text in enumerate(texts):
        pattern = [DATE_RE, "|".join(COLOURS), LETTERS_RE, DATE_RE][index // each]
        assert re.fullmatch(pattern, text)


@pytest.mark.parametrize("num_beams", [2, 3, 4])
@pytest.mark.parametrize("do_sample", [False, True])
@pytest.mark.parametrize("early_stopping", [False, True, "never"])
@pytest.mark.parametrize("told", [False, True])
def test_beams(setup, num_beams, do_sample, early_stopping, told):
    processor = FormgateLogitsProcessor(setup.engine(DATE), num_beams=num_beams if told else 1)
    output, inputs = run(
        setup,
        None,
        PROMPTS[:2],
        processor=processor,
        num_beams=num_beams,
        num_return_sequences=num_beams,
        do_sample=do_sample,
        early_stopping=early_stopping,
    )
    texts = setup.texts(output, inputs)
    assert len(texts) == 2 * num_beams
    assert all(re.fullmatch(DATE_RE, text) for text in texts)
    for index in range(2):
        rows = output[index * num_beams : (index + 1) * num_beams].tolist()
        assert len({tuple(row) for row in rows}) == num_beams


@pytest.mark.parametrize("num_beams", [2, 4, 9])
@pytest.mark.parametrize("do_sample", [False, True])
@pytest.mark.parametrize("early_stopping", [False, True, "never"])
@pytest.mark.parametrize("told", [False, True])
def test_more_beams_than_the_language_has_texts(setup, num_beams, do_sample, early_stopping, told):
    """Dead rows occur; whatever has a real score is a text of the language."""
    for strings in (["ab"], FEW, ["a", "aaaaaaaa"]):
        engine = setup.engine(Automaton.of_strings(strings))
        processor = FormgateLogitsProcessor(engine, num_beams=num_beams if told else 1)
        output, inputs = run(
            setup,
            None,
            PROMPTS[:2],
            processor=processor,
            num_beams=num_beams,
            num_return_sequences=num_beams,
            do_sample=do_sample,
            early_stopping=early_stopping,
            return_dict_in_generate=True,
            output_scores=True,
        )
        start = inputs["input_ids"].shape[1]
        real = 0
        for row, score in zip(output.sequences[:, start:], output.sequences_scores, strict=True):
            if float(score) * len(row) > -1e8:
                text, ended = setup.text(row)
                assert ended
                assert text in strings
                real += 1
        assert real >= 2


@pytest.mark.parametrize(
    "strings", [FEW, ["ab", "abc"], ["red", "reda", "blue"], ["q", "qqqqqqqq"]]
)
@pytest.mark.parametrize("early_stopping", [False, True, "never"])
@pytest.mark.parametrize("surplus", [0, 2])
def test_enough_beams_find_every_spelling_with_its_score(setup, strings, early_stopping, surplus):
    """Filling rows neither displace real ones nor end the search before they are finished."""
    engine = setup.engine(Automaton.of_strings(strings))
    every = spellings(engine, setup.vocabulary)
    num_beams = len(every) + surplus
    output, inputs = run(
        setup,
        engine,
        num_beams=num_beams,
        num_return_sequences=num_beams,
        early_stopping=early_stopping,
        length_penalty=0.0,
        return_dict_in_generate=True,
        output_scores=True,
    )
    prompt_ids = inputs["input_ids"][0].tolist()
    expected = {tokens: log_probability(setup, prompt_ids, tokens) for tokens in every}
    found = {}
    for row, score in zip(output.sequences, output.sequences_scores, strict=True):
        tokens = row[len(prompt_ids) :].tolist()
        stop = setup.tokenizer.eos_token_id
        if float(score) > -1e8:
            key = tuple(tokens[: tokens.index(stop)])
            assert key not in found
            found[key] = float(score)
    assert found == {key: pytest.approx(value, abs=1e-3) for key, value in expected.items()}


def test_beam_search_finds_the_best_spelling(setup):
    engine = setup.engine(Automaton.of_strings(COLOURS))
    every = spellings(engine, setup.vocabulary)
    output, inputs = run(setup, engine, num_beams=20, length_penalty=0.0)
    prompt_ids = inputs["input_ids"][0].tolist()
    best = max(every, key=lambda tokens: log_probability(setup, prompt_ids, tokens))
    assert output[0, len(prompt_ids) :].tolist()[: len(best)] == list(best)


@pytest.mark.parametrize("options", [{}, {"do_sample": True}])
def test_prompt_lookup(setup, options):
    phone = Automaton.of_counts((DIGITS, 3, 3), ("-", 1, 1), (DIGITS, 4, 4))
    for seed in range(5):
        output, inputs = run(
            setup,
            setup.engine(phone),
            ["555-0101 555-0101 5"],
            prompt_lookup_num_tokens=4,
            seed=seed,
            **options,
        )
        (text,) = setup.texts(output, inputs)
        assert re.fullmatch(r"\d{3}-\d{4}", text)
        if not options:
            alone, _ = run(setup, setup.engine(phone), ["555-0101 555-0101 5"])
            assert output.tolist() == alone.tolist()


# The assistant's own `generate` is called by transformers in a way that transformers deprecates.
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("options", [{}, {"do_sample": True}])
@pytest.mark.parametrize("automaton", [DATE, LETTERS, Automaton.of_strings(COLOURS)])
def test_assistant_model(setup, options, automaton):
    for seed in range(4):
        engine = setup.engine(automaton)
        output, inputs = run(setup, engine, assistant_model=setup.assistant, seed=seed, **options)
        (text,) = setup.texts(output, inputs)
        assert engine.accepts(text)
        if not options:
            alone, _ = run(setup, setup.engine(automaton))
            assert output.tolist() == alone.tolist()


@pytest.mark.filterwarnings("ignore")  # as above
@pytest.mark.parametrize("mode", ["prompt lookup", "assistant"])
def test_drafts_must_be_announced(setup, mode):
    options = {
        "prompt lookup": {"prompt_lookup_num_tokens": 3},
        "assistant": {"assistant_model": setup.assistant},
    }[mode]
    processor = FormgateLogitsProcessor(setup.engine(LETTERS))
    with pytest.raises(DecodingError, match="drafts=True"):
        run(setup, None, ["abc abc abc abc a"], processor=processor, seed=3, **options)


@pytest.mark.filterwarnings("ignore")  # as above
def test_an_assistant_with_another_tokenizer_is_refused(setup):
    from tiny_llama import make_model, make_tokenizer

    other = make_tokenizer(300)
    for size in (None, 340):  # narrower and wider than the scores of the model
        assistant = make_model(other, 5, size=size)
        for drafts in (False, True):
            processor = FormgateLogitsProcessor(setup.engine(DATE), drafts=drafts)
            with pytest.raises(DecodingError):
                run(
                    setup,
                    None,
                    processor=processor,
                    assistant_model=assistant,
                    assistant_tokenizer=other,
                    tokenizer=setup.tokenizer,
                )


def test_assistant_that_agrees(setup):
    output, _ = run(setup, setup.engine(DATE), assistant_model=setup.model)
    alone, _ = run(setup, setup.engine(DATE))
    assert output.tolist() == alone.tolist()


@pytest.mark.parametrize("options", [{}, {"num_beams": 2}])
def test_static_cache(setup, options):
    output, inputs = run(setup, setup.engine(DATE), cache_implementation="static", **options)
    (text,) = setup.texts(output, inputs)
    assert re.fullmatch(DATE_RE, text)


def test_without_cache(setup):
    output, inputs = run(setup, setup.engine(DATE), PROMPTS, use_cache=False)
    assert all(re.fullmatch(DATE_RE, text) for text in setup.texts(output, inputs))


def test_model_with_more_scores_than_tokens(setup):
    from tiny_llama import make_model, toy_vocabulary
    from toy_engine import ToyEngine

    model = make_model(setup.tokenizer, 3, size=400)
    inputs = setup.inputs(*PROMPTS)
    for vocabulary in (setup.vocabulary, toy_vocabulary(setup.tokenizer, size=400)):
        processor = FormgateLogitsProcessor(ToyEngine(DATE, vocabulary))
        output = model.generate(
            **inputs, logits_processor=[processor], max_new_tokens=20, do_sample=True
        )
        assert all(re.fullmatch(DATE_RE, text) for text in setup.texts(output, inputs))


def test_cut_off_outputs_are_prefixes(setup):
    output, inputs = run(setup, setup.engine(DATE), max_new_tokens=2, do_sample=True)
    text, ended = setup.text(output[0, inputs["input_ids"].shape[1] :])
    assert not ended
    assert re.match(r"\d{1,4}(-[01]?\d?)?$", text)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize(
    "options", [{}, {"do_sample": True, "num_return_sequences": 3}, {"num_beams": 3}]
)
def test_half_precision_models(setup, dtype, options):
    import copy

    model = copy.deepcopy(setup.model).to(dtype)
    inputs = setup.inputs(*PROMPTS)
    processor = FormgateLogitsProcessor(setup.engine(DATE))
    output = model.generate(**inputs, logits_processor=[processor], max_new_tokens=20, **options)
    assert all(re.fullmatch(DATE_RE, text) for text in setup.texts(output, inputs))


def test_pipeline(setup):
    from transformers import pipeline

    pipe = pipeline("text-generation", model=setup.model, tokenizer=setup.tokenizer)
    processor = FormgateLogitsProcessor(setup.engine(DATE))
    for prompt in PROMPTS:  # one processor for all: each prompt is recognised as a new generation
        (answer,) = pipe(
            prompt, logits_processor=[processor], max_new_tokens=20, return_full_text=False
        )
        assert re.fullmatch(DATE_RE, answer["generated_text"])


def test_one_processor_for_many_generations(setup):
    processor = FormgateLogitsProcessor(setup.engine(DATE))
    for prompts in ([PROMPTS[0]], PROMPTS, [PROMPTS[0]], [PROMPTS[0]], [PROMPTS[1]]):
        for options in ({}, {"num_beams": 3}, {"do_sample": True, "num_return_sequences": 2}):
            output, inputs = run(setup, None, prompts, processor=processor, **options)
            assert all(re.fullmatch(DATE_RE, text) for text in setup.texts(output, inputs))


@pytest.mark.filterwarnings("ignore")  # as for the assistant above
@pytest.mark.parametrize(
    "mode", ["greedy", "beams", "sampling", "prompt lookup", "assistant", "long prompt lookup"]
)
def test_tight_memory_changes_nothing(setup, mode):
    prompts = PROMPTS if mode in ("greedy", "beams", "sampling") else PROMPTS[:1]
    options = {
        "greedy": {},
        "beams": {"num_beams": 4, "num_return_sequences": 4},
        "sampling": {"do_sample": True, "num_return_sequences": 4},
        "prompt lookup": {"prompt_lookup_num_tokens": 3},
        "long prompt lookup": {"prompt_lookup_num_tokens": 12},
        "assistant": {"assistant_model": setup.assistant},
    }[mode]
    # Long enough that drafts are found in the output itself.
    automaton = Automaton.of_counts(("ab", 12, 24), (".", 1, 1)) if "look" in mode else LETTERS
    alone, _ = run(setup, setup.engine(automaton), prompts, **options)
    tight = FormgateLogitsProcessor(
        setup.engine(automaton),
        max_nodes=1,
        num_beams=options.get("num_beams", 1),
        drafts="look" in mode or mode == "assistant",
    )
    output, _ = run(setup, None, prompts, processor=tight, **options)
    assert output.tolist() == alone.tolist()


def test_raw_logits_stay_raw(setup):
    output, inputs = run(
        setup, setup.engine(DATE), output_logits=True, return_dict_in_generate=True
    )
    with torch.no_grad():
        expected = setup.model(output.sequences).logits[0]
    start = inputs["input_ids"].shape[1] - 1
    for step, logits in enumerate(output.logits):
        assert torch.allclose(logits[0], expected[start + step], atol=1e-4)
