"""The meta-schemas of the drafts, read from the files of the package jsonschema-specifications.

Importing that package reads all of its files and imports what resolves references for others: tens
of milliseconds, where a schema asks for one file. What its files do not tell is asked of it.
"""

from __future__ import annotations

import json
import re
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING

from formgate.core.errors import MissingDependencyError

if TYPE_CHECKING:
    from formgate.plugins.json_schema._values import Json

__all__ = ["meta_schema"]

_PACKAGE = "jsonschema_specifications"
_ADDRESS = re.compile(
    r"http://json-schema\.org/draft-0(?P<old>[3467])/schema"
    r"|https://json-schema\.org/draft/(?P<new>2019-09|2020-12)/(schema|meta/(?P<part>[a-z-]+))"
)


@cache
def meta_schema(uri: str) -> Json:
    """Return the meta-schema of an address, or a part of one, None if there is none.

    Raises:
        MissingDependencyError: The package that holds them is not installed.
    """
    uri = uri.removesuffix("#")
    try:
        found = _from_file(uri)
        return _from_registry(uri) if found is None else found
    except ImportError:
        raise MissingDependencyError(
            f"the schema refers to the meta-schema {uri}, which the package "
            "jsonschema-specifications holds; install formgate[jsonschema]"
        ) from None


def _from_file(uri: str) -> Json:
    """Return the meta-schema of an address, None if no file is where it should be, or says so."""
    from pathlib import Path  # noqa: PLC0415 (5 ms that a compilation does without)

    address = _ADDRESS.fullmatch(uri)
    if address is None:
        return None
    spec = find_spec(_PACKAGE)
    if spec is None:
        raise ImportError(_PACKAGE)
    draft = address["old"] or address["new"].replace("-", "")
    file = f"vocabularies/{address['part']}" if address["part"] else "metaschema.json"
    for folder in spec.submodule_search_locations or ():
        try:
            text = Path(folder, "schemas", f"draft{draft}", file).read_text(encoding="utf-8")
            found = json.loads(text)
        except (OSError, ValueError):
            continue
        if isinstance(found, dict):
            name = found.get("$id", found.get("id"))
            if isinstance(name, str) and name.removesuffix("#") == uri:
                return found
    return None


def _from_registry(uri: str) -> Json:
    """Return what the package has at an address, None if that is nothing."""
    from jsonschema_specifications import REGISTRY  # noqa: PLC0415 (rarely needed)

    for address in (uri, uri + "#"):
        try:
            return REGISTRY.contents(address)
        except LookupError:
            continue
    return None
