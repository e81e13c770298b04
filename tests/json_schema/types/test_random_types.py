"""Random types: what pydantic writes for a value is valid, and is read as the same value.

The judges are pydantic, which has its own idea of how a value is written, and jsonschema.
"""

from __future__ import annotations

import json
import random
import re
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator, FormatChecker
from jsonschema.exceptions import ValidationError
from jsonschema.validators import extend
from pydantic import TypeAdapter
from random_types import json_values, mutated, types

from formgate.plugins.json_schema._parse import load
from formgate.plugins.json_schema._types import schema_of, shape_of
from formgate.plugins.json_schema._types_shapes import Mismatch

SLOW = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=60)
FORMATS = FormatChecker(["uuid", "ipv4", "ipv6", "date"])


def _multiple(validator, factor, instance, schema):
    exact = isinstance(instance, (int, Decimal)) and not isinstance(instance, bool)
    if exact and Fraction(instance) % Fraction(factor):
        yield ValidationError("not a multiple")


def _pattern(validator, pattern, instance, schema):
    # Python's $ also matches before a line break at the end; ECMA's does not.
    if isinstance(instance, str) and not re.search(pattern.replace("$", r"\Z"), instance):
        yield ValidationError("does not match")


Judge = extend(
    Draft202012Validator,
    {"multipleOf": _multiple, "pattern": _pattern},
    type_checker=Draft202012Validator.TYPE_CHECKER.redefine(
        "number",
        lambda _, value: isinstance(value, (int, float, Decimal)) and not isinstance(value, bool),
    ).redefine(
        "integer",
        lambda _, value: (
            isinstance(value, (int, Decimal))
            and not isinstance(value, bool)
            and value == value // 1
        ),
    ),
)


def judge(annotation):
    schema = schema_of(annotation)
    Draft202012Validator.check_schema(schema)
    json.dumps(schema)
    return Judge(schema, format_checker=FORMATS)


@SLOW
@given(st.data())
def test_values_survive(data):
    annotation, values = data.draw(types())
    value = data.draw(values)
    text = TypeAdapter(annotation).dump_json(value).decode()
    instance = load(text)
    judge(annotation).validate(instance)
    found = shape_of(annotation).read(instance, decimals=False)
    assert found == value
    assert type(found) is type(value)


@SLOW
@given(st.data())
def test_the_schema_and_the_reader_agree(data):
    annotation, values = data.draw(types())
    instance = data.draw(json_values)
    if data.draw(st.booleans()):
        text = TypeAdapter(annotation).dump_json(data.draw(values)).decode()
        instance = mutated(load(text), instance, random.Random(data.draw(st.integers())))
    valid = judge(annotation).is_valid(instance)
    try:
        shape_of(annotation).read(instance, decimals=False)
    except Mismatch:
        assert not valid
    else:
        assert valid


def test_the_judge_is_strict():
    assert not judge(int).is_valid(True)
    assert judge(int).is_valid(Decimal("1.0"))
    with pytest.raises(ValidationError):
        judge(list[int]).validate(["a"])
