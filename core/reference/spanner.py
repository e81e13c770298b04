"""Realizable terminal sequences and the inverse token spanner table.

Definitions 3.2 and 3.3 and Algorithm 4 of arXiv 2502.05111. The pending terminal T of a sequence
T1..Tk T is what the lexeme that the token leaves unfinished may become. The end of input leaves
none unfinished: its sequences are T1..Tk EOS.
"""
# ruff: noqa: N802 (names of the Lean formalisation, kept letter for letter)

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from formgate.core.reference.symbols import EOS, ExtChar, ExtTerminal, State
from formgate.core.reference.transducers import BuildDetokenizingFST, BuildLexingFST

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from formgate.core.reference.fst import FST
    from formgate.core.reference.lexer import LexerSpec
    from formgate.core.reference.vocabulary import Vocabulary

__all__ = [
    "BuildInverseTokenSpannerTable",
    "InverseTokenSpannerTable",
    "RealizableSequences",
    "TerminalSequence",
    "realized",
]

TerminalSequence: TypeAlias = tuple[ExtTerminal, ...]
"""Terminals T1..Tk T, the last of them pending, or T1..Tk EOS."""


@dataclass(frozen=True)
class InverseTokenSpannerTable:
    """The table T_inv.

    Attributes:
        tokens: For each lexer state q and sequence s, the ids v that realize s from q.
    """

    tokens: Mapping[State, Mapping[TerminalSequence, frozenset[int]]]

    def inverse(self, state: State, sequence: TerminalSequence) -> frozenset[int]:
        """Return T_inv(state, sequence); empty where no token realizes it."""
        return self.tokens[state].get(sequence, frozenset())


def realized(
    lexing: FST[ExtChar, ExtTerminal], outputs: tuple[ExtTerminal, ...], after: State
) -> Iterator[TerminalSequence]:
    """Yield the sequences that a step with these outputs to this lexer state realizes."""
    if outputs and outputs[-1] is EOS:
        yield outputs
        return
    for pending in lexing.computeSingleProducible(after):
        yield (*outputs, pending)


def RealizableSequences(lexer: LexerSpec, vocabulary: Vocabulary) -> frozenset[TerminalSequence]:
    """Return Re (Definition 3.2): what some token realizes from some lexer state."""
    table = BuildInverseTokenSpannerTable(lexer, vocabulary)
    return frozenset(sequence for row in table.tokens.values() for sequence in row)


def BuildInverseTokenSpannerTable(
    lexer: LexerSpec, vocabulary: Vocabulary
) -> InverseTokenSpannerTable:
    """Return T_inv (Definition 3.3, Algorithm 4).

    One transducer run for each lexer state and spelling, then one entry for each terminal that
    state after it can produce alone.
    """
    lexing = BuildLexingFST(lexer)
    detokenizing = BuildDetokenizingFST(vocabulary)
    tokens: dict[State, dict[TerminalSequence, set[int]]] = {}
    for state in lexing.edges:
        row = tokens[state] = {}
        for token in range(len(vocabulary)):
            spelled = detokenizing.run([token])
            step = None if spelled is None else lexing.run(spelled[1], state)
            if step is None:
                continue
            after, outputs = step
            for sequence in realized(lexing, outputs, after):
                row.setdefault(sequence, set()).add(token)
    frozen = {q: {s: frozenset(ids) for s, ids in row.items()} for q, row in tokens.items()}
    return InverseTokenSpannerTable(frozen)
