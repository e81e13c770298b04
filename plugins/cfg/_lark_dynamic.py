"""Where lark's dynamic lexers mean no more than "every way to cut the text counts".

lark's Earley parser matches each terminal that may come next by ``re.match``. ``dynamic`` takes
that one match; ``dynamic_complete`` also what ``re.match`` finds in the match shortened by one
character, two, and so on. Ignored terminals have one match in both. So the two differ from
lexing="any" in general: ``NAME NAME`` with names of letters never matches "ab" in ``dynamic``, and
``/a|ab/`` never takes "ab" in either. They do not differ where

- the match of each terminal is its longest one: the regex is deterministic (at each character one
  way to go on) and takes as much as it can;
- the match of an ignored terminal goes on until what comes next can begin nothing else;
- and, for ``dynamic``, so does that of each terminal, by what the rules let follow it.

These are decided here from sets of characters; a grammar for which they do not hold is refused.

Determinism is that of Brüggemann-Klein and Wood, "One-unambiguous regular languages" (1998), with
counts (Gelade, Gyssens, Martens, "Regular expressions with counting", 2012: strong determinism),
decided by first and follow sets. Cost: linear in the patterns, quadratic for contrived ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from formgate.core.errors import GrammarError, UnsupportedConstraint
from formgate.plugins.cfg._lark_follow import follow_sets
from formgate.plugins.cfg._lark_terminals import called, check_width, in_terminal, unsupported_part
from formgate.plugins.regex import parse
from formgate.plugins.regex._measure import children
from formgate.plugins.regex._ranges import NOTHING, Ranges, intersects, normalise
from formgate.plugins.regex._syntax import (
    Alternation,
    Atomic,
    CharClass,
    Literal,
    Repeat,
    RepeatMode,
    Sequence,
    Syntax,
)

if TYPE_CHECKING:
    from formgate.plugins.cfg._lark_load import Terminal
    from formgate.plugins.cfg._lark_terminals import TerminalWriter
    from formgate.plugins.cfg._lark_use import Used

__all__ = ["check_dynamic"]

_MOST_POSITIONS = 2_000
_HINT = "say lexing='any' if every way to cut the text shall count, or parser='lalr'"


class _Edges(NamedTuple):
    """Characters at the edges of a terminal's matches.

    Args:
        first: Those that a match may begin with.
        more: Those by which a match may become a longer one.
        is_run: It matches one character or more, all of one set.
    """

    first: Ranges
    more: Ranges
    is_run: bool


def check_dynamic(used: Used, lexer: str, terminals: TerminalWriter) -> None:
    """Refuse a grammar that a dynamic lexer of lark may read otherwise than lexing="any".

    Args:
        used: The grammar.
        lexer: ``dynamic`` or ``dynamic_complete``.
        terminals: Writes its terminals.

    Raises:
        GrammarError: A terminal matches the empty text, or is no regex.
        UnsupportedConstraint: It may.
    """
    edges: dict[str, _Edges] = {}
    for terminal in used.terminals:
        check_width(terminal, terminals.source)
        if terminal.part is not None:
            raise unsupported_part(terminal.part, terminals.source, "by lark's dynamic lexer")
        edges[terminal.name] = _edges(terminal, terminals, lexer)
    ignored = [terminal.name for terminal in used.ignored]
    _check_ignored(edges, ignored, lexer)
    if lexer == "dynamic_complete":
        return
    follow = follow_sets(used)
    for name, found in edges.items():
        for other in [*follow.get(name, ()), *ignored]:
            if name not in ignored and intersects(found.more, edges[other].first):
                raise UnsupportedConstraint(
                    f"lark's dynamic lexer takes the longest match of terminal {name}, but "
                    f"{other}, which may follow, can begin with a character that would make it "
                    "longer",
                    hint=f"{_HINT}; or lexer='dynamic_complete'",
                )


def _check_ignored(edges: dict[str, _Edges], ignored: list[str], lexer: str) -> None:
    """Refuse ignored terminals whose longest match may not be the one to take."""
    for name in ignored:
        for other, found in edges.items():
            if other == name and found.is_run:
                continue
            if intersects(edges[name].more, found.first):
                raise UnsupportedConstraint(
                    f"lark's {lexer} lexer takes one match of the ignored terminal {name}, but "
                    f"{other} can begin with a character that would make it longer",
                    hint=_HINT,
                )


def _edges(terminal: Terminal, terminals: TerminalWriter, lexer: str) -> _Edges:
    """Return the edges of a terminal whose match is its longest one.

    Raises:
        UnsupportedConstraint: That is not certain.
    """
    try:
        tree = parse(terminal.regexp, terminals.flags).tree
    except GrammarError as error:
        raise in_terminal(
            terminal, error, terminals.source, lambda regexp: parse(regexp, terminals.flags)
        ) from None
    found = _Positions().edges(tree)
    if found is None:
        raise UnsupportedConstraint(
            f"lark's {lexer} lexer takes the match of {called(terminal)} that re finds first, "
            "and it is not certain that this is the longest one",
            source=terminal.regexp,
            offset=0,
            end=len(terminal.regexp),
            hint=f"{_HINT}; or write the regex so that one character decides how it goes on, "
            "without look-around and lazy quantifiers",
        )
    return found


class _Fragment(NamedTuple):
    """What is known of a part of a regex.

    Args:
        nullable: It matches the empty text.
        first: The characters that its matches begin with.
        last: The positions that its matches end at.
    """

    nullable: bool
    first: Ranges
    last: list[int]


class _Unclear(Exception):  # noqa: N818 (a jump out of a walk, not an error)
    """One character does not decide how the regex goes on."""


class _Positions:
    """Walks one regex from the leaves up."""

    def __init__(self) -> None:
        # Which characters may come after each position; positions are characters of the regex.
        self._follow: list[Ranges] = []

    def edges(self, tree: Syntax) -> _Edges | None:
        """Return the edges of a regex; None if they are not certain."""
        done: list[_Fragment] = []
        stack: list[tuple[Syntax, bool]] = [(tree, False)]
        try:
            while stack:
                node, ready = stack.pop()
                parts = children(node)
                if ready or not parts:
                    arguments = done[len(done) - len(parts) :]
                    del done[len(done) - len(parts) :]
                    done.append(self._combine(node, arguments))
                else:
                    stack.append((node, True))
                    stack += [(part, False) for part in reversed(parts)]
        except _Unclear:
            return None
        (whole,) = done
        more = normalise(pair for last in whole.last for pair in self._follow[last])
        return _Edges(whole.first, more, _is_run(tree))

    def _combine(self, node: Syntax, parts: list[_Fragment]) -> _Fragment:
        if isinstance(node, CharClass):
            return self._position(node.ranges)
        if isinstance(node, Literal):
            code = ord(node.text[0])
            return self._position(((code, code),))
        if isinstance(node, Sequence):
            whole = _Fragment(True, NOTHING, [])
            for part in parts:
                whole = self._then(whole, part)
            return whole
        if isinstance(node, Alternation):
            return _either(parts)
        if isinstance(node, Atomic):
            return parts[0]
        if isinstance(node, Repeat):
            return self._repeated(node, parts[0])
        raise _Unclear

    def _position(self, first: Ranges) -> _Fragment:
        """Return the fragment of a class, or of a literal, of which the first character tells."""
        if len(self._follow) >= _MOST_POSITIONS:
            raise _Unclear
        self._follow.append(NOTHING)
        return _Fragment(False, first, [len(self._follow) - 1])

    def _then(self, left: _Fragment, right: _Fragment) -> _Fragment:
        """Return the fragment of one part after another."""
        self._connect(left.last, right.first)
        first = _disjoint(left.first, right.first) if left.nullable else left.first
        last = left.last + right.last if right.nullable else right.last
        return _Fragment(left.nullable and right.nullable, first, last)

    def _connect(self, last: list[int], first: Ranges) -> None:
        """Let what follows begin after these positions."""
        for position in last:
            self._follow[position] = _disjoint(self._follow[position], first)

    def _repeated(self, node: Repeat, body: _Fragment) -> _Fragment:
        """Return the fragment of a repeated part."""
        if node.mode is RepeatMode.LAZY and node.minimum != node.maximum:
            raise _Unclear
        if node.maximum == 0:
            return _Fragment(True, NOTHING, [])
        if node.maximum != 1:
            self._connect(body.last, body.first)
        return body._replace(nullable=body.nullable or node.minimum == 0)


def _either(parts: list[_Fragment]) -> _Fragment:
    """Return the fragment of alternatives; only the last may match the empty text."""
    first = NOTHING
    last: list[int] = []
    for part in parts:
        first = _disjoint(first, part.first)
        last = last + part.last
    if any(part.nullable for part in parts[:-1]):
        raise _Unclear
    return _Fragment(parts[-1].nullable, first, last)


def _disjoint(left: Ranges, right: Ranges) -> Ranges:
    """Return the union of sets of characters that must not meet."""
    if intersects(left, right):
        raise _Unclear
    return normalise([*left, *right])


def _is_run(tree: Syntax) -> bool:
    """Say whether a regex is a greedy ``[...]+``."""
    while isinstance(tree, Sequence) and len(tree.items) == 1:
        tree = tree.items[0]
    return (
        isinstance(tree, Repeat)
        and (tree.minimum, tree.maximum) == (1, None)
        and (isinstance(tree.body, CharClass) or _is_character(tree.body))
    )


def _is_character(node: Syntax) -> bool:
    return isinstance(node, Literal) and len(node.text) == 1
