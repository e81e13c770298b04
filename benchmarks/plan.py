"""The measurements behind the documentation: `plan.toml`, one results file for each entry."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PLAN = Path(__file__).parent / "plan.toml"


@dataclass(frozen=True)
class Entry:
    """One run: its name, what it is for, and the arguments of `python -m benchmarks`."""

    name: str
    description: str
    run: str

    def path(self, folder: Path) -> Path:
        """Return the results file."""
        return folder / f"{self.name}.json.gz"

    def arguments(self, folder: Path) -> list[str]:
        """Return the whole command line."""
        return [*shlex.split(self.run), "--out", str(self.path(folder))]

    def command(self, folder: Path) -> str:
        """Return the command as a user types it."""
        return f"python -m benchmarks {' '.join(self.arguments(folder))}"


# Options that tell where a run was made and kept, not what was measured.
_WHERE = ("--out", "--core", "--nice")


def typed(results: dict[str, Any], entry: Entry) -> str:
    """Return the command that made the results of an entry, written to its usual place.

    That is the plan's unless they were made by another; files of old do not say.
    """
    command = results.get("command") or shlex.split(entry.run)
    kept: list[str] = []
    skip = False
    for word in command:
        if skip or word.partition("=")[0] in _WHERE:
            skip = not skip and word in _WHERE
        else:
            kept.append(word)
    out = Path("benchmarks/results") / f"{entry.name}.json.gz"
    return f"python -m benchmarks {shlex.join([*kept, '--out', str(out)])}"


def load(path: Path = PLAN) -> list[Entry]:
    """Return the entries in order."""
    import tomllib

    with path.open("rb") as file:
        return [Entry(**entry) for entry in tomllib.load(file)["entry"]]
