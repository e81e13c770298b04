"""Fixtures: vLLM as stand-ins, and a small tokenizer."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
for folder in (HERE, HERE.parents[1]):
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))

SIZE = 352  # more than the tokenizer has, as models do


@pytest.fixture(scope="session")
def tokenizer():
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    from tiny_llama import make_tokenizer

    return make_tokenizer()


@pytest.fixture
def fake_vllm(monkeypatch, tokenizer):
    """vLLM's modules as stand-ins; the adapter is imported against them."""
    import fakes

    monkeypatch.delenv("FORMGATE_VLLM_BACKEND", raising=False)
    monkeypatch.delenv("FORMGATE_SERVING_OPTIONS", raising=False)
    for name in [each for each in sys.modules if each.partition(".")[0] == "vllm"]:
        monkeypatch.delitem(sys.modules, name)
    made = fakes.modules(tokenizer)
    for name, module in made.items():
        monkeypatch.setitem(sys.modules, name, module)
    fakes.forget_adapter()
    yield made
    fakes.forget_adapter()
