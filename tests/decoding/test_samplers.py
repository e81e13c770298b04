"""Samplers: their distribution, their cuts, and that they never choose what has no weight."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from formgate.core.decoding import Greedy, Multinomial
from formgate.core.decoding.samplers import _draw, _keep_top_k, _keep_top_p

INF = np.inf


def row_of(*values):
    return np.array(values, np.float32)


def softmax(row, temperature=1.0):
    scaled = row.astype(np.float64) / temperature
    weights = np.exp(scaled - scaled.max())
    return weights / weights.sum()


def frequencies(sampler, row, count=20_000):
    choose = sampler.start()
    return np.bincount([choose(row) for _ in range(count)], minlength=len(row)) / count


def test_greedy_takes_the_first_of_the_highest():
    assert Greedy().start()(row_of(1, 3, 3, 2)) == 1
    assert Multinomial(temperature=0).start()(row_of(1, 3, 3, 2)) == 1


@pytest.mark.parametrize("temperature", [0.5, 1.0, 4.0])
def test_draws_follow_the_distribution(temperature):
    row = row_of(0, 1, 2, -INF, 3, -1)
    found = frequencies(Multinomial(temperature=temperature, seed=0), row)
    assert found == pytest.approx(softmax(row, temperature), abs=0.015)
    assert found[3] == 0


def test_draws_from_a_large_row_follow_the_distribution():
    """Larger than what is summed at once, and no multiple of the block."""
    rng = np.random.default_rng(0)
    row = rng.normal(-9, 0.1, 5000).astype(np.float32)
    peaks = [0, 511, 512, 3000, 4607, 4608, 4999]
    row[peaks] = [1, 2, 3, 1, 2, 3, 2]
    row[700:900] = -INF
    found = frequencies(Multinomial(seed=1), row)
    expected = softmax(row)
    assert found[peaks] == pytest.approx(expected[peaks], abs=0.015)
    assert not found[700:900].any()
    assert found.sum() - found[peaks].sum() == pytest.approx(1 - expected[peaks].sum(), abs=0.015)


@given(
    weights=st.lists(st.sampled_from([0.0, 1e-30, 0.25, 1.0, 1e30]), min_size=1, max_size=40),
    repeats=st.sampled_from([1, 100]),
    uniform=st.one_of(
        st.floats(0, 1, exclude_max=True), st.sampled_from([0.0, np.nextafter(1.0, 0.0)])
    ),
)
def test_nothing_without_weight_is_ever_drawn(weights, repeats, uniform):
    array = np.tile(np.array(weights, np.float32), repeats)
    if array.any():
        index = _draw(array, uniform)
        assert array[index] > 0
        total, before = array.sum(dtype=np.float64), array[:index].sum(dtype=np.float64)
        slack = 1e-9 * total
        assert before - slack <= uniform * total <= before + array[index] + slack


@given(
    values=st.lists(st.integers(-5, 5), min_size=1, max_size=30),
    count=st.integers(1, 30),
)
def test_top_k_keeps_the_best_and_their_equals(values, count):
    weights = np.exp(row_of(*values))
    kept = weights.copy()
    if count < len(values):
        _keep_top_k(kept, count)
        threshold = sorted(values)[-count]
        assert [bool(w) for w in kept] == [value >= threshold for value in values]


@given(
    values=st.lists(st.integers(-8, 3), min_size=1, max_size=60),
    share=st.sampled_from([0.01, 0.3, 0.5, 0.9, 0.999]),
)
def test_top_p_keeps_the_smallest_set_that_is_heavy_enough(values, share):
    weights = np.exp(row_of(*values))
    kept = weights.copy()
    _keep_top_p(kept, share)
    order = sorted(range(len(values)), key=lambda i: (-weights[i], i))
    total, mass, expected = weights.sum(dtype=np.float64), 0.0, set()
    for index in order:
        expected.add(index)
        mass += float(weights[index])
        if mass >= share * total * (1 - 1e-12):
            break
    found = set(np.flatnonzero(kept).tolist())
    # Within rounding of the border one entry may go either way.
    assert len(found ^ expected) <= (abs(mass - share * total) < 1e-5 * total)
    assert all(kept[index] == weights[index] for index in found)


def test_top_k_and_top_p_limit_what_is_drawn():
    row = row_of(5, 4, 3, 2, 1, 0)
    assert set(np.flatnonzero(frequencies(Multinomial(top_k=2, seed=0), row, 500))) == {0, 1}
    assert set(np.flatnonzero(frequencies(Multinomial(top_p=0.6, seed=0), row, 500))) == {0}
    assert set(np.flatnonzero(frequencies(Multinomial(top_p=0.7, seed=0), row, 500))) == {0, 1}
    both = Multinomial(top_k=3, top_p=0.99, seed=0)
    assert set(np.flatnonzero(frequencies(both, row, 2000))) == {0, 1, 2}
    assert set(np.flatnonzero(frequencies(Multinomial(top_k=99, seed=0), row, 9))) <= set(range(6))


def test_every_decode_starts_from_the_seed_again():
    sampler, row = Multinomial(seed=7), row_of(*range(10)) / 9
    first, second = sampler.start(), sampler.start()
    draws = [first(row) for _ in range(50)]
    assert draws == [second(row) for _ in range(50)]
    assert len(set(draws)) > 3
    other = Multinomial(seed=8).start()
    assert draws != [other(row) for _ in range(50)]


def test_without_a_seed_decodes_differ():
    row = row_of(*range(10)) / 9
    first, second = Multinomial().start(), Multinomial().start()
    assert [first(row) for _ in range(50)] != [second(row) for _ in range(50)]


def test_a_shift_or_gap_of_the_scores_changes_nothing():
    row = row_of(1, 2, -INF, 3)
    for other in (row + 500, row - 500):
        ours, theirs = Multinomial(seed=1).start(), Multinomial(seed=1).start()
        assert [ours(row) for _ in range(200)] == [theirs(other) for _ in range(200)]
    gathered, whole = Multinomial(seed=1).start(), Multinomial(seed=1).start()
    places = [0, 1, 3]
    assert [places[gathered(row[places])] for _ in range(200)] == [whole(row) for _ in range(200)]


def test_the_row_is_left_as_it_was():
    row = row_of(1, 2, -INF, 3)
    before = row.copy()
    for sampler in (Greedy(), Multinomial(seed=0), Multinomial(top_k=1, top_p=0.5, seed=0)):
        sampler.start()(row)
        assert (row == before).all()


@pytest.mark.parametrize(
    "row", [row_of(-INF, -INF), row_of(1, np.nan), row_of(np.nan), row_of(INF, 1)]
)
def test_unusable_rows_return_an_index_that_shows_it(row):
    for sampler in (Greedy(), Multinomial(seed=0), Multinomial(top_k=1, top_p=0.5, seed=0)):
        assert not np.isfinite(row[sampler.start()(row)])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"temperature": -1}, "temperature"),
        ({"temperature": INF}, "temperature"),
        ({"temperature": np.nan}, "temperature"),
        ({"top_k": -1}, "top_k"),
        ({"top_p": 0}, "top_p"),
        ({"top_p": 1.1}, "top_p"),
    ],
)
def test_arguments_out_of_range(options, message):
    with pytest.raises(ValueError, match=message):
        Multinomial(**options)
