"""Memory over many schemas: what stays of constraints that were used once and dropped.

A server that is given a new schema with every request lives like this. Each is compiled, one
instance is replayed, and both are dropped; the resident memory is read every so often. Python's
garbage collector runs as it does in a server. Refused schemas count, too: reading them cost memory.
Every engine is given a thousand; one that took at most a minute for them goes on to the last, so
that it shows where memory stops growing.
"""

from __future__ import annotations

import gc
from time import process_time
from typing import TYPE_CHECKING, Any

from benchmarks.engines.base import RefusedError
from benchmarks.measure import memory_mib

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.measure import Replayer

EVERY = 50
FIRST = 1000
ENOUGH_S = 60.0  # of processor time for the first ones: no more are begun after that


def measure_memory(
    replayer: Replayer, workload: list[dict[str, Any]], job: dict[str, Any]
) -> Iterator[dict[str, Any]]:
    """Yield a record every so many schemas: how many so far, MiB now and at most, seconds used."""
    del job
    gc.enable()
    refused = wrong = 0
    started = process_time()
    for number, case in enumerate(workload, 1):
        try:
            compiled, _, _ = replayer.compile(case["source"], case["format"], collect=False)
        except RefusedError:
            refused += 1
        else:
            failures = [replayer.timed(compiled, run["tokens"]).failure for run in case["runs"]]
            wrong += any(failures)
            del compiled
        if number % EVERY == 0 or number == len(workload):
            used = process_time() - started
            gc.collect()
            yield {
                "schemas": number,
                "rss_mib": memory_mib("VmRSS"),
                "peak_mib": memory_mib("VmHWM"),
                "own_cpu_s": round(used, 3),
                "refused": refused,
                "wrong": wrong,
            }
            if number >= FIRST and used > ENOUGH_S * number / FIRST:
                return
            started = process_time() - used  # what reading the memory takes is no engine's
