"""Engines of pydantic's types: each text that they let through is validated by pydantic."""

from __future__ import annotations

import datetime as dt
import ipaddress
import random
import re
import uuid
from collections.abc import Hashable
from decimal import Decimal
from typing import Annotated, Any, Literal

import pydantic
import pytest
from drawing import checked, drawn
from hypothesis import HealthCheck, given, settings
from pydantic import Field, TypeAdapter
from pydantic_types import HOURS, TYPES, VALUES, narrow

import formgate
from formgate.plugins.json_schema import UnenforcedWarning, inspect, schema_of

QUICK = settings(
    deadline=None, suppress_health_check=list(HealthCheck), max_examples=30, database=None
)


def adapter(kind: Any) -> TypeAdapter[Any]:
    return kind if isinstance(kind, TypeAdapter) else TypeAdapter(kind)


@pytest.mark.parametrize("name", TYPES)
def test_drawn_texts_are_validated(name: str, byte_vocabulary: formgate.Vocabulary) -> None:
    reader = adapter(TYPES[name][0])
    engine = formgate.compile(reader, byte_vocabulary)
    source = random.Random(name)
    for _ in range(25):
        text = drawn(engine, source, soft=source.choice([3, 20, 60]), hard=400)
        if text is not None:
            reader.validate_json(text)


@pytest.mark.parametrize("name", VALUES)
def test_dumped_values_are_accepted(name: str, byte_vocabulary: formgate.Vocabulary) -> None:
    kind, values = VALUES[name]
    reader = adapter(kind)
    engine = formgate.compile(reader, byte_vocabulary)

    @QUICK
    @given(value=values)
    def check(value: Any) -> None:
        assert formgate.parse(engine, reader.dump_json(value).decode()) == value

    check()


