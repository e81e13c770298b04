r"""Escapes and classes of patterns as pydantic reads them, written for ECMA-262.

Rust's `regex` and Python's `re` differ from ECMA-262, and from each other, in what `\d`, `\w`, `\s`
and their complements are, in the syntax of classes, and in how a character is spelled. What is read
here is a set that ECMA-262 reads, no larger than what the engine takes, or no smaller where it
stands in a negation. What is not known to be read alike is an error.
"""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

from formgate.plugins.json_schema._types_pydantic_properties import known_name, property_class

__all__ = [
    "NO_WORD",
    "WORD",
    "Reading",
    "UnlikeError",
    "literal",
    "read_class",
    "read_escape",
]

# White space of Unicode; Python's has four controls more.
_SPACE = r"\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
_NO_SPACE = (
    r"\u0000-\u0008\u000e-\u001f!-\u0084\u0086-\u009f\u00a1-\u167f\u1681-\u1fff\u200b-\u2027"
    r"\u202a-\u202e\u2030-\u205e\u2060-\u2fff\u3001-\uffff\u{10000}-\u{10ffff}"
)
_BEYOND = r"\u0080-\uffff\u{10000}-\u{10ffff}"
_WIDE_WORD = r"\p{Alphabetic}\p{M}\p{N}\p{Pc}\u200c\u200d"
_ASCII_WORD = "A-Za-z0-9_"
_ASCII_NO_WORD = r"\u0000-/:-@\[-\^`{-\u007f"
# What may stand in a class: a set no larger, and one no smaller, than that of both engines.
_SETS = {
    "d": ("0-9", r"\p{Nd}"),
    "D": (r"\P{Nd}", rf"\u0000-/:-\u007f{_BEYOND}"),
    "w": (_ASCII_WORD, _WIDE_WORD),
    "W": (_ASCII_NO_WORD, f"{_ASCII_NO_WORD}{_BEYOND}"),
    "s": (_SPACE, rf"{_SPACE}\u001c-\u001f"),
    "S": (_NO_SPACE.replace(r"\u000e-\u001f", r"\u000e-\u001b"), _NO_SPACE),
}
_ASCII_SETS = {
    "d": "0-9",
    "D": rf"\u0000-/:-\u007f{_BEYOND}",
    "w": _ASCII_WORD,
    "W": f"{_ASCII_NO_WORD}{_BEYOND}",
    "s": r"\t-\r ",
    "S": rf"\u0000-\u0008\u000e-\u001f!-\u007f{_BEYOND}",
}
# For sure a character of words, in a class, and all that may be one.
WORD, NO_WORD = _ASCII_WORD, _WIDE_WORD

_POSIX = {
    "alnum": ("09", "AZ", "az"),
    "alpha": ("AZ", "az"),
    "ascii": ("\x00\x7f",),
    "blank": ("\t\t", "  "),
    "cntrl": ("\x00\x1f", "\x7f\x7f"),
    "digit": ("09",),
    "graph": ("!~",),
    "lower": ("az",),
    "print": (" ~",),
    "punct": ("!/", ":@", "[`", "{~"),
    "space": ("\t\r", "  "),
    "upper": ("AZ",),
    "word": ("09", "AZ", "az", "__"),
    "xdigit": ("09", "AF", "af"),
}
_POSIX_NAME = re.compile(r"\[:([a-z]+):\]")
_CODE = {
    True: re.compile(
        r"(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|[xuU]\{([0-9A-Fa-f]{1,8})\})"
    ),
    False: re.compile(r"(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8}))"),
}
_NAMED = re.compile(r"N\{([^}]+)\}")
_OCTAL = re.compile("0[0-7]{0,2}|[1-3][0-7]{2}")
_OCTAL_IN_CLASS = re.compile("[0-7]{1,3}")
_PROPERTY = re.compile(r"[pP](?:\{([A-Za-z0-9_]+(?:=[A-Za-z0-9_]+)?)\}|([A-Z]))")
_CONTROLS = {"a": 7, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11}
_OPERATIONS = ("&&", "--", "~~", "[")
_SYNTAX = r"^$\.*+?()[]{}|/"
# What else matches these letters when case does not matter: dotted and dotless i, Kelvin, long s.
_MORE_CASES = {"i": (0x130, 0x131), "k": (0x212A,), "s": (0x17F,)}
_LAST_ASCII, _LAST_BMP = 0x7F, 0xFFFF


class UnlikeError(Exception):
    """A part means something else, or nothing, in ECMA-262."""


class Reading(NamedTuple):
    """How a part of a pattern is read."""

    rust: bool  # by Rust's engine, rather than Python's
    wide: bool = False  # whether more texts are wanted, not fewer
    fold: bool = False  # whether case does not matter
    ascii: bool = False
    verbose: bool = False


def literal(code: int, how: Reading) -> str:
    """Return the expression of a character outside of classes."""
    spans = _folded(code, code, how)
    if len(spans) == 1:
        return _written(code, _SYNTAX)
    return f"[{_members(spans)}]"


def read_escape(pattern: str, at: int, how: Reading) -> tuple[str, int]:
    """Return the expression of an escape of a character or a set, and where it ends.

    Args:
        pattern: The pattern.
        at: Where the escape goes on after its backslash.
        how: How it is read.
    """
    found, end = _escape(pattern, at, how, in_class=False)
    return (literal(found, how) if isinstance(found, int) else f"[{found}]"), end


