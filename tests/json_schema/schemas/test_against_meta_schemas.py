"""What is taken for a schema: what its draft's meta-schema takes, but for what is documented.

The judge is jsonschema with the meta-schemas of the standard. Before it is asked, what
docs/reference/json-schema.md ("Drafts and keywords") says is read though a meta-schema forbids it
is written as the meta-schema wants it, or left out where it says nothing.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import hypothesis
import jsonschema
import pytest
from hypothesis import strategies as st

from formgate.core.errors import EmptyLanguageError, GrammarError, UnsupportedConstraint
from formgate.core.grammar import GrammarBuilder
from formgate.plugins.json_schema import Validator, compile_json_schema

if TYPE_CHECKING:
    from collections.abc import Iterator

JUDGES = {
    "4": jsonschema.Draft4Validator,
    "6": jsonschema.Draft6Validator,
    "7": jsonschema.Draft7Validator,
    "2019-09": jsonschema.Draft201909Validator,
    "2020-12": jsonschema.Draft202012Validator,
}
RANKS = {"4": 4, "6": 6, "7": 7, "2019-09": 2019, "2020-12": 2020}

# --- the schemas: each keyword with a value that fits, or now and then with one that may not ---

NAMES = st.sampled_from(["a", "b", "c~/"])
TYPES = ["null", "boolean", "integer", "number", "string", "array", "object"]
VALUES: list[Any] = [None, True, 1, 1.0, "a", [], {"a": 1}]
ANY: list[Any] = [
    *VALUES,
    *(False, 0, -1, 2.0, 1.5, 10**30, "string", ["a"], ["a", "a"], [1], [{}], [True], {}),
    *({"a": {}}, {"a": []}, {"a": ["b"]}, {"a": ["b", "b"]}, {"type": "foo"}, [{"type": "foo"}]),
]
NUMBERS = st.sampled_from([0, 5, -1.5, 1e300])
LISTS_OF_NAMES = st.lists(NAMES, max_size=3)

schemas: st.SearchStrategy[Any] = st.deferred(
    lambda: st.one_of(st.just({}), st.booleans(), objects)
)
LISTED = st.lists(schemas, max_size=3)
NAMED = st.dictionaries(NAMES, schemas, max_size=3)

# Nothing depends on these where no reference leads to them.
ANNOTATIONS = [
    "$anchor",
    "$comment",
    "$defs",
    "$id",
    "$vocabulary",
    "contentEncoding",
    "contentMediaType",
    "contentSchema",
    "default",
    "definitions",
    "deprecated",
    "description",
    "examples",
    "id",
    "readOnly",
    "title",
    "writeOnly",
]
ADDRESSES = ["$anchor", "$id", "id"]
COUNTS = [
    "maxContains",
    "maxItems",
    "maxLength",
    "maxProperties",
    "minContains",
    "minItems",
    "minLength",
    "minProperties",
]
ONE = [
    "additionalItems",
    "additionalProperties",
    "contains",
    "else",
    "if",
    "items",
    "not",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
]
LISTS = ["allOf", "anyOf", "oneOf", "prefixItems", "items"]
BY_NAME = ["dependencies", "dependentSchemas", "patternProperties", "properties"]

FITTING: dict[str, st.SearchStrategy[Any]] = {
    **dict.fromkeys(ONE, schemas),
    **dict.fromkeys(LISTS, LISTED),
    **dict.fromkeys(BY_NAME, NAMED),
    **dict.fromkeys(COUNTS, st.sampled_from([0, 1, 3, 2.0])),
    **dict.fromkeys(["minimum", "maximum"], NUMBERS),
    **dict.fromkeys(["exclusiveMinimum", "exclusiveMaximum"], NUMBERS | st.booleans()),
    **dict.fromkeys(ANNOTATIONS, st.just("a")),
    "items": schemas | LISTED,
    "dependencies": st.dictionaries(NAMES, LISTED | schemas | LISTS_OF_NAMES, max_size=2),
    "dependentRequired": st.dictionaries(NAMES, LISTS_OF_NAMES, max_size=2),
    "type": st.sampled_from(TYPES) | st.lists(st.sampled_from(TYPES), max_size=3),
    "enum": st.lists(st.sampled_from(VALUES), max_size=3),
    "const": st.sampled_from(VALUES),
    "multipleOf": st.sampled_from([1, 0.5, 2, 0, -1]),
    "pattern": st.sampled_from(["^a", "b"]),
    "format": st.sampled_from(["date", "no-such"]),
    "uniqueItems": st.booleans(),
    "required": LISTS_OF_NAMES,
}


def valued(keyword: str) -> st.SearchStrategy[Any]:
    """Return the values of a keyword: seven of eight of its own kind."""
    anything = st.sampled_from(ANY)
    if keyword in ADDRESSES:  # two schemas with one address are refused
        return anything.filter(lambda value: not isinstance(value, str))
    return st.integers(0, 7).flatmap(lambda die: FITTING[keyword] if die else anything)


objects = st.lists(st.sampled_from(sorted(FITTING)), max_size=3, unique=True).flatmap(
    lambda keywords: st.fixed_dictionaries({keyword: valued(keyword) for keyword in keywords})
)

# --- the leniencies ---


def strict(schema: Any, rank: int) -> Any:
    """Return a schema as its meta-schema wants it, as far as the documented leniencies go."""
    if isinstance(schema, bool):
        return {} if rank == RANKS["4"] else schema
    if not isinstance(schema, dict):
        return schema
    return {
        keyword: _strict_value(keyword, value, rank)
        for keyword, value in schema.items()
        if not _says_nothing(keyword, schema, rank)
    }


def _says_nothing(keyword: str, schema: dict[str, Any], rank: int) -> bool:
    """Say whether a keyword is an annotation, or applies to nothing, and may be anything."""
    value = schema[keyword]
    if keyword in ("then", "else"):
        return "if" not in schema
    if keyword == "additionalItems":
        return not isinstance(schema.get("items"), list)
    if value == [] and keyword in ("items", "prefixItems"):
        return isinstance(value, list) and not (keyword == "items" and rank == RANKS["2020-12"])
    if rank == RANKS["4"]:
        if keyword in ("exclusiveMinimum", "exclusiveMaximum"):
            return isinstance(value, bool) and keyword[len("exclusive") :].lower() not in schema
        if keyword == "required":
            return isinstance(value, list) and not value
    return keyword in ANNOTATIONS


def _strict_value(keyword: str, value: Any, rank: int) -> Any:
    """Return the value of a keyword as the meta-schema wants it."""
    if keyword in COUNTS and isinstance(value, float) and value.is_integer():
        return int(value)
    if keyword in LISTS and isinstance(value, list):
        return [strict(one, rank) for one in value]
    if keyword in BY_NAME and isinstance(value, dict):
        empty = keyword == "dependencies" and rank == RANKS["4"]
        return {name: strict(one, rank) for name, one in value.items() if not (empty and one == [])}
    if keyword == "enum" and rank == RANKS["4"] and isinstance(value, list):
        return value[:1]  # a value may come twice
    return strict(value, rank) if keyword in ONE else value


# --- the properties ---


@hypothesis.settings(
    max_examples=400, deadline=None, suppress_health_check=list(hypothesis.HealthCheck)
)
@hypothesis.given(schema=objects, draft=st.sampled_from(sorted(JUDGES)))
def test_what_is_a_schema_is_what_the_meta_schema_says(schema: Any, draft: str) -> None:
    judge = JUDGES[draft](JUDGES[draft].META_SCHEMA)
    wrong = [tuple(way) for way in _places(judge.iter_errors(strict(schema, RANKS[draft])))]
    refused = None
    try:
        compile_json_schema(schema, GrammarBuilder(), draft=draft)
    except (EmptyLanguageError, UnsupportedConstraint):
        pass  # a schema, of which nothing is right, or which cannot be enforced
    except GrammarError as error:
        refused = error
    if refused is None:
        _check_not_reached(schema, wrong, draft)
        return
    assert wrong, refused
    place = refused.reason.partition(": ")[0]
    every = {_pointer(way) for way in _places(judge.iter_errors(schema))}
    assert place in every, (refused, every)


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"pattern": "["}, "pattern at #/pattern: "),
        ({"patternProperties": {"[": {}}}, "pattern at #/patternProperties/[: "),
        ({"$ref": 1}, "#/$ref: "),
        ({"$ref": "a"}, "#/$ref: the reference 'a' leads nowhere"),
        ({"$ref": "#"}, "#: the schema refers to itself"),
        (
            {
                "items": {"$id": "http://a", "id": "http://a"},
                "additionalProperties": {"allOf": [{"$ref": "http://a"}]},
                "$id": "http://a",
                "id": "http://a",
            },
            "#/items: the address 'http://a' is that of #, too",
        ),
    ],
)
@pytest.mark.parametrize("draft", sorted(JUDGES))
def test_what_is_refused_though_a_meta_schema_may_take_it(
    schema: Any, words: str, draft: str
) -> None:
    """Documented in "Drafts and keywords" and "What is refused"."""
    with pytest.raises(GrammarError) as caught:
        compile_json_schema(schema, GrammarBuilder(), draft=draft)
    assert str(caught.value).startswith(words)


@pytest.mark.parametrize("draft", sorted(JUDGES))
@pytest.mark.parametrize("first", [True, False])
def test_an_address_may_stand_twice_if_no_reference_means_it(draft: str, first: bool) -> None:
    """Whichever is come upon first: the reference, or one of the two."""
    twice = {
        "a": {"$id": "http://a", "id": "http://a", "type": "integer"},
        "b": {"$id": "http://a", "id": "http://a", "type": "string"},
    }
    given = Validator({"properties": twice}, draft=draft)
    assert given.is_valid({"a": 1, "b": "x"})
    assert not given.is_valid({"a": 1, "b": 1})
    assert not given.is_valid({"a": "x"})
    meant = {"c": {"$ref": "http://a"}}
    with pytest.raises(GrammarError, match="'http://a' is that of #/properties/a, too"):
        compile_json_schema(
            {"properties": meant | twice if first else twice | meant}, GrammarBuilder(), draft=draft
        )


@pytest.mark.parametrize("keyword", ["not", "items", "additionalProperties"])
def test_truth_values_are_schemas_in_draft_4(keyword: str) -> None:
    for truth, schema in ((True, {}), (False, {"not": {}})):
        for value in (*VALUES, [1]):
            given = Validator({keyword: truth}, draft="4")
            assert given.is_valid(value) is Validator({keyword: schema}, draft="4").is_valid(value)


def _check_not_reached(schema: Any, wrong: list[tuple[Any, ...]], draft: str) -> None:
    """Check that the parts that are wrong make no difference, whatever stands there."""
    if not wrong:
        return
    # Of a choice that fails, as of a schema or a list of them, what lies deepest counts.
    wrong = [way for way in wrong if not any(way == one[: len(way)] != one for one in wrong)]
    for way in wrong:
        assert way[:-1], f"{schema}: the keyword {way} is none of draft {draft}"
    for value in (*VALUES, 0, -2, "", "ab", [1, 1], {"b": [1], "c~/": {}}, {}):
        told = set()
        for part in (True, False):
            changed = json.loads(json.dumps(schema))
            for way in sorted(wrong, key=len):
                _replace(changed, way[:-1], part)
            told.add(Validator(changed, draft=draft).is_valid(value))
        assert len(told) == 1, f"{schema}: what is wrong at {wrong} counts for {value}"


def _replace(part: Any, way: tuple[Any, ...], value: Any) -> None:
    """Put a value at a place, if it is still there."""
    for step in way[:-1]:
        if not isinstance(part, (dict, list)):
            return
        part = part[step]
    if isinstance(part, (dict, list)):
        part[way[-1]] = value


def _places(errors: Any) -> Iterator[tuple[Any, ...]]:
    """Return the places of errors, of those inside of others, too."""
    for error in errors:
        yield tuple(error.absolute_path)
        yield from _places(error.context)


def _pointer(way: tuple[Any, ...]) -> str:
    """Return a place as a JSON pointer."""
    return "".join(["#", *("/" + str(one).replace("~", "~0").replace("/", "~1") for one in way)])
