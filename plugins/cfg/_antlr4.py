"""Reads ANTLR4 grammars into data: parser rules, lexer rules, what is ignored.

What belongs to generated programs rather than to the language (labels, names of alternatives,
arguments) is passed over; what may change the language and cannot be carried over (actions,
predicates, modes, a superclass) is noted with its place. Sub-rules are read by recursion, so their
depth is bounded. The notation is that of ANTLR 4.13 (``ANTLRv4Parser.g4``).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from formgate.plugins.cfg._antlr4_tokens import Token, tokenised
from formgate.plugins.cfg._antlr4_values import char_set, literal_text

if TYPE_CHECKING:
    from formgate.core.errors import GrammarError
    from formgate.plugins.cfg._convert import Notes
    from formgate.plugins.cfg._scanner import Scanner

__all__ = ["Antlr4", "Element", "Rule", "read_antlr4"]

_MAX_NESTING = 50
_MODIFIERS = ("fragment", "public", "protected", "private")
_HEADERS = ("returns", "locals", "throws", "options")
_OPTION = re.compile(r"([\w.]+)\s*=\s*([^;]*);")
_HARMLESS_OPTIONS = ("language", "accessLevel", "exportMacro", "package", "contextSuperClass")


@dataclass
class Element:
    """A part of a rule.

    Args:
        kind: ``text``, ``set`` (characters), ``name``, ``any``, ``not``, ``seq``, ``choice``,
            ``repeat``, ``eof`` or ``opaque``, for what has no meaning here.
        start: Where it stands.
        text: The text, or the name.
        ranges: Of a set, inclusive.
        parts: What it is made of.
        sign: Of a repetition: ``?``, ``*`` or ``+``.
        greedy: Whether a repetition goes on as long as it can.
    """

    kind: str
    start: int
    text: str = ""
    ranges: tuple[tuple[int, int], ...] = ()
    parts: list[Element] = field(default_factory=list)
    sign: str = ""
    greedy: bool = True


@dataclass
class Rule:
    """A rule; one of the lexer if its name begins with a capital letter."""

    name: str
    start: int
    body: Element
    fragment: bool = False
    ignored: bool = False


@dataclass
class Antlr4:
    """What a grammar says.

    Args:
        name: Its name.
        rules: Its rules in order.
        any_case: Whether the lexer reads letters in either case.
        declared: Tokens without a rule.
        borrows: Whether it uses terminals of another grammar (``tokenVocab``).
    """

    name: str = ""
    rules: list[Rule] = field(default_factory=list)
    any_case: bool = False
    declared: list[str] = field(default_factory=list)
    borrows: bool = False


def read_antlr4(scan: Scanner, notes: Notes) -> Antlr4:
    """Read a grammar.

    Raises:
        GrammarError: It is malformed.
        UnsupportedConstraint: It uses properties of characters that are not known here.
    """
    return _Reader(scan, notes).read()


class _Reader:
    def __init__(self, scan: Scanner, notes: Notes) -> None:
        self._scan = scan
        self._notes = notes
        self._tokens = tokenised(scan)
        self._at = 0
        self._found = Antlr4()
        self._in_lexer = False
        self._commands: list[tuple[str, ...]] = []
        self._hidden = 0  # alternatives of the rule that are skipped or on another channel

    @property
    def _next(self) -> Token:
        return self._tokens[self._at]

    def _take(self, kind: str, *texts: str) -> Token | None:
        """Go past a token of a kind (and one of some texts) if it is next."""
        token = self._next
        if token.kind != kind or (texts and token.text not in texts):
            return None
        self._at += 1
        return token

    def _need(self, kind: str, what: str, *texts: str) -> Token:
        token = self._take(kind, *texts)
        if token is None:
            raise self._error(f"{what} is expected")
        return token

    def _error(self, message: str) -> GrammarError:
        token = self._next
        return self._scan.error(message, token.start, max(token.end, token.start + 1))

    # --- the grammar and what stands before its rules

    def read(self) -> Antlr4:
        """Read everything."""
        kind = self._take("name", "lexer", "parser")
        self._need("name", "'grammar' and its name", "grammar")
        self._found.name = self._need("name", "the name of the grammar").text
        self._need("sign", "';'", ";")
        if kind is not None and kind.text == "parser":
            self._notes.add("the tokens of a parser grammar are defined elsewhere", kind.start)
        while self._prequel():
            pass
        mode: Token | None = None
        while self._next.kind != "end":
            if self._take("name", "mode") is not None:
                mode = self._need("name", "the name of a mode")
                self._need("sign", "';'", ";")
                self._notes.add(f"mode {mode.text} and its rules", mode.start)
            else:
                rule = self._rule()
                if mode is None and rule is not None:
                    self._found.rules.append(rule)
        return self._found

    def _prequel(self) -> bool:
        """Read one thing of those that may stand before the rules."""
        token = self._next
        if self._take("sign", "@") is not None:
            self._named_action(token.start)
        elif token.kind == "name" and self._tokens[self._at + 1].kind == "action":
            if token.text not in ("options", "tokens", "channels"):
                return False
            self._at += 1
            self._block(token, self._need("action", "{ ... }").text[1:-1])
        elif self._take("name", "import") is not None:
            self._notes.add("rules of other grammars are not read", token.start)
            while self._take("sign", ";") is None:
                if self._next.kind == "end":
                    raise self._error("';' is expected")
                self._at += 1
        else:
            return False
        return True

    def _named_action(self, start: int) -> None:
        self._need("name", "the name of an action")
        while self._take("sign", ":") is not None:
            self._take("name")
        self._need("action", "{ ... }")
        self._notes.add("an action", start)

    def _block(self, token: Token, text: str) -> None:
        """Read options, tokens or channels of the grammar."""
        text = re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.DOTALL)
        if token.text == "tokens":
            names = re.findall(r"\w+", text)
            self._found.declared += names
            self._notes.add(
                f"tokens without a rule, to be defined: {', '.join(names)}", token.start
            )
        elif token.text == "options":
            for name, value in _OPTION.findall(text):
                if name == "caseInsensitive":
                    self._found.any_case = value.strip() == "true"
                elif name not in _HARMLESS_OPTIONS:
                    self._found.borrows = self._found.borrows or name == "tokenVocab"
                    self._notes.add(f"the option {name}={value.strip()}", token.start)

    # --- rules

    def _rule(self) -> Rule | None:
        modifiers = set()
        while (modifier := self._take("name", *_MODIFIERS)) is not None:
            modifiers.add(modifier.text)
        name = self._need("name", "a rule, which begins with its name,")
        self._in_lexer = name.text[0].isupper()
        self._commands = []
        self._hidden = 0
        self._rule_header(name)
        self._need("sign", "':'", ":")
        body = self._choice(0, outermost=True)
        self._need("sign", "';', which ends the rule,", ";")
        while (handler := self._take("name", "catch", "finally")) is not None:
            self._take("set")
            self._need("action", "{ ... }")
            self._notes.add("an action", handler.start)
        rule = Rule(name.text, name.start, body, "fragment" in modifiers)
        self._obey(rule, len(body.parts) if body.kind == "choice" else 1)
        return rule

    def _rule_header(self, name: Token) -> None:
        """Pass over arguments, results, exceptions, options and actions."""
        if (arguments := self._take("set")) is not None:
            self._notes.add(f"the arguments of rule {name.text}", arguments.start)
        while True:
            token = self._next
            if self._take("name", *_HEADERS) is not None:
                while self._next.text != ":" and self._next.kind in ("name", "set", "action"):
                    if self._next.kind == "name" and self._next.text in _HEADERS:
                        break
                    if token.text == "options" and "caseInsensitive" in self._next.text:
                        self._notes.add("whether a single rule minds case", token.start)
                    self._at += 1
                while self._take("sign", ",") is not None:
                    self._take("name")
            elif self._take("sign", "@") is not None:
                self._named_action(token.start)
            else:
                return

    def _obey(self, rule: Rule, alternatives: int) -> None:
        """Follow the commands of a lexer rule."""
        if 0 < self._hidden < alternatives:
            self._notes.add("some alternatives are ignored and others are not", rule.start)
        rule.ignored = self._hidden > 0 and not rule.fragment
        for command in self._commands:
            if command[0] not in ("skip", "channel"):
                said = command[0] if len(command) == 1 else f"{command[0]}({command[1]})"
                self._notes.add(f"the command {said} of rule {rule.name}", rule.start)

    # --- what rules hold

    def _choice(self, depth: int, *, outermost: bool = False) -> Element:
        start = self._next.start
        parts = [self._sequence(depth, outermost=outermost)]
        while self._take("sign", "|") is not None:
            parts.append(self._sequence(depth, outermost=outermost))
        return parts[0] if len(parts) == 1 else Element("choice", start, parts=parts)

    def _sequence(self, depth: int, *, outermost: bool) -> Element:
        start = self._next.start
        parts: list[Element] = []
        while (element := self._element(depth)) is not None:
            if element.kind != "opaque":
                parts.append(element)
        if outermost and self._take("sign", "#") is not None:
            self._need("name", "the name of the alternative")
        if outermost and self._in_lexer and self._take("sign", "->") is not None:
            self._read_commands()
        return parts[0] if len(parts) == 1 else Element("seq", start, parts=parts)

    def _read_commands(self) -> None:
        """Read the commands of an alternative."""
        before = len(self._commands)
        while len(self._commands) == before or self._take("sign", ",") is not None:
            name = self._need("name", "a command").text
            argument: tuple[str, ...] = ()
            if self._take("sign", "(") is not None:
                argument = (self._need("name", "a name").text,)
                self._need("sign", "')'", ")")
            self._commands.append((name, *argument))
        hidden = {command[0] for command in self._commands[before:]}
        self._hidden += not hidden.isdisjoint({"skip", "channel"})

    def _element(self, depth: int) -> Element | None:
        """Read one element with its repetition; None where there is none."""
        token = self._next
        if self._take("sign", "<") is not None:
            while self._take("sign", ">") is None:
                if self._next.kind == "end" or self._next.text == ";":
                    raise self._error("'>' is expected")
                self._at += 1
            return Element("opaque", token.start)
        if self._take("action") is not None:
            predicate = self._take("sign", "?") is not None
            self._notes.add("a predicate" if predicate else "an action", token.start)
            return Element("opaque", token.start)
        following = self._tokens[self._at + 1] if token.kind == "name" else token
        if token.kind == "name" and following.text in ("=", "+=") and following.kind == "sign":
            self._at += 2
        element = self._atom(depth)
        while element is not None and (sign := self._take("sign", "?", "*", "+")) is not None:
            if depth >= _MAX_NESTING:
                raise self._error(f"more than {_MAX_NESTING} repetitions in each other")
            depth += 1
            greedy = self._take("sign", "?") is None
            element = Element("repeat", sign.start, parts=[element], sign=sign.text, greedy=greedy)
        return element

    def _atom(self, depth: int) -> Element | None:
        token = self._next
        if self._take("sign", "(") is not None:
            if depth >= _MAX_NESTING:
                raise self._error(f"brackets are nested more than {_MAX_NESTING} deep")
            if self._take("name", "options") is not None:
                self._need("action", "{ ... }")
                self._notes.add("the options of a sub-rule", token.start)
            if self._next.text in (":", "@") and self._next.kind == "sign":
                while self._take("sign", "@") is not None:
                    self._named_action(token.start)
                self._need("sign", "':'", ":")
            inside = self._choice(depth + 1)
            self._need("sign", "')'", ")")
            # A group of its own, so that what repeats it repeats all of it.
            return Element("seq", token.start, parts=[inside])
        if self._take("sign", "~") is not None:
            inner = self._atom(depth)
            if inner is None:
                raise self._error("what is excluded is expected")
            return Element("not", token.start, parts=[inner])
        if self._take("sign", ".") is not None:
            return Element("any", token.start)
        return self._terminal(token)

    def _terminal(self, token: Token) -> Element | None:
        """Read a literal, a range, a class of characters or a name."""
        if self._take("literal") is not None:
            text = literal_text(self._scan, token)
            if self._take("sign", "..") is None:
                return Element("text", token.start, text=text)
            last = self._need("literal", "the end of the range")
            end = literal_text(self._scan, last)
            if len(text) != 1 or len(end) != 1 or end < text:
                raise self._scan.error("this is no range of characters", token.start, last.end)
            return Element("set", token.start, ranges=((ord(text), ord(end)),))
        if self._in_lexer and self._take("set") is not None:
            return Element("set", token.start, ranges=char_set(self._scan, token))
        if self._take("name") is None:
            return None
        if (arguments := None if self._in_lexer else self._take("set")) is not None:
            self._notes.add(f"arguments given to rule {token.text}", arguments.start)
        if token.text == "EOF":
            return Element("eof", token.start)
        return Element("name", token.start, text=token.text)
