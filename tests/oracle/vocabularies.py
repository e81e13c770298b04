"""Real vocabularies, read from their files by a few lines of their own.

Only ids and bytes matter to the judge, so nothing of the package's own readers is used here.
"""

from __future__ import annotations

import base64
import importlib.util
import json
from pathlib import Path

from oracle.strategies import TinyVocabulary


def tekken() -> TinyVocabulary | None:
    """Tekken, 131,072 ids, the first thousand special; None where its package is absent."""
    path = _data_file("mistral_common", "data/tekken_240911.json")
    if path is None:
        return None
    data = json.loads(path.read_text(encoding="utf-8"))
    size, special = 131_072, int(data["config"]["default_num_special_tokens"])
    ranked = [base64.b64decode(entry["token_bytes"]) for entry in data["vocab"]]
    tokens = (*(None for _ in range(special)), *ranked[: size - special])
    return TinyVocabulary(tokens, stop_ids=(2,), special={"<s>": 1, "</s>": 2, "[INST]": 3})


def qwen() -> TinyVocabulary | None:
    """Qwen, 151,643 ids with text and padding to 151,936; None where its package is absent."""
    path = _data_file("dashscope", "resources/qwen.tiktoken")
    if path is None:
        return None
    tokens: list[bytes | None] = [None] * 151_936
    for line in path.read_text(encoding="ascii").splitlines():
        text, rank = line.split()
        tokens[int(rank)] = base64.b64decode(text)
    special = {"<|endoftext|>": 151_643, "<|im_start|>": 151_644, "<|im_end|>": 151_645}
    return TinyVocabulary(tuple(tokens), stop_ids=(151_643, 151_645), special=special)


def _data_file(package: str, inside: str) -> Path | None:
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        return None
    path = Path(next(iter(spec.submodule_search_locations)), inside)
    return path if path.exists() else None
