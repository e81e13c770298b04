"""The syntax tree of a pattern.

Flags are resolved while parsing, so the tree has none: a literal under IGNORECASE is a class of
its case variants, ``.`` is a class, an anchor says which kind it is. Groups leave no node, since
which group matched what makes no difference to the language. Every node knows the span of the
pattern it came from.

Nodes are plain tuples, so that a tree of any depth is made and dropped without recursion; do not
compare or print deep ones. Walk them with a stack of your own.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from formgate.plugins.regex._ranges import Ranges

__all__ = [
    "Alternation",
    "Anchor",
    "AnchorKind",
    "Atomic",
    "CharClass",
    "Literal",
    "Look",
    "Repeat",
    "RepeatMode",
    "Sequence",
    "Syntax",
]


class Literal(NamedTuple):
    """A run of characters that stand for themselves."""

    text: str
    start: int
    end: int


class CharClass(NamedTuple):
    """One character out of a set."""

    ranges: Ranges
    start: int
    end: int


class Sequence(NamedTuple):
    """Items one after the other; none at all matches the empty text."""

    items: list[Syntax]
    start: int
    end: int


class Alternation(NamedTuple):
    """Any one of two or more branches."""

    branches: list[Syntax]
    start: int
    end: int


class RepeatMode(Enum):
    """Which number of rounds is tried first; under full match it matters for POSSESSIVE only."""

    GREEDY = "greedy"
    LAZY = "lazy"
    POSSESSIVE = "possessive"


class Repeat(NamedTuple):
    """The body ``minimum`` to ``maximum`` times; no limit where ``maximum`` is None."""

    body: Syntax
    minimum: int
    maximum: int | None
    mode: RepeatMode
    start: int
    end: int


class Atomic(NamedTuple):
    """``(?>...)``: the first way the body matches is the only one tried."""

    body: Syntax
    start: int
    end: int


class Look(NamedTuple):
    """Look-ahead or look-behind: a condition on the text around a place."""

    body: Syntax
    behind: bool
    negative: bool
    start: int
    end: int


class AnchorKind(Enum):
    r"""The condition an anchor puts on a place: ``\A ^ \Z $ \b \B``, ``^`` and ``$`` by line."""

    TEXT_START = "text start"
    LINE_START = "line start"
    TEXT_END = "text end"
    LAST_LINE_END = "end, or before the last newline"
    LINE_END = "line end"
    BOUNDARY = "word boundary"
    NOT_BOUNDARY = "no word boundary"


class Anchor(NamedTuple):
    """An anchor; ``ascii_only`` says which word characters a boundary goes by."""

    kind: AnchorKind
    ascii_only: bool
    start: int
    end: int


Syntax = Literal | CharClass | Sequence | Alternation | Repeat | Atomic | Look | Anchor
