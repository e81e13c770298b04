"""Reads a text as a lexer and an Earley parser would, by definition, with Python's ``re``.

It shares no code with the engine: matches come from ``re``, viable terminals from the Earley
recogniser of the recursion tests, whose symbols are the terminals' letters.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from earley import Earley, Rules


@dataclass(frozen=True)
class Lexeme:
    """A terminal: its letter in rules, its pattern, and whether it is ignored."""

    letter: str
    pattern: str
    ignored: bool = False
    keyword_of: str | None = None  # the letter of a terminal that the pattern, a literal, is one of
    embedded: bool = True


class LexerJudge:
    """Accepts texts; terminals stand in order of preference."""

    def __init__(self, rules: Rules, terminals: list[Lexeme], mode: str, *, contextual: bool):
        self.parser = Earley(rules, "S")
        self.terminals = terminals
        self.mode = mode
        self.contextual = contextual

    def competing(self, symbols: str) -> list[Lexeme]:
        """Return the terminals that compete after these symbols."""
        return [
            t
            for t in self.terminals
            if not self.contextual or t.ignored or self.parser.viable(symbols + t.letter)
        ]

    def longest(self, text: str, at: int, competing: list[Lexeme]) -> tuple[Lexeme, int] | None:
        """Return the longest match and its end; the first of several."""
        for end in range(len(text), at, -1):
            for terminal in competing:
                if re.fullmatch(terminal.pattern, text[at:end]):
                    return terminal, end
        return None

    def first(self, text: str, at: int, competing: list[Lexeme]) -> tuple[Lexeme, int] | None:
        """Return the match of the first terminal that has one."""
        for terminal in competing:
            found = re.compile(terminal.pattern).match(text, at)
            if found and found.end() > at:
                return terminal, found.end()
        return None

    def accepts(self, text: str) -> bool:
        """Say whether the text is cut into a sentence of the rules."""
        at, symbols = 0, ""
        if not self.parser.rules.get("S"):
            return False
        while at < len(text):
            competing = self.competing(symbols)
            letters = {t.letter for t in competing}
            alone = [
                t
                for t in competing
                if not (t.keyword_of and t.embedded and t.keyword_of in letters)
            ]
            take = self.longest if self.mode == "longest" else self.first
            found = take(text, at, alone)
            if found is None:
                return False
            winner, end = found
            for other in competing:
                if other.keyword_of == winner.letter and other.pattern == text[at:end]:
                    winner = other
            at = end
            if winner.ignored:
                continue
            symbols += winner.letter
            if not self.parser.viable(symbols):
                return False
        return self.parser.accepts(symbols)
