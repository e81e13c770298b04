"""Results as Markdown: coverage, speed, ratios on common ground, and case by case."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, Any

from benchmarks.agreement import agreed, compared, contradiction, right, set_aside, usable
from benchmarks.engines import ENGINES
from benchmarks.grammar_report import grammar_tables
from benchmarks.other_report import other_tables
from benchmarks.statistics import (
    PASSES,
    Figures,
    figures,
    judged,
    mask_differences,
    mean,
    percentile,
    shared_runs,
)
from benchmarks.tables import MS, US, number, spread, table, times

if TYPE_CHECKING:
    from collections.abc import Callable

    Metric = tuple[float, Callable[[Figures], float]]  # unit, and the figure drawn

SLOWEST = 12
BUSY = 1.6  # load; a measurement right before leaves 1
INCOMPLETE = "**Incomplete: the run was interrupted, or not every engine could be measured.**"
INTERRUPTED = "**Incomplete: the run was interrupted; here is what was finished.**"

Session = dict[str, Any]
Sessions = dict[str, Session]


def render(results: dict[str, Any], *, ours: str = "formgate", reference: str | None = None) -> str:
    """Return the whole report. `reference` is the engine whose masks the others' are held against.

    It defaults to ours where it was measured, else to llguidance with complete masks.
    """
    parts = [heading(results)]
    for (vocabulary, kind, mode), sessions in replays(results).items():
        chosen = reference or (ours if ours in sessions else "llguidance-complete")
        parts.append(f"## {vocabulary}, {kind}, {_MODES[mode]}")
        parts.append(coverage(results, sessions, chosen))
        parts.append(speed(results, sessions))
        if ours in sessions:
            parts += [
                ratios(results, sessions, ours, rival) for rival in sessions if ENGINES[rival].rival
            ]
            parts.append(slowest(results, sessions, ours))
        parts.append(by_case(results, sessions))
        for title, head, rows in grammar_tables(results, sessions):
            parts.append(f"{title}\n\n{table(head, rows)}")
    parts += other_tables(results)
    return "\n\n".join(part for part in parts if part) + "\n"


def replays(results: dict[str, Any]) -> dict[tuple[str, str, str], Sessions]:
    """Return the sessions of replays by engine, for each vocabulary, kind and mode."""
    groups: dict[tuple[str, str, str], Sessions] = {}
    for session in results["sessions"]:
        if session["workload"] == "replay":
            key = session["vocabulary"], session["kind"], session["mode"]
            groups.setdefault(key, {})[session["engine"]] = session
    return groups


_MODES = {
    "shared": "one process for all cases",
    "isolated": "a fresh process for each case",
}


def heading(results: dict[str, Any]) -> str:
    """Return where and with what the results were made."""
    options = ", ".join(f"{key} {value}" for key, value in results["options"].items())
    count = len(results["cases"])
    return "\n\n".join(
        (
            f"# Benchmark of {results['date'][:10]}",
            machine_line(results),
            f"{count} case{'s' * (count != 1)}; options: {options}.",
            *gaps(results),
            "Versions: " + versions_line(results) + ".",
        )
    )


def gaps(results: dict[str, Any]) -> list[str]:
    """Return in words that a run was not measured to its end, and which sessions were cut short."""
    if results.get("complete", True):
        return []
    if not results.get("interrupted"):
        return [INCOMPLETE]
    return [INTERRUPTED, *cut_short(results)]


def cut_short(results: dict[str, Any]) -> list[str]:
    """Return a line for each session that an interrupted run has only in part."""
    lines = []
    for session in results["sessions"]:
        if "interrupted" in session:
            cut = session["interrupted"]
            names = (session[key] for key in ("vocabulary", "kind", "mode", "engine"))
            lines.append(
                f"{' '.join(names)}: {cut['cases']} of {cut['of']} cases measured, "
                f"{cut['repeats']} of {results['options'].get('repeat', 1)} repeats to the end."
            )
    return lines


def machine_line(results: dict[str, Any]) -> str:
    """Return the machine in one line."""
    machine = results["machine"]
    return (
        f"{machine['cpu']}, {machine['cores']} cores, cache {machine['cache']}, "
        f"{machine['memory_gib']} GiB; {machine['system']}, Python {machine['python']}; "
        f"load at the start {machine['load'][0]}."
    )


def was_busy(results: dict[str, Any]) -> bool:
    """Tell whether other programs had much of the machine when the measurement began."""
    return bool(results["machine"]["load"][0] > BUSY)


def versions_line(results: dict[str, Any]) -> str:
    """Return the packages measured."""
    versions: dict[str, str] = {}
    for session in results["sessions"]:
        versions.update(session["versions"])
    return ", ".join(f"{name} {version}" for name, version in sorted(versions.items()))


def coverage(results: dict[str, Any], sessions: Sessions, reference: str) -> str:
    """Return what each engine gets right, and what setting it up costs."""
    aside = set_aside(results, sessions)
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
                str(count["ok"] - len(aside[engine])),
                *(str(count[key]) for key in ("refused", "wrong")),
                str(len(aside[engine])),
                str(count["timeout"] + count["crash"]),
                _differences(results, session, sessions.get(reference)),
                f"{setup['import_ms']:.0f}",
                f"{setup['setup_ms']:.0f}",
                number(setup.get("first_compile_ms", math.nan)),
                f"{setup['rss_setup_mib'] - setup['rss_base_mib']:.0f}",
                f"{session.get('rss_peak_mib', math.nan) - setup['rss_base_mib']:.0f}",
            ]
        )
    titles = ["engine", "right", "refused", "wrong", "masks contradicted", "timeout or crash"]
    titles += [f"masks unlike {reference}", "import ms", "set-up ms", "first compile ms"]
    titles += ["set-up MiB", "peak MiB"]
    return f"{table(titles, rows)}{_unconfirmed(results, sessions)}"


def _unconfirmed(results: dict[str, Any], sessions: Sessions) -> str:
    """Return in words that no masks were compared with another package's; nothing if some were."""
    summed: dict[str, set[str]] = {}
    for engine, session in sessions.items():
        spec = ENGINES[engine]
        if spec.comparable and spec.complete:
            with_masks = {
                name
                for name, record in session["cases"].items()
                if compared(results, name) and any(run.get("digests") for run in _runs(record))
            }
            summed.setdefault(spec.package, set()).update(with_masks)
    if any(one & other for one, other in itertools.combinations(summed.values(), 2)):
        return ""
    seen = sum(judged(r)[1] for s in sessions.values() for r in s["cases"].values())
    judge = f", and of {seen:,} masks a judge of JSON" if seen else ""
    return f"\n\nMasks are compared with nobody's here: only texts tell what is right{judge}."


