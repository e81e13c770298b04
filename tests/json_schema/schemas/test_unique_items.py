"""Random schemas with ``uniqueItems``: their languages, written out, as jsonschema has them.

Items are of few values without numbers, so that every value has finitely many texts; all texts of
all lists of them are judged. A schema may be refused, but never means anything else.
"""

from __future__ import annotations

import functools
import itertools
import json
from typing import TYPE_CHECKING, Any

import hypothesis
import jsonschema
import pytest
from finite_texts import PLAIN, written_out
from hypothesis import strategies as st

import formgate
from formgate.core.errors import EmptyLanguageError, UnsupportedConstraint
from formgate.core.grammar import Limits

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

SETTINGS = hypothesis.settings(
    max_examples=30, deadline=None, suppress_health_check=list(hypothesis.HealthCheck)
)
MOST_ITEMS = 3

scalars = st.sampled_from([None, True, False, "", "a", "ab", "b"])
enums = st.lists(scalars, min_size=1, max_size=4, unique_by=json.dumps)


def objects(names: tuple[str, ...]) -> st.SearchStrategy[dict[str, Any]]:
    """Return schemas of objects whose members come in one order."""

    def schema(members: list[list[Any]], needed: list[bool], least: int) -> dict[str, Any]:
        return {
            "type": "object",
            "properties": {name: {"enum": one} for name, one in zip(names, members, strict=True)},
            "required": [name for name, need in zip(names, needed, strict=True) if need],
            "minProperties": least,
            "additionalProperties": False,
        }

    some = st.lists(
        st.lists(scalars, min_size=1, max_size=2, unique_by=json.dumps),
        min_size=len(names),
        max_size=len(names),
    )
    flags = st.lists(st.booleans(), min_size=len(names), max_size=len(names))
    return st.builds(schema, some, flags, st.integers(0, 1))


