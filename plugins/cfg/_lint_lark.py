"""Lark grammars as the checks see them, loaded by the lark package.

Lark drops what it does not need; for the checks, every rule is kept by asking for each as a start.
Places are looked up in the source.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from formgate.core.errors import (
    FormgateError,
    GrammarError,
    LimitError,
)
from formgate.plugins.cfg._lark_errors import explain
from formgate.plugins.cfg._lark_load import load, written
from formgate.plugins.cfg._lark_package import Imports, grammar_builder
from formgate.plugins.cfg._lark_source import prepare
from formgate.plugins.cfg._lark_terminals import check_width
from formgate.plugins.cfg._lint_grammar import LexicalTerminal, Place, Production, SymbolGrammar

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from lark.grammar import Rule
    from lark.lexer import TerminalDef

    from formgate.plugins.cfg._lark_source import LarkSource

__all__ = ["lexer_order", "read_lark", "symbol_grammar"]

_NAME = re.compile(r"\b_*[A-Z][A-Z_0-9]*\b")


def read_lark(
    source: str,
    *,
    start: str = "start",
    import_paths: Sequence[str] = (),
    base_path: str | None = None,
    flags: int = 0,
) -> SymbolGrammar:
    """Load a Lark grammar.

    Args:
        source: The grammar.
        start: The rule that the whole text must match.
        import_paths: Folders that are searched for imports.
        base_path: The folder that relative imports begin from.
        flags: ``re`` flags for all terminals.

    Raises:
        GrammarError: It is malformed, or has no rule ``start``.
        LimitError: It is nested too deep.
        MissingDependencyError: The lark package is not installed.
    """
    prepared = prepare(source)
    imports = Imports(base_path, tuple(import_paths), prepared)
    try:
        terminals, productions, ignored, named = _loaded(prepared, start, imports)
    except FormgateError:
        raise
    except RecursionError:
        raise LimitError(
            "the grammar is nested too deep for the lark package, or imports itself"
        ) from None
    except Exception as error:
        raise explain(error, prepared, imports.latest, imports.texts) from error
    if not all(map(_has_width, terminals)):
        raise _no_regex(source, base_path, tuple(import_paths))
    grammar = symbol_grammar(terminals, productions, ignored, start=start, flags=flags)
    known = dict(grammar.terminals)
    for name, terminal in known.items():
        if terminal.pattern is not None and any(
            mark in terminal.pattern for mark in prepared.parts
        ):
            known[name] = LexicalTerminal(name, None)  # a part in another format
    placed = replace(
        grammar,
        terminals=known,
        places=_places(prepared, terminals),
        fragments=_fragments(prepared),
    )
    return placed.renamed(_written(terminals, named, set(known)))


def _has_width(terminal: TerminalDef) -> bool:
    """Say whether lark can tell how long a terminal's texts are."""
    try:
        return terminal.pattern.max_width >= 0
    except Exception:  # noqa: BLE001 (an error of re, or of the regex package if there is one)
        return False


def _no_regex(source: str, base_path: str | None, import_paths: tuple[str, ...]) -> GrammarError:
    """Return the error for what is no regex, that of compiling if there is one."""
    loaded = load(source, base_path=base_path, import_paths=import_paths)
    try:
        for terminal in loaded.terminals.values():
            if terminal.width is None:
                check_width(terminal, loaded.source)
    except GrammarError as error:
        return error
    return GrammarError("lark cannot say how long the texts of some terminal are")


def _written(terminals: Iterable[TerminalDef], named: set[str], taken: set[str]) -> dict[str, str]:
    """Return what to call terminals that the grammar gives no name: what it writes for them."""
    names: dict[str, str] = {}
    for terminal in terminals:
        if terminal.name in named:
            continue
        name = written(terminal.pattern)
        if name not in taken:
            taken.add(name)
            names[str(terminal.name)] = name
    return names


def _loaded(
    prepared: LarkSource, start: str, imports: Imports
) -> tuple[list[TerminalDef], list[Rule], list[str], set[str]]:
    """Return all that lark makes of a grammar, what it has no use for included.

    The last are the terminals that the grammar names; others have names that lark made up.
    """
    builder = grammar_builder(imports)
    builder.load_grammar(prepared.text, imports.name)
    grammar = builder.build()
    rules = [str(name) for name, params, tree, _ in grammar.rule_defs if tree and not params]
    if start not in rules:
        raise GrammarError(
            f"the grammar has no rule {start!r}, which the text must match; its rules: "
            + (", ".join(rules[:10]) or "none"),
            hint="define it, or name another with start=...",
        )
    named = {str(name) for name, _ in grammar.term_defs}
    return *grammar.compile([start, *rules], "*"), named


