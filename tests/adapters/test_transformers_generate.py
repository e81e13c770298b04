"""The `generate` helper: texts, completeness, and beams that are none."""

from __future__ import annotations

import gc
import re
import weakref

import pytest
from toy_engine import Automaton

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

import formgate  # noqa: E402
from formgate import FormgateError, GrammarBuilder, Vocabulary  # noqa: E402
from formgate.adapters import _transformers_model  # noqa: E402
from formgate.adapters.transformers import generate  # noqa: E402

DIGITS = "0123456789"
DATE = Automaton.of_counts((DIGITS, 4, 4), ("-", 1, 1), ("01", 2, 2))
DATE_RE = r"\d{4}-[01]{2}"
WORDS = ["yes", "no", "maybe"]


def run(setup, prompt, constraint, **options):
    options.setdefault("max_new_tokens", 30)
    torch.manual_seed(0)
    return generate(setup.model, setup.tokenizer, prompt, constraint, **options)


def words_grammar():
    builder = GrammarBuilder()
    builder.start(builder.strings(WORDS))
    return builder.build()


def test_one_prompt(setup):
    (answer,) = run(setup, "the year", setup.engine(DATE))
    assert re.fullmatch(DATE_RE, answer.text)
    assert answer.complete
    assert answer.prompt_index == 0
    assert b"".join(map(setup.vocabulary.token_bytes, answer.tokens)).decode() == answer.text


def test_a_batch_with_several_sequences_for_each(setup):
    answers = run(
        setup,
        ["the year", "a much longer prompt about dates", "x"],
        [setup.engine(DATE), setup.engine(Automaton.of_strings(WORDS)), setup.engine(DATE)],
        do_sample=True,
        num_return_sequences=2,
    )
    assert [answer.prompt_index for answer in answers] == [0, 0, 1, 1, 2, 2]
    for answer in answers:
        pattern = "|".join(WORDS) if answer.prompt_index == 1 else DATE_RE
        assert re.fullmatch(pattern, answer.text)
        assert answer.complete


def test_a_source_is_compiled_for_the_model(setup):
    answers = run(setup, ["the year", "x"], words_grammar(), do_sample=True)
    assert all(answer.text in WORDS for answer in answers)
    vocabulary = Vocabulary.from_tokenizer(setup.tokenizer)
    (answer,) = run(setup, "x", words_grammar(), vocabulary=vocabulary)
    assert answer.text in WORDS


@pytest.mark.parametrize("num_beams", [3, 12])
@pytest.mark.parametrize("options", [{}, {"output_scores": True}])
def test_beams_that_only_fill_the_width_are_left_out(setup, num_beams, options):
    few = setup.engine(Automaton.of_strings(["q", "qx"]))
    answers = run(
        setup, ["the", "a"], few, num_beams=num_beams, num_return_sequences=num_beams, **options
    )
    for index in (0, 1):
        texts = [answer.text for answer in answers if answer.prompt_index == index]
        assert sorted(texts) == ["q", "qx"]  # each has one spelling
    assert all((answer.score is not None) == bool(options) for answer in answers)
    assert all(answer.complete and answer.tokens for answer in answers)


def test_beams_that_were_put_down_half_way_are_left_out(setup):
    """Beam search stores unfinished beams with its lowest score where a slot is free."""
    strings = ["aaaaaaaaaa"]
    answers = run(
        setup,
        ["the 2024", "yes", "green maybe"],
        setup.engine(Automaton.of_strings(strings)),
        num_beams=6,
        num_return_sequences=6,
        length_penalty=0.0,
        max_new_tokens=16,
    )
    assert {answer.text for answer in answers} == set(strings)


