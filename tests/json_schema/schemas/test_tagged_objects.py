"""Alternatives of objects that a member tells apart, or seems to."""

from __future__ import annotations

import itertools
import json
from typing import Any

import hypothesis
import pytest
from agreeing import agree
from compiled import byte_vocabulary
from hypothesis import strategies as st

import formgate
from formgate.core.errors import EmptyLanguageError

SETTINGS = hypothesis.settings(
    deadline=None, suppress_health_check=list(hypothesis.HealthCheck), max_examples=150
)
WORDS = ("p", "q", "r")


def tagged(words: list[Any], **more: Any) -> dict[str, Any]:
    """Return an object of which the tag is one of some words."""
    tag = {"const": words[0]} if len(words) == 1 else {"enum": words}
    return {"type": "object", "properties": {"t": tag}, "required": ["t"], **more}


def objects() -> list[dict[str, Any]]:
    """Return all objects of two tags and another member, of few values."""
    values = [None, *WORDS, 1]
    found = []
    for t, u, a in itertools.product(values, values, (None, "p", 1)):
        members = {"t": t, "u": u, "a": a}
        found.append({name: value for name, value in members.items() if value is not None})
    return found


@st.composite
def branches(draw: st.DrawFn) -> dict[str, Any]:
    """An object with up to two tags, which it may ask for or not."""
    tag = st.one_of(
        st.lists(st.sampled_from(WORDS), min_size=1, max_size=2, unique=True).map(
            lambda words: {"enum": words} if len(words) > 1 else {"const": words[0]}
        ),
        st.sampled_from([{"const": 1}, {"enum": ["p", 1]}, {"type": "string"}, True]),
    )
    names = draw(st.permutations(["t", "u", "a"]))[: draw(st.integers(1, 3))]
    return {
        "type": "object",
        "properties": {name: draw(tag) for name in names},
        "required": draw(st.lists(st.sampled_from(["t", "t", "u"]), max_size=2, unique=True)),
        **draw(st.sampled_from([{}, {}, {"additionalProperties": False}])),
    }


@SETTINGS
@hypothesis.given(st.lists(branches(), min_size=2, max_size=4), st.sampled_from(["oneOf", "anyOf"]))
def test_random(several: list[dict[str, Any]], keyword: str) -> None:
    """Engines in both orders take what jsonschema does."""
    agree({keyword: several}, objects(), limited=False)


@pytest.mark.parametrize("keyword", ["oneOf", "anyOf"])
@pytest.mark.parametrize(
    "several",
    [
        [tagged(["p"]), tagged(["q"])],
        [tagged(["p", "q"]), tagged(["q", "r"])],
        [tagged(["p"]), tagged(["p"])],
        [tagged(["p"], additionalProperties=False), tagged(["q", "q"], minProperties=2)],
        [tagged(["p"]), {**tagged(["q"]), "required": []}],
        [tagged(["p"]), {**tagged(["q"]), "type": ["object", "null"]}],
        [tagged(["p"]), {key: said for key, said in tagged(["q"]).items() if key != "type"}],
        [tagged(["p"]), {"allOf": [tagged(["q"])]}, {"type": "null"}],
        [tagged(["p"]), {"$ref": "#/$defs/x"}],
        [tagged(["p"]), {"oneOf": [tagged(["q"]), tagged(["r"])]}],
        [tagged(["p"]), tagged([1])],
    ],
)
def test_chosen(several: list[dict[str, Any]], keyword: str) -> None:
    """Tags that overlap, are not asked for, are no strings, or stand behind a reference."""
    agree({keyword: several, "$defs": {"x": tagged(["q", "r"])}}, objects(), limited=False)


def test_tags_that_a_draft_does_not_know() -> None:
    """``const`` is no keyword of draft 4: such objects are not told apart."""
    source = {"oneOf": [tagged(["p"]), tagged(["q"])]}
    with pytest.raises(EmptyLanguageError):
        formgate.compile(source, byte_vocabulary(), format="json_schema", draft="4")
    listed = {"oneOf": [tagged(["p", "r"]), tagged(["q", "q"])]}
    engine = formgate.compile(listed, byte_vocabulary(), format="json_schema", draft="4")
    assert engine.accepts(json.dumps({"t": "q"}))
    assert not engine.accepts(json.dumps({"t": "s"}))


def test_many() -> None:
    """Two hundred of them, in a language that has each."""
    several = [tagged([f"kind {i}"], additionalProperties=False) for i in range(200)]
    engine = formgate.compile({"oneOf": several}, byte_vocabulary(), format="json_schema")
    assert all(engine.accepts(json.dumps({"t": f"kind {i}"})) for i in range(200))
    assert not engine.accepts(json.dumps({"t": "kind 200"}))


def test_branches_without_a_value_that_hold_each_other() -> None:
    """Lists of references to lists, of branches that share nothing since they have nothing."""
    for leaf in ({"enum": []}, {"type": "string", "const": 1}, {"type": "object", "const": 1}):
        links = [{"$ref": f"#/$defs/{i + 1}"} for i in range(3)]
        lists = {str(i): {"anyOf": [one] * 60} for i, one in enumerate([*links, leaf])}
        schema = {"anyOf": [{"$ref": "#/$defs/0"}, {"type": "null"}], "$defs": lists}
        engine = formgate.compile(schema, byte_vocabulary(), format="json_schema")
        assert engine.accepts("null")
