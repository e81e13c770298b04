"""Lists without repetition whose items are such lists: how many different ones there are."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import formgate
from formgate.core.errors import EmptyLanguageError, LimitError
from formgate.core.grammar import Limits


def unique(items: Any, **more: int) -> dict[str, Any]:
    return {"type": "array", "items": items, "uniqueItems": True} | more


def lists(count: int, low: int, high: int | None) -> int:
    """Count the lists of distinct items out of so many."""
    most = count if high is None else min(high, count)
    return sum(
        1 for size in range(low, most + 1) for _ in itertools.permutations(range(count), size)
    )


@pytest.fixture(scope="module")
def vocabulary() -> formgate.Vocabulary:
    return formgate.Vocabulary([*(bytes([byte]) for byte in range(256)), None], stop_ids=[256])


@settings(deadline=None)
@given(
    st.integers(2, 6),
    st.integers(0, 3),
    st.one_of(st.none(), st.integers(0, 6)),
    st.sampled_from([-1, 0, 1, 2, 30]),
)
def test_as_many_items_as_there_are_lists(
    vocabulary: formgate.Vocabulary,
    count: int,
    low: int,
    high: int | None,
    beyond: int,
) -> None:
    values = [str(i) if i % 2 else i for i in range(count)]
    bounds = {"minItems": low} | ({} if high is None else {"maxItems": high})
    different = 0 if high is not None and high < low else lists(count, low, high)
    least = max(different + beyond, 1)
    schema = unique(unique({"enum": values}, **bounds), minItems=least)
    try:
        formgate.compile(schema, vocabulary, format="json_schema")
    except LimitError:  # so many items of few values are refused
        return
    except EmptyLanguageError:
        assert least > different
    else:
        assert least <= different


@pytest.mark.parametrize("levels", [5, 8, 60])
def test_lists_of_lists_are_counted_without_listing_them(
    vocabulary: formgate.Vocabulary, levels: int
) -> None:
    schema: Any = {"type": "null"}
    for _ in range(levels):
        schema = unique(schema)
    engine = formgate.compile(schema, vocabulary, limits=Limits(max_states=2_000))
    assert engine.accepts("[[],[[]],[[],[[]]]]")
    assert not engine.accepts("[[],[[]],[[],[]]]")
    assert not engine.accepts("[[[]],[],[[ ] ]]")
