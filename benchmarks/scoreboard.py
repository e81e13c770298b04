"""Where we win and where we lose: our figure beside the best rival's, and the goal set for it.

A rival counts where it gets at least a third of our cases right. Each figure is compared on the
cases that both get right, over the runs that both completed; the rival shown is the one against
which we do worst. Memory is that after so many schemas, beside rivals that read them all. A maximum
over common cases says nothing of the others, so ours over all that we get right stands beside it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from benchmarks.agreement import right as right_of
from benchmarks.agreement import set_aside, usable
from benchmarks.engines import ENGINES
from benchmarks.other_report import added
from benchmarks.report import (
    COMPILE_METRICS,
    METRICS,
    common_cases,
    paired,
    passes_of,
    replays,
)
from benchmarks.statistics import figures, mean, percentile
from benchmarks.tables import MS, US, number, table, times

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from benchmarks.report import Sessions

    Load = Callable[[str], "dict[str, Any] | None"]

OURS = "formgate"


@dataclass(frozen=True)
class Goal:
    """A figure of replays, and the most that ours may be: of the best rival's, or in µs.

    `which` says of which outputs: the first of each constraint, where everything is met for the
    first time; that one in two spellings; all of a process; or one that was made before.
    """

    title: str
    entries: tuple[str, ...]
    which: str
    metric: str
    ratio: float
    rivals: tuple[str, ...] = ()
    most_us: float | None = None


_SCHEMAS = ("schema-tekken", "schema-qwen")
_REGEXES = ("regex-tekken", "regex-qwen")
_GRAMMARS = ("grammar-tekken", "grammar-qwen")
_LLG = ("llguidance-complete",)
GOALS = (
    Goal("schemas", _SCHEMAS, "first", "both, mean per token", 0.2),
    Goal("schemas", _SCHEMAS, "pair", "both, mean per token", 0.2),
    Goal("schemas", _SCHEMAS, "all", "both, mean per token", 0.2),
    Goal("schemas", _SCHEMAS, "first", "both, mean per run", 0.2),
    Goal("schemas", _SCHEMAS, "pair", "both, mean per run", 0.2),
    Goal("schemas", _SCHEMAS, "first", "mask p50", 1 / 3),
    Goal("schemas", _SCHEMAS, "pair", "mask p50", 1 / 3),
    Goal("schemas", _SCHEMAS, "first", "mask p99", 0.25),
    Goal("schemas", _SCHEMAS, "pair", "mask p99", 0.25),
    Goal("schemas", _SCHEMAS, "first", "mask max", 0.5),
    Goal("schemas", _SCHEMAS, "pair", "mask max", 0.5),
    Goal("schemas", _SCHEMAS, "first", "advance mean", 1.0),
    Goal("schemas", _SCHEMAS, "first", "compile + first mask p50, ms", 0.6, _LLG),
    Goal("schemas", _SCHEMAS, "first", "compile + first mask mean, ms", 0.6, _LLG),
    Goal("schemas", _SCHEMAS, "first", "compile + first mask p99, ms", 0.6, _LLG),
    Goal("schemas", _SCHEMAS, "first", "compile + first mask mean, ms", 0.05, ("xgrammar",)),
    Goal("schemas", _SCHEMAS, "again", "mask p50", 0.1, _LLG),
    Goal("schemas", _SCHEMAS, "again", "mask p50", 1.0, ("xgrammar",)),
    Goal("schemas", _SCHEMAS, "again", "advance mean", 1.0, most_us=1.0),
    Goal("regexes", _REGEXES, "first", "mask mean", 0.2),
    Goal("regexes", _REGEXES, "first", "mask p99", 0.2),
    Goal("regexes", _REGEXES, "first", "mask max", 1.0),
    Goal("regexes", _REGEXES, "first", "advance mean", 1.0),
    Goal("regexes", _REGEXES, "first", "compile + first mask mean, ms", 1.0),
    Goal("grammars", _GRAMMARS, "all", "mask mean", 0.2),
    Goal("grammars", _GRAMMARS, "all", "mask p99", 0.2),
    Goal("grammars", _GRAMMARS, "all", "mask max", 1.0),
    Goal("grammars", _GRAMMARS, "first", "mask mean", 0.2),
    Goal("grammars", _GRAMMARS, "first", "mask p99", 0.2),
    Goal("grammars", _GRAMMARS, "first", "mask max", 1.0),
    Goal("grammars", _GRAMMARS, "first", "compile + first mask mean, ms", 1.0),
)
# What the table is made of.
ENTRIES = tuple(
    dict.fromkeys(
        [
            *(entry for goal in GOALS for entry in goal.entries),
            *("batch", "startup", "memory", "crossformat"),
        ]
    )
)
_OUTPUTS = {
    "first": "first outputs",
    "pair": "first outputs in two spellings",
    "all": "all outputs",
    "again": "an output again",
}


def scoreboard(load: Load) -> str:
    """Return the table, from the results of the entries that there are."""
    rows = [row for goal in GOALS for entry in goal.entries for row in _of_goal(goal, entry, load)]
    rows += _others(load)
    titles = ["what", "vocabulary", "figure", "formgate", "best rival", "ratio", "goal", ""]
    return table(titles, rows)


def _of_goal(goal: Goal, entry: str, load: Load) -> Iterator[list[str]]:
    results = load(entry)
    if results is None:
        return
    for (vocabulary, _, _), sessions in replays(results).items():
        if OURS in sessions and goal.which in passes_of({OURS: sessions[OURS]}):
            found = list(_beside_rivals(goal, results, sessions))
            if found:
                what = f"{goal.title}, {_OUTPUTS[goal.which]}", vocabulary
                yield _replayed(goal, what, max(found), (results, sessions))


def _beside_rivals(
    goal: Goal, results: dict[str, Any], sessions: Sessions
) -> Iterator[tuple[float, float, float, str]]:
    """Yield for each rival our figure over its, both, and its name."""
    take = _METRICS[goal.metric][1]
    for rival, session in sessions.items():
        if not ENGINES[rival].rival or (goal.rivals and rival not in goal.rivals):
            continue
        names = common_cases(results, sessions[OURS], session)
        if 3 * len(names) < len(usable(sessions[OURS])):
            continue
        mine, theirs = paired(sessions[OURS], session, names, goal.which)
        if mine.mask and theirs.mask:
            left, right = take(mine), take(theirs)
            yield left / right, left, right, rival


def _replayed(
    goal: Goal,
    what: tuple[str, str],
    found: tuple[float, float, float, str],
    measured: tuple[dict[str, Any], Sessions],
) -> list[str]:
    """Return the row of a figure of replays."""
    ratio, left, right, rival = found
    if goal.most_us is not None:
        return _row((*what, goal.metric), left / US, (right / US, rival), goal.most_us, "µs")
    unit = _METRICS[goal.metric][0]
    size = "ms" if unit == MS else "µs"
    ours, verdict = f"{number(left / unit)} {size}", _verdict(ratio, goal.ratio)
    if goal.metric == "mask max":
        results, sessions = measured
        every = right_of(sessions[OURS], set_aside(results, sessions)).values()
        most = max(figures(every, goal.which).mask, default=0.0)
        if most > left:
            ours += f"; of all {len(every)}: {number(most / unit)} {size}"
            verdict += " on common cases" * (ratio <= goal.ratio < most / right)
    return [
        *what,
        goal.metric.removesuffix(", ms"),
        ours,
        f"{number(right / unit)} {size}, {rival.removesuffix('-complete')}",
        times(ratio),
        times(goal.ratio),
        verdict,
    ]


_METRICS = {**METRICS, **COMPILE_METRICS}


def _verdict(ratio: float, goal: float) -> str:
    if ratio <= goal:
        return "**met**"
    return "ahead, goal missed" if ratio < 1 else "**behind**"


def _others(load: Load) -> Iterator[list[str]]:
    yield from _batches(load("batch"))
    yield from _startups(load("startup"))
    yield from _first_compiles(load)
    yield from _memory(load("memory"))
    yield from _decoding(load("crossformat"))


def _row(
    what: tuple[str, str, str], ours: float, best: tuple[float, str], goal: float, unit: str
) -> list[str]:
    """Return the row of a figure with an absolute goal."""
    behind = "ahead, goal missed" if ours < best[0] else "**behind**"
    return [
        *what,
        f"{number(ours)} {unit}",
        f"{number(best[0])} {unit}, {best[1].removesuffix('-complete')}",
        times(ours / best[0]),
        f"{number(goal)} {unit}",
        "**met**" if ours <= goal else behind,
    ]


def _batches(results: dict[str, Any] | None) -> Iterator[list[str]]:
    if results is None:
        return
    rows: dict[tuple[str, int], dict[str, float]] = {}
    for session in results["sessions"]:
        for batch in session["batches"]:
            if batch["status"] == "ok":
                key = batch["mix"], batch["threads"]
                cost = mean(batch["again_ns"]) / batch["rows"] / US
                rows.setdefault(key, {})[session["engine"]] = cost
    for (mix, threads), costs in rows.items():
        rivals = [(cost, name) for name, cost in costs.items() if ENGINES[name].rival]
        if OURS in costs and rivals:
            goal = 0.3 + costs.get("trivial", 0.0)  # the copy itself is the trivial engine's
            title = f"batch of 256, mix {mix}, {threads} thread{'s' * (threads > 1)}"
            best = min(rivals)
            yield _row((title, "tekken", "a row, again"), costs[OURS], best, goal, "µs")


def _startups(results: dict[str, Any] | None) -> Iterator[list[str]]:
    if results is None:
        return
    by: dict[str, dict[str, tuple[float, float]]] = {}
    for session in results["sessions"]:
        imports = min(entry["wall_ns"] for entry in session["imports"]) / MS
        setup = min(entry["setup_ms"] for entry in session["setups"])
        by.setdefault(session["vocabulary"], {})[session["engine"]] = imports, setup
    for vocabulary, engines in by.items():
        for number_, (figure, goal) in enumerate((("import", 50.0), ("vocabulary set-up", 60.0))):
            rivals = [(f[number_], name) for name, f in engines.items() if ENGINES[name].rival]
            if OURS in engines and rivals:
                ours = engines[OURS][number_]
                yield _row(("starting up", vocabulary, figure), ours, min(rivals), goal, "ms")


def _first_compiles(load: Load) -> Iterator[list[str]]:
    """Yield what the very first compilation in a process takes: imports put off show in it."""
    titles = {"regex-tekken": "a regex", "schema-tekken": "a schema", "grammar-tekken": "grammars"}
    for entry, title in titles.items():
        sessions = (load(entry) or {"sessions": []})["sessions"]
        took = {s["engine"]: s["setup"].get("first_compile_ms") for s in sessions}
        rivals = [(ms, name) for name, ms in took.items() if ms and ENGINES[name].rival]
        ours = took.get(OURS)
        if ours and rivals:
            best, name = min(rivals)
            yield [
                "starting up",
                "tekken",
                f"first compile in a process: {title}",
                f"{number(ours)} ms",
                f"{number(best)} ms, {name.removesuffix('-complete')}",
                times(ours / best),
                "1",
                _verdict(ours / best, 1.0),
            ]


def _memory(results: dict[str, Any] | None) -> Iterator[list[str]]:
    """Yield what stays after so many schemas, beside rivals that read all up to there.

    What comes of a rival later does not matter: what it held then is known. Of ours, it does.
    """
    if results is None:
        return
    for count in (1000, 3000):
        grown = {
            session["engine"]: point["rss_mib"] - session["setup"]["rss_setup_mib"]
            for session in results["sessions"]
            for point in session["points"]
            if point["schemas"] == count and not point["refused"] + point["wrong"]
            if session["status"] == "ok" or ENGINES[session["engine"]].rival
        }
        what = f"memory after {count:,} schemas", "tekken", "resident, over set-up"
        for rival, share in (("xgrammar", 1 / 3), ("llguidance-complete", 1.0)):
            if OURS in grown and rival in grown:
                least = grown[rival] * share
                yield _row(what, grown[OURS], (grown[rival], rival), least, "MiB")


def _decoding(results: dict[str, Any] | None) -> Iterator[list[str]]:
    from benchmarks.cases.formats import FORMATS
    from benchmarks.decoding import BUDGET_NS, COMPILED

    if results is None:
        return
    goal = BUDGET_NS / 100 / US
    for session in results["sessions"]:
        for form, title in FORMATS.items():
            records = [
                record
                for name, record in session["cases"].items()
                if results["cases"][name]["format"] == form
            ]
            for mode in COMPILED:
                ways = [record["modes"].get(mode) for record in records]
                steps = [s for way in ways if way for s in added(way)]
                if not steps:
                    continue
                cost = mean(steps) / US
                yield [
                    f"inside decoding, {title}",
                    "smollm2",
                    f"mask + advance, {mode}: mean (p99)",
                    f"{number(cost)} ({number(percentile(steps, 0.99) / US)}) µs",
                    "-",
                    f"{cost * US / BUDGET_NS:.2%} of 4 ms",
                    f"{number(goal)} µs",
                    "**met**" if cost <= goal else "**missed**",
                ]
