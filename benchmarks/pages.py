"""Writes tables and plots into the pages of docs/benchmarks.

A page holds blocks between two comments,

    <!-- begin ENTRY PART -->
    <!-- end -->

ENTRY being one of the plan, PART one of `PARTS` or of `benchmarks.plots.PLOTS`. What
stands between is replaced by what the results say; the text around is written by hand. A block
whose results are missing stays as it is.
"""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING, Any

from benchmarks import plan, plots, report
from benchmarks import results as store
from benchmarks.agreement import agreed, usable
from benchmarks.device_report import (
    device_decoding,
    device_kernels,
    device_name,
    device_steps,
)
from benchmarks.engines import ENGINES
from benchmarks.grammar_report import grammar_tables
from benchmarks.other_report import (
    batch_table,
    decoding_table,
    memory_table,
    prediction_table,
    startup_table,
)
from benchmarks.scoreboard import scoreboard
from benchmarks.statistics import figures, mean, percentile
from benchmarks.tables import MS, US, number, table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from benchmarks.statistics import Figures

    Part = Callable[[dict[str, Any], plan.Entry], str]

_BLOCK = re.compile(r"(<!-- begin (\S+) (\S+) -->\n).*?(<!-- end -->)", re.DOTALL)


def publish(
    results: Path, pages: Path, more: Iterable[Path] = (), *, check: bool = False
) -> list[Path]:
    """Write the pages and plots that change; return them. With `check`, write nothing.

    `pages` is a folder, `more` pages that lie elsewhere and hold no plots. Plots are drawn again
    only without `check`. Raises `ValueError` for an unknown block.
    """
    blocks = _Blocks(results, None if check else pages / "plots")
    changed = []
    for page in [*sorted(pages.glob("*.md")), *more]:
        old = page.read_text(encoding="utf-8")

        def replaced(found: re.Match[str], page: Path = page, old: str = old) -> str:
            try:
                text = blocks.text(found[2], found[3])
            except ValueError as error:
                line = old.count("\n", 0, found.start()) + 1
                raise ValueError(f"{page.name}:{line}: {error}") from error
            return found[0] if text is None else f"{found[1]}{text}\n{found[4]}"

        new = _BLOCK.sub(replaced, old)
        if new != old:
            changed.append(page)
            if not check:
                page.write_text(new, encoding="utf-8")
    return changed


class _Blocks:
    """What stands in the blocks; plots are drawn into the folder where there is one."""

    def __init__(self, results: Path, folder: Path | None) -> None:
        self._folder = folder
        self._results = results
        self._entries = {entry.name: entry for entry in plan.load()}
        self._loaded: dict[str, dict[str, Any] | None] = {}

    def text(self, name: str, part: str) -> str | None:
        """Return the text of one block, None where its results are missing."""
        if name == "all":
            busy = [
                name for name in self._entries if (r := self._load(name)) and report.was_busy(r)
            ]
            note = f"\n\n{BUSY} That holds for {', '.join(busy)}." if busy else ""
            return f"{scoreboard(self._load)}{note}"
        if name not in self._entries:
            raise ValueError(f"no entry of the plan is called {name!r}")
        content = self._load(name)
        if content is None:
            return None
        if part in PARTS:
            return PARTS[part](content, self._entries[name])
        if part not in plots.PLOTS:
            known = ", ".join([*PARTS, *plots.PLOTS])
            raise ValueError(f"no part is called {part!r}; there are {known}")
        if self._folder is not None:
            self._folder.mkdir(exist_ok=True)
            plots.draw(part, content, self._folder / f"{name}-{part}.svg")
        title = (plots.PLOTS[part].__doc__ or "").strip()
        return f"![{title}](plots/{name}-{part}.svg)"

    def _load(self, name: str) -> dict[str, Any] | None:
        if name not in self._loaded:
            path = self._results / f"{name}.json.gz"
            self._loaded[name] = store.load_known(path) if path.exists() else None
        return self._loaded[name]


def _about(results: dict[str, Any], entry: plan.Entry) -> str:
    command = plan.typed(results, entry)
    planned = plan.typed({"command": shlex.split(entry.run), "sessions": []}, entry)
    notes = []
    if command != planned:
        notes.append(f"{UNPLANNED} The plan now says: `{planned}`.")
    notes += [BUSY] * report.was_busy(results)
    notes += report.gaps(results)
    return (
        f"Measured on {results['date'][:10]} at commit {results['source'] or 'unknown'}: "
        f"{device_name(results)}{report.machine_line(results)} {report.versions_line(results)}.\n\n"
        + "\n\n".join([f"```console\n$ {command}\n```", *notes])
    )


