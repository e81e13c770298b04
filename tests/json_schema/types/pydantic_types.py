"""Types of pydantic and of the standard library, with values that pydantic makes and dumps."""

from __future__ import annotations

import collections
import datetime as dt
import enum
import fractions
import ipaddress
import re
import uuid
import zoneinfo
from decimal import Decimal
from typing import Annotated, Any, Literal

import hypothesis.strategies as st
import pydantic
from pydantic import ConfigDict, Field, TypeAdapter

Values = st.SearchStrategy[Any]


class Number(enum.IntEnum):
    ONE = 1
    TWO = 2


class Mixed(enum.Enum):
    PAIR = (1, 2)
    WORD = "x"


class Word(str, enum.Enum):
    A = "a"


class Loose(pydantic.BaseModel):
    a: bool = True


def narrow(kind: Any, **bounds: Any) -> Any:
    """A type with constraints."""
    return Annotated[kind, Field(**bounds)]


def encoded(encoding: str) -> TypeAdapter[Any]:
    """Bytes that are read from strings in an encoding, and written so."""
    config = ConfigDict(val_json_bytes=encoding, ser_json_bytes=encoding)
    return TypeAdapter(bytes, config=config)


def networks(version: int, step: int) -> Values:
    made = {4: ipaddress.IPv4Network, 6: ipaddress.IPv6Network}[version]
    sizes = st.integers(0, (32 if version == 4 else 128) // step)
    return st.builds(
        lambda address, size: made((address, size * step), strict=False),
        st.ip_addresses(v=version),
        sizes,
    )


def urls(kind: Any, *written: str) -> Values:
    return st.sampled_from([kind(each) for each in written])


HOURS = dt.timezone(dt.timedelta(hours=2))
ZONES = st.sampled_from([None, dt.timezone.utc, HOURS, dt.timezone(dt.timedelta(minutes=-90))])
REALS = st.floats(allow_nan=False, allow_infinity=False)
DECIMALS = st.decimals(allow_nan=False, allow_infinity=False)
BITS = st.booleans()

# Of some types what is dumped is not read back, or not in the texts: these have no values.
TYPES: dict[str, tuple[Any, Values | None]] = {
    "decimal": (Decimal, DECIMALS),
    "decimal, digits": (
        narrow(Decimal, max_digits=3),
        st.decimals(-9, 9, places=2) | st.decimals(-999, 999, places=0),
    ),
    "decimal, digits and places": (
        narrow(Decimal, max_digits=3, decimal_places=1),
        st.decimals("-99", "99", places=1),
    ),
    "decimal, many digits": (
        narrow(Decimal, max_digits=20, decimal_places=3),
        st.decimals(-(10**16), 10**16, places=3),
    ),
    "decimal, places alone": (narrow(Decimal, max_digits=2, decimal_places=2), None),
    "decimal, money": (
        narrow(Decimal, gt=0, max_digits=10, decimal_places=2),
        st.decimals("0.01", 99_999_999, places=2),
    ),
    "decimal, bounds": (
        narrow(Decimal, gt=Decimal("0.1"), lt=Decimal("12.34")),
        st.decimals("0.11", "12.33", places=2),
    ),
    "decimal, below zero": (
        narrow(Decimal, ge=Decimal("-3.5"), le=Decimal("-0.07")),
        st.decimals("-3.5", "-0.07", places=3),
    ),
    "decimal, multiple": (narrow(Decimal, multiple_of=Decimal("0.05")), None),
    "decimal, infinite": (
        narrow(Decimal, allow_inf_nan=True),
        st.sampled_from([Decimal("inf"), Decimal("-inf")]),
    ),
    "fraction": (fractions.Fraction, st.fractions()),
    "fraction, bound": (narrow(fractions.Fraction, gt=1), None),
    "float, finite": (pydantic.FiniteFloat, REALS),
    "float, positive": (
        narrow(pydantic.FiniteFloat, gt=0),
        st.floats(0, exclude_min=True, allow_infinity=False),
    ),
    "float, bound": (
        narrow(float, gt=0.1, lt=5),
        st.floats(0.1, 5, exclude_min=True, exclude_max=True),
    ),
    "float, multiple": (narrow(float, multiple_of=0.1, le=1e5, ge=-1e5), None),
    "int, strict": (pydantic.StrictInt, st.integers()),
    "int, strict or none": (pydantic.StrictInt | None, st.none() | st.integers()),
    "int, strict, bound": (narrow(int, strict=True, ge=3, multiple_of=2), None),
    "complex": (complex, st.complex_numbers(allow_nan=False)),
    "datetime": (dt.datetime, st.datetimes(timezones=ZONES)),
    "datetime, naive": (pydantic.NaiveDatetime, st.datetimes()),
    "datetime, aware": (pydantic.AwareDatetime, st.datetimes(timezones=st.just(HOURS))),
    "datetime, after": (
        narrow(dt.datetime, gt=dt.datetime(2020, 1, 1, 12, 30, 15, 500)),  # noqa: DTZ001 (naive)
        st.datetimes(dt.datetime(2020, 1, 1, 12, 30, 15, 501)),  # noqa: DTZ001
    ),
    "datetime, before": (
        narrow(dt.datetime, le=dt.datetime(2020, 1, 1, 12, 30, 15, tzinfo=HOURS)),
        st.datetimes(max_value=dt.datetime(2020, 1, 1, 12, 30, 15)),  # noqa: DTZ001
    ),
    "datetime, past": (
        pydantic.PastDatetime,
        st.datetimes(max_value=dt.datetime(2026, 1, 1)),  # noqa: DTZ001
    ),
    "datetime, future": (pydantic.FutureDatetime, None),
    "date": (dt.date, st.dates()),
    "date, bounds": (
        narrow(dt.date, gt=dt.date(2020, 1, 9), le=dt.date(2021, 12, 30)),
        st.dates(dt.date(2020, 1, 10), dt.date(2021, 12, 30)),
    ),
    "date, past": (pydantic.PastDate, st.dates(max_value=dt.date(2026, 1, 1))),
    "date, future": (pydantic.FutureDate, None),
    "time": (dt.time, st.times(timezones=ZONES)),
    "time, bounds": (
        narrow(dt.time, ge=dt.time(12, 0, 5), lt=dt.time(23, 10, 9, 250)),
        st.times(dt.time(12, 0, 5), dt.time(23, 10, 9, 249)),
    ),
    "timedelta": (dt.timedelta, st.timedeltas()),
    "timedelta, after": (
        narrow(dt.timedelta, gt=dt.timedelta(hours=30, microseconds=5)),
        st.timedeltas(dt.timedelta(hours=30, microseconds=6)),
    ),
    "timedelta, before": (
        narrow(dt.timedelta, le=dt.timedelta(days=-400)),
        st.timedeltas(max_value=dt.timedelta(days=-400)),
    ),
    "timedelta, positive": (
        narrow(dt.timedelta, gt=dt.timedelta()),
        st.timedeltas(dt.timedelta(microseconds=1)),
    ),
    "url": (
        pydantic.AnyUrl,
        urls(
            pydantic.AnyUrl,
            *("mailto:a@b.cc", "urn:isbn:12", "httpx://a", "foo:/a/b", "file:///etc/x"),
            *("h:x", "filex:y", "w:a", "wss://q", "https://a/?q=1#f", "data:,x"),
        ),
    ),
    "url, http": (
        pydantic.HttpUrl,
        urls(
            pydantic.HttpUrl,
            *("http://a.b", "https://example.com:8080/a/b?c=d#e", "http://[::1]/", "http://a_b.c"),
            *("http://1.2.3.4/x", "https://u:pw@host.example/", "http://r4---sn.x-y.com/%20"),
            *("http://xn-a.b", "http://xna.b", "http://x"),
        ),
    ),
    "url, file": (pydantic.FileUrl, urls(pydantic.FileUrl, "file:///a/b", "file://h/c")),
    "url, constraints": (
        Annotated[
            pydantic.AnyUrl, pydantic.UrlConstraints(max_length=30, allowed_schemes=["http", "foo"])
        ],
        None,
    ),
    "dsn, several hosts": (
        pydantic.PostgresDsn,
        urls(
            pydantic.PostgresDsn,
            *("postgres://u:p@h:5432/db", "postgresql+psycopg2://u:p@h1:1,h2:2/db?x=y"),
        ),
    ),
    "dsn, a default": (pydantic.KafkaDsn, urls(pydantic.KafkaDsn, "kafka://h:9092")),
    "uuid": (uuid.UUID, st.uuids()),
    "uuid, version": (pydantic.UUID4, st.uuids(version=4)),
    "ipv4 network": (ipaddress.IPv4Network, networks(4, 1)),
    "ipv6 network": (ipaddress.IPv6Network, networks(6, 16).filter(lambda n: "::/" in str(n))),
    "ipv4 interface": (
        ipaddress.IPv4Interface,
        st.builds(lambda *parts: ipaddress.IPv4Interface(parts), st.ip_addresses(v=4), st.just(7)),
    ),
    "ipv6 interface": (
        ipaddress.IPv6Interface,
        st.builds(lambda *parts: ipaddress.IPv6Interface(parts), st.ip_addresses(v=6), st.just(99)),
    ),
    "any address": (pydantic.IPvAnyAddress, st.ip_addresses()),
    "any network": (pydantic.IPvAnyNetwork, networks(4, 1)),
    "any interface": (pydantic.IPvAnyInterface, None),
    "base64": (pydantic.Base64Bytes, st.binary()),
    "base64, lengths": (
        narrow(pydantic.Base64Bytes, min_length=2, max_length=7),
        st.binary(min_size=2, max_size=7),
    ),
    "base64, text": (pydantic.Base64Str, st.text(st.characters(max_codepoint=127))),
    "base64 url": (pydantic.Base64UrlBytes, st.binary()),
    "base64 url, text": (pydantic.Base64UrlStr, st.text(st.characters(max_codepoint=127))),
    "bytes": (bytes, st.text(st.characters(codec="utf-8")).map(str.encode)),
    "bytes, length": (
        narrow(bytes, max_length=3),
        st.binary(max_size=1).map(lambda part: part.hex().encode()),
    ),
    "bytes, base64": (encoded("base64"), st.binary()),
    "bytes, hex": (encoded("hex"), st.binary()),
    "size": (pydantic.ByteSize, st.integers(0)),
    "secret": (narrow(pydantic.SecretStr, min_length=3), None),
    "secret bytes": (narrow(pydantic.SecretBytes, max_length=3), None),
    "zone": (zoneinfo.ZoneInfo, st.sampled_from(["UTC", "Europe/Oslo"]).map(zoneinfo.ZoneInfo)),
    "pattern": (
        re.Pattern,
        st.sampled_from(["a+b", r"[\w.]+", r"^\d{3}-\w+$", "(?:a|b)*?", "(?=x)y", "[a-z_-]+"]).map(
            re.compile
        ),
    ),
    "json, numbers": (pydantic.Json[list[int | None]], None),
    "keys, int": (dict[int, bool], st.dictionaries(st.integers(), BITS, max_size=3)),
    "keys, int, bounds": (
        dict[narrow(int, ge=-3, lt=120), bool],  # type: ignore[misc]
        st.dictionaries(st.integers(-3, 119), BITS, max_size=3),
    ),
    "keys, float": (dict[float, bool], st.dictionaries(REALS, BITS, max_size=3)),
    "keys, finite": (dict[pydantic.FiniteFloat, bool], None),
    "keys, bool": (dict[bool, bool], st.dictionaries(BITS, BITS)),
    "keys, decimal": (dict[Decimal, bool], st.dictionaries(DECIMALS, BITS, max_size=3)),
    "keys, uuid": (dict[uuid.UUID, bool], st.dictionaries(st.uuids(), BITS, max_size=3)),
    "keys, date": (dict[dt.date, bool], st.dictionaries(st.dates(), BITS, max_size=3)),
    "keys, enum": (dict[Number, bool], st.dictionaries(st.sampled_from(Number), BITS)),
    "keys, literal": (dict[Literal["a", 1], bool], st.dictionaries(st.just("a"), BITS)),
    "keys, pattern": (
        dict[narrow(str, pattern="^a"), bool],  # type: ignore[misc]
        st.dictionaries(st.just("ab"), BITS),
    ),
    "keys, union": (dict[int | bool, bool], None),
    "keys, tuple": (dict[tuple[int, int], bool], st.just({})),
    "keys, none": (dict[None, bool], st.just({})),
    "keys, base64": (dict[pydantic.Base64Str, bool], None),
    "ordered": (collections.OrderedDict[int, bool], None),
    "set of anything": (set[Any], None),
    "set of lists": (set[list[int]], st.just(set())),
    "set of models": (set[Loose], st.just(set())),
    "enum with a tuple": (Mixed, st.just(Mixed.WORD)),
    "literal of an enum": (Literal[Mixed.WORD, "y"], st.just("y")),
    "literal of a word": (Literal[Word.A, b"b"], st.just(Word.A)),
    "union, number": (
        Annotated[float | None, Field(ge=3)],
        st.floats(3, allow_infinity=False),
    ),
    "union, numbers": (narrow(pydantic.StrictInt | float, ge=3), st.integers(3)),
    "union, lengths": (
        narrow(str | list[bool], min_length=2, max_length=3),
        st.sampled_from(["ab", [True, True]]),
    ),
    "union, literal": (
        narrow(Literal["a", "bcd"] | list[bool], min_length=3),
        st.just("bcd"),
    ),
    "union, unspoken": (narrow(float | str | Loose | None, gt=3), st.just(3.5)),
    "union, finite": (Annotated[float | str, pydantic.AllowInfNan(False)], None),
    "union, pattern": (narrow(str | bool, pattern="^a"), st.just("ab")),
}
VALUES = {name: known for name, known in TYPES.items() if known[1] is not None}
