"""How the demo looks: two columns that fit the terminal, colour where there is any."""

from __future__ import annotations

import os
import shutil
import textwrap
import unicodedata
from typing import TYPE_CHECKING

from formgate.core.cli._timings import duration

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TextIO

    from formgate.core.decoding import DecodeResult

__all__ = ["Screen"]

_MOST_COLUMNS = 120
_LEAST_COLUMNS = 60
_MARGIN = "  "
_MIDDLE = " │ "
_MARKS = "│✓✗"
_PLAIN_MARKS = str.maketrans(_MARKS, "|+x")  # for encodings that have no others
_LABEL = 10  # columns of "pattern", "prompt"
_CELL = 12  # columns of a time
_MOST_LINES = 8

_BOLD, _DIM, _RED, _GREEN, _PLAIN = "1", "2", "31", "32", ""


class Screen:
    """Prints the demo.

    Args:
        out: Where to.
    """

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._is_coloured = out.isatty() and "NO_COLOR" not in os.environ
        self._can_draw = _can_encode(_MARKS, getattr(out, "encoding", None) or "utf-8")
        columns = shutil.get_terminal_size((80, 24)).columns
        self._width = max(_LEAST_COLUMNS, min(columns - 1, _MOST_COLUMNS))
        self._half = (self._width - len(_MARGIN) - len(_MIDDLE)) // 2

    def heading(self, model: str) -> None:
        """Print what is going to be seen."""
        self._line(self._style(f"{model}, with and without a constraint", _BOLD))

    def case(
        self,
        number: int,
        case: tuple[str, str, str | Sequence[str], str],
        free: tuple[DecodeResult, bool],
        masked: tuple[DecodeResult, bool],
        *,
        judge: str,
    ) -> None:
        """Print one case: title, format, source and prompt, then both answers and the times."""
        title, format_name, source, prompt = case
        self._line("")
        self._line(self._style(f"{number}. {title}", _BOLD))
        shown = source if isinstance(source, str) else ", ".join(source)
        self._labelled(format_name, shown, words=False)
        self._labelled("prompt", prompt, words=True)
        self._line("")
        self._row(("without constraint", _DIM), ("with constraint", _DIM))
        left = self._wrapped(free[0].text + ("..." if free[0].finish_reason == "length" else ""))
        right = self._wrapped(masked[0].text)
        for index in range(max(len(left), len(right))):
            self._row(
                (left[index] if index < len(left) else "", _PLAIN),
                (right[index] if index < len(right) else "", _BOLD),
            )
        self._row(*(_verdict(is_valid, judge) for _, is_valid in (free, masked)))
        self._row(*((_token_count(result), _DIM) for result, _ in (free, masked)))
        self._line("")
        self._times(masked[0])

    def summary(self, results: Sequence[DecodeResult], valid: int) -> None:
        """Print the verdict on all cases."""
        self._line("")
        good = valid == len(results)
        verdict = f"{valid} of {len(results)} masked answers are valid."
        self._line(self._style(verdict, _GREEN if good else _RED))

    def _times(self, result: DecodeResult) -> None:
        """Print a table of the times per token, and what the constraint adds to the model's."""
        timings = result.timings
        model, model_ns = timings.forward, timings.forward.mean_ns
        heading = "model"
        if not model.count:  # an answer of one token: the model has read the prompt and no more
            heading, model_ns = "prompt", timings.prompt_ns
        share = (timings.mask.mean_ns + timings.advance.mean_ns) / max(model_ns, 1)
        mean = [duration(model_ns), duration(timings.mask.mean_ns)]
        most = [duration(model.max_ns or model_ns), duration(timings.mask.max_ns)]
        mean += [duration(timings.advance.mean_ns), f"{share:.3%}"]
        most += [duration(timings.advance.max_ns), ""]
        rows = (
            ("per token", [heading, "mask", "advance", "overhead"]),
            ("mean", mean),
            ("max", most),
        )
        for label, cells in rows:
            line = f"{label:<{_LABEL}}" + "".join(f"{cell:>{_CELL}}" for cell in cells)
            self._line(_MARGIN + self._style(line.rstrip(), _DIM))

    def _labelled(self, label: str, text: str, *, words: bool) -> None:
        """Print a label and a text beside it, broken at words or anywhere."""
        room = self._width - len(_MARGIN) - _LABEL
        text = text.replace("\n", "\\n")
        if words:
            lines = textwrap.wrap(text, room)
        else:
            lines = [text[start : start + room] for start in range(0, len(text), room)]
        for index, line in enumerate(lines):
            head = f"{label if index == 0 else '':<{_LABEL}}"
            self._line(_MARGIN + self._style(head, _DIM) + line)

    def _wrapped(self, text: str) -> list[str]:
        """Return a text in lines that fit a column; a long one is cut."""
        lines = []
        for line in filter(str.strip, text.splitlines()):
            printable = "".join(c if c.isprintable() else "\u00b7" for c in line)
            lines += textwrap.wrap(printable, self._half)
        if not lines:
            return [""]
        if len(lines) > _MOST_LINES:
            lines = [*lines[: _MOST_LINES - 1], "..."]
        return lines

    def _row(self, left: tuple[str, str], right: tuple[str, str]) -> None:
        """Print two cells, each a text and its style."""
        padding = " " * max(0, self._half - _columns(left[0]))
        middle = self._style(_MIDDLE, _DIM)
        self._line(f"{_MARGIN}{self._style(*left)}{padding}{middle}{self._style(*right)}".rstrip())

    def _style(self, text: str, style: str) -> str:
        """Return a text with the codes of a style, where there is colour."""
        return f"\x1b[{style}m{text}\x1b[0m" if self._is_coloured and style and text else text

    def _line(self, text: str) -> None:
        shown = text if self._can_draw else text.translate(_PLAIN_MARKS)
        print(shown, file=self._out, flush=True)


def _verdict(is_valid: bool, judge: str) -> tuple[str, str]:
    return (f"✓ valid ({judge})", _GREEN) if is_valid else (f"✗ not valid ({judge})", _RED)


def _token_count(result: DecodeResult) -> str:
    count = len(result.tokens)
    forced = f", {result.forced} forced" if result.forced else ""
    return f"{count} token{'' if count == 1 else 's'}{forced}"


def _can_encode(text: str, encoding: str) -> bool:
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True


def _columns(text: str) -> int:
    """Return the terminal columns that a text takes."""
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in text
    )
