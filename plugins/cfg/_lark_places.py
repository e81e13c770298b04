"""Places in a Lark grammar of what the engine finds wrong, which it knows by name only.

Cost: one look at the parts of the grammar, which is kept since it was loaded.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from formgate.core.errors import EmptyLanguageError, FormgateError, GrammarError, LimitError
from formgate.plugins.cfg._header import options_of
from formgate.plugins.cfg._lark import read_source
from formgate.plugins.cfg._lark_definitions import find_statement, owner_of, statements_of
from formgate.plugins.cfg._lark_faults import place_of
from formgate.plugins.cfg._lark_load import load
from formgate.plugins.cfg._lark_package import Imports, make_parser
from formgate.plugins.cfg._lark_productions import productions_of
from formgate.plugins.cfg._lark_source import prepare

if TYPE_CHECKING:
    from collections.abc import Mapping

    from formgate.core.grammar import Production
    from formgate.plugins.cfg._lark_definitions import Statement
    from formgate.plugins.cfg._lark_load import Loaded
    from formgate.plugins.cfg._lark_source import LarkSource, Part

__all__ = ["explain", "explain_conflict"]

_TERMINAL = re.compile('terminal "([A-Z0-9_]+)"')
_CONFLICT = re.compile(
    r"an LALR parser cannot tell, before (.+?), whether (.+) ends there \(a reduce/reduce.*",
    re.DOTALL,
)
_NO_END_FOUND = "deciding whether the lexer can ever come to an end"  # as the engine has it
_SPECIAL = re.compile('special token "(.*?)"', re.DOTALL)


def explain(source: object, options: Mapping[str, object], error: FormgateError) -> None:
    """Add the place to an error of the engine, and why there is no text where there is none.

    Places are those of colliding rules, a terminal without a name, or a special token.

    Raises:
        EmptyLanguageError: In place of a limit that the engine met while it looked for an end,
            where the rules and the lexer show that there is none.
    """
    if isinstance(error, LimitError):
        _explain_limit(source, options, error)
    if not isinstance(error, GrammarError) or error.source is not None:
        return
    if isinstance(error, EmptyLanguageError):
        _explain_empty(source, options, error)
        return
    if _CONFLICT.fullmatch(error.reason):
        text, folder, folders = read_source(source, options)
        loaded = load(text, base_path=folder, import_paths=folders)
        explain_conflict(error, loaded, str(options.get("start", "start")))
        return
    terminal = _TERMINAL.search(error.reason)
    special = _SPECIAL.search(error.reason)
    if terminal is None and special is None:
        return
    try:
        text, folder, folders = read_source(source, options)
        prepared = prepare(text)
        part = None
        if terminal is not None:
            loaded = load(text, base_path=folder, import_paths=folders)
            known = loaded.terminals[terminal[1]]
            part = known.part
            what = f"%{part.name}" if part is not None else f"terminal {known.shown}"
            if known.shown != known.name:  # lark's name for it says nothing to the user
                error.reason = error.reason.replace(terminal[0], what)
                error.args = (error.reason,)
            place = place_of(known, prepared) if part is None else part.place
        else:
            assert special is not None  # noqa: S101 (tells the type checker)
            part = _special(prepared, special[1])
            place = (None, None) if part is None else part.place
    except (FormgateError, KeyError):
        return  # what there is to say was said
    if place[0] is not None:
        error.source = prepared.source
        error.offset, error.end = place


def _explain_limit(source: object, options: Mapping[str, object], error: LimitError) -> None:
    """Raise another error where a grammar that met a limit has no text."""
    if str(error).startswith(_NO_END_FOUND):
        empty = EmptyLanguageError("no text matches the grammar")
        if _explain_empty(source, options, empty):
            raise empty from None


def _explain_empty(source: object, options: Mapping[str, object], error: GrammarError) -> bool:
    """Say what keeps a grammar from having texts, and where; False if that is not seen."""
    from formgate.plugins.cfg._lint import why_empty  # noqa: PLC0415 (much that only this needs)

    assert isinstance(source, (str, os.PathLike))  # noqa: S101 (was compiled)
    given = {**options_of(source), **options}
    given.pop("format", None)
    try:
        text, folder, folders = read_source(source, given)
        found = why_empty(text, {**given, "base_path": folder, "import_paths": folders})
    except FormgateError:
        return False  # what there is to say was said
    if found is None:
        return False
    error.reason = f"the language is empty: {found.message}"
    error.hint = found.hint or None
    error.args = (error.reason,)
    if found.line is not None and found.column is not None:
        begin = sum(map(len, text.split("\n")[: found.line - 1])) + found.line - 1
        error.source = text
        error.offset = begin + found.column - 1
        error.end = error.offset + len(found.subject)
    return True


def _special(source: LarkSource, name: str) -> Part | None:
    """Return the part that names a special token."""
    for part in source.parts.values():
        if part.format == "special_token" and part.source == name:
            return part
    return None


def explain_conflict(error: GrammarError, loaded: Loaded, start: str) -> None:
    """Say of alternatives that collide where their rules are; the caret is under the first."""
    told = _CONFLICT.fullmatch(error.reason)
    if told is None:
        return
    places = sorted(
        (told[2].index(text), production)
        for production in productions_of(loaded, start)
        if (text := _native(production)) in told[2]
    )
    imports = Imports(*loaded.folders, loaded.source)
    terminals = {terminal.regexp: terminal.name for terminal in loaded.terminals.values()}
    make_parser()
    try:
        statements = statements_of(loaded.source.text, imports.name, imports, terminals)
    except Exception:  # noqa: BLE001 (lark's; what there is to say without places is said)
        statements = {}
    shown = []
    shows_import = False
    for _, production in places:
        statement = find_statement(production, statements)
        text = _shown(production, loaded, statements)
        if statement is not None:
            offset, source = statement.offset, statement.text
            if statement.path is None:
                offset, source = loaded.source.place(offset), loaded.source.source
            line = source.count("\n", 0, offset) + 1
            column = offset - source.rfind("\n", 0, offset)
            file = "" if statement.path is None else f" of {statement.path}"
            text += f" (line {line}, column {column}{file})"
            # What stands in the grammar itself is shown before what it imports.
            if error.source is None or (shows_import and statement.path is None):
                error.source = source
                error.offset, error.end = offset, offset + len(statement.name)
                shows_import = statement.path is not None
        shown.append(text)
    terminal = loaded.terminals.get(told[1])
    before = told[1] if terminal is None else terminal.shown
    error.reason = (
        f"an LALR parser cannot tell, before {before}, whether {' or '.join(shown)} ends there "
        "(a reduce/reduce conflict)"
    )
    error.hint = (
        "make the rules differ, or give one of them a priority; or say lexing='any' or "
        "parser='earley', which read the text both ways"
    )
    error.args = (error.reason,)


def _native(production: Production) -> str:
    """Return a production as the engine's error has it."""
    return f'"{production.head}:' + "".join(f" {each}" for each in production.body) + '"'


def _shown(
    production: Production, loaded: Loaded, statements: Mapping[str, list[Statement]]
) -> str:
    """Return a production in the names that the grammar uses."""

    def symbol(name: str) -> str:
        if name in loaded.terminals:
            return loaded.terminals[name].shown
        owner = owner_of(name, statements)
        if owner is None:
            return name
        own = statements[owner][-1].name
        return f"(a part of {own})" if name.startswith("__") else own

    body = " ".join(map(symbol, production.body))
    return f"{symbol(production.head)}: {body or '(nothing)'}"
