"""Tokenizer objects: which reader knows one."""

from __future__ import annotations

from formgate.core.errors import VocabularyError
from formgate.core.vocabulary._sentencepiece import read_processor
from formgate.core.vocabulary._table import TokenTable, shown
from formgate.core.vocabulary._tekken import read_mistral
from formgate.core.vocabulary._tiktoken import read_encoding
from formgate.core.vocabulary._tokenizer_json import read_tokenizer
from formgate.core.vocabulary._transformers import read_transformers

__all__ = ["read_table", "unknown_object"]

# Mistral first: its wrapper is a transformers tokenizer too.
_READERS = (read_mistral, read_transformers, read_tokenizer, read_encoding, read_processor)

_SUPPORTED = (
    "fast tokenizers of transformers, tokenizers.Tokenizer, tiktoken.Encoding, "
    "sentencepiece.SentencePieceProcessor and the tokenizers of mistral_common"
)


def read_table(obj: object) -> TokenTable | None:
    """Return the exact bytes of a tokenizer object's ids, or None if no reader knows it.

    The table is as the tokenizer has it: not padded, its stop ids those the object names.

    Raises:
        VocabularyError: The object is known, but its tokens have no exact bytes.
    """
    for reader in _READERS:
        table = reader(obj)
        if table is not None:
            return table
    return None


def unknown_object(obj: object) -> VocabularyError:
    """Return the error for an object that nothing knows."""
    if isinstance(obj, (str, bytes)) or hasattr(obj, "__fspath__"):
        return VocabularyError(f"{shown(obj)} is a path; pass it to Vocabulary.from_file")
    cls = type(obj)
    return VocabularyError(
        f"{cls.__module__}.{cls.__qualname__} is not a known tokenizer; supported are {_SUPPORTED}."
        " For others pass the exact bytes, Vocabulary(tokens, stop_ids=...), or write a plugin with"
        " the hook read_vocabulary"
    )
