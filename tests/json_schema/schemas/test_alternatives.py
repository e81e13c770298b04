"""Schemas of many alternatives: what is told apart early is what jsonschema tells apart."""

from __future__ import annotations

import itertools
import json
from typing import Any

import hypothesis
import jsonschema
import pytest
from hypothesis import strategies as st

import formgate
from formgate.core.errors import EmptyLanguageError, LimitError
from formgate.plugins.json_schema._strings import StringSet

SEEDLESS = hypothesis.settings(
    deadline=None, suppress_health_check=list(hypothesis.HealthCheck), max_examples=60
)


@pytest.fixture(scope="module")
def vocabulary() -> formgate.Vocabulary:
    """Single bytes."""
    return formgate.Vocabulary([*(bytes([byte]) for byte in range(256)), None], stop_ids=[256])


def decide(schema: Any, instances: list[Any], vocabulary: formgate.Vocabulary) -> None:
    """Compare the engine's verdicts with jsonschema's."""
    judge = jsonschema.Draft202012Validator(schema)
    expected = [judge.is_valid(instance) for instance in instances]
    try:
        engine = formgate.compile(schema, vocabulary, property_order="any")
    except EmptyLanguageError:
        assert not any(expected)
        return
    found = [engine.accepts(json.dumps(instance)) for instance in instances]
    wrong = [one for one, *two in zip(instances, found, expected, strict=True) if two[0] != two[1]]
    assert not wrong


# --- items of which some must satisfy something ---

ITEMS: list[Any] = [1, 2, "a", [], [1], [[]], [2, 1], None]
parts = st.sampled_from(
    [
        {"const": 1},
        {"enum": [1, 2]},
        {"type": "integer"},
        {"const": "a"},
        {"type": "array", "items": {"const": 1}},
        {"type": "array", "contains": {"const": 1}},
        {"type": ["integer", "string"]},
        {"not": {"const": 2}},
        {"$ref": "#/$defs/nested"},
    ]
)


@st.composite
def arrays(draw: st.DrawFn) -> dict[str, Any]:
    """What may be said of items."""
    drawn = {
        "items": parts,
        "prefixItems": st.lists(parts, min_size=1, max_size=3),
        "minItems": st.integers(0, 3),
        "maxItems": st.integers(1, 4),
        "contains": parts,
    }
    chosen = draw(st.sets(st.sampled_from(sorted(drawn))))
    return {"type": "array"} | {name: draw(drawn[name]) for name in sorted(chosen)}


@st.composite
def conditions(draw: st.DrawFn) -> dict[str, Any]:
    """An array with conditions from ``contains`` and from what is not so."""
    schema = draw(arrays())
    contained = st.builds(lambda one: {"contains": one}, parts)
    denied = st.builds(lambda one: {"not": {"type": "array", "items": one}}, parts)
    after = st.builds(
        lambda one: {"not": {"type": "array", "prefixItems": [True], "items": one}}, parts
    )
    more = draw(
        st.one_of(
            st.builds(lambda one: {"not": one}, arrays()),
            st.builds(lambda *some: {"oneOf": list(some)}, arrays(), arrays()),
            st.builds(
                lambda some: {"allOf": some},
                st.lists(st.one_of(contained, denied, after), min_size=1, max_size=4),
            ),
        )
    )
    nested = {"type": "array", "maxItems": 1, "items": {"$ref": "#/$defs/nested"}}
    return schema | more | {"$defs": {"nested": nested}}


@SEEDLESS
@hypothesis.given(schema=conditions(), data=st.data())
def test_items_that_must_satisfy_something(
    vocabulary: formgate.Vocabulary, schema: Any, data: st.DataObject
) -> None:
    instances = [
        list(some) for count in range(3) for some in itertools.product(ITEMS, repeat=count)
    ]
    longer = st.lists(st.sampled_from(ITEMS), min_size=3, max_size=5)
    instances += data.draw(st.lists(longer, max_size=30))
    decide(schema, instances, vocabulary)


def test_items_beside_many_positions(vocabulary: formgate.Vocabulary) -> None:
    schema = {
        "oneOf": [
            {"type": "array", "maxItems": 500, "items": {"type": "integer", "maximum": 5}},
            {"type": "array", "maxItems": 500, "items": {"type": "integer", "minimum": 3}},
        ]
    }
    instances: list[Any] = [[], [4], [1] * 500, [4] * 499 + [1], [4] * 500, [1, 9]]
    instances += [[4] * 500 + [1], [9] * 500, [1] * 501]
    decide(schema, instances, vocabulary)


@pytest.mark.parametrize("count", [3, 9, 11])
def test_many_conditions(vocabulary: formgate.Vocabulary, count: int) -> None:
    # Beyond eight, the conditions are counted by rules; beyond ten, there are too many sorts.
    schema = {
        "type": "array",
        "allOf": [
            {"contains": {"type": "string", "pattern": f"x{place}"}} for place in range(count)
        ],
    }
    if count > 10:
        with pytest.raises(LimitError, match="more than 1024 sorts"):
            formgate.compile(schema, vocabulary)
        return
    texts = [f"x{place}" for place in range(count)]
    instances: list[Any] = [texts, texts[::-1], texts[1:], ["".join(texts)], [*texts[1:], "x1"], []]
    decide(schema, instances, vocabulary)


