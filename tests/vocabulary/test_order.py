"""Vocabularies whose texts begin alike, hold zero bytes, or come more than once."""

from __future__ import annotations

import hypothesis
from hypothesis import strategies as st

import formgate

_parts = st.sampled_from(
    [
        b"",
        b"\0",
        b"\0\0",
        b"a",
        b"b",
        b"\xff",
        b"aaaaaaa",
        b"aaaaaaaa",
        b"aaaaaaaab",
        b"\xc3",
        b"\xa9",
    ]
)
_texts = st.lists(_parts, min_size=1, max_size=4).map(b"".join).filter(bool)


@hypothesis.settings(max_examples=150, deadline=None)
@hypothesis.given(
    tokens=st.lists(st.one_of(st.none(), _texts), min_size=1, max_size=60),
    wanted=st.lists(_texts, min_size=1, max_size=6),
)
def test_masks_of_finite_languages(tokens: list[bytes | None], wanted: list[bytes]) -> None:
    """A token is allowed exactly if some text goes on with it, whatever order the texts are in."""
    spelled = [*(bytes([byte]) for byte in range(256)), *tokens]
    vocabulary = formgate.Vocabulary([*spelled, None], stop_ids=[len(spelled)])
    assert [vocabulary.token_bytes(i) for i in range(len(spelled))] == spelled
    texts = [text for text in wanted if _is_utf8(text)]
    if not texts:
        return
    engine = formgate.compile([text.decode() for text in texts], vocabulary, format="choice")
    state, text = engine.start(), b""
    while len(text) < max(map(len, texts)):
        rests = [one[len(text) :] for one in texts if one.startswith(text)]
        right = {
            i
            for i, token in enumerate(spelled)
            if token and any(r.startswith(token) for r in rests)
        }
        right |= {len(spelled)} if b"" in rests else set()
        assert set(engine.allowed_tokens(state).ids()) == right
        going = sorted(right - {len(spelled)})
        if not going:
            break
        text += spelled[going[-1]] or b""
        state = engine.advance(state, going[-1])


def _is_utf8(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True
