"""First masks beside those of other engines: every difference has a known reason.

xgrammar knows one special token, the empty one, and lets all others match their spelling as text.
llguidance takes added tokens of the form ``<...>`` for special ones where the tokenizer says that
they are text. Nothing else may differ.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest
from tokenizer_packages import FACTS, path_of, stop_id

from formgate import Vocabulary, compile  # noqa: A004 (the function under test)

pytestmark = pytest.mark.slow

PATTERNS = {
    "letters": r"[a-zA-Z ]+",
    "signs": r"[<>|\[\]/_a-z]+",
    "any": r"(.|\n)*",
    "string": r'"[^"\\]*"',
    "unicode": r"[а-яé数]{1,40}",
}
SCRIPT = Path(__file__).resolve().parents[1] / "tokenizer_rivals.py"
# By how many ids the others differ for "signs": (xgrammar has more, llguidance has fewer).
DIFFERENCES = {
    "llama2": (2, 0),
    "llama3_1": (4, 0),
    "gemma3": (8, 59),
    "qwen3": (13, 12),
    "gptoss": (9, 0),
    "deepseek_v3": (0, 0),
}


@pytest.fixture(scope="module", params=FACTS)
def masks(request, tmp_path_factory):
    """Name, ours, theirs, and what the tokenizer's file says of its added tokens."""
    python = os.environ.get("FORMGATE_RIVALS_PYTHON")
    if not python:
        pytest.skip("FORMGATE_RIVALS_PYTHON names no interpreter with xgrammar and llguidance")
    path = path_of(request.param)
    out = tmp_path_factory.mktemp("rivals") / "masks.json"
    stop = stop_id(path)
    command = [python, SCRIPT, out, path, str(stop), *PATTERNS.values()]
    subprocess.run(command, check=True, env={**os.environ, "HF_HUB_OFFLINE": "1"})
    vocabulary = Vocabulary.from_file(path, stop_ids=[stop])
    ours = {}
    for pattern in PATTERNS.values():
        engine = compile(pattern, vocabulary, format="regex")
        ours[pattern] = set(engine.allowed_tokens(engine.start()).to_list()) - {stop}
    theirs = json.loads(out.read_text())
    added = json.loads(path.read_text(encoding="utf-8"))["added_tokens"]
    found = {
        engine: {pattern: set(ids) - {stop} for pattern, ids in theirs[engine].items()}
        for engine in ("xgrammar", "llguidance")
    }
    return request.param, ours, found, added


def test_differences_are_explained(masks):
    _, ours, theirs, added = masks
    special = {token["id"] for token in added if token["special"]}
    tags = {
        token["id"]
        for token in added
        if not token["special"] and re.fullmatch(r"<.*>", token["content"], re.DOTALL)
    }
    for name, pattern in PATTERNS.items():
        ids = ours[pattern]
        assert ids - theirs["xgrammar"][pattern] == set(), name
        assert theirs["xgrammar"][pattern] - ids <= special, name
        assert theirs["llguidance"][pattern] - ids == set(), name
        assert ids - theirs["llguidance"][pattern] <= tags, name


def test_how_many_ids_differ(masks):
    name, ours, theirs, _ = masks
    pattern = PATTERNS["signs"]
    ids = ours[pattern]
    assert DIFFERENCES[name] == (
        len(theirs["xgrammar"][pattern] - ids),
        len(ids - theirs["llguidance"][pattern]),
    )
    letters = PATTERNS["letters"]
    assert ours[letters] == theirs["xgrammar"][letters] == theirs["llguidance"][letters]
