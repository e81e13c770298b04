"""States whose ends are far off, or many ways from them lead nowhere: masks and steps say the same.

Nested phrases have to be closed one by one, each by a lexeme that not every other may stand before.
Judged by lark: a sentence that it parses is allowed token by token, and a text that masks lead to
is completed to one that it parses.
"""

import random

import lark
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import formgate
from formgate.core.errors import EmptyLanguageError, FormgateError, LimitError, TokenError

CLOSED_BY_SIGNS = """
start: e
e: T | "(" e ")" | e e "€" | "€"
T: ("é"|"€x"|"b")~1..3
"""
PIECES = [
    "(",
    ")",
    "é",
    "a",
    "b",
    "x",
    "€",
    "é)",
    "(é",
    "a)",
    "é(b)é",
    "é(b)éé",
    "€x",
    "b)é€",
    "éb)",
]
TOKENS = [
    *(bytes([byte]) for byte in range(256)),
    *(piece.encode() for piece in PIECES if len(piece.encode()) > 1),
    b"(\xc3",
    b"\xa9)",
    b"a\xc3",
    b"\xe2\x82",
    b"\xacx",
]
STOP = len(TOKENS)
VOCABULARY = formgate.Vocabulary([*TOKENS, None], stop_ids=[STOP])

# What a terminal matches, and lexemes of it.
TERMINALS = {
    "[ab]+": ["a", "ab"],
    "[abé]+": ["é", "ba"],
    "(éx)+": ["éx"],
    "(é|xy)+": ["é", "xyé"],
    "€+x?": ["€", "€€x"],
    "(aé)+": ["aé"],
    "(éé|a)+": ["a", "éé"],
    "é+": ["é", "éé"],
    "(é|€x|b){1,3}": ["b", "éb€x"],
}
LITERALS = ["é", "(", ")", "€", "x", "éa"]


def compiled(source: str, parser: str = "earley") -> formgate.Engine:
    return formgate.compile(source, VOCABULARY, format="lark", parser=parser, lexer="basic")


def check_state(engine: formgate.Engine, state: formgate.State, text: bytes) -> list[int]:
    """Return the tokens of a mask, having asked about each token alone, too."""
    mask = engine.allowed_tokens(state).to_list()
    alone = [token for token in range(STOP + 1) if engine.is_allowed(state, token)]
    assert mask == alone, (text, [TOKENS[token] for token in set(mask) ^ set(alone)])
    assert mask, text
    return [token for token in mask if token != STOP]


def completed(engine: formgate.Engine, state: formgate.State, text: bytes) -> bytes:
    """Return the text with as few tokens as possible after it that complete it.

    Raises:
        LimitError: this takes too long to find out
    """
    while not engine.is_accepting(state):
        left = engine.min_tokens(state)
        for token in engine.allowed_tokens(state).to_list():
            after = engine.advance(state, token)
            if engine.min_tokens(after) < left:
                text, state = text + TOKENS[token], after
                break
    return text


def walk(engine: formgate.Engine, judge: lark.Lark, rng: random.Random, most: int) -> None:
    state, text = engine.start(), b""
    for _ in range(most):
        tokens = check_state(engine, state, text)
        if not tokens:
            break
        # A token of several bytes, where there is one.
        long = [token for token in tokens if token > 255]
        token = rng.choice(long if long and rng.random() < 0.7 else tokens)
        state, text = engine.advance(state, token), text + TOKENS[token]
        assert engine.is_prefix(text)
    try:
        whole = completed(engine, state, text)
    except LimitError:
        return
    judge.parse(whole.decode())


def check_text(engine: formgate.Engine, text: str, rng: random.Random) -> None:
    """Read a text that is in the language, in tokens at random."""
    data, at, state = text.encode(), 0, engine.start()
    while at < len(data):
        fitting = [i for i, token in enumerate(TOKENS) if data.startswith(token, at)]
        token = rng.choice(fitting)
        for each in fitting:
            assert engine.is_allowed(state, each), (data[:at], TOKENS[each])
        assert set(fitting) <= set(engine.allowed_tokens(state).to_list()), data[:at]
        state, at = engine.advance(state, token), at + len(TOKENS[token])
    assert engine.is_accepting(state)


@pytest.mark.parametrize("seed", range(4))
def test_phrases_closed_by_signs_of_several_bytes(seed: int) -> None:
    judge = lark.Lark(CLOSED_BY_SIGNS, parser="earley", lexer="basic")
    walk(compiled(CLOSED_BY_SIGNS), judge, random.Random(seed), 6)


