"""What counts as worse, for every workload."""

import copy

import pytest

from benchmarks.compare import compare, differences, render


def replay(mask=(1000, 2000, 3000), *, status="ok"):
    run = {"text": 0, "tokenisation": "bpe", "failure": None, "start_ns": 0}
    run |= {"mask_ns": list(mask), "advance_ns": [100] * (len(mask) - 1)}
    run |= {"warm_mask_ns": list(mask), "warm_advance_ns": [100] * (len(mask) - 1), "loop_ns": 1}
    case = {"status": status, "compile_ns": 10**6, "runs": [run]}
    names = {"workload": "replay", "vocabulary": "v", "kind": "regex", "mode": "shared"}
    return {**names, "engine": "e", "cases": {"c": case}}


OTHERS = {
    "batch": {
        "batches": [
            {"mix": "m", "threads": 2, "status": "ok", "rows": 4, "first_ns": [8], "again_ns": [4]}
        ]
    },
    "startup": {"imports": [{"cpu_ns": 5_000}], "setups": [{"setup_ms": 2.0}]},
    "memory": {
        "status": "ok",
        "setup": {"rss_setup_mib": 10.0},
        "points": [{"schemas": 50, "rss_mib": 12.0, "peak_mib": 20.0, "refused": 1, "wrong": 0}],
    },
    "decoding": {
        "cases": {"c": {"modes": {"unmasked": {}, "lazy": {"mask_ns": [3], "advance_ns": [1]}}}}
    },
}


def results(*sessions):
    return {"sessions": list(sessions)}


def other(workload):
    return {
        "workload": workload,
        "vocabulary": "v",
        "engine": "e",
        **copy.deepcopy(OTHERS[workload]),
    }


def flagged(base, new, threshold=1.1, floor=0.0):
    limits = {"threshold": threshold, "case_threshold": 1.5, "floor": floor}
    found = list(compare(results(base), results(new), **limits))
    return [(change.case, change.metric) for change in found if change.flagged]


def test_equal_results_flag_nothing():
    assert flagged(replay(), replay()) == []
    for workload in OTHERS:
        assert flagged(other(workload), other(workload)) == []


def test_only_what_grew_beyond_the_threshold_is_flagged():
    base, new = replay([10_000] * 3), replay([10_900] * 3)
    assert flagged(base, new) == []
    assert ("", "mask mean, first") in flagged(base, replay([11_200] * 3))
    assert flagged(replay([11_200] * 3), base) == []  # faster is never worse


def test_single_cases_need_a_microsecond():
    small = flagged(replay([100] * 3), replay([900] * 3))
    assert ("c", "mask mean") not in small
    assert ("c", "mask mean") in flagged(replay([1000] * 3), replay([2100] * 3))


@pytest.mark.parametrize(
    ("most", "rest", "worse"),
    [
        (300, 1040, set()),  # 140 ns more in the slowest fiftieth
        (335, 900, set()),  # a tick of the clock in each
        (300, 1900, {"mask p99"}),
        (400, 900, {"mask mean"}),
    ],
)
def test_noise_of_small_figures_is_not_flagged_and_growth_is(most, rest, worse):
    base, new = replay([300] * 1960 + [900] * 40), replay([most] * 1960 + [rest] * 40)
    found = {metric.partition(",")[0] for _, metric in flagged(base, new, floor=1.0)}
    assert worse <= found
    assert bool(worse) == bool(found)
    assert flagged(base, new) != []  # without a floor


def test_a_percentile_of_few_steps_is_held_to_what_single_cases_are():
    base = [1_000] * 90 + [50_000] * 10
    tail = {"mask p99", "mask p99.9", "mask max"}
    for last, expected in ((65_000, set()), (80_000, tail)):
        found = flagged(replay(base), replay([1_000] * 90 + [50_000] * 8 + [last] * 2), floor=1.0)
        metrics = {metric.partition(",")[0] for case, metric in found if not case}
        assert metrics & tail == expected
    many = [1_000] * 9_000 + [50_000] * 1_000
    slower = [1_000] * 9_000 + [60_000] * 1_000
    metrics = {metric.partition(",")[0] for _, metric in flagged(replay(many), replay(slower))}
    assert "mask p99" in metrics
    assert "mask max" not in metrics


