"""A line on standard error that says what is going on while nothing else can be seen.

On a terminal it is one line, redrawn with the seconds passed; elsewhere each stage is a line of its
own, or nothing.
"""

from __future__ import annotations

import sys
import threading
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import TracebackType

    from typing_extensions import Self

__all__ = ["Progress"]

_FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
_INTERVAL_S = 0.1
_CLEAR = "\r\x1b[K"


class Progress:
    """Shows stages, one after another; a context manager that leaves nothing behind on a terminal.

    Args:
        plain: Whether to print stages where standard error is no terminal.
    """

    def __init__(self, *, plain: bool) -> None:
        self._is_live = sys.stderr.isatty()
        self._plain = plain
        self._stage = ""
        self._detail = ""
        self._since = time.monotonic()
        self._done = threading.Event()
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Self:
        if self._is_live:
            self._thread = threading.Thread(target=self._redraw, daemon=True)
            self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._done.set()
        if self._thread is not None:
            self._thread.join()
            print(_CLEAR, end="", file=sys.stderr, flush=True)

    def __call__(self, stage: str) -> None:
        """Begin a stage, named by a few words."""
        self._stage, self._detail, self._since = stage, "", time.monotonic()
        if not self._is_live and self._plain:
            print(f"{stage} ...", file=sys.stderr, flush=True)

    def detail(self, text: str) -> None:
        """Say how far the present stage has come; shown on a terminal only."""
        self._detail = text

    def _redraw(self) -> None:
        """Redraw the line until the end."""
        turn = 0
        while not self._done.wait(_INTERVAL_S):
            if self._stage:
                frame = _FRAMES[turn % len(_FRAMES)]
                seconds = time.monotonic() - self._since
                line = f"{_CLEAR}{frame} {self._stage} {seconds:.1f} s {self._detail}"
                print(line, end="", file=sys.stderr, flush=True)
                turn += 1
