"""Writes tables and plots into the pages of docs/benchmarks.

A page holds blocks between two comments,

    <!-- begin ENTRY PART -->
    <!-- end -->

ENTRY being one of the plan, PART one of `PARTS` or of `benchmarks.plots.PLOTS`. What
stands between is replaced by what the results say; the text around is written by hand. A page stays
as it is where the results of any of its blocks are missing. Nothing is written before all results
are known to be what they are taken for.
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
from benchmarks.scoreboard import ENTRIES, scoreboard
from benchmarks.statistics import figures, mean, percentile
from benchmarks.tables import MS, US, number, table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from benchmarks.statistics import Figures

    Part = Callable[[dict[str, Any], plan.Entry], str]

_BLOCK = re.compile(r"(<!-- begin (\S+) (\S+) -->\n).*?(<!-- end -->)", re.DOTALL)


_MARK = re.compile(r"^<!--\s*(begin|end)\b.*?-->", re.MULTILINE)


class PublishError(ValueError):
    """There is nothing to publish, or results are of something else than they are named for."""


def publish(
    results: Path, pages: Path, more: Iterable[Path] = (), *, check: bool = False
) -> list[Path]:
    """Write the pages and plots that change; return them. With `check`, write nothing.

    `pages` is a folder, `more` pages that lie elsewhere and hold no plots. Plots are drawn again
    only without `check`. Pages that `wanting` names are left out. Raises `PublishError` where there
    are no pages or no results, or results are of another entry, and `ValueError` for an unknown
    block.
    """
    blocks = _Blocks(results)
    changed = {}
    left_out = wanting(results, pages, more)
    for page in _pages(pages, more):
        old = page.read_text(encoding="utf-8")

        def replaced(found: re.Match[str], page: Path = page, old: str = old) -> str:
            try:
                text = blocks.text(found[2], found[3], drawn=page not in left_out)
            except PublishError:
                raise
            except ValueError as error:
                line = old.count("\n", 0, found.start()) + 1
                raise ValueError(f"{page.name}:{line}: {error}") from error
            return f"{found[1]}{text}\n{found[4]}"

        new = _BLOCK.sub(replaced, old)
        if new != old and page not in left_out:
            changed[page] = new
    if not check:
        blocks.draw(pages / "plots")
        for page, text in changed.items():
            page.write_text(text, encoding="utf-8")
    return list(changed)


def wanting(results: Path, pages: Path, more: Iterable[Path] = ()) -> dict[Path, list[str]]:
    """Return the entries that each page shows and that have no results, of pages with any such.

    Raises `PublishError` where there are no pages, or no results at all.
    """
    entries = plan.load()
    absent = [entry.name for entry in entries if not entry.path(results).is_file()]
    if len(absent) == len(entries):
        raise PublishError(f"{results} has no results of any entry of the plan")
    found = {}
    for page in _pages(pages, more):
        shown = [block[2] for block in _BLOCK.finditer(page.read_text(encoding="utf-8"))]
        if "all" in shown:
            shown += ENTRIES
        missing = [name for name in absent if name in shown]
        if missing:
            found[page] = missing
    return found


def _pages(folder: Path, more: Iterable[Path]) -> list[Path]:
    if not folder.is_dir():
        raise PublishError(f"{folder} is no folder of pages")
    found = sorted(folder.glob("*.md"))
    if not any(_BLOCK.search(page.read_text(encoding="utf-8")) for page in found):
        raise PublishError(f"{folder} has no page with a block to fill")
    pages = [*found, *more]
    for page in pages:
        _check_marks(page)
    return pages


def _check_marks(page: Path) -> None:
    """Raise `PublishError`, with the line, where a comment begins or ends no block."""
    text = page.read_text(encoding="utf-8")
    blocks = list(_BLOCK.finditer(text))
    known = {block.start() for block in blocks} | {block.start(4) for block in blocks}
    inner = [(block.end(1), block.start(4)) for block in blocks]
    for mark in _MARK.finditer(text):
        at = mark.start()
        if at not in known or any(first <= at < last for first, last in inner):
            line = text.count("\n", 0, at) + 1
            raise PublishError(
                f"{page.name}:{line}: {mark[0]} is none of '<!-- begin ENTRY PART -->', with the "
                "next line its own, and the '<!-- end -->' after it"
            )


class _Blocks:
    """What stands in the blocks, and the plots that they show."""

    def __init__(self, results: Path) -> None:
        self._results = results
        self._entries = {entry.name: entry for entry in plan.load()}
        self._loaded: dict[str, dict[str, Any] | None] = {}
        self._plots: dict[str, tuple[str, dict[str, Any]]] = {}

    def text(self, name: str, part: str, *, drawn: bool) -> str:
        """Return the text of one block, empty where its results are missing.

        A plot is `drawn` later, or not.
        """
        if name not in {"all", *self._entries}:
            raise ValueError(f"no entry of the plan is called {name!r}")
        known = ["scoreboard"] if name == "all" else [*PARTS, *plots.PLOTS]
        if part not in known:
            raise ValueError(f"no part is called {part!r}; there are {', '.join(known)}")
        if name == "all":
            busy = [name for name in ENTRIES if (r := self._load(name)) and report.was_busy(r)]
            note = f"\n\n{BUSY} That holds for {', '.join(busy)}." if busy else ""
            return f"{scoreboard(self._load)}{note}"
        content = self._load(name)
        if content is None:
            return ""
        if part in PARTS:
            return PARTS[part](content, self._entries[name])
        if drawn:
            self._plots[f"{name}-{part}.svg"] = part, content
        title = (plots.PLOTS[part].__doc__ or "").strip()
        return f"![{title}](plots/{name}-{part}.svg)"

    def draw(self, folder: Path) -> None:
        """Draw the plots of the blocks so far."""
        for name, (part, content) in self._plots.items():
            folder.mkdir(exist_ok=True)
            plots.draw(part, content, folder / name)

    def _load(self, name: str) -> dict[str, Any] | None:
        if name not in self._loaded:
            path = self._entries[name].path(self._results)
            content = store.load_known(path) if path.is_file() else None
            other = content and plan.unlike(content, self._entries[name])
            if other:
                raise PublishError(f"{path} is not of the plan's entry {name}: {other}")
            for key, sessions in report.replays(content or {"sessions": []}).items():
                if "formgate" not in sessions:
                    raise PublishError(f"{path} has no session of formgate: {' '.join(key)}")
            self._loaded[name] = content
        return self._loaded[name]


def _about(results: dict[str, Any], entry: plan.Entry) -> str:
    command = plan.typed(results, entry)
    planned = plan.usual(shlex.split(entry.run), entry)
    notes = [f"```console\n$ {command}\n```"] if command else [_without_command(results)]
    if command != planned:
        notes.append(f"{UNPLANNED if command else ''} The plan now says: `{planned}`.".lstrip())
    notes += [BUSY] * report.was_busy(results)
    notes += report.gaps(results)
    return (
        f"Measured on {results['date'][:10]} at commit {results['source'] or 'unknown'}: "
        f"{device_name(results)}{report.machine_line(results)} {report.versions_line(results)}.\n\n"
        + "\n\n".join(notes)
    )


def _without_command(results: dict[str, Any]) -> str:
    """Return what is known of a run whose results are too old to hold its command."""
    engines = dict.fromkeys(session["engine"] for session in results["sessions"])
    options = ", ".join(
        f"{name} {value}" for name, value in results["options"].items() if name in _SHOWN_OPTIONS
    )
    count = len(results["cases"])
    parts = [f"engines {', '.join(engines)}", f"{count} cases" if count else "", options]
    return f"{NO_COMMAND} What they hold: {'; '.join(part for part in parts if part)}."


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


NO_COMMAND = "These results are too old to say by which command they were made."
_SHOWN_OPTIONS = ("repeat", "timeout_s", "flush")
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
