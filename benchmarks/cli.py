"""The command line of the benchmarks."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks import compare as comparison
from benchmarks import report as reporting
from benchmarks import results as store
from benchmarks.cases import KINDS, load_cases
from benchmarks.engines import ENGINES
from benchmarks.environments import is_ready, set_up
from benchmarks.runner import Options, run_suite
from benchmarks.vocabularies import VOCABULARIES

if TYPE_CHECKING:
    from collections.abc import Sequence

MODES = ("shared", "isolated")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status."""
    parser = _parser()
    options = parser.parse_args(arguments)
    try:
        status: int = options.command(options)
    except (RuntimeError, ValueError, OSError, subprocess.CalledProcessError) as error:
        print(f"benchmarks: {error}", file=sys.stderr)
        return 2
    return status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description="Measure constrained-decoding engines."
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    setup = commands.add_parser("setup", help="make the rivals' environments")
    setup.add_argument("engines", nargs="*", metavar="ENGINE", help="all of them by default")
    setup.set_defaults(command=_setup)

    listing = commands.add_parser("list", help="list engines, vocabularies and cases")
    listing.set_defaults(command=_list)

    run = commands.add_parser("run", help="measure")
    run.add_argument(
        "--engines", type=_names, help="comma-separated; all that are ready by default"
    )
    run.add_argument("--kind", choices=KINDS, default="regex", help="default: regex")
    run.add_argument("--cases", type=_names, default=[], help="names or groups; all by default")
    run.add_argument("--vocabularies", type=_names, default=["tekken"], help="default: tekken")
    run.add_argument("--mode", choices=[*MODES, "both"], default="shared")
    run.add_argument(
        "--isolate", action="store_const", dest="mode", const="isolated",
        help="a fresh process for every case (the same as --mode isolated)",
    )  # fmt: skip
    run.add_argument("--repeat", type=int, default=1, help="repeats, merged by smallest time")
    run.add_argument("--timeout", type=float, default=30.0, help="processor seconds per case")
    run.add_argument("--memory", type=float, default=12.0, help="address space limit in GiB")
    run.add_argument("--core", type=int, default=(os.cpu_count() or 1) - 1, help="core to pin to")
    run.add_argument("--nice", type=int, default=0, help="niceness of the engines' processes")
    run.add_argument("--flush-caches", action="store_true", help="flush before every mask")
    run.add_argument("--out", type=Path, required=True, help="results file, .json or .json.gz")
    run.set_defaults(command=_run)

    report = commands.add_parser("report", help="print a results file as Markdown tables")
    report.add_argument("results", type=Path, nargs="+", help="several are read as one")
    report.add_argument("--ours", default="formgate", help="the engine whose ratios are shown")
    report.add_argument("--reference", help="the engine whose masks the others' are held against")
    report.set_defaults(command=_report)

    compare = commands.add_parser("compare", help="flag what got worse between two results files")
    compare.add_argument("base", type=Path)
    compare.add_argument("new", type=Path)
    compare.add_argument("--threshold", type=float, default=1.1, help="for totals")
    compare.add_argument("--case-threshold", type=float, default=1.5, help="for single cases")
    compare.set_defaults(command=_compare)
    return parser


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _check(kind: str, names: Sequence[str], known: Sequence[str]) -> None:
    unknown = [name for name in names if name not in known]
    if unknown:
        raise ValueError(f"no such {kind}: {', '.join(unknown)}; there are {', '.join(known)}")


def _setup(options: argparse.Namespace) -> int:
    names = options.engines or list(ENGINES)
    _check("engine", names, list(ENGINES))
    set_up(names)
    return 0


def _list(options: argparse.Namespace) -> int:
    del options
    for spec in ENGINES.values():
        state = "" if is_ready(spec) else " (not set up)"
        print(f"engine      {spec.name:20} {spec.description}{state}")
    for name in VOCABULARIES:
        print(f"vocabulary  {name}")
    for kind in KINDS:
        for case in load_cases(kind):
            first = case.source.split("\n", 1)[0][:60]
            print(f"{kind:11} {case.name:20} {case.group:14} {first}")
    return 0


def _run(options: argparse.Namespace) -> int:
    engines = options.engines or [name for name, spec in ENGINES.items() if is_ready(spec)]
    _check("engine", engines, list(ENGINES))
    _check("vocabulary", options.vocabularies, list(VOCABULARIES))
    modes = MODES if options.mode == "both" else (options.mode,)
    cases = load_cases(options.kind, names=options.cases)
    settings = Options(
        repeat=options.repeat,
        timeout_s=options.timeout,
        memory_gib=options.memory,
        core=options.core,
        flush=options.flush_caches,
        niceness=options.nice,
    )
    results = store.new_results(cases, asdict(settings))
    for session in run_suite(engines, options.vocabularies, modes, cases, settings):
        results["sessions"].append(session)
        store.save(results, options.out)
    return 0


def _report(options: argparse.Namespace) -> int:
    first, *others = [store.load(path) for path in options.results]
    for other in others:
        if other["machine"]["cpu"] != first["machine"]["cpu"]:
            raise ValueError("results of different processors do not belong into one report")
        first["cases"].update(other["cases"])
        first["sessions"] += other["sessions"]
    print(reporting.render(first, ours=options.ours, reference=options.reference), end="")
    return 0


def _compare(options: argparse.Namespace) -> int:
    base, new = store.load(options.base), store.load(options.new)
    changes = list(
        comparison.compare(
            base, new, threshold=options.threshold, case_threshold=options.case_threshold
        )
    )
    print(comparison.render(changes), end="")
    return int(any(change.flagged for change in changes))
