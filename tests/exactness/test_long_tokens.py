"""A token leads to the state that its bytes lead to, however many are read at once."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import formgate
from formgate.core.errors import TokenError

LENGTHS = st.sampled_from([1, 2, 3, 5, 20, 21, 39, 40, 41])
RUNS = st.builds(lambda char, count: char * count, st.sampled_from("aaabé"), LENGTHS)
TEXTS = st.lists(RUNS | st.text(alphabet='abc"\\', max_size=3), min_size=1, max_size=3).map("".join)
BASES = st.sampled_from(
    ["a", "[ab]", '[^".()]', "[a-cé]", '([^"\\\\.()]|[\\\\]["a])', "([a]|[b][c])"]
)
COUNTS = st.sampled_from(["*", "{0,3}", "{3,}", "{1,40}", "{0,41}", "{20,40}", "{40}"])
PARTS = st.builds(lambda base, count: f"({base}){count}", BASES, COUNTS) | st.sampled_from(
    ['["]', "[a]", "[b]", "([c])?", '([a]|["][b])']
)


END = ord(".")


@settings(max_examples=400, deadline=None)
@given(
    st.lists(PARTS, min_size=1, max_size=3).map("".join),
    st.lists(TEXTS.filter(lambda text: len(text) > 1), min_size=4, max_size=12),
)
def test_a_token_is_read_as_its_bytes(pattern, texts):
    words = [text.encode() for text in texts]
    tokens = [*(bytes([byte]) for byte in range(256)), *words, None]
    vocabulary = formgate.Vocabulary(tokens, stop_ids=[len(tokens) - 1])
    grammar = f"root ::= {pattern.replace('(a)', '([a])')} end\nend ::= [.] | [(] end [)]"
    engine = formgate.compile(grammar, vocabulary, format="gbnf")
    pending, seen = [(engine.start(), b"")], set()
    while pending and len(seen) < 20:
        state, text = pending.pop()
        if state.key in seen:
            continue
        seen.add(state.key)
        allowed = set(engine.allowed_tokens(state).to_list())
        # No part matches a full stop or a bracket: they come where the parts are whole.
        matches = re.fullmatch(pattern, text.decode()) is not None
        assert (END in allowed) == matches, text
        for token, word in enumerate(words, 256):
            here, taken = state, 0
            while taken < len(word) and word[taken] in engine.allowed_tokens(here).to_list():
                here = engine.advance(here, word[taken])
                taken += 1
            whole = taken == len(word)
            assert whole == (token in allowed), (text, word)
            if not whole:
                with pytest.raises(TokenError):
                    engine.advance(state, token)
                continue
            after = engine.advance(state, token)
            assert after.key == here.key
            pending.append((after, text + word))
