"""The measurements behind the documentation: `plan.toml`, one results file for each entry."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

PLAN = Path(__file__).parent / "plan.toml"


@dataclass(frozen=True)
class Entry:
    """One run: its name, what it is for, and the arguments of `python -m benchmarks`.

    One that needs a GPU (`device`) is left out where there is none, unless it is asked for.
    """

    name: str
    description: str
    run: str
    device: bool = False

    def path(self, folder: Path) -> Path:
        """Return the results file."""
        return folder / f"{self.name}.json.gz"

    def arguments(self, folder: Path) -> list[str]:
        """Return the whole command line."""
        return [*shlex.split(self.run), "--out", str(self.path(folder))]

    def command(self, folder: Path) -> str:
        """Return the command as a user types it."""
        return f"python -m benchmarks {' '.join(self.arguments(folder))}"


DEFAULT_TIMEOUT_S = 30.0
# Options that tell where a run was made and kept, not what was measured.
_WHERE = ("--out", "--core", "--nice")


def typed(results: dict[str, Any], entry: Entry) -> str | None:
    """Return the command that made the results of an entry, written to its usual place.

    Files of old do not hold it; None for them.
    """
    command = results.get("command")
    return usual(command, entry) if command else None


def usual(command: Iterable[str], entry: Entry) -> str:
    """Return a command as a user types it to have its results in the usual place of an entry."""
    out = Path("benchmarks/results") / f"{entry.name}.json.gz"
    return f"python -m benchmarks {shlex.join([*without(command, _WHERE), '--out', str(out)])}"


def unlike(results: dict[str, Any], entry: Entry) -> str | None:
    """Return in words what shows that results are of another run than an entry's, if anything does.

    Engines and cases may be more, or fewer, than the plan has by now: it can have changed since.
    """
    words = shlex.split(entry.run)
    planned = asked(words)
    sessions = results["sessions"]
    replayed = [session for session in sessions if session["workload"] == "replay"]
    expected = {
        "workload": (_workloads(words[0], planned), (s["workload"] for s in sessions)),
        "kind": (planned.get("--kinds", {"regex"}), (s["kind"] for s in replayed)),
        "mode": (planned.get("--mode", {"shared"}), (s["mode"] for s in replayed)),
        "vocabulary": (_vocabularies(words[0], planned), (s["vocabulary"] for s in sessions)),
        "part": (planned.get("--parts"), _parts(sessions)),
        "format": (planned.get("--formats"), (c["format"] for c in results["cases"].values())),
    }
    for what, (named, found) in expected.items():
        others = set(found) - named if named else ()
        if named and others:
            return f"its {what} is {_all(others)}, not {_all(named)}"
    engines = {session["engine"] for session in sessions} - {"torch"}
    named = planned.get("--engines", engines)
    if not (engines <= named or named <= engines):
        return f"its engines are {_all(engines)}, not {_all(named)}"
    return _other_cases(results, planned.get("--cases", set()))


def _workloads(command: str, planned: dict[str, set[str]]) -> set[str]:
    ways = {"crossformat": {"decoding"}, "device": {"device"}}
    return ways.get(command) or planned.get("--workloads", {"replay"})


def _vocabularies(command: str, planned: dict[str, set[str]]) -> set[str]:
    if command == "crossformat":
        return {"smollm2"}  # the embedded model's
    return planned.get("--vocabularies") or planned.get("--vocabulary") or {"tekken"}


def _parts(sessions: list[dict[str, Any]]) -> set[str]:
    """Return what was measured on a device."""
    parts = ("kernels", "steps", "decoding")
    return {part for part in parts if any(session.get(part) for session in sessions)}


def _other_cases(results: dict[str, Any], named: set[str]) -> str | None:
    """Return in words that other cases were chosen: none are named where all are meant."""
    for name, case in results["cases"].items():
        if named and not named & {name, case["group"]}:
            return f"its cases have {name}, not only {_all(named)}"
    chosen = asked(results.get("command") or []).get("--cases")
    if chosen and not named:
        return f"its cases are {_all(chosen)} alone"
    return None


def _all(names: Iterable[str]) -> str:
    return ", ".join(sorted(names))


def asked(command: Iterable[str]) -> dict[str, set[str]]:
    """Return what stands behind each option of a command line, in whatever order."""
    found: dict[str, set[str]] = {}
    name = ""
    for word in command:
        option, given, value = word.partition("=")
        if word.startswith("--"):
            name = option
        names = value if given and word.startswith("--") else "" if word == name else word
        found.setdefault(name, set()).update(filter(None, names.split(",")))
    return found


def without(command: Iterable[str], options: tuple[str, ...]) -> list[str]:
    """Return a command line without these options and their values."""
    kept: list[str] = []
    skip = False
    for word in command:
        if skip or word.partition("=")[0] in options:
            skip = not skip and word in options
        else:
            kept.append(word)
    return kept


def load(path: Path = PLAN) -> list[Entry]:
    """Return the entries in order."""
    import tomllib

    with path.open("rb") as file:
        return [Entry(**entry) for entry in tomllib.load(file)["entry"]]
