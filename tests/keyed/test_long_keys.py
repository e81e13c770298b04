"""Keys and items of any length take memory in proportion to it."""

from __future__ import annotations

import pytest

import formgate

LENGTH = 20_000
MOST_BYTES_EACH = 1_000  # of the pool, for each character of a text


@pytest.fixture(scope="module")
def vocabulary():
    return formgate.Vocabulary([*(bytes([i]) for i in range(256)), None], stop_ids=[256])


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        ({"type": "object"}, '{"LONG":1}'),
        ({"type": "object", "properties": {"p": {}}}, '{"a":1,"LONG":1}'),
        ({"uniqueItems": True, "items": {"type": "string"}}, '["a","LONG"]'),
        ({"uniqueItems": True}, '[1,{"LONG":"LONG"}]'),
        (
            {"patternProperties": {"^l*$": {}}, "additionalProperties": False, "type": "object"},
            '{"LONG":1}',
        ),
    ],
)
@pytest.mark.parametrize("letter", ["l", "é", "\\u00e9"])
def test_memory_grows_with_the_length(vocabulary, schema, text, letter):
    if "additionalProperties" in schema and letter != "l":
        pytest.skip("the pattern has one letter")
    engine = formgate.compile(schema, vocabulary, format="json_schema")
    before = engine.memory_usage()["pool"]
    long = letter * (LENGTH // len(letter.encode()))
    assert engine.accepts(text.replace("LONG", long))
    assert engine.memory_usage()["pool"] - before < LENGTH * MOST_BYTES_EACH


def test_long_keys_come_once(vocabulary):
    engine = formgate.compile({"type": "object"}, vocabulary, format="json_schema")
    long = "k" * 3_000
    for end, allowed in (("", False), ("k", True), ("j", True)):
        text = f'{{"{long}":1,"{long}{end}"'
        assert engine.is_prefix(text) is allowed
        escaped = long[:-1] + "\\u006b" + end
        assert engine.is_prefix(f'{{"{long}":1,"{escaped}"') is allowed
    assert engine.is_prefix(f'{{"{long}":1,"{long[:-1]}":2,"a":3,"{long}k":4}}')
    assert not engine.is_prefix(f'{{"{long}":1,"{long[:-1]}":2,"a":3,"{long[:-1]}"')