@pytest.mark.parametrize("options", [{"max_time": 60.0}, {"stop_strings": ["zz"]}])
def test_beams_where_not_length_alone_may_end_an_output(setup, options):
    """Scores then say which beams count; they are asked for."""
    for prompt in ("the", "yes"):
        answers = run(
            setup,
            prompt,
            setup.engine(Automaton.of_strings(["q", "aaaaaaaaaa"])),
            num_beams=6,
            num_return_sequences=6,
            max_new_tokens=16,
            **options,
        )
        assert {answer.text for answer in answers} <= {"q", "aaaaaaaaaa"}
        assert all(answer.complete and answer.score > -1e4 for answer in answers)
    cut = run(
        setup,
        "x",
        setup.engine(DATE),
        num_beams=2,
        num_return_sequences=2,
        max_new_tokens=2,
        **options,
    )
    assert len(cut) == 2
    assert not any(answer.complete for answer in cut)


@pytest.mark.parametrize("penalty", [-2.0, 0.0, 1.0, 3.0])
def test_scores_under_any_length_penalty(setup, penalty):
    few = setup.engine(Automaton.of_strings(["q", "qxqxqxqxqxqxqxqx"]))
    answers = run(
        setup,
        "the",
        few,
        num_beams=6,
        num_return_sequences=6,
        length_penalty=penalty,
        output_scores=True,
        max_new_tokens=40,
    )
    assert {answer.text for answer in answers} == {"q", "qxqxqxqxqxqxqxqx"}
    assert len(answers) == 2


def test_beams_from_a_generation_config(setup):
    import copy

    config = copy.deepcopy(setup.model.generation_config)
    config.num_beams = config.num_return_sequences = 5
    config.max_new_tokens = 20
    few = setup.engine(Automaton.of_strings(["q", "qx"]))
    model = copy.copy(setup.model)
    model.generation_config = config
    answers = generate(model, setup.tokenizer, "the", few)
    assert sorted(answer.text for answer in answers) == ["q", "qx"]


def test_outputs_that_were_cut_off(setup):
    (answer,) = run(setup, "the year", setup.engine(DATE), max_new_tokens=2)
    assert not answer.complete
    assert re.match(r"\d", answer.text)
    (answer,) = run(setup, "x", setup.engine(Automaton.of_counts(("a", 1, None))), max_new_tokens=2)
    assert answer.complete or not answer.text
    beams = run(
        setup, "the", setup.engine(DATE), max_new_tokens=2, num_beams=3, num_return_sequences=3
    )
    assert len(beams) == 3
    assert not any(answer.complete for answer in beams)


@pytest.mark.filterwarnings("ignore")  # transformers deprecates how it calls the assistant
@pytest.mark.parametrize("mode", ["prompt lookup", "assistant", "raw logits", "penalty"])
def test_modes_that_share_scores(setup, mode):
    options = {
        "prompt lookup": {"prompt_lookup_num_tokens": 3},
        "assistant": {"assistant_model": setup.assistant},
        "raw logits": {"output_logits": True},
        "penalty": {"repetition_penalty": 1.3},
    }[mode]
    (answer,) = run(setup, "dates 1999-01 1999-01 1", setup.engine(DATE), **options)
    assert re.fullmatch(DATE_RE, answer.text)


def test_other_processors_come_first(setup):
    seen = []

    def spy(_ids, scores):
        seen.append(bool(torch.isfinite(scores).all()))
        return scores

    (answer,) = run(setup, "the", setup.engine(DATE), logits_processor=[spy])
    assert re.fullmatch(DATE_RE, answer.text)
    assert seen
    assert all(seen)


def test_a_chat(setup):
    import copy

    tokenizer = copy.deepcopy(setup.tokenizer)
    tokenizer.chat_template = (
        "{% for m in messages %}{{ m['role'] }}: {{ m['content'] }}\n{% endfor %}"
    )
    tokenizer.padding_side = "right"
    chat = [{"role": "user", "content": "the year"}]
    engine = setup.engine(DATE)
    (answer,) = generate(setup.model, tokenizer, chat, engine, max_new_tokens=20)
    assert re.fullmatch(DATE_RE, answer.text)
    longer = [{"role": "user", "content": "the year of the dates"}]
    answers = generate(setup.model, tokenizer, [chat, longer], engine, max_new_tokens=20)
    assert [answer.prompt_index for answer in answers] == [0, 1]
    assert answers[0] == answer
    assert tokenizer.padding_side == "right"


