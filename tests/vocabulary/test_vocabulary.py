"""The ``Vocabulary`` class: contents, fingerprint, errors, plugins, and the time it takes."""

from __future__ import annotations

import pickle
import subprocess
import sys
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from formgate.core.errors import VocabularyError
from formgate.core.vocabulary import TokenTable, Vocabulary, read_table

TEXTS = st.lists(st.one_of(st.none(), st.binary(min_size=1, max_size=4)), min_size=1, max_size=30)


@settings(deadline=None)
@given(TEXTS, st.data())
def test_contents_are_kept(texts, data):
    ids = st.integers(0, len(texts) - 1)
    stops = data.draw(st.lists(ids, max_size=3))
    special = data.draw(st.dictionaries(st.text(max_size=3), ids, max_size=3))
    vocabulary = Vocabulary(texts, stop_ids=stops, special=special)
    assert len(vocabulary) == len(texts)
    assert vocabulary.stop_ids == tuple(sorted(set(stops)))
    assert vocabulary.special == special
    silent = {*stops, *special.values()}
    for i, text in enumerate(texts):
        assert vocabulary.token_bytes(i) == (None if i in silent else text)
    single = {text for i, text in enumerate(texts) if i not in silent and text and len(text) == 1}
    assert set(vocabulary.missing_bytes) == {b for b in range(256) if bytes([b]) not in single}
    again = pickle.loads(pickle.dumps(vocabulary))  # noqa: S301 (our own bytes)
    assert again == vocabulary
    assert hash(again) == hash(vocabulary)
    assert again.fingerprint == vocabulary.fingerprint


def test_fingerprints_tell_contents_apart():
    made = [
        Vocabulary([b"a", b"b"], stop_ids=[]),
        Vocabulary([b"a", b"b", None], stop_ids=[]),
        Vocabulary([b"b", b"a"], stop_ids=[]),
        Vocabulary([b"ab", None], stop_ids=[]),
        Vocabulary([b"a", b"b"], stop_ids=[1]),
        Vocabulary([b"a", b"b"], stop_ids=[0, 1]),
        Vocabulary([b"a", b"b"], stop_ids=[], special={"<x>": 1}),
        Vocabulary([b"a", b"b"], stop_ids=[], special={"<y>": 1}),
    ]
    assert len({vocabulary.fingerprint for vocabulary in made}) == len(made)
    assert len(set(made)) == len(made)
    assert made[0] != "a"


def test_the_fingerprint_is_the_same_in_another_process():
    code = (
        "from formgate.core.vocabulary import Vocabulary\n"
        "print(Vocabulary([b'a', None, b'\\xc3'], stop_ids=[1], special={'<x>': 1}).fingerprint)"
    )
    vocabulary = Vocabulary([b"a", None, b"\xc3"], stop_ids=[1], special={"<x>": 1})
    prints = {
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
        ).stdout.strip()
        for seed in ("1", "2")
    }
    assert prints == {vocabulary.fingerprint}
    assert len(vocabulary.fingerprint) == 32


def test_repr_says_what_matters():
    vocabulary = Vocabulary([b"a", None], stop_ids=[1])
    assert repr(vocabulary) == f"Vocabulary(2 ids, stop_ids=[1], {vocabulary.fingerprint})"


class Own(bytes):
    """Bytes of a class of their own."""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([], {"stop_ids": []}), "no tokens"),
        ((["a"], {"stop_ids": []}), "token 0 is 'a'; pass the bytes that decoding emits, or None"),
        (([b"a", 3], {"stop_ids": []}), "token 1 is 3"),
        (([b"a", bytearray(b"b")], {"stop_ids": []}), "token 1 is bytearray"),
        (([b"a", b""], {"stop_ids": []}), "token 1 has empty text"),
        (([b"a"], {"stop_ids": [1]}), "stop id 1 is outside the vocabulary of 1 ids"),
        (([b"a"], {"stop_ids": ["a"]}), "stop_ids holds 'a'"),
        (([b"a"], {"stop_ids": [], "special": {"<x>": 1}}), "special token '<x>' has id 1"),
        (([b"a"], {"stop_ids": [], "special": {"<x>": "y"}}), "special token '<x>' has id 'y'"),
        (([b"a"], {"stop_ids": [], "special": {3: 0}}), "special token 3 has id 0"),
        (([b"a"], {"stop_ids": [], "special": ["x"]}), "special is .* pass a mapping"),
        (([b"a"], {"stop_ids": [], "special": {"\ud800": 0}}), "lone surrogate in its name"),
        (([b"a", Own(b"b")], {"stop_ids": []}), "token 1 is b'b' of the class Own; pass the bytes"),
    ],
)
def test_errors(arguments, message):
    positional, named = arguments
    with pytest.raises(VocabularyError, match=message):
        Vocabulary(positional, **named)


