"""tokenizer.json files and Tokenizer objects: ids, added tokens, special tokens, refusals."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from formgate.core.errors import VocabularyError
from formgate.core.vocabulary import read_table
from formgate.core.vocabulary._tokenizer_json import table_from_json

tokenizers = pytest.importorskip("tokenizers")


def added(i, content, *, special=False):
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False}
    return {"id": i, "content": content, "special": special, **flags}


BYTE_LEVEL = {
    "type": "ByteLevel",
    "add_prefix_space": True,
    "trim_offsets": True,
    "use_regex": True,
}


def file_data(vocab, added_tokens=(), decoder="Fuse", **model):
    return {
        "version": "1.0",
        "added_tokens": list(added_tokens),
        "decoder": {"type": decoder} if isinstance(decoder, str) else decoder,
        "model": {"type": "BPE", "vocab": vocab, "merges": []} | model,
    }


def from_library(data):
    return tokenizers.Tokenizer.from_str(json.dumps(data))


def decoded(tokenizer, ids):
    return tokenizer.decode(ids, skip_special_tokens=True)


def test_text_special_tokens_gaps_and_the_end():
    data = file_data(
        {"a": 0, "b": 1, "é": 4},
        [added(1, "b", special=True), added(3, "<x>")],
    )
    table = table_from_json(data, "my.json")
    assert table.tokens == [b"a", None, None, b"<x>", "é".encode()]
    assert table.special == {"b": 1}
    assert table.stop_ids == ()
    assert table.source == "my.json"
    loaded = from_library(data)
    assert read_table(loaded).tokens == table.tokens
    assert read_table(loaded).special == table.special
    assert decoded(loaded, [0, 1, 2, 3, 4]) == "a<x>é"


def test_an_added_token_s_decoder_is_the_decoder():
    """Added tokens go through the byte-level decoder too: mapped if they can be, else raw."""
    data = file_data({"a": 0}, [added(1, "Ġb"), added(2, "Ġ→")], decoder=BYTE_LEVEL)
    table = table_from_json(data, "x")
    assert table.tokens == [b"a", b" b", "Ġ→".encode()]
    assert decoded(from_library(data), [0, 1, 2]) == "a bĠ→"


def test_ids_that_the_library_renumbers_are_refused():
    data = file_data({"a": 0, "b": 1}, [added(7, "<x>")])
    assert from_library(data).token_to_id("<x>") == 2
    with pytest.raises(VocabularyError) as caught:
        table_from_json(data, "my.json")
    message = str(caught.value)
    assert "my.json: added_tokens[0]: '<x>' has id 7 in the file" in message
    assert "loads it as id 2" in message
    data = file_data({"a": 0, "b": 1}, [added(0, "b", special=True)])
    with pytest.raises(VocabularyError, match="loads it as id 1"):
        table_from_json(data, "my.json")


WORDS = ["a", "b", "ab", "<x>", "<y>", "é", "Ġ"]
SPARSE = st.dictionaries(st.integers(0, 9), st.sampled_from(WORDS), min_size=1)
DENSE = st.lists(st.sampled_from(WORDS), min_size=1, unique=True).map(lambda w: dict(enumerate(w)))


def with_library_ids(vocab, contents):
    """Give added tokens the ids a well-made file has."""
    ids = dict(vocab)
    for content, special in contents:
        yield added(ids.setdefault(content, len(ids)), content, special=special)


@settings(max_examples=400, deadline=None)
@given(st.data())
def test_added_tokens_get_the_ids_the_library_gives_them(data):
    """Whatever the file says: the same table as the library's own object, or refused."""
    vocab = {word: i for i, word in data.draw(DENSE | SPARSE).items()}
    contents = st.lists(st.tuples(st.sampled_from([*WORDS, ""]), st.booleans()), max_size=6)
    entries = list(with_library_ids(vocab, data.draw(contents)))
    if entries and data.draw(st.integers(0, 4)) == 0:
        data.draw(st.sampled_from(entries))["id"] = data.draw(st.integers(0, 9))
    made = file_data(vocab, entries, decoder=BYTE_LEVEL)
    loaded = from_library(made)
    expected = read_table(loaded)
    for table in (expected, table_or_none(made)):
        if table is None:
            continue
        assert table.tokens == expected.tokens
        assert table.special == expected.special
        ids = [i for i, text in enumerate(table.tokens) if text is not None]
        sequence = data.draw(st.lists(st.sampled_from(ids), max_size=8)) if ids else []
        text = b"".join(table.tokens[i] for i in sequence)
        assert decoded(loaded, sequence) == text.decode(errors="replace")
        assert decoded(loaded, sorted(table.special.values())) == ""


