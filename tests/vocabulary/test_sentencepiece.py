"""SentencePiece models: pieces, types, and what is refused."""

from __future__ import annotations

import struct

import pytest

from formgate.core.errors import VocabularyError
from formgate.core.vocabulary import read_table
from formgate.core.vocabulary._sentencepiece import (
    looks_like_sentencepiece,
    table_from_sentencepiece,
)

sentencepiece = pytest.importorskip("sentencepiece")


def field(number, body):
    """Encode a field that holds bytes."""
    return varint(number << 3 | 2) + varint(len(body)) + body


def varint(value):
    out = b""
    while value >= 0x80:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def piece(text, kind=None, *, score_first=False):
    score = b"\x15" + struct.pack("<f", -1.0)
    body = score + field(1, text) if score_first else field(1, text) + score
    return field(1, body + (b"" if kind is None else b"\x18" + bytes([kind])))


SETTINGS = field(2, b"") + field(3, b"")


def test_piece_types(sentencepiece_model):
    assert looks_like_sentencepiece(sentencepiece_model)
    table = table_from_sentencepiece(sentencepiece_model, "my.model")
    processor = sentencepiece.SentencePieceProcessor(model_proto=sentencepiece_model)
    assert read_table(processor).tokens == table.tokens
    ids = {processor.id_to_piece(i): i for i in range(processor.get_piece_size())}
    assert table.special == {"<unk>": 0, "<s>": 1, "</s>": 2, "[INST]": ids["[INST]"]}
    assert table.stop_ids == (2,)
    assert table.tokens[ids["<table>"]] == b"<table>"
    assert table.tokens[ids["\u2581\u2581"]] == b"  "
    assert table.tokens[ids["<0xC3>"]] == b"\xc3"
    assert table.tokens.count(b"a") == 2


def test_every_layout_of_a_piece_is_read():
    long = b"x" * 200
    pieces = piece(b"<unk>", 2) + piece(long) + piece(b"a", score_first=True) + piece(b"b", 5)
    extra = field(1, field(1, b"c") + b"\x18\x01" + field(200, b"unknown"))
    table = table_from_sentencepiece(pieces + extra + SETTINGS, "x")
    assert table.tokens == [None, long, b"a", b"b", b"c"]
    assert table.stop_ids == ()


def test_another_end_piece():
    pieces = piece(b"<unk>", 2) + piece(b"</s>", 3) + piece(b"<end>", 3)
    settings = field(2, field(47, b"<end>")) + field(3, b"")
    assert table_from_sentencepiece(pieces + settings, "x").stop_ids == (2,)


def test_spaces_as_suffixes_are_refused(train_sentencepiece):
    model = train_sentencepiece(treat_whitespace_as_suffix=True, user_defined_symbols=[])
    with pytest.raises(VocabularyError, match="writes spaces as suffixes"):
        table_from_sentencepiece(model, "my.model")


def test_a_denormaliser_is_refused(train_sentencepiece, tmp_path):
    rules = tmp_path / "rules.tsv"
    rules.write_text("41\t42\n")  # A becomes B
    model = train_sentencepiece(denormalization_rule_tsv=str(rules))
    with pytest.raises(VocabularyError, match="denormaliser rewrites the decoded text"):
        table_from_sentencepiece(model, "my.model")


def test_a_processor_without_a_model():
    with pytest.raises(VocabularyError, match="has no model loaded"):
        read_table(sentencepiece.SentencePieceProcessor())


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (piece(b"a"), "the model ends before its settings"),
        (SETTINGS, "the model ends before its settings"),
        (piece(b"\xff") + SETTINGS, "is not UTF-8"),
        (piece(b"") + SETTINGS, "is not valid"),
        (piece(b"a", 9) + SETTINGS, "of type 9 is not valid"),
        (piece(b"0x41", 6) + SETTINGS, "is not a byte piece"),
        (piece(b"a") + piece(b"a") + SETTINGS, "b'a' occurs twice"),
        (b"\x0a\xff", "a number is cut short"),
        (b"\x0a\x7f\x0a", "not a field"),
        (b"\xff" * 20, "a number is cut short"),
        (b"\x03", "not a field"),
        (b"\x02\x00", "not a field"),
    ],
)
def test_damaged_models(data, message):
    with pytest.raises(VocabularyError, match=message) as caught:
        table_from_sentencepiece(data, "my.model")
    assert str(caught.value).startswith("my.model: ")
