r"""Shapes of the scalar types of the standard library: numbers, text, dates, addresses.

A schema describes exactly the texts that the type can hold. Python's dates have no year 0 and no
leap second, and their fractions six digits, so the formats of JSON Schema are narrowed by a
pattern.
"""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from functools import cache
from ipaddress import IPv4Address, IPv6Address
from pathlib import Path, PurePath, PurePosixPath
from typing import TYPE_CHECKING, cast
from uuid import UUID

from formgate.plugins.json_schema._types_shapes import Mismatch, Scalar, as_float

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["INTEGER_KEY", "scalars"]

_MAX_DIGITS = 100_000  # of an integer that is written with an exponent

_YEAR = "(?:[1-9][0-9]{3}|0[1-9][0-9]{2}|00[1-9][0-9]|000[1-9])"
_CLOCK = r"[0-9]{2}:[0-9]{2}:[0-5][0-9](?:\.[0-9]{1,6})?"
_ZONE = "(?:[Zz]|[+-][0-9]{2}:[0-9]{2})"
_DATE_TIME = f"^{_YEAR}-[0-9]{{2}}-[0-9]{{2}}[Tt]{_CLOCK}{_ZONE}$"
_DATE = f"^{_YEAR}-"
_TIME = f"^{_CLOCK}{_ZONE}$"
# Weeks, months and years are not written: a timedelta knows days and seconds.
# Nine digits of days reach both ends of the type: the clock beside them stays within a day, and the
# least value is whole days.
_CLOCK_TIME = "T(?:{h}H(?:{m}M)?(?:{s})?|{m}M(?:{s})?|{s})"
_LONG_TIME = _CLOCK_TIME.format(h="[0-9]{1,8}", m="[0-9]{1,8}", s=r"[0-9]{1,8}(?:\.[0-9]{1,6})?S")
_DAY_TIME = _CLOCK_TIME.format(
    h="(?:[01]?[0-9]|2[0-3])", m="[0-5]?[0-9]", s=r"[0-5]?[0-9](?:\.[0-9]{1,6})?S"
)
_DURATION = (
    f"^(?:-?P(?:[0-9]{{1,8}}D(?:{_LONG_TIME})?|{_LONG_TIME}|[0-9]{{9}}D)"
    f"|(?:P|-P(?!9{{9}}))[0-9]{{9}}D{_DAY_TIME})$"
)
_WHOLE_DATE_TIME = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d{1,6}))?([Zz]|([+-])(\d\d):(\d\d))",
    re.ASCII,
)
_WHOLE_DURATION = re.compile(_DURATION[1:-1])
_PART_OF_DURATION = re.compile("([0-9.]+)([DHMS])")
_UNITS = {"D": 86_400, "H": 3600, "M": 60, "S": 1}
_WHOLE_UUID = re.compile("[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")
_WHOLE_DATE = re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}")
_INTEGER_NAME = "^(?:0|-?[1-9][0-9]*)$"


@cache
def scalars() -> dict[object, Scalar]:
    """Return the scalar types and their shapes."""
    text: dict[str, object] = {"type": "string"}
    return {
        str: Scalar(text, _text),
        bool: Scalar({"type": "boolean"}, _boolean),
        int: Scalar({"type": "integer"}, _integer),
        float: Scalar({"type": "number"}, _float),
        Decimal: Scalar({"type": "number"}, _decimal),
        type(None): Scalar({"type": "null"}, _null),
        datetime: Scalar({**text, "format": "date-time", "pattern": _DATE_TIME}, _from(_date_time)),
        date: Scalar({**text, "format": "date", "pattern": _DATE}, _from(_date)),
        time: Scalar({**text, "format": "time", "pattern": _TIME}, _from(_time)),
        timedelta: Scalar({**text, "pattern": _DURATION}, _from(_duration)),
        UUID: Scalar({**text, "format": "uuid"}, _from(_uuid)),
        IPv4Address: Scalar({**text, "format": "ipv4"}, _from(IPv4Address)),
        IPv6Address: Scalar({**text, "format": "ipv6"}, _from(_ipv6)),
        Path: Scalar(text, _from(Path)),
        PurePath: Scalar(text, _from(PurePath)),
        PurePosixPath: Scalar(text, _from(PurePosixPath)),
    }


