"""Places in a Lark grammar of what the engine finds wrong, which it knows by name only.

Cost: one look at the parts of the grammar, which is kept since it was loaded.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from formgate.core.errors import FormgateError, GrammarError
from formgate.plugins.cfg._lark import read_source
from formgate.plugins.cfg._lark_load import load
from formgate.plugins.cfg._lark_source import prepare

if TYPE_CHECKING:
    from collections.abc import Mapping

    from formgate.plugins.cfg._lark_source import LarkSource, Part

__all__ = ["explain"]

_ANONYMOUS = re.compile('terminal "(__[A-Z0-9_]+)"')
_SPECIAL = re.compile('special token "(.*?)"', re.DOTALL)


def explain(source: object, options: Mapping[str, object], error: FormgateError) -> None:
    """Add the place to an error about a terminal without a name, or about a special token."""
    if not isinstance(error, GrammarError) or error.source is not None:
        return
    anonymous = _ANONYMOUS.search(error.reason)
    special = _SPECIAL.search(error.reason)
    if anonymous is None and special is None:
        return
    try:
        text, folder, folders = read_source(source, options)
        prepared = prepare(text)
        if anonymous is not None:
            loaded = load(text, base_path=folder, import_paths=folders)
            part = loaded.terminals[anonymous[1]].part
        else:
            assert special is not None  # noqa: S101 (tells the type checker)
            part = _special(prepared, special[1])
    except (FormgateError, KeyError):
        return  # what there is to say was said
    if part is None:
        return
    if anonymous is not None:
        error.reason = error.reason.replace(anonymous[0], f"%{part.name}")
        error.args = (error.reason,)
    error.source = prepared.source
    error.offset, error.end = part.place


def _special(source: LarkSource, name: str) -> Part | None:
    """Return the part that names a special token."""
    for part in source.parts.values():
        if part.format == "special_token" and part.source == name:
            return part
    return None
