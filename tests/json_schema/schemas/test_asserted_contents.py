"""Random schemas with encodings and media types, asserted: written natively and not."""

from __future__ import annotations

import random
from copy import deepcopy
from typing import Any

import hypothesis
import jsonschema
import pytest
from hypothesis import strategies as st
from plain_schemas import plain_schemas
from two_writers import both_ways, compare

import formgate

CONTENTS = (
    {"contentEncoding": "base64"},
    {"contentEncoding": "base16", "maxLength": 4},
    {"contentMediaType": "application/json"},
    {"contentMediaType": "text/plain", "contentEncoding": "quoted-printable"},
    {"contentMediaType": "application/octet-stream", "contentEncoding": "binary"},
    {"contentMediaType": "image/png", "type": "integer"},
)


@pytest.mark.parametrize(
    "options",
    [{}, {"draft": "7", "property_order": "any"}, {"on_unsupported": "relax"}],
    ids=str,
)
@pytest.mark.filterwarnings("ignore::formgate.plugins.json_schema.UnenforcedWarning")
@hypothesis.settings(
    max_examples=25, deadline=None, suppress_health_check=list(hypothesis.HealthCheck)
)
@hypothesis.given(data=st.data())
def test_contents_are_written_alike(options: dict[str, Any], data: st.DataObject) -> None:
    schema = deepcopy(data.draw(plain_schemas()))  # parts of the strategies stand in it
    holders = [part for part in parts_of(schema) if "type" in part or not part]
    for part in holders[:6]:
        part.update(data.draw(st.sampled_from(({}, *CONTENTS))))
    chance = random.Random(data.draw(st.integers(0, 2**32)))
    found, expected = both_ways(schema, {"content": "assert", **options})
    if isinstance(found, tuple) and isinstance(expected, formgate.Engine):
        # Where no value reaches it, only the native writer tells what is no schema.
        with pytest.raises(jsonschema.SchemaError):
            jsonschema.Draft202012Validator.check_schema(schema)
    else:
        compare(found, expected, chance, told=False)


def parts_of(schema: Any) -> list[dict[str, Any]]:
    """Return all objects in a schema, itself among them."""
    if isinstance(schema, list):
        return [part for inner in schema for part in parts_of(inner)]
    if not isinstance(schema, dict):
        return []
    return [schema, *(part for inner in schema.values() for part in parts_of(inner))]
