"""Tables about grammars: what each case costs each engine, and how long outputs scale.

A grammar is read by one part and compiled by another; where an engine does these in two calls they
are shown apart.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benchmarks.agreement import contradiction, set_aside
from benchmarks.statistics import counts_as_measured, figures, mean
from benchmarks.tables import MS, US, number, spread

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.agreement import Aside

SCALING = "scaling"
REAL = "real"  # so many schemas that a row for each says nothing
# Where the time per token is looked at, and over how many tokens up to there.
MARKS = (500, 1000, 2000, 4000)
WINDOW = 100

Sessions = dict[str, dict[str, Any]]
Table = tuple[str, list[str], list[list[str]]]


def grammar_tables(results: dict[str, Any], sessions: Sessions) -> list[Table]:
    """Return title, head and rows of each table; none where no case is a grammar."""
    cases = {
        name: case
        for name, case in results["cases"].items()
        if case["format"] != "regex" and case["group"] != REAL
    }
    if not cases:
        return []
    tables = [_costs(cases, sessions, set_aside(results, sessions))]
    scaling = [name for name, case in cases.items() if case["group"] == SCALING]
    if scaling:
        tables.append(_scaling(scaling, sessions))
    return tables


def _costs(cases: dict[str, dict[str, Any]], sessions: Sessions, aside: Aside) -> Table:
    title = (
        "Grammar by grammar. Memory is the peak of the process over that after set-up: of this "
        "case alone in a fresh process for each, else of all up to it."
    )
    head = ["grammar", "engine", "reading ms", "compiling ms", "both + first mask ms"]
    head.append("mask µs, first time: mean / p50 / p99 / max")
    head += ["mask µs, second time: mean / p99 / max", "advance µs: mean / p99 / max", "MiB"]
    rows = []
    for name in cases:
        for engine, session in sessions.items():
            record = session["cases"].get(name)
            if record is None:
                continue
            row = [name, engine]
            if counts_as_measured(engine, record) and name not in aside[engine]:
                row += _cost_row(record, session["setup"]["rss_setup_mib"])
            else:
                differing = aside[engine].get(name)
                reason = contradiction(record, differing) if differing else ""
                row += [reason or str(record["status"])] + [""] * (len(head) - 3)
            rows.append(row)
    return title, head, rows


def _cost_row(record: dict[str, Any], setup_mib: float) -> list[str]:
    cold, warm = figures([record], "all"), figures([record], "again")
    read = record.get("read_ns")
    return [
        "-" if read is None else number(read / MS),
        number((record["compile_ns"] - (read or 0)) / MS),
        number(cold.ttfm[0] / MS),
        spread(cold.mask, US, (0.5, 0.99)),
        spread(warm.mask, US, (0.99,)),
        spread(cold.advance, US, (0.99,)),
        number(record["rss_peak_mib"] - setup_mib),
    ]


def _scaling(names: Sequence[str], sessions: Sessions) -> Table:
    """Return what tokens cost late in an output; of a wrong one, as far as it got."""
    title = (
        f"Mask and advance together, µs per token, as the mean of the {WINDOW} tokens up to each "
        "length; first time. An output that went wrong is shown as far as it went."
    )
    head = ["grammar", "engine", "result", *(f"{mark:,} tokens" for mark in MARKS), "in all, ms"]
    rows = []
    for name in names:
        for engine, session in sessions.items():
            record = session["cases"].get(name)
            if record is None:
                continue
            row = [name, engine, str(record["status"])]
            runs = record.get("runs")
            if runs:
                steps = _steps(runs[0])
                row += [_at(steps, mark) for mark in MARKS]
                row.append(number(sum(steps) / MS))
            else:
                row += [""] * (len(MARKS) + 1)
            rows.append(row)
    return title, head, rows


def _steps(run: dict[str, Any]) -> list[float]:
    """Return the time of each token: that of its mask and of its advance."""
    return [m + a for m, a in zip(run["mask_ns"], run["advance_ns"], strict=False)]


def _at(steps: Sequence[float], mark: int) -> str:
    if len(steps) < mark:
        return "-"
    return number(mean(steps[mark - WINDOW : mark]) / US)
