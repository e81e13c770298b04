"""Fixtures: SGLang as stand-ins, and a small tokenizer."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
for folder in (HERE, HERE.parents[1]):
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))


@pytest.fixture(scope="session")
def tokenizer():
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    from tiny_llama import make_tokenizer

    return make_tokenizer()


@pytest.fixture
def fake_sglang(monkeypatch):
    """SGLang's modules as stand-ins; the adapter is imported against them."""
    pytest.importorskip("torch")
    import sglang_fakes

    monkeypatch.delenv("FORMGATE_SERVING_OPTIONS", raising=False)
    for name in [each for each in sys.modules if each.partition(".")[0] == "sglang"]:
        monkeypatch.delitem(sys.modules, name)
    made = sglang_fakes.modules()
    for name, module in made.items():
        monkeypatch.setitem(sys.modules, name, module)
    sglang_fakes.forget_adapter()
    yield made
    sglang_fakes.forget_adapter()
