"""mlx-lm, run for real on a tiny random model; needs mlx-lm and, on Linux, mlx's CPU build."""

from __future__ import annotations

import json
import re

import pytest
from toy_engine import Automaton, ToyEngine

mx = pytest.importorskip("mlx.core")
mlx_lm = pytest.importorskip("mlx_lm")

from formgate import FormgateError, Vocabulary  # noqa: E402
from formgate import compile as compile_source  # noqa: E402
from formgate.adapters.mlx_lm import FormgateProcessor, generate  # noqa: E402
from formgate.core.decoding import DecodingError  # noqa: E402

DIGITS = "0123456789"
DATE = Automaton.of_counts((DIGITS, 4, 4), ("-", 1, 1), ("01", 1, 1), (DIGITS, 1, 1))
DATE_RE = r"\d{4}-[01]\d"
LETTERS = Automaton.of_counts(("abcdefgh", 1, 6), (".", 1, 1))
LETTERS_RE = r"[a-h]{1,6}\."
PROMPTS = ["the year", "dates like 1999-12-31 and", "yes", "name: Ada age: 36 name: Bob"]


class Setup:
    def __init__(self, folder):
        from mlx.utils import tree_flatten
        from mlx_lm.models.llama import Model, ModelArgs
        from tiny_tokenizer import make_tokenizer, toy_vocabulary

        tokenizer = make_tokenizer()
        self.vocabulary = toy_vocabulary(tokenizer)
        settings = {
            "model_type": "llama",
            "hidden_size": 32,
            "num_hidden_layers": 2,
            "intermediate_size": 48,
            "num_attention_heads": 2,
            "num_key_value_heads": 1,
            "rms_norm_eps": 1e-5,
            "vocab_size": len(tokenizer) + 6,  # more scores than tokens, as most models have
            "tie_word_embeddings": False,
            "eos_token_id": tokenizer.eos_token_id,
        }
        for name, seed in (("model", 0), ("draft", 1)):
            mx.random.seed(seed)
            model = Model(ModelArgs.from_dict(settings))
            weights = {
                key: mx.random.normal(value.shape) * 0.5
                for key, value in tree_flatten(model.parameters())
            }
            (folder / name).mkdir()
            mx.save_safetensors(str(folder / name / "model.safetensors"), weights)
            (folder / name / "config.json").write_text(json.dumps(settings))
            tokenizer.save_pretrained(folder / name)
        self.model, self.tokenizer = mlx_lm.load(str(folder / "model"))
        self.draft, _ = mlx_lm.load(str(folder / "draft"))

    def engine(self, automaton):
        return ToyEngine(automaton, self.vocabulary)


@pytest.fixture(scope="module")
def setup(tmp_path_factory):
    return Setup(tmp_path_factory.mktemp("mlx"))


@pytest.mark.parametrize("prompt", PROMPTS)
def test_greedy_takes_the_best_allowed_token(setup, prompt):
    engine = setup.engine(DATE)
    answer = generate(setup.model, setup.tokenizer, prompt, engine, max_tokens=30)
    assert re.fullmatch(DATE_RE, answer.text)
    assert answer.complete
    ids, state = setup.tokenizer.encode(prompt), engine.start()
    for token in answer.tokens:
        scores = setup.model(mx.array([ids]))[0, -1].tolist()
        allowed = engine.allowed_tokens(state).to_list()
        assert scores[token] == pytest.approx(max(scores[each] for each in allowed), abs=1e-3)
        state, ids = engine.advance(state, token), [*ids, token]


@pytest.mark.parametrize("seed", range(6))
def test_sampling(setup, seed):
    from mlx_lm.sample_utils import make_sampler

    mx.random.seed(seed)
    answer = generate(
        setup.model,
        setup.tokenizer,
        PROMPTS[seed % 4],
        setup.engine(LETTERS),
        sampler=make_sampler(temp=1.5),
    )
    assert re.fullmatch(LETTERS_RE, answer.text)


@pytest.mark.parametrize("count", [1, 2, 5])
@pytest.mark.parametrize("own", [False, True])
def test_drafts(setup, count, own):
    """Speculation changes nothing: tokens are drafted, dropped and drafted again."""
    draft = setup.model if own else setup.draft
    for automaton, pattern in ((DATE, DATE_RE), (LETTERS, LETTERS_RE)):
        engine = setup.engine(automaton)
        answer = generate(
            setup.model,
            setup.tokenizer,
            PROMPTS[1],
            engine,
            draft_model=draft,
            num_draft_tokens=count,
        )
        assert re.fullmatch(pattern, answer.text)
        assert answer == generate(setup.model, setup.tokenizer, PROMPTS[1], engine)


