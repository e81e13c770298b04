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


def typed(results: dict[str, Any], entry: Entry) -> str:
    """Return the command that made the results of an entry, written to its usual place.

    That is the plan's unless they were made by another. Files of old do not hold it; their options
    and engines do.
    """
    command = results.get("command") or _of_old(results, shlex.split(entry.run))
    out = Path("benchmarks/results") / f"{entry.name}.json.gz"
    kept = without(command, _WHERE)
    return f"python -m benchmarks {shlex.join([*kept, '--out', str(out)])}"


def _of_old(results: dict[str, Any], planned: list[str]) -> list[str]:
    engines = dict.fromkeys(session["engine"] for session in results["sessions"])
    timeout_s = results["options"].get("timeout_s", DEFAULT_TIMEOUT_S)
    command = without(planned, ("--timeout",))
    if "--engines" in command and engines:
        command[command.index("--engines") + 1] = ",".join(engines)
    return command if timeout_s == DEFAULT_TIMEOUT_S else [*command, "--timeout", f"{timeout_s:g}"]


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
