"""Runs sessions: an engine, a vocabulary and a workload, in processes of their own.

The parent only waits: it reads events, shows progress and ends a case that exceeds its limit of
processor time. A case that times out or crashes is recorded as such and the rest of the list goes
on in a new process.
"""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks import others
from benchmarks.engines import ENGINES
from benchmarks.environments import interpreter, is_ready
from benchmarks.merge import merge_repeats
from benchmarks.process import Worker
from benchmarks.progress import Progress
from benchmarks.vocabularies import Tokeniser, load_vocabulary
from benchmarks.workloads import build_workload

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Mapping, Sequence

    from benchmarks.cases import Case
    from benchmarks.engines import EngineSpec
    from benchmarks.vocabularies import VocabularyData

WORKLOADS = ("replay", "batch", "startup", "memory")
# After others' turns the processor's caches hold nothing of an engine's: at every case, that would
# cost those most that compile quickest.
CASES_A_TURN = 20


@dataclass(frozen=True)
class Options:
    """How to run; see `python -m benchmarks run --help`."""

    repeat: int = 1
    timeout_s: float = 30.0
    memory_gib: float = 12.0
    core: int = 0
    flush: bool = False
    niceness: int = 0


@dataclass(frozen=True)
class Selection:
    """What to run: every engine on every vocabulary in every workload, as far as it can.

    `cases` are given by kind. Modes concern replays alone. Engines that are `absent` are left out;
    it says why.
    """

    engines: Sequence[str]
    vocabularies: Sequence[str]
    cases: Mapping[str, Sequence[Case]]
    modes: Sequence[str] = ("shared",)
    workloads: Sequence[str] = field(default=("replay",))
    absent: Mapping[str, str] = field(default_factory=dict)


@dataclass
class _Rest:
    """What a run leaves besides whole sessions: what failed, and what was cut short."""

    failures: list[str] = field(default_factory=list)
    cut: list[dict[str, Any]] = field(default_factory=list)


class UnmeasuredError(RuntimeError):
    """All that could be measured was, but not all that was asked for."""


def run_suite(
    selection: Selection, options: Options, kept: list[dict[str, Any]]
) -> Iterator[dict[str, Any]]:
    """Yield one session record after the other, as soon as it is measured.

    Raises `RuntimeError` when the environment of an engine is missing that is not said to be
    absent, and in the end, when the others are measured, `UnmeasuredError` if an engine was absent
    or could not be started, or a vocabulary not be read, or if there was nothing to measure. Where
    something else ends it, what the engines have finished of the sessions under way is added to
    `kept` before.
    """
    selection = replace(
        selection, engines=[name for name in selection.engines if name not in selection.absent]
    )
    for name in selection.engines:
        if not is_ready(ENGINES[name]):
            raise RuntimeError(
                f"no environment for {name}: run `python -m benchmarks setup {name}`"
            )
    rest = _Rest(failures=list(selection.absent.values()))
    count = 0
    with tempfile.TemporaryDirectory(prefix="benchmarks-") as folder:
        for name in selection.vocabularies:
            try:
                for session in _sessions(selection, name, options, Path(folder), rest):
                    count += 1
                    yield {**session, "vocabulary": name}
            finally:
                kept += [{**session, "vocabulary": name} for session in rest.cut]
    if not count and not rest.failures:
        rest.failures.append("nothing to measure: no engine chosen takes part in this; see `list`")
    if rest.failures:
        raise UnmeasuredError("; ".join(rest.failures))


def _sessions(
    selection: Selection, name: str, options: Options, folder: Path, rest: _Rest
) -> Iterator[dict[str, Any]]:
    """Yield the sessions over one vocabulary; what cannot be measured is added to `rest`."""
    try:
        vocabulary = load_vocabulary(name)
    except RuntimeError as error:
        rest.failures.append(str(error))
        return
    for measure in _of_vocabulary(selection, vocabulary, options, folder):
        yield from measure(rest)


