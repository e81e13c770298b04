"""Schemas: a sample of real ones, and some made by hand to be hard in one way each.

Common patterns of strings are there where they are asked for by name or group: that group is of one
kind, and would weigh too much among the others.

The real ones are those of the public MaskBench, which lie beside the project. Their licence is not
clear, so they are read in place, and results name them without holding them. Where they are
missing, only the others are there. An instance is written as `json.dumps` does it, with its members
in the order in which the schema mentions them, which is what engines with a fixed order want. The
first one is there a second time, without white space: models write either. Where MaskBench has no
instance that a schema refuses, texts that are no JSON stand for it: every schema refuses those.
"""

from __future__ import annotations

import json
import lzma
import random
import re
from typing import TYPE_CHECKING, Any

from benchmarks.cases import patterns
from benchmarks.cases.words import word_list
from benchmarks.json_text import is_whole, read
from tests.json_schema.conformance.texts import reordered, written

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from benchmarks.cases import Case

# Every engine's reader of schemas takes this; "any" says that members come in any order.
FORMAT = "json_schema"
FORMAT_ANY = "json_schema_any_order"
SAMPLE = 200
SEED = 0
MOST_TEXTS = 3
MOST_CHARACTERS = 20_000
_BLANKS = re.compile(r'("(?:[^"\\]|\\.)*")|\s+')  # and strings, which stay


def load(path: Path, case: type[Case], names: set[str]) -> list[Case]:
    """Return the cases made by hand, then the sample, which takes some seconds to read.

    The sample is left out where names are given and all are of the others.
    """
    cases = [case(**fields) for fields in _hand_made()]
    if names:
        cases += [case(**fields) for fields in _common_patterns()]
    if names and names <= {"hand", patterns.GROUP, *(known.name for known in cases)}:
        return cases
    return cases + ([case(**fields) for fields in _real(path)] if path.exists() else [])


def _real(path: Path) -> Iterator[dict[str, Any]]:
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        entries = [json.loads(line) for line in lines]
    entries = [entry for entry in entries if any(test["valid"] for test in entry["tests"])]
    entries.sort(key=lambda entry: str(entry["name"]))
    for entry in random.Random(SEED).sample(entries, SAMPLE):
        texts: dict[bool, list[str]] = {True: [], False: []}
        for test in entry["tests"]:
            text = _text(entry["schema"], test["data"], valid=test["valid"])
            if len(text) <= MOST_CHARACTERS:
                texts[test["valid"]].append(text)
        if texts[True]:
            yield {
                **_fields(entry["name"].removesuffix(".json"), entry["schema"]),
                **_twice(texts[True][:MOST_TEXTS]),
                "group": "real",
                "non_matching": tuple(texts[False][:MOST_TEXTS] or broken(texts[True][0])),
                "public": False,
            }


def broken(text: str) -> list[str]:
    """Return what no schema accepts, made from a JSON text: it is no JSON, though nearly.

    A bracket or quote is missing, a bracket or a comma is too many.
    """
    last = text.rfind('"')
    tries = [f"{text}}}", text[:-1], f"{text[:-1]},{text[-1]}", f"{text},"]
    tries += [text[:last] + text[last + 1 :]] * (last >= 0)
    return [wrong for wrong in dict.fromkeys(tries) if not is_whole(read(wrong.encode()))]


def _text(schema: Any, value: Any, *, valid: bool) -> str:
    """Return an instance as text, with its members in the order in which engines want them.

    Where alternatives of a schema mention its names in different orders, that of the alternative
    taken counts. No engine is asked which that is: a validator of values walks the schema.
    """
    from tests.json_schema.acceptor import Acceptor

    found = Acceptor(schema).ordered(value) if valid else None
    return written(reordered(value, schema) if found is None else found[0])


