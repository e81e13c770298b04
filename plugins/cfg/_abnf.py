"""ABNF, the notation of internet standards (RFC 5234, with the strings of RFC 7405).

``name = "a" %x30-39 / 2*5( b ) [ c ]``, one rule a line; a line that is indented further goes on.
``"a"`` and ``%i"a"`` match either case of ASCII letters, ``%s"a"`` just this; names of rules are
the same in either case. ``name =/ d`` adds an alternative. The core rules of RFC 5234 (``ALPHA``,
``DIGIT``, ``CRLF``, ...) are there unless the grammar has its own.

Numbers such as ``%xE9`` are code points, or bytes with ``octets=True``. ``<name>`` is the rule of
that name, as in RFC 3986's ``0<pchar>``; any other prose cannot be enforced.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from formgate.core.errors import GrammarError, UnsupportedConstraint
from formgate.plugins.cfg._options import check_options, root_of, text_of
from formgate.plugins.cfg._rules import Chars, Choice, Group, Name, Repeat, Rules, Seq, Text
from formgate.plugins.cfg._scanner import Scanner

if TYPE_CHECKING:
    from collections.abc import Mapping

    from formgate.core.grammar import GrammarBuilder, Node

__all__ = ["CORE_RULES", "compile_abnf", "compile_format", "read_abnf"]

_OPTIONS = ("octets", "root", "start")
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9-]*")
_COUNTS = re.compile(r"(?P<least>[0-9]*)(?P<star>\*?)(?P<most>[0-9]*)")
_BLANK_LINES = re.compile(r"(?:[\r\n]|[ \t]+|;[^\r\n]*)+")
_LINE_END = re.compile(r"[\r\n]|\Z")
_DIGITS = {"b": (2, "01"), "d": (10, "0123456789"), "x": (16, "0123456789abcdefABCDEF")}
_TAB = 8

# RFC 5234, appendix B.1. OCTET is a byte, so it has no meaning over characters.
CORE_RULES = {
    "alpha": "ALPHA = %x41-5A / %x61-7A",
    "bit": "BIT = %x30 / %x31",
    "char": "CHAR = %x01-7F",
    "cr": "CR = %x0D",
    "crlf": "CRLF = CR LF",
    "ctl": "CTL = %x00-1F / %x7F",
    "digit": "DIGIT = %x30-39",
    "dquote": "DQUOTE = %x22",
    "hexdig": "HEXDIG = DIGIT / %x41-46 / %x61-66",
    "htab": "HTAB = %x09",
    "lf": "LF = %x0A",
    "lwsp": "LWSP = *(WSP / CRLF WSP)",
    "octet": "OCTET = %x00-FF",
    "sp": "SP = %x20",
    "vchar": "VCHAR = %x21-7E",
    "wsp": "WSP = SP / HTAB",
}


def compile_abnf(
    source: str, builder: GrammarBuilder, *, root: str | None = None, octets: bool = False
) -> Node:
    """Write a grammar in ABNF and return the node of its root.

    Cost: linear in the source.

    Args:
        source: The grammar.
        builder: Where to write; the rules have their names in lower case.
        root: The rule that the whole text must match; the first one when left out.
        octets: Whether numbers are bytes, so that the text need not be well-formed UTF-8; they are
            code points otherwise.

    Raises:
        GrammarError: The grammar is malformed, has a rule twice, or uses one that it lacks.
        UnsupportedConstraint: It has prose, or uses ``OCTET`` over characters.

    Example:
        >>> from formgate.core.grammar import GrammarBuilder
        >>> builder = GrammarBuilder()
        >>> builder.start(compile_abnf('time = 2DIGIT ":" 2DIGIT [":" 2DIGIT]', builder))
    """
    rules = read_abnf(source, octets=octets)
    wanted = rules.root(root, key=None if root is None else root.lower())
    return rules.write(builder, wanted)


def compile_format(source: object, builder: GrammarBuilder, options: Mapping[str, object]) -> None:
    """Write a grammar given to ``formgate.compile``.

    Raises:
        GrammarError: As for ``compile_abnf``; the source is no text, or an option is unknown.
        UnsupportedConstraint: As for ``compile_abnf``.
    """
    check_options("abnf", options, _OPTIONS)
    octets = options.get("octets", False)
    if not isinstance(octets, bool):
        raise GrammarError(f"octets is True or False, not {octets!r:.60}")
    root = root_of(options)
    builder.start(compile_abnf(text_of("abnf", source), builder, root=root, octets=octets))


def read_abnf(source: str, *, octets: bool = False) -> Rules:
    """Return the rules of a grammar, the core rules that it uses among them.

    Raises:
        GrammarError: As for ``compile_abnf``.
        UnsupportedConstraint: As for ``compile_abnf``.
    """
    scan = Scanner(source)
    rules = Rules(scan)
    _Parser(scan, rules, octets=octets).parse()
    while core := [use for use in rules.missing() if use.name in CORE_RULES]:
        for use in core:
            _add_core(use, scan, rules, octets=octets)
    return rules


def _add_core(use: Name, scan: Scanner, rules: Rules, *, octets: bool) -> None:
    """Define a core rule where it is used, if it is not defined yet."""
    if use.name == "octet" and not octets:
        raise UnsupportedConstraint(
            "OCTET is a byte, and the text is read as characters",
            source=scan.source,
            offset=use.start,
            end=use.end,
            hint="say octets=True for bytes, or define OCTET as the characters that are meant",
        )
    if use.name not in rules.bodies:
        _Parser(Scanner(CORE_RULES[use.name]), rules, octets=octets).parse()


@dataclass
class _Group(Group):
    """Alternatives that are being read, and how often the whole stands."""

    least: int = 1
    most: int | None = 1


class _Parser:
    """Reads a grammar in one pass; groups are kept on a list, so their depth has no limit."""

    def __init__(self, scan: Scanner, rules: Rules, *, octets: bool) -> None:
        self._scan = scan
        self._rules = rules
        self._octets = octets
        self._margin = -1  # the column of the rules, once the first is found
        self._own: set[str] = set()
        # The alternatives of rules to which some were added.
        self._added: dict[str, list[int]] = {}

    def parse(self) -> None:
        """Read all rules."""
        scan = self._scan
        while True:
            self._skip()
            if scan.at_end:
                break
            if (blank := _BLANK_LINES.match(scan.source, scan.position)) is not None:
                scan.position = blank.end()
                continue
            column = self._column()
            if self._margin < 0:
                self._margin = column
            elif column != self._margin:
                raise scan.error(
                    f"a rule begins in the column of the first, {self._margin + 1}", scan.position
                )
            self._rule()
        for key, bodies in self._added.items():
            self._rules.define(key, self._rules.add(Choice(tuple(bodies))))

    def _column(self) -> int:
        """Return how far the place is from the beginning of its line."""
        scan = self._scan
        line = scan.source.rfind("\n", 0, scan.position) + 1
        line = max(line, scan.source.rfind("\r", line, scan.position) + 1)
        return len(scan.source[line : scan.position].expandtabs(_TAB))

    def _rule(self) -> None:
        scan, rules = self._scan, self._rules
        begin = scan.position
        name = _NAME.match(scan.source, begin)
        if name is None:
            raise scan.error("a rule begins with its name, and '='", begin)
        key = name[0].lower()
        scan.position = name.end()
        self._skip()
        if scan.take("=/"):
            self._extend(key, name)
            return
        if not scan.take("="):
            raise scan.error("'=' or '=/' must follow the name of a rule", scan.position)
        if key in self._own:
            raise scan.error(
                f"rule {name[0]!r} is defined twice",
                begin,
                name.end(),
                hint="'=/' adds alternatives to a rule; names are the same in either case",
            )
        self._own.add(key)
        rules.define(key, self._alternatives())

    def _extend(self, key: str, name: re.Match[str]) -> None:
        """Read alternatives that are added to a rule."""
        scan, rules = self._scan, self._rules
        if key not in self._own:
            if key not in CORE_RULES:
                raise scan.error(
                    f"rule {name[0]!r} has no alternatives yet, to which '=/' could add",
                    name.start(),
                    name.end(),
                    hint="define it with '=' first",
                )
            _add_core(Name(key, name.start(), name.end()), scan, rules, octets=self._octets)
            self._own.add(key)
        body = rules.bodies[key]
        self._added.setdefault(key, [body]).append(self._alternatives())
        rules.define(key, body)

    def _alternatives(self) -> int:
        """Read the alternatives of a rule, groups included."""
        scan, rules = self._scan, self._rules
        groups = [_Group(scan.position)]
        while True:
            self._skip()
            group = groups[-1]
            begin = scan.position
            if scan.take("/"):
                self._check_filled(group, begin)
                group.finish_alternative(rules)
            elif scan.peek in (")", "]"):
                self._check_closer(group, begin)
                self._check_filled(group, begin)
                groups.pop()
                groups[-1].items.append(self._closed(group))
            elif scan.at_end or scan.peek in ("\r", "\n"):
                if len(groups) > 1:
                    raise scan.error("this bracket is not closed", group.start)
                self._check_filled(group, begin)
                return group.finish(rules)
            else:
                least, most = self._counts()
                if scan.peek in ("(", "["):
                    place = scan.position
                    closer = ")" if scan.next() == "(" else "]"
                    groups.append(_Group(place, closer, least=least, most=most))
                else:
                    group.items.append(self._repeated(self._element(), least, most))

    def _check_filled(self, group: _Group, begin: int) -> None:
        """Refuse an alternative with nothing in it."""
        if not group.items:
            raise self._scan.error(
                "an element must stand before this",
                min(begin, max(len(self._scan.source) - 1, 0)),
                hint='the empty text is ""',
            )

    def _check_closer(self, group: _Group, begin: int) -> None:
        """Go past a closing bracket, which must be that of the group."""
        scan = self._scan
        closer = scan.next()
        if not group.closer:
            raise scan.error("this bracket closes nothing", begin)
        if closer != group.closer:
            raise scan.error(f"{group.closer!r} must close the last bracket that is open", begin)

    def _closed(self, group: _Group) -> int:
        """Return the expression of a group that is closed."""
        whole = group.finish(self._rules)
        if group.closer == "]":
            whole = self._rules.add(Repeat(whole, 0, 1))
        return self._repeated(whole, group.least, group.most)

    def _repeated(self, item: int, least: int, most: int | None) -> int:
        if (least, most) == (1, 1):
            return item
        return self._rules.add(Repeat(item, least, most))

    def _counts(self) -> tuple[int, int | None]:
        """Read the counts that may stand before an element: ``2*5``, ``*``, ``3``."""
        scan = self._scan
        begin = scan.position
        match = _COUNTS.match(scan.source, begin)
        if match is None or not match[0]:
            return 1, 1
        least = scan.take_number()
        starred = scan.take("*")
        most = scan.take_number() if starred else least
        scan.check_counts(least or 0, most, begin)
        if scan.at_end or scan.peek.isspace() or scan.peek in "*/)];":
            raise scan.error("an element must follow the count at once", begin, scan.position)
        return least or 0, most

    def _element(self) -> int:
        """Read a name, a string, a number or a name in angle brackets."""
        scan, rules = self._scan, self._rules
        begin = scan.position
        if scan.peek == '"':
            return self._string(exact=False)
        if scan.peek == "<":
            return self._prose(begin)
        if scan.take("%"):
            return self._value(begin)
        name = _NAME.match(scan.source, begin)
        if name is None:
            hint = "a string stands in double quotation marks" if scan.peek == "'" else None
            if scan.peek in ("|", "{", "=", ":"):
                hint = "in ABNF '/' is the choice, '*' stands first, and '=' defines"
            raise scan.error(
                "a name, a string, a number such as %x41, or a bracket is expected",
                begin,
                hint=hint,
            )
        scan.position = name.end()
        return rules.add(Name(name[0].lower(), begin, name.end()))

    def _prose(self, begin: int) -> int:
        """Read ``<name>``, and refuse any other prose."""
        scan = self._scan
        end = scan.find(">", begin)
        name = _NAME.match(scan.source, begin + 1)
        if end < 0:
            raise scan.error("this '<' has no '>' on its line", begin)
        if name is None or name.end() != end:
            raise UnsupportedConstraint(
                "a description in words cannot be enforced",
                source=scan.source,
                offset=begin,
                end=end + 1,
                hint="say it in rules",
            )
        scan.position = end + 1
        return self._rules.add(Name(name[0].lower(), begin + 1, end))

    def _value(self, begin: int) -> int:
        """Read what follows a percent sign: a string, or characters by number."""
        scan, rules = self._scan, self._rules
        kind = "" if scan.at_end else scan.next().lower()
        if kind in ("s", "i") and scan.peek == '"':
            return self._string(exact=kind == "s")
        if kind not in _DIGITS:
            raise scan.error(
                "b, d or x and digits, or s or i and a string, must follow '%'",
                begin,
                scan.position,
            )
        first = self._number(kind, begin)
        if scan.take("-"):
            last = self._number(kind, begin)
            if last < first:
                raise scan.error(
                    "the ends of this range are in the wrong order", begin, scan.position
                )
            return rules.add(Chars(((first, last),), octets=self._octets))
        values = [first]
        while scan.take("."):
            values.append(self._number(kind, begin))
        if self._octets:
            return rules.add(Text(bytes(values)))
        if any(0xD800 <= value <= 0xDFFF for value in values):
            raise scan.error("this is the number of no character", begin, scan.position)
        return rules.add(Text("".join(map(chr, values))))

    def _number(self, kind: str, begin: int) -> int:
        scan = self._scan
        base, letters = _DIGITS[kind]
        digits = scan.take_while(letters)
        if not digits:
            raise scan.error(f"digits of base {base} must follow", begin, scan.position)
        digits = digits.lstrip("0") or "0"
        value = int(digits, base) if len(digits) <= 32 else None
        if value is None or value > (0xFF if self._octets else 0x10FFFF):
            what = "byte" if self._octets else "character"
            raise scan.error(f"this is the number of no {what}", begin, scan.position)
        return value

    def _string(self, *, exact: bool) -> int:
        """Read a string; its letters match either case unless it is exact."""
        scan, rules = self._scan, self._rules
        begin = scan.position
        text = scan.take_quoted()
        for place, char in enumerate(text, begin + 1):
            if not " " <= char <= "~":
                raise scan.error(
                    "a string has printable ASCII characters only",
                    place,
                    hint=f"write %x{ord(char):X}, the number of the character",
                )
        if exact or not any(char.isalpha() for char in text):
            return rules.add(Text(text))
        parts = []
        for piece in re.findall(r"[A-Za-z]|[^A-Za-z]+", text):
            if piece.isalpha():
                upper, lower = ord(piece.upper()), ord(piece.lower())
                parts.append(rules.add(Chars(((upper, upper), (lower, lower)))))
            else:
                parts.append(rules.add(Text(piece)))
        return rules.add(Seq(tuple(parts)))

    def _skip(self) -> None:
        """Go past blanks and comments, and past line breaks where the next line goes on."""
        scan = self._scan
        while not scan.at_end:
            if scan.peek in (" ", "\t"):
                scan.position += 1
            elif scan.peek == ";":
                end = _LINE_END.search(scan.source, scan.position)
                scan.position = len(scan.source) if end is None else end.start()
            elif scan.peek not in ("\r", "\n") or not self._goes_on():
                return

    def _goes_on(self) -> bool:
        """Go past line breaks if the next line with anything on it is indented further."""
        scan = self._scan
        begin = scan.position
        match = _BLANK_LINES.match(scan.source, begin)
        scan.position = begin if match is None else match.end()
        if scan.at_end or scan.position == begin or self._margin < 0:
            return scan.position > begin
        if self._column() > self._margin:
            return True
        scan.position = begin
        return False
