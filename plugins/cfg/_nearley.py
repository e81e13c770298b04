"""Reads Nearley's notation into data; rules only, JavaScript is passed over.

The notation is that of nearley 2.20 (``nearley-language-bootstrapped.ne``): rules
``name -> a "b"i [c-d]:* (e | f):? {% ... %}``, macros ``name[X] -> $X ","``, tokens ``%name``,
``null``, directives ``@builtin``, ``@include``, ``@lexer`` and code. Groups are read by recursion,
so their depth is bounded.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from formgate.core.errors import GrammarError
    from formgate.plugins.cfg._convert import Notes
    from formgate.plugins.cfg._scanner import Scanner

__all__ = ["Alternatives", "Group", "Item", "Literal", "Nearley", "Rule", "Use", "read_nearley"]

_MAX_NESTING = 50
_TOKENS = re.compile(
    r"""
    (?P<space>\s+|\#[^\n]*)
    |(?P<arrow>[=-]+>)
    |(?P<js>\{%(?:[^%]|%(?!\}))*%\})
    |(?P<word>[\w?+]+)
    |(?P<string>"(?:[^\\"\n]|\\["\\/bfnrt]|\\u[a-fA-F0-9]{4})*")
    |(?P<raw>`[^`]*`)
    |(?P<modifier>:[?*+])
    |(?P<directive>@(?:include|builtin|lexer|preprocessor)?)
    |(?P<chars>\.|\[(?:\\.|[^\\\n])+?\])
    |(?P<sign>[,|$%()\]])
    """,
    re.VERBOSE,
)
# What is wrong where one of these begins no token.
_NO_TOKEN = {
    '"': "this string is not closed on its line, or has an escape that Nearley lacks",
    "`": "this string is not closed",
    "[": "this class is not closed on its line",
    "{": "this code is not closed: it ends with %}",
}


class _Token(NamedTuple):
    kind: str
    text: str
    start: int
    end: int


class Literal(NamedTuple):
    """A text; its letters in either case, if it says so."""

    text: str
    any_case: bool


class Use(NamedTuple):
    """What stands for something else.

    Args:
        kind: ``name``, ``macro``, ``argument`` (``$X``), ``token`` (``%X``) or ``chars``.
        name: Its name; for ``chars`` the class as written.
        arguments: Of a macro.
        start: Where it stands.
    """

    kind: str
    name: str
    arguments: tuple[Alternatives, ...]
    start: int


class Group(NamedTuple):
    """Alternatives in brackets, or an item that is repeated."""

    alternatives: Alternatives
    modifier: str


Item = Literal | Use | Group
Alternatives = tuple[tuple[Item, ...], ...]


@dataclass
class Rule:
    """A rule or macro, with all alternatives given to it."""

    name: str
    start: int
    parameters: tuple[str, ...] | None = None
    alternatives: list[tuple[Item, ...]] = field(default_factory=list)


@dataclass
class Nearley:
    """What a file says.

    Args:
        rules: The rules in order.
        includes: Files to read as well: name, whether it comes with nearley, place.
        lexer: Whether the file names a lexer.
    """

    rules: list[Rule] = field(default_factory=list)
    includes: list[tuple[str, bool, int]] = field(default_factory=list)
    lexer: bool = False


def read_nearley(scan: Scanner, notes: Notes) -> Nearley:
    """Read one file.

    Raises:
        GrammarError: It is malformed.
    """
    return _Reader(scan, notes).read()