def _runs(record: dict[str, Any]) -> list[dict[str, Any]]:
    runs: list[dict[str, Any]] = record.get("runs", [])
    return runs


def _differences(results: dict[str, Any], session: Session, reference: Session | None) -> str:
    if reference is None or not ENGINES[session["engine"]].comparable:
        return "-"
    differing = masks = 0
    for name, record in session["cases"].items():
        if compared(results, name) and name in reference["cases"]:
            more, seen = mask_differences(record, reference["cases"][name])
            differing, masks = differing + more, masks + seen
    return f"{differing} of {masks}"


def speed(results: dict[str, Any], sessions: Sessions) -> str:
    """Return a table for each pass: each engine on what it gets right."""
    return "\n\n".join(
        f"Each engine on what it gets right: {PASSES[which]}.\n\n"
        + speed_of(results, sessions, which)
        for which in passes_of(sessions)
    )


def passes_of(sessions: Sessions) -> list[str]:
    """Return the passes that say something of their own: without pairs, if there are none."""
    runs = (run for s in sessions.values() for case in usable(s).values() for run in case["runs"])
    paired_up = any(run.get("pair") and run["text"] for run in runs)
    return [which for which in PASSES if which != "pair" or paired_up]


def speed_of(results: dict[str, Any], sessions: Sessions, which: str) -> str:
    """Return the table of one pass, without the cases that are set aside for their masks."""
    aside = set_aside(results, sessions)
    rows = []
    for engine, session in sessions.items():
        records = right(session, aside)
        if records:
            rows.append([engine, *_speed_row(figures(records.values(), which), which)])
    titles = ["engine", "cases", "masks"]
    if which == "first":
        titles.append("compile + first mask ms: mean / p50 / p90 / p99 / max")
    titles.append("mask µs: mean / p50 / p90 / p99 / p99.9 / max")
    titles.append("advance µs: mean / p50 / p90 / p99 / p99.9 / max")
    titles.append("both, mean per token / per run µs")
    if which == "again":
        titles.append("both, loop without clocks µs")
    else:
        titles.append("both, wall / CPU µs")
    return table(titles, rows)


def _speed_row(figure: Figures, which: str) -> list[str]:
    row = [str(figure.cases), str(len(figure.mask))]
    if which == "first":
        row.append(spread(figure.ttfm, MS, (0.5, 0.9, 0.99)))
    row.append(spread(figure.mask, US, (0.5, 0.9, 0.99, 0.999)))
    row.append(spread(figure.advance, US, (0.5, 0.9, 0.99, 0.999)))
    row.append(f"{number(figure.step_mean / US)} / {number(mean(figure.run_steps) / US)}")
    if which == "again":
        row.append(number(figure.loop_mean / US))
    else:
        row.append(" / ".join(number(clock / US) for clock in figure.clocks))
    return row


