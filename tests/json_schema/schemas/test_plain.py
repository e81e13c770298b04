"""What is written natively and what the automaton writes: one language, and the same errors."""

from __future__ import annotations

import collections
import gc
import json
import random
import warnings
import weakref
from typing import Any

import hypothesis
import jsonschema
import pytest
from compiled import byte_vocabulary
from conformance import real
from hypothesis import strategies as st
from jsonschema.validators import validator_for
from plain_schemas import plain_schemas
from random_schemas import KINDS, NAMES, schemas
from two_writers import both_ways, compare, compiled

import formgate
from formgate.core.compiler import build_grammar
from formgate.core.errors import EmptyLanguageError, GrammarError
from formgate.core.grammar import GrammarBuilder
from formgate.plugins.json_schema import (
    UnenforcedWarning,
    _read,
    compile_json_schema,
)
from formgate.plugins.json_schema._drafts import BY_NAME, keywords_of

OPTIONS = (
    {},
    {"property_order": "any"},
    {"whitespace": "compact", "escapes": "canonical"},
    {"separators": (", ", ": ")},
    {"max_blanks": 2},
)


def is_unread(found: Any, expected: Any, schema: Any, draft: str) -> bool:
    """Say whether the native writer alone tells a fault: in an object without a value, say.

    Then jsonschema must see one, too.
    """
    if not (isinstance(found, tuple) and isinstance(expected, formgate.Engine)):
        return False
    assert "this is no JSON Schema" in found[1]
    with pytest.raises(jsonschema.SchemaError):
        validator_for({"$schema": BY_NAME[draft].uri}).check_schema(schema)
    return True


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@hypothesis.settings(
    max_examples=60, deadline=None, suppress_health_check=list(hypothesis.HealthCheck)
)
@hypothesis.given(schema=plain_schemas(), seed=st.integers(0, 2**32))
def test_plain_schemas_are_written_alike(options: dict[str, Any], schema: Any, seed: int) -> None:
    found, expected = both_ways(schema, options)
    if not is_unread(found, expected, schema, "2020-12"):
        compare(found, expected, random.Random(seed), told=False)


@pytest.mark.parametrize("draft", ["2020-12", "2019-09", "7", "6", "4"])
@hypothesis.settings(
    max_examples=25, deadline=None, suppress_health_check=list(hypothesis.HealthCheck)
)
@hypothesis.given(data=st.data())
def test_all_schemas_are_written_alike(draft: str, data: st.DataObject) -> None:
    some = schemas(draft="7" if draft == "6" else draft)
    schema = data.draw(st.one_of(some, plain_schemas()))
    chance = random.Random(data.draw(st.integers(0, 2**32)))
    found, expected = both_ways(schema, {"draft": draft})
    if not is_unread(found, expected, schema, draft):
        compare(found, expected, chance, told=False)


nonsense = st.one_of(
    st.none(),
    st.integers(-2, 3),
    st.sampled_from(
        (
            2**31,
            10**30,
            float("nan"),
            10**5000,
            True,
            "(",
            1.0,
            0.5,
            "x",
            "\ud800",
            "#/",
            "#/$defs",
            "#/$defs/x/~0",
            "#x",
        )
    ),
    st.lists(st.sampled_from(("a", "a", "b", 1, {})), max_size=3),
    st.dictionaries(st.sampled_from(("a", "$id", "$schema", "$ref", "\ud800")), st.just({})),
)
KEYWORDS = ("type", "enum", "const", "$ref", "properties", "required", "additionalProperties",
            "items", "minItems", "maxItems", "uniqueItems", "minLength", "maxLength", "$id",
            "$schema", "id", "minProperties", "format", "dependencies", "then", "pattern",
            "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
            "allOf", "anyOf", "oneOf")  # fmt: skip


