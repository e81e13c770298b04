"""`python -m tests.json_schema.conformance`: the runs, their tables and the ratchets."""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from suite import DRAFTS

from conformance import official, real
from conformance.judge import begin, judge
from conformance.pool import run_all

if TYPE_CHECKING:
    from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.json_schema.conformance")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, run, what in (
        ("suite", _suite, "the official JSON-Schema-Test-Suite"),
        ("real", _real, "real schemas with instances"),
    ):
        command = commands.add_parser(name, help=what)
        command.set_defaults(command=run)
        command.add_argument("--processes", type=int, default=2)
        command.add_argument("--limit", type=float, default=20.0, help="seconds per schema")
        command.add_argument("--order", choices=["schema", "any"], default=None)
        command.add_argument("--names", nargs="*", default=[], help="parts of names")
        command.add_argument("--every", type=_positive, default=1, help="take one of so many")
        command.add_argument("--out", type=Path, help="all records as JSON")
        command.add_argument("--verbose", action="store_true", help="show every error")
        command.add_argument("--update", action="store_true", help="store the ratchet")
    suite = commands.choices["suite"]
    suite.add_argument("--drafts", nargs="*", default=list(DRAFTS), choices=list(DRAFTS))
    commands.choices["real"].add_argument(
        "--tokens", action="store_true", help="masks of the Tekken vocabulary, not single bytes"
    )
    commands.choices["real"].add_argument(
        "--again", type=int, default=3, help="times that the slowest are measured again, alone"
    )
    options = parser.parse_args(arguments)
    status: int = options.command(options)
    return status


def _positive(given: str) -> int:
    number = int(given)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{number} is below 1")
    return number


def _real(options: argparse.Namespace) -> int:
    if not real.DATA.exists():
        print(f"{real.DATA} is not here", file=sys.stderr)
        return 2
    known = real.load()
    names = options.names or [""]
    entries = [e for e in known if any(name in e["name"] for name in names)][:: options.every]
    if not entries:
        print("no schema has such a name", file=sys.stderr)
        return 2
    given = {"property_order": options.order} if options.order else {}
    started = time.monotonic()
    records: list[dict[str, Any]] = []
    for job, record in run_all(
        real.jobs(entries, given, tokens=options.tokens),
        judge,
        processes=options.processes,
        limit_s=options.limit,
        start=begin,
    ):
        done = real.finished(job, record)
        records.append(done)
        if options.verbose:
            _show(job, done)
        if len(records) % 500 == 0:
            spent = time.monotonic() - started
            print(f"{len(records)} of {len(entries)} after {spent:.0f} s", file=sys.stderr)
    _measure_again(records, known, given, options)
    print(real.summary(records))
    if options.out:
        options.out.write_text(json.dumps(records, indent=1), encoding="utf-8")
    if options.update:
        if options.names or options.every > 1:
            print("the ratchet is stored for all schemas or not at all")
            return 2
        print(f"\nstored {real.store(records)} schemas that are not right")
        return 0
    bad = real.worse(records)
    if bad:
        print(f"\n{len(bad)} schemas are worse than stored:\n  " + "\n  ".join(bad[:50]))
    return int(bool(bad))


def _measure_again(
    records: list[dict[str, Any]],
    entries: Sequence[dict[str, Any]],
    given: dict[str, Any],
    options: argparse.Namespace,
) -> None:
    """Take the times of the slowest schemas again, where nothing else runs."""
    names = {record["name"] for record in real.slowest(records)}
    speeds = [1e3 * real.fixed_work_s()]
    for _ in range(options.again):
        jobs = real.jobs_again(entries, names, given, tokens=options.tokens)
        again = run_all(jobs, judge, processes=1, limit_s=options.limit, start=begin)
        real.keep_least(records, (record for _, record in again if record["name"] in names))
        speeds.append(1e3 * real.fixed_work_s())
    shown = ", ".join(f"{speed:.1f}" for speed in speeds)
    print(f"a loop of fixed work took {shown} ms beside what was measured again")


def _show(job: dict[str, Any], record: dict[str, Any]) -> None:
    if record["status"] != "ok":
        print(f"{record['name']}: {record['status']}: {record['error']}")
    for kind, places in record["wrong"].items():
        for at in places:
            verdict = record["texts"][at][0] if record["texts"] else ""
            print(f"{record['name']}[{at}] {kind} {verdict}: {job['texts'][at][0][:400]}")


def _suite(options: argparse.Namespace) -> int:
    return official.run(
        drafts=options.drafts,
        order=options.order or "any",
        names=options.names,
        every=options.every,
        processes=options.processes,
        limit_s=options.limit,
        update=options.update,
        verbose=options.verbose,
        out=options.out,
    )