def test_vocabularies_are_remembered_while_the_tokenizer_lives(setup):
    import copy

    tokenizer = copy.deepcopy(setup.tokenizer)
    first = _transformers_model.vocabulary_of(setup.model, tokenizer)
    assert first is _transformers_model.vocabulary_of(setup.model, tokenizer)
    assert first.stop_ids == (tokenizer.eos_token_id,)
    assert len(first) == setup.model.config.vocab_size
    gone = weakref.ref(tokenizer)
    del tokenizer
    gc.collect()
    assert gone() is None


def test_what_does_not_fit_together(setup):
    engine = setup.engine(DATE)
    with pytest.raises(FormgateError, match="2 engines were given for 3 prompts"):
        run(setup, ["a", "b", "c"], [engine, engine])
    with pytest.raises(FormgateError, match="no prompt"):
        run(setup, [], engine)
    other = setup.engine(DATE)
    other.vocabulary = type(setup.vocabulary)(setup.vocabulary.tokens, [5])
    with pytest.raises(FormgateError, match="different stop ids"):
        run(setup, ["a", "b"], [engine, other])
    import copy

    bare = copy.deepcopy(setup.tokenizer)
    bare.pad_token = None
    with pytest.raises(FormgateError, match="no padding token"):
        generate(setup.model, bare, ["a", "b"], engine)
    (answer,) = generate(setup.model, bare, "a", engine, max_new_tokens=20)
    assert re.fullmatch(DATE_RE, answer.text)


def test_values(setup):
    """A text comes with the value it stands for, as the format of the constraint reads it."""
    import enum

    from formgate import ParseError

    class Answer(enum.Enum):
        YES = "yes"
        NO = "no"

    answers = run(setup, ["the", "x"], Answer, do_sample=True)
    assert all(isinstance(answer.value, Answer) for answer in answers)
    assert all(answer.text == answer.value.value for answer in answers)
    (answer,) = run(setup, "x", {"const": {"a": [1, None]}}, max_new_tokens=60)
    assert answer.value == {"a": [1, None]}
    (answer,) = run(setup, "x", setup.engine(DATE))  # an engine in plain Python
    assert answer.value == answer.text
    for constraint in (setup.engine(DATE), {"const": "2024-01"}):
        (answer,) = run(setup, "x", constraint, max_new_tokens=2)
        with pytest.raises(ParseError, match="incomplete"):
            _ = answer.value


MODES = [
    {},
    {"do_sample": True, "num_return_sequences": 3},
    {"num_beams": 3, "num_return_sequences": 2},
    {"skip_forced": True},
    {"prompt_lookup_num_tokens": 3},
]


