"""GGUF files: the vocabulary as llama.cpp reads it.

Each token has a text and a type. By type: control and unknown tokens are special; unused ones have
no text; byte tokens are one byte; user-defined ones are their text as it stands; normal ones are
written in the byte-level alphabet (``gpt2`` vocabularies) or with U+2581 for a space (``llama``).

Files name one end token, but llama.cpp ends at several: it finds them by well-known texts, and so
does this reader, so that a mask allows every token the runtime would stop at, and none of them
earlier. A token found that way is control whatever the file says.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from formgate.core.errors import VocabularyError
from formgate.core.vocabulary._byte_level import byte_level
from formgate.core.vocabulary._gguf_metadata import read_metadata
from formgate.core.vocabulary._table import MAX_IDS, TokenTable, bad_file, shown

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

__all__ = ["table_from_gguf"]

_PREFIX = "tokenizer.ggml."
_NORMAL, _UNKNOWN, _CONTROL, _USER_DEFINED, _UNUSED, _BYTE = 1, 2, 3, 4, 5, 6
_AGAIN = "the file is damaged or badly converted, convert it again"
_SPACE = "\u2581".encode()
_BYTE_TOKEN = re.compile(rb"<0x([0-9A-Fa-f]{2})>")

# Vocabularies of kind gpt2 whose normal tokens mark spaces as SentencePiece does.
_SPACE_MARKING_PRE = (b"gemma4", b"granite-embed-multi-311m", b"sarvam-moe")

# Texts at which llama.cpp ends a generation; its list grows with new model families.
_END_TEXTS = (
    "<|eot_id|>",
    "<|im_end|>",
    "<|end|>",
    "<|return|>",
    "<|call|>",
    "<|flush|>",
    "<|calls|>",
    "<end_of_turn>",
    "<|endoftext|>",
    "</s>",
    "<|eom_id|>",
    "<EOT>",
    "_<EOT>",
    "[EOT]",
    "[EOS]",
    "<|end_of_text|>",
    "<end_of_utterance>",
    "<eos>",
    "<turn|>",
    "<|tool_response>",
    "<\uff5cend\u2581of\u2581sentence\uff5c>",
)
# Fill-in-the-middle tokens that end a generation, by role: the file's key, else these texts.
_END_ROLES = {
    "fim_pad_token_id": ("<|fim_pad|>", "<fim-pad>", "<fim_pad>", "<PAD>", "[PAD]"),
    "fim_rep_token_id": ("<|fim_repo|>", "<|repo_name|>", "<fim-repo>", "<REPO>", "<reponame>"),
    "fim_sep_token_id": ("<|file_sep|>",),
}
# Fill-in-the-middle tokens that are control tokens, but end nothing.
_CONTROL_ROLES = {
    "fim_pre_token_id": (
        "<|fim_prefix|>",
        "<fim-prefix>",
        "<fim_prefix>",
        "<\uff5cfim\u2581begin\uff5c>",
        "<PRE>",
        "\u2581<PRE>",
        "<|code_prefix|>",
        "<|prefix|>",
    ),
    "fim_suf_token_id": (
        "<|fim_suffix|>",
        "<fim-suffix>",
        "<fim_suffix>",
        "<\uff5cfim\u2581hole\uff5c>",
        "<SUF>",
        "\u2581<SUF>",
        "<|code_suffix|>",
        "<|suffix|>",
    ),
    "fim_mid_token_id": (
        "<|fim_middle|>",
        "<fim-middle>",
        "<fim_middle>",
        "<\uff5cfim\u2581end\uff5c>",
        "<MID>",
        "\u2581<MID>",
        "<|code_middle|>",
        "<|middle|>",
    ),
}
_END_KEYS = ("eos_token_id", "eot_token_id", "eom_token_id")


def table_from_gguf(path: Path) -> TokenTable:
    """Return the table of a GGUF file; its size is the model's, padding included.

    Raises:
        VocabularyError: The file is damaged, has no vocabulary, or one of another kind.
    """
    pairs = {name[len(_PREFIX) :]: value for name, value in read_metadata(path, _PREFIX).items()}
    kind = pairs.get("model")
    if kind not in (b"gpt2", b"llama", b"gemma4"):
        known = "gpt2 (byte-level), llama (SentencePiece) and gemma4 are"
        raise bad_file(
            path,
            _PREFIX + "model",
            "missing" if kind is None else f"vocabularies of kind {_name(kind)} are not known",
            f"{known}; pass the exact bytes yourself: Vocabulary(tokens, stop_ids=...)",
        )
    texts = _texts(pairs, path)
    types = _types(pairs, len(texts), path)
    ids = {text: i for i, text in enumerate(texts)}
    stops = _end_of_generation(pairs, ids, path)
    for i in stops | _control_by_text(pairs, ids):
        types[i] = _CONTROL
    marks_spaces = kind != b"gpt2" or pairs.get("pre") in _SPACE_MARKING_PRE
    tokens = [
        _bytes_of(i, text, token_type, marks_spaces=marks_spaces, path=path)
        for i, (text, token_type) in enumerate(zip(texts, types, strict=True))
    ]
    special = {
        text.decode(errors="replace"): i
        for i, (text, token_type) in enumerate(zip(texts, types, strict=True))
        if token_type in (_CONTROL, _UNKNOWN)
    }
    return TokenTable(tokens, tuple(sorted(stops)), special, str(path))


def _texts(pairs: dict[str, Any], path: Path) -> list[bytes]:
    texts = pairs.get("tokens")
    if not isinstance(texts, list) or not texts or not isinstance(texts[0], bytes):
        raise bad_file(path, _PREFIX + "tokens", "missing or not a list of strings", _AGAIN)
    if len(texts) > MAX_IDS:
        raise bad_file(path, _PREFIX + "tokens", f"{len(texts)} tokens are too many", _AGAIN)
    return texts


def _types(pairs: dict[str, Any], count: int, path: Path) -> list[int]:
    types = pairs.get("token_type")
    if types is None:
        # llama.cpp would take every token for normal text, control tokens and byte tokens too.
        raise bad_file(
            path, _PREFIX + "token_type", "missing, so special tokens cannot be told", _AGAIN
        )
    if not isinstance(types, list) or len(types) != count or type(types[0]) is not int:
        raise bad_file(
            path, _PREFIX + "token_type", f"not one number for each of {count} tokens", _AGAIN
        )
    return types


def _end_of_generation(pairs: dict[str, Any], ids: dict[bytes, int], path: Path) -> set[int]:
    """Return every id at which llama.cpp ends a generation."""
    stops: set[int] = set()
    for key in (*_END_KEYS, *_END_ROLES):
        i = pairs.get(key)
        if i is None:
            continue
        if type(i) is not int or not 0 <= i < len(pairs["tokens"]):
            raise bad_file(path, _PREFIX + key, f"{shown(i)} is not the id of a token", _AGAIN)
        stops.add(i)
    stops |= {ids[text.encode()] for text in _END_TEXTS if text.encode() in ids}
    stops |= _by_role(pairs, ids, _END_ROLES)
    # Where an answer has several parts, the end of a part is not the end.
    present = {text for text in _END_TEXTS if ids.get(text.encode()) in stops}
    call = bool(present & {"<|call|>", "<|calls|>"})
    if call and present & {"<|return|>", "<|flush|>"} and "<|end|>" in present:
        stops.discard(ids[b"<|end|>"])
    if {"<|tool_response>", "</s>"} <= present:
        stops.discard(ids[b"</s>"])
    return stops


def _control_by_text(pairs: dict[str, Any], ids: dict[bytes, int]) -> set[int]:
    return _by_role(pairs, ids, _CONTROL_ROLES)


def _by_role(
    pairs: dict[str, Any], ids: dict[bytes, int], roles: Mapping[str, tuple[str, ...]]
) -> set[int]:
    """Return, for each role the file has no key for, the first token with one of its texts."""
    found: set[int] = set()
    for key, texts in roles.items():
        if key not in pairs:
            named = [ids[text.encode()] for text in texts if text.encode() in ids]
            found |= {min(named)} if named else set()
    return found


def _bytes_of(
    i: int, text: bytes, token_type: int, *, marks_spaces: bool, path: Path
) -> bytes | None:
    """Return the bytes that llama.cpp emits for a token, or None if it emits none."""
    if token_type == _USER_DEFINED:
        return text or None
    if token_type == _BYTE:
        match = _BYTE_TOKEN.fullmatch(text)
        if match is None:
            raise bad_file(path, f"token {i}", f"{shown(text)} is not a byte token", _AGAIN)
        return bytes([int(match[1], 16)])
    if token_type != _NORMAL:  # control, unknown, unused, undefined
        return None
    if marks_spaces:
        return text.replace(_SPACE, b" ") or None
    try:
        mapped = byte_level(text.decode())
    except UnicodeDecodeError:
        mapped = None
    if mapped is None:
        # llama.cpp prints a placeholder and other runtimes the raw text: nobody's exact bytes.
        raise VocabularyError(
            f"{path}: token {i}: {shown(text)} has characters outside the byte-level alphabet, "
            f"so its bytes are not known; {_AGAIN} (added tokens must be user-defined or control)"
        )
    return mapped or None


def _name(kind: object) -> str:
    return repr(kind.decode(errors="replace")) if isinstance(kind, bytes) else shown(kind)