def _of_vocabulary(
    selection: Selection, vocabulary: VocabularyData, options: Options, folder: Path
) -> Iterator[Callable[[_Rest], list[dict[str, Any]]]]:
    """Yield what measures sessions, which notes what it cannot measure."""
    tokens = folder / f"{vocabulary.name}-tokens"
    vocabulary.save(tokens)
    tokeniser = Tokeniser(vocabulary)
    engines = [name for name in selection.engines if _knows(ENGINES[name], vocabulary.name)]
    common = {
        "vocabulary": str(tokens),
        "core": options.core,
        "memory_gib": options.memory_gib,
        "flush": options.flush,
    }
    for workload in selection.workloads:
        if workload != "replay":
            for name in engines:
                run = others.RUNNERS[workload]
                measure = partial(run, ENGINES[name], common, tokeniser, options)
                yield partial(_other, measure, workload=workload, engine=name)
            continue
        for kind, cases in selection.cases.items():
            path = folder / f"{vocabulary.name}-{kind}"
            path.write_text(json.dumps(build_workload(cases, tokeniser)), encoding="utf-8")
            job = {**common, "workload": str(path)}
            for mode in selection.modes:
                jobs = [one for name in engines if (one := _job(name, cases, job)) is not None]
                order = [case.name for case in cases]
                yield partial(_replays, jobs, order, options, kind=kind, mode=mode)


def _other(
    measure: Callable[[], dict[str, Any] | None], rest: _Rest, *, workload: str, engine: str
) -> list[dict[str, Any]]:
    """Return the session of one engine in another workload, if it takes part."""
    try:
        session = measure()
    except RuntimeError as error:
        rest.failures.append(str(error))
        return []
    return [] if session is None else [{**session, "workload": workload, "engine": engine}]


def _knows(spec: EngineSpec, vocabulary: str) -> bool:
    return not spec.vocabularies or vocabulary in spec.vocabularies


def _job(name: str, cases: Sequence[Case], common: dict[str, Any]) -> dict[str, Any] | None:
    """Return what an engine replays, None where it reads no case."""
    spec = ENGINES[name]
    spellable = {
        entry["name"]
        for entry in json.loads(Path(common["workload"]).read_text(encoding="utf-8"))
        if entry["runs"]
    }
    chosen = [case for case in cases if _takes(spec, case) and case.name in spellable]
    if not chosen:
        return None
    return {
        **common,
        "task": "replay",
        "engine": name,
        "package": spec.package,
        "adapter": spec.adapter,
        "complete": spec.complete,
        "cases": [case.name for case in chosen],
        "formats": _formats(spec, chosen),
    }


def _replays(
    jobs: list[dict[str, Any]],
    order: list[str],
    options: Options,
    rest: _Rest,
    *,
    kind: str,
    mode: str,
) -> list[dict[str, Any]]:
    """Return the sessions of all engines; those that do not run are added to the failures.

    They take turns: what a processor's clock does in the meantime, it does to all. Where that ends
    early, what they have is added to what was cut short.
    """
    repeats: dict[str, list[dict[str, Any]]] = {job["engine"]: [] for job in jobs}
    running: dict[str, _Once] = {}

    def session(engine: str, found: list[dict[str, Any]]) -> dict[str, Any]:
        merged = merge_repeats(found)
        return {**merged, "workload": "replay", "engine": engine, "kind": kind, "mode": mode}

    try:
        for turn in range(options.repeat):
            suffix = f"[{turn + 1}/{options.repeat}]"
            chosen = [job for job in jobs if job["engine"] in repeats]
            running |= {job["engine"]: _Once(job, mode, options, suffix) for job in chosen}
            _in_turns(running, order, repeats, rest.failures)
    except BaseException:
        for job in (job for job in jobs if job["engine"] in running):
            every = len(job["cases"])
            parts = [*repeats[job["engine"]], *running[job["engine"]].unfinished()]
            whole = sum(len(part["cases"]) == every for part in parts)
            if parts:
                part = session(job["engine"], parts)
                if whole < options.repeat:
                    done = len(part["cases"])
                    part["interrupted"] = {"cases": done, "of": every, "repeats": whole}
                rest.cut.append(part)
        raise
    return [session(engine, found) for engine, found in repeats.items()]


def _in_turns(
    running: dict[str, _Once],
    order: list[str],
    repeats: dict[str, list[dict[str, Any]]],
    failures: list[str],
) -> None:
    """Go through all cases once; an engine that does not run is taken out."""
    turns = [order[at : at + CASES_A_TURN] for at in range(0, len(order), CASES_A_TURN)]
    try:
        for cases in (*turns, None):
            for engine in list(running):
                try:
                    if cases is None:
                        repeats[engine].append(running[engine].finish())
                    else:
                        running[engine].measure(cases)
                except RuntimeError as error:
                    failures.append(str(error))
                    del running[engine], repeats[engine]
    finally:
        for once in running.values():
            once.close()