METRICS: dict[str, Metric] = {
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
COMPILE_METRICS: dict[str, Metric] = {
    "compile + first mask mean, ms": (MS, lambda f: mean(f.ttfm)),
    "compile + first mask p50, ms": (MS, lambda f: percentile(f.ttfm, 0.5)),
    "compile + first mask p99, ms": (MS, lambda f: percentile(f.ttfm, 0.99)),
}


def _both_right(results: dict[str, Any], mine: Session, theirs: Session) -> list[str]:
    left, right = usable(mine), usable(theirs)
    return [
        name
        for name in left
        if name in right
        and results["cases"][name]["common"]
        and shared_runs(left[name], right[name]) is not None
    ]


def common_cases(results: dict[str, Any], mine: Session, theirs: Session) -> list[str]:
    """Return the cases that both get right and read alike, with a run that both completed.

    Cases of which they make different masks are none.
    """
    both = _both_right(results, mine, theirs)
    return [name for name in both if agreed(results, mine, theirs, name)]


def paired(mine: Session, theirs: Session, names: list[str], which: str) -> tuple[Figures, Figures]:
    """Return the figures of one pass of two sessions, over the runs that both completed."""
    pairs = [shared_runs(mine["cases"][n], theirs["cases"][n], which) for n in names]
    there = [pair for pair in pairs if pair is not None]
    return figures((p[0] for p in there), which), figures((p[1] for p in there), which)


def ratios(results: dict[str, Any], sessions: Sessions, ours: str, rival: str) -> str:
    """Return ours against one rival's, on common ground."""
    both = _both_right(results, sessions[ours], sessions[rival])
    names = common_cases(results, sessions[ours], sessions[rival])
    left_out = _left_out(
        [name for name in both if name not in names], sessions[ours], sessions[rival]
    )
    if not names:
        return f"{ours} against {rival}: no case to compare.{left_out}" if both else ""
    mine, theirs = sessions[ours], sessions[rival]
    passes = passes_of({ours: mine, rival: theirs})
    columns = {which: paired(mine, theirs, names, which) for which in passes}
    rows = []
    for metric, (unit, take) in COMPILE_METRICS.items():
        cell = _against(take(columns["first"][0]), take(columns["first"][1]), unit)
        rows.append([metric, cell, *[""] * (len(passes) - 1)])
    for metric, (unit, take) in METRICS.items():
        cells = [
            _against(take(left), take(right), unit) if left.mask and left.advance else "-"
            for left, right in columns.values()
        ]
        rows.append([metric + ", µs", *cells])
    cases = f"{len(names)} case{'s' * (len(names) != 1)}"
    title = f"{ours} against {rival} on the {cases} both get right: ours, theirs"
    return f"{title} (ratio).{left_out}\n\n" + table(["", *map(PASSES.__getitem__, passes)], rows)


def _left_out(apart: list[str], mine: Session, theirs: Session) -> str:
    """Return in words which cases are left out, and why."""
    wrong = [n for n in apart if judged(mine["cases"][n])[0] or judged(theirs["cases"][n])[0]]
    differing = [name for name in apart if name not in wrong]
    text = f" Left out, since their masks differ: {', '.join(differing)}." if differing else ""
    if wrong:
        text += f" Left out, since masks allow what is no JSON: {', '.join(wrong)}."
    return text


def _against(mine: float, theirs: float, unit: float) -> str:
    ratio = mine / theirs if theirs else math.inf
    return f"{number(mine / unit)}, {number(theirs / unit)} ({times(ratio)})"


def slowest(results: dict[str, Any], sessions: Sessions, engine: str) -> str:
    """Return the worst cases of one engine, which may not have been asked."""
    if engine not in sessions:
        return ""
    records = right(sessions[engine], set_aside(results, sessions))
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
        worst = ", ".join(f"{name} {number(take(one[name]) / unit)}" for name in order)
        rows.append([title, worst])
    return f"Where {engine} is slowest.\n\n" + table(["", "worst cases"], rows)


def by_case(results: dict[str, Any], sessions: Sessions) -> str:
    """Return a line for each case."""
    engines = [name for name in sessions if name != "trivial"]
    shown = {name for engine in engines for name in sessions[engine]["cases"]}
    aside = set_aside(results, sessions)
    rows = []
    for name, case in results["cases"].items():
        if name not in shown:
            continue
        row = [name if case["common"] else f"{name} *"]
        for engine in engines:
            record = sessions[engine]["cases"].get(name)
            row.append("-" if record is None else _case_cell(record, aside[engine].get(name)))
        rows.append(row)
    note = (
        "Case by case: compile + first mask ms; mask mean, p99, max µs over all outputs the first "
        "time. An asterisk marks those that engines read differently."
    )
    return f"{note}\n\n{table(['case', *engines], rows)}"


def _case_cell(record: dict[str, Any], differing: tuple[int, int] | None) -> str:
    if record["status"] != "ok":
        return str(record["status"])
    if differing is not None:
        return contradiction(record, differing)
    figure = figures([record], "all")
    masks = (mean(figure.mask), percentile(figure.mask, 0.99), max(figure.mask))
    return f"{number(figure.ttfm[0] / MS)}; {', '.join(number(ns / US) for ns in masks)}"
