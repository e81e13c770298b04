"""The intermediate representation: what front ends write and what compiles to an engine."""

from formgate.core._native import CancelToken, Limits, MaskOptions
from formgate.core.grammar._builder import GrammarBuilder, Node
from formgate.core.grammar._grammar import Grammar
from formgate.core.grammar._terminal import (
    BareEntry,
    Cell,
    Entry,
    Item,
    Production,
    Some,
    Terminal,
)

__all__ = [
    "BareEntry",
    "CancelToken",
    "Cell",
    "Entry",
    "Grammar",
    "GrammarBuilder",
    "Item",
    "Limits",
    "MaskOptions",
    "Node",
    "Production",
    "Some",
    "Terminal",
]