def table_or_none(data):
    try:
        return table_from_json(data, "x")
    except VocabularyError as error:
        assert "the tokenizers library loads it as id" in str(error)  # noqa: PT017
        return None


def test_unigram_pieces_are_by_position_and_may_repeat():
    model = {"type": "Unigram", "unk_id": 0}
    vocab = [["<unk>", 0.0], ["\u2581a", -1.0], ["b", -2.0], ["b", -3.0]]
    data = file_data(vocab, [added(0, "<unk>", special=True)], decoder="Metaspace")
    data["decoder"] |= {"replacement": "\u2581", "prepend_scheme": "always", "split": True}
    data["model"] = {"vocab": vocab} | model
    table = table_from_json(data, "x")
    assert table.tokens == [None, b" a", b"b", b"b"]
    loaded = from_library(data)
    assert read_table(loaded).tokens == table.tokens
    assert decoded(loaded, [2, 1, 3, 0]) == "b ab"


def test_trained_tokenizers_agree_as_object_and_as_file(
    byte_level_tokenizer, byte_fallback_tokenizer
):
    for tokenizer in (byte_level_tokenizer, byte_fallback_tokenizer):
        table = read_table(tokenizer)
        same = table_from_json(json.loads(tokenizer.to_str()), "x")
        assert same.tokens == table.tokens
        assert same.special == table.special


def test_duplicate_bytes_and_partial_characters(byte_fallback_tokenizer, byte_level_tokenizer):
    table = read_table(byte_fallback_tokenizer)
    assert table.tokens.count(b"a") == 2  # the byte token and the piece
    assert b"    " in table.tokens  # an added token of four marks
    assert b"<table>" in table.tokens
    assert set(table.special) == {"<unk>", "<s>", "</s>"}
    partial = read_table(byte_level_tokenizer)
    assert {bytes([byte]) for byte in range(256)} <= set(partial.tokens)
    assert set(partial.special) == {"<|end|>", "<|pad|>", "<|late|>"}
    assert "Ġ→raw".encode() in partial.tokens


def test_wordpiece_is_refused():
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordPiece())
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    tokenizer.decoder = tokenizers.decoders.WordPiece()
    trainer = tokenizers.trainers.WordPieceTrainer(
        vocab_size=60, special_tokens=["[UNK]"], show_progress=False
    )
    tokenizer.train_from_iterator(["playing played player plays"], trainer)
    with pytest.raises(VocabularyError, match=r"decoder step WordPiece: it puts a space"):
        read_table(tokenizer)
    with pytest.raises(VocabularyError, match="decoder step WordPiece"):
        table_from_json(json.loads(tokenizer.to_str()), "x")
    tokenizer.decoder = None
    with pytest.raises(VocabularyError, match="joined with spaces"):
        read_table(tokenizer)


def test_a_decoder_in_python_is_refused(byte_level_tokenizer):
    class Decoder:
        def decode(self, tokens):
            return "".join(tokens)

    copy = tokenizers.Tokenizer.from_str(byte_level_tokenizer.to_str())
    copy.decoder = tokenizers.decoders.Decoder.custom(Decoder())
    with pytest.raises(VocabularyError, match="decoder is written in Python"):
        read_table(copy)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({}, "my.json: model: missing"),
        ({"model": {"vocab": 3}}, "model.vocab: missing"),
        (file_data({"a": "x"}), r"model.vocab\['a'\]: 'x' is not an id"),
        (file_data({"a": -1}), "-1 is not an id"),
        (file_data({"a": True}), "True is not an id"),
        (file_data({"a": 10**12}), "1000000000000 is not an id"),
        (file_data({"a": 0, "b": 0}), "id 0 is both 'a' and 'b'"),
        (file_data({}), "there are no tokens"),
        (file_data([["a"], [3]]), r"model.vocab\[1\]: \[3\] is not a piece"),
        (file_data({"\ud800": 0}), "not Unicode text"),
        (file_data({"a": 0}, ["x"]), r"added_tokens\[0\]: 'x' is not a token"),
        (file_data({"a": 0}, [{"id": 1}]), "lacks content, id or special"),
        (file_data({"a": 0}) | {"added_tokens": "x"}, "added_tokens: 'x' is not a list"),
        (file_data({"a": 0}, decoder=None), "no decoder: tokens are joined with spaces"),
    ],
)
def test_damaged_files(data, message):
    with pytest.raises(VocabularyError, match=message):
        table_from_json(data, "my.json")


def test_many_added_tokens_are_no_quadratic_work():
    count = 20_000
    entries = [added(i + 1, f"<{i}>") for i in range(count)]
    table = table_from_json(file_data({"a": 0}, entries), "x")
    assert len(table.tokens) == count + 1
