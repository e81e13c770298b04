r"""Patterns as pydantic reads them, written for ECMA-262.

Rust's `regex` and Python's `re` differ from ECMA-262 in flags, counts, groups, anchors, escapes and
classes. Each part is written in words that ECMA-262 reads, so that no text is matched that the
engine of the model does not match; in a negation, so that none is left out. What is not known to
have such words is not read. One walk over the pattern, with a stack of its groups.
"""

from __future__ import annotations

import re
import warnings
from typing import NamedTuple

from formgate.core.errors import GrammarError, LimitError
from formgate.plugins.json_schema._ecma import parse_ecma
from formgate.plugins.json_schema._types_pydantic_classes import (
    NO_WORD,
    WORD,
    Reading,
    UnlikeError,
    literal,
    read_class,
    read_escape,
)

__all__ = ["read_alike"]

_BOUNDARY = f"(?:(?<=[{WORD}])(?![{NO_WORD}])|(?<![{NO_WORD}])(?=[{WORD}]))"
_INSIDE = f"(?:(?<=[{WORD}])(?=[{WORD}])|(?<![{NO_WORD}])(?![{NO_WORD}]))"
# Python, before 3.14, finds none in the empty text: there is a character on one side.
_PYTHONS_INSIDE = (
    f"(?:(?<=[{WORD}])(?=[{WORD}])"
    f"|(?<=[^{NO_WORD}])(?![{NO_WORD}])|(?<![{NO_WORD}])(?=[^{NO_WORD}]))"
)
# Patterns of parts that all three read alike, but for what is said of `.` and `$` in the docs.
_EASY = re.compile(
    r"(?:(?:[^\\\[(){}*+?|^$]|\)|\[\^?(?:[A-Za-z0-9_ .,:/@+]|-(?!-))+\]|\\[.*+?^$()|{}/\\\[\]]|\\d)"
    r"(?:[*+?]|\{[0-9]+(?:,[0-9]*)?\})?\??(?![*+?{])|\((?!\?)|[|^$](?![*+?{]))*"
)
_COUNT = {
    True: re.compile(r"\{\s*([0-9]+)\s*(?:(,)\s*([0-9]*)\s*)?\}"),
    False: re.compile(r"\{(?!\})([0-9]*)(?:(,)([0-9]*))?\}"),
}
_FLAGS = re.compile(r"\(\?([A-Za-z]*)(?:-([A-Za-z]+))?([:)])")
_NAME = {True: re.compile(r"\(\?P?<[^>=!][^>]*>"), False: re.compile(r"\(\?P<[^>]+>")}
_LOOKS = ("(?=", "(?!", "(?<=", "(?<!")
_LETTERS = (
    (re.IGNORECASE, "i"),
    (re.MULTILINE, "m"),
    (re.DOTALL, "s"),
    (re.VERBOSE, "x"),
    (re.ASCII, "a"),
)
_PYTHON_BLANKS = " \t\n\r\v\f"
_INFORMATION = "\x1c\x1d\x1e\x1f"  # blank to Python's `isspace`, not to Rust's
# What the last part read allows a quantifier to do.
_NOTHING, _PART, _PLACE, _REPEATED = range(4)


def read_alike(pattern: str | re.Pattern[str], *, rust: bool) -> str | None:
    """Return a pattern of ECMA-262 whose texts an engine finds a match in; None if there is none.

    Args:
        pattern: As pydantic has it.
        rust: Whether Rust's engine reads it, which reads no pattern that Python compiled.
    """
    flags = ""
    if isinstance(pattern, re.Pattern) or not rust:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                compiled = re.compile(pattern)
        except re.error:
            return None
        flags = "".join(letter for flag, letter in _LETTERS if compiled.flags & flag)
        pattern, rust = compiled.pattern, False
    if not flags and _EASY.fullmatch(pattern) is not None:
        return pattern
    try:
        found = _Walk(pattern, rust, flags).run()
        parse_ecma(found)
    except (UnlikeError, GrammarError, IndexError):
        return None
    except LimitError:  # as it is when the schema is read
        pass
    return found


class _Group(NamedTuple):
    """An open group: what it opens with, and what was being read then."""

    opening: str
    parts: list[str]
    flags: frozenset[str]
    wide: bool


