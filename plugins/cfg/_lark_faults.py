"""Where in a Lark grammar a string, a regex, a range or a count is at fault.

lark puts terminals together before it looks at them, and says nothing of the place then. So on the
way to an error, and only there, what the grammar writes is looked at again, piece by piece in the
order of the text, until one alone has a fault. Cost: linear in the grammar, but for the check of
regexes that the caller hands in.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import TYPE_CHECKING, NamedTuple

from formgate.core.errors import GrammarError
from formgate.plugins.cfg._scanner import MAX_COUNT
from formgate.plugins.regex import parse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from formgate.plugins.cfg._lark_load import Terminal
    from formgate.plugins.cfg._lark_source import LarkSource

__all__ = ["Piece", "check_with_re", "find_fault", "find_in_terminal", "pieces", "place_of"]

_PIECE = re.compile(
    r'(?P<string>"(?:\\.|[^"\\\n])*"i?)|(?P<regex>/(?!/)(?:\\.|[^/\\])*/[imslux]*)'
    r"|//[^\n]*|\#[^\n]*|~[ \t]*(?P<count>[+-]?\d+(?:[ \t]*\.\.[ \t]*[+-]?\d+)?)",
    re.DOTALL,
)
_DOTS = re.compile(r"\s*\.\.\s*")
_NUMBERS = re.compile(r"[+-]?\d+")
_ESCAPE = re.compile(r"\\(?:x(.{0,2})|u(.{0,4})|U(.{0,8})|.)", re.DOTALL)
_SURROGATE = re.compile("[\ud800-\udfff]")
_MOST_DIGITS = 10
_MOST_CHECKED = 500


class Piece(NamedTuple):
    """A string, regex, range or count as it is written.

    Args:
        kind: ``string``, ``regex``, ``range`` or ``count``.
        text: What is written.
        begin: Where, in the text that lark reads.
        owner: The name whose definition it is a part of; empty for that of a directive.
        ends: Of a range: what is written for its ends.
    """

    kind: str
    text: str
    begin: int
    owner: str
    ends: tuple[str, str] | None = None


def pieces(source: LarkSource) -> Iterator[Piece]:
    """Yield what is written, in order; parts in other formats are left out."""
    defined = source.definitions()
    begins = [begin for _, begin, _ in defined]
    text = source.text
    at = 0
    while (match := _PIECE.search(text, at)) is not None:
        at = match.end()
        kind = match.lastgroup
        if kind is None or (kind == "regex" and match[0][1:-1] in source.parts):
            continue
        index = bisect_right(begins, match.start()) - 1
        line = source.code[source.code.rfind("\n", 0, match.start()) + 1 : match.start()]
        owner = defined[index][0] if index >= 0 and not line.startswith("%ignore") else ""
        if kind == "string" and (dots := _DOTS.match(text, at)) is not None:
            other = _PIECE.match(text, dots.end())
            if other is not None and other.lastgroup == "string":
                at = other.end()
                whole = text[match.start() : at]
                yield Piece("range", whole, match.start(), owner, (match[0], other[0]))
                continue
        yield Piece(kind, match[0], match.start(), owner)


def find_fault(source: LarkSource) -> GrammarError | None:
    """Return the error for the first piece that has a fault of its own."""
    for piece in pieces(source):
        if piece.kind == "count":
            fault = _count_fault(piece, source)
        elif piece.ends is not None:
            fault = _range_fault(piece, piece.ends, source)
        else:
            fault = _literal_fault(piece, source)
            if fault is None and piece.kind == "regex":
                fault = _regex_fault(piece, source, check_with_re)
        if fault is not None:
            return fault
    return None


def _regex_fault(
    piece: Piece, source: LarkSource, check: Callable[[str], object]
) -> GrammarError | None:
    """Return the error for a string, regex or range that a check refuses, at its place.

    Args:
        piece: The piece.
        source: The grammar.
        check: Raises ``GrammarError`` for a regex, with the place in it.
    """
    regexp, prefix, written = _regexp(piece)
    if regexp is None:
        return None
    try:
        check(regexp)
    except GrammarError as error:
        begin, end = piece.begin, piece.begin + len(piece.text)
        span = error.span if error.source == regexp else None
        if written is not None and span is not None and span[0] >= prefix:
            # Between the slashes, the regex is as written.
            begin, end = (piece.begin + 1 + place - prefix for place in span)
        what = f"terminal {piece.owner}" if piece.owner.isupper() else f"a {piece.kind}"
        return type(error)(
            f"in {what}: {error.reason}",
            source=source.source,
            offset=source.place(begin),
            end=source.place(begin) + max(end - begin, 1),
            hint=error.hint,
        )
    return None


def find_in_terminal(
    terminal: Terminal, source: LarkSource, check: Callable[[str], object]
) -> GrammarError | None:
    """Return the error for the piece of a terminal that a check refuses; None if none alone is.

    Those of its own definition come first, then those of terminals that it may be made of. One
    that lark has named has one piece.
    """
    known = [piece for piece in pieces(source) if piece.kind != "count"]
    own = [piece for piece in known if piece.owner == terminal.name]
    if terminal.name.startswith("__"):
        own = [piece for piece in known if _regexp(piece)[0] == terminal.regexp]
        known = own
    others = [piece for piece in known if piece.owner.isupper() and piece.owner != terminal.name]
    for piece in [*own, *others][:_MOST_CHECKED]:
        fault = None
        if piece.ends is not None:
            fault = _range_fault(piece, piece.ends, source)
        fault = fault or _regex_fault(piece, source, check)
        if fault is not None:
            return fault
    counts = [p for p in pieces(source) if p.kind == "count" and p.owner == terminal.name]
    return next(filter(None, (_count_fault(piece, source) for piece in counts)), None)


def place_of(terminal: Terminal, source: LarkSource) -> tuple[int | None, int | None]:
    """Return the span of a terminal's name where it is defined, or of all of it without one."""
    if not terminal.name.startswith("__"):
        error = source.error_at("", terminal.name)
        return error.offset, error.end
    for piece in pieces(source):
        if _regexp(piece)[0] == terminal.regexp:
            begin = source.place(piece.begin)
            return begin, begin + len(piece.text)
    return None, None