WHEN = dt.datetime(2020, 1, 1, 12)  # noqa: DTZ001 (naive, which is what is tested)
CASES: list[tuple[Any, list[str], list[str]]] = [
    (
        Decimal,
        ["1.5", '"1.5"', '"-0"', '"1E+400"', "1e300"],
        ["1e400", '"a"', '""', '"1e"', "true"],
    ),
    (narrow(Decimal, max_digits=3), ["1.55", "999", '"0.001"'], ["1000", '"0.0001"', "1e3"]),
    (narrow(Decimal, decimal_places=1), ["1.5", "1000.0", '"1.50"'], ["1.55", '"1.55"']),
    (narrow(Decimal, gt=Decimal("0.1")), ["0.2"], ["0.1", "0.10000000000000001", '"0.1"', '"-1"']),
    (narrow(Decimal, ge=-2, lt=10), ['"-2"', '"9.99"', "-2"], ['"10"', '"-2.1"', "10", '"100"']),
    (narrow(Decimal, multiple_of=Decimal("0.25")), ["0.5"], ["0.3", '"0.5"']),
    (narrow(Decimal, multiple_of=Decimal("0.1")), ["0.5", '"0.5"'], ["0.55", '"0.55"']),
    (pydantic.StrictInt, ["1", "-0", str(2**70)], ["1.0", "1e0"]),
    (narrow(int, multiple_of=7), ["14", "-7"], ["14.0", "15"]),
    (narrow(int, ge=0, le=9), ["1", "1.0"], ["-1", "10"]),
    (narrow(int, gt=2**53), [str(2**53 + 1)], [f"{2**53 + 1}.0", str(2**53)]),
    (Literal[5, "a"], ["5", "5.0", '"a"'], ["6"]),
    (Literal[2**53 + 1, "a"], [str(2**53 + 1), '"a"'], [f"{2**53 + 1}.0"]),
    (narrow(int | bool, ge=1), ["1", "true"], ["0", "false"]),
    (Hashable, ['"a"', "1", "null"], ["[1]", "{}"]),
    (type[int] | bool, ["true"], ["1", '"int"']),
    (pydantic.FiniteFloat, ["1e308", "-1.5"], ["1e309", "-1e999"]),
    (pydantic.PositiveFloat, ["1e-300", "5e-324"], ["0", "1e-400", "-1"]),
    (narrow(float, lt=0.1), ["0.09"], ["0.1", "0.099999999999999999999"]),
    (complex, ['"1+2j"', '"-j"', '"1e5"', '".5j"'], ['"a"', '"1+2"', "1", '""']),
    (dt.datetime, ['"2020-02-29T00:00:00"', '"2020-01-01t00:00:00.5z"'], ['"2019-02-29T00:00:00"']),
    (dt.datetime, [], ['"0000-01-01T00:00:00Z"', '"2020-01-01T00:00:60Z"', '"2020-01-01"']),
    (pydantic.NaiveDatetime, ['"2020-01-01T00:00:00"'], ['"2020-01-01T00:00:00Z"']),
    (pydantic.AwareDatetime, ['"2020-01-01T00:00:00Z"'], ['"2020-01-01T00:00:00"']),
    (narrow(dt.datetime, gt=WHEN), ['"2020-01-01T12:00:00.1+05:00"'], ['"2020-01-01T12:00:00Z"']),
    (
        narrow(dt.datetime, ge=WHEN.replace(tzinfo=HOURS)),
        ['"2020-01-01T10:00:00Z"', '"2020-01-01T12:00:00"'],
        ['"2020-01-01T09:59:59Z"', '"2020-01-01T11:59:59"', '"2020-01-01T12:00:00+03:00"'],
    ),
    (pydantic.PastDate, ['"1999-12-31"'], ['"2999-12-31"']),
    (pydantic.FutureDatetime, ['"2999-12-31T00:00:00"'], ['"1999-12-31T00:00:00"']),
    (dt.time, ['"12:00:00"', '"23:59:59+23:59"'], ['"24:00:00"', '"12:00:60"', '"12:00"']),
    (
        dt.timedelta,
        ['"P999999999D"', '"-P1DT2H"', '"P1Y2M3W4D"'],
        ['"P1000000000D"', '"P"', '"PT"'],
    ),
    (narrow(dt.timedelta, ge=dt.timedelta()), ['"PT0S"', '"P1W"'], ['"-PT1S"']),
    (narrow(dt.timedelta, lt=dt.timedelta(minutes=90)), ['"PT1H29M"', '"-P5W"'], ['"PT1H30M"']),
    (pydantic.HttpUrl, ['"http://a.b"', '"https://[::1]:80/x?y#z"'], ['"ftp://a"', '"http://"']),
    (
        pydantic.HttpUrl,
        ['"http://1.2.3.4"', '"http://1a.b"', '"http://x-n--a"', '"http://a:65535"'],
        ['"http://1.2.3.256"', '"http://a.1"', '"http://xn--a.b"', '"http://a:65536"'],
    ),
    (pydantic.AnyUrl, ['"mailto:a@b.cc"', '"foo:bar"'], ['"foo"', '"http:a"', '"foo://:1"']),
    (pydantic.FileUrl, ['"file:///etc"'], ['"http://a"', '"file:x"']),
    (pydantic.PostgresDsn, ['"postgres://a:b@c,d:1/e"'], ['"postgres://"', '"mysql://a"']),
    (pydantic.UUID4, [f'"{uuid.UUID(int=0, version=4)}"'], [f'"{uuid.UUID(int=0, version=1)}"']),
    (ipaddress.IPv4Network, ['"1.2.3.0/24"', '"0.0.0.0/0"', '"1.2.3.4"'], ['"1.2.3.4/24"']),
    (ipaddress.IPv4Network, ['"128.0.0.0/1"', '"1.2.3.254/31"'], ['"64.0.0.0/1"', '"1.2.3.0/33"']),
    (ipaddress.IPv6Network, ['"2001:db8::/32"', '"::/0"', '"::1"'], ['"::1/64"', '"1::/8"']),
    (ipaddress.IPv6Interface, ['"::1/64"', '"::1"'], ['"::1/129"', '"::g"']),
    (pydantic.IPvAnyNetwork, ['"10.0.0.0/8"', '"::/0"'], ['"10.0.0.1/8"']),
    (pydantic.Base64Bytes, ['"YWJj"', '"YQ=="', '""'], ['"a"', '"YQ"', '"_-8="']),
    (pydantic.Base64UrlBytes, ['"_-8="'], ['"+/8="']),
    (pydantic.Base64Str, ['"YQ=="'], ['"/w=="']),
    (narrow(bytes, max_length=3), ['"abc"'], ['"\\u00e9\\u00e9"', '"abcd"']),
    (pydantic.ByteSize, ['"1.5 GiB"', '"3"', "3"], ['"1 xb"', '"b"', "-1"]),
    (re.Pattern, ['"a|b"', '"[a-z]"'], ['"("', r'"\\p{L}"', '"(?<n>a)"', '"[]"']),
    (pydantic.Json[int], ['"12"'], ['"a"', '"1.5"', "12"]),
    (pydantic.Json[list[bool]], ['"[true,false]"', '"[]"'], ['"[true,]"', '"true"']),
    (dict[int, bool], ['{"1":true,"-7":false}'], ['{"a":true}', '{"01":true}', '{"1":3}']),
    (dict[narrow(int, gt=9), bool], ['{"10":true}'], ['{"9":true}']),  # type: ignore[misc]
    (dict[narrow(str, pattern="^a"), bool], ['{"ab":true}'], ['{"b":3}', '{"b":true}']),  # type: ignore[misc]
    (dict[pydantic.HttpUrl, bool], ['{"http://a":true}'], ['{"a":true}']),
    (set[Any], ['[1,"a",null]'], ["[[]]", "[{}]"]),
    (tuple[()], ["[]"], ["[1]"]),
]


