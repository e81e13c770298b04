"""Reading the members of a structural tag, with errors that name the place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from formgate.core.errors import GrammarError, UnsupportedConstraint

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "Place",
    "check_triggers",
    "count",
    "flag",
    "items",
    "member",
    "only",
    "string",
    "strings",
]

_MAX_COUNT = 2**31 - 1


class Place:
    """A JSON pointer (RFC 6901), grown with ``/``."""

    def __init__(self, pointer: str = "") -> None:
        self._pointer = pointer

    def __truediv__(self, key: str | int) -> Place:
        text = str(key).replace("~", "~0").replace("/", "~1")
        return Place(f"{self._pointer}/{text}")

    def __str__(self) -> str:
        return self._pointer or "the top"

    def error(self, message: str) -> GrammarError:
        """Return an error about what stands here."""
        return GrammarError(f"structural tag, at {self}: {message}")

    def unsupported(self, message: str, instead: str) -> UnsupportedConstraint:
        """Return an error about what stands here and cannot be enforced."""
        return UnsupportedConstraint(f"structural tag, at {self}: {message}", hint=instead)


def only(value: object, place: Place, known: tuple[str, ...]) -> None:
    """Refuse members that have no meaning: nothing is ignored in silence."""
    if not isinstance(value, dict):
        raise place.error(f"an object belongs here, not {type(value).__name__}")
    for key in value:
        if key not in known:
            raise place.error(f"{key!r:.60} has no meaning here; known are {', '.join(known)}")


def member(value: dict[str, Any], place: Place, key: str, kind: type | None = None) -> Any:
    """Return a member that must be there."""
    if key not in value:
        raise place.error(f"{key!r} is missing")
    if kind is not None and not isinstance(value[key], kind):
        raise (place / key).error(f"a {kind.__name__} belongs here, not {value[key]!r:.60}")
    return value[key]


def string(value: object, place: Place, key: str) -> str:
    """Return a member that is a text."""
    if not isinstance(value, dict):
        raise place.error(f"an object belongs here, not {type(value).__name__}")
    found: str = member(value, place, key, str)
    return found


def strings(value: dict[str, Any], place: Place, key: str, *, optional: bool = False) -> list[str]:
    """Return a list of texts, none of them empty."""
    if optional and value.get(key) is None:
        return []
    found = member(value, place, key, list)
    for index, each in enumerate(found):
        if not isinstance(each, str) or not each:
            raise (place / key / index).error(f"a text belongs here, not {each!r:.60}")
    if not found and not optional:
        raise (place / key).error("there must be at least one")
    return list(found)


def items(value: dict[str, Any], place: Place, key: str) -> list[tuple[dict[str, Any], Place]]:
    """Return a list of objects with their places."""
    found = []
    for index, each in enumerate(member(value, place, key, list)):
        at = place / key / index
        if not isinstance(each, dict):
            raise at.error(f"an object belongs here, not {type(each).__name__}")
        found.append((each, at))
    if not found and key != "elements":
        raise (place / key).error("there must be at least one")
    return found


def flag(value: dict[str, Any], place: Place, key: str, *, default: bool = False) -> bool:
    """Return a member that is true or false."""
    found = value.get(key, default)
    if not isinstance(found, bool):
        raise (place / key).error(f"true or false belongs here, not {found!r:.60}")
    return found


def count(value: dict[str, Any], place: Place, key: str, *, least: int) -> int:
    """Return a member that is a whole number."""
    found = member(value, place, key)
    if not isinstance(found, int) or isinstance(found, bool) or not least <= found <= _MAX_COUNT:
        raise (place / key).error(f"a whole number from {least} belongs here, not {found!r:.60}")
    return found


def check_triggers(triggers: Iterable[str], excludes: list[str], place: Place) -> None:
    """Refuse strings that can never be reached, since another is complete before.

    Raises:
        GrammarError: One contains another before its last character, or contains an excluded one.
    """
    given = list(dict.fromkeys(triggers))
    for text in given:
        for other in given:
            if other in text[:-1]:
                raise place.error(
                    f"{text!r:.60} can never be reached: {other!r:.60} is complete before it"
                )
        for other in excludes:
            if other in text:
                raise place.error(f"{text!r:.60} contains the excluded text {other!r:.60}")
