"""onnxruntime-genai, run for real: a tiny random Llama, exported by its own model builder."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from toy_engine import Automaton, ToyEngine

np = pytest.importorskip("numpy")
og = pytest.importorskip("onnxruntime_genai")
pytest.importorskip("onnx_ir")
torch = pytest.importorskip("torch")

from formgate import FormgateError, Matcher, Vocabulary  # noqa: E402
from formgate import compile as compile_source  # noqa: E402
from formgate.adapters.onnxruntime_genai import (  # noqa: E402
    ConstrainedGenerator,
    OnnxGenaiModel,
    generate,
    load_language_model,
)
from formgate.core.decoding import DecodingError, Multinomial, constrained_decode  # noqa: E402

DIGITS = "0123456789"
DATE = Automaton.of_counts((DIGITS, 4, 4), ("-", 1, 1), ("01", 1, 1), (DIGITS, 1, 1))
DATE_RE = r"\d{4}-[01]\d"
LETTERS = Automaton.of_counts(("abcdefgh", 1, 6), (".", 1, 1))
LETTERS_RE = r"[a-h]{1,6}\."
PROMPTS = ["the year", "dates like 1999-12-31 and", "yes", "name: Ada age: 36 name: Bob"]


class Setup:
    def __init__(self, folder):
        from tiny_tokenizer import make_tokenizer, toy_vocabulary
        from transformers import LlamaConfig, LlamaForCausalLM

        torch.manual_seed(0)
        tokenizer = make_tokenizer()
        tokenizer.chat_template = "{% for m in messages %}{{ m['content'] }}\n{% endfor %}"
        self.vocabulary = toy_vocabulary(tokenizer)
        config = LlamaConfig(
            vocab_size=len(tokenizer) + 6,
            hidden_size=128,  # the exported attention wants heads of 64
            intermediate_size=96,
            num_hidden_layers=2,
            num_attention_heads=2,
            num_key_value_heads=2,
            max_position_embeddings=256,
            pad_token_id=tokenizer.pad_token_id,
            eos_token_id=tokenizer.eos_token_id,
            bos_token_id=None,
            initializer_range=0.5,
        )
        LlamaForCausalLM(config).save_pretrained(folder / "hf")
        tokenizer.save_pretrained(folder / "hf")
        self.folder = folder / "onnx"
        builder = [sys.executable, "-m", "onnxruntime_genai.models.builder"]
        options = ["-m", folder / "hf", "-o", self.folder, "-p", "fp32", "-e", "cpu"]
        subprocess.run([*builder, *options], check=True, capture_output=True)
        self.model = og.Model(str(self.folder))
        self.tokenizer = og.Tokenizer(self.model)

    def engine(self, automaton):
        return ToyEngine(automaton, self.vocabulary)

    def text(self, tokens):
        # The stop token with which the last row ends is not written to its sequence.
        tokens = [*tokens, *self.vocabulary.stop_ids]
        text = tokens[: tokens.index(self.vocabulary.stop_ids[0])]
        return b"".join(map(self.vocabulary.token_bytes, text)).decode()

    def scores(self, ids):
        generator = og.Generator(self.model, og.GeneratorParams(self.model))
        generator.append_tokens(ids)
        return generator.get_logits()[0, -1].copy()


@pytest.fixture(scope="module")
def setup(tmp_path_factory):
    return Setup(tmp_path_factory.mktemp("onnx"))


@pytest.mark.parametrize("prompt", PROMPTS)
def test_greedy_takes_the_best_allowed_token(setup, prompt):
    engine = setup.engine(DATE)
    answer = generate(setup.model, setup.tokenizer, prompt, engine)
    assert re.fullmatch(DATE_RE, answer.text)
    assert answer.complete
    ids, state = setup.tokenizer.encode(prompt).tolist(), engine.start()
    for token in answer.tokens:
        scores = setup.scores(ids)
        allowed = engine.allowed_tokens(state).to_list()
        assert scores[token] == pytest.approx(max(scores[each] for each in allowed), abs=1e-3)
        state, ids = engine.advance(state, token), [*ids, token]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("options", [{"temperature": 1.5}, {"top_p": 0.5}, {"top_k": 2}])
def test_sampling(setup, seed, options):
    answer = generate(
        setup.model,
        setup.tokenizer,
        PROMPTS[seed % 4],
        setup.engine(LETTERS),
        do_sample=True,
        random_seed=seed,
        **options,
    )
    assert re.fullmatch(LETTERS_RE, answer.text)


def test_a_batch_with_a_constraint_for_each(setup):
    params = og.GeneratorParams(setup.model)
    params.set_search_options(batch_size=3, max_length=40)
    generator = og.Generator(setup.model, params)
    prompts = [setup.tokenizer.encode(text) for text in ("the year", "name: ", "red")]
    width = max(map(len, prompts))
    rows = np.array([[0] * (width - len(ids)) + list(ids) for ids in prompts], dtype=np.int32)
    generator.append_tokens(rows)
    automata = [DATE, LETTERS, Automaton.of_strings(["q"])]
    constrained = ConstrainedGenerator(generator, [setup.engine(each) for each in automata])
    while not constrained.is_done():
        constrained.generate_next_token()
    texts = [setup.text(constrained.get_sequence(row)[width:]) for row in range(3)]
    assert re.fullmatch(DATE_RE, texts[0])
    assert re.fullmatch(LETTERS_RE, texts[1])
    assert texts[2] == "q"


@pytest.mark.parametrize("skip_forced", [False, True])
def test_the_decode_loop(setup, skip_forced):
    """Forced tokens are read in one pass; the scores are those of reading everything anew."""
    engine = setup.engine(Automaton.of_strings(['{"name": "red"}', '{"name": "blue"}']))
    ids = setup.tokenizer.encode(PROMPTS[0]).tolist()
    result = constrained_decode(
        OnnxGenaiModel(setup.model), engine, ids, max_tokens=40, skip_forced=skip_forced
    )
    assert result.text in ('{"name": "red"}', '{"name": "blue"}')
    stop = setup.vocabulary.stop_ids[0]
    tokens = tuple(token for token in result.tokens if token != stop)
    assert tokens == generate(setup.model, setup.tokenizer, ids, engine).tokens
    sampled = constrained_decode(
        OnnxGenaiModel(setup.model, max_length=64),
        setup.engine(LETTERS),
        ids,
        max_tokens=20,
        sampler=Multinomial(seed=3),
    )
    assert re.fullmatch(LETTERS_RE, sampled.text)


def test_a_loaded_folder(setup):
    stages = []
    loaded = load_language_model(setup.folder, device="cpu", threads=1, progress=stages.append)
    assert stages
    assert loaded.vocabulary.stop_ids == (setup.vocabulary.stop_ids[0],)
    assert [loaded.vocabulary.token_bytes(i) for i in range(len(setup.vocabulary.tokens))] == list(
        setup.vocabulary.tokens
    )
    engine = compile_source(["yes", "no"], loaded.vocabulary)
    for ids in (loaded.encode("x"), loaded.encode_chat("x")):
        result = constrained_decode(loaded.model, engine, ids, max_tokens=9)
        assert result.text in ("yes", "no")
    answer = generate(
        setup.model,
        setup.tokenizer,
        [{"role": "user", "content": "the year"}],
        {"const": [1, True]},
        vocabulary=loaded.vocabulary,
        max_tokens=99,
    )
    assert answer.value == [1, True]


def test_an_engine_for_another_model_is_refused(setup):
    letters = [bytes([97 + number % 26]) for number in range(300)]
    stop = setup.vocabulary.stop_ids[0]
    letters[stop] = None
    other = compile_source("a+", Vocabulary(letters, stop_ids=[stop]))
    with pytest.raises(FormgateError, match="the vocabulary of another model"):
        generate(setup.model, setup.tokenizer, "x", other)


def test_what_does_not_fit(setup, tmp_path):
    engine = setup.engine(DATE)
    with pytest.raises(FormgateError, match=r"vocabulary=Vocabulary\.from_file"):
        generate(setup.model, setup.tokenizer, "x", "a+")
    with pytest.raises(FormgateError, match="num_beams cannot be used"):
        generate(setup.model, setup.tokenizer, "x", engine, num_beams=2)
    vocabulary = Vocabulary.from_file(setup.folder, stop_ids=[0])
    with pytest.raises(FormgateError, match="may end with token 0"):
        generate(setup.model, setup.tokenizer, "x", "a+", vocabulary=vocabulary)
    with pytest.raises(FormgateError, match=r"no genai_config\.json"):
        load_language_model(tmp_path)
    params = og.GeneratorParams(setup.model)
    generator = og.Generator(setup.model, params)
    with pytest.raises(DecodingError, match="no prompt"):
        ConstrainedGenerator(generator, engine)
    generator.append_tokens([60, 61])
    with pytest.raises(DecodingError, match="2 engines were given for 1 rows"):
        ConstrainedGenerator(generator, [engine, engine])
    answer = generate(setup.model, setup.tokenizer, "x", engine, max_tokens=2)
    assert not answer.complete
    assert Matcher(engine).validate(answer.tokens) == 2


class Stubborn:
    """A generator that chooses token 5, or gives NaN, whatever the scores."""

    def __init__(self, fill):
        self.fill = fill

    def token_count(self):
        return 1

    def get_logits(self):
        return np.full((1, 1, 336), self.fill, np.float32)

    def set_logits(self, scores):
        self.scores = scores

    def generate_next_token(self):
        pass

    def get_next_tokens(self):
        return np.array([5])


def test_what_leaves_nothing_to_choose(setup):
    engine = setup.engine(Automaton.of_strings(["q"]))
    with pytest.raises(DecodingError, match="token 5 was chosen"):
        ConstrainedGenerator(Stubborn(0.0), engine).generate_next_token()
    for fill in (float("nan"), -float("inf")):
        with pytest.raises(DecodingError, match="NaN or infinity, or all are"):
            ConstrainedGenerator(Stubborn(fill), engine).generate_next_token()
