"""Random Python types, each with a strategy for values of it."""

# ruff: noqa: UP007, PYI061, ICN001 (types are written in all the ways there are)

from __future__ import annotations

import dataclasses
import datetime
import enum
import ipaddress
import keyword
import uuid
from typing import Annotated, Any, Literal, NamedTuple, Union

import annotated_types
import hypothesis.strategies as st
from typing_extensions import TypedDict

Typed = tuple[Any, st.SearchStrategy[Any]]  # an annotation and its values

_ZONES = st.sampled_from(
    [datetime.timezone(datetime.timedelta(minutes=minutes)) for minutes in (0, 90, -330, 1439)]
)
_TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
_DECIMALS = st.decimals(allow_nan=False, allow_infinity=False, places=3, min_value=-9, max_value=99)
NAMES = st.from_regex("[a-z]{1,3}", fullmatch=True).filter(lambda name: not keyword.iskeyword(name))


class Size(enum.Enum):
    SMALL = "small"
    TWO = 2
    HALF = 0.5
    NO = False


class Word(str, enum.Enum):
    A = "a"
    QUOTE = 'say "é"'


class Number(enum.IntEnum):
    ONE = 1
    BIG = 2**70


SCALARS: list[Typed] = [
    (str, _TEXTS),
    (int, st.integers()),
    (bool, st.booleans()),
    (type(None), st.none()),
    (float, st.floats(allow_nan=False, allow_infinity=False)),
    (uuid.UUID, st.uuids()),
    (datetime.date, st.dates()),
    (datetime.datetime, st.datetimes(timezones=_ZONES)),
    (datetime.time, st.times(timezones=_ZONES)),
    (ipaddress.IPv4Address, st.ip_addresses(v=4)),
    (ipaddress.IPv6Address, st.ip_addresses(v=6)),
    (Size, st.sampled_from(Size)),
    (Word, st.sampled_from(Word)),
    (Number, st.sampled_from(Number)),
    (Literal["x", 3, True, None], st.sampled_from(["x", 3, True, None])),
    (Annotated[int, annotated_types.Ge(3), annotated_types.Lt(2**64)], st.integers(3, 2**64 - 1)),
    (Annotated[int, annotated_types.MultipleOf(7)], st.integers().map(lambda n: 7 * n)),
    (Annotated[str, annotated_types.Len(1, 3)], st.text("aé", min_size=1, max_size=3)),
]
HASHABLE = [(kind, values) for kind, values in SCALARS if kind is not Size]
KEYS: list[Typed] = [
    (str, _TEXTS),
    (int, st.integers()),
    (Word, st.sampled_from(Word)),
    (Literal["p", "q"], st.sampled_from(["p", "q"])),
    (datetime.date, st.dates()),
    (uuid.UUID, st.uuids()),
]


@st.composite
def types(draw: st.DrawFn, depth: int = 3) -> Typed:
    """A type that JSON can write."""
    kind = draw(st.integers(0, 9)) if depth else 0
    if kind <= 1:
        return draw(st.sampled_from(SCALARS))
    return draw(_COMPOUND[kind % len(_COMPOUND)](depth - 1))


@st.composite
def _lists(draw: st.DrawFn, depth: int) -> Typed:
    item, values = draw(types(depth))
    return list[item], st.lists(values, max_size=3)


@st.composite
def _sets(draw: st.DrawFn, depth: int) -> Typed:
    item, values = draw(st.sampled_from(HASHABLE))
    made = draw(st.sampled_from([set, frozenset]))
    return made[item], st.sets(values, max_size=3).map(made)


@st.composite
def _tuples(draw: st.DrawFn, depth: int) -> Typed:
    if draw(st.booleans()):
        item, values = draw(types(depth))
        return tuple[item, ...], st.lists(values, max_size=3).map(tuple)
    parts = draw(st.lists(types(depth), min_size=1, max_size=3))
    return tuple[tuple(kind for kind, _ in parts)], st.tuples(*(values for _, values in parts))


@st.composite
def _dicts(draw: st.DrawFn, depth: int) -> Typed:
    key, names = draw(st.sampled_from(KEYS))
    value, values = draw(types(depth))
    return dict[key, value], st.dictionaries(names, values, max_size=3)


@st.composite
def _optionals(draw: st.DrawFn, depth: int) -> Typed:
    kind, values = draw(types(depth))
    return Union[kind, None], values | st.none()


@st.composite
def _dataclasses(draw: st.DrawFn, depth: int) -> Typed:
    names = draw(st.lists(NAMES, unique=True, max_size=3))
    fields, values = [], {}
    for name in names:
        kind, values[name] = draw(types(depth))
        fields.append((name, kind))
    if draw(st.booleans()):
        fields.append(("zz", int, dataclasses.field(default=5)))
        values["zz"] = st.just(5) | st.integers()
    made = dataclasses.make_dataclass("Record", fields)
    return made, st.builds(made, **values)


@st.composite
def _typed_dicts(draw: st.DrawFn, depth: int) -> Typed:
    names = draw(st.lists(NAMES, unique=True, max_size=3))
    parts = {name: draw(types(depth)) for name in names}
    total = draw(st.booleans())
    made = TypedDict("Members", {name: kind for name, (kind, _) in parts.items()}, total=total)
    values = {name: values for name, (_, values) in parts.items()}
    if total:
        return made, st.fixed_dictionaries(values)
    return made, st.fixed_dictionaries({}, optional=values)


@st.composite
def _named_tuples(draw: st.DrawFn, depth: int) -> Typed:
    names = draw(st.lists(NAMES, unique=True, min_size=1, max_size=3))
    parts = [draw(types(depth)) for _ in names]
    made = NamedTuple("Row", [(name, kind) for name, (kind, _) in zip(names, parts, strict=True)])
    return made, st.tuples(*(values for _, values in parts)).map(lambda row: made(*row))


_COMPOUND = [
    _lists,
    _dicts,
    _optionals,
    _dataclasses,
    _typed_dicts,
    _named_tuples,
    _tuples,
    _sets,
]

json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | _DECIMALS | st.text("aé1-", max_size=3),
    lambda parts: st.lists(parts, max_size=3) | st.dictionaries(NAMES, parts, max_size=3),
    max_leaves=5,
)


def mutated(value, other, source):
    """A value with one part replaced, removed or doubled."""
    if isinstance(value, dict) and value and source.random() < 0.8:
        name = source.choice(list(value))
        changed = dict(value)
        if source.random() < 0.2:
            del changed[name]
        elif source.random() < 0.1:
            changed["zzz"] = other
        else:
            changed[name] = mutated(value[name], other, source)
        return changed
    if isinstance(value, list) and value and source.random() < 0.8:
        at = source.randrange(len(value))
        if source.random() < 0.3:
            return value[:at] + value[at + source.randrange(2) :] + value[at:]
        return [*value[:at], mutated(value[at], other, source), *value[at + 1 :]]
    return other
