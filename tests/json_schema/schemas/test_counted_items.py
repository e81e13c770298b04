"""Items that recurse, of lists without repetition: how many values they have, against a count.

The values of a schema are worked out here level by level, from those of the schemas that it refers
to. A list of just so many items exists, one of more does not, and no list goes on after all values.
"""

from __future__ import annotations

import itertools
import json
import random
from typing import TYPE_CHECKING, Any

import hypothesis
import jsonschema
import pytest
from hypothesis import strategies as st

import formgate
from formgate.core.errors import EmptyLanguageError, UnsupportedConstraint
from formgate.core.grammar import Limits

if TYPE_CHECKING:
    from collections.abc import Iterator

COUNTED = 70
"""Values counted of each schema: more than the engine counts where any number would do."""

DETOURS = frozenset(b" \t\n\r\\")

SETTINGS = hypothesis.settings(
    max_examples=100, deadline=None, suppress_health_check=list(hypothesis.HealthCheck)
)

references = st.sampled_from(["x", "y", "z"]).map(lambda name: {"$ref": f"#/$defs/{name}"})
enums = st.lists(st.sampled_from([None, True, "", "a", 1]), min_size=1, max_size=3, unique_by=repr)
leaves = st.one_of(
    enums.map(lambda some: {"enum": some}),
    st.sampled_from([0, 1, 2, None]).map(
        lambda most: {"type": "string"} if most is None else {"type": "string", "maxLength": most}
    ),
)
parts = st.one_of(leaves, references, references)


@st.composite
def objects(draw: st.DrawFn) -> dict[str, Any]:
    """Return schemas of objects with a tag, before or after members that may recurse."""
    names = draw(st.permutations(["a", "b", "t", "v"]))
    kept = [name for name in names if name == "t" or draw(st.booleans())]
    members = {name: draw(parts) for name in kept}
    members["t"] = {"enum": draw(enums)}
    return {
        "type": "object",
        "properties": members,
        "required": [name for name in kept if name == "t" or draw(st.booleans())],
        "additionalProperties": False,
    }


arrays = st.builds(
    lambda items, least, more, alike: {
        "type": "array",
        "items": items,
        "minItems": least,
        "maxItems": least + more,
        "uniqueItems": alike,
    },
    parts,
    st.integers(0, 2),
    st.integers(0, 1),
    st.booleans(),
)
items = st.lists(st.one_of(leaves, objects(), objects(), arrays), min_size=1, max_size=3)
definitions = st.fixed_dictionaries(
    {name: items.map(lambda some: {"anyOf": some}) for name in ("x", "y", "z")}
)


def strings(most: int | None) -> Iterator[str]:
    """Yield strings of up to so many characters, more than are counted where there are more."""
    for length in range(3 if most is None else most + 1):
        for chosen in itertools.product("abcdefghi", repeat=length):
            yield json.dumps("".join(chosen))
        if length == 1:
            for character in range(0x100, 0x100 + COUNTED):
                yield json.dumps(chr(character))


def values(schema: dict[str, Any], known: dict[str, list[str]]) -> Iterator[str]:
    """Yield the texts of a schema's values, by those of the schemas that it refers to."""
    if "$ref" in schema:
        yield from known[schema["$ref"][-1]]
    elif "anyOf" in schema:
        for branch in schema["anyOf"]:
            yield from values(branch, known)
    elif "enum" in schema:
        yield from map(json.dumps, schema["enum"])
    elif schema["type"] == "string":
        yield from strings(schema.get("maxLength"))
    elif schema["type"] == "array":
        yield from arrays_of(schema, known)
    else:
        yield from objects_of(schema, known)


def arrays_of(schema: dict[str, Any], known: dict[str, list[str]]) -> Iterator[str]:
    """Yield the texts of arrays."""
    inner = distinct(values(schema["items"], known))
    ways = itertools.permutations if schema["uniqueItems"] else tuples
    for size in range(schema["minItems"], schema["maxItems"] + 1):
        for chosen in ways(inner, size):
            yield "[" + ",".join(chosen) + "]"


def objects_of(schema: dict[str, Any], known: dict[str, list[str]]) -> Iterator[str]:
    """Yield the texts of objects, with their members as the schema lists them."""
    of = {name: distinct(values(one, known)) for name, one in schema["properties"].items()}
    for count in range(len(of) + 1):
        for kept in itertools.combinations(of, count):
            if not set(schema["required"]) <= set(kept):
                continue
            for chosen in itertools.product(*(of[name] for name in kept)):
                pairs = zip(kept, chosen, strict=True)
                yield "{" + ",".join(f'"{name}":{value}' for name, value in pairs) + "}"


def counted(defined: dict[str, Any]) -> dict[str, list[str]]:
    """Return up to COUNTED values of each schema. What holds one of many values has many itself.

    Values found stay: others in their place would nest deeper with each level.
    """
    known: dict[str, list[str]] = {name: [] for name in defined}
    while True:
        found = {
            name: distinct(itertools.chain(known[name], values(one, known)))
            for name, one in defined.items()
        }
        if found == known:
            return found
        known = found


def distinct(texts: Iterator[str]) -> list[str]:
    """Return the first text of each value, of no more than are counted."""
    found: dict[str, str] = {}
    for text in texts:
        found.setdefault(json.dumps(json.loads(text), sort_keys=True), text)
        if len(found) == COUNTED:
            break
    return list(found.values())


def tuples(values: list[str], size: int) -> Iterator[tuple[str, ...]]:
    """Yield the lists of so many values."""
    return itertools.product(values, repeat=size)


