"""Runs sessions: an engine, a vocabulary and a workload, in processes of their own.

The parent only waits: it reads events, shows progress and ends a case that exceeds its limit of
processor time. A case that times out or crashes is recorded as such and the rest of the list goes
on in a new process.
"""

from __future__ import annotations

import json
import tempfile
from dataclasses import dataclass, field
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
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from benchmarks.cases import Case
    from benchmarks.engines import EngineSpec
    from benchmarks.vocabularies import VocabularyData

WORKLOADS = ("replay", "batch", "startup", "memory")


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

    `cases` are given by kind. Modes concern replays alone.
    """

    engines: Sequence[str]
    vocabularies: Sequence[str]
    cases: Mapping[str, Sequence[Case]]
    modes: Sequence[str] = ("shared",)
    workloads: Sequence[str] = field(default=("replay",))


def run_suite(selection: Selection, options: Options) -> Iterator[dict[str, Any]]:
    """Yield one session record after the other, as soon as it is measured.

    Raises `RuntimeError` when an engine's environment is missing, and in the end, when the others
    are measured, if an engine could not be started or a vocabulary not be read, or if there was
    nothing to measure.
    """
    for name in selection.engines:
        if not is_ready(ENGINES[name]):
            raise RuntimeError(
                f"no environment for {name}: run `python -m benchmarks setup {name}`"
            )
    failures: list[str] = []
    count = 0
    with tempfile.TemporaryDirectory(prefix="benchmarks-") as folder:
        for name in selection.vocabularies:
            for session in _sessions(selection, name, options, Path(folder), failures):
                count += 1
                yield {**session, "vocabulary": name}
    if not count and not failures:
        failures.append("nothing to measure: no engine chosen takes part in this; see `list`")
    if failures:
        raise RuntimeError("; ".join(failures))


def _sessions(
    selection: Selection, name: str, options: Options, folder: Path, failures: list[str]
) -> Iterator[dict[str, Any]]:
    """Yield the sessions over one vocabulary; what cannot be measured is added to `failures`."""
    try:
        vocabulary = load_vocabulary(name)
    except RuntimeError as error:
        failures.append(str(error))
        return
    for measure in _of_vocabulary(selection, vocabulary, options, folder):
        try:
            session = measure()
        except RuntimeError as error:
            failures.append(str(error))
        else:
            if session is not None:
                yield session


def _of_vocabulary(
    selection: Selection, vocabulary: VocabularyData, options: Options, folder: Path
) -> Iterator[Callable[[], dict[str, Any] | None]]:
    """Yield what measures each session; None is returned where an engine has no part in one."""
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
                yield partial(_other, workload, ENGINES[name], common, tokeniser, options)
            continue
        for kind, cases in selection.cases.items():
            path = folder / f"{vocabulary.name}-{kind}"
            path.write_text(json.dumps(build_workload(cases, tokeniser)), encoding="utf-8")
            job = {**common, "workload": str(path)}
            for mode in selection.modes:
                for name in engines:
                    yield partial(_replay, name, cases, job, options, kind=kind, mode=mode)


def _other(
    workload: str,
    spec: EngineSpec,
    common: dict[str, Any],
    tokeniser: Tokeniser,
    options: Options,
) -> dict[str, Any] | None:
    session = others.RUNNERS[workload](spec, common, tokeniser, options)
    if session is not None:
        session.update(workload=workload, engine=spec.name)
    return session


def _knows(spec: EngineSpec, vocabulary: str) -> bool:
    return not spec.vocabularies or vocabulary in spec.vocabularies


def _replay(
    name: str,
    cases: Sequence[Case],
    common: dict[str, Any],
    options: Options,
    *,
    kind: str,
    mode: str,
) -> dict[str, Any] | None:
    """Return the session of one engine, None where it reads no case of them."""
    spec = ENGINES[name]
    spellable = {
        entry["name"]
        for entry in json.loads(Path(common["workload"]).read_text(encoding="utf-8"))
        if entry["runs"]
    }
    chosen = [case for case in cases if _takes(spec, case) and case.name in spellable]
    if not chosen:
        return None
    job = {
        **common,
        "task": "replay",
        "engine": name,
        "package": spec.package,
        "adapter": spec.adapter,
        "complete": spec.complete,
        "cases": [case.name for case in chosen],
        "formats": _formats(spec, chosen),
    }
    label = f"{Path(common['workload']).name} {mode} {name}"
    repeats = [
        _run_once(job, mode, options, f"{label} [{turn + 1}/{options.repeat}]")
        for turn in range(options.repeat)
    ]
    session = merge_repeats(repeats)
    session.update(workload="replay", engine=name, kind=kind, mode=mode)
    return session


def _takes(spec: EngineSpec, case: Case) -> bool:
    """Tell whether a case has a form that this engine reads."""
    return case.dialect(spec.package).format in spec.formats


def _formats(spec: EngineSpec, cases: Sequence[Case]) -> list[str]:
    """Return the formats that an engine will be given, in order of appearance."""
    return list(dict.fromkeys(case.dialect(spec.package).format for case in cases))


def _run_once(job: dict[str, Any], mode: str, options: Options, label: str) -> dict[str, Any]:
    """Run all cases of a job once, in as many processes as it takes."""
    session: dict[str, Any] = {"setup": {}, "versions": {}, "cases": {}, "restarts": 0}
    progress = Progress(label, len(job["cases"]))
    todo = list(job["cases"])
    while todo:
        batch = todo[:1] if mode == "isolated" else todo
        finished = _run_process({**job, "cases": batch}, options, session, progress)
        todo = [name for name in todo if name not in finished]
        session["restarts"] += mode != "isolated" and bool(todo)
    counts: dict[str, int] = {}
    for record in session["cases"].values():
        counts[record["status"]] = counts.get(record["status"], 0) + 1
    progress.close(", ".join(f"{count} {status}" for status, count in sorted(counts.items())))
    return session


def _run_process(
    job: dict[str, Any], options: Options, session: dict[str, Any], progress: Progress
) -> set[str]:
    """Run one worker until it ends or must be ended; return the cases that have a record now."""
    spec = ENGINES[job["engine"]]
    limit_s = min(options.timeout_s, spec.timeout_s or options.timeout_s)
    worker = Worker(job, interpreter(spec), options.niceness)
    finished: set[str] = set()
    current: str | None = None
    complete = False
    try:
        for event in worker:
            if event["event"] == "ready":
                session["versions"] = event["versions"]
                _keep_best(session["setup"], event["setup"])
            elif event["event"] == "begin":
                current = event["case"]
                progress.show(event["case"])
                worker.set_limit(limit_s)
            elif event["event"] == "case":
                session["cases"][event["case"]] = event["record"]
                finished.add(event["case"])
                current = None
                progress.step()
                # Taken from cases, not from the end, which a process that is killed never reaches.
                peak = event["record"]["rss_peak_mib"]
                session["rss_peak_mib"] = max(session.get("rss_peak_mib", 0.0), peak)
            elif event["event"] == "end":
                complete = True
    finally:
        worker.stop()
    if complete:
        return finished
    if current is None:
        raise RuntimeError(f"{job['engine']} does not run: {worker.last_words}")
    status = "timeout" if worker.ended_by else "crash"
    error = worker.ended_by or worker.last_words
    session["cases"][current] = {"status": status, "error": error}
    progress.step()
    return finished | {current}


def _keep_best(known: dict[str, float], new: dict[str, float]) -> None:
    for key, value in new.items():
        known[key] = min(known.get(key, value), value)
