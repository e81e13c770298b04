r"""From a pattern to its syntax tree, by the rules of the running Python's ``re``.

One pass, left to right, with a stack of open groups in place of recursion, so that nesting of any
depth is fine; cost is linear. Runs of plain characters are taken by one scan. What is accepted and
refused is what ``re.compile`` accepts and refuses, and besides:

- back-references and conditionals are refused: what they match is no regular language;
- a literal lone surrogate is refused: no well-formed text has one (in a class it drops out).
"""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, NamedTuple

from formgate.plugins.regex._casing import literal_variants
from formgate.plugins.regex._classes import CATEGORIES, char_class, escape
from formgate.plugins.regex._reader import HAS_ATOMIC, MAX_COUNT, PatternReader
from formgate.plugins.regex._syntax import (
    Anchor,
    AnchorKind,
    CharClass,
    Literal,
    Repeat,
    RepeatMode,
    Syntax,
)
from formgate.plugins.regex._unicode import category

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from formgate.plugins.regex._measure import Measures

__all__ = ["Parsed", "Parser"]

_I, _M, _S, _X = int(re.IGNORECASE), int(re.MULTILINE), int(re.DOTALL), int(re.VERBOSE)
_A, _U, _L = int(re.ASCII), int(re.UNICODE), int(re.LOCALE)

# Python 3.14 brought \z.
_HAS_LOWER_Z = sys.version_info >= (3, 14)

# A run of plain characters, less its last one where a quantifier may follow.
_RUN = re.compile(r"[^\\.\[{()*+?^$|]+(?![*+?{])")
_VERBOSE_SPACE = re.compile(
    r"(?: [\ \t\n\r\v\f]+ | \#[^\n\\]*(?:\\.[^\n\\]*)*(?:\n|\Z) )+", re.DOTALL | re.VERBOSE
)
_COUNT = re.compile(r"\{(?!\})([0-9]*)(?:(,)([0-9]*))?\}")


class Parsed(NamedTuple):
    """A parsed pattern.

    Args:
        tree: Its syntax.
        measures: What is known of the widths of its parts.
        has_atomic: Whether there is an atomic group or a possessive quantifier.
    """

    tree: Syntax
    measures: Measures
    has_atomic: bool


