"""Engines of a schema against jsonschema, over objects whose members come in any order."""

from __future__ import annotations

import itertools
import json
from typing import TYPE_CHECKING, Any

from jsonschema import Draft202012Validator

import formgate
from formgate.core.compiler import build_grammar
from formgate.core.errors import EmptyLanguageError, LimitError
from formgate.plugins.json_schema import Validator

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["agree"]

BYTES = formgate.Vocabulary([*(bytes([i]) for i in range(256)), None], stop_ids=[256])
ORDERS = 6  # of an object's members


def agree(schema: dict[str, Any], objects: Sequence[dict[str, Any]]) -> None:
    """Check that engines in both orders take the objects that are valid, and no others."""
    text = json.dumps(schema)
    valid = Draft202012Validator(schema).is_valid
    expected = [one for one in objects if valid(one)]
    try:
        engine = build_grammar(text, format="json_schema", property_order="any").compile(BYTES)
        ordered = build_grammar(text, format="json_schema").compile(BYTES)
    except LimitError:
        return
    except EmptyLanguageError:
        assert not expected
        return
    validator = Validator(text)
    for one in objects:
        right = one in expected
        for members in itertools.islice(itertools.permutations(one.items()), ORDERS):
            assert engine.accepts(json.dumps(dict(members))) is right, one
        in_order = validator.ordered(one)
        assert (in_order is not None) is right, one
        if right:
            assert ordered.accepts(json.dumps(in_order[0])), one
        else:
            texts = [json.dumps(dict(order)) for order in itertools.permutations(one.items())]
            assert not any(map(ordered.accepts, texts)), one
