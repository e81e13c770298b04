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

__all__ = ["explain", "explain_conflict"]

_ANONYMOUS = re.compile('terminal "(__[A-Z0-9_]+)"')
_CONFLICT = re.compile('whether "(.+?):.*?"( or )"(.+?):.*?"( ends there)')
_SPECIAL = re.compile('special token "(.*?)"', re.DOTALL)


def explain(source: object, options: Mapping[str, object], error: FormgateError) -> None:
    """Add the place to an error about colliding rules, a nameless terminal, or a special token."""
    if not isinstance(error, GrammarError) or error.source is not None:
        return
    if _CONFLICT.search(error.reason):
        explain_conflict(error, prepare(read_source(source, options)[0]))
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


def explain_conflict(error: GrammarError, source: LarkSource) -> None:
    """Say of two alternatives that collide where their rules are; the caret is under the first.

    Rules of imported files are named only.
    """
    found = _CONFLICT.search(error.reason)
    if found is None:
        return
    definitions = source.definitions()
    for group in (3, 1):  # from the end, so that the first stays where it was found
        head = found[group].partition("{")[0]
        # lark writes rules for the repetitions in a rule, named after it.
        matching = [
            (len(name), -offset)
            for name, offset, _ in definitions
            if name == head or head.startswith(f"__{name}_")
        ]
        if not matching:
            continue
        length, offset = max(matching)
        begin = source.place(-offset)
        line = source.source.count("\n", 0, begin) + 1
        column = begin - source.source.rfind("\n", 0, begin)
        at = found.start(group + 1)
        error.reason = f"{error.reason[:at]} (line {line}, column {column}){error.reason[at:]}"
        error.source = source.source
        error.offset, error.end = begin, begin + length
    error.args = (error.reason,)
