"""The formal model, executable: slow, obvious, and the judge of faster engines.

Every definition and algorithm of "Flexible and Efficient Grammar-Constrained Decoding" (Park, Zhou
and D'Antoni, arXiv 2502.05111) and of its Lean formalisation, in plain Python under the names of
the latter, and an exact route that needs none of their assumptions. ``ReferenceEngine`` serves both
as a ``MaskEngine``. Nothing here computes with native code.
"""

from __future__ import annotations

from formgate.core.reference.checker import GCDChecker
from formgate.core.reference.engine import ReferenceEngine, ReferenceState
from formgate.core.reference.exact import Configuration, ExactRoute
from formgate.core.reference.fsa import FSA, NFA
from formgate.core.reference.fst import FST
from formgate.core.reference.grammar import Grammar
from formgate.core.reference.hypotheses import Hypothesis, HypothesisLexer
from formgate.core.reference.lexer import LexerSpec, MaximalMunch, PartialLex
from formgate.core.reference.masks import ComputeValidTokenMask, PPTable, PreprocessParser
from formgate.core.reference.paper import PaperRoute
from formgate.core.reference.pda import PDA, ParserConfiguration, Stack, Transition
from formgate.core.reference.pushdown import Rule, StackAutomaton, pre_star
from formgate.core.reference.regular import automaton_of, literal
from formgate.core.reference.spanner import (
    BuildInverseTokenSpannerTable,
    InverseTokenSpannerTable,
    RealizableSequences,
)
from formgate.core.reference.symbols import EOS, ExtChar, ExtTerminal, Marker, Terminal
from formgate.core.reference.transducers import (
    BuildDetokenizingFST,
    BuildDetokLexer,
    BuildLexingFST,
)
from formgate.core.reference.vocabulary import Vocabulary

__all__ = [
    "EOS",
    "FSA",
    "FST",
    "NFA",
    "PDA",
    "BuildDetokLexer",
    "BuildDetokenizingFST",
    "BuildInverseTokenSpannerTable",
    "BuildLexingFST",
    "ComputeValidTokenMask",
    "Configuration",
    "ExactRoute",
    "ExtChar",
    "ExtTerminal",
    "GCDChecker",
    "Grammar",
    "Hypothesis",
    "HypothesisLexer",
    "InverseTokenSpannerTable",
    "LexerSpec",
    "Marker",
    "MaximalMunch",
    "PPTable",
    "PaperRoute",
    "ParserConfiguration",
    "PartialLex",
    "PreprocessParser",
    "RealizableSequences",
    "ReferenceEngine",
    "ReferenceState",
    "Rule",
    "Stack",
    "StackAutomaton",
    "Terminal",
    "Transition",
    "Vocabulary",
    "automaton_of",
    "literal",
    "pre_star",
]
