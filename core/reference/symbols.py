"""The alphabets: bytes, terminals, and the end of input in both.

The formal model (Park, Zhou and D'Antoni, "Flexible and Efficient Grammar-Constrained Decoding",
arXiv 2502.05111, and its Lean formalisation) reads the end of a text as one more character, and
has the lexer report it as one more terminal. Here one value, ``EOS``, plays both parts.
"""

from __future__ import annotations

import enum
from collections.abc import Hashable
from typing import Final, TypeAlias

__all__ = ["EOS", "EndOfInput", "ExtChar", "ExtTerminal", "Marker", "State", "Terminal"]


class EndOfInput(enum.Enum):
    """The type of the one value ``EOS``."""

    EOS = "$"

    def __repr__(self) -> str:
        return "EOS"


class Marker(enum.Enum):
    """States that constructions add; values of their own, so that they clash with no other."""

    LEXER_START = "nothing read since the start"
    TOKENS = "the one state of the detokeniser"
    BEFORE = "before the first terminal"
    ACCEPTED = "a whole sentence read"
    PARSER_END = "end of input read"
    OUTPUT_END = "output ended"

    def __repr__(self) -> str:
        return self.name


EOS: Final = EndOfInput.EOS

ExtChar: TypeAlias = int | EndOfInput
"""A byte (0 to 255), or the end of input."""

Terminal: TypeAlias = str
"""The name of a terminal."""

ExtTerminal: TypeAlias = str | EndOfInput
"""A terminal, or the end of input."""

State: TypeAlias = Hashable
"""A state of a machine; any value that can be a dictionary key."""
