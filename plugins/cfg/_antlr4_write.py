"""ANTLR4 grammars as Lark grammars, for ``lexing="longest", lexer="basic"``.

ANTLR takes the longest lexeme, wherever the parser is, and of the terminals that match it the
first: implicit ones of the parser rules, then the lexer rules in order. Lark prefers by priority,
so a terminal gets one where a later one can match the same text, and only there. A word that a
later terminal can match in a longer text also looks ahead, so that lark's own lexers, which take no
longest match, see it where ANTLR does.
"""

from __future__ import annotations

import re
import string
from dataclasses import dataclass
from typing import TYPE_CHECKING

from formgate.core._native import Engine
from formgate.core.errors import EmptyLanguageError, FormgateError, GrammarError, LimitError
from formgate.core.grammar import GrammarBuilder
from formgate.core.vocabulary import byte_vocabulary
from formgate.plugins.cfg._antlr4 import Element, Rule, read_antlr4
from formgate.plugins.cfg._antlr4_regex import NotRegular, Patterns, class_of, quoted
from formgate.plugins.cfg._convert import Conversion, Notes
from formgate.plugins.cfg._scanner import Scanner
from formgate.plugins.regex import compile_regex

if TYPE_CHECKING:
    import os

__all__ = ["convert"]

_PATIENCE_S = 2.0
_MOST_PAIRS = 1_000_000
_MOST_COMPARED = 10_000
_OPTIONS = {"lexing": "longest", "lexer": "basic"}


def convert(source: str, base_path: str | os.PathLike[str] | None, /) -> Conversion:
    """Convert an ANTLR4 grammar.

    Raises:
        GrammarError: It is malformed, or uses what is not defined.
        UnsupportedConstraint: It uses properties of characters that are not known here.
        LimitError: A lexer rule, with what it refers to, is too long; or there are too many.
    """
    del base_path  # nothing is read but the source
    scan = Scanner(source)
    notes = Notes(scan)
    return _Writer(scan, notes).write()


@dataclass
class _Terminal:
    """A terminal of the result.

    Args:
        name: Its name there; None for a string that stands in the rules themselves.
        pattern: Its regex; None where it is only declared.
        text: Its text, where it has only one.
        priority: Its priority there.
        ignored: Whether the parser never sees it.
        ahead: Characters that must not follow, for lark's own lexers.
    """

    name: str | None
    pattern: str | None
    text: str | None = None
    priority: int = 0
    ignored: bool = False
    ahead: str = ""


