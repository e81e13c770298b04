"""A token leads to the state that its bytes lead to, however many are read at once."""

from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st

import formgate
from formgate.core.errors import EmptyLanguageError

TEXTS = st.text(alphabet='abcé"\\ \n', min_size=2, max_size=7)
BASES = st.sampled_from(
    [
        "a",
        "[ab]",
        '[^"]',
        "[a-c\u00e9]",
        "(?:[ab]|\\\\.)",
        "(?:ab|[ac])",
        "(?:a|bc?)",
        "[^\\x00-\\x1f]",
    ]
)
COUNTS = st.sampled_from(["*", "+", "?", "{2}", "{0,3}", "{2,5}", "{3,}", "{1,40}"])
PARTS = st.builds(lambda base, count: base + count, BASES, COUNTS) | st.sampled_from(
    ['"', "a", "b", "c?", '(?:a|"b)', "(?![^b])", "(?<=a)"]
)


@settings(max_examples=300, deadline=None)
@given(
    st.lists(PARTS, min_size=1, max_size=4).map("".join), st.lists(TEXTS, min_size=1, max_size=6)
)
def test_a_token_is_read_as_its_bytes(pattern, texts):
    words = [text.encode() for text in texts]
    tokens = [*(bytes([byte]) for byte in range(256)), *words, None]
    vocabulary = formgate.Vocabulary(tokens, stop_ids=[len(tokens) - 1])
    try:
        engine = formgate.compile(pattern, vocabulary, format="regex")
    except EmptyLanguageError:
        return
    pending, seen = [(engine.start(), b"")], set()
    while pending and len(seen) < 20:
        state, text = pending.pop()
        if state.key in seen:
            continue
        seen.add(state.key)
        allowed = set(engine.allowed_tokens(state).to_list())
        for token, word in enumerate(words, 256):
            here, taken = state, 0
            while taken < len(word) and word[taken] in engine.allowed_tokens(here).to_list():
                here = engine.advance(here, word[taken])
                taken += 1
            whole = taken == len(word)
            assert whole == (token in allowed), (text, word)
            if not whole:
                continue
            after = engine.advance(state, token)
            assert after.key == here.key
            try:
                read = (text + word).decode()
            except UnicodeDecodeError:
                continue
            ends = engine.allowed_tokens(after).to_list()[-1:] == [len(tokens) - 1]
            assert ends == (re.fullmatch(pattern, read) is not None), read
            pending.append((after, text + word))
