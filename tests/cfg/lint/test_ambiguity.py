"""Conflicts told with examples: what is called ambiguous has two derivations, by count."""

from __future__ import annotations

import itertools
import sys
from pathlib import Path

import pytest
from hypothesis import assume, given, settings

sys.path.insert(0, str(Path(__file__).resolve().parent))
import lr_judges
from earley import Earley
from random_rules import rule_sets

from formgate.plugins.cfg import lint
from formgate.plugins.cfg._lint_conflicts import check_conflicts
from formgate.plugins.cfg._lint_lexemes import Lexemes
from formgate.plugins.cfg._lint_lr import Automaton
from formgate.plugins.cfg._lint_rules import check_rules
from formgate.plugins.cfg._lint_unify import Bounds


def conflicts_of(rules):
    grammar = lr_judges.symbol_grammar(rules).useful()
    assume(any(p.head == grammar.starts[0] for p in grammar.productions))
    return grammar, check_conflicts(
        grammar, Automaton(grammar), Lexemes(grammar), bounds=Bounds(length=4, pairs=40)
    )


@settings(max_examples=80, deadline=None)
@given(rule_sets())
def test_ambiguous_sentences_have_two_derivations(rules):
    grammar, report = conflicts_of(rules)
    for finding in report.findings:
        if not finding.derivations:
            continue
        assert len(set(finding.derivations)) == 2
        if len(finding.example) <= 12:
            assert lr_judges.count_derivations(grammar, finding.example) == 2, finding


@settings(max_examples=60, deadline=None)
@given(rule_sets(most_rules=3))
def test_without_conflicts_nothing_is_ambiguous(rules):
    grammar, report = conflicts_of(rules)
    assume(not report.groups)
    assume(not any(each.check == "cyclic-rule" for each in check_rules(grammar)))
    for length in range(5):
        for sentence in itertools.product("ab", repeat=length):
            assert lr_judges.count_derivations(grammar, sentence) < 2, sentence


@settings(max_examples=60, deadline=None)
@given(rule_sets(most_rules=2))
def test_examples_are_prefixes_that_the_next_terminal_follows(rules):
    _, report = conflicts_of(rules)
    judge = Earley(rules, "S")
    for finding in report.findings:
        if finding.derivations or finding.example is None or len(finding.example) > 9:
            continue
        following = finding.message.rpartition("with ")[2].removesuffix(" next").strip("'")
        if following.startswith("the end"):
            assert judge.accepts(finding.example), finding
        else:
            assert judge.viable(finding.example + following), finding


AMBIGUOUS = {
    "operators": 'start: e\ne: e "+" e | e "*" e | "a"',
    "else": 'start: s\ns: "i" s | "i" s "e" s | "x"',
    "empty": 'start: a* "x"\na: b?\nb: "b"',
    "two rules": 'start: a "x" | b "x"\na: "q"\nb: "q"',
    "splits": 'start: a b\na: "x" | "x" "x"\nb: "x" "y" | "y"',
    "star of star": 'start: (a+)+ "."\na: "x"',
    "far": 'start: p "k" "k" "k" "m" | q "k" "k" "k" "m"\np: "c"\nq: "c"',
}


@pytest.mark.parametrize("name", AMBIGUOUS)
def test_lark_finds_two_derivations_too(name):
    from lark import Lark

    report = lint(AMBIGUOUS[name], format="lark")
    (finding, *_) = [each for each in report.findings if each.derivations]
    earley = Lark(AMBIGUOUS[name], parser="earley", ambiguity="explicit", lexer="basic")
    if name not in ("empty", "star of star"):  # lark's forest shares what repetitions became
        tree = earley.parse(finding.example)
        assert list(tree.find_data("_ambig")), finding.example
    assert report.facts["ambiguity"].startswith("found")


UNAMBIGUOUS = {
    # LR(2): after "q" one cannot tell which rule to reduce.
    "two symbols": 'start: a "x" "1" | b "x" "2"\na: "q"\nb: "q"',
    # LR(1), but not LALR(1).
    "merged": 'start: "u" a "x" | "u" b "y" | "v" a "y" | "v" b "x"\na: "q"\nb: "q"',
    "palindromes": 'start: "a" start "a" | "b" start "b" | ',
}


@pytest.mark.parametrize("name", UNAMBIGUOUS)
def test_conflicts_without_ambiguity(name):
    report = lint(UNAMBIGUOUS[name], format="lark")
    found = [each for each in report.findings if "conflict" in each.message]
    assert found
    assert not any(each.derivations for each in found)
    assert report.facts["ambiguity"] == "none found within 8 terminals after a conflict"
    merged = [each for each in found if "no text comes to it" in each.message]
    assert bool(merged) == (name == "merged")


def test_priorities_resolve_reductions():
    source = 'start: a "x" | b "x"\na.2: "q"\nb: "q"'
    (finding,) = [
        each for each in lint(source, format="lark").findings if each.check == "reduce-reduce"
    ]
    assert finding.severity == "warning"
    assert "the rule of the higher priority" in finding.hint
    (finding,) = [
        each
        for each in lint(source.replace(".2", ""), format="lark").findings
        if each.check == "reduce-reduce"
    ]
    assert finding.severity == "error"
    assert (finding.line, finding.column) == (2, 1)
    assert finding.example == "qx"


def test_bounds():
    source = AMBIGUOUS["far"]
    assert lint(source, format="lark").facts["ambiguity"].startswith("found")
    for bounds in ({"ambiguity_pairs": 0}, {"timeout_s": 0}):
        found = lint('start: "a" start "a" "a" | "a" start "a" | "x"', format="lark", **bounds)
        assert not found.facts["ambiguity"].startswith("found") or not bounds


def test_what_only_merged_states_look_for_does_not_end_the_search():
    """The end of the text follows an expression in one of the merged states only."""
    report = lint(
        'start: s\ns: "n" "=" e | "if" e "then" s\ne: e "+" e | "n"',
        format="lark",
    )
    (finding,) = [each for each in report.findings if each.check == "shift-reduce"]
    assert finding.derivations
    assert len(set(finding.derivations)) == 2
    assert report.facts["ambiguity"] == "found, at 1 of 1 groups of conflicts"


def test_nothing_is_completed_past_the_deadline():
    grammar = lr_judges.symbol_grammar({"S": (("A",), ("B",)), "A": (("a",),), "B": (("a",),)})
    told = {
        deadline: check_conflicts(
            grammar, Automaton(grammar), Lexemes(grammar), bounds=Bounds(deadline=deadline)
        ).findings[0]
        for deadline in (0.0, float("inf"))
    }
    assert not told[0.0].derivations
    assert told[float("inf")].derivations