class _Writer:
    def __init__(self, scan: Scanner, notes: Notes) -> None:
        self._scan = scan
        self._notes = notes
        self._grammar = read_antlr4(scan, notes)
        self._rules = [rule for rule in self._grammar.rules if not rule.name[0].isupper()]
        self._lexer = {rule.name: rule for rule in self._grammar.rules if rule.name[0].isupper()}
        self._taken = {"start"}
        self._names: dict[str, str] = {}
        # Terminals in ANTLR's order of preference, by their name in the source or their text.
        self._terminals: dict[str, _Terminal] = {}

    def write(self) -> Conversion:
        """Return the grammar."""
        if not self._rules:
            raise GrammarError("the grammar has no parser rules")
        self._check_twice()
        for rule in self._rules:
            self._names[rule.name] = self._new(_snake(rule.name))
        if self._grammar.borrows:
            self._borrow()
        for name in [*self._lexer, *self._grammar.declared]:
            self._names.setdefault(name, self._new(_snake(name).upper()))
        self._find_terminals()
        self._prefer()
        first = self._rules[0]
        inside = {
            element.text
            for rule in self._rules
            for element in _walk(rule.body)
            if element.kind == "name"
        }
        body = first.body if first.name in inside else _without_end(first.body)
        lines = [f"start: {self._names[first.name]}", ""]
        lines += [
            f"{self._names[rule.name]}: {self._top(body if rule is first else rule.body)}"
            for rule in self._rules
        ]
        self._note_unused()
        self._remark_order()
        lines += ["", *self._terminal_lines()]
        head = [
            f"// Converted from the ANTLR4 grammar {self._grammar.name}, to be read with",
            "// formgate: " + " ".join(f"{name}={value}" for name, value in _OPTIONS.items()),
            *(f"// {line}" for line in self._notes.head()),
            "",
        ]
        notes = tuple(sorted(self._notes.found, key=lambda note: (note.line, note.column)))
        text = "\n".join([*head, *lines]) + "\n"
        return Conversion(text, "lark", notes, dict(_OPTIONS))

    def _check_twice(self) -> None:
        seen: set[str] = set()
        for rule in self._grammar.rules:
            if rule.name in seen:
                raise self._scan.error(
                    f"rule {rule.name!r} is defined twice", rule.start, rule.start + len(rule.name)
                )
            seen.add(rule.name)

    def _new(self, base: str) -> str:
        """Return a name that is not taken."""
        name, count = base, 1
        while name in self._taken:
            count += 1
            name = f"{base}_{count}"
        self._taken.add(name)
        return name

    # --- terminals

    def _find_terminals(self) -> None:
        """Fill the terminals: those of literals in parser rules, then the lexer's."""
        same = {
            rule.body.text: rule.name
            for rule in reversed(self._lexer.values())
            if rule.body.kind == "text" and not rule.fragment
        }
        for rule in self._rules:
            for element in _walk(rule.body):
                if element.kind == "text" and element.text not in same:
                    self._terminals.setdefault(
                        element.text, _Terminal(None, quoted(element.text), element.text)
                    )
        self._same = same
        patterns = Patterns(self._lexer, self._notes)
        for rule in self._lexer.values():
            if rule.fragment:
                continue
            terminal = _Terminal(self._names[rule.name], None, ignored=rule.ignored)
            if rule.body.kind == "text":
                terminal.text = rule.body.text
            try:
                terminal.pattern = patterns.of(rule)
            except NotRegular as problem:
                self._notes.add(
                    f"terminal {rule.name}: {problem.reason}; define {terminal.name}", problem.start
                )
            self._drop_empty(rule, terminal)
            self._terminals[rule.name] = terminal
        for name in self._grammar.declared:
            self._terminals.setdefault(name, _Terminal(self._names[name], None))

    def _drop_empty(self, rule: Rule, terminal: _Terminal) -> None:
        """Take the empty text from a terminal: ANTLR's lexer makes no token of it."""
        if terminal.pattern is None:
            return
        if not terminal.pattern.strip("()?:|"):
            reason = "has no text but the empty one"
            terminal.pattern = terminal.text = None
        elif _may_be_empty(terminal.pattern):
            reason = "can match the empty text, as none may in Lark"
            terminal.pattern = _without_empty(rule.body, terminal.pattern)
        if terminal.pattern is None:
            self._notes.add(f"terminal {rule.name} {reason}; define {terminal.name}", rule.start)

    def _borrow(self) -> None:
        """Declare the terminals that another grammar defines."""
        defined = {*self._lexer, *self._grammar.declared}
        for rule in self._grammar.rules:
            for element in _walk(rule.body):
                name = element.text
                if element.kind == "name" and name[:1].isupper() and name not in defined:
                    defined.add(name)
                    self._grammar.declared.append(name)
                    self._notes.add(
                        f"terminal {name}, which another grammar defines", element.start
                    )

    def _prefer(self) -> None:
        """Give priorities where two terminals can match the same text.

        Raises:
            LimitError: There are too many pairs to look at.
        """
        terminals = [each for each in self._terminals.values() if each.pattern is not None]
        regexes = [place for place, each in enumerate(terminals) if each.text is None]
        if len(terminals) * len(regexes) > _MOST_PAIRS:
            raise LimitError(
                f"the grammar has {len(terminals):,} terminals, of which {len(regexes):,} are no "
                f"plain texts: more than {_MOST_PAIRS:,} pairs to compare; merge some of them"
            )
        overlaps = _Overlaps(any_case=self._grammar.any_case)
        for place, one in enumerate(terminals):
            # Two texts are the same terminal, or have nothing in common.
            others = regexes if one.text is not None else range(len(terminals))
            for other in (terminals[index] for index in others if index > place):
                if not overlaps.between(one, other):
                    continue
                one.priority = len(terminals) - place
                if one.text is not None and one.text.isascii():
                    one.ahead += self._continued(one.text, other)
                if one.name is None:
                    word = one.text if one.text and one.text.isidentifier() else "sign"
                    one.name = self._new(_snake(word).upper())

    def _continued(self, text: str, other: _Terminal) -> str:
        """Return the characters with which another terminal goes on after a text."""
        flags = re.IGNORECASE if self._grammar.any_case else 0
        try:
            pattern = re.compile(other.pattern or "", flags)
        except (re.error, RecursionError):
            return ""
        letters = string.ascii_letters + string.digits + "_-$."
        return "".join(letter for letter in letters if pattern.fullmatch(text + letter))

    def _terminal_lines(self) -> list[str]:
        """Return the definitions of terminals."""
        lines: list[str] = []
        for terminal in self._terminals.values():
            if terminal.name is None:
                continue
            flags = "i" if self._grammar.any_case else ""
            if terminal.pattern is None:
                lines.append(f"%declare {terminal.name}")
                continue
            name = f"{terminal.name}.{terminal.priority}" if terminal.priority else terminal.name
            if terminal.ahead:
                lines.append(f"{name}: /{terminal.pattern}(?!{class_of(terminal.ahead)})/{flags}")
            elif terminal.text:
                lines.append(f"{name}: {self._string(terminal.text)}")
            else:
                lines.append(f"{name}: /{terminal.pattern}/{flags}")
            if terminal.ignored:
                lines.append(f"%ignore {terminal.name}")
        return lines

    def _string(self, text: str) -> str:
        """Return a string of Lark."""
        body = "".join(
            f"\\{char}" if char in '"\\'
            else char if char.isprintable()
            else f"\\u{ord(char):04x}" if ord(char) < 0x10000 else f"\\U{ord(char):08x}"
            for char in text
        )  # fmt: skip
        return f'"{body}"{"i" if self._grammar.any_case else ""}'

    # --- rules

    def _top(self, element: Element) -> str:
        """Return what a rule or a group holds."""
        if element.kind == "choice":
            return " | ".join(self._item_or_sequence(part) for part in element.parts)
        return self._item_or_sequence(element)

    def _item_or_sequence(self, element: Element) -> str:
        if element.kind != "seq":
            return self._item(element)
        return " ".join(filter(None, (self._item(part) for part in element.parts)))

    def _item(self, element: Element) -> str:
        """Return one item of a rule."""
        kind = element.kind
        if kind in ("text", "name"):
            return self._literal(element) if kind == "text" else self._use(element)
        if kind in ("any", "not"):
            excluded = self._excluded(element.parts[0]) if kind == "not" else set()
            return self._all_but(excluded, element)
        if kind == "set":
            raise self._scan.error("a set of characters stands in lexer rules", element.start)
        if kind == "eof":
            self._notes.add("EOF, which is read as the empty text", element.start)
            return ""
        if kind == "repeat" and not element.greedy:
            self._notes.add(
                "not greedy, which does not change what a rule matches", element.start, lost=False
            )
        inside = element.parts[0] if kind == "repeat" else element
        return f"({self._top(inside)}){element.sign}"

    def _literal(self, element: Element) -> str:
        if not element.text:
            raise self._scan.error("a literal has at least one character", element.start)
        key = self._same.get(element.text, element.text)
        terminal = self._terminals[key]
        return self._string(element.text) if terminal.name is None else terminal.name

    def _use(self, element: Element) -> str:
        place = element.start, element.start + len(element.text)
        name = self._names.get(element.text)
        if name is None:
            raise self._scan.error(f"rule {element.text!r} is used but not defined", *place)
        rule = self._lexer.get(element.text)
        if rule is not None and rule.fragment:
            raise self._scan.error(f"{element.text!r} is a fragment, and no terminal", *place)
        if rule is not None and rule.ignored:
            self._notes.add(f"{element.text} is ignored, so no rule ever sees it", element.start,
                            lost=False)  # fmt: skip
        return name

    def _excluded(self, element: Element) -> set[str]:
        """Return the terminals of a set after ``~``, by name in the source or text."""
        if element.kind in ("choice", "seq"):
            return {key for part in element.parts for key in self._excluded(part)}
        if element.kind == "text":
            return {self._same.get(element.text, element.text)}
        if element.kind == "name" and element.text in self._terminals:
            return {element.text}
        raise self._scan.error("'~' stands before what is no set of terminals", element.start)

    def _all_but(self, excluded: set[str], element: Element) -> str:
        """Return any terminal that the parser can see, but for some."""
        names = [
            self._string(terminal.text or "") if terminal.name is None else terminal.name
            for key, terminal in self._terminals.items()
            if key not in excluded and not terminal.ignored
        ]
        if not names:
            raise self._scan.error("no terminal is left to match", element.start)
        return f"({' | '.join(names)})"

    def _note_unused(self) -> None:
        """Note terminals that no rule uses: ANTLR's lexer has them all the same, lark's not."""
        used: set[str] = set()
        for rule in self._rules:
            for element in _walk(rule.body):
                if element.kind in ("any", "not"):
                    return  # all are used
                if element.kind in ("text", "name"):
                    used.add(self._same.get(element.text, element.text))
        for rule in self._lexer.values():
            if rule.name not in used and not rule.fragment and not rule.ignored:
                self._notes.add(
                    f"terminal {rule.name}, which no rule uses, though it may be the longest match",
                    rule.start,
                )

    def _remark_order(self) -> None:
        """Remark on rules of which the order of alternatives is a precedence."""
        for rule in self._rules:
            parts = rule.body.parts if rule.body.kind == "choice" else []
            recursive = [p for p in parts if _first_name(p) == rule.name]
            if recursive and len(parts) > 2:
                self._notes.add(
                    f"the order of alternatives of {rule.name} is a precedence in ANTLR; it does "
                    "not change what the rule matches",
                    rule.start,
                    lost=False,
                )


