"""Tokenizers in vLLM's wrappers: what is inside is read, and the wrapper stays as it is."""

from __future__ import annotations

import pytest

import formgate
from formgate.adapters._vllm_tokenizer import plain_tokenizer, read_vocabulary
from formgate.core.errors import VocabularyError


def wrapped(tokenizer, *, name, module="vllm.tokenizers.hf"):
    """A copy of a tokenizer whose class vLLM has made for it, with a ``decode`` of its own."""
    import copy

    def decode(self, *args, **kwargs):
        raise AssertionError("the wrapper was asked")

    made = copy.copy(tokenizer)
    made.__class__ = type(name, (type(tokenizer),), {"decode": decode, "__module__": module})
    return made


def test_cached_and_pooled_tokenizers(tokenizer):
    expected = formgate.Vocabulary.from_tokenizer(tokenizer, size=352)
    assert read_vocabulary(tokenizer, 352) == expected
    cached = wrapped(tokenizer, name="CachedTokenizer")
    pooled = wrapped(cached, name="TokenizerPool")
    for each in (cached, pooled):
        kind = type(each)
        assert read_vocabulary(each, 352) == expected
        assert type(each) is kind
    assert plain_tokenizer(tokenizer) is tokenizer


def test_wrappers_of_others_are_not_opened(tokenizer):
    other = wrapped(tokenizer, name="Other", module="somewhere.else")
    with pytest.raises(VocabularyError, match=r"decode\(\) of its own"):
        read_vocabulary(other, 352)


def test_mistral_tokenizers(tekken_path):
    pytest.importorskip("mistral_common.tokens.tokenizers.tekken")
    from mistral_common.tokens.tokenizers.tekken import Tekkenizer

    class MistralTokenizer:
        __module__ = "vllm.tokenizers.mistral"

        def __init__(self, tokenizer):
            self.tokenizer = tokenizer

    inside = Tekkenizer.from_file(tekken_path)
    assert read_vocabulary(MistralTokenizer(inside), 131_072) == formgate.Vocabulary.from_tokenizer(
        inside, size=131_072
    )


def test_what_cannot_be_read_says_so():
    Strange = type("Strange", (), {"__module__": "vllm.tokenizers.strange"})  # noqa: N806
    with pytest.raises(VocabularyError, match="Strange"):
        read_vocabulary(Strange(), 10)
