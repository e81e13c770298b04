"""What the published algorithm assumes, as predicates that say where an assumption fails.

The names are those of the Lean formalisation: ``hempty``, ``hrestart``, pruned machines, and the
separator package ``whitespace``, which together with a vocabulary that has every byte make up
``GCDAssumptions``. Two more describe gaps that are not assumptions there but definitions: a lexer
that looks one symbol ahead, and one accepting state for each terminal. The exact route needs none
of them.
"""
# ruff: noqa: N802 (names of the Lean formalisation, kept letter for letter)

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from formgate.core.errors import UnsupportedConstraint
from formgate.core.reference.fsa import closure
from formgate.core.reference.hypotheses import FRESH, Hypothesis, HypothesisLexer
from formgate.core.reference.lexer import LexerSpec
from formgate.core.reference.pda import PDA, Transition
from formgate.core.reference.pruning import dead_configuration
from formgate.core.reference.symbols import EOS, ExtTerminal, Marker, State, Terminal
from formgate.core.reference.transducers import BuildLexingFST

if TYPE_CHECKING:
    from formgate.core.reference.vocabulary import Vocabulary

__all__ = [
    "AssumptionReport",
    "Finding",
    "GCDAssumptions",
    "OneStatePerTerminal",
    "every_byte_is_a_token",
    "hempty",
    "hrestart",
    "lexer_pruned",
    "one_state_per_terminal",
    "one_symbol_lookahead",
    "parser_pruned",
    "whitespace",
]


@dataclass(frozen=True)
class Finding:
    """Whether one assumption holds.

    Attributes:
        name: The assumption.
        holds: Whether it does.
        where: Where it fails; empty where it holds.
        remedy: What would make it hold.
    """

    name: str
    holds: bool
    where: str = ""
    remedy: str = ""

    def __bool__(self) -> bool:
        return self.holds


@dataclass(frozen=True)
class AssumptionReport:
    """All assumptions of the theorems, each with its finding."""

    findings: tuple[Finding, ...]

    def __bool__(self) -> bool:
        return all(self.findings)

    @property
    def failures(self) -> tuple[Finding, ...]:
        """The assumptions that do not hold."""
        return tuple(finding for finding in self.findings if not finding)

    def require(self) -> None:
        """Insist that all hold.

        Raises:
            UnsupportedConstraint: One does not; the message names each that fails, and where.
        """
        if not self:
            lines = (f"{finding.name}: {finding.where}" for finding in self.failures)
            raise UnsupportedConstraint(
                "the published algorithm is not exact here; " + "; ".join(lines),
                hint="; ".join(finding.remedy for finding in self.failures)
                + "; or use assumptions='exact'",
            )


def GCDAssumptions(lexer: LexerSpec, parser: PDA, vocabulary: Vocabulary) -> AssumptionReport:
    """Check the assumptions of the cumulative theorems. ``parser`` is without end marker."""
    return AssumptionReport(
        (
            hempty(lexer),
            lexer_pruned(lexer),
            one_state_per_terminal(lexer),
            parser_pruned(parser),
            whitespace(lexer, parser),
            every_byte_is_a_token(lexer, vocabulary),
        )
    )


def hempty(lexer: LexerSpec) -> Finding:
    """Check that no lexeme is empty: q0 does not accept."""
    automaton = lexer.automaton
    if automaton.start not in automaton.accepting:
        return Finding("hempty", holds=True)
    terms = lexer.terms.get(automaton.start, ())
    return Finding(
        "hempty",
        holds=False,
        where=f"the start state accepts the empty text as {', '.join(terms)}",
        remedy="make the terminal non-empty, and optional where the grammar uses it",
    )


def lexer_pruned(lexer: LexerSpec) -> Finding:
    """Check that every state of the automaton is reachable and can reach an accepting one."""
    automaton = lexer.automaton
    useless = automaton.states - (automaton.reachable & automaton.productive)
    return Finding(
        "lexer_pruned",
        holds=not useless,
        where=f"useless states: {sorted(useless)}" if useless else "",
        remedy="use LexerSpec(automaton.pruned(), ...)" if useless else "",
    )


