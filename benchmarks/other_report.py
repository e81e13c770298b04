"""Tables of what is no replay: batches, starting up, memory, and formats inside decoding."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benchmarks.device_report import device_decoding, device_kernels, device_steps
from benchmarks.statistics import mean, percentile
from benchmarks.tables import MS, US, number, spread, table, times

if TYPE_CHECKING:
    from collections.abc import Iterator

# What was expected of a mask, in ms, before anything was measured.
PREDICTED_MS = {"regex": 0.01, "lark": 0.5, "gbnf": 0.5, "json_schema_compact": 0.05}
PREDICTED_AGAIN_MS = 5.0
MEMORY_MARKS = (100, 250, 500, 1000, 2000, 3000)  # schemas, where some engine came so far
COPY = "copy alone"  # the way of making masks that makes none


def other_tables(results: dict[str, Any]) -> list[str]:
    """Return the tables of all sessions that are no replays."""
    parts = [batch_table(results), startup_table(results), memory_table(results)]
    parts += [decoding_table(results), prediction_table(results)]
    parts += [device_kernels(results), device_steps(results), device_decoding(results)]
    return [part for part in parts if part]


def _sessions(results: dict[str, Any], workload: str) -> Iterator[dict[str, Any]]:
    for session in results["sessions"]:
        if session["workload"] == workload:
            yield session


def batch_table(results: dict[str, Any]) -> str:
    """Return the cost of a row in a batch, by one thread and by more."""
    rows = []
    for session in _sessions(results, "batch"):
        for batch in session["batches"]:
            row = [session["vocabulary"], batch["mix"], session["engine"], str(batch["threads"])]
            if batch["status"] != "ok":
                rows.append([*row, f"{batch['status']}: {batch['error']}", "", ""])
                continue
            count = batch["rows"]
            first = [ns / count for ns in batch["first_ns"]]
            again = [ns / count for ns in batch["again_ns"]]
            cpu = mean(batch["again_cpu_ns"]) / count
            row += [spread(first, US, (0.5,)), spread(again, US, (0.5,)), number(cpu / US)]
            rows.append(row)
    if not rows:
        return ""
    titles = ["vocabulary", "mix", "engine", "threads", "a row, first time µs: mean / p50 / max"]
    titles += ["a row, again µs: mean / p50 / max", "again, CPU of all threads µs"]
    return f"Masks of a batch, wall time over rows.\n\n{table(titles, rows)}{_scaling(results)}"


def _scaling(results: dict[str, Any]) -> str:
    """Return in words what a second thread does to our rows, where one and two were measured."""
    rows: dict[str, dict[int, dict[str, Any]]] = {}
    for session in _sessions(results, "batch"):
        if session["engine"] == "formgate":
            for batch in session["batches"]:
                if batch["status"] == "ok":
                    rows.setdefault(batch["mix"], {})[batch["threads"]] = batch
    parts = []
    for mix, by in rows.items():
        if not {1, 2} <= by.keys():
            continue
        for when, words in (("first", "first time"), ("again", "again")):
            one, two = (mean(by[n][f"{when}_ns"]) / by[n]["rows"] / US for n in (1, 2))
            parts.append(
                f"mix {mix}, {words}: {number(one)} to {number(two)} µs ({times(one / two)})"
            )
    if not parts:
        return ""
    return f"\n\nformgate from one thread to two, a row (gain): {'; '.join(parts)}."


def startup_table(results: dict[str, Any]) -> str:
    """Return import and set-up, each as the smallest and the median of fresh processes."""
    rows = []
    for session in _sessions(results, "startup"):
        wall = sorted(entry["wall_ns"] for entry in session["imports"])
        cpu = sorted(entry["cpu_ns"] for entry in session["imports"])
        setups = sorted(entry["setup_ms"] for entry in session["setups"])
        setup = session["setup"]
        rows.append(
            [
                session["vocabulary"],
                session["engine"],
                f"{number(wall[0] / MS)} / {number(percentile(wall, 0.5) / MS)}",
                f"{number(cpu[0] / MS)} / {number(percentile(cpu, 0.5) / MS)}",
                number(max(entry["rss_mib"] for entry in session["imports"])),
                f"{number(setups[0])} / {number(percentile(setups, 0.5))}",
                number(setup["rss_setup_mib"] - setup["rss_import_mib"]),
            ]
        )
    if not rows:
        return ""
    titles = ["vocabulary", "engine", "import, wall ms: least / median", "import, CPU ms"]
    titles += ["memory after import MiB", "vocabulary ms: least / median", "vocabulary MiB"]
    return table(titles, rows)


def memory_table(results: dict[str, Any]) -> str:
    """Return what stays after so many schemas."""
    sessions = list(_sessions(results, "memory"))
    if not sessions:
        return ""
    reached = {point["schemas"] for session in sessions for point in session["points"]}
    marks = [mark for mark in MEMORY_MARKS if mark in reached]
    # Older files only have it together with what collecting garbage took.
    timed = any("own_cpu_s" in p for session in sessions for p in session["points"])
    rows = []
    for session in sessions:
        base = session["setup"]["rss_setup_mib"]
        at = {point["schemas"]: point for point in session["points"]}
        last = session["points"][-1] if session["points"] else None
        row = [session["vocabulary"], session["engine"], session["status"], number(base)]
        row += [number(at[mark]["rss_mib"] - base) if mark in at else "-" for mark in marks]
        row.append("-" if last is None else number(last["peak_mib"] - base))
        if timed:
            own = None if last is None else last.get("own_cpu_s")
            row.append("-" if own is None else number(1000 * own / last["schemas"]))
        row.append("-" if last is None else f"{last['refused']} / {last['wrong']}")
        rows.append(row)
    titles = ["vocabulary", "engine", "result", "after set-up MiB"]
    titles += [f"+ after {mark:,}" for mark in marks]
    titles += ["+ at most", *["CPU ms a schema"] * timed, "refused / wrong"]
    most = max(reached, default=0)
    if most >= MEMORY_MARKS[-1]:
        return table(titles, rows)
    return f"{table(titles, rows)}\n\nNo engine was given more than {most:,} schemas here."


def decoding_table(results: dict[str, Any]) -> str:
    """Return what each way of making masks costs, over unmasked decoding of the same tokens."""
    from benchmarks.decoding import BUDGET_NS

    rows = []
    for session in _sessions(results, "decoding"):
        for name, record in session["cases"].items():
            plain = record["modes"]["unmasked"]
            bare = mean(plain["forward_ns"]) + mean(plain["sample_ns"])
            for mode, series in record["modes"].items():
                if mode == "unmasked":
                    continue
                cost = added(series)
                sampling = mean(series["sample_ns"]) - mean(plain["sample_ns"])
                over = f"{(mean(cost) + sampling) / bare:.2%}"
                rows.append(
                    [
                        name.replace(".", ", "),
                        mode,
                        str(len(record["tokens"])),
                        number((record["read_ns"] + record["compile_ns"]) / MS),
                        spread(cost, US, (0.5, 0.99)),
                        f"{mean(cost) / BUDGET_NS:.2%}",
                        f"{max(cost) / BUDGET_NS:.2%}",
                        *(("-", "-") if mode == COPY else (number(sampling / US), over)),
                    ]
                )
    if not rows:
        return ""
    titles = ["constraint", "masks", "tokens", "compile ms"]
    titles += ["mask + advance µs: mean / p50 / p99 / max", "mean of 4 ms", "max of 4 ms"]
    titles += ["sampling, more µs", "over unmasked decoding"]
    return table(titles, rows)


def added(series: dict[str, list[int]]) -> list[int]:
    """Return what the constraint takes at each token: its mask and its advance."""
    return [m + a for m, a in zip(series["mask_ns"], series["advance_ns"], strict=True)]


def prediction_table(results: dict[str, Any]) -> str:
    """Return the published prediction beside what was measured, format by format, and in words."""
    for session in _sessions(results, "decoding"):
        forms = _means_by_format(results, session)
        if not forms:
            return ""
        rows = [
            [
                title,
                f"{predicted:g}",
                *(f"{min(v):.3f} to {max(v):.3f}" for v in means.values()),
                f"{max(means['precompiled']) / _goal_ms():.2%}",
            ]
            for title, (predicted, means) in forms.items()
        ]
        _, means = next(iter(forms.values()))
        titles = ["format", "predicted, ms a mask", *(f"{name}, ms" for name in means)]
        titles.append("worst precompiled of 4 ms")
        note = (
            "Mean of mask and advance over each output, least to most. Predicted "
            f"for masks derived again at each token: {PREDICTED_AGAIN_MS:g} ms."
        )
        return f"{note}\n\n{table(titles, rows)}\n\n{_in_words(session, forms)}"
    return ""


Means = dict[str, tuple[float, dict[str, list[float]]]]


def _goal_ms() -> float:
    from benchmarks.decoding import BUDGET_NS

    return BUDGET_NS / MS


def _means_by_format(results: dict[str, Any], session: dict[str, Any]) -> Means:
    """Return for each format what was predicted, and each way's means over outputs, in ms."""
    from benchmarks.cases.formats import FORMATS

    found: Means = {}
    for form, title in FORMATS.items():
        records = [
            record
            for name, record in session["cases"].items()
            if results["cases"][name]["format"] == form
        ]
        if records:
            ways = [mode for mode in records[0]["modes"] if mode not in ("unmasked", COPY)]
            means = {m: [mean(added(r["modes"][m])) / MS for r in records] for m in ways}
            found[title] = PREDICTED_MS[form], means
    return found


