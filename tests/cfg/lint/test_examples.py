"""Examples of conflicts are texts that lark's own lexer reads as the terminals told."""

from __future__ import annotations

import itertools
import re

import pytest

pytest.importorskip("lark")

import lark
import lark_grammars
from hypothesis import HealthCheck, assume, example, given, settings

from formgate.core.errors import FormgateError
from formgate.plugins.cfg import lint


def conflicts(source, **options):
    found = lint(source, format="lark", options=options)
    return [each for each in found.findings if each.check in ("shift-reduce", "reduce-reduce")]


def test_names_are_not_keywords():
    (found,) = conflicts(
        'start: s\ns: "if" e "then" s | "if" e "then" s "else" s | ID\ne: ID\n'
        "ID: /[a-z]+/\n%ignore / +/"
    )
    assert found.example is not None
    parser = lark.Lark(
        'start: ("if" | "then" | "else" | ID)*\nID: /[a-z]+/\n%ignore / +/', parser="lalr"
    )
    names = [token.type for token in parser.lex(found.example)]
    assert names == ["IF", "ID", "THEN", "IF", "ID", "THEN", "ID", "ELSE", "ID"]


def test_without_blanks_no_text_is_read_so():
    (found,) = conflicts(
        'start: s\ns: "if" e "then" s | "if" e "then" s "else" s | ID\ne: ID\nID: /[a-z]+/'
    )
    assert found.example is None
    assert "no text was found that the lexer reads as 'if' ID 'then' 'if' ID" in found.message
    assert len(found.derivations) == 2


def test_a_terminal_that_another_takes():
    grammar = 'start: e\ne: e "+" e | /[0-9]+/ | /[0-9a-f]+/ "x"\n'
    (found,) = conflicts(grammar)
    assert found.example is None
    assert "as /[0-9]+/ '+' /[0-9]+/ '+' /[0-9]+/" in found.message
    (found,) = conflicts(grammar.replace("[0-9a-f]", "[0-8a-f]"))
    assert set(re.findall("[^+]", found.example)) == {"9"}


def test_collisions_before_the_conflict():
    source = 'start: a NUM X | b NUM Y\na: ID\nb: ID\nID: /[a-z]+/\nNUM: /[0-9]+/\nX: "x"\nY: "y"'
    (found,) = conflicts(source)
    assert found.severity == "error"
    assert found.example == "a"
    assert "with '0' next" in found.message


@pytest.mark.parametrize("longest", [False, True])
def test_what_lint_calls_terminals_without_names(longest):
    options = {"lexing": "longest"} if longest else {}
    report = lint(
        'start: e\ne: e "+" e | /[0-9]+/ | NAME | /[a-z0-9]+/ "foo bar" | "if"i\nNAME: /[a-z]+/\n',
        format="lark",
        options=options,
    )
    text = report.to_text() + report.to_json()
    assert "__ANON" not in text
    assert "PLUS" not in text
    both = "terminals /[a-z0-9]+/ and /[0-9]+/ both match"
    assert (both if longest else "terminal /[0-9]+/ is never read") in text
    assert "NAME.2: /[0-9]+/" in text


def test_keywords_in_any_case():
    source = 'start: e\ne: e "AND"i e | NAME\nNAME: /and|AND|%s/\n%%ignore / +/\n'
    (found,) = conflicts(source % "xor", lexer="basic")
    assert found.example == "xor and xor and xor"
    (found,) = conflicts(source % "AnD", lexer="basic")
    assert found.example is None
    parser = lark.Lark(source % "AnD", parser="earley", lexer="basic")
    assert {token.type for token in parser.lex("and AND AnD")} == {"AND"}


def test_what_is_ignored_has_no_keywords():
    (found,) = conflicts('start: e\ne: e "b" e | "a"\n%ignore /b/')
    assert found.example is None
    assert "no text was found that the lexer reads as 'a' 'b' 'a' 'b' 'a'" in found.message


LEAF = re.compile(r"""(?<![\w"'/])('[^']*'|"[^"]*"i?|/[^ ]*/i?|[A-Z]+)(?=[ )\]]|$)""")


def tokens_of(parser, text):
    """Return the names of the terminals that lark cuts a text into; None where it is stuck."""
    try:
        return [token.type for token in parser.lex(text)]
    except lark.exceptions.LarkError:
        return None


@settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))
@given(lark_grammars.grammars())
@example('start: start | ("a" (x | "a"i))\nx: start (A)\nA: /ab?/\n')
@example('start: x A (start | y)*\nx: "a"\ny: y "ab"\nA: "b"\n')
def test_random_examples(source):
    """With the basic lexer, lark cuts an ambiguous example into what its derivations have."""
    try:
        parser = lark.Lark(source, parser="earley", lexer="basic", ambiguity="forest")
        found = conflicts(source, lexer="basic")
    except (lark.exceptions.LarkError, AssertionError, FormgateError):
        assume(False)
    checked = False
    for each in found:
        if each.example is None or not each.derivations:
            continue
        leaves = LEAF.findall(each.derivations[0])
        cut = tokens_of(parser, each.example)
        assert cut is not None, (source, each.example)
        assert len(cut) == len(leaves), (source, each.example, cut, leaves)
        assert lark_grammars.accepts(parser, each.example)
        for name, leaf in itertools.zip_longest(cut, leaves):
            if leaf.isalpha() and leaf.isupper():
                assert name == leaf
        checked = True
    assume(checked)


def test_the_statement_in_force_is_shown():
    (found,) = conflicts('b: "y"\nstart: a | b\na: "x"\n%override b: "x"')
    assert (found.subject, found.line, found.column) == ("b", 4, 11)
    (found,) = conflicts('a: "y"\nstart: a | b\nb: "x"\n%override a: "x"')
    assert (found.subject, found.line, found.column) == ("a", 4, 11)
