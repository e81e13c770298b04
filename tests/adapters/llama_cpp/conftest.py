"""The embedded model on llama.cpp, loaded once. Without llama-cpp-python, skipped."""

from __future__ import annotations

import pytest

CHAT = "<|im_start|>user\n{}<|im_end|>\n<|im_start|>assistant\n"


@pytest.fixture(scope="session")
def llama(smol_path):
    """SmolLM2-135M-Instruct on one thread."""
    package = pytest.importorskip(
        "llama_cpp", reason="llama-cpp-python is not installed: make test-llama"
    )
    model = package.Llama(
        str(smol_path), n_ctx=1024, n_batch=64, n_threads=1, n_threads_batch=1, verbose=False
    )
    yield model
    model.close()


@pytest.fixture(scope="session")
def vocabulary(llama):
    from formgate.adapters.llama_cpp import vocabulary_of

    return vocabulary_of(llama)


@pytest.fixture(scope="session")
def prompt(llama):
    """Make the tokens of a chat in which the user has said something."""

    def tokens(text):
        return llama.tokenize(CHAT.format(text).encode(), add_bos=False, special=True)

    return tokens


@pytest.fixture
def model(llama):
    from formgate.adapters.llama_cpp import LlamaCppModel

    return LlamaCppModel(llama)
