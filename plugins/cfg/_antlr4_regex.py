r"""Lexer rules of ANTLR4 as regexes of Python's ``re``, with fragments written out.

A repetition that is not greedy, as in ``'/*' .*? '*/'``, ends where what follows it can match. The
regex says so with a look-ahead, ``/\*(?:(?!\*/)[\s\S])*\*/``, so that it means the same whether the
first or the longest match is taken. Among alternatives in it, as in ``(ESC | .)*?``, an earlier one
wins: the others stand behind a look-ahead that excludes it. ANTLR would come back to them if no end
followed; that is noted.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from formgate.core.errors import LimitError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from formgate.plugins.cfg._antlr4 import Element, Rule
    from formgate.plugins.cfg._convert import Notes

__all__ = ["NotRegular", "Patterns", "class_of", "quoted"]

Ranges = tuple[tuple[int, int], ...]

_MAX_LENGTH = 50_000
_ALL: Ranges = ((0, 0x10FFFF),)
_ANY = r"[\s\S]"


class NotRegular(Exception):  # noqa: N818 (an outcome: the rule is left out with a note)
    """A lexer rule that is no regex; says why and where."""

    def __init__(self, reason: str, start: int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.start = start


class Patterns:
    """The regexes of lexer rules.

    Args:
        rules: All lexer rules, by name.
        notes: Where to note what is not exact.
    """

    def __init__(self, rules: Mapping[str, Rule], notes: Notes) -> None:
        self._rules = rules
        self._notes = notes
        self._known: dict[str, str] = {}
        self._open: set[str] = set()

    def of(self, rule: Rule) -> str:
        """Return the regex of a rule.

        Raises:
            NotRegular: It has none.
            LimitError: It is too long.
        """
        if rule.name in self._known:
            return self._known[rule.name]
        if rule.name in self._open:
            raise NotRegular(f"rule {rule.name} recurses, and terminals are regular", rule.start)
        if len(self._open) > 100:
            raise NotRegular("rules refer to each other more than 100 deep", rule.start)
        self._open.add(rule.name)
        try:
            found = self._write(rule.body)
        finally:
            self._open.discard(rule.name)
        if len(found) > _MAX_LENGTH:
            raise LimitError(
                f"the lexer rule {rule.name} is a regex of more than {_MAX_LENGTH} characters"
            )
        self._known[rule.name] = found
        return found

    def _write(self, element: Element) -> str:
        """Return the regex of an element, fit to stand beside others in a sequence."""
        kind = element.kind
        if kind in ("text", "any"):
            return quoted(element.text) if kind == "text" else _ANY
        if kind in ("set", "not"):
            return self._characters(element)
        if kind == "choice":
            return f"(?:{'|'.join(self._write(part) for part in element.parts)})"
        if kind in ("seq", "repeat"):
            return self._sequence(element.parts if kind == "seq" else [element])
        return self._named(element)

    def _named(self, element: Element) -> str:
        """Return the regex of a rule that is referred to."""
        if element.kind == "eof":
            raise NotRegular("EOF is no character of a terminal", element.start)
        rule = self._rules.get(element.text)
        if rule is None:
            raise NotRegular(f"lexer rule {element.text} is not defined", element.start)
        return f"(?:{self.of(rule)})"

    def _sequence(self, parts: Sequence[Element]) -> str:
        """Return the regex of parts, each of which knows what follows."""
        rest = ""
        for place in reversed(range(len(parts))):
            part = parts[place]
            if part.kind == "repeat":
                rest = self._repeat(part, rest, parts[place + 1 :]) + rest
            else:
                rest = self._write(part) + rest
            if len(rest) > _MAX_LENGTH:
                raise LimitError(f"a lexer rule is a regex of more than {_MAX_LENGTH} characters")
        return rest

    def _repeat(self, element: Element, rest: str, following: Sequence[Element]) -> str:
        """Return the regex of a repetition before a rest."""
        body = element.parts[0]
        if element.greedy:
            return f"(?:{self._write(body)}){element.sign}"
        if not self._certain(following):
            self._notes.add(
                "what follows a repetition that is not greedy is read as far as it goes, not by "
                "its first alternative",
                element.start,
            )
        ordered = self._ordered(body, element.start)
        guarded = f"(?:(?!{rest}){ordered})"
        if element.sign == "+":
            return f"{ordered}{guarded}*" if rest else ordered
        return guarded + element.sign if rest else ""

    def _certain(self, parts: Sequence[Element]) -> bool:
        """Say whether parts match in one way at most: of texts, characters and their loops."""
        after: Ranges | None = None  # what the next part begins with; None after the last
        for part in reversed(parts):
            if part.kind == "text" and part.text:
                after = ((ord(part.text[0]), ord(part.text[0])),)
                continue
            body = part.parts[0] if part.kind == "repeat" and part.greedy else part
            own = self._single(body)
            if own is None or (part.kind == "repeat" and after is not None and _meet(own, after)):
                return False
            after = _ALL if part.kind == "repeat" and after is not None else own
        return True

    def _single(self, element: Element) -> Ranges | None:
        """Return the characters of an element that matches single ones; None for others."""
        if element.kind == "any":
            return _ALL
        try:
            if element.kind == "not":
                return _others(self._ranges(element.parts[0]))
            return self._ranges(element)
        except NotRegular:
            return None

    def _ordered(self, body: Element, start: int) -> str:
        """Return the regex of what is repeated, where an earlier alternative wins."""
        while body.kind == "seq" and len(body.parts) == 1:
            body = body.parts[0]
        if self._single(body) is not None:
            return self._write(body)
        self._notes.add(
            "of a repetition that is not greedy, alternatives are not tried again when no end "
            "follows",
            start,
        )
        texts: list[str] = []
        plain: list[str] = []
        for part in body.parts if body.kind == "choice" else [body]:
            text = self._write(part)
            texts.append("".join(f"(?!{earlier})" for earlier in plain) + text)
            plain.append(text)
        return f"(?:{'|'.join(texts)})"

    def _characters(self, element: Element) -> str:
        """Return a class of characters."""
        if element.kind == "set":
            return f"[{_inside(element.ranges)}]"
        ranges = self._ranges(element.parts[0])
        return f"[^{_inside(ranges)}]"

    def _ranges(self, element: Element) -> Ranges:
        """Return the characters that an element stands for, if it stands for single ones."""
        if element.kind == "set":
            return element.ranges
        if element.kind == "text" and len(element.text) == 1:
            return ((ord(element.text), ord(element.text)),)
        if element.kind == "choice" or (element.kind == "seq" and len(element.parts) == 1):
            return tuple(pair for part in element.parts for pair in self._ranges(part))
        if element.kind == "name" and element.text in self._rules:
            if element.text in self._open:
                raise NotRegular(f"rule {element.text} recurses", element.start)
            self._open.add(element.text)
            try:
                return self._ranges(self._rules[element.text].body)
            finally:
                self._open.discard(element.text)
        raise NotRegular("'~' stands before what is no set of characters", element.start)


def _meet(one: Ranges, other: Ranges) -> bool:
    """Say whether two sets of characters have one in common."""
    return any(low <= last and first <= high for low, high in one for first, last in other)


def _others(ranges: Ranges) -> Ranges:
    """Return the characters in none of some ranges."""
    found, low = [], 0
    for first, last in sorted(ranges):
        if first > low:
            found.append((low, first - 1))
        low = max(low, last + 1)
    return (*found, (low, 0x10FFFF)) if low <= 0x10FFFF else tuple(found)


def quoted(text: str) -> str:
    """Return a regex for just a text, that a Lark grammar can hold."""
    return "".join(_char(char) for char in text)


def class_of(characters: str) -> str:
    """Return a class of some characters."""
    ranges: list[tuple[int, int]] = []
    for code in sorted(set(map(ord, characters))):
        if ranges and ranges[-1][1] == code - 1:
            ranges[-1] = ranges[-1][0], code
        else:
            ranges.append((code, code))
    return f"[{_inside(ranges)}]"


def _inside(ranges: Sequence[tuple[int, int]]) -> str:
    """Return ranges as they stand in a class."""
    return "".join(
        _char(chr(low)) if low == high else f"{_char(chr(low))}-{_char(chr(high))}"
        for low, high in ranges
    )


def _char(char: str) -> str:
    """Return a character that means itself in a regex and in a class."""
    code = ord(char)
    if char.isalnum() and char.isascii():
        return char
    if char.isprintable() and char.isascii() and char not in " /":
        return (
            re.escape(char) if re.escape(char) != char else (f"\\{char}" if char in "^-]" else char)
        )
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
