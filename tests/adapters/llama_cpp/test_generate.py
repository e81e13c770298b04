"""`generate` in one call, and models for the command line."""

from __future__ import annotations

import dataclasses
import json
import re

import pytest

import formgate
from formgate.core.decoding import BudgetError, Multinomial, constrained_decode

CHAT = [{"role": "user", "content": "Invent a person: name and age, as JSON."}]


@dataclasses.dataclass
class Person:
    name: str
    age: int


def generate(*args, **options):
    from formgate.adapters.llama_cpp import generate as generate_

    return generate_(*args, **options)


def test_values(llama):
    [answer] = generate(llama, CHAT, Person, max_tokens=200, whole=True)
    assert answer.complete
    assert isinstance(answer.value, Person)
    assert answer.value.name == json.loads(answer.text)["name"]


@pytest.mark.parametrize("jump", [False, True])
@pytest.mark.parametrize("draft_tokens", [0, 4])
@pytest.mark.parametrize("sampler", [None, Multinomial(seed=2), "chain"])
def test_every_way_of_decoding(llama, jump, draft_tokens, sampler):
    from formgate.adapters.llama_cpp import SamplerChain

    chosen = SamplerChain(llama, top_k=20, seed=1) if sampler == "chain" else sampler
    pattern = r"Name: [A-Z][a-z]{2,8}\. Age: [1-9][0-9]\."
    answers = generate(
        llama,
        ["My friend is this. ", "The teacher: "],
        pattern,
        max_tokens=40,
        sampler=chosen,
        jump=jump,
        draft_tokens=draft_tokens,
    )
    assert [answer.prompt_index for answer in answers] == [0, 1]
    for answer in answers:
        assert answer.complete
        assert re.fullmatch(pattern, answer.text)
        assert answer.value == answer.text


def test_a_model_keeps_what_it_has_read(llama, model, vocabulary):
    engine = formgate.compile(["yes", "no"], vocabulary)
    answers = [generate(model, f"Is {what} wet? ", engine)[0].text for what in ("water", "fire")]
    assert set(answers) <= {"yes", "no"}
    assert model.llama is llama


def test_an_output_that_must_be_whole(llama):
    pattern = r"(word )+end\."
    for seed in range(5):
        sampler = Multinomial(seed=seed, temperature=2.0)
        [answer] = generate(llama, CHAT, pattern, max_tokens=9, whole=True, sampler=sampler)
        assert answer.complete
        assert re.fullmatch(pattern, answer.text)
        assert len(answer.tokens) <= 9
    with pytest.raises(BudgetError, match="at most 2 tokens"):
        generate(llama, CHAT, "a word and three more", max_tokens=2, whole=True)


@pytest.mark.parametrize("marker", ["</think>", "<|im_start|>"])
def test_an_answer_after_reasoning(llama, vocabulary, marker):
    engine = formgate.compile(["yes", "no"], vocabulary)
    [answer] = generate(
        llama,
        "Is water wet? Think. <think>",
        engine,
        after=marker,
        between="\n\n",
        max_tokens=40,
        whole=True,
        draft_tokens=4,
        sampler=Multinomial(seed=1),
    )
    assert answer.complete
    assert answer.text in ("yes", "no")
    assert answer.value == answer.text
    assert answer.before.endswith("\n\n")
    special = marker in vocabulary.special
    assert special == (marker == "<|im_start|>")
    assert (vocabulary.special.get(marker) in answer.tokens) == special
    assert (marker in answer.before) == (not special)


def test_healing(llama, vocabulary):
    engine = formgate.compile("[a-z./:]{5,20}", vocabulary)
    prompt = "The address of the site is https:"
    [plain] = generate(llama, prompt, engine, max_tokens=9, whole=True)
    [healed] = generate(llama, prompt, engine, max_tokens=9, whole=True, heal_tokens=1)
    assert plain.before == ""
    assert healed.before == ":"
    # With the colon taken back, the model can write the token that it knows.
    first = vocabulary.token_bytes(healed.tokens[0])
    assert first.startswith(b":")
    assert engine.accepts(healed.text)


