"""Values that tell the branches of a ``oneOf`` apart: each belongs to one branch alone.

Values that are listed are looked up, so n branches of constants cost n steps. Sets that are not
listed (a pattern, a range, a type) are measured against all others, and may be few.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from formgate.plugins.json_schema._facts import ARRAY, OBJECT
from formgate.plugins.json_schema._spelled import Numerals

if TYPE_CHECKING:
    from collections.abc import Collection

    from formgate.plugins.json_schema._scalars import Scalars

__all__ = ["Tags"]

_COMPOSITE = ARRAY | OBJECT
_LISTED = 64  # numbers of a set that are looked up one by one
_UNLISTED = 16


class _Owners:
    """Which branch has which values of one kind."""

    def __init__(self) -> None:
        self._values: dict[Any, int] = {}
        self._unlisted: list[tuple[int, Any]] = []

    def add(self, place: int, given: Any, values: Collection[Any] | None) -> bool:
        """Take in a set of a branch; False if another one surely or perhaps has some of it.

        Args:
            place: The branch.
            given: Its numbers, or its strings.
            values: The same, one by one, if they are few.
        """
        if values is not None:
            return all(self._free(place, value) for value in values)
        if given.is_empty():
            return True
        if len(self._unlisted) >= _UNLISTED or any(
            owner != place and given.contains(value) for value, owner in self._values.items()
        ):
            return False
        for owner, other in self._unlisted:
            if owner != place and not (given & other).is_empty():
                return False
        self._unlisted.append((place, given))
        return True

    def _free(self, place: int, value: Any) -> bool:
        """Give a value to a branch; False if another one has it."""
        return self._values.setdefault(value, place) == place and not any(
            owner != place and other.contains(value) for owner, other in self._unlisted
        )


class Tags:
    """Which branch has which values of one member."""

    def __init__(self) -> None:
        self._kinds: dict[int, int] = {}
        self._strings = _Owners()
        self._numbers = _Owners()

    def add(self, place: int, kinds: int, scalars: Scalars) -> bool:
        """Take in what a branch has; False if another one surely or perhaps has some of it.

        Args:
            place: The branch.
            kinds: The kinds of values that it may have. Arrays and objects are not looked into: one
                branch may have them.
            scalars: Its scalars, or a superset.
        """
        bits, numbers, strings = scalars
        said = bits | (kinds & _COMPOSITE)
        while said:
            kind = said & -said
            said ^= kind
            if self._kinds.setdefault(kind, place) != place:
                return False
        if isinstance(numbers, Numerals):  # by value: at worst, too much seems to be shared
            numbers = numbers.digits | numbers.others
        return self._strings.add(place, strings, strings.values) and self._numbers.add(
            place, numbers, numbers.members(_LISTED)
        )