def _of_replays(write: Callable[[dict[str, Any], report.Sessions], str]) -> Part:
    """Return a part that stands for each group of replays, under a heading if there are several."""

    def part(results: dict[str, Any], entry: plan.Entry) -> str:
        del entry
        groups = report.replays(results)
        texts = []
        for (vocabulary, kind, _), sessions in groups.items():
            text = write(results, sessions)
            if text:
                texts.append(f"{vocabulary}, {kind}:\n\n{text}" if len(groups) > 1 else text)
        return "\n\n".join(texts)

    return part


def _ratios(results: dict[str, Any], sessions: report.Sessions) -> str:
    parts = [
        report.ratios(results, sessions, "formgate", rival)
        for rival in sessions
        if ENGINES[rival].rival
    ]
    return "\n\n".join(part for part in parts if part)


def _grammars(number: int) -> Callable[[dict[str, Any], report.Sessions], str]:
    def write(results: dict[str, Any], sessions: report.Sessions) -> str:
        tables = grammar_tables(results, sessions)
        if len(tables) <= number:
            return ""
        title, head, rows = tables[number]
        return f"{title}\n\n{table(head, rows)}"

    return write


def _failures(results: dict[str, Any], sessions: report.Sessions) -> str:
    """Return what engines got wrong, one line each; long lists are cut."""
    del results
    rows = []
    for engine, session in sessions.items():
        if engine == "trivial":
            continue
        wrong = [
            (name, record)
            for name, record in session["cases"].items()
            if record["status"] not in ("ok", "refused")
        ]
        for name, record in wrong[:MOST_FAILURES]:
            reason = str(record.get("error", "")).split("; ")[0].replace("|", "\\|")
            rows.append([engine, name, str(record["status"]), " ".join(reason.split())[:160]])
        if len(wrong) > MOST_FAILURES:
            rows.append([engine, f"and {len(wrong) - MOST_FAILURES} more", "", ""])
    return table(["engine", "case", "result", "first reason"], rows) if rows else "None."


def _headline(results: dict[str, Any], sessions: report.Sessions) -> str:
    """Return a few figures on the cases that three engines get right and read alike."""
    chosen = {name: sessions[name] for name in HEADLINE if name in sessions}
    names = [
        name
        for name, case in results["cases"].items()
        if case["common"]
        and all(name in usable(session) for session in chosen.values())
        and all(agreed(results, sessions["formgate"], s, name) for s in chosen.values())
    ]
    passes = {
        which: [figures((s["cases"][n] for n in names), which) for s in chosen.values()]
        for which in ("first", "all", "again")
    }
    rows: list[tuple[str, str, float, Callable[[Figures], float]]] = [
        ("compile and first mask, median", "first", MS, lambda f: percentile(f.ttfm, 0.5)),
        ("mask, first output, mean", "first", US, lambda f: mean(f.mask)),
        ("mask, all outputs, mean", "all", US, lambda f: mean(f.mask)),
        ("mask, all outputs, 99th percentile", "all", US, lambda f: percentile(f.mask, 0.99)),
        ("mask of a known state, median", "again", US, lambda f: percentile(f.mask, 0.5)),
    ]
    cells = []
    for title, which, size, take in rows:
        unit = "ms" if size == MS else "µs"
        cells.append([title, *(f"{number(take(f) / size)} {unit}" for f in passes[which])])
    return f"On {len(names)} cases:\n\n{table(['', *chosen], cells)}"


UNPLANNED = "This is what was run; what the plan has instead by now is not measured yet."
BUSY = "**Other programs kept the machine busy: times and maxima are too high, ratios are rough.**"
HEADLINE = ("formgate", "llguidance-complete", "xgrammar")
MOST_FAILURES = 12

PARTS: dict[str, Part] = {
    "about": _about,
    "headline": _of_replays(_headline),
    "coverage": _of_replays(lambda r, s: report.coverage(r, s, "formgate")),
    "first": _of_replays(lambda r, s: report.speed_of(r, s, "first")),
    "all-outputs": _of_replays(lambda r, s: report.speed_of(r, s, "all")),
    "again": _of_replays(lambda r, s: report.speed_of(r, s, "again")),
    "ratios": _of_replays(_ratios),
    "slowest": _of_replays(lambda r, s: report.slowest(r, s, "formgate")),
    "cases": _of_replays(report.by_case),
    "failures": _of_replays(_failures),
    "costs": _of_replays(_grammars(0)),
    "growth": _of_replays(_grammars(1)),
    "device-kernels": lambda results, _: device_kernels(results),
    "device-steps": lambda results, _: device_steps(results),
    "device-decoding": lambda results, _: device_decoding(results),
    "rows": lambda results, _: batch_table(results),
    "starting": lambda results, _: startup_table(results),
    "resident": lambda results, _: memory_table(results),
    "decoding": lambda results, _: decoding_table(results),
    "prediction": lambda results, _: prediction_table(results),
}
