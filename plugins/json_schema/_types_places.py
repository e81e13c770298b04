"""Where a part of a type stands, in words: `list, items, item 0`.

A long way is shown by its ends, so that an error about a deeply nested type stays a line.
"""

from __future__ import annotations

import re

__all__ = ["below"]

_SHOWN = 3  # steps at each end
_STEP = ", (?:items|values|keys|item [0-9]+)"
_LONG = re.compile(f"((?:{_STEP}){{{_SHOWN}}})(?:{_STEP}|, \\.\\.\\.)+((?:{_STEP}){{{_SHOWN}}})$")


def below(place: str, step: str) -> str:
    """Return the place of a part: `items`, `values`, `keys` or `item N` of what is at a place.

    Example:
        >>> below("list, items, items, items, ..., items, items, keys", "item 1")
        'list, items, items, items, ..., items, keys, item 1'
    """
    return _LONG.sub(r"\1, ...\2", f"{place}, {step}")
