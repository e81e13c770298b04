"""Make the toy engine importable, whatever the import mode of the test run."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parent.parent
if str(TESTS) not in sys.path:
    sys.path.insert(0, str(TESTS))


@pytest.fixture(scope="package")
def setup():
    """A tiny random model with everything around it."""
    pytest.importorskip("transformers")
    import torch
    from tiny_llama import Setup

    torch.set_num_threads(1)
    return Setup()
