"""Declarative cases: a constraint, texts that satisfy it and texts that do not.

One file per format. A new format is a new entry in `CASE_FILES` and adapters that list it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

ROOT = Path(__file__).resolve().parents[2]
CASE_FILES = {"regex": ROOT / "tests" / "data" / "regexes.toml"}


@dataclass(frozen=True)
class Case:
    """One constraint with its texts; the head of the data file says what the fields mean."""

    name: str
    format: str
    group: str
    source: str
    matching: tuple[str, ...]
    non_matching: tuple[str, ...]
    common: bool = True
    dialects: dict[str, str] = field(default_factory=dict)
    unsupported: tuple[str, ...] = ()


def load_cases(kind: str = "regex", *, names: Iterable[str] = ()) -> list[Case]:
    """Return the cases of a format in file order, all of them or those named.

    A name may also be that of a group. Raises `ValueError` for a name that is neither.
    """
    import tomllib  # here, so that engine processes under older Pythons can import this package

    with CASE_FILES[kind].open("rb") as file:
        cases = [_case(kind, entry) for entry in tomllib.load(file)["case"]]
    wanted = set(names)
    if not wanted:
        return cases
    unknown = wanted - {case.name for case in cases} - {case.group for case in cases}
    if unknown:
        raise ValueError(f"no such case or group: {', '.join(sorted(unknown))}")
    return [case for case in cases if case.name in wanted or case.group in wanted]


def _case(kind: str, entry: dict[str, Any]) -> Case:
    return Case(
        name=entry["name"],
        format=kind,
        group=entry["group"],
        source=entry["pattern"],
        matching=tuple(entry["matching"]),
        non_matching=tuple(entry["non_matching"]),
        common=entry.get("common", True),
        dialects=dict(entry.get("dialects", {})),
        unsupported=tuple(entry.get("unsupported", ())),
    )
