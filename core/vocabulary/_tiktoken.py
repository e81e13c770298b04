"""tiktoken: ``Encoding`` objects and ``.tiktoken`` files.

A file has one token a line, base64 and rank; the rank is the id. It names no special tokens, so
their ids are gaps here, and stop ids must be passed. An ``Encoding`` knows its special tokens and
its end-of-text id. Ranks may leave gaps. Cost: 150,000 tokens take about 0.1 s.
"""

from __future__ import annotations

import binascii
import re
from typing import TYPE_CHECKING, Any

from formgate.core.vocabulary._table import MAX_IDS, TokenTable, bad_file, is_a, place, shown

if TYPE_CHECKING:
    from formgate.core.errors import VocabularyError

__all__ = ["looks_like_tiktoken", "read_encoding", "table_from_tiktoken"]

_DAMAGED = "the file is cut short or damaged, download it again"
_FIRST_LINE = re.compile(rb"[A-Za-z0-9+/]+={0,2} [0-9]+\r?(\n|\Z)")


def read_encoding(obj: Any) -> TokenTable | None:
    """Return the table of a ``tiktoken.Encoding``; None for any other object.

    The stop id is the encoding's end-of-text token, where it has one.
    """
    if not is_a(obj, "tiktoken", "Encoding"):
        return None
    special = {name: obj.encode_single_token(name) for name in sorted(obj.special_tokens_set)}
    special = dict(sorted(special.items(), key=lambda item: item[1]))
    silent = set(special.values())
    bytes_of = obj.decode_single_token_bytes
    entries: dict[int, bytes | None] = dict.fromkeys(silent)
    for i in range(obj.n_vocab):
        if i not in silent:
            try:
                entries[i] = bytes_of(i)
            except KeyError:  # a gap
                continue
    source = f"tiktoken encoding {obj.name!r}"
    stop = special.get("<|endoftext|>")
    return TokenTable(place(entries, source), () if stop is None else (stop,), special, source)


def looks_like_tiktoken(data: bytes) -> bool:
    """Tell whether a file begins with a line of base64, a space and a rank."""
    return _FIRST_LINE.match(data) is not None


def table_from_tiktoken(data: bytes, path: object) -> TokenTable:
    """Return the table of a ``.tiktoken`` file, without special tokens and stop ids.

    Raises:
        VocabularyError: A line is not canonical base64 and a rank, or a token or a rank occurs
            twice.
    """
    lines = data.splitlines()
    entries: dict[int, bytes | None] = {}
    decode, encode = binascii.a2b_base64, binascii.b2a_base64
    for number, line in enumerate(lines):
        if not line.strip():
            continue
        try:
            encoded, digits = line.split()
            rank = int(digits) if digits.isdigit() else -1
            token = decode(encoded)
        except ValueError:  # also binascii.Error
            raise _bad_line(path, number, line) from None
        # The decoder skips characters that are not base64: only what encodes back is intact.
        if not 0 <= rank < MAX_IDS or encode(token, newline=False) != encoded:
            raise _bad_line(path, number, line)
        if rank in entries:
            raise bad_file(path, f"line {number + 1}", f"rank {rank} occurs twice", _DAMAGED)
        entries[rank] = token
    if len(set(entries.values())) != len(entries):
        seen: dict[bytes | None, int] = {}
        for rank, text in entries.items():
            if text in seen:
                raise bad_file(
                    path,
                    f"rank {rank}",
                    f"token {shown(text)} has rank {seen[text]} already",
                    _DAMAGED,
                )
            seen[text] = rank
    return TokenTable(place(entries, str(path)), (), {}, str(path))


def _bad_line(path: object, number: int, line: bytes) -> VocabularyError:
    return bad_file(
        path, f"line {number + 1}", f"{shown(line)} is not a base64 token and a rank", _DAMAGED
    )
