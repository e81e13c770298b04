"""Lexemes left under a condition that lasts: no comment may ever be closed behind them.

In `a/*a` the slash is a terminal, because no comment comes to an end there; none may come to an
end later, either. Such conditions are met while masks are made. What leads on is judged by lark:
all texts up to a length are parsed, and a text leads on where one of them begins with it. White
space leads on, too, but never where nothing else does, so the texts have none.
"""

import threading
from itertools import product

import lark
import pytest

import formgate
from formgate.core.errors import EmptyLanguageError, FormgateError, LimitError

CHARACTERS = "a/*"
TOKENS = [*CHARACTERS, *map("".join, product(CHARACTERS, repeat=2)), "/*/", "*/a", "/**"]
VOCABULARY = formgate.Vocabulary(
    [*(token.encode() for token in TOKENS), b" ", None], stop_ids=[len(TOKENS) + 1]
)

LONGEST = 8  # four characters finish any text of four, if any do
LONGEST_PREFIX = 3

GRAMMAR = r"""
start: item (("/" | "*") item)*
item: "*"* NAME
NAME: /a+/
%ignore /\/\*[^*]*\*\//
%ignore " "
"""


def texts(longest: int) -> list[str]:
    return ["".join(text) for n in range(longest + 1) for text in product(CHARACTERS, repeat=n)]


@pytest.fixture(scope="module", params=["contextual", "basic"])
def judged(request: pytest.FixtureRequest) -> tuple[formgate.Engine, set[str], set[str]]:
    """The engine, the texts that lark accepts, and all that they begin with."""
    judge = lark.Lark(GRAMMAR, parser="lalr", lexer=request.param)
    accepted = set()
    for text in texts(LONGEST):
        try:
            judge.parse(text)
        except lark.exceptions.UnexpectedInput:
            continue
        accepted.add(text)
    begun = {text[:i] for text in accepted for i in range(len(text) + 1)}
    engine = formgate.compile(GRAMMAR, VOCABULARY, format="lark", lexer=request.param)
    return engine, accepted, begun


def test_texts_are_those_that_lark_accepts(
    judged: tuple[formgate.Engine, set[str], set[str]],
) -> None:
    engine, accepted, _ = judged
    for text in texts(LONGEST - 1):
        assert engine.accepts(text) == (text in accepted), text


def test_masks_hold_the_tokens_that_lead_on(
    judged: tuple[formgate.Engine, set[str], set[str]],
) -> None:
    engine, accepted, begun = judged
    for text in texts(LONGEST_PREFIX):
        if text not in begun:
            assert not engine.is_prefix(text.encode()), text
            continue
        state = engine.start()
        for character in text:
            state = engine.advance(state, TOKENS.index(character))
        allowed = set(engine.allowed_tokens(state).to_list())
        for number, token in enumerate(TOKENS):
            if len(text + token) <= LONGEST_PREFIX + 1:
                assert (number in allowed) == (text + token in begun), (text, token)
        assert engine.is_accepting(state) == (text in accepted), text


@pytest.mark.parametrize("lexer", ["contextual", "basic"])
@pytest.mark.parametrize("rules", ["C | B start", "C | B+ C", 'C "c" | B start'])
def test_conditions_upon_conditions_take_no_stack(rules: str, lexer: str) -> None:
    """What follows each lexeme is left under one more condition, and nothing ever ends."""
    grammar = f"start: {rules}\nB: /a+b|a/\nC: /a(?=b)/"
    found: list[object] = []

    def compile_it() -> None:
        try:
            found.append(formgate.compile(grammar, VOCABULARY, format="lark", lexer=lexer))
        except FormgateError as error:
            found.append(error)

    before = threading.stack_size(1 << 18)
    try:
        thread = threading.Thread(target=compile_it)
        thread.start()
        thread.join()
    finally:
        threading.stack_size(before)
    assert isinstance(found[0], (LimitError, EmptyLanguageError))


@pytest.mark.parametrize(
    ("terminal", "unit"),
    [
        ('"é"+', "é"),
        ('("é" "x")+', "éx"),
        ('("é" | "xy")+', "é"),
        ("/(\u20ac)+/", "\u20ac"),
        ('"aaé"+', "aaé"),
    ],
)
@pytest.mark.parametrize("start", ["B+", "B*", "(A | B)*", '"q" B*'])
def test_lexemes_cut_inside_characters(byte_vocabulary, start, terminal, unit):
    """Every byte of a character leaves conditions that nest in each other."""
    engine = formgate.compile(
        f"start: {start}\nA: /!+/\nB: {terminal}\n", byte_vocabulary, format="lark"
    )
    begin = "q" if start.startswith('"q"') else ""
    judge = lark.Lark(f"start: {start}\nA: /!+/\nB: {terminal}\n", parser="lalr")
    state = engine.start()
    for byte in (begin + unit).encode():
        assert byte in engine.allowed_tokens(state).to_list()
        state = engine.advance(state, byte)
    bytes_after = {byte for byte in engine.allowed_tokens(state).to_list() if byte < 256}
    expected = set()
    for text in ("é", "xy", "éx", "\u20ac", "aaé", "!"):
        try:
            judge.parse(begin + unit + text)
        except lark.exceptions.LarkError:
            continue
        expected.add(text.encode()[0])
    assert expected <= bytes_after
    assert engine.accepts(begin + unit * 2)
    # The readings that cannot go on are dropped, so the states are few.
    seen = {}
    work = [engine.start()]
    while work:
        state = work.pop()
        if state.key in seen:
            continue
        seen[state.key] = None
        assert len(seen) < 60
        tokens = engine.allowed_tokens(state).to_list()
        work += [engine.advance(state, byte) for byte in tokens if byte < 256]
