"""Declarative cases: a constraint, texts that satisfy it and texts that do not.

One data file per kind of constraint; its head says what the fields mean. A new kind is a new entry
in `CASE_FILES`, and adapters that take its formats. The cases of kind "schema" are made by
`benchmarks.cases.schemas`, partly from a data file that lies beside the project; those of kind
"formats", each constraint in every format, by `benchmarks.cases.formats`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

ROOT = Path(__file__).resolve().parents[2]
CASE_FILES = {
    "regex": ROOT / "tests" / "data" / "regexes.toml",
    "grammar": ROOT / "benchmarks" / "cases" / "grammars.toml",
}
MIXES = ROOT / "benchmarks" / "cases" / "batch.toml"
SCHEMAS = ROOT.parent / "shared" / "data" / "json-schemas-real.jsonl.xz"
KINDS = (*CASE_FILES, "schema", "formats")
# What an entry says its constraint in: the field, and the format that is meant unless one is named.
_SOURCES = {"regex": "pattern", "grammar": "grammar"}


@dataclass(frozen=True)
class Dialect:
    """The constraint of a case as one engine reads it."""

    format: str
    source: str


@dataclass(frozen=True)
class Case:
    """One constraint with its texts.

    `common` says that every engine means the same language by it, and `same_masks` that every
    engine also cuts its texts into lexemes by rules that come to the same, so that masks can be
    compared. `tokenisations` names some of `benchmarks.vocabularies.TOKENISATIONS`. The source of a
    case that is not `public` does not go into results. `rewritten` says that the second matching
    text is the first one, written in another way.
    """

    name: str
    format: str
    group: str
    source: str
    matching: tuple[str, ...]
    non_matching: tuple[str, ...]
    common: bool = True
    same_masks: bool = True
    dialects: dict[str, Dialect] = field(default_factory=dict)
    unsupported: tuple[str, ...] = ()
    tokenisations: tuple[str, ...] = ("bpe", "greedy")
    public: bool = True
    rewritten: bool = False

    def dialect(self, package: str) -> Dialect:
        """Return the constraint as an engine of this package reads it."""
        return self.dialects.get(package, Dialect(self.format, self.source))


def load_cases(kind: str = "regex", *, names: Iterable[str] = ()) -> list[Case]:
    """Return the cases of a kind in file order, all of them or those named.

    A name may also be that of a group. Raises `ValueError` for a name that is neither.
    """
    wanted = set(names)
    if kind == "schema":
        from benchmarks.cases.schemas import load

        cases = load(SCHEMAS, Case, wanted)
    elif kind == "formats":
        from benchmarks.cases import formats

        cases = formats.load(Case, Dialect)
    else:
        import tomllib  # here, so that engine processes under older Pythons can import this package

        path = CASE_FILES[kind]
        with path.open("rb") as file:
            cases = [_case(kind, entry, path.parent) for entry in tomllib.load(file)["case"]]
    if not wanted:
        return cases
    unknown = wanted - {case.name for case in cases} - {case.group for case in cases}
    if unknown:
        raise ValueError(f"no such case or group: {', '.join(sorted(unknown))}")
    return [case for case in cases if case.name in wanted or case.group in wanted]


@dataclass(frozen=True)
class Mix:
    """What the rows of a batch are made of: an equal share of each case."""

    name: str
    description: str
    cases: tuple[Case, ...]


def load_mixes() -> list[Mix]:
    """Return the mixes of `batch.toml`."""
    import tomllib

    with MIXES.open("rb") as file:
        entries = tomllib.load(file)["mix"]
    return [
        Mix(
            entry["name"],
            entry["description"],
            tuple(load_cases(kind, names=[name])[0] for kind, name in entry["cases"]),
        )
        for entry in entries
    ]


def _case(kind: str, entry: dict[str, Any], folder: Path) -> Case:
    form = entry.get("format", kind)
    return Case(
        name=entry["name"],
        format=form,
        group=entry["group"],
        source=_source(entry[_SOURCES[kind]], folder),
        matching=_texts(entry["matching"], folder),
        non_matching=_texts(entry["non_matching"], folder),
        common=entry.get("common", True),
        same_masks=entry.get("same_masks", True),
        dialects={
            package: _dialect(form, given, folder)
            for package, given in entry.get("dialects", {}).items()
        },
        unsupported=tuple(entry.get("unsupported", ())),
        tokenisations=tuple(entry.get("tokenisations", ("bpe", "greedy"))),
    )


def _dialect(form: str, given: str | dict[str, Any], folder: Path) -> Dialect:
    if isinstance(given, str):
        return Dialect(form, given)
    return Dialect(given.get("format", form), _source(given["grammar"], folder))


def _source(given: str | dict[str, str], folder: Path) -> str:
    """Return a source that is given as it is, or as `{file = "name"}`."""
    return given if isinstance(given, str) else _read(folder / given["file"])


def _texts(given: list[Any] | dict[str, str], folder: Path) -> tuple[str, ...]:
    """Return texts: a list of them, or `{file = "name"}`, a JSON list of objects with a "text".

    A text is a string, or a list of pieces, each a string and how many times it stands there.
    """
    if isinstance(given, dict):
        return tuple(entry["text"] for entry in json.loads(_read(folder / given["file"])))
    return tuple(
        text if isinstance(text, str) else "".join(piece * times for piece, times in text)
        for text in given
    )


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")
