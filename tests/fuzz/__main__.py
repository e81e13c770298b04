"""`python -m tests.fuzz`, from the root of the repository."""

from __future__ import annotations

import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent
if str(TESTS) not in sys.path:
    sys.path.insert(0, str(TESTS))

from fuzz.command import main  # noqa: E402 - the path comes first

raise SystemExit(main())
