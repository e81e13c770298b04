"""Repetitions and options of a Lark grammar written out as productions, the way lark does it.

This is what ``EBNF_to_BNF`` and ``SimplifyRule_Visitor`` of ``lark.load_grammar`` do, without their
trees, which they go through and copy again and again: each part gets its alternatives as soon as
those of its own parts are known. The names of the rules for repetitions, which rules of the grammar
share them, and the order of everything are lark's.
"""

from __future__ import annotations

from itertools import chain, product
from typing import TYPE_CHECKING, NamedTuple

from formgate.plugins.cfg._lark_tree import Node, Symbol, ordered

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from formgate.plugins.cfg._lark_tree import Body

__all__ = ["Alternative", "written_out"]

# From this count on, lark makes a repetition rules of its own ...
_COUNT_WITH_RULE = 50
# ... out of factors and summands up to this.
_LARGEST_FACTOR = 5

_Way = tuple[str, ...]
_NONE = ""  # stands for what is left out in square brackets; no symbol has this name


class Alternative(NamedTuple):
    """One alternative of a rule: its symbols, without those that stand for nothing."""

    head: str
    body: _Way
    priority: int


class _Part(NamedTuple):
    """A part of a body.

    Args:
        form: What lark compares: equal parts share the rules for their repetitions.
        size: How many children lark's tree of a text gets from it at most.
        ways: Its alternatives, each once.
    """

    form: object
    size: int
    ways: list[_Way]


_EMPTY = _Part(("expansion",), 0, [()])


def written_out(bodies: Iterable[Body]) -> Iterator[Alternative]:
    """Yield the alternatives of all rules, then those of the rules for repetitions.

    Some may be there twice: lark refuses these if they are not empty.
    """
    writer = _Writer()
    rules = [(body, writer.rule(body)) for body in bodies]
    for body, ways in rules:
        yield from _without_empty(body.name, ways, body.priority)
    for name, ways in writer.helpers:
        yield from _without_empty(name, ways, 0)


def _without_empty(head: str, ways: Iterable[_Way], priority: int) -> Iterator[Alternative]:
    for way in ways:
        body = tuple(symbol for symbol in way if symbol) if _NONE in way else way
        yield Alternative(head, body, priority)