def check_with_re(regexp: str) -> None:
    """Refuse what ``re`` refuses.

    Raises:
        GrammarError: It does.
    """
    try:
        re.compile(regexp)
    except (re.error, RecursionError, OverflowError, ValueError) as error:
        parse(regexp, 0)  # says the same with a longer span
        place = getattr(error, "pos", None) or 0
        raise GrammarError(f"re refuses it: {error}", source=regexp, offset=place) from None


def _regexp(piece: Piece) -> tuple[str | None, int, str | None]:
    """Return the regex for a piece, what lark puts before it, and the regex as written.

    The last is None if a place in the regex says nothing of the place in the text.
    """
    from lark.exceptions import GrammarError as LarkError  # noqa: PLC0415 (an optional package)
    from lark.lexer import Token  # noqa: PLC0415
    from lark.load_grammar import _literal_to_pattern  # noqa: PLC0415

    if piece.kind == "count":
        return None, 0, None
    if piece.ends is not None:
        low, high = (end.rstrip("i")[1:-1] for end in piece.ends)
        return f"[{low}-{high}]", 0, None
    try:
        kind = "STRING" if piece.kind == "string" else "REGEXP"
        pattern = _literal_to_pattern(Token(kind, piece.text))  # type: ignore[no-untyped-call]
    except (LarkError, ValueError):
        return None, 0, None
    regexp = pattern.to_regexp()
    written = piece.text[1 : piece.text.rindex("/")] if piece.kind == "regex" else None
    if written is not None and pattern.value != written:
        written = None
    return regexp, regexp.find(pattern.value), written


