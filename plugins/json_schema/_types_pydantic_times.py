"""Dates and times as pydantic reads them: strings with or without an offset, bounds included.

Bounds of dates and times compare digits from left to right, so they are patterns. Where the offset
of either side is not known pydantic compares what the clocks show; beside an aware bound, aware
texts are written in UTC.
"""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta, timezone
from typing import TYPE_CHECKING, Any

from formgate.plugins.json_schema._types_pydantic_numbers import (
    fraction_after,
    fraction_before,
    less_than,
    more_than,
)
from formgate.plugins.json_schema._types_pydantic_texts import CLOCK, DURATION, NAIVE, OFFSET, whole

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["date_patterns", "date_time_patterns", "duration_patterns", "time_patterns"]

_SIDES = ("gt", "ge", "lt", "le")
_ZONES = {"naive": "", "aware": OFFSET, None: f"{OFFSET}?"}


def date_patterns(given: Mapping[str, Any]) -> list[str]:
    """Return patterns of the dates that a core schema takes, beside their format.

    Bounds about the present are about the day of this call: what is in the past stays there.
    """
    found = ["^(?:[1-9]|0[1-9]|00[1-9]|000[1-9])"]  # no year zero
    now = given.get("now_op")
    if now is not None:
        earliest, latest = (moment.date().isoformat() for moment in _now())
        found.append(_within("lt", earliest, "") if now == "past" else _within("gt", latest, ""))
    found += [
        _within(name, given[name].isoformat(), "")
        for name in _SIDES
        if isinstance(given.get(name), date)
    ]
    return found


def date_time_patterns(given: Mapping[str, Any]) -> list[str]:
    """Return patterns of the dates with times that a core schema takes.

    Bounds about the present are about the hour of this call.
    """
    found = [f"^{NAIVE}{_zone(given)}$"]
    if given.get("now_op") is not None:
        found.append(_before_now() if given["now_op"] == "past" else _after_now())
    for name in _SIDES:
        bound = given.get(name)
        if isinstance(bound, datetime):
            found.append(_compared(name, bound))
    return found


def _now() -> tuple[datetime, datetime]:
    """Return what clocks show, here and in UTC, the earlier first: pydantic may go by either."""
    universal = datetime.now(timezone.utc).replace(tzinfo=None)
    local = datetime.now()  # noqa: DTZ005 (the local time it is)
    return min(universal, local), max(universal, local)


def _before_now() -> str:
    """Return the pattern of what is surely past: an offset that is negative makes it later."""
    now = _now()[0]
    hour = _within("lt", now.isoformat()[:13], "")[1:-1]
    day = _within("lt", (now - timedelta(days=1)).date().isoformat(), "")[1:-1]
    return f"^(?:{hour}:[^-]*|{day}[Tt].*)$"


def _after_now() -> str:
    """Return the pattern of what is surely to come: an offset that is positive makes it sooner."""
    now = _now()[1]
    hour = _within("gt", now.isoformat()[:13], "")[1:-1]
    day = _within("gt", (now + timedelta(days=1)).date().isoformat(), "")[1:-1]
    return f"^(?:{hour}:[^+]*|{day}[Tt].*)$"


def time_patterns(given: Mapping[str, Any]) -> list[str]:
    """Return patterns of the times that a core schema takes."""
    found = [f"^{CLOCK}{_zone(given)}$"]
    for name in _SIDES:
        bound = given.get(name)
        if isinstance(bound, time):
            text = bound.replace(tzinfo=None).isoformat()
            found.append(_within(name, text, f"{OFFSET}?" if bound.tzinfo is None else ""))
    return found


def duration_patterns(given: Mapping[str, Any]) -> list[str]:
    """Return patterns of the durations that a core schema takes.

    Beside bounds other than zero, durations are written as pydantic writes them: in years of 365
    days, days, hours, minutes and seconds, none of them zero or as large as the next unit.
    """
    found = [DURATION]
    for name in _SIDES:
        bound = given.get(name)
        if isinstance(bound, timedelta):
            found.append(_no_bound(name) if not bound else _duration(name, bound))
    return found


def _no_bound(name: str) -> str:
    """Return the pattern of durations on one side of none at all."""
    if name == "gt":
        return "^P.*[1-9]"
    if name == "lt":
        return "^-P.*[1-9]"
    return "^P" if name == "ge" else "^(?:-P|P[^1-9]*$)"


_UNITS = "YDHMS"
_SIZES = (365 * 86_400, 86_400, 3600, 60, 1)
_MOST = (None, 364, 23, 59, 59)
_SIXTY = "(?:[1-9]|[1-5][0-9])"
_AMOUNTS = (
    "(?:[1-9][0-9]{0,6}Y)?",
    "(?:(?:[1-9][0-9]?|[12][0-9]{2}|3[0-5][0-9]|36[0-4])D)?",
    "(?:(?:[1-9]|1[0-9]|2[0-3])H)?",
    f"(?:{_SIXTY}M)?",
    rf"(?:(?:{_SIXTY}|0)(?:\.[0-9]{{1,6}})?S)?",
)
_SHAPE = f"(?=[0-9T]){''.join(_AMOUNTS[:2])}(?:T(?=[0-9]){''.join(_AMOUNTS[2:])})?"


