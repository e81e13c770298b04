"""Random schemas and values over few names and values, so that they meet often."""

from __future__ import annotations

from functools import cache
from typing import Any

from hypothesis import strategies as st

NAMES = ("a", "b", "ab", "c")
PATTERNS = ("^a", "b$", "^[ab]+$", "c")
KINDS = ("null", "boolean", "integer", "number", "string", "array", "object")

scalars = st.one_of(
    st.none(), st.booleans(), st.integers(-1, 4), st.sampled_from(("", "a", "b", "ab", "cc"))
)
values = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(NAMES), inner, max_size=3)
    ),
    max_leaves=6,
)
counts = st.integers(0, 3)
_names = st.lists(st.sampled_from(NAMES), max_size=2, unique=True)


@cache  # hypothesis looks through all of it once, not for each example
def schemas(*, draft: str = "2020-12", references: bool = True) -> st.SearchStrategy[Any]:
    """Return random schemas of a draft, with definitions that they refer to."""
    # Draft 4 has no schemas true and false.
    trivial = st.sampled_from(({}, {"not": {}})) if draft == "4" else st.booleans()
    leaf = st.one_of(
        trivial,
        st.fixed_dictionaries({"type": st.sampled_from(KINDS)}),
        st.fixed_dictionaries({"const": values}),
        st.fixed_dictionaries({"enum": st.lists(values, min_size=1, max_size=3)}),
        st.fixed_dictionaries({"minimum": st.integers(-1, 3)}),
        st.fixed_dictionaries({"required": _names}),
    )
    if references:
        targets = ("#/$defs/x", "#/$defs/y")
        leaf = st.one_of(leaf, st.fixed_dictionaries({"$ref": st.sampled_from(targets)}))
    inner = st.recursive(leaf, lambda parts: _composite(parts, draft), max_leaves=6)
    if not references:
        return inner
    return st.builds(_document, inner, inner, inner)


def _document(root: Any, x: Any, y: Any) -> Any:
    if not isinstance(root, dict):
        root = {"allOf": [root]}
    return {**root, "$defs": {"x": x, "y": y}}


def _composite(parts: st.SearchStrategy[Any], draft: str) -> st.SearchStrategy[Any]:
    some = st.lists(parts, min_size=1, max_size=3)
    named = st.dictionaries(st.sampled_from(NAMES), parts, min_size=1, max_size=3)
    kinds = st.one_of(
        st.sampled_from(KINDS), st.lists(st.sampled_from(KINDS), min_size=1, unique=True)
    )
    optional: dict[str, st.SearchStrategy[Any]] = {
        "type": kinds,
        "allOf": some,
        "anyOf": some,
        "oneOf": some,
        "not": parts,
        "if": parts,
        "then": parts,
        "else": parts,
        "properties": named,
        "patternProperties": st.dictionaries(st.sampled_from(PATTERNS), parts, max_size=2),
        "additionalProperties": parts,
        "propertyNames": st.one_of(
            st.fixed_dictionaries({"pattern": st.sampled_from(PATTERNS)}),
            st.fixed_dictionaries({"maxLength": counts}),
            st.fixed_dictionaries({"enum": st.lists(st.sampled_from(NAMES), min_size=1)}),
        ),
        "required": _names,
        "minProperties": counts,
        "maxProperties": counts,
        "minItems": counts,
        "maxItems": counts,
        "uniqueItems": st.just(True),
        "contains": parts,
        "items": parts,
        "minimum": st.integers(-1, 3),
        "exclusiveMaximum": st.integers(-1, 3),
        "multipleOf": st.integers(1, 3),
        "minLength": counts,
        "maxLength": counts,
        "pattern": st.sampled_from(PATTERNS),
    }
    if draft in ("2019-09", "2020-12"):
        optional |= {
            "dependentRequired": st.dictionaries(st.sampled_from(NAMES), _names, max_size=2),
            "dependentSchemas": named,
            "minContains": counts,
            "maxContains": counts,
            "unevaluatedProperties": parts,
            "unevaluatedItems": parts,
        }
    if draft == "2019-09":
        # jsonschema counts items that contains found as evaluated, which came with 2020-12 only.
        del optional["contains"]
    if draft == "2020-12":
        optional["prefixItems"] = some
    else:
        optional["items"] = st.one_of(parts, some)
        optional["additionalItems"] = parts
    if draft == "4":
        optional["exclusiveMaximum"] = st.booleans()
    if draft in ("4", "6", "7"):
        optional["dependencies"] = st.dictionaries(
            st.sampled_from(NAMES), st.one_of(parts, _names), max_size=2
        )
    # A few keywords at a time: with all of them nothing is ever valid.
    return st.lists(st.sampled_from(sorted(optional)), min_size=1, max_size=4, unique=True).flatmap(
        lambda chosen: st.fixed_dictionaries({name: optional[name] for name in chosen})
    )