def _integer_key(value: object) -> int:
    """Read the name of a member that stands for an integer."""
    name = _text(value)
    if re.fullmatch(_INTEGER_NAME[1:-1], name) is None:
        raise Mismatch("it is not an integer as JSON writes one")
    return int(Decimal(name))  # int() of a text gives up after some thousand digits


INTEGER_KEY = Scalar({"type": "string", "pattern": _INTEGER_NAME}, _integer_key)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise Mismatch("it is not a string")
    return value


def _boolean(value: object) -> bool:
    if not isinstance(value, bool):
        raise Mismatch("it is neither true nor false")
    return value


def _null(value: object) -> None:
    if value is not None:
        raise Mismatch("it is not null")


def _integer(value: object) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, Decimal):
        exponent = cast("int", value.as_tuple().exponent)
        if not value:
            return 0
        if exponent > _MAX_DIGITS:
            raise Mismatch(f"it has more than {_MAX_DIGITS:,} digits")
        if value == value.to_integral_value():
            return int(value)
    raise Mismatch("it is not an integer")


def _float(value: object) -> float:
    return as_float(_number(value))


def _decimal(value: object) -> Decimal:
    return Decimal(_number(value))


def _number(value: object) -> int | Decimal:
    if isinstance(value, (int, Decimal)) and not isinstance(value, bool):
        return value
    raise Mismatch("it is not a number")


def _from(make: Callable[[str], object]) -> Callable[[object], object]:
    """Return what reads a string by a constructor that raises `ValueError`."""

    def take(value: object) -> object:
        try:
            return make(_text(value))
        except ValueError as error:
            raise Mismatch(str(error)) from error

    return take


def _uuid(text: str) -> UUID:
    """Read a UUID with its dashes (the constructor takes other spellings, too)."""
    if _WHOLE_UUID.fullmatch(text) is None:
        raise ValueError("it is not a UUID")
    return UUID(text)


def _ipv6(text: str) -> IPv6Address:
    """Read an address without a zone, which the format does not have."""
    if "%" in text:
        raise ValueError("it is an IPv6 address with a zone")
    return IPv6Address(text)


def _date(text: str) -> date:
    """Read a date with its dashes (`fromisoformat` takes other spellings from Python 3.11 on)."""
    if _WHOLE_DATE.fullmatch(text) is None:
        raise ValueError("it is not a date of RFC 3339")
    return date.fromisoformat(text)


def _date_time(text: str) -> datetime:
    """Read a date and time of RFC 3339 (`fromisoformat` reads all of it from Python 3.11 on)."""
    match = _WHOLE_DATE_TIME.fullmatch(text)
    if match is None:
        raise ValueError("it is not a date and time of RFC 3339")
    *parts, fraction, zone, sign, hours, minutes = match.groups()
    microsecond = int((fraction or "0").ljust(6, "0"))
    offset = timedelta()
    if sign is not None:
        if int(hours) > 23 or int(minutes) > 59:
            raise ValueError(f"{zone} is no offset from UTC")
        offset = timedelta(hours=int(hours), minutes=int(minutes))
        offset = -offset if sign == "-" else offset
    year, month, day, hour, minute, second = map(int, parts)
    return datetime(year, month, day, hour, minute, second, microsecond, timezone(offset))


def _time(text: str) -> time:
    """Read a time with its offset."""
    return _date_time(f"2000-01-01T{text}").timetz()


def _duration(text: str) -> timedelta:
    """Read days, hours, minutes and seconds of an ISO 8601 duration."""
    if _WHOLE_DURATION.fullmatch(text) is None:
        raise ValueError("it is not a duration of days, hours, minutes and seconds")
    parts = _PART_OF_DURATION.findall(text)
    seconds = sum(Decimal(number) * _UNITS[unit] for number, unit in parts)
    microseconds = int(seconds * 1_000_000)
    return timedelta(microseconds=-microseconds if text.startswith("-") else microseconds)
