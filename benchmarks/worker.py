"""The process of one engine: `python -m benchmarks.worker JOB`.

Reads a job (JSON), measures its cases in order and writes one JSON line per event to standard
output. Whatever an engine prints goes to standard error instead. The parent watches the time, so a
case that hangs or crashes costs only itself.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import sys
import time
from pathlib import Path
from typing import Any, TextIO

GIB = 2**30


def main(job_path: str) -> None:
    """Run the job."""
    job = json.loads(Path(job_path).read_text(encoding="utf-8"))
    events = _claim_stdout()
    os.sched_setaffinity(0, {job["core"]})
    _limit_memory(job["memory_gib"])
    import numpy as np  # noqa: F401 - part of the base line, not of any engine's import

    from benchmarks.vocabularies import VocabularyData

    vocabulary = VocabularyData.load(Path(job["vocabulary"]))
    workload = json.loads(Path(job["workload"]).read_text(encoding="utf-8"))
    setup: dict[str, Any] = {"rss_base_mib": _memory("VmRSS")}
    gc.collect()
    gc.disable()

    module_name, class_name = job["adapter"].split(":")
    started = time.process_time_ns()
    module = importlib.import_module(module_name)
    setup["import_ms"] = (time.process_time_ns() - started) / 1e6
    setup["rss_import_mib"] = _memory("VmRSS")

    from benchmarks.measure import Replayer, Row, clock_overhead_ns, measure_case, warm_up

    row = Row(len(vocabulary.tokens))
    started = time.process_time_ns()
    adapter = getattr(module, class_name)(vocabulary, row.array)
    if adapter.buffer is not None:
        row.use(adapter.buffer)
    setup["setup_ms"] = (time.process_time_ns() - started) / 1e6
    setup["rss_setup_mib"] = _memory("VmRSS")
    setup["clock_ns"] = clock_overhead_ns()

    replayer = Replayer(adapter, row, vocabulary.stop_ids, flush=job["flush"])
    ids = [vocabulary.tokens.index(b"a"), vocabulary.tokens.index(b"b")]
    setup["first_compile_ms"] = warm_up(replayer, ids, job["formats"]) / 1e6
    _emit(events, event="ready", setup=setup, versions=adapter.versions())

    by_name = {case["name"]: case for case in workload}
    for name in job["cases"]:
        case = by_name[name]
        _emit(events, event="begin", case=name)
        own = case["dialects"].get(job["package"], case)
        record = measure_case(
            replayer, case, own["source"], own["format"], complete=job["complete"]
        )
        record["rss_peak_mib"] = _memory("VmHWM")
        _emit(events, event="case", case=name, record=record)
    _emit(events, event="end")


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


def _memory(key: str) -> float:
    for line in Path("/proc/self/status").read_text(encoding="utf-8").splitlines():
        if line.startswith(key + ":"):
            return round(int(line.split()[1]) / 1024, 1)
    return 0.0


if __name__ == "__main__":
    main(sys.argv[1])
