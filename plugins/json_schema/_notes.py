"""What each builder was given already: sets of numbers and of strings, and how many schemas."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from formgate.core.grammar import GrammarBuilder, Node
    from formgate.plugins.json_schema._numbers import NumberSet
    from formgate.plugins.json_schema._numbers_write import NumberWriter
    from formgate.plugins.json_schema._spelled import Numerals
    from formgate.plugins.json_schema._strings_keys import Key

__all__ = ["Notes", "notes_of"]


class Notes:
    """Notes on one builder.

    Attributes:
        schemas: How many schemas were written: their rules need names of their own.
        numbers: Nodes of sets of numbers.
        numerals: Those of sets of numbers by how they are spelled.
        writer: What writes numbers where it is not recorded.
        strings: Nodes of expressions of strings.
        anything: The options that any value was written with, and its node.
    """

    __slots__ = ("anything", "numbers", "numerals", "schemas", "strings", "writer")

    def __init__(self) -> None:
        self.schemas = 0
        self.numbers: dict[NumberSet, Node] = {}
        self.numerals: dict[Numerals, Node] = {}
        self.writer: NumberWriter | None = None
        self.strings: dict[Key, Node] = {}
        self.anything: tuple[object, Node] | None = None


def notes_of(builder: GrammarBuilder) -> Notes:
    """Return the notes on a builder; they stand with it, since some refer to it."""
    found = builder._format_notes  # noqa: SLF001 (it is there for this)
    if not isinstance(found, Notes):
        found = builder._format_notes = Notes()  # noqa: SLF001
    return found
