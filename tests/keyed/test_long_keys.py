"""Keys and items of any length take memory in proportion to it."""

from __future__ import annotations

import pytest

import formgate

LENGTH = 20_000
MOST_BYTES_EACH = 1_000  # of the pool, for each character of a text
MOST_BYTES_EACH_ITEM = 20_000


@pytest.fixture
def vocabulary():  # each test's own, as tables that others share grow by doubling
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
    whole = text.replace("LONG", letter * (LENGTH // len(letter.encode()))).encode()
    assert engine.accepts(whole)
    assert engine.memory_usage()["pool"] - before < len(whole) * MOST_BYTES_EACH


@pytest.mark.parametrize("number", ["1DIGITS", "0.5DIGITS", "-1.5DIGITSe7", "1e1DIGITS"])
def test_long_numbers_are_compared(vocabulary, number):
    engine = formgate.compile({"uniqueItems": True}, vocabulary, format="json_schema")
    before = engine.memory_usage()["pool"]
    long, one_more = (number.replace("DIGITS", "1" * count) for count in (4_000, 4_001))
    text = f"[1,{long},{one_more}]"
    assert engine.accepts(text)
    assert not engine.accepts(f"[1,{long},{long}]")
    assert engine.memory_usage()["pool"] - before < len(text) * MOST_BYTES_EACH


@pytest.mark.parametrize("item", ["%d", '"%d"', "[%d]", '{"k":%d}'])
def test_memory_grows_with_the_number_of_items(vocabulary, item):
    engine = formgate.compile({"uniqueItems": True}, vocabulary, format="json_schema")
    before = engine.memory_usage()["pool"]
    items = [item % i for i in range(2_000)]
    assert engine.accepts(f"[{','.join(items)}]")
    assert not engine.accepts(f"[{','.join(items)},{items[0]}]")
    assert engine.memory_usage()["pool"] - before < len(items) * MOST_BYTES_EACH_ITEM


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
