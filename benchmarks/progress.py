"""What runs now, and how far it is: on standard error."""

from __future__ import annotations

import sys
import time


class Progress:
    """One line for each session, rewritten in place on a terminal.

    Its seconds are those of the session: while others have their turns it is paused.
    """

    def __init__(self, label: str, total: int) -> None:
        self._label = label
        self._total = total
        self._done = 0
        self._live = sys.stderr.isatty()
        self._spent_s = 0.0
        self._started: float | None = time.monotonic()

    def pause(self) -> None:
        """Count no time until `resume`."""
        if self._started is not None:
            self._spent_s += time.monotonic() - self._started
            self._started = None

    def resume(self) -> None:
        """Count time again."""
        if self._started is None:
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
        running = 0.0 if self._started is None else time.monotonic() - self._started
        return f"{self._spent_s + running:.0f} s"
