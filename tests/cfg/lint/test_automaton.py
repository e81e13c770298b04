"""The LALR automaton: lark's own tables, and Knuth's automaton, must say the same."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest
from hypothesis import assume, given, settings

sys.path.insert(0, str(Path(__file__).resolve().parent))
import lr_judges
from random_rules import rule_sets

from formgate.core.errors import FormgateError, LimitError
from formgate.plugins.cfg._lint_grammar import END, Production, Yields
from formgate.plugins.cfg._lint_lark import read_lark
from formgate.plugins.cfg._lint_lr import Automaton, bits
from formgate.plugins.cfg._lint_lr1 import Projection


def useful(rules):
    grammar = lr_judges.symbol_grammar(rules)
    trimmed = grammar.useful()
    assume(any(p.head == grammar.starts[0] for p in trimmed.productions))
    return trimmed


def lark_analysis(grammar):
    """Return lark's analysis of the same productions, up to its look-ahead sets."""
    from lark.common import ParserConf
    from lark.grammar import NonTerminal, Rule, RuleOptions, Terminal
    from lark.parsers.lalr_analysis import LALR_Analyzer

    heads = {p.head for p in grammar.productions}
    rules = [
        Rule(
            NonTerminal(p.head),
            [NonTerminal(s) if s in heads else Terminal(s) for s in p.body],
            options=RuleOptions(priority=p.priority),
        )
        for p in grammar.productions
    ]
    analysis = LALR_Analyzer(ParserConf(rules, {}, list(grammar.starts)))
    analysis.compute_lr0_states()
    analysis.compute_reads_relations()
    analysis.compute_includes_lookback()
    analysis.compute_lookaheads()
    return analysis


def pointers(items):
    """Return lark's items as data."""
    return frozenset(
        (item.rule.origin.name, tuple(s.name for s in item.rule.expansion), item.index)
        for item in items
    )


def has_cycle(graph):
    """Say whether several nodes of a graph reach each other."""

    def reached(node):
        found, queue = set(), [node]
        for each in queue:
            for after in graph.get(each, ()):
                if after not in found:
                    found.add(after)
                    queue.append(after)
        return found

    reach = {node: reached(node) for node in graph}
    return any(
        other is not node and node in reach.get(other, ())
        for node in graph
        for other in reach[node]
    )


def same_tables(grammar):
    """Compare both tables, state by state; return our automaton."""
    automaton = Automaton(grammar, as_lark=True)
    names = automaton.names

    def item(production, dot):
        head, body = automaton.productions[production]
        return names[head], tuple(names[s] for s in body), dot

    ours = {
        frozenset(item(*each) for each in kernel): i for i, kernel in enumerate(automaton.kernels)
    }
    analysis = lark_analysis(grammar)
    theirs = {pointers(state.kernel): state for state in analysis.lr0_itemsets}
    # Where `reads` has a cycle, lark lets its members share one set, and adds to all what one
    # gets later: its sets are then too large. (Such a grammar is LR(k) for no k.)
    exact = not has_cycle(analysis.reads)
    assert ours.keys() == theirs.keys()
    conflicts = set()
    for kernel, state in theirs.items():
        number = ours[kernel]
        gotos = {names[s]: automaton.kernels[t] for s, t in automaton.gotos[number].items()}
        assert gotos.keys() == {symbol.name for symbol in state.transitions}
        for symbol, target in state.transitions.items():
            assert frozenset(item(*i) for i in gotos[symbol.name]) == pointers(target.kernel)
        lookaheads = {
            (names[terminal], *item(production, 0)[:2])
            for production in automaton.reductions[number]
            for terminal in bits(automaton.lookaheads.get((number, production), 0))
        }
        expected = {
            (terminal.name, rule.origin.name, tuple(s.name for s in rule.expansion))
            for terminal, rules in state.lookaheads.items()
            for rule in rules
        }
        assert lookaheads == expected if exact else lookaheads <= expected
        conflicts |= {
            (number, terminal.name)
            for terminal, rules in state.lookaheads.items()
            if len(rules) > 1 or terminal in state.transitions
        }
    found = automaton.conflicts()
    clashes = {(each.state, each.terminal) for each in found}
    assert clashes == conflicts if exact else clashes <= conflicts
    assert len(found) == len(clashes)
    return automaton


@settings(max_examples=120, deadline=None)
@given(rule_sets())
def test_random_grammars_have_larks_tables(rules):
    same_tables(useful(rules))


