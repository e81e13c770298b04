r"""Patterns to automata: a small regular-expression syntax over UTF-8 text.

Characters, ``.`` (any character but a newline), classes ``[a-z]`` and ``[^...]``, groups ``(...)``
and ``(?:...)``, ``|``, and the repetitions ``* + ? {m} {m,} {,n} {m,n}``; the escapes are ``\n``
``\r`` ``\t`` ``\f`` ``\v`` ``\0`` ``\xHH`` ``\uHHHH`` and a backslash before punctuation. These
mean what ``re.fullmatch`` means by them; everything else is refused.

Thompson's construction (1968), then subsets (Rabin and Scott 1959), then Moore's minimisation.
Repetitions are unrolled: a pattern costs what it spells out, subsets are exponential at worst, and
both have a limit.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from formgate.core.errors import GrammarError, LimitError, UnsupportedConstraint
from formgate.core.reference.fsa import FSA, closure

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["MAX_AUTOMATON_STATES", "automaton_of", "literal"]

MAX_AUTOMATON_STATES = 20_000
"""Most states of an automaton under construction; beyond it ``LimitError`` is raised."""

_MAX_CHARACTER = 0x10FFFF
_Ranges = list[tuple[int, int]]
_CONTROL = {"n": 10, "r": 13, "t": 9, "f": 12, "v": 11, "0": 0}
_HEX_DIGITS = {"x": 2, "u": 4}


class _Edge(NamedTuple):
    """An edge of a fragment; it reads nothing where ``symbols`` is None."""

    source: int
    symbols: frozenset[int] | None
    target: int


class _Fragment(NamedTuple):
    """An automaton with empty moves: it starts in 0 and ends in ``size`` - 1."""

    size: int
    edges: tuple[_Edge, ...]

    def moved(self, offset: int) -> tuple[_Edge, ...]:
        return tuple(_Edge(s + offset, symbols, t + offset) for s, symbols, t in self.edges)


def automaton_of(pattern: str) -> FSA[int]:
    """Return the minimal automaton, over bytes, of the texts that match ``pattern`` as a whole.

    Raises:
        GrammarError: The pattern is malformed.
        UnsupportedConstraint: It uses syntax outside of the subset above.
        LimitError: It needs more than ``MAX_AUTOMATON_STATES`` states.

    Example:
        >>> automaton_of("(ab)*").accepts(b"abab")
        True
    """
    return _determinised(_Parser(pattern).parse()).minimal()


def literal(text: str | bytes) -> FSA[int]:
    """Return the automaton of one text."""
    data = text.encode() if isinstance(text, str) else text
    edges: dict[int, dict[int, int]] = {i: {byte: i + 1} for i, byte in enumerate(data)}
    edges[len(data)] = {}
    return FSA(0, frozenset([len(data)]), edges)


@dataclass
class _Frame:
    """A group being read: the alternatives before, and the parts of the one at hand."""

    offset: int
    alternatives: list[_Fragment] = field(default_factory=list)
    parts: list[_Fragment] = field(default_factory=list)

    def end_alternative(self) -> None:
        self.alternatives.append(_sequence(self.parts))
        self.parts = []


class _Parser:
    """Reads one pattern left to right; groups are kept on a stack of its own."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.at = 0

    def parse(self) -> _Fragment:
        frames = [_Frame(0)]
        while self.at < len(self.pattern):
            character = self.pattern[self.at]
            frame = frames[-1]
            if character == "(":
                frames.append(self._group())
            elif character == ")":
                if len(frames) == 1:
                    raise self.error("this parenthesis closes no group", self.at)
                self.at += 1
                frame.end_alternative()
                frames.pop()
                frames[-1].parts.append(_choice(frame.alternatives))
            elif character == "|":
                self.at += 1
                frame.end_alternative()
            elif character in "*+?{":
                self._repetition(frame)
            elif character in "^$":
                raise self.unsupported("an anchor", self.at, 1)
            else:
                frame.parts.append(_characters(self._atom()))
        if len(frames) > 1:
            raise self.error("this group is never closed", frames[-1].offset)
        frames[0].end_alternative()
        return _choice(frames[0].alternatives)

    def _group(self) -> _Frame:
        frame = _Frame(self.at)
        self.at += 1
        if self.pattern.startswith("?", self.at):
            if not self.pattern.startswith("?:", self.at):
                raise self.unsupported("this kind of group", self.at - 1, 3)
            self.at += 2
        return frame

    def _repetition(self, frame: _Frame) -> None:
        begin = self.at
        character = self.pattern[begin]
        self.at += 1
        if not frame.parts:
            raise self.error("there is nothing to repeat here", begin)
        if character == "{":
            end = self.pattern.find("}", begin)
            least, comma, most = self.pattern[begin + 1 : max(end, begin)].partition(",")
            counts = least + most
            if not (counts.isdecimal() or (comma and not counts)) or not (least or comma):
                raise self.error("a repetition is {m}, {m,}, {,n} or {m,n}; a brace is \\{", begin)
            self.at = end + 1
            low = int(least or "0")
            high = int(most) if most else (None if comma else low)
            if high is not None and high < low:
                raise self.error("the counts of this repetition are in the wrong order", begin)
        else:
            low, high = {"*": (0, None), "+": (1, None), "?": (0, 1)}[character]
        if self.pattern[self.at : self.at + 1] in ("*", "+", "?", "{"):
            raise self.unsupported("a lazy, possessive or double repetition", self.at, 1)
        frame.parts[-1] = _repeated(frame.parts[-1], low, high)

    def _atom(self) -> _Ranges:
        character = self.pattern[self.at]
        if character == ".":
            self.at += 1
            return _complement([(10, 10)])
        if character == "[":
            return self._class()
        point = self._character()
        return [(point, point)]

    def _class(self) -> _Ranges:
        begin = self.at
        self.at += 1
        negated = self.pattern.startswith("^", self.at)
        self.at += negated
        ranges: _Ranges = []
        while not self.pattern.startswith("]", self.at) or not ranges:
            if self.at >= len(self.pattern):
                raise self.error("this class is never closed", begin)
            place = self.at
            low = high = self._character()
            if self.pattern.startswith("-", self.at) and not self.pattern.startswith("-]", self.at):
                self.at += 1
                if self.at >= len(self.pattern):
                    raise self.error("this class is never closed", begin)
                high = self._character()
            if high < low:
                raise self.error("this range is in the wrong order", place)
            ranges.append((low, high))
        self.at += 1
        return _complement(ranges) if negated else ranges

    def _character(self) -> int:
        begin = self.at
        character = self.pattern[begin]
        self.at += 1
        if character != "\\":
            return ord(character)
        letter = self.pattern[self.at : self.at + 1]
        self.at += 1
        if letter in _HEX_DIGITS:
            digits = self.pattern[self.at : self.at + _HEX_DIGITS[letter]]
            self.at += len(digits)
            try:
                return int(digits, 16)
            except ValueError:
                raise self.error("hexadecimal digits are missing here", begin) from None
        if letter in _CONTROL and letter:
            return _CONTROL[letter]
        if not letter:
            raise self.error("a backslash cannot end a pattern", begin)
        if letter.isalnum():
            raise self.unsupported(f"the escape \\{letter}", begin, 2)
        return ord(letter)

    def error(self, reason: str, offset: int) -> GrammarError:
        return GrammarError(reason, source=self.pattern, offset=offset)

    def unsupported(self, what: str, offset: int, length: int) -> UnsupportedConstraint:
        return UnsupportedConstraint(
            f"{what} is outside of the syntax of the reference",
            source=self.pattern,
            offset=offset,
            end=offset + length,
            hint="write it with classes, groups, | and repetitions, or pass an FSA",
        )


