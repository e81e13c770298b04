"""Items that are compared and counted at once, or of which two must be equal, against jsonschema.

Where items are of a few values a schema is never refused; where there is no end of them it may be,
but never means anything else.
"""

from __future__ import annotations

import itertools
import json
import random
from typing import Any

import hypothesis
import jsonschema
import pytest
from hypothesis import strategies as st

import formgate
from formgate.core.errors import EmptyLanguageError, LimitError, UnsupportedConstraint

SETTINGS = hypothesis.settings(
    max_examples=40, deadline=None, suppress_health_check=list(hypothesis.HealthCheck)
)
VALUES = [1, 2, True, None, "a", "b", [1], {"a": 1}]
LISTS = [list(one) for count in range(3) for one in itertools.product(VALUES, repeat=count)]

VALUES_OF = st.lists(st.sampled_from(VALUES), min_size=1, max_size=5, unique_by=json.dumps)
few = VALUES_OF.map(lambda some: {"enum": some})
kinds = st.sampled_from(("string", "integer", "null", "array")).map(lambda one: {"type": one})
some_of = st.one_of(few, kinds, st.builds(lambda a, b: {"anyOf": [a, b]}, few, kinds))


def arrays(items: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Return schemas of arrays, none of which says of what kind it is."""
    return st.fixed_dictionaries(
        {},
        optional={
            "uniqueItems": st.just(True),
            "items": items,
            "prefixItems": st.lists(items, min_size=1, max_size=2),
            "contains": items,
            "minItems": st.integers(0, 3),
            "maxItems": st.integers(1, 3),
        },
    ).flatmap(
        lambda schema: (
            st.fixed_dictionaries(
                {name: st.just(said) for name, said in schema.items()},
                optional={"minContains": st.integers(0, 2), "maxContains": st.integers(0, 2)},
            )
            if "contains" in schema
            else st.just(schema)
        )
    )


def combined(items: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Return schemas of arrays under Boolean keywords."""
    part = arrays(items)
    return st.one_of(
        part,
        st.builds(lambda one: {"not": one}, part),
        st.builds(lambda a, b: {"oneOf": [a, b]}, part, part),
        st.builds(lambda a, b: {"allOf": [a, {"not": b}]}, part, part),
        st.builds(lambda a, b, c: {"if": a, "then": b, "else": c}, part, part, part),
    )


def agrees(schema: dict[str, Any], vocabulary: formgate.Vocabulary) -> bool:
    """Hold the language of a schema against jsonschema; False where it is refused."""
    judge = jsonschema.Draft202012Validator(schema)
    try:
        engine = formgate.compile(schema, vocabulary, format="json_schema")
    except EmptyLanguageError:
        assert not any(map(judge.is_valid, LISTS))
        return True
    except (UnsupportedConstraint, LimitError):
        return False
    for value in LISTS:
        assert engine.accepts(json.dumps(value)) == judge.is_valid(value), value
    for seed in range(4):  # no mask leads to a dead end
        state, chance = engine.start(), random.Random(seed)
        for _ in range(30):
            tokens = engine.allowed_tokens(state).ids()
            assert len(tokens) > 0
            token = chance.choice([int(one) for one in tokens])
            if token == 256:
                break
            state = engine.advance(state, token)
    return True


@SETTINGS
@hypothesis.given(combined(few), few)
def test_few_values_are_never_refused(
    byte_vocabulary: formgate.Vocabulary, part: dict[str, Any], item: dict[str, Any]
) -> None:
    values = [1, 2, None, "a", "b", [1]]
    schema = {"type": "array", "allOf": [{"items": {"enum": values}}, {"items": item}, part]}
    assert agrees(schema, byte_vocabulary)


@SETTINGS
@hypothesis.given(combined(some_of), some_of)
def test_values_without_end(
    byte_vocabulary: formgate.Vocabulary, part: dict[str, Any], item: dict[str, Any]
) -> None:
    schema = {"type": "array", "allOf": [{"items": item}, part]}
    hypothesis.event("compiled" if agrees(schema, byte_vocabulary) else "refused")


STRINGS = {"type": "array", "items": {"type": "string"}, "uniqueItems": True}
INTEGERS = {"type": "array", "items": {"type": "integer"}, "uniqueItems": True}


@pytest.mark.parametrize(
    "schema",
    [
        {"oneOf": [STRINGS, INTEGERS]},
        {"anyOf": [STRINGS, INTEGERS]},
        {**INTEGERS, "items": {"enum": [1, 2, 3]}, "contains": {"const": 1}},
        {**STRINGS, "contains": {"const": "a"}},
        {**STRINGS, "contains": {"enum": ["a", "b"]}, "minContains": 2},
        {**STRINGS, "contains": {"enum": ["a", "b"]}, "maxContains": 1},
        {"uniqueItems": True, "contains": {"type": "integer"}, "type": "array"},
        {"type": "array", "items": {"enum": [1, 2]}, "if": {"uniqueItems": True}, "then": False},
        {
            "type": "array",
            "items": {"type": "boolean"},
            "not": {"uniqueItems": True},
            "maxItems": 2,
        },
        {"type": "array", "uniqueItems": True, "contains": {"enum": VALUES}, "minContains": 3},
    ],
)
def test_what_is_enforced(byte_vocabulary: formgate.Vocabulary, schema: dict[str, Any]) -> None:
    assert agrees(schema, byte_vocabulary)


def test_many_alternatives_of_values_are_a_limit(byte_vocabulary: formgate.Vocabulary) -> None:
    schema = {
        "type": "array",
        "items": {"enum": list(range(60))},
        "uniqueItems": True,
        "contains": {"multipleOf": 2},
        "maxContains": 4,
    }
    with pytest.raises(LimitError, match=r"^#.*max_clauses"):
        formgate.compile(schema, byte_vocabulary, format="json_schema")


@pytest.mark.parametrize(
    ("schema", "place", "words"),
    [
        ({"not": {"uniqueItems": True}}, "#/not/uniqueItems", "under not"),
        (
            {"items": {"type": "string"}, "if": {"uniqueItems": True}, "then": {"maxItems": 3}},
            "#/if/uniqueItems",
            "under if",
        ),
        ({"oneOf": [STRINGS, {"maxItems": 3}]}, "#/oneOf/0/uniqueItems", "under oneOf"),
        (
            {"properties": {"a": {"uniqueItems": True}, "b": {"not": {"uniqueItems": True}}}},
            "#/properties/b/not/uniqueItems",
            "under not",
        ),
        (
            {"properties": {"a": {**STRINGS, "contains": {"minLength": 3}, "maxContains": 2}}},
            "#/properties/a/uniqueItems",
            "(#/properties/a/contains)",
        ),
    ],
)
def test_what_is_refused_is_named(
    byte_vocabulary: formgate.Vocabulary, schema: dict[str, Any], place: str, words: str
) -> None:
    with pytest.raises(UnsupportedConstraint) as caught:
        formgate.compile(schema, byte_vocabulary, format="json_schema")
    assert caught.value.reason.startswith(f"{place}: ")
    assert words in caught.value.reason
    assert caught.value.hint