def _hand_made() -> Iterator[dict[str, Any]]:
    """Yield one case for each shape that is known to ruin an engine."""
    source = random.Random(SEED)
    wrong = ['{"p3": "x"}', '{"p0": 1, "p0": 2}', '{"q": 1}']
    wide = _made("any_order_160", _wide(), _wide_objects(source), wrong)
    yield {**wide, "format": FORMAT_ANY}
    prose = "The quick brown fox jumps over the lazy dog. " * 9
    text = _closed(text={"type": "string", "maxLength": 200})
    yield _made(
        "max_length_200",
        text,
        [{"text": prose[:200]}, {"text": 'é"\\ \u4e2d' * 30}],
        [json.dumps({"text": prose[:201]})],
    )
    broad = _closed(text={"type": "string", "pattern": "^[A-Za-z\u00c0-\u00ff0-9 ,.;:!?'-]+$"})
    yield _made(
        "broad_pattern",
        broad,
        [{"text": prose[:300]}, {"text": "L'\u00e9t\u00e9, d\u00e9j\u00e0?"}],
        ['{"text": ""}', '{"text": "a_b"}'],
    )
    colors = [f"{word}" for word in word_list(20)]
    unique = {"type": "array", "uniqueItems": True, "items": {"enum": colors}}
    shuffled = source.sample(colors, 20)
    yield _made(
        "unique_items_20",
        unique,
        [shuffled, shuffled[:7], []],
        [json.dumps([colors[0], colors[1], colors[0]])],
    )
    numbers = source.sample(range(20), 20)
    yield _made(
        "unique_integers_20",
        {"type": "array", "uniqueItems": True, "items": {"enum": list(range(20))}},
        [numbers, numbers[:7], []],
        [json.dumps([3, 1, 3])],
    )
    most_words = _closed(text={"type": "string", "pattern": "^(\\S+\\s?){1,50}$"})
    yield _made(
        "words_50",
        most_words,
        [{"text": " ".join(prose.split()[:50])}, {"text": "L'\u00e9t\u00e9, d\u00e9j\u00e0?"}],
        ['{"text": ""}', '{"text": "two  spaces"}'],
    )
    words = word_list()
    yield _made(
        "enum_600",
        _closed(word={"enum": words}),
        [{"word": words[0]}, {"word": words[599]}, {"word": words[300]}],
        [json.dumps({"word": words[0] + "x"})],
    )
    yield _made(
        "defs_3000",
        _many_definitions(),
        [{"a": {"name": "x", "next": {"name": "y"}}, "b": [1, 2, 3]}],
        ['{"a": {"name": 1}}'],
    )
    tutor = _closed(
        verb={"enum": words[:40]},
        tense={"enum": ["present", "imperfect", "preterite", "future", "conditional"]},
        person={"enum": ["1s", "2s", "3s", "1p", "2p", "3p"]},
        form={"type": "string", "minLength": 1, "maxLength": 40},
        example={"type": "string", "maxLength": 120},
    )
    answer = {"verb": words[3], "tense": "future", "person": "3p"}
    answer |= {"form": "hablarán", "example": "Ellos hablarán mañana con el profesor."}
    yield _made("tutor", tutor, [answer], [json.dumps({**answer, "tense": "past"})])


def _common_patterns() -> Iterator[dict[str, Any]]:
    for name, pattern, *texts in patterns.PATTERNS:
        first, second, wrong = (json.dumps({"value": text}) for text in texts)
        fields = {**_fields(f"pattern_{name}", patterns.schema(pattern)), **_twice([first, second])}
        yield {**fields, "group": patterns.GROUP, "non_matching": (wrong,)}


def _made(name: str, schema: Any, instances: list[Any], wrong: list[str]) -> dict[str, Any]:
    matching = _twice([json.dumps(instance, ensure_ascii=False) for instance in instances])
    fields = {**_fields(name, schema), **matching, "group": "hand"}
    return {**fields, "non_matching": tuple(wrong)}


def _twice(texts: list[str]) -> dict[str, Any]:
    """Return the fields of matching texts, the first one without its white space as well."""
    first, *others = texts
    compact = _BLANKS.sub(r"\1", first)
    rewritten = compact != first
    matching = (first, *((compact,) if rewritten else ()), *others)
    return {"matching": matching, "rewritten": rewritten}


def _fields(name: str, schema: Any) -> dict[str, Any]:
    # Engines differ in white space and in escapes, so their masks are not compared.
    return {
        "name": name,
        "format": FORMAT,
        "source": json.dumps(schema, ensure_ascii=False),
        "same_masks": False,
    }


def _closed(**properties: Any) -> dict[str, Any]:
    """Return the schema of an object with just these members, all of them required."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _wide() -> dict[str, Any]:
    kinds = [{"type": "integer"}, {"type": "string"}, {"type": "boolean"}, {"type": "number"}]
    properties = {f"p{number}": kinds[number % 4] for number in range(160)}
    return {"type": "object", "properties": properties, "additionalProperties": False}


def _wide_objects(source: random.Random) -> list[dict[str, Any]]:
    values = [7, "some text", True, 2.5]
    numbers = source.sample(range(160), 160)
    return [{f"p{n}": values[n % 4] for n in numbers[:count]} for count in (160, 40, 5)]


def _many_definitions() -> dict[str, Any]:
    """Return a schema of a megabyte whose root reaches three of its 3,000 definitions."""
    definitions: dict[str, Any] = {
        f"Unused{number}": {
            "type": "object",
            "description": "Reached by nothing that the root reaches; " * 5,
            "properties": {
                "name": {"type": "string", "maxLength": 10 + number},
                "next": {"$ref": f"#/$defs/Unused{(number + 1) % 2997}"},
            },
        }
        for number in range(2997)
    }
    definitions["Node"] = {
        "type": "object",
        "properties": {"name": {"$ref": "#/$defs/Name"}, "next": {"$ref": "#/$defs/Node"}},
        "required": ["name"],
        "additionalProperties": False,
    }
    definitions["Name"] = {"type": "string", "minLength": 1}
    definitions["Numbers"] = {"type": "array", "items": {"type": "integer"}}
    root = {"a": {"$ref": "#/$defs/Node"}, "b": {"$ref": "#/$defs/Numbers"}}
    return {
        "type": "object",
        "properties": root,
        "additionalProperties": False,
        "$defs": definitions,
    }
