"""Engines of a schema against jsonschema, over objects whose members come in any order."""

from __future__ import annotations

import functools
import itertools
import json
from typing import TYPE_CHECKING, Any

from finite_texts import PLAIN, written_out
from jsonschema import Draft202012Validator

import formgate
from formgate.core.compiler import build_grammar
from formgate.core.errors import EmptyLanguageError, LimitError
from formgate.plugins.json_schema import Validator

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["agree", "agree_on_texts"]

BYTES = formgate.Vocabulary([*(bytes([i]) for i in range(256)), None], stop_ids=[256])
ORDERS = 6  # of an object's members


def agree(
    schema: dict[str, Any], objects: Sequence[dict[str, Any]], *, limited: bool = True
) -> None:
    """Check that engines in both orders take the objects that are valid, and no others.

    Args:
        schema: It.
        objects: The objects.
        limited: Whether a schema may exceed a limit.
    """
    text = json.dumps(schema)
    valid = Draft202012Validator(schema).is_valid
    expected = [valid(one) for one in objects]
    try:
        engine = build_grammar(text, format="json_schema", property_order="any").compile(BYTES)
        ordered = build_grammar(text, format="json_schema").compile(BYTES)
    except LimitError:
        assert limited
        return
    except EmptyLanguageError:
        assert not any(expected)
        return
    validator = Validator(text)
    for one, right in zip(objects, expected, strict=True):
        texts = _in_all_orders(json.dumps(one))
        for members in texts[:ORDERS]:
            assert engine.accepts(members) is right, one
        in_order = validator.ordered(one)
        assert (in_order is not None) is right, one
        if right:
            assert ordered.accepts(json.dumps(in_order[0])), one
        else:
            assert not any(map(ordered.accepts, texts)), one


@functools.lru_cache(maxsize=4096)
def _in_all_orders(text: str) -> list[str]:
    """Return the texts of an object with its members in any order; most are asked for again."""
    members = json.loads(text).items()
    return [json.dumps(dict(order)) for order in itertools.permutations(members)]


def agree_on_texts(schema: dict[str, Any], members: dict[str, list[Any]], order: str) -> None:
    """Check that masks lead to all valid objects of some members, and nowhere else.

    Args:
        schema: It allows no other members, in their order.
        members: The values that there may be, each written in one way.
        order: The option ``property_order``.
    """
    valid = Draft202012Validator(schema).is_valid
    place = {name: number for number, name in enumerate(members)}
    expected = {
        json.dumps(one, separators=(",", ":"))
        for count in range(len(members) + 1)
        for names in itertools.permutations(members, count)
        for chosen in itertools.product(*(members[name] for name in names))
        if valid(one := dict(zip(names, chosen, strict=True)))
        and (order == "any" or list(one) == sorted(one, key=place.__getitem__))
    }
    try:
        engine = formgate.compile(
            json.dumps(schema), BYTES, format="json_schema", property_order=order, **PLAIN
        )
    except EmptyLanguageError:
        assert not expected
        return
    assert written_out(engine) == expected
