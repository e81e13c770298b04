"""Vocabularies in which bytes occur in longer tokens only: masks as brute force has them.

A text counts if tokens spell it. Under a schema with objects, or lists without repetition that are
not written out, a text counts if its bytes are tokens by themselves.
"""

from __future__ import annotations

from typing import Any

import hypothesis
import pytest
from hypothesis import strategies as st

import formgate
from formgate.core.errors import EmptyLanguageError

LEAVES: dict[str, Any] = {
    "strings": {"type": "string", "pattern": "^[ab]{1,3}$"},
    "array": {"type": "array", "items": {"enum": ["a", "b", None]}, "maxItems": 2},
    "either": {
        "anyOf": [
            {"type": "string", "pattern": "^(a|ab|ba)$"},
            {"type": "array", "prefixItems": [{"const": "a"}, {"const": "b"}], "items": False},
        ]
    },
}
LISTS: dict[str, Any] = {
    "distinct": {**LEAVES["array"], "uniqueItems": True},
    "object": {
        "type": "object",
        "properties": {"a": {"enum": ["a", "b"]}, "b": {"const": None}},
        "additionalProperties": False,
    },
    "beside": {"enum": ["a", "ab", ["a", {"a": "b"}], {"a": None, "b": True}]},
}


def compiled(schema: Any, vocabulary: formgate.Vocabulary) -> formgate.Engine:
    return formgate.compile(schema, vocabulary, whitespace="compact", escapes="canonical")


def texts_of(engine: formgate.Engine) -> set[bytes]:
    """Return the texts of a finite language, over single bytes."""
    found, work = set(), [(engine.start(), b"")]
    while work:
        state, text = work.pop()
        for token in engine.allowed_tokens(state).to_list():
            if token == 256:
                found.add(text)
            else:
                work.append((engine.advance(state, token), text + bytes([token])))
    return found


@pytest.mark.parametrize("name", sorted(LEAVES | LISTS))
@hypothesis.settings(
    max_examples=30, deadline=None, suppress_health_check=list(hypothesis.HealthCheck)
)
@hypothesis.given(data=st.data())
def test_masks_are_those_of_brute_force(
    byte_vocabulary: formgate.Vocabulary, name: str, data: st.DataObject
) -> None:
    schema = (LEAVES | LISTS)[name]
    texts = texts_of(compiled(schema, byte_vocabulary))
    letters = sorted({bytes([byte]) for text in texts for byte in text})
    gone = data.draw(st.lists(st.sampled_from(letters), min_size=1, max_size=3, unique=True))
    single = {letter for letter in letters if letter not in gone}
    longer = set()
    for text in data.draw(st.lists(st.sampled_from(sorted(texts)), min_size=1, max_size=6)):
        begin = data.draw(st.integers(0, len(text) - 2))
        longer.add(text[begin : begin + data.draw(st.integers(2, 4))])
    tokens = sorted(single | longer)
    if name in LISTS:
        texts = {text for text in texts if all(bytes([byte]) in single for byte in text)}
    begun = {text[:end] for text in texts for end in range(len(text) + 1)}
    ends: dict[bytes, bool] = {}

    def completable(prefix: bytes) -> bool:
        if prefix not in ends:
            ends[prefix] = prefix in texts or any(
                prefix + token in begun and completable(prefix + token) for token in tokens
            )
        return ends[prefix]

    vocabulary = formgate.Vocabulary([*tokens, None], stop_ids=[len(tokens)])
    try:
        engine = compiled(schema, vocabulary)
    except EmptyLanguageError:
        assert not completable(b"")
        return
    work, seen = [(engine.start(), b"")], set()
    while work:
        state, text = work.pop()
        if text in seen:
            continue
        seen.add(text)
        expected = {
            place
            for place, token in enumerate(tokens)
            if text + token in begun and completable(text + token)
        }
        allowed = set(engine.allowed_tokens(state).to_list())
        assert allowed - {len(tokens)} == expected, text
        assert (len(tokens) in allowed) == (text in texts)
        work += [(engine.advance(state, place), text + tokens[place]) for place in expected]
