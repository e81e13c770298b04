"""Collisions, neighbours and lexer contexts, against interegular, ``re`` and canonical LR(1)."""

from __future__ import annotations

import itertools
import re
import sys
from contextlib import suppress
from pathlib import Path

import interegular
from hypothesis import assume, given, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).resolve().parent))
import lr_judges
from random_rules import rule_sets

from formgate.plugins.cfg import lint
from formgate.plugins.cfg._lint_adjacency import Adjacency
from formgate.plugins.cfg._lint_contextual import contextual_differences, uncertain
from formgate.plugins.cfg._lint_grammar import END
from formgate.plugins.cfg._lint_lexemes import Lexemes
from formgate.plugins.cfg._lint_lr import Automaton

WORDS = ["".join(word) for n in range(1, 6) for word in itertools.product("ab", repeat=n)]


def patterns():
    atoms = st.sampled_from(["a", "b", "[ab]", "ab", "ba"])
    part = st.tuples(atoms, st.sampled_from(["", "", "+", "*", "?", "{2}"]))
    sequence = st.lists(part, min_size=1, max_size=3).map(
        lambda parts: "".join(f"(?:{atom}){sign}" for atom, sign in parts)
    )
    return st.one_of(sequence, st.tuples(sequence, sequence).map("|".join))


def lexemes_of(**given_patterns):
    return Lexemes(lr_judges.symbol_grammar({"S": [()]}, given_patterns))


def texts(pattern):
    return {word for word in WORDS if re.fullmatch(pattern, word)}


@settings(max_examples=120, deadline=None)
@given(patterns(), patterns())
def test_shared_texts_are_those_of_interegular(one, other):
    found = lexemes_of(A=one, B=other).shared("A", "B")
    comparator = interegular.Comparator.from_regexes({"A": one, "B": other})
    assert (found is None) == comparator.isdisjoint("A", "B")
    if found is not None:
        assert re.fullmatch(one, found)
        assert re.fullmatch(other, found)


@settings(max_examples=120, deadline=None)
@given(patterns(), patterns())
def test_questions_about_pairs(one, other):
    show = lexemes_of(A=one, B=other)
    left, right = texts(one), texts(other)
    shadowed = show.shadowed("A", "B")
    for word in right - left:
        if any(word.startswith(begin) for begin in left):
            assert shadowed is not None
    if shadowed is not None:
        assert re.fullmatch(other, shadowed)
        assert not re.fullmatch(one, shadowed)
    beginning = show.beginning("A", "B")
    if any(x.startswith(y) or y.startswith(x) for x in left for y in right):
        assert beginning is not None
    if beginning is not None:
        for pattern in (one, other):
            assert any(re.fullmatch(pattern, beginning[:i]) for i in range(len(beginning) + 1))


@settings(max_examples=120, deadline=None)
@given(patterns(), patterns())
def test_neighbours(one, other):
    assume(not re.fullmatch(one, "") and not re.fullmatch(other, ""))
    adjacency = Adjacency(lexemes_of(A=one, B=other), longest=True)

    def extends(left, right):
        ends = range(1, len(right) + 1)
        return any(re.fullmatch(one, left + right[:end]) for end in ends)

    pairs = [(x, y) for x in texts(one) for y in texts(other) if len(x) < 5 and len(y) < 4]
    if any(not extends(x, y) for x, y in pairs):
        assert adjacency.is_clean("A", "B")
    found = adjacency.swallowed("A", "B")
    if found is not None:
        assert re.fullmatch(one, found[0])
        assert re.fullmatch(other, found[1])
        assert extends(*found)
    elif not adjacency.is_clean("A", "B"):
        raise AssertionError("what is never clean is swallowed")


PATTERNS = {"long": "[ab]+", "ab": "ab", "a": "a", "b": "b", "c": "c+"}


def taken(preferred, other):
    """Say whether a text begins with both, the preferred one standing first in lark's order."""
    order = list(PATTERNS)
    return order.index(preferred) < order.index(other) and any(
        x.startswith(y) or y.startswith(x)
        for x in texts(PATTERNS[preferred])
        for y in texts(PATTERNS[other])
    )


@settings(max_examples=150, deadline=None)
@given(rule_sets(letters=tuple(PATTERNS), most_rules=3))
def test_contextual_differences_are_those_of_canonical_lr1(rules):
    grammar = lr_judges.symbol_grammar(rules, PATTERNS).useful()
    assume(any(p.head == grammar.starts[0] for p in grammar.productions))
    automaton = Automaton(grammar)
    numbers = {kernel: i for i, kernel in enumerate(automaton.kernels)}
    names = automaton.names
    states, access = lr_judges.canonical_lr1(grammar)
    expected, doubtful = set(), set()
    for kernel, (closure, moves) in states.items():
        if access[kernel] is not None and access[kernel] not in PATTERNS:
            continue
        state = numbers[tuple(sorted({(number, dot) for number, dot, _ in kernel}))]
        viable = {symbol for symbol in moves if symbol in PATTERNS}
        viable |= {
            after
            for number, dot, after in closure
            if number and dot == len(grammar.productions[number - 1].body)
        }
        looked_for = {n for i, n in enumerate(names) if automaton.accepted(state) >> i & 1}
        looked_for.discard(END)
        for terminal in looked_for - viable:
            doubtful.add((state, terminal))
            if any(taken(terminal, other) for other in looked_for - {terminal}):
                expected.add((state, terminal))
    found = contextual_differences(grammar)
    assert len(found) == len(expected)
    assert {each.terminal for each in found} == {terminal for _, terminal in expected}
    assert bool(contextual_differences(grammar, limit=1)) == bool(expected)
    masks = uncertain(automaton)
    assert all(masks.get(state, 0) >> automaton.number[t] & 1 for state, t in doubtful)