def _takes(spec: EngineSpec, case: Case) -> bool:
    """Tell whether a case has a form that this engine reads."""
    return case.dialect(spec.package).format in spec.formats


def _formats(spec: EngineSpec, cases: Sequence[Case]) -> list[str]:
    """Return the formats that an engine will be given, in order of appearance."""
    return list(dict.fromkeys(case.dialect(spec.package).format for case in cases))


class _Once:
    """All cases of a job once, in as many processes as it takes; others may run in between."""

    def __init__(self, job: dict[str, Any], mode: str, options: Options, suffix: str) -> None:
        self._session: dict[str, Any] = {"setup": {}, "versions": {}, "cases": {}, "restarts": 0}
        self._finished = False
        self._cases = set(job["cases"])
        label = f"{Path(job['workload']).name} {mode} {job['engine']} {suffix}"
        self._progress = Progress(label, len(job["cases"]))
        self._progress.pause()
        self._steps = self._run(job, mode, options)

    def measure(self, cases: Sequence[str]) -> None:
        """Measure the next cases, those of them that the engine reads.

        Raises `RuntimeError` when the engine does not run.
        """
        self._progress.resume()
        for case in cases:
            if case in self._cases:
                next(self._steps)
        self._progress.pause()

    def finish(self) -> dict[str, Any]:
        """End what still runs; return the session."""
        self._progress.resume()
        for _ in self._steps:
            pass
        counts = Counter(record["status"] for record in self._session["cases"].values())
        summary = ", ".join(f"{count} {status}" for status, count in sorted(counts.items()))
        self._progress.close(summary)
        self._finished = True
        return self._session

    def unfinished(self) -> list[dict[str, Any]]:
        """Return the session as far as it is, if it is neither finished nor empty."""
        return [self._session] if self._session["cases"] and not self._finished else []

    def close(self) -> None:
        """End the process that may still be there."""
        self._steps.close()

    def _run(self, job: dict[str, Any], mode: str, options: Options) -> Generator[str, None, None]:
        """Yield each case when it has a record."""
        todo = list(job["cases"])
        while todo:
            batch = todo[:1] if mode == "isolated" else todo
            steps = _run_process({**job, "cases": batch}, options, self._session, self._progress)
            finished = set()
            for name in steps:
                finished.add(name)
                yield name
            todo = [name for name in todo if name not in finished]
            self._session["restarts"] += mode != "isolated" and bool(todo)


def _run_process(
    job: dict[str, Any], options: Options, session: dict[str, Any], progress: Progress
) -> Iterator[str]:
    """Run one worker until it ends or must be ended; yield the cases that have a record now."""
    spec = ENGINES[job["engine"]]
    limit_s = min(options.timeout_s, spec.timeout_s or options.timeout_s)
    worker = Worker(job, interpreter(spec), options.niceness)
    current: str | None = None
    complete = False
    try:
        worker.proceed()
        for event in worker:
            if event["event"] == "ready":
                session["versions"] = event["versions"]
                _keep_best(session["setup"], event["setup"])
            elif event["event"] == "begin":
                current = event["case"]
                progress.show(event["case"])
                worker.set_limit(limit_s)
            elif event["event"] == "case":
                # Limits are looked at now and then: one passed in between holds all the same.
                over = worker.over_limit()
                late = {"status": "timeout", "error": over}
                session["cases"][event["case"]] = late if over else event["record"]
                current = None
                progress.step()
                # Taken from cases, not from the end, which a process that is killed never reaches.
                peak = event["record"]["rss_peak_mib"]
                session["rss_peak_mib"] = max(session.get("rss_peak_mib", 0.0), peak)
                yield event["case"]
                worker.proceed()
            elif event["event"] == "end":
                complete = True
    finally:
        worker.stop()
    if complete:
        return
    if current is None:
        raise RuntimeError(f"{job['engine']} does not run: {worker.last_words}")
    status = "timeout" if worker.ended_by else "crash"
    error = worker.ended_by or worker.last_words
    session["cases"][current] = {"status": status, "error": error}
    progress.step()
    yield current


def _keep_best(known: dict[str, float], new: dict[str, float]) -> None:
    for key, value in new.items():
        known[key] = min(known.get(key, value), value)