def one_state_per_terminal(lexer: LexerSpec) -> Finding:
    """Check that ``term`` is one-to-one: one terminal a state, and one state a terminal."""
    states: dict[Terminal, list[int]] = {}
    for state, terms in sorted(lexer.terms.items()):
        for terminal in terms[:1]:
            states.setdefault(terminal, []).append(state)
    several = {terminal: found for terminal, found in states.items() if len(found) > 1}
    hidden = sorted(lexer.terminals - states.keys())
    where = [f"{t} has {len(found)} accepting states" for t, found in several.items()]
    where += [f"{t} loses every tie" for t in hidden]
    return Finding(
        "one_state_per_terminal",
        holds=not where,
        where=", ".join(where),
        remedy="split terminals with OneStatePerTerminal, drop those that never win"
        if where
        else "",
    )


def hrestart(lexer: LexerSpec) -> Finding:
    """Check that after every lexeme some byte does not extend it, but begins another."""
    automaton = lexer.automaton
    first = automaton.edges[automaton.start].keys()
    for state in sorted(automaton.accepting):
        if first <= automaton.edges[state].keys():
            lexeme = bytes(automaton.shortest_word(frozenset([state])) or ())
            return Finding(
                "hrestart",
                holds=False,
                where=f"after {lexeme!r} every byte that begins a lexeme extends this one",
                remedy="add an ignored separator terminal",
            )
    return Finding("hrestart", holds=True)


def one_symbol_lookahead(lexer: LexerSpec) -> Finding:
    """Check that longest match never has to go back: ``PartialLex`` lexes all that can be lexed.

    Searches the pairs of a hypothesis of the unbounded lexer and the state of the published one for
    a text that only the first can finish; the shortest such text is reported.
    """
    published = BuildLexingFST(lexer)
    guessing = HypothesisLexer(lexer)
    alphabet = sorted(lexer.automaton.alphabet)
    start: tuple[Hypothesis, State] = (FRESH, Marker.LEXER_START)
    read: dict[tuple[Hypothesis, State], int] = {}

    def successors(pair: tuple[Hypothesis, State]) -> list[tuple[Hypothesis, State]]:
        hypothesis, state = pair
        found = []
        for byte in alphabet:
            step = None if state is Marker.OUTPUT_END else published.step(state, byte)
            after = Marker.OUTPUT_END if step is None else step[0]
            for target, _ in guessing.step(hypothesis, byte):
                read.setdefault((target, after), byte)
                found.append((target, after))
        return found

    origin = closure([start], successors)
    for pair in origin:
        stuck = pair[1] is Marker.OUTPUT_END or published.step(pair[1], EOS) is None
        if stuck and guessing.step(pair[0], EOS):
            text: list[int] = []
            at = pair
            while (previous := origin[at]) is not None:
                text.append(read[at])
                at = previous
            return Finding(
                "one_symbol_lookahead",
                holds=False,
                where=f"{bytes(reversed(text))!r} can only be lexed by giving back what was read",
                remedy="make every prefix of a lexeme beyond a shorter lexeme a lexeme too",
            )
    return Finding("one_symbol_lookahead", holds=True)


def parser_pruned(parser: PDA) -> Finding:
    """Check that whatever the parser has read can be completed, in each of its configurations.

    Decided, not sampled; ``parser`` is without end marker.
    """
    word = dead_configuration(parser)
    if word is None:
        return Finding("parser_pruned", holds=True)
    return Finding(
        "parser_pruned",
        holds=False,
        where=f"after {' '.join(map(str, word)) or 'nothing'} the parser may be stuck for good",
        remedy="drop useless symbols, as Grammar.parser does",
    )