@hypothesis.settings(
    max_examples=400, deadline=None, suppress_health_check=list(hypothesis.HealthCheck)
)
@hypothesis.given(data=st.data())
def test_what_is_wrong_is_said_alike(data: st.DataObject) -> None:
    schema = json.loads(json.dumps(data.draw(plain_schemas())))  # changed in one place only
    draft = data.draw(st.sampled_from(sorted(BY_NAME)))
    # Of several faults, no value at all among them, either way may meet another one first.
    hypothesis.assume(not isinstance(compiled(schema, {"draft": draft}), (tuple, type)))
    places = [part for part in parts_of(schema) if isinstance(part, dict)]
    place = places[data.draw(st.integers(0, len(places) - 1))]
    place[data.draw(st.sampled_from(KEYWORDS))] = data.draw(nonsense)
    found, expected = both_ways(schema, {"draft": draft})
    compare(found, expected, random.Random(0))


def test_what_is_passed_over_and_needed_after_all_is_told_as_what_it_is():
    nowhere = {"allOf": [{"anyOf": [{"oneOf": [{}, {"$ref": "#/$defs/z"}]}]}]}
    inner = {"anyOf": [{"$ref": "#"}, {"properties": {"a": nowhere}}]}
    known = {"type": "object", "properties": {"a": {"$ref": "#/$defs/x"}}}
    schema = {
        "anyOf": [{"properties": {"a": {"anyOf": [{}, known]}}}, {"$ref": "#/$defs/x"}],
        "$defs": {"x": {"properties": {"a": inner}}},
    }
    found, expected = both_ways(schema, {})
    assert found == expected
    assert "'#/$defs/z' leads nowhere" in found[1]


def parts_of(schema: Any) -> list[Any]:
    """Return all values in a schema, itself among them."""
    inner = schema.values() if isinstance(schema, dict) else schema
    if not isinstance(schema, (dict, list)):
        return []
    return [schema, *(part for value in inner for part in parts_of(value))]


@pytest.mark.parametrize("named", [10**5000, [10**5000], None, 1.5], ids=range(4))
def test_a_draft_that_is_no_string_is_refused_however_it_looks(named: object) -> None:
    with pytest.raises(GrammarError, match=r"\$schema is a string, not a"):
        build_grammar({"type": "null", "$schema": named}, format="json_schema")


def test_drafts_have_the_keywords_that_are_read() -> None:
    for draft in BY_NAME.values():
        assert keywords_of(draft) == _read.BESIDE_TYPE[draft.rank] | {"type"}


@pytest.mark.skipif(
    not real.DATA.exists(), reason="shared/data/json-schemas-real.jsonl.xz is not here"
)
@pytest.mark.parametrize("options", OPTIONS[:2], ids=str)
def test_real_schemas_are_written_alike(options: dict[str, Any]) -> None:
    chance = random.Random(7)
    for entry in real.load()[::150]:
        schema = entry["schema"]
        found, expected = both_ways(schema, options)
        compare(found, expected, chance)
        if isinstance(found, formgate.Engine):
            for test in entry["tests"][:3]:
                text = json.dumps(test["data"]).encode()
                assert found.accepts(text) == expected.accepts(text)


def test_a_fault_in_an_object_without_a_value_is_told() -> None:
    item = {
        "type": "object",
        "properties": {"a": {"type": "number", "exclusiveMinimum": False}, "b": False},
        "required": ["b"],
    }
    schema = {"type": "array", "items": {"$ref": "#/$defs/x"}, "$defs": {"x": item}}
    found, expected = both_ways(schema, {})
    assert isinstance(found, tuple)
    assert found[1].startswith("#/$defs/x/properties/a/exclusiveMinimum: this is no JSON Schema")
    assert isinstance(expected, tuple) or is_unread(found, expected, schema, "2020-12")


def test_schemas_met_again_become_rules() -> None:
    point = {"type": "object", "properties": {"x": {"type": "number"}}}
    schema = {
        "$defs": {"point": point},
        "type": "object",
        "properties": {name: {"$ref": "#/$defs/point"} for name in "abc"},
    }
    grammar = build_grammar(schema, format="json_schema")
    named = [rule for rule in grammar.rules() if "point" in rule]
    assert named == ["#/$defs/point (schema 2)"]


