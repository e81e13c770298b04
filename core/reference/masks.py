"""Parser preprocessing and the mask: Algorithms 5 and 6 of arXiv 2502.05111."""
# ruff: noqa: N802 (names of the Lean formalisation, kept letter for letter)

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from formgate.core.reference.pda import PDA, ParserConfiguration

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from formgate.core.reference.spanner import InverseTokenSpannerTable, TerminalSequence
    from formgate.core.reference.symbols import State

__all__ = ["ComputeValidTokenMask", "PPTable", "PreprocessParser"]


@dataclass(frozen=True)
class PPTable:
    """What is known of each lexer state q and parser state p before the stack is.

    Attributes:
        accepted: A(q, p), the ids allowed whatever the stack.
        dependent: D(q, p), the sequences whose fate the stack decides.
    """

    accepted: Mapping[tuple[State, State], frozenset[int]]
    dependent: Mapping[tuple[State, State], frozenset[TerminalSequence]]


def PreprocessParser(parser: PDA, table: InverseTokenSpannerTable) -> PPTable:
    """Sort the realizable sequences of each pair of states (Algorithm 5).

    From parser state p with nothing known of the stack, a sequence is accepted if the parser can
    run it without looking at the stack (sound by ``PDA.stackInvariance``), rejected if even
    ``PDA.toNFA`` cannot run it (complete by ``PDA.overApproximation``), and dependent otherwise.
    ``parser`` is the one with end marker.
    """
    control = parser.toNFA()
    accepted: dict[tuple[State, State], frozenset[int]] = {}
    dependent: dict[tuple[State, State], frozenset[TerminalSequence]] = {}
    for q, row in table.tokens.items():
        for p in parser.states:
            always: set[int] = set()
            sometimes: set[TerminalSequence] = set()
            for sequence, ids in row.items():
                if parser.run([ParserConfiguration(p, ())], sequence):
                    always |= ids
                elif control.run(sequence, [p]):
                    sometimes.add(sequence)
            accepted[q, p] = frozenset(always)
            dependent[q, p] = frozenset(sometimes)
    return PPTable(accepted, dependent)


def ComputeValidTokenMask(
    parser: PDA,
    table: InverseTokenSpannerTable,
    preprocessed: PPTable,
    lexer_state: State,
    configurations: Iterable[ParserConfiguration],
) -> frozenset[int]:
    """Return the ids allowed in a lexer state and parser configurations (Algorithm 6).

    A(q, p), and T_inv(q, s) for each s of D(q, p) that the parser can run on the stack as it is.
    A parser that is nondeterministic may be in several configurations: their masks unite. The
    last terminal of s is tried, not read.
    """
    allowed: set[int] = set()
    for configuration in configurations:
        allowed |= preprocessed.accepted[lexer_state, configuration.state]
        for sequence in preprocessed.dependent[lexer_state, configuration.state]:
            if parser.run([configuration], sequence):
                allowed |= table.inverse(lexer_state, sequence)
    return frozenset(allowed)
