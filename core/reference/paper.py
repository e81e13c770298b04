"""The published route: Algorithms 4 to 6, exact under the assumptions of the formalisation only.

``assumptions.py`` has a predicate for each of them. Where they fail, masks may allow tokens that
nothing completes (no separator), or forbid tokens that could be (a lexer that must look further
ahead than one symbol): this route reproduces that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from formgate.core.reference.masks import ComputeValidTokenMask, PreprocessParser
from formgate.core.reference.pda import PDA, ParserConfiguration
from formgate.core.reference.spanner import BuildInverseTokenSpannerTable
from formgate.core.reference.symbols import EOS, Marker, State
from formgate.core.reference.transducers import BuildLexingFST

if TYPE_CHECKING:
    from formgate.core.reference.exact import Configuration
    from formgate.core.reference.lexer import LexerSpec
    from formgate.core.reference.vocabulary import Vocabulary

__all__ = ["PaperRoute"]


class PaperRoute:
    """Masks as published.

    Args:
        lexer: The lexer; each accepting state stands for its first terminal.
        parser: The parser, without end marker.
        vocabulary: The tokens.

    Attributes:
        lexing: The lexing transducer.
        table: The inverse token spanner table.
        preprocessed: The sequences of each pair of states, sorted into accepted and dependent.
    """

    def __init__(self, lexer: LexerSpec, parser: PDA, vocabulary: Vocabulary) -> None:
        self.parser = parser.with_end_marker()
        self.vocabulary = vocabulary
        self.lexing = BuildLexingFST(lexer)
        self.table = BuildInverseTokenSpannerTable(lexer, vocabulary)
        self.preprocessed = PreprocessParser(self.parser, self.table)

    def start(self) -> frozenset[Configuration]:
        """Return the state of the empty text."""
        return frozenset([(Marker.LEXER_START, self.parser.start, ())])

    def mask(self, state: frozenset[Configuration]) -> frozenset[int]:
        """Return the ids that the published algorithm allows next, stop ids included."""
        allowed: set[int] = set()
        for lexer_state, configurations in _by_lexer_state(state).items():
            allowed |= ComputeValidTokenMask(
                self.parser, self.table, self.preprocessed, lexer_state, configurations
            )
        return frozenset(allowed)

    def step(self, state: frozenset[Configuration], token: int) -> frozenset[Configuration]:
        """Return the state after an allowed token; empty for others."""
        if token not in self.mask(state):
            return frozenset()
        spelling = self.vocabulary.spelling(token) or ()
        result: set[Configuration] = set()
        for lexer_state, configurations in _by_lexer_state(state).items():
            step = self.lexing.run(spelling, lexer_state)
            if step is None:
                continue
            after, terminals = step
            control = Marker.OUTPUT_END if EOS in terminals else after
            moved = self.parser.run(configurations, terminals)
            result.update((control, *configuration) for configuration in moved)
        return frozenset(result)


def _by_lexer_state(state: frozenset[Configuration]) -> dict[State, list[ParserConfiguration]]:
    """Group configurations by lexer state; a deterministic lexer is in one."""
    groups: dict[State, list[ParserConfiguration]] = {}
    for lexer_state, parser_state, stack in state:
        groups.setdefault(lexer_state, []).append(ParserConfiguration(parser_state, stack))
    return groups
