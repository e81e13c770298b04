"""``Terminal``: what a lexer cuts text into."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, NewType

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Node", "Terminal"]

Node = NewType("Node", int)


class Terminal(NamedTuple):
    """One terminal of ``GrammarBuilder.lexed``.

    Attributes:
        name: As rules refer to it.
        pattern: Its lexemes, over characters; never the empty text. In mode ``"first"``, look-ahead
            in it sees beyond the lexeme, and look-behind as far back as the lexeme's start.
        ignored: It may stand between any lexemes, and rules do not see it.
        keyword_of: Other terminals whose lexemes have this terminal's name instead, where this
            pattern, too, matches the whole lexeme and the rules can take both: pairs of a name and
            whether this terminal is then not looked for by itself. Lexemes of ignored terminals
            keep their name.
    """

    name: str
    pattern: Node
    ignored: bool = False
    keyword_of: Sequence[tuple[str, bool]] = ()