class Parser(PatternReader):
    """Reads one pattern, item by item."""

    __slots__ = ()

    def parse(self) -> Parsed:
        """Read the whole pattern."""
        self.check_flags()
        pattern, handlers = self.pattern, _HANDLERS
        length = len(pattern)
        while True:
            start = self.position
            if self.verbose:
                space = _VERBOSE_SPACE.match(pattern, start)
                if space is not None:
                    self.position = start = space.end()
            elif (run := _RUN.match(pattern, start)) is not None:
                self.position = run.end()
                self.add_text(run.group(), start)
                continue
            if start >= length:
                break
            character = pattern[start]
            handler = handlers.get(character)
            if handler is not None:
                handler(self, start)
            elif self.verbose and character == "#":
                raise self.fail("bad escape (end of pattern)", length - 1)
            else:
                self.position = start + 1
                self.add_text(character, start)
        if self.open_groups:
            raise self.fail("missing ), unterminated subpattern", self.open_groups[-1].start)
        if self.flags & _A and self.flags & _U:
            raise self.fail("ASCII and UNICODE flags are incompatible", 0)
        return Parsed(self.take_branches(0), self.measures, self.has_atomic)

    # -- single items

    def dot(self, start: int) -> None:
        """Read ``.``."""
        self.position = start + 1
        self.add(CharClass(self.any_character, start, start + 1))

    def bracket(self, start: int) -> None:
        """Read a class."""
        ranges, end = char_class(self.pattern, start, self.case_rule)
        self.position = end
        self.add(CharClass(ranges, start, end))

    def caret(self, start: int) -> None:
        """Read ``^``."""
        by_line = self.flags & _M
        self.anchor(AnchorKind.LINE_START if by_line else AnchorKind.TEXT_START, start, start + 1)

    def dollar(self, start: int) -> None:
        """Read ``$``."""
        by_line = self.flags & _M
        self.anchor(AnchorKind.LINE_END if by_line else AnchorKind.LAST_LINE_END, start, start + 1)

    def anchor(self, kind: AnchorKind, start: int, end: int) -> None:
        """Append an anchor, which cannot be repeated."""
        self.items.append(Anchor(kind, self.case_rule.ascii_only, start, end))
        self.tail = self.NOTHING
        self.position = end

    def backslash(self, start: int) -> None:
        """Read an escape."""
        letter = self.pattern[start + 1 : start + 2]
        if letter in CATEGORIES:
            self.position = end = start + 2
            self.add(CharClass(category(letter, self.case_rule.ascii_only), start, end))
            return
        kind = _ANCHOR_ESCAPES.get(letter)
        if kind is not None:
            self.anchor(kind, start, start + 2)
            return
        if letter in "123456789" and letter:
            self.check_reference(start)
        found = escape(self.pattern, start, in_class=False)
        if 0xD800 <= found.code <= 0xDFFF:
            raise self.lone_surrogate(start, found.end)
        self.position = found.end
        character = chr(found.code)
        variants = None
        if self.case_rule.ignore_case:
            variants = literal_variants(character, self.case_rule.ascii_only)
        if variants is None:
            self.add(Literal(character, start, found.end))
        else:
            self.add(CharClass(variants, start, found.end))

    def check_reference(self, start: int) -> None:
        """Refuse a numbered back-reference; three octal digits are a character instead."""
        digits = self.pattern[start + 1 : start + 4]
        if len(digits) == 3 and all(digit in "01234567" for digit in digits):
            return
        length = 2 if digits[1:2].isdigit() and digits[1:2].isascii() else 1
        raise self.back_reference(start, start + 1 + length)

    # -- quantifiers

    def quantifier(self, start: int) -> None:
        """Read ``*``, ``+`` or ``?``."""
        minimum, maximum = _QUANTIFIERS[self.pattern[start]]
        self.repeat(minimum, maximum, start, start + 1)

    def brace(self, start: int) -> None:
        """Read ``{``: a count, or the character itself where no count is well formed."""
        count = _COUNT.match(self.pattern, start)
        if count is None:
            self.position = start + 1
            self.add(Literal("{", start, start + 1))
            return
        low, comma, high = count.groups()
        try:
            minimum = int(low) if low else 0
            maximum = int(high) if high else None if comma else minimum
        except ValueError as error:  # more digits than the interpreter converts
            raise self.fail(str(error), start, count.end()) from None
        if minimum > MAX_COUNT or (maximum is not None and maximum > MAX_COUNT):
            raise self.fail("the repetition number is too large", start, count.end())
        if maximum is not None and maximum < minimum:
            raise self.fail("min repeat greater than max repeat", start, count.end())
        self.repeat(minimum, maximum, start, count.end())

    def repeat(self, minimum: int, maximum: int | None, start: int, end: int) -> None:
        """Repeat the last item, in the mode the next character says."""
        if self.tail != self.ITEM:
            message = "nothing to repeat" if self.tail == self.NOTHING else "multiple repeat"
            raise self.fail(message, start, end)
        mode = RepeatMode.GREEDY
        suffix = self.pattern[end : end + 1]
        if suffix == "?":
            mode = RepeatMode.LAZY
            end += 1
        elif suffix == "+" and HAS_ATOMIC:
            mode = RepeatMode.POSSESSIVE
            self.has_atomic = True
            end += 1
        item = self.items[-1]
        self.items[-1] = Repeat(item, minimum, maximum, mode, item.start, end)
        self.tail = self.QUANTIFIED
        self.position = end


_ANCHOR_ESCAPES: Mapping[str, AnchorKind] = {
    "A": AnchorKind.TEXT_START,
    "Z": AnchorKind.TEXT_END,
    "b": AnchorKind.BOUNDARY,
    "B": AnchorKind.NOT_BOUNDARY,
    **({"z": AnchorKind.TEXT_END} if _HAS_LOWER_Z else {}),
}
_QUANTIFIERS: Mapping[str, tuple[int, int | None]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}
_HANDLERS: Mapping[str, Callable[[Parser, int], None]] = {
    "\\": Parser.backslash,
    ".": Parser.dot,
    "[": Parser.bracket,
    "{": Parser.brace,
    "(": Parser.group,
    ")": Parser.close_group,
    "|": Parser.alternative,
    "*": Parser.quantifier,
    "+": Parser.quantifier,
    "?": Parser.quantifier,
    "^": Parser.caret,
    "$": Parser.dollar,
}
