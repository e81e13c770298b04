"""Texts of GBNF grammars at random, by a reader and a generator that share no code with formgate.

Every text is a member by how it is made: a rule is replaced by one of its alternatives until only
characters are left. Alternatives are taken at random while the text is short; then each symbol
takes what ends soonest.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from random import Random

_TOKENS = re.compile(
    r"""\s+ | \#[^\n]*
    | (?P<define>[a-zA-Z0-9_-]+\s*::=)
    | (?P<name>[a-zA-Z0-9_-]+)
    | (?P<literal>"(?:\\.|[^"\\])*")
    | (?P<set>\[\^?(?:\\.|[^\]\\])*\])
    | (?P<count>[*+?]|\{\d+(?:,\d*)?\})
    | (?P<sign>[|().])""",
    re.VERBOSE | re.DOTALL,
)
_UNIT = re.compile(r"\\x(..)|\\u(....)|\\U(.{8})|\\(.)|(.)", re.DOTALL)
_NAMED = {"n": "\n", "r": "\r", "t": "\t"}
_SOME = [chr(code) for code in range(0x20, 0x7F)] + list("\n\t\u00e9\u0416\u4e2d\U0001f600\u2028")
_MORE = 3  # repetitions beyond the fewest


def _characters(body: str) -> list[str]:
    """Return the characters that a literal or a set stands for, escapes undone."""
    out = []
    for match in _UNIT.finditer(body):
        code = match[1] or match[2] or match[3]
        if code:
            out.append(chr(int(code, 16)))
        else:
            out.append(_NAMED.get(match[4], match[4]) if match[4] else match[5])
    return out


def _set(text: str) -> list[str]:
    """Return characters of a set: of ranges the ends and some between; of negated sets, some."""
    negated = text.startswith("[^")
    body = text[2 if negated else 1 : -1]
    units = [match.group() for match in _UNIT.finditer(body)]
    ranges = []
    while units:
        first = _characters(units.pop(0))[0]
        last = first
        if len(units) > 1 and units[0] == "-":
            last = _characters(units[1])[0]
            del units[:2]
        ranges.append((ord(first), ord(last)))
    if negated:
        inside = [each for each in _SOME if not any(a <= ord(each) <= b for a, b in ranges)]
    else:
        inside = [
            chr(code)
            for a, b in ranges
            for code in {a, b, (a + b) // 2, *range(a, min(b, a + 40) + 1)}
            if not 0xD800 <= code < 0xE000
        ]
    assert inside, text
    return inside


class GbnfTexts:
    """The texts of a grammar, drawn at random.

    Args:
        source: The grammar.
        random: Where randomness comes from.
    """

    def __init__(self, source: str, random: Random) -> None:
        self._random = random
        self._rules: dict[str, tuple] = {}
        self._tokens = self._cut(source)
        while self._tokens:
            kind, text = self._tokens.pop(0)
            assert kind == "define", text
            self._rules[text.removesuffix("::=").rstrip()] = self._alternatives()
        self._depths = dict.fromkeys(self._rules, 1 << 30)
        while True:
            found = {name: self._depth(body) + 1 for name, body in self._rules.items()}
            if found == self._depths:
                break
            self._depths = found

    @staticmethod
    def _cut(source: str) -> list[tuple[str, str]]:
        out = []
        place = 0
        while place < len(source):
            match = _TOKENS.match(source, place)
            assert match, source[place : place + 40]
            if match.lastgroup:
                out.append((match.lastgroup, match.group()))
            place = match.end()
        return out

    def _alternatives(self) -> tuple:
        sequences: list[list[tuple]] = [[]]
        while self._tokens and self._tokens[0][0] != "define" and self._tokens[0][1] != ")":
            kind, text = self._tokens.pop(0)
            if text == "|" and kind == "sign":
                sequences.append([])
            elif kind == "count":
                low, high = self._counts(text)
                sequences[-1].append(("repeat", sequences[-1].pop(), low, high))
            elif text == "(" and kind == "sign":
                sequences[-1].append(self._alternatives())
                assert self._tokens.pop(0)[1] == ")"
            elif kind == "literal":
                sequences[-1].append(("text", "".join(_characters(text[1:-1]))))
            elif kind == "set":
                sequences[-1].append(("any", _set(text)))
            elif kind == "name":
                sequences[-1].append(("rule", text))
            else:
                assert text == ".", text
                sequences[-1].append(("any", _SOME))
        return ("choice", sequences)

    @staticmethod
    def _counts(text: str) -> tuple[int, int]:
        if text in "*+?":
            return {"*": (0, _MORE), "+": (1, 1 + _MORE), "?": (0, 1)}[text]
        low, comma, high = text[1:-1].partition(",")
        return int(low), int(high) if high else int(low) + (_MORE if comma else 0)

    def _depth(self, part: tuple) -> int:
        if part[0] == "choice":
            return min(max(map(self._depth, items), default=0) for items in part[1])
        if part[0] == "repeat":
            return self._depth(part[1]) if part[2] else 0
        return self._depths[part[1]] if part[0] == "rule" else 0

    def draw(self, size: int) -> str:
        """Return a text of some ``size`` parts, or of more where none is shorter."""
        out: list[str] = []
        stack: list[tuple] = [("rule", "root")]
        steps = 0
        while stack:
            steps += 1
            part = stack.pop()
            if part[0] == "text":
                out.append(part[1])
            elif part[0] == "any":
                out.append(self._random.choice(part[1]))
            elif part[0] == "rule":
                stack.append(self._rules[part[1]])
            elif part[0] == "repeat":
                most = part[3] if steps < size else part[2]
                stack += [part[1]] * self._random.randint(part[2], most)
            else:
                choices = part[1]
                if steps >= size:
                    depths = [max(map(self._depth, items), default=0) for items in choices]
                    choices = [
                        items
                        for items, depth in zip(choices, depths, strict=True)
                        if depth == min(depths)
                    ]
                stack += reversed(self._random.choice(choices))
        return "".join(out)
