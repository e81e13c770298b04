"""The notation of W3C specifications (XML 1.0, section 6): ``name ::= 'a' [b-z]* - #x63``.

An item is a literal in either kind of quotation marks, without escapes; a class ``[a-z#x20]`` or
``[^...]``; a character ``#xN``; a name; or a group. ``? * +`` follow what they repeat. A rule ends
where the next begins, with ``name ::=`` or, as in the specifications, ``[12] name ::=``.

``A - B`` is what A matches and B does not. No specification says how tightly it binds, and those
that use it put brackets where it matters; here it stands alone in its alternative, so none is read
in another way than it was meant.

Beyond the specifications, where they give a text no meaning, it may be read as by GBNF and its
kin: counts ``{m,n}``, comments after ``#`` and a blank, and ``;`` at the end of a rule.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from formgate.core.errors import GrammarError, UnsupportedConstraint
from formgate.plugins.cfg._rules import (
    Chars,
    Group,
    Minus,
    Name,
    Repeat,
    Rules,
    Text,
)

if TYPE_CHECKING:
    from formgate.plugins.cfg._scanner import Scanner

__all__ = ["read_w3c"]

_NAME = r"[^\W\d](?:[\w.-]*\w)?"
_NAMED = re.compile(_NAME)
_BLANKS = r"(?:\s|/\*(?:[^*]|\*(?!/))*\*/|\#(?=[ \t#\r\n]|\Z)[^\n]*)*"
_HEAD = re.compile(rf"{_NAME}{_BLANKS}::=")
_LABEL = re.compile(rf"\[\d+[a-z]?\][ \t]*(?={_NAME}{_BLANKS}::=)")
_REMARK = re.compile(r"\[\s*(?:(?:wfc|vc|nsc|wf|ws)\s*:|[a-z]+://)", re.IGNORECASE)
_BARE_RANGE = re.compile(r"#x[0-9A-Fa-f]+\s*-\s*#x[0-9A-Fa-f]+")
_HEXADECIMAL = frozenset("0123456789abcdefABCDEF")
_MARKS = {"?": (0, 1), "*": (0, None), "+": (1, None)}


@dataclass
class _Group(Group):
    """Alternatives that are being read.

    Args:
        minus: Where the minus sign of the alternative stands, if it has one.
        left: What stood before it.
    """

    minus: int | None = None
    left: int | None = None

    def finish_alternative(self, rules: Rules) -> None:
        super().finish_alternative(rules)
        self.minus = None


def read_w3c(scan: Scanner, *, backslashes: bool) -> Rules:
    r"""Read a grammar.

    Args:
        scan: The source.
        backslashes: Whether a backslash is a character like others; refused otherwise, since
            notations that look the same write ``"\n"`` for a line break.

    Raises:
        GrammarError: The grammar is malformed, or has a rule twice.
        UnsupportedConstraint: It has a condition in words.
    """
    return _Parser(scan, backslashes=backslashes).parse()


class _Parser:
    """Reads a grammar in one pass; groups are kept on a list, so their depth has no limit."""

    def __init__(self, scan: Scanner, *, backslashes: bool) -> None:
        self._scan = scan
        self._rules = Rules(scan)
        self._backslashes = backslashes

    def parse(self) -> Rules:
        """Read all rules."""
        self._skip()
        while not self._scan.at_end:
            self._rule()
            self._skip()
        return self._rules

    def _rule(self) -> None:
        scan, rules = self._scan, self._rules
        if (label := _LABEL.match(scan.source, scan.position)) is not None:
            scan.position = label.end()
        begin = scan.position
        match = _NAMED.match(scan.source, begin)
        if match is None:
            raise scan.error("a rule begins with its name, and '::='", begin)
        name = match[0]
        if name in rules.bodies:
            raise scan.error(f"rule {name!r} is defined twice", begin, match.end())
        scan.position = match.end()
        self._skip()
        if not scan.take("::="):
            raise scan.error("'::=' must follow the name of a rule", scan.position)
        rules.define(name, self._alternatives())
        scan.take(";")

    def _alternatives(self) -> int:
        """Read the alternatives of a rule, groups included."""
        scan, rules = self._scan, self._rules
        groups = [_Group(scan.position)]
        while True:
            self._skip()
            group = groups[-1]
            begin = scan.position
            if scan.take("|"):
                self._check_minus(group)
                group.finish_alternative(rules)
            elif scan.take("("):
                groups.append(_Group(begin, ")"))
            elif scan.take("-"):
                self._minus(group, begin)
            elif scan.peek == ")":
                if len(groups) == 1:
                    raise scan.error("this bracket closes nothing", begin)
                self._check_minus(group)
                scan.take(")")
                groups.pop()
                self._add(groups[-1], group.finish(rules), group.start)
            elif self._at_end_of_rule():
                if len(groups) > 1:
                    raise scan.error("this bracket is not closed", group.start)
                self._check_minus(group)
                return group.finish(rules)
            else:
                self._add(group, self._item(), begin)

    def _at_end_of_rule(self) -> bool:
        """Say whether the rule ends here: at a semicolon, the next rule or the end."""
        scan = self._scan
        if scan.at_end or scan.peek == ";":
            return True
        if scan.peek == "[":
            line = scan.source.rfind("\n", 0, scan.position) + 1
            return (
                _LABEL.match(scan.source, scan.position) is not None
                and not scan.source[line : scan.position].strip()
            )
        return _HEAD.match(scan.source, scan.position) is not None

    def _minus(self, group: _Group, begin: int) -> None:
        """Note a minus sign, of which the right side follows."""
        scan = self._scan
        if not group.items:
            raise scan.error("what the difference is taken from must stand before '-'", begin)
        if group.minus is not None or len(group.items) > 1:
            raise scan.error(
                "a difference A - B stands alone in its alternative",
                begin,
                hint="put brackets around it, and around each side that has several parts",
            )
        group.minus, group.left = begin, group.items.pop()

    def _check_minus(self, group: _Group) -> None:
        """Refuse a minus sign that nothing follows."""
        if group.left is not None:
            raise self._scan.error("what is excluded must follow '-'", group.minus or 0)

    def _add(self, group: _Group, item: int, begin: int) -> None:
        """Put an item, with the repetitions that follow it, into its group."""
        scan, rules = self._scan, self._rules
        item = self._repeated(item)
        if group.left is not None and group.minus is not None:
            item = rules.add(Minus(group.left, item, group.minus))
            group.left = None
        elif group.minus is not None:
            raise scan.error(
                "a difference A - B stands alone in its alternative",
                begin,
                scan.position,
                hint="put brackets around it, and around each side that has several parts",
            )
        group.items.append(item)

    def _item(self) -> int:
        """Read a literal, a class, a character or a name."""
        scan, rules = self._scan, self._rules
        begin = scan.position
        if scan.peek in ('"', "'"):
            text = scan.take_quoted()
            self._check_backslash(text, begin + 1)
            return rules.add(Text(text))
        if scan.peek == "[":
            return self._class(begin)
        if (span := _BARE_RANGE.match(scan.source, begin)) is not None:
            raise scan.error(
                "a range of characters stands in square brackets",
                begin,
                span.end(),
                hint=f"write [{span[0]}]",
            )
        if scan.take("#x"):
            code = self._code(begin)
            if 0xD800 <= code <= 0xDFFF:
                raise scan.error("this is the number of no character", begin, scan.position)
            return rules.add(Chars(((code, code),)))
        match = _NAMED.match(scan.source, begin)
        if match is None:
            raise self._unexpected(begin)
        scan.position = match.end()
        return rules.add(Name(match[0], begin, match.end()))

    def _unexpected(self, begin: int) -> GrammarError:
        """Return the error for a character that begins no item."""
        scan = self._scan
        char = scan.peek
        if char in "*+?{":
            return scan.error("there is nothing to repeat before this", begin)
        if char == "#":
            return scan.error(
                "'#' begins a character #xN, or a comment if a blank follows it", begin
            )
        if char == ".":
            return scan.error(
                "there is no sign for any character", begin, hint="write [#x0-#x10FFFF]"
            )
        if scan.source.startswith("::=", begin):
            return scan.error("the name of a rule must stand right before '::='", begin, begin + 3)
        return scan.error(
            "a literal, a class [...], a character #xN, a name or a bracket is expected", begin
        )

    def _class(self, begin: int) -> int:
        scan = self._scan
        if _REMARK.match(scan.source, begin) is not None:
            raise UnsupportedConstraint(
                "a condition or definition given elsewhere cannot be enforced",
                source=scan.source,
                offset=begin,
                end=scan.find("]", begin) + 1 or None,
                hint="leave it out, or say it in rules",
            )
        scan.take("[")
        negated = scan.take("^")
        ranges = scan.take_ranges(
            begin,
            self._class_character,
            line_ends="\r\n",
            hint="any character is [#x0-#x10FFFF], and the empty text ''",
        )
        return self._rules.add(Chars(tuple(ranges), negated))

    def _class_character(self) -> int:
        scan = self._scan
        begin = scan.position
        if scan.take("#x"):
            return self._code(begin)
        char = scan.next()
        self._check_backslash(char, begin)
        if 0xD800 <= ord(char) <= 0xDFFF:
            raise scan.error("a lone surrogate, which no well-formed text contains", begin)
        return ord(char)

    def _code(self, begin: int) -> int:
        """Read the hexadecimal digits of a character."""
        scan = self._scan
        digits = scan.take_while(_HEXADECIMAL)
        if not digits:
            raise scan.error("hexadecimal digits must follow '#x'", begin, scan.position)
        digits = digits.lstrip("0") or "0"
        value = int(digits, 16) if len(digits) <= 6 else None
        if value is None or value > 0x10FFFF:
            raise scan.error("this is the number of no character", begin, scan.position)
        return value

    def _check_backslash(self, text: str, begin: int) -> None:
        r"""Refuse a backslash unless it is known to mean itself."""
        at = -1 if self._backslashes else text.find("\\")
        if at >= 0:
            raise self._scan.error(
                "a backslash is itself in W3C's notation and begins an escape in GBNF and its kin",
                begin + at,
                hint='say dialect="w3c", or format="gbnf"; or write the character as #xN',
            )

    def _repeated(self, item: int) -> int:
        """Read the repetitions that follow an item; each applies to all before it."""
        scan, rules = self._scan, self._rules
        while True:
            self._skip()
            if scan.peek in _MARKS:
                least, most = _MARKS[scan.next()]
                item = rules.add(Repeat(item, least, most))
            elif scan.peek == "{":
                item = rules.add(Repeat(item, *scan.take_counts()))
            else:
                return item

    def _skip(self) -> None:
        """Go past white space and comments."""
        scan = self._scan
        while not scan.at_end:
            if scan.peek.isspace():
                scan.position += 1
            elif scan.source.startswith("/*", scan.position):
                end = scan.source.find("*/", scan.position + 2)
                if end < 0:
                    raise scan.error("this comment is not closed", scan.position, scan.position + 2)
                scan.position = end + 2
            elif scan.peek == "#" and scan.peek_at(1) in (" ", "\t", "#", "\r", "\n", ""):
                end = scan.source.find("\n", scan.position)
                scan.position = len(scan.source) if end < 0 else end
            else:
                return
