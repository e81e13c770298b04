r"""Patterns as pydantic reads them, written for ECMA-262.

Rust's `regex` and Python's `re` differ from ECMA-262 in what `\d`, `\w`, `\s` and their complements
are, in anchors, and in classes. Each part is written as a set that ECMA-262 reads, no larger than
what the engine of the model takes, or no smaller where it stands in a negation. One walk over the
pattern, with a stack of its groups.
"""

from __future__ import annotations

import re
from typing import NamedTuple

__all__ = ["read_alike"]

# White space of Unicode; Python's has four controls more.
_SPACE = r"\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
_NO_SPACE = (
    r"\u0000-\u0008\u000e-\u001f!-\u0084\u0086-\u009f\u00a1-\u167f\u1681-\u1fff\u200b-\u2027"
    r"\u202a-\u202e\u2030-\u205e\u2060-\u2fff\u3001-\uffff\u{10000}-\u{10ffff}"
)
_WORD = r"\p{Alphabetic}\p{M}\p{N}\p{Pc}\u200c\u200d"
_ASCII_WORD = "A-Za-z0-9_"
_ASCII_NO_WORD = r"\u0000-/:-@\[-\^`{-\u007f"
_NAMES = "dDwWsS"
# What may stand in a class: a set no larger, and one no smaller, than that of both engines.
_SETS = {
    "d": ("0-9", r"\p{Nd}"),
    "D": (r"\P{Nd}", r"\u0000-/:-\uffff\u{10000}-\u{10ffff}"),
    "w": (_ASCII_WORD, _WORD),
    "W": (_ASCII_NO_WORD, rf"{_ASCII_NO_WORD}\u0080-\uffff\u{{10000}}-\u{{10ffff}}"),
    "s": (_SPACE, rf"{_SPACE}\u001c-\u001f"),
    "S": (_NO_SPACE.replace(r"\u000e-\u001f", r"\u000e-\u001b"), _NO_SPACE),
}
_BOUNDARY = f"(?:(?<=[{_ASCII_WORD}])(?![{_WORD}])|(?<![{_WORD}])(?=[{_ASCII_WORD}]))"
_INSIDE = f"(?:(?<=[{_ASCII_WORD}])(?=[{_ASCII_WORD}])|(?<![{_WORD}])(?![{_WORD}]))"
_EASY = re.compile(
    r"(?:[^\\\[(]|\((?!\?)|\[\^?(?:[A-Za-z0-9_ .,:/@+]|-(?!-))+\]|\\[.*+?^$()|{}/\\\[\]]"
    r"|\\d(?!.*\(\?))*"
)
_OPERATIONS = ("&&", "--", "~~", "[")
_END = {True: r"(?=\n?$)", False: "$"}


class _UnlikeError(Exception):
    """A part means something else, or nothing, in ECMA-262."""


def read_alike(pattern: str | re.Pattern[str], *, rust: bool) -> str | None:
    """Return a pattern of ECMA-262 whose texts an engine finds a match in; None if there is none.

    Args:
        pattern: As pydantic has it.
        rust: Whether Rust's engine reads it, which reads no pattern that Python compiled.
    """
    if isinstance(pattern, re.Pattern):
        if not _without_flags(pattern):
            return None
        pattern, rust = pattern.pattern, False
    if _EASY.fullmatch(pattern) is not None:
        return pattern
    try:
        return _Walk(pattern, rust).run()
    except (_UnlikeError, IndexError):
        return None


def _without_flags(pattern: re.Pattern[str]) -> bool:
    """Say whether the flags of a pattern only ever add texts."""
    flags = pattern.flags & ~(re.UNICODE | re.DOTALL)
    if flags & re.VERBOSE or (flags & re.ASCII and re.search(r"\\[DWS]|\[\^", pattern.pattern)):
        return False
    return not flags or re.search(r"\[\^|\(\?<?!|\\[DWSbB]", pattern.pattern) is None


class _Part(NamedTuple):
    text: str
    end: int


class _Walk:
    """One walk over a pattern."""

    def __init__(self, pattern: str, rust: bool) -> None:
        self._pattern = pattern
        self._rust = rust
        self._wide = [False]  # of each open group: whether more texts are wanted, not fewer

    def run(self) -> str:
        """Return the pattern in the words of ECMA-262."""
        found, at = [], 0
        while at < len(self._pattern):
            text, at = self._part(at)
            found.append(text)
        return "".join(found)

    def _part(self, at: int) -> _Part:
        char = self._pattern[at]
        wide = self._wide[-1]
        if char == "\\":
            return self._escape(at + 1)
        if char == "[":
            return self._class(at + 1)
        if char == "(":
            return self._group(at)
        if char == ")" and len(self._wide) > 1:
            self._wide.pop()
        elif char == "." and wide:
            return _Part(r"[^\n]", at + 1)
        elif char == "$":
            return _Part(_END[wide and not self._rust], at + 1)
        return _Part(char, at + 1)

    def _group(self, at: int) -> _Part:
        rest = self._pattern[at + 1 : at + 4]
        self._wide.append(self._wide[-1] ^ rest.startswith(("?!", "?<!")))
        if rest == "?P<":
            return _Part("(?<", at + 4)
        if rest == "?P=":
            self._wide.pop()
            end = self._pattern.index(")", at)
            return _Part(rf"\k<{self._pattern[at + 4 : end]}>", end + 1)
        return _Part("(", at + 1)

    def _escape(self, at: int) -> _Part:
        name = self._pattern[at]
        if name in _NAMES:
            return _Part(f"[{_SETS[name][self._wide[-1]]}]", at + 1)
        if name in "bB":
            if self._wide[-1] or self._pattern[at + 1 : at + 2] == "{":
                raise _UnlikeError
            return _Part(_BOUNDARY if name == "b" else _INSIDE, at + 1)
        if name in ("A", "z" if self._rust else "Z"):
            return _Part("^" if name == "A" else "$", at + 1)
        if name in "<>" and self._rust:
            raise _UnlikeError
        return self._character(at)

    def _character(self, at: int) -> _Part:
        """Return an escape that stands for one character, or is left to ECMA-262."""
        name = self._pattern[at]
        if name in "xuU" and self._pattern[at + 1 : at + 2] == "{":
            end = self._pattern.index("}", at)
            return _Part(f"\\u{{{self._pattern[at + 2 : end]}}}", end + 1)
        if name == "U":
            return _Part(f"\\u{{{self._pattern[at + 1 : at + 9].lstrip('0') or '0'}}}", at + 9)
        if name == "a":
            return _Part(r"\u0007", at + 1)
        return _Part(f"\\{name}", at + 1)

    def _class(self, at: int) -> _Part:
        negated = self._pattern.startswith("^", at)
        at += negated
        wide = self._wide[-1] ^ negated
        found, first = [], True
        while first or self._pattern[at] != "]":
            char = self._pattern[at]
            if self._rust and self._pattern.startswith(_OPERATIONS, at):
                raise _UnlikeError
            if char == "\\" and self._pattern[at + 1] in _NAMES:
                found.append(_SETS[self._pattern[at + 1]][wide])
                at += 2
            elif char == "\\" and self._pattern[at + 1] != "b":
                text, at = self._character(at + 1)
                found.append(text)
            else:
                found.append("\\" + char if char in "[]" else char)
                at += 1
            first = False
        return _Part(f"[{'^' if negated else ''}{''.join(found)}]", at + 1)
