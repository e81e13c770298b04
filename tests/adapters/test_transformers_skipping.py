"""The decoding method that runs the model only where there is a choice."""

from __future__ import annotations

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from toy_engine import Automaton

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from formgate import FormgateError  # noqa: E402
from formgate.adapters.transformers import (  # noqa: E402
    FormgateLogitsProcessor,
    generate,
    skip_forced,
)
from formgate.core.decoding import DecodingError  # noqa: E402

OBJECTS = ['{"name": "red"}', '{"name": "blue"}', '{"age": 1}']
PROMPTS = ["the year", "a much longer prompt about dates", "x"]


def run(setup, engine, prompts=PROMPTS, **options):
    inputs = setup.inputs(*prompts)
    options.setdefault("max_new_tokens", 40)
    torch.manual_seed(0)
    output = setup.model.generate(
        **inputs, logits_processor=[FormgateLogitsProcessor(engine)], **options
    )
    return output, inputs


class Passes:
    """Counts the model's passes and the tokens it reads in them."""

    def __init__(self, model):
        self.lengths = []
        self._hook = model.register_forward_pre_hook(self._count, with_kwargs=True)

    def _count(self, _model, _args, kwargs):
        self.lengths.append(kwargs["input_ids"].shape[1])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._hook.remove()


@settings(
    deadline=None, max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    strings=st.lists(st.text("ab{}:é", min_size=1, max_size=12), min_size=1, max_size=5),
    use_cache=st.booleans(),
    penalty=st.sampled_from([1.0, 1.4]),
)
def test_greedy_outputs_are_those_of_generate(setup, strings, use_cache, penalty):
    engine = setup.engine(Automaton.of_strings(strings))
    options = {"use_cache": use_cache, "repetition_penalty": penalty}
    plain, _ = run(setup, engine, **options)
    skipped, inputs = run(setup, engine, custom_generate=skip_forced, **options)
    assert setup.texts(skipped, inputs) == setup.texts(plain, inputs)
    assert skipped.tolist() == plain.tolist()


def test_the_model_is_run_only_where_there_is_a_choice(setup):
    engine = setup.engine(Automaton.of_strings(OBJECTS))
    with Passes(setup.model) as plain:
        output, inputs = run(setup, engine, PROMPTS[:1])
    with Passes(setup.model) as skipped:
        run(setup, engine, PROMPTS[:1], custom_generate=skip_forced)
    row = output[0, inputs["input_ids"].shape[1] :].tolist()
    state, choices = engine.start(), 0
    for token in row:
        choices += len(engine.allowed_tokens(state)) > 1
        state = engine.advance(state, token)
    assert len(plain.lengths) == len(row)
    assert len(skipped.lengths) == choices < len(row)
    assert sum(skipped.lengths) < sum(plain.lengths) + 1  # nothing is read twice


def test_sampling(setup):
    engines = [
        setup.engine(Automaton.of_strings(OBJECTS)),
        setup.engine(Automaton.of_counts(("abc", 1, 9), (".", 1, 1))),
        setup.engine(Automaton.of_strings(["no"])),
    ]
    output, inputs = run(
        setup,
        engines,
        do_sample=True,
        top_k=5,
        num_return_sequences=3,
        custom_generate=skip_forced,
        return_dict_in_generate=True,
    )
    texts = setup.texts(output, inputs)
    assert len(texts) == 9
    for index, text in enumerate(texts):
        assert text in OBJECTS or index >= 3
        assert re.fullmatch(r"[abc]{1,9}\.", text) or not 3 <= index < 6
        assert text == "no" or index < 6


def test_sampling_follows_the_masked_distribution(setup):
    engine = setup.engine(Automaton.of_strings(["yes", "no"]))
    options = {"do_sample": True, "num_return_sequences": 200}
    plain, inputs = run(setup, engine, PROMPTS[:1], **options)
    skipped, _ = run(setup, engine, PROMPTS[:1], custom_generate=skip_forced, **options)
    shares = [sum(t == "yes" for t in setup.texts(each, inputs)) / 200 for each in (plain, skipped)]
    assert shares[0] == pytest.approx(shares[1], abs=0.15)


def test_cut_off_at_the_same_length(setup):
    engine = setup.engine(Automaton.of_strings(OBJECTS))
    plain, _ = run(setup, engine, max_new_tokens=5)
    skipped, _ = run(setup, engine, max_new_tokens=5, custom_generate=skip_forced)
    assert skipped.tolist() == plain.tolist()


def test_rows_that_already_hold_output(setup):
    engine = setup.engine(Automaton.of_strings(OBJECTS))
    inputs = setup.inputs("the year")
    length = inputs["input_ids"].shape[1]
    begun = setup.tokenizer('{"na', return_tensors="pt")["input_ids"]
    ids = torch.cat([inputs["input_ids"], begun], dim=1)
    processor = FormgateLogitsProcessor(engine, prompt_length=length)
    output = setup.model.generate(
        ids,
        attention_mask=torch.ones_like(ids),
        logits_processor=[processor],
        custom_generate=skip_forced,
        max_new_tokens=30,
    )
    assert setup.text(output[0, length:])[0] in OBJECTS[:2]
    wrong = torch.cat([ids, begun], dim=1)
    with pytest.raises(DecodingError, match="already break the constraint"):
        setup.model.generate(
            wrong,
            attention_mask=torch.ones_like(wrong),
            logits_processor=[FormgateLogitsProcessor(engine, prompt_length=length)],
            custom_generate=skip_forced,
            max_new_tokens=30,
        )


def test_in_the_one_call_helper(setup):
    engine = setup.engine(Automaton.of_strings(OBJECTS))
    torch.manual_seed(0)
    plain = generate(setup.model, setup.tokenizer, PROMPTS, engine, max_new_tokens=40)
    with Passes(setup.model) as passes:
        skipped = generate(
            setup.model, setup.tokenizer, PROMPTS, engine, max_new_tokens=40, skip_forced=True
        )
    assert skipped == plain
    assert len(passes.lengths) < sum(len(each.tokens) for each in plain)
    for option in ({"prompt_lookup_num_tokens": 3}, {"streamer": object()}):
        with pytest.raises(FormgateError, match=f"{next(iter(option))} cannot be used"):
            generate(setup.model, setup.tokenizer, "x", engine, skip_forced=True, **option)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_beams": 2}, "beams"),
        ({"output_scores": True, "return_dict_in_generate": True}, "output_scores"),
        ({"guidance_scale": 2.0}, "guidance_scale"),
        ({"prompt_lookup_num_tokens": 2}, "does not draft"),
        ({"logits_processor": []}, "exactly one FormgateLogitsProcessor"),
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_what_cannot_be_had(setup, options, message):
    engine = setup.engine(Automaton.of_strings(OBJECTS))
    options = {"logits_processor": [FormgateLogitsProcessor(engine)], **options}
    with pytest.raises(DecodingError, match=message):
        setup.model.generate(
            **setup.inputs("x"), custom_generate=skip_forced, max_new_tokens=9, **options
        )


def test_padding_on_the_right_is_refused(setup):
    engine = setup.engine(Automaton.of_strings(OBJECTS))
    ids = torch.tensor([[60, 61, setup.tokenizer.pad_token_id]])
    with pytest.raises(DecodingError, match="padded on the right"):
        setup.model.generate(
            ids,
            attention_mask=torch.tensor([[1, 1, 0]]),
            logits_processor=[FormgateLogitsProcessor(engine)],
            custom_generate=skip_forced,
            max_new_tokens=9,
        )
