"""Counts of what was checked, printed at the end of a run, so that documents can state them."""

from __future__ import annotations

COUNTS: dict[str, int] = {}


def record(name, count):
    """Add to the count of a search."""
    COUNTS[name] = COUNTS.get(name, 0) + count
