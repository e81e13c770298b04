"""Schemas that are written out more than once: what they share changes no verdict and no order."""

from __future__ import annotations

import copy
import itertools
import json
import random
from typing import TYPE_CHECKING, Any

import hypothesis
import jsonschema
import pytest
from acceptor import Acceptor
from agreeing import agree
from hypothesis import strategies as st
from random_schemas import NAMES, schemas, values

import formgate
from formgate.core.errors import EmptyLanguageError, GrammarError, LimitError, UnsupportedConstraint

if TYPE_CHECKING:
    from collections.abc import Iterator

SETTINGS = hypothesis.settings(
    deadline=None, suppress_health_check=list(hypothesis.HealthCheck), max_examples=120
)


@pytest.fixture(scope="module")
def vocabulary() -> formgate.Vocabulary:
    """Single bytes."""
    return formgate.Vocabulary([*(bytes([byte]) for byte in range(256)), None], stop_ids=[256])


@st.composite
def documents(draw: st.DrawFn) -> Any:
    """Documents in which a few schemas are written out again and again, in all kinds of places."""
    blocks = draw(st.lists(schemas(references=False), min_size=1, max_size=3))
    target = {"$ref": "#/$defs/x"}
    choice = {draw(st.sampled_from(["oneOf", "anyOf"])): [target, draw(st.sampled_from(blocks))]}
    references = st.sampled_from([target, {"items": target}, choice]).map(copy.deepcopy)
    block = st.one_of(st.sampled_from(blocks).map(copy.deepcopy), references)
    named = st.dictionaries(st.sampled_from(NAMES), block, min_size=1, max_size=3)
    shape = st.fixed_dictionaries(
        {"properties": named},
        optional={
            "required": st.lists(st.sampled_from(NAMES), max_size=2, unique=True),
            "additionalProperties": st.one_of(st.booleans(), block),
        },
    )
    part = st.one_of(shape, shape, block, shape.map(lambda one: {"items": one}))
    several = st.lists(part, min_size=2, max_size=3)
    denied = part.map(lambda one: {"not": one})
    root = draw(
        st.one_of(
            several.map(lambda parts: {"oneOf": parts}),
            several.map(lambda parts: {"anyOf": parts}),
            st.lists(st.one_of(part, denied), min_size=2, max_size=3).map(
                lambda parts: {"allOf": parts}
            ),
            st.builds(lambda one, two: {"if": one, "then": two, "else": one}, part, part),
            st.builds(lambda one, two: {"oneOf": [one, two], "properties": {}}, part, denied),
        )
    )
    return {**root, "$defs": {"x": draw(st.sampled_from(blocks))}}


@SETTINGS
@hypothesis.given(data=st.data())
def test_values_are_decided_as_jsonschema_does(
    data: st.DataObject, vocabulary: formgate.Vocabulary
) -> None:
    schema = data.draw(documents())
    objects = st.dictionaries(st.sampled_from(NAMES), values, max_size=3)
    instances = data.draw(st.lists(st.one_of(objects, values), min_size=4, max_size=10))
    judge = jsonschema.Draft202012Validator(schema)
    expected = [judge.is_valid(value) for value in instances]
    try:
        acceptor = Acceptor(schema)
        assert [acceptor.accepts(value) for value in instances] == expected
        engine = formgate.compile(schema, vocabulary, property_order="any")
    except EmptyLanguageError:
        assert not any(expected)
        return
    except (GrammarError, LimitError, UnsupportedConstraint):
        return
    assert [engine.accepts(json.dumps(value)) for value in instances] == expected


def written_apart(schema: Any, count: Iterator[int]) -> Any:
    """Return a schema whose parts are all written in words of their own that say nothing."""
    if isinstance(schema, list):
        return [written_apart(one, count) for one in schema]
    if not isinstance(schema, dict) or "$ref" in schema:
        return schema
    own = {"x-own": next(count)}
    for word, said in schema.items():
        if word in ("properties", "$defs"):
            own[word] = {name: written_apart(one, count) for name, one in said.items()}
        else:
            own[word] = written_apart(said, count)
    return own


_members = st.sampled_from(["x", "y", "z"])
_object = st.builds(lambda names: inner(*names), st.permutations(["x", "y"]))


