"""transformers: tokenizers over the ``tokenizers`` library ("fast"), and processors that hold one.

The table is the backend's (see ``_tokenizer_json``). Stop ids are the tokenizer's end token and
those of a ``generation_config.json`` in the local folder it was loaded from. Compare with
``decode(..., clean_up_tokenization_spaces=False)``: the clean-up edits text after decoding.

Refused: classes with a decoding of their own, and tokenizers in Python ("slow"). Of the latter the
SentencePiece ones strip the ends of the text and leave byte pieces unread.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from formgate.core.errors import VocabularyError
from formgate.core.vocabulary._folder import generation_stops
from formgate.core.vocabulary._table import TokenTable, is_a
from formgate.core.vocabulary._tokenizer_json import read_tokenizer

__all__ = ["read_transformers"]

_FAST = ("TokenizersBackend", "PreTrainedTokenizerFast")
_SLOW = ("PreTrainedTokenizerBase",)
# Modules whose ``decode`` and ``_decode`` return what the backend decodes. CodeGen's adds an
# optional argument and nothing else.
_PLAIN_DECODING = (
    "transformers.tokenization_utils_base",
    "transformers.tokenization_utils_fast",
    "transformers.tokenization_utils_tokenizers",
    "transformers.models.codegen.tokenization_codegen",
    "transformers.models.codegen.tokenization_codegen_fast",
)


def read_transformers(obj: Any) -> TokenTable | None:
    """Return the table of a transformers tokenizer or processor; None for any other object.

    Raises:
        VocabularyError: It is written in Python, or decodes in a way of its own.
    """
    if is_a(obj, "transformers", "ProcessorMixin") and hasattr(obj, "tokenizer"):
        obj = obj.tokenizer
    if not is_a(obj, "transformers", *_FAST, *_SLOW):
        return None
    name = f"transformers {type(obj).__name__}"
    if not is_a(obj, "transformers", *_FAST):
        way = "load the fast tokenizer (AutoTokenizer.from_pretrained), or pass the bytes yourself"
        if is_a(getattr(obj, "sp_model", None), "sentencepiece", "SentencePieceProcessor"):
            way += ", or pass its .sp_model if that is what you decode with"
        raise VocabularyError(
            f"{name} decodes in Python code, so the bytes of its tokens cannot be known exactly; "
            f"{way}"
        )
    for method in ("decode", "_decode"):
        owner = next(cls for cls in type(obj).__mro__ if method in vars(cls))
        if owner.__module__ not in _PLAIN_DECODING:
            raise VocabularyError(
                f"{name} has a {method}() of its own ({owner.__module__}), so the bytes of its "
                "tokens cannot be known exactly; if you decode with its backend_tokenizer, pass "
                "that"
            )
    table = read_tokenizer(obj.backend_tokenizer)
    if table is None:
        raise VocabularyError(
            f"{name} has no backend of the tokenizers library; pass the exact bytes yourself: "
            "Vocabulary(tokens, stop_ids=...)"
        )
    named = TokenTable(table.tokens, (), table.special, name)
    return named.with_stops(_stops(obj))


def _stops(obj: Any) -> set[int]:
    """Return the end ids of the tokenizer and of the folder it came from."""
    end = obj.eos_token_id
    stops = set() if end is None else set(end) if isinstance(end, list) else {end}
    origin = getattr(obj, "name_or_path", None)
    if isinstance(origin, str) and origin and Path(origin).is_dir():
        stops |= set(generation_stops(Path(origin)))
    return stops