def _complement(ranges: _Ranges) -> _Ranges:
    """Return the characters outside of ``ranges``."""
    rest: _Ranges = []
    begin = 0
    for low, high in sorted(ranges):
        if begin < low:
            rest.append((begin, low - 1))
        begin = max(begin, high + 1)
    return [*rest, (begin, _MAX_CHARACTER)] if begin <= _MAX_CHARACTER else rest


def _characters(ranges: _Ranges) -> _Fragment:
    """Return the fragment of the UTF-8 encodings of some characters; surrogates have none."""
    choices = [
        _sequence([_byte_range(low, high) for low, high in sequence])
        for first, last in ranges
        for sequence in _utf8_sequences(first, last)
    ]
    return _choice(choices)


def _utf8_sequences(first: int, last: int) -> list[list[tuple[int, int]]]:
    """Split a range of characters into sequences of byte ranges that spell exactly these.

    The method is that of RE2's ``utf8_ranges``: cut where the length of the encoding changes and
    at the surrogates, then wherever a prefix of the encoding does not have its full set of ends.
    """
    sequences: list[list[tuple[int, int]]] = []
    pending = [(first, last)]
    while pending:
        low, high = pending.pop()
        cut = _first_cut(low, high)
        if cut is not None:
            pending += [(cut, high), (low, cut - 1)]
        elif low <= high and not 0xD800 <= low <= 0xDFFF:
            sequences.append(list(zip(chr(low).encode(), chr(high).encode(), strict=True)))
    return sequences


