"""Tekken files and the tokenizer objects of mistral_common."""

from __future__ import annotations

import copy

import pytest

from formgate.core.errors import VocabularyError
from formgate.core.vocabulary._tekken import looks_like_tekken, table_from_tekken


def test_ids_are_ranks_after_the_special_tokens(tekken_data):
    assert looks_like_tekken(tekken_data)
    table = table_from_tekken(tekken_data, "x")
    assert len(table.tokens) == tekken_data["config"]["default_vocab_size"]
    assert table.tokens[:6] == [None] * 4 + [b"\0", b"\1"]
    assert table.tokens[-4:] == [b"the", b" the", "é".encode(), "🙂".encode()[:2]]
    assert table.special == {"<unk>": 0, "<s>": 1, "</s>": 2, "[INST]": 3}
    assert table.stop_ids == (2,)


def test_listed_special_tokens_and_fillers(tekken_data):
    listed = [
        {"rank": 0, "token_str": "<s>", "is_control": True},
        {"rank": 1, "token_str": "</s>", "is_control": True},
    ]
    table = table_from_tekken(tekken_data | {"special_tokens": listed}, "x")
    assert table.special == {"<s>": 0, "</s>": 1, "<SPECIAL_2>": 2, "<SPECIAL_3>": 3}
    assert table.stop_ids == (1,)


def damage(data, path, value):
    copied = copy.deepcopy(data)
    inner = copied
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return copied


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (["config"], None, "no config or no vocab"),
        (["vocab"], {}, "no config or no vocab"),
        (["config", "default_vocab_size"], "x", "config.default_vocab_size: 'x' is not a number"),
        (["config", "default_vocab_size"], 9999, "default_vocab_size 9999 less 4"),
        (["config", "default_num_special_tokens"], -1, "-1 is not a number of ids"),
        (["config", "default_num_special_tokens"], 900, "is -636, but"),
        (["config", "version"], "v13", "special_tokens: missing, which version 'v13'"),
        (["config", "version"], 3, "special_tokens: missing, which version 3"),
        (["vocab", 7, "rank"], 8, r"vocab\[7\]: rank 8 instead of 7"),
        (["vocab", 7, "token_bytes"], "?", r"vocab\[7\]: token_bytes '\?' is not base64"),
        (["vocab", 7, "token_bytes"], "", r"vocab\[7\]: token_bytes '' is not base64"),
        (["vocab", 7, "token_bytes"], "é", "is not base64"),
        (["vocab", 7, "token_bytes"], None, "token_bytes None is not base64"),
        (["vocab", 7, "token_bytes"], "AA==", r"vocab\[7\]: b'\\x00' is also the token of rank 0"),
        (["vocab", 7], "x", r"vocab\[7\]: 'x' is not a token"),
        (["vocab", 7], {}, r"vocab\[7\]: rank None instead of 7"),
        (["special_tokens"], "x", r"special_tokens\[0\]: 'x' lacks its name"),
        (["special_tokens"], [{"rank": 1, "token_str": "<s>"}], "has another rank"),
        (
            ["special_tokens"],
            [{"rank": i, "token_str": "<s>"} for i in range(2)],
            "4 names, 3 of them different",
        ),
        (
            ["special_tokens"],
            [{"rank": i, "token_str": f"<{i}>"} for i in range(9)],
            "9 names, 9 of them different, for 4 ids",
        ),
    ],
)
def test_damaged_files(tekken_data, path, value, message):
    with pytest.raises(VocabularyError, match=message) as caught:
        table_from_tekken(damage(tekken_data, path, value), "my.json")
    assert str(caught.value).startswith("my.json: ")
