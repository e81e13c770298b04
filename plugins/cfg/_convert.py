"""Grammars of other tools as grammars that formgate reads.

A converter carries over what describes the language, and lists what does not come along: code in
another language, predicates, modes. Nothing is left out without a note that names the place.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Protocol

from formgate.core.errors import GrammarError, LimitError, UnsupportedConstraint

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

    from formgate.plugins.cfg._scanner import Scanner

__all__ = ["CONVERTERS", "Conversion", "Note", "Notes", "convert"]

# What can be converted, with the module that does it: its ``convert`` is called.
CONVERTERS = {"antlr4": "_antlr4_write", "nearley": "_nearley_write"}


@dataclass(frozen=True)
class Note:
    """What a converter has to say of one place.

    Args:
        message: What it is, in one sentence.
        line: Its line in the source, from 1.
        column: Its column, from 1.
        lost: Whether the language may differ by it; otherwise it is a remark.
        file: The file it stands in, where that is not the source itself.
    """

    message: str
    line: int
    column: int
    lost: bool = True
    file: str | None = None

    def __str__(self) -> str:
        """Return place and message in one line."""
        place = f"line {self.line}, column {self.column}"
        return f"{place if self.file is None else f'{self.file}, {place}'}: {self.message}"


@dataclass(frozen=True)
class Conversion:
    """A converted grammar.

    Args:
        text: The grammar.
        format: The format it is in.
        notes: What was not carried over, and remarks, in the order of the source.
        options: Options of the format that the grammar is meant for.
    """

    text: str
    format: str
    notes: tuple[Note, ...] = ()
    options: Mapping[str, str] = field(default_factory=dict)

    @property
    def lost(self) -> tuple[Note, ...]:
        """The notes of what was not carried over."""
        return tuple(note for note in self.notes if note.lost)


class Notes:
    """Collects notes on one source.

    Args:
        scan: The source.
        file: Its name, if it is included by another.
    """

    def __init__(self, scan: Scanner, file: str | None = None) -> None:
        self.found: list[Note] = []
        self._file = file
        self._lines = [0] + [place + 1 for place, c in enumerate(scan.source) if c == "\n"]

    def add(self, message: str, offset: int, *, lost: bool = True) -> None:
        """Note something about a place."""
        line = bisect_right(self._lines, offset)
        column = offset - self._lines[line - 1] + 1
        self.found.append(Note(message, line, column, lost, self._file))

    def head(self) -> list[str]:
        """Return the lines of a comment that lists the notes, without the signs of a comment."""
        lines = []
        for title, lost in (("Not carried over:", True), ("Remarks:", False)):
            listed = sorted(
                {(note.file or "", note.line, note.column, str(note)) for note in self.found
                 if note.lost == lost}
            )  # fmt: skip
            if listed:
                lines += [title, *(f"  {' '.join(entry[-1].split())}" for entry in listed)]
        return lines


class _Converter(Protocol):
    def __call__(self, source: str, base_path: str | os.PathLike[str] | None, /) -> Conversion:
        """Convert one source."""


def convert(
    source: str,
    *,
    from_: str,
    strict: bool = False,
    base_path: str | os.PathLike[str] | None = None,
) -> Conversion:
    """Convert a grammar of another tool.

    Args:
        source: The grammar.
        from_: Whose it is: ``"antlr4"`` or ``"nearley"``.
        strict: Refuse a grammar of which something cannot be carried over.
        base_path: The folder in which included files are looked for.

    Raises:
        GrammarError: The grammar is malformed, or ``from_`` is not known.
        UnsupportedConstraint: ``strict``, and something is not carried over.
        LimitError: It expands to too much.

    Example:
        >>> from formgate.plugins.cfg import convert
        >>> converted = convert('main -> "a" [0-9]:+', from_="nearley")
        >>> converted.format
        'gbnf'
    """
    if from_ not in CONVERTERS:
        known = ", ".join(repr(name) for name in CONVERTERS)
        raise GrammarError(f"grammars of {from_!r} cannot be converted; known are {known}")
    if not isinstance(source, str):
        raise GrammarError(f"a grammar to convert is a string, not {type(source).__name__}")
    module = import_module(f"formgate.plugins.cfg.{CONVERTERS[from_]}")
    converter: _Converter = module.convert
    try:
        conversion = converter(source, base_path)
    except RecursionError:
        raise LimitError(
            "rules refer to each other, and groups to groups, too deeply to be written out; "
            "divide the longest chain"
        ) from None
    if strict and conversion.lost:
        raise UnsupportedConstraint(
            "not all of the grammar can be carried over: "
            + "; ".join(str(note) for note in conversion.lost[:5]),
            hint="without strict, what is missing is listed and the rest converted",
        )
    return conversion
