"""Comparing two results files: which figures of an engine got worse.

Only cases measured in both files count. Totals are flagged beyond `threshold`; single cases, which
vary more, beyond `case_threshold` and only by at least a microsecond (a tenth of a millisecond for
compiling).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from benchmarks.statistics import counts_as_measured, figures, mean, percentile

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.statistics import Figures

CASE_FLOOR_NS = {"compile + first mask": 1e5, "mask mean": 1e3, "advance mean": 1e3}


@dataclass(frozen=True)
class Change:
    """One figure in both files, in nanoseconds; `case` is empty for totals."""

    session: str
    case: str
    metric: str
    before: float
    after: float
    flagged: bool

    @property
    def ratio(self) -> float:
        """After over before."""
        return self.after / self.before if self.before else float("inf")


def compare(
    base: dict[str, Any], new: dict[str, Any], *, threshold: float, case_threshold: float
) -> Iterator[Change]:
    """Yield the totals of every session found in both files, then the flagged single cases.

    A case that the base got right and the new file did not is flagged too, with figures of 0 and 1.
    """
    old_sessions = {_key(session): session for session in base["sessions"]}
    for session in new["sessions"]:
        old = old_sessions.get(_key(session))
        if old is not None:
            yield from _compare_sessions(old, session, threshold, case_threshold)


def _key(session: dict[str, Any]) -> str:
    return f"{session['vocabulary']} {session['mode']} {session['engine']}"


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
    lines = ["| session | case | figure | before µs | after µs | ratio | |"]
    lines.append("|---|---|---|---|---|---|---|")
    lines += [
        f"| {c.session} | {c.case} | {c.metric} | {c.before / 1e3:.3g} | {c.after / 1e3:.3g} "
        f"| {c.ratio:.2f} | {'worse' if c.flagged else ''} |"
        for c in changes
    ]
    return "\n".join(lines) + "\n"
