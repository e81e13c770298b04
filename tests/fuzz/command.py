"""`python -m tests.fuzz`: duels in turn until the time is over; findings minimised and written."""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from fuzz.corpus_file import FOUND, save
from fuzz.duels import DUELS
from fuzz.minimise import minimised
from fuzz.worker import Outcome, Worker

if TYPE_CHECKING:
    from fuzz.cases import Case

LIMIT_S = 20.0


@dataclass
class Run:
    """What a run did.

    Attributes:
        outcomes: How often each duel came to each outcome.
        findings: (duel, case, outcome, path of the corpus file).
    """

    outcomes: Counter[tuple[str, str]] = field(default_factory=Counter)
    findings: list[tuple[str, Case, Outcome, Path]] = field(default_factory=list)

    def summary(self) -> str:
        """One line for each duel."""
        lines = []
        for duel in DUELS:
            counts = {kind: n for (name, kind), n in sorted(self.outcomes.items()) if name == duel}
            if counts:
                shown = ", ".join(f"{n} {kind}" for kind, n in counts.items())
                lines.append(f"{duel:12} {sum(counts.values()):7} cases: {shown}")
        return "\n".join(lines)


def fuzz(
    seed: int,
    seconds: float,
    duels: list[str],
    *,
    first: int = 0,
    cases: int | None = None,
    limit_s: float = LIMIT_S,
    folder: Path = FOUND,
) -> Run:
    """Run cases `first`, `first` + 1, ... of a seed until the time or their number is over."""
    run, worker = Run(), Worker(limit_s)
    deadline = time.monotonic() + seconds
    index = first
    try:
        while time.monotonic() < deadline and (cases is None or index < first + cases):
            for name in duels:
                case = DUELS[name].draw(f"{seed}:{index}")
                outcome = worker.run(name, case)
                run.outcomes[name, outcome.kind] += 1
                if outcome.is_finding:
                    again = f"python -m tests.fuzz --seed {seed} --case {index} --duel {name}"
                    origin = f"found by fuzzing: {again}"
                    small, last = _minimised(worker, name, case, outcome)
                    path = save(small, name, last, origin, folder)
                    run.findings.append((name, small, last, path))
                    _show(run.findings[-1], again)
            index += 1
    finally:
        worker.close()
    return run


def _minimised(worker: Worker, name: str, case: Case, outcome: Outcome) -> tuple[Case, Outcome]:
    """Return the smallest case found that shows the same kind of finding, and what it shows."""

    def still(smaller: Case) -> bool:
        return worker.run(name, smaller).kind == outcome.kind

    budget = 60.0 if outcome.kind != "hang" else 6 * worker.limit_s
    small = minimised(case, still, budget)
    last = worker.run(name, small)
    return small, last if last.is_finding else outcome


def _show(finding: tuple[str, Case, Outcome, Path], again: str) -> None:
    name, small, last, path = finding
    sys.stdout.write(
        f"\n{name}: {last.kind}: {last.detail}\n  after {last.after!r}\n  {small.tree!r}\n"
        f"  {small.vocabulary}\n  reproduce: {again}\n  minimised: {path}\n"
    )


def main(arguments: list[str] | None = None) -> int:
    """Run the command; 1 if anything was found."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0, help="how long (default 60)")
    parser.add_argument("--seed", type=int, help="what to draw from (default: random, printed)")
    parser.add_argument("--case", type=int, help="run this case of the seed only")
    parser.add_argument("--duel", action="append", choices=list(DUELS), help="only these")
    parser.add_argument("--limit", type=float, default=LIMIT_S, help="seconds until a hang")
    parser.add_argument("--out", type=Path, default=FOUND, help="where corpus files are written")
    given = parser.parse_args(arguments)
    seed = random.SystemRandom().randrange(2**32) if given.seed is None else given.seed
    sys.stdout.write(f"seed {seed}\n")
    run = fuzz(
        seed,
        given.seconds if given.case is None else 600.0,
        given.duel or list(DUELS),
        first=given.case or 0,
        cases=None if given.case is None else 1,
        limit_s=given.limit,
        folder=given.out,
    )
    sys.stdout.write(f"{run.summary()}\n{len(run.findings)} findings\n")
    return bool(run.findings)
