"""The lexer: its specification, partial lexing, and longest match by definition.

``PartialLex`` is the paper's Lex: maximal munch that looks one symbol ahead and never goes back.
``MaximalMunch`` is longest match proper: when a longer match fails, it falls back to the longest
one that succeeded, however far that is. Wherever the first is defined, both agree; the predicate
``one_symbol_lookahead`` says whether the first is always defined where the second is.
"""
# ruff: noqa: N802 (names of the Lean formalisation, kept letter for letter)

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from formgate.core.errors import GrammarError
from formgate.core.reference.fsa import FSA, closure
from formgate.core.reference.regular import automaton_of
from formgate.core.reference.symbols import EOS, ExtChar, ExtTerminal, Terminal

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["LexerSpec", "MaximalMunch", "PartialLex"]


@dataclass(frozen=True)
class LexerSpec:
    """A lexer (A, term): one automaton of all lexemes, and the terminals of its accepting states.

    The paper's ``term`` names one terminal for each accepting state, and in the formalisation one
    accepting state for each terminal. Neither is asked for here: a terminal may have many states,
    and a state lists all its terminals, best first; ``term`` is the first of them.

    Attributes:
        automaton: The automaton A, pruned, over bytes.
        terms: For each accepting state its terminals in order of priority.
    """

    automaton: FSA[int]
    terms: Mapping[int, tuple[Terminal, ...]]

    @classmethod
    def of(cls, terminals: Mapping[Terminal, str | FSA[int]]) -> LexerSpec:
        """Return the lexer of named patterns or automata; earlier ones win ties.

        The product of all automata, minimised without merging states of different terminals.

        Raises:
            GrammarError: A terminal matches the empty text or nothing at all, or there is none; or
                a pattern is malformed.
            LimitError: A pattern is too large.

        Example:
            >>> lexer = LexerSpec.of({"IF": "if", "NAME": "[a-z]+"})
            >>> MaximalMunch(lexer, b"if"), MaximalMunch(lexer, b"ifs")
            (('IF',), ('NAME',))
        """
        if not terminals:
            raise GrammarError("a lexer needs at least one terminal")
        machines = {
            name: automaton_of(source) if isinstance(source, str) else source.pruned()
            for name, source in terminals.items()
        }
        for name, machine in machines.items():
            if not machine.accepting:
                raise GrammarError(f"the terminal {name!r} matches no text: remove it")
            if machine.start in machine.accepting:
                raise GrammarError(
                    f"the terminal {name!r} matches the empty text",
                    hint="make it non-empty, and optional where the grammar uses it",
                )
        return cls._product(machines)

    @classmethod
    def _product(cls, machines: Mapping[Terminal, FSA[int]]) -> LexerSpec:
        """Run all automata side by side; a None stands for one that is stuck."""
        names, automata = tuple(machines), tuple(machines.values())

        def moves(states: tuple[int | None, ...]) -> dict[int, tuple[int | None, ...]]:
            rows = [{} if s is None else a.edges[s] for s, a in zip(states, automata, strict=True)]
            symbols = dict.fromkeys(symbol for row in rows for symbol in row)
            return {symbol: tuple(row.get(symbol) for row in rows) for symbol in symbols}

        start: tuple[int | None, ...] = tuple(automaton.start for automaton in automata)
        number = {s: i for i, s in enumerate(closure([start], lambda s: moves(s).values()))}
        found = {
            i: tuple(
                name
                for name, state, automaton in zip(names, states, automata, strict=True)
                if state in automaton.accepting
            )
            for states, i in number.items()
        }
        edges = {
            i: {symbol: number[target] for symbol, target in moves(states).items()}
            for states, i in number.items()
        }
        product = FSA(0, frozenset(i for i, terms in found.items() if terms), edges)
        minimal = product.minimal(found.__getitem__)
        terms = {}
        for i in product.accepting & product.reachable:
            word = product.shortest_word(frozenset([i]))
            state = None if word is None else minimal.run(word)
            if state is not None:
                terms[state] = found[i]
        return cls(minimal, terms)

    @property
    def terminals(self) -> frozenset[Terminal]:
        """The terminals that some state reports, in any place of its list."""
        return frozenset(terminal for terms in self.terms.values() for terminal in terms)

    def term(self, state: int) -> Terminal | None:
        """Return the terminal of an accepting state; None for other states."""
        terms = self.terms.get(state)
        return terms[0] if terms else None


def PartialLex(
    lexer: LexerSpec, word: Iterable[ExtChar]
) -> tuple[tuple[ExtTerminal, ...], bytes] | None:
    """Return Lex(word) = (terminals, unfinished lexeme), or None where it fails.

    By definition, one symbol after the other; r is the unfinished lexeme, c the symbol read:
    (i) r·c begins some lexeme: keep it; (ii) else, r is a lexeme and c begins one: emit the
    terminal of r and go on with c; (iii) c is EOS: emit the terminal of r if r is not empty, then
    EOS; (iv) otherwise fail. Linear in the word, times the length of a lexeme.
    """
    automaton = lexer.automaton
    terminals: tuple[ExtTerminal, ...] = ()
    rest: tuple[int, ...] = ()
    for symbol in word:
        state = automaton.run(rest)
        term = None if state is None else lexer.term(state)
        if symbol is EOS:
            if rest and term is None:
                return None
            terminals += (EOS,) if not rest or term is None else (term, EOS)
            rest = ()
        elif automaton.run((*rest, symbol)) is not None:
            rest += (symbol,)
        elif rest and term is not None and automaton.run((symbol,)) is not None:
            terminals += (term,)
            rest = (symbol,)
        else:
            return None
    return terminals, bytes(rest)


def MaximalMunch(lexer: LexerSpec, text: bytes) -> tuple[Terminal, ...] | None:
    """Return the terminals of a whole text under longest match, or None where it has none.

    At each place the longest lexeme that begins there is taken, whatever follows; of several
    terminals the first. Quadratic in the text at worst.
    """
    terminals: list[Terminal] = []
    at = 0
    while at < len(text):
        state: int | None = lexer.automaton.start
        best: tuple[int, Terminal] | None = None
        for end in range(at, len(text)):
            state = None if state is None else lexer.automaton.step(state, text[end])
            if state is None:
                break
            term = lexer.term(state)
            if term is not None:
                best = end + 1, term
        if best is None:
            return None
        at = best[0]
        terminals.append(best[1])
    return tuple(terminals)
