"""Lark grammars as the checks see them, loaded by the lark package.

Lark drops what it does not need; for the checks, every rule is kept by asking for each as a start.
Rules come with their places; those of terminals are looked up in the source.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from formgate.core.errors import GrammarError, MissingDependencyError
from formgate.plugins.cfg._lint_grammar import LexicalTerminal, Place, Production, SymbolGrammar

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from lark.grammar import Rule
    from lark.lexer import TerminalDef

__all__ = ["lexer_order", "read_lark", "symbol_grammar"]

_DEFINITION = re.compile(r"^(?P<name>_*[A-Z][A-Z_0-9]*)(?:\.-?\d+)?\s*:", re.MULTILINE)
_STATEMENT = re.compile(r"^(?:%|[?!]*_*[A-Za-z][\w]*(?:\{[^}]*\})?(?:\.-?\d+)?\s*:)", re.MULTILINE)
_NAME = re.compile(r"\b_*[A-Z][A-Z_0-9]*\b")
_NOT_NAMES = re.compile(r'//[^\n]*|"(?:[^"\\\n]|\\.)*"|/(?![/*])(?:[^/\\\n]|\\.)+/')


def read_lark(
    source: str, *, start: str = "start", import_paths: Sequence[str] = (), name: str = "<string>"
) -> SymbolGrammar:
    """Load a Lark grammar.

    Raises:
        GrammarError: It is malformed, or has no rule ``start``.
        MissingDependencyError: The lark package is not installed.
    """
    try:
        from lark.exceptions import LarkError  # noqa: PLC0415 (an optional package)
        from lark.load_grammar import load_grammar  # noqa: PLC0415
    except ImportError as error:
        raise MissingDependencyError(
            "Lark grammars are read by the lark package; install formgate[lark]"
        ) from error
    try:
        loaded, _ = load_grammar(source, name, list(import_paths), False)
        rules = {str(name): name for name, params, _, _ in loaded.rule_defs if not params}
        if start not in rules:
            raise GrammarError(
                f"the grammar has no rule {start!r}, which the text must match; its rules: "
                + (", ".join(list(rules)[:10]) or "none"),
                hint="define it, or name another with start=...",
            )
        terminals, productions, ignored = loaded.compile([start, *rules], "*")
    except LarkError as error:
        raise _grammar_error(source, error) from error
    except OSError as error:
        raise GrammarError(f"a grammar to be imported cannot be read: {error}") from error
    grammar = symbol_grammar(
        terminals, productions, ignored, start=start, places=_places(source, rules, terminals)
    )
    return replace(grammar, fragments=_fragments(source))


def symbol_grammar(
    terminals: Iterable[TerminalDef],
    rules: Iterable[Rule],
    ignored: Iterable[str],
    *,
    start: str = "start",
    places: Mapping[str, Place] | None = None,
    flags: int = 0,
) -> SymbolGrammar:
    """Return what lark has compiled, terminals in the order of its lexer.

    Args:
        terminals: The first part of what ``lark.load_grammar.Grammar.compile`` returns.
        rules: The second.
        ignored: The third.
        start: The rule that the text must match.
        places: Where names are defined.
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
        places or {},
        owners,
        keywords=_keywords(ordered, flags),
    )


def _owner(head: str, heads: set[str]) -> str:
    """Return the rule that lark made a helper ``__rule_star_0`` for, or a template's instance of."""
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


def _places(
    source: str, rules: Mapping[str, object], terminals: Iterable[TerminalDef]
) -> dict[str, Place]:
    """Return where rules and terminals stand in the source; imported ones have no place in it."""
    places = {}
    for name, token in rules.items():
        line, column = getattr(token, "line", None), getattr(token, "column", None)
        if line is not None and column is not None:
            places[name] = Place(line, column)
    for match in _DEFINITION.finditer(source):
        places.setdefault(match["name"], _place(source, match.start()))
    for terminal in terminals:
        raw = terminal.pattern.raw
        if terminal.name not in places and raw:
            at = source.find(raw)
            if at >= 0:
                places[terminal.name] = _place(source, at)
    return places


def _fragments(source: str) -> frozenset[str]:
    """Return the terminals that stand in the definition of another."""
    bare = _NOT_NAMES.sub(" ", source)
    found: set[str] = set()
    for match in _DEFINITION.finditer(bare):
        after = _STATEMENT.search(bare, match.end())
        body = bare[match.end() : after.start() if after else len(bare)]
        found |= set(_NAME.findall(body))
    return frozenset(found)


def _place(source: str, offset: int) -> Place:
    return Place(source.count("\n", 0, offset) + 1, offset - source.rfind("\n", 0, offset))


def _grammar_error(source: str, error: Exception) -> GrammarError:
    """Return lark's error as ours, with its place where it has one."""
    cause: BaseException | None = error
    while cause is not None:
        line, column = getattr(cause, "line", None), getattr(cause, "column", None)
        if isinstance(line, int) and isinstance(column, int) and line > 0 and column > 0:
            lines = source.splitlines(keepends=True)
            offset = sum(map(len, lines[: line - 1])) + column - 1
            first = (str(error).strip() or type(error).__name__).splitlines()[0]
            return GrammarError(f"lark refuses the grammar: {first}", source=source, offset=offset)
        cause = cause.__context__
    return GrammarError(f"lark refuses the grammar: {error}")
