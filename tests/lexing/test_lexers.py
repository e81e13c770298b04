"""Grammars with a lexer: languages and masks against a judge made of ``re`` and Earley."""

from __future__ import annotations

import pytest
from earley import Earley
from hypothesis import given, settings
from hypothesis import strategies as st
from lexed_cases import FIRST, check, compile_lexed, lexed_grammars, vocabulary, written
from lexer_judge import Lexeme, LexerJudge

import formgate
from formgate.core.errors import EmptyLanguageError, GrammarError
from formgate.core.grammar import GrammarBuilder, Terminal
from formgate.plugins.regex import compile_first_match, compile_lexeme, compile_regex

# By look-ahead, or by the longest match where that comes to the same.
FIRST_WRITERS = [compile_first_match, compile_lexeme]


@settings(max_examples=150, deadline=None)
@given(lexed_grammars(), st.booleans())
def test_longest_match(grammar, contextual):
    rules, terminals = grammar
    check(rules, terminals, "longest", contextual=contextual)


@settings(max_examples=200, deadline=None)
@given(lexed_grammars(FIRST), st.booleans(), st.sampled_from(FIRST_WRITERS))
def test_first_match(grammar, contextual, write):
    rules, terminals = grammar
    check(rules, terminals, "first", contextual=contextual, write=write)


def keyworded(grammar, embedded):
    """Add a keyword of the first terminal that is not a literal."""
    rules, terminals = grammar
    rules = {
        name: [*bodies, ("k", "S") if name == "S" else ("k",)] for name, bodies in rules.items()
    }
    keyword = Lexeme("k", "ab", keyword_of="x", embedded=embedded)
    return rules, [keyword, *terminals]


@settings(max_examples=80, deadline=None)
@given(
    lexed_grammars(["[ab]+", "a+b*", "ab", "a[ab]*"]),
    st.sampled_from(["longest", "first"]),
    st.booleans(),
    st.booleans(),
    st.sampled_from(FIRST_WRITERS),
)
def test_keywords(grammar, mode, contextual, embedded, first):
    rules, terminals = keyworded(grammar, embedded)
    write = compile_regex if mode == "longest" else first
    check(rules, terminals, mode, contextual=contextual, write=write)


def test_falls_back_to_an_earlier_end():
    rules = {"S": [("x", "y", "x")]}
    digits = Lexeme("x", "b+( b+)?")
    check(rules, [digits, Lexeme("y", "  ")], "longest", contextual=True, most=8)


def test_a_language_that_longest_match_empties():
    rules = {"S": [("x", "y")]}
    with pytest.raises(EmptyLanguageError):
        compile_lexed(rules, [Lexeme("x", "a+"), Lexeme("y", "a")], "longest", contextual=True)


@pytest.mark.parametrize("contextual", [True, False])
def test_hundreds_of_terminals(contextual):
    builder = GrammarBuilder()
    names = [f"T{i}" for i in range(300)]
    terminals = [Terminal(name, builder.literal(f"<{name}>")) for name in names]
    one = builder.choice(*(builder.terminal(name) for name in names))
    builder.start(builder.lexed(builder.plus(one), terminals, contextual=contextual))
    engine = builder.build().compile(
        formgate.Vocabulary([bytes([i]) for i in range(256)] + [None], stop_ids=[256])
    )
    assert engine.accepts("<T7><T299><T0>")
    assert not engine.accepts("<T7><T300>")


def test_what_is_refused():
    def start(write):
        builder = GrammarBuilder()
        builder.start(write(builder))
        return builder.build().compile(vocabulary())

    cases = {
        "outside lexed": lambda b: b.terminal("x"),
        "not among those": lambda b: b.lexed(b.terminal("y"), [Terminal("x", b.literal("a"))]),
        "given twice": lambda b: b.lexed(
            b.terminal("x"), [Terminal("x", b.literal("a")), Terminal("x", b.literal("b"))]
        ),
        "no terminal": lambda b: b.lexed(b.literal("a"), [Terminal("x", b.literal("a"))]),
        "empty text": lambda b: b.lexed(b.terminal("x"), [Terminal("x", b.star(b.literal("a")))]),
        "made of characters": lambda b: b.lexed(b.terminal("x"), [Terminal("x", b.rule("r"))]),
        "not given": lambda b: b.lexed(
            b.terminal("x"), [Terminal("x", b.literal("a"), keyword_of=[("z", True)])]
        ),
    }
    for message, write in cases.items():
        with pytest.raises(GrammarError, match=message):
            start(write)
    with pytest.raises(GrammarError, match="mode"):
        start(lambda b: b.lexed(b.terminal("x"), [Terminal("x", b.literal("a"))], mode="shortest"))


def test_the_judge_knows_a_lexer():
    assert Earley({"S": [("x",)]}, "S").accepts("x")
    judge = LexerJudge(
        {"S": [("x", "y")]}, [Lexeme("x", "a+"), Lexeme("y", "b")], "longest", contextual=True
    )
    assert judge.accepts("aab")
    assert not judge.accepts("aabb")


@pytest.mark.parametrize("tokens", [[b"a"], [b"a", b"xb"], [b"aa", b"xb"]])
@pytest.mark.parametrize("mode", ["longest", "first"])
def test_terminals_that_no_token_spells_still_compete(tokens, mode):
    rules = {"S": [("x", "z"), ("y", "y")]}
    terminals = [Lexeme("x", "aa"), Lexeme("y", "a"), Lexeme("z", "x")]
    built = written(rules, terminals, mode, contextual=True)
    words = formgate.Vocabulary([*tokens, None], stop_ids=[len(tokens)])
    with pytest.raises(EmptyLanguageError):
        built.compile(words)
