"""What the other files of a model folder say: which tokens end the output, how many ids there are.

``generation_config.json`` and the end token of ``tokenizer_config.json`` are taken together (chat
models name several end tokens in the one and the usual one in the other); ``config.json`` is asked
only where both are silent, since fine-tunes often leave a stale number there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from formgate.core.errors import VocabularyError
from formgate.core.vocabulary._table import MAX_IDS, bad_file, load_json, shown

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from formgate.core.vocabulary._table import TokenTable

__all__ = ["check_added_tokens", "generation_stops", "model_size", "with_folder_stops"]

_REMEDY = "correct the file or pass stop_ids=[...]"


def with_folder_stops(table: TokenTable, folder: Path) -> TokenTable:
    """Return the table with the stop ids its folder names, beside its own.

    Raises:
        VocabularyError: A file of the folder is damaged or names a token that does not exist.
    """
    stops = set(table.stop_ids) | set(generation_stops(folder))
    settings = _optional(folder / "tokenizer_config.json")
    stops |= _end_token(settings, table, folder / "tokenizer_config.json")
    if not stops:
        stops |= set(_ids_in(folder / "config.json", "eos_token_id"))
    return table.with_stops(stops)


def generation_stops(folder: Path) -> tuple[int, ...]:
    """Return the end ids of a folder's ``generation_config.json``, if it has one."""
    return _ids_in(folder / "generation_config.json", "eos_token_id")


def model_size(folder: Path) -> int | None:
    """Return the number of ids the folder's ``config.json`` gives the model, or None."""
    path = folder / "config.json"
    config = _optional(path)
    text_config = config.get("text_config")
    inner = text_config if isinstance(text_config, dict) else {}
    size = config.get("vocab_size", inner.get("vocab_size"))
    if size is None:
        return None
    if type(size) is not int or not 0 < size <= MAX_IDS:
        raise bad_file(path, "vocab_size", f"{shown(size)} is not a number of ids", "pass size=...")
    return size


def check_added_tokens(added: object, folder: Path) -> None:
    """Refuse a folder whose two lists of added tokens differ.

    transformers adds the tokens of ``tokenizer_config.json`` to those of ``tokenizer.json`` while
    loading, which changes what is special and what is text.

    Args:
        added: The ``added_tokens`` entry of ``tokenizer.json``.
        folder: Where both files lie.
    """
    path = folder / "tokenizer_config.json"
    listed = _optional(path).get("added_tokens_decoder")
    if not isinstance(listed, dict):
        return
    known = {
        str(entry.get("id")): (entry.get("content"), entry.get("special", False))
        for entry in (added if isinstance(added, list) else [])
        if isinstance(entry, dict)
    }
    for i, entry in listed.items():
        content = entry.get("content") if isinstance(entry, dict) else None
        special = entry.get("special", False) if isinstance(entry, dict) else None
        if known.get(i) != (content, special):
            raise bad_file(
                path,
                f"added_tokens_decoder[{i}]",
                f"{shown(content)}, special={special}, is not what tokenizer.json says of this id",
                "load the folder with transformers' AutoTokenizer and pass that to from_tokenizer",
            )


def _end_token(settings: Mapping[str, object], table: TokenTable, path: Path) -> set[int]:
    """Return the id of ``eos_token``, which is a string or an object with ``content``."""
    name = settings.get("eos_token")
    if isinstance(name, dict):
        name = name.get("content")
    if name is None:
        return set()
    if not isinstance(name, str):
        raise bad_file(path, "eos_token", f"{shown(name)} is not a token", _REMEDY)
    i = table.special.get(name)
    if i is not None:
        return {i}
    # An end token that is not marked special: the one id with this text, if there is just one.
    text = name.encode(errors="replace")
    named = [i for i, token in enumerate(table.tokens) if token == text]
    if len(named) != 1:
        raise bad_file(
            path, "eos_token", f"{shown(name)} is the text of {len(named)} tokens", _REMEDY
        )
    return set(named)


def _ids_in(path: Path, key: str) -> tuple[int, ...]:
    """Return the ids under a key: a number, a list of numbers, or nothing."""
    value = _optional(path).get(key)
    ids = value if isinstance(value, list) else [] if value is None else [value]
    for i in ids:
        if type(i) is not int or i < 0:
            raise bad_file(path, key, f"{shown(i)} is not a token id", _REMEDY)
    return tuple(ids)


def _optional(path: Path) -> dict[str, object]:
    """Return a JSON file of the folder, empty if it is not there."""
    try:
        present = path.is_file()
    except OSError as error:
        raise VocabularyError(f"{path}: {error.strerror or error}; check the path") from error
    return load_json(path) if present else {}
