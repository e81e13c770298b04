"""Vocabulary files: which format a file has, and which file of a folder to read.

A file is known by what is in it, not by its name: ``tokenizer.model`` is a SentencePiece model in
one release and a tiktoken file in another, and both Tekken and tokenizers files are JSON.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from formgate.core.errors import VocabularyError
from formgate.core.vocabulary import _folder
from formgate.core.vocabulary._gguf import table_from_gguf
from formgate.core.vocabulary._gguf_metadata import MAGIC
from formgate.core.vocabulary._sentencepiece import (
    looks_like_sentencepiece,
    table_from_sentencepiece,
)
from formgate.core.vocabulary._table import bad_file, fit, parse_json, read_bytes, shown
from formgate.core.vocabulary._tekken import looks_like_tekken, table_from_tekken
from formgate.core.vocabulary._tiktoken import looks_like_tiktoken, table_from_tiktoken
from formgate.core.vocabulary._tokenizer_json import table_from_json

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

    from formgate.core.vocabulary._table import TokenTable

__all__ = ["FORMATS", "read_file"]

FORMATS = ("gguf", "sentencepiece", "tekken", "tiktoken", "tokenizer.json")

# In this order: what transformers would load comes first.
_IN_FOLDER = ("tokenizer.json", "tekken.json", "tokenizer.model", "*.tiktoken", "*.gguf")


def read_file(
    path: str | os.PathLike[str],
    *,
    size: int | None = None,
    stop_ids: Iterable[int] | None = None,
    format: str | None = None,  # noqa: A002 (the field's word)
) -> TokenTable:
    """Return the table of a tokenizer file, or of a folder that holds one, brought to size.

    Files beside a ``tokenizer.json``, and any file of a folder, also tell stop ids; a folder's
    ``config.json`` tells the size. Arguments win over files.

    Raises:
        VocabularyError: The file cannot be read, is of no known format, is damaged, does not give
            tokens exact bytes, or does not say what neither it nor the caller says.
    """
    if format is not None and format not in FORMATS:
        raise VocabularyError(f"format {format!r} is not known; pass one of {', '.join(FORMATS)}")
    try:
        given = Path(path)
    except TypeError as error:
        raise VocabularyError(
            f"{shown(path)} is not a path; pass a tokenizer object to Vocabulary.from_tokenizer"
        ) from error
    if "\0" in str(given):
        raise VocabularyError(f"{shown(path)} is not a path: it has a null character; check it")
    folder = given if given.is_dir() else None
    if folder is None and given.exists() and not given.is_file():
        raise VocabularyError(f"{given} is a device or a pipe; pass a file or a folder")
    file = given if folder is None else _pick(folder)
    beside = file.parent if file.name == "tokenizer.json" else folder
    table = _read(file, format, beside)
    if beside is not None and stop_ids is None:
        table = _folder.with_folder_stops(table, beside)
    if folder is not None and size is None:
        size = _folder.model_size(folder)
    return fit(table, size, stop_ids)


def _pick(folder: Path) -> Path:
    """Return the tokenizer file of a folder."""
    for pattern in _IN_FOLDER:
        found = sorted(path for path in folder.glob(pattern) if path.is_file())
        if len(found) > 1:
            names = ", ".join(path.name for path in found[:4])
            raise VocabularyError(f"{folder} has several tokenizer files ({names}); pass one")
        if found:
            return found[0]
    raise VocabularyError(
        f"{folder} has none of {', '.join(_IN_FOLDER)}; if transformers can load it, pass "
        "AutoTokenizer.from_pretrained(folder) to Vocabulary.from_tokenizer"
    )


def _read(path: Path, format: str | None, beside: Path | None) -> TokenTable:  # noqa: A002
    """Read one file in the given format, or in the one its contents show."""
    if format == "gguf" or (format is None and _head(path) == MAGIC):
        return table_from_gguf(path)
    data = read_bytes(path)
    if format is None:
        format = _format_of(data)  # noqa: A001
    if format == "sentencepiece":
        return table_from_sentencepiece(data, path)
    if format == "tiktoken":
        return table_from_tiktoken(data, path)
    if format is None:
        raise bad_file(
            path,
            "whole file",
            "none of the known formats",
            f"pass format= one of {', '.join(FORMATS)}, or another file",
        )
    parsed = parse_json(data, path)
    if format == "tekken" or (format == "json" and looks_like_tekken(parsed)):
        return table_from_tekken(parsed, path)
    if beside is not None:
        _folder.check_added_tokens(parsed.get("added_tokens"), beside)
    return table_from_json(parsed, path)


def _format_of(data: bytes) -> str | None:
    """Return the format that contents show; JSON is told apart when parsed."""
    if data.lstrip()[:1] == b"{":
        return "json"
    if looks_like_tiktoken(data):
        return "tiktoken"
    return "sentencepiece" if looks_like_sentencepiece(data) else None


def _head(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(len(MAGIC))
    except OSError as error:
        raise VocabularyError(f"{path}: {error.strerror or error}; check the path") from error
