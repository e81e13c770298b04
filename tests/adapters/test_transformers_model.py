"""Models for the decode loop: the cache, and loading from folders and GGUF files."""

from __future__ import annotations

import re

import pytest
from toy_engine import Automaton

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from formgate import FormgateError, MissingDependencyError  # noqa: E402
from formgate.adapters import _transformers_model  # noqa: E402
from formgate.adapters.transformers import TransformersModel, load_language_model  # noqa: E402
from formgate.core.decoding import ExtensibleModel, Multinomial, constrained_decode  # noqa: E402

DIGITS = "0123456789"
DATE = Automaton.of_counts((DIGITS, 4, 4), ("-", 1, 1), ("01", 2, 2))


def whole(setup, ids):
    with torch.no_grad():
        return setup.model(torch.tensor([ids])).logits[0, -1]


def test_scores_are_those_of_the_whole_text(setup):
    model = TransformersModel(setup.model)
    assert isinstance(model, ExtensibleModel)
    assert model.vocabulary_size == len(setup.tokenizer)
    for prompt in ([5, 6, 7], [8]):
        ids = list(prompt)
        assert torch.allclose(model.start(prompt), whole(setup, ids), atol=1e-4)
        for more in ([9], [10, 11, 12], [13]):
            ids += more
            scores = model.step(more[0]) if len(more) == 1 else model.extend(more)
            assert scores.shape == (len(setup.tokenizer),)
            assert torch.allclose(scores, whole(setup, ids), atol=1e-4)


@pytest.mark.parametrize("sampler", [None, Multinomial(temperature=0.7, seed=1)])
@pytest.mark.parametrize("skip_forced", [False, True])
def test_decoding(setup, sampler, skip_forced):
    result = constrained_decode(
        TransformersModel(setup.model),
        setup.engine(DATE),
        setup.tokenizer("the year")["input_ids"],
        max_tokens=20,
        sampler=sampler,
        skip_forced=skip_forced,
    )
    assert re.fullmatch(r"\d{4}-[01]{2}", result.text)
    assert result.complete


def test_decoding_agrees_with_generate(setup):
    from formgate.adapters.transformers import generate

    (answer,) = generate(
        setup.model, setup.tokenizer, "the year", setup.engine(DATE), max_new_tokens=20
    )
    result = constrained_decode(
        TransformersModel(setup.model),
        setup.engine(DATE),
        setup.tokenizer("the year")["input_ids"],
        max_tokens=20,
    )
    assert result.text == answer.text


