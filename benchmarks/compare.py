"""Comparing two results files: which figures of an engine got worse.

Only cases measured in both files count. Totals are flagged beyond `threshold`; single cases, which
vary more, beyond `case_threshold` and only by at least a microsecond (a tenth of a millisecond for
compiling). Batches, starting up, memory and decoding are compared by the figures of their tables.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from benchmarks.other_report import added
from benchmarks.statistics import counts_as_measured, figures, mean, percentile

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.statistics import Figures

_WHERE = {"core", "niceness"}  # options that leave the work as it is
CASE_FLOOR_NS = {"compile + first mask": 1e5, "mask mean": 1e3, "advance mean": 1e3}


@dataclass(frozen=True)
class Change:
    """One figure in both files, in `unit`, which is nanoseconds or MiB; no `case` for totals."""

    session: str
    case: str
    metric: str
    before: float
    after: float
    flagged: bool
    unit: str = "ns"

    @property
    def ratio(self) -> float:
        """After over before."""
        return self.after / self.before if self.before else float("inf")


def compare(
    base: dict[str, Any], new: dict[str, Any], *, threshold: float, case_threshold: float
) -> Iterator[Change]:
    """Yield the totals of every session found in both files, and its flagged single cases.

    A case that the base got right and the new file did not is flagged too, with figures of 0 and 1.
    Raises `ValueError` where no session is in both.
    """
    old_sessions = {_key(session): session for session in base["sessions"]}
    if not any(_key(session) in old_sessions for session in new["sessions"]):
        raise ValueError("nothing to compare: no engine was measured in the same way in both files")
    for session in new["sessions"]:
        old = old_sessions.get(_key(session))
        if old is None:
            continue
        if session["workload"] == "replay":
            yield from _compare_sessions(old, session, threshold, case_threshold)
        else:
            yield from _compare_others(old, session, threshold)


def differences(base: dict[str, Any], new: dict[str, Any]) -> str:
    """Return in words what else differs between two files, nothing where nothing does.

    That is the processor, the options, and sessions that only the base has.
    """
    found = []
    if base["machine"]["cpu"] != new["machine"]["cpu"]:
        found.append(
            f"another processor: {base['machine']['cpu']}, then {new['machine']['cpu']}; "
            "times cannot be compared"
        )
    for name in sorted({*base["options"], *new["options"]} - _WHERE):
        before, after = base["options"].get(name), new["options"].get(name)
        if before != after:
            found.append(f"{name} {before}, then {after}")
    there = {_key(session) for session in new["sessions"]}
    missing = [key for key in map(_key, base["sessions"]) if key not in there]
    if missing:
        found.append(f"only in the first: {', '.join(missing)}")
    return "".join(f"Note: {note}.\n" for note in found)


def _key(session: dict[str, Any]) -> str:
    parts = [session["vocabulary"], session["workload"], session.get("kind"), session.get("mode")]
    return " ".join(part for part in [*parts, session["engine"]] if part)


def _compare_others(old: dict[str, Any], new: dict[str, Any], threshold: float) -> Iterator[Change]:
    after = _figures_of(new)
    for (case, metric, unit), before in _figures_of(old).items():
        found = after.get((case, metric, unit))
        if found is None:
            yield Change(_key(new), case, f"no longer right: {metric}", 0, 1, flagged=True)
        else:
            worse = found > threshold * before
            yield Change(_key(new), case, metric, before, found, flagged=worse, unit=unit)


def _figures_of(session: dict[str, Any]) -> dict[tuple[str, str, str], float]:
    """Return the figures of a session that is no replay, by case, name and unit."""
    found: dict[tuple[str, str, str], float] = {}
    for batch in session.get("batches", ()):
        if batch["status"] == "ok":
            case = f"{batch['mix']}, {batch['threads']} threads"
            for which in ("first", "again"):
                row = mean(batch[f"{which}_ns"]) / batch["rows"]
                found[case, f"a row, {which}", "ns"] = row
    if session["workload"] == "startup":
        least = min(entry["cpu_ns"] for entry in session["imports"])
        found["", "import", "ns"] = least
        found["", "vocabulary", "ns"] = 1e6 * min(s["setup_ms"] for s in session["setups"])
    if session["workload"] == "memory" and session["status"] == "ok":
        points, base = session["points"], session["setup"]["rss_setup_mib"]
        found["", f"after {points[-1]['schemas']} schemas", "MiB"] = points[-1]["rss_mib"] - base
        found["", "at most", "MiB"] = points[-1]["peak_mib"] - base
    if session["workload"] == "decoding":
        for name, record in session["cases"].items():
            for mode, series in record["modes"].items():
                if mode != "unmasked":
                    found[name, f"mask + advance mean, {mode}", "ns"] = mean(added(series))
    return found


def _compare_sessions(
    old: dict[str, Any], new: dict[str, Any], threshold: float, case_threshold: float
) -> Iterator[Change]:
    key = _key(new)
    names = []
    for name, record in new["cases"].items():
        known = old["cases"].get(name)
        if known is None or not counts_as_measured(old["engine"], known):
            continue
        if counts_as_measured(new["engine"], record):
            names.append(name)
        else:
            yield Change(key, name, f"no longer right ({record['status']})", 0, 1, flagged=True)
    if not names:
        return
    for which in ("first", "again"):
        left = _totals(figures((old["cases"][n] for n in names), which), which)
        right = _totals(figures((new["cases"][n] for n in names), which), which)
        for metric, before in left.items():
            after = right[metric]
            yield Change(key, "", metric, before, after, flagged=after > threshold * before)
    for name in names:
        left = _case_figures(figures([old["cases"][name]], "all"))
        right = _case_figures(figures([new["cases"][name]], "all"))
        for metric, before in left.items():
            worse = right[metric] > case_threshold * before
            if worse and right[metric] - before > CASE_FLOOR_NS[metric]:
                yield Change(key, name, metric, before, right[metric], flagged=True)


def _totals(figure: Figures, which: str) -> dict[str, float]:
    totals = {
        f"mask mean, {which}": mean(figure.mask),
        f"mask p99, {which}": percentile(figure.mask, 0.99),
        f"mask + advance mean, {which}": figure.step_mean,
    }
    if which == "first":
        totals["compile + first mask mean"] = mean(figure.ttfm)
        totals["compile + first mask p50"] = percentile(figure.ttfm, 0.5)
    return totals


def _case_figures(figure: Figures) -> dict[str, float]:
    return {
        "compile + first mask": figure.ttfm[0],
        "mask mean": mean(figure.mask),
        "advance mean": mean(figure.advance) if figure.advance else 0.0,
    }


def render(changes: list[Change]) -> str:
    """Return a Markdown table, flagged lines marked."""
    lines = ["| session | case | figure | before | after | ratio | |"]
    lines.append("|---|---|---|---|---|---|---|")
    for change in changes:
        size, unit = (1e3, "µs") if change.unit == "ns" else (1.0, change.unit)
        lines.append(
            f"| {change.session} | {change.case} | {change.metric} | {change.before / size:.3g} "
            f"{unit} | {change.after / size:.3g} {unit} | {change.ratio:.2f} "
            f"| {'worse' if change.flagged else ''} |"
        )
    return "\n".join(lines) + "\n"
