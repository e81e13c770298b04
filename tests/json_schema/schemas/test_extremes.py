"""Counts beyond every text, keys that are no text, and sources that are large rather than deep."""

from __future__ import annotations

import json
from itertools import permutations
from typing import Any

import pytest
from acceptor import Acceptor

import formgate
from formgate.core.errors import EmptyLanguageError, GrammarError, LimitError, ParseError
from formgate.core.grammar import GrammarBuilder
from formgate.plugins.json_schema import Validator, compile_json_schema

HUGE = ("1e999999999", "1e300", "9999999999", "3e11", "1" + "0" * 3_000)

# What a keyword counts, beside what makes it count, and a value that has none of it.
COUNTED = [
    ("string", "Length", "", ""),
    ("array", "Items", "", []),
    ("object", "Properties", "", {}),
    ("array", "Contains", '"contains": {"type": "null"}, ', []),
]


@pytest.mark.parametrize("huge", HUGE)
@pytest.mark.parametrize(("kind", "counted", "beside", "value"), COUNTED)
def test_no_text_has_as_many(huge: str, kind: str, counted: str, beside: str, value: Any) -> None:
    few = f'{{"type": "{kind}", {beside}"min{counted}": {huge}}}'
    with pytest.raises(EmptyLanguageError):
        compile_json_schema(few, GrammarBuilder())
    assert not Acceptor(few).accepts(value)
    assert Acceptor(f'{{"not": {few}}}').accepts(value)
    beside = beside and '"minContains": 0, ' + beside
    many = f'{{"type": "{kind}", {beside}"max{counted}": {huge}}}'
    assert Acceptor(many).accepts(value)
    assert not Acceptor(f'{{"not": {many}}}').accepts(value)


@pytest.mark.parametrize("huge", [10**100_000, 2.0**1000], ids=["int", "float"])
@pytest.mark.parametrize(("kind", "counted", "_beside", "value"), COUNTED[:3])
def test_counts_that_are_no_text(
    huge: float, kind: str, counted: str, _beside: str, value: Any
) -> None:
    with pytest.raises(EmptyLanguageError):
        compile_json_schema({"type": kind, f"min{counted}": huge}, GrammarBuilder())
    assert Acceptor({f"max{counted}": huge}).accepts(value)
    assert Acceptor({f"min{counted}": huge}).accepts(None)


def test_a_bound_that_means_nothing_alone_empties_nothing() -> None:
    assert Acceptor('{"type": "array", "minContains": 1e999999999}').accepts([])


@pytest.mark.parametrize("applied", ["anyOf", "oneOf"])
def test_many_intervals(applied: str) -> None:
    parts = [{"minimum": 2 * i, "maximum": 2 * i + 1.5} for i in range(2_000)]
    acceptor = Acceptor({"type": "number", applied: [*parts, {"minimum": 9, "maximum": 10.5}]})
    assert acceptor.accepts(12.5)
    assert not acceptor.accepts(11.75)
    assert acceptor.accepts(9.75)
    assert acceptor.accepts(9) is acceptor.accepts(10) is (applied == "anyOf")


# --- keys and names that no text has ---

LONE = "\ud800"


@pytest.mark.parametrize(
    ("schema", "place"),
    [
        ({"properties": {1: {}}}, "#/properties: "),
        ({"items": {"patternProperties": {1: {}}}}, "#/items/patternProperties: "),
        ({"dependentSchemas": {None: {}}}, "#/dependentSchemas: "),
        ({"dependentRequired": {1: ["a"]}}, "#/dependentRequired: "),
        ({"dependencies": {1: {}}}, "#/dependencies: "),
        ({1: 2}, "#: "),
        ({"type": "null", 1: 2}, "#: "),
        ({"const": {1: 2}}, "#/const: "),
        ({"enum": [1], "const": [{1: 2}]}, "#/const: "),
        ({"const": float("nan"), "enum": [1]}, "#/const: "),
        ({"const": [float("nan")]}, "#/const: "),
        ({"enum": [1, object()]}, "#/enum: "),
        ({"const": 1, "enum": [1, object()]}, "#/enum: "),
        ({"enum": [[10**5_000]]}, "#/enum: "),
        ({"type": []}, "#/type: "),
        ({"type": ["null", "null"]}, "#/type: "),
        ({"required": ["a", "b", "a"]}, "#/required: "),
        ({"dependentRequired": {"a": ["b", "b"]}}, "#/dependentRequired/a: "),
        ({"$schema": 3}, "#/$schema: "),
        ({"items": {"$id": "http://a/b", "$schema": 3}}, "#/items/$schema: "),
    ],
    ids=lambda one: one if isinstance(one, str) else "schema",
)
def test_what_only_python_or_no_draft_has(schema: Any, place: str) -> None:
    with pytest.raises(GrammarError) as caught:
        compile_json_schema(schema, GrammarBuilder())
    assert not isinstance(caught.value, EmptyLanguageError)
    assert caught.value.reason.startswith(place)


