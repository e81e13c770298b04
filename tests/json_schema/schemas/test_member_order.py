"""The order of members that the text of a schema gives, where no alternatives are open."""

from __future__ import annotations

import json
from itertools import permutations
from typing import TYPE_CHECKING, Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

import formgate

if TYPE_CHECKING:
    from collections.abc import Iterator

_NAMES = "abcd"
_BYTES = formgate.Vocabulary([*(bytes([b]) for b in range(256)), None], stop_ids=[256])


@st.composite
def _conjunctions(draw: st.DrawFn, depth: int = 2) -> dict[str, Any]:
    """Schemas of ``properties``, ``required``, ``allOf`` and ``$ref`` in any order."""
    parts: dict[str, Any] = {}
    some = st.lists(st.sampled_from(_NAMES), unique=True, max_size=2)
    if not draw(st.integers(0, 3)):
        parts["properties"] = {name: {} for name in draw(some)}
    if draw(st.integers(0, 3)):
        parts["required"] = draw(some)
    if depth and draw(st.booleans()):
        parts["allOf"] = draw(st.lists(_conjunctions(depth=depth - 1), min_size=1, max_size=2))
    if depth and draw(st.booleans()):
        parts["$ref"] = draw(st.sampled_from(["#/$defs/p", "#/$defs/q"]))
    return {key: parts[key] for key in draw(st.permutations(sorted(parts)))}


def _walk(schema: dict[str, Any], defs: dict[str, Any], wanted: str) -> Iterator[str]:
    """Yield names of ``properties``, or of ``required``, in the order of the text."""
    own = "properties" if schema.get("properties") else "required"
    for key, said in schema.items():
        if key == own:
            yield from schema.get(wanted, ())
        elif key == "allOf":
            for part in said:
                yield from _walk(part, defs, wanted)
        elif key == "$ref":
            yield from _walk(defs[said[-1]], defs, wanted)


@settings(max_examples=400)
@example({"required": ["a"], "allOf": [{"required": ["b"]}]}, {}, {})
@example({"required": ["d"], "properties": {"b": {}}, "allOf": [{"properties": {"a": {}}}]}, {}, {})
@given(_conjunctions(), _conjunctions(depth=0), _conjunctions(depth=0))
def test_members_come_in_the_order_of_the_text(
    schema: dict[str, Any], first: dict[str, Any], second: dict[str, Any]
) -> None:
    defs = {"p": first, "q": second}
    order = list(
        dict.fromkeys([*_walk(schema, defs, "properties"), *_walk(schema, defs, "required")])
    )
    engine = formgate.compile(
        {"type": "object", "$defs": defs, **schema}, _BYTES, format="json_schema"
    )
    # With all names of the schema there: others may stand nowhere but at the end.
    for names in permutations(order):
        text = json.dumps(dict.fromkeys(names, 1))
        assert engine.accepts(text) == (list(names) == order), text
