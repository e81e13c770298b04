"""A worker with duels that go wrong on purpose, for the tests of the fuzzer."""

from __future__ import annotations

import os
import signal
import time

from oracle.tree import uses

from fuzz.duels import DUELS, Duel, Finding
from fuzz.worker import main


def crash(case, stage):
    stage("native")
    if uses(case.tree, ["repeat"]):
        os.kill(os.getpid(), signal.SIGSEGV)


def hang(case, stage):
    stage("native")
    time.sleep(60)


def slow_judge(case, stage):
    stage("judge")
    time.sleep(60)


def differ(case, stage):
    stage("native")
    if uses(case.tree, ["repeat"]) and b"ab" in case.vocabulary.tokens:
        return Finding("a repetition beside `ab`", b"a")
    return None


def fail(case, stage):
    raise KeyError("lost")


if __name__ == "__main__":
    DUELS.update({f.__name__: Duel(f.__name__, f) for f in (crash, hang, slow_judge, differ, fail)})
    main()