@pytest.mark.parametrize("text", ["(é(b)éé€€)", "é(b)éé€€", "(é(b)é€€)", "((é(b)é€€)bb€)"])
def test_sentences_that_masks_lead_to(text: str) -> None:
    lark.Lark(CLOSED_BY_SIGNS, parser="earley", lexer="basic").parse(text)
    check_text(compiled(CLOSED_BY_SIGNS), text, random.Random(0))


def test_ends_of_many_bytes_that_a_contextual_lexer_reads() -> None:
    # After most of its terminals another would take the text of "éa", were it looked for.
    source = """
start: e
e: T | "(" e ")" | f e "éa"
f: " " "é" " " | "(" f ")" | U
T: ("é" "x")+
U: ("é"|"€x"|"b")~1..3
%ignore " "
"""
    text = "é(é(b)éxéaéa)éa"
    lark.Lark(source, parser="lalr").parse(text)
    engine = formgate.compile(source, VOCABULARY, format="lark")
    check_text(engine, text, random.Random(0))
    state = engine.start()
    for character in "é(":
        check_state(engine, state, b"")
        for byte in character.encode():
            state = engine.advance(state, byte)
    check_state(engine, state, "é(".encode())


def test_no_token_leads_to_what_cannot_be_closed() -> None:
    # Each phrase in brackets needs a sign that no text has there.
    source = 'start: e\ne: "(" e ")" | A "a" | "b"\nA: /a+/\n'
    engine = compiled(source)
    state = engine.start()
    for _ in range(300):
        state = engine.advance(state, TOKENS.index(b"("))
    assert engine.allowed_tokens(state).to_list() == sorted(map(TOKENS.index, (b"(", b"b")))
    with pytest.raises(TokenError):
        engine.advance(state, TOKENS.index(b"a"))


@st.composite
def grammars(draw):
    """Draw terminals and rules; each rule has a body that ends."""
    patterns = draw(
        st.lists(st.sampled_from(sorted(TERMINALS)), min_size=2, max_size=2, unique=True)
    )
    symbols = st.sampled_from(["T", "U", "e", "f", *LITERALS])
    bodies = st.lists(symbols, min_size=1, max_size=3)
    return (
        dict(zip("TU", patterns, strict=True)),
        {
            "start": [["e"]],
            "e": [["T"], ["(", "e", ")"], draw(bodies), draw(bodies)],
            "f": [["U"], ["(", "f", ")"], draw(bodies)],
        },
    )


def written(terminals, rules) -> str:
    def spelled(symbol: str) -> str:
        return symbol if symbol in terminals or symbol in rules else f'"{symbol}"'

    lines = [
        f"{name}: {' | '.join(' '.join(map(spelled, body)) for body in bodies)}"
        for name, bodies in rules.items()
    ]
    return "\n".join([*lines, *(f"{name}: /{own}/" for name, own in terminals.items())]) + "\n"


def sentence(terminals, rules, rng: random.Random) -> str:
    """Return a sentence, spelled with lexemes that its terminals may have."""
    pending, out, steps = ["start"], "", 0
    while pending:
        symbol = pending.pop()
        if symbol in terminals:
            out += rng.choice(TERMINALS[terminals[symbol]])
        elif symbol not in rules:
            out += symbol
        else:
            steps += 1
            bodies = rules[symbol] if steps < 6 else rules[symbol][:1]
            pending.extend(reversed(rng.choice(bodies)))
    return out


@settings(max_examples=40, deadline=None)
@given(grammars(), st.sampled_from(["earley", "lalr"]), st.integers(0, 999))
def test_masks_and_steps_are_as_lark_reads(grammar, parser, seed) -> None:
    terminals, rules = grammar
    source = written(terminals, rules)
    # Where its LALR parser resolves conflicts, all readings count.
    judge = lark.Lark(source, parser="earley", lexer="basic")
    try:
        lark.Lark(source, parser=parser, lexer="basic")
    except lark.exceptions.GrammarError:
        return
    rng = random.Random(seed)
    parsed = []
    for _ in range(40):
        text = sentence(terminals, rules, rng)
        try:
            judge.parse(text)
        except lark.exceptions.UnexpectedInput:
            continue
        parsed.append(text)
    try:
        engine = compiled(source, parser)
    except EmptyLanguageError:
        assert not parsed
        return
    except FormgateError:  # more than is looked at while compiling, or what is refused
        return
    for text in sorted(set(parsed), key=len)[:6]:
        check_text(engine, text, rng)
    walk(engine, judge, rng, 4)
