"""Plots of results, as SVG: the same bytes from the same results.

matplotlib is imported when a plot is drawn. Colours belong to engines, so that a reader finds an
engine again in every plot.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benchmarks.agreement import agreed, usable
from benchmarks.other_report import added
from benchmarks.report import replays
from benchmarks.statistics import figures, mean, percentile
from benchmarks.tables import MS, US

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

COLOURS = {
    "formgate": "#0b6e4f",
    "formgate-cold": "#63b38f",
    "llguidance-complete": "#d1495b",
    "xgrammar": "#2e6fbf",
    "outlines-core": "#e6a117",
    "kbnf": "#7d5ba6",
    "lm-format-enforcer": "#8c6d46",
    "llama-cpp": "#444444",
    "trivial": "#aaaaaa",
}
SHARES = [1 - 10 ** (-step / 40) for step in range(200)]  # from all values to one in 10^5
SIZE = (7.2, 3.4)


def draw(name: str, results: dict[str, Any], path: Path) -> None:
    """Draw the plot of this name, one of `PLOTS`."""
    import matplotlib as mpl

    mpl.use("svg")
    from matplotlib import pyplot as plt

    settings = {
        "svg.hashsalt": name,
        "svg.fonttype": "none",
        "font.size": 9,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.grid": True,
        "grid.alpha": 0.25,
        "legend.frameon": False,
    }
    with mpl.rc_context(settings):
        figure, axes = plt.subplots(figsize=SIZE, layout="constrained")
        PLOTS[name](axes, results)
        figure.savefig(path, metadata={"Date": None})
        plt.close(figure)


def _common(results: dict[str, Any], sessions: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Return the engines worth comparing, and the cases that all of them get right.

    Cases of which one makes other masks than ours are left out.
    An engine that gets less than half of what ours gets right would leave little to compare.
    """
    ours = set(usable(sessions["formgate"]))
    chosen = {
        name: session
        for name, session in sessions.items()
        if name != "trivial" and 2 * len(ours & set(usable(session))) >= len(ours)
    }
    names = set.intersection(*(set(usable(session)) for session in chosen.values()))
    first = sessions["formgate"]
    return chosen, sorted(
        name
        for name in names
        if all(agreed(results, first, session, name) for session in chosen.values())
    )


def _tail(axes: Any, results: dict[str, Any]) -> None:
    """Which share of the tokens takes longer than so much, mask and advance together."""
    for sessions in list(replays(results).values())[:1]:
        chosen, names = _common(results, sessions)
        for engine, session in chosen.items():
            steps = sorted(_steps(session["cases"][name] for name in names))
            shares = [share for share in SHARES if (1 - share) * len(steps) >= 1]
            times = [percentile(steps, max(share, 1e-9)) / US for share in shares]
            axes.plot(times, [1 - share for share in shares], label=engine, c=COLOURS[engine])
        axes.set(
            xscale="log", yscale="log", xlabel="mask + advance, µs", ylabel="share of tokens slower"
        )
        axes.set_title(f"{len(names)} cases that all of these get right", fontsize=9)
    axes.legend()


def _steps(records: Iterable[dict[str, Any]]) -> Iterable[int]:
    for record in records:
        for run in record["runs"]:
            if not run["failure"]:
                advance = [*run["advance_ns"], 0]
                yield from map(int.__add__, run["mask_ns"], advance)


def _first_mask(axes: Any, results: dict[str, Any]) -> None:
    """How long it takes from the source to the first mask."""
    for sessions in list(replays(results).values())[:1]:
        chosen, names = _common(results, sessions)
        for engine, session in chosen.items():
            times = sorted(figures((session["cases"][n] for n in names), "first").ttfm)
            shares = [(rank + 1) / len(times) for rank in range(len(times))]
            axes.step([t / MS for t in times], shares, label=engine, c=COLOURS[engine])
        axes.set(xscale="log", xlabel="compile + first mask, ms", ylabel="share of the cases")
    axes.legend()


def _scaling(axes: Any, results: dict[str, Any]) -> None:
    """Time per token along an output of 4,000 tokens."""
    styles = {"right_recursion": "-", "nested": "--"}
    for sessions in list(replays(results).values())[:1]:
        for name, style in styles.items():
            for engine, session in sessions.items():
                record = session["cases"].get(name)
                if not record or not record.get("runs"):
                    continue
                steps = list(_steps([{"runs": [{**record["runs"][0], "failure": None}]}]))
                width = 100
                points = range(width, len(steps), width)
                times = [mean(steps[at - width : at]) / US for at in points]
                axes.plot(points, times, style, label=f"{engine}, {name}", c=COLOURS[engine])
    axes.set(yscale="log", xlabel="tokens so far", ylabel="mask + advance, µs")
    axes.legend(fontsize=7)


