"""What the checks of ``formgate lint`` read: productions over symbols, and the terminals' patterns.

A format's reader writes a ``SymbolGrammar``; the checks know no notation. Repetitions and optional
parts have become productions of helper rules, which are reported under the rule they stand in.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["END", "LexicalTerminal", "Place", "Production", "SymbolGrammar", "Yields"]

END = "$END"
"""The terminal that stands for the end of the text."""


class Place(NamedTuple):
    """Where a name is defined; both count from one."""

    line: int
    column: int


@dataclass(frozen=True)
class Production:
    """One alternative of a rule.

    Attributes:
        head: The rule.
        body: Names of rules and terminals; empty for the empty text.
        priority: Which alternative a reduce/reduce conflict prefers.
    """

    head: str
    body: tuple[str, ...]
    priority: int = 0


@dataclass(frozen=True)
class LexicalTerminal:
    """A terminal.

    Attributes:
        name: Its name.
        pattern: A pattern in the syntax of Python's ``re``; None where only a program knows it.
        literal: The text, where the pattern is one text with no flags.
        priority: Which terminal a lexer prefers.
        is_text: Whether it was written as a text: such terminals are keywords of patterns.
        width: The most characters it matches, as far as the lexer's order knows.
        length: The length of the pattern as written.
        may_be_empty: Whether lark's bound on its texts allows the empty one, as under look-around.
    """

    name: str
    pattern: str | None
    literal: str | None = None
    priority: int = 0
    is_text: bool = False
    width: int = 0
    length: int = 0
    may_be_empty: bool = False


@dataclass(frozen=True)
class SymbolGrammar:
    """A grammar as the checks see it.

    Attributes:
        starts: The rules that a whole text may match; one, but for special uses.
        productions: All of them, those out of reach too.
        terminals: The terminals by name, the most preferred of the lexer first.
        ignored: Terminals that may stand between any two.
        places: Where names are defined, as far as known.
        owners: For each helper rule the rule it was made for.
        has_lexer: Whether a lexer cuts the text into terminals; else every split counts.
        keywords: For each pattern terminal the terminals whose texts it gives way to.
        fragments: Terminals that others are made of.
        inside: For each rule those that stand in parts of it which are taken for one terminal.
        not_analysed: What had to be left out of ``productions``, one sentence each.
        idle: Terminals of useless rules only that lark's lexer reads all the same.
    """

    starts: tuple[str, ...]
    productions: tuple[Production, ...]
    terminals: Mapping[str, LexicalTerminal] = field(default_factory=dict)
    ignored: tuple[str, ...] = ()
    places: Mapping[str, Place] = field(default_factory=dict)
    owners: Mapping[str, str] = field(default_factory=dict)
    has_lexer: bool = True
    keywords: Mapping[str, frozenset[str]] = field(default_factory=dict)
    fragments: frozenset[str] = frozenset()
    inside: Mapping[str, frozenset[str]] = field(default_factory=dict)
    not_analysed: tuple[str, ...] = ()
    idle: frozenset[str] = frozenset()

    def rules(self) -> dict[str, list[Production]]:
        """Return the productions by rule, in order of definition."""
        found: dict[str, list[Production]] = {}
        for production in self.productions:
            found.setdefault(production.head, []).append(production)
        return found

    def owner(self, name: str) -> str:
        """Return the rule that the user wrote: the rule itself, or what a helper was made for."""
        return self.owners.get(name, name)

    def label(self, name: str) -> str:
        """Return how to show a symbol: the text of a terminal that is one, a helper by its rule."""
        terminal = self.terminals.get(name)
        if terminal is not None and terminal.is_text and terminal.literal is not None:
            return repr(terminal.literal)
        return f"({self.owners[name]} part)" if name in self.owners else name

    def place(self, name: str) -> Place | None:
        """Return where a rule, a helper's rule or a terminal is defined."""
        return self.places.get(self.owner(name))

    def renamed(self, names: Mapping[str, str]) -> SymbolGrammar:
        """Return the same grammar with other names for some of its terminals."""

        def of(name: str) -> str:
            return names.get(name, name)

        return replace(
            self,
            productions=tuple(
                each
                if names.keys().isdisjoint(each.body)
                else replace(each, body=tuple(map(of, each.body)))
                for each in self.productions
            ),
            terminals={of(n): replace(each, name=of(n)) for n, each in self.terminals.items()},
            ignored=tuple(map(of, self.ignored)),
            places={of(name): place for name, place in self.places.items()},
            keywords={of(n): frozenset(map(of, each)) for n, each in self.keywords.items()},
        )

    def reachable(self, *, inside: bool = False) -> set[str]:
        """Return the rules and terminals that the starts lead to, the starts included.

        Args:
            inside: Whether rules in parts that are taken for one terminal count, too.
        """
        rules = self.rules()
        hidden = self.inside if inside else {}
        found = set(self.starts)
        queue = list(self.starts)
        for name in queue:  # grows while it is read
            for production in rules.get(name, ()):
                fresh = set(production.body) - found
                found |= fresh
                queue += sorted(fresh)
            fresh = set(hidden.get(name, ())) - found
            found |= fresh
            queue += sorted(fresh)
        return found

    def is_productive(self) -> bool:
        """Say whether every alternative that the starts lead to derives a text."""
        reached = self.reachable()
        used = sum(production.head in reached for production in self.productions)
        return used == len(self.useful().productions)

    def useful(self) -> SymbolGrammar:
        """Return the grammar without useless rules: those that derive no text or are out of reach.

        The language is the same; the analyses are exact on such grammars only.
        """
        yields = Yields(self.productions)
        productive = tuple(
            production
            for production in self.productions
            if all(yields.length(symbol) is not None for symbol in production.body)
        )
        reached = replace(self, productions=productive).reachable()
        kept = tuple(p for p in productive if p.head in reached)
        used = {symbol for production in kept for symbol in production.body}
        return replace(self, productions=kept, idle=self._lexed() - used)

    def _lexed(self) -> frozenset[str]:
        """Return the terminals of rules that lark keeps: of those that some other one names."""
        kept = list(self.productions)
        while True:
            used = {s for p in kept for s in p.body if s != p.head}.union(self.starts)
            left = [production for production in kept if production.head in used]
            if len(left) == len(kept):
                return frozenset(used.intersection(self.terminals))
            kept = left


