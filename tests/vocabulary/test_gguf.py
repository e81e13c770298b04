"""GGUF files: metadata of both byte orders, token types, and every end-of-generation id."""

from __future__ import annotations

import pytest

from formgate.core.errors import VocabularyError
from formgate.core.vocabulary._gguf import table_from_gguf
from formgate.core.vocabulary._gguf_metadata import read_metadata
from formgate.core.vocabulary._sentencepiece import table_from_sentencepiece

NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = 1, 2, 3, 4, 5, 6


@pytest.fixture
def write(tmp_path, gguf_bytes):
    """Write a file with a vocabulary of (text, type) pairs."""

    def make(vocabulary, *, model="gpt2", order="<", version=3, **keys):
        pairs = {
            "general.architecture": "llama",
            "general.quantization_version": 2,
            "tokenizer.ggml.model": model,
            "tokenizer.ggml.tokens": [text for text, _ in vocabulary],
            "tokenizer.ggml.token_type": [kind for _, kind in vocabulary],
            "tokenizer.ggml.merges": ["a b", "c d"],
            **{f"tokenizer.ggml.{key}": value for key, value in keys.items()},
        }
        path = tmp_path / "model.gguf"
        path.write_bytes(gguf_bytes(pairs, order=order, version=version))
        return path

    return make


BYTE_LEVEL = [
    ("<|endoftext|>", CONTROL),
    ("Ġa", NORMAL),
    ("Ã", NORMAL),
    ("<tool call>", USER_DEFINED),
    ("Ġ▁", USER_DEFINED),
    ("[PAD5]", UNUSED),
    ("<unk>", UNKNOWN),
    ("<0x41>", BYTE),
    ("Ġa", NORMAL),
    ("", NORMAL),
]


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("version", [2, 3])
def test_byte_level_tokens_by_type(write, order, version):
    table = table_from_gguf(write(BYTE_LEVEL, order=order, version=version, eos_token_id=0))
    assert table.tokens == [
        None,
        b" a",
        b"\xc3",
        b"<tool call>",
        "Ġ▁".encode(),
        None,
        None,
        b"A",
        b" a",
        None,
    ]
    assert table.special == {"<|endoftext|>": 0, "<unk>": 6}
    assert table.stop_ids == (0,)


@pytest.mark.parametrize(
    ("model", "keys"), [("llama", {}), ("gemma4", {}), ("gpt2", {"pre": "gemma4"})]
)
def test_space_marking_tokens(write, model, keys):
    vocabulary = [("</s>", CONTROL), ("▁a▁", NORMAL), ("Ġ", NORMAL), ("<0x0A>", BYTE), ("▁", 4)]
    table = table_from_gguf(write(vocabulary, model=model, **keys))
    assert table.tokens == [None, b" a ", "Ġ".encode(), b"\n", "▁".encode()]


def stops(write, names, **keys):
    """Return the names of the stop tokens of a vocabulary of such names."""
    vocabulary = [(name, CONTROL) for name in names]
    return [names[i] for i in table_from_gguf(write(vocabulary, **keys)).stop_ids]


def test_end_tokens_by_key_and_by_text(write):
    names = ["<x>", "<y>", "<z>", "<|im_end|>", "<|im_start|>", "<|endoftext|>", "<other>"]
    assert stops(write, names, eos_token_id=0, eot_token_id=1, eom_token_id=2, bos_token_id=6) == [
        "<x>",
        "<y>",
        "<z>",
        "<|im_end|>",
        "<|endoftext|>",
    ]


def test_fill_in_the_middle_tokens_that_end(write):
    names = ["<reponame>", "<REPO>", "<|file_sep|>", "[PAD]", "<fim_prefix>", "</s>"]
    assert stops(write, names) == ["<reponame>", "<|file_sep|>", "[PAD]", "</s>"]
    assert stops(write, names, fim_rep_token_id=1) == ["<REPO>", "<|file_sep|>", "[PAD]", "</s>"]


def test_ends_of_parts_do_not_end_the_answer(write):
    harmony = ["<|return|>", "<|call|>", "<|end|>", "<|channel|>"]
    assert stops(write, harmony) == ["<|return|>", "<|call|>"]
    assert stops(write, ["<|calls|>", "<|flush|>", "<|end|>"]) == ["<|calls|>", "<|flush|>"]
    assert stops(write, ["<|end|>", "<|call|>"]) == ["<|end|>", "<|call|>"]
    assert stops(write, ["<|tool_response>", "<turn|>", "</s>"]) == ["<|tool_response>", "<turn|>"]


def test_an_end_token_is_never_text_whatever_its_type(write):
    vocabulary = [("<|im_end|>", USER_DEFINED), ("<fim_prefix>", USER_DEFINED), ("a", NORMAL)]
    table = table_from_gguf(write(vocabulary))
    assert table.tokens == [None, None, b"a"]
    assert table.special == {"<|im_end|>": 0, "<fim_prefix>": 1}
    assert table.stop_ids == (0,)


def test_gemma_s_closing_tag_stays_text(write):
    vocabulary = [("<|tool_response>", CONTROL), ("</s>", USER_DEFINED)]
    table = table_from_gguf(write(vocabulary, model="gemma4"))
    assert table.tokens == [None, b"</s>"]
    assert table.stop_ids == (0,)


