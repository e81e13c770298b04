r"""The text of a Lark grammar before the lark package reads it.

One pass over strings, regexes, comments and brackets, as lark's own lexer tells them apart:

- Parts in other formats are cut out. ``%name`` and a source, where a rule has an item, is such a
  part: ``%json {...}`` and ``%choice [...]`` (a JSON value), ``%regex /.../i``, ``%lark {...}``
  (up to its closing brace), and ``%name \"\"\"...\"\"\"`` for any format (the text as it stands).
  A marker that no grammar contains stands for each, so lark sees a regex.
- What makes lark's loader hang is refused or mended: strings and regexes that never end (its own
  patterns backtrack without bound), brackets and terminals nested beyond reason, and thousands of
  empty lines.

Cost: linear in the source. ``place`` says where in the source lark's positions are.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, NamedTuple

from formgate.core.errors import GrammarError, LimitError
from formgate.core.members import unique_members
from formgate.plugins.cfg._scanner import Scanner, find_lone_surrogate

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["LarkSource", "Part", "count_terminals", "prepare"]

_MOST_NESTED = 100
_MOST_ITEMS = 200_000
_MOST_BREAKS = 64

_NEXT = re.compile(r"""["/#%(\[{)\]}]|(?:\r?\n){""" + str(_MOST_BREAKS + 1) + ",}")
_STRING = re.compile(r'"(?:\\.|[^"\\\n])*"')
_REGEX = re.compile(r"/(?:\\.|[^/\\])*/", re.DOTALL)
_LITERAL = re.compile(rf"//[^\n]*|#[^\n]*|{_STRING.pattern}|{_REGEX.pattern}", re.DOTALL)
_LINE = re.compile(r"[^\n]*")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")
_BLANKS = re.compile(r"[ \t]*")
_FLAGS = re.compile(r"[a-zA-Z]*")
_BOOLEAN = re.compile(r"(?:true|false)\b")
_DIRECTIVES = frozenset(("declare", "extend", "ignore", "import", "override"))
_FORMATS = {"json": "json_schema"}

_NOTHING = re.compile(r"%ignore[ \t]*(?:\n|$)")
_DEFINITION = re.compile(
    r"^[ \t]*(?:%(?:override|extend)[ \t]+)?[?!]*(\w+)[ \t]*(?:\{[^}\n]*\}[ \t]*)?"
    r"(?:\.[ \t]*[+-]?\d+[ \t]*)?:",
    re.MULTILINE,
)
_TERMINAL = re.compile(r"\b_?[A-Z][_A-Z0-9]*\b")


class Part(NamedTuple):
    """A part of a rule that is written in another format.

    Args:
        name: The name as written.
        format: The name of the format.
        source: What it is given.
        options: Its options.
        place: Where it stands in the grammar.
        inner: Where the source begins, if it is a text that stands there as it is.
    """

    name: str
    format: str
    source: object
    options: Mapping[str, object]
    place: tuple[int, int]
    inner: int | None


class _Change(NamedTuple):
    """A range of the source, and the range of the text that replaced it."""

    old: tuple[int, int]
    new: tuple[int, int]


class LarkSource(NamedTuple):
    """A grammar that lark can load.

    Args:
        source: The grammar as it was given.
        text: The grammar for lark.
        code: ``text`` with blanks for strings, regexes and comments.
        parts: The parts in other formats, by their markers.
        changes: Where ``text`` differs from ``source``.
    """

    source: str
    text: str
    code: str
    parts: Mapping[str, Part]
    changes: tuple[_Change, ...]

    def place(self, offset: int) -> int:
        """Return the place in the source of a place in the text."""
        shift = 0
        for change in self.changes:
            if offset < change.new[0]:
                break
            if offset < change.new[1]:
                return change.old[0]
            shift = change.old[1] - change.new[1]
        return min(offset + shift, len(self.source))

    def error(
        self, message: str, offset: int, length: int = 1, *, hint: str | None = None
    ) -> GrammarError:
        """Return an error that shows a place of the text, in the source."""
        begin = self.place(offset)
        return GrammarError(
            message, source=self.source, offset=begin, end=begin + length, hint=hint
        )

    def error_at(self, message: str, name: str, *, hint: str | None = None) -> GrammarError:
        """Return an error that shows where a name is defined, or else where it stands first."""
        places = [offset for known, offset, _ in self.definitions() if known == name]
        if not places:
            found = re.search(rf"\b{re.escape(name)}\b", self.code)
            places = [] if found is None else [found.start()]
        if not places:  # it stands in a file that is imported
            return GrammarError(message, hint=hint)
        return self.error(message, places[0], len(name), hint=hint)

    def empty_ignore(self, message: str, *, hint: str | None = None) -> GrammarError:
        """Return an error that shows the first ``%ignore`` with nothing behind it."""
        for match in re.finditer("%ignore", self.code):
            if _NOTHING.match(self.source, self.place(match.start())):
                return self.error(message, match.start(), len(match[0]), hint=hint)
        return GrammarError(message, hint=hint)

    def definitions(self) -> list[tuple[str, int, int]]:
        """Return the names that the grammar defines, with the place of each and its end."""
        found = [(match[1], match.start(1)) for match in _DEFINITION.finditer(self.code)]
        places = [offset for _, offset in found] + [len(self.code)]
        return [(name, offset, places[at + 1]) for at, (name, offset) in enumerate(found)]


