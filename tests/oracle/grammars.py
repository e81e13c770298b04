"""The judge of context-free grammars: membership from the definition, on one text at a time.

Rules and terminals are those of the corpus format "grammar". Terminals are Python patterns. With
lexing "any" a text is in the language if some split of it into matches of terminals is a sentence;
with "longest" the split is the one that longest match and order of terminals give. Ignored
terminals are then left out. Sentences are found by a least fixed point over spans, so any recursion
will do.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from formgate.core.grammar import Terminal
from oracle.from_re import tree_of_pattern
from oracle.machine import Machine
from oracle.tree import Tree, TreeBuilder, build

Rules = dict[str, list[list[str]]]


@dataclass(frozen=True)
class GrammarSource:
    """Rules over named terminals; the first rule is the start."""

    text: str
    terminals: dict[str, str]
    lexing: str = "any"
    ignored: tuple[str, ...] = ()
    _patterns: dict[str, re.Pattern[str]] = field(default_factory=dict, compare=False, repr=False)
    _machines: dict[str, Machine] = field(default_factory=dict, compare=False, repr=False)

    @cached_property
    def rules(self) -> Rules:
        rules: Rules = {}
        for line in re.sub(r"\n\s*\|", " |", self.text).splitlines():
            if line.strip():
                head, _, bodies = line.partition(":")
                found = [body.split() for body in bodies.split("|")]
                rules.setdefault(head.strip(), []).extend(found)
        return rules

    @property
    def start(self) -> str:
        return next(iter(self.rules))

    def accepts(self, text: bytes) -> bool:
        """Whether a text is in the language."""
        try:
            decoded = text.decode()
        except UnicodeDecodeError:
            return False
        if self.lexing == "longest":
            lexemes = self._munched(decoded)
            return lexemes is not None and self._derives(_Lexemes(lexemes))
        return self._derives(_Characters(self, decoded))

    def matches(self, terminal: str, text: str) -> bool:
        pattern = self._patterns.get(terminal)
        if pattern is None:
            pattern = self._patterns[terminal] = re.compile(self.terminals[terminal])
        return pattern.fullmatch(text) is not None

    def may_begin(self, text: bytes) -> bool:
        """Whether a text of the language may begin so; exact for "any", generous for "longest"."""
        try:
            decoded = codecs.getincrementaldecoder("utf-8")().decode(text)
        except UnicodeDecodeError:
            return False
        return self._derives(_Beginning(self, decoded))

    def begins(self, terminal: str, text: str) -> bool:
        """Whether some match of a terminal begins with, and is longer than, a text."""
        machine = self._machines.get(terminal)
        if machine is None:
            tree = tree_of_pattern(self.terminals[terminal])
            machine = self._machines[terminal] = Machine.of(tree)
        state = machine.walk(machine.start, text.encode())
        return bool(state) and machine.is_live(state)

    def _munched(self, text: str) -> list[str] | None:
        """The terminals by longest match, the first one listed where several match."""
        lexemes, at = [], 0
        while at < len(text):
            for end in range(len(text), at, -1):
                found = [name for name in self.terminals if self.matches(name, text[at:end])]
                if found:
                    break
            else:
                return None
            lexemes += [] if found[0] in self.ignored else found[:1]
            at = end
        return lexemes

    def _derives(self, word: _Lexemes | _Characters | _Beginning) -> bool:
        """Grow the sets of ends, for each symbol and begin, until nothing is new."""
        size = word.size
        ends: dict[tuple[str, int], set[int]] = {
            (head, at): set() for head in self.rules for at in range(size + 1)
        }

        def of(symbol: str, at: int) -> set[int]:
            return ends[symbol, at] if symbol in self.rules else word.ends(symbol, at)

        changed = True
        while changed:
            changed = False
            for (head, at), found in ends.items():
                for body in self.rules[head]:
                    places = {at}
                    for symbol in body:
                        places = {end for place in places for end in of(symbol, place)}
                    if not places <= found:
                        found.update(places)
                        changed = True
        return bool(word.final() & ends[self.start, word.first()])

    def write(self, builder: TreeBuilder | Any) -> None:
        """Write the grammar with the rules of the package's builder, and its lexer if it has one.

        Lexed in any way, ignored terminals stand before each of the others and at the end.
        """
        trees: dict[str, Tree] = {n: tree_of_pattern(p) for n, p in self.terminals.items()}
        nodes = {name: build(tree, builder) for name, tree in trees.items()}
        longest = self.lexing == "longest"
        skipped = builder.repeat(
            builder.choice(*(nodes[name] for name in self.ignored)), 0, None if self.ignored else 0
        )

        def symbol(name: str) -> Any:
            if name in self.rules:
                return builder.rule(name)
            if longest:
                return builder.terminal(name)
            return builder.seq(skipped, nodes[name])

        for head, bodies in self.rules.items():
            parts = [builder.seq(*map(symbol, body)) for body in bodies]
            builder.define(head, builder.choice(*parts))
        start = builder.rule(self.start)
        if longest:
            terminals = [Terminal(n, node, n in self.ignored) for n, node in nodes.items()]
            builder.start(builder.lexed(start, terminals, contextual=False))
        else:
            builder.start(builder.seq(start, skipped))


@dataclass(frozen=True)
class _Lexemes:
    names: list[str]

    @property
    def size(self) -> int:
        return len(self.names)

    def ends(self, symbol: str, at: int) -> set[int]:
        return {at + 1} if at < len(self.names) and self.names[at] == symbol else set()

    def first(self) -> int:
        return 0

    def final(self) -> set[int]:
        return {len(self.names)}


@dataclass(frozen=True)
class _Characters:
    source: GrammarSource
    text: str
    known: dict[tuple[str, int], set[int]] = field(default_factory=dict)

    @property
    def size(self) -> int:
        return len(self.text)

    def ends(self, symbol: str, at: int) -> set[int]:
        found = self.known.get((symbol, at))
        if found is None:
            found = self.known[symbol, at] = {
                end
                for begin in self._after_ignored(at)
                for end in range(begin, len(self.text) + 1)
                if self.source.matches(symbol, self.text[begin:end])
            }
        return found

    def _after_ignored(self, at: int) -> set[int]:
        """Where a lexeme may begin once any number of ignored ones have been read."""
        places, queue = {at}, [at]
        for place in queue:
            for end in range(place + 1, len(self.text) + 1):
                piece = self.text[place:end]
                if end not in places and any(
                    self.source.matches(name, piece) for name in self.source.ignored
                ):
                    places.add(end)
                    queue.append(end)
        return places

    def first(self) -> int:
        return 0

    def final(self) -> set[int]:
        """Where only ignored lexemes are left."""
        return {at for at in range(self.size + 1) if self.size in self._after_ignored(at)}


@dataclass(frozen=True)
class _Beginning(_Characters):
    """A text that goes on: one more place stands for anywhere beyond its end."""

    @property
    def size(self) -> int:
        return len(self.text) + 1

    def ends(self, symbol: str, at: int) -> set[int]:
        beyond = self.size
        if at == beyond:
            return {beyond}
        found = self.known.get((symbol, at))
        if found is None:
            begins = self._after_ignored(at)
            found = set(super().ends(symbol, at))
            if any(self.source.begins(symbol, self.text[begin:]) for begin in begins):
                found.add(beyond)
            self.known[symbol, at] = found
        return found

    def final(self) -> set[int]:
        """Anywhere beyond; or at the end, where nothing or an ignored lexeme may follow."""
        ends = {at for at in range(len(self.text) + 1) if len(self.text) in self._after_ignored(at)}
        for at in range(len(self.text) + 1):
            for begin in self._after_ignored(at):
                rest = self.text[begin:]
                if any(self.source.begins(name, rest) for name in self.source.ignored):
                    ends.add(at)
        return {self.size, *ends}