@pytest.mark.parametrize(
    ("vocabulary", "keys", "message"),
    [
        ([("a", 1)], {"model": "bert"}, r"tokenizer.ggml.model: vocabularies of kind 'bert'"),
        ([("a", 1)], {"model": 3}, "of kind 3 are not known"),
        ([("a", 1)], {"tokens": []}, "tokens: missing or not a list"),
        ([("a", 1)], {"tokens": "a"}, "tokens: missing or not a list"),
        ([("a", 1)], {"token_type": [1, 1]}, "not one number for each of 1 tokens"),
        ([("a", 1)], {"token_type": ["x"]}, "not one number for each of 1 tokens"),
        ([("a", 1)], {"eos_token_id": 1}, "eos_token_id: 1 is not the id of a token"),
        ([("a", 1)], {"eos_token_id": "x"}, "eos_token_id: b'x' is not the id"),
        ([("a", 1), ("→", 1)], {}, "token 1: .* outside the byte-level alphabet"),
        ([(b"\xff", 1)], {}, "outside the byte-level alphabet"),
        ([("0x41", 6)], {}, "is not a byte token"),
    ],
)
def test_damaged_vocabularies(write, vocabulary, keys, message):
    keys = dict(keys)
    path = write(vocabulary, model=keys.pop("model", "gpt2"), **keys)
    with pytest.raises(VocabularyError, match=message) as caught:
        table_from_gguf(path)
    assert str(caught.value).startswith(str(path))


def test_no_token_types(tmp_path, gguf_bytes):
    path = tmp_path / "old.gguf"
    pairs = {"tokenizer.ggml.model": "llama", "tokenizer.ggml.tokens": ["a"]}
    path.write_bytes(gguf_bytes(pairs))
    with pytest.raises(VocabularyError, match="token_type: missing"):
        table_from_gguf(path)
    path.write_bytes(gguf_bytes({}))
    with pytest.raises(VocabularyError, match=r"tokenizer\.ggml\.model: missing"):
        table_from_gguf(path)


def test_metadata_as_the_gguf_package_writes_it(tmp_path):
    gguf = pytest.importorskip("gguf")
    path = tmp_path / "written.gguf"
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_tokenizer_model("llama")
    writer.add_token_list(["<unk>", "</s>", "▁a"])
    writer.add_token_scores([0.0, 0.0, -1.0])
    writer.add_token_types([UNKNOWN, CONTROL, NORMAL])
    writer.add_eos_token_id(1)
    writer.add_add_bos_token(True)
    writer.add_float64("tokenizer.ggml.some_double", 1.5)
    writer.add_int64("other.number", -3)
    writer.add_array("other.strings", ["x", "y"])
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.close()
    pairs = read_metadata(path, "tokenizer.ggml.")
    assert pairs["tokenizer.ggml.add_bos_token"] is True
    assert pairs["tokenizer.ggml.some_double"] == 1.5
    assert pairs["tokenizer.ggml.scores"] == [0.0, 0.0, -1.0]
    assert "other.number" not in pairs
    assert table_from_gguf(path).tokens == [None, None, b" a"]


def test_a_sentencepiece_model_converted_to_gguf(write, sentencepiece_model):
    """The two readers agree on one vocabulary, by the types the converter copies."""
    sentencepiece = pytest.importorskip("sentencepiece")
    processor = sentencepiece.SentencePieceProcessor(model_proto=sentencepiece_model)
    vocabulary = []
    for i in range(processor.get_piece_size()):
        text = processor.id_to_piece(i)
        if processor.is_unknown(i):
            kind = UNKNOWN
        elif processor.is_control(i):
            kind = CONTROL
        else:
            kind = BYTE if processor.is_byte(i) else NORMAL
        vocabulary.append((text, kind))
    table = table_from_gguf(write(vocabulary, model="llama", eos_token_id=2))
    expected = table_from_sentencepiece(sentencepiece_model, "x")
    assert table.tokens == expected.tokens
    assert table.special == expected.special
    assert table.stop_ids == expected.stop_ids


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda data: b"GGML" + data[4:], "byte 0: not a GGUF file"),
        (lambda data: data[:4] + b"\x01\0\0\0" + data[8:], "GGUF version 1 is not known"),
        (lambda data: data[:6], "the file ends in version"),
        (lambda data: data[:20], "the file ends in pair count"),
        (lambda data: data[:16] + b"\xff" * 8 + data[24:], "pairs do not fit"),
        (lambda data: data[:24] + b"\xff" * 8 + data[32:], "a name of .* bytes does not fit"),
        (lambda data: data[:-1], "does not fit"),
    ],
)
def test_damaged_metadata(tmp_path, gguf_bytes, change, message):
    path = tmp_path / "damaged.gguf"
    path.write_bytes(change(gguf_bytes({"general.name": "a name of some length"})))
    with pytest.raises(VocabularyError, match=message):
        table_from_gguf(path)


@pytest.mark.parametrize(
    ("kind", "body", "message"),
    [
        (99, b"", "type 99 is not known"),
        (9, b"\x09\0\0\0" + b"\1" + b"\0" * 7, "arrays of type 9 are not known"),
        (9, b"\x08\0\0\0" + b"\xff" * 8, "strings does not fit"),
        (9, b"\x08\0\0\0" + b"\1" + b"\0" * 7 + b"\xff" * 8, "strings is cut short"),
        (9, b"\x04\0\0\0" + b"\xff" * 8, "values does not fit"),
    ],
)
def test_damaged_values(tmp_path, gguf_bytes, kind, body, message):
    path = tmp_path / "damaged.gguf"
    data = gguf_bytes({"a": 1})
    path.write_bytes(data[: -4 - 4] + bytes([kind, 0, 0, 0]) + body)
    with pytest.raises(VocabularyError, match=message):
        table_from_gguf(path)


def test_a_name_twice(tmp_path, gguf_bytes):
    path = tmp_path / "twice.gguf"
    path.write_bytes(gguf_bytes({"a": 1, "b": 2}).replace(b"b", b"a"))
    with pytest.raises(VocabularyError, match="occurs twice"):
        table_from_gguf(path)
