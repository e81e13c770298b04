"""Immutable records that cost nothing to import.

``dataclasses`` writes and compiles source for each class, and imports ``inspect``, which setting up
a vocabulary does without. What is loaded before the first compilation uses this instead.
"""

from __future__ import annotations

from typing import Any, NoReturn

__all__ = ["Record"]


class Record:
    """A value that is what its fields are, and does not change.

    A subclass has an ``__init__`` of its own, which sets all fields by ``_set``, once. Records of
    one class are equal if their fields are, and have a hash if their fields have.
    """

    def _set(self, **fields: object) -> None:
        """Set the fields, in the order in which they are shown."""
        self.__dict__.update(fields)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        """Refuse: raise ``AttributeError``."""
        raise AttributeError(f"cannot assign to {name!r}: {type(self).__name__} does not change")

    def __delattr__(self, name: str) -> NoReturn:
        """Refuse: raise ``AttributeError``."""
        raise AttributeError(f"cannot delete {name!r}: {type(self).__name__} does not change")

    def __eq__(self, other: object) -> bool:
        """Compare the fields of records of one class."""
        if type(other) is not type(self):
            return NotImplemented
        found: bool = self.__dict__ == other.__dict__
        return found

    def __hash__(self) -> int:
        """Return the hash of the fields."""
        values: tuple[Any, ...] = tuple(self.__dict__.values())
        return hash(values)

    def __repr__(self) -> str:
        """Return the call that makes an equal record."""
        fields = ", ".join(f"{name}={value!r}" for name, value in self.__dict__.items())
        return f"{type(self).__name__}({fields})"
