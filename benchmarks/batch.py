"""Batches: the masks of many outputs at once, as a server fills them between two forward passes.

Rows start at different places of their texts, so they stand in different states. Then a number of
steps is timed: fill all rows, commit one token to each. The first pass is made right after
compiling, the others over states that were seen before. Only filling is timed, by the wall clock:
it may use several threads. A row that forbids its next token makes the batch wrong, and so does one
that is not the mask which the same engine makes of that state alone (the last rows are checked).
"""

from __future__ import annotations

import os
from time import perf_counter_ns, process_time_ns
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.engines.base import RefusedError

if TYPE_CHECKING:
    from benchmarks.engines.base import Adapter
    from benchmarks.measure import Row

PASSES = 5
ENOUGH_NS = 10 * 10**9  # of filling known states; no pass is begun after that


def measure_batch(
    adapter: Adapter, row: Row, workload: list[dict[str, Any]], job: dict[str, Any]
) -> dict[str, Any]:
    """Return one JSON-ready record: nanoseconds of every fill, first and later passes.

    The rows are shared out evenly among the cases of the workload. `status` is as for replays.
    """
    rows, steps, threads = job["rows"], job["steps"], job["threads"]
    os.sched_setaffinity(0, job["cores"][:threads])
    try:
        compiled = []
        for case in workload:
            own = case["dialects"].get(job["package"], case)
            source = adapter.read(own["source"], own["format"])
            compiled.append(adapter.compile(source, own["format"]))
    except RefusedError as error:
        return {"status": "refused", "error": f"{case['name']}: {error}"[:400]}
    share = rows // len(compiled)
    texts = [_stretch(case, index, steps) for case in workload for index in range(share)]
    out = np.zeros((len(texts), -(-job["size"] // 32)), np.int32)
    record: dict[str, Any] = {"status": "ok", "rows": len(texts), "steps": steps}
    record["threads"] = threads
    passes = []
    for _ in range(1 + PASSES):
        session = adapter.start_batch([(each, share) for each in compiled], out, threads)
        for number, (before, _) in enumerate(texts):
            session.feed(number, before)
        walls, cpus = [], []
        for step in range(steps):
            cpu, wall = process_time_ns(), perf_counter_ns()
            session.fill()
            walls.append(perf_counter_ns() - wall)
            cpus.append(process_time_ns() - cpu)
            tokens = [after[step] for _, after in texts]
            wrong = [
                number for number, token in enumerate(tokens) if not _allows(out[number], token)
            ]
            if wrong:
                return {"status": "wrong", "error": f"step {step}: row {wrong[0]}"}
            session.advance(tokens)
        passes.append((walls, cpus))
        if sum(sum(walls) for walls, _ in passes[1:]) > ENOUGH_NS:
            break
    made = [each for each in compiled for _ in range(share)]
    for number, (before, after) in enumerate(texts):
        if not _is_alone(adapter, row, made[number], [*before, *after[:-1]], out[number]):
            return {"status": "wrong", "error": f"row {number} is not the mask of its state alone"}
    record["passes"] = len(passes)
    (record["first_ns"], record["first_cpu_ns"]), *later = passes
    record["again_ns"] = [min(times) for times in zip(*(walls for walls, _ in later), strict=True)]
    record["again_cpu_ns"] = [
        min(times) for times in zip(*(cpus for _, cpus in later), strict=True)
    ]
    return record


def _is_alone(
    adapter: Adapter, row: Row, compiled: Any, tokens: list[int], found: np.ndarray[Any, Any]
) -> bool:
    """Tell whether a row of a batch is what one output alone is given after these tokens."""
    fill, advance = adapter.start(compiled)
    for token in tokens:
        advance(token)
    fill()
    alone = row.digest()
    row.array[:] = found
    return row.digest() == alone


def _stretch(case: dict[str, Any], index: int, steps: int) -> tuple[list[int], list[int]]:
    """Return what a row is given before the batch begins, and then step by step."""
    texts = [run["tokens"] for run in case["runs"] if len(run["tokens"]) >= steps]
    tokens = texts[index % len(texts)]
    start = 7 * index % (len(tokens) - steps + 1)
    return tokens[:start], tokens[start : start + steps]


def _allows(row: np.ndarray[Any, Any], token: int) -> bool:
    return bool(int(row[token >> 5]) >> (token & 31) & 1)
