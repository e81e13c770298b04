"""Names that ask for others: where there is a member of one, there must be one of the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

__all__ = ["Asks", "left_of", "with_asked", "without_asking"]

Asks = tuple[tuple[str, str], ...]


def with_asked(required: dict[str, None], asks: Asks) -> dict[str, None]:
    """Return required names with all that they ask for, directly or not."""
    if not asks or not any(name in required and other not in required for name, other in asks):
        return required
    of_name: dict[str, list[str]] = {}
    for name, other in asks:
        of_name.setdefault(name, []).append(other)
    found = dict(required)
    work = list(required)
    while work:
        more = [other for other in of_name.get(work.pop(), ()) if other not in found]
        found.update(dict.fromkeys(more))
        work += more
    return found


def without_asking(absent: set[str], asks: Asks) -> set[str]:
    """Return names that are not there with all that ask for them, directly or not."""
    if not asks or not any(other in absent and name not in absent for name, other in asks):
        return absent
    of_other: dict[str, list[str]] = {}
    for name, other in asks:
        of_other.setdefault(other, []).append(name)
    found = set(absent)
    work = list(absent)
    while work:
        more = [name for name in of_other.get(work.pop(), ()) if name not in found]
        found.update(more)
        work += more
    return found


def left_of(asks: Asks, required: Collection[str], absent: Collection[str]) -> Asks:
    """Return what is asked for and not known to be there, by names that may be there or not."""
    if not asks or not (required or absent):
        return asks
    return tuple(
        (name, other)
        for name, other in asks
        if not (name in required or other in required or name in absent)
    )
