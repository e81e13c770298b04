"""Percentiles, merging of repeats, and masks compared by checksum."""

import copy
import math
import statistics

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from benchmarks.merge import merge_repeats
from benchmarks.statistics import figures, mask_differences, mean, percentile, shared_runs


def record(mask, *, compile_ns=100, digests=None):
    run = {
        "text": 0,
        "tokenisation": "bpe",
        "failure": None,
        "start_ns": 5,
        "mask_ns": list(mask),
        "advance_ns": [1] * (len(mask) - 1),
    }
    run |= {"warm_mask_ns": [1] * len(mask), "warm_advance_ns": [1] * (len(mask) - 1)}
    run |= {"loop_ns": 7, "digests": digests}
    return {"status": "ok", "compile_ns": compile_ns, "runs": [run]}


def session(case):
    return {"setup": {"setup_ms": 1.0}, "cases": {"c": case}, "restarts": 0, "rss_peak_mib": 1.0}


def test_percentile_is_the_nearest_rank():
    values = list(range(100, 0, -1))
    assert [percentile(values, share) for share in (0.5, 0.9, 0.99, 0.999, 1)] == [
        50,
        90,
        99,
        100,
        100,
    ]
    assert percentile([7], 0.01) == 7
    with pytest.raises(ValueError, match="no values"):
        percentile([], 0.5)


def test_figures_of_each_pass():
    case = record([10, 20, 30])
    case["runs"].append(record([2, 2])["runs"][0])
    first, everything, again = (figures([case], which) for which in ("first", "all", "again"))
    assert first.ttfm == everything.ttfm == [115]
    assert first.mask == [10, 20, 30]
    assert everything.mask == [10, 20, 30, 2, 2]
    assert again.mask == [1] * 5
    assert everything.step_mean == pytest.approx((64 + 3) / 5)
    assert everything.run_steps == [62 / 3, 2.5]
    assert again.loop_mean == pytest.approx(14 / 5)
    assert mean([1, 2]) == 1.5


def test_a_pair_is_the_first_output_and_the_same_in_another_spelling():
    case = record([10, 20])
    for text, how, mask in ((1, "bpe", [3]), (0, "greedy", [5]), (2, "bpe", [7])):
        case["runs"].append(record(mask)["runs"][0] | {"text": text, "tokenisation": how})
    assert figures([case], "pair").mask == [10, 20]  # results from before there were pairs
    for run, pair in zip(case["runs"], (True, True, False, False), strict=True):
        run["pair"] = pair
    assert figures([case], "pair").mask == [10, 20, 3]
    assert figures([case], "first").mask == [10, 20]
    assert len(figures([case], "all").mask) == 5


def test_repeats_keep_the_smallest_time_of_each_step():
    left, right = session(record([10, 2, 3])), session(record([1, 20, 4], compile_ns=50))
    merged = merge_repeats([left, right])
    assert merged["cases"]["c"]["runs"][0]["mask_ns"] == [1, 2, 3]
    assert merged["cases"]["c"]["compile_ns"] == 50


def test_repeats_that_disagree_keep_the_worst():
    wrong = {"status": "wrong", "error": "x", "runs": []}
    assert merge_repeats([session(record([1])), session(wrong)])["cases"]["c"] == wrong
    assert merge_repeats([session(wrong), session(record([1]))])["cases"]["c"] == wrong
    left, right = record([1, 1], digests=[5, 6]), record([1, 1], digests=[5, 7])
    merged = merge_repeats([session(copy.deepcopy(left)), session(right)])
    assert merged["cases"]["c"]["runs"][0]["digests"] is None


def test_masks_are_compared_step_by_step():
    left, right = record([1, 1], digests=[5, 6]), record([1, 1], digests=[5, 7])
    assert mask_differences(left, right) == (1, 2)
    assert mask_differences(left, {"status": "refused"}) == (0, 0)


@given(st.lists(st.integers(0, 10**9), min_size=1), st.sampled_from([0.5, 0.9, 0.99, 0.999, 1.0]))
def test_percentiles_and_means_are_those_of_numpy_and_statistics(values, share):
    # Ranks are found with floats in both; a share of exactly a rank may round either way.
    assume(abs(share * len(values) - round(share * len(values))) > 1e-9 or share in (0.5, 1.0))
    assert percentile(values, share) == np.percentile(values, 100 * share, method="inverted_cdf")
    assert mean(values) == pytest.approx(statistics.fmean(values))


def test_runs_not_replayed_again_are_left_out_of_that_pass():
    case = record([10, 20])
    for key in ("warm_mask_ns", "warm_advance_ns", "loop_ns", "digests"):
        del case["runs"][0][key]
    assert figures([case], "first").mask == [10, 20]
    again = figures([case], "again")
    assert again.mask == []
    assert math.isnan(mean(again.mask))
    assert math.isnan(again.step_mean)
    assert shared_runs(case, record([1, 1]), "again") is None
    both = shared_runs(case, record([1, 1]))
    assert both is not None
    assert figures([both[1]], "all").mask == [1, 1]


def test_both_clocks_are_summed():
    case = record([10, 20])
    case["runs"][0] |= {"wall_ns": 40, "cpu_ns": 60}
    assert figures([case], "all").clocks == (20, 30)
