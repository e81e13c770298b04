"""Terminals that compete for one text, and who wins in lark.

Two terminals compete where one state of the contextual lexer looks for both. Lark tries them by
priority, then length, then name, and takes the first that matches at all; a text written out gives
way to no pattern that matches exactly it. Pairs ordered by such a keyword rule or by different
priorities were decided by the author and are not reported, unless one is never read at all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from formgate.plugins.cfg._lint_lr import bits
from formgate.plugins.cfg._lint_report import Finding, finding, named, quoted
from formgate.plugins.cfg._lint_unread import find_unread, unread_finding

if TYPE_CHECKING:
    from formgate.plugins.cfg._lint_grammar import SymbolGrammar
    from formgate.plugins.cfg._lint_lexemes import Lexemes
    from formgate.plugins.cfg._lint_lr import Automaton

__all__ = ["check_collisions", "contexts"]


def contexts(grammar: SymbolGrammar, automaton: Automaton, *, lexer: str) -> list[frozenset[str]]:
    """Return the sets of terminals that compete, ignored ones included, each once.

    Lark asks its lexer for a terminal at the beginning and after each terminal, so only the states
    that a terminal leads to count. ``basic``: all terminals compete everywhere.
    """
    everywhere = frozenset(grammar.ignored)
    if lexer != "contextual":
        used = frozenset(s for p in grammar.productions for s in p.body if s in grammar.terminals)
        return [used | everywhere | grammar.idle]
    masks: dict[int, None] = {}
    for state, symbol in enumerate(automaton.access):
        if symbol is None or symbol < automaton.terminal_count:
            masks.setdefault(automaton.accepted(state))
    return [
        frozenset(name for bit in bits(mask) if (name := automaton.names[bit]) in grammar.terminals)
        | everywhere
        for mask in masks
    ]


def check_collisions(
    grammar: SymbolGrammar,
    automaton: Automaton,
    show: Lexemes,
    *,
    lexer: str = "contextual",
    longest: bool = False,
    whole: bool = True,
) -> list[Finding]:
    """Report terminals that are never read, match one text, or hide some texts of another.

    Args:
        grammar: The grammar.
        automaton: Its automaton.
        show: Knows the texts of its terminals.
        lexer: ``contextual`` or ``basic``.
        longest: Whether the lexer takes the longest match, so that no terminal hides another.
        whole: Whether lark has no rules beside those of the grammar: what the lexer looks for is
            known, then.
    """
    order = {name: rank for rank, name in enumerate(grammar.terminals)}
    competing = contexts(grammar, automaton, lexer=lexer)
    unread = [] if longest or not whole else find_unread(grammar, competing, show)
    found = [unread_finding(grammar, each) for each in unread]
    hidden = {each.name for each in unread}
    seen: set[tuple[str, str]] = set()
    for names in competing:
        ordered = sorted(names - hidden, key=order.__getitem__)
        for i, first in enumerate(ordered):
            for second in ordered[i + 1 :]:
                if (first, second) not in seen:
                    seen.add((first, second))
                    found += [
                        each
                        for each in _pair(grammar, show, first, second)
                        if not (longest and each.check == "terminal-shadowed")
                    ]
    return found


def _pair(grammar: SymbolGrammar, show: Lexemes, first: str, second: str) -> list[Finding]:
    """Report what is wrong with a pair; ``first`` comes first in lark's order."""
    one, other = grammar.terminals[first], grammar.terminals[second]
    if one.priority != other.priority or (one.is_text and other.is_text):
        return []
    if first in grammar.keywords.get(second, ()) or second in grammar.keywords.get(first, ()):
        return []
    if not (show.is_known(first) and show.is_known(second) and show.may_meet(first, second)):
        return []
    reason = _reason(grammar, first, second)
    findings = []
    text = show.shared(first, second)
    if text is not None and _is_taken(show, first, text) and _is_taken(show, second, text):
        findings.append(
            finding(
                "warning",
                "terminal-collision",
                second,
                f"terminals {named(first)} and {named(second)} both match {quoted(text)}; "
                f"lark reads {named(first)} ({reason})",
                place=grammar.place(second),
                example=text,
                hint=f"say which is meant by a priority ({_prior(second)}), or make them differ",
            )
        )
    text = show.shadowed(first, second)
    if text is not None and _is_shadowed(show, first, second, text):
        part = show.pattern(first)
        match = None if part is None else part.match(text)
        findings.append(
            finding(
                "warning",
                "terminal-shadowed",
                second,
                f"terminal {named(second)} is never read for {quoted(text)}: {named(first)} is "
                f"tried before it ({reason}) and takes {quoted(match.group() if match else text)}",
                place=grammar.place(second),
                example=text,
                hint=f"give {named(second)} a higher priority ({_prior(second)}): lark takes the "
                "first terminal that matches, not the longest match",
            )
        )
    return findings


def _prior(name: str) -> str:
    """Return how to write a higher priority for a terminal, with a name where it has none."""
    return f"{name}.2: ..." if name[0] not in '"/' else f"NAME.2: {name}"


def _is_taken(show: Lexemes, name: str, text: str) -> bool:
    """Say whether ``re``, too, takes all of a text; a lazy pattern may stop before its end."""
    pattern = show.pattern(name)
    match = None if pattern is None else pattern.match(text)
    return match is not None and match.group() == text


def _is_shadowed(show: Lexemes, first: str, second: str, text: str) -> bool:
    """Say whether ``re`` agrees that one terminal takes a part of what the other takes whole."""
    pattern = show.pattern(first)
    match = None if pattern is None else pattern.match(text)
    return match is not None and 0 < match.end() < len(text) and _is_taken(show, second, text)


def _reason(grammar: SymbolGrammar, first: str, second: str) -> str:
    """Say why lark tries one terminal before another."""
    one, other = grammar.terminals[first], grammar.terminals[second]
    if one.width != other.width:
        return "the one that can be longer comes first"
    if one.length != other.length:
        return "the longer pattern comes first"
    return "of equals, the first by name"
