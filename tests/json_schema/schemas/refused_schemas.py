"""What compiling a schema ends in, and schemas nested at will."""

from __future__ import annotations

from typing import Any

import pytest

from formgate.core.errors import FormgateError
from formgate.core.grammar import GrammarBuilder
from formgate.plugins.json_schema import compile_json_schema


def refused(schema: Any, **options: Any) -> FormgateError:
    """Return the error that compiling a schema ends in."""
    with pytest.raises(FormgateError) as caught:
        compile_json_schema(schema, GrammarBuilder(), **options)
    return caught.value


def deep(levels: int, wrap: Any) -> Any:
    """Return a schema wrapped many times."""
    schema: Any = {"type": "null"}
    for _ in range(levels):
        schema = wrap(schema)
    return schema
