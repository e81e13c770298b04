"""Hostile schemas meet a limit soon, deadlines hold, and large ones are fine."""

from __future__ import annotations

from typing import Any

import pytest
from acceptor import Acceptor
from refused_schemas import deep, refused

import formgate
from formgate.core.errors import (
    CompileCancelled,
    CompileTimeout,
    GrammarError,
    LimitError,
)
from formgate.core.grammar import CancelToken, GrammarBuilder
from formgate.plugins.json_schema import Validator, compile_json_schema


@pytest.mark.parametrize(
    "schema",
    [
        deep(2_000, lambda inner: {"not": inner, "minimum": 1}),
        {
            "allOf": [
                {"anyOf": [{"properties": {f"{name}{i}": {"items": {}}}} for name in "ab"]}
                for i in range(40)
            ]
        },
        {
            "type": "array",
            "contains": {"type": "integer"},
            "minContains": 50_000,
            "maxContains": 60_000,
        },
        {
            "patternProperties": {
                f"{a}.*{b}": {"minimum": i}
                for i, (a, b) in enumerate((a, b) for a in "abcd" for b in "efgh")
            }
        },
    ],
)
def test_hostile_schemas_meet_a_limit(schema: Any) -> None:
    assert isinstance(refused(schema), LimitError)


@pytest.mark.parametrize(
    "schema",
    [
        deep(1_500, lambda inner: {"items": inner}),
        deep(1_500, lambda inner: {"properties": {"a": inner}, "required": ["a"]}),
        deep(2_000, lambda inner: {"allOf": [inner]}),
        deep(2_000, lambda inner: {"allOf": [inner, {"minimum": 1}]}),
        {
            "oneOf": [
                {"properties": {f"p{j}": {"type": "integer", "minimum": i} for j in range(9)}}
                for i in range(30)
            ]
        },
        {"minLength": 10**9, "maxLength": 10**12, "minItems": 10**9, "minProperties": 3},
        {
            "$ref": "#/$defs/0",
            "$defs": {
                str(i): {
                    "properties": {
                        "a": {"$ref": f"#/$defs/{i + 1}"},
                        "b": {"$ref": f"#/$defs/{i + 1}"},
                    }
                }
                for i in range(60)
            }
            | {"60": {"type": "null"}},
        },
        {"enum": [f"value {i}" for i in range(20_000)]},
        {"enum": [{"a": i} for i in range(300)]},
    ],
)
def test_large_schemas_are_fine(schema: Any) -> None:
    compile_json_schema(schema, GrammarBuilder())


def test_a_large_document_costs_what_is_used() -> None:
    unused = {f"d{i}": {"type": "object", "properties": {"x": {"type": 1}}} for i in range(3_000)}
    schema = {"$defs": {**unused, "a": {"type": "null"}}, "items": {"$ref": "#/$defs/a"}}
    acceptor = Acceptor(schema)
    assert acceptor.accepts([None])
    assert len(acceptor.automaton.world._sites) < 10


def test_values_nested_too_deeply_for_the_validator() -> None:
    value: Any = []
    for _ in range(5_000):
        value = [value]
    with pytest.raises(LimitError):
        Validator({"items": {"$ref": "#"}}).is_valid(value)


def test_values_that_contain_themselves(byte_vocabulary: formgate.Vocabulary) -> None:
    holder: dict[str, Any] = {"a": [1]}
    holder["a"].append(holder)
    for schema, place in [
        ({"const": holder}, "#/const"),
        ({"properties": {"x/y": {"enum": [0, holder]}}}, "#/properties/x~1y/enum/1"),
    ]:
        with pytest.raises(GrammarError, match=f"^{place}/a/1: .* contains itself") as caught:
            formgate.compile(schema, byte_vocabulary, format="json_schema")
        assert caught.value.hint is not None


def test_the_validator_decides_what_grammars_cannot_enforce() -> None:
    validator = Validator('{"uniqueItems": true, "items": {"type": ["object", "array"]}}')
    assert validator.is_valid([{"a": 1, "b": []}, [1], {"a": 1}])
    assert not validator.is_valid([{"a": 1, "b": []}, {"b": [], "a": 1.0}])
    with pytest.raises(GrammarError, match="#/items/type"):
        Validator({"items": {"type": 1}}).is_valid([1])


