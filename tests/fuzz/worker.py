"""The process where cases run. One request a line on stdin, marks and one answer a line on stdout.

A request is `duel<TAB>case`; before the answer, each stage that begins is named, so that when the
process dies or is killed the parent knows where. Answers are Python literals.
"""

from __future__ import annotations

import ast
import contextlib
import faulthandler
import os
import queue
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path

from fuzz.cases import Case

TESTS = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Outcome:
    """What became of a case: `same`, `abstains`, or a finding: `differs`, `crash`, `hang`, `error`.

    Attributes:
        detail: The claim that failed, the reason of an abstention, how the process ended.
        after: The text before the masks that differ.
    """

    kind: str
    detail: str = ""
    after: bytes = b""

    @property
    def is_finding(self) -> bool:
        return self.kind not in ("same", "abstains")


START_LIMIT_S = 120.0


class Worker:
    """A process that is started when needed, and again after a crash or a hang."""

    def __init__(self, limit_s: float, module: str = "fuzz.worker") -> None:
        self.limit_s = limit_s
        self.module = module
        self._process: subprocess.Popen[str] | None = None
        self._reader: threading.Thread | None = None
        self._lines: queue.Queue[str | None] = queue.Queue()

    def run(self, duel: str, case: Case) -> Outcome:
        """Run a case; whatever native code does, an outcome comes back."""
        process = self._started()
        assert process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(f"{duel}\t{case.dump()}\n")
            process.stdin.flush()
        stage = "start"
        while True:
            try:
                line = self._lines.get(timeout=self.limit_s)
            except queue.Empty:
                self.close()
                if stage == "judge":
                    return Outcome("abstains", "the judge takes too long")
                return Outcome("hang", f"no answer from {stage} code in {self.limit_s:g} s")
            if line is None:
                code = process.wait()
                self.close()
                return Outcome("crash", f"the process ended with {code} in {stage} code")
            kind, _, rest = line.partition("\t")
            if kind == "stage":
                stage = rest.strip()
            elif kind == "answer":
                return Outcome(*ast.literal_eval(rest))

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            assert self._process.stdin is not None
            with contextlib.suppress(BrokenPipeError):
                self._process.stdin.close()
            assert self._reader is not None
            self._reader.join()
            self._process = None

    def _started(self) -> subprocess.Popen[str]:
        if self._process is None:
            environment = {**os.environ, "PYTHONPATH": str(TESTS)}
            self._process = subprocess.Popen(
                [sys.executable, "-m", self.module],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                env=environment,
            )
            self._lines = queue.Queue()
            pipes = (self._process, self._lines)
            self._reader = threading.Thread(target=_read, args=pipes, daemon=True)
            self._reader.start()
            # Imports take seconds on a busy machine: they are no part of a case's time.
            with contextlib.suppress(queue.Empty):
                self._lines.get(timeout=START_LIMIT_S)
        return self._process


def _read(process: subprocess.Popen[str], lines: queue.Queue[str | None]) -> None:
    assert process.stdout is not None
    with process.stdout as output:
        for line in output:
            lines.put(line)
    lines.put(None)


def judged(duel: str, case: Case, say: object = None) -> Outcome:
    """Run a case in this process."""
    from fuzz.contenders import Abstains
    from fuzz.duels import DUELS

    try:
        found = DUELS[duel].fight(case, say or (lambda _: None))
    except Abstains as reason:
        return Outcome("abstains", str(reason))
    except Exception as error:  # noqa: BLE001 - whatever it is, it is the finding
        return Outcome("error", f"{type(error).__name__}: {error}"[:500])
    return Outcome("same") if found is None else Outcome("differs", found.claim, found.after)


def main() -> None:
    faulthandler.enable()

    def say(stage: str) -> None:
        sys.stdout.write(f"stage\t{stage}\n")
        sys.stdout.flush()

    say("start")
    for line in sys.stdin:
        duel, _, dumped = line.partition("\t")
        outcome = judged(duel, Case.load(dumped), say)
        shown = repr((outcome.kind, outcome.detail, outcome.after))
        sys.stdout.write(f"answer\t{shown}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