def test_prompts(llama):
    from formgate.adapters.llama_cpp import prompt_tokens

    assert prompt_tokens(llama, "<|im_start|>user")[0] == 1
    text = llama.detokenize(prompt_tokens(llama, CHAT), special=True).decode()
    assert CHAT[0]["content"] in text
    assert text.endswith("<|im_start|>assistant\n")
    for wrong in ("", [{"role": "user"}], [{"content": 3}]):
        with pytest.raises(formgate.FormgateError, match=r"no tokens|refuses the chat"):
            prompt_tokens(llama, wrong)
    with pytest.raises(formgate.FormgateError, match="there is no prompt"):
        generate(llama, [], "a")


def test_a_model_without_a_template(llama, monkeypatch):
    from formgate.adapters.llama_cpp import prompt_tokens

    monkeypatch.setattr(llama, "metadata", {})
    with pytest.raises(formgate.FormgateError, match="has no chat template"):
        prompt_tokens(llama, CHAT)


def test_models_for_the_command_line(llama, smol_path, tmp_path):
    from formgate.adapters.llama_cpp import load_language_model

    stages = []
    loaded = load_language_model(smol_path, device="cpu", threads=1, progress=stages.append)
    assert stages == ["loading the weights", "reading the vocabulary"]
    assert loaded.name == smol_path.stem
    assert loaded.model.llama.n_ctx() == 8192
    engine = formgate.compile(["yes", "no"], loaded.vocabulary)
    for tokens in (loaded.encode("Is it?"), loaded.encode_chat("Is it?")):
        assert constrained_decode(loaded.model, engine, tokens, max_tokens=9).complete
    loaded.model.llama.close()

    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"GGUF and nothing else")
    text = tmp_path / "text"
    text.write_text("no model")
    for path, options, message in (
        (tmp_path / "none", {}, "no such model"),
        (text, {}, "is not a GGUF file"),
        (broken, {}, "llama.cpp cannot load"),
        (smol_path, {"device": "tpu"}, "cannot use the device 'tpu'"),
        (smol_path, {"threads": 0}, "threads must be positive"),
    ):
        with pytest.raises(formgate.FormgateError, match=message):
            load_language_model(path, **options)


def test_the_command_line(llama, capsys):
    from formgate.core.cli import main

    assert llama
    arguments = ["--source", "yes|no", "--prompt", "Is water wet?", "--backend", "llama_cpp"]
    assert main(["generate", *arguments, "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["text"] in ("yes", "no")
    assert record["complete"]


def test_whole_outputs_end_within_the_context(smol_path, vocabulary):
    import llama_cpp

    small = llama_cpp.Llama(str(smol_path), n_ctx=256, n_batch=64, n_threads=1, verbose=False)
    try:
        prompt = "word " * 244
        engine = formgate.compile('"(word |ward )*"', vocabulary)
        for drafts in (0, 8):
            [answer] = generate(
                small, prompt, engine, max_tokens=80, whole=True, draft_tokens=drafts
            )
            assert answer.complete
        with pytest.raises(BudgetError, match=r"at most 1\d tokens"):
            generate(small, prompt, "(word |ward ){40}", max_tokens=80, whole=True)
    finally:
        small.close()


def test_models_that_cannot_run_are_refused(smol_path):
    """llama.cpp would end the process."""
    llama_cpp = pytest.importorskip(
        "llama_cpp", reason="llama-cpp-python is not installed: make test-llama"
    )
    bare = llama_cpp.Llama(str(smol_path), vocab_only=True, verbose=False)
    with pytest.raises(formgate.FormgateError, match="vocab_only=True"):
        generate(bare, "x", "yes|no")
    closed = llama_cpp.Llama(str(smol_path), n_ctx=64, verbose=False)
    closed.close()
    with pytest.raises(formgate.FormgateError, match="was closed"):
        generate(closed, "x", "yes|no")


def test_what_is_no_sampler_is_refused(llama):
    with pytest.raises(TypeError, match="sampler=5 is no sampler"):
        generate(llama, "x", "a+", sampler=5)


def test_an_engine_for_another_model_is_refused(llama, vocabulary):
    letters = [bytes([97 + number % 26]) for number in range(len(vocabulary) - 1)]
    other = formgate.Vocabulary([*letters, None], stop_ids=[len(letters)])
    with pytest.raises(formgate.FormgateError, match="the vocabulary of another model"):
        generate(llama, "x", formgate.compile("a+", other))
    with pytest.raises(formgate.FormgateError, match="not bytes"):
        generate(llama, b"x", "a+")
