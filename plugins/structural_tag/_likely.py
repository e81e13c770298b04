"""The text that an output under a structural tag is likely to look like.

Every tag once, one after the other as they stand, with what the formats in them expect: models call
few tools, but which ones cannot be known, and the masks within one tag serve no other.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from formgate.core.grammar._grammar import LikelyText

__all__ = ["likely_text"]

_SOURCES = ("json_schema", "pattern", "grammar")


class _SpecialTokenError(Exception):
    """No text is known beyond a special token."""


def likely_text(
    value: dict[str, Any], expected: Mapping[int, LikelyText], size: int
) -> list[str | bytes]:
    """Return pieces of a text that a format is likely to have, between which the shortest stand.

    Cost: linear in what is returned, and in the formats that come before its end.

    Args:
        value: The format, which was written before.
        expected: What the sources in it expect, by their identity.
        size: About how many characters are wanted.
    """
    sketch = _Sketch(expected, size)
    with suppress(_SpecialTokenError):
        sketch.add(value)
    return sketch.pieces


class _Sketch:
    """Pieces of a text, as far as it goes."""

    def __init__(self, expected: Mapping[int, LikelyText], size: int) -> None:
        self.pieces: list[str | bytes] = []
        self._expected = expected
        self._left = size

    def add(self, value: dict[str, Any]) -> None:
        """Add the text of a format, unless there is enough."""
        if self._left <= 0:
            return
        add = getattr(self, f"_add_{value['type']}", None)
        if add is not None:
            add(value)
        elif "content" in value:  # an optional one, or one that is repeated
            if value.get("max") != 0:
                self.add(value["content"])
        else:
            self._source(value)

    def _add_const_string(self, value: dict[str, Any]) -> None:
        self._piece(value["value"])

    def _add_token(self, value: dict[str, Any]) -> None:
        raise _SpecialTokenError(value)

    def _add_sequence(self, value: dict[str, Any]) -> None:
        for element in value["elements"]:
            self.add(element)

    def _add_or(self, value: dict[str, Any]) -> None:
        self.add(value["elements"][0])

    def _add_tag(self, value: dict[str, Any]) -> None:
        begin, end = value["begin"], value["end"]
        if not isinstance(begin, str):
            raise _SpecialTokenError(begin)
        self._piece(begin)
        self.add(value["content"])
        if isinstance(end, dict):
            raise _SpecialTokenError(end)
        self._piece(end if isinstance(end, str) else end[0])

    def _add_tags_with_separator(self, value: dict[str, Any]) -> None:
        for number, tag in enumerate(_taken(value["tags"], once=value.get("stop_after_first"))):
            if number:
                self._piece(value["separator"])
            self._add_tag(tag)

    def _add_triggered_tags(self, value: dict[str, Any]) -> None:
        for tag in _taken(value["tags"], once=value.get("stop_after_first")):
            self._add_tag(tag)

    def _add_dispatch(self, value: dict[str, Any]) -> None:
        for pattern, inner in _taken(value["rules"], once=not value.get("loop", True)):
            self._piece(pattern)
            self.add(inner)

    def _piece(self, text: str | bytes) -> None:
        if text and self._left > 0:
            self.pieces.append(text)
            self._left -= len(text)

    def _source(self, value: dict[str, Any]) -> None:
        """Add what a source in another format expects, if it does; free text expects nothing."""
        likely = None
        for name in _SOURCES:
            likely = self._expected.get(id(value.get(name)), likely)
        if likely is not None:
            found = likely(self._left)
            for piece in (found,) if isinstance(found, (str, bytes)) else found:
                self._piece(piece)


def _taken(members: list[Any], *, once: object) -> list[Any]:
    return members[:1] if once else members
