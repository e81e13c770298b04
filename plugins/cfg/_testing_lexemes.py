"""How the lexer of a grammar cuts a text, for the readings that coverage counts.

The longest match is taken here, terminal by terminal, among those that the readings so far can take
next; that is what the grammar says. What lark's own lexers take depends on what ``re`` finds first,
so there lark's parser cuts the text. Where it cannot, since it resolves a conflict in another way
or is not there, the text is read in every cut.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from lark import Lark

    from formgate.plugins.cfg._testing_symbols import Symbols

    # Where the texts of a piece that begin at a place end.
    Ends = Callable[[int, int], list[int]]
    # The name of a terminal, where its lexeme begins, and where it ends.
    Token = tuple[str, int, int]

__all__ = ["Cut", "Given", "Longest", "lark_tokens"]


class Cut(Protocol):
    """Says which lexemes begin at a place of a text."""

    def lexemes(self, place: int, wanted: Collection[int], ends: Ends) -> dict[int, list[int]]:
        """Return where the lexemes end, by piece, of those that readings can take there."""
        ...


class Longest:
    """The longest match; of equally long ones that of the more preferred terminal.

    Args:
        symbols: The grammar.
        contextual: Whether only what readings can take next competes.
    """

    def __init__(self, symbols: Symbols, *, contextual: bool) -> None:
        self._ranks = {piece: rank for rank, piece in enumerate(symbols.lexemes)}
        self._is_contextual = contextual

    def lexemes(self, place: int, wanted: Collection[int], ends: Ends) -> dict[int, list[int]]:
        """Return the one lexeme that is cut."""
        candidates: Iterable[int] = wanted if self._is_contextual else self._ranks
        best: tuple[int, int, int] | None = None
        for piece in candidates:
            found = max(ends(piece, place), default=place)
            if found > place:
                rank = found, -self._ranks[piece], piece
                best = rank if best is None else max(best, rank)
        return {} if best is None or best[2] not in wanted else {best[2]: [best[0]]}


class Given:
    """Lexemes that are known; between them is what the lexer ignores.

    Args:
        symbols: The grammar.
        tokens: The lexemes, in order.
    """

    def __init__(self, symbols: Symbols, tokens: list[Token]) -> None:
        pieces = {terminal.name: piece for piece, terminal in symbols.lexemes.items()}
        self._ignored = {piece for piece, each in symbols.lexemes.items() if each.ignored}
        self._tokens = {begin: (pieces.get(name), end) for name, begin, end in tokens}
        self._begins = [begin for _, begin, _ in tokens]

    def lexemes(self, place: int, wanted: Collection[int], ends: Ends) -> dict[int, list[int]]:
        """Return the lexeme that begins here, or whatever is ignored up to the next."""
        if place in self._tokens:
            piece, end = self._tokens[place]
            return {piece: [end]} if piece is not None and piece in wanted else {}
        index = bisect_right(self._begins, place)
        last = self._begins[index] if index < len(self._begins) else None
        return {
            piece: [end for end in ends(piece, place) if last is None or end <= last]
            for piece in self._ignored.intersection(wanted)
        }


def lark_tokens(parser: Lark, text: str) -> list[Token] | None:
    """Return the lexemes that lark cuts a text into, at places in UTF-8; None if it cannot."""
    from lark.exceptions import LarkError  # noqa: PLC0415 (an extra: the grammar was loaded by it)

    try:
        if parser.options.parser == "lalr":
            interactive = parser.parse_interactive(text)
            found = list(interactive.iter_parse())
            interactive.feed_eof(found[-1] if found else None)  # type: ignore[no-untyped-call]
        else:
            found = list(parser.lex(text))
    except (LarkError, RecursionError, NotImplementedError):
        return None
    tokens: list[Token] = []
    place = octet = 0
    for token in found:
        begin = octet + len(text[place : token.start_pos or 0].encode())
        octet = begin + len(str(token).encode())
        place = (token.start_pos or 0) + len(str(token))
        tokens.append((str(token.type), begin, octet))
    return tokens
