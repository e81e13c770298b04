"""What the published algorithm would assume of a grammar, and where that fails.

The predicates are those of ``core.reference``, which states the hypotheses of the theorems one by
one. formgate's engine needs none of them; they matter to whoever compares it with engines that do,
or reads the proofs. The reference is slow, so the report is for grammars of moderate size.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from formgate.core.errors import FormgateError, LimitError
from formgate.plugins.cfg._lint_report import Finding, finding

if TYPE_CHECKING:
    from collections.abc import Callable

    from formgate.core.reference import PDA, LexerSpec
    from formgate.core.reference.assumptions import Finding as Assumption
    from formgate.plugins.cfg._lint_grammar import SymbolGrammar
    from formgate.plugins.cfg._lint_lexemes import Lexemes

__all__ = ["MAX_LEXER_STATES", "MAX_PRODUCTIONS", "MAX_TRANSITIONS", "check_assumptions"]

MAX_LEXER_STATES = 250
"""Most states of all terminals together for which the report is made."""

MAX_PRODUCTIONS = 80
"""Most productions for which the report is made."""

MAX_TRANSITIONS = 500
"""Most transitions of the reference's parser for which the report is made."""

_VISITS = 40


def check_assumptions(
    grammar: SymbolGrammar, show: Lexemes
) -> tuple[list[Finding], dict[str, object] | str]:
    """Report each assumption that fails; return, too, which hold, or why nothing was checked.

    Args:
        grammar: The grammar, without useless rules.
        show: Knows the texts of its terminals.
    """
    reason = _too_large(grammar, show)
    if reason is not None:
        return [], f"not checked: {reason}"
    try:
        found = _checked(grammar, show)
    except FormgateError as error:
        return [], f"not checked: {str(error).splitlines()[0]}"
    findings = [
        finding(
            "info",
            f"assumption-{each.name.replace('_', '-')}",
            grammar.starts[0],
            f"the published algorithm assumes {each.name}, which fails: {each.where}",
            hint=f"formgate is exact without it; for engines that are not: {each.remedy}",
        )
        for each in found
        if not each.holds
    ]
    return findings, {each.name: each.holds for each in found}


def _too_large(grammar: SymbolGrammar, show: Lexemes) -> str | None:
    """Return why the reference cannot take a grammar; None where it can."""
    used = {s for p in grammar.productions for s in p.body} & set(grammar.terminals)
    names = sorted(used | set(grammar.ignored))
    if len(grammar.productions) > MAX_PRODUCTIONS:
        return f"the grammar has over {MAX_PRODUCTIONS} productions"
    total = 0
    for name in names:
        automaton = show.automaton(name)
        if automaton is None:
            return f"the texts of {name!r} are not known as an automaton"
        total += len(automaton.edges)
    if total > MAX_LEXER_STATES:
        return f"the terminals have {total} states, over {MAX_LEXER_STATES}"
    return None


def _checked(grammar: SymbolGrammar, show: Lexemes) -> list[Assumption]:
    """Ask the reference."""
    # The reference is asked here only, and costs an import.
    from formgate.core.reference import (  # noqa: PLC0415
        FSA,
        GCDChecker,
        Grammar,
        LexerSpec,
        Vocabulary,
    )
    from formgate.core.reference import assumptions as asked  # noqa: PLC0415
    from formgate.core.reference.search import productivity  # noqa: PLC0415

    rules = {
        head: [list(production.body) for production in productions]
        for head, productions in grammar.rules().items()
    }
    used = {s for p in grammar.productions for s in p.body} - set(rules)
    machines = {}
    for name in grammar.terminals:  # in order of preference
        automaton = show.automaton(name) if name in used or name in grammar.ignored else None
        if automaton is not None:
            accepting = frozenset(i for i, ends in enumerate(automaton.accepting) if ends)
            machines[name] = FSA(0, accepting, dict(enumerate(automaton.edges)))
    keywords_first = sorted(machines, key=lambda name: not grammar.terminals[name].is_text)
    lexer = LexerSpec.of({name: machines[name] for name in keywords_first})
    bare = Grammar(grammar.starts[0], rules).parser()
    transitions = sum(len(moves) for moves in bare.edges.values())
    if transitions > MAX_TRANSITIONS:
        raise LimitError(f"the parser has {transitions} transitions, over {MAX_TRANSITIONS}")
    parser = bare.with_ignored(grammar.ignored)
    letters = _told_apart(lexer)
    vocabulary = Vocabulary((*(bytes([byte]) for byte in letters), None), (len(letters),))
    predicates: list[Callable[[LexerSpec, PDA], Assumption]] = [
        lambda lexer, _: asked.hempty(lexer),
        lambda lexer, _: asked.hrestart(lexer),
        lambda lexer, _: asked.one_state_per_terminal(lexer),
        lambda lexer, _: asked.one_symbol_lookahead(lexer),
        lambda _, parser: asked.parser_pruned(parser),
        asked.whitespace,
        lambda lexer, parser: productivity(
            GCDChecker(lexer, parser, vocabulary, assumptions="paper"), _VISITS
        ),
    ]
    return [predicate(lexer, parser) for predicate in predicates]


def _told_apart(lexer: LexerSpec) -> list[int]:
    """Return one byte of each set that no state of the lexer tells apart."""
    automaton = lexer.automaton
    states = sorted(automaton.edges)
    columns: dict[tuple[int | None, ...], int] = {}
    for byte in sorted(automaton.alphabet):
        column = tuple(automaton.edges[state].get(byte) for state in states)
        columns.setdefault(column, byte)
    return sorted(columns.values())
