"""Worker processes with a time limit for each job; a job that takes longer costs its process."""

from __future__ import annotations

import itertools
import multiprocessing
import time
from multiprocessing.connection import wait
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from multiprocessing.connection import Connection

START_S = 30.0


class _Worker:
    """A process and the job it has."""

    def __init__(self, context: Any, run: Callable[[Any], Any], start: Callable[[], None]) -> None:
        self.pipe, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, run, start), daemon=True)
        self._process.start()
        theirs.close()
        self.job: Any = None
        self.deadline = 0.0
        self._fresh = True

    def give(self, job: Any, limit_s: float) -> None:
        """Send a job; the first one includes the imports."""
        self.job = job
        self.deadline = time.monotonic() + limit_s + (START_S if self._fresh else 0)
        self._fresh = False
        self.pipe.send(job)

    def end(self) -> None:
        """End the process, whatever it does."""
        self.pipe.close()
        self._process.kill()
        self._process.join()


def run_all(
    jobs: Iterable[dict[str, Any]],
    run: Callable[[dict[str, Any]], dict[str, Any]],
    *,
    processes: int,
    limit_s: float,
    start: Callable[[], None] = lambda: None,
) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Yield each job with its record, as they are done.

    A job that exceeds `limit_s` (wall seconds), or kills its process, has the record
    `{"status": "lost", "reason": ...}`.
    """
    context = multiprocessing.get_context("fork")
    pending = iter(jobs)
    idle = [_Worker(context, run, start) for _ in range(processes)]
    busy: list[_Worker] = []
    try:
        while True:
            for job in itertools.islice(pending, len(idle)):
                busy.append(idle.pop())
                busy[-1].give(job, limit_s)
            if not busy:
                return
            for worker, record in _finished(busy, limit_s):
                busy.remove(worker)
                if record["status"] == "lost":
                    worker.end()
                    idle.append(_Worker(context, run, start))
                else:
                    idle.append(worker)
                yield worker.job, {"name": worker.job["name"], "texts": [], **record}
    finally:
        for worker in (*busy, *idle):
            worker.end()


def _finished(busy: list[_Worker], limit_s: float) -> list[tuple[_Worker, dict[str, Any]]]:
    """Return the workers that have answered, died or taken too long, once there is one."""
    while True:
        ready = wait([worker.pipe for worker in busy], timeout=0.2)
        now = time.monotonic()
        found = [
            (worker, _received(worker.pipe) if worker.pipe in ready else _lost(limit_s))
            for worker in busy
            if worker.pipe in ready or now > worker.deadline
        ]
        if found:
            return found


def _received(pipe: Connection) -> dict[str, Any]:
    """Return the answer of a worker, dead or alive."""
    try:
        record: dict[str, Any] = pipe.recv()
    except (EOFError, ConnectionResetError):
        why = "the process died"
        return {"status": "lost", "reason": why, "error": why}
    return record


def _lost(limit_s: float) -> dict[str, Any]:
    why = f"took more than {limit_s:g} s"
    return {"status": "lost", "reason": why, "error": why}


def _serve(pipe: Connection, run: Callable[[Any], Any], start: Callable[[], None]) -> None:
    """Answer jobs until the pipe is closed."""
    start()
    try:
        while True:
            pipe.send(run(pipe.recv()))
    except (EOFError, KeyboardInterrupt, BrokenPipeError):
        return
