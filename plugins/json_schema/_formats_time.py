r"""Dates, times and durations: RFC 3339, sections 5.6 and 5.7 and appendix A.

Days go by month, 29 February by leap year. A second numbered 60 is a leap second, which falls at
the end of a day of UTC alone: the local time less its offset is 23:59. For ``Z`` that is one time.
Offsets in digits and times go together in 2,880 pairs, with a fraction of any length between: an
automaton of tens of thousands of states. What is written takes the 96 pairs of offsets that are
multiples of half an hour, as nearly all are that are in use; constants are compared with all pairs.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from formgate.plugins.json_schema._strings import StringSet

if TYPE_CHECKING:
    from formgate.core.grammar import GrammarBuilder, Node

__all__ = [
    "date",
    "duration",
    "every_date_time",
    "every_time",
    "looser_date_time",
    "looser_time",
    "write_date_time",
    "write_time",
]

_YEAR = r"\d{4}"
_LEAP_YEAR = (
    r"(?:\d\d(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)"  # 0000 is one too
)
_DATE = (
    rf"(?:{_YEAR}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\d|3[01])"
    r"|(?:0[469]|11)-(?:0[1-9]|[12]\d|30)|02-(?:0[1-9]|1\d|2[0-8]))"
    rf"|{_LEAP_YEAR}-02-29)"
)
_HOUR = r"(?:[01]\d|2[0-3])"
_OFFSET = rf"[+-]{_HOUR}:[0-5]\d"
_FRACTION = r"(?:\.\d+)?"
_MOST_TIMES = rf"{_HOUR}:[0-5]\d:[0-5]\d{_FRACTION}(?:[Zz]|{_OFFSET})|23:59:60{_FRACTION}[Zz]"
_LEAP = rf":60{_FRACTION}"
_ANY_TIME = rf"{_HOUR}:[0-5]\d:(?:[0-5]\d|60){_FRACTION}(?:[Zz]|{_OFFSET})"
_HALVES = (59, 29)


def _pairs(pairs: list[tuple[str, str]], between: str) -> str:
    """Return the alternatives of pairs of texts with something between them."""
    return "(?:" + "|".join(f"{first}{between}{second}" for first, second in pairs) + ")"


def _leap_seconds(before: str) -> StringSet:
    """Return what ends in a leap second with an offset in digits, after some text."""
    hours = [f"{hour:02}" for hour in range(24)]
    minutes = [f"{minute:02}" for minute in range(60)]
    # West of UTC: offset and time add up to 23:59.
    west_hours = _pairs(list(zip(hours, hours[::-1], strict=True)), rf":\d\d{_LEAP}-")
    west_minutes = _pairs(list(zip(minutes, minutes[::-1], strict=True)), rf"{_LEAP}-\d\d:")
    west = StringSet.pattern(rf"^{before}{west_hours}:\d\d$") & StringSet.pattern(
        rf"^{before}\d\d:{west_minutes}$"
    )
    # East of UTC: the time is the offset less a minute.
    east_hours = _pairs(list(zip(hours, hours, strict=True)), rf":\d\d{_LEAP}\+")
    east_minutes = _pairs(list(pairwise(minutes)), rf"{_LEAP}\+\d\d:")
    east = StringSet.pattern(rf"^{before}{east_hours}:\d\d$") & StringSet.pattern(
        rf"^{before}\d\d:{east_minutes}$"
    )
    next_hours = list(zip(hours, hours[1:] + hours[:1], strict=True))
    full_hour = _pairs(next_hours, rf":59{_LEAP}\+")
    return west | east | StringSet.pattern(rf"^{before}{full_hour}:00$")


def date() -> StringSet:
    """Return ``full-date``."""
    return StringSet.pattern(f"^{_DATE}$")


def write_time(builder: GrammarBuilder) -> Node:
    """Write ``full-time``, with leap seconds at offsets of half hours."""
    most = StringSet.pattern(f"^(?:{_MOST_TIMES})$").node(builder)
    second = StringSet.pattern(f"^{_LEAP}$").node(builder)
    hours = [builder.literal(f"{hour:02}") for hour in range(24)]
    west, east = builder.literal("-"), builder.literal("+")
    parts = [most]
    for minute in _HALVES:
        head = builder.seq(builder.literal(f":{minute}"), second)
        before = builder.seq(head, west)
        pairs = [
            builder.seq(hour, before, offset)
            for hour, offset in zip(hours, hours[::-1], strict=True)
        ]
        parts.append(builder.seq(builder.choice(*pairs), builder.literal(f":{59 - minute:02}")))
        after = builder.seq(head, east)
        later = hours[1:] + hours[:1] if minute == 59 else hours
        pairs = [
            builder.seq(hour, after, offset) for hour, offset in zip(hours, later, strict=True)
        ]
        ending = builder.literal(f":{(minute + 1) % 60:02}")
        parts.append(builder.seq(builder.choice(*pairs), ending))
    return builder.choice(*parts)


def write_date_time(builder: GrammarBuilder) -> Node:
    """Write ``date-time``, with leap seconds as ``write_time`` has them."""
    mark = builder.char_class([(84, 84), (116, 116)])
    return builder.seq(date().node(builder), mark, write_time(builder))


def every_time() -> StringSet:
    """Return ``full-time``."""
    return StringSet.pattern(f"^(?:{_MOST_TIMES})$") | _leap_seconds("")


def every_date_time() -> StringSet:
    """Return ``date-time``."""
    leap = StringSet.pattern(f"^{_DATE}[Tt]") & _leap_seconds("[^]{11}")
    return StringSet.pattern(f"^{_DATE}[Tt](?:{_MOST_TIMES})$") | leap


def looser_time() -> StringSet:
    """Return ``full-time`` with leap seconds at any time."""
    return StringSet.pattern(rf"^{_ANY_TIME}$")


def looser_date_time() -> StringSet:
    """Return ``date-time`` with leap seconds at any time."""
    return StringSet.pattern(rf"^{_DATE}[Tt]{_ANY_TIME}$")


def duration() -> StringSet:
    """Return ``duration`` of appendix A."""
    clock = r"T(?:\d+H(?:\d+M(?:\d+S)?)?|\d+M(?:\d+S)?|\d+S)"
    days = r"(?:\d+D|\d+M(?:\d+D)?|\d+Y(?:\d+M(?:\d+D)?)?)"
    return StringSet.pattern(rf"^P(?:{days}(?:{clock})?|{clock}|\d+W)$")