@pytest.mark.parametrize(
    ("workload", "change"),
    [
        ("batch", lambda s: s["batches"][0].update(again_ns=[200])),
        ("startup", lambda s: s["imports"][0].update(cpu_ns=60_000)),
        ("memory", lambda s: s["points"][0].update(rss_mib=12.4)),
        ("decoding", lambda s: s["cases"]["c"]["modes"]["lazy"].update(mask_ns=[50])),
    ],
)
def test_other_workloads_have_floors(workload, change):
    new = other(workload)
    change(new)
    assert flagged(other(workload), new) != []
    assert flagged(other(workload), new, floor=1.0) == []
    assert flagged(other(workload), new, floor=0.01) != []


def test_a_busy_machine_is_noted():
    base, new = asked(replay()), asked(replay())
    assert differences(base, new) == ""
    new["machine"]["load"] = [4.0]
    assert "machine busy at the start of the second: differences below 1.3" in differences(
        base, new
    )


def test_cases_no_longer_right_are_flagged():
    assert flagged(replay(), replay(status="wrong")) == [("c", "no longer right (wrong)")]


def test_sessions_of_other_engines_or_kinds_are_not_compared():
    new = replay([10**6] * 3)
    new["kind"] = "schema"
    with pytest.raises(ValueError, match="nothing to compare"):
        list(compare(results(replay()), results(new), threshold=1, case_threshold=1))


@pytest.mark.parametrize(
    ("workload", "change", "worse"),
    [
        ("batch", lambda s: s["batches"][0].update(again_ns=[40]), "a row, again"),
        ("startup", lambda s: s["imports"].append({"cpu_ns": 1}), None),
        ("startup", lambda s: s["imports"][0].update(cpu_ns=6_000), "import"),
        ("startup", lambda s: s["setups"][0].update(setup_ms=3.0), "vocabulary"),
        ("memory", lambda s: s["points"][0].update(rss_mib=15.0), "after 50 schemas"),
        ("memory", lambda s: s["points"][0].update(peak_mib=50.0), "at most, after 50 schemas"),
        (
            "decoding",
            lambda s: s["cases"]["c"]["modes"]["lazy"].update(mask_ns=[30]),
            "mask + advance mean, lazy",
        ),
        (
            "batch",
            lambda s: s["batches"][0].update(status="wrong"),
            "no longer right (wrong)",
        ),
    ],
)
def test_other_workloads_are_compared_by_their_figures(workload, change, worse):
    new = other(workload)
    change(new)
    metrics = [metric for _, metric in flagged(other(workload), new)]
    assert (worse in metrics) if worse else metrics == []


def test_the_table_names_units_and_marks_what_is_worse():
    new = other("memory")
    new["points"][0]["rss_mib"] = 15.0
    changes = list(
        compare(results(other("memory")), results(new), threshold=1.1, case_threshold=1.5)
    )
    lines = render(changes).splitlines()
    assert "| v memory e |  | after 50 schemas | 2 MiB | 5 MiB | 2.50 | worse |" in lines
    assert "| v memory e |  | at most, after 50 schemas | 10 MiB | 10 MiB | 1.00 |  |" in lines


def test_events_have_no_figures_in_the_table():
    base = asked(replay(), {**replay(), "engine": "other"})
    changes = compare(base, asked(replay()), threshold=1.1, case_threshold=1.5)
    lines = render([change for change in changes if change.flagged]).splitlines()
    assert lines[2:] == ["| v replay regex shared other |  | gone |  |  |  | worse |"]


def test_other_masks_are_flagged_and_missing_cases_noted():
    base, new = replay(), replay()
    base["cases"]["c"]["runs"][0]["digests"] = [1, 2, 3]
    new["cases"]["c"]["runs"][0]["digests"] = [1, 2, 4]
    assert flagged(base, base) == []
    assert flagged(base, new) == [("c", "other masks")]
    new["cases"]["c"]["runs"][0]["digests"] = None
    assert flagged(base, new) == []
    about = {"machine": {"cpu": "x", "load": [0.0]}, "options": {}}
    base["cases"]["d"] = base["cases"]["c"]
    words = differences({**results(base), **about}, {**results(new), **about})
    assert "1 case of v replay regex shared e only in the first: d" in words


