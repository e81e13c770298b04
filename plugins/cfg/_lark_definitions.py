"""Where the rules of a Lark grammar are written: which statement, in which file.

lark keeps no places. So on the way to an error, and only there, the grammar and what it imports are
parsed by lark once more, and its statements are gone through as its ``GrammarBuilder`` does: names
of imported rules get the names that lark gives them, ``%override`` drops what was before, and
``%extend`` adds to it.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from lark.tree import Tree

    from formgate.core.grammar import Production

__all__ = ["Statement", "find_statement", "owner_of", "statements_of"]


class _Find(Protocol):
    """Finds an imported file, as lark asks for it."""

    def __call__(self, base_path: object, grammar_path: str) -> tuple[object, str]:
        """Return what stands for the file, and its text."""


class Statement(NamedTuple):
    """One definition of a rule, or an extension of one.

    Args:
        name: The rule's own name, in the text where it stands.
        path: The imported file that it stands in; None for the grammar itself.
        text: The text that it stands in.
        offset: Where its name stands in that.
        alternatives: For each alternative the symbols in it, as ``_symbols`` tells them.
    """

    name: str
    path: str | None
    text: str
    offset: int
    alternatives: tuple[frozenset[str], ...]


def statements_of(
    text: str, name: str, find: _Find, terminals: Mapping[str, str]
) -> dict[str, list[Statement]]:
    """Return the statements in force for each rule, by the name that lark knows it by.

    Args:
        text: The grammar, as lark reads it.
        name: What lark takes for the file that it stands in.
        find: Finds an imported file, as lark asks for it.
        terminals: Names of terminals by their regexes.
    """
    found: dict[str, list[Statement]] = {}
    _collect(text, name, None, (find, terminals, found))
    return found


def _collect(
    text: str,
    name: object,
    mangle: Callable[[str], str] | None,
    shared: tuple[_Find, Mapping[str, str], dict[str, list[Statement]]],
) -> None:
    """Add the statements of one text, after those of what it imports."""
    from lark.load_grammar import (  # noqa: PLC0415 (an optional package)
        GrammarBuilder,
        _get_mangle,
        _parse_grammar,
    )

    find, terminals, found = shared
    tree = _parse_grammar(text, name)  # type: ignore[no-untyped-call]
    imports: dict[tuple[str, ...], tuple[object, dict[str, str]]] = {}
    for statement in tree.children:
        if statement.data == "import":
            builder = GrammarBuilder()
            unpacked = builder._unpack_import(statement, name)  # type: ignore[no-untyped-call]  # noqa: SLF001
            path, base, aliases = unpacked
            imports.setdefault(path, (base, {}))[1].update(aliases)
    for path, (base, aliases) in imports.items():
        inner = _get_mangle("__".join(path), aliases, mangle)  # type: ignore[no-untyped-call]
        where, imported = find(base, os.path.join(*path) + ".lark")  # noqa: PTH118
        _collect(imported, where, inner, shared)
    for statement in tree.children:
        kind = statement.data
        rule = statement.children[0] if kind in ("override", "extend") else statement
        if rule.data != "rule":
            continue
        token = rule.children[1]
        known = str(token) if mangle is None else mangle(str(token))
        own = Statement(
            str(token),
            None if mangle is None else str(getattr(name, "path", name)),
            text,
            token.start_pos,
            tuple(_symbols(each, mangle, terminals) for each in rule.children[-1].children),
        )
        if kind == "extend":
            found.setdefault(known, []).append(own)
        else:
            found[known] = [own]


def _symbols(
    alternative: Tree[object], mangle: Callable[[str], str] | None, terminals: Mapping[str, str]
) -> frozenset[str]:
    """Return the names of the rules and terminals in an alternative."""
    from lark.grammar import Symbol  # noqa: PLC0415 (an optional package)
    from lark.load_grammar import PrepareLiterals  # noqa: PLC0415

    found = set()
    for part in alternative.iter_subtrees():
        if part.data in ("literal", "range"):
            pattern = PrepareLiterals().transform(part).children[0]
            found.add(terminals.get(pattern.to_regexp(), ""))
        for symbol in part.children:
            if isinstance(symbol, Symbol):
                name = str(symbol.name)
                found.add(name if mangle is None else mangle(name))
    return frozenset(found)


def owner_of(head: str, names: Iterable[str]) -> str | None:
    """Return the rule that a head of a production was made for: one of some names, or None.

    lark writes rules for the repetitions in a rule, and for each use of a template.
    """
    plain = head.partition("{")[0]
    matching = [name for name in names if plain == name or plain.startswith(f"__{name}_")]
    matching += [name for name in names if plain == f"__{name}"]
    return max(matching, key=len, default=None)


def find_statement(
    production: Production, statements: Mapping[str, list[Statement]]
) -> Statement | None:
    """Return the statement that a production comes from, or None where that is not known."""
    owner = owner_of(production.head, statements)
    if owner is None:
        return None
    wanted = {
        symbol.partition("{")[0] for symbol in production.body if not symbol.startswith("__")
    } | {symbol for symbol in production.body if symbol.startswith("__ANON")}

    def distance(statement: Statement) -> tuple[int, int]:
        return min(
            ((len(wanted - each), len(each - wanted)) for each in statement.alternatives),
            default=(len(wanted), 0),
        )

    return min(statements[owner], key=distance)