class _Overlaps:
    """Says whether two terminals match a common text, by this library's own engine."""

    def __init__(self, *, any_case: bool) -> None:
        self._flags = "i" if any_case else ""
        self._engines: dict[int, Engine | bool | None] = {}
        self._compared = 0

    def between(self, one: _Terminal, other: _Terminal) -> bool:
        """Say so; also if it is not known, since a priority that is not needed does no harm."""
        if one.text is not None:
            return self._takes(other, one.text)
        if other.text is not None:
            return self._takes(one, other.text)
        self._compared += 1
        return self._compared > _MOST_COMPARED or self._compiled(one, other) is not None

    def _takes(self, terminal: _Terminal, text: str) -> bool:
        if id(terminal) not in self._engines:
            self._engines[id(terminal)] = self._compiled(terminal)
        engine = self._engines[id(terminal)]
        return not isinstance(engine, Engine) or engine.accepts(text)

    def _compiled(self, *terminals: _Terminal) -> Engine | bool | None:
        """Return the engine of what all match; None if that is nothing, True if not known."""
        builder = GrammarBuilder()
        try:
            builder.start(
                builder.intersection(
                    *(
                        builder.scope(compile_regex(each.pattern or "", builder, flags=self._flags))
                        for each in terminals
                    )
                )
            )
            return builder.build().compile(byte_vocabulary(), timeout_s=_PATIENCE_S)
        except EmptyLanguageError:
            return None
        except FormgateError:
            return True


