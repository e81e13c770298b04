"""Make the toy engine importable, whatever the import mode of the test run; keep judges."""

from __future__ import annotations

import functools
import sys
from pathlib import Path

import pytest

from formgate.testing import _engines, _trials
from formgate.testing._brute_force import BruteForce

TESTS = Path(__file__).resolve().parent.parent
if str(TESTS) not in sys.path:
    sys.path.insert(0, str(TESTS))

# Engines by the dozen are tried on the same samples: what a judge has found out, it keeps.
_judge_of = functools.cache(BruteForce)


@pytest.fixture(autouse=True, scope="module")
def kept_judges():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_engines, "BruteForce", _judge_of)
        patch.setattr(_trials, "BruteForce", _judge_of)
        yield
