"""Terminals of a Lark grammar as one regex each, put together the way lark does it.

``lark.load_grammar`` evaluates strings and regexes (``_literal_to_pattern``), puts the parts of a
terminal together (``TerminalTreeToPattern``) and names those that rules write without a name
(``PrepareAnonTerminals``); the classes and functions here do the same without lark's trees. How
many characters a regex may match, by which lark orders alternatives, is asked of ``re``, as lark
does.
"""

from __future__ import annotations

import re
import unicodedata
from ast import literal_eval
from functools import lru_cache
from typing import TYPE_CHECKING

from formgate.plugins.cfg._lark_syntax import Literal, Unusual
from formgate.plugins.cfg._lark_tree import Node, Symbol, ordered
from formgate.plugins.cfg._lark_trial import sre_tree

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["NAMES", "Anonymous", "Pattern", "literal_pattern", "tree_pattern"]

# What lark calls strings without a name: ``lark.load_grammar._TERMINAL_NAMES``.
NAMES = {
    ".": "DOT",
    ",": "COMMA",
    ":": "COLON",
    ";": "SEMICOLON",
    "+": "PLUS",
    "-": "MINUS",
    "*": "STAR",
    "/": "SLASH",
    "\\": "BACKSLASH",
    "|": "VBAR",
    "?": "QMARK",
    "!": "BANG",
    "@": "AT",
    "#": "HASH",
    "$": "DOLLAR",
    "%": "PERCENT",
    "^": "CIRCUMFLEX",
    "&": "AMPERSAND",
    "_": "UNDERSCORE",
    "<": "LESSTHAN",
    ">": "MORETHAN",
    "=": "EQUAL",
    '"': "DBLQUOTE",
    "'": "QUOTE",
    "`": "BACKQUOTE",
    "~": "TILDE",
    "(": "LPAR",
    ")": "RPAR",
    "{": "LBRACE",
    "}": "RBRACE",
    "[": "LSQB",
    "]": "RSQB",
    "\n": "NEWLINE",
    "\r\n": "CRLF",
    "\t": "TAB",
    " ": "SPACE",
}
_ID_START = frozenset(("Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Pc"))
_ID_CONTINUE = _ID_START | {"Nd", "Nl"}
# A text that is evaluated to itself: no escape in it is one of a character, and no quote stands
# behind a backslash, of which lark drops one even where it is escaped itself.
_AS_WRITTEN = re.compile(r'(?:[^\\]|\\[^Uuxnftr"](?!(?<=\\)"))*')


class Pattern:
    """A string or a regex, as ``lark.lexer.Pattern``.

    Args:
        kind: ``str`` or ``re``.
        value: The string, or the regex.
        flags: Letters of its flags, one at most.
        raw: What is written, if nothing was put together.
    """

    __slots__ = ("flags", "key", "raw", "type", "value")

    def __init__(
        self, kind: str, value: str, flags: frozenset[str] = frozenset(), raw: str | None = None
    ) -> None:
        self.type = kind
        self.value = value
        self.flags = flags
        self.raw = raw
        self.key = kind, value, flags  # patterns of one key are equal

    def to_regexp(self) -> str:
        """Return it as a regex, flags included."""
        value = re.escape(self.value) if self.type == "str" else self.value
        for flag in self.flags:
            value = f"(?{flag}:{value})"
        return value

    @property
    def min_width(self) -> int:
        """The fewest characters that it matches."""
        return len(self.value) if self.type == "str" else _width(self.to_regexp())[0]

    @property
    def max_width(self) -> int:
        """The most characters that it matches."""
        return len(self.value) if self.type == "str" else _width(self.to_regexp())[1]


@lru_cache(maxsize=1024)
def _width(regexp: str) -> tuple[int, int]:
    """Return the fewest and most characters that a regex matches, as ``re`` says.

    Raises:
        Unusual: It is none of ``re``.
    """
    if "\\p{" in regexp:
        raise Unusual
    try:
        low, high = sre_tree(regexp).getwidth()
    except Exception:  # noqa: BLE001 (what is wrong, lark says)
        raise Unusual from None
    return int(low), int(high)