def whitespace(lexer: LexerSpec, parser: PDA) -> Finding:
    """Check for a separator: a byte that ends every lexeme and means nothing.

    There are a byte w and an accepting state W such that W is reached on w from q0 and W alone, has
    no other edge, and no other state has an edge on w; some other single byte is a lexeme too; and
    W's terminal is a no-op in every state of the parser.
    """
    automaton = lexer.automaton
    tried: list[str] = []
    for byte, target in sorted(automaton.edges[automaton.start].items()):
        problem = _not_a_separator(lexer, parser, byte, target)
        if problem is None:
            return Finding("whitespace", holds=True)
        tried.append(f"{bytes([byte])!r} {problem}")
    shown = [*tried[:3], f"and {len(tried) - 3} more"] if len(tried) > 3 else tried
    return Finding(
        "whitespace",
        holds=False,
        where="no separator: " + (", ".join(shown) or "no byte begins a lexeme"),
        remedy="ignore a terminal made of one byte that occurs in no other, such as ' +'",
    )


def _not_a_separator(lexer: LexerSpec, parser: PDA, byte: int, target: int) -> str | None:
    """Return why a byte and the state it leads to are no separator; None where they are."""
    automaton = lexer.automaton
    term = lexer.term(target)
    if term is None:
        return "is no lexeme by itself"
    if automaton.step(target, byte) != target:
        return f"cannot be repeated in {term}"
    if len(automaton.edges[target]) > 1:
        return f"is followed by more than itself in {term}"
    return _not_apart(lexer, byte, target) or _not_ignored(parser, term)


def _not_apart(lexer: LexerSpec, byte: int, target: int) -> str | None:
    """Return why a byte does not stand apart from all lexemes but its own; None where it does."""
    automaton = lexer.automaton
    holders = sorted(state for state, out in automaton.edges.items() if byte in out)
    others = [state for state in holders if state not in (automaton.start, target)]
    if others:
        lexeme = bytes(automaton.shortest_word(frozenset(others[:1])) or ())
        return f"may stand inside of a lexeme, after {lexeme!r}"
    first = automaton.edges[automaton.start].items()
    if not any(b != byte and after in automaton.accepting for b, after in first):
        return "is the only single-byte lexeme"
    return None


def _not_ignored(parser: PDA, term: Terminal) -> str | None:
    """Return in which state a terminal is more than a no-op to the parser; None where in none."""
    for state in sorted(parser.states, key=repr):
        if parser.edges.get((state, term)) != frozenset([Transition((), (), state)]):
            return f"is not ignored by the parser in state {state!r}"
    return None


def every_byte_is_a_token(lexer: LexerSpec, vocabulary: Vocabulary) -> Finding:
    """Check that every byte of a lexeme is a token by itself, and that there is a stop id."""
    spellings = vocabulary.spellings()
    missing = sorted(b for b in lexer.automaton.alphabet if (b,) not in spellings)
    where = [f"no token is {bytes([byte])!r}" for byte in missing[:5]]
    if len(missing) > 5:
        where.append(f"nor are {len(missing) - 5} more bytes")
    if (EOS,) not in spellings:
        where.append("there is no stop id")
    return Finding(
        "every_byte_is_a_token",
        holds=not where,
        where=", ".join(where),
        remedy="add the missing bytes to the vocabulary" if where else "",
    )


def OneStatePerTerminal(lexer: LexerSpec, parser: PDA) -> tuple[LexerSpec, PDA]:
    """Return an equivalent lexer and parser with one accepting state for each terminal.

    A terminal of n accepting states becomes n terminals, which the parser treats alike: the
    relabelling that the formalisation leaves to its user. Terminals that never win a tie go.
    """
    terms: dict[int, tuple[Terminal, ...]] = {}
    parts: dict[Terminal, list[Terminal]] = {}
    for state in sorted(lexer.terms):
        term = lexer.term(state)
        if term is not None:
            known = parts.setdefault(term, [])
            known.append(f"{term}#{len(known) + 1}")
            terms[state] = (known[-1],)
    edges: dict[tuple[State, ExtTerminal], frozenset[Transition]] = {
        (state, part): moves
        for (state, terminal), moves in parser.edges.items()
        for part in parts.get(str(terminal), ())
    }
    return LexerSpec(lexer.automaton, terms), PDA(parser.start, parser.accepting, edges)
