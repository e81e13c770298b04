"""Where a value of Python's contains itself, as no value of JSON does; where it nests deepest."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["find_circle", "find_deepest"]


def find_circle(value: object) -> str | None:
    """Return a pointer to a list or dict that is also around itself, or None. Cost: linear."""
    steps: list[str] = []
    open_: list[tuple[int, Iterator[tuple[object, object]]]] = []
    around: set[int] = set()
    known: set[int] = set()  # what leads to no circle
    parts = _parts(value)
    if parts is not None:
        open_.append((id(value), parts))
        around.add(id(value))
    while open_:
        own, parts = open_[-1]
        for key, part in parts:
            inner = None if id(part) in known else _parts(part)
            if inner is None:
                continue
            steps.append(str(key).replace("~", "~0").replace("/", "~1"))
            if id(part) in around:
                return "#/" + "/".join(steps)
            open_.append((id(part), inner))
            around.add(id(part))
            break
        else:
            open_.pop()
            around.discard(own)
            known.add(own)
            if steps:
                steps.pop()
    return None


def find_deepest(value: object) -> list[str]:
    """Return the steps to the innermost list or dict of a value without circles. Cost: linear."""
    deepest: list[str] = []
    steps: list[str] = []
    open_ = [_parts(value) or iter(())]
    while open_:
        for key, part in open_[-1]:
            inner = _parts(part)
            if inner is None:
                continue
            steps.append(str(key).replace("~", "~0").replace("/", "~1"))
            if len(steps) > len(deepest):
                deepest = steps.copy()
            open_.append(inner)
            break
        else:
            open_.pop()
            if steps:
                steps.pop()
    return deepest


def _parts(value: object) -> Iterator[tuple[object, object]] | None:
    """Return the steps to the parts of a list or dict, None for other values."""
    if isinstance(value, dict):
        return iter(value.items())
    if isinstance(value, list | tuple):
        return iter(enumerate(value))
    return None
