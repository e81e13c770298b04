"""A bound on the ignored text between two terminals of a Lark grammar: ``max_ignored``.

``%ignore`` takes blanks without end, and a small model may write nothing else. Without a lexer, the
gap between two terminals is a regular language, and the bound one more condition on it.

With a lexer, what may be bounded without another cut of any text are blanks: the characters C that
ignored terminals match one by one. Let B be the ignored terminals that match nothing but characters
of C, and let no other terminal be able to begin with one. Then from each blank on only terminals of
B compete, each run of blanks is cut into lexemes of B to its end, however these divide it, and in
their place one terminal C{1,n} that rules see takes a run of n at most, and no longer one: after n
blanks another begins no lexeme. What else is ignored, such as comments, is seen by rules, too: a
gap between two terminals is a run, if any, and again one after each comment. So everything that
competed before does at every place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from formgate.core.errors import EmptyLanguageError, GrammarError, UnsupportedConstraint
from formgate.core.grammar import Terminal as Lexeme
from formgate.core.vocabulary import byte_vocabulary
from formgate.plugins.cfg._lark_terminals import (
    TerminalWriter,
    called,
    unsupported_part,
)
from formgate.plugins.regex import parse
from formgate.plugins.regex._measure import children
from formgate.plugins.regex._syntax import (
    Alternation,
    CharClass,
    Literal,
    Repeat,
    Sequence,
)

if TYPE_CHECKING:
    from collections.abc import Sequence as Items

    from formgate.core._native import Engine
    from formgate.core.grammar import GrammarBuilder, Node
    from formgate.plugins.cfg._lark_load import Terminal
    from formgate.plugins.cfg._lark_use import Used

__all__ = ["Blanks", "bounded_gap", "find_blanks"]

_MOST_CHARACTERS = 256
_NAME = "blanks"
_HINT = "say lexing='any', whose bound holds for all ignored text; or leave max_ignored out"


class Blanks(NamedTuple):
    """What a lexer ignores, as rules see it.

    Args:
        terminals: The names of the terminals that are blanks.
        lexeme: The terminal in their place.
        gap: What may stand between two terminals.
    """

    terminals: frozenset[str]
    lexeme: Lexeme
    gap: Node


def find_blanks(used: Used, terminals: TerminalWriter, bound: int) -> Blanks:
    """Return what stands for the blanks of a grammar that has a lexer of the longest match.

    Raises:
        UnsupportedConstraint: There are no blanks, or another terminal can begin with one, or is
            a part in another format.
    """
    for terminal in used.terminals:
        if terminal.part is not None:
            raise unsupported_part(terminal.part, terminals.source, "beside max_ignored", _HINT)
    engines = {terminal.name: _engine(terminal, terminals) for terminal in used.terminals}
    characters, names = _blank(used.ignored, terminals, engines)
    if not names:
        raise UnsupportedConstraint(
            "max_ignored bounds blanks, but no ignored terminal is made of characters that are "
            "ignored one by one",
            hint=_HINT,
        )
    for terminal in used.terminals:
        engine = engines[terminal.name]
        if terminal.name in names or engine is None:
            continue
        for char in sorted(characters):
            if engine.is_prefix(char):
                raise UnsupportedConstraint(
                    f"max_ignored cannot be enforced: {called(terminal)} can begin with {char!r}, "
                    "which is ignored, so where the bound ends another text would begin",
                    hint=_HINT,
                )
    builder = terminals.builder
    pattern = builder.repeat(_class(characters, builder), 1, bound)
    run = builder.optional(builder.terminal(_NAME))
    others = [builder.terminal(each.name) for each in used.ignored if each.name not in names]
    gap = builder.seq(builder.star(builder.seq(run, builder.choice(*others))), run)
    return Blanks(frozenset(names), Lexeme(_NAME, pattern), gap if others else run)


def bounded_gap(used: Used, terminals: TerminalWriter, bound: int) -> Node:
    """Return the node of what may be ignored between two terminals where there is no lexer."""
    builder = terminals.builder
    engines = {each.name: _engine(each, terminals) for each in used.ignored if each.part is None}
    characters, names = _blank(used.ignored, terminals, engines)
    if len(names) == len(used.ignored):
        return builder.repeat(_class(characters, builder), 0, bound)
    skip = builder.star(builder.choice(*map(terminals.pattern, used.ignored)))
    return builder.intersection(skip, builder.repeat(builder.any_char(), 0, bound))


def _blank(
    ignored: Items[Terminal], terminals: TerminalWriter, engines: dict[str, Engine | None]
) -> tuple[set[str], set[str]]:
    """Return the blanks of a grammar, and the terminals that are made of them alone."""
    alphabets = {terminal.name: _alphabet(terminal, terminals) for terminal in ignored}
    names = {name for name, alphabet in alphabets.items() if alphabet}
    while True:
        found = {
            char
            for name in names
            for char in alphabets[name] or ()
            if (engine := engines[name]) is not None and engine.accepts(char)
        }
        kept = {name for name in names if (alphabets[name] or set()) <= found}
        if kept == names:
            return found, names
        names = kept


def _alphabet(terminal: Terminal, terminals: TerminalWriter) -> set[str] | None:
    """Return the characters of a terminal without look-around; None if there are many."""
    if terminal.part is not None:
        return None
    try:
        tree = parse(terminal.regexp, terminals.flags).tree
    except GrammarError:
        return None  # what is refused is refused when it is written
    found: set[str] = set()
    stack = [tree]
    while stack:
        node = stack.pop()
        if isinstance(node, Literal):
            found.update(node.text)
        elif isinstance(node, CharClass):
            if sum(high - low + 1 for low, high in node.ranges) > _MOST_CHARACTERS:
                return None
            found.update(chr(code) for low, high in node.ranges for code in range(low, high + 1))
        elif not isinstance(node, (Sequence, Alternation, Repeat)):
            return None
        if len(found) > _MOST_CHARACTERS:
            return None
        stack += children(node)
    return found


def _class(characters: set[str], builder: GrammarBuilder) -> Node:
    return builder.char_class((ord(char), ord(char)) for char in sorted(characters))


def _engine(terminal: Terminal, terminals: TerminalWriter) -> Engine | None:
    """Return an engine for the texts of a terminal; None if there are none."""
    builder = terminals.builder.beside()
    writer = TerminalWriter(builder, terminals.source, terminals.flags, {})
    builder.start(builder.scope(writer.pattern(terminal)))
    try:
        return builder.try_out(byte_vocabulary())
    except EmptyLanguageError:
        return None
