"""Which rules, alternatives and terminals of a grammar a text uses.

A text is parsed with Earley's algorithm (Earley, "An efficient context-free parsing algorithm",
CACM 13(2), 1970) over the pieces of ``_testing_symbols``, which match any length, so a chart
has columns only where a piece ends. Every step keeps what it came from; what is reachable from
the complete readings of the text, and nothing else, is used. A text with several readings uses what
any of them uses. Counts of repetitions are not looked at: the engine has accepted the text.

Cost: within Earley's bounds, some microseconds an item; a text that needs more than a given number
of items is given up and said to be.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from formgate.plugins.cfg._testing_lexemes import Given, Longest

if TYPE_CHECKING:
    from collections.abc import Callable

    from formgate.plugins.cfg._testing_lexemes import Cut, Token
    from formgate.plugins.cfg._testing_symbols import Symbols

__all__ = ["Coverage", "ends"]

_MOST_ITEMS = 300_000
_DISPLAYED = 30

# Symbol, number of the production, place in it, where it began, where it is.
_Item = tuple[int, int, int, int, int]


@dataclass
class Coverage:
    """What texts have used so far.

    Args:
        symbols: The grammar.
        tokens: Cuts a text into lexemes as lark does, where its own lexers are meant.
        used: Productions used: a symbol and the number of its alternative.
        pieces: Terminals used.
        skipped: Names of texts that were too long to be parsed.
        uncut: Names of texts whose lexemes are not known: they are read in every cut.
    """

    symbols: Symbols
    tokens: Callable[[str], list[Token] | None] | None = None
    used: set[tuple[int, int]] = field(default_factory=set)
    pieces: set[int] = field(default_factory=set)
    skipped: list[str] = field(default_factory=list)
    uncut: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._productions, self._pieces = _usable(self.symbols)
        self._inside = self.symbols.rules_inside(self._pieces)

    def add(self, data: bytes, name: str = "") -> bool:
        """Count what a text uses; False when it was too long to be parsed."""
        cut = self._cut(data)
        chart = _Chart(self.symbols, data, cut)
        is_read = chart.fill()
        if is_read and cut is not None and not chart.found():
            cut = None
            chart = _Chart(self.symbols, data, None)
            is_read = chart.fill()
        if not is_read:
            self.skipped.append(name)
            return False
        if cut is None and self.symbols.lexer is not None:
            self.uncut.append(name)
        steps, work = chart.steps, chart.found()
        seen = set(work)
        while work:
            item = work.pop()
            self.used.add(item[:2])
            for before, inner, piece in steps[item]:
                if piece is not None:
                    self.pieces.add(piece)
                for each in (before, inner):
                    if each is not None and each not in seen:
                        seen.add(each)
                        work.append(each)
        return True

    def _cut(self, data: bytes) -> Cut | None:
        """Return how the lexer cuts a text; None if that is not known, or there is none."""
        lexer = self.symbols.lexer
        if lexer is None:
            return None
        if lexer.mode == "longest":
            return Longest(self.symbols, contextual=lexer.contextual)
        found = None if self.tokens is None else self.tokens(data.decode("utf-8", "replace"))
        return None if found is None else Given(self.symbols, found)

    def record(self) -> dict[str, object]:
        """Return the figures, and what was never used, as JSON values."""
        names = {
            symbol: name
            for symbol, name in self.symbols.names.items()
            if symbol not in self.symbols.terminals
        }
        rules = {symbol for symbol, _ in self._productions if symbol in names}
        counted = {names[symbol] for symbol in rules}
        used_rules = {symbol for symbol, _ in self.used if symbol in names}
        alternatives = {each for each in self._productions if each[0] in names}
        used = self.used & alternatives
        unused = sorted(alternatives - used)
        return {
            "rules": len(rules),
            "rules_used": len(used_rules),
            "rules_unused": [names[symbol] for symbol in sorted(rules - used_rules)],
            "rules_not_counted": [each for each in self._inside if each not in counted],
            "alternatives": len(alternatives),
            "alternatives_used": len(used),
            "alternatives_unused": [
                f"{names[symbol]}, alternative {index + 1}"
                for symbol, index in unused
                if symbol in used_rules
            ],
            "terminals": len(self._pieces),
            "terminals_used": len(self.pieces & self._pieces),
            "terminals_unused": [
                self._shown(piece) for piece in sorted(self._pieces - self.pieces)
            ],
            "texts_too_long": list(self.skipped),
            "texts_in_every_cut": list(self.uncut),
        }

    def _shown(self, symbol: int) -> str:
        """Name a terminal."""
        lexeme = self.symbols.lexemes.get(symbol)
        if lexeme is not None and not lexeme.name.startswith("__"):
            return lexeme.name
        piece = self.symbols.pieces[symbol]
        text = self.symbols.shown(piece)
        text = text if len(text) <= _DISPLAYED else text[:_DISPLAYED] + "..."
        return f"{text} in {piece.owner}" if piece.owner else text


def ends(symbols: Symbols, piece: int, data: bytes, begin: int) -> list[int]:
    """Return where texts of a piece that begin at a place may end."""
    literal = symbols.pieces[piece].literal
    if literal is not None:
        return [begin + len(literal)] if data.startswith(literal, begin) else []
    engine = symbols.piece_engine(piece)
    if engine is None:
        return []
    state = engine.start()
    found = [begin] if engine.is_accepting(state) else []
    for place in range(begin, len(data)):
        if not engine.is_allowed(state, data[place]):
            break
        state = engine.advance(state, data[place])
        if engine.is_accepting(state):
            found.append(place + 1)
    return found


# From where an item was reached: the item before, the completed item, the terminal.
_Step = tuple["_Item | None", "_Item | None", "int | None"]


class _Chart:
    """The items of one text, and the steps to each.

    Invariant: ``waiting`` holds, for a symbol and a place, the items before that symbol there;
    ``complete``, for a symbol and where it began, the items behind all of it.
    """

    def __init__(self, symbols: Symbols, data: bytes, cut: Cut | None) -> None:
        self.steps: dict[_Item, list[_Step]] = {}
        self._cut = cut
        # Items of this column that wait for a lexeme, by its piece.
        self._wanted: dict[int, list[_Item]] = {}
        self._symbols = symbols
        self._data = data
        self._columns: dict[int, list[_Item]] = {}
        self._waiting: dict[tuple[int, int], list[_Item]] = {}
        self._complete: dict[tuple[int, int], list[_Item]] = {}
        self._matches: dict[tuple[int, int], list[int]] = {}

    def fill(self) -> bool:
        """Find all items; False when there are too many."""
        self._predict(self._symbols.start, 0)
        for place in range(len(self._data) + 1):
            for item in self._columns.get(place, ()):  # grows meanwhile
                if len(self.steps) > _MOST_ITEMS:
                    return False
                body = self._symbols.productions[item[0]][item[1]]
                if item[2] == len(body):
                    self._finish(item)
                elif body[item[2]] in self._symbols.pieces:
                    self._match(item, body[item[2]])
                else:
                    self._enter(item, body[item[2]])
            self._take_lexemes(place)
        return True

    def found(self) -> list[_Item]:
        """Return the items that have read all of the text."""
        symbols = self._symbols
        items = [
            (symbols.start, index, len(body), 0, len(self._data))
            for index, body in enumerate(symbols.productions[symbols.start])
        ]
        return [item for item in items if item in self.steps]

    def _add(self, item: _Item, step: _Step) -> None:
        if item in self.steps:
            self.steps[item].append(step)
            return
        self.steps[item] = [step]
        self._columns.setdefault(item[4], []).append(item)

    def _predict(self, symbol: int, place: int) -> None:
        for index in range(len(self._symbols.productions[symbol])):
            item = (symbol, index, 0, place, place)
            if item not in self.steps:
                self._add(item, (None, None, None))

    def _finish(self, item: _Item) -> None:
        """Move on the items that waited for a symbol, now that all of it is there."""
        self._complete.setdefault((item[0], item[3]), []).append(item)
        for other in self._waiting.get((item[0], item[3]), ()):
            self._add((*_moved(other), item[4]), (other, item, None))

    def _match(self, item: _Item, piece: int) -> None:
        """Move an item over a terminal, or let it wait for a lexeme until all others do."""
        if self._cut is not None and piece in self._symbols.lexemes:
            self._wanted.setdefault(piece, []).append(item)
            return
        for end in self._ends(piece, item[4]):
            self._add((*_moved(item), end), (item, None, piece))

    def _take_lexemes(self, place: int) -> None:
        """Move the items that wait at a place over the lexemes that the lexer cuts there."""
        if self._cut is None or not self._wanted:
            return
        wanted, self._wanted = self._wanted, {}
        for piece, found in self._cut.lexemes(place, wanted, self._ends).items():
            for item in wanted[piece]:
                for end in found:
                    self._add((*_moved(item), end), (item, None, piece))

    def _ends(self, piece: int, place: int) -> list[int]:
        """Return where texts of a piece that begin at a place may end."""
        key = (piece, place)
        if key not in self._matches:
            self._matches[key] = ends(self._symbols, piece, self._data, place)
        return self._matches[key]

    def _enter(self, item: _Item, symbol: int) -> None:
        """Let an item wait for a symbol; what matches nothing may be complete already."""
        place = item[4]
        self._waiting.setdefault((symbol, place), []).append(item)
        self._predict(symbol, place)
        for done in self._complete.get((symbol, place), ()):
            if done[4] == place:
                self._add((*_moved(item), place), (item, done, None))


def _moved(item: _Item) -> tuple[int, int, int, int]:
    """Return an item one symbol on, without its place."""
    return item[0], item[1], item[2] + 1, item[3]


def _usable(symbols: Symbols) -> tuple[set[tuple[int, int]], set[int]]:
    """Return the productions and pieces that some text of the language uses."""
    productive = _productive(symbols)
    used: set[tuple[int, int]] = set()
    pieces: set[int] = set()
    seen = {symbols.start}
    work = [symbols.start]
    while work:
        symbol = work.pop()
        if symbol in symbols.pieces:
            pieces.add(symbol)
            continue
        for index, body in enumerate(symbols.productions[symbol]):
            if all(part in productive for part in body):
                used.add((symbol, index))
                work += [part for part in body if part not in seen]
                seen.update(body)
    return used, pieces


def _productive(symbols: Symbols) -> set[int]:
    """Return the symbols that match some text, by counting down the parts not known to."""
    found: set[int] = set()
    users: dict[int, list[tuple[int, int]]] = {}
    missing: dict[tuple[int, int], int] = {}
    work: list[int] = []
    for symbol, bodies in symbols.productions.items():
        for index, body in enumerate(bodies):
            parts = set(body)
            missing[symbol, index] = len(parts)
            for part in parts:
                users.setdefault(part, []).append((symbol, index))
            if not parts:
                work.append(symbol)
    needed = {symbol for symbol in symbols.pieces if symbol in users}
    work += [symbol for symbol in needed if symbols.piece_engine(symbol) is not None]
    while work:
        symbol = work.pop()
        if symbol in found:
            continue
        found.add(symbol)
        for user in users.get(symbol, ()):
            missing[user] -= 1
            if missing[user] == 0:
                work.append(user[0])
    return found
