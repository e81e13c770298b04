"""tiktoken files and encodings."""

from __future__ import annotations

import pytest

from formgate.core.errors import VocabularyError
from formgate.core.vocabulary import Vocabulary, read_table
from formgate.core.vocabulary._tiktoken import looks_like_tiktoken, table_from_tiktoken

tiktoken = pytest.importorskip("tiktoken")


@pytest.fixture(scope="module")
def encoding(tiktoken_bytes):
    ranks = {
        text: rank
        for rank, text in enumerate(table_from_tiktoken(tiktoken_bytes, "x").tokens)
        if text is not None
    }
    special = {"<|endoftext|>": 300, "<|im_end|>": 302}
    return tiktoken.Encoding("small", pat_str=".", mergeable_ranks=ranks, special_tokens=special)


def test_files_have_ranks_gaps_and_no_special_tokens(tiktoken_bytes):
    assert looks_like_tiktoken(tiktoken_bytes)
    table = table_from_tiktoken(tiktoken_bytes, "x")
    assert len(table.tokens) == 260
    assert table.tokens[255:] == [b"\xff", b"the", None, b" the", "é".encode()]
    assert table.special == {}
    assert table.stop_ids == ()


@pytest.mark.parametrize("ending", [b"\r\n", b"\n\n", b" \n"])
def test_other_line_ends(tiktoken_bytes, ending):
    changed = tiktoken_bytes.replace(b"\n", ending)
    assert table_from_tiktoken(changed, "x") == table_from_tiktoken(tiktoken_bytes, "x")


def test_encodings_know_their_special_tokens(encoding, tiktoken_bytes):
    table = read_table(encoding)
    assert table.tokens[:260] == table_from_tiktoken(tiktoken_bytes, "x").tokens
    assert table.tokens[260:] == [None] * 43
    assert table.special == {"<|endoftext|>": 300, "<|im_end|>": 302}
    assert table.stop_ids == (300,)
    vocabulary = Vocabulary.from_tokenizer(encoding, size=320, stop_ids=[300, 302])
    assert len(vocabulary) == 320
    assert vocabulary.stop_ids == (300, 302)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"dGhl", "line 3: b'dGhl' is not a base64 token and a rank"),
        (b"dGhl 9 9", "is not a base64 token and a rank"),
        (b"dGhl -9", "is not a base64 token and a rank"),
        (b"dGhl 1_0", "is not a base64 token and a rank"),
        (b"dGhl " + b"9" * 5000, "is not a base64 token and a rank"),
        (b"dGhl 99999999999", "is not a base64 token and a rank"),
        (b"dG!hl 9", "is not a base64 token and a rank"),
        (b"dGh 9", "is not a base64 token and a rank"),
        (b"dGhm= 9", "is not a base64 token and a rank"),
        (b"\xff\xfe 9", "is not a base64 token and a rank"),
        (b"dGhl 0", "line 3: rank 0 occurs twice"),
        (b"YQ== 9", "rank 9: token b'a' has rank 0 already"),
    ],
)
def test_damaged_lines(line, message):
    with pytest.raises(VocabularyError) as caught:
        table_from_tiktoken(b"YQ== 0\nYg== 1\n" + line + b"\nYw== 3\n", "my.tiktoken")
    assert str(caught.value).startswith("my.tiktoken: ")
    assert message in str(caught.value)


def test_no_lines():
    with pytest.raises(VocabularyError, match="no tokens"):
        table_from_tiktoken(b"\n\n", "x")