def read_class(pattern: str, at: int, how: Reading) -> tuple[str, int]:
    """Return the expression of a class, and where it ends; it goes on at a place after `[`."""
    negated = pattern.startswith("^", at)
    at += negated
    how = how._replace(wide=how.wide ^ negated)
    found: list[str] = []
    while how.rust and pattern.startswith("-", at):
        found.append(r"\-")
        at += 1
    if pattern.startswith("]", at) and not found:
        # To Rust a bracket here is no beginning of a range, to Python it is.
        low, at = (0x5D, at + 1)
        text, at = (r"\]", at) if how.rust else _range(pattern, low, at, how)
        found.append(text)
    while pattern[at] != "]":
        text, at = _item(pattern, at, how)
        found.append(text)
    return f"[{'^' if negated else ''}{''.join(found)}]", at + 1


def _item(pattern: str, at: int, how: Reading) -> tuple[str, int]:
    """Return a member of a class and where it ends."""
    if how.rust and pattern.startswith(_OPERATIONS, at):
        named = _POSIX_NAME.match(pattern, at)
        if named is None or named.group(1) not in _POSIX:
            raise UnlikeError
        ends = [(ord(pair[0]), ord(pair[1])) for pair in _POSIX[named.group(1)]]
        spans = [span for low, high in ends for span in _folded(low, high, how)]
        return _members(spans), named.end()
    low, at = _member(pattern, at, how)
    return (low, at) if isinstance(low, str) else _range(pattern, low, at, how)


def _range(pattern: str, low: int, at: int, how: Reading) -> tuple[str, int]:
    """Return what begins with a character in a class: the character alone, or a range."""
    high = low
    after = pattern[at + 1 : at + 2]
    if pattern[at] == "-" and after != "]" and not (how.rust and after == "-"):
        end, at = _member(pattern, at + 1, how)
        if isinstance(end, str) or (how.rust and after == "["):
            raise UnlikeError
        high = end
    return _members(_folded(low, high, how)), at


def _member(pattern: str, at: int, how: Reading) -> tuple[int | str, int]:
    char = pattern[at]
    if char == "\\":
        return _escape(pattern, at + 1, how, in_class=True)
    if how.rust and how.verbose and (char.isspace() or char == "#"):
        raise UnlikeError
    return ord(char), at + 1


def _escape(pattern: str, at: int, how: Reading, *, in_class: bool) -> tuple[int | str, int]:
    """Return a character, or what stands for a set in a class, and where it ends."""
    name = pattern[at]
    if name in _SETS:
        return (_ASCII_SETS[name] if how.ascii else _SETS[name][how.wide]), at + 1
    if name in _CONTROLS:
        return _CONTROLS[name], at + 1
    if (code := _CODE[how.rust].match(pattern, at)) is not None:
        return int(next(filter(None, code.groups())), 16), code.end()
    return _rusts_own(pattern, at, how) if how.rust else _pythons_own(pattern, at, in_class)


def _pythons_own(pattern: str, at: int, in_class: bool) -> tuple[int, int]:
    """Return the character that an escape of Python's engine stands for, and where it ends."""
    name = pattern[at]
    octal = (_OCTAL_IN_CLASS if in_class else _OCTAL).match(pattern, at)
    if octal is not None:
        return int(octal.group(), 8), octal.end()
    if (named := _NAMED.match(pattern, at)) is not None:
        return ord(unicodedata.lookup(named.group(1))), named.end()
    if in_class and name == "b":
        return 8, at + 1
    if name.isascii() and name.isalnum():  # references to groups are among them
        raise UnlikeError
    return ord(name), at + 1


def _rusts_own(pattern: str, at: int, how: Reading) -> tuple[int | str, int]:
    """Return what an escape of Rust's engine stands for, and where it ends."""
    name = pattern[at]
    if name in "pP":
        found = _PROPERTY.match(pattern, at)
        negated = name == "P"
        # Where case does not matter, a property has more in it, and its complement less.
        if found is None or how.ascii or (how.fold and (negated or how.wide)):
            raise UnlikeError
        asked = found.group(1) or found.group(2)
        if known_name(asked) is None:
            raise UnlikeError
        return property_class(asked, negated=negated, wide=how.wide), found.end()
    if name.isalnum() or name in "<>" or not name.isascii():
        raise UnlikeError
    return ord(name), at + 1


def _folded(low: int, high: int, how: Reading) -> list[tuple[int, int]]:
    """Return the characters that match one of a range."""
    spans = [(low, high)]
    if not how.fold:
        return spans
    # Python does not find some letters beyond the first plane in their own class.
    if high > (_LAST_ASCII if how.wide else _LAST_BMP):
        raise UnlikeError
    for first, last, step in ((0x41, 0x5A, 0x20), (0x61, 0x7A, -0x20)):
        begin, end = max(low, first), min(high, last)
        if begin <= end:
            spans.append((begin + step, end + step))
    if how.wide:
        letters = {chr(code).lower() for code in range(low, high + 1)}
        for letter in sorted(letters & _MORE_CASES.keys()):
            spans += ((code, code) for code in _MORE_CASES[letter])
    return spans


def _members(spans: list[tuple[int, int]]) -> str:
    """Return ranges as members of a class."""
    parts = (
        "-".join(_written(code, _SYNTAX + "-") for code in sorted({low, high}))
        for low, high in spans
    )
    return "".join(parts)


def _written(code: int, syntax: str) -> str:
    """Return a character as it stands in a pattern."""
    char = chr(code)
    if char in syntax:
        return "\\" + char
    return char if char.isprintable() else f"\\u{{{code:x}}}"