@st.composite
def repeated(draw: st.DrawFn) -> dict[str, Any]:
    """Documents that use parts with references again and again, beside what orders members.

    What they refer to is in no part in the same words: of two such parts of a conjunction, one is
    taken, which orders the members.
    """
    ref = st.sampled_from(["$defs/m", "properties/b"]).map(lambda way: {"$ref": f"#/{way}"})
    simple = st.one_of(ref, ref, _object, st.just({"type": "null"}))
    both = st.builds(
        lambda own, word, one: {
            "properties": {"z": own},
            word: [{"required": ["z"], "properties": {"z": one}}, {"type": "null"}],
        },
        _object,
        st.sampled_from(["anyOf", "oneOf"]),
        ref,
    )
    part = st.recursive(
        st.one_of(simple, both),
        lambda inside: st.one_of(
            st.lists(inside, min_size=1, max_size=2).map(lambda some: {"anyOf": some}),
            st.lists(inside, min_size=2, max_size=2).map(lambda some: {"allOf": some}),
            st.dictionaries(_members, inside, max_size=2).map(
                lambda named: {"type": "object", "properties": named, "required": list(named)}
            ),
            inside.map(lambda one: {"type": "array", "items": one, "maxItems": 2}),
            st.builds(lambda one, two: {**one, "anyOf": [two, {"type": "null"}]}, _object, inside),
            st.builds(lambda one, two: {**two, "properties": {"z": one}}, inside, ref),
        ),
        max_leaves=4,
    )
    parts = draw(st.lists(part, min_size=1, max_size=2))
    one = st.one_of(st.sampled_from(parts), ref, _object).map(copy.deepcopy)
    noted = st.builds(lambda note, schema: {"default": note, **schema}, st.integers(0, 2), one)
    beside = st.lists(st.one_of(one, noted), min_size=1, max_size=2)
    some = beside.map(lambda some: some[0] if len(some) == 1 else {"allOf": some})
    named = draw(st.dictionaries(st.sampled_from("acd"), some, min_size=2))
    named["b"] = inner(*draw(st.permutations(["x", "y", "w"])))
    return {
        "type": "object",
        "properties": {name: named[name] for name in sorted(named)},
        "additionalProperties": False,
        "$defs": {"m": inner(*draw(st.permutations(["x", "y", "v"])))},
    }


@SETTINGS
@hypothesis.given(schema=repeated(), order=st.sampled_from(["schema", "schema", "any"]))
def test_sharing_makes_no_difference(
    schema: dict[str, Any], order: str, vocabulary: formgate.Vocabulary
) -> None:
    apart = written_apart(schema, itertools.count())
    engines = []
    for source in (schema, apart):
        try:
            engines.append(formgate.compile(source, vocabulary, property_order=order))
        except GrammarError as error:
            engines.append(type(error))
    if engines[0] is engines[1]:
        return
    for seed in range(6):
        chance = random.Random(seed)
        states = [engine.start() for engine in engines]
        for _ in range(90):
            one, other = (
                engine.allowed_tokens(state).to_list()
                for engine, state in zip(engines, states, strict=True)
            )
            assert one == other
            if not one or max(one) > 255:
                break
            known = [token for token in one if chr(token) in '"{}[],:cxyz']
            token = chance.choice(known or one)
            states = [
                engine.advance(state, token) for engine, state in zip(engines, states, strict=True)
            ]


def accepts(schema: Any, vocabulary: formgate.Vocabulary, *texts: str) -> list[bool]:
    """Return which texts are accepted, with members in the order of the schema."""
    engine = formgate.compile(json.dumps(schema), vocabulary, format="json_schema")
    return [engine.accepts(text) for text in texts]


def inner(*names: str) -> dict[str, Any]:
    """Return a schema with members that have to be there."""
    return {"properties": {name: {"const": 1} for name in names}, "required": list(names)}


def test_members_stand_in_the_order_of_each_place(vocabulary: formgate.Vocabulary) -> None:
    first, other = inner("x", "y"), inner("z")
    schema = {
        "type": "object",
        "properties": {
            "one": first,
            "two": {"type": "object", "allOf": [other, copy.deepcopy(first)]},
            "three": {"type": "object", "allOf": [copy.deepcopy(first), copy.deepcopy(other)]},
        },
        "additionalProperties": False,
    }
    found = accepts(
        schema,
        vocabulary,
        '{"two":{"z":1,"x":1,"y":1}}',
        '{"two":{"x":1,"y":1,"z":1}}',
        '{"three":{"x":1,"y":1,"z":1}}',
        '{"three":{"z":1,"x":1,"y":1}}',
    )
    assert found == [True, False, True, False]


def test_names_in_another_order_are_other_words(vocabulary: formgate.Vocabulary) -> None:
    schema = {
        "type": "object",
        "properties": {"one": inner("x", "y"), "two": inner("y", "x")},
        "additionalProperties": False,
    }
    found = accepts(
        schema,
        vocabulary,
        '{"one":{"x":1,"y":1}}',
        '{"one":{"y":1,"x":1}}',
        '{"two":{"y":1,"x":1}}',
        '{"two":{"x":1,"y":1}}',
    )
    assert found == [True, False, True, False]