class TestBoundaries:
    """Where a constraint begins and ends, through every mode of `generate`."""

    @pytest.mark.parametrize("mode", MODES)
    def test_after_a_marker(self, setup, mode):
        for constraint in (setup.engine(DATE), WORDS):
            answers = run(
                setup, "the year", constraint, after="o", between="\n", max_new_tokens=120, **mode
            )
            for answer in answers:
                free, found, rest = answer.before.partition("o")
                assert "o" not in free
                if answer.complete:
                    assert found
                    assert rest == "\n"
                    assert re.fullmatch(DATE_RE, answer.text) or answer.text in WORDS
                    assert answer.value == answer.text

    @pytest.mark.parametrize("mode", MODES)
    def test_whole_within_the_budget(self, setup, mode):
        """Lists that go on for ever: never cut off, whatever the budget."""
        letters = setup.engine(Automaton.of_counts(("abc", 1, None), (".", 2, 2)))
        for budget in (3, 4, 7, 12):
            answers = run(setup, "x", letters, whole=True, max_new_tokens=budget, **mode)
            assert answers
            for answer in answers:
                assert answer.complete
                assert re.fullmatch(r"[abc]+\.\.", answer.text)
                assert len(answer.tokens) <= budget
        source = {"type": "array", "items": {"enum": ["a", "é"]}, "minItems": 1}
        for answer in run(setup, "x", source, whole=True, max_new_tokens=9, **mode):
            assert answer.complete
            assert all(item in ("a", "é") for item in answer.value)

    def test_a_budget_that_is_too_small(self, setup):
        from formgate.core.decoding import BudgetError

        with pytest.raises(BudgetError, match="at most 2 tokens"):
            run(setup, "x", setup.engine(DATE), whole=True, max_new_tokens=2)
        for options in ({"max_time": 9.0}, {"stop_strings": ["zz"]}):
            with pytest.raises(FormgateError, match="whole=True needs max_new_tokens"):
                run(setup, "x", setup.engine(DATE), whole=True, **options)

    @pytest.mark.parametrize("mode", MODES[:4])
    def test_healed_prompts(self, setup, mode):
        """What was taken off the prompt is written again, and kept apart from the answer."""
        prompts = ["dates like 19", "the yea", "x"]
        plain = [setup.tokenizer(prompt)["input_ids"] for prompt in prompts]
        digits = setup.engine(Automaton.of_counts((DIGITS, 2, 2), ("-", 1, 1), ("01", 2, 2)))
        answers = run(setup, prompts, digits, heal_tokens=2, **mode)
        assert {answer.prompt_index for answer in answers} == {0, 1, 2}
        healed = 0
        for answer in answers:
            assert re.fullmatch(r"\d\d-[01]{2}", answer.text)
            prompt = prompts[answer.prompt_index]
            assert prompt.endswith(answer.before)
            if answer.before:
                healed += 1
                data = b"".join(map(setup.vocabulary.token_bytes, answer.tokens))
                assert data.decode() == answer.before + answer.text
        assert healed
        assert plain[2]  # a prompt of one token keeps it
        assert all(not answer.before for answer in answers if answer.prompt_index == 2)
        with pytest.raises(FormgateError, match="heal_tokens is for texts"):
            run(setup, [{"role": "user", "content": "x"}], digits, heal_tokens=1)

    def test_all_of_them(self, setup):
        answers = run(
            setup,
            ["the yea", "yes"],
            WORDS,
            after="o",
            heal_tokens=1,
            whole=True,
            max_new_tokens=20,
            do_sample=True,
            num_return_sequences=4,
        )
        assert len(answers) == 8
        assert all(answer.complete and answer.text in WORDS for answer in answers)
        assert all(len(answer.tokens) <= 20 for answer in answers)


def test_an_engine_for_another_model_is_refused(setup):
    letters = [bytes([byte]) for byte in range(97, 123)]
    other = formgate.compile("[a-z]+", Vocabulary([*letters, None], stop_ids=[26]))
    with pytest.raises(FormgateError, match="the vocabulary of another model"):
        run(setup, "x", other)
    with pytest.raises(FormgateError, match="the vocabulary of another model"):
        run(setup, ["x", "y"], [setup.engine(DATE), other])


@pytest.mark.parametrize(
    ("prompt", "message"),
    [
        (5, "not int"),
        ([5], "not int"),
        (b"x", "not bytes"),
        ([[]], "not list"),
        (["x", [{"role": "user", "content": "x"}]], "cannot be mixed"),
        ("", "no tokens"),
        (["x", ""], "no tokens"),
        ([], "no prompt"),
    ],
)
def test_what_is_no_prompt_is_refused(setup, prompt, message):
    with pytest.raises(FormgateError, match=message):
        run(setup, prompt, WORDS)
