"""Rules and terminals that cannot be what was meant, and left recursion.

Productive, nullable, reachable: least fixed points (Hopcroft and Ullman 1979, section 4.4). Cycles
and left recursion are strongly connected components (Tarjan 1972), found without recursion.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from formgate.plugins.cfg._lint_grammar import Yields
from formgate.plugins.cfg._lint_report import Finding, finding, listed, named

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from formgate.plugins.cfg._lint_grammar import Production, SymbolGrammar
    from formgate.plugins.cfg._lint_lexemes import Lexemes

__all__ = ["check_recursion", "check_rules", "check_terminals", "components"]


def check_rules(grammar: SymbolGrammar) -> list[Finding]:
    """Report rules that derive no text, only the empty one, or themselves; and unreachable ones."""
    rules = grammar.rules()
    yields = Yields(grammar.productions)
    findings = []
    dead = {name: None for name in rules if yields.length(name) is None}
    findings += [
        _unproductive(grammar, rules, dead, name)
        for name in dead
        if name not in grammar.owners or grammar.owner(name) not in dead
    ]
    reached = grammar.reachable(inside=True)
    findings += [
        finding(
            "warning",
            "unreachable-rule",
            name,
            f"rule {name!r} is never used: nothing leads to it from "
            + " or ".join(map(repr, grammar.starts)),
            place=grammar.place(name),
            hint="remove it, or use it",
        )
        for name in rules
        if name not in reached and name not in grammar.owners
    ]
    filled = _least(rules, lambda production, known: _may_be_filled(production, rules, known, dead))
    findings += [
        finding(
            "warning",
            "empty-rule",
            name,
            f"rule {name!r} derives nothing but the empty text",
            place=grammar.place(name),
            example="",
            hint="remove it, or give it something to match",
        )
        for name in rules
        if name not in dead and name not in filled and name not in grammar.owners
    ]
    return [*findings, *_cycles(grammar, rules, yields)]


def check_terminals(grammar: SymbolGrammar, show: Lexemes) -> list[Finding]:
    """Report terminals that match nothing, or the empty text, or are never used.

    Args:
        grammar: The grammar.
        show: Knows the texts of its terminals.
    """
    used = {symbol for production in grammar.productions for symbol in production.body}
    findings = []
    for name in grammar.terminals:
        place = grammar.place(name)
        in_use = name in used or name in grammar.ignored
        if not in_use and name not in grammar.fragments and place is not None:
            findings.append(
                finding(
                    "warning",
                    "unused-terminal",
                    name,
                    f"terminal {named(name)} is never used",
                    place=place,
                    hint="remove it, use it in a rule, or %ignore it",
                )
            )
        if in_use and show.is_zero_width(name):
            findings.append(
                finding(
                    "error" if grammar.has_lexer else "info",
                    "zero-width-terminal",
                    name,
                    f"terminal {named(name)} matches the empty text, which a lexer cannot cut out",
                    place=place,
                    example="" if show.takes_nothing(name) else None,
                    hint="make it match one character at least, and optional where it is used",
                )
            )
        # An unused one does no harm, but what it says is not what its author means.
        if (in_use or place is not None) and show.is_empty(name):
            findings.append(
                finding(
                    "error" if in_use else "warning",
                    "empty-terminal",
                    name,
                    f"terminal {named(name)} matches no text at all",
                    place=place,
                    hint="look for look-around or classes that contradict each other",
                )
            )
    return findings


def check_recursion(grammar: SymbolGrammar) -> list[Finding]:
    """Tell of left recursion: direct, indirect, and hidden behind rules that may be empty."""
    rules = grammar.rules()
    nullable = _nullable(rules)
    plain: dict[str, set[str]] = {name: set() for name in rules}
    hidden: dict[str, set[str]] = {name: set() for name in rules}
    for name, productions in rules.items():
        for production in productions:
            for position, symbol in enumerate(production.body):
                if symbol in rules:
                    (hidden if position else plain)[name].add(symbol)
                if symbol not in nullable:
                    break
    graph = {name: sorted(plain[name] | hidden[name]) for name in rules}
    findings = []
    for members in components(graph):
        loops = members[0] in graph[members[0]]
        own = [name for name in members if name not in grammar.owners]
        if (len(members) == 1 and not loops) or not own:
            continue  # what a repetition became is no news
        inside = set(members)
        is_hidden = any(hidden[name] & inside for name in members)
        kind = "hidden" if is_hidden else "direct" if len(members) == 1 else "indirect"
        findings.append(
            finding(
                "info",
                "left-recursion",
                own[0],
                f"{kind} left recursion of {listed(sorted(own))}",
                place=grammar.place(own[0]),
                hint="formgate takes it; recursive-descent engines and llama.cpp do not",
            )
        )
    return findings


def components(graph: Mapping[str, Sequence[str]]) -> list[list[str]]:
    """Return the strongly connected components of a graph, in the order of its names."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    on_stack: set[str] = set()
    stack: list[str] = []
    found: list[list[str]] = []
    for root in graph:
        work = [] if root in index else [(root, 0)]
        while work:
            node, position = work.pop()
            if position == 0:
                index[node] = low[node] = len(index)
                stack.append(node)
                on_stack.add(node)
            else:
                low[node] = min(low[node], low[graph[node][position - 1]])
            targets = graph[node]
            while position < len(targets) and targets[position] in index:
                if targets[position] in on_stack:
                    low[node] = min(low[node], index[targets[position]])
                position += 1
            if position < len(targets):
                work += [(node, position + 1), (targets[position], 0)]
            elif low[node] == index[node]:
                cut = stack.index(node)
                members = stack[cut:]
                del stack[cut:]
                on_stack -= set(members)
                found.append(members)
    order = {name: i for i, name in enumerate(graph)}
    return sorted(
        (sorted(each, key=order.__getitem__) for each in found), key=lambda m: order[m[0]]
    )


