"""Names that two schemas have, and vocabularies that are required and not known."""

from __future__ import annotations

from typing import Any

import pytest

import formgate
from formgate.core.errors import GrammarError, UnsupportedConstraint

BYTES = formgate.Vocabulary([*(bytes([i]) for i in range(256)), None], stop_ids=[256])
DRAFT = "https://json-schema.org/draft/2020-12/"


def compiled(schema: Any, **options: Any) -> formgate.Engine:
    return formgate.compile(schema, BYTES, format="json_schema", **options)


@pytest.mark.parametrize(
    ("draft", "keyword", "name", "reference"),
    [
        ("2020-12", "$anchor", "x", "#x"),
        ("2020-12", "$dynamicAnchor", "x", "#x"),
        ("2019-09", "$anchor", "x", "#x"),
        ("2020-12", "$id", "https://example.org/x", "https://example.org/x"),
        ("7", "$id", "#x", "#x"),
    ],
)
def test_a_name_that_two_schemas_have(draft: str, keyword: str, name: str, reference: str) -> None:
    inside = "definitions" if draft == "7" else "$defs"
    schema = {
        "allOf": [{"$ref": reference}],
        inside: {"a": {keyword: name, "type": "string"}, "b": {keyword: name, "type": "integer"}},
    }
    with pytest.raises(GrammarError) as said:
        compiled(schema, draft=draft)
    assert f"#/{inside}/b: the a" in str(said.value)
    assert f"that of #/{inside}/a, too" in str(said.value)
    schema[inside]["b"].pop(keyword)
    engine = compiled(schema, draft=draft)
    assert engine.accepts('"x"')
    assert not engine.accepts("1")


def test_a_vocabulary_that_is_required_and_not_known() -> None:
    for required in (True, False):
        meta = {
            "$schema": DRAFT + "schema",
            "$id": "https://example.org/meta",
            "$vocabulary": {
                DRAFT + "vocab/core": True,
                DRAFT + "vocab/validation": True,
                "https://example.org/units": required,
            },
        }
        schema = {"$schema": meta["$id"], "type": "string"}
        resources = {meta["$id"]: meta}
        if required:
            with pytest.raises(UnsupportedConstraint, match=r"requires the vocabulary .*units"):
                compiled(schema, resources=resources)
        else:
            assert compiled(schema, resources=resources).accepts('"a"')
