"""Tables of masks on a device."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, Any

from benchmarks.tables import MS, US, number, table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MASKS = ("most", "fewest", "a text's", "write all")


def device_kernels(results: dict[str, Any]) -> str:
    """Return what masking costs the device, and the call the host."""
    found: dict[tuple[str, int, str], dict[str, dict[str, Any]]] = {}
    for session, record in _records(results, "kernels"):
        key = record["scores"], record["rows"], session["engine"]
        found.setdefault(key, {})[record["masks"]] = record
    rows = []
    for (scores, count, engine), by in sorted(found.items()):
        cells = [number(by[kind]["device_ns"] / US) if kind in by else "" for kind in MASKS]
        host = [record["host_ns"] for kind, record in by.items() if kind != "write all"]
        cells.append(number(median(host) / US) if host else "")
        rows.append([scores, str(count), engine, *cells])
    titles = ["scores", "rows", "engine", *(f"{kind} µs" for kind in MASKS), "call, host µs"]
    return _with_failures(results, "kernels", titles, rows)


def device_steps(results: dict[str, Any]) -> str:
    """Return what masks add to a step of a server."""
    rows = []
    for session, record in _records(results, "steps"):
        plain = _least(record["plain_ns"], len(record["again_ns"]))
        cells = [number(median(plain) / MS)]
        added = [ns - without for ns, without in zip(record["again_ns"], plain, strict=True)]
        cells.append(f"{_signed(median(added))} / {_signed(max(added))}")
        cells.append(number(median(record["again_host_ns"]) / US))
        rows.append((record["forward_ms"], record["rows"], session["engine"], cells))
    rows.sort(key=lambda row: (-row[0], row[1], row[2]))
    titles = ["forward pass ms", "rows", "engine", "step without masks ms"]
    titles += ["added by masks µs: p50 / max", "call, host µs"]
    lines = [[f"{forward:g}", str(count), engine, *cells] for forward, count, engine, cells in rows]
    return _with_failures(results, "steps", titles, lines)


def device_decoding(results: dict[str, Any]) -> str:
    """Return what a constraint costs inside transformers' own loop."""
    rows = []
    for session, record in _records(results, "decoding"):
        plain, masked = min(record["plain_ns"]), min(record["masked_ns"])
        cells = [number(plain / MS), number(masked / MS), f"{(masked / plain - 1) * 100:.1f}%"]
        rows.append([str(record["rows"]), session["engine"], *cells])
    rows.sort(key=lambda row: (int(row[0]), row[1]))
    titles = ["rows", "engine", "token, unconstrained ms", "token, constrained ms", "overhead"]
    return _with_failures(results, "decoding", titles, rows)


def device_name(results: dict[str, Any]) -> str:
    """Return on what device it was measured, for the front of a line; empty where on none."""
    names = dict.fromkeys(
        session["device"] for session in results["sessions"] if session["workload"] == "device"
    )
    return "".join(f"{name}; " for name in names)


def _records(
    results: dict[str, Any], part: str, *, failed: bool = False
) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Yield what was measured, or what was not, with its session."""
    for session in results["sessions"]:
        if session["workload"] == "device":
            for record in session[part]:
                if (record["status"] != "ok") is failed:
                    yield session, record


def _with_failures(
    results: dict[str, Any], part: str, titles: Sequence[str], rows: Sequence[Sequence[str]]
) -> str:
    failed = [
        f"{session['engine']}, {record.get('rows', '')} rows: {record['status']}: {record['error']}"
        for session, record in _records(results, part, failed=True)
    ]
    parts = [table(titles, rows)] if rows else []
    parts += ["Not measured: " + "; ".join(failed) + "."] if failed else []
    return "\n\n".join(parts)


def _least(turns: Sequence[int], steps: int) -> list[int]:
    """Return the least of each step, over turns that follow each other."""
    return [min(turns[step::steps]) for step in range(steps)]


def _signed(ns: float) -> str:
    return f"-{number(-ns / US)}" if ns < 0 else number(ns / US)