@pytest.mark.parametrize("order", ["schema", "any"])
@pytest.mark.parametrize(
    ("schema", "accepted", "refused"),
    [
        ({"properties": {LONE: {}, "a": {"type": "null"}}}, '{"a": null}', '{"a": 1}'),
        ({"type": ["null", "object"], "required": [LONE]}, "null", "{}"),
        ({"const": {LONE: 1}, "title": "none"}, None, '{"\\ud800": 1}'),
        ({"enum": [{LONE: 1}, {"a": LONE}, {"a": 1}]}, '{"a": 1}', "{}"),
        ({"type": "object", "dependentRequired": {"a": [LONE]}}, "{}", '{"a": 1}'),
        ({"type": "object", "dependentSchemas": {LONE: False}}, '{"a": 1}', '{"\\ud800": 1}'),
        ({"not": {"required": [LONE]}}, '{"a": 1}', "null"),
        ({"not": {"const": {LONE: 1}}}, "{}", '{"\\ud800": 1}'),
        ({"properties": {LONE: {}}, "additionalProperties": False}, "{}", '{"\\ud800": 1}'),
        ({"properties": {LONE: {}}, "maxProperties": 1, "minProperties": 1}, '{"a": 1}', "{}"),
    ],
)
def test_no_text_has_a_lone_surrogate(
    schema: Any,
    accepted: str | None,
    refused: str,
    order: str,
    byte_vocabulary: formgate.Vocabulary,
) -> None:
    def compiled() -> formgate.Engine:
        return formgate.compile(schema, byte_vocabulary, format="json_schema", property_order=order)

    if accepted is None:
        with pytest.raises(EmptyLanguageError):
            compiled()
        return
    assert compiled().accepts(accepted)
    assert not compiled().accepts(refused)


# --- many constants, many patterns ---


@pytest.mark.parametrize(
    ("beside", "valid"), [({}, True), ({"required": ["b"]}, True), ({"required": ["c"]}, False)]
)
def test_constants_need_no_clauses(beside: Any, *, valid: bool) -> None:
    constants = [{"a": i, "b": [i]} for i in range(1_500)]
    acceptor = Acceptor({"type": "object", "enum": constants, **beside})
    assert acceptor.accepts({"b": [1_499], "a": 1_499}) is valid
    assert not acceptor.accepts({"b": [1_499], "a": 1})
    assert Acceptor({"items": {"enum": [[i] for i in range(1_500)]}}).accepts([[1_499]])


@pytest.mark.parametrize(
    "schema",
    [
        {
            "patternProperties": {f"a.{{{i}}}b": {"minimum": i} for i in range(12)},
            "additionalProperties": False,
        },
        {
            "allOf": [
                {"anyOf": [{"properties": {f"{name}{i}": {"items": {}}}} for name in "ab"]}
                for i in range(40)
            ]
        },
        {"patternProperties": {letter: {"minimum": ord(letter)} for letter in "abcdefghijklmnop"}},
    ],
)
def test_limits_name_the_place(schema: Any) -> None:
    with pytest.raises(LimitError) as caught:
        compile_json_schema({"properties": {"x": schema}}, GrammarBuilder())
    assert str(caught.value).startswith("#/properties/x")


def test_what_is_wrong_deep_inside_is_said() -> None:
    schema: Any = {"type": "nul"}
    for _ in range(400):  # jsonschema itself gives up there
        schema = {"items": schema}
    with pytest.raises(GrammarError, match=r"items/type: this is no JSON Schema.*'nul'"):
        compile_json_schema(schema, GrammarBuilder())


def test_objects_with_keys_that_are_no_text_are_no_values() -> None:
    assert not Validator(True).is_valid({1: 2})
    assert not Validator({"items": {}}).is_valid([{None: 1}])
    assert Validator(True).is_valid({"1": 2})
    for value in (object(), b"x", (1, 2), [{1, 2}]):
        with pytest.raises(GrammarError, match="is no JSON value"):
            Validator({"items": {"type": "number"}}).is_valid(value)


