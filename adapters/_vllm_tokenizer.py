"""The vocabulary of a tokenizer as vLLM holds it.

vLLM wraps tokenizers: in classes that cache or pool the calls, made for each object, and in classes
of its own around mistral-common's. What is inside is what formgate knows how to read.
"""

from __future__ import annotations

import copy
from typing import Any

from formgate.core.vocabulary import Vocabulary

__all__ = ["plain_tokenizer", "read_vocabulary"]


def read_vocabulary(tokenizer: Any, size: int) -> Vocabulary:
    """Return the vocabulary of a tokenizer of vLLM.

    Args:
        tokenizer: The tokenizer.
        size: How many ids the model scores.

    Raises:
        VocabularyError: Its tokens have no exact bytes.
    """
    return Vocabulary.from_tokenizer(plain_tokenizer(tokenizer), size=size)


def plain_tokenizer(tokenizer: Any) -> Any:
    """Return the tokenizer inside the wrappers of vLLM; the one given is not changed."""
    if type(tokenizer).__name__ == "MistralTokenizer" and _of_vllm(type(tokenizer)):
        return tokenizer.tokenizer
    if not _of_vllm(type(tokenizer)):
        return tokenizer
    plain = next((each for each in type(tokenizer).__mro__ if not _of_vllm(each)), object)
    if plain is object:
        return tokenizer
    inside = copy.copy(tokenizer)
    inside.__class__ = plain
    return inside


def _of_vllm(cls: type) -> bool:
    """Say whether a class was made by vLLM."""
    return cls.__module__.partition(".")[0] == "vllm"