@pytest.mark.parametrize("order", ["schema", "any"])
@SETTINGS
@hypothesis.given(
    defined=definitions, least=st.integers(0, 4), exact=st.booleans(), seed=st.integers(0, 99)
)
def test_lists_are_as_long_as_there_are_values(
    byte_vocabulary: formgate.Vocabulary,
    order: str,
    *,
    defined: dict[str, Any],
    least: int,
    exact: bool,
    seed: int,
) -> None:
    of_item, chance = counted(defined)["x"], random.Random(seed)
    schema: dict[str, Any] = {"type": "array", "items": {"$ref": "#/$defs/x"}, "minItems": least}
    schema |= {"uniqueItems": True, "$defs": defined} | ({"maxItems": least} if exact else {})
    hypothesis.event("many values" if len(of_item) == COUNTED else "few values")
    try:
        engine = formgate.compile(schema, byte_vocabulary, property_order=order)
    except EmptyLanguageError:
        assert len(of_item) < least
        return
    except UnsupportedConstraint as error:
        refused = "such an array again" in error.reason
        assert refused or len(of_item) < least
        hypothesis.event("refused")
        return
    assert len(of_item) >= least
    judge = jsonschema.Draft202012Validator(schema)
    many = len(of_item) == COUNTED
    chosen = chance.sample(of_item, least if exact else 8 if many else len(of_item))
    state = engine.advance(engine.start(), ord("["))
    for count, text in enumerate(chosen, 1):
        state = engine.advance_many(state, list(text.encode()))
        ids = set(engine.allowed_tokens(state).to_list())
        more = many or count < len(of_item)
        assert (ord(",") in ids) == (more and not (exact and count == least)), (count, text)
        assert (ord("]") in ids) == (count >= least), (count, text)
        assert not engine.accepts(f"[{text},{text}]")
        if ord(",") in ids:
            state = engine.advance(state, ord(","))
    if chosen and len(chosen) >= least:
        whole = "[" + ",".join(chosen) + "]"
        assert judge.is_valid(json.loads(whole))
        assert engine.accepts(whole)
    state = engine.start()
    for _ in range(60):  # no mask leads to a dead end
        ids = engine.allowed_tokens(state).to_list()
        assert ids
        token = chance.choice([one for one in ids if one not in DETOURS] or ids)
        if token == 256:
            break
        state = engine.advance(state, token)


SHORT = {"type": "string", "maxLength": 2}
ITEM = {"$ref": "#/$defs/x"}


def tagged(tag: str, **members: Any) -> dict[str, Any]:
    """Return a schema of objects with a tag and members."""
    return {
        "type": "object",
        "properties": {"t": {"const": tag}, **members},
        "required": ["t", *members],
        "additionalProperties": False,
    }


def listed(item: dict[str, Any], **definitions: Any) -> dict[str, Any]:
    """Return a schema of lists of an item."""
    return {
        "type": "array",
        "items": ITEM,
        "uniqueItems": True,
        "$defs": {"x": item, **definitions},
    }


ENDLESS: dict[str, tuple[dict[str, Any], str, list[str]]] = {
    # What varies without end comes after a member that recurses: by its name or its place.
    "name behind": (
        {
            "oneOf": [
                tagged("p", v={"type": "string"}, b={"$ref": "#"}),
                tagged("q", a={"type": "array", "items": {"$ref": "#"}, "uniqueItems": True}),
            ]
        },
        "any",
        ['{"t":"q","a":[{"t":"q","a":[]},{"t":"p","v":"a","b":{"t":"q","a":[]}}]}'],
    ),
    "place behind": (
        listed(
            {
                "type": "object",
                "properties": {"a": SHORT, "b": ITEM, "t": {"const": ""}},
                "required": ["t"],
                "additionalProperties": {"type": "integer"},
            }
        ),
        "schema",
        ['[{"t":""},{"b":{"t":""},"t":""},{"b":{"t":""},"t":"","c":1}]'],
    ),
    "list of the union": (
        {
            "oneOf": [
                {"$ref": "#/$defs/p"},
                {
                    "type": "object",
                    "required": ["b"],
                    "properties": {
                        "b": SHORT,
                        "a": {"items": {"$ref": "#"}, "uniqueItems": True},
                    },
                },
            ],
            "$defs": {
                "p": {
                    "type": "object",
                    "properties": {
                        "a": {"type": "object", "required": ["u"]},
                        "b": {"$ref": "#"},
                        "t": {"enum": [""]},
                    },
                    "required": ["t"],
                }
            },
        },
        "schema",
        ['{"b":"","a":[{"b":""},{"b":"a"},{"b":{"b":""},"t":""}]}'],
    ),
    # Nothing varies but the depth, or the length of a list.
    "depth": (
        listed({"anyOf": [{"const": ""}, tagged("p", b=ITEM)]}),
        "any",
        ['["",{"b":"","t":"p"},{"t":"p","b":{"b":"","t":"p"}}]'],
    ),
    "depth of two": (
        listed(
            {"anyOf": [{"const": ""}, tagged("p", y={"$ref": "#/$defs/y"})]}, y=tagged("q", a=ITEM)
        ),
        "any",
        ['["",{"y":{"a":"","t":"q"},"t":"p"}]'],
    ),
    "length": (
        listed({"type": "array", "items": {"const": "longer than any other value"}}),
        "schema",
        ['[[],["longer than any other value"]]'],
    ),
}


@pytest.mark.parametrize("name", ENDLESS)
def test_values_without_end_are_not_counted(
    byte_vocabulary: formgate.Vocabulary, name: str
) -> None:
    schema, order, texts = ENDLESS[name]
    engine = formgate.compile(
        schema, byte_vocabulary, property_order=order, limits=Limits(max_states=3_000)
    )
    judge = jsonschema.Draft202012Validator(schema)
    for text in texts:
        assert judge.is_valid(json.loads(text))
        assert engine.accepts(text)
