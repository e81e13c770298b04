"""Rules that stand only in differences: they are used, though no production leads to them."""

from __future__ import annotations

import pytest

from formgate.plugins.cfg import check_grammar, lint

W3C = """\
root ::= "<" name ">"
name ::= word - keyword
word ::= letter+
letter ::= [a-z]
keyword ::= "if" | "else"
"""
ISO = """\
root = a - b;
a = c, {c};
b = "x" | "y";
c = "x" | "y" | "z";
"""


def drawn(source):
    return check_grammar(source, accept={}, reject={}, format="ebnf", count=10)


def unused(source):
    report = lint(source, format="ebnf")
    return [each.subject for each in report.findings if each.check == "unreachable-rule"]


@pytest.mark.parametrize("source", [W3C, ISO])
def test_rules_in_differences_are_used(source):
    assert unused(source) == []


def test_what_nothing_uses_is_still_told():
    assert unused(W3C + 'other ::= "a" - more\nmore ::= "b"\n') == ["other", "more"]
    assert unused(W3C.replace("word - keyword", '"a"')) == ["word", "letter", "keyword"]
    assert unused(W3C.replace("- keyword", '- "if"')) == ["keyword"]
    assert unused(ISO + 'd = "x" - b;\n') == ["d"]


@pytest.mark.parametrize(
    ("source", "counted", "inside"),
    [(W3C, 2, ["word", "letter", "keyword"]), (ISO, 1, ["a", "b", "c"])],
)
def test_coverage_says_which_rules_it_does_not_count(source, counted, inside):
    report = drawn(source)
    figures = report.coverage["samples and drawn texts"]
    assert (figures["rules"], figures["rules_not_counted"]) == (counted, inside)
    assert f"read as one terminal: {'; '.join(inside)}" in str(report)


def test_coverage_counts_rules_that_stand_elsewhere_too():
    source = 'root ::= word | "<" (word - keyword) ">"\nword ::= [a-z]+\nkeyword ::= "if" | other'
    source += '\nother ::= "else"\n'
    report = drawn(source)
    figures = report.coverage["samples and drawn texts"]
    assert (figures["rules"], figures["rules_not_counted"]) == (2, ["keyword", "other"])


def test_coverage_without_differences_names_none():
    report = drawn('root ::= a\na ::= "x"')
    assert "not counted" not in str(report)


def test_a_terminal_that_holds_rules_is_shown_in_one_line():
    samples = {"accept": {"a": b"<a>"}, "reject": {"r": b"<if>"}}
    report = check_grammar(W3C.replace('">"', '"!"?'), format="ebnf", count=0, **samples)
    assert not report.ok
    assert "  terminals not used: " in str(report)
    assert "\nkeyword = " not in str(report)