def _unproductive(
    grammar: SymbolGrammar,
    rules: Mapping[str, list[Production]],
    dead: Mapping[str, None],
    name: str,
) -> Finding:
    """Report a rule without a text."""
    blockers = sorted({s for p in rules[name] for s in p.body if s in dead and s != name})
    why = f" without {listed(blockers)}, which have no text either" if blockers else ""
    matters = name in grammar.starts
    return finding(
        "error",
        "unproductive-rule",
        grammar.owner(name),
        f"rule {grammar.owner(name)!r} derives no text: each alternative comes back to it{why}"
        if not matters or name not in rules
        else f"rule {name!r}, which the whole text must match, derives no text",
        place=grammar.place(name),
        hint="add an alternative that ends",
    )


def _cycles(
    grammar: SymbolGrammar, rules: Mapping[str, list[Production]], yields: Yields
) -> list[Finding]:
    """Report rules that derive themselves and nothing more."""
    nullable = _nullable(rules)
    graph: dict[str, list[str]] = {}
    for name, productions in rules.items():
        targets: dict[str, None] = {}
        for production in productions:
            needed = [symbol for symbol in production.body if symbol not in nullable]
            alone = needed if len(needed) == 1 else list(production.body) if not needed else []
            targets.update(dict.fromkeys(s for s in alone if s in rules))
        graph[name] = list(targets)
    findings = []
    for members in components(graph):
        if len(members) == 1 and members[0] not in graph[members[0]]:
            continue
        own = [name for name in members if name not in grammar.owners] or members
        words = yields.sentence([own[0]])
        findings.append(
            finding(
                "warning" if grammar.has_lexer else "info",
                "cyclic-rule",
                grammar.owner(own[0]),
                f"{listed([repr(grammar.owner(name)) for name in own])} can derive itself and "
                "nothing more, so its texts have infinitely many derivations",
                place=grammar.place(own[0]),
                example=None if words is None else " ".join(words),
                hint="the language is the same without the alternative that closes the circle; "
                "do not repeat what may be empty",
            )
        )
    return findings


def _may_be_filled(
    production: Production,
    rules: Mapping[str, list[Production]],
    known: set[str],
    dead: Mapping[str, None],
) -> bool:
    """Say whether an alternative has a text that is not empty, as far as is known."""
    if any(symbol in dead for symbol in production.body):
        return False
    return any(symbol not in rules or symbol in known for symbol in production.body)


def _nullable(rules: Mapping[str, list[Production]]) -> set[str]:
    """Return the rules that derive the empty text."""
    return _least(rules, lambda production, known: known.issuperset(production.body))


def _least(
    rules: Mapping[str, list[Production]], holds: Callable[[Production, set[str]], bool]
) -> set[str]:
    """Return the least set of rules with an alternative of which something holds.

    An alternative is looked at once, and again for each of its rules that comes into the set.
    """
    users: dict[str, list[Production]] = {}
    pending: list[Production] = []
    for productions in rules.values():
        for production in productions:
            pending.append(production)
            for symbol in dict.fromkeys(production.body):
                users.setdefault(symbol, []).append(production)
    found: set[str] = set()
    for production in pending:  # grows while it is read
        if production.head not in found and holds(production, found):
            found.add(production.head)
            pending += users.get(production.head, ())
    return found
