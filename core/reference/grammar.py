"""Context-free grammars, and the pushdown automaton of one.

The automaton needs steps that read a terminal each, so the grammar is brought into Greibach normal
form: empty and unit rules out (Hopcroft and Ullman 1979, section 4.4), then the left-corner
transform (Rosenkrantz and Lewis, "Deterministic left corner parsing", 1970), which replaces left
recursion of any kind by recursion to the right. Useless symbols are dropped, so that a parser that
is not stuck can always be completed. Any grammar will do, ambiguous ones included.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import chain, product
from typing import TYPE_CHECKING

from formgate.core.errors import EmptyLanguageError, GrammarError
from formgate.core.reference.fsa import closure
from formgate.core.reference.pda import PDA, Transition
from formgate.core.reference.symbols import ExtTerminal, Marker, State, Terminal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

__all__ = ["Grammar"]


@dataclass(frozen=True)
class Rest:
    """A symbol of the normal form: what is left of ``goal`` after its left corner ``corner``."""

    goal: State
    corner: State


@dataclass(frozen=True)
class Just:
    """A symbol of the normal form that derives one terminal."""

    terminal: State


@dataclass(frozen=True)
class Last:
    """A state of the parser: a symbol with nothing after it."""

    symbol: State


_LINE = re.compile(r"\s*([A-Za-z_]\w*)\s*:(.*)", re.DOTALL)
_Symbol = State
_Body = tuple[_Symbol, ...]
_Rules = dict[_Symbol, list[_Body]]


@dataclass(frozen=True)
class Grammar:
    """A context-free grammar.

    Attributes:
        start: The start symbol.
        rules: For each nonterminal its bodies, sequences of names; an empty one derives the empty
            sentence. Names without rules are terminals.

    Raises:
        GrammarError: The start symbol has no rules.

    Example:
        >>> grammar = Grammar.of('''
        ...     S: OPEN S CLOSE S
        ...      |
        ... ''')
        >>> grammar.parser().accepts(["OPEN", "OPEN", "CLOSE", "CLOSE"])
        True
    """

    start: str
    rules: Mapping[str, Sequence[Sequence[str]]]

    def __post_init__(self) -> None:
        if self.start not in self.rules:
            raise GrammarError(f"the start symbol {self.start!r} has no rules")

    @classmethod
    def of(cls, text: str) -> Grammar:
        """Read rules ``name: A b C | D |``, one on a line or continued on lines that begin with |.

        The first name is the start; one that occurs in several rules has the bodies of all.

        Raises:
            GrammarError: A line is no rule, or there is none.
        """
        joined = re.sub(r"\n\s*\|", " |", text)
        rules: dict[str, list[Sequence[str]]] = {}
        for line in filter(str.strip, joined.splitlines()):
            match = _LINE.fullmatch(line)
            if match is None:
                raise GrammarError(
                    "this line is no rule",
                    source=line.strip(),
                    offset=0,
                    end=len(line.strip()),
                    hint="write name: symbols | symbols",
                )
            bodies = [body.split() for body in match[2].split("|")]
            rules.setdefault(match[1], []).extend(bodies)
        if not rules:
            raise GrammarError("a grammar needs at least one rule")
        return cls(next(iter(rules)), rules)

    @property
    def terminals(self) -> frozenset[Terminal]:
        """The names that have no rules."""
        names = chain.from_iterable(chain.from_iterable(self.rules.values()))
        return frozenset(name for name in names if name not in self.rules)

    def with_optional(self, terminals: frozenset[Terminal]) -> Grammar:
        """Return the grammar in which these terminals may be left out wherever they stand."""
        names = {terminal: f"{terminal} or nothing" for terminal in terminals}
        rules: dict[str, list[Sequence[str]]] = {
            head: [[names.get(name, name) for name in body] for body in bodies]
            for head, bodies in self.rules.items()
        }
        rules.update({name: [[terminal], []] for terminal, name in names.items()})
        return Grammar(self.start, rules)

    def parser(self) -> PDA:
        """Return a parser of the language, pruned: not stuck means it can be completed.

        Its state is the symbol to expand next, its stack the symbols after that, the last of them
        marked. Stepping over A -> a B C makes B the state and pushes C; over A -> a, it pops the
        next state.

        Raises:
            EmptyLanguageError: The grammar derives no sentence.
        """
        rules, start, nullable = self._greibach()
        symbols = [*rules, *map(Last, rules)]
        edges: dict[tuple[State, ExtTerminal], set[Transition]] = {}

        def expand(source: State, head: _Symbol, *, is_last: bool) -> None:
            for terminal, *rest in rules[head]:
                assert isinstance(terminal, str)  # noqa: S101 (Greibach normal form)
                moves = edges.setdefault((source, terminal), set())
                if rest:
                    after = [*rest[:-1], Last(rest[-1]) if is_last else rest[-1]]
                    moves.add(Transition((), tuple(after[1:]), after[0]))
                elif is_last:
                    moves.add(Transition((), (), Marker.ACCEPTED))
                else:
                    moves.update(Transition((symbol,), (), symbol) for symbol in symbols)

        if start in rules:
            expand(Marker.BEFORE, start, is_last=True)
        for head in rules:
            expand(head, head, is_last=False)
            expand(Last(head), head, is_last=True)
        accepting: set[State] = {Marker.ACCEPTED, Marker.BEFORE} if nullable else {Marker.ACCEPTED}
        everything = PDA(
            Marker.BEFORE, frozenset(accepting), {s: frozenset(t) for s, t in edges.items()}
        )
        return _reachable_part(everything)

    def _greibach(self) -> tuple[_Rules, _Symbol, bool]:
        """Return rules whose bodies begin with their only terminal; whether the start is nullable.

        Raises:
            EmptyLanguageError: The grammar derives no sentence.
        """
        rules: _Rules = {
            head: [tuple(body) for body in bodies] for head, bodies in self.rules.items()
        }
        nullable = _least(rules, lambda _: False)
        rules = _without_units(_without_empty(rules, nullable))
        rules = _trimmed(rules, self.start)
        if not rules and self.start not in nullable:
            raise EmptyLanguageError(
                f"the start symbol {self.start!r} derives no sentence: some rule of it must end in "
                "terminals alone"
            )
        return _left_cornered(rules, self.start), self.start, self.start in nullable


def _least(rules: _Rules, is_base: Callable[[_Symbol], bool]) -> set[_Symbol]:
    """Return the heads with a body that consists of base symbols and such heads alone."""
    found: set[_Symbol] = set()
    while True:
        more = {
            head
            for head, bodies in rules.items()
            if any(all(s in found or is_base(s) for s in body) for body in bodies)
        }
        if more == found:
            return found
        found = more


def _without_empty(rules: _Rules, nullable: set[_Symbol]) -> _Rules:
    """Replace each body by its variants without some nullable symbols; drop the empty ones."""
    result: _Rules = {}
    for head, bodies in rules.items():
        variants = (
            tuple(chain.from_iterable(parts))
            for body in bodies
            for parts in product(*([(s,), ()] if s in nullable else [(s,)] for s in body))
        )
        result[head] = list(dict.fromkeys(variant for variant in variants if variant))
    return result


def _without_units(rules: _Rules) -> _Rules:
    """Replace bodies that are one nonterminal by what it derives in other ways."""

    def units(head: _Symbol) -> list[_Symbol]:
        return [body[0] for body in rules[head] if len(body) == 1 and body[0] in rules]

    return {
        head: list(
            dict.fromkeys(
                body
                for other in closure([head], units)
                for body in rules[other]
                if len(body) > 1 or body[0] not in rules
            )
        )
        for head in rules
    }


def _trimmed(rules: _Rules, start: _Symbol) -> _Rules:
    """Drop all symbols that derive nothing or are out of reach, and the bodies that use them."""
    productive = _least(rules, lambda symbol: symbol not in rules)
    kept = {
        head: [body for body in rules[head] if all(s in productive or s not in rules for s in body)]
        for head in rules
        if head in productive
    }
    reached = closure(
        [start] if start in kept else [],
        lambda head: [s for body in kept[head] for s in body if s in kept],
    )
    return {head: kept[head] for head in reached}


def _left_cornered(rules: _Rules, start: _Symbol) -> _Rules:
    """Return Greibach normal form of rules without empty and unit bodies.

    ``Rest(A, B)`` derives what is left of an A once its left corner B has been read. A begins with
    some terminal a that is the left corner of a rule B -> a β, and goes on with β and Rest(A, B).
    Rest(A, B) goes on with β and Rest(A, C) for each rule C -> B β; where that β begins with a
    nonterminal, that is expanded once, and then every body begins with a terminal.
    """
    corners: _Rules = {}
    for goal in rules:
        for head, bodies in rules.items():
            for first, *others in bodies:
                rest = tuple(others) if first in rules else (first, *others)
                found = corners.setdefault(Rest(goal, first) if first in rules else goal, [])
                found.append((*rest, Rest(goal, head)))
                if head == goal:
                    found.append(rest)
    corners = {
        head: [body for body in bodies if not isinstance(body[-1], Rest) or body[-1] in corners]
        for head, bodies in corners.items()
    }
    corners = _trimmed(corners, start)
    result: _Rules = {}
    for head, bodies in corners.items():
        expanded = [
            (*first, *body[1:])
            for body in bodies
            for first in (
                corners.get(body[0], [body[:1]]) if isinstance(head, Rest) else [body[:1]]
            )
        ]
        lifted = [
            (body[0], *(s if s in corners else Just(s) for s in body[1:])) for body in expanded
        ]
        result[head] = list(dict.fromkeys(lifted))
        result.update({s: [(s.terminal,)] for b in lifted for s in b if isinstance(s, Just)})
    return _trimmed(result, start)


def _reachable_part(parser: PDA) -> PDA:
    """Drop the edges of control states that no run, with any stack, comes to."""
    targets: dict[State, set[State]] = {}
    for (state, _), moves in parser.edges.items():
        targets.setdefault(state, set()).update(move.state for move in moves)
    reached = closure([parser.start], lambda state: targets.get(state, ()))
    edges = {source: moves for source, moves in parser.edges.items() if source[0] in reached}
    return PDA(parser.start, parser.accepting & reached.keys(), edges)
