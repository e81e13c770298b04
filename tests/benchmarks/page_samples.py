"""Results as the suite would store them, and a page to publish them in."""

import functools
import re

from benchmarks import (
    results,
)

BLOCK = re.compile(r"^<!-- begin (\S+) (\S+) -->$", re.MULTILINE)


REPLAY_PARTS = (
    "headline",
    "coverage",
    "first",
    "all-outputs",
    "again",
    "ratios",
    "slowest",
    "cases",
)


def run(mask):
    steps = len(mask) - 1
    entry = {"text": 0, "tokenisation": "bpe", "failure": None, "start_ns": 5, "digests": [1, 2, 3]}
    entry |= {"mask_ns": list(mask), "advance_ns": [1] * steps, "wall_ns": 9, "cpu_ns": 9}
    return entry | {"warm_mask_ns": list(mask), "warm_advance_ns": [1] * steps, "loop_ns": 7}


def session(engine, factor):
    setup = dict.fromkeys(("import_ms", "setup_ms", "rss_base_mib", "rss_setup_mib"), 1.0)
    cases = {
        name: {
            "status": "ok",
            "compile_ns": factor * 10**6,
            "rss_peak_mib": 2.0,
            "runs": [run([factor * 1000, factor * 2000, factor * 3000])],
        }
        for name in ("one", "two")
    }
    names = {"workload": "replay", "kind": "regex", "mode": "shared", "vocabulary": "tekken"}
    rest = {"setup": setup, "versions": {engine: "1"}, "rss_peak_mib": 2.0, "cases": cases}
    return {**names, "engine": engine, **rest}


def replayed(form="regex"):
    case = {"kind": "regex", "format": form, "group": "g", "source": "", "common": True}
    content = results.new_results({}, {"repeat": 1}, ["run", "--kinds", "regex"])
    content["cases"] = {name: {**case, "same_masks": True} for name in ("one", "two")}
    content["sessions"] = [session("formgate", 1), session("llguidance-complete", 4)]
    content["sessions"][1]["cases"]["two"] |= {
        "status": "wrong",
        "error": "mask 1 | forbids",
        "runs": [],
    }
    return content


def batch():
    content = results.new_results({}, {})
    for engine, times in (("formgate", [1000]), ("xgrammar", [9000]), ("trivial", [100])):
        record = {"mix": "one", "threads": 1, "status": "ok", "rows": 2}
        record |= {f"{w}{c}_ns": times for w in ("first", "again") for c in ("", "_cpu")}
        content["sessions"].append(
            {
                "workload": "batch", "engine": engine, "vocabulary": "tekken",
                "versions": {}, "batches": [record],
            }
        )  # fmt: skip
    return content


def memory():
    content = results.new_results({}, {})
    for engine, grown in (("formgate", 10.0), ("xgrammar", 90.0)):
        points = [
            {
                "schemas": n,
                "rss_mib": grown,
                "peak_mib": grown,
                "own_cpu_s": 1,
                "refused": 0,
                "wrong": 0,
            }
            for n in (100, 1000)
        ]
        content["sessions"].append(
            {
                "workload": "memory", "engine": engine, "vocabulary": "tekken", "status": "ok",
                "versions": {}, "points": points, "setup": {"rss_setup_mib": 5.0},
            }
        )  # fmt: skip
    return content


def decoded():
    content = results.new_results({}, {})
    series = {name: [1000, 2000] for name in ("forward_ns", "mask_ns", "sample_ns", "advance_ns")}
    modes = (
        "unmasked",
        "copy alone",
        "lazy",
        "none ahead",
        "precompiled",
        "derived again",
        "derived from nothing",
    )
    record = {
        "tokens": [1, 2],
        "read_ns": 5,
        "compile_ns": 6,
        "modes": dict.fromkeys(modes, series),
    }
    case = {"group": "zip_code", "format": "regex", "common": True}
    content["cases"] = {"zip_code.regex": case, "tutor.regex": {**case, "group": "tutor"}}
    content["sessions"] = [
        {
            "workload": "decoding", "engine": "formgate", "vocabulary": "smollm2", "versions": {},
            "cases": dict.fromkeys(content["cases"], record),
        }
    ]  # fmt: skip
    return content


def started():
    content = results.new_results({}, {})
    times = {"wall_ns": 10**6, "cpu_ns": 10**6, "rss_mib": 1.0}
    content["sessions"] = [
        {
            "workload": "startup", "engine": "formgate", "vocabulary": "tekken", "versions": {},
            "imports": [times], "setups": [{"setup_ms": 1.0}],
            "setup": {"rss_setup_mib": 2.0, "rss_import_mib": 1.0},
        }
    ]  # fmt: skip
    return content


def of_entry(name):
    """Return replays as an entry of the plan would have them."""
    kind, vocabulary = name.split("-")
    content = replayed({"grammar": "gbnf", "schema": "json_schema"}.get(kind, "regex"))
    for case in content["cases"].values():
        case.update(kind=kind, group="json" if kind == "grammar" else "g")
    mode = "isolated" if kind == "grammar" else "shared"
    for part in content["sessions"]:
        part.update(kind=kind, vocabulary=vocabulary, mode=mode)
    return content


STORED = {
    **{
        f"{kind}-{vocabulary}": functools.partial(of_entry, f"{kind}-{vocabulary}")
        for kind in ("regex", "schema", "grammar")
        for vocabulary in ("tekken", "qwen")
    },
    "batch": batch,
    "startup": started,
    "memory": memory,
    "crossformat": decoded,
}


def page(folder, *blocks):
    text = "".join(
        f"# Page\n\n<!-- begin {block} -->\nold\n<!-- end -->\nkept\n" for block in blocks
    )
    (folder / "page.md").write_text(text, encoding="utf-8")
    return folder / "page.md"