class _Walk:
    """One walk over a pattern; `parts` are those of the innermost open group."""

    def __init__(self, pattern: str, rust: bool, flags: str) -> None:
        self._pattern = pattern
        self._rust = rust
        self._flags = frozenset(flags)
        self._wide = False
        self._at = 0
        self._parts: list[str] = []
        self._groups: list[_Group] = []
        self._last = _NOTHING

    def run(self) -> str:
        """Return the pattern in the words of ECMA-262."""
        while self._at < len(self._pattern):
            self._step(self._pattern[self._at])
        if self._groups:
            raise UnlikeError
        return "".join(self._parts)

    def _step(self, char: str) -> None:
        """Read what begins with a character."""
        if "x" in self._flags and self._blank(char):
            return
        if char == "(":
            self._open()
        elif char == ")":
            self._close()
        elif char == "|":
            self._add("|", 1, _NOTHING)
        elif char in "*+?{":
            self._quantifier(char)
        elif char in "^$":
            self._add(self._end(char), 1, _PLACE)
        elif char == "\\":
            self._escape()
        elif char == "[":
            text, end = read_class(self._pattern, self._at + 1, self._how())
            self._add(text, end - self._at)
        elif char == ".":
            narrow = "." if not self._wide else r"[^\n]"
            self._add("[^]" if "s" in self._flags else narrow, 1)
        else:
            self._add(literal(ord(char), self._how()), 1)

    def _add(self, text: str, size: int, last: int = _PART) -> None:
        self._parts.append(text)
        self._at += size
        self._last = last

    def _how(self) -> Reading:
        flags = self._flags
        return Reading(self._rust, self._wide, "i" in flags, "a" in flags, "x" in flags)

    def _blank(self, char: str) -> bool:
        """Read over white space or a comment of a verbose pattern, if there is any here."""
        if char == "#":
            end = self._pattern.find("\n", self._at)
            self._at = len(self._pattern) if end < 0 else end + 1
            return True
        if self._rust:
            blank = char.isspace() and char not in _INFORMATION
        else:
            blank = char in _PYTHON_BLANKS
        self._at += blank
        return blank

    # -- groups

    def _open(self) -> None:
        """Read what opens a group, sets flags, or is a comment."""
        pattern, at = self._pattern, self._at
        if not pattern.startswith("(?", at):
            self._push("(", 1)
        elif pattern.startswith(_LOOKS, at) and not self._rust:
            opening = next(look for look in _LOOKS if pattern.startswith(look, at))
            self._push(opening, len(opening))
            self._wide ^= "!" in opening
        elif (name := _NAME[self._rust].match(pattern, at)) is not None:
            self._push("(?:", name.end() - at)
        elif pattern.startswith("(?#", at) and not self._rust:
            self._at = pattern.index(")", at) + 1
        elif (found := _FLAGS.match(pattern, at)) is not None:
            on, off, end = found.groups(default="")
            flags = self._changed(on, off)
            if end == ":":
                self._push("(?:", found.end() - at)
                self._flags = flags
            elif self._rust:
                self._flags, self._last, self._at = flags, _NOTHING, found.end()
            else:  # they hold of the whole pattern, so they are known
                self._at = found.end()
        else:
            raise UnlikeError

    def _changed(self, on: str, off: str) -> frozenset[str]:
        """Return the flags after some are set and others are not any more."""
        added, removed = set(on), set(off)
        if added & {"L"}:
            raise UnlikeError
        if "u" in added:
            removed.add("a")
        if "u" in removed:
            added.add("a")
        return self._flags - removed | added - {"u"}

    def _push(self, opening: str, size: int) -> None:
        self._groups.append(_Group(opening, self._parts, self._flags, self._wide))
        self._parts = []
        self._at += size
        self._last = _NOTHING

    def _close(self) -> None:
        """Read what closes a group, which is one part then."""
        if not self._groups:
            raise UnlikeError
        group, inner = self._groups.pop(), "".join(self._parts)
        self._parts, self._flags, self._wide = group.parts, group.flags, group.wide
        self._add(f"{group.opening}{inner})", 1, _PLACE if group.opening in _LOOKS else _PART)

    # -- quantifiers

    def _quantifier(self, char: str) -> None:
        """Read a quantifier, or to Python the brace itself where it begins none."""
        if char != "{":
            self._repeat(char, self._at + 1)
            return
        count = _COUNT[self._rust].match(self._pattern, self._at)
        if count is not None:
            low, comma, high = count.groups(default="")
            self._repeat(f"{{{low or 0}{comma}{high}}}", count.end())
        elif self._rust:
            raise UnlikeError
        else:
            self._add(r"\{", 1)

    def _repeat(self, quantifier: str, end: int) -> None:
        """Repeat the last part; whether few or many are tried first makes no difference."""
        if self._last == _NOTHING or (self._last == _REPEATED and not self._repeats_again()):
            raise UnlikeError
        if self._pattern.startswith("?", end):
            end += 1
        elif self._pattern.startswith("+", end) and not self._rust:  # possessive
            raise UnlikeError
        if self._last != _PART:
            self._parts[-1] = f"(?:{self._parts[-1]})"
        self._parts[-1] += quantifier
        self._last = _REPEATED
        self._at = end

    def _repeats_again(self) -> bool:
        """Say whether what is repeated may be repeated, and no blank hides what a `?` means."""
        return self._rust and "x" not in self._flags

    # -- places

    def _end(self, char: str) -> str:
        """Return the words for the beginning or the end."""
        if "m" in self._flags:
            if "R" in self._flags:
                raise UnlikeError
            return r"(?<![^\n])" if char == "^" else r"(?![^\n])"
        return r"(?=\n?$)" if char == "$" and self._wide and not self._rust else char

    def _escape(self) -> None:
        pattern, at = self._pattern, self._at
        name = pattern[at + 1]
        if name in "bB":
            # In a negation, they would have to be places of more words; Rust has `\b{start}`.
            if self._wide or (self._rust and pattern.startswith("{", at + 2)):
                raise UnlikeError
            inside = _INSIDE if self._rust or re.search(r"\B", "") else _PYTHONS_INSIDE
            self._add(_BOUNDARY if name == "b" else inside, 2, _PLACE)
        elif name in "AzZ":
            self._add("^" if name == "A" else "$", 2, _PLACE)
        else:
            text, end = read_escape(pattern, at + 1, self._how())
            self._add(text, end - at)
