"""A worker process seen from outside: its events, its limits and its end."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import subprocess
import tempfile
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.cases import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

POLL_S = 0.5
WALL_FACTOR = 20  # a case may wait this many times its processor limit, for the machine's sake
IDLE_LIMIT_S = 60.0  # of wall time in which a process takes less than `IDLE_CPU_S`: it hangs
IDLE_CPU_S = 0.1
START_LIMIT_S = 180.0
EXIT_LIMIT_S = 10.0
# Engines are measured on the threads they are asked to use, not on those of their libraries.
_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "RAYON_NUM_THREADS", "MKL_NUM_THREADS"), "1")


def environment() -> dict[str, str]:
    """Return the environment of every process that is measured."""
    return {**os.environ, **_ONE_THREAD, "PYTHONHASHSEED": "0"}


def usable_cores() -> list[int]:
    """Return the cores that this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


class Worker:
    """A running `benchmarks.worker`, given its job as JSON.

    Iterating yields its events until it ends or is ended; `stop` must be called then.
    """

    def __init__(self, job: dict[str, Any], python: Path, niceness: int = 0) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="benchmark-job-")
        path = Path(self._folder.name) / "job.json"
        path.write_text(json.dumps(job), encoding="utf-8")
        self._errors = (Path(self._folder.name) / "stderr").open("w+", encoding="utf-8")
        command = [str(python), "-m", "benchmarks.worker", str(path)]
        if niceness:
            command = ["nice", "-n", str(niceness), *command]
        self._process = subprocess.Popen(
            command,
            cwd=ROOT,
            env=environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
        )
        self._events: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self._silent = False
        self.ended_by: str | None = None
        self.last_words = ""
        self.set_limit(START_LIMIT_S)

    def set_limit(self, limit_s: float) -> None:
        """Allow the process this much more processor time from now on."""
        self._limit_s = limit_s
        self._cpu_start = self._cpu_seen = self._cpu_s()
        self._wall_start = self._seen_at = time.monotonic()

    def proceed(self) -> None:
        """Have it measure the next case, which may have waited for others."""
        self.set_limit(self._limit_s)
        with contextlib.suppress(BrokenPipeError):  # it has ended; its events tell how
            if self._process.stdin:
                self._process.stdin.write("\n")
                self._process.stdin.flush()

    def __iter__(self) -> Iterator[dict[str, Any]]:
        while True:
            try:
                event = self._events.get(timeout=POLL_S)
            except queue.Empty:
                if self.ended_by is None and (reason := self.over_limit()):
                    self.ended_by = reason
                    self._process.kill()
                continue
            if event is None:
                self._silent = True  # it has closed its output, so it is ending by itself
                return
            yield event

    def stop(self) -> None:
        """End the process if it does not by itself, and release its files.

        `last_words` then holds how it ended and the end of what it wrote.
        """
        try:
            self._process.wait(timeout=EXIT_LIMIT_S if self._silent else 0)
        except subprocess.TimeoutExpired:
            self._process.kill()
        self._process.wait()
        self._reader.join()
        for pipe in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(BrokenPipeError):
                if pipe:
                    pipe.close()
        self._errors.close()
        text = Path(self._errors.name).read_text(encoding="utf-8", errors="replace").strip()
        self.last_words = f"exit status {self._process.returncode}: {text[-300:]}"
        self._folder.cleanup()

    def over_limit(self) -> str | None:
        """Return in words which limit is exceeded, if one is."""
        used, now = self._cpu_s(), time.monotonic()
        if used - self._cpu_seen > IDLE_CPU_S:
            self._cpu_seen, self._seen_at = used, now
        if used - self._cpu_start > self._limit_s:
            return f"more than {self._limit_s:g} s of processor time"
        if now - self._seen_at > IDLE_LIMIT_S:
            return f"idle for {IDLE_LIMIT_S:g} s"
        if now - self._wall_start > WALL_FACTOR * self._limit_s:
            return f"more than {WALL_FACTOR * self._limit_s:g} s"
        return None

    def _read(self) -> None:
        try:
            for line in self._process.stdout or ():
                self._events.put(json.loads(line))
        except ValueError:
            pass  # half a line, left by a process that died over it; how it ended tells the rest
        finally:
            self._events.put(None)

    def _cpu_s(self) -> float:
        try:
            content = Path(f"/proc/{self._process.pid}/stat").read_text(encoding="utf-8")
        except FileNotFoundError:
            return 0.0
        fields = content.rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