@pytest.fixture(scope="module")
def folder(setup, tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / "tiny"
    setup.model.save_pretrained(path)
    setup.tokenizer.save_pretrained(path)
    return path


def test_loading_a_folder(setup, folder):
    stages = []
    loaded = load_language_model(folder, device="cpu", progress=stages.append)
    assert loaded.name == "tiny"
    assert stages == ["loading the tokenizer", "loading the weights", "reading the vocabulary"]
    assert loaded.vocabulary.stop_ids == (setup.tokenizer.eos_token_id,)
    assert len(loaded.vocabulary) == len(setup.tokenizer)
    ids = loaded.encode("the year")
    assert ids == setup.tokenizer("the year")["input_ids"]
    assert torch.allclose(loaded.model.start(ids), whole(setup, ids), atol=1e-4)
    assert loaded.encode_chat is None


def test_loading_a_folder_with_a_chat_template(setup, folder, tmp_path):
    import shutil

    shutil.copytree(folder, tmp_path / "chatty")
    (tmp_path / "chatty" / "chat_template.jinja").write_text(
        "{% for m in messages %}{{ m['role'] }}: {{ m['content'] }}.{% endfor %}"
    )
    loaded = load_language_model(tmp_path / "chatty", device="cpu")
    assert loaded.encode_chat("hello") == setup.tokenizer("user: hello.")["input_ids"]


def test_half_precision_on_a_processor_is_widened(setup, tmp_path):
    import copy

    copy.deepcopy(setup.model).half().save_pretrained(tmp_path)
    setup.tokenizer.save_pretrained(tmp_path)
    assert load_language_model(tmp_path, device="cpu").model.model.dtype == torch.float32


def test_transformers_is_left_as_talkative_as_it_was(folder):
    logging = transformers.utils.logging
    before = logging.get_verbosity(), logging.is_progress_bar_enabled()
    load_language_model(folder, device="cpu")
    assert (logging.get_verbosity(), logging.is_progress_bar_enabled()) == before


def test_paths_that_are_no_models(folder, tmp_path):
    with pytest.raises(FormgateError, match=r"^no such model: .*missing \(give a model"):
        load_language_model(tmp_path / "missing")
    with pytest.raises(FormgateError, match=r"is not a model folder: it has no config.json"):
        load_language_model(tmp_path)
    (tmp_path / "file.gguf").write_bytes(b"something else")
    with pytest.raises(FormgateError, match=r"neither a model folder nor a GGUF file"):
        load_language_model(tmp_path / "file.gguf")
    (tmp_path / "broken.gguf").write_bytes(b"GGUF and no more")
    with pytest.raises(FormgateError, match=r"transformers cannot read .*broken.gguf"):
        load_language_model(tmp_path / "broken.gguf", cache_dir=tmp_path / "cache")
    assert not list((tmp_path / "cache").rglob("*.safetensors"))

    weightless = tmp_path / "weightless"
    weightless.mkdir()
    for file in folder.iterdir():
        if file.suffix != ".safetensors":
            (weightless / file.name).write_bytes(file.read_bytes())
    with pytest.raises(FormgateError, match=r"transformers cannot load .*weightless") as caught:
        load_language_model(weightless)
    assert "\n" not in str(caught.value)


def test_a_device_that_is_not_there(folder):
    with pytest.raises(FormgateError, match="cannot use the device 'nowhere'"):
        load_language_model(folder, device="nowhere")


def test_a_missing_package_is_named(tmp_path, monkeypatch):
    import sys

    (tmp_path / "model.gguf").write_bytes(b"GGUF")
    monkeypatch.setitem(sys.modules, "gguf", None)
    with pytest.raises(MissingDependencyError, match=r"package gguf.*formgate\[demo\]"):
        load_language_model(tmp_path / "model.gguf", cache_dir=tmp_path)


def test_where_the_cache_is(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert _transformers_model.default_cache_dir() == tmp_path / "formgate"
    for value in ("", "relative"):
        monkeypatch.setenv("XDG_CACHE_HOME", value)
        monkeypatch.setenv("HOME", str(tmp_path / "home"))
        found = _transformers_model.default_cache_dir()
        assert found == tmp_path / "home" / ".cache" / "formgate"


def test_converted_folders_follow_the_file(tmp_path, monkeypatch):
    path = tmp_path / "a.gguf"
    path.write_bytes(b"GGUF one")
    first = _transformers_model._fingerprint(path)
    assert first == _transformers_model._fingerprint(path)
    path.write_bytes(b"GGUF two")
    assert first != _transformers_model._fingerprint(path)
    monkeypatch.setattr(_transformers_model, "_HASHED_WHOLE", 0)
    large = _transformers_model._fingerprint(path)
    import os

    os.utime(path, ns=(1, 1))
    assert large != _transformers_model._fingerprint(path)


def test_a_damaged_conversion_is_made_again(folder, tmp_path, monkeypatch):
    import shutil

    path = tmp_path / "model.gguf"
    path.write_bytes(b"GGUF")
    made = []

    def convert(path, cache, tell):
        target = cache / "converted"
        if not target.is_dir():
            shutil.copytree(folder, target)
            made.append(target)
        return target

    monkeypatch.setattr(_transformers_model, "_converted", convert)
    load_language_model(path, cache_dir=tmp_path)
    weights = next((tmp_path / "converted").glob("*.safetensors"))
    weights.write_bytes(weights.read_bytes()[:100])
    load_language_model(path, cache_dir=tmp_path)
    assert len(made) == 2


def test_a_long_error_is_one_line_with_its_cause(folder, tmp_path):
    import shutil

    broken = tmp_path / "broken"
    shutil.copytree(folder, broken)
    (broken / "config.json").write_text('{"model_type": "llama", "vocab_size": "x"}')
    with pytest.raises(FormgateError, match="transformers cannot load") as caught:
        load_language_model(broken)
    assert "\n" not in str(caught.value)
    assert not str(caught.value).endswith(":")