def _literal_fault(piece: Piece, source: LarkSource) -> GrammarError | None:
    """Return the error for a string or regex that cannot be evaluated."""
    text = piece.text
    quote = '"' if piece.kind == "string" else "/"
    end = text.rindex(quote)
    if piece.kind == "string" and end == 1:
        return source.error(
            "a string cannot be empty",
            piece.begin,
            len(text),
            hint='make what stands beside it optional, with "?"; a rule may have an alternative '
            'with nothing in it: ("a" | )',
        )
    if piece.kind == "regex" and "\n" in text and "x" not in text[end:]:
        return source.error(
            "a regex goes over the end of its line without the flag x",
            piece.begin,
            text.index("\n"),
            hint="write \\n for a line break, or add the flag x, which skips blanks",
        )
    if "\x00" in text:
        place = piece.begin + text.index("\x00")
        return source.error(f"a NUL character in a {piece.kind}", place, hint="write \\x00")
    if (escape := _bad_escape(text[1:end])) is not None:
        begin, length, why = escape
        return source.error(f"{why} in a {piece.kind}", piece.begin + 1 + begin, length)
    if piece.kind == "string" and (lone := _lone_surrogate(text[1:end])) is not None:
        return source.error(
            "a lone surrogate, which no well-formed text contains",
            piece.begin + 1 + lone[0],
            lone[1],
            hint="write the character itself, or \\U with its eight-digit code point",
        )
    return None


def _bad_escape(text: str) -> tuple[int, int, str] | None:
    """Return place, length and reason of the first escape with too few digits, or too great."""
    for match in _ESCAPE.finditer(text):
        digits = match[match.lastindex] if match.lastindex else None
        if digits is None:
            continue
        wanted = {"x": 2, "u": 4, "U": 8}[match[0][1]]
        valid = re.match(r"[0-9A-Fa-f]*", digits)
        found = 0 if valid is None else valid.end()
        if found < wanted:
            return (
                match.start(),
                2 + found,
                f"the escape \\{match[0][1]} needs {wanted} hexadecimal digits, not {found},",
            )
        if int(digits, 16) > 0x10FFFF:
            return match.start(), 2 + wanted, "an escape beyond the last character, U+10FFFF,"
    return None


def _lone_surrogate(text: str) -> tuple[int, int] | None:
    """Return place and length of the first surrogate, given by an escape or as it is."""
    for match in _ESCAPE.finditer(text):
        digits = match[match.lastindex] if match.lastindex else None
        if digits is not None and 0xD800 <= int(digits, 16) <= 0xDFFF:
            return match.start(), len(match[0])
    found = _SURROGATE.search(text)
    return None if found is None else (found.start(), 1)


def _range_fault(piece: Piece, ends: tuple[str, str], source: LarkSource) -> GrammarError | None:
    """Return the error for a range whose ends are no characters, or in the wrong order."""
    values = []
    for end in ends:
        begin = piece.begin + piece.text.rindex(end)
        if end.endswith("i"):
            return source.error(
                "the ends of a range have no flags",
                begin,
                len(end),
                hint='write both cases: ("a".."f" | "A".."F")',
            )
        if (escape := _bad_escape(end[1:-1])) is not None:
            place, length, why = escape
            return source.error(f"{why} in a string", begin + 1 + place, length)
        values.append(_evaluated(end[1:-1]))
    if not all(len(value) == 1 for value in values):
        return source.error(
            "the ends of a range are single characters",
            piece.begin,
            len(piece.text),
            hint='write "a".."z"; for one of several texts, write "ab" | "cd"',
        )
    low, high = values
    if low > high:
        return source.error(
            f"the ends of this range are in the wrong order: {low!a} comes after {high!a}",
            piece.begin,
            len(piece.text),
            hint=f"write {ends[1]}..{ends[0]}",
        )
    return None


def _evaluated(text: str) -> str:
    """Return what the inside of a string stands for."""
    from lark.load_grammar import eval_escaping  # noqa: PLC0415 (an optional package)

    return str(eval_escaping(text)).replace("\\\\", "\\")  # type: ignore[no-untyped-call]


def _count_fault(piece: Piece, source: LarkSource) -> GrammarError | None:
    """Return the error for counts that are negative, out of order or too large."""
    found = _NUMBERS.findall(piece.text)
    begin = piece.begin + 1
    length = len(piece.text) - 1
    if any(len(number.lstrip("+-")) > _MOST_DIGITS for number in found) or any(
        int(number) > MAX_COUNT for number in found
    ):
        return source.error(
            f"this count is above the largest, {MAX_COUNT}",
            begin,
            length,
            hint="write '+' or '*' for a count without a bound",
        )
    low, high = int(found[0]), int(found[-1])
    if low < 0:
        return source.error("a count cannot be negative", begin, length)
    if low > high:
        return source.error(
            f"no count is at least {low} and at most {high}",
            begin,
            length,
            hint=f"write ~{high}..{low}",
        )
    return None
