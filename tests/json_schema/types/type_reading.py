"""Schemas of types, and texts read as them."""

from __future__ import annotations

from formgate.plugins.json_schema._parse import load
from formgate.plugins.json_schema._types import schema_of, shape_of

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def body(source):
    """The schema without its dialect, of a type without definitions."""
    schema = dict(schema_of(source))
    assert schema.pop("$schema") == DIALECT
    return schema


def read(source, text):
    return shape_of(source).read(load(text), decimals=False)
