"""Which format a file has, which file of a folder is read, and what the folder adds."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from formgate.core.errors import VocabularyError
from formgate.core.vocabulary._files import FORMATS, read_file

TOKENIZER = {
    "added_tokens": [{"id": 2, "content": "</s>", "special": True}],
    "decoder": {"type": "Fuse"},
    "model": {"type": "BPE", "vocab": {"a": 0, "b": 1}, "merges": []},
}
TEXTS = [b"a", b"b", None]


def put(folder, name, data):
    path = folder / name
    path.write_bytes(data if isinstance(data, bytes) else json.dumps(data).encode())
    return path


@pytest.fixture
def all_formats(tmp_path, tekken_data, tiktoken_bytes, sentencepiece_model, gguf_bytes):
    """One good file of each format, under a name that says nothing."""
    vocabulary = {
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.tokens": ["a", "</s>"],
        "tokenizer.ggml.token_type": [1, 3],
    }
    data = {
        "gguf": gguf_bytes(vocabulary),
        "sentencepiece": sentencepiece_model,
        "tekken": tekken_data,
        "tiktoken": tiktoken_bytes,
        "tokenizer.json": TOKENIZER,
    }
    assert sorted(data) == sorted(FORMATS)
    return {name: put(tmp_path, f"file-{i}", data[name]) for i, name in enumerate(data)}


@pytest.mark.parametrize("format", FORMATS)
def test_formats_are_known_by_their_contents(all_formats, format):  # noqa: A002
    path = all_formats[format]
    guessed = read_file(path, stop_ids=[1])
    assert guessed == read_file(str(path), stop_ids=[1], format=format)
    assert guessed.stop_ids == (1,)
    assert guessed.source == str(path)


def test_a_wrong_format_is_an_error(all_formats):
    for given in FORMATS:
        for format in FORMATS:  # noqa: A001
            if format != given:
                with pytest.raises(VocabularyError, match=str(all_formats[given])):
                    read_file(all_formats[given], format=format, stop_ids=[])
    with pytest.raises(VocabularyError, match="format 'bpe' is not known; pass one of gguf"):
        read_file(all_formats["tekken"], format="bpe")


@pytest.mark.parametrize("format", ["tekken", "sentencepiece", "gguf"])
def test_formats_that_name_their_end(all_formats, format):  # noqa: A002
    assert read_file(all_formats[format]).stop_ids


@pytest.mark.parametrize("format", ["tiktoken", "tokenizer.json"])
def test_formats_that_do_not(all_formats, format):  # noqa: A002
    with pytest.raises(VocabularyError, match=r"does not say which token ends the output"):
        read_file(all_formats[format])


def test_files_that_are_not_there_or_nothing(tmp_path):
    with pytest.raises(
        VocabularyError, match=r"nothing: No such file or directory; check the path"
    ):
        read_file(tmp_path / "nothing")
    with pytest.raises(VocabularyError, match="it is empty; download it again"):
        read_file(put(tmp_path, "empty", b""))
    with pytest.raises(VocabularyError, match="none of the known formats"):
        read_file(put(tmp_path, "noise", b"\x89PNG\r\n"))
    with pytest.raises(VocabularyError, match="a JSON list, not an object"):
        read_file(put(tmp_path, "list", [1]), format="tekken")
    with pytest.raises(VocabularyError, match=r"has none of tokenizer\.json, "):
        read_file(tmp_path)
    with pytest.raises(VocabularyError, match="3 is not a path; pass a tokenizer object"):
        read_file(3)
    with pytest.raises(VocabularyError, match="/dev/null is a device or a pipe"):
        read_file("/dev/null")
    with pytest.raises(VocabularyError, match="it has a null character"):
        read_file("a\0b")


def test_a_huge_file_is_not_read(tmp_path):
    path = tmp_path / "huge.json"
    with path.open("wb") as file:
        file.write(b"{")
        file.truncate(1 << 31)
    with pytest.raises(VocabularyError, match="too large for a tokenizer"):
        read_file(path)


def test_end_ids_beside_a_tokenizer_file(tmp_path):
    path = put(tmp_path, "tokenizer.json", TOKENIZER)
    put(tmp_path, "config.json", {"eos_token_id": 0, "vocab_size": 9})
    table = read_file(path)
    assert table.stop_ids == (0,)
    assert table.tokens == TEXTS  # a folder's size is only for the folder
    put(tmp_path, "tokenizer_config.json", {"eos_token": {"content": "</s>"}})
    assert read_file(path).stop_ids == (2,)
    put(tmp_path, "generation_config.json", {"eos_token_id": [1, 2]})
    assert read_file(path).stop_ids == (1, 2)
    assert read_file(path, stop_ids=[0]).stop_ids == (0,)


def test_a_folder_s_size_and_end(tmp_path):
    put(tmp_path, "tokenizer.json", TOKENIZER)
    put(tmp_path, "tokenizer_config.json", {"eos_token": "b"})
    assert read_file(tmp_path).stop_ids == (1,)
    put(tmp_path, "config.json", {"text_config": {"vocab_size": 8}})
    assert read_file(tmp_path).tokens == [*TEXTS, *[None] * 5]
    put(tmp_path, "config.json", {"vocab_size": 5})
    assert len(read_file(tmp_path).tokens) == 5
    assert len(read_file(tmp_path, size=6).tokens) == 6
    put(tmp_path, "config.json", {"vocab_size": 1})
    with pytest.raises(VocabularyError, match="size=1 leaves out id 1, which has the text b'b'"):
        read_file(tmp_path)


def test_the_order_in_a_folder(tmp_path, tekken_data, tiktoken_bytes, sentencepiece_model):
    put(tmp_path, "b.tiktoken", tiktoken_bytes)
    assert len(read_file(tmp_path, stop_ids=[]).tokens) == 260
    put(tmp_path, "a.tiktoken", tiktoken_bytes)
    with pytest.raises(
        VocabularyError, match=r"several tokenizer files \(a.tiktoken, b.tiktoken\)"
    ):
        read_file(tmp_path, stop_ids=[])
    put(tmp_path, "tokenizer.model", sentencepiece_model)
    assert read_file(tmp_path).special.get("[INST]") is not None
    put(tmp_path, "tokenizer.model", tiktoken_bytes)  # some releases name it so
    assert len(read_file(tmp_path, stop_ids=[]).tokens) == 260
    put(tmp_path, "tekken.json", tekken_data)
    assert read_file(tmp_path).stop_ids == (2,)
    put(tmp_path, "tokenizer.json", TOKENIZER)
    assert read_file(tmp_path, stop_ids=[]).tokens == TEXTS


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("generation_config.json", {"eos_token_id": "x"}, "eos_token_id: 'x' is not a token id"),
        ("generation_config.json", {"eos_token_id": [-1]}, "eos_token_id: -1 is not a token id"),
        ("generation_config.json", {"eos_token_id": 77}, "stop id 77 is outside the vocabulary"),
        ("generation_config.json", b"{", "line 1, column 2: not JSON"),
        ("tokenizer_config.json", {"eos_token": 3}, "eos_token: 3 is not a token"),
        ("tokenizer_config.json", {"eos_token": "zz"}, "'zz' is the text of 0 tokens"),
        ("config.json", {"vocab_size": "x"}, "vocab_size: 'x' is not a number of ids"),
        ("config.json", {"vocab_size": 0, "eos_token_id": 1}, "vocab_size: 0 is not a number"),
    ],
)
def test_damaged_settings(tmp_path, name, data, message):
    put(tmp_path, "tokenizer.json", TOKENIZER)
    put(tmp_path, name, data)
    with pytest.raises(VocabularyError, match=message):
        read_file(tmp_path, stop_ids=[2] if name == "config.json" else None)


def test_two_lists_of_added_tokens_must_agree(tmp_path):
    put(tmp_path, "tokenizer.json", TOKENIZER)
    listed = {"2": {"content": "</s>", "special": True}}
    put(tmp_path, "tokenizer_config.json", {"eos_token": "</s>", "added_tokens_decoder": listed})
    assert read_file(tmp_path).stop_ids == (2,)
    for wrong in ({"content": "</s>", "special": False}, {"content": "<x>", "special": True}, 3):
        settings = {"added_tokens_decoder": {"2": wrong}}
        put(tmp_path, "tokenizer_config.json", settings)
        with pytest.raises(VocabularyError, match=r"added_tokens_decoder\[2\].* load the folder"):
            read_file(tmp_path)
        with pytest.raises(VocabularyError, match="AutoTokenizer"):
            read_file(Path(tmp_path) / "tokenizer.json", stop_ids=[2])