def _snake(name: str) -> str:
    """Return a name in small letters, with words apart."""
    apart = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name)
    plain = "".join(c if c.isascii() else f"_{ord(c):x}" for c in apart).lower()
    return plain if plain[0].isalpha() else f"x{plain}"


def _may_be_empty(pattern: str) -> bool:
    """Say whether a regex matches the empty text; one that only lark can read does not here."""
    try:
        return re.fullmatch(pattern, "") is not None
    except re.error:
        return False


def _without_empty(body: Element, pattern: str) -> str | None:
    """Return the regex of a terminal that may be empty for its other texts, where that is easy.

    ANTLR warns of such terminals; its lexer makes no use of the empty text.
    """
    while body.kind in ("choice", "seq") and len(body.parts) == 1:
        body = body.parts[0]
    if body.kind != "repeat" or not body.greedy or not pattern.endswith(body.sign):
        return None
    found = pattern[: -len(body.sign)] + ("+" if body.sign == "*" else "")
    return None if _may_be_empty(found) else found


def _walk(element: Element) -> list[Element]:
    """Return an element and all its parts."""
    found = [element]
    for each in found:
        found += each.parts
    return found


def _first_name(element: Element) -> str | None:
    """Return the name that an alternative begins with, if it begins with one."""
    while element.kind == "seq" and element.parts:
        element = element.parts[0]
    return element.text if element.kind == "name" else None


def _without_end(body: Element) -> Element:
    """Return the first rule without EOF at its end, where it says nothing: the text ends there."""
    if body.kind == "eof":
        return Element("seq", body.start)
    if body.kind == "choice":
        return Element("choice", body.start, parts=[_without_end(part) for part in body.parts])
    if body.kind == "seq" and body.parts and body.parts[-1].kind == "eof":
        return Element("seq", body.start, parts=body.parts[:-1])
    return body