def _first_cut(low: int, high: int) -> int | None:
    """Return a place to cut a range in two, or None where it is one sequence of byte ranges."""
    for cut in (0x80, 0x800, 0xD800, 0xE000, 0x10000):
        if low < cut <= high:
            return cut
    for width in (6, 12, 18):
        tail = (1 << width) - 1
        if low > 0x7F and low & ~tail != high & ~tail:
            if low & tail:
                return (low | tail) + 1
            if high & tail != tail:
                return high & ~tail
    return None


def _byte_range(low: int, high: int) -> _Fragment:
    return _Fragment(2, (_Edge(0, frozenset(range(low, high + 1)), 1),))


def _sequence(parts: list[_Fragment]) -> _Fragment:
    size = 1
    edges: list[_Edge] = []
    for part in parts:
        edges += part.moved(size - 1)
        size = _limited(size + part.size - 1)
    return _Fragment(size, tuple(edges))


def _choice(parts: list[_Fragment]) -> _Fragment:
    if len(parts) == 1:
        return parts[0]
    size = _limited(2 + sum(part.size for part in parts))
    edges: list[_Edge] = []
    offset = 1
    for part in parts:
        edges += [_Edge(0, None, offset), *part.moved(offset)]
        offset += part.size
        edges.append(_Edge(offset - 1, None, size - 1))
    return _Fragment(size, tuple(edges))


def _repeated(part: _Fragment, low: int, high: int | None) -> _Fragment:
    _limited(part.size * max(low, high or 0))
    inner = _Edge(0, None, 1), *part.moved(1), _Edge(part.size, None, part.size + 1)
    skip = _Edge(0, None, part.size + 1)
    if high is None:
        again = _Edge(part.size, None, 1)
        loop = _Fragment(part.size + 2, (*inner, skip, again))
        return _sequence([part] * low + [loop])
    optional = _Fragment(part.size + 2, (*inner, skip))
    return _sequence([part] * low + [optional] * (high - low))


def _limited(size: int) -> int:
    if size > MAX_AUTOMATON_STATES:
        raise LimitError(
            f"the pattern needs more than {MAX_AUTOMATON_STATES} states (MAX_AUTOMATON_STATES): "
            "use smaller repetition counts"
        )
    return size


def _determinised(fragment: _Fragment) -> FSA[int]:
    """Return the deterministic automaton of a fragment, by the subset construction."""
    silent: dict[int, list[int]] = {i: [] for i in range(fragment.size)}
    reading: dict[int, list[_Edge]] = {i: [] for i in range(fragment.size)}
    for edge in fragment.edges:
        if edge.symbols is None:
            silent[edge.source].append(edge.target)
        else:
            reading[edge.source].append(edge)

    def closed(states: Iterable[int]) -> frozenset[int]:
        return frozenset(closure(states, silent.__getitem__))

    def moves(subset: frozenset[int]) -> dict[int, frozenset[int]]:
        targets: dict[int, set[int]] = {}
        for edge in chain.from_iterable(reading[state] for state in subset):
            for symbol in edge.symbols or ():
                targets.setdefault(symbol, set()).add(edge.target)
        seeds = {symbol: frozenset(reached) for symbol, reached in targets.items()}
        full = {reached: closed(reached) for reached in set(seeds.values())}
        return {symbol: full[reached] for symbol, reached in seeds.items()}

    rows: dict[frozenset[int], dict[int, frozenset[int]]] = {}

    def successors(subset: frozenset[int]) -> Iterable[frozenset[int]]:
        _limited(len(rows))
        rows[subset] = moves(subset)
        return rows[subset].values()

    number = {subset: i for i, subset in enumerate(closure([closed([0])], successors))}
    edges = {
        number[subset]: {symbol: number[target] for symbol, target in row.items()}
        for subset, row in rows.items()
    }
    accepting = frozenset(i for subset, i in number.items() if fragment.size - 1 in subset)
    return FSA(0, accepting, edges)
