r"""The state of reading a pattern of ``re``: flags, open groups, and what was read of them.

What stands in a group is read by ``_parser``, whose ``Parser`` is a ``PatternReader``.
"""

from __future__ import annotations

import re
import sys
from typing import NamedTuple

from formgate.core.errors import GrammarError, UnsupportedConstraint
from formgate.plugins.regex._casing import cased_parts
from formgate.plugins.regex._classes import CaseRule
from formgate.plugins.regex._measure import Measures
from formgate.plugins.regex._ranges import ANY, Ranges, complement
from formgate.plugins.regex._syntax import (
    Alternation,
    Atomic,
    CharClass,
    Literal,
    Look,
    Sequence,
    Syntax,
)

__all__ = ["HAS_ATOMIC", "MAX_COUNT", "PatternReader", "Restart"]

_I, _M, _S, _X = int(re.IGNORECASE), int(re.MULTILINE), int(re.DOTALL), int(re.VERBOSE)
_A, _U, _L = int(re.ASCII), int(re.UNICODE), int(re.LOCALE)
_TYPE_FLAGS = _A | _U | _L
_LETTERS = {"i": _I, "m": _M, "s": _S, "x": _X, "a": _A, "u": _U}
_KNOWN_FLAGS = _I | _M | _S | _X | _A | _U | int(re.DEBUG)

# Python 3.11 brought atomic groups and possessive quantifiers and ended global flags in
# mid-pattern.
HAS_ATOMIC = sys.version_info >= (3, 11)

# re's own limits (on 64-bit platforms): one more is "too large".
MAX_COUNT = 4294967294
_MAX_LOOK_BEHIND = 4294967295 if HAS_ATOMIC else MAX_COUNT

_COMMENT = re.compile(r"\(\?#[^)\\]*(?:\\.[^)\\]*)*\)", re.DOTALL)
_GROUP_NAME = re.compile(r"\(\?P<([^>\\]*(?:\\.[^>\\]*)*)>", re.DOTALL)
_FLAGS = re.compile(r"\(\?([aimsux]*)(?:-([imsx]+))?([:)])")
_TEMPLATE_FLAG = re.compile(r"\(\?[aimsux]*t")  # deprecated, gone in Python 3.13
_SURROGATE = re.compile("[\ud800-\udfff]")
_NOT_NEWLINE = complement(((0x0A, 0x0A),))


class _Group(NamedTuple):
    """An open group, with what was being read when it opened."""

    kind: str
    start: int
    items: list[Syntax]
    branches: list[Syntax] | None
    flags: int


class Restart(Exception):  # noqa: N818 (a signal)
    """A global flag in mid-pattern (Python 3.10 only): read again with the flags it carries."""


