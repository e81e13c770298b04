"""Runs workers: one process per engine and vocabulary, or one per case with `isolate`.

The parent only waits: it reads events, shows progress and ends a case that exceeds its limit of
processor time. A case that times out or crashes is recorded as such and the rest of the list goes
on in a new process.
"""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.cases import ROOT
from benchmarks.engines import ENGINES
from benchmarks.environments import interpreter, is_ready
from benchmarks.merge import merge_repeats
from benchmarks.vocabularies import Tokeniser, load_vocabulary
from benchmarks.workloads import build_workload

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from benchmarks.cases import Case
    from benchmarks.engines import EngineSpec

POLL_S = 0.5
WALL_FACTOR = 20  # a case may wait this many times its processor limit, for the machine's sake
START_LIMIT_S = 180.0
EXIT_LIMIT_S = 10.0


@dataclass(frozen=True)
class Options:
    """How to run; see `python -m benchmarks run --help`."""

    repeat: int = 1
    timeout_s: float = 30.0
    memory_gib: float = 12.0
    core: int = 0
    flush: bool = False
    niceness: int = 0


class Progress:
    """One line on standard error, rewritten in place on a terminal."""

    def __init__(self, label: str, total: int) -> None:
        self._label = label
        self._total = total
        self._done = 0
        self._live = sys.stderr.isatty()

    def show(self, what: str) -> None:
        """Say which case runs now."""
        if self._live:
            text = f"{self._label} {self._done + 1}/{self._total} {what}"
            print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)

    def step(self) -> None:
        """Count a finished case."""
        self._done += 1

    def close(self, summary: str) -> None:
        """Leave one line that says how it went."""
        start = "\r\x1b[K" if self._live else ""
        print(f"{start}{self._label}: {summary}", file=sys.stderr, flush=True)


def run_suite(
    engines: Sequence[str],
    vocabularies: Sequence[str],
    modes: Sequence[str],
    cases: Sequence[Case],
    options: Options,
) -> Iterator[dict[str, Any]]:
    """Yield one session record per vocabulary, mode and engine, as soon as it is measured.

    Raises `RuntimeError` when an engine's environment is missing or cannot be started.
    """
    for name in engines:
        if not is_ready(ENGINES[name]):
            raise RuntimeError(
                f"no environment for {name}: run `python -m benchmarks setup {name}`"
            )
    with tempfile.TemporaryDirectory(prefix="benchmarks-") as folder:
        for vocabulary_name in vocabularies:
            vocabulary = load_vocabulary(vocabulary_name)
            paths = {key: Path(folder) / f"{vocabulary_name}-{key}" for key in ("tokens", "work")}
            vocabulary.save(paths["tokens"])
            workload = build_workload(cases, Tokeniser(vocabulary))
            paths["work"].write_text(json.dumps(workload), encoding="utf-8")
            del vocabulary, workload
            for mode in modes:
                for name in engines:
                    chosen = [case for case in cases if _takes(ENGINES[name], case)]
                    if not chosen:
                        continue
                    job = {
                        "engine": name,
                        "package": ENGINES[name].package,
                        "adapter": ENGINES[name].adapter,
                        "complete": ENGINES[name].complete,
                        "vocabulary": str(paths["tokens"]),
                        "workload": str(paths["work"]),
                        "core": options.core,
                        "memory_gib": options.memory_gib,
                        "flush": options.flush,
                        "cases": [case.name for case in chosen],
                        "formats": _formats(ENGINES[name], chosen),
                    }
                    label = f"{vocabulary_name} {mode} {name}"
                    repeats = [
                        _run_once(job, mode, options, f"{label} [{turn + 1}/{options.repeat}]")
                        for turn in range(options.repeat)
                    ]
                    session = merge_repeats(repeats)
                    session.update(engine=name, vocabulary=vocabulary_name, mode=mode)
                    yield session


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
    worker = _Worker(job, options)
    finished: set[str] = set()
    current: str | None = None
    complete = silent = False
    try:
        while (event := worker.next_event()) is not None:
            if event["event"] == "ready":
                session["versions"] = event["versions"]
                _keep_best(session["setup"], event["setup"])
            elif event["event"] == "begin":
                current = event["case"]
                progress.show(event["case"])
                worker.set_limit(options.timeout_s)
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
        silent = True  # it has closed its output, so it is ending by itself
    finally:
        worker.stop(patience_s=EXIT_LIMIT_S if silent else 0)
    if complete:
        return finished
    if current is None:
        raise RuntimeError(f"{job['engine']} does not run: {worker.last_words()}")
    status = "timeout" if worker.ended_by else "crash"
    error = worker.ended_by or worker.last_words()
    session["cases"][current] = {"status": status, "error": error}
    progress.step()
    return finished | {current}