@pytest.mark.parametrize("depth", [10, 30, 200])
def test_nesting_takes_no_stack(depth: int) -> None:
    schema: dict[str, Any] = {"type": "integer"}
    for _ in range(depth):
        schema = {"type": "array", "items": schema, "minItems": 1}
        schema = {"type": "object", "properties": {"a": schema}, "required": ["a"]}
    engine = compiled(schema, {})
    assert engine.accepts(b'{"a":[' * depth + b"1" + b"]}" * depth)
    assert not engine.accepts(b'{"a":[' * depth + b"[]" + b"]}" * depth)


def test_a_schema_inside_itself() -> None:
    tree: dict[str, Any] = {"type": "object", "additionalProperties": False, "required": ["v"]}
    tree["properties"] = {"v": {"type": "null"}, "left": tree, "right": tree}
    engine = formgate.compile(tree, byte_vocabulary(), format="json_schema")
    assert engine.accepts(b'{"v":null,"left":{"v":null},"right":{"v":null,"right":{"v":null}}}')
    assert not engine.accepts(b'{"v":null,"left":{"left":{"v":null}}}')


def test_parts_that_take_the_automaton_come_back() -> None:
    schema = {
        "type": "object",
        "properties": {
            "next": {"oneOf": [{"type": "null"}, {"$ref": "#"}]},
            "code": {"type": "string", "pattern": "^[A-Z]{2}$"},
        },
        "required": ["code"],
        "additionalProperties": False,
    }
    engine = formgate.compile(schema, byte_vocabulary(), format="json_schema")
    assert engine.accepts(b'{"next":{"next":null,"code":"AB"},"code":"CD"}')
    assert not engine.accepts(b'{"next":{"next":null,"code":"Ab"},"code":"CD"}')
    assert not engine.accepts(b'{"next":{"next":null},"code":"CD"}')


def test_a_schema_inside_itself_that_turns_out_not_to_be_plain() -> None:
    inner = {"type": "object", "properties": {"a": {"$ref": "#"}, "b": False}}
    for schema in (inner, {"anyOf": [inner]}, {"allOf": [{"anyOf": [inner]}]}):
        compare(*both_ways(schema, {}), random.Random(0))
        engine = compiled(schema, {})
        assert engine.accepts(b'{"a":{"a":{}}}')
        assert not engine.accepts(b'{"a":{"b":{}}}')


def test_what_cannot_be_is_seen_through_plain_parts() -> None:
    never = {"allOf": [{"type": "string"}, {"type": "null"}]}
    inner = {"type": "object", "properties": {"a": never}, "required": ["a"]}
    schema = {"type": "array", "items": inner, "minItems": 1}
    with pytest.raises(
        EmptyLanguageError, match=r"^#/items/properties/a: no value satisfies allOf"
    ):
        build_grammar(schema, format="json_schema")
    assert formgate.compile(
        {**schema, "minItems": 0}, byte_vocabulary(), format="json_schema"
    ).accepts(b"[ ]")


def test_several_schemas_in_one_grammar() -> None:
    for first, second in (({}, {}), ({}, {"property_order": "any"}), ({"indent": 1}, {})):
        builder = GrammarBuilder()
        schema = {"type": "object", "properties": {"a": {}, "b": {"type": KINDS[0]}}}
        nodes = [compile_json_schema(schema, builder, **options) for options in (first, second)]
        builder.start(builder.choice(*nodes))
        engine = builder.build().compile(byte_vocabulary())
        assert engine.accepts(b'{"a":[{},1],"b":null}')
        assert engine.accepts(b'{"b":null,"a":1}') == ("property_order" in second)