def _in_words(session: dict[str, Any], forms: Means) -> str:
    """Return what the figures say of the prediction and of the goal, as a list."""
    from benchmarks.decoding import COMPILED

    cases = session["cases"]
    over = (
        f"{title} {number(mean(means['precompiled']) / predicted)}"
        for title, (predicted, means) in forms.items()
    )
    lines = [f"Precompiled masks take so many times what was predicted: {', '.join(over)}."]
    if all(COPY in record["modes"] for record in cases.values()):
        copies = [mean(added(record["modes"][COPY])) / MS for record in cases.values()]
        lines[0] += f" A copy alone takes {min(copies):.3f} to {max(copies):.3f} ms."
    if all("derived again" in means for _, means in forms.values()):
        above = _above(cases, "derived again", PREDICTED_AGAIN_MS)
        lines.append(
            f"Derived again at each token, {len(cases) - len(above)} of {len(cases)} outputs take "
            f"less than the {PREDICTED_AGAIN_MS:g} ms predicted{_named(above, 'ms', 1.0)}."
        )
    goal_ms = _goal_ms() / 100
    for way in (way for way in COMPILED if all(way in c["modes"] for c in cases.values())):
        above = _above(cases, way, goal_ms)
        lines.append(
            f"{way.capitalize()}, {len(cases) - len(above)} of {len(cases)} outputs stay below "
            f"{goal_ms * MS / US:g} µs in the mean{_named(above, 'µs', MS / US)}."
        )
    return "\n".join(f"- {line}" for line in lines)


def _above(cases: dict[str, Any], way: str, most_ms: float) -> dict[str, float]:
    means = {name: mean(added(record["modes"][way])) / MS for name, record in cases.items()}
    return {name: ms for name, ms in means.items() if ms >= most_ms}


def _named(above: dict[str, float], unit: str, size: float) -> str:
    if not above:
        return ""
    named = (f"{name.replace('.', ' as ')} {number(ms * size)}" for name, ms in above.items())
    return f"; above it ({unit}): {', '.join(named)}"
