"""Cuts an ANTLR4 grammar into tokens. Code in braces is one token, whatever its language."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from formgate.plugins.cfg._scanner import Scanner

__all__ = ["Token", "tokenised"]

_TOKENS = re.compile(
    r"""
    (?P<space>\s+|//[^\n]*|/\*(?:[^*]|\*(?!/))*\*/)
    |(?P<name>[^\W\d]\w*|\d+)
    |(?P<literal>'(?:\\.|[^'\\\r\n])*')
    |(?P<set>\[(?:\\.|[^\]\\])*\])
    |(?P<sign>->|\.\.|\+=|[:;|()?*+~.=<>,\#@])
    """,
    re.VERBOSE | re.DOTALL,
)
# What a brace in it does not count: strings, characters and comments of most languages.
_CODE = re.compile(
    r"""
    (?P<open>\{)
    |(?P<close>\})
    |"(?:\\.|[^"\\\n]){0,1000}"
    |'(?:\\.|[^'\\\n]){0,200}'
    |//[^\n]*
    |/\*(?:[^*]|\*(?!/))*(?:\*/|\Z)
    """,
    re.VERBOSE | re.DOTALL,
)


class Token(NamedTuple):
    """A token: its kind, its text and where it stands."""

    kind: str
    text: str
    start: int
    end: int


def tokenised(scan: Scanner) -> list[Token]:
    """Return the tokens without white space and comments, and one of kind ``end``.

    Raises:
        GrammarError: Something is no token, or is not closed.
    """
    source, place = scan.source, 0
    found: list[Token] = []
    while place < len(source):
        if source[place] == "{":
            end = _code_end(scan, place)
            found.append(Token("action", source[place:end], place, end))
            place = end
            continue
        match = _TOKENS.match(source, place)
        if match is None:
            reasons = {"'": "this literal is not closed", "[": "this class is not closed",
                       "/": "this comment is not closed",
                       '"': "a literal stands in single quotation marks"}  # fmt: skip
            raise scan.error(
                reasons.get(source[place], "nothing in an ANTLR4 grammar begins like this"), place
            )
        if match.lastgroup != "space":
            found.append(Token(str(match.lastgroup), match[0], place, match.end()))
        place = match.end()
    found.append(Token("end", "", len(source), len(source)))
    return found


def _code_end(scan: Scanner, start: int) -> int:
    """Return where code in braces ends."""
    depth = 0
    for match in _CODE.finditer(scan.source, start):
        depth += (match.lastgroup == "open") - (match.lastgroup == "close")
        if not depth:
            return match.end()
    raise scan.error("this brace is not closed", start)
