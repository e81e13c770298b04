"""The official JSON-Schema-Test-Suite, read from its archive, and the documents it refers to.

The archive lies beside the project, under ``shared/data``; tests that need it skip where it is not.
Each case is one instance under one schema; ``exact=True`` reads numbers as exact decimals, which a
judge needs (and jsonschema's own arithmetic cannot take everywhere).
"""

from __future__ import annotations

import json
import tarfile
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    import referencing

ARCHIVE = Path(__file__).resolve().parents[3] / "shared/data/json-schema-test-suite.tar.xz"
DRAFTS = {
    "4": "draft4",
    "6": "draft6",
    "7": "draft7",
    "2019-09": "draft2019-09",
    "2020-12": "draft2020-12",
}
REMOTE = "http://localhost:1234/"


@dataclass(frozen=True)
class Case:
    """One instance under one schema.

    Attributes:
        draft: A key of ``DRAFTS``.
        file: Path below the draft's folder: ``anyOf.json``, ``optional/format/ipv4.json``.
        group: What the schema's group says of itself.
        description: What the case says of itself.
        schema: The schema; shared by the cases of its group.
        instance: The instance.
        valid: Whether the instance is valid under the schema.
    """

    draft: str
    file: str
    group: str
    description: str
    schema: Any
    instance: Any
    valid: bool

    @property
    def name(self) -> str:
        """A name that is unique up to copies within a group."""
        return f"{self.draft}/{self.file}: {self.group}: {self.description}"

    @property
    def optional(self) -> bool:
        """Whether the standard leaves this open, formats included."""
        return self.file.startswith("optional/")

    @property
    def about_format(self) -> bool:
        """Whether the case wants formats to be asserted."""
        return self.file.startswith("optional/format/") or self.file.endswith(
            "optional/format-assertion.json"
        )

    @property
    def about_content(self) -> bool:
        """Whether the case wants the contents of strings to be asserted."""
        return self.file == "optional/content.json"


def cases(draft: str, *, exact: bool = True) -> list[Case]:
    """Return all cases of a draft, required ones first; skip the test where there is no archive."""
    folder = f"tests/{DRAFTS[draft]}/"
    found = []
    for path, text in sorted(_files().items(), key=lambda item: ("optional" in item[0], item[0])):
        if not path.startswith(folder):
            continue
        for group in _read(text, exact=exact):
            found += [
                Case(
                    draft,
                    path[len(folder) :],
                    group["description"],
                    test["description"],
                    group["schema"],
                    test["data"],
                    test["valid"],
                )
                for test in group["tests"]
            ]
    return found


@cache
def registry(draft: str) -> referencing.Registry[Any]:
    """Return the documents that schemas of a draft refer to, under their addresses."""
    import referencing
    import referencing.jsonschema

    defaults = {
        "4": referencing.jsonschema.DRAFT4,
        "6": referencing.jsonschema.DRAFT6,
        "7": referencing.jsonschema.DRAFT7,
        "2019-09": referencing.jsonschema.DRAFT201909,
        "2020-12": referencing.jsonschema.DRAFT202012,
    }
    resources = []
    for path, text in _files().items():
        folder = path.partition("/")[2].partition("/")[0]
        own = next((name for name, named in DRAFTS.items() if named == folder), None)
        if not path.startswith("remotes/") or (own is None and folder[:1] in "dv"):
            continue  # of drafts that there are no cases of here
        resource = referencing.Resource.from_contents(
            _read(text), default_specification=defaults[own or draft]
        )
        resources.append((REMOTE + path[len("remotes/") :], resource))
    return referencing.Registry().with_resources(resources)


@cache
def _files() -> dict[str, str]:
    """Return the texts of the archive by their paths below its only folder."""
    if not ARCHIVE.exists():
        pytest.skip("shared/data/json-schema-test-suite.tar.xz is not here")
    texts = {}
    with tarfile.open(ARCHIVE) as archive:
        for member in archive:
            if member.isfile() and member.name.endswith(".json"):
                file = archive.extractfile(member)
                assert file is not None
                texts[member.name.partition("JSON-Schema-Test-Suite/")[2]] = file.read().decode()
    return texts


def _read(text: str, *, exact: bool = True) -> Any:
    """Read a JSON text, with exact numbers if wanted."""
    return json.loads(text, parse_float=Decimal) if exact else json.loads(text)
