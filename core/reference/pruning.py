"""Does a parser ever enter a configuration that it cannot complete? Decided for all stacks.

The configurations that can be completed are a regular set (``pre_star``). Read from the bottom, its
automaton is deterministic, so each stack symbol can carry the set of states that accept what is
below it, and the control state the set that accepts the whole stack. In the pushdown system so
annotated, whether the configuration at hand can be completed shows in the control state, and
whether one that cannot is reachable is a second ``pre_star``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from formgate.core.reference.fsa import closure
from formgate.core.reference.pushdown import Rule, StackAutomaton, pre_star
from formgate.core.reference.symbols import Marker, State

if TYPE_CHECKING:
    from collections.abc import Iterator

    from formgate.core.reference.pda import PDA, ParserConfiguration, Stack
    from formgate.core.reference.symbols import ExtTerminal

__all__ = ["dead_configuration", "live_configurations"]

_Content: TypeAlias = frozenset[State]


def live_configurations(parser: PDA) -> StackAutomaton:
    """Return the configurations from which the parser can come to accept."""
    rules = [
        Rule(state, move.pop, move.push, move.state)
        for (state, _), moves in parser.edges.items()
        for move in moves
    ]
    ends = [Rule(state, (), (), Marker.PARSER_END) for state in parser.accepting]
    return pre_star([*rules, *ends], [Marker.PARSER_END])


def dead_configuration(parser: PDA) -> tuple[ExtTerminal, ...] | None:
    """Return a shortest word after which the parser may be stuck for good; None if there is none.

    The decision is polynomial in the parser and the number of distinct contents of a stack, which
    may be exponential; the search for the word is breadth first and runs only where there is one.
    """
    live = live_configurations(parser)
    start = (parser.start, live.bottom)
    if not pre_star(_annotated(parser, live), [Marker.OUTPUT_END]).accepts(start, ()):
        return None
    words: dict[ParserConfiguration, tuple[ExtTerminal, ...]] = {parser.initial: ()}
    for configuration, word in (queue := list(words.items())):
        if not live.accepts(*configuration):
            return word
        for terminal in sorted(parser.terminals, key=repr):
            for after in parser.step([configuration], terminal):
                if after not in words:
                    words[after] = (*word, terminal)
                    queue.append((after, words[after]))
    return None


def _annotated(parser: PDA, live: StackAutomaton) -> Iterator[Rule]:
    """Yield the annotated rules, and a rule to the goal from each control state that is dead."""
    symbols = parser.stack_symbols

    def higher(content: _Content) -> list[_Content]:
        return [live.below(symbol, content) for symbol in symbols]

    for content in closure([live.bottom], higher):
        for state in parser.states - content:
            yield Rule((state, content), (), (), Marker.OUTPUT_END)
        for (state, _), moves in parser.edges.items():
            for move in moves:
                before, pop = _stacked(live, content, move.pop)
                after, push = _stacked(live, content, move.push)
                yield Rule((state, before), pop, push, (move.state, after))


def _stacked(live: StackAutomaton, content: _Content, stack: Stack) -> tuple[_Content, Stack]:
    """Put symbols on a stack of this content: the content of the whole, the symbols annotated."""
    annotated: list[State] = []
    for symbol in reversed(stack):
        annotated.append((symbol, content))
        content = live.below(symbol, content)
    return content, tuple(reversed(annotated))
