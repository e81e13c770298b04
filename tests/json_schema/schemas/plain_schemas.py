"""Random schemas, most of them plain: kinds, members, items, lengths, lists of values, references.

Names and definitions are few, so that schemas are met again, inside themselves and by several ways.
"""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from random_schemas import KINDS, NAMES, counts

_TARGETS = ("#/$defs/x", "#/$defs/y", "#/$defs/z", "#")
_WORDS = ("", "a", "b", "ab", "é", "😀")

_kinds = st.one_of(
    st.sampled_from(KINDS), st.lists(st.sampled_from(KINDS), min_size=1, max_size=4, unique=True)
)
_values = st.one_of(st.sampled_from(_WORDS), st.sampled_from((None, True, False, 1, 1.5)))
_leaves = st.one_of(
    st.builds(lambda kind: {"type": kind}, _kinds),
    st.builds(lambda values: {"enum": values}, st.lists(_values, min_size=1, max_size=4)),
    st.builds(lambda value: {"const": value}, _values),
    st.builds(lambda target: {"$ref": target}, st.sampled_from(_TARGETS)),
    st.builds(
        lambda low, more: {"type": "string", "minLength": low, "maxLength": low + more},
        counts,
        counts,
    ),
    st.sampled_from(({}, True, False, {"title": "a"}, {"minLength": 1}, {"not": {}})),
    # These take the automaton.
    st.sampled_from(
        (
            {"type": "string", "pattern": "^a"},
            {"type": "integer", "minimum": 2},
            {"type": "object", "minProperties": 1},
            {"anyOf": [{"type": "null"}, {"$ref": "#/$defs/x"}]},
        )
    ),
)


def plain_schemas() -> st.SearchStrategy[Any]:
    """Return random documents with definitions that they refer to."""
    inner = st.recursive(_leaves, _composite, max_leaves=8)
    return st.builds(_document, inner, inner, inner, inner)


def _composite(parts: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    named = st.dictionaries(st.sampled_from(NAMES), parts, max_size=3)
    required = st.lists(st.sampled_from(NAMES), max_size=2, unique=True)
    objects = st.fixed_dictionaries(
        {"properties": named},
        optional={
            "type": st.sampled_from(("object", ["object", "null"])),
            "required": required,
            "additionalProperties": st.one_of(st.booleans(), parts),
        },
    )
    arrays = st.fixed_dictionaries(
        {"type": st.sampled_from(("array", ["string", "array"]))},
        optional={
            "items": parts,
            "minItems": counts,
            "maxItems": counts,
            "uniqueItems": st.just(False),
        },
    )
    choices = st.builds(lambda several: {"anyOf": several}, st.lists(parts, min_size=1, max_size=2))
    return st.one_of(objects, objects, arrays, choices)


def _document(root: Any, x: Any, y: Any, z: Any) -> Any:
    if not isinstance(root, dict):
        root = {"type": "array", "items": root}
    return {**root, "$defs": {"x": x, "y": y, "z": z}}
