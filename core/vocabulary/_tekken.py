"""Tekken: Mistral's JSON files, and the tokenizer objects of ``mistral_common``.

The file lists byte tokens by rank, base64. Ids below ``default_num_special_tokens`` are special;
the token of rank r has id r plus that number, and the list is cut where ``default_vocab_size`` is
reached. Never use the objects' ``vocab()``: it shows every partial character as ``<?>``.
Cost: the 131,072 ids of a 15 MB file take some 0.3 s, two thirds of it JSON.
"""

from __future__ import annotations

import binascii
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from formgate.core.vocabulary._sentencepiece import table_from_sentencepiece
from formgate.core.vocabulary._table import MAX_IDS, TokenTable, bad_file, is_a, read_bytes, shown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from formgate.core.errors import VocabularyError

__all__ = ["looks_like_tekken", "read_mistral", "table_from_tekken"]

_DAMAGED = "the file is damaged, download it again"
_STOP = "</s>"

# Files up to version 7 may leave the special tokens out; these are their first ids then.
_LAST_IMPLICIT_VERSION = 7
_IMPLICIT_SPECIAL = (
    "<unk>",
    "<s>",
    _STOP,
    "[INST]",
    "[/INST]",
    "[AVAILABLE_TOOLS]",
    "[/AVAILABLE_TOOLS]",
    "[TOOL_RESULTS]",
    "[/TOOL_RESULTS]",
    "[TOOL_CALLS]",
    "[IMG]",
    "<pad>",
    "[IMG_BREAK]",
    "[IMG_END]",
    "[PREFIX]",
    "[MIDDLE]",
    "[SUFFIX]",
    "[SYSTEM_PROMPT]",
    "[/SYSTEM_PROMPT]",
    "[TOOL_CONTENT]",
)


def read_mistral(obj: Any) -> TokenTable | None:
    """Return the table of a ``mistral_common`` tokenizer; None for any other object.

    Takes ``MistralTokenizer``, its ``Tekkenizer`` or ``SentencePieceTokenizer``, and the
    transformers wrapper of the former.
    """
    if is_a(obj, "transformers", "MistralCommonBackend", "MistralCommonTokenizer"):
        obj = obj.tokenizer
    if is_a(obj, "mistral_common", "MistralTokenizer"):
        obj = obj.instruct_tokenizer.tokenizer
    if is_a(obj, "mistral_common", "SentencePieceTokenizer"):
        return table_from_sentencepiece(read_bytes(Path(obj.file_path)), obj.file_path)
    if not is_a(obj, "mistral_common", "Tekkenizer"):
        return None
    first, size = obj.num_special_tokens, obj.n_words
    bytes_of = obj.id_to_byte_piece  # by default, nothing for special tokens
    tokens = [None] * first + [bytes_of(i) or None for i in range(first, size)]
    special = {obj.id_to_piece(i): i for i in range(first)}
    return TokenTable(tokens, (obj.eos_id,), special, "mistral_common Tekkenizer")


def looks_like_tekken(data: Mapping[str, object]) -> bool:
    """Tell a Tekken file from other JSON: a list of tokens beside a configuration."""
    return isinstance(data.get("vocab"), list) and isinstance(data.get("config"), dict)


def table_from_tekken(data: Mapping[str, object], path: object) -> TokenTable:
    """Return the table of a parsed Tekken file; the stop id is ``</s>``.

    Raises:
        VocabularyError: An entry is missing or inconsistent; the message names its place.
    """
    config, vocab = data.get("config"), data.get("vocab")
    if not isinstance(config, dict) or not isinstance(vocab, list):
        raise bad_file(path, "whole file", "no config or no vocab", "pass a Tekken JSON file")
    size = _number(config, "default_vocab_size", path)
    first = _number(config, "default_num_special_tokens", path)
    count = size - first
    if not 0 < count <= len(vocab):
        raise bad_file(
            path,
            "config",
            f"default_vocab_size {size} less {first} special tokens is {count}, but vocab has "
            f"{len(vocab)} tokens",
            _DAMAGED,
        )
    special = _special(data.get("special_tokens"), first, config.get("version"), path)
    tokens: list[bytes | None] = [None] * first
    tokens += _texts(vocab[:count], path)
    stop = special.get(_STOP)
    return TokenTable(tokens, () if stop is None else (stop,), special, str(path))


