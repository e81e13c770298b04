"""Random schemas, compiled: texts are accepted exactly if jsonschema finds their values valid."""

from __future__ import annotations

import json
from typing import Any

import hypothesis
import jsonschema
import pytest
from acceptor import Acceptor
from hypothesis import strategies as st
from random_schemas import schemas, values

import formgate
from formgate.core.errors import EmptyLanguageError, GrammarError, LimitError, UnsupportedConstraint
from formgate.core.grammar import GrammarBuilder
from formgate.plugins.json_schema import compile_json_schema

SETTINGS = hypothesis.settings(
    max_examples=30, deadline=None, suppress_health_check=list(hypothesis.HealthCheck)
)


def engine(schema: Any, vocabulary: formgate.Vocabulary, **options: Any) -> Any:
    """Return an engine, or None where the schema is refused or nothing is valid."""
    try:
        return formgate.compile(schema, vocabulary, format="json_schema", **options)
    except EmptyLanguageError:
        return False
    except (UnsupportedConstraint, LimitError):
        return None
    except GrammarError as error:
        if "refers to itself" not in error.reason:
            raise
        return None


def accepts(found: Any, text: str) -> bool:
    return found is not False and found.accepts(text)


@SETTINGS
@hypothesis.given(data=st.data())
def test_any_order(byte_vocabulary: formgate.Vocabulary, data: st.DataObject) -> None:
    schema = data.draw(schemas())
    found = engine(schema, byte_vocabulary, property_order="any")
    if found is None:
        return
    judge = jsonschema.Draft202012Validator(schema)
    indent = data.draw(st.sampled_from((None, 1)))
    for value in data.draw(st.lists(values, min_size=4, max_size=12)):
        text = json.dumps(value, indent=indent)
        assert accepts(found, text) == judge.is_valid(value), text


@SETTINGS
@hypothesis.given(data=st.data())
def test_the_order_of_the_schema(byte_vocabulary: formgate.Vocabulary, data: st.DataObject) -> None:
    schema = data.draw(schemas())
    found = engine(schema, byte_vocabulary)
    if found is None:
        return
    judge = jsonschema.Draft202012Validator(schema)
    acceptor = Acceptor(schema)
    for value in data.draw(st.lists(values, min_size=4, max_size=12)):
        try:
            ordered = acceptor.ordered(value)
        except UnsupportedConstraint:  # the engine does not reach it: something else is empty
            continue
        if judge.is_valid(value):
            assert ordered is not None
            assert accepts(found, json.dumps(ordered[0]))
        else:
            assert not accepts(found, json.dumps(value))


@pytest.mark.parametrize(
    ("options", "dumped"),
    [
        ({"whitespace": "compact"}, {"separators": (",", ":")}),
        ({"separators": (", ", ": ")}, {}),
        ({"separators": (",", " : ")}, {"separators": (",", " : ")}),
        ({"indent": 2}, {"indent": 2}),
        ({"indent": 0}, {"indent": 0}),
        ({"indent": 3, "separators": (" ,", ":")}, {"indent": 3, "separators": (" ,", ":")}),
    ],
)
@hypothesis.settings(SETTINGS, max_examples=15)
@hypothesis.given(value=values)
def test_fixed_white_space_is_that_of_json_dumps(
    byte_vocabulary: formgate.Vocabulary, options: Any, dumped: Any, value: Any
) -> None:
    schema = {"const": value}
    found = engine(schema, byte_vocabulary, **options)
    assert found.accepts(json.dumps(value, **dumped))
    loose = json.dumps(value, indent=7, separators=("  ,", ":  "))
    assert found.accepts(loose) == (loose == json.dumps(value, **dumped))


def test_several_schemas_in_one_grammar(byte_vocabulary: formgate.Vocabulary) -> None:
    tree = {"type": "array", "items": {"$ref": "#"}}
    items = {"type": ["null", "boolean"]}
    counted = {"type": "array", "contains": {"type": "null"}, "maxContains": 1, "items": items}
    builder = GrammarBuilder()
    parts = [compile_json_schema(schema, builder) for schema in (tree, tree, counted, counted)]
    builder.start(builder.seq(*parts))
    engine = builder.build().compile(byte_vocabulary)
    assert engine.accepts("[[], []][][true, null][null]")
    assert not engine.accepts("[[], []][][true, null][null, null]")


def test_indented_values_nest_so_deep(byte_vocabulary: formgate.Vocabulary) -> None:
    engine = formgate.compile({}, byte_vocabulary, format="json_schema", indent=1, max_levels=3)
    assert engine.accepts(json.dumps([{"a": [1, {}]}], indent=1))
    assert not engine.accepts(json.dumps([{"a": [[1]]}], indent=1))
    schema = {"type": "array", "minItems": 1, "items": {"type": "array", "minItems": 1}}
    with pytest.raises(EmptyLanguageError):
        formgate.compile(schema, byte_vocabulary, indent=1, max_levels=1)


def test_any_value_keeps_the_style_of_each_schema(byte_vocabulary: formgate.Vocabulary) -> None:
    """It is recorded once; what is given in another style, or embedded, is its own all the same."""
    builder = GrammarBuilder()
    bar = builder.literal("|")
    styles: list[dict[str, Any]] = [
        {}, {"whitespace": "compact"}, {"separators": (", ", ": ")}, {"indent": 1},
        {"escapes": "canonical", "property_order": "any"}, {},
    ]  # fmt: skip
    nodes = [compile_json_schema({"items": {}}, builder, **style) for style in styles]
    builder.start(builder.seq(*[part for node in nodes for part in (node, bar)]))
    found = builder.build().compile(byte_vocabulary)
    value = {"a": [1, {"b": "c\u00e9"}]}
    compact, spaced = json.dumps(value, separators=(",", ":")), json.dumps(value)
    plain = json.dumps(value, ensure_ascii=False)
    texts = [spaced, compact, spaced, json.dumps(value, indent=1), plain, compact]
    assert found.accepts("|".join(texts) + "|")
    for place, wrong in ((1, spaced), (2, compact), (3, compact), (4, spaced)):
        other = [*texts[:place], wrong, *texts[place + 1 :]]
        assert not found.accepts("|".join(other) + "|")
