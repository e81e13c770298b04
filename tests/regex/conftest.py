"""Make the mock builder importable, whatever the import mode of the test run."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
if str(HERE) not in sys.path:
    sys.path.insert(0, str(HERE))


@pytest.fixture(scope="session")
def byte_vocabulary():
    """One token for each byte: every text can be spelled in just one way."""
    import formgate

    return formgate.Vocabulary([bytes([byte]) for byte in range(256)] + [None], stop_ids=[256])
