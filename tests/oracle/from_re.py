"""Trees of Python patterns.

The structure comes from the parser of Python's own `re`; every character class is decided by asking
`re` itself about each of the 1,112,064 characters. Nothing is known here about Unicode or case.
"""

from __future__ import annotations

import functools
import re
import sys
from typing import TYPE_CHECKING, Any

from oracle.tree import ANY_TEXT, EMPTY, Ranges, Tree, normal_ranges

if TYPE_CHECKING:
    from collections.abc import Iterable

if sys.version_info >= (3, 11):
    from re import _parser as parser
else:
    import sre_parse as parser

_EVERY_CHARACTER = "".join(chr(c) for c in (*range(0xD800), *range(0xE000, 0x110000)))
_CATEGORIES = {
    "CATEGORY_DIGIT": r"\d",
    "CATEGORY_NOT_DIGIT": r"\D",
    "CATEGORY_SPACE": r"\s",
    "CATEGORY_NOT_SPACE": r"\S",
    "CATEGORY_WORD": r"\w",
    "CATEGORY_NOT_WORD": r"\W",
}
_CLASS_FLAGS = re.IGNORECASE | re.ASCII
_TYPE_FLAGS = re.ASCII | re.LOCALE | re.UNICODE


class Unsupported(Exception):  # noqa: N818 - the judge abstains
    """The pattern has a meaning that depends on the order of the search."""


def tree_of_pattern(pattern: str, flags: int = 0) -> Tree:
    """The language of `re.fullmatch(pattern, text, flags)`; raises `re.error` and `Unsupported`."""
    parsed = parser.parse(pattern, flags)
    return _sequence(parsed, parsed.state.flags)


def _sequence(items: Iterable[Any], flags: int) -> Tree:
    parts = tuple(_item(str(code), argument, flags) for code, argument in items)
    return parts[0] if len(parts) == 1 else ("seq", *parts)


def _item(code: str, argument: Any, flags: int) -> Tree:
    handler = _HANDLERS.get(code)
    if handler is None:
        raise Unsupported(code)
    return handler(argument, flags)


def _literal(code_point: int, flags: int) -> Tree:
    return ("chars", _class(f"[\\U{code_point:08x}]", flags))


def _not_literal(code_point: int, flags: int) -> Tree:
    return ("chars", _class(f"[^\\U{code_point:08x}]", flags))


def _any(_: Any, flags: int) -> Tree:
    return (
        "chars",
        normal_ranges([(0, 0x10FFFF)] if flags & re.DOTALL else [(0, 9), (11, 0x10FFFF)]),
    )


def _in(items: list[tuple[Any, Any]], flags: int) -> Tree:
    source = ""
    for code, argument in items:
        name = str(code)
        if name == "NEGATE":
            source = "^" + source
        elif name == "LITERAL":
            source += f"\\U{argument:08x}"
        elif name == "RANGE":
            source += f"\\U{argument[0]:08x}-\\U{argument[1]:08x}"
        else:
            source += _CATEGORIES[str(argument)]
    return ("chars", _class(f"[{source}]", flags))


def _class(source: str, flags: int) -> Ranges:
    return _class_of(source, flags & _CLASS_FLAGS)


@functools.cache
def _class_of(source: str, flags: int) -> Ranges:
    runs = re.compile(f"{source}+", flags).finditer(_EVERY_CHARACTER)
    return normal_ranges((ord(run[0][0]), ord(run[0][-1])) for run in runs)


def _branch(argument: Any, flags: int) -> Tree:
    return ("choice", *(_sequence(branch, flags) for branch in argument[1]))


def _subpattern(argument: Any, flags: int) -> Tree:
    _, added, removed, body = argument
    if added & _TYPE_FLAGS:
        flags &= ~_TYPE_FLAGS
    return _sequence(body, (flags | added) & ~removed)


def _repeat(argument: Any, flags: int) -> Tree:
    least, most, body = argument
    unbounded = most == parser.MAXREPEAT
    return ("repeat", _sequence(body, flags), int(least), None if unbounded else int(most))


def _look(argument: Any, flags: int, *, negative: bool) -> Tree:
    direction, body = argument
    inner = _sequence(body, flags)
    if direction > 0:
        return ("ahead", ("seq", inner, ANY_TEXT), negative)
    return ("behind", ("seq", ANY_TEXT, inner), negative)


def _assert(argument: Any, flags: int) -> Tree:
    return _look(argument, flags, negative=False)


def _assert_not(argument: Any, flags: int) -> Tree:
    return _look(argument, flags, negative=True)


def _failure(*_: Any) -> Tree:
    return ("nothing",)


def _at(code: Any, flags: int) -> Tree:
    name = str(code)
    newline: Tree = ("lit", b"\n")
    if name == "AT_BEGINNING_STRING" or (name == "AT_BEGINNING" and not flags & re.MULTILINE):
        return ("behind", EMPTY, False)
    if name == "AT_BEGINNING":
        return ("behind", ("choice", EMPTY, ("seq", ANY_TEXT, newline)), False)
    if name == "AT_END_STRING":
        return ("ahead", EMPTY, False)
    if name == "AT_END":
        rest = ("seq", newline, ANY_TEXT) if flags & re.MULTILINE else newline
        return ("ahead", ("choice", EMPTY, rest), False)
    if name in ("AT_BOUNDARY", "AT_NON_BOUNDARY"):
        return _boundary(flags, negative=name == "AT_NON_BOUNDARY")
    raise Unsupported(name)


def _boundary(flags: int, *, negative: bool) -> Tree:
    word = ("chars", _class(r"[\w]", flags & ~re.IGNORECASE))
    after, before = ("seq", ANY_TEXT, word), ("seq", word, ANY_TEXT)
    sides = [
        ("seq", ("behind", after, past), ("ahead", before, rest))
        for past in (False, True)
        for rest in (False, True)
        if (past == rest) is negative
    ]
    result: Tree = ("choice", *sides)
    if negative and re.fullmatch(r"\B", "") is None:
        # before Python 3.14, \B does not match in the empty text
        here = ("choice", ("behind", EMPTY, True), ("ahead", EMPTY, True))
        result = ("seq", here, result)
    return result


_HANDLERS = {
    "LITERAL": _literal,
    "NOT_LITERAL": _not_literal,
    "ANY": _any,
    "IN": _in,
    "BRANCH": _branch,
    "SUBPATTERN": _subpattern,
    "MAX_REPEAT": _repeat,
    "MIN_REPEAT": _repeat,
    "ASSERT": _assert,
    "ASSERT_NOT": _assert_not,
    "AT": _at,
    "FAILURE": _failure,
}
