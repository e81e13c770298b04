"""The process of one engine: `python -m benchmarks.worker JOB`.

Reads a job (JSON), does its task and writes one JSON line per event to standard output. Whatever an
engine prints goes to standard error instead. The parent watches the time, so a case that hangs or
crashes costs only itself. Tasks: "replay" measures cases in order, each when it is told to by a
line on standard input; "setup" only sets the engine up;
"batch" and "memory" are told in the modules of that name; "decoding" runs a model; "device" needs
all cores and address space, and is told in `benchmarks.device_worker`.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from benchmarks.engines.base import Adapter
    from benchmarks.json_oracle import JsonOracle
    from benchmarks.measure import Replayer, Row
    from benchmarks.vocabularies import VocabularyData

GIB = 2**30


def main(job_path: str) -> None:
    """Run the job."""
    # A terminal sends it to the parent as well, which ends this process.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    job = json.loads(Path(job_path).read_text(encoding="utf-8"))
    events = _claim_stdout()
    if job["task"] == "device":
        from benchmarks.device_worker import measure_device

        _emit(events, event="device", **measure_device(job))
        _emit(events, event="end")
        return
    os.sched_setaffinity(0, {job["core"]})
    _limit_memory(job["memory_gib"])
    if job["task"] == "decoding":
        from benchmarks.decoding import measure_decoding

        for event in measure_decoding(job):
            _emit(events, **event)
        _emit(events, event="end")
        return
    import numpy as np  # noqa: F401 - part of the base line, not of any engine's import

    from benchmarks.vocabularies import VocabularyData

    vocabulary = VocabularyData.load(Path(job["vocabulary"]))
    workload = json.loads(Path(job["workload"]).read_text(encoding="utf-8"))
    # Made before the engine, so that its memory is part of the base line.
    oracle = _oracle(vocabulary, job, workload)
    adapter, row, setup = _set_up(job, vocabulary)
    from benchmarks.measure import Replayer, clock_overhead_ns, warm_up

    setup["clock_ns"] = clock_overhead_ns()
    replayer = Replayer(adapter, row, vocabulary.stop_ids, flush=job["flush"])
    if job["formats"]:
        ids = [vocabulary.tokens.index(b"a"), vocabulary.tokens.index(b"b")]
        setup["first_compile_ms"] = warm_up(replayer, ids, job["formats"]) / 1e6
    _emit(events, event="ready", setup=setup, versions=adapter.versions())
    if job["task"] == "replay":
        _replay(events, job, replayer, workload, oracle)
    elif job["task"] == "batch":
        from benchmarks.batch import measure_batch

        _emit(events, event="batch", record=measure_batch(adapter, row, workload, job))
    elif job["task"] == "memory":
        from benchmarks.memory import measure_memory

        for record in measure_memory(replayer, workload, job):
            _emit(events, event="memory", record=record)
    _emit(events, event="end")


def _set_up(job: dict[str, Any], vocabulary: VocabularyData) -> tuple[Adapter, Row, dict[str, Any]]:
    """Import and build the adapter; return it with its row and what that took."""
    from benchmarks.measure import Row, memory_mib

    setup: dict[str, Any] = {"rss_base_mib": memory_mib("VmRSS")}
    gc.collect()
    gc.disable()
    module_name, class_name = job["adapter"].split(":")
    started = time.process_time_ns()
    module = importlib.import_module(module_name)
    setup["import_ms"] = (time.process_time_ns() - started) / 1e6
    setup["rss_import_mib"] = memory_mib("VmRSS")
    row = Row(len(vocabulary.tokens))
    started = time.process_time_ns()
    adapter = getattr(module, class_name)(vocabulary, row.array)
    if adapter.buffer is not None:
        row.use(adapter.buffer)
    setup["setup_ms"] = (time.process_time_ns() - started) / 1e6
    setup["rss_setup_mib"] = memory_mib("VmRSS")
    return adapter, row, setup


def _oracle(
    vocabulary: VocabularyData, job: dict[str, Any], workload: list[dict[str, Any]]
) -> JsonOracle | None:
    """Return a judge of masks, if any text to replay is JSON."""
    if job["task"] != "replay" or not any(case["json"] for case in workload):
        return None
    from benchmarks.json_oracle import JsonOracle

    return JsonOracle(vocabulary.tokens, vocabulary.stop_ids)


def _replay(
    events: TextIO,
    job: dict[str, Any],
    replayer: Replayer,
    workload: list[dict[str, Any]],
    oracle: JsonOracle | None,
) -> None:
    from benchmarks.measure import measure_case, memory_mib

    by_name = {case["name"]: case for case in workload}
    for name in job["cases"]:
        if not sys.stdin.readline():
            return  # nobody waits for it any more
        case = by_name[name]
        _emit(events, event="begin", case=name)
        own = case["dialects"].get(job["package"], case)
        record = measure_case(
            replayer,
            case,
            own["source"],
            own["format"],
            complete=job["complete"],
            oracle=oracle if case["json"] else None,
        )
        record["rss_peak_mib"] = memory_mib("VmHWM")
        _emit(events, event="case", case=name, record=record)


def _claim_stdout() -> TextIO:
    """Keep the pipe for events and send everything else printed to standard error."""
    events = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return events


def _emit(events: TextIO, **content: Any) -> None:
    events.write(json.dumps(content) + "\n")
    events.flush()


def _limit_memory(gib: float) -> None:
    import resource

    limit = int(gib * GIB)
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


if __name__ == "__main__":
    main(sys.argv[1])