def checks(source, **options):
    return [
        (each.severity, each.check, each.subject, each.example)
        for each in lint(source, format="lark", **options).findings
    ]


def test_keywords_and_priorities_are_no_collisions():
    assert checks('start: "if" NAME\nNAME: /[a-z]+/\n%ignore " "') == []
    assert checks("start: (A | B)+\nA.2: /a+/\nB: /[ab]+/\n%ignore / /") == []
    found = checks("start: (A | B)+\nA: /[ac]/\nB: /[ab]/\n%ignore / /")
    assert found == [("warning", "terminal-collision", "B", "a")]


def test_contextual_lexers_part_terminals():
    source = 'start: "x" A | "y" B\nA: /[ac]/\nB: /[ab]/\n%ignore / /'
    assert checks(source) == []
    assert [each[1] for each in checks(source, options={"lexer": "basic"})] == [
        "terminal-collision"
    ]


def test_the_winner_is_larks():
    from lark import Lark

    source = "start: (A | B)+\nA: /[ac]/\nB: /[ab]/\n%ignore / /"
    (finding,) = lint(source, format="lark").findings
    token = next(Lark(source, parser="lalr").lex(finding.example))
    assert f"lark reads '{token.type}'" in finding.message


def test_first_match_hides_a_longer_one():
    from lark import Lark
    from lark.exceptions import LarkError

    source = "start: (INT | REAL)+\nINT: /[0-9][0-9]*/\nREAL: /\\d+\\.\\d/\n%ignore / /"
    report = lint(source, format="lark")
    (finding,) = report.findings
    assert (finding.check, finding.subject) == ("terminal-shadowed", "REAL")
    tokens = []
    with_lark = Lark(source, parser="lalr")
    with suppress(LarkError):  # it may give up in the middle
        tokens.extend(token.type for token in with_lark.lex(finding.example))
    assert "REAL" not in tokens


def test_what_swallows_its_neighbour():
    assert checks('start: A "a"\nA: /a+/') == [("error", "adjacency", "A", "aa")]
    assert checks('start: A "a"\nA: /a+/\n%ignore " "') == []
    # The separator itself is swallowed.
    assert checks('start: A "a"\nA: /[a ]+/\n%ignore " "')[0][:3] == ("error", "adjacency", "A")
    assert checks('start: A "ab"\nA: /a+/')[0][:3] == ("error", "adjacency", "A")
    assert checks("start: A B\nA: /ab?/\nB: /b|c/")[0][:3] == ("warning", "adjacency", "A")
    lazy = "start: A B\nA: /a+?/\nB: /a/"
    assert checks(lazy) == []  # re takes one
    assert checks(lazy, options={"lexing": "longest"})[0][:3] == ("error", "adjacency", "A")


def test_look_around_and_laziness_are_understood():
    source = r"""
        start: STRING ("," STRING)*
        STRING: /".*?(?<!\\)(\\\\)*?"/
        %ignore / /
    """
    assert checks(source) == []


def test_terminals():
    found = checks('start: A B C\nA: /x*/\nB: /(?!y)y/\nC: /z(?= )/\nD: E "d"\nE: "e"\n%ignore " "')
    assert ("error", "zero-width-terminal", "A", "") in found
    assert ("error", "empty-terminal", "B", None) in found
    assert ("warning", "unused-terminal", "D", None) in found
    assert not any(each[2] in ("C", "E") for each in found if each[0] == "error")


def test_terminals_without_texts_that_nothing_uses():
    found = checks('start: A\nA: "a" | F\nEMPTYT: /[^\\s\\S]/\nF: /(?!y)y/')
    assert ("warning", "unused-terminal", "EMPTYT", None) in found
    assert ("warning", "empty-terminal", "EMPTYT", None) in found
    assert ("warning", "empty-terminal", "F", None) in found  # a part of another
    assert not any(each[0] == "error" for each in found)


def test_terminals_that_are_empty_before_some_text():
    """As lark counts: the least that the pattern takes, look-around left out."""
    found = checks("start: A B\nA: /(?=[ab])(?:x|b?)/\nB: /(?=b)b/")
    assert ("error", "zero-width-terminal", "A", None) in found
    assert not any(each[2] == "B" for each in found)


def test_contextual_difference_is_told():
    found = lint(
        'start: "u" a "if" | "v" a NAME\na: "q"\nNAME: /[a-z]+/\n%ignore " "', format="lark"
    )
    texts_found = {each.subject: each for each in found.findings}
    assert texts_found['"if"'].check == "contextual-difference"
    assert texts_found['"if"'].example == "if"
    assert 'after "v q"' in texts_found['"if"'].message