def _keep_best(known: dict[str, float], new: dict[str, float]) -> None:
    for key, value in new.items():
        known[key] = min(known.get(key, value), value)


class _Worker:
    """A running worker process, its events and its limits."""

    def __init__(self, job: dict[str, Any], options: Options) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="benchmark-job-")
        path = Path(self._folder.name) / "job.json"
        path.write_text(json.dumps(job), encoding="utf-8")
        self._errors = (Path(self._folder.name) / "stderr").open("w+", encoding="utf-8")
        threads = dict.fromkeys(("OMP_NUM_THREADS", "RAYON_NUM_THREADS", "MKL_NUM_THREADS"), "1")
        command = [str(interpreter(_spec(job))), "-m", "benchmarks.worker", str(path)]
        if options.niceness:
            command = ["nice", "-n", str(options.niceness), *command]
        self._process = subprocess.Popen(
            command,
            cwd=ROOT,
            env={**os.environ, **threads, "PYTHONHASHSEED": "0"},
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
        )
        self._events: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self.ended_by: str | None = None
        self._last_words = ""
        self.set_limit(START_LIMIT_S)

    def set_limit(self, limit_s: float) -> None:
        """Allow the process this much more processor time from now on."""
        self._limit_s = limit_s
        self._cpu_start = self._cpu_s()
        self._wall_start = time.monotonic()

    def next_event(self) -> dict[str, Any] | None:
        """Return the next event; None once the process has ended or was ended for its limit."""
        while True:
            try:
                return self._events.get(timeout=POLL_S)
            except queue.Empty:
                if self.ended_by is None and self._over_limit():
                    self.ended_by = f"more than {self._limit_s:g} s of processor time"
                    self._process.kill()

    def last_words(self) -> str:
        """Return how the process ended and the end of what it wrote; valid after `stop`."""
        return self._last_words

    def stop(self, patience_s: float) -> None:
        """End the process if it still runs after this time, and release its files."""
        if self._reader.is_alive() or self._process.poll() is None:
            try:
                self._process.wait(timeout=patience_s)
            except subprocess.TimeoutExpired:
                self._process.kill()
        self._process.wait()
        self._reader.join()
        if self._process.stdout:
            self._process.stdout.close()
        self._errors.close()
        text = Path(self._errors.name).read_text(encoding="utf-8", errors="replace").strip()
        self._last_words = f"exit status {self._process.returncode}: {text[-300:]}"
        self._folder.cleanup()

    def _read(self) -> None:
        for line in self._process.stdout or ():
            self._events.put(json.loads(line))
        self._events.put(None)

    def _over_limit(self) -> bool:
        used = self._cpu_s() - self._cpu_start
        waited = time.monotonic() - self._wall_start
        return used > self._limit_s or waited > WALL_FACTOR * self._limit_s

    def _cpu_s(self) -> float:
        try:
            content = Path(f"/proc/{self._process.pid}/stat").read_text(encoding="utf-8")
        except FileNotFoundError:
            return 0.0
        fields = content.rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _spec(job: dict[str, Any]) -> EngineSpec:
    return ENGINES[job["engine"]]