@pytest.mark.parametrize("count", [64, 65, 130, 700])
@pytest.mark.parametrize("rest", [False, True])
def test_items_at_many_places(byte_vocabulary: formgate.Vocabulary, count: int, rest: bool) -> None:
    """However many may be left out, they nest no deeper than a few."""
    least, most = count // 3, count + 2
    schema = {
        "type": "array",
        "prefixItems": [{"const": place} for place in range(count)],
        "items": {"const": "rest"} if rest else False,
        "minItems": least,
        "maxItems": most,
    }
    engine = formgate.compile(schema, byte_vocabulary)
    values = [*map(str, range(count)), *['"rest"'] * 4]
    for length in (0, 1, least - 1, least, count // 2, count - 1, count, count + 1, most, most + 1):
        expected = least <= length <= (most if rest else count)
        assert engine.accepts("[" + ",".join(values[:length]) + "]") == expected, length
    wrong = [*values[: count // 2], "-1", *values[count // 2 + 1 : count]]
    assert not engine.accepts("[" + ",".join(wrong) + "]")


def test_many_numbers_in_one_schema(byte_vocabulary: formgate.Vocabulary) -> None:
    """Beyond the first few, numbers are not recorded for other schemas."""
    numbers = [0, *range(-150, 150), 0.25, 1e20, 1.5e-7]
    values = [{"number": number} for number in numbers]
    engine = formgate.compile({"enum": values}, byte_vocabulary, whitespace="compact")
    for number in numbers:
        for text in (repr(number), f"{number:.3e}"):
            assert engine.accepts(f'{{"number":{text}}}'), text
    for text in ("150", "-151", "0.26", "1.5", "1e21", "01", "1e2000"):
        assert not engine.accepts(f'{{"number":{text}}}'), text


@pytest.mark.parametrize("modulus", [1009, 2.003])
def test_multiples_of_large_moduli(byte_vocabulary: formgate.Vocabulary, modulus: float) -> None:
    """Their automata are written without being kept."""
    schema = {"type": "number", "multipleOf": modulus}
    engine = formgate.compile(schema, byte_vocabulary)
    unit = 1000 if modulus < 3 else 1
    step = round(modulus * unit)
    for times in (0, 1, -1, 7, 12345, 10**15 + 3):
        for off in (0, 1):
            whole, part = divmod(abs(times * step + off), unit)
            sign = "-" if times * step + off < 0 else ""
            text = f"{sign}{whole}.{part:03}" if unit > 1 else f"{sign}{whole}"
            assert engine.accepts(text) == (off == 0), text


@pytest.mark.parametrize(
    ("least", "most", "accepted"),
    [(500, None, (500, 501, 900)), (150, 200, (150, 199, 200)), (0, 300, (0, 299, 300))],
)
def test_counts_of_items_need_no_more_than_their_bounds(
    least: int, most: int | None, accepted: tuple[int, ...]
) -> None:
    schema: dict[str, Any] = {"type": "array", "contains": {"type": "null"}, "minContains": least}
    if most is not None:
        schema["maxContains"] = most
    vocabulary = formgate.Vocabulary([*(bytes([i]) for i in range(256)), None], stop_ids=[256])
    engine = formgate.compile(schema, vocabulary, format="json_schema")
    for count in accepted:
        assert engine.accepts(json.dumps([1] + [None] * count + [1]))
    refused = [least - 1] if least else []
    for count in refused if most is None else [*refused, most + 1]:
        assert not engine.accepts(json.dumps([1] + [None] * count))


@pytest.mark.parametrize("keyword", ["minimum", "maximum", "multipleOf", "exclusiveMinimum"])
def test_what_is_no_number_of_json(keyword: str) -> None:
    with pytest.raises(GrammarError, match=f"#/{keyword}: .* not nan"):
        compile_json_schema({keyword: float("nan")}, GrammarBuilder())
    assert not Validator({"uniqueItems": True}).is_valid([float("nan")])
    assert not Validator({}).is_valid(float("inf"))


def test_half_a_surrogate_pair_in_an_output() -> None:
    vocabulary = formgate.Vocabulary([*(bytes([i]) for i in range(256)), None], stop_ids=[256])
    engine = formgate.compile({"type": "object"}, vocabulary, format="json_schema")
    with pytest.raises(ParseError, match="half of a surrogate pair") as caught:
        formgate.parse(engine, '{"a":"\ud800"}')
    assert caught.value.offset == 6


# --- as many members as there are names ---


@pytest.mark.parametrize("order", ["schema", "any"])
@pytest.mark.parametrize(
    ("names", "beside", "count"),
    [
        ("^[a-c]$", {}, 3),
        ("^[a-c]?$", {}, 4),
        ("^[a-c]$", {"properties": {"a": {}, "b": {}}}, 3),
        ("^[a-c]$", {"properties": {"a": {"type": "null"}, "b": False}}, 2),
        ("^[ab]$|^c[de]$", {"properties": {"cd": {}}}, 4),
        ("^(?:a|\\u00e9|\\ud83d\\ude00)$", {}, 3),
    ],
)
def test_there_are_just_enough_names(
    names: str, beside: Any, count: int, order: str, byte_vocabulary: formgate.Vocabulary
) -> None:
    def compiled(least: int) -> formgate.Engine:
        schema = {
            "type": "object", "additionalProperties": {"type": "null"}, "minProperties": least,
            "patternProperties": {names: {"type": "null"}}, "propertyNames": {"pattern": names},
            **beside,
        }  # fmt: skip
        return formgate.compile(schema, byte_vocabulary, format="json_schema", property_order=order)

    possible = ("", *"abc", "cd", "ce", "\u00e9", "\U0001f600")
    texts = [
        json.dumps(dict.fromkeys(chosen), ensure_ascii=False, separators=(",", ":"))
        for size in range(count + 2)
        for chosen in permutations(possible, size)
    ]
    whole = compiled(0)
    valid = [text for text in texts if whole.accepts(text)]
    sizes = {text: len(json.loads(text)) for text in valid}
    assert max(sizes.values()) == count
    for least in range(1, count + 1):
        engine = compiled(least)
        assert [text for text in texts if engine.accepts(text)] == [
            text for text in valid if sizes[text] >= least
        ]
    with pytest.raises(EmptyLanguageError):
        compiled(count + 1)