def test_other_classes_of_dicts_and_texts() -> None:
    class Name(str):
        __slots__ = ()

    inner = collections.OrderedDict(type=Name("string"), maxLength=2)
    schema = collections.defaultdict(dict, type="object", properties={Name("a"): inner})
    engine = formgate.compile(schema, byte_vocabulary(), format="json_schema")
    assert engine.accepts(b'{"a":"xy"}')
    assert not engine.accepts(b'{"a":"xyz"}')


def test_many_names_are_read_quickly() -> None:
    names = [f"{NAMES[at % 4]}{at}" for at in range(3_000)]
    schema = {
        "type": "object",
        "properties": {name: {"type": "boolean"} for name in names},
        "required": names[::3],
        "additionalProperties": False,
    }
    engine = formgate.compile(schema, byte_vocabulary(), format="json_schema")
    assert engine.accepts(json.dumps(dict.fromkeys(names[::3], True)).encode())
    assert not engine.accepts(json.dumps(dict.fromkeys(names[1::3], True)).encode())


def test_half_a_pair_in_names_of_definitions() -> None:
    holder = {"type": "object", "properties": {"q": {"type": "array"}}}
    for schema in (
        {"$ref": "#/$defs/\ud800", "$defs": {"\ud800": {"items": {"$ref": "#/$defs/\ud800"}}}},
        {
            "properties": {name: {"$ref": "#/$defs/\ud800"} for name in "ab"},
            "$defs": {"\ud800": holder},
        },
    ):
        found, expected = both_ways(schema, {})
        compare(found, expected, random.Random(0))
        assert isinstance(found, formgate.Engine)


def test_an_object_that_cannot_be_is_not_looked_into() -> None:
    for wrong in ({"$ref": "#/nowhere"}, {"minimum": "x"}, {"pattern": r"(a)\1"}):
        held = {"b": {"items": wrong}}
        schema = {"required": ["a"], "additionalProperties": False, "properties": held}
        found, expected = both_ways(schema, {})
        compare(found, expected, random.Random(0))
        assert found.accepts(b"[1]")
        assert not found.accepts(b"{}")


@pytest.mark.parametrize("draft", ["4", "7"])
@pytest.mark.parametrize("policy", ["error", "relax"])
def test_numbers_and_strings_are_written_alike(draft: str, policy: str) -> None:
    options = {"draft": draft, "on_unsupported": policy}
    for part in (
        {"type": "integer", "minimum": 1, "exclusiveMinimum": True},
        {"type": "integer", "minimum": 1, "exclusiveMinimum": 0},
        {"type": "number", "exclusiveMaximum": False},
        {"type": "integer", "minimum": 2, "maximum": 1},
        {"type": "integer", "multipleOf": 0},
        {"type": "integer", "multipleOf": 10**9 + 7},
        {"type": "number", "minimum": None},
        {"type": "string", "minimum": None},
        {"type": "string", "minimum": 2, "pattern": "^[ab]$"},
        {"type": "integer", "format": "int32", "pattern": "("},
        {"type": "integer", "format": None},
        {"type": "string", "format": "date", "pattern": "^2"},
        {"type": "string", "format": "nonsense", "minLength": 2},
        {"type": "string", "pattern": r"^(a)\1$"},
        {"type": "string", "pattern": "^a{2,}$", "maxLength": 1},
        {"pattern": "^a", "minimum": 3, "format": "date"},
        {"enum": [1, 1.0, 2.5, "a"], "type": ["integer", "string"]},
        {"enum": [2.5], "type": "integer"},
        {"enum": [1, 1.5], "minimum": 1},
        {"const": 10**400},
    ):
        schema = {"type": "object", "properties": {"a": part}, "required": ["a"]}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UnenforcedWarning)
            found, expected = both_ways(schema, options)
        compare(found, expected, random.Random(3))


