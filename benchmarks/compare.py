"""Comparing two results files: which figures of an engine got worse.

Only cases measured in both files count. Totals are flagged beyond `threshold`; single cases, which
vary more, beyond `case_threshold` and only by at least a microsecond (a tenth of a millisecond for
compiling). Maxima, and percentiles that few values lie above, are single steps and held to
`case_threshold`, too. What is small grows by large ratios for nothing, so totals must have grown by
more than a floor as well, which is set where identical runs differ by that much. Batches, starting
up, memory, decoding and devices are compared by the figures of their tables.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from benchmarks.other_figures import failed_parts, figures_of, lost_parts
from benchmarks.plan import asked, without
from benchmarks.report import was_busy
from benchmarks.statistics import counts_as_measured, figures, judged, mean, percentile, run_key

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.statistics import Figures

_WHERE = {"core", "niceness"}  # options that leave the work as it is
# Options that say where it is measured, or what is done with the results.
_NOT_ASKED = ("--out", "--core", "--nice", "--compare", "--threshold", "--case-threshold")
_SHOWN = 5  # cases that are named
FEW = 10  # values above a percentile: with less, one step more or less is another figure
# What totals must grow by: means, percentiles and maxima, compiling, starting up; and memory.
MEAN_NS = 50.0
STEP_NS = 250.0
COMPILE_NS = 10e3
START_NS = 100e3
MEMORY_MIB = 0.5
CASE_FLOOR_NS = {"compile + first mask": 1e5, "mask mean": 1e3, "advance mean": 1e3}


@dataclass(frozen=True)
class Change:
    """One figure in both files, in `unit`, which is nanoseconds or MiB; no `case` for totals.

    What happened and has no size, such as a case that is gone, has no unit, and figures of 0 and 1.
    """

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


@dataclass(frozen=True)
class _Limits:
    """Beyond which ratios a figure is worse; and a factor of the floors."""

    total: float
    case: float
    floor: float

    def worse(self, before: float, after: float, floor: float, *, single: bool = False) -> bool:
        """Tell whether a total is; `single` for one that is of a few steps."""
        ratio = max(self.total, self.case) if single else self.total
        return after > ratio * before and after - before > self.floor * floor


def compare(
    base: dict[str, Any],
    new: dict[str, Any],
    *,
    threshold: float,
    case_threshold: float,
    floor: float = 0.0,
) -> Iterator[Change]:
    """Yield the totals of every session found in both files, and its flagged single cases.

    `floor` multiplies the growth below which totals are not flagged, whatever the ratio; 0 is none.
    A case that the base got right and the new file did not is flagged too, with figures of 0 and 1.
    So are sessions and cases that are gone from the new file though the same was asked for. Raises
    `ValueError` where no session is in both.
    """
    old_sessions = {_key(session): session for session in base["sessions"]}
    if not any(_key(session) in old_sessions for session in new["sessions"]):
        raise ValueError("nothing to compare: no engine was measured in the same way in both files")
    limits = _Limits(threshold, case_threshold, floor)
    if _same_selection(base, new):
        yield from (_event(key, case, "gone") for key, case in _gone(base, new))
    for session in new["sessions"]:
        old = old_sessions.get(_key(session))
        if old is None:
            continue
        if session["workload"] == "replay":
            yield from _compare_sessions(old, session, limits)
        else:
            yield from _compare_others(old, session, limits)


def differences(base: dict[str, Any], new: dict[str, Any]) -> str:
    """Return in words what else differs between two files, nothing where nothing does.

    That is whether they are complete, the processor, the options, and sessions and cases that only
    the base has.
    """
    found = [
        f"{which} is incomplete{': it was interrupted' if content.get('interrupted') else ''}"
        for which, content in (("the first", base), ("the second", new))
        if not content.get("complete", True)
    ]
    if base["machine"]["cpu"] != new["machine"]["cpu"]:
        found.append(
            f"another processor: {base['machine']['cpu']}, then {new['machine']['cpu']}; "
            "times cannot be compared"
        )
    found += [
        f"other programs kept the machine busy at the start of {which}: differences below 1.3 mean "
        "nothing there"
        for which, content in (("the first", base), ("the second", new))
        if was_busy(content)
    ]
    for name in sorted({*base["options"], *new["options"]} - _WHERE):
        before, after = base["options"].get(name), new["options"].get(name)
        if before != after:
            found.append(f"{name} {before}, then {after}")
    lost: dict[str, list[str]] = {}
    for key, case in _gone(base, new):
        lost.setdefault(key, []).append(case)
    missing = [key for key, cases in lost.items() if cases == [""]]
    if missing:
        found.append(f"only in the first: {', '.join(missing)}")
    for key, cases in lost.items():
        if key not in missing:
            shown = ", ".join(cases[:_SHOWN]) + (", ..." if len(cases) > _SHOWN else "")
            count = f"{len(cases)} case{'s' * (len(cases) != 1)}"
            found.append(f"{count} of {key} only in the first: {shown}")
    unsummed = _unsummed(base, new)
    if unsummed:
        words = f"{unsummed} case{'s' * (unsummed != 1)}"
        found.append(f"masks of {words} are summed up in the first only: changes would not show")
    return "".join(f"Note: {note}.\n" for note in found)


def _unsummed(base: dict[str, Any], new: dict[str, Any]) -> int:
    """Return how many cases have sums of their masks in the base alone."""
    newer = {_key(session): session for session in new["sessions"]}
    count = 0
    for session in base["sessions"]:
        cases = newer.get(_key(session), {}).get("cases", {})
        for name, record in session.get("cases", {}).items():
            before, after = ([run.get("digests") for run in one.get("runs", ())]
                             for one in (record, cases.get(name, {})))  # fmt: skip
            count += any(before) and bool(after) and not any(after)
    return count


def _gone(base: dict[str, Any], new: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield each session that only the base has, with no case, and each such case of the others."""
    newer = {_key(session): session for session in new["sessions"]}
    for session in base["sessions"]:
        key = _key(session)
        if key not in newer:
            yield key, ""
            continue
        yield from ((key, name) for name in lost_parts(session, newer[key]))
        if session["workload"] == "replay":
            yield from ((key, words) for words in _lost_outputs(session, newer[key]))