# --- branches told apart by what stands beside them ---


def objects(*names: str, values: tuple[Any, ...]) -> list[Any]:
    """Return objects of some of these names and values."""
    absent = object()
    return [
        {name: one for name, one in zip(names, chosen, strict=True) if one is not absent}
        for chosen in itertools.product((absent, *values), repeat=len(names))
    ]


@pytest.mark.parametrize("outer", [["kind"], ["x"], []])
@pytest.mark.parametrize("twice", [False, True])
def test_a_required_name_beside_alternatives(
    vocabulary: formgate.Vocabulary, outer: list[str], twice: bool
) -> None:
    branches = [
        {"properties": {"kind": {"const": kind}, "x": {"type": "integer", "minimum": low}}}
        for kind, low in (("a", 1), ("b", 2), ("a" if twice else "c", 2))
    ]
    schema: dict[str, Any] = {
        "allOf": [{"properties": {"y": {"const": "c"}}}, {"$ref": "#/$defs/one"}],
        "required": outer,
        "additionalProperties": {"enum": ["a", "b", "c", 1, 2]},
    }
    definitions = {"one": {"oneOf": branches}}
    typed = schema | {"type": "object", "$defs": definitions}
    decide(typed, objects("kind", "x", "y", values=("a", "b", "c", 1, 2)), vocabulary)
    apart = {"allOf": [{"required": outer}, schema], "$defs": definitions}
    decide(apart, objects("kind", "x", values=("a", 1, 2)), vocabulary)


TAGS: list[Any] = [
    *({"const": value} for value in ("a", "b", 1, 1.5, 2, True, False, None)),
    *({"enum": values} for values in (["a", 1], [2, None], [False, "c"], [1.0, "d"])),
    *({"type": kind} for kind in ("string", "integer", "null", "boolean", "object", "array")),
    *({"minimum": low, "maximum": low + 1, "type": "number"} for low in (0, 1, 2, 3)),
    {"pattern": "^[ab]$", "type": "string"},
    {"minLength": 2, "type": "string"},
    {"not": {"type": ["string", "null"]}},
    {"items": {"enum": [1]}, "type": "array"},
]
TAGGED: list[Any] = ["a", "b", "c", "ab", 0, 1, 1.5, 2, 4, True, False, None, [], [1], [2], {}]


@SEEDLESS
@hypothesis.given(
    tags=st.lists(st.sampled_from(TAGS), min_size=2, max_size=5),
    draft=st.sampled_from([jsonschema.Draft4Validator, jsonschema.Draft202012Validator]),
)
def test_tags_of_all_kinds(vocabulary: formgate.Vocabulary, tags: list[Any], draft: Any) -> None:
    if draft is jsonschema.Draft4Validator:
        tags = [{"enum": [tag["const"]]} if "const" in tag else tag for tag in tags]
    branches = [
        {
            "properties": {"tag": tag, "x": {"minimum": place, "type": "integer"}},
            "required": ["tag"],
        }
        for place, tag in enumerate(tags)
    ]
    schema = {"$schema": draft.META_SCHEMA["$schema"], "type": "object", "oneOf": branches}
    instances = [{"tag": tag, "x": x} for tag in TAGGED for x in range(5)]
    decide(schema, [*instances, {"x": 1}, *({"tag": tag} for tag in TAGGED)], vocabulary)


@pytest.mark.parametrize("parts", [1, 4])
def test_branches_that_numbers_tell_apart_are_not_compared(
    vocabulary: formgate.Vocabulary, parts: int
) -> None:
    count = 700  # two by two, they are more than 300 steps for each of them
    branches = [
        {"properties": {"tag": {"const": place / parts}, f"{place}": {}}, "required": ["tag"]}
        for place in range(count)
    ]
    schema = {"type": "object", "additionalProperties": False, "oneOf": branches}
    schema["properties"] = {"tag": {"type": "number"}}
    engine = formgate.compile(schema, vocabulary, max_clauses=count)
    assert engine.accepts('{"tag":0}')
    assert engine.accepts('{"tag":0.0}')
    assert not engine.accepts('{"tag":-1}')
    assert not engine.accepts('{"tag":"0"}')
    assert engine.accepts('{"tag":0.5}') is (parts == 4)


def test_names_stay_in_their_order(vocabulary: formgate.Vocabulary) -> None:
    branches = [
        {"properties": {"kind": {"const": kind}, kind: {"type": "integer"}}} for kind in ("a", "b")
    ]
    schema = {
        "allOf": [{"oneOf": branches}, {"properties": {"z": {"type": "integer"}}}],
        "properties": {"last": {"type": "integer"}},
        "required": ["kind"],
    }
    engine = formgate.compile(schema, vocabulary)
    assert engine.accepts('{"kind":"a","a":1,"z":2,"last":3}')
    assert engine.accepts('{"kind":"b","b":1,"z":2,"last":3}')
    assert not engine.accepts('{"kind":"a","a":1,"last":3,"z":2}')
    assert not engine.accepts('{"kind":"a","a":"1","z":2,"last":3}')