@pytest.mark.parametrize(
    ("metric", "setup", "peak"),
    [
        ("set-up", {"setup_ms": 150.0, "first_compile_ms": 50.0}, 100.0),
        ("first compile", {"setup_ms": 50.0, "first_compile_ms": 150.0}, 100.0),
        ("memory, at most", {"setup_ms": 50.0, "first_compile_ms": 50.0}, 300.0),
    ],
)
def test_what_a_process_takes_is_compared(metric, setup, peak):
    known = {"setup": {"setup_ms": 50.0, "first_compile_ms": 50.0}, "rss_peak_mib": 100.0}
    base, new = {**replay(), **known}, {**replay(), "setup": setup, "rss_peak_mib": peak}
    assert flagged(base, new) == [("", metric)]
    assert flagged(new, base) == []


def test_slow_imports_and_compiling_of_decoding_are_flagged():
    base, new = other("startup"), other("startup")
    base["imports"][0]["wall_ns"], new["imports"][0]["wall_ns"] = 6_000, 20_000
    assert flagged(base, new) == [("", "import, wall")]
    base, new = other("decoding"), other("decoding")
    base["cases"]["c"]["compile_ns"], new["cases"]["c"]["compile_ns"] = 1_000, 3_000
    assert flagged(base, new) == [("c", "compile")]


@pytest.mark.parametrize("which", ["advance_ns", "warm_advance_ns"])
def test_slower_advance_shows_in_the_totals(which):
    base, new = replay([50_000] * 9), replay([50_000] * 9)
    new["cases"]["c"]["runs"][0][which] = [500] * 8
    assert flagged(base, new) == [("", f"advance mean, {'again' if 'warm' in which else 'first'}")]


def test_what_was_not_replayed_again_has_no_totals_of_that():
    base, new = replay(), replay()
    del (
        new["cases"]["c"]["runs"][0]["warm_mask_ns"],
        new["cases"]["c"]["runs"][0]["warm_advance_ns"],
    )
    assert flagged(base, new) == []
    assert flagged(new, base) == []


def asked(*sessions, command="run --engines a,b --cases c,d --out x.json", **options):
    about = {"machine": {"cpu": "x", "load": [0.0]}, "options": options, "command": command.split()}
    return {**results(*copy.deepcopy(sessions)), **about}


def gone(base, new):
    found = compare(base, new, threshold=1.1, case_threshold=1.5)
    return [(c.session, c.case) for c in found if c.flagged and c.metric == "gone"]


@pytest.mark.parametrize(
    ("command", "options", "same"),
    [
        ("run --engines a,b --cases c,d --out x.json", {}, True),
        ("run --cases=d,c --out=y.json --engines b,a --core 1 --nice 5 --compare z", {}, True),
        ("run --engines a,b --cases c --out x.json", {}, False),
        ("run --engines a --cases c,d --out x.json", {}, False),
        ("run --engines a,b --cases c,d --isolate --out x.json", {}, False),
        ("run --engines a,b --cases c,d --out x.json", {"repeat": 3}, False),
        ("run --engines a,b --cases c,d --out x.json", {"core": 3}, True),
        ("", {}, False),  # of old
    ],
)
def test_what_is_gone_is_worse_where_the_same_was_asked_for(command, options, same):
    whole, other_one = replay(), {**replay(), "engine": "other"}
    whole["cases"]["d"] = whole["cases"]["c"]
    base = asked(whole, other_one)
    assert gone(base, base) == []
    new = asked(replay(), command=command, **options)
    lost = [("v replay regex shared e", "d"), ("v replay regex shared other", "")]
    assert gone(base, new) == (lost if same else [])
    words = differences(base, new)  # it is said in either case
    assert "only in the first: d" in words
    assert "only in the first: v replay regex shared other" in words
    assert gone(new, base) == []  # more is never worse