def _lost_outputs(old: dict[str, Any], new: dict[str, Any]) -> Iterator[str]:
    """Yield the cases that have fewer outputs, with how many are gone."""
    for name, record in old["cases"].items():
        now = new["cases"].get(name)
        if now is None or now["status"] != "ok":
            continue
        outputs = {run_key(run) for run in record.get("runs", ())}
        lost = outputs - {run_key(run) for run in now["runs"]}
        if lost:
            yield f"{name} ({len(lost)} of {len(outputs)} outputs)"


def _same_selection(base: dict[str, Any], new: dict[str, Any]) -> bool:
    """Tell whether both files were asked for the same. Those of old do not say what was asked."""
    if not base.get("command") or not new.get("command"):
        return False
    options = [
        {name: value for name, value in content["options"].items() if name not in _WHERE}
        for content in (base, new)
    ]
    return options[0] == options[1] and (
        asked(without(base["command"], _NOT_ASKED)) == asked(without(new["command"], _NOT_ASKED))
    )


def _event(session: str, case: str, what: str) -> Change:
    """Return what happened and has no size."""
    return Change(session, case, what, 0, 1, flagged=True, unit="")


def _key(session: dict[str, Any]) -> str:
    parts = [session["vocabulary"], session["workload"], session.get("kind"), session.get("mode")]
    return " ".join(part for part in [*parts, session["engine"]] if part)


def _compare_others(old: dict[str, Any], new: dict[str, Any], limits: _Limits) -> Iterator[Change]:
    for name, what in failed_parts(old, new):
        yield _event(_key(new), name, what)
    left, right = figures_of(old, new)
    for (case, metric, unit), before in left.items():
        after = right.get((case, metric, unit))
        if after is not None:
            worse = limits.worse(before, after, _floor(new["workload"], metric, unit))
            yield Change(_key(new), case, metric, before, after, flagged=worse, unit=unit)


def _floor(workload: str, metric: str, unit: str) -> float:
    if unit == "MiB":
        return MEMORY_MIB
    if workload == "startup":
        return START_NS
    if metric.startswith("compile"):
        return COMPILE_NS
    return STEP_NS if metric.startswith(("mask p", "mask max")) else MEAN_NS


