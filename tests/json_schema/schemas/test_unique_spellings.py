"""Lists without repetition of values that need escapes or blanks, and of many texts each."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest

import formgate
from formgate.core.errors import EmptyLanguageError


def unique(items: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"type": "array", "items": items, "uniqueItems": True, **more}


def record(**members: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": members,
        "required": list(members),
        "additionalProperties": False,
    }


def words(count: int, seed: int) -> str:
    letters = itertools.cycle("abcdefghijklmnopqrstuvwxyz"[seed % 26 :] + "aeiou"[: seed % 5])
    return " ".join("".join(itertools.islice(letters, 4)) for _ in range(count)) + f" {seed}"


@pytest.mark.parametrize(
    ("pattern", "count"),
    [
        ("^[ab]{10}\\n$", 2**10),
        ('^[ab"]{7}$', 3**7),
        ('^["\\\\]{10}$', 2**10),
        ("^[ \\n]{10}$", 2**10),
        ('^[aé]{10}"$', 2**10),
        ("^[ab]{14}$", 2**14),  # as many as are counted when none needs an escape
    ],
)
def test_strings_are_counted_with_escapes_and_without(
    byte_vocabulary: formgate.Vocabulary, pattern: str, count: int
) -> None:
    item = {"type": "string", "pattern": pattern}
    for least in (2, count - 1, count):
        formgate.compile(unique(item, minItems=least), byte_vocabulary)
    with pytest.raises(EmptyLanguageError):
        formgate.compile(unique(item, minItems=count + 1), byte_vocabulary)


def test_names_with_escapes_are_counted(byte_vocabulary: formgate.Vocabulary) -> None:
    schema = {
        "type": "object",
        "patternProperties": {"^[ab]{10}\\n$": True},
        "additionalProperties": False,
        "minProperties": 2,
    }
    engine = formgate.compile(schema, byte_vocabulary)
    names = ["a" * 10 + "\n", "b" * 10 + "\n"]
    assert engine.accepts(json.dumps(dict.fromkeys(names, 1)))
    assert not engine.accepts(json.dumps({names[0]: 1}))


ANSWERS = [
    "Strongly agree with this statement",
    "Agree with this statement",
    "Neither agree nor disagree with this",
    "Disagree with this statement",
    "Strongly disagree with this statement",
]
PHONE = r"^\+\d{2} \d{3} \d{3} \d{4}$"
SEARCHED = {
    "answers": record(**{f"q{i}": {"enum": ANSWERS} for i in range(6)}),
    "phones": record(p={"type": "string", "pattern": PHONE}, q={"enum": ["mobile", "home"]}),
    "paths": record(p={"type": "string", "pattern": r"^C:(\\[a-z]{3}){6}$"}, q={"enum": [1, 2]}),
    "quotes": record(p={"type": "string", "pattern": '^("[a-z]",){4}$'}, q={"enum": [1, 2]}),
    "sentences": record(
        p={"enum": [words(20, i) for i in range(20)]}, q={"enum": [words(20, i) for i in range(20)]}
    ),
    "identifiers": record(p={"type": "string", "format": "uuid"}, q={"type": "boolean"}),
}


@pytest.mark.parametrize("order", ["schema", "any"])
@pytest.mark.parametrize("name", SEARCHED)
def test_records_of_long_values_are_told_apart(
    byte_vocabulary: formgate.Vocabulary, name: str, order: str
) -> None:
    schema = unique(SEARCHED[name], minItems=2)
    engine = formgate.compile(schema, byte_vocabulary, property_order=order)
    assert not engine.accepts("[]")