@pytest.mark.parametrize(("kind", "good", "bad"), CASES)
def test_texts_are_let_through_as_pydantic_reads_them(
    kind: Any, good: list[str], bad: list[str], byte_vocabulary: formgate.Vocabulary
) -> None:
    checked(TypeAdapter(kind), good, bad, byte_vocabulary)


class Nested(pydantic.BaseModel):
    parts: list[pydantic.Json[Any]] = []


@pytest.mark.parametrize(
    ("kind", "place", "words"),
    [
        (pydantic.Json, "#", "JSON text inside a string"),
        (pydantic.Json[dict[str, int]], "#", "JSON text inside a string"),
        (Nested, "#/properties/parts/items", "JSON text inside a string"),
        (Annotated[Any, Field(ge=3)], "#", "ge=3 on a value of this type"),
        (narrow(str, pattern="[a&&b]"), "#", "the pattern '[a&&b]'"),
        (narrow(str, pattern=re.compile("(a)(?(1)b|c)")), "#", "the pattern '(a)(?(1)b|c)'"),
        (dict[narrow(int, multiple_of=3), int], "#/propertyNames", "a multiple"),  # type: ignore[misc]
    ],
)
def test_what_no_schema_can_say_is_refused(
    kind: Any, place: str, words: str, byte_vocabulary: formgate.Vocabulary
) -> None:
    reader = TypeAdapter(kind)
    with pytest.raises(formgate.UnsupportedConstraint) as caught:
        formgate.compile(reader, byte_vocabulary)
    assert str(caught.value).startswith(f"{place}: {words}")
    assert "on_unsupported" in str(caught.value)
    for option in ("relax", "validate"):
        with pytest.warns(UnenforcedWarning, match=re.escape(f"{place}: not enforced: {words}")):
            formgate.compile(reader, byte_vocabulary, on_unsupported=option)
    assert list(inspect(reader).unenforced) == [place]


def test_a_relaxed_engine_reads_with_pydantic(byte_vocabulary: formgate.Vocabulary) -> None:
    with pytest.warns(UnenforcedWarning):
        engine = formgate.compile(Nested, byte_vocabulary, on_unsupported="relax")
    assert formgate.parse(engine, '{"parts": ["[1]"]}') == Nested.model_construct(parts=[[1]])
    with pytest.raises(formgate.ParseError, match="Invalid JSON"):
        formgate.parse(engine, '{"parts": ["["]}')


def test_the_keyword_is_one_for_other_schemas_too(byte_vocabulary: formgate.Vocabulary) -> None:
    schema = {"type": "string", "x-unenforced": "the name of a file that is there"}
    with pytest.raises(
        formgate.UnsupportedConstraint, match=r"^#: the name of a file that is there"
    ):
        formgate.compile(schema, byte_vocabulary)


def written(cls: Any, source: Any, handler: Any) -> Any:
    del cls, source, handler
    return pydantic.TypeAdapter(str).core_schema


def told(cls: Any, core: Any, handler: Any) -> dict[str, Any]:
    del cls, core, handler
    return {"type": "string", "format": "ipv4network"}


OWN = type(
    "Own",
    (),
    {
        "__get_pydantic_core_schema__": classmethod(written),
        "__get_pydantic_json_schema__": classmethod(told),
    },
)


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (Annotated[Decimal, pydantic.WithJsonSchema({"type": "string", "const": "7"})], '"7"'),
        (narrow(Decimal, json_schema_extra={"const": "7"}), '"7"'),
        (Annotated[pydantic.HttpUrl, pydantic.WithJsonSchema({"const": "any"})], '"any"'),
        (narrow(dt.date, json_schema_extra={"const": "2020-01-01"}), '"2020-01-01"'),
        (Annotated[str, pydantic.WithJsonSchema({"format": "base64", "const": "é"})], '"é"'),
    ],
)
def test_what_the_user_says_of_a_schema_holds(
    kind: Any, text: str, byte_vocabulary: formgate.Vocabulary
) -> None:
    engine = formgate.compile(TypeAdapter(kind), byte_vocabulary)
    assert engine.accepts(text)
    assert not engine.accepts('"1"')


def test_formats_of_the_users_own_mean_what_the_user_says(
    byte_vocabulary: formgate.Vocabulary,
) -> None:
    assert schema_of(OWN) == {"type": "string", "format": "ipv4network"}
    assert formgate.compile(OWN, byte_vocabulary).accepts('"anything"')
