"""Workloads other than replays: batches, starting up, and memory over many schemas.

Each is a function of an engine that returns a session without the names of engine and vocabulary,
or None where the engine has no part in it.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.cases import load_mixes
from benchmarks.cases.many import many_schemas
from benchmarks.environments import interpreter
from benchmarks.process import Worker, environment, usable_cores
from benchmarks.progress import Progress
from benchmarks.workloads import build_workload

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchmarks.engines import EngineSpec
    from benchmarks.runner import Options
    from benchmarks.vocabularies import Tokeniser

    Runner = Callable[[EngineSpec, dict[str, Any], Tokeniser, Options], "dict[str, Any] | None"]

ROWS = 256
STEPS = 32
THREADS = (1, 2)
IMPORTS = 5
SETUPS = 3
IMPORT_LIMIT_S = 180.0
# A program that uses the package starts like this; nothing but `time` and `os`, which Python itself
# loads, is there before.
_IMPORT = """
import os, time
os.sched_setaffinity(0, {{{core}}})
cpu, wall = time.process_time_ns(), time.perf_counter_ns()
import {module}
print(time.process_time_ns() - cpu, time.perf_counter_ns() - wall)
print(next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmRSS")))
"""


def run_batch(
    spec: EngineSpec, common: dict[str, Any], tokeniser: Tokeniser, options: Options
) -> dict[str, Any] | None:
    """Fill many rows a step, by one thread and by two; each in a process of its own."""
    if not spec.batches:
        return None
    session: dict[str, Any] = {"setup": {}, "versions": {}, "batches": []}
    mixes = load_mixes()
    cores = [options.core, *(core for core in usable_cores() if core != options.core)]
    threads_tried = [n for n in THREADS if n <= len(cores)]
    label = f"{Path(common['vocabulary']).name} batch {spec.name}"
    progress = Progress(label, len(mixes) * len(threads_tried))
    for mix in mixes:
        cases = mix.cases
        if any(case.dialect(spec.package).format not in spec.formats for case in cases):
            continue
        workload = build_workload(cases, tokeniser)
        for threads in threads_tried:
            job = _job(spec, common, workload, "batch")
            job.update(rows=ROWS, steps=STEPS, threads=threads, size=tokeniser.size)
            job["cores"] = cores[:threads]
            progress.show(f"{mix.name}, {threads} threads")
            records = [_run(spec, job, options, session) for _ in range(options.repeat)]
            record = records[0][-1]
            for other in records[1:]:
                record = _smaller(record, other[-1])
            session["batches"].append({"mix": mix.name, "threads": threads, **record})
            progress.step()
    progress.close(
        ", ".join(f"{b['mix']} {b['threads']} {b['status']}" for b in session["batches"])
    )
    return session


def run_startup(
    spec: EngineSpec, common: dict[str, Any], tokeniser: Tokeniser, options: Options
) -> dict[str, Any] | None:
    """Import the package, and set the vocabulary up, each time in a fresh process."""
    del tokeniser
    if not spec.module:
        return None
    session: dict[str, Any] = {"setup": {}, "versions": {}, "imports": [], "setups": []}
    progress = Progress(f"{Path(common['vocabulary']).name} startup {spec.name}", IMPORTS + SETUPS)
    for _ in range(IMPORTS):
        progress.show("import")
        session["imports"].append(_import_once(spec, options))
        progress.step()
    for _ in range(SETUPS):
        progress.show("vocabulary")
        failed = _run(spec, _job(spec, common, [], "setup"), options, session)
        if failed:
            raise RuntimeError(f"{spec.name} does not always start: {failed[-1]['error']}")
        session["setups"].append(session["setup"])
        progress.step()
    best = min(entry["wall_ns"] for entry in session["imports"]) / 1e6
    progress.close(f"import {best:.0f} ms, vocabulary {session['setup']['setup_ms']:.0f} ms")
    return session


def _import_once(spec: EngineSpec, options: Options) -> dict[str, Any]:
    """Import the package in a fresh process; raises `RuntimeError` where that fails."""
    code = _IMPORT.format(module=spec.module, core=options.core)
    command = [str(interpreter(spec)), "-I", "-c", code]
    if options.niceness:
        command = ["nice", "-n", str(options.niceness), *command]
    try:
        done = subprocess.run(
            command, env=environment(), check=True, capture_output=True, text=True,
            timeout=IMPORT_LIMIT_S,
        )  # fmt: skip
    except subprocess.TimeoutExpired as error:
        raise RuntimeError(
            f"{spec.name} does not run: import {spec.module} takes more than {IMPORT_LIMIT_S:g} s"
        ) from error
    except subprocess.CalledProcessError as error:
        words = f"exit status {error.returncode}: {error.stderr[-300:].strip()}"
        raise RuntimeError(f"{spec.name} does not run: {words}") from error
    # The package may print something of its own before.
    cpu_ns, wall_ns, rss_kib = map(int, done.stdout.split()[-3:])
    return {"cpu_ns": cpu_ns, "wall_ns": wall_ns, "rss_mib": round(rss_kib / 1024, 1)}


def run_memory(
    spec: EngineSpec, common: dict[str, Any], tokeniser: Tokeniser, options: Options
) -> dict[str, Any] | None:
    """Use thousands of schemas once each, and see what stays."""
    if "json_schema" not in spec.formats:
        return None
    session: dict[str, Any] = {"setup": {}, "versions": {}, "status": "ok"}
    workload = build_workload(many_schemas(), tokeniser)
    progress = Progress(f"{Path(common['vocabulary']).name} memory {spec.name}", len(workload))
    job = _job(spec, common, workload, "memory")
    job["formats"] = ["json_schema"]
    session["points"] = _run(spec, job, options, session, limit_s=20 * options.timeout_s)
    if session["points"] and "status" in session["points"][-1]:
        session.update(session["points"].pop())
    last = session["points"][-1] if session["points"] else {"schemas": 0, "rss_mib": 0}
    progress.close(f"{session['status']}, {last['rss_mib']} MiB after {last['schemas']} schemas")
    return session


RUNNERS: dict[str, Runner] = {
    "batch": run_batch,
    "startup": run_startup,
    "memory": run_memory,
}


def _job(
    spec: EngineSpec, common: dict[str, Any], workload: list[dict[str, Any]], task: str
) -> dict[str, Any]:
    path = Path(common["vocabulary"]).with_suffix(f".{task}.json")
    path.write_text(json.dumps(workload), encoding="utf-8")
    return {
        **common,
        "task": task,
        "workload": str(path),
        "engine": spec.name,
        "package": spec.package,
        "adapter": spec.adapter,
        "formats": [],
    }


def _run(
    spec: EngineSpec,
    job: dict[str, Any],
    options: Options,
    session: dict[str, Any],
    limit_s: float | None = None,
) -> list[dict[str, Any]]:
    """Return the records of one process; how it failed, if it did, is the last of them."""
    worker = Worker(job, interpreter(spec), options.niceness)
    records: list[dict[str, Any]] = []
    complete = False
    try:
        for event in worker:
            if event["event"] == "ready":
                session["versions"], session["setup"] = event["versions"], event["setup"]
                worker.set_limit(limit_s or 4 * options.timeout_s)
            elif event["event"] == "end":
                complete = True
            else:
                records.append(event["record"])
    finally:
        worker.stop()
    if not complete:
        if not session["versions"]:
            raise RuntimeError(f"{spec.name} does not run: {worker.last_words}")
        status = "timeout" if worker.ended_by else "crash"
        records.append({"status": status, "error": worker.ended_by or worker.last_words})
    return records


def _smaller(left: dict[str, Any], right: dict[str, Any]) -> dict[str, Any]:
    """Return a batch with the smaller of both times for every fill; a failure wins."""
    for record in (left, right):
        if record["status"] != "ok":
            return record
    for key in ("first_ns", "first_cpu_ns", "again_ns", "again_cpu_ns"):
        left[key] = [min(pair) for pair in zip(left[key], right[key], strict=True)]
    return left
