"""Dates and times as pydantic reads them: strings with or without an offset, bounds included.

Bounds of dates and times compare digits from left to right, so they are patterns. Where the offset
of either side is not known pydantic compares what the clocks show; beside an aware bound, aware
texts are written in UTC.
"""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta, timezone
from typing import TYPE_CHECKING, Any

from formgate.plugins.json_schema._types_pydantic_numbers import fraction_after, fraction_before
from formgate.plugins.json_schema._types_pydantic_texts import CLOCK, NAIVE, OFFSET, whole

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["date_patterns", "date_time_patterns", "time_patterns"]

_SIDES = (("gt", True, False), ("ge", True, True), ("lt", False, False), ("le", False, True))
_ZONES = {"naive": "", "aware": OFFSET, None: f"{OFFSET}?"}


def date_patterns(given: Mapping[str, Any]) -> list[str]:
    """Return patterns of the dates that a core schema takes.

    Bounds about the present are about the day of this call: what is in the past stays there.
    """
    bounds = dict(given)
    today = datetime.now(timezone.utc).date(), date.today()  # noqa: DTZ011 (either, see below)
    now = given.get("now_op")
    found = ["^(?:[1-9]|0[1-9]|00[1-9]|000[1-9])"]  # no year zero; the format says the rest
    if now == "past":
        found.append(_within("lt", min(today).isoformat(), ""))
    elif now == "future":
        found.append(_within("gt", max(today).isoformat(), ""))
    found += [
        _within(name, bounds[name].isoformat(), "")
        for name, *_ in _SIDES
        if isinstance(bounds.get(name), date)
    ]
    return found


def date_time_patterns(given: Mapping[str, Any]) -> list[str]:
    """Return patterns of the dates with times that a core schema takes.

    What is in the past, or in the future, is so by a day, whatever the offset.
    """
    found = [f"^{NAIVE}{_zone(given)}$"]
    now = given.get("now_op")
    today = datetime.now(timezone.utc).date()
    if now in ("past", "future"):  # by the day, so that the pattern stays the same for one
        side = ("lt", today - timedelta(days=1)) if now == "past" else ("gt", today + timedelta(days=1))
        found.append(f"{_within(side[0], side[1].isoformat(), '')[:-1]}[Tt]")
    for name, *_ in _SIDES:
        bound = given.get(name)
        if isinstance(bound, datetime):
            found.append(_compared(name, bound))
    return found


def time_patterns(given: Mapping[str, Any]) -> list[str]:
    """Return patterns of the times that a core schema takes."""
    found = [f"^{CLOCK}{_zone(given)}$"]
    for name, *_ in _SIDES:
        bound = given.get(name)
        if isinstance(bound, time):
            text = bound.replace(tzinfo=None).isoformat()
            found.append(_within(name, text, f"{OFFSET}?" if bound.tzinfo is None else ""))
    return found


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
            ways.append(_generic(text[:at], "") + digits + _generic(text[at + 1 :], "[0-9]") + fraction)
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
