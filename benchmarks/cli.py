"""The command line of the benchmarks."""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks import compare as comparison
from benchmarks import measure, plan
from benchmarks import report as reporting
from benchmarks import results as store
from benchmarks.cases import KINDS, ROOT, load_cases
from benchmarks.device import (
    DEVICE_ENGINES,
    DEVICE_PARTS,
    ROWS,
    has_device,
    is_installed,
    run_device,
)
from benchmarks.engines import ENGINES
from benchmarks.environments import is_ready, set_up
from benchmarks.process import usable_cores
from benchmarks.runner import WORKLOADS, Options, Selection, UnmeasuredError, run_suite
from benchmarks.vocabularies import VOCABULARIES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.cases import Case

MODES = ("shared", "isolated")
INTERRUPTED = 130
LEAST_MEMORY_GIB = 1.0
LEAST_TIMEOUT_S = 0.1
MOST_NICE = 19  # more than that the system does not know
RESULTS = Path(__file__).parent / "results"
PAGES = ROOT / "docs" / "benchmarks"
README = ROOT / "README.md"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status, 130 where it is interrupted."""
    try:
        return _execute(sys.argv[1:] if arguments is None else arguments)
    except KeyboardInterrupt:
        print("\nbenchmarks: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        # Who reads has read enough. What is still buffered would raise again at the end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + signal.SIGPIPE


def _execute(arguments: Sequence[str]) -> int:
    options = _parser().parse_args(arguments)
    options.typed = list(arguments)
    try:
        status: int = options.command(options)
        sys.stdout.flush()
    except BrokenPipeError:
        raise
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

    listing = commands.add_parser("list", help="list engines, vocabularies, workloads and cases")
    listing.set_defaults(command=_list)

    run = commands.add_parser("run", help="measure any subset of what there is")
    _add_selection(run)
    _add_conditions(run)
    run.add_argument("--out", type=Path, required=True, help="results file, .json or .json.gz")
    run.add_argument(
        "--compare", type=Path, metavar="BASE", help="then compare with these earlier results"
    )
    _add_thresholds(run)
    run.set_defaults(command=_run)

    across = commands.add_parser(
        "crossformat", help="what each format costs, inside decoding with the embedded model"
    )
    across.add_argument("--constraints", type=_names, default=[], help="all by default")
    across.add_argument("--tokens", type=_count, default=60, help="longest output, in tokens")
    across.add_argument("--repeat", type=_count, default=2, help="decodes of each, fastest kept")
    _add_conditions(across)
    across.add_argument("--out", type=Path, required=True, help="results file, .json or .json.gz")
    across.set_defaults(command=_crossformat)

    device = commands.add_parser(
        "device", help="masks on a GPU: kernels, a server's steps, and decoding"
    )
    device.add_argument("--engines", type=_names, default=[], help="all that are installed here")
    device.add_argument("--vocabulary", default="tekken", help="tekken by default")
    device.add_argument("--device", default="cuda", help="as torch names it; cuda by default")
    device.add_argument("--rows", type=_counts, default=[], help="sizes of batches; 1,32,256")
    device.add_argument("--parts", type=_names, default=[], help="of kernels, steps and decoding")
    device.add_argument("--out", type=Path, required=True, help="results file, .json or .json.gz")
    device.set_defaults(command=_device)

    measure = commands.add_parser("measure", help="make the results that the documentation shows")
    measure.add_argument(
        "names", nargs="*", metavar="NAME", help="entries of plan.toml; default all"
    )
    measure.add_argument("--results", type=Path, default=RESULTS, help="folder to write them to")
    measure.add_argument(
        "--missing", action="store_true", help="only those without a complete results file"
    )
    measure.add_argument("--core", type=_core, help="core to pin to (the last usable)")
    measure.set_defaults(command=_measure)

    publish = commands.add_parser("publish", help="write tables and plots into docs/benchmarks")
    publish.add_argument("--results", type=Path, default=RESULTS, help="folder to read from")
    publish.add_argument("--pages", type=Path, default=PAGES, help="folder to write to")
    publish.add_argument(
        "--check", action="store_true", help="write nothing; 1 if tables are stale"
    )
    publish.set_defaults(command=_publish)

    report = commands.add_parser("report", help="print a results file as Markdown tables")
    report.add_argument("results", type=Path, nargs="+", help="several are read as one")
    report.add_argument("--ours", help="the engine whose ratios are shown; formgate by default")
    report.add_argument("--reference", help="the engine whose masks the others' are held against")
    report.set_defaults(command=_report)

    compare = commands.add_parser("compare", help="flag what got worse between two results files")
    compare.add_argument("base", type=Path)
    compare.add_argument("new", type=Path)
    _add_thresholds(compare)
    compare.set_defaults(command=_compare)
    return parser


def _add_selection(run: argparse.ArgumentParser) -> None:
    run.add_argument(
        "--engines", type=_names, help="comma-separated; all that are ready by default"
    )
    run.add_argument(
        "--kinds", "--kind", type=_names,
        help=f"of {', '.join(KINDS)}; regex by default; these options are about replays alone:",
    )  # fmt: skip
    run.add_argument("--formats", type=_names, default=[], help="only cases in these formats")
    run.add_argument("--cases", type=_names, default=[], help="names or groups; all by default")
    run.add_argument("--vocabularies", type=_names, default=["tekken"], help="default: tekken")
    run.add_argument(
        "--workloads", type=_names, default=["replay"], help=f"of {', '.join(WORKLOADS)}"
    )
    mode = run.add_mutually_exclusive_group()
    mode.add_argument("--mode", choices=[*MODES, "both"], help="shared by default")
    mode.add_argument(
        "--isolate", action="store_const", dest="mode", const="isolated",
        help="a fresh process for every case (the same as --mode isolated)",
    )  # fmt: skip
    run.add_argument(
        "--flush-caches", action="store_true", help="flush processor caches before every mask"
    )
    run.add_argument(
        "--repeat", type=_count, default=1,
        help="repeats of replays and batches, merged by smallest time",
    )  # fmt: skip


def _add_conditions(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--timeout",
        type=_timeout,
        default=plan.DEFAULT_TIMEOUT_S,
        help=f"processor seconds per case ({plan.DEFAULT_TIMEOUT_S:g})",
    )
    command.add_argument(
        "--memory", type=_memory, default=12.0, help="address space limit in GiB (12)"
    )
    command.add_argument(
        "--core", type=_core, default=usable_cores()[-1], help="core to pin to (the last usable)"
    )
    command.add_argument(
        "--nice", type=_niceness, default=0, help="niceness of the engines' processes, 0 to 19"
    )


def _add_thresholds(command: argparse.ArgumentParser) -> None:
    # What was not given is None: without a comparison none of them says anything.
    command.add_argument("--threshold", type=_positive, help="for totals (1.1)")
    command.add_argument(
        "--case-threshold", type=_positive, help="for single cases and steps (1.5)"
    )
    command.add_argument(
        "--floor", type=_share, metavar="FACTOR",
        help="of the growth that is noise whatever the ratio, such as 0.05 µs of a mean; 0: none",
    )  # fmt: skip


def _names(text: str) -> list[str]:
    names = list(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    if not names:
        raise argparse.ArgumentTypeError("no name is given")
    return names


def _count(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("it must be at least 1")
    return number


def _counts(text: str) -> list[int]:
    return [_count(name) for name in _names(text)]


def _positive(text: str) -> float:
    number = float(text)
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError("it must be above 0")
    return number


def _share(text: str) -> float:
    number = float(text)
    if not 0 <= number < float("inf"):
        raise argparse.ArgumentTypeError("it must be at least 0")
    return number


def _timeout(text: str) -> float:
    number = _positive(text)
    if number < LEAST_TIMEOUT_S:
        raise argparse.ArgumentTypeError(
            f"it must be at least {LEAST_TIMEOUT_S:g}: processor time is counted in ticks of 0.01 s"
        )
    return number


def _memory(text: str) -> float:
    number = _positive(text)
    if number < LEAST_MEMORY_GIB:
        raise argparse.ArgumentTypeError(
            f"it must be at least {LEAST_MEMORY_GIB:g}, which Python, numpy and a vocabulary need"
        )
    return number


def _niceness(text: str) -> int:
    number = int(text)
    if not 0 <= number <= MOST_NICE:
        raise argparse.ArgumentTypeError(f"it must be from 0 to {MOST_NICE}")
    return number


def _core(text: str) -> int:
    number = int(text)
    usable = usable_cores()
    if number not in usable:
        raise argparse.ArgumentTypeError(f"there are the cores {', '.join(map(str, usable))}")
    return number


def _check(kind: str, names: Sequence[str], known: Sequence[str]) -> None:
    unknown = [name for name in names if name not in known]
    if unknown:
        raise ValueError(f"no such {kind}: {', '.join(unknown)}; there are {', '.join(known)}")


def _setup(options: argparse.Namespace) -> int:
    names = options.engines or list(ENGINES)
    _check("engine", names, list(ENGINES))
    failed = set_up(names)
    if failed:
        raise RuntimeError("; ".join(failed.values()))
    return 0


def _list(options: argparse.Namespace) -> int:
    del options
    for spec in ENGINES.values():
        state = "" if is_ready(spec) else " (not set up)"
        print(f"engine      {spec.name:20} {spec.description}{state}")
    for name in VOCABULARIES:
        print(f"vocabulary  {name}")
    for name in WORKLOADS:
        print(f"workload    {name}")
    for entry in plan.load():
        print(f"measure     {entry.name:20} {entry.description}")
    for kind in KINDS:
        for case in load_cases(kind):
            first = case.source.split("\n", 1)[0][:60]
            print(f"{kind:11} {case.name:20} {case.group:14} {first}")
    return 0


def _run(options: argparse.Namespace) -> int:
    engines = options.engines or [name for name, spec in ENGINES.items() if is_ready(spec)]
    _check("engine", engines, list(ENGINES))
    _check("vocabulary", options.vocabularies, list(VOCABULARIES))
    _check("workload", options.workloads, WORKLOADS)
    if "replay" not in options.workloads:
        _refuse_unused(options)
    limits = (options.threshold, options.case_threshold, options.floor)
    if options.compare is None and any(value is not None for value in limits):
        raise ValueError("thresholds and the floor are of a comparison: add --compare BASE")
    options.kinds = options.kinds or ["regex"]
    _check("kind", options.kinds, KINDS)
    store.prepare(options.out)
    base = store.load(options.compare) if options.compare else None
    absent = set_up(engines)
    cases = _select(options) if "replay" in options.workloads else {}
    selection = Selection(
        engines=engines,
        vocabularies=options.vocabularies,
        cases=cases,
        modes=MODES if options.mode == "both" else (options.mode or MODES[0],),
        workloads=options.workloads,
        absent=absent,
    )
    settings = _conditions(options, repeat=options.repeat, flush=options.flush_caches)
    results = store.new_results(cases, asdict(settings), options.typed)
    kept: list[dict[str, Any]] = []
    try:
        for session in run_suite(selection, settings, kept):
            results["sessions"].append(session)
            store.save(results, options.out)
    except UnmeasuredError:
        raise
    except BaseException:
        _keep(results, kept, options.out)
        raise
    results["complete"] = True
    store.save(results, options.out)
    return 0 if base is None else _compared(base, results, options)


def _keep(results: dict[str, Any], kept: list[dict[str, Any]], path: Path) -> None:
    """Save what is finished of a run that ends early; without that, a file from before stays."""
    results["sessions"] += kept
    if not results["sessions"]:
        print(f"\nbenchmarks: nothing is finished, {path} is not written", file=sys.stderr)
        return
    results["interrupted"] = True
    store.save(results, path)
    print(f"\nbenchmarks: what is finished is in {path}", file=sys.stderr)


def _refuse_unused(options: argparse.Namespace) -> None:
    """Raise `ValueError` for an option that says nothing to the workloads chosen."""
    given = {
        "--kinds": options.kinds,
        "--formats": options.formats,
        "--cases": options.cases,
        "--mode": options.mode,
        "--flush-caches": options.flush_caches,
    }
    unused = [name for name, value in given.items() if value]
    if unused:
        raise ValueError(
            f"{', '.join(unused)} choose what is replayed: add the workload replay, or leave "
            f"{'it' if len(unused) == 1 else 'them'} out"
        )


def _select(options: argparse.Namespace) -> dict[str, list[Case]]:
    """Return the chosen cases by kind. A name counts if any of the kinds knows it."""
    found: dict[str, list[Case]] = {}
    _check("format", options.formats, sorted(measure.WARM_UPS))
    unknown = set(options.cases)
    for kind in options.kinds:
        names = options.cases
        every = load_cases(kind, names=names) if len(options.kinds) == 1 else load_cases(kind)
        chosen = [case for case in every if not names or {case.name, case.group} & set(names)]
        unknown -= {name for case in chosen for name in (case.name, case.group)}
        formats = options.formats
        found[kind] = [case for case in chosen if not formats or case.format in formats]
    if unknown:
        raise ValueError(f"no such case or group: {', '.join(sorted(unknown))}")
    if not any(found.values()):
        raise ValueError(f"no case has the format {' or '.join(options.formats)}")
    return found


def _conditions(options: argparse.Namespace, **more: Any) -> Options:
    return Options(
        timeout_s=options.timeout,
        memory_gib=options.memory,
        core=options.core,
        niceness=options.nice,
        **more,
    )


def _crossformat(options: argparse.Namespace) -> int:
    from benchmarks.cases.formats import CONSTRAINTS
    from benchmarks.decoding import run_decoding

    names = options.constraints or list(CONSTRAINTS)
    _check("constraint", names, list(CONSTRAINTS))
    store.prepare(options.out)
    settings = _conditions(options, repeat=options.repeat)
    cases = load_cases("formats", names=names)
    results = store.new_results({"formats": cases}, asdict(settings), options.typed)
    results["sessions"].append(run_decoding(cases, options.tokens, settings))
    results["complete"] = True
    store.save(results, options.out)
    print(reporting.render(results), end="")
    return 0


def _device(options: argparse.Namespace) -> int:
    engines = options.engines or [name for name in DEVICE_ENGINES if is_installed(name)]
    parts = options.parts or list(DEVICE_PARTS)
    _check("engine with a kernel for devices", engines, DEVICE_ENGINES)
    absent = [name for name in engines if not is_installed(name)]
    if absent:
        raise RuntimeError(f"not installed beside this interpreter's torch: {', '.join(absent)}")
    _check("part", parts, DEVICE_PARTS)
    _check("vocabulary", [options.vocabulary], list(VOCABULARIES))
    store.prepare(options.out)
    results = store.new_results({}, {"device": options.device}, options.typed)
    sizes = options.rows or ROWS
    for session in run_device(engines, options.vocabulary, options.device, parts, sizes):
        results["sessions"].append(session)
        store.save(results, options.out)
    results["complete"] = True
    store.save(results, options.out)
    print(reporting.render(results), end="")
    return 0


def _measure(options: argparse.Namespace) -> int:
    entries = plan.load()
    _check("entry of the plan", options.names, [entry.name for entry in entries])
    failed = []
    for entry in entries:
        if options.names and entry.name not in options.names:
            continue
        if options.missing and _is_complete(entry.path(options.results)):
            continue
        if entry.device and not options.names and not has_device():
            print(f"# left out, for want of a GPU: {entry.name}", file=sys.stderr)
            continue
        print(f"# {entry.command(options.results)}", file=sys.stderr)
        pinned = options.core is not None and not entry.device
        more = ["--core", str(options.core)] if pinned else []
        if _execute([*entry.arguments(options.results), *more]):
            failed.append(entry.name)
    if failed:
        raise RuntimeError(f"not all of this could be measured: {', '.join(failed)}")
    return 0


def _is_complete(path: Path) -> bool:
    return path.exists() and bool(store.load(path).get("complete", True))


def _publish(options: argparse.Namespace) -> int:
    from benchmarks.pages import publish, wanting

    more = [README] if options.pages == PAGES else []
    stale = publish(options.results, options.pages, more, check=options.check)
    for path in stale:
        print(f"{'stale' if options.check else 'written'}: {path}")
    left = wanting(options.results, options.pages, more)
    for path, names in left.items():
        absent = f"{options.results} has no results of {', '.join(names)}"
        print(f"benchmarks: {path} is left as it is: {absent}", file=sys.stderr)
    return 2 if left else int(options.check and bool(stale))


def _report(options: argparse.Namespace) -> int:
    results = store.load_all(options.results)
    replayed = {name for group in reporting.replays(results).values() for name in group}
    for option, name in (("--ours", options.ours), ("--reference", options.reference)):
        if name is not None and name not in replayed:
            there = f"there are {', '.join(sorted(replayed))}" if replayed else "there are none"
            raise ValueError(f"{option} {name}: no replay is of that engine; {there}")
    ours = options.ours or "formgate"
    print(reporting.render(results, ours=ours, reference=options.reference), end="")
    return 0


def _compare(options: argparse.Namespace) -> int:
    return _compared(store.load(options.base), store.load(options.new), options)


def _compared(base: dict[str, Any], new: dict[str, Any], options: argparse.Namespace) -> int:
    usual = {"threshold": 1.1, "case_threshold": 1.5, "floor": 1.0}
    given = {name: getattr(options, name) for name in usual}
    limits = {name: usual[name] if value is None else value for name, value in given.items()}
    changes = list(comparison.compare(base, new, **limits))
    print(comparison.differences(base, new), end="")
    print(comparison.render(changes), end="")
    return int(any(change.flagged for change in changes))
