"""Merging of repeated sessions: each step keeps its smallest time.

Repeats run in fresh processes with the same inputs in the same order, so a step's times differ only
by disturbance from outside, which can only add. A repeat that disagrees on a result is not merged
away: the worst status wins.
"""

from __future__ import annotations

from typing import Any

SEVERITY = ("ok", "refused", "timeout", "crash", "wrong")
SERIES = ("mask_ns", "advance_ns", "warm_mask_ns", "warm_advance_ns")
SCALARS = ("start_ns", "loop_ns", "wall_ns", "cpu_ns")


def merge_repeats(repeats: list[dict[str, Any]]) -> dict[str, Any]:
    """Return one session from several of the same job."""
    first, *others = repeats
    for other in others:
        for key, value in other["setup"].items():
            first["setup"][key] = min(first["setup"].get(key, value), value)
        for name, record in other["cases"].items():
            known = first["cases"].get(name)
            first["cases"][name] = record if known is None else _merge_case(known, record)
        first["restarts"] += other["restarts"]
        if "rss_peak_mib" in other:
            first["rss_peak_mib"] = max(first.get("rss_peak_mib", 0.0), other["rss_peak_mib"])
    return first


def _merge_case(left: dict[str, Any], right: dict[str, Any]) -> dict[str, Any]:
    if left["status"] != right["status"] or "runs" not in left:
        return max(left, right, key=lambda record: SEVERITY.index(record["status"]))
    for key in ("compile_ns", "read_ns"):
        if key in left and key in right:
            left[key] = min(left[key], right[key])
    left["rss_peak_mib"] = max(left.get("rss_peak_mib", 0.0), right.get("rss_peak_mib", 0.0))
    for mine, other in zip(left["runs"], right["runs"], strict=True):
        for key in SERIES:
            if key in mine and len(mine[key]) == len(other.get(key, ())):
                mine[key] = [min(pair) for pair in zip(mine[key], other[key], strict=True)]
        for key in SCALARS:
            if key in mine and key in other:
                mine[key] = min(mine[key], other[key])
        if mine.get("judged") and other.get("judged"):
            mine["judged"] = max(mine["judged"], other["judged"])  # most are contradicted
        mine["digests"] = mine.get("digests") if _same_digests(mine, other) else None
    return left


def _same_digests(left: dict[str, Any], right: dict[str, Any]) -> bool:
    return bool(left.get("digests") == right.get("digests"))