def literal_pattern(literal: Literal) -> Pattern:
    """Return what a string, a regex or a range matches.

    Raises:
        Unusual: lark refuses it, or may.
    """
    text = literal.text
    if literal.kind == "range":
        low, high = text[1:-1], literal.to[1:-1]
        if text[-1] != '"' or literal.to[-1] != '"':
            raise Unusual
        if len(_evaluated(low)) != 1 or len(_evaluated(high)) != 1:
            raise Unusual
        return Pattern("re", f"[{low}-{high}]")
    end = text.rindex('"' if literal.kind == "STRING" else "/")
    flags = frozenset(text[end + 1 :])
    if "\n" in text or len(flags) > 1:
        raise Unusual
    value = _evaluated(text[1:end])
    if not value:
        raise Unusual
    if literal.kind == "STRING":
        return Pattern("str", value.replace("\\\\", "\\"), flags, text)
    return Pattern("re", value, flags, text)


def _evaluated(text: str) -> str:
    """Return what the inside of a string or regex stands for (``eval_escaping``)."""
    if text.isprintable() and _AS_WRITTEN.fullmatch(text) is not None:
        return text
    written = []
    characters = iter(text)
    for character in characters:
        written.append(character)
        if character == "\\":
            following = next(characters, "")
            if following == "\\":
                written.append("\\\\")
            elif following not in "Uuxnftr":
                written.append("\\")
            written.append(following)
    inside = "".join(written).replace('\\"', '"').replace("'", "\\'")
    try:
        return str(literal_eval(f"u'''{inside}'''"))
    except (SyntaxError, ValueError):
        raise Unusual from None


def tree_pattern(tree: Node, named: Callable[[str], Pattern]) -> Pattern:
    """Return the one pattern of a terminal.

    Args:
        tree: What it is made of.
        named: Returns the pattern of another terminal.

    Raises:
        Unusual: lark refuses it, or may.
    """
    done: dict[int, Pattern] = {}
    for node in ordered(tree):
        parts = []
        for child in node.children:
            if type(child) is Node:
                parts.append(done[id(child)])
            elif type(child) is Symbol:
                parts.append(named(child.name))
            elif type(child) is Literal:
                parts.append(literal_pattern(child))
        done[id(node)] = _joined(node, parts)
    return done[id(tree)]


def _joined(node: Node, parts: list[Pattern]) -> Pattern:
    """Return the pattern of a node, given those of its parts."""
    if node.kind in ("alias", "template_usage"):
        raise Unusual
    if node.kind in ("expansion", "expansions"):
        if len(parts) == 1:
            return parts[0]
        if not parts:
            return Pattern("str", "")
        if node.kind == "expansion":
            return Pattern("re", "".join(part.to_regexp() for part in parts))
        parts.sort(key=lambda part: (-part.max_width, -part.min_width, -len(part.value)))
        return Pattern("re", f"(?:{'|'.join(part.to_regexp() for part in parts)})")
    operator = "?" if node.kind == "maybe" else node.operator
    if operator == "~":
        operator = f"{{{node.low}}}"
    elif operator == "..":
        operator = f"{{{node.low},{node.high}}}"
    (part,) = parts
    return Pattern("re", f"(?:{part.to_regexp()}){operator}", part.flags)


class Anonymous:
    """Names the strings and regexes of rules, which become terminals.

    Args:
        terminals: Those with names, in order; the others are added.
    """

    def __init__(self, terminals: dict[str, Pattern]) -> None:
        self.terminals = terminals
        self._names = {pattern.key: name for name, pattern in terminals.items()}
        self._count = 0

    def symbol(self, literal: Literal) -> Symbol:
        """Return the terminal for a string, a regex or a range."""
        pattern = literal_pattern(literal)
        name = self._names.get(pattern.key)
        if name is None:
            name = self._new_name(pattern)
            self._names[pattern.key] = name
            self.terminals[name] = pattern
        return Symbol("terminal", name, pattern.type == "str")

    def _new_name(self, pattern: Pattern) -> str:
        """Return the name of a pattern that has none yet."""
        if pattern.type == "str":
            value = pattern.value
            name = NAMES.get(value)
            if name is None and _is_identifier(value):
                name = value.upper()
            if name is not None and name not in self.terminals:
                return name
        name = f"__ANON_{self._count}"
        self._count += 1
        if name in self.terminals:  # of a string that has this name in small letters
            raise Unusual
        return name


def _is_identifier(text: str) -> bool:
    """Say whether a string has the form of a name in Python, as lark sees it."""
    if text.isascii():
        return text.isidentifier()
    kinds = ["Pc" if one == "_" else unicodedata.category(one) for one in text]
    return kinds[0] in _ID_START and _ID_CONTINUE.issuperset(kinds)
