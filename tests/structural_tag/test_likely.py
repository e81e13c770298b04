"""What outputs under structural tags are likely to look like, which masks are made along."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import formgate
from formgate.core.compiler import build_grammar

VOCABULARY = formgate.Vocabulary(
    [*(bytes([byte]) for byte in range(256)), None, None], stop_ids=[256], special={"<|tool|>": 257}
)
CITY = {"type": "object", "properties": {"city": {"enum": ["Oslo"]}}, "required": ["city"]}
ZONE = {"type": "object", "properties": {"zone": {"type": "integer"}}, "required": ["zone"]}


def tag(name: object, schema: object, end: object = "</f>") -> dict[str, object]:
    content = {"type": "json_schema", "json_schema": schema}
    return {"type": "tag", "begin": name, "content": content, "end": end}


TAGS = [tag("<f=city>", CITY), tag("<f=zone>", ZONE)]
BOTH = '<f=city>{"city": "Oslo"}</f><f=zone>{"zone": 1}</f>'
FIRST = '<f=city>{"city": "Oslo"}</f>'


def calls() -> dict[str, object]:
    return {
        "type": "structural_tag",
        "format": {"type": "triggered_tags", "triggers": ["<"], "tags": TAGS * 3},
    }


def text_of(value: object, size: int = 1000) -> str:
    grammar = build_grammar(value, format="structural_tag")
    assert grammar.likely is not None
    pieces = grammar.likely(size)
    return b"".join(each.encode() if isinstance(each, str) else each for each in pieces).decode()


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"type": "triggered_tags", "triggers": ["<f="], "tags": TAGS}, BOTH),
        ({"type": "triggered_tags", "triggers": ["<"], "tags": TAGS, "at_least_one": True}, BOTH),
        (
            {"type": "triggered_tags", "triggers": ["<"], "tags": TAGS, "stop_after_first": True},
            FIRST,
        ),
        (
            {"type": "tags_with_separator", "tags": TAGS, "separator": "; "},
            BOTH.replace("><", ">; <"),
        ),
        (
            {
                "type": "tags_with_separator",
                "tags": TAGS,
                "separator": "; ",
                "stop_after_first": True,
            },
            FIRST,
        ),
        ({"type": "sequence", "elements": TAGS}, BOTH),
        ({"type": "or", "elements": TAGS}, FIRST),
        ({"type": "optional", "content": TAGS[0]}, FIRST),
        ({"type": "star", "content": TAGS[0]}, FIRST),
        ({"type": "repeat", "content": TAGS[0], "min": 1, "max": 3}, FIRST),
        ({"type": "repeat", "content": TAGS[0], "min": 0, "max": 0}, ""),
        (
            {
                "type": "dispatch",
                "rules": [["city: ", tag("", CITY, "")], ["zone: ", tag("<", ZONE, ["|", ">"])]],
            },
            'city: {"city": "Oslo"}zone: <{"zone": 1}|',
        ),
        (
            {"type": "dispatch", "loop": False, "rules": [["city: ", TAGS[0]], ["b", TAGS[1]]]},
            "city: " + FIRST,
        ),
        ({"type": "sequence", "elements": [{"type": "any_text"}, *TAGS]}, BOTH),
        ({"type": "const_string", "value": "abc"}, "abc"),
        ({"type": "any_text"}, ""),
        ({"type": "regex", "pattern": "abc"}, ""),  # the engine finds the shortest
        (tag({"type": "token", "token": "<|tool|>"}, CITY), ""),
        (tag("<", CITY, {"type": "token", "token": "<|tool|>"}), '<{"city": "Oslo"}'),
        (
            {
                "type": "sequence",
                "elements": [TAGS[0], {"type": "token", "token": "<|tool|>"}, TAGS[1]],
            },
            FIRST,
        ),
    ],
)
def test_every_tag_comes_once(value: dict[str, object], text: str) -> None:
    whole = {"type": "structural_tag", "format": value}
    assert text_of(whole) == text
    assert text_of(json.dumps(whole)) == text
    engine = formgate.compile(whole, VOCABULARY, format="structural_tag", warm_up=False)
    assert engine.warm_up(text) == len(text)


def test_the_older_form() -> None:
    structures = [
        {"begin": each["begin"], "schema": schema, "end": each["end"]}
        for each, schema in zip(TAGS, (json.dumps(CITY), ZONE), strict=True)
    ]
    assert text_of({"structures": structures, "triggers": ["<f"]}) == BOTH


@settings(max_examples=30, deadline=None)
@given(size=st.integers(1, 90))
def test_no_more_than_is_wanted(size: int) -> None:
    found = text_of(calls(), size)
    assert len(found) <= size + len("<f=city>")


def test_masks_are_made_along_it() -> None:
    words = formgate.Vocabulary(
        [*(bytes([byte]) for byte in range(256)), b"along", None], stop_ids=[]
    )
    engine = formgate.compile(calls(), words, format="structural_tag", warm_up=False)
    cold = engine.memory_usage()["masks"]
    assert engine.grammar.likely is not None
    assert engine.warm_up(engine.grammar.likely(60)) >= 40
    assert engine.memory_usage()["masks"] > cold
