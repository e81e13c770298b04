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

from formgate.core.errors import GrammarError, LimitError, UnsupportedConstraint
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

DIGIT: Ranges = ((0x30, 0x39),)
WORD: Ranges = ((0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A))
SPACE: Ranges = (
    (0x09, 0x0D), (0x20, 0x20), (0xA0, 0xA0), (0x1680, 0x1680), (0x2000, 0x200A),
    (0x2028, 0x2029), (0x202F, 0x202F), (0x205F, 0x205F), (0x3000, 0x3000), (0xFEFF, 0xFEFF),
)  # fmt: skip
NO_LINE_END = complement(((0x0A, 0x0A), (0x0D, 0x0D), (0x2028, 0x2029)))
_SETS: Mapping[str, Ranges] = {
    "d": DIGIT,
    "D": complement(DIGIT),
    "w": WORD,
    "W": complement(WORD),
    "s": SPACE,
    "S": complement(SPACE),
}
_ESCAPABLE = r"^$\.*+?()[]{}|/"
_CONTROLS = {"f": 12, "n": 10, "r": 13, "t": 9, "v": 11}

# Letters that mean something after a backslash in other dialects, and nothing in this one.
_FOREIGN = "AEGKNQRXZaegzhHlLyY"

# A run of plain characters, less its last one where a quantifier may follow.
_RUN = re.compile(r"[^\\.\[\](){}*+?^$|\ud800-\udfff]+(?![*+?{])")
_COUNT = re.compile(r"\{([0-9]+)(?:(,)([0-9]*))?\}")
_NAME = re.compile(r"\(\?<([^>=!][^>]*)>")
_REFERENCE_NAME = re.compile(r"\\k<([^>]+)>")
_NUMBER = re.compile("[1-9][0-9]*")
_ZERO = re.compile("0(?![0-9])")
_FLAGS = re.compile(r"\(\?[ims]*(?:-[ims]*)?[:)]")
_HEX4 = re.compile(r"[0-9a-fA-F]{4}")
_HEX2 = re.compile(r"[0-9a-fA-F]{2}")
_CODE_POINT = re.compile(r"\{([0-9a-fA-F]+)\}")
_LOW_HALF = re.compile(r"\\u([dD][c-fC-F][0-9a-fA-F]{2})")
_PROPERTY = re.compile(r"\{([A-Za-z0-9_]+(?:=[A-Za-z0-9_]+)?)\}")
_OCTAL = re.compile(r"[0-3][0-7]{0,2}|[4-7][0-7]?")
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


class _Parser:
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

    def fail(
        self, message: str, start: int, end: int | None = None, hint: str | None = None
    ) -> GrammarError:
        """Return an error about a span of the pattern."""
        return GrammarError(message, source=self.pattern, offset=start, end=end, hint=hint)

    def unsupported(self, message: str, start: int, end: int, hint: str) -> UnsupportedConstraint:
        """Return a refusal of what cannot be enforced."""
        return UnsupportedConstraint(message, source=self.pattern, offset=start, end=end, hint=hint)

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

    def escape(  # noqa: PLR0911 (one return for each kind of escape)
        self, start: int, *, in_class: bool
    ) -> tuple[int | Ranges, int]:
        """Read the escape at ``start``: a code point or a set, and where it ends."""
        pattern = self.pattern
        letter = pattern[start + 1 : start + 2]
        if not letter:
            raise self.fail("a backslash ends the pattern", start)
        if letter in _SETS:
            return _SETS[letter], start + 2
        if letter in _CONTROLS:
            return _CONTROLS[letter], start + 2
        if letter in "pP":
            return self.property(start)
        if in_class and letter == "b":
            return 8, start + 2
        if letter in "ux":
            found = self.unicode(start) if letter == "u" else self.hexadecimal(start)
            if found is not None:
                return found
        elif letter == "c":
            return self.control(start, in_class=in_class)
        elif (octal := _OCTAL.match(pattern, start + 1)) is not None:
            self.loose = self.loose or _ZERO.match(pattern, start + 1) is None
            return int(octal.group(), 8), octal.end()
        return self.identity(start, in_class=in_class)

    def identity(self, start: int, *, in_class: bool) -> tuple[int, int]:
        """Read an escaped character that stands for itself."""
        letter, end = self.pattern[start + 1], start + 2
        if letter in _FOREIGN:
            raise self.unsupported(
                f"\\{letter} means nothing in ECMAScript, and different things elsewhere",
                start,
                end,
                f"write {letter} for the letter, ^ and $ for the ends of the text",
            )
        self.loose = self.loose or letter not in (_ESCAPABLE + "-" if in_class else _ESCAPABLE)
        return ord(letter), end

    def hexadecimal(self, start: int) -> tuple[int, int] | None:
        r"""Read ``\x41``."""
        digits = _HEX2.match(self.pattern, start + 2)
        return None if digits is None else (int(digits.group(), 16), digits.end())

    def control(self, start: int, *, in_class: bool) -> tuple[int, int]:
        r"""Read ``\cA``, or the backslash alone where no letter follows."""
        letter = self.pattern[start + 2 : start + 3]
        if letter.isascii() and letter.isalpha():
            return ord(letter) % 32, start + 3
        self.loose = True
        if in_class and letter.isascii() and (letter.isdigit() or letter == "_"):
            return ord(letter) % 32, start + 3
        return ord("\\"), start + 1

    def property(self, start: int) -> tuple[Ranges, int]:
        r"""Read ``\p{..}`` or ``\P{..}``."""
        name = _PROPERTY.match(self.pattern, start + 2)
        if name is None:
            raise self.unsupported(
                r"\p is not followed by the name of a property in braces",
                start,
                start + 2,
                r"for example \p{L} or \p{Script=Greek}; p for the letter",
            )
        from formgate.plugins.json_schema._ecma_properties import property_set  # noqa: PLC0415

        found = property_set(name.group(1))
        if found is None:
            raise self.fail(
                f"{name.group(1)} is no property that ECMAScript knows",
                start,
                name.end(),
                r"names are matched exactly, as in \p{Lu} or \p{Script=Greek}",
            )
        if self.pattern[start + 1] == "P":
            found = complement(found)
        return found, name.end()

    def unicode(self, start: int) -> tuple[int, int] | None:
        r"""Read ``\u0041``, ``\u{41}``, or a pair of surrogates."""
        pattern = self.pattern
        braced = _CODE_POINT.match(pattern, start + 2)
        if braced is not None:
            digits = braced.group(1).lstrip("0")
            if len(digits) > 6 or int(digits or "0", 16) > 0x10FFFF:
                raise self.fail("no code point is that large", start, braced.end())
            return int(digits or "0", 16), braced.end()
        four = _HEX4.match(pattern, start + 2)
        if four is None:
            return None
        code, end = int(four.group(), 16), four.end()
        if 0xD800 <= code <= 0xDBFF:
            low = _LOW_HALF.match(pattern, end)
            if low is not None:
                code = 0x10000 + ((code - 0xD800) << 10) + int(low.group(1), 16) - 0xDC00
                end = low.end()
        return code, end

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
