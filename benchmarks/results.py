"""The results file: JSON with the machine, the options and one session per engine configuration.

    {"format": 2, "date": ..., "machine": {...}, "options": {...}, "command": [...],
     "complete": true, "cases": {name: {...}},
     "sessions": [{"workload", "engine", "vocabulary", "setup", "versions", ...}]}

`command` is what was typed after `python -m benchmarks`; `complete` is false until all of it has
been measured. A run that was ended early is marked `interrupted`, and so are the sessions that it
cut short: {"cases": measured, "of": all, "repeats": whole ones}.
A session of the workload "replay" has a "kind", a "mode", and "cases": {name: {"status",
"compile_ns", "runs": [...]}}. A run holds its series in nanoseconds, one number per step: `mask_ns`
and `advance_ns` of the first replay, `warm_mask_ns` and `warm_advance_ns` of the second; `wall_ns`
and `cpu_ns`, the sums of the first replay by each clock; `loop_ns` for a whole replay without
clocks; `digests`, a checksum of each mask where masks are compared; and of texts that are JSON
`judged`, how many masks of a sample the judge of JSON contradicts, and how many the sample has. The
other workloads are told in `benchmarks.others` and `benchmarks.decoding`. A file name ending in .gz
is compressed.
"""

from __future__ import annotations

import datetime as dt
import gzip
import json
import os
import platform
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.cases import ROOT
from benchmarks.checked import ShapeError, check, session_key
from benchmarks.engines import ENGINES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from benchmarks.cases import Case

FORMAT = 2
# What is measured: the package and the benchmarks, with what both read of the tests. Results and
# pages are none of it, though they change while others are measured.
MEASURED = (
    "core",
    "plugins",
    "adapters",
    "pyproject.toml",
    "benchmarks",
    ":(exclude)benchmarks/results",
    "tests/data",
    "tests/json_schema",
)


def new_results(
    cases: Mapping[str, Sequence[Case]], options: dict[str, Any], command: Sequence[str] = ()
) -> dict[str, Any]:
    """Return an empty results file for these cases, given by kind; it is not complete.

    Raises `ValueError` where two have the same name.
    """
    names = [case.name for every in cases.values() for case in every]
    if len(set(names)) < len(names):
        raise ValueError("two cases have the same name: run their kinds apart")
    now = dt.datetime.now(dt.timezone.utc)
    return {
        "format": FORMAT,
        "date": now.isoformat(timespec="seconds"),
        "machine": describe_machine(),
        "source": describe_source(),
        "options": options,
        "command": list(command),
        "complete": False,
        "cases": {
            case.name: {
                "kind": kind,
                "format": case.format,
                "group": case.group,
                "source": case.source if case.public else "",
                "common": case.common,
                "same_masks": case.same_masks,
                "unsupported": list(case.unsupported),
            }
            for kind, every in cases.items()
            for case in every
        },
        "sessions": [],
    }


def prepare(path: Path) -> None:
    """Make the folder of a results file, before hours are spent on what goes into it.

    Raises `ValueError` for a name that `load` would not understand, and `OSError`.
    """
    if not path.name.endswith((".json", ".json.gz")):
        raise ValueError(f"{path}: the name of a results file ends in .json or .json.gz")
    path.parent.mkdir(parents=True, exist_ok=True)
    if not os.access(path.parent, os.W_OK):
        raise PermissionError(f"{path.parent} cannot be written to")


def save(results: dict[str, Any], path: Path) -> None:
    """Write the file; an existing one is replaced only once the new one is complete."""
    text = json.dumps(results, separators=(",", ":")) + "\n"
    content = text.encode()
    if path.suffix == ".gz":
        content = gzip.compress(content, mtime=0)
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(path.name + ".partial")
    partial.write_bytes(content)
    partial.replace(path)


def load(path: Path) -> dict[str, Any]:
    """Read a results file.

    Raises `ValueError`, naming the file, for another version of the format and for what is none.
    """
    content = path.read_bytes()
    try:
        if path.suffix == ".gz":
            content = gzip.decompress(content)
        results: Any = json.loads(content)
    except (ValueError, EOFError, RecursionError, gzip.BadGzipFile) as error:
        raise ValueError(f"{path} is no results file: {error}") from error
    if not isinstance(results, dict) or "format" not in results:
        raise ValueError(f"{path} is no results file: it is no object with a format")
    if results["format"] != FORMAT:
        raise ValueError(f"{path}: results format {results['format']}, expected {FORMAT}")
    try:
        check(results)
    except ShapeError as error:
        raise ValueError(f"{path} is no results file: {error}") from error
    return results


def load_known(path: Path) -> dict[str, Any]:
    """Read a results file all of whose engines there are. Raises `ValueError` for any other."""
    results = load(path)
    for session in results["sessions"]:
        if session["workload"] != "device" and session["engine"] not in ENGINES:
            raise ValueError(f"{path}: no engine is called {session['engine']!r}")
    return results


def load_all(paths: Sequence[Path]) -> dict[str, Any]:
    """Read several files as one.

    Raises `ValueError` where processors differ, or two files have the same session.
    """
    first, *others = [load_known(path) for path in paths]
    known = {session_key(session) for session in first["sessions"]}
    for other in others:
        if other["machine"]["cpu"] != first["machine"]["cpu"]:
            raise ValueError("results of different processors do not belong into one report")
        for session in other["sessions"]:
            key = session_key(session)
            if key in known:
                raise ValueError(f"{' '.join(key)} is in two of the files: use `compare`")
            known.add(key)
        first["cases"].update(other["cases"])
        first["sessions"] += other["sessions"]
        first["complete"] = first.get("complete", True) and other.get("complete", True)
        first["interrupted"] = first.get("interrupted", False) or other.get("interrupted", False)
    return first


def describe_source() -> str:
    """Return the commit that is measured; empty if unknown.

    It is marked "-dirty" where files of `MEASURED` differ from it, or new ones stand among them.
    """
    commit = _git("rev-parse", "--short", "HEAD")
    changed = _git("status", "--porcelain", "--", *MEASURED)
    return f"{commit}-dirty" if commit and changed else commit


def _git(*arguments: str) -> str:
    try:
        command = ("git", *arguments)
        found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return found.stdout.strip()


def describe_machine() -> dict[str, Any]:
    """Return what is known of the machine that affects times."""
    cpu: dict[str, str] = {}
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text(encoding="utf-8").splitlines():
            key, _, value = line.partition(":")
            cpu.setdefault(key.strip(), value.strip())
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return {
        "cpu": cpu.get("model name", platform.processor()),
        "cache": cpu.get("cache size", "?"),
        "cores": os.cpu_count(),
        "memory_gib": round(memory, 1),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "load": [round(value, 2) for value in os.getloadavg()],
    }
