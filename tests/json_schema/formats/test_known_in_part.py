"""Schemas that formats leave nothing of, where a format is known in part only."""

from __future__ import annotations

from typing import Any

import pytest

import formgate
from formgate.core.errors import EmptyLanguageError, UnsupportedConstraint
from formgate.plugins.json_schema import UnenforcedWarning

BYTES = formgate.Vocabulary([*(bytes([i]) for i in range(256)), None], stop_ids=[256])
HOST = {"const": "xn--ngba1o", "format": "hostname"}


def compiled(schema: Any, **options: Any) -> formgate.Engine:
    return formgate.compile(schema, BYTES, format="json_schema", **options)


@pytest.mark.parametrize(
    "schema",
    [
        HOST,
        {"type": "string", "pattern": "^xn--ngba1o$", "format": "hostname"},
        {"type": "object", "properties": {"a": HOST}, "required": ["a"]},
    ],
)
def test_that_nothing_is_left_does_not_say_that_nothing_is_valid(schema: Any) -> None:
    with pytest.raises(
        UnsupportedConstraint, match="'hostname' only those texts are known"
    ) as said:
        compiled(schema)
    assert "annotate" in str(said.value.hint)
    with pytest.warns(UnenforcedWarning, match="hostname"):
        engine = compiled(schema, on_unsupported="relax")
    text = '{"a": "xn--ngba1o"}' if "properties" in schema else '"xn--ngba1o"'
    assert engine.accepts(text)


@pytest.mark.parametrize("name", ["regex", "idn-hostname"])
def test_the_error_names_the_format(name: str) -> None:
    with pytest.raises(EmptyLanguageError) as said:
        compiled({"type": "string", "not": {"format": name}})
    assert f"of {name} only texts count that surely conform" in str(said.value.hint)


def test_what_other_keywords_exclude_is_excluded() -> None:
    for schema in ({"const": 1, "enum": [2], "format": "regex"}, {**HOST, "type": "integer"}):
        with pytest.raises(EmptyLanguageError) as said:
            compiled(schema)
        assert "surely" not in str(said.value.hint)
