"""The values of ``format``: which are known, and the sets of texts they stand for.

A format is a set of strings made of patterns and lengths, as a user could write it; so one
definition serves for compiling, for deciding about constants and for combining with the rest. The
patterns are in the modules beside this one, each with the standard it is taken from. What is
written comes from ``_formats_tables``, which is made of the definitions.

A few formats have no automaton of reasonable size. They are known by up to three sets: the texts
that surely conform, among which constants are looked for; those of them that are written; and all
that may conform, which are what a negated format leaves out. So nothing is ever let through that
should not be.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from string import ascii_letters, hexdigits
from typing import TYPE_CHECKING, cast

from formgate.plugins.json_schema._formats_stored import unpack
from formgate.plugins.json_schema._strings_record import Recorder

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from formgate.core.grammar import GrammarBuilder, Node
    from formgate.plugins.json_schema._formats_stored import Stored
    from formgate.plugins.json_schema._strings import StringSet
    from formgate.plugins.json_schema._strings_record import Program

__all__ = [
    "KNOWN",
    "apart",
    "defined_extent",
    "defined_format",
    "format_extent",
    "format_set",
    "has_format",
    "known_in_part",
    "recorded_format",
]

_FORMATS: Mapping[str, tuple[str, str]] = {
    "date": ("_formats_time", "date"),
    "date-time": ("_formats_time", "every_date_time"),
    "duration": ("_formats_time", "duration"),
    "email": ("_formats_net", "email"),
    "hostname": ("_formats_net", "hostname"),
    "idn-email": ("_formats_net", "idn_email"),
    "idn-hostname": ("_formats_idn", "idn_hostname"),
    "ipv4": ("_formats_net", "ipv4"),
    "ipv6": ("_formats_net", "ipv6"),
    "iri": ("_formats_uri", "iri"),
    "iri-reference": ("_formats_uri", "iri_reference"),
    "json-pointer": ("_formats_uri", "json_pointer"),
    "regex": ("_formats_regex", "any_text"),
    "relative-json-pointer": ("_formats_uri", "relative_json_pointer"),
    "time": ("_formats_time", "every_time"),
    "uri": ("_formats_uri", "uri"),
    "uri-reference": ("_formats_uri", "uri_reference"),
    "uri-template": ("_formats_uri", "uri_template"),
    "uuid": ("_formats_net", "uuid"),
}
# Where they differ from that: functions that write nodes, and all texts that may conform.
_WRITERS: Mapping[str, tuple[str, str]] = {
    "date-time": ("_formats_time", "write_date_time"),
    "regex": ("_formats_regex", "write_regex"),
    "time": ("_formats_time", "write_time"),
}
_LOOSE: Mapping[str, tuple[str, str]] = {
    "date-time": ("_formats_time", "looser_date_time"),
    "hostname": ("_formats_net", "looser_hostname"),
    "idn-hostname": ("_formats_idn", "any_text"),
    "time": ("_formats_time", "looser_time"),
}
# How long the texts are that those functions write.
_EXTENTS: Mapping[str, tuple[int, int | None]] = {
    "date-time": (20, None),
    "regex": (0, None),
    "time": (9, None),
}
KNOWN = frozenset(_FORMATS)
# A character that every text has that may conform, and all that such a text may have, where those
# are few: enough to see of many formats that no text has both.
_NEEDED: Mapping[str, str] = {
    "date": "-",
    "date-time": ":",
    "email": "@",
    "idn-email": "@",
    "ipv6": ":",
    "iri": ":",
    "time": ":",
    "uri": ":",
    "uuid": "-",
}
_DIGITS = "0123456789"
_ALPHABETS: Mapping[str, frozenset[str]] = {
    "date": frozenset(_DIGITS + "-"),
    "date-time": frozenset(_DIGITS + "-:.+TtZz"),
    "duration": frozenset(_DIGITS + "PYMWDTHS"),
    "hostname": frozenset(ascii_letters + _DIGITS + "-."),
    "ipv4": frozenset(_DIGITS + "."),
    "ipv6": frozenset(hexdigits + ":."),
    "time": frozenset(_DIGITS + "-:.+Zz"),
    "uuid": frozenset(hexdigits + "-"),
}


def _function(module: str, name: str) -> object:
    """Return a function of one of the modules beside this one."""
    return getattr(import_module(f"formgate.plugins.json_schema.{module}"), name)


@cache
def format_set(name: str, *, loose: bool = False) -> StringSet:
    """Return the texts that surely have a known format, or all that may."""
    place = _LOOSE.get(name, _FORMATS[name]) if loose else _FORMATS[name]
    return cast("Callable[[], StringSet]", _function(*place))()


def known_in_part(schema: object) -> list[str]:
    """Return the formats that a schema names of which some texts are not decided, sorted."""
    found = set()
    work = [schema]
    while work:
        part = work.pop()
        if isinstance(part, dict):
            name = part.get("format")
            if isinstance(name, str) and (name in _LOOSE or name == "regex"):
                found.add(name)
            work.extend(part.values())
        elif isinstance(part, (list, tuple)):
            work.extend(part)
    return sorted(found)


def apart(one: str, other: str) -> bool:
    """Say whether surely no text may have both of two known formats."""
    return any(
        needed in _NEEDED and _NEEDED[needed] not in _ALPHABETS.get(lacking, _NEEDED[needed])
        for needed, lacking in ((one, other), (other, one))
    )


def has_format(name: str, text: str, *, loose: bool) -> bool:
    """Say whether a text surely has a known format, or whether it may."""
    if name == "regex":
        from formgate.plugins.json_schema._ecma import is_strict_pattern  # noqa: PLC0415

        return is_strict_pattern(text)
    return format_set(name, loose=loose).contains(text)


def defined_extent(name: str) -> tuple[int, int | None]:
    """Return how long the texts of a format are, as written, by its definition."""
    return _EXTENTS[name] if name in _EXTENTS else format_set(name).extent()


def defined_format(name: str, *, loose: bool) -> tuple[Recorder, Node]:
    """Return what has the calls that write a format by its definition, and its node."""
    recorder = Recorder()
    builder = cast("GrammarBuilder", recorder)
    if name in _WRITERS and not loose:
        write = cast("Callable[[GrammarBuilder], Node]", _function(*_WRITERS[name]))
        return recorder, write(builder)
    return recorder, format_set(name, loose=loose).node(builder)


@cache
def _stored(name: str) -> Stored:
    """Return a format as it is stored."""
    from formgate.plugins.json_schema._formats_tables import TABLES  # noqa: PLC0415 (large)

    return unpack(TABLES[name])


def format_extent(name: str) -> tuple[int, int | None]:
    """Return how long the texts of a known format are at least and at most, as written."""
    stored = _stored(name)
    return stored.low, stored.high


@cache
def recorded_format(name: str, *, loose: bool) -> Program:
    """Return the calls that write a format, or what may have it."""
    if not loose or not (name in _LOOSE or name in _WRITERS):  # others are the same either way
        return _stored(name).program
    recorder, node = defined_format(name, loose=True)
    return recorder.program(node)
