"""What two sessions that are no replays are compared by.

Each measures several things, its parts, which have names and a status of their own.
"""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, Any

from benchmarks.device import DEVICE_PARTS
from benchmarks.other_report import added
from benchmarks.statistics import mean

if TYPE_CHECKING:
    from collections.abc import Iterator

    # By case, name and unit, which is nanoseconds or MiB.
    Figures = dict[tuple[str, str, str], float]


def parts_of(session: dict[str, Any]) -> dict[str, str]:
    """Return the status of each part of a session, by its name; nothing of starting up."""
    workload = session["workload"]
    if workload == "batch":
        return {_batch_name(batch): batch["status"] for batch in session["batches"]}
    if workload == "memory":
        points = {_point_name(point): "ok" for point in session["points"]}
        return {"all schemas": session["status"], **points}
    if workload == "device":
        return {name: record["status"] for name, record in _device_records(session)}
    cases = session.get("cases", {})
    found = {name: record.get("status", "ok") for name, record in cases.items()}
    if workload == "decoding":
        found |= {f"masks {mode}": "ok" for record in cases.values() for mode in record["modes"]}
    return found


def status_of(parts: dict[str, str], name: str) -> str | None:
    """Return the status of a part; None where it is not there.

    What fails before it has a name of its own, on a device, fails for all whose names go on.
    """
    if name in parts:
        return parts[name]
    whole = (status for short, status in parts.items() if name.startswith(f"{short},"))
    return next((status for status in whole if status != "ok"), None)


def lost_parts(old: dict[str, Any], new: dict[str, Any]) -> Iterator[str]:
    """Yield the parts of a session that the other has not at all.

    Of many schemas that is the last; how far one comes that ends before is another thing each time.
    """
    there = parts_of(new)
    names = list(parts_of(old))
    if old["workload"] == "memory":
        names = names[-1:] if old["status"] == "ok" else []
    yield from (name for name in names if status_of(there, name) is None)


def failed_parts(old: dict[str, Any], new: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield each part that was right, with what it is now: its status, or what is wrong with it."""
    there = parts_of(new)
    for name, status in parts_of(old).items():
        now = status_of(there, name)
        if status == "ok" and now not in (None, "ok"):
            yield name, f"no longer right ({now})"
    if old["workload"] == "memory":
        for point, now in _last_common(old, new):
            for what in ("refused", "wrong"):
                if now[what] > point[what]:
                    yield _point_name(point), f"{what}: {point[what]:g}, then {now[what]:g}"


def figures_of(old: dict[str, Any], new: dict[str, Any]) -> tuple[Figures, Figures]:
    """Return the figures of two sessions of a kind; those that both have can be compared."""
    if old["workload"] == "memory":
        pairs = list(_last_common(old, new))
        return (
            _memory(old, [point for point, _ in pairs]),
            _memory(new, [point for _, point in pairs]),
        )
    kinds = {"batch": _batches, "startup": _startup, "decoding": _decoding, "device": _device}
    find = kinds[old["workload"]]
    return find(old), find(new)


def _batch_name(batch: dict[str, Any]) -> str:
    return f"{batch['mix']}, {batch['threads']} threads"


def _point_name(point: dict[str, Any]) -> str:
    return f"after {point['schemas']} schemas"


def _last_common(
    old: dict[str, Any], new: dict[str, Any]
) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Yield the last point that both came to, in both; nothing where there is none."""
    later = {point["schemas"]: point for point in new["points"]}
    common = [point for point in old["points"] if point["schemas"] in later]
    if common:
        yield common[-1], later[common[-1]["schemas"]]


def _device_records(session: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for part in DEVICE_PARTS:
        for record in session[part]:
            names = [part, f"{record.get('rows', 0)} rows"]
            names += [record[key] for key in ("scores", "masks") if key in record]
            if "forward_ms" in record:
                names.append(f"{record['forward_ms']:g} ms")
            yield ", ".join(names), record


def _batches(session: dict[str, Any]) -> Figures:
    return {
        (_batch_name(batch), f"a row, {which}", "ns"): mean(batch[f"{which}_ns"]) / batch["rows"]
        for batch in session["batches"]
        if batch["status"] == "ok"
        for which in ("first", "again")
    }


def _memory(session: dict[str, Any], points: list[dict[str, Any]]) -> Figures:
    base = session["setup"]["rss_setup_mib"]
    found: Figures = {}
    for point in points:
        found["", _point_name(point), "MiB"] = point["rss_mib"] - base
        found["", f"at most, {_point_name(point)}", "MiB"] = point["peak_mib"] - base
    return found


def _decoding(session: dict[str, Any]) -> Figures:
    found: Figures = {}
    for name, record in session["cases"].items():
        if "compile_ns" in record:
            found[name, "compile", "ns"] = record["compile_ns"]
        for mode, series in record["modes"].items():
            if mode != "unmasked":
                found[name, f"mask + advance mean, {mode}", "ns"] = mean(added(series))
    return found


def _startup(session: dict[str, Any]) -> Figures:
    found: Figures = {}
    found["", "import", "ns"] = min(entry["cpu_ns"] for entry in session["imports"])
    walls = [entry["wall_ns"] for entry in session["imports"] if "wall_ns" in entry]
    if walls:
        found["", "import, wall", "ns"] = min(walls)
    found["", "vocabulary", "ns"] = 1e6 * min(s["setup_ms"] for s in session["setups"])
    return found


def _device(session: dict[str, Any]) -> Figures:
    found: Figures = {}
    for name, record in _device_records(session):
        if record["status"] != "ok":
            continue
        if "device_ns" in record:
            found[name, "on the device", "ns"] = record["device_ns"]
            found[name, "call", "ns"] = record["host_ns"]
        elif "again_ns" in record:
            found[name, "step with masks p50", "ns"] = median(record["again_ns"])
            found[name, "call p50", "ns"] = median(record["again_host_ns"])
        else:
            found[name, "token, constrained", "ns"] = min(record["masked_ns"])
    return found
