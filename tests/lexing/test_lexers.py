"""Grammars with a lexer: languages and masks against a judge made of ``re`` and Earley."""

from __future__ import annotations

import functools
import itertools

import pytest
from earley import Earley
from hypothesis import given, settings
from hypothesis import strategies as st
from lexer_judge import Lexeme, LexerJudge

import formgate
from formgate.core.errors import EmptyLanguageError, GrammarError, LimitError
from formgate.core.grammar import GrammarBuilder, Limits, Terminal
from formgate.plugins.regex import compile_first_match, compile_regex

LETTERS = "ab "
# Texts of one lexeme where longest match is asked for; some swallow what another begins with.
PATTERNS = ["a", "b", "ab", "aa", "a+", "b+", "(ab)+", "[ab]+", "a|ab", "a*b", "ba?", "a(ba)*", " "]


@functools.cache
def vocabulary() -> formgate.Vocabulary:
    tokens = [b"a", b"b", b" ", b"ab", b"aab", b"b ", b" a", b"ba b", None]
    return formgate.Vocabulary(tokens, stop_ids=[8])


def written(rules, terminals, mode, *, contextual, write=compile_regex, productions=()):
    builder = GrammarBuilder()
    for name, bodies in rules.items():
        alternatives = [
            builder.seq(*(builder.rule(s) if s in rules else builder.terminal(s) for s in body))
            for body in bodies
        ]
        builder.define(name, builder.choice(*alternatives))
    given = [
        Terminal(
            t.letter,
            write(t.pattern, builder),
            t.ignored,
            [(t.keyword_of, t.embedded)] if t.keyword_of else [],
        )
        for t in terminals
    ]
    builder.start(
        builder.lexed(
            builder.rule("S"), given, mode=mode, contextual=contextual, productions=productions
        )
    )
    return builder.build()


def compile_lexed(rules, terminals, mode, *, contextual, **options):
    built = written(rules, terminals, mode, contextual=contextual, **options)
    return built.compile(vocabulary(), limits=Limits(max_states=2000, max_nodes=200_000))


def completion(engine, state, most=40):
    """Return some text that leads from a state to an end, shortest first."""
    pending, seen = [(b"", state)], {state.key}
    for text, at in pending:
        if engine.is_accepting(at):
            return text.decode()
        for token in range(3):
            if len(text) < most and engine.is_allowed(at, token):
                after = engine.advance(at, token)
                if after.key not in seen:
                    seen.add(after.key)
                    pending.append((text + vocabulary().token_bytes(token), after))
    return None


def check(rules, terminals, mode, *, contextual, most=6, judge=None, **options):
    judge = judge or LexerJudge(rules, terminals, mode, contextual=contextual)
    texts = [
        "".join(word) for n in range(most + 1) for word in itertools.product(LETTERS, repeat=n)
    ]
    accepted = {text for text in texts if judge.accepts(text)}
    viable = {text[:n] for text in accepted for n in range(len(text) + 1)}
    try:
        engine = compile_lexed(rules, terminals, mode, contextual=contextual, **options)
    except EmptyLanguageError:
        assert not accepted
        return
    except LimitError:  # whether the lexer gets stuck for ever is not decided for all grammars
        assert not accepted
        return
    assert {text for text in texts if engine.accepts(text)} == accepted
    tokens = [vocabulary().token_bytes(i) for i in range(len(vocabulary()))]
    pending, known = [("", engine.start())], {}
    while pending:
        text, state = pending.pop()
        assert known.setdefault(text, state.key) == state.key
        assert engine.is_accepting(state) == judge.accepts(text), text
        allowed = set(engine.allowed_tokens(state).to_list())
        assert allowed or engine.is_accepting(state), text
        for token, own in enumerate(tokens):
            if own is None:
                assert (token in allowed) == engine.is_accepting(state)
                continue
            longer = text + own.decode()
            if longer in viable:
                assert token in allowed, (text, own)
            if token not in allowed:
                continue
            after = engine.advance(state, token)
            if longer not in viable:
                rest = completion(engine, after)
                assert rest is not None, (text, own)
                assert judge.accepts(longer + rest), (longer, rest)
            if len(longer) <= 3 and longer not in known:
                pending.append((longer, after))


@st.composite
def lexed_grammars(draw, patterns=PATTERNS):
    """Draw rules over terminals x, y, z, and what these and an ignored terminal match."""
    letters = "xyz"[: draw(st.integers(1, 3))]
    names = ("S", "A")[: draw(st.integers(1, 2))]
    bodies = st.lists(st.sampled_from([*names, *letters]), max_size=3).map(tuple)
    rules = {name: draw(st.lists(bodies, min_size=1, max_size=3)) for name in names}
    terminals = [Lexeme(letter, draw(st.sampled_from(patterns))) for letter in letters]
    if draw(st.booleans()):
        terminals.append(Lexeme("w", draw(st.sampled_from([" ", " +", "b", "[b ]+"])), True))
    return rules, draw(st.permutations(terminals))


@settings(max_examples=150, deadline=None)
@given(lexed_grammars(), st.booleans())
def test_longest_match(grammar, contextual):
    rules, terminals = grammar
    check(rules, terminals, "longest", contextual=contextual)


FIRST = [
    "a",
    "b",
    "ab",
    "a+",
    "a+?",
    "a|ab",
    "ab|a",
    "(a|ab)(b|a)?",
    "[ab]*?b",
    "a+b?",
    "(ab?)+?",
    "a(?!b)",
    "a+(?=b)",
    "(?=ab)[ab]+",
    "ab(?<!bb)",
    "[ab]{2}(?<=ba)b?",
    "(a|b)+?a",
    "a{1,2}",
    "a{1,2}?b?",
    " ",
]


@settings(max_examples=200, deadline=None)
@given(lexed_grammars(FIRST), st.booleans())
def test_first_match(grammar, contextual):
    rules, terminals = grammar
    check(rules, terminals, "first", contextual=contextual, write=compile_first_match)


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
)
def test_keywords(grammar, mode, contextual, embedded):
    rules, terminals = keyworded(grammar, embedded)
    write = compile_regex if mode == "longest" else compile_first_match
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
