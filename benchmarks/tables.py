"""Markdown tables, and figures as people read them."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import TYPE_CHECKING

from benchmarks.statistics import mean, percentile

if TYPE_CHECKING:
    from collections.abc import Sequence

US = 1e3
MS = 1e6


def table(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table."""
    lines = ["| " + " | ".join(titles) + " |", "|" + "---|" * len(titles)]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines)


def number(value: float) -> str:
    """Return a figure with three digits at most, or with thousands marked; a dash for NaN."""
    if math.isnan(value):
        return "-"
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}" if value >= 1 else f"{value:.2f}"


def times(value: float) -> str:
    """Return how many times one figure is another: two digits, or whole; a dash for NaN."""
    if math.isnan(value):
        return "-"
    return f"{value:,.0f}" if value >= 99.5 else f"{Decimal(f'{value:.2g}'):f}"


def spread(values: Sequence[float], unit: float, shares: Sequence[float]) -> str:
    """Return mean, percentiles and maximum; a dash where there are no values."""
    if not values:
        return "-"
    numbers = [mean(values), *(percentile(values, share) for share in shares), max(values)]
    return " / ".join(number(value / unit) for value in numbers)
