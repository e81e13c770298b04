"""The values of ``format``: which are known, and the sets of texts they stand for.

A format is a set of strings made of patterns and lengths, as a user could write it; so one
definition serves for compiling, for deciding about constants and for combining with the rest. The
patterns are in the modules beside this one, each with the standard it is taken from.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from formgate.plugins.json_schema._strings import StringSet

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["KNOWN", "check_format", "format_extent", "format_set"]


def _date() -> StringSet:
    return StringSet.pattern(r"^\d{4}-\d\d-\d\d$")


_FORMATS: Mapping[str, Callable[[], StringSet]] = {"date": _date}
KNOWN = frozenset(_FORMATS)


def check_format(name: str) -> bool:
    """Say whether a format is known.

    Raises:
        UnsupportedConstraint: It is known, and cannot be enforced exactly.
    """
    return name in KNOWN


@cache
def format_set(name: str) -> StringSet:
    """Return the texts of a known format."""
    return _FORMATS[name]()


def format_extent(name: str) -> tuple[int, int | None]:
    """Return how long the texts of a known format are at least and at most."""
    return 0, None
