"""Three thousand everyday schemas, no two alike, made by rule, so that they need no outside data.

Objects of four to twelve members: texts, bounded texts, enumerations, numbers with and without
bounds, lists and smaller objects. Names and values come from a word list, so that schemas share
words but no structure. One instance each.
"""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

from benchmarks.cases.words import word_list

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchmarks.cases import Case

COUNT = 3000
SEED = 3


def many_schemas(count: int = COUNT) -> list[Case]:
    """Return so many cases, the same ones every time."""
    from benchmarks.cases import Case

    draw = random.Random(SEED)
    words = word_list()
    cases = []
    for number in range(count):
        schema, value = _object(draw, words, depth=0)
        cases.append(
            Case(
                name=f"made_{number}",
                format="json_schema",
                group="many",
                source=json.dumps(schema),
                matching=(json.dumps(value),),
                non_matching=(),
                same_masks=False,
                tokenisations=("bpe",),
            )
        )
    return cases


def _object(
    draw: random.Random, words: list[str], depth: int
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return an object's schema and a value of it; members are in the schema's order."""
    names = draw.sample(words, draw.randint(2, 4) if depth else draw.randint(4, 12))
    members = {name: _member(draw, words, depth) for name in names}
    schema = {
        "type": "object",
        "properties": {name: member for name, (member, _) in members.items()},
        "required": [name for name in names if draw.random() < 0.7],
        "additionalProperties": False,
    }
    return schema, {name: value for name, (_, value) in members.items()}


def _member(draw: random.Random, words: list[str], depth: int) -> tuple[dict[str, Any], Any]:
    return draw.choice(_KINDS if depth < 2 else _KINDS[:6])(draw, words, depth)


def _text(draw: random.Random, words: list[str], depth: int) -> tuple[dict[str, Any], Any]:
    del depth
    return {"type": "string"}, " ".join(draw.sample(words, 4))


def _bounded(draw: random.Random, words: list[str], depth: int) -> tuple[dict[str, Any], Any]:
    del depth
    most = draw.randint(12, 80)
    return {"type": "string", "minLength": 1, "maxLength": most}, draw.choice(words)[:most]


def _enumeration(draw: random.Random, words: list[str], depth: int) -> tuple[dict[str, Any], Any]:
    del depth
    values = draw.sample(words, draw.randint(3, 20))
    return {"enum": values}, draw.choice(values)


def _integer(draw: random.Random, words: list[str], depth: int) -> tuple[dict[str, Any], Any]:
    del words, depth
    least = draw.randint(0, 50)
    most = least + draw.randint(1, 5000)
    value = draw.randint(least, most)
    return {"type": "integer", "minimum": least, "maximum": most}, value


def _number(draw: random.Random, words: list[str], depth: int) -> tuple[dict[str, Any], Any]:
    del words, depth
    return {"type": "number"}, draw.randint(-9999, 9999) / 8


def _boolean(draw: random.Random, words: list[str], depth: int) -> tuple[dict[str, Any], Any]:
    del words, depth
    return {"type": "boolean"}, draw.random() < 0.5


def _list(draw: random.Random, words: list[str], depth: int) -> tuple[dict[str, Any], Any]:
    item, value = _member(draw, words, depth + 1)
    most = draw.randint(2, 9)
    return {"type": "array", "items": item, "maxItems": most}, [value] * draw.randint(1, 2)


def _inner(draw: random.Random, words: list[str], depth: int) -> tuple[dict[str, Any], Any]:
    return _object(draw, words, depth + 1)


# Those that hold others come last: they end at some depth.
_KINDS: tuple[Callable[[random.Random, list[str], int], tuple[dict[str, Any], Any]], ...] = (
    *(_text, _bounded, _enumeration, _integer, _number, _boolean),
    *(_list, _inner),
)
