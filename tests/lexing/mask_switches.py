"""Masks of one grammar with a lexer, over many tokens, with every switch of the mask tables."""

from __future__ import annotations

import functools
import itertools
import random

from hypothesis import strategies as st
from lexed_cases import written

import formgate
from formgate.core.errors import EmptyLanguageError, LimitError
from formgate.core.grammar import Limits, MaskOptions
from formgate.plugins.regex import compile_lexeme, compile_regex

LETTERS = 'abcdef"é€'

SWITCHES = [
    MaskOptions(),
    MaskOptions(class_tables=False),
    MaskOptions(cut_subtrees=False),
    MaskOptions(split_parts=False),
    MaskOptions(prefix_uses=1),
    MaskOptions(walked_tokens=0),
    MaskOptions(walked_tokens=32),
    MaskOptions(keep_masks=False),
]


@functools.cache
def many_tokens() -> formgate.Vocabulary:
    """All texts of up to seven letters: subtrees are large enough for tables of their own."""
    texts = [
        "".join(word).encode() for n in range(1, 8) for word in itertools.product("ab ", repeat=n)
    ]
    return formgate.Vocabulary([*texts, None], stop_ids=[len(texts)])


@functools.cache
def long_words() -> formgate.Vocabulary:
    """All short texts, and long ones of few letters: some leave a class late, some never do."""
    short = ["".join(word) for n in (1, 2) for word in itertools.product(LETTERS, repeat=n)]
    some = random.Random(7)
    weights = [6, 6, 6, 6, 2, 1, 1, 1, 1]
    long = {"".join(some.choices(LETTERS, weights, k=some.randint(3, 11))) for _ in range(4000)}
    long |= {letter * n for letter in "abd" for n in range(3, 20)}
    texts = [text.encode() for text in [*short, *sorted(long)]]
    texts += [text[:-1] for text in ("é".encode(), "a€".encode(), "ab€".encode())]
    return formgate.Vocabulary([*texts, None], stop_ids=[len(texts)])


def check_tables(grammar, mode, contextual, choices, *, productions=(), words=None):
    write = compile_regex if mode == "longest" else compile_lexeme
    rules, terminals = grammar
    built = written(
        rules, terminals, mode, contextual=contextual, write=write, productions=productions
    )
    words = words or many_tokens()
    try:
        engines = [
            built.compile(words, limits=Limits(max_states=2000, max_nodes=200_000), options=options)
            for options in SWITCHES
        ]
    except (EmptyLanguageError, LimitError):
        return
    states = [engine.start() for engine in engines]
    for choice in choices:
        masks = [e.allowed_tokens(s).to_list() for e, s in zip(engines, states, strict=True)]
        assert all(mask == masks[0] for mask in masks)
        engine, state = engines[0], states[0]
        assert masks[0] == [t for t in range(len(words)) if engine.is_allowed(state, t)]
        tokens = [t for t in masks[0] if words.token_bytes(t) is not None]
        if not tokens:
            return
        # Long tokens are many; short ones lead through more states.
        token = tokens[int(len(tokens) * choice**4)]
        states = [e.advance(s, token) for e, s in zip(engines, states, strict=True)]
        assert len({s.key for s in states}) == 1


CHOICES = st.lists(st.floats(0, 1, exclude_max=True), min_size=1, max_size=5)
