"""`timedelta`: all of its values have a text, and all texts have a value."""

# ruff: noqa: ICN001 (datetime is written in full)

from __future__ import annotations

import datetime
import json

import hypothesis.strategies as st
import pydantic
import pytest
from hypothesis import example, given

import formgate
from formgate.plugins.json_schema._parse import load
from formgate.plugins.json_schema._types import schema_of, shape_of
from formgate.plugins.json_schema._types_shapes import Mismatch

VOCABULARY = formgate.Vocabulary([*(bytes([byte]) for byte in range(256)), None], stop_ids=[256])
ENGINE = formgate.compile(datetime.timedelta, VOCABULARY)
READ = pydantic.TypeAdapter(datetime.timedelta).validate_json


def in_words(value: datetime.timedelta) -> str:
    """Write a duration as days and a clock, without months and years, as JSON."""
    sign, days, clock = "", value.days, value - datetime.timedelta(value.days)
    if value.days < 0:
        # By hand: the least value has no positive counterpart of the same size in all versions.
        sign, days = "-", -value.days
        if clock:
            days, clock = days - 1, datetime.timedelta(1) - clock
    minutes, seconds = divmod(clock.seconds, 60)
    time = f"T{minutes // 60}H{minutes % 60}M{seconds}.{clock.microseconds:06}S" if clock else ""
    return json.dumps(f"{sign}P{days}D{time}")


@given(st.timedeltas())
@example(datetime.timedelta.min)
@example(datetime.timedelta.max)
@example(datetime.timedelta(microseconds=-1))
def test_every_value_has_a_text(value):
    text = in_words(value)
    assert ENGINE.accepts(text), text
    assert formgate.parse(ENGINE, text) == value == READ(text)


@given(st.from_regex(schema_of(datetime.timedelta)["pattern"].replace("^", "\\A")[:-1] + r"\Z"))
@example("P99999999DT99999999H99999999M99999999.999999S")
@example("-P99999999DT99999999H99999999M99999999.999999S")
@example("-P999999998DT23H59M59.999999S")
@example("-PT0S")
def test_every_text_has_a_value(text):
    assert ENGINE.accepts(json.dumps(text))
    formgate.parse(ENGINE, json.dumps(text))


@pytest.mark.parametrize(
    "text",
    [
        *("P", "-P", "PT", "P1DT", "--P1D", "P-1D", "P1M", "P1Y", "P1W", "P1D2H", "p1d", "P1.5D"),
        *("P1000000000D", "P999999999DT24H", "P999999999DT60M", "P999999999DT60S"),
        *("-P999999999DT0S", "-P999999999DT1S", "PT0.0000001S", "P١D"),
    ],
)
def test_what_is_no_duration(text):
    assert not ENGINE.accepts(json.dumps(text, ensure_ascii=False))
    with pytest.raises(Mismatch):
        shape_of(datetime.timedelta).read(load(json.dumps(text)), decimals=False)