@settings(max_examples=100, deadline=None)
@given(rule_sets(most_rules=3))
def test_random_grammars_agree_with_canonical_lr1(rules):
    grammar = useful(rules)
    automaton = Automaton(grammar, as_lark=False)
    states, _ = lr_judges.canonical_lr1(grammar)
    numbers = {kernel: i for i, kernel in enumerate(automaton.kernels)}
    sets: dict[tuple[int, int], list[frozenset[str]]] = {}
    ended: dict[str, set[tuple[int, frozenset[int]]]] = {
        name: set() for name in automaton.names[: automaton.terminal_count]
    }
    for kernel, (closure, _) in states.items():
        core = tuple(sorted({(number, dot) for number, dot, _ in kernel}))
        state = numbers[core]
        found: dict[int, set[str]] = {
            production: set() for production in automaton.reductions[state]
        }
        for number, dot, after in closure:
            if dot == len(automaton.productions[number][1]):
                found[number].add(after)
        for production, terminals in found.items():
            sets.setdefault((state, production), []).append(frozenset(terminals))
        for name, seen in ended.items():
            seen.add((state, frozenset(p for p, terminals in found.items() if name in terminals)))
    roots = {(s, p) for s, p in sets if automaton.sources[p] is None}
    for key, members in sets.items():
        if key in roots:
            continue
        merged = {automaton.names[bit] for bit in bits(automaton.lookaheads[key])}
        assert merged == frozenset.union(*members)
        assert {
            automaton.names[bit] for bit in bits(automaton.certain[key])
        } <= frozenset.intersection(*members)
    yields = Yields(grammar.productions)
    costs = [yields.length(name) or 0 for name in automaton.names]
    for name, expected in ended.items():
        projection = Projection(automaton, automaton.number[name], costs)
        got = {(r.state, r.completed) for r in projection.walk(lambda *_: True)}
        assert got == expected
        assert projection.complete


@pytest.fixture(scope="module")
def lark_grammars(request):
    found = request.config.rootpath.parent / "shared/data/grammars-and-programs/grammars/lark"
    if not found.exists():
        pytest.skip("shared/data/grammars-and-programs is not here")
    return found


def test_real_grammars_have_larks_tables(lark_grammars):
    counts = {}
    for path in sorted(lark_grammars.rglob("*.lark")):
        source = path.read_text(encoding="utf-8")
        for start in ("start", "file_input"):
            if re.search(rf"^[?!]*{start}\s*:", source, re.MULTILINE) is None:
                continue
            try:
                grammar = read_lark(source, start=start, base_path=str(path.parent)).useful()
            except FormgateError:
                continue  # it imports files that are not there
            relative = path.relative_to(lark_grammars).as_posix()
            counts[relative] = sum(c.shifts for c in same_tables(grammar).conflicts())
    assert len(counts) > 20
    assert counts["syncode/go.lark"] == 336
    assert counts["syncode/sql.lark"] == 111
    assert counts["syncode/java.lark"] == 17
    assert counts["syncode/python.lark"] == 1
    assert counts["syncode/json.lark"] == 0


def test_embedded_grammars_have_larks_tables(lark_grammars):
    path = lark_grammars / "greatgramma/embedded_test_grammars.json"
    found = [v for v in _texts(json.loads(path.read_text(encoding="utf-8"))) if "start:" in v]
    assert found
    for source in found:
        same_tables(read_lark(source).useful())


def _texts(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, dict)):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _texts(each)


def test_states_without_bound_are_refused():
    # (a|b)* a (a|b)**15, written from left to right: as many states as subsets.
    last = 15
    rules = {"S": [("a", "S"), ("b", "S"), ("a", "R0")]}
    for i in range(last):
        rules[f"R{i}"] = [("a", f"R{i + 1}"), ("b", f"R{i + 1}")]
    rules[f"R{last}"] = [()]
    with pytest.raises(LimitError, match="over 20000 states"):
        Automaton(lr_judges.symbol_grammar(rules).useful())


def test_shortest_sentences():
    productions = (
        Production("s", ("a", "s")),
        Production("s", ("x", "y")),
        Production("x", ("b", "b", "b")),
        Production("x", ("y", "c")),
        Production("y", ()),
        Production("z", ("z",)),
    )
    yields = Yields(productions)
    assert yields.sentence(["s"]) == ("c",)
    assert yields.length("s") == 1
    assert yields.length("y") == 0
    assert yields.length("z") is None
    assert yields.sentence(["z"]) is None
    assert END not in {s for p in productions for s in p.body}
