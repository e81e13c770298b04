"""Lark grammars with a lexer: what its terminals are, and which is preferred.

The order is that of lark's basic lexer (``lark.lexer.BasicLexer``, which the contextual lexer has
one of for each set of terminals): priority, then greatest length, then length as written, then
name. Strings that a regex of the same priority matches, too, are its keywords: lark tries the regex
only, and looks at what it matched (``lark.lexer._create_unless``). Whether a regex matches a string
is asked of this library's own engine where ``re`` may take exponential time (``_lark_trial``). The
longest match has the same keywords: of equally long lexemes of one priority, a string's comes
before a regex's, and only then does lark's order count.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from formgate.core._native import lalr_accepts
from formgate.core.errors import EmptyLanguageError, GrammarError, UnsupportedConstraint
from formgate.core.grammar import Terminal as Lexeme
from formgate.core.vocabulary import byte_vocabulary
from formgate.plugins.cfg._lark_productions import productions_of
from formgate.plugins.cfg._lark_terminals import (
    TerminalWriter,
    check_width,
    unsupported_part,
)
from formgate.plugins.cfg._lark_trial import trial
from formgate.plugins.cfg._lark_use import write_rules

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from collections.abc import Set as AbstractSet

    from formgate.core._native import Engine
    from formgate.core.grammar import Node, Production
    from formgate.plugins.cfg._lark_blanks import Blanks
    from formgate.plugins.cfg._lark_load import Terminal
    from formgate.plugins.cfg._lark_use import Used

__all__ = ["in_order", "write_lexed"]

_NEVER = "(never)"  # no name of lark's


def in_order(terminals: Sequence[Terminal]) -> list[Terminal]:
    """Return terminals in the order in which lark tries them; each must have a width."""

    def rank(terminal: Terminal) -> tuple[int, int, int, str]:
        longest = 0 if terminal.width is None else terminal.width[1]
        return -terminal.priority, -longest, -terminal.length, terminal.name

    return sorted(terminals, key=rank)


def write_lexed(
    used: Used,
    terminals: TerminalWriter,
    start: str,
    *,
    mode: str,
    contextual: bool,
    blanks: Blanks | None = None,
    lalr: bool = False,
) -> Node:
    """Write a grammar that has a lexer.

    Args:
        used: The grammar.
        terminals: Writes its terminals.
        start: The rule that the whole text must match.
        mode: ``first`` for lark's own way, ``longest``.
        contextual: Whether only those terminals compete that the rules can take next.
        blanks: What stands for some of the ignored terminals, for ``longest``.
        lalr: Whether the rules are read by lark's LALR parser, which says what can come next.

    Raises:
        GrammarError: A terminal matches the empty text, or is no regex; lark's parser refuses the
            rules.
        UnsupportedConstraint: A terminal cannot be written exactly.
    """
    for terminal in used.terminals:
        check_width(terminal, terminals.source)
        if terminal.part is not None and mode == "first":
            raise unsupported_part(terminal.part, terminals.source, "as lark reads a text")
    ordered = in_order(used.terminals)
    if mode == "longest":
        ordered.sort(key=lambda terminal: (-terminal.priority, terminal.literal is None))
    skipped = {terminal.name for terminal in used.ignored}
    ignored = skipped if blanks is None else set()
    keywords = _keywords(ordered, terminals) if mode == "first" else {}
    lexemes = [
        _lexeme(terminal, terminals, ignored, keywords.get(terminal.name, []), mode)
        for terminal in ordered
        if blanks is None or terminal.name not in blanks.terminals
    ]
    builder = terminals.builder

    matched = {terminal.name for terminal in ordered} - skipped

    def symbol(name: str) -> Node:
        # A lexer never hands on what is ignored, so no rule can have it; what is repeated no times
        # is no terminal of the lexer.
        if name not in matched:
            return builder.nothing()
        node = builder.terminal(name)
        return node if blanks is None else builder.seq(node, blanks.gap)

    write_rules(used, builder, symbol)
    whole = builder.rule(start)
    if blanks is not None:
        lexemes.append(blanks.lexeme)
        whole = builder.seq(blanks.gap, whole)
    return builder.lexed(
        whole,
        lexemes,
        mode="first" if mode == "first" else "longest",
        contextual=contextual,
        productions=_productions(used, start, skipped) if lalr else (),
    )


def _productions(used: Used, start: str, skipped: AbstractSet[str]) -> tuple[Production, ...]:
    """Return what lark's parser is made of.

    It never gets an ignored terminal, though its states look for it: whatever has one in it goes
    on with what derives nothing. Conflicts are those of the productions as they stand.
    """
    productions = productions_of(used.loaded, start)
    if all(skipped.isdisjoint(production.body) for production in productions):
        return productions
    try:
        lalr_accepts([terminal.name for terminal in used.terminals], productions, ())
    except GrammarError as error:
        from formgate.plugins.cfg._lark_places import explain_conflict  # noqa: PLC0415 (errors only)

        explain_conflict(error, used.loaded, start)
        raise
    return tuple(
        production._replace(body=tuple(_never_past(production.body, skipped)))
        for production in productions
    )


def _never_past(body: Sequence[str], skipped: AbstractSet[str]) -> Iterator[str]:
    """Yield the symbols of a body, and a rule without alternatives behind each ignored one."""
    for symbol in body:
        yield symbol
        if symbol in skipped:
            yield _NEVER


def _lexeme(
    terminal: Terminal,
    terminals: TerminalWriter,
    ignored: set[str],
    keyword_of: Sequence[tuple[str, bool]],
    mode: str,
) -> Lexeme:
    """Return one terminal for the builder."""
    builder = terminals.builder
    name = terminal.name
    if mode == "longest":
        pattern = terminals.lexeme(terminal)
        if terminal.part is None and not terminals.is_string(terminal):
            pattern = builder.scope(pattern)
        return Lexeme(name, pattern, ignored=name in ignored)
    visible = [other for other, _ in keyword_of if other not in ignored]
    if visible and name in ignored:
        raise UnsupportedConstraint(
            f"lark's lexer ignores {terminal.literal!r} except where terminal {visible[0]} "
            "may stand, whose lexeme it becomes and fails: not supported",
            hint="give one of them another priority, or say lexing='longest'",
        )
    pattern, longest = terminals.matched(terminal)
    return Lexeme(
        name,
        pattern,
        ignored=name in ignored,
        keyword_of=tuple(keyword_of),
        longest=longest,
    )


def _keywords(
    ordered: Sequence[Terminal], terminals: TerminalWriter
) -> dict[str, list[tuple[str, bool]]]:
    """Return for each string the regexes that match it in full, and whether it is embedded."""
    found: dict[str, list[tuple[str, bool]]] = {}
    strings = [terminal for terminal in ordered if terminal.literal is not None]
    for regex in ordered:
        if regex.literal is not None:
            continue
        rivals = [string for string in strings if string.priority == regex.priority]
        takes = _Matcher(regex, terminals, [string.literal or "" for string in rivals])
        for string in rivals:
            if takes(string.literal or ""):
                embedded = string.flags <= regex.flags
                found.setdefault(string.name, []).append((regex.name, embedded))
    return found


class _Matcher:
    """Says which of some texts the first match of a terminal takes whole."""

    def __init__(self, terminal: Terminal, terminals: TerminalWriter, texts: list[str]) -> None:
        self._terminal = terminal
        self._texts = texts
        self._terminals = terminals
        self._trial = trial(terminal.regexp, terminals.flags)

    def __call__(self, text: str) -> bool:
        """Say whether it takes one of the texts."""
        known = self._trial.takes(text)
        if known is not None:
            return known
        return self._engine is not None and self._engine.accepts(text)

    @cached_property
    def _engine(self) -> Engine | None:
        """An engine for those that it takes, if there are any.

        Of no others anything is asked: whether the terminal takes any text at all may be hard.
        """
        builder = self._terminals.builder.beside()
        writer = TerminalWriter(builder, self._terminals.source, self._terminals.flags, {})
        taken = builder.scope(writer.matched(self._terminal)[0])
        builder.start(builder.intersection(taken, builder.strings(self._texts)))
        try:
            return builder.try_out(byte_vocabulary())
        except EmptyLanguageError:
            return None