def prepare(source: str) -> LarkSource:
    """Make a grammar ready for lark.

    Raises:
        GrammarError: A string, a regex, or a part in another format is malformed.
        LimitError: Brackets or terminals are nested beyond reason.
    """
    if (lone := find_lone_surrogate(source)) is not None:
        raise GrammarError(
            "a lone surrogate, which no well-formed text contains", source=source, offset=lone
        )
    reader = _Reader(source)
    reader.read()
    text = "".join(reader.text)
    code = "".join(reader.code)
    ready = LarkSource(source, text, code, reader.parts, tuple(reader.changes))
    _check_terminals(ready)
    return ready


def count_terminals(source: LarkSource) -> int:
    """Return how many terminals a grammar writes: those it names, and the others of its rules."""
    definitions = source.definitions()
    named = {name for name, _, _ in definitions if name.isupper()}
    written: set[str] = set()
    for name, begin, end in definitions:
        if not name.isupper():
            found = _LITERAL.findall(source.text, begin, end)
            written.update(text for text in found if not text.startswith(("#", "//")))
    return len(named) + len(written)


class _Reader:
    """Goes through a grammar once."""

    def __init__(self, source: str) -> None:
        self._scan = Scanner(source)
        self._stem = "embedded part "
        while self._stem in source:
            self._stem += "~ "
        self._length = 0
        self._open = 0
        self.text: list[str] = []
        self.code: list[str] = []
        self.parts: dict[str, Part] = {}
        self.changes: list[_Change] = []

    def read(self) -> None:
        """Read all."""
        scan = self._scan
        source = scan.source
        while (match := _NEXT.search(source, scan.position)) is not None:
            self._keep(source[scan.position : match.start()])
            begin = scan.position = match.start()
            if match[0] == "%" and not self._is_directive(begin):
                self._part(begin)
            elif match[0][-1] == "\n":
                scan.position = match.end()
                self._replace(begin, "\n\n", "\n\n")
            elif (end := self._skip(begin)) > begin + 1:
                self._blank(source[begin:end])
                scan.position = end
            else:
                self._bracket(begin)
                scan.position = begin + 1
                self._keep(match[0])
        self._keep(source[scan.position :])

    def _keep(self, text: str) -> None:
        self.text.append(text)
        self.code.append(text)
        self._length += len(text)

    def _blank(self, text: str) -> None:
        self.text.append(text)
        self.code.append(" " * len(text))
        self._length += len(text)

    def _replace(self, begin: int, text: str, code: str) -> None:
        """Put another text where the source from ``begin`` to the position was."""
        new = self._length, self._length + len(text)
        self.changes.append(_Change((begin, self._scan.position), new))
        self.text.append(text)
        self.code.append(code)
        self._length = new[1]

    def _bracket(self, begin: int) -> None:
        """Count the brackets that are open."""
        char = self._scan.source[begin]
        if char in "([{":
            self._open += 1
        elif char in ")]}" and self._open:
            self._open -= 1
        if self._open > _MOST_NESTED:
            raise LimitError(
                f"brackets are nested more than {_MOST_NESTED} deep in the grammar, at line "
                f"{self._scan.source.count(chr(10), 0, begin) + 1}; give inner parts rules of "
                "their own"
            )

    def _is_directive(self, begin: int) -> bool:
        name = _NAME.match(self._scan.source, begin + 1)
        return name is None or name[0] in _DIRECTIVES

    def _skip(self, begin: int) -> int:
        """Return where the string, regex or comment at a place ends; the place if there is none."""
        source = self._scan.source
        char = source[begin]
        if char == "#" or source.startswith("//", begin):
            return _end(_LINE.match(source, begin))
        if char not in '"/':
            return begin
        match = (_STRING if char == '"' else _REGEX).match(source, begin)
        if match is None:
            what = "string" if char == '"' else "regex"
            raise self._scan.error(
                f"this {what} is not closed",
                begin,
                hint="a string ends on its line; write \\n for a line break"
                if char == '"'
                else None,
            )
        return match.end()

    # -- parts in other formats

    def _part(self, begin: int) -> None:
        """Read ``%name`` and a source, and put a marker in their place."""
        scan = self._scan
        name = _end(_NAME.match(scan.source, begin + 1))
        given = scan.source[begin + 1 : name]
        scan.position = _end(_BLANKS.match(scan.source, name))
        options: dict[str, object] = {}
        at = scan.position
        inner: int | None = None
        found: object
        if scan.take('"""'):
            inner = scan.position
            end = scan.source.find('"""', scan.position)
            if end < 0:
                raise scan.error("this text is not closed", at, at + 3)
            found = scan.source[scan.position : end]
            scan.position = end + 3
        elif scan.peek == "/" and given == "regex":
            scan.position = self._skip(at)
            inner = at + 1
            found = scan.source[inner : scan.position - 1]
            flags = _end(_FLAGS.match(scan.source, scan.position))
            if flags > scan.position:
                options["flags"] = scan.source[scan.position : flags]
            scan.position = flags
        elif scan.peek == "{" and given == "lark":
            scan.position = self._closing_brace(at)
            inner = at + 1
            found = scan.source[inner : scan.position - 1]
        elif scan.peek in ("{", "["):
            found = self._json(at, as_text=given == "json")
            inner = at if given == "json" else None
        elif given == "json" and _BOOLEAN.match(scan.source, at) is not None:
            found = self._json(at, as_text=True)
            inner = at
        else:
            raise scan.error(
                f"'%{given}' is no directive of lark, and no source of another format follows",
                begin,
                name,
                hint='write %regex /.../, %json {...}, %lark {...} or %format """..."""',
            )
        marker = f"{self._stem}{len(self.parts)}"
        place = begin, scan.position
        self.parts[marker] = Part(given, _FORMATS.get(given, given), found, options, place, inner)
        # The blank keeps a name that follows from being read as flags of the regex.
        self._replace(begin, f"/{marker}/ ", " " * (len(marker) + 3))

    def _closing_brace(self, begin: int) -> int:
        """Return the end of a grammar in braces."""
        source = self._scan.source
        depth = 0
        at = begin
        while (match := _NEXT.search(source, at)) is not None:
            at = match.start()
            depth += {"{": 1, "}": -1}.get(match[0], 0)
            if depth == 0:
                return at + 1
            at = max(self._skip(at), match.end())
        raise self._scan.error("this brace is not closed", begin)

    def _json(self, begin: int, *, as_text: bool) -> object:
        """Read a JSON value; return it, or its text."""
        scan = self._scan
        decoder = json.JSONDecoder(object_pairs_hook=None if as_text else unique_members)
        try:
            value, end = decoder.raw_decode(scan.source, begin)
        except json.JSONDecodeError as error:
            raise scan.error(f"this is no JSON value: {error.msg}", error.pos) from None
        except ValueError as error:
            raise scan.error(str(error), begin) from None
        except RecursionError:
            raise LimitError("a JSON value in the grammar is nested too deep") from None
        scan.position = end
        return scan.source[begin:end] if as_text else value


