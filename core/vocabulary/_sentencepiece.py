"""SentencePiece: model files and ``SentencePieceProcessor`` objects.

A model is a Protocol Buffers message; only its pieces and four settings matter, so it is read here
in one pass and needs no package. Each piece has a type: byte pieces are one byte; control and
unknown pieces are special; all others are their own text with U+2581 read as a space. That is what
the library's decoder does, except that it drops the space it had put before the whole text: a piece
``▁Hello`` is `` Hello`` here, as in the middle of a text. Pieces marked unused are text
too, because the decoder emits them.

Refused: a denormaliser (it rewrites the decoded text) and spaces as suffixes (the last one of a
text would be dropped). Cost: 32,000 pieces take about 25 ms.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from formgate.core.errors import VocabularyError
from formgate.core.vocabulary._table import TokenTable, bad_file, is_a, place, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["looks_like_sentencepiece", "read_processor", "table_from_sentencepiece"]

_DAMAGED = "the file is cut short or damaged, download it again"
_NORMAL, _UNKNOWN, _CONTROL, _BYTE = 1, 2, 3, 6
_TYPES = range(1, 7)
_SPACE = "\u2581".encode()
_BYTE_PIECE = re.compile(rb"<0x([0-9A-F]{2})>")

# Field numbers of ModelProto, its pieces, TrainerSpec and NormalizerSpec.
_PIECES, _TRAINER, _NORMALIZER, _DENORMALIZER = 1, 2, 3, 5
_PIECE_TEXT, _PIECE_TYPE = 1, 3
_SUFFIX_SPACES, _EOS_PIECE = 24, 47
_CHARACTER_MAP = 2


class _Field(NamedTuple):
    """One field of a message: its number, a scalar value or a byte range."""

    number: int
    value: int
    start: int
    end: int


def read_processor(obj: Any) -> TokenTable | None:
    """Return the table of a ``SentencePieceProcessor``; None for any other object.

    Raises:
        VocabularyError: It has no model loaded, or as ``table_from_sentencepiece``.
    """
    if not is_a(obj, "sentencepiece", "SentencePieceProcessor"):
        return None
    source = "sentencepiece.SentencePieceProcessor"
    model = obj.serialized_model_proto()
    if not model:
        raise VocabularyError(f"{source} has no model loaded; load one first")
    return table_from_sentencepiece(model, source)


def looks_like_sentencepiece(data: bytes) -> bool:
    """Tell whether a file begins with a piece: field 1 that holds a field 1."""
    return data[:1] == b"\x0a" and b"\x0a" in data[2:4]


def table_from_sentencepiece(data: bytes, path: object) -> TokenTable:
    """Return the table of a serialised model; the stop id is its end-of-sentence piece.

    Raises:
        VocabularyError: The model is damaged, or its decoder changes text by context.
    """
    types: list[int] = []
    texts: list[bytes] = []
    seen: set[int] = set()
    stop_piece = b"</s>"
    for field in _fields(data, 0, len(data), path):
        seen.add(field.number)
        if field.number == _PIECES:
            text, kind = _piece(data, field, path)
            texts.append(text)
            types.append(kind)
        elif field.number == _TRAINER:
            stop_piece = _trainer_stop(data, field, path) or stop_piece
        elif field.number == _DENORMALIZER:
            _check_denormalizer(data, field, path)
    if not {_PIECES, _TRAINER, _NORMALIZER} <= seen:
        raise bad_file(path, f"byte {len(data)}", "the model ends before its settings", _DAMAGED)
    return _table(texts, types, stop_piece, path)


def _trainer_stop(data: bytes, field: _Field, path: object) -> bytes | None:
    """Return the end-of-sentence piece the training settings name, if they do."""
    stop_piece = None
    for option in _fields(data, field.start, field.end, path):
        if option.number == _EOS_PIECE:
            stop_piece = data[option.start : option.end]
        elif option.number == _SUFFIX_SPACES and option.value:
            raise _refused(path, "it writes spaces as suffixes and drops the last one")
    return stop_piece


def _check_denormalizer(data: bytes, field: _Field, path: object) -> None:
    for option in _fields(data, field.start, field.end, path):
        if option.number == _CHARACTER_MAP and option.end > option.start:
            raise _refused(path, "its denormaliser rewrites the decoded text")


def _table(texts: list[bytes], types: list[int], stop_piece: bytes, path: object) -> TokenTable:
    entries: dict[int, bytes | None] = {}
    special: dict[str, int] = {}
    stops: tuple[int, ...] = ()
    for i, (text, kind) in enumerate(zip(texts, types, strict=True)):
        if kind in (_UNKNOWN, _CONTROL):
            entries[i] = None
            special[text.decode()] = i
            if kind == _CONTROL and text == stop_piece:
                stops = (i,)
        elif kind == _BYTE:
            match = _BYTE_PIECE.fullmatch(text)
            if match is None:
                raise bad_file(path, f"piece {i}", f"{shown(text)} is not a byte piece", _DAMAGED)
            entries[i] = bytes([int(match[1], 16)])
        else:
            entries[i] = text.replace(_SPACE, b" ")
    if len(set(texts)) != len(texts):
        [(twice, _)] = Counter(texts).most_common(1)
        raise bad_file(path, "pieces", f"{shown(twice)} occurs twice", _DAMAGED)
    return TokenTable(place(entries, str(path)), stops, special, str(path))


def _piece(data: bytes, field: _Field, path: object) -> tuple[bytes, int]:
    """Return a piece's text and type."""
    start, end = field.start, field.end
    text, kind = b"", _NORMAL
    # The layout every trainer writes: text of under 128 bytes, score, and a type if not normal.
    split = start + 2 + data[start + 1] if end - start > 1 else end
    if (
        data[start : start + 1] == b"\x0a"
        and data[start + 1] < 0x80
        and (split + 5 == end or (split + 7 == end and data[split + 5] == 0x18))
        and data[split] == 0x15
    ):
        text = data[start + 2 : split]
        kind = data[split + 6] if split + 7 == end else _NORMAL
    else:
        for part in _fields(data, start, end, path):
            if part.number == _PIECE_TEXT:
                text = data[part.start : part.end]
            elif part.number == _PIECE_TYPE:
                kind = part.value
    try:
        text.decode()
    except UnicodeDecodeError as error:
        raise bad_file(
            path, f"byte {start}", f"piece {shown(text)} is not UTF-8", _DAMAGED
        ) from error
    if not text or kind not in _TYPES:
        raise bad_file(
            path, f"byte {start}", f"piece {shown(text)} of type {kind} is not valid", _DAMAGED
        )
    return text, kind