class PatternReader:
    """Reads one pattern; ``items`` and ``branches`` are those of the innermost open group."""

    __slots__ = (
        "any_character",
        "branches",
        "case_rule",
        "flags",
        "group_names",
        "has_atomic",
        "items",
        "measures",
        "open_groups",
        "pattern",
        "position",
        "surrogates",
        "tail",
        "verbose",
    )

    # What the last thing read allows a quantifier to do.
    NOTHING, ITEM, QUANTIFIED = range(3)

    def __init__(self, pattern: str, flags: int) -> None:
        self.pattern = pattern
        self.position = 0
        self.items: list[Syntax] = []
        self.branches: list[Syntax] | None = None
        self.open_groups: list[_Group] = []
        self.group_names: set[str] = set()
        self.measures = Measures()
        self.has_atomic = False
        self.tail = self.NOTHING
        self.surrogates = not pattern.isascii() and _SURROGATE.search(pattern) is not None
        self.set_flags(flags)

    def set_flags(self, flags: int) -> None:
        """Let flags hold from here on."""
        self.flags = flags
        self.verbose = bool(flags & _X)
        self.case_rule = CaseRule(bool(flags & _I), bool(flags & _A))
        self.any_character: Ranges = ANY if flags & _S else _NOT_NEWLINE

    def fail(
        self, message: str, start: int, end: int | None = None, hint: str | None = None
    ) -> GrammarError:
        """Return an error about a span of the pattern."""
        return GrammarError(message, source=self.pattern, offset=start, end=end, hint=hint)

    def unsupported(self, message: str, start: int, end: int, hint: str) -> UnsupportedConstraint:
        """Return a refusal of something ``re`` can do."""
        return UnsupportedConstraint(message, source=self.pattern, offset=start, end=end, hint=hint)

    def check_flags(self) -> None:
        """Refuse flags that mean nothing here."""
        if self.flags & _L:
            raise self.fail("cannot use LOCALE flag with a str pattern", 0)
        unknown = self.flags & ~_KNOWN_FLAGS
        if unknown:
            raise self.unsupported(
                f"regex flags {unknown:#x} have no meaning for a language",
                0,
                0,
                "use the flags re.A, re.I, re.M, re.S, re.U and re.X",
            )

    def add(self, item: Syntax) -> None:
        """Append an item that may be repeated."""
        self.items.append(item)
        self.tail = self.ITEM

    def add_text(self, text: str, start: int) -> None:
        """Append characters that stand for themselves, as case allows."""
        end = self.position
        self.tail = self.ITEM
        if self.surrogates and _SURROGATE.search(text):
            place = start + _SURROGATE.search(text).start()  # type: ignore[union-attr]
            raise self.lone_surrogate(place, place + 1)
        if not self.case_rule.ignore_case:
            self.items.append(Literal(text, start, end))
            return
        for begin, after, variants in cased_parts(text, self.case_rule.ascii_only):
            if variants is not None:
                self.items.append(CharClass(variants, start + begin, min(start + after, end)))
            else:
                last = end if after == len(text) else start + after
                self.items.append(Literal(text[begin:after], start + begin, last))

    def lone_surrogate(self, start: int, end: int) -> UnsupportedConstraint:
        """Return the refusal of a literal that no text can hold."""
        return self.unsupported(
            "a lone surrogate is no character of any well-formed text",
            start,
            end,
            r"write the character itself, or \U with its eight-digit code point",
        )

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

    def open_group(self, kind: str, start: int, end: int, flags: int | None = None) -> None:
        """Begin a group whose opening reaches from ``start`` to ``end``."""
        self.open_groups.append(_Group(kind, start, self.items, self.branches, self.flags))
        self.items, self.branches = [], None
        self.tail = self.NOTHING
        self.position = end
        if flags is not None and flags != self.flags:
            self.set_flags(flags)

    def close_group(self, start: int) -> None:
        """Read ``)``."""
        if not self.open_groups:
            raise self.fail("unbalanced parenthesis", start)
        group = self.open_groups.pop()
        self.position = end = start + 1
        node = self.take_branches(group.start)
        if group.kind == "(?>":
            node = Atomic(node, group.start, end)
        elif group.kind != "(":
            behind = "<" in group.kind
            node = Look(node, behind, "!" in group.kind, group.start, end)
            if behind:
                self.check_width(node)
        self.items, self.branches = group.items, group.branches
        if group.flags != self.flags:
            self.set_flags(group.flags)
        self.add(node)

    def check_width(self, look: Look) -> None:
        """Refuse a look-behind as ``re`` does, unless its body has one width."""
        measure = self.measures.of(look.body)
        if measure.low > _MAX_LOOK_BEHIND:
            raise self.fail("looks too much behind", look.start, look.end)
        if measure.low != measure.high:
            raise self.fail(
                "look-behind requires fixed-width pattern",
                look.start,
                look.end,
                "write one look-behind for each width, as branches of an alternation",
            )

    def group(self, start: int) -> None:
        """Read ``(`` and what says which kind of group it opens."""
        pattern = self.pattern
        if pattern[start + 1 : start + 2] != "?":
            self.open_group("(", start, start + 1)
            return
        kind = pattern[start + 2 : start + 3]
        if kind == ":":
            self.open_group("(", start, start + 3)
        elif kind in ("=", "!"):
            self.open_group("(?" + kind, start, start + 3)
        elif kind == "<" and pattern[start + 3 : start + 4] in ("=", "!"):
            self.open_group(pattern[start : start + 4], start, start + 4)
        elif kind == ">" and HAS_ATOMIC:
            self.has_atomic = True
            self.open_group("(?>", start, start + 3)
        elif kind == "P":
            self.named_group(start)
        elif kind == "#":
            comment = _COMMENT.match(pattern, start)
            if comment is None:
                raise self.fail("missing ), unterminated comment", start)
            self.position = comment.end()
        elif kind == "(":
            raise self.unsupported(
                "a conditional group depends on what an earlier group matched",
                start,
                start + 3,
                "write the two cases out as branches: (?:(a)b|c) for (a)?(?(1)b|c)",
            )
        else:
            self.flag_group(start)

    def named_group(self, start: int) -> None:
        """Read ``(?P<name>``, or refuse ``(?P=name)``."""
        pattern = self.pattern
        if pattern.startswith("(?P=", start):
            end = pattern.find(")", start)
            raise self.back_reference(start, len(pattern) if end < 0 else end + 1)
        opening = _GROUP_NAME.match(pattern, start)
        if opening is None:
            raise self.fail("unknown extension or unterminated group name", start)
        name = opening.group(1)
        if not name.isidentifier():
            raise self.fail(f"bad character in group name {name!r}", start + 4, opening.end() - 1)
        if name in self.group_names:
            raise self.fail(f"redefinition of group name {name!r}", start + 4, opening.end() - 1)
        self.group_names.add(name)
        self.open_group("(", start, opening.end())

    def back_reference(self, start: int, end: int) -> UnsupportedConstraint:
        """Return the refusal of a back-reference."""
        return self.unsupported(
            "a back-reference makes the language irregular: it cannot be enforced exactly",
            start,
            end,
            "repeat the group's pattern if any such text will do, or write one branch for each "
            "text that may be repeated: (?:'a*'|\"a*\") for (['\"])a*\\1",
        )

    def flag_group(self, start: int) -> None:
        """Read ``(?i)`` or ``(?i-s:``."""
        match = _FLAGS.match(self.pattern, start)
        if match is None:
            template = _TEMPLATE_FLAG.match(self.pattern, start)
            if template is not None:
                raise self.unsupported(
                    "inline flag t has no meaning", start, template.end(), "leave the flag out"
                )
            raise self.fail("unknown extension", start)
        on, off, closing = match.groups()
        added = sum({_LETTERS[letter] for letter in on})
        removed = sum({_LETTERS[letter] for letter in off or ""})
        if added & removed or added & _TYPE_FLAGS == _TYPE_FLAGS & ~_L:
            raise self.fail("bad inline flags", start, match.end())
        if closing == ":":
            kept = self.flags & ~_TYPE_FLAGS if added & _TYPE_FLAGS else self.flags
            self.open_group("(", start, match.end(), (kept | added) & ~removed)
            return
        if off is not None or not on:
            raise self.fail("bad inline flags", start, match.end())
        self.position = match.end()
        if self.items or self.branches is not None or self.open_groups:
            self.global_flags_inside(start, match.end(), added)
        else:
            self.set_flags(self.flags | added)

    def global_flags_inside(self, start: int, end: int, added: int) -> None:
        """Refuse global flags in mid-pattern, or start over as Python 3.10 does."""
        base = self.open_groups[0].flags if self.open_groups else self.flags
        if HAS_ATOMIC or (added & _X and base & _X and not self.verbose):
            raise self.fail(
                "global flags not at the start of the expression",
                start,
                end,
                "move them to the start, or scope them to a group: (?i:...)",
            )
        if self.verbose:
            added &= ~_X
        if added & ~base:
            raise Restart(base | added)