class _Reader:
    def __init__(self, scan: Scanner, notes: Notes) -> None:
        self._scan = scan
        self._notes = notes
        self._tokens = list(self._tokenised())
        self._at = 0
        self._found = Nearley()

    def _tokenised(self) -> list[_Token]:
        """Return the tokens without white space; a bracket right after a word is a macro's."""
        source, place = self._scan.source, 0
        found: list[_Token] = []
        while place < len(source):
            last = found[-1] if found else None
            if source[place] == "[" and last and last.kind == "word" and last.end == place:
                found.append(_Token("sign", "[", place, place + 1))
                place += 1
                continue
            match = _TOKENS.match(source, place)
            if match is None:
                raise self._scan.error(
                    _NO_TOKEN.get(source[place], "nothing in a Nearley grammar begins like this"),
                    place,
                )
            kind = str(match.lastgroup)
            if kind != "space":
                found.append(_Token(kind, match[0], place, match.end()))
            place = match.end()
        found.append(_Token("end", "", len(source), len(source)))
        return found

    @property
    def _next(self) -> _Token:
        return self._tokens[self._at]

    def _take(self, kind: str, text: str | None = None) -> _Token | None:
        """Go past a token of a kind (and text) if it is next."""
        token = self._next
        if token.kind != kind or (text is not None and token.text != text):
            return None
        self._at += 1
        return token

    def _need(self, kind: str, what: str, text: str | None = None) -> _Token:
        token = self._take(kind, text)
        if token is None:
            raise self._error(f"{what} is expected")
        return token

    def _error(self, message: str) -> GrammarError:
        token = self._next
        return self._scan.error(message, token.start, max(token.end, token.start + 1))

    def read(self) -> Nearley:
        """Read directives and rules."""
        while self._next.kind != "end":
            if (directive := self._take("directive")) is not None:
                self._directive(directive)
            else:
                self._rule()
        return self._found

    def _directive(self, directive: _Token) -> None:
        if directive.text in ("@include", "@builtin"):
            token = self._need("string", "the name of a file")
            name = json.loads(token.text, strict=False)
            self._found.includes.append((name, directive.text == "@builtin", directive.start))
        elif directive.text == "@lexer":
            self._need("word", "the name of a lexer")
            self._found.lexer = True
            self._notes.add("the lexer is JavaScript; define its tokens", directive.start)
        elif directive.text == "@preprocessor":
            self._need("word", "the name of a preprocessor")
        else:
            self._need("js", "{% ... %}")
            self._notes.add("code in JavaScript", directive.start)

    def _rule(self) -> None:
        name = self._need("word", "a rule, which begins with its name,")
        rule = Rule(name.text, name.start)
        if self._take("sign", "[") is not None:
            parameters = [self._need("word", "the name of a parameter").text]
            while self._take("sign", ",") is not None:
                parameters.append(self._need("word", "the name of a parameter").text)
            self._need("sign", "']'", "]")
            rule.parameters = tuple(parameters)
        self._need("arrow", "'->'")
        rule.alternatives += self._alternatives(0)
        self._found.rules.append(rule)

    def _alternatives(self, depth: int) -> list[tuple[Item, ...]]:
        found = [self._alternative(depth)]
        while self._take("sign", "|") is not None:
            found.append(self._alternative(depth))
        return found

    def _alternative(self, depth: int) -> tuple[Item, ...]:
        """Read items and the code after them."""
        items: list[Item] = []
        empty = False
        while True:
            if self._take("word", "null") is not None:
                empty = True
            elif (item := self._item(depth)) is not None:
                items.append(item)
            else:
                break
        if not items and not empty:
            raise self._error("something to match (null is the empty text) is expected")
        if (code := self._take("js")) is not None and "reject" in code.text:
            self._notes.add("this code may reject what the rule matches", code.start)
        return tuple(items)

    def _item(self, depth: int) -> Item | None:
        """Read an item with its repetitions; None where there is none."""
        if self._begins_rule():
            return None
        item = self._single(depth)
        inside = depth
        while item is not None and (modifier := self._take("modifier")) is not None:
            self._check_depth(inside)
            inside += 1
            item = Group(((item,),), modifier.text[1])
        return item

    def _begins_rule(self) -> bool:
        """Say whether a word is the name of the next rule: an arrow follows, or parameters do."""
        tokens, at = self._tokens, self._at
        if tokens[at].kind != "word":
            return False
        at += 1
        if tokens[at].text == "[" and tokens[at].kind == "sign":
            while tokens[at].kind in ("sign", "word") and tokens[at].text not in ("]", "|", "("):
                at += 1
            at += tokens[at].text == "]"
        return tokens[at].kind == "arrow"

    def _literal(self) -> Literal | None:
        """Read a text in quotation marks; None where there is none."""
        if (raw := self._take("raw")) is not None:
            return Literal(raw.text[1:-1], any_case=False)
        text = self._take("string")
        if text is None:
            return None
        following = self._next
        any_case = (following.kind, following.text, following.start) == ("word", "i", text.end)
        self._at += any_case
        return Literal(json.loads(text.text, strict=False), any_case)

    def _single(self, depth: int) -> Item | None:
        if (literal := self._literal()) is not None:
            return literal
        token = self._next
        if self._take("chars") is not None:
            return Use("chars", token.text, (), token.start)
        if self._take("sign", "$") is not None:
            return Use("argument", self._need("word", "a parameter").text, (), token.start)
        if self._take("sign", "%") is not None:
            return Use("token", self._need("word", "a token").text, (), token.start)
        if self._take("sign", "(") is not None:
            self._check_depth(depth)
            inside = self._alternatives(depth + 1)
            self._need("sign", "')'", ")")
            return Group(tuple(inside), "")
        return self._named(depth)

    def _named(self, depth: int) -> Use | None:
        """Read a name, or a macro with its arguments; None where there is none."""
        token = self._next
        if self._take("word") is None:
            return None
        if self._take("sign", "[") is None:
            return Use("name", token.text, (), token.start)
        self._check_depth(depth)
        arguments: list[Alternatives] = [(self._alternative(depth + 1),)]
        while self._take("sign", ",") is not None:
            arguments.append((self._alternative(depth + 1),))
        self._need("sign", "']'", "]")
        return Use("macro", token.text, tuple(arguments), token.start)

    def _check_depth(self, depth: int) -> None:
        if depth >= _MAX_NESTING:
            raise self._error(f"brackets are nested more than {_MAX_NESTING} deep")