class Yields:
    """The shortest sentence of each rule, by Knuth's generalisation of Dijkstra's algorithm (1977).

    Cost: linear in the size of the grammar, times the logarithm of the number of rules.
    """

    def __init__(self, productions: Iterable[Production]) -> None:
        productions = list(productions)
        heads = {production.head for production in productions}
        uses: dict[str, list[int]] = defaultdict(list)
        missing = [0] * len(productions)
        cost = [0] * len(productions)
        self._best: dict[str, tuple[int, Production]] = {}
        self._heads = heads
        queue: list[tuple[int, int]] = []
        for number, production in enumerate(productions):
            for symbol in production.body:
                if symbol in heads:
                    uses[symbol].append(number)
                    missing[number] += 1
                else:
                    cost[number] += 1
            if not missing[number]:
                heapq.heappush(queue, (cost[number], number))
        while queue:
            total, number = heapq.heappop(queue)
            head = productions[number].head
            if head in self._best:
                continue
            self._best[head] = (total, productions[number])
            for user in uses[head]:
                missing[user] -= 1
                cost[user] += total
                if not missing[user]:
                    heapq.heappush(queue, (cost[user], user))

    def length(self, symbol: str) -> int | None:
        """Return the length of the shortest sentence; None where there is none."""
        if symbol not in self._heads:
            return 1
        best = self._best.get(symbol)
        return None if best is None else best[0]

    def sentence(self, symbols: Iterable[str], *, limit: int = 10_000) -> tuple[str, ...] | None:
        """Return a shortest sentence of a sequence of symbols; None where there is none, or longer.

        A shortest derivation never comes back to a rule within itself, so this ends.
        """
        pending = list(symbols)[::-1]
        sentence: list[str] = []
        while pending:
            symbol = pending.pop()
            if symbol not in self._heads:
                sentence.append(symbol)
                if len(sentence) > limit:
                    return None
                continue
            best = self._best.get(symbol)
            if best is None:
                return None
            pending += best[1].body[::-1]
        return tuple(sentence)