def _fields(data: bytes, start: int, end: int, path: object) -> Iterator[_Field]:
    """Yield the fields of the message in ``data[start:end]``."""
    while start < end:
        at = start
        tag, start = _varint(data, start, end, path)
        number, wire = tag >> 3, tag & 7
        value, low, high = 0, start, start
        if wire == 0:
            value, start = _varint(data, start, end, path)
        elif wire == 1:
            start += 8
        elif wire == 5:
            start += 4
        elif wire == 2:
            length, low = _varint(data, start, end, path)
            start = high = low + length
        if wire not in (0, 1, 2, 5) or start > end or number == 0:
            raise bad_file(path, f"byte {at}", "not a field of a SentencePiece model", _DAMAGED)
        yield _Field(number, value, low, high)


def _varint(data: bytes, start: int, end: int, path: object) -> tuple[int, int]:
    """Return the variable-length integer at ``start`` and the position after it."""
    value = shift = 0
    at = start
    while at < end and shift < 64:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
    raise bad_file(path, f"byte {start}", "a number is cut short", _DAMAGED)


def _refused(path: object, reason: str) -> VocabularyError:
    return VocabularyError(
        f"{path}: the bytes of its tokens cannot be known exactly: {reason}; pass the exact bytes "
        "yourself: Vocabulary(tokens, stop_ids=...)"
    )