_NULL: dict[str, Any] = {"type": "null"}
_ALTERNATIVES: dict[str, Any] = {
    "null or a reference": {"anyOf": [_NULL, {"$ref": "#/$defs/x"}]},
    "itself below": {"oneOf": [{"type": "object", "additionalProperties": {"$ref": "#"}}, _NULL]},
    "one of several kinds": {"oneOf": [{"type": ["string", "null"]}, {"enum": [1, True]}]},
    "a kind twice": {"oneOf": [{"type": "integer"}, {"type": "number", "minimum": 3}]},
    "a kind twice in anyOf": {"anyOf": [{"enum": ["a", None]}, {"const": "b"}]},
    "nested": {"anyOf": [{"oneOf": [_NULL, {"type": "boolean"}]}, {"allOf": [{"minimum": 1}]}]},
    "nested, apart": {"anyOf": [{"oneOf": [_NULL, {"const": 2}]}, {"allOf": [{"type": "array"}]}]},
    "beside others": {"anyOf": [_NULL, {"type": "string"}], "minLength": 2},
    "two at once": {"anyOf": [_NULL, {"type": "string"}], "oneOf": [_NULL]},
    "none": {"oneOf": []},
    "no list": {"anyOf": {"0": _NULL}},
    "all of two": {"allOf": [{"type": "string"}, {"minLength": 1}]},
    "true and false": {"anyOf": [True, _NULL]},
    "false": {"oneOf": [False, _NULL]},
    "one that cannot be": {"anyOf": [{"type": "array", "items": False, "minItems": 1}, _NULL]},
    "one that is wrong": {"anyOf": [{"type": "string", "pattern": "("}, _NULL]},
    "defined by itself": {"anyOf": [_NULL, {"$ref": "#"}]},
    "defined by another": {"anyOf": [_NULL, {"$ref": "#/$defs/loop"}]},
    "defined by way of a member, too": {
        "anyOf": [
            {"type": "object", "properties": {"m": {"$ref": "#/$defs/back"}}},
            {"$ref": "#/$defs/back"},
        ]
    },
    "a long way": {"anyOf": [{"$ref": "#/$defs/l0"}, _NULL]},
}


@pytest.mark.parametrize("name", _ALTERNATIVES)
def test_alternatives_are_written_alike(name: str) -> None:
    chain = {f"l{n}": {"anyOf": [{"$ref": f"#/$defs/l{n + 1}"}]} for n in range(20)}
    definitions = {
        "x": {"type": "object", "properties": {"a": {"$ref": "#"}}, "required": ["a"]},
        "loop": {"oneOf": [{"type": "boolean"}, {"allOf": [{"$ref": "#/$defs/loop"}]}]},
        "back": {"oneOf": [_NULL, {"$ref": "#"}]},
        **chain,
        "l20": {"type": "string"},
    }
    definitions["y"] = _ALTERNATIVES[name]
    for said in (_ALTERNATIVES[name], {"type": "array", "items": {"$ref": "#/$defs/y"}}):
        schema = {**said, "$defs": definitions}
        found, expected = both_ways(schema, {})
        compare(found, expected, random.Random(1))
        circular = "defined" in name and schema.get("type") != "array"
        assert isinstance(found, tuple) or not circular


def test_builders_with_many_sets_of_numbers_are_freed() -> None:
    builder = GrammarBuilder()
    bounds = {f"n{n}": {"type": "number", "minimum": n + 0.5} for n in range(100)}
    builder.start(compile_json_schema({"type": "object", "properties": bounds}, builder))
    gone = weakref.ref(builder)
    del builder
    gc.collect()
    assert gone() is None


@pytest.mark.parametrize("given", [None, 3, "x", [], True, {}])
def test_what_no_member_is_left_for_is_told_where_it_is_no_schema(given):
    schema = {"patternProperties": {"": {"type": "null"}}, "additionalProperties": given}
    one, other = both_ways({"type": "object", **schema}, {})
    assert isinstance(one, formgate.Engine) == (given in (True, {}))
    compare(one, other, random.Random(0))
