"""The lexing and detokenising transducers of the paper, and their composition.

Sources: Algorithms 2 and 3 of arXiv 2502.05111; the detokeniser in the one-state form of the Lean
formalisation, which computes the same homomorphism from tokens to bytes as the paper's trie.
"""
# ruff: noqa: N802 (names of the Lean formalisation, kept letter for letter)

from __future__ import annotations

from typing import TYPE_CHECKING

from formgate.core.reference.fst import FST
from formgate.core.reference.symbols import EOS, ExtChar, ExtTerminal, Marker, State

if TYPE_CHECKING:
    from formgate.core.reference.lexer import LexerSpec
    from formgate.core.reference.vocabulary import Vocabulary

__all__ = [
    "BuildDetokLexer",
    "BuildDetokenizingFST",
    "BuildLexingFST",
]


def BuildLexingFST(lexer: LexerSpec) -> FST[ExtChar, ExtTerminal]:
    """Return the transducer of ``PartialLex`` (Algorithm 2).

    Its states are those of the automaton A and ``Marker.LEXER_START``, which behaves like q0 but
    may end the input. From q on byte c: where A goes on, so does it, in silence; else, if q is
    accepting and A has an edge on c from q0, it emits term(q) and takes that edge. On EOS, an
    accepting state emits term(q) EOS. One edge at most for each state and byte.
    """
    automaton = lexer.automaton
    first = automaton.edges[automaton.start]
    edges: dict[State, dict[ExtChar, tuple[State, tuple[ExtTerminal, ...]]]] = {}
    for state, out in automaton.edges.items():
        row = edges[state] = {}
        term = lexer.term(state)
        if term is not None:
            row.update({symbol: (target, (term,)) for symbol, target in first.items()})
            row[EOS] = (Marker.LEXER_START, (term, EOS))
        row.update({symbol: (target, ()) for symbol, target in out.items()})
    edges[Marker.LEXER_START] = {symbol: (target, ()) for symbol, target in first.items()}
    edges[Marker.LEXER_START][EOS] = (Marker.LEXER_START, (EOS,))
    return FST(Marker.LEXER_START, edges)


def BuildDetokenizingFST(vocabulary: Vocabulary) -> FST[int, ExtChar]:
    """Return the one-state transducer from token ids to bytes, and from stop ids to EOS."""
    row: dict[int, tuple[State, tuple[ExtChar, ...]]] = {
        token: (Marker.TOKENS, spelling)
        for spelling, ids in vocabulary.spellings().items()
        for token in ids
    }
    return FST(Marker.TOKENS, {Marker.TOKENS: row})


def BuildDetokLexer(vocabulary: Vocabulary, lexer: LexerSpec) -> FST[int, ExtTerminal]:
    """Return their composition: token ids to terminals, states (``Marker.TOKENS``, lexer state)."""
    return BuildDetokenizingFST(vocabulary).compose(BuildLexingFST(lexer))