class _Writer:
    """Writes out the rules of one grammar."""

    def __init__(self) -> None:
        self.helpers: list[tuple[str, list[_Way]]] = []
        self._known: dict[object, _Part] = {}
        self._body: Body | None = None

    def rule(self, body: Body) -> list[_Way]:
        """Return the alternatives of a rule; those of the same symbols differ by their alias."""
        self._body = body
        parts: dict[int, _Part] = {}  # by node
        for node in ordered(body.tree):
            for child in node.children:  # parent by parent, which numbers rules for repetitions
                if type(child) is Node:
                    parts[id(child)] = self._part(child, parts)
        found: dict[tuple[str, _Way], None] = {}
        for child in body.tree.children:
            assert type(child) is Node  # noqa: S101 (tells the type checker)
            found.update(((child.name, way), None) for way in parts[id(child)].ways)
        return [way for _, way in found]

    def _part(self, node: Node, parts: dict[int, _Part]) -> _Part:
        """Return a part whose own parts are known."""
        own = [
            parts[id(child)] if type(child) is Node else self._symbol(child)
            for child in node.children
        ]
        if node.kind == "expansion":
            part = _sequence(own)
        elif node.kind == "expansions":
            part = _choice(own)
        elif node.kind == "alias":
            (part,) = own
        elif node.kind == "maybe":
            left_out = [_NONE] * own[0].size
            part = _choice([own[0], _Part(("expansion", *left_out), 0, [tuple(left_out)])])
        else:
            part = self._expression(node, own[0])
        return part

    def _expression(self, node: Node, part: _Part) -> _Part:
        """Return a part that is repeated."""
        if node.operator == "?":
            return _choice([part, _EMPTY])
        if node.operator == "+":
            return self._repeated("plus", part)
        if node.operator == "*":
            return _choice([self._repeated("star", part), _EMPTY])
        assert node.high is not None  # noqa: S101 (tells the type checker)
        if node.high < _COUNT_WITH_RULE:
            return _choice([_sequence([part] * n) for n in range(node.low, node.high + 1)])
        return self._counted(part, node.low, node.high)

    def _symbol(self, symbol: object) -> _Part:
        """Return the part that a symbol is."""
        assert type(symbol) is Symbol  # noqa: S101 (tells the type checker)
        assert self._body is not None  # noqa: S101 (as above)
        if symbol.kind == "terminal":
            size = 0 if symbol.hidden and not self._body.keeps_all else 1
        else:
            size = 0 if symbol.hidden else 1
        return _Part(symbol[:2], size, [(symbol.name,)])

    # -- rules for repetitions

    def _helper(self, key: object, kind: str, write: Callable[[str], _Part]) -> _Part:
        """Return the rule for a repetition, the known one if there is one."""
        known = self._known.get(key)
        if known is None:
            assert self._body is not None  # noqa: S101 (tells the type checker)
            name = f"__{self._body.name}_{kind}_{len(self.helpers)}"
            known = self._known[key] = _Part(("rule", name), 0, [(name,)])
            self.helpers.append((name, write(name).ways))
        return known

    def _repeated(self, kind: str, part: _Part) -> _Part:
        """Return the rule for a part any number of times, but once at least."""
        return self._helper(
            ("recurse", part.form),
            kind,
            lambda name: _choice([part, _sequence([_Part(name, 0, [(name,)]), part])]),
        )

    def _counted(self, part: _Part, low: int, high: int) -> _Part:
        """Return a part as often as a count says, by rules that are made of each other."""
        least = part
        for a, b in _factors(low):
            least = self._times(a, b, least, part)
        if low == high:
            return least
        *factors, (a, b) = _factors(high - low + 1)
        target, up_to = part, _EMPTY
        for factor, summand in factors:
            up_to = self._up_to(factor, summand, (target, up_to, part))
            target = self._times(factor, summand, target, part)
        return _choice([_sequence([least, self._up_to(a, b, (target, up_to, part))])])

    def _times(self, a: int, b: int, target: _Part, part: _Part) -> _Part:
        """Return the rule for ``a`` times a target, then ``b`` times a part."""
        return self._helper(
            (a, b, target.form, part.form),
            f"repeat_a{a}_b{b}",
            lambda _: _choice([_sequence([target] * a + [part] * b)]),
        )

    def _up_to(self, a: int, b: int, parts: tuple[_Part, _Part, _Part]) -> _Part:
        """Return the rule for less than ``a`` times a target and ``b`` times a part.

        ``parts`` are the target, what matches less than it does, and the part.
        """
        target, up_to, part = parts
        return self._helper(
            (a, b, target.form, part.form, "opt"),
            f"repeat_a{a}_b{b}_opt",
            lambda _: _choice(
                [_sequence([target] * n + [up_to]) for n in range(a)]
                + [_sequence([target] * a + [part] * n) for n in range(b)]
            ),
        )


def _sequence(parts: Sequence[_Part]) -> _Part:
    """Return parts one after the other: the alternatives of the first change last."""
    form = ("expansion", *(part.form for part in parts))
    size = sum(part.size for part in parts)
    ways = [tuple(chain.from_iterable(each)) for each in product(*(part.ways for part in parts))]
    return _Part(form, size, ways)


def _choice(parts: Sequence[_Part]) -> _Part:
    """Return parts as alternatives, equal ones once."""
    form = ("expansions", *(part.form for part in parts))
    size = max(part.size for part in parts)
    return _Part(form, size, list(dict.fromkeys(chain.from_iterable(p.ways for p in parts))))


def _factors(number: int) -> list[tuple[int, int]]:
    """Split a number up: from one on, times a plus b for each (a, b) makes it.

    As ``lark.utils.small_factors``.
    """
    found: list[tuple[int, int]] = []
    while number > _LARGEST_FACTOR:
        for a in range(_LARGEST_FACTOR, 1, -1):
            rest, b = divmod(number, a)
            if a + b <= _LARGEST_FACTOR:
                found.append((a, b))
                number = rest
                break
    found.append((number, 0))
    found.reverse()
    return found