def test_a_reference_leads_to_a_place_before_or_behind(vocabulary: formgate.Vocabulary) -> None:
    part = {"allOf": [{"$ref": "#/$defs/m"}, inner("x")]}
    schema = {
        "type": "object",
        "properties": {"one": part},
        "$defs": {"m": inner("m")},
        "additionalProperties": copy.deepcopy(part),
    }
    found = accepts(
        schema,
        vocabulary,
        '{"one":{"x":1,"m":1}}',
        '{"one":{"m":1,"x":1}}',
        '{"two":{"m":1,"x":1}}',
        '{"two":{"x":1,"m":1}}',
    )
    assert found == [True, False, True, False]


def test_truth_values_and_numbers_are_other_words(vocabulary: formgate.Vocabulary) -> None:
    def wanting(value: object) -> dict[str, Any]:
        member = {"properties": {"b": {"enum": [value, []]}}, "required": ["b"]}
        return {"type": "object", "properties": {"a": member}, "required": ["a"]}

    schema = {"oneOf": [wanting(1), wanting(True), wanting(0), wanting(False)]}
    texts = [f'{{"a":{{"b":{text}}}}}' for text in ("1", "true", "0", "false", "[]", "2")]
    assert accepts(schema, vocabulary, *texts) == [True, True, True, True, False, False]


@pytest.mark.parametrize("keyword", ["$dynamicRef", "$ref"])
def test_the_same_words_in_another_resource_may_mean_another_schema(
    keyword: str, vocabulary: formgate.Vocabulary
) -> None:
    part = {"type": "object", "properties": {"a": {keyword: "#n"}}, "required": ["a"]}
    schema = {
        "type": "object",
        "properties": {
            "one": {"$id": "http://a.test/1", "$defs": {"n": {"$dynamicAnchor": "n", "const": 1}}}
            | copy.deepcopy(part),
            "two": {"$id": "http://a.test/2", "$defs": {"n": {"$dynamicAnchor": "n", "const": 2}}}
            | copy.deepcopy(part),
            "three": {
                "$id": "http://a.test/3",
                "$defs": {"n": {"$dynamicAnchor": "n", "const": 3}},
                "not": {"not": copy.deepcopy(part)},
            },
        },
    }
    texts = [
        f'{{"{name}":{{"a":{value}}}}}' for name in ("one", "two", "three") for value in (1, 2, 3)
    ]
    judge = jsonschema.Draft202012Validator(schema)
    expected = [judge.is_valid(json.loads(text)) for text in texts]
    assert expected == [name == value for name in (1, 2, 3) for value in (1, 2, 3)]
    assert accepts(schema, vocabulary, *texts) == expected


def test_a_schema_beside_its_own_denial_is_nothing(vocabulary: formgate.Vocabulary) -> None:
    part = inner("x", "y")
    for schema in (
        {"properties": {"a": part}, "not": {"properties": {"a": copy.deepcopy(part)}}},
        {"oneOf": [{"properties": {"a": part}}, {"properties": {"a": copy.deepcopy(part)}}]},
    ):
        with pytest.raises(EmptyLanguageError):
            formgate.compile({"type": "object", **schema}, vocabulary)


@st.composite
def branches(draw: st.DrawFn) -> dict[str, Any]:
    """An object of few members, of which one may be anything and one may hold another object."""
    names = draw(st.permutations(["a", "b", "c"]))[: draw(st.integers(1, 3))]
    inner = st.sampled_from(
        [
            {"const": 1},
            {"type": "integer"},
            {"enum": ["s", 1]},
            {},
            {"$ref": "#/$defs/0"},
            {"type": "object", "properties": {"b": {"const": 1}}},
        ]
    )
    return {
        "type": "object",
        "properties": {name: copy.deepcopy(draw(inner)) for name in names},
        "required": draw(st.lists(st.sampled_from(names), max_size=2, unique=True)),
        **draw(st.sampled_from([{}, {"additionalProperties": False}, {"minProperties": 2}])),
    }


@SETTINGS
@hypothesis.given(data=st.data())
def test_lists_that_share_branches(data: st.DataObject) -> None:
    """What one list of branches makes of a branch is what another one does, if it says the same."""
    defined = data.draw(st.lists(branches(), min_size=2, max_size=4))
    references = [{"$ref": f"#/$defs/{i}"} for i in range(len(defined))]

    def some() -> dict[str, Any]:
        listed = data.draw(st.permutations(references))[: data.draw(st.integers(1, 3))]
        return {data.draw(st.sampled_from(["oneOf", "anyOf"])): copy.deepcopy(listed)}

    schema = {
        "type": "object",
        "properties": {name: some() for name in "xyz"},
        "additionalProperties": False,
        "$defs": {str(i): one for i, one in enumerate(defined)},
    }
    scalar = st.sampled_from([1, "s", 2.5])
    member = st.one_of(scalar, scalar, st.dictionaries(st.sampled_from("ab"), scalar, max_size=2))
    value = st.dictionaries(st.sampled_from("abc"), member, max_size=3)
    objects = data.draw(
        st.lists(st.dictionaries(st.sampled_from("xyz"), value, max_size=2), max_size=12)
    )
    agree(schema, objects)
