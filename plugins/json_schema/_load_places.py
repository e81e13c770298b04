"""Where in a schema's text something stands that Python's JSON reader does not place.

The reader's hooks see keys and numbers without their offsets. So once one is refused, the text is
read again, token by token and without recursion; what comes before the place is known to be JSON.
"""

from __future__ import annotations

import re
from json import JSONDecodeError, JSONDecoder
from typing import TYPE_CHECKING, NamedTuple, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["Place", "find_atom", "find_repeated_key"]

_SKIPPED = re.compile(r"[ \t\n\r,:]*")
_STRINGS = JSONDecoder()
_ATOM = re.compile(r'[^\s,:\[\]{}"]+')


class Place(NamedTuple):
    """A part of a schema's text.

    Attributes:
        pointer: The JSON pointer of the object whose key it is, or of the value that it is.
        start, end: Its offsets.
    """

    pointer: str
    start: int
    end: int


class _Level:
    """An object or an array that is open.

    Attributes:
        keys: The keys so far; None in an array.
        step: The key or the position of the value that comes.
        valued: Whether a key has been read and its value comes next.
    """

    __slots__ = ("keys", "step", "valued")

    def __init__(self, *, is_object: bool) -> None:
        self.keys: set[str] | None = set() if is_object else None
        self.step = "" if is_object else "-1"
        self.valued = False

    def go_on(self) -> None:
        """Take note that a value begins."""
        if self.keys is None:
            self.step = str(int(self.step) + 1)
        self.valued = False


def find_repeated_key(text: str) -> Place | None:
    """Return the first key that an object in a text has had before."""
    for place, is_key, again in _tokens(text):
        if is_key and again:
            return place
    return None


def find_atom(text: str, wanted: Callable[[str], bool]) -> Place | None:
    """Return the first number or word in a text that is wanted."""
    for place, is_key, _ in _tokens(text):
        if not is_key and wanted(text[place.start : place.end]):
            return place
    return None


def _tokens(text: str) -> Iterator[tuple[Place, bool, bool]]:
    """Yield the keys of a text, and if their object has had them, and its numbers and words.

    A text that is no JSON from somewhere on has no more of them.
    """
    levels: list[_Level] = []
    at = 0
    while True:
        at = cast("re.Match[str]", _SKIPPED.match(text, at)).end()
        if at >= len(text):
            return
        level = levels[-1] if levels else None
        character = text[at]
        if character in "}]":
            if levels:
                levels.pop()
            at += 1
            continue
        is_key = character == '"' and level is not None and level.keys is not None
        if is_key and level is not None and level.keys is not None and not level.valued:
            name, end = _string(text, at)
            yield Place(_pointer(levels[:-1]), at, end), True, name in level.keys
            level.keys.add(name)
            level.step, level.valued = name, True
            at = end
            continue
        if level is not None:
            level.go_on()
        if character in "{[":
            levels.append(_Level(is_object=character == "{"))
            at += 1
        elif character == '"':
            at = _string(text, at)[1]
        else:
            found = _ATOM.match(text, at)
            if found is None:
                return
            yield Place(_pointer(levels), at, found.end()), False, False
            at = found.end()


def _string(text: str, at: int) -> tuple[str, int]:
    """Return a string and where it ends; what is none ends the text."""
    try:
        name, end = _STRINGS.raw_decode(text, at)
    except JSONDecodeError:
        return "", len(text)
    return name, end


def _pointer(levels: list[_Level]) -> str:
    """Return the JSON pointer that the open objects and arrays make."""
    steps = (level.step.replace("~", "~0").replace("/", "~1") for level in levels)
    return "".join(["#", *("/" + step for step in steps)])
