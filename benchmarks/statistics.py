"""Figures drawn from sessions: percentiles, and the series of each kind of replay.

`first` is the first output of each case, with nothing of its constraint seen before; `pair` is that
one and, right after it, the same written in another way; `all` is every output the first time it is
made; `again` is every output a second time.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

PASSES = {
    "first": "first output of each case",
    "pair": "first output in two spellings",
    "all": "all outputs, first time",
    "again": "all outputs, second time",
}


def percentile(values: Sequence[float], share: float) -> float:
    """Return the smallest value that at least `share` of the values do not exceed (nearest rank).

    Raises `ValueError` for an empty sequence.
    """
    if not values:
        raise ValueError("no values")
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def mean(values: Sequence[float]) -> float:
    """Return the arithmetic mean; NaN of nothing."""
    return sum(values) / len(values) if values else math.nan


@dataclass
class Figures:
    """The series of a set of cases: times in ns, per case, per step and per run."""

    cases: int = 0
    ttfm: list[float] = field(default_factory=list)
    compile: list[float] = field(default_factory=list)
    mask: list[float] = field(default_factory=list)
    advance: list[float] = field(default_factory=list)
    run_steps: list[float] = field(default_factory=list)
    loop: float = 0.0
    loop_steps: int = 0
    wall: float = 0.0
    cpu: float = 0.0

    @property
    def step_mean(self) -> float:
        """Mask plus advance, per mask."""
        return (sum(self.mask) + sum(self.advance)) / len(self.mask) if self.mask else math.nan

    @property
    def clocks(self) -> tuple[float, float]:
        """Mask plus advance, per mask: by the wall clock, and by the CPU clock."""
        count = len(self.mask) or math.nan
        return self.wall / count, self.cpu / count

    @property
    def loop_mean(self) -> float:
        """Mask plus advance in a loop without clocks, second time or later."""
        return self.loop / self.loop_steps if self.loop_steps else math.nan


def counts_as_measured(engine: str, record: dict[str, Any]) -> bool:
    """Tell whether a record's times may be used: only those of right answers.

    The trivial engine is the exception: it exists for its times.
    """
    return record["status"] == "ok" or (engine == "trivial" and "runs" in record)


def figures(records: Iterable[dict[str, Any]], which: str) -> Figures:
    """Collect the series of one pass over some case records that count as measured.

    Runs that were not replayed again, for their slowness, are left out of `again`.
    """
    result = Figures()
    prefix = "warm_" if which == "again" else ""
    for record in records:
        result.cases += 1
        runs = [run for run in record["runs"] if not run["failure"]]
        first = runs[0]
        result.compile.append(record["compile_ns"])
        result.ttfm.append(record["compile_ns"] + first["start_ns"] + first["mask_ns"][0])
        for run in _of_pass(runs, which):
            if f"{prefix}mask_ns" not in run:
                continue
            mask, advance = run[f"{prefix}mask_ns"], run[f"{prefix}advance_ns"]
            result.mask += mask
            result.advance += advance
            result.run_steps.append((sum(mask) + sum(advance)) / len(mask))
            result.wall += run.get("wall_ns", math.nan)
            result.cpu += run.get("cpu_ns", math.nan)
            if "loop_ns" in run:
                result.loop += run["loop_ns"]
                result.loop_steps += len(mask)
    return result


def _of_pass(runs: list[dict[str, Any]], which: str) -> list[dict[str, Any]]:
    """Return the runs of a pass; the first one of old results, which know no pairs, is alone."""
    if which == "first":
        return runs[:1]
    if which == "pair":
        return [run for run in runs if run.get("pair", run is runs[0])]
    return runs


def shared_runs(
    left: dict[str, Any], right: dict[str, Any], which: str = "all"
) -> tuple[dict[str, Any], dict[str, Any]] | None:
    """Return both records of a case with only the runs that both completed; None where none are.

    For the pass `again`, both must have replayed it again.
    """
    needed = "warm_mask_ns" if which == "again" else "mask_ns"
    both = _completed(left, needed) & _completed(right, needed)
    return (_only(left, both), _only(right, both)) if both else None


def run_key(run: dict[str, Any]) -> tuple[int, str]:
    """Return what tells an output from the others of its case."""
    return run["text"], run["tokenisation"]


def _completed(record: dict[str, Any], needed: str) -> set[tuple[int, str]]:
    return {run_key(run) for run in record["runs"] if not run["failure"] and needed in run}


def _only(record: dict[str, Any], keys: set[tuple[int, str]]) -> dict[str, Any]:
    return {**record, "runs": [run for run in record["runs"] if run_key(run) in keys]}


def mask_differences(record: dict[str, Any], reference: dict[str, Any]) -> tuple[int, int]:
    """Return how many masks of two records differ, and how many could be compared."""
    differing = compared = 0
    for mine, other in zip(record.get("runs", ()), reference.get("runs", ()), strict=False):
        if mine.get("digests") and other.get("digests"):
            pairs = list(zip(mine["digests"], other["digests"], strict=True))
            compared += len(pairs)
            differing += sum(left != right for left, right in pairs)
    return differing, compared


def masks_agree(left: dict[str, Any], right: dict[str, Any]) -> bool:
    """Tell whether no mask of two records differs, among those that could be compared."""
    return mask_differences(left, right)[0] == 0


def judged(record: dict[str, Any]) -> tuple[int, int]:
    """Return how many masks of a record the judge of JSON contradicts, and how many it saw."""
    found = [run["judged"] for run in record.get("runs", ()) if run.get("judged")]
    return sum(wrong for wrong, _ in found), sum(seen for _, seen in found)
