"""Annotations written as text: what a module with postponed evaluation holds."""

from __future__ import annotations

import dataclasses
from typing import Generic, NamedTuple, TypeVar

from typing_extensions import NotRequired, Required, TypedDict

T = TypeVar("T")


@dataclasses.dataclass
class Tree:
    label: str
    children: list[Tree] = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Box(Generic[T]):
    value: T
    inner: Box[T] | None = None


@dataclasses.dataclass
class Boxes:
    numbers: Box[int]
    texts: Box[str]


@dataclasses.dataclass
class Grid(Generic[T]):
    rows: Box[list[T]]


@dataclasses.dataclass
class Growing(Generic[T]):
    value: T
    more: Growing[list[T]] | None = None


class Partial(TypedDict, total=False):
    must: Required[int]
    may: str


class Whole(TypedDict):
    must: int
    may: NotRequired[Whole]


class Point(NamedTuple):
    x: int
    y: int = 0


@dataclasses.dataclass
class Lost:
    gone: Nowhere  # noqa: F821 (the point of it)


def weather(place: str, days: int = 1, *, units: Units = "metric"):  # noqa: F821
    """A function whose annotations name nothing."""
