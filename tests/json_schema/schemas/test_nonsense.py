"""Anything at all as a schema: it compiles, or it ends in an error of formgate's."""

from __future__ import annotations

from typing import Any

import hypothesis
import pytest
from hypothesis import strategies as st

from formgate.core.errors import FormgateError
from formgate.core.grammar import GrammarBuilder
from formgate.plugins.json_schema import compile_json_schema
from formgate.plugins.json_schema._options import DRAFTS

KEYWORDS = [
    "$anchor",
    "$defs",
    "$dynamicAnchor",
    "$dynamicRef",
    "$id",
    "$recursiveAnchor",
    "$recursiveRef",
    "$ref",
    "$schema",
    "additionalItems",
    "additionalProperties",
    "allOf",
    "anyOf",
    "const",
    "contains",
    "default",
    "definitions",
    "dependencies",
    "dependentRequired",
    "dependentSchemas",
    "else",
    "enum",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "id",
    "if",
    "items",
    "maxContains",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minContains",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "not",
    "oneOf",
    "pattern",
    "patternProperties",
    "prefixItems",
    "properties",
    "propertyNames",
    "required",
    "then",
    "type",
    "unevaluatedItems",
    "unevaluatedProperties",
    "uniqueItems",
    "a",
    "b",
]
WORDS = [
    "a",
    "b",
    "#",
    "#/",
    "#/$defs/a",
    "#/definitions/b",
    "#a",
    "http://a/b",
    "../b",
    "urn:x:y",
    "string",
    "integer",
    "object",
    "array",
    "null",
    "date",
    "email",
    "regex",
    "^a$",
    "(",
    "\\d+",
    "(?=a)b",
    "(?<a>x)\\k<a>",
    "[^]",
    "�",
    "😀",
    "~0~1",
    "%25",
    "https://json-schema.org/draft/2020-12/schema",
    "http://json-schema.org/draft-03/schema#",
]

json_values = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-3, 6),
        st.sampled_from((10**30, -1, 0.5, 1e300, 1e-300, float("inf"), float("nan"))),
        st.sampled_from(WORDS),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.sampled_from(KEYWORDS), inner, max_size=4),
        st.dictionaries(st.sampled_from(WORDS), inner, max_size=2),
    ),
    max_leaves=25,
)


@pytest.mark.parametrize("on_unsupported", ["error", "relax"])
@pytest.mark.filterwarnings("ignore::formgate.plugins.json_schema._write.UnenforcedWarning")
@hypothesis.settings(
    max_examples=60, deadline=None, suppress_health_check=list(hypothesis.HealthCheck)
)
@hypothesis.given(
    schema=st.dictionaries(st.sampled_from(KEYWORDS), json_values, max_size=5),
    draft=st.sampled_from(DRAFTS),
)
def test_nothing_but_typed_errors(schema: Any, draft: str, on_unsupported: str) -> None:
    try:
        compile_json_schema(schema, GrammarBuilder(), draft=draft, on_unsupported=on_unsupported)
    except FormgateError:
        return
