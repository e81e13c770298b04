"""The notation of ISO/IEC 14977: ``name = a, "b" | { c } | [ d ] | 3 * f - g ;``.

Terminals stand in either kind of quotation marks, without escapes; ``,`` puts one thing after the
other; ``[ ]`` is optional, ``{ }`` any number of times; ``n *`` counts; ``-`` takes away, and with
nothing after it takes away the empty text. The standard's other spellings are read as well: ``/``
and ``!`` for ``|``, ``.`` for ``;``, ``(/ /)`` and ``(: :)`` for brackets. Comments ``(* *)`` nest.
A name may have blanks in it; beyond the standard, it may have ``_``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from formgate.core.errors import GrammarError, UnsupportedConstraint
from formgate.plugins.cfg._rules import Group, Minus, Name, Repeat, Rules, Text

if TYPE_CHECKING:
    from formgate.plugins.cfg._scanner import Scanner

__all__ = ["read_iso"]

_WORD = re.compile(r"[^\W\d_]\w*")
_PART = re.compile(r"\w+")
_CLOSERS = {"(": ")", "[": "]", "(/": "/)", "{": "}", "(:": ":)"}
_OPENERS = ("(/", "(:", "(", "[", "{")
_ENDS = ("/)", ":)", ")", "]", "}")
_OPTIONAL = ("]", "/)")
_REPEATED = ("}", ":)")


@dataclass
class _Group(Group):
    """Alternatives that are being read.

    Args:
        count: How many times the next thing stands, once ``n *`` is read.
        left: What stood before a minus sign that has nothing after it yet.
        minus: Where that sign stands.
        separated: Whether the next thing may follow: at the beginning, or after a comma.
    """

    count: int | None = None
    left: int | None = None
    minus: int = 0
    separated: bool = True

    def finish_alternative(self, rules: Rules) -> None:
        super().finish_alternative(rules)
        self.separated = True


def read_iso(scan: Scanner) -> Rules:
    """Read a grammar.

    Raises:
        GrammarError: The grammar is malformed, or has a rule twice.
        UnsupportedConstraint: It has a special sequence.
    """
    return _Parser(scan).parse()


class _Parser:
    """Reads a grammar in one pass; groups are kept on a list, so their depth has no limit."""

    def __init__(self, scan: Scanner) -> None:
        self._scan = scan
        self._rules = Rules(scan)

    def parse(self) -> Rules:
        """Read all rules."""
        self._skip()
        while not self._scan.at_end:
            self._rule()
            self._skip()
        return self._rules

    def _rule(self) -> None:
        scan, rules = self._scan, self._rules
        name = self._name()
        if name is None:
            raise scan.error("a rule begins with its name, and '='", scan.position)
        if name.name in rules.bodies:
            raise scan.error(f"rule {name.name!r} is defined twice", name.start, name.end)
        self._skip()
        if not scan.take("="):
            raise scan.error("'=' must follow the name of a rule", scan.position)
        rules.define(name.name, self._alternatives())

    def _name(self) -> Name | None:
        """Read a name, of which the words may be apart; None where there is none."""
        scan = self._scan
        begin = scan.position
        word = _WORD.match(scan.source, begin)
        if word is None:
            return None
        words: list[str] = []
        end = begin
        while word is not None:
            words.append(word[0])
            end = scan.position = word.end()
            self._skip()
            word = _PART.match(scan.source, scan.position)
        scan.position = end
        return Name(" ".join(words), begin, end)

    def _alternatives(self) -> int:
        """Read the alternatives of a rule up to its end, groups included."""
        scan, rules = self._scan, self._rules
        groups = [_Group(scan.position)]
        while True:
            self._skip()
            group = groups[-1]
            begin = scan.position
            opener = next((each for each in _OPENERS if scan.take(each)), None)
            if opener is not None:
                self._check_separated(group, begin)
                groups.append(_Group(begin, _CLOSERS[opener]))
            elif (closer := next((each for each in _ENDS if scan.take(each)), None)) is not None:
                self._check_closer(group, closer, begin)
                self._end_alternative(group, begin)
                groups.pop()
                self._add(groups[-1], self._closed(group))
            elif scan.take("|") or scan.take("/") or scan.take("!"):
                self._end_alternative(group, begin)
                group.finish_alternative(rules)
            elif scan.at_end or scan.peek in (";", "."):
                if len(groups) > 1:
                    raise scan.error("this bracket is not closed", group.start)
                if scan.at_end:
                    raise scan.error("';' must end the rule", begin)
                scan.next()
                self._end_alternative(group, begin)
                return group.finish(rules)
            else:
                self._part(group, begin)

    def _check_closer(self, group: _Group, closer: str, begin: int) -> None:
        """Refuse a bracket that closes nothing, or another kind of bracket."""
        if not group.closer:
            raise self._scan.error("this bracket closes nothing", begin, begin + len(closer))
        if closer != group.closer:
            raise self._scan.error(
                f"{group.closer!r} must close the last bracket that is open",
                begin,
                begin + len(closer),
            )

    def _part(self, group: _Group, begin: int) -> None:
        """Read a comma, a minus sign, a count, a terminal or a name."""
        scan, rules = self._scan, self._rules
        if scan.take(","):
            self._end_exception(group)
            if group.separated or group.count is not None:
                raise scan.error("something must stand before this comma", begin)
            group.separated = True
        elif scan.take("-"):
            if group.separated or group.left is not None:
                raise scan.error(
                    "one thing to take away from must stand before '-'",
                    begin,
                    hint="put brackets around each difference",
                )
            group.left, group.minus = group.items.pop(), begin
        elif (count := scan.take_number()) is not None:
            self._check_separated(group, begin)
            scan.check_counts(count, count, begin)
            self._skip()
            if group.count is not None or not scan.take("*"):
                raise scan.error("a number is a count, once, before '*'", begin, scan.position)
            group.count = count
        elif scan.peek in ('"', "'"):
            self._check_separated(group, begin)
            text = scan.take_quoted()
            if not text:
                raise scan.error(
                    "a terminal has at least one character",
                    begin,
                    scan.position,
                    hint="for the empty text, write nothing",
                )
            self._add(group, rules.add(Text(text)))
        elif (name := self._name()) is not None:
            self._check_separated(group, begin)
            self._add(group, rules.add(name))
        else:
            raise self._unexpected(begin)

    def _closed(self, group: _Group) -> int:
        """Return the expression of a group that is closed."""
        whole = group.finish(self._rules)
        if group.closer in _OPTIONAL:
            return self._rules.add(Repeat(whole, 0, 1))
        if group.closer in _REPEATED:
            return self._rules.add(Repeat(whole, 0, None))
        return whole

    def _check_separated(self, group: _Group, begin: int) -> None:
        """Refuse a thing right after another."""
        if not group.separated and group.left is None:
            raise self._scan.error("',' or '|' must stand before this", begin)

    def _add(self, group: _Group, item: int) -> None:
        """Put an item into its group, with the count and the minus sign before it."""
        rules = self._rules
        if group.count is not None:
            item = rules.add(Repeat(item, group.count, group.count))
            group.count = None
        if group.left is not None:
            item = rules.add(Minus(group.left, item, group.minus))
            group.left = None
        group.items.append(item)
        group.separated = False

    def _end_exception(self, group: _Group) -> None:
        """Let a minus sign with nothing after it take away the empty text."""
        if group.left is not None and group.count is None:
            self._add(group, self._rules.add(Text("")))

    def _end_alternative(self, group: _Group, begin: int) -> None:
        """Refuse an alternative that is not complete."""
        self._end_exception(group)
        if group.count is not None:
            raise self._scan.error("what the count counts must follow '*'", begin)
        if group.separated and group.items:
            raise self._scan.error("something must follow the comma before this", begin)

    def _unexpected(self, begin: int) -> GrammarError:
        """Return the error for a character that begins nothing."""
        scan = self._scan
        if scan.peek == "?":
            end = scan.source.find("?", begin + 1)
            return UnsupportedConstraint(
                "a special sequence ? ... ? has no meaning that could be enforced",
                source=scan.source,
                offset=begin,
                end=end + 1 or begin + 1,
                hint="say it in rules; an optional part is [ ... ]",
            )
        if scan.peek in ("*", "+"):
            hint = "'{ x }' is any number of times, and '{ x }-' at least once"
            return scan.error("there is no sign for repetition after a part", begin, hint=hint)
        if scan.peek in ("=", ":"):
            return scan.error("';' must end the rule before the next begins", begin)
        return scan.error("a terminal, a name, a count or a bracket is expected", begin)

    def _skip(self) -> None:
        """Go past white space and comments, which may hold comments."""
        scan = self._scan
        while not scan.at_end:
            if scan.peek.isspace():
                scan.position += 1
            elif scan.source.startswith("(*", scan.position):
                self._comment()
            else:
                return

    def _comment(self) -> None:
        scan = self._scan
        begin = scan.position
        depth = 0
        while True:
            if scan.take("(*"):
                depth += 1
            elif scan.take("*)"):
                depth -= 1
                if not depth:
                    return
            elif scan.at_end:
                raise scan.error("this comment is not closed", begin, begin + 2)
            else:
                scan.position += 1
