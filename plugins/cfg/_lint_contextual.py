"""Where lark's contextual lexer looks for a terminal that the text so far rules out.

Lark looks for the terminals with an action in the LALR state. LALR merges states of canonical
LR(1), so a terminal may have an action there that no parse of *this* text can take. It matters only
where such a terminal takes a text from one that is possible: then lark rejects what a lexer that
knows the exact set would read. A grammar without such a place has one meaning for both.

Three steps, the cheap ones first: a fixed point over the LR(0) states tells what is viable for
every stack (``Automaton.certain``); what is left must share the beginning of a text with another
terminal of the state and be preferred to it; and only then canonical LR(1), for that terminal
alone, finds a stack that rules it out. Exact for grammars without conflicts; where there are
conflicts, the set of a stack is what may follow any of its parses.

The format ``lark`` looks for what lark looks for, so it rejects what lark rejects there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from formgate.plugins.cfg._lint_conflicts import costs
from formgate.plugins.cfg._lint_grammar import END, Yields
from formgate.plugins.cfg._lint_lexemes import Lexemes
from formgate.plugins.cfg._lint_lr import Automaton, bits
from formgate.plugins.cfg._lint_lr1 import Projection
from formgate.plugins.cfg._lint_report import Finding, finding, listed, named, quoted
from formgate.plugins.cfg._lint_sentences import sentence_text

if TYPE_CHECKING:
    from formgate.plugins.cfg._lint_grammar import SymbolGrammar

__all__ = ["Difference", "check_contextual", "contextual_differences", "uncertain"]


class Difference(NamedTuple):
    """A place where lark's contextual lexer and the exact one differ.

    Attributes:
        terminal: What lark looks for, though nothing that was read allows it.
        rivals: Terminals of the same state from which it takes texts.
        sentence: Terminals after which it is so; None where the search for them was given up.
        text: A text that it takes from the first of the rivals.
    """

    terminal: str
    rivals: tuple[str, ...]
    sentence: tuple[str, ...] | None
    text: str


def contextual_differences(
    grammar: SymbolGrammar,
    automaton: Automaton | None = None,
    show: Lexemes | None = None,
    *,
    flags: int = 0,
    limit: int | None = None,
) -> tuple[Difference, ...]:
    """Return the places where lark's contextual lexer looks for what cannot come, and it matters.

    An empty result is a proof that there are none. Costs what building the automaton costs, some
    80 ms for a grammar of 500 productions, and more only where something collides.

    Args:
        grammar: The grammar; useless rules are dropped from it.
        automaton: Its automaton, where there is one already.
        show: Its terminals' texts, where there are such already.
        flags: ``re`` flags that hold for every pattern.
        limit: Stop after so many; 1 asks whether there is any.
    """
    if automaton is None:
        grammar = grammar.useful()
        automaton = Automaton(grammar)
    left = uncertain(automaton)
    if not left:
        return ()
    show = show or Lexemes(grammar, flags)
    yields = Yields(grammar.productions)
    by_terminal: dict[int, dict[int, tuple[list[str], str]]] = {}
    for state, mask in left.items():
        names = [automaton.names[bit] for bit in bits(automaton.accepted(state))]
        competing = [name for name in (*names, *grammar.ignored) if name != END]
        for terminal in bits(mask):
            rivals = _rivals(grammar, show, automaton.names[terminal], competing)
            if rivals is not None:
                by_terminal.setdefault(terminal, {})[state] = rivals
    found: list[Difference] = []
    for terminal, places in by_terminal.items():
        more = None if limit is None else limit - len(found)
        found += _differences(automaton, yields, terminal, places, more)
        if limit is not None and len(found) >= limit:
            break
    return tuple(found[:limit])


def uncertain(automaton: Automaton) -> dict[int, int]:
    """Return for each state the terminals with an action that some stack may rule out.

    Only states that a terminal leads to, or that a text begins in: there lark calls its lexer. The
    end of the text is no terminal that a lexer looks for.
    """
    found = {}
    certain, lookaheads = automaton.certain, automaton.lookaheads
    for state, productions in enumerate(automaton.reductions):
        access = automaton.access[state]
        if not productions or (access is not None and access >= automaton.terminal_count):
            continue
        possible, sure = 0, automaton.shiftable(state) | 1 << automaton.end
        for production in productions:
            possible |= lookaheads.get((state, production), 0)
            sure |= certain.get((state, production), 0)
        if possible & ~sure:
            found[state] = possible & ~sure
    return found


def check_contextual(grammar: SymbolGrammar, automaton: Automaton, show: Lexemes) -> list[Finding]:
    """Report the differences, those of one terminal together."""
    groups: dict[str, list[Difference]] = {}
    for difference in contextual_differences(grammar, automaton, show):
        groups.setdefault(difference.terminal, []).append(difference)
    findings = []
    for terminal, differences in groups.items():
        first = min(differences, key=lambda each: len(each.sentence or "?" * 99))
        where = "some texts"
        if first.sentence is not None:
            where = quoted(sentence_text(grammar, first.sentence, show)) or "nothing"
        more = len(differences) - 1
        also = f", and in {more} more states" if more else ""
        findings.append(
            finding(
                "info",
                "contextual-difference",
                terminal,
                f"after {where}{also}, lark's contextual lexer looks for {named(terminal)}, which "
                "cannot come there, and may take it instead of "
                f"{listed([named(name) for name in first.rivals])}",
                place=grammar.place(terminal),
                example=first.text,
                hint="lark, and the format 'lark' with it, then rejects what the grammar allows; "
                "split the rule that both contexts share, make the terminals differ, or say "
                "lexing='longest'",
            )
        )
    return findings


def _rivals(
    grammar: SymbolGrammar, show: Lexemes, terminal: str, competing: list[str]
) -> tuple[list[str], str] | None:
    """Return the terminals from which one takes texts, and such a text; None if there is none."""
    order = {name: rank for rank, name in enumerate(grammar.terminals)}
    rivals = []
    example = ""
    for other in dict.fromkeys(competing):
        if other == terminal:
            continue
        text: str | None
        if not (show.is_known(terminal) and show.is_known(other)):
            text = "?"  # nothing is known of their texts: they may collide
        elif terminal in grammar.keywords.get(other, ()):
            text = grammar.terminals[terminal].literal or show.example(terminal)
        elif other in grammar.keywords.get(terminal, ()):
            text = show.extended(terminal, other)  # the text alone is the keyword's
        elif order[terminal] < order[other]:
            text = show.beginning(terminal, other)
        else:
            text = None
        if text is not None:
            rivals.append(other)
            example = example or text
    return (rivals, example) if rivals else None


def _differences(
    automaton: Automaton,
    yields: Yields,
    terminal: int,
    places: dict[int, tuple[list[str], str]],
    limit: int | None,
) -> list[Difference]:
    """Return the states of ``places`` in which some stack really rules the terminal out."""
    name = automaton.names[terminal]
    projection = Projection(automaton, terminal, costs(automaton, yields))
    left = dict(places)
    found = []
    for reached in projection.walk(lambda state, completed: state in left and not completed):
        rivals, text = left.pop(reached.state, ([], ""))
        if rivals:
            names = [automaton.names[symbol] for symbol in reached.path]
            found.append(Difference(name, tuple(rivals), yields.sentence(names), text))
        if not left or len(found) == limit:
            return found
    if not projection.complete:
        found += [Difference(name, tuple(rivals), None, text) for rivals, text in left.values()]
    return found