class Odd:
    """An object that only a plugin knows."""


class Plugins:
    """A registry with one plugin."""

    def read_vocabulary(self, obj):
        return Vocabulary([b"a", b"b", None], stop_ids=[2]) if isinstance(obj, Odd) else None


@pytest.fixture
def plugins(monkeypatch):
    from formgate.core import registry

    monkeypatch.setattr(registry, "default_registry", Plugins)


@pytest.mark.usefixtures("plugins")
def test_unknown_objects():
    assert read_table(object()) is None
    with pytest.raises(VocabularyError) as caught:
        Vocabulary.from_tokenizer(object())
    message = str(caught.value)
    assert message.startswith("builtins.object is not a known tokenizer; supported are fast")
    for name in ("tokenizers.Tokenizer", "tiktoken", "sentencepiece", "mistral_common", "plugin"):
        assert name in message
    with pytest.raises(VocabularyError, match=r"is a path; pass it to Vocabulary\.from_file"):
        Vocabulary.from_tokenizer("tokenizer.json")


@pytest.mark.usefixtures("plugins")
def test_a_plugin_s_vocabulary():
    assert len(Vocabulary.from_tokenizer(Odd())) == 3
    assert len(Vocabulary.from_tokenizer(Odd(), size=5)) == 5
    assert Vocabulary.from_tokenizer(Odd(), stop_ids=[1]).stop_ids == (1,)
    assert Vocabulary.from_tokenizer(Odd()).token_bytes(1) == b"b"


def test_reading_imports_nothing_heavy(all_paths):
    code = (
        "import sys\n"
        "from formgate.core.vocabulary._files import read_file\n"
        "for path in sys.argv[1:]: read_file(path, stop_ids=[])\n"
        "from formgate.core.vocabulary import read_table\n"
        "assert read_table(object()) is None\n"
        "heavy = {'numpy', 'torch', 'transformers', 'tokenizers', 'tiktoken', 'sentencepiece',\n"
        "         'mistral_common', 'gguf', 'pluggy', 'formgate.core._native'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *all_paths],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": ":".join(sys.path)},
    )
    assert done.stdout.strip() == "[]"


@pytest.fixture
def all_paths(tmp_path, tekken_data, tiktoken_bytes, sentencepiece_model, gguf_bytes):
    import json

    pairs = {
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.tokens": ["a"],
        "tokenizer.ggml.token_type": [1],
    }
    contents = [
        json.dumps(tekken_data).encode(), tiktoken_bytes, sentencepiece_model, gguf_bytes(pairs)
    ]  # fmt: skip
    paths = [tmp_path / str(i) for i in range(len(contents))]
    for path, data in zip(paths, contents, strict=True):
        path.write_bytes(data)
    return [str(path) for path in paths]


def test_building_tekken_takes_at_most_100_ms(data_file):
    """Native building only, CPU time, the best of five: other programs may be running."""
    from formgate.core.vocabulary._files import read_file

    table = read_file(data_file("mistral-common", "tekken_240718.json"))
    assert isinstance(table, TokenTable)
    times = []
    for _ in range(5):
        start = time.process_time()
        vocabulary = Vocabulary(table.tokens, stop_ids=table.stop_ids, special=table.special)
        times.append(time.process_time() - start)
    assert len(vocabulary) == 131_072
    assert min(times) <= 0.1
