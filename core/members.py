"""Members of a JSON object, none of which may stand twice: readers disagree on which one counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["unique_members"]

_Value = TypeVar("_Value")


def unique_members(pairs: Sequence[tuple[str, _Value]]) -> dict[str, _Value]:
    """Make an object of its members: an ``object_pairs_hook`` of ``json``. Cost: linear.

    Raises:
        ValueError: A name stands twice; the message names it.
    """
    made = dict(pairs)
    if len(made) != len(pairs):
        seen: set[str] = set()
        for name, _ in pairs:
            if name in seen:
                raise ValueError(f"the name {name!r:.60} stands twice in one object")
            seen.add(name)
    return made