def _compare_sessions(
    old: dict[str, Any], new: dict[str, Any], limits: _Limits
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
            yield _event(key, name, f"no longer right ({record['status']})")
        yield from (_event(key, name, what) for what in _masks(known, record))
    if not names:
        return
    yield from _processes(old, new, limits)
    for which in ("first", "again"):
        left, right = (
            _totals(figures((session["cases"][n] for n in names), which), which)
            for session in (old, new)
        )
        for metric in (metric for metric in left if metric in right):
            (before, _), (after, single) = left[metric], right[metric]
            worse = limits.worse(before, after, _floor("replay", metric, "ns"), single=single)
            yield Change(key, "", metric, before, after, flagged=worse)
    for name in names:
        yield from _cases(key, name, (old["cases"][name], new["cases"][name]), limits.case)


def _cases(
    key: str, name: str, records: tuple[dict[str, Any], dict[str, Any]], threshold: float
) -> Iterator[Change]:
    """Yield the figures of one case that got worse."""
    left, right = (_case_figures(figures([record], "all")) for record in records)
    for metric, before in left.items():
        worse = right[metric] > threshold * before
        if worse and right[metric] - before > CASE_FLOOR_NS[metric]:
            yield Change(key, name, metric, before, right[metric], flagged=True)


def _processes(old: dict[str, Any], new: dict[str, Any], limits: _Limits) -> Iterator[Change]:
    """Yield what one process each took."""
    for metric, unit in _OF_SESSIONS.items():
        before, after = (_of_session(session, metric) for session in (old, new))
        if before and after:
            least = MEMORY_MIB if unit == "MiB" else START_NS
            worse = limits.worse(before, after, least, single=True)
            yield Change(_key(new), "", metric, before, after, flagged=worse, unit=unit)


_OF_SESSIONS = {"set-up": "ns", "first compile": "ns", "memory, at most": "MiB"}


def _of_session(session: dict[str, Any], metric: str) -> float | None:
    setup = session.get("setup", {})
    if metric == "memory, at most":
        return session.get("rss_peak_mib")
    ms = setup.get("setup_ms" if metric == "set-up" else "first_compile_ms")
    return None if ms is None else 1e6 * ms


def _masks(old: dict[str, Any], new: dict[str, Any]) -> Iterator[str]:
    """Yield what is to be said of the masks of a case that are no longer as they were."""
    if _masks_changed(old, new):
        yield "other masks"
    if judged(new)[0] > judged(old)[0]:
        yield "masks allow what is no JSON"


def _masks_changed(old: dict[str, Any], new: dict[str, Any]) -> bool:
    """Say whether an engine's masks of a case are others than before, where both were summed up.

    One of the two is wrong then, though every text is accepted and refused rightly.
    """
    known = {run_key(run): run.get("digests") for run in old.get("runs", ())}
    for run in new.get("runs", ()):
        before = known.get(run_key(run))
        if before is not None and run.get("digests") is not None and before != run["digests"]:
            return True
    return False


def _totals(figure: Figures, which: str) -> dict[str, tuple[float, bool]]:
    """Return each figure, and whether it is of a few steps only."""
    if not figure.mask:
        return {}  # nothing was replayed again
    totals = {
        f"mask mean, {which}": (mean(figure.mask), False),
        f"mask p99, {which}": _rank(figure.mask, 0.99),
        f"mask p99.9, {which}": _rank(figure.mask, 0.999),
        f"mask max, {which}": (max(figure.mask), True),
        f"advance mean, {which}": (mean(figure.advance), False),
        f"mask + advance mean, {which}": (figure.step_mean, False),
    }
    if which == "first":
        totals["compile + first mask mean"] = mean(figure.ttfm), False
        totals["compile + first mask p50"] = _rank(figure.ttfm, 0.5)
        totals["compile + first mask p99"] = _rank(figure.ttfm, 0.99)
    return totals


def _rank(values: list[float], share: float) -> tuple[float, bool]:
    return percentile(values, share), len(values) * (1 - share) < FEW


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
        values = f"{change.before / size:.3g} {unit} | {change.after / size:.3g} {unit}"
        lines.append(
            f"| {change.session} | {change.case} | {change.metric} "
            f"| {f'{values} | {change.ratio:.2f}' if unit else ' |  | '} "
            f"| {'worse' if change.flagged else ''} |"
        )
    return "\n".join(lines) + "\n"
