"""What counts as worse in sessions that are no replays, and in what is measured no more."""

import copy

import pytest

from benchmarks.compare import compare, differences, render

KERNEL = {"scores": "float32", "rows": 1, "masks": "most", "status": "ok"}
STEP = {"rows": 1, "status": "ok", "forward_ms": 4.0, "plain_ns": [9]}


def device():
    return {
        "workload": "device",
        "vocabulary": "v",
        "engine": "e",
        "kernels": [{**KERNEL, "device_ns": 10_000.0, "host_ns": 20_000.0}],
        "steps": [{**STEP, "again_ns": [90_000], "again_host_ns": [50_000]}],
        "decoding": [{"rows": 1, "status": "ok", "plain_ns": [10], "masked_ns": [70_000]}],
    }


def memory(*schemas, **last):
    points = [
        {"schemas": n, "rss_mib": 10.0 + n, "peak_mib": 20.0 + n, "refused": 2, "wrong": 0}
        for n in schemas
    ]
    points[-1].update(last)
    names = {"workload": "memory", "vocabulary": "v", "engine": "e", "status": "ok"}
    return {**names, "setup": {"rss_setup_mib": 10.0}, "points": points}


def batch(*mixes):
    filled = {"threads": 2, "status": "ok", "rows": 4, "first_ns": [8], "again_ns": [4]}
    names = {"workload": "batch", "vocabulary": "v", "engine": "e"}
    return {**names, "batches": [{"mix": mix, **filled} for mix in mixes]}


def replay(*outputs):
    runs = [
        {"text": text, "tokenisation": "bpe", "failure": None, "start_ns": 0, "loop_ns": 1,
         "mask_ns": [9, 9], "advance_ns": [1], "digests": [1, 2]}
        for text in outputs
    ]  # fmt: skip
    case = {"status": "ok", "compile_ns": 10**6, "runs": runs}
    names = {"workload": "replay", "vocabulary": "v", "kind": "regex", "mode": "shared"}
    return {**names, "engine": "e", "cases": {"c": case}}


def content(session):
    machine = {"cpu": "x", "load": [0.0]}
    return {"sessions": [session], "machine": machine, "options": {}, "command": ["run"]}


def changes(base, new):
    return list(compare(content(base), content(new), threshold=1.1, case_threshold=1.5))


def flagged(base, new):
    return [(change.case, change.metric) for change in changes(base, new) if change.flagged]


@pytest.mark.parametrize(
    ("part", "key", "where"),
    [
        ("kernels", "device_ns", ("kernels, 1 rows, float32, most", "on the device")),
        ("kernels", "host_ns", ("kernels, 1 rows, float32, most", "call")),
        ("steps", "again_ns", ("steps, 1 rows, 4 ms", "step with masks p50")),
        ("steps", "again_host_ns", ("steps, 1 rows, 4 ms", "call p50")),
        ("decoding", "masked_ns", ("decoding, 1 rows", "token, constrained")),
    ],
)
def test_what_a_device_takes_is_compared(part, key, where):
    assert flagged(device(), device()) == []
    new = device()
    value = new[part][0][key]
    new[part][0][key] = [3 * value[0]] if isinstance(value, list) else 3 * value
    assert flagged(device(), new) == [where]
    assert len(changes(device(), new)) == 5


def test_what_a_device_no_longer_does_is_worse():
    names = ["kernels, 1 rows, float32, most", "steps, 1 rows, 4 ms", "decoding, 1 rows"]
    for part, name in zip(("kernels", "steps", "decoding"), names, strict=True):
        new = device()
        new[part] = []
        assert flagged(device(), new) == [(name, "gone")]
        new[part] = [{"status": "crash", "error": "exit status 1", "rows": 1}]
        assert flagged(device(), new) == [(name, "no longer right (crash)")]
        new[part] = [{**device()[part][0], "status": "wrong", "error": "other scores"}]
        assert flagged(device(), new) == [(name, "no longer right (wrong)")]


def test_schemas_that_are_no_longer_right_are_worse():
    base = memory(50, 100)
    assert flagged(base, memory(50, 100)) == []
    assert flagged(base, memory(50, 100, wrong=3)) == [("after 100 schemas", "wrong: 0, then 3")]
    refused = memory(50, 100, refused=9)
    assert flagged(base, refused) == [("after 100 schemas", "refused: 2, then 9")]
    assert flagged(refused, base) == []
    crashed = {**memory(50, 100), "status": "crash"}
    assert flagged(base, crashed) == [("all schemas", "no longer right (crash)")]


def test_memory_is_compared_where_both_came_to():
    base, new = memory(50, 100, 150), memory(50, 100)
    assert flagged(base, new) == [("after 150 schemas", "gone")]
    found = {c.metric: (c.before, c.after) for c in changes(base, new) if c.unit}
    assert found == {
        "after 100 schemas": (100.0, 100.0),
        "at most, after 100 schemas": (110.0, 110.0),
    }
    assert flagged(new, base) == []
    assert flagged(memory(50), memory(100)) == [("after 50 schemas", "gone")]
    crashed = {**memory(50, 100), "status": "crash"}
    assert flagged(crashed, {**memory(50), "status": "crash"}) == []


def test_what_is_gone_was_not_wrong():
    assert flagged(batch("m", "n"), batch("m")) == [("n, 2 threads", "gone")]
    decoding = {"workload": "decoding", "vocabulary": "v", "engine": "e"}
    modes = {"unmasked": {}, "lazy": {"mask_ns": [3], "advance_ns": [1]}}
    both = {**decoding, "cases": {name: {"modes": copy.deepcopy(modes)} for name in "cd"}}
    one = {**decoding, "cases": {"c": {"modes": modes}}}
    assert flagged(both, one) == [("d", "gone")]
    less = {**decoding, "cases": {name: {"modes": {"unmasked": {}}} for name in "cd"}}
    assert flagged(both, less) == [("masks lazy", "gone")]


def test_outputs_and_sums_of_masks_that_are_gone_are_told():
    base, new = replay(0, 1, 2), replay(0)
    assert ("c (2 of 3 outputs)", "gone") in flagged(base, new)
    assert "c (2 of 3 outputs)" in differences(content(base), content(new))
    assert flagged(new, base) == []
    for run in new["cases"]["c"]["runs"]:
        del run["digests"]
    assert "masks of 1 case are summed up in the first only" in differences(
        content(replay(0)), content(new)
    )
    assert differences(content(new), content(replay(0))) == ""
    assert "| c (2 of 3 outputs) | gone |  |  |  | worse |" in render(changes(base, new))
