"""Make the naive judges importable, and print how much the searches of this folder covered."""

from __future__ import annotations

import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent
if str(TESTS) not in sys.path:
    sys.path.insert(0, str(TESTS))


def pytest_terminal_summary(terminalreporter):
    from reference.counting import COUNTS

    if COUNTS:
        terminalreporter.section("what the searches covered")
        for name, count in COUNTS.items():
            terminalreporter.write_line(f"{count:>10,}  {name}")