@SEEDLESS
@hypothesis.given(data=st.data())
def test_names_that_ask_for_kinds(vocabulary: formgate.Vocabulary, data: st.DataObject) -> None:
    kinds = st.sets(st.sampled_from("abcd"), min_size=1)
    asked = data.draw(st.dictionaries(st.sampled_from("uvwxyz"), kinds, min_size=1, max_size=6))
    schema = {
        "type": "object",
        "properties": {
            "kind": {"enum": list("abcde")},
            **{name: {"const": 1} for name in "uvwxyz"},
        },
        "additionalProperties": False,
        "dependentSchemas": {
            name: {"properties": {"kind": {"enum": sorted(some)}}} for name, some in asked.items()
        },
    }
    names = st.sets(st.sampled_from("uvwxyz"))
    kind = st.sampled_from([{}, *({"kind": one} for one in "abcde")])
    instance = st.builds(lambda one, some: one | dict.fromkeys(sorted(some), 1), kind, names)
    decide(schema, data.draw(st.lists(instance, min_size=20, max_size=40)), vocabulary)


# --- names told apart by how they begin and end ---

PATTERNS = ["^a", "^ab", "b$", "^a.*b$", "ab", "^(a|b)", "a+$", "^ab?c", "c$", "^b$|^ba", r"^a\b"]
TEXTS = ["".join(some) for count in range(5) for some in itertools.product("ab c", repeat=count)]


@pytest.mark.parametrize("first", PATTERNS)
def test_patterns_and_their_complements(first: str) -> None:
    for second, third in itertools.product(PATTERNS, repeat=2):
        for signs in itertools.product((False, True), repeat=3):
            sets = [StringSet.pattern(one) for one in (first, second, third)]
            sets = [one if sign else ~one for one, sign in zip(sets, signs, strict=True)]
            common = sets[0] & sets[1] & sets[2]
            for text in TEXTS[::7]:
                assert common.contains(text) == all(one.contains(text) for one in sets)


def test_names_of_many_patterns(vocabulary: formgate.Vocabulary) -> None:
    kinds = ["table", "view", "index", "function"]
    schema = {
        "type": "object",
        "additionalProperties": False,
        "patternProperties": {
            **{f"^{kind} ": {"const": kind} for kind in kinds},
            "x$": {"minLength": 5},
            "^table x": {"type": "string"},
        },
    }
    names = [f"{kind} {end}" for kind in (*kinds, "tab") for end in ("", "a", "x")]
    instances: list[Any] = [{name: kind} for name in [*names, "x", "ax"] for kind in kinds]
    instances += [dict(zip(names[k:], kinds, strict=False)) for k in range(9)]
    decide(schema, instances, vocabulary)


# --- refusals name the keyword and its place ---


def required(letter: str, count: int) -> list[Any]:
    """Return schemas that require one array each: too much for conditions kept side by side."""
    names = [f"{letter}{place}" for place in range(count)]
    return [{"required": [name], "properties": {name: {"items": {}}}} for name in names]


ANY_OF_NAMES = {"anyOf": required("a", 60)}
MANY_PARTS = [{"properties": {f"{n}{k}": {"const": [k]} for n in "bc"}} for k in range(30)]


@pytest.mark.parametrize(
    ("schema", "place"),
    [
        ({"allOf": [ANY_OF_NAMES, {"anyOf": required("b", 60)}]}, "#/allOf"),
        (
            {"properties": {"x": ANY_OF_NAMES | {"oneOf": required("b", 60)}}},
            "#/properties/x/oneOf",
        ),
        (
            {"$ref": "#/$defs/a", "anyOf": required("b", 60), "$defs": {"a": ANY_OF_NAMES}},
            "#/anyOf",
        ),
        ({"not": {"anyOf": [part | {"required": ["a"]} for part in MANY_PARTS]}}, "#/not"),
        (
            {"if": {"allOf": MANY_PARTS[:1]}, "then": ANY_OF_NAMES, "anyOf": required("b", 60)},
            "#/anyOf",
        ),
        (
            {"dependentSchemas": {f"a{k}": part for k, part in enumerate(MANY_PARTS)}},
            "#/dependentSchemas",
        ),
        (
            {
                "$schema": "http://json-schema.org/draft-07/schema#",
                "dependencies": {f"a{k}": part for k, part in enumerate(MANY_PARTS)},
            },
            "#/dependencies",
        ),
    ],
)
def test_too_many_alternatives(vocabulary: formgate.Vocabulary, schema: Any, place: str) -> None:
    with pytest.raises(LimitError, match="max_clauses=200 alternatives") as caught:
        formgate.compile({"type": "object"} | schema, vocabulary, max_clauses=200)
    assert str(caught.value).partition(": ")[0] == place
