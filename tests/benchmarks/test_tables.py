"""Figures as tables show them."""

import math

import pytest

from benchmarks.tables import number, times


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.00123, "0.0012"),
        (0.0996, "0.1"),
        (1.25, "1.2"),
        (28.4, "28"),
        (99.4, "99"),
        (99.5, "100"),
        (9.9e-5, "0.000099"),
        (math.nan, "-"),
        (117.2, "117"),
        (4e5, "400,000"),
    ],
)
def test_ratios_are_told_without_exponents(value, shown):
    assert times(value) == shown


@pytest.mark.parametrize(
    ("value", "shown"), [(math.nan, "-"), (0.123, "0.12"), (1.234, "1.23"), (12345.6, "12,346")]
)
def test_figures_have_three_digits_or_thousands(value, shown):
    assert number(value) == shown