def _end(match: re.Match[str] | None) -> int:
    """Return the end of a match that cannot fail."""
    assert match is not None  # noqa: S101 (tells the type checker)
    return match.end()


def _check_terminals(ready: LarkSource) -> None:
    """Refuse terminals of terminals that lark would write out into a gigantic regex."""
    uses: dict[str, list[str]] = {}
    for name, begin, end in ready.definitions():
        if name.isupper():
            found = _TERMINAL.findall(ready.code, begin + len(name), end)
            uses.setdefault(name, []).extend(found)
    sizes: dict[str, int] = {}
    total = 0
    for root, used_by_root in uses.items():
        if root in sizes:
            continue
        stack = [(root, iter(used_by_root))]
        being_measured = {root}
        while stack:
            name, rest = stack[-1]
            for use in rest:
                if use in uses and use not in sizes and use not in being_measured:
                    stack.append((use, iter(uses[use])))
                    being_measured.add(use)
                    break
            else:
                # What is still being measured is a circle, which lark refuses: one item.
                sizes[name] = 1 + sum(sizes.get(use, 1) for use in uses[name])
                total += sizes[name]
                stack.pop()
                if total > _MOST_ITEMS:
                    raise LimitError(
                        f"the terminals are made of more than {_MOST_ITEMS:,} others, counting "
                        f"repeated ones, with {name} among the largest; make some of them rules"
                    )
