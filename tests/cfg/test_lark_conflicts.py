"""Where lark's parser resolves a conflict, texts go on: no allowed token leads to a dead end."""

from __future__ import annotations

import itertools

import pytest

pytest.importorskip("lark")

import lark_grammars
from hypothesis import HealthCheck, assume, given, settings
from lark_reader import Reader

import formgate
from formgate.core.errors import EmptyLanguageError, LimitError

END = 256


def completes(engine, state, most=400):
    """Say whether some text leads from a state to an end; None if it is not found out."""
    pending, seen = [state], {state.key}
    for each in pending:
        allowed = engine.allowed_tokens(each).to_list()
        if END in allowed:
            return True
        for token in allowed:
            after = engine.advance(each, token)
            if after.key not in seen:
                seen.add(after.key)
                pending.append(after)
        if len(seen) > most:
            return None
    return False


# In each, what lark's parser shifts or ends leads to where it can never end itself.
@pytest.mark.parametrize(
    ("source", "text"),
    [
        ('start: r0 K\nr0: R r0 "c"+ | K | "c" start K K\nR: /[bc]+/\nK: "a"\n%ignore / /', "b ba"),
        (
            (
                'start: r0 K0\nr0: R1 r0 "cb"+ | K0 | "cb" start K0 K0\nR1: /[abc]+/\nK0.1: "ab"\n'
                "%ignore / /"
            ),
            "a a ab",
        ),
        (
            (
                'start: r0 | "c" r0 R0 R1+\nr0: "c" R0 | "c" R0 | R0+\nR0.1: /a./\nR1: /[abc]+/i\n'
                "%ignore / /"
            ),
            "caaa",
        ),
        (
            (
                'start: "c" r2 "c" R0\nr1: "c" start r2* | "c" K0 "c"\nr2: R1 R0 K0 | "c" r2 "c"*\n'
                'R0: /(?!ab)[ab]+/\nR1: /a|ab/\nK0: "ba"\n%ignore / +(?!c)/'
            ),
            "cca",
        ),
        (
            (
                'start: K1 "cc"+ | R1 r0 K1 | "cb" R1 K1\nr0: "cb" start "cc" K1\nR1: /ab?/\n'
                'K1: "abab"'
            ),
            "acbaba",
        ),
    ],
)
def test_other_readings_go_on(byte_vocabulary, source, text):
    engine = formgate.compile(source, byte_vocabulary, format="lark")
    state = engine.start()
    for byte in text.encode():
        assert byte in engine.allowed_tokens(state).to_list()
        state = engine.advance(state, byte)
    assert completes(engine, state, 3000)


def test_texts_of_other_readings(byte_vocabulary):
    rules = 'r0: R r0 "c"+ | K | "c" start K K\nR: /[bc]+/\nK: "a"\n%ignore / /'
    engine = formgate.compile("start: r0 K\n" + rules, byte_vocabulary, format="lark")
    assert engine.accepts("b b a c c a")


@pytest.mark.parametrize(
    ("source", "text"),
    [
        # N competes in vain behind "p" "i", so it matters what lark's parser looks for.
        (
            (
                'start: "{" r ","? "}" | "p" y "k" | "q" y N\nr: A ("," A)*\ny: "i"\n'
                "A: /a+/\nN: /[a-z]+/\n%ignore / /"
            ),
            "{a, aa,}",
        ),
        # A cast, where lark's parser takes the name in brackets for a value.
        (
            (
                'start: (e ";")*\n?e: e "+" e | e "is" N | c | v\nc: "(" N ")" e\n'
                '?v: N | "(" e ")"\nN: /[a-z]+/\n%ignore / /'
            ),
            "(a) b + (c);",
        ),
    ],
)
def test_other_readings_are_taken(byte_vocabulary, source, text):
    engine = formgate.compile(source, byte_vocabulary, format="lark")
    assert engine.accepts(text)
    parser = lark_grammars.judge(source, parser="lalr")
    assert not lark_grammars.accepts(parser, text)
    assert Reader(parser).read(text).whole


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(lark_grammars.grammars())
def test_random_conflicts(byte_vocabulary, source):
    parser = lark_grammars.judge(source, parser="lalr")
    assume(parser is not None and lark_grammars.has_conflicts(parser))
    words = ["".join(word) for n in range(5) for word in itertools.product("abc ", repeat=n)]
    accepted = [word for word in words if lark_grammars.accepts(parser, word)]
    try:
        engine = formgate.compile(source, byte_vocabulary, format="lark")
    except (EmptyLanguageError, LimitError):
        assert not accepted
        return
    for word in accepted:
        assert engine.accepts(word), word
    reader = Reader(parser)
    for word in words:
        assert engine.accepts(word) <= reader.read(word).whole, word
    pending, seen = [engine.start()], set()
    for state in pending:
        assert completes(engine, state) is not False
        for token in engine.allowed_tokens(state).to_list():
            if token == END or token not in b"abc ":
                continue
            after = engine.advance(state, token)
            if after.key not in seen and len(seen) < 60:
                seen.add(after.key)
                pending.append(after)