def test_a_batch_with_a_constraint_for_each(setup):
    from mlx_lm.generate import BatchGenerator

    stop = setup.tokenizer.eos_token_id
    batch = BatchGenerator(setup.model, stop_tokens=[[stop]], max_tokens=30)
    uids = batch.insert(
        [setup.tokenizer.encode(prompt) for prompt in PROMPTS[:3]],
        logits_processors=[
            [FormgateProcessor(setup.engine(DATE))],
            [FormgateProcessor(setup.engine(LETTERS))],
            [],
        ],
    )
    found = {uid: [] for uid in uids}
    open_ones = set(uids)
    while open_ones:
        for response in batch.next_generated():
            found[response.uid].append(response.token)
            if response.finish_reason is not None:
                open_ones.discard(response.uid)
    for uid, pattern in zip(uids, (DATE_RE, LETTERS_RE), strict=False):
        *tokens, last = found[uid]
        assert last == stop
        assert re.fullmatch(pattern, b"".join(map(setup.vocabulary.token_bytes, tokens)).decode())


def test_sources_values_and_chats(setup):
    answer = generate(setup.model, setup.tokenizer, "x", ["yes", "no"])
    assert answer.value in ("yes", "no")
    setup.tokenizer.chat_template = "{% for m in messages %}{{ m['content'] }}\n{% endfor %}"
    setup.tokenizer.has_chat_template = True
    chat = [{"role": "user", "content": "the year"}]
    answer = generate(setup.model, setup.tokenizer, chat, {"const": [1, True]}, max_tokens=99)
    assert answer.value == [1, True]
    vocabulary = Vocabulary.from_tokenizer(setup.tokenizer._tokenizer)
    ids = setup.tokenizer.encode("the year")
    answer = generate(setup.model, setup.tokenizer, ids, "[0-9]{3}", vocabulary=vocabulary)
    assert re.fullmatch(r"\d{3}", answer.text)


def test_outputs_that_were_cut_off(setup):
    answer = generate(setup.model, setup.tokenizer, "x", setup.engine(DATE), max_tokens=2)
    assert not answer.complete
    assert len(answer.tokens) == 2


def test_a_processor_serves_one_generation(setup):
    processor = FormgateProcessor(setup.engine(DATE))
    options = {"max_tokens": 20, "logits_processors": [processor]}
    mlx_lm.generate(setup.model, setup.tokenizer, "the year", **options)
    with pytest.raises(DecodingError, match="another prompt"):
        mlx_lm.generate(setup.model, setup.tokenizer, "yes", **options)
    processor.reset()
    text = mlx_lm.generate(setup.model, setup.tokenizer, "yes", **options)
    assert re.fullmatch(DATE_RE, text)


def test_an_engine_for_another_model_is_refused(setup):
    letters = [bytes([97 + number % 26]) for number in range(300)]
    stop = setup.vocabulary.stop_ids[0]
    letters[stop] = None
    other = compile_source("a+", Vocabulary(letters, stop_ids=[stop]))
    with pytest.raises(FormgateError, match="the vocabulary of another model"):
        generate(setup.model, setup.tokenizer, "x", other)


def test_what_does_not_fit(setup):
    from tiny_tokenizer import toy_vocabulary

    wide = ToyEngine(DATE, toy_vocabulary(setup.tokenizer._tokenizer, size=900))
    with pytest.raises(DecodingError, match="scores 336 token ids"):
        generate(setup.model, setup.tokenizer, "x", wide)
    vocabulary = Vocabulary.from_tokenizer(setup.tokenizer._tokenizer, stop_ids=[0])
    with pytest.raises(FormgateError, match="may end with token 0"):
        generate(setup.model, setup.tokenizer, "x", "a+", vocabulary=vocabulary)
    with pytest.raises(FormgateError, match="max_tokens must be positive"):
        generate(setup.model, setup.tokenizer, "x", "a+", max_tokens=0)

    def forbid(_tokens, logits):
        return mx.full(logits.shape, -float("inf"))

    with pytest.raises(DecodingError):
        generate(setup.model, setup.tokenizer, "x", setup.engine(DATE), logits_processors=[forbid])
