"""Terminals that are never read: whatever they match, others that lark tries before them take.

Lark reads the first terminal, in its order, of which ``re`` matches a beginning of the text that is
left. A terminal is never read if, in every context in which the lexer looks for it, whatever begins
with one of its texts begins with a text of a terminal before it. A string that is the keyword of a
regex takes the place of the regex. Where something cannot be decided, the terminal counts as read.

Some short texts, tried with ``re``, show almost every terminal to be read; the others are decided
by the engine, on the language of all texts that may be left, so that look-ahead counts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from formgate.plugins.cfg._lint_report import Finding, finding, listed, named, quoted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from formgate.plugins.cfg._lint_grammar import SymbolGrammar
    from formgate.plugins.cfg._lint_lexemes import Lexemes

__all__ = ["Unread", "find_unread", "unread_finding"]

_EXAMPLES = 4
_MOST_RIVALS = 20


class Unread(NamedTuple):
    """A terminal that is never read.

    Attributes:
        name: The terminal.
        rivals: The terminals that take its texts, in lark's order.
        text: One of its texts.
    """

    name: str
    rivals: tuple[str, ...]
    text: str


def find_unread(
    grammar: SymbolGrammar, contexts: Iterable[frozenset[str]], show: Lexemes
) -> list[Unread]:
    """Return the terminals that lark never reads, in lark's order.

    Args:
        grammar: The grammar.
        contexts: The sets of terminals that compete.
        show: Knows their texts.
    """
    order = {name: rank for rank, name in enumerate(grammar.terminals)}
    places: dict[str, list[_Context]] = {}
    for names in contexts:
        context = _Context(grammar, show, sorted(names, key=order.__getitem__))
        for name in names:
            places.setdefault(name, []).append(context)
    found = []
    for name in sorted(places, key=order.__getitem__):
        texts = show.texts(name, _EXAMPLES)
        if not texts or any(each.reads(name, text) for each in places[name] for text in texts):
            continue
        rivals: set[str] = set()
        for context in places[name]:
            here = context.rivals(name, texts)
            if here is None:
                break
            rivals |= here
        else:
            found.append(Unread(name, tuple(sorted(rivals, key=order.__getitem__)), texts[0]))
    return found


class _Context:
    """What lark's lexer looks for at one place.

    Invariant: ``_keywords`` holds what may take the place of each regex, and no terminal that may
    be such a keyword stands for itself in ``_literals`` and ``_patterns``.
    """

    def __init__(self, grammar: SymbolGrammar, show: Lexemes, ordered: list[str]) -> None:
        self._terminals = grammar.terminals
        self._show = show
        competing = [grammar.terminals[name] for name in ordered]
        self._unknown = {each.priority for each in competing if each.pattern is None}
        self._rank = {name: rank for rank, name in enumerate(ordered)}
        self._keywords = {
            name: known
            for name in ordered
            if (known := grammar.keywords.get(name, frozenset()) & self._rank.keys())
        }
        embedded = frozenset[str]().union(*self._keywords.values())
        self._scanned = [name for name in ordered if name not in embedded]
        self._first_of: dict[tuple[str | None, int], str] = {}
        for each in competing:
            self._first_of.setdefault((each.literal, each.priority), each.name)
        self._literals: dict[str, str] = {}
        self._patterns: list[str] = []
        for name in self._scanned:
            text = show.literal(name)
            if text is None:
                self._patterns.append(name)
            else:
                self._literals.setdefault(text, name)

    def reads(self, name: str, text: str) -> bool:
        """Say whether lark may read a terminal at the beginning of a text that is one of it."""
        places = self._places(name)
        return places is None or any(not self._takers(place, text) for place in places)

    def rivals(self, name: str, texts: Iterable[str]) -> set[str] | None:
        """Return terminals that take all texts of another; None where there may be one left."""
        double = self._double(name)
        found = set() if double is None else {double}
        for place in self._places(name) or ():
            likely = {taker for text in texts for taker in self._takers(place, text)[:1]}
            if not self._show.escapes(name, frozenset(likely)):
                found |= likely
                continue
            before = self._scanned_before(place)
            able = frozenset(each for each in before if self._show.may_meet(each, name))
            if len(able) > _MOST_RIVALS or self._show.escapes(name, able):
                return None
            found |= able
        return found or None

    def _places(self, name: str) -> list[str] | None:
        """Return the terminals in whose place lark may try another; None where that is unknown."""
        terminal = self._terminals[name]
        if terminal.is_text and terminal.priority in self._unknown:
            return None  # it may be a keyword of what only a program knows
        if terminal.literal is not None and self._double(name) is not None:
            return []
        regexes = [other for other, keywords in self._keywords.items() if name in keywords]
        if regexes and terminal.literal is not None:
            return regexes
        return [name, *regexes]

    def _double(self, name: str) -> str | None:
        """Return the terminal before a string that is the same string of the same priority."""
        terminal = self._terminals[name]
        key = (terminal.literal, terminal.priority)
        found = None if terminal.literal is None else self._first_of.get(key)
        return None if found == name else found

    def _scanned_before(self, place: str) -> list[str]:
        return [name for name in self._scanned if self._rank[name] < self._rank[place]]

    def _takers(self, place: str, text: str) -> list[str]:
        """Return what lark tries before a terminal and matches a beginning of a text, in order."""
        limit = self._rank[place]
        found = [
            name
            for end in range(1, len(text) + 1)
            if (name := self._literals.get(text[:end])) is not None and self._rank[name] < limit
        ]
        for name in self._patterns:
            if self._rank[name] >= limit:
                break
            pattern = self._show.pattern(name)
            if pattern is not None and pattern.match(text):
                found.append(name)
        return sorted(found, key=self._rank.__getitem__)


def unread_finding(grammar: SymbolGrammar, unread: Unread) -> Finding:
    """Return the finding for a terminal that is never read."""
    name, rivals = unread.name, unread.rivals
    above = max(grammar.terminals[rival].priority for rival in rivals)
    reason = "of higher priority" if above > grammar.terminals[name].priority else "in lark's order"
    wanted = max(above + 1, 2)
    written = f"{name}.{wanted}: ..." if name[0] not in '"/' else f"NAME.{wanted}: {name}"
    one = len(rivals) == 1
    return finding(
        "warning",
        "terminal-shadowed",
        name,
        f"terminal {named(name)} is never read: wherever it may come, lark reads "
        f"{listed([named(rival) for rival in rivals])}, which {'is' if one else 'are'} tried "
        f"before it ({reason}) and {'takes' if one else 'take'} at least the beginning of each of "
        f"its texts, as of {quoted(unread.text)}",
        place=grammar.place(name),
        example=unread.text,
        hint=f"give {named(name)} a higher priority ({written}): lark takes the first terminal "
        "that matches, not the longest match",
    )
