"""A search that has found its pattern is any text from there on, in one state with it."""

from __future__ import annotations

import json
import random
import re
from typing import Any

import hypothesis
import pytest
from compiled import byte_vocabulary
from hypothesis import strategies as st

import formgate

LETTERS = "ab3-é中"
PARTS = ("a", "b", "[ab]", r"\d", r"[^a]", "é", "(?:a|bé)", "(?:ab){1,3}", r"-\d?", "[a-z]*3", "b+")
OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {"property_order": "any"},
    {"escapes": "canonical"},
    {"separators": (", ", ": ")},
)


def around(inner: dict[str, Any]) -> dict[str, Any]:
    """Return an array whose first item satisfies a schema, and the others anything."""
    return {"type": "array", "prefixItems": [inner], "minItems": 1}


def after(engine: formgate.Engine, text: bytes) -> formgate.State | None:
    """Return the state after a text over single bytes; None if it is refused."""
    state = engine.start()
    for byte in text:
        if not engine.is_allowed(state, byte):
            return None
        state = engine.advance(state, byte)
    return state


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@hypothesis.settings(
    max_examples=60, deadline=None, suppress_health_check=list(hypothesis.HealthCheck)
)
@hypothesis.given(
    pattern=st.lists(st.sampled_from(PARTS), min_size=1, max_size=3).map("".join),
    seed=st.integers(0, 2**32),
)
def test_states_after_a_match(options: dict[str, Any], pattern: str, seed: int) -> None:
    """They are those of any string exactly where Python's ``re`` has found the pattern."""
    chance = random.Random(seed)
    vocabulary = byte_vocabulary()
    searching, plain = (
        formgate.compile(around(schema), vocabulary, format="json_schema", **options)
        for schema in ({"type": "string", "pattern": pattern}, {"type": "string"})
    )
    begin = '["'
    text = ""
    for _ in range(12):
        spelled = begin.encode()
        for letter in text:
            escaped = json.dumps(letter)[1:-1].encode()
            often = options.get("escapes") == "canonical" or chance.random() < 0.7
            spelled += letter.encode() if often else escaped
        one, other = after(searching, spelled), after(plain, spelled)
        assert one is not None
        assert other is not None
        found = re.search(pattern.replace(r"\d", "[0-9]"), text) is not None
        assert (one.key == other.key) is found, text
        text += chance.choice(LETTERS)


@hypothesis.settings(
    max_examples=80, deadline=None, suppress_health_check=list(hypothesis.HealthCheck)
)
@hypothesis.given(
    pattern=st.lists(st.sampled_from(PARTS), min_size=1, max_size=3).map("".join),
    rest=st.sampled_from(("", ";", "(?:;end|!)", "(?:;[ab]*)?", "![0-9]+")),
    seed=st.integers(0, 2**32),
)
def test_regexes(pattern: str, rest: str, seed: int) -> None:
    """The same in a regex, before what follows there and begins with another character."""
    chance = random.Random(seed)
    vocabulary = byte_vocabulary()
    pattern = pattern.replace("[^a]", "[^a;!]").replace("é", "[éü]")
    searching = formgate.compile(f"[^;!]*(?:{pattern})[^;!]*{rest}", vocabulary)
    plain = formgate.compile(f"[^;!]*{rest}", vocabulary)
    text = ""
    for _ in range(12):
        one, other = after(searching, text.encode()), after(plain, text.encode())
        assert one is not None
        assert other is not None
        if re.search(pattern, text) is not None:
            assert one.key == other.key, text
        text += chance.choice(LETTERS)


def test_a_value_of_a_list_beside_any_string() -> None:
    """What any string says already is not kept beside it."""
    vocabulary = byte_vocabulary()
    several = {"anyOf": [{"type": "string", "pattern": "^(?:ab|cd)"}, {"type": "string"}]}
    one = after(formgate.compile(around(several), vocabulary, format="json_schema"), b'["ab')
    plain = around({"type": "string"})
    other = after(formgate.compile(plain, vocabulary, format="json_schema"), b'["ab')
    assert one is not None
    assert other is not None
    assert one.key == other.key