def symbol_grammar(
    terminals: Iterable[TerminalDef],
    rules: Iterable[Rule],
    ignored: Iterable[str],
    *,
    start: str = "start",
    flags: int = 0,
) -> SymbolGrammar:
    """Return what lark has compiled, terminals in the order of its lexer.

    Args:
        terminals: The first part of what ``lark.load_grammar.Grammar.compile`` returns.
        rules: The second.
        ignored: The third.
        start: The rule that the text must match.
        flags: The flags that hold for every pattern (lark's ``g_regex_flags``).
    """
    ordered = lexer_order(terminals)
    productions = tuple(
        Production(
            str(rule.origin.name),
            tuple(str(symbol.name) for symbol in rule.expansion),
            rule.options.priority or 0,
        )
        for rule in rules
    )
    heads = {production.head for production in productions}
    owners = {head: owner for head in heads if (owner := _owner(head, heads)) != head}
    known = {str(terminal.name): _terminal(terminal) for terminal in ordered}
    for production in productions:
        for symbol in production.body:
            if symbol not in heads and symbol not in known:
                known[symbol] = LexicalTerminal(symbol, None)  # declared, and made by a program
    return SymbolGrammar(
        (start,),
        productions,
        known,
        tuple(dict.fromkeys(map(str, ignored))),
        owners=owners,
        keywords=_keywords(ordered, flags),
    )


def _owner(head: str, heads: set[str]) -> str:
    """Return the rule of a helper such as ``__rule_star_0``, or of an instance of a template."""
    while head.startswith("__"):
        parts = head[2:].split("_")
        found = ("_".join(parts[:end]) for end in range(len(parts) - 1, 0, -1))
        owner = next((name for name in found if name in heads), None)
        if owner is None:
            break
        head = owner
    return head.partition("{")[0]


def lexer_order(terminals: Iterable[TerminalDef]) -> list[TerminalDef]:
    """Return terminals in the order in which lark's lexer tries them."""
    return sorted(
        terminals,
        key=lambda t: (-t.priority, -t.pattern.max_width, -len(t.pattern.value), t.name),
    )


def _terminal(terminal: TerminalDef) -> LexicalTerminal:
    is_text = terminal.pattern.type == "str"
    return LexicalTerminal(
        str(terminal.name),
        terminal.pattern.to_regexp(),
        terminal.pattern.value if is_text and not terminal.pattern.flags else None,
        terminal.priority,
        is_text,
        terminal.pattern.max_width,
        len(terminal.pattern.value),
        terminal.pattern.min_width == 0,
    )


def _keywords(terminals: Sequence[TerminalDef], flags: int) -> dict[str, frozenset[str]]:
    """Return for each pattern the texts that it gives way to: lark's rule for keywords."""
    found = {}
    texts = [terminal for terminal in terminals if terminal.pattern.type == "str"]
    for terminal in terminals:
        if terminal.pattern.type == "re":
            pattern = re.compile(terminal.pattern.to_regexp(), flags)
            found[terminal.name] = frozenset(
                text.name
                for text in texts
                if text.priority == terminal.priority
                and (match := pattern.match(text.pattern.value)) is not None
                and match.group() == text.pattern.value
            )
    return found


def _places(prepared: LarkSource, terminals: Iterable[TerminalDef]) -> dict[str, Place]:
    """Return where rules and terminals stand in the source; imported ones have no place in it."""
    places: dict[str, Place] = {}
    for name, offset, _ in prepared.definitions():
        line = prepared.code[prepared.code.rfind("\n", 0, offset) + 1 : offset]
        if name not in places or line.lstrip().startswith("%override"):
            places[name] = _place(prepared.source, prepared.place(offset))
    for terminal in terminals:
        raw = terminal.pattern.raw
        if terminal.name not in places and raw:
            at = prepared.source.find(raw)
            if at >= 0:
                places[str(terminal.name)] = _place(prepared.source, at)
    return places


def _fragments(prepared: LarkSource) -> frozenset[str]:
    """Return the terminals that stand in the definition of another."""
    found: set[str] = set()
    for name, offset, end in prepared.definitions():
        if name.isupper():
            found |= set(_NAME.findall(prepared.code, offset + len(name), end))
    return frozenset(found)


def _place(source: str, offset: int) -> Place:
    return Place(source.count("\n", 0, offset) + 1, offset - source.rfind("\n", 0, offset))
