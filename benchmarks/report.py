"""Results as Markdown: coverage, speed, ratios on common ground, and case by case."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from benchmarks.engines import ENGINES
from benchmarks.grammar_report import grammar_tables
from benchmarks.grammar_report import number as _number
from benchmarks.statistics import (
    PASSES,
    Figures,
    counts_as_measured,
    figures,
    mask_differences,
    mean,
    percentile,
    shared_runs,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Metric = tuple[float, Callable[[Figures], float]]  # unit, and the figure drawn

US = 1e3
MS = 1e6
SLOWEST = 12

Session = dict[str, Any]
Sessions = dict[str, Session]


def render(results: dict[str, Any], *, ours: str = "formgate", reference: str | None = None) -> str:
    """Return the whole report. `reference` is the engine whose masks the others' are held against.

    It defaults to ours where it was measured, else to llguidance with complete masks.
    """
    parts = [_heading(results)]
    groups: dict[tuple[str, str], Sessions] = {}
    for session in results["sessions"]:
        key = session["vocabulary"], session["mode"]
        groups.setdefault(key, {})[session["engine"]] = session
    for (vocabulary, mode), sessions in groups.items():
        chosen = reference or (ours if ours in sessions else "llguidance-complete")
        parts.append(f"## {vocabulary}, {_MODES[mode]}")
        parts.append(_coverage(results, sessions, chosen))
        parts.append(_speed(sessions))
        if ours in sessions:
            parts += [
                _ratios(results, sessions, ours, rival)
                for rival in sessions
                if ENGINES[rival].rival
            ]
            parts.append(_slowest(sessions[ours], ours))
        parts.append(_by_case(results, sessions))
        for title, head, rows in grammar_tables(results, sessions):
            parts.append(f"{title}\n\n{_table(head, rows)}")
    return "\n\n".join(part for part in parts if part) + "\n"


_MODES = {
    "shared": "one process for all patterns",
    "isolated": "a fresh process for each pattern",
}


def _heading(results: dict[str, Any]) -> str:
    machine = results["machine"]
    versions: dict[str, str] = {}
    for session in results["sessions"]:
        versions.update(session["versions"])
    options = ", ".join(f"{key} {value}" for key, value in results["options"].items())
    return "\n\n".join(
        (
            f"# Benchmark of {results['date'][:10]}",
            (
                f"{machine['cpu']}, {machine['cores']} cores, cache {machine['cache']}, "
                f"{machine['memory_gib']} GiB; {machine['system']}, Python {machine['python']}; "
                f"load at the start {machine['load'][0]}."
            ),
            f"{len(results['cases'])} patterns; options: {options}.",
            "Versions: " + ", ".join(f"{k} {v}" for k, v in sorted(versions.items())) + ".",
        )
    )


def _coverage(results: dict[str, Any], sessions: Sessions, reference: str) -> str:
    rows = []
    for engine, session in sessions.items():
        records = session["cases"]
        count = dict.fromkeys(("ok", "refused", "wrong", "timeout", "crash"), 0)
        for record in records.values():
            count[record["status"]] += 1
        setup = session["setup"]
        rows.append(
            [
                engine,
                *(str(count[key]) for key in ("ok", "refused", "wrong")),
                str(count["timeout"] + count["crash"]),
                _differences(results, session, sessions.get(reference)),
                f"{setup['import_ms']:.0f}",
                f"{setup['setup_ms']:.0f}",
                _number(setup.get("first_compile_ms", math.nan)),
                f"{setup['rss_setup_mib'] - setup['rss_base_mib']:.0f}",
                f"{session.get('rss_peak_mib', math.nan) - setup['rss_base_mib']:.0f}",
            ]
        )
    titles = ["engine", "right", "refused", "wrong", "timeout or crash"]
    titles += [f"masks unlike {reference}", "import ms", "set-up ms", "first compile ms"]
    titles += ["set-up MiB", "peak MiB"]
    return _table(titles, rows)


def _differences(results: dict[str, Any], session: Session, reference: Session | None) -> str:
    if reference is None:
        return "-"
    differing = compared = 0
    for name, record in session["cases"].items():
        case = results["cases"][name]
        comparable = case["common"] and case.get("same_masks", True)
        if comparable and name in reference["cases"]:
            more, seen = mask_differences(record, reference["cases"][name])
            differing, compared = differing + more, compared + seen
    return f"{differing} of {compared}"


def _usable(session: Session) -> dict[str, dict[str, Any]]:
    engine = session["engine"]
    return {n: r for n, r in session["cases"].items() if counts_as_measured(engine, r)}


def _speed(sessions: Sessions) -> str:
    parts = []
    for which, meaning in PASSES.items():
        rows = []
        for engine, session in sessions.items():
            records = _usable(session)
            if records:
                rows.append([engine, *_speed_row(figures(records.values(), which), which)])
        titles = ["engine", "cases", "masks"]
        if which == "first":
            titles.append("compile + first mask ms: mean / p50 / p90 / p99 / max")
        titles.append("mask µs: mean / p50 / p90 / p99 / p99.9 / max")
        titles.append("advance µs: mean / p50 / p99 / max")
        titles.append("both, mean per token / per run µs")
        if which == "again":
            titles.append("both, loop without clocks µs")
        parts.append(f"Each engine on what it gets right: {meaning}.\n\n{_table(titles, rows)}")
    return "\n\n".join(parts)


def _speed_row(figure: Figures, which: str) -> list[str]:
    row = [str(figure.cases), str(len(figure.mask))]
    if which == "first":
        row.append(_spread(figure.ttfm, MS, (0.5, 0.9, 0.99)))
    row.append(_spread(figure.mask, US, (0.5, 0.9, 0.99, 0.999)))
    row.append(_spread(figure.advance, US, (0.5, 0.99)))
    row.append(f"{_number(figure.step_mean / US)} / {_number(mean(figure.run_steps) / US)}")
    if which == "again":
        row.append(_number(figure.loop_mean / US))
    return row


def _spread(values: Sequence[float], unit: float, shares: Sequence[float]) -> str:
    numbers = [mean(values), *(percentile(values, share) for share in shares), max(values)]
    return " / ".join(_number(number / unit) for number in numbers)


_METRICS: dict[str, Metric] = {
    "mask mean": (US, lambda f: mean(f.mask)),
    "mask p50": (US, lambda f: percentile(f.mask, 0.5)),
    "mask p90": (US, lambda f: percentile(f.mask, 0.9)),
    "mask p99": (US, lambda f: percentile(f.mask, 0.99)),
    "mask p99.9": (US, lambda f: percentile(f.mask, 0.999)),
    "mask max": (US, lambda f: max(f.mask)),
    "advance mean": (US, lambda f: mean(f.advance)),
    "advance p99": (US, lambda f: percentile(f.advance, 0.99)),
    "both, mean per token": (US, lambda f: f.step_mean),
    "both, mean per run": (US, lambda f: mean(f.run_steps)),
}
_COMPILE_METRICS: dict[str, Metric] = {
    "compile + first mask mean, ms": (MS, lambda f: mean(f.ttfm)),
    "compile + first mask p50, ms": (MS, lambda f: percentile(f.ttfm, 0.5)),
    "compile + first mask p99, ms": (MS, lambda f: percentile(f.ttfm, 0.99)),
}


def _ratios(results: dict[str, Any], sessions: Sessions, ours: str, rival: str) -> str:
    mine, theirs = _usable(sessions[ours]), _usable(sessions[rival])
    common = [n for n in mine if n in theirs and results["cases"][n]["common"]]
    if not common:
        return ""
    pairs = [shared_runs(mine[name], theirs[name]) for name in common]
    columns = {
        which: (figures((p[0] for p in pairs), which), figures((p[1] for p in pairs), which))
        for which in PASSES
    }
    rows = []
    for metric, (unit, take) in _COMPILE_METRICS.items():
        cells = [_against(take(columns["first"][0]), take(columns["first"][1]), unit), "", ""]
        rows.append([metric, *cells])
    for metric, (unit, take) in _METRICS.items():
        cells = [_against(take(left), take(right), unit) for left, right in columns.values()]
        rows.append([metric + ", µs", *cells])
    title = f"{ours} against {rival} on the {len(common)} patterns both get right: ours, theirs"
    return f"{title} (ratio).\n\n" + _table(["", *PASSES.values()], rows)


def _against(mine: float, theirs: float, unit: float) -> str:
    ratio = mine / theirs if theirs else math.inf
    return f"{_number(mine / unit)}, {_number(theirs / unit)} ({ratio:.2g})"


def _slowest(session: Session, engine: str) -> str:
    records = _usable(session)
    if not records:
        return ""
    one = {name: figures([record], "all") for name, record in records.items()}
    lists: dict[str, Metric] = {
        "compile + first mask, ms": (MS, lambda f: f.ttfm[0]),
        "mask mean, µs": (US, lambda f: mean(f.mask)),
        "slowest mask, µs": (US, lambda f: max(f.mask)),
        "slowest advance, µs": (US, lambda f: max(f.advance, default=0.0)),
    }
    rows = []
    for title, (unit, take) in lists.items():
        order = sorted(one, key=lambda name: -take(one[name]))[:SLOWEST]
        worst = ", ".join(f"{name} {_number(take(one[name]) / unit)}" for name in order)
        rows.append([title, worst])
    return f"Where {engine} is slowest.\n\n" + _table(["", "worst cases"], rows)


def _by_case(results: dict[str, Any], sessions: Sessions) -> str:
    engines = [name for name in sessions if name != "trivial"]
    rows = []
    for name, case in results["cases"].items():
        row = [name if case["common"] else f"{name} *"]
        for engine in engines:
            record = sessions[engine]["cases"].get(name)
            row.append("-" if record is None else _case_cell(engine, record))
        rows.append(row)
    note = (
        "Case by case: compile + first mask ms; mask mean, max µs over all outputs the first time. "
        "An asterisk marks patterns that engines read differently."
    )
    return f"{note}\n\n{_table(['pattern', *engines], rows)}"


def _case_cell(engine: str, record: dict[str, Any]) -> str:
    if not counts_as_measured(engine, record):
        return str(record["status"])
    figure = figures([record], "all")
    numbers = [figure.ttfm[0] / MS, mean(figure.mask) / US, max(figure.mask) / US]
    return f"{_number(numbers[0])}; {_number(numbers[1])}, {_number(numbers[2])}"


def _table(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(titles) + " |", "|" + "---|" * len(titles)]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines)
