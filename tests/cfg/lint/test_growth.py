"""Ambiguous grammars whose texts are read in ever more ways, and those that only look like it."""

from __future__ import annotations

import pytest

from formgate.plugins.cfg import lint

GROWING = [
    'root ::= "c" | "c" n | "b" n\nn ::= root root | n "c"',
    'root ::= "c" | n\nn ::= root n | n "c" | "b" root',
    (
        'root ::= root "b" "a" | n1 root "c" | n1 n2 n1 | n1 "a" root "ab"\n'
        'n1 ::= "" | n2 | n1 n1\nn2 ::= "" | root "a" root root | "b" "b"'
    ),
    # Marks that open and close, of which one is two of another: drawn texts rarely show it.
    'root ::= (em | strong | [a-z ])*\nem ::= "*" root "*"\nstrong ::= "**" root "**"',
]
STEADY = [
    'root ::= root root | "a"',
    'root ::= root root root | root "a" | "a"',
    'root ::= root "+" root | root "*" root | "(" root ")" | [0-9]+',
    'root ::= "i" root | "i" root "e" root | "x"',
    'root ::= "a" root "a" | "b" root "b" | "a" | "b"',
    'root ::= np vp\nnp ::= "n" | np pp\npp ::= "p" np\nvp ::= "v" np | vp pp',
]


def checks(source, **given):
    return {finding.check: finding for finding in lint(source, format="gbnf", **given).findings}


@pytest.mark.parametrize("source", GROWING)
def test_growing_grammars_are_told(source):
    found = checks(source)["growth"]
    assert found.severity == "warning"
    assert found.subject == "root"
    assert found.example
    assert "max_growth" in found.hint


@pytest.mark.parametrize("source", STEADY)
def test_ambiguous_grammars_need_not_grow(source):
    assert "growth" not in checks(source)


def test_no_time_is_no_finding():
    assert "growth" not in checks(GROWING[0], timeout_s=0)


def test_a_grammar_that_does_not_compile_is_left_to_other_checks():
    source = 'start: e\ne: e e | A\nA: "a"\n%declare B\n'
    assert lint(source + "x: B", format="lark").findings


def test_growth_before_the_first_byte_is_told_too():
    pytest.importorskip("lark")
    source = 's:  | W s X | Y s s\nW: "a"\nX: "a"\nY: "b"\nZ: "a"'
    found = lint(source, format="lark", options={"start": "s"}).findings
    assert [each.example for each in found if each.check == "growth"] == [""]