# --- deadlines, and places ---


@pytest.mark.parametrize(
    "schema",
    [
        {"anyOf": [{"minimum": i, "maximum": i + 0.5} for i in range(20_000)]},
        {"not": {"enum": [{"a": i, "b": [i]} for i in range(2_000)]}},
        {"enum": [{"a": i, "b": [i]} for i in range(50_000)]},
        {"prefixItems": [{"type": "integer", "multipleOf": i} for i in range(8001, 9999, 2)]},
        deep(200_000, lambda inner: {"items": inner}),
    ],
    ids=["anyOf", "not", "enum", "multipleOf", "items"],
)
def test_reading_a_schema_ends_at_the_deadline(
    schema: Any, byte_vocabulary: formgate.Vocabulary
) -> None:
    """Each takes seconds, or more; nothing is timed here, but none would end without a look."""
    with pytest.raises(CompileTimeout, match=r"within timeout_s=0\.05"):
        formgate.compile(schema, byte_vocabulary, format="json_schema", timeout_s=0.05)


def test_deadlines_end_with_their_compilation() -> None:
    late = GrammarBuilder(deadline=0.0)
    with pytest.raises(CompileTimeout):
        compile_json_schema(deep(100, lambda inner: {"items": inner}), late)
    compile_json_schema(deep(100, lambda inner: {"items": inner}), GrammarBuilder())


def test_cancelling_ends_reading() -> None:
    cancel = CancelToken()
    cancel.cancel()
    with pytest.raises(CompileCancelled):
        compile_json_schema(
            deep(100, lambda inner: {"items": inner}), GrammarBuilder(cancel=cancel)
        )


def test_limits_name_the_option_and_the_place() -> None:
    names = {letter: {"minimum": place} for place, letter in enumerate("abcdefghij")}
    schema = {"properties": {"q": {"type": "object", "patternProperties": names}}}
    assert "#/properties/q: " in str(refused(schema, max_cells=100))
    assert "max_cells=100" in str(refused(schema, max_cells=100))
    compile_json_schema(schema, GrammarBuilder(), max_cells=1_100)
    some = {
        "type": "object",
        "properties": {letter: {} for letter in "abcdefgh"},
        "allOf": [{"not": {"additionalProperties": {"const": number}}} for number in range(9)],
    }
    error = refused({"items": some}, max_clauses=100)
    assert "#/items: " in str(error)
    assert "max_clauses=100" in str(error)


def shared(count: int, twice: Any, inner: Any) -> Any:
    """Return a schema in which each part of Python's stands twice in the next one."""
    for _ in range(count):
        inner = twice(inner)
    return inner


@pytest.mark.parametrize(
    "schema",
    [
        shared(40, lambda inner: {"prefixItems": [inner, inner]}, {"type": "string"}),
        shared(40, lambda inner: {"properties": {"a": inner, "b": inner}}, {"type": "string"}),
        shared(40, lambda inner: {"allOf": [{"items": inner}, {"contains": inner}]}, {"const": 1}),
    ],
)
def test_parts_that_stand_in_many_places_are_read_once(schema: Any) -> None:
    Acceptor(schema)


def test_parts_that_stand_in_many_alternatives_meet_the_limit() -> None:
    names = iter(range(100))
    schema = shared(
        40,
        lambda inner: {"if": {"required": [f"k{next(names)}"]}, "then": inner, "else": inner},
        {"required": ["z"]},
    )
    assert isinstance(refused(schema), LimitError)


def test_a_constant_of_parts_that_stand_in_many_places_meets_the_deadline(
    byte_vocabulary: formgate.Vocabulary,
) -> None:
    schema = {"const": shared(40, lambda inner: [inner, inner], 1)}
    with pytest.raises(CompileTimeout):
        formgate.compile(schema, byte_vocabulary, timeout_s=0.2)


def test_ways_not_to_be_a_long_list_meet_the_limit_before_all_are_made() -> None:
    assert isinstance(refused({"not": {"const": list(range(200_000))}}), LimitError)
