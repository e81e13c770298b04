"""Names that ask for others: where there is a member of one, there must be one of the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

__all__ = ["Asks", "left_of", "with_asked", "without_asking"]

Asks = tuple[tuple[str, str], ...]


def with_asked(required: dict[str, None], asks: Asks) -> dict[str, None]:
    """Return required names with all that they ask for, directly or not."""
    if not asks or not any(name in required and other not in required for name, other in asks):
        return required
    return _reached(required, asks)


def without_asking(absent: set[str], asks: Asks) -> set[str]:
    """Return names that are not there with all that ask for them, directly or not."""
    if not asks or not any(other in absent and name not in absent for name, other in asks):
        return absent
    return set(_reached(absent, [(other, name) for name, other in asks]))


def _reached(names: Iterable[str], pairs: Iterable[tuple[str, str]]) -> dict[str, None]:
    """Return names with all that pairs lead to from them, directly or not."""
    after: dict[str, list[str]] = {}
    for name, other in pairs:
        after.setdefault(name, []).append(other)
    found = dict.fromkeys(names)
    work = list(found)
    while work:
        more = [other for other in after.get(work.pop(), ()) if other not in found]
        found.update(dict.fromkeys(more))
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
