"""Small grammars with a lexer, and a check of their engines against a judge."""

from __future__ import annotations

import functools
import itertools
import random

from hypothesis import strategies as st
from lexer_judge import Lexeme, LexerJudge

import formgate
from formgate.core.errors import EmptyLanguageError, LimitError
from formgate.core.grammar import GrammarBuilder, Limits, Terminal
from formgate.plugins.regex import compile_regex

LETTERS = "ab "
# Texts of one lexeme where longest match is asked for; some swallow what another begins with.
PATTERNS = ["a", "b", "ab", "aa", "a+", "b+", "(ab)+", "[ab]+", "a|ab", "a*b", "ba?", "a(ba)*", " "]
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
    given = []
    for t in terminals:
        node = write(t.pattern, builder)
        pattern, longest = node if isinstance(node, tuple) else (node, False)
        keyword_of = [(t.keyword_of, t.embedded)] if t.keyword_of else []
        given.append(Terminal(t.letter, pattern, t.ignored, keyword_of, longest))
    builder.start(
        builder.lexed(
            builder.rule("S"), given, mode=mode, contextual=contextual, productions=productions
        )
    )
    return builder.build()


def compile_lexed(rules, terminals, mode, *, contextual, **options):
    built = written(rules, terminals, mode, contextual=contextual, **options)
    return built.compile(vocabulary(), limits=Limits(max_states=2000, max_nodes=200_000))


def completion(engine, state, most=40, states=10_000):
    """Return a shortest text that leads from a state to an end, or one that random steps found.

    The number of states may grow exponentially with the length: beyond so many, None is returned
    where 200 walks of random steps lead to no end either.

    Raises:
        AssertionError: No text of at most so many bytes leads to an end.
    """
    pending, seen = [(b"", state)], {state.key}
    for text, at in pending:
        if engine.is_accepting(at):
            return text.decode()
        if len(seen) > states:
            return _random_completion(engine, state, most)
        for token, after in _steps(engine, at) if len(text) < most else ():
            if after.key not in seen:
                seen.add(after.key)
                pending.append((text + vocabulary().token_bytes(token), after))
    raise AssertionError("an allowed token leads to no end")


def _random_completion(engine, state, most):
    chance = random.Random(0)
    for _ in range(200):
        text, at = b"", state
        while len(text) < most and not engine.is_accepting(at):
            ways = _steps(engine, at)
            assert ways, "an allowed token leads to no end"
            token, at = chance.choice(ways)
            text += vocabulary().token_bytes(token)
        if engine.is_accepting(at):
            return text.decode()
    return None


def _steps(engine, state):
    single = range(len(LETTERS))
    return [(t, engine.advance(state, t)) for t in single if engine.is_allowed(state, t)]


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
                assert rest is None or judge.accepts(longer + rest), (longer, rest)
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
