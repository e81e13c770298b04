"""Lists of different strings with a greatest length: texts, and masks against single bytes.

Behind a string that may go on in many ways, nothing need be left out early; behind one that has the
greatest length, or a narrow class, it must.
"""

from __future__ import annotations

import functools
import json
import random
from typing import Any

import hypothesis
from bytewise import Pair, vocabularies
from hypothesis import strategies as st

import formgate

TOKENS = [
    *(
        piece.encode()
        for piece in ('",', '", "', '","', '["', '", "a', '","ab', 'ab"', 'a",', '"]')
    ),
    *(
        piece.encode()
        for piece in ('b", "b', "\\u00", "\\u0061", 'é"', "é", 'aé", "', "abc", "ab", "ba")
    ),
    "é".encode()[:1],
    *(
        piece.encode()
        for piece in ('a"]', '", "\\u', ", ", '"a", "a', '"a", "b', '": ', '{"', '"}')
    ),
]

ITEMS = st.one_of(
    st.builds(lambda most: {"type": "string", "maxLength": most}, st.integers(0, 4)),
    st.builds(
        lambda least, more: {"type": "string", "minLength": least, "maxLength": least + more},
        st.integers(0, 2),
        st.integers(0, 2),
    ),
    st.sampled_from(
        [
            {"type": "string", "pattern": "^[a-z]{0,3}$"},
            {"type": "string", "pattern": "^[ab]{0,2}$"},
            {"type": "string", "pattern": "^(a|.{2,3})$"},
            {"type": "string", "pattern": "^[a-f]{1,2}.?$"},
            {"type": ["string", "integer"], "maxLength": 2, "minimum": 0, "maximum": 12},
        ]
    ),
)


@functools.cache
def both() -> tuple[formgate.Vocabulary, formgate.Vocabulary]:
    return vocabularies(list(dict.fromkeys(TOKENS)))


def right(schema: dict[str, Any], value: Any) -> bool:
    from jsonschema import Draft202012Validator

    return bool(Draft202012Validator(schema).is_valid(value))


@hypothesis.settings(max_examples=60, deadline=None)
@hypothesis.given(item=ITEMS, most=st.sampled_from([None, 2, 3, 6]), data=st.data())
def test_texts_and_masks(item: dict[str, Any], most: int | None, data: st.DataObject) -> None:
    schema: dict[str, Any] = {"type": "array", "uniqueItems": True, "items": item}
    if most is not None:
        schema["maxItems"] = most
    pair = Pair(
        *(formgate.compile(schema, vocabulary, format="json_schema") for vocabulary in both()),
        list(dict.fromkeys(TOKENS)),
    )
    pool = ["", "a", "b", "ab", "ba", "aé", "é", "abc", "aba", "abcd", "aaaa", 0, 7, 12]
    for _ in range(12):
        value = data.draw(st.lists(st.sampled_from(pool), max_size=5))
        for ascii_only in (True, False):
            text = json.dumps(value, ensure_ascii=ascii_only)
            assert pair.by_byte.accepts(text) == right(schema, value), text
    chance = random.Random(data.draw(st.integers(0, 999)))
    likely = set('[]", abcé\\u0061'.encode())
    for _ in range(14):
        singles, longer = pair.check()
        if not singles and not longer:
            assert pair.by_byte.is_accepting(pair.state), pair.before
            return
        usual = [byte for byte in singles if byte in likely] or singles
        takes_longer = longer and (not usual or chance.random() < 0.6)
        pair.advance(chance.choice(longer if takes_longer else usual))
