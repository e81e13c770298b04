"""Tokens that end inside a character, where that character may or may not be of a repeated class.

A lead byte is shared by characters inside a class and outside it, so whether text has left the
class is not known before the character is complete. Masks are held against ``is_allowed``, which
follows bytes and knows nothing of classes, and ends against ``re``.
"""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import formgate
from formgate.core.compiler import build_grammar
from formgate.core.errors import EmptyLanguageError
from formgate.core.grammar import MaskOptions

# Families that share lead bytes, of each UTF-8 length.
FAMILIES = ["éèâ", "日本。", "😀😁𐐀", "éã日旦"]


def check(pattern, tokens, most_states=200, options=None):
    """Compare mask and single answers for every token in every state reached."""
    vocabulary = formgate.Vocabulary([*tokens, None], stop_ids=[len(tokens)])
    grammar = build_grammar(pattern, format="regex")
    try:
        engine = grammar.compile(vocabulary, options=options)
    except EmptyLanguageError:
        return
    compiled = re.compile(pattern)
    seen = set()
    pending = [(engine.start(), b"")]
    while pending and len(seen) < most_states:
        state, text = pending.pop()
        if state.key in seen:
            continue
        seen.add(state.key)
        allowed = set(engine.allowed_tokens(state).to_list())
        assert allowed == {i for i in range(len(vocabulary)) if engine.is_allowed(state, i)}, text
        try:
            matches = compiled.fullmatch(text.decode()) is not None
        except UnicodeDecodeError:
            matches = False
        assert (len(tokens) in allowed) == matches
        pending += [
            (engine.advance(state, i), text + tokens[i]) for i in allowed if i < len(tokens)
        ]


@st.composite
def cases(draw):
    """Draw a counted class, what follows it, and tokens cut anywhere in their text."""
    family = draw(st.sampled_from(FAMILIES))
    members = draw(st.text("A " + family, min_size=1, max_size=3))
    follower = draw(st.text("A" + family, min_size=1, max_size=2))
    least = draw(st.integers(0, 2))
    most = draw(st.one_of(st.none(), st.integers(least, 4)))
    count = f"{{{least},{'' if most is None else most}}}"
    pattern = f"[{draw(st.sampled_from(['', '^']))}{members}]{count}{follower}"
    if draw(st.booleans()):
        pattern = f"(?:{pattern}|{draw(st.text('A' + family, min_size=1, max_size=2))})" + draw(
            st.sampled_from(["", "{0,2}", "*"])
        )
    texts = st.text("A " + family, min_size=1, max_size=3).map(str.encode)
    cut = st.tuples(texts, st.integers(0, 3), st.integers(0, 3)).map(
        lambda t: t[0][t[1] : len(t[0]) - t[2]]
    )
    tokens = [t for t in draw(st.lists(cut, max_size=12)) if t]
    single = sorted({bytes([b]) for b in ("A " + family).encode()})
    return pattern, [*single, *tokens]


@settings(max_examples=400, deadline=None)
@given(cases(), st.sampled_from([None, "cut_subtrees", "class_tables", "split_parts"]))
def test_masks_agree_with_single_answers(case, switch):
    pattern, tokens = case
    check(pattern, tokens, options=None if switch is None else MaskOptions(**{switch: False}))


@pytest.mark.parametrize(
    ("pattern", "token"),
    [
        ("[^é]{0,1}é", b"A\xc3"),
        ("[^日]{0,3}日", b"A\xe6\x97"),
        ("[^日]{0,5}日", b"AA\xe6\x97"),
        ("[A𐐨]{0,2}𐐀", b"A\xf0\x90\x90"),
        ("[ あ]{0,3}い", b" \xe3\x81"),
        ("[ 😁-😄]{0,2}😀", b" \xf0\x9f"),
    ],
)
def test_the_last_repetition_before_a_begun_character(pattern, token):
    check(pattern, [*(bytes([b]) for b in range(256)), token])


@pytest.mark.parametrize(("pattern", "spaces"), [("[ 😁]{0,3}😀", 2), ("[ 😁-😄]{0,2}😀", 1)])
def test_a_real_vocabulary(tekken_vocabulary, pattern, spaces):
    engine = formgate.compile(pattern, tekken_vocabulary)
    state = engine.start()
    space = next(
        i for i in range(len(tekken_vocabulary)) if tekken_vocabulary.token_bytes(i) == b" "
    )
    for _ in range(spaces):
        state = engine.advance(state, space)
    allowed = engine.allowed_tokens(state)
    for i in range(len(tekken_vocabulary)):
        assert (i in allowed) == engine.is_allowed(state, i)
