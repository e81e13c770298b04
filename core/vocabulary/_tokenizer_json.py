"""The ``tokenizers`` library: ``tokenizer.json`` files and ``Tokenizer`` objects.

Id to string comes from the model's vocabulary and the added tokens, which win; string to bytes from
the decoder (see ``_decoder``), for added tokens too, since that is what the library does. Added
tokens marked special never match text; other added tokens are text.

The library renumbers added tokens while loading a file, in silence where they leave a gap. Such a
file says one id and decodes another, so it is refused. Cost: 128,000 tokens take some 0.25 s from
a file, most of it JSON.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from formgate.core.errors import VocabularyError
from formgate.core.vocabulary._decoder import compile_decoder
from formgate.core.vocabulary._table import (
    MAX_IDS,
    TokenTable,
    bad_file,
    is_a,
    place,
    shown,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["read_tokenizer", "table_from_json"]

_DAMAGED = "the file is damaged, download it again"


def read_tokenizer(obj: Any) -> TokenTable | None:
    """Return the table of a ``tokenizers.Tokenizer``; None for any other object.

    Raises:
        VocabularyError: Its decoder does not give tokens bytes of their own.
    """
    if not is_a(obj, "tokenizers", "Tokenizer"):
        return None
    source = "tokenizers.Tokenizer"
    if obj.decoder is None:
        decoder: object = None
    else:
        try:
            decoder = json.loads(obj.decoder.__getstate__())
        except Exception as error:  # the library raises a bare Exception here
            raise VocabularyError(
                f"{source}: its decoder is written in Python, so the bytes of its tokens cannot be "
                "known exactly; pass them yourself: Vocabulary(tokens, stop_ids=...)"
            ) from error
    if type(obj.model).__name__ == "Unigram":
        # Its pieces are a list, which may hold one string twice: get_vocab() would drop one.
        pieces = _pieces(json.loads(obj.to_str())["model"], source)
    else:
        pieces = _by_id(obj.get_vocab(with_added_tokens=False), source)
    tokens = obj.get_added_tokens_decoder()
    added = {i: token.content for i, token in tokens.items()}
    # A token added twice, special first, is no longer marked but still skipped: ask the decoder.
    special = {
        token.content
        for i, token in tokens.items()
        if token.special or obj.decode([i]) != obj.decode([i], skip_special_tokens=False)
    }
    return _build(pieces, added, special, decoder, source)


def table_from_json(data: Mapping[str, object], path: object) -> TokenTable:
    """Return the table of a parsed ``tokenizer.json``, without stop ids (the file names none).

    Raises:
        VocabularyError: An entry is missing or has the wrong type, ids clash, or the decoder does
            not give tokens bytes of their own.
    """
    model = data.get("model")
    if not isinstance(model, dict):
        raise bad_file(path, "model", "missing", "pass a tokenizer.json of the tokenizers library")
    pieces = _pieces(model, path)
    added, special = _added_tokens(data.get("added_tokens") or [], pieces, path)
    return _build(pieces, added, special, data.get("decoder"), str(path))


def _build(
    pieces: dict[int, str],
    added: dict[int, str],
    special: set[str],
    decoder: object,
    source: str,
) -> TokenTable:
    """Decode every string. The library tells special tokens by their string, and so does this."""
    decode = compile_decoder(decoder, source)
    strings = pieces | added
    entries: dict[int, bytes | None] = {}
    try:
        for i, string in strings.items():
            entries[i] = None if string in special else decode(string)
    except UnicodeEncodeError as error:
        raise VocabularyError(
            f"{source}: token {i} is {shown(string)}, which is not Unicode text; {_DAMAGED}"
        ) from error
    names = {string: i for i, string in sorted(strings.items()) if string in special}
    return TokenTable(place(entries, source), (), names, source)


def _pieces(model: Mapping[str, object], path: object) -> dict[int, str]:
    """Return id to string of a model's own vocabulary."""
    vocab = model.get("vocab")
    if isinstance(vocab, dict):
        return _by_id(vocab, path)
    if isinstance(vocab, list):  # Unigram: pieces with scores, ids are positions
        strings: dict[int, str] = {}
        for i, entry in enumerate(vocab):
            if not isinstance(entry, list) or not entry or not isinstance(entry[0], str):
                raise bad_file(
                    path, f"model.vocab[{i}]", f"{shown(entry)} is not a piece and score", _DAMAGED
                )
            strings[i] = entry[0]
        return strings
    raise bad_file(
        path, "model.vocab", "missing", "pass a tokenizer.json of the tokenizers library"
    )


def _by_id(vocab: Mapping[str, object], path: object) -> dict[int, str]:
    """Return a vocabulary turned around, checked: ids are integers in range, none used twice."""
    strings: dict[int, str] = {}
    for string, i in vocab.items():
        if type(i) is not int or not 0 <= i < MAX_IDS:
            raise bad_file(path, f"model.vocab[{shown(string)}]", f"{i!r} is not an id", _DAMAGED)
        strings[i] = string
    if len(strings) != len(vocab):
        first: dict[object, str] = {}
        for string, i in vocab.items():
            if i in first:
                raise bad_file(
                    path,
                    "model.vocab",
                    f"id {i} is both {shown(first[i])} and {shown(string)}",
                    "give each id one string",
                )
            first[i] = string
    return strings


def _added_tokens(
    entries: object, pieces: Mapping[int, str], path: object
) -> tuple[dict[int, str], set[str]]:
    """Return the added tokens by id and the strings of the special ones, as the library loads them.

    The library gives an added token the id of its string, if the vocabulary has it, and the next
    free number otherwise, whatever the file says. What is free differs between its versions: the
    vocabulary's size and up, counting new tokens only, or one more than any added token's id.
    """
    if not isinstance(entries, list):
        raise bad_file(path, "added_tokens", f"{shown(entries)} is not a list", _DAMAGED)
    known = {string: i for i, string in sorted(pieces.items())}
    by_count, highest = len(pieces), -1
    added: dict[int, str] = {}
    special: set[str] = set()
    for position, entry in enumerate(entries):
        where = f"added_tokens[{position}]"
        if not isinstance(entry, dict):
            raise bad_file(path, where, f"{shown(entry)} is not a token", _DAMAGED)
        string, i, flag = entry.get("content"), entry.get("id"), entry.get("special", False)
        if not isinstance(string, str) or type(i) is not int or not isinstance(flag, bool):
            raise bad_file(path, where, f"{shown(entry)} lacks content, id or special", _DAMAGED)
        if not string:
            continue  # the library skips it too
        if flag:
            special.add(string)
        loaded = {known[string]} if string in known else {by_count, max(by_count, highest + 1)}
        if loaded != {i}:
            numbers = " or ".join(map(str, sorted(loaded)))
            raise bad_file(
                path,
                where,
                f"{shown(string)} has id {i} in the file, but the tokenizers library loads it as "
                f"id {numbers}",
                "load it with tokenizers.Tokenizer.from_file and, if its numbers are the model's, "
                "pass that object to from_tokenizer",
            )
        by_count += string not in known
        highest = max(highest, i)
        known[string] = i
        added[i] = string
    return added, special
