r"""ECMAScript patterns, as JSON Schema means them.

The syntax is that of ECMA-262 with the ``u`` flag: characters are code points, ``\p{..}`` names a
property, ``\d`` and ``\w`` are ASCII, ``\s`` is what ECMAScript calls white space, ``$`` is the end
of the text alone, ``.`` is anything but a line terminator. Where the ``u`` flag would refuse
something to which ECMA-262's Annex B gives a meaning (``\-`` outside of a class, a lone ``}``), it
has that meaning. A pattern is searched for, not matched in full.

The tree is made of the nodes of ``plugins.regex``, whose writer then writes it: on what the trees
can say, both dialects agree. One pass with a stack of open groups; cost is linear.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from formgate.core.errors import GrammarError, LimitError
from formgate.plugins.json_schema._ecma_escapes import NO_LINE_END, WORD, EscapeReader
from formgate.plugins.regex._ranges import ANY, Ranges, complement, normalise
from formgate.plugins.regex._syntax import (
    Alternation,
    Anchor,
    AnchorKind,
    CharClass,
    Literal,
    Look,
    Repeat,
    RepeatMode,
    Sequence,
    Syntax,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["WORD", "is_strict_pattern", "parse_ecma"]

_MAX_DEPTH = 100

# A run of plain characters, less its last one where a quantifier may follow.
_RUN = re.compile(r"[^\\.\[\](){}*+?^$|\ud800-\udfff]+(?![*+?{])")
_COUNT = re.compile(r"\{([0-9]+)(?:(,)([0-9]*))?\}")
_NAME = re.compile(r"\(\?<([^>=!][^>]*)>")
_REFERENCE_NAME = re.compile(r"\\k<([^>]+)>")
_NUMBER = re.compile("[1-9][0-9]*")
_FLAGS = re.compile(r"\(\?[ims]*(?:-[ims]*)?[:)]")
_CAPTURE = re.compile(r"\\.|\[(?:\\.|[^\]\\])*\]|(\((?!\?)|\(\?<[^=!])|.", re.DOTALL)


class _Group(NamedTuple):
    """An open group, with what was being read when it opened."""

    kind: str
    start: int
    items: list[Syntax]
    branches: list[Syntax] | None


@lru_cache(maxsize=512)
def parse_ecma(pattern: str) -> Syntax:
    """Return the syntax tree of a pattern, as it stands: matched at one place.

    Raises:
        GrammarError: It is no pattern.
        UnsupportedConstraint: It asks for what is no regular language, or for what this dialect
            does not have and others do.
        LimitError: Its groups are nested more than 100 deep.
    """
    return _Parser(pattern).parse()


def is_strict_pattern(text: str) -> bool:
    """Say whether a text is a pattern with the ``u`` flag, back-references among what it may have.

    Raises:
        LimitError: Its groups are nested more than 100 deep.
    """
    parser = _Parser(text, refer=True)
    try:
        parser.parse()
    except GrammarError:
        return False
    return not parser.loose and parser.references <= parser.names


class _Parser(EscapeReader):
    """Reads one pattern; ``items`` and ``branches`` are those of the innermost open group.

    With ``refer``, back-references are read over. Where the ``u`` flag would refuse what is read,
    ``loose`` is set.
    """

    # What the last thing read allows a quantifier to do.
    NOTHING, ITEM, LOOK = range(3)

    def __init__(self, pattern: str, *, refer: bool = False) -> None:
        self.pattern = pattern
        self.refer = refer
        self.loose = False
        self.references: set[str] = set()
        self.position = 0
        self.items: list[Syntax] = []
        self.branches: list[Syntax] | None = None
        self.open_groups: list[_Group] = []
        self.names: set[str] = set()
        self.tail = self.NOTHING
        self._captures: int | None = None

    def parse(self) -> Syntax:
        """Read the whole pattern."""
        pattern, handlers = self.pattern, _HANDLERS
        length = len(pattern)
        while True:
            start = self.position
            run = _RUN.match(pattern, start)
            if run is not None:
                self.position = run.end()
                self.add(Literal(run.group(), start, self.position))
                continue
            if start >= length:
                break
            handler = handlers.get(pattern[start])
            if handler is not None:
                handler(self, start)
            else:
                self.loose = self.loose or pattern[start] in "]}"
                self.character(ord(pattern[start]), start, start + 1)
        if self.open_groups:
            raise self.fail("this group is not closed", self.open_groups[-1].start)
        return self.take_branches(0)

    def add(self, item: Syntax) -> None:
        """Append an item that may be repeated."""
        self.items.append(item)
        self.tail = self.ITEM

    def character(self, code: int, start: int, end: int) -> None:
        """Append one character; a lone surrogate is in no text."""
        self.position = end
        if 0xD800 <= code <= 0xDFFF:
            self.add(CharClass((), start, end))
        else:
            self.add(Literal(chr(code), start, end))

    def characters(self, ranges: Ranges, start: int, end: int) -> None:
        """Append a set of characters."""
        self.position = end
        self.add(CharClass(ranges, start, end))

    # -- groups and alternatives

    def take_branches(self, start: int) -> Syntax:
        """Return what was read of the innermost group as one node."""
        items, branches = self.items, self.branches
        last = items[0] if len(items) == 1 else Sequence(items, start, self.position)
        if branches is None:
            return last
        branches.append(last)
        return Alternation(branches, start, self.position)

    def alternative(self, start: int) -> None:
        """Read ``|``."""
        items = self.items
        if self.branches is None:
            self.branches = []
        first = items[0].start if items else start
        self.branches.append(items[0] if len(items) == 1 else Sequence(items, first, start))
        self.items = []
        self.tail = self.NOTHING
        self.position = start + 1

    def group(self, start: int) -> None:
        """Read ``(`` and what says which kind of group it opens."""
        pattern = self.pattern
        kind, end = "(", start + 1
        if pattern.startswith("?", end):
            kind = next(
                (k for k in ("(?:", "(?=", "(?!", "(?<=", "(?<!") if pattern.startswith(k, start)),
                "",
            )
            end = start + len(kind)
            if not kind:
                end = self.named_group(start)
                kind = "("
        if len(self.open_groups) >= _MAX_DEPTH:
            raise LimitError(f"groups of a pattern are nested more than {_MAX_DEPTH} deep")
        self.open_groups.append(_Group(kind, start, self.items, self.branches))
        self.items, self.branches = [], None
        self.tail = self.NOTHING
        self.position = end

    def named_group(self, start: int) -> int:
        """Read ``(?<name>`` and return where it ends."""
        opening = _NAME.match(self.pattern, start)
        if opening is None:
            if _FLAGS.match(self.pattern, start):
                raise self.unsupported(
                    "flags within a pattern are not supported",
                    start,
                    self.pattern.find(":", start) + 1 or start + 3,
                    "write the cases out: [aA] for (?i:a)",
                )
            raise self.fail("no group of this kind is known", start, start + 3)
        name = opening.group(1)
        if not name.replace("$", "_").isidentifier():
            raise self.fail(f"{name!r} is no name for a group", start + 3, opening.end() - 1)
        if name in self.names:
            raise self.unsupported(
                f"two groups have the name {name!r}",
                start + 3,
                opening.end() - 1,
                "leave the names out: they make no difference here",
            )
        self.names.add(name)
        return opening.end()

    def close_group(self, start: int) -> None:
        """Read ``)``."""
        if not self.open_groups:
            raise self.fail("this parenthesis closes nothing", start)
        group = self.open_groups.pop()
        self.position = end = start + 1
        node = self.take_branches(group.start)
        look = group.kind not in ("(", "(?:")
        if look:
            node = Look(node, "<" in group.kind, "!" in group.kind, group.start, end)
        self.items, self.branches = group.items, group.branches
        self.add(node)
        if look:
            self.tail = self.NOTHING if "<" in group.kind else self.LOOK

    # -- single items

    def dot(self, start: int) -> None:
        """Read ``.``."""
        self.characters(NO_LINE_END, start, start + 1)

    def caret(self, start: int) -> None:
        """Read ``^``."""
        self.anchor(AnchorKind.TEXT_START, start, start + 1)

    def dollar(self, start: int) -> None:
        """Read ``$``."""
        self.anchor(AnchorKind.TEXT_END, start, start + 1)

    def anchor(self, kind: AnchorKind, start: int, end: int, *, negated: bool = False) -> None:
        """Append an anchor, which cannot be repeated."""
        node: Syntax = Anchor(kind, True, start, end)
        self.items.append(Look(node, False, True, start, end) if negated else node)
        self.tail = self.NOTHING
        self.position = end

    def backslash(self, start: int) -> None:
        """Read an escape outside of a class."""
        pattern = self.pattern
        letter = pattern[start + 1 : start + 2]
        if letter in ("b", "B"):
            self.anchor(AnchorKind.BOUNDARY, start, start + 2, negated=letter == "B")
            return
        if letter == "k":
            named = _REFERENCE_NAME.match(pattern, start)
            self.back_reference(start, named.end() if named else start + 2)
            self.references.add(named.group(1) if named else "")
            return
        number = _NUMBER.match(pattern, start + 1)
        digits = "0" if number is None else number.group()
        if number is not None and len(digits) < 6 and int(digits) <= self.count_captures():
            self.back_reference(start, number.end())
            return
        found, end = self.escape(start, in_class=False)
        if isinstance(found, int):
            self.character(found, start, end)
        else:
            self.characters(found, start, end)

    def count_captures(self) -> int:
        """Return how many groups capture in the whole pattern."""
        if self._captures is None:
            found = _CAPTURE.finditer(self.pattern)
            self._captures = sum(match.group(1) is not None for match in found)
        return self._captures

    def back_reference(self, start: int, end: int) -> None:
        """Refuse a back-reference, or read over it."""
        if not self.refer:
            raise self.unsupported(
                "a back-reference makes the language irregular: it cannot be enforced exactly",
                start,
                end,
                "repeat the group's pattern if any such text will do, or write one branch for "
                "each text that may be repeated: (?:'a*'|\"a*\") for (['\"])a*\\1",
            )
        self.position = end
        self.add(Sequence([], start, end))

    # -- classes

    def bracket(self, start: int) -> None:
        """Read a class."""
        pattern = self.pattern
        position = start + 1
        negated = pattern.startswith("^", position)
        position += negated
        pieces: list[tuple[int, int]] = []
        while True:
            if position >= len(pattern):
                raise self.fail("this class is not closed", start)
            if pattern[position] == "]":
                break
            first = position
            low, position = self.member(position)
            if pattern.startswith("-", position) and pattern[position + 1 : position + 2] not in (
                "",
                "]",
            ):
                high, after = self.member(position + 1)
                if isinstance(low, int) and isinstance(high, int):
                    if high < low:
                        raise self.fail(
                            f"the range {pattern[first:after]} is not in order", first, after
                        )
                    pieces.append((low, high))
                    position = after
                    continue
                self.loose = True  # beside a set, a hyphen is itself
                pieces.append((0x2D, 0x2D))
                pieces += [(high, high)] if isinstance(high, int) else high
                position = after
            pieces += [(low, low)] if isinstance(low, int) else low
        ranges = normalise(pieces)
        if negated:
            ranges = complement(ranges) if ranges else ANY
        self.characters(ranges, start, position + 1)

    def member(self, start: int) -> tuple[int | Ranges, int]:
        """Read one member of a class."""
        if self.pattern[start] == "\\":
            return self.escape(start, in_class=True)
        return ord(self.pattern[start]), start + 1

    # -- quantifiers

    def quantifier(self, start: int) -> None:
        """Read ``*``, ``+`` or ``?``."""
        minimum, maximum = _QUANTIFIERS[self.pattern[start]]
        self.repeat(minimum, maximum, start, start + 1)

    def brace(self, start: int) -> None:
        """Read ``{``: a count, or the character itself where no count is well formed."""
        count = _COUNT.match(self.pattern, start)
        if count is None:
            self.loose = True
            self.character(ord("{"), start, start + 1)
            return
        low, comma, high = count.groups()
        if max(len(low), len(high or "")) > 4000:
            raise self.fail("this count is too long", start, count.end())
        minimum = int(low)
        maximum = int(high) if high else None if comma else minimum
        if maximum is not None and maximum < minimum:
            raise self.fail("the numbers of this count are out of order", start, count.end())
        self.repeat(minimum, maximum, start, count.end())

    def repeat(self, minimum: int, maximum: int | None, start: int, end: int) -> None:
        """Repeat the last item."""
        if self.tail == self.NOTHING:
            raise self.fail("there is nothing to repeat here", start, end)
        if self.pattern.startswith("?", end):
            end += 1
        item = self.items[-1]
        self.loose = self.loose or self.tail == self.LOOK
        self.items[-1] = Repeat(item, minimum, maximum, RepeatMode.GREEDY, item.start, end)
        self.tail = self.NOTHING
        self.position = end


_QUANTIFIERS: Mapping[str, tuple[int, int | None]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}
_HANDLERS: Mapping[str, Callable[[_Parser, int], None]] = {
    "\\": _Parser.backslash,
    ".": _Parser.dot,
    "[": _Parser.bracket,
    "{": _Parser.brace,
    "(": _Parser.group,
    ")": _Parser.close_group,
    "|": _Parser.alternative,
    "*": _Parser.quantifier,
    "+": _Parser.quantifier,
    "?": _Parser.quantifier,
    "^": _Parser.caret,
    "$": _Parser.dollar,
}