def _texts(vocab: list[Any], path: object) -> list[bytes]:
    """Return the bytes of the listed tokens, each checked to be intact and in its place."""
    decode, encode = binascii.a2b_base64, binascii.b2a_base64
    try:
        ranks = [entry["rank"] for entry in vocab]
        encoded = [entry["token_bytes"] for entry in vocab]
        texts = [decode(text) for text in encoded]
        # The decoder skips characters that are not base64: only what encodes back is intact.
        intact = [encode(text, newline=False).decode() for text in texts] == encoded
    except (KeyError, TypeError, ValueError):
        intact = False
    if not intact or ranks != list(range(len(vocab))) or not all(texts):
        raise _first_bad_entry(vocab, path)
    if len(set(texts)) != len(texts):
        seen: dict[bytes, int] = {}
        for rank, text in enumerate(texts):
            if text in seen:
                raise bad_file(
                    path,
                    f"vocab[{rank}]",
                    f"{shown(text)} is also the token of rank {seen[text]}",
                    _DAMAGED,
                )
            seen[text] = rank
    return texts


def _first_bad_entry(vocab: list[Any], path: object) -> VocabularyError:
    """Return the error that names the first entry that is not as it should be."""
    for rank, entry in enumerate(vocab):
        where = f"vocab[{rank}]"
        if not isinstance(entry, dict):
            return bad_file(path, where, f"{shown(entry)} is not a token", _DAMAGED)
        if entry.get("rank") != rank:
            return bad_file(
                path, where, f"rank {shown(entry.get('rank'))} instead of {rank}", _DAMAGED
            )
        encoded = entry.get("token_bytes")
        try:
            text = binascii.a2b_base64(str(encoded))
            intact = bool(text) and binascii.b2a_base64(text, newline=False).decode() == encoded
        except ValueError:
            intact = False
        if not intact:
            return bad_file(path, where, f"token_bytes {shown(encoded)} is not base64", _DAMAGED)
    return bad_file(path, "vocab", "its tokens are not consistent", _DAMAGED)


def _special(entries: object, count: int, version: object, path: object) -> dict[str, int]:
    """Return the special tokens by name, fillers included."""
    if entries is None:
        match = re.match(r"v([0-9]{1,4})", version) if isinstance(version, str) else None
        if match is None or int(match[1]) > _LAST_IMPLICIT_VERSION:
            raise bad_file(
                path,
                "special_tokens",
                f"missing, which version {shown(version)} does not allow",
                "pass a complete file",
            )
        names = list(_IMPLICIT_SPECIAL[:count])
    else:
        names = []
        for position, entry in enumerate(entries if isinstance(entries, list) else [entries]):
            name = entry.get("token_str") if isinstance(entry, dict) else None
            if not isinstance(name, str) or entry.get("rank") != position:
                raise bad_file(
                    path,
                    f"special_tokens[{position}]",
                    f"{shown(entry)} lacks its name or has another rank",
                    _DAMAGED,
                )
            names.append(name)
    names += [f"<SPECIAL_{i}>" for i in range(len(names), count)]
    if len(names) != count or len(set(names)) != count:
        raise bad_file(
            path,
            "special_tokens",
            f"{len(names)} names, {len(set(names))} of them different, for {count} ids",
            _DAMAGED,
        )
    return {name: i for i, name in enumerate(names)}


def _number(config: Mapping[str, object], key: str, path: object) -> int:
    value = config.get(key)
    if type(value) is not int or not 0 <= value < MAX_IDS:
        raise bad_file(path, f"config.{key}", f"{shown(value)} is not a number of ids", _DAMAGED)
    return value
