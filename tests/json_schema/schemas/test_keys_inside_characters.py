"""Masks inside the characters of keys of which some have come: against stepping byte by byte."""

from __future__ import annotations

import functools

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import formgate
from formgate.core.errors import TokenError

# Some begin with the same byte, or the same two, and are each other's beginnings.
CHARACTERS = ["é", "è", "ê", "日", "旦", "本", "a", "😀", "😁"]
SCHEMAS = [
    {"type": "object"},
    {"type": "object", "additionalProperties": {"type": "integer"}},
    {"properties": {"é": {"type": "null"}, "日a": {}}, "type": "object"},
    {"propertyNames": {"maxLength": 2}, "type": "object"},
    {"propertyNames": {"enum": ["é", "è", "éa", "日"]}, "type": "object"},
    {"patternProperties": {"^[éè]+$": {"type": "integer"}}, "type": "object"},
]
MORE = [
    '":',
    '": 1',
    '":1,"',
    '":1,"é',
    "\\u00e9",
    '\\u00E9"',
    "\\u65e5",
    "\\ud83d\\ude00",
    '":null}',
]


@functools.cache
def vocabulary() -> formgate.Vocabulary:
    """Return one of all bytes, characters without their first bytes, and what follows these."""
    tokens = [bytes([byte]) for byte in range(256)]
    texts = [a + b for a in CHARACTERS for b in ["", *CHARACTERS[:5], *MORE]] + MORE
    for text in dict.fromkeys(texts):
        whole = text.encode()
        tokens += [whole[at:] for at in range(4) if len(whole[at:]) > 1]
    return formgate.Vocabulary([*dict.fromkeys(tokens), None], stop_ids=[len(set(tokens))])


@functools.cache
def engine(schema: int, warm: bool) -> formgate.Engine:
    return formgate.compile(SCHEMAS[schema], vocabulary(), format="json_schema", warm_up=warm)


def stepped(own: formgate.Engine, state: formgate.State) -> set[int]:
    """Return the tokens that byte after byte allow from a state."""
    after: dict[bytes, formgate.State | None] = {b"": state}
    for token in (vocabulary().token_bytes(i) for i in range(len(vocabulary()))):
        for end in range(1, len(token or b"") + 1):
            part = token[:end]
            if part not in after:
                before = after[part[:-1]]
                try:
                    after[part] = None if before is None else own.advance(before, part[-1])
                except TokenError:
                    after[part] = None
    found = (vocabulary().token_bytes(i) for i in range(len(vocabulary())))
    return {i for i, token in enumerate(found) if token and after[token] is not None}


keys = st.lists(st.sampled_from(CHARACTERS), min_size=1, max_size=3).map("".join)


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, len(SCHEMAS) - 1),
    st.lists(keys, max_size=4, unique=True),
    keys,
    st.booleans(),
)
@example(0, ["é", "éè", "è"], "éè", True)
@example(1, ["日本", "日", "旦"], "日本", False)
def test_masks(schema: int, used: list[str], following: str, warm: bool) -> None:
    own = engine(schema, warm)
    state = own.start()
    text = b"{" + b"".join(b'"%s":1,' % key.encode() for key in used) + b'"' + following.encode()
    begun = len(text) - len(following.encode())
    for at, byte in enumerate(text):
        if at >= begun:
            check(own, state)
        try:
            state = own.advance(state, byte)
        except TokenError:
            return
    check(own, state)


def check(own: formgate.Engine, state: formgate.State) -> None:
    allowed = set(own.allowed_tokens(state).to_list()) - {len(vocabulary()) - 1}
    assert allowed == stepped(own, state)


@pytest.mark.parametrize("spelled", ["é", "\\u00e9", "\\u00E9"])
def test_a_key_does_not_come_twice_in_any_spelling(spelled: str) -> None:
    own = engine(0, warm=True)
    text = '{"é":1,"' + spelled + '"'
    assert not own.is_prefix(text)
    assert own.is_prefix(text[:-1] + 'é"')