def tuples(parts: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Return schemas of short arrays."""
    return st.builds(
        lambda places, least, alike: {
            "type": "array",
            "prefixItems": places,
            "minItems": least,
            "items": False,
            "uniqueItems": alike,
        },
        st.lists(parts, min_size=1, max_size=2),
        st.integers(0, 1),
        st.booleans(),
    )


@functools.cache
def items(orders: tuple[tuple[str, ...], ...]) -> st.SearchStrategy[dict[str, Any]]:
    """Return schemas of items with finitely many texts."""
    leaf = st.builds(lambda one: {"enum": one}, enums)
    one = st.one_of(leaf, *map(objects, orders), tuples(leaf))
    return st.one_of(one, st.builds(lambda a, b: {"anyOf": [a, b]}, one, one))


def texts_of(schema: dict[str, Any], *, ordered: bool) -> Iterator[str]:
    """Yield the texts of a schema of items, some perhaps twice."""
    if "anyOf" in schema:
        for branch in schema["anyOf"]:
            yield from texts_of(branch, ordered=ordered)
    elif "enum" in schema:
        yield from (json.dumps(value) for value in schema["enum"])
    elif schema["type"] == "array":
        yield from array_texts(schema, ordered=ordered)
    else:
        yield from object_texts(schema, ordered=ordered)


def array_texts(schema: dict[str, Any], *, ordered: bool) -> Iterator[str]:
    places = [list(texts_of(one, ordered=ordered)) for one in schema["prefixItems"]]
    for count in range(schema["minItems"], len(places) + 1):
        for chosen in itertools.product(*places[:count]):
            if not schema["uniqueItems"] or len(set(chosen)) == len(chosen):
                yield "[" + ",".join(chosen) + "]"


def object_texts(schema: dict[str, Any], *, ordered: bool) -> Iterator[str]:
    names = schema["properties"]
    for chosen in itertools.product(*(one["enum"] for one in names.values())):
        members = {
            name: f"{json.dumps(name)}:{json.dumps(value)}"
            for name, value in zip(names, chosen, strict=True)
        }
        for left in subsets(members, schema["required"]):
            if len(left) < schema["minProperties"]:
                continue
            kept = [members[name] for name in left]
            for order in [kept] if ordered else itertools.permutations(kept):
                yield "{" + ",".join(order) + "}"


def subsets(members: Iterable[str], required: list[str]) -> Iterator[tuple[str, ...]]:
    """Yield the ways to keep members, in their order, the required ones always."""
    names = tuple(members)
    for count in range(len(names) + 1):
        for kept in itertools.combinations(names, count):
            if set(required) <= set(kept):
                yield kept


def check(
    schema: dict[str, Any], texts: set[str], vocabulary: formgate.Vocabulary, order: str
) -> bool:
    """Compare a schema's language with what jsonschema says of texts; False where it is refused."""
    judge = jsonschema.Draft202012Validator(schema)
    lists = (
        "[" + ",".join(chosen) + "]"
        for count in range(MOST_ITEMS + 2)
        for chosen in itertools.product(sorted(texts), repeat=count)
    )
    expected = {text for text in lists if judge.is_valid(json.loads(text))}
    try:
        engine = formgate.compile(
            schema, vocabulary, format="json_schema", property_order=order, **PLAIN
        )
    except EmptyLanguageError:
        assert not expected
        return True
    except UnsupportedConstraint:
        return False
    assert written_out(engine) == expected
    return True


def small(schema: dict[str, Any], *, ordered: bool) -> set[str]:
    """Return the texts of a schema of items; few enough for all lists of them."""
    texts = set(texts_of(schema, ordered=ordered))
    hypothesis.assume(len(texts) <= 9)
    return texts


@pytest.mark.parametrize("order", ["schema", "any"])
@SETTINGS
@hypothesis.given(data=st.data())
def test_items_are_compared_as_values_in_any_order_of_members(
    byte_vocabulary: formgate.Vocabulary, order: str, data: st.DataObject
) -> None:
    """Under one order members may still come in several: alternatives have orders of their own."""
    item = data.draw(items((("a", "b"), ("b", "a"))))
    texts = small(item, ordered=order == "schema")
    schema = {
        "type": "array",
        "items": item,
        "uniqueItems": True,
        "minItems": data.draw(st.integers(0, 2)),
        "maxItems": data.draw(st.integers(0, MOST_ITEMS)),
    }
    assert check(schema, texts, byte_vocabulary, order)


@pytest.mark.parametrize("order", ["schema", "any"])
@SETTINGS
@hypothesis.given(data=st.data())
def test_items_at_places_of_their_own(
    byte_vocabulary: formgate.Vocabulary, order: str, data: st.DataObject
) -> None:
    places = data.draw(st.lists(items((("a", "b"), ("b", "a"))), min_size=1, max_size=3))
    rest = data.draw(st.one_of(st.just(False), items((("a", "b"),))))
    of_all = {"anyOf": [*places, *([rest] if rest else [])]}
    texts = small(of_all, ordered=order == "schema")
    schema = {
        "type": "array",
        "prefixItems": places,
        "items": rest,
        "uniqueItems": True,
        "minItems": data.draw(st.integers(0, 3)),
        "maxItems": data.draw(st.integers(0, MOST_ITEMS)),
    }
    hypothesis.assume(not any("anyOf" in one for one in [*places, *([rest] if rest else [])]))
    judged = functools.partial(check, schema, texts, byte_vocabulary, order)
    if order == "any" or not has_objects(of_all):
        assert judged()
        return
    # Which texts an item may have depends on its place.
    engine_texts = placed(places, rest)
    judge = jsonschema.Draft202012Validator(schema)
    expected = {text for text in engine_texts if judge.is_valid(json.loads(text))}
    try:
        engine = formgate.compile(schema, byte_vocabulary, property_order=order, **PLAIN)
    except EmptyLanguageError:
        assert not expected
        return
    assert written_out(engine) == expected


def has_objects(schema: Any) -> bool:
    return '"properties"' in json.dumps(schema)


def placed(places: list[dict[str, Any]], rest: Any) -> Iterator[str]:
    """Yield lists with the texts that each place has."""
    for count in range(MOST_ITEMS + 1):
        own = [*places, *([rest] * MOST_ITEMS if rest else [])][:count]
        if len(own) == count:
            for chosen in itertools.product(*(texts_of(one, ordered=True) for one in own)):
                yield "[" + ",".join(chosen) + "]"


lists = st.fixed_dictionaries(
    {},
    optional={
        "uniqueItems": st.just(True),
        "minItems": st.integers(0, 2),
        "maxItems": st.integers(0, 3),
        "minContains": st.integers(0, 2),
        "maxContains": st.integers(0, 2),
    },
).flatmap(
    lambda schema: (
        st.builds(lambda one: {**schema, "contains": {"enum": one}}, enums)
        if "minContains" in schema or "maxContains" in schema
        else st.just(schema)
    )
)


@SETTINGS
@hypothesis.given(data=st.data())
def test_beside_counted_items_and_under_other_keywords(
    byte_vocabulary: formgate.Vocabulary, data: st.DataObject
) -> None:
    item = data.draw(items((("a", "b"),)))
    texts = small(item, ordered=True)
    schema: dict[str, Any] = {
        "type": "array",
        "items": item,
        "maxItems": MOST_ITEMS,
        "uniqueItems": data.draw(st.booleans()),
    }
    if data.draw(st.booleans()):
        schema |= {"contains": {"enum": data.draw(enums)}}
        schema |= data.draw(st.sampled_from([{}, {"minContains": 2}, {"maxContains": 1}]))
    parts = st.one_of(lists, st.builds(lambda one: {"contains": {"enum": one}}, enums))
    schema |= data.draw(
        st.one_of(
            st.just({}),
            st.builds(lambda one: {"not": one}, parts),
            st.builds(lambda *some: {"oneOf": list(some)}, parts, parts),
            st.builds(lambda a, b: {"if": a, "then": b}, parts, parts),
            st.builds(lambda a, b: {"if": a, "else": b}, parts, parts),
        )
    )
    refused = not check(schema, texts, byte_vocabulary, "schema")
    assert not refused or item.get("type") or "anyOf" in item  # few values, one by one
    hypothesis.event("refused" if refused else "compiled")


def test_items_are_counted_by_their_values_not_their_spellings(
    byte_vocabulary: formgate.Vocabulary,
) -> None:
    item = {
        "properties": {
            "guid": {"type": "string", "pattern": "^[0-9a-f]{8}-[0-9a-f]{12}$"},
            "kind": {"enum": ["one", "another"]},
            "place": {
                "type": "object",
                "properties": {"id": {"type": "integer"}},
                "additionalProperties": False,
            },
            "state": {"enum": ["open", "closed"]},
        },
        "required": ["kind"],
    }
    schema = {
        "type": "array",
        "items": {"type": "object", "additionalProperties": False, **item},
        "uniqueItems": True,
    }
    engine = formgate.compile(
        schema, byte_vocabulary, property_order="any", limits=Limits(max_states=8_000)
    )
    assert engine.accepts('[{"kind": "one"}, {"place": {"id": 1}, "kind": "one"}]')
    assert not engine.accepts(
        '[{"kind": "one", "state": "open"}, {"state": "open", "kind": "one"}]'
    )
