"""Damaged files of every format: a table or a clear error, never anything else.

Bytes are cut, flipped, dropped, repeated and moved; JSON is also damaged as a tree, so that the
damage survives parsing. The seeds are fixed.
"""

from __future__ import annotations

import copy
import json
import random

import pytest

from formgate.core.errors import VocabularyError
from formgate.core.vocabulary._files import read_file
from formgate.core.vocabulary._table import TokenTable

ROUNDS = 400
JUNK = [None, True, -1, 3.5, 10**30, "", "x", "\ud800", [], [[]], {}, {"type": "Sequence"}]


def damaged_bytes(data, rng):
    """Return ``data`` with one to three injuries."""
    out = bytearray(data)
    for _ in range(rng.randint(1, 3)):
        at, length = rng.randrange(len(out) + 1), rng.choice([1, 1, 2, 8, 60])
        kind = rng.randrange(6)
        if kind == 0:
            del out[at:]
        elif kind == 1:
            del out[at : at + length]
        elif kind == 2:
            out[at:at] = out[at : at + length]
        elif kind == 3:
            out[at : at + length] = rng.randbytes(length)
        elif kind == 4:
            out[at : at + 8] = b"\xff" * 8
        elif out:
            out[at % len(out)] ^= 1 << rng.randrange(8)
    return bytes(out)


def damaged_tree(tree, rng):
    """Return a JSON tree with one node replaced or removed."""
    tree = copy.deepcopy(tree)
    node = tree
    while True:
        keys = list(node) if isinstance(node, dict) else list(range(len(node)))
        key = rng.choice(keys)
        child = node[key]
        if not isinstance(child, (dict, list)) or not child or rng.random() < 0.3:
            break
        node = child
    if rng.random() < 0.3:
        del node[key]
    else:
        node[key] = rng.choice(JUNK)
    return tree


def check(path, data):
    """Read a damaged file: only a table or the documented error may come out."""
    path.write_bytes(data)
    try:
        table = read_file(path, stop_ids=[0])
    except VocabularyError as error:
        assert str(path) in str(error)  # noqa: PT017 (the other outcome is good too)
        assert "; " in str(error)  # noqa: PT017 (what is wrong; what to do)
        return False
    assert isinstance(table, TokenTable)
    assert all(text is None or (type(text) is bytes and text) for text in table.tokens)
    return True


@pytest.fixture(scope="module")
def tokenizer_files(byte_level_tokenizer, byte_fallback_tokenizer):
    return {
        "byte-level json": byte_level_tokenizer.to_str().encode(),
        "byte-fallback json": byte_fallback_tokenizer.to_str().encode(),
    }


@pytest.fixture(scope="module")
def good_files(tekken_data, tiktoken_bytes, sentencepiece_model, gguf_bytes, tokenizer_files):
    texts = ["<unk>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256)), "▁the"]
    pairs = {
        "general.name": "small",
        "tokenizer.ggml.model": "llama",
        "tokenizer.ggml.tokens": texts,
        "tokenizer.ggml.token_type": [2, 3, *[6] * 256, 1],
        "tokenizer.ggml.eos_token_id": 1,
    }
    return {
        "tekken": json.dumps(tekken_data).encode(),
        "tiktoken": tiktoken_bytes,
        "sentencepiece": sentencepiece_model,
        "gguf": gguf_bytes(pairs),
        **tokenizer_files,
    }


NAMES = ["tekken", "tiktoken", "sentencepiece", "gguf", "byte-level json", "byte-fallback json"]


@pytest.mark.parametrize("name", NAMES)
def test_damaged_bytes(good_files, tmp_path, name):
    rng = random.Random(name)
    good = good_files[name]
    path = tmp_path / "file"
    assert check(path, good)
    outcomes = [check(path, damaged_bytes(good, rng)) for _ in range(ROUNDS)]
    assert not all(outcomes)


@pytest.mark.parametrize("name", NAMES)
def test_files_cut_short(good_files, tmp_path, name):
    good = good_files[name]
    path = tmp_path / "file"
    for cut in range(0, len(good) - 2, max(1, len(good) // 150)):
        whole_lines = name == "tiktoken"  # a list of lines cut short is a list of lines
        assert not check(path, good[:cut]) or whole_lines


@pytest.mark.parametrize("name", ["tekken", "byte-level json", "byte-fallback json"])
def test_damaged_trees(good_files, tmp_path, name):
    rng = random.Random(name)
    tree = json.loads(good_files[name])
    path = tmp_path / "file"
    outcomes = [check(path, json.dumps(damaged_tree(tree, rng)).encode()) for _ in range(ROUNDS)]
    assert not all(outcomes)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"{" + b"[" * 200_000, "nested too deep|not JSON"),
        (b'{"a":' * 100_000, "nested too deep|not JSON"),
        (b'{"a": ' + b"9" * 10_000 + b"}", "not usable JSON|model: missing"),
        (b'{"a": "\xff"}', "byte 7: not UTF-8"),
        (b'{"a": 1', "line 1, column 8: not JSON"),
        ("{}".encode("utf-16"), "none of the known formats"),
    ],
)
def test_json_that_is_none(tmp_path, data, message):
    path = tmp_path / "tokenizer.json"
    path.write_bytes(data)
    with pytest.raises(VocabularyError, match=message):
        read_file(path, stop_ids=[])
