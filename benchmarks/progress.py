"""What runs now, and how far it is: on standard error."""

from __future__ import annotations

import sys
import time


class Progress:
    """One line for each session, rewritten in place on a terminal."""

    def __init__(self, label: str, total: int) -> None:
        self._label = label
        self._total = total
        self._done = 0
        self._live = sys.stderr.isatty()
        self._started = time.monotonic()

    def show(self, what: str) -> None:
        """Say what runs now."""
        if self._live:
            done = f"{self._done}/{self._total}, {self._seconds()}"
            print(f"\r\x1b[K{self._label} {done}: {what}", end="", file=sys.stderr, flush=True)

    def step(self) -> None:
        """Count a finished part."""
        self._done += 1

    def close(self, summary: str) -> None:
        """Leave one line that says how it went."""
        start = "\r\x1b[K" if self._live else ""
        text = f"{start}{self._label}: {summary} ({self._seconds()})"
        print(text, file=sys.stderr, flush=True)

    def _seconds(self) -> str:
        return f"{time.monotonic() - self._started:.0f} s"
