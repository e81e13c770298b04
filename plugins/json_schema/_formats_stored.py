"""Formats as they are stored: the calls that write one, and how long its texts are, in a text.

To read the pattern of a URI or of an internationalised name and to walk its tree takes ten to two
hundred times as long as to read the calls that come of it. They are stored as JSON, deflated, in
base 64: Python has all three in C.
"""

from __future__ import annotations

import json
from binascii import a2b_base64, b2a_base64
from typing import TYPE_CHECKING, Any, NamedTuple
from zlib import compress, decompress

from formgate.plugins.json_schema._strings_record import Program

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formgate.plugins.json_schema._strings_record import Call

__all__ = ["Stored", "contents", "pack", "unpack"]


class Stored(NamedTuple):
    """A format.

    Attributes:
        low, high: How long its texts are at least and at most, as written.
        program: What writes it.
    """

    low: int
    high: int | None
    program: Program


def pack(extent: tuple[int, int | None], calls: Sequence[Call], wanted: int) -> str:
    """Return a format as a text.

    Args:
        extent: How long its texts are.
        calls: The calls that write it; none is for an automaton.
        wanted: Which of them makes its node.
    """
    text = json.dumps([*extent, wanted, calls], separators=(",", ":"))
    return b2a_base64(compress(text.encode(), 9), newline=False).decode()


def contents(text: str) -> tuple[int, int | None, int, list[list[Any]]]:
    """Return what a text holds: the least and the greatest length, the wanted call, the calls."""
    low, high, wanted, calls = json.loads(decompress(a2b_base64(text)))
    return low, high, wanted, calls


def unpack(text: str) -> Stored:
    """Return the format of a text."""
    low, high, wanted, calls = contents(text)
    made = [(method, tuple(parts), _hashable(values)) for method, parts, values in calls]
    return Stored(low, high, Program(made, wanted))


def _hashable(values: Sequence[object]) -> tuple[object, ...]:
    """Return lists within lists as tuples, as calls were made with."""
    return tuple([_hashable(one) if isinstance(one, list) else one for one in values])