def _batch(axes: Any, results: dict[str, Any]) -> None:
    """Cost of a row when 256 are filled together."""
    bars: list[tuple[str, float, float, str]] = []
    for session in results["sessions"]:
        for batch in session.get("batches", ()):
            if batch["status"] == "ok" and batch["mix"] == "one":
                label = f"{session['engine']}, {batch['threads']} thr."
                first, again = (mean(batch[f"{w}_ns"]) / batch["rows"] / US for w in _PASSES)
                bars.append((label, first, again, COLOURS[session["engine"]]))
    places = list(range(len(bars)))
    axes.barh([p + 0.2 for p in places], [b[1] for b in bars], 0.38, color=[b[3] for b in bars])
    axes.barh(
        [p - 0.2 for p in places], [b[2] for b in bars], 0.38,
        color=[b[3] for b in bars], alpha=0.5,
    )  # fmt: skip
    axes.set_yticks(places, [bar[0] for bar in bars])
    axes.invert_yaxis()
    axes.set(xscale="log", xlabel="µs a row: first time, and (pale) again")


_PASSES = ("first", "again")


def _memory(axes: Any, results: dict[str, Any]) -> None:
    """Resident memory while schemas come and go."""
    for session in results["sessions"]:
        if session["workload"] == "memory":
            base = session["setup"]["rss_setup_mib"]
            counts = [0, *(point["schemas"] for point in session["points"])]
            sizes = [0.0, *(point["rss_mib"] - base for point in session["points"])]
            label = session["engine"]
            if session["status"] != "ok":
                label += f" ({session['status']})"
            axes.plot(counts, sizes, label=label, c=COLOURS[session["engine"]])
    axes.set(xlabel="schemas so far", ylabel="MiB over set-up")
    axes.legend()


def _formats(axes: Any, results: dict[str, Any]) -> None:
    """Each constraint in each format: mask and advance in decoding, and one per cent of 4 ms."""
    from benchmarks.cases.formats import FORMATS
    from benchmarks.decoding import BUDGET_NS

    (session,) = [s for s in results["sessions"] if s["workload"] == "decoding"]
    records = session["cases"].values()
    groups = list(dict.fromkeys(results["cases"][name]["group"] for name in session["cases"]))
    marks = {"precompiled": "o", "lazy": "s", "none ahead": "v", "derived again": "^"}
    marks = {mode: mark for mode, mark in marks.items() if all(mode in r["modes"] for r in records)}
    colours = dict(zip(FORMATS, ("#0b6e4f", "#d1495b", "#2e6fbf", "#e6a117"), strict=True))
    for name, record in session["cases"].items():
        case = results["cases"][name]
        offset = list(FORMATS).index(case["format"])
        place = groups.index(case["group"]) + 0.16 * (offset - 1.5)
        for mode, mark in marks.items():
            height = mean(added(record["modes"][mode])) / US
            axes.plot(place, height, mark, c=colours[case["format"]], ms=5)
    for form, colour in colours.items():
        axes.plot([], [], "o", c=colour, label=FORMATS[form])
    for mode, mark in marks.items():
        axes.plot([], [], mark, c="#888888", label=mode)
    limit = BUDGET_NS / 100 / US
    across = axes.get_yaxis_transform()  # the axes' width, the data's height
    axes.axhline(limit, c="black", lw=0.8, ls=":")
    axes.text(1, limit, "1 % of 4 ms", ha="right", va="bottom", transform=across, size=7)
    axes.set_xticks(range(len(groups)), groups)
    axes.set_xlim(-0.6, len(groups) - 0.05)  # with room for what the line says
    axes.set(yscale="log", ylabel="mask + advance, µs a token")
    axes.legend(fontsize=7, ncol=len(FORMATS) + len(marks), loc="upper center", **_ABOVE)


_ABOVE = {"bbox_to_anchor": (0.5, 1.12), "columnspacing": 1.0, "handletextpad": 0.2}


PLOTS: dict[str, Callable[[Any, dict[str, Any]], None]] = {
    "tail": _tail,
    "first-mask": _first_mask,
    "scaling": _scaling,
    "batch": _batch,
    "memory": _memory,
    "formats": _formats,
}
