"""What constraints cost inside a serving engine: compiling, and each token of a request.

Plays what vLLM's scheduler calls for every token, without vLLM: fill a row, validate and walk a
draft of three with rollback, accept. CPU time of the one thread, so other programs hardly matter.

Usage: python tools/serving_cost.py [TOKENIZER_FILE]; by default Tekken's of mistral-common
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import numpy as np

import formgate
from formgate.adapters._serving import EngineStore
from formgate.adapters._serving_sequence import ServedSequence

SCHEMA = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "maxLength": 40},
        "age": {"type": "integer", "minimum": 0, "maximum": 150},
        "tags": {"type": "array", "items": {"enum": ["red", "green", "blue"]}, "maxItems": 5},
        "address": {
            "type": "object",
            "properties": {"zip": {"type": "string", "pattern": "^[0-9]{5}$"}},
        },
    },
    "required": ["name", "age"],
}
WARM_UP = """{"properties": {"a": {"type": "string", "pattern": "^[a-z]{3}$"},
"b": {"maxLength": 3}, "c": {"type": "integer", "minimum": 3, "maximum": 70},
"d": {"items": {"enum": ["x"]}}}}"""
TEXT = '{"name": "Ada Lovelace", "age": 36, "tags": ["red", "blue"], "address": {"zip": "12345"}}'


def tokenizer_file() -> Path:
    """Return the file named on the command line, or Tekken's."""
    if len(sys.argv) > 1:
        return Path(sys.argv[1])
    spec = find_spec("mistral_common")
    assert spec is not None
    assert spec.submodule_search_locations
    return Path(spec.submodule_search_locations[0], "data", "tekken_240911.json")


def longest_tokens(vocabulary: formgate.Vocabulary, text: bytes) -> list[int]:
    """Cut a text into tokens, the longest that fits first."""
    by_text = {vocabulary.token_bytes(i): i for i in range(len(vocabulary) - 1, -1, -1)}
    tokens = []
    while text:
        size = next(n for n in range(min(len(text), 128), 0, -1) if text[:n] in by_text)
        tokens.append(by_text[text[:size]])
        text = text[size:]
    return tokens


def spent(call: object, *arguments: object) -> float:
    """Return the CPU microseconds of a call."""
    started = time.thread_time_ns()
    call(*arguments)  # type: ignore[operator]
    return (time.thread_time_ns() - started) / 1000


def main() -> None:
    """Measure and print."""
    vocabulary = formgate.Vocabulary.from_file(tokenizer_file())
    store = EngineStore(lambda: vocabulary)
    store.engine("regex", "a")  # so that no import is counted
    store.engine("json", WARM_UP)
    schema, stop = json.dumps(SCHEMA), vocabulary.stop_ids[0]
    tokens = longest_tokens(vocabulary, TEXT.encode())
    rows = np.full((4, (len(vocabulary) + 31) // 32), -1, dtype=np.int32)

    first = spent(store.engine, "json", schema)
    again = statistics.median(spent(store.engine, "json", schema) for _ in range(200))
    other = statistics.median(spent(store.engine, "json", schema, {stop, 20}) for _ in range(200))
    engine = store.engine("json", schema, {stop, 20})
    print(f"{len(vocabulary)} ids; a schema compiled {first:.0f} us, found again {again:.1f} us,")
    print(f"with stop ids of the request {other:.1f} us; microseconds a token:")
    for name, count in (("first request", 1), ("later requests", 50)):
        fills, accepts, drafts = [], [], []
        for _ in range(count):
            sequence = ServedSequence(engine, [stop])
            for place, token in enumerate(tokens):
                fills.append(spent(sequence.fill, rows, 0))
                draft = tokens[place : place + 3]
                drafts.append(spent(walk, sequence, draft, rows))
                accepts.append(spent(sequence.accept, [token]))
            assert sequence.accept([stop])
            assert sequence.ended
        for what, values in (("fill", fills), ("draft of 3", drafts), ("accept", accepts)):
            mean, p99 = statistics.mean(values), sorted(values)[int(len(values) * 0.99)]
            print(f"  {name:15} {what:11} mean {mean:8.2f}  p99 {p99:8.2f}")


def walk(sequence: ServedSequence, draft: list[int], rows: np.ndarray) -> None:
    """Validate a draft, fill a row behind each token, and roll back."""
    valid = sequence.validate(draft)
    for row, token in enumerate(draft[:valid], start=1):
        sequence.accept([token])
        if not sequence.ended:
            sequence.fill(rows, row)
    sequence.rollback(valid)


if __name__ == "__main__":
    main()
