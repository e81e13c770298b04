"""Nearley grammars as GBNF, or as Lark where a lexer cuts the text.

Nearley without a lexer reads single characters, as GBNF does; its Earley parser takes any grammar,
as formgate does. Macros are written out, one rule for each way they are called. With ``@lexer``
the tokens are JavaScript, so the Lark grammar declares them and the user defines them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from formgate.core.errors import GrammarError, LimitError
from formgate.plugins.cfg._convert import Conversion, Notes
from formgate.plugins.cfg._js_classes import js_class
from formgate.plugins.cfg._nearley import Group, Item, Literal, Rule, Use, read_nearley
from formgate.plugins.cfg._scanner import Scanner

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from formgate.plugins.cfg._nearley import Alternatives

__all__ = ["BUILTINS", "convert"]

_MAX_FILES = 100
_MAX_TEXT = 1_000_000  # characters of the result; macros can multiply

# What comes with nearley 2.20, rules only.
BUILTINS = {
    "number.ne": """
        unsigned_int -> [0-9]:+
        int -> ("-"|"+"):? [0-9]:+
        unsigned_decimal -> [0-9]:+ ("." [0-9]:+):?
        decimal -> "-":? [0-9]:+ ("." [0-9]:+):?
        percentage -> decimal "%"
        jsonfloat -> "-":? [0-9]:+ ("." [0-9]:+):? ([eE] [+-]:? [0-9]:+):?
    """,
    "postprocessors.ne": "",
    "string.ne": r"""
        dqstring -> "\\"" dstrchar:* "\\""
        sqstring -> "'" sstrchar:* "'"
        btstring -> "`" [^`]:* "`"
        dstrchar -> [^\\"\n] | "\\" strescape
        sstrchar -> [^\\'\n] | "\\" strescape | "\\'"
        strescape -> ["\\/bfnrt] | "u" [a-fA-F0-9] [a-fA-F0-9] [a-fA-F0-9] [a-fA-F0-9]
    """.replace('"\\\\""', '"\\""'),
    "whitespace.ne": r"""
        _ -> wschar:*
        __ -> wschar:+
        wschar -> [ \t\n\v\f]
    """,
}


@dataclass
class _Source:
    """A rule and the file it stands in."""

    scan: Scanner
    notes: Notes
    rule: Rule


@dataclass
class _Loaded:
    """The rules of a grammar and all that it includes."""

    rules: dict[str, list[_Source]] = field(default_factory=dict)
    notes: list[Notes] = field(default_factory=list)
    lexer: bool = False
    seen: set[str] = field(default_factory=set)

    def load(self, text: str, base: Path | None, file: str | None) -> None:
        """Read a file and what it includes.

        Raises:
            GrammarError: A file is malformed, or cannot be found.
        """
        work = [(text, base, file)]
        while work:
            text, base, file = work.pop(0)
            scan = Scanner(text)
            notes = Notes(scan, file)
            self.notes.append(notes)
            found = read_nearley(scan, notes)
            self.lexer = self.lexer or found.lexer
            for rule in found.rules:
                self.rules.setdefault(rule.name, []).append(_Source(scan, notes, rule))
            for name, builtin, place in found.includes:
                work += self._included(name, builtin, base, scan, place)

    def _included(
        self, name: str, builtin: bool, base: Path | None, scan: Scanner, place: int
    ) -> list[tuple[str, Path | None, str]]:
        """Return a file to read, unless it is read already."""
        if builtin:
            if name not in BUILTINS:
                raise scan.error(f"nearley has no built-in file {name!r}", place)
            key = f"builtin {name}"
            text, folder = BUILTINS[name], None
        else:
            if base is None:
                raise scan.error(
                    f"file {name!r} is included, and it is not known from where",
                    place,
                    hint="give base_path, the folder of the grammar",
                )
            path = base / name
            key = str(path.resolve())
            folder = path.parent
            try:
                text = "" if key in self.seen else path.read_text(encoding="utf-8")
            except (OSError, ValueError) as error:
                raise scan.error(f"file {name!r} cannot be read: {error}", place) from error
        if key in self.seen:
            return []
        self.seen.add(key)
        if len(self.seen) > _MAX_FILES:
            raise scan.error(f"more than {_MAX_FILES} files are included", place)
        return [(text, folder, name)]


def convert(source: str, base_path: str | os.PathLike[str] | None, /) -> Conversion:
    """Convert a Nearley grammar.

    Raises:
        GrammarError: It is malformed, or uses what is not defined.
        LimitError: Its macros expand to too much.
    """
    loaded = _Loaded()
    loaded.load(source, None if base_path is None else Path(base_path), None)
    if not loaded.rules:
        raise GrammarError("the grammar has no rules")
    return (_LarkWriter if loaded.lexer else _GbnfWriter)(loaded).write()


class _Writer:
    """Writes the rules that are used, in the order of first use."""

    format, comment, start, defines = "", "", "", ""

    def __init__(self, loaded: _Loaded) -> None:
        self._loaded = loaded
        self._names: dict[tuple[str, tuple[str, ...]], str] = {}
        self._work: list[tuple[str, tuple[str, ...]]] = []
        self._taken: set[str] = set()
        self._counts: dict[str, int] = {}
        self._size = 0

    def write(self) -> Conversion:
        first = next(iter(self._loaded.rules))
        if self._loaded.rules[first][0].rule.parameters is not None:
            rule = self._loaded.rules[first][0]
            raise rule.scan.error("the first rule, which a text must match, is a macro",
                                  rule.rule.start)  # fmt: skip
        self._taken.add(self.start)
        lines = [f"{self.start} {self.defines} {self.refer(first, ())}"]
        while self._work:
            name, arguments = self._work.pop(0)
            lines.append(self._rule(name, arguments))
        lines = [*self.head(), *lines, *self.tail()]
        notes = tuple(note for each in self._loaded.notes for note in each.found)
        return Conversion("\n".join(lines) + "\n", self.format, notes, self.options())

    def head(self) -> list[str]:
        """Return the comment above the rules."""
        lines = [f"{self.comment} Converted from Nearley."]
        for notes in self._loaded.notes:
            lines += [f"{self.comment} {line}" for line in notes.head()]
        return [*lines, ""]

    def tail(self) -> list[str]:
        """Return what follows the rules."""
        return []

    def options(self) -> dict[str, str]:
        """Return options of the format that the grammar needs."""
        return {}

    def refer(self, name: str, arguments: tuple[str, ...]) -> str:
        """Return the name that a rule, or a macro called in one way, has in the result."""
        key = name, arguments
        if key not in self._names:
            base = self.spell(name) if name.isascii() else "rule"
            spelled = base
            while spelled in self._taken:
                self._counts[base] = self._counts.get(base, 1) + 1
                spelled = f"{base}{self.separator}{self._counts[base]}"
            self._grow(sum(map(len, arguments)))
            self._taken.add(spelled)
            self._names[key] = spelled
            self._work.append(key)
        return self._names[key]

    separator = "-"

    def spell(self, name: str) -> str:
        raise NotImplementedError

    def literal(self, item: Literal, source: _Source) -> str:
        raise NotImplementedError

    def chars(self, item: Use, source: _Source) -> str:
        raise NotImplementedError

    def token(self, item: Use, source: _Source) -> str:
        raise NotImplementedError

    def _grow(self, characters: int) -> None:
        """Count what is written, so that macros that call themselves come to an end.

        Raises:
            LimitError: It is too much.
        """
        self._size += characters
        if self._size > _MAX_TEXT:
            raise LimitError(f"the macros expand to more than {_MAX_TEXT} characters")

    def _rule(self, name: str, arguments: tuple[str, ...]) -> str:
        alternatives = []
        for source in self._loaded.rules[name]:
            given = dict(zip(source.rule.parameters or (), arguments, strict=False))
            alternatives += [
                self._sequence(each, source, given) for each in source.rule.alternatives
            ]
        text = f"{self.refer(name, arguments)} {self.defines} {' | '.join(alternatives)}"
        self._grow(len(text))
        return text

    def _sequence(self, items: Sequence[Item], source: _Source, given: dict[str, str]) -> str:
        return " ".join(self._item(item, source, given) for item in items) or self.empty

    empty = ""

    def _item(self, item: Item, source: _Source, given: dict[str, str]) -> str:
        if isinstance(item, Literal):
            return self.literal(item, source)
        if isinstance(item, Group):
            return self._group(item.alternatives, source, given) + item.modifier
        if item.kind == "chars":
            return self.chars(item, source)
        if item.kind == "token":
            return self.token(item, source)
        place = item.start, item.start + len(item.name)
        if item.kind == "argument":
            if item.name not in given:
                raise source.scan.error(f"{item.name!r} is no parameter of this macro", *place)
            self._grow(len(given[item.name]))
            return given[item.name]
        if item.name not in self._loaded.rules:
            raise source.scan.error(f"rule {item.name!r} is used but not defined", *place)
        parameters = self._loaded.rules[item.name][0].rule.parameters
        if len(parameters or ()) != len(item.arguments) or (
            (parameters is None) != (item.kind == "name")
        ):
            raise source.scan.error(
                f"{item.name!r} takes {len(parameters or ())} arguments, not {len(item.arguments)}",
                *place,
            )
        arguments = tuple(self._group(each, source, given) for each in item.arguments)
        return self.refer(item.name, arguments)

    def _group(self, alternatives: Alternatives, source: _Source, given: dict[str, str]) -> str:
        """Return alternatives as one item, in brackets where it takes them."""
        if len(alternatives) == 1 and len(alternatives[0]) == 1:
            only = alternatives[0][0]
            if not isinstance(only, Group) or not only.modifier:
                return self._item(only, source, given)
        texts = [self._sequence(items, source, given) for items in alternatives]
        return f"({' | '.join(texts)})"


class _GbnfWriter(_Writer):
    format, comment, start, defines = "gbnf", "#", "root", "::="
    empty = '""'

    def spell(self, name: str) -> str:
        return name.replace("?", "-opt").replace("+", "-plus")

    def literal(self, item: Literal, source: _Source) -> str:
        if not item.any_case:
            return f'"{_gbnf(item.text, source)}"'
        parts = []
        for char in item.text:
            both = char.lower() + char.upper()
            text = _gbnf("".join(dict.fromkeys(both)), source)
            parts.append(f"[{text}]" if set(both) != {char} else f'"{text}"')
        return f"({' '.join(parts)})" if parts else '""'

    def chars(self, item: Use, source: _Source) -> str:
        ranges, negated = js_class(source.scan, item.name, item.start)
        if any(0xD800 <= end <= 0xDFFF for pair in ranges for end in pair):
            raise source.scan.error(
                "surrogates are no characters of a text",
                item.start,
                item.start + len(item.name),
                hint="write the characters beyond U+FFFF themselves",
            )
        if negated and not ranges:
            return "."
        parts = [_code(low) if low == high else f"{_code(low)}-{_code(high)}"
                 for low, high in ranges]  # fmt: skip
        return f"[{'^' * negated}{''.join(parts)}]"

    def token(self, item: Use, source: _Source) -> str:
        source.notes.add(f"token %{item.name} is JavaScript; define rule token-{item.name}",
                         item.start)  # fmt: skip
        return f"token-{self.spell(item.name)}"


class _LarkWriter(_Writer):
    format, comment, start, defines = "lark", "//", "start", ":"
    separator = "_"

    def __init__(self, loaded: _Loaded) -> None:
        super().__init__(loaded)
        self._tokens: dict[str, None] = {}

    def options(self) -> dict[str, str]:
        return {"start": "start"}

    def tail(self) -> list[str]:
        return ["", *(f"%declare {name}" for name in self._tokens)]

    def spell(self, name: str) -> str:
        return "r_" + name.lower().replace("?", "_opt").replace("+", "_plus")

    def literal(self, item: Literal, source: _Source) -> str:
        del source
        body = "".join(_lark(char) for char in item.text)
        return f'"{body}"{"i" * item.any_case}' if body else "()"

    def chars(self, item: Use, source: _Source) -> str:
        raise source.scan.error(
            "a class of characters has no meaning where a lexer makes tokens",
            item.start,
            item.start + len(item.name),
        )

    def token(self, item: Use, source: _Source) -> str:
        name = "T_" + item.name.upper().replace("?", "_OPT").replace("+", "_PLUS")
        if name not in self._tokens:
            source.notes.add(f"token %{item.name} is JavaScript; define terminal {name}",
                             item.start)  # fmt: skip
        self._tokens[name] = None
        return name


def _gbnf(text: str, source: _Source) -> str:
    """Return a text as a literal of GBNF has it.

    Raises:
        GrammarError: It has a lone surrogate.
    """
    if any(0xD800 <= ord(char) <= 0xDFFF for char in text):
        raise source.scan.error("a lone surrogate, which no well-formed text contains",
                                source.rule.start)  # fmt: skip
    return "".join(_code(ord(char)) if char in '"\\[]^-' or not char.isprintable() else char
                   for char in text)  # fmt: skip


def _code(code: int) -> str:
    """Return a character as it may stand in any place of GBNF."""
    char = chr(code)
    if char.isalnum() or char in " _.,;:!?/()<>=*+%&|~#@$'`{}":
        return char
    if code < 0x100:
        return f"\\x{code:02X}"
    return f"\\u{code:04X}" if code < 0x10000 else f"\\U{code:08X}"


def _lark(char: str) -> str:
    """Return a character as a string of Lark has it."""
    if char in '"\\':
        return f"\\{char}"
    if char.isprintable():
        return char
    code = ord(char)
    return f"\\u{code:04X}" if code < 0x10000 else f"\\U{code:08X}"
