"""Tokenizers of well-known models: our bytes are what their own decoders emit.

The files are fetched on request (``make test-tokenizers``); a tokenizer that is not there is
skipped. Those that come with packages installed anyway are in ``tests/vocabulary``.
"""

from __future__ import annotations

import json
import random
from collections import Counter

import pytest
from tokenizer_packages import FACTS, path_of, stop_id

from formgate import Matcher, Vocabulary, compile  # noqa: A004 (the function under test)
from formgate.core.vocabulary._files import read_file

pytestmark = pytest.mark.slow
tokenizers = pytest.importorskip("tokenizers")

COUNT = 3000
BYTE_LEVEL = ["llama3_1", "qwen3", "gptoss", "deepseek_v3"]
BYTE_FALLBACK = ["llama2", "gemma3"]
TIKTOKEN = {
    "cl100k_base.tiktoken": ("openai", 100_256),
    "o200k_base.tiktoken": ("openai", 199_998),
    "p50k_base.tiktoken": ("openai", 50_280),
    "r50k_base.tiktoken": ("openai", 50_256),
    "qwen.tiktoken": ("qwen3_6", 151_643),
    "qwen3_6.tiktoken": ("qwen3_6", 248_044),
}
TEXTS = [
    "The quick brown fox jumps over the lazy dog. 1234567890!",
    'def f(x):\n    return {"a": [1, 2.5e-3, None], "b": x}\n\n\n\t# done',
    "Grüße aus Köln; naïve café, Ω≈ç√, tschüß   und\r\nweiter",
    "数学は楽しい。한국어 텍스트, العربية, हिन्दी, ไทย 🙂🙃👩‍👩‍👧",
    '<tool_call>{"name": "f"}</tool_call> <table><tr> <|not special|> [INST]',
    "          deep    spaces\t\t\ttabs\n\n\n\n",
]


@pytest.fixture(scope="module")
def loaded():
    """The table of a tokenizer as we read it, its own object, and its file's contents."""
    kept = {}

    def load(name):
        if name not in kept:
            path = path_of(name)
            kept.clear()  # one at a time: the largest take half a gigabyte
            table = read_file(path, stop_ids=[stop_id(path)])
            kept[name] = (table, tokenizers.Tokenizer.from_file(str(path)))
        return kept[name]

    return load


def cases_of(table, count=COUNT):
    rng = random.Random(1)
    ids = [i for i, text in enumerate(table.tokens) if text is not None]
    return [rng.choices(ids, k=rng.randint(1, 6)) for _ in range(count)] + [[i] for i in ids]


def joined(table, ids):
    return b"".join(table.tokens[i] for i in ids)


@pytest.mark.parametrize("name", BYTE_LEVEL)
def test_byte_level(loaded, name):
    table, tokenizer = loaded(name)
    cases = cases_of(table)
    decoded = tokenizer.decode_batch(cases, skip_special_tokens=True)
    wrong = [
        ids
        for ids, text in zip(cases, decoded, strict=True)
        if joined(table, ids).decode(errors="replace") != text
    ]
    assert wrong == []


def is_byte_piece(piece):
    return len(piece) == 6 and piece.startswith("<0x") and piece.endswith(">")


@pytest.mark.parametrize("name", BYTE_FALLBACK)
def test_byte_fallback(loaded, name):
    """A run of byte tokens is decoded as a whole, or shows U+FFFD for each of its bytes."""
    table, tokenizer = loaded(name)
    letter = tokenizer.token_to_id("q")  # some decoders drop a space at the start of a text
    pieces = {i: tokenizer.id_to_token(i) for i in range(len(table.tokens))}
    cases = cases_of(table)
    decoded = tokenizer.decode_batch([[letter, *ids] for ids in cases], skip_special_tokens=True)

    def expected(ids):
        parts, run = [], b""
        for i in [*ids, None]:
            if i is not None and is_byte_piece(pieces[i]):
                run += table.tokens[i]
                continue
            try:
                parts.append(run.decode())
            except UnicodeDecodeError:
                parts.append("\ufffd" * len(run))
            run = b""
            if i is not None:
                parts.append(table.tokens[i].decode())
        return "q" + "".join(parts)

    wrong = [ids for ids, text in zip(cases, decoded, strict=True) if expected(ids) != text]
    assert wrong == []


@pytest.mark.parametrize("name", FACTS)
def test_facts(loaded, name):
    table, _ = loaded(name)
    texts = Counter(text for text in table.tokens if text is not None)
    added = json.loads(path_of(name).read_text(encoding="utf-8"))["added_tokens"]

    def is_text(data):
        try:
            data.decode()
        except UnicodeDecodeError:
            return False
        return True

    assert FACTS[name] == (
        len(table.tokens),
        len(table.special),
        sum(not token["special"] for token in added),
        sum(not is_text(text) for text in texts.elements()),
        sum(count > 1 for count in texts.values()),
        sum(bytes([byte]) in texts for byte in range(256)),
    )


@pytest.mark.parametrize("name", FACTS)
def test_texts_are_spelled_by_their_tokens(loaded, name):
    """What the tokenizer makes of a text spells it, and an engine for the text takes it all."""
    table, tokenizer = loaded(name)
    vocabulary = Vocabulary.from_file(path_of(name), stop_ids=list(table.stop_ids))
    for text in TEXTS:
        ids = tokenizer.encode(text, add_special_tokens=False).ids
        spelled = joined(table, ids)
        assert spelled in (text.encode(), b" " + text.encode())  # Llama 2 puts a space in front
        engine = compile([spelled.decode()], vocabulary)
        matcher = Matcher(engine)
        assert matcher.validate([*ids, *table.stop_ids]) == len(ids) + 1
        assert matcher.validate([*ids[:-1], *table.stop_ids]) == len(ids) - 1


@pytest.mark.parametrize("file", TIKTOKEN)
def test_tiktoken(file):
    tiktoken = pytest.importorskip("tiktoken")
    from tiktoken.load import load_tiktoken_bpe

    name, count = TIKTOKEN[file]
    path = path_of(name, file)
    ranks = load_tiktoken_bpe(str(path))
    table = read_file(path, size=count + 1, stop_ids=[count])
    assert len(ranks) == count
    encoding = tiktoken.Encoding(
        file,
        pat_str=r"\p{L}+|\p{N}{1,3}|\s+|[^\s\p{L}\p{N}]+",
        mergeable_ranks=ranks,
        special_tokens={"<|end|>": count},
    )
    cases = cases_of(table)
    assert [ids for ids in cases if encoding.decode_bytes(ids) != joined(table, ids)] == []
    for text in TEXTS:
        ids = encoding.encode(text, disallowed_special=())
        assert joined(table, ids) == text.encode()