def _duration(name: str, bound: timedelta) -> str:
    """Return the pattern of durations on one side of another."""
    above, included = name in ("gt", "ge"), name in ("ge", "le")
    below_zero = bound < timedelta()
    size = -bound if below_zero else bound
    near = _ordered(size, above=above ^ below_zero, included=included)
    ways = [f"{'-' if below_zero else ''}P(?={_SHAPE}$){near}"]
    if above == below_zero:  # all on the other side of zero
        ways.append(f"{'' if below_zero else '-'}P.*")
    return whole(*ways)


def _ordered(bound: timedelta, *, above: bool, included: bool) -> str:
    """Return the expression of amounts in units, the largest first, above or below others.

    They are of the shape above, so units that are not there are zero, and a T may be skipped.
    """
    rest, ways, same = bound.days * 86_400 + bound.seconds, [], ""
    for at, size in enumerate(_SIZES[:-1]):
        amount, rest = divmod(rest, size)
        others = _tail(at + 1)
        ways += [f"{same}{_open(at)}{each}{others}" for each in _others(at, amount, above=above)]
        same += _open(at) + (f"{amount}{_UNITS[at]}" if amount else "")
    ways += [f"{same}{each}" for each in _seconds(rest, bound.microseconds, above, included)]
    return f"(?:{'|'.join(ways)})"


def _open(at: int) -> str:
    return "T?" if at == 2 else ""


def _tail(at: int) -> str:
    """Return the expression of any amounts from a unit on."""
    return "".join(_open(place) + _AMOUNTS[place] for place in range(at, len(_AMOUNTS)))


def _others(at: int, amount: int, *, above: bool) -> list[str]:
    """Return the expressions of the amounts of a unit above or below one."""
    unit, most = _UNITS[at], _MOST[at]
    if above:
        if most is None:
            return [more_than(amount) + unit]
        values = range(amount + 1, most + 1)
    elif most is None:
        return ["", less_than(amount) + unit] if amount > 1 else [""] if amount else []
    else:
        values = range(1, amount)
    found = [f"(?:{'|'.join(map(str, values))}){unit}"] if values else []
    return found + ([""] if amount and not above else [])


def _seconds(amount: int, micros: int, above: bool, included: bool) -> list[str]:
    """Return the expressions of seconds, with their fraction, above or below some."""
    part = f"{micros:06}".rstrip("0")
    if above:
        after = fraction_after(part, included=included)
        found = [f"{amount}{after}S"]
        found += (
            [rf"(?:{'|'.join(map(str, range(amount + 1, 60)))})(?:\.[0-9]+)?S"]
            if amount < 59
            else []
        )
        return found + ([""] if included and not amount and not part else [])
    before = fraction_before(part, included=included)
    found = [] if before is None else [f"{amount}{before}S"]
    found += [rf"(?:{'|'.join(map(str, range(amount)))})(?:\.[0-9]+)?S"] if amount else []
    return found + ([""] if amount or part or included else [])


def _zone(given: Mapping[str, Any]) -> str:
    """Return the expression of an offset: a number of seconds asks for that one."""
    wanted = given.get("tz_constraint")
    if isinstance(wanted, int):
        if wanted % 60 or abs(wanted) >= 86_400:
            return OFFSET
        hours, minutes = divmod(abs(wanted) // 60, 60)
        found = f"[{'-' if wanted < 0 else '+'}]{hours:02}:{minutes:02}"
        return found if wanted else f"(?:[Zz]|{found})"
    return _ZONES[wanted]


def _written(moment: datetime) -> str:
    return moment.isoformat(timespec="microseconds")


def _compared(name: str, bound: datetime) -> str:
    if bound.tzinfo is None:
        return _within(name, _written(bound), f"{OFFSET}?")
    clock = _written(bound.replace(tzinfo=None))
    try:
        universal = _written(bound.astimezone(timezone.utc).replace(tzinfo=None))
    except OverflowError:
        return _within(name, clock, "")
    ways = (_within(name, clock, ""), _within(name, universal, "(?:[Zz]|[+]00:00)"))
    return whole(*(way[1:-1] for way in ways))


def _within(name: str, bound: str, end: str) -> str:
    """Return the pattern of texts on one side of another of fixed length, without its fraction.

    Args:
        name: Which side: `gt`, `ge`, `lt`, `le`.
        bound: Digits and what is between them, perhaps with a fraction.
        end: The expression of what may follow.
    """
    above, included = name in ("gt", "ge"), name in ("ge", "le")
    text, _, part = bound.partition(".")
    part = part.rstrip("0")
    timed = ":" in text
    fraction = r"(?:\.[0-9]+)?" if timed else ""
    ways = []
    for at, char in enumerate(text):
        if char.isdigit() and char != ("9" if above else "0"):
            digits = f"[{int(char) + 1}-9]" if above else f"[0-{int(char) - 1}]"
            ways.append(
                _generic(text[:at], "") + digits + _generic(text[at + 1 :], "[0-9]") + fraction
            )
    if not timed:
        last = "" if included else None
    elif above:
        last = fraction_after(part, included=included)
    else:
        last = fraction_before(part, included=included)
    if last is not None:
        ways.append(_generic(text, "") + last)
    return f"^(?:{'|'.join(ways)}){end}$" if ways else "^(?!)"


def _generic(text: str, digit: str) -> str:
    """Return a text as an expression, with any digits in the place of its own if one is given."""
    text = text.replace("T", "[Tt]")
    return re.sub(r"(?<!\[)[0-9]", digit, text) if digit else text
