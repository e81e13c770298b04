"""Terminals that follow each other with nothing between, where the first swallows the second.

Longest match ends a lexeme only where it cannot go on. Where a terminal u may follow a terminal t,
and no ignored text can stand between them, a text of t that a beginning of u extends to a longer
text of t is never read as t and u. If that is so for all their texts, no sentence has u after t: an
error. Decided on the product of both automata, and confirmed by ``re``.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from formgate.plugins.cfg._lint_lr import bits
from formgate.plugins.cfg._lint_report import Finding, finding, listed, named, quoted

if TYPE_CHECKING:
    from formgate.plugins.cfg._lint_grammar import SymbolGrammar
    from formgate.plugins.cfg._lint_lexemes import ByteAutomaton, Lexemes
    from formgate.plugins.cfg._lint_lr import Automaton

__all__ = ["Adjacency", "check_adjacency", "neighbours", "never_after", "swallowing"]


def neighbours(grammar: SymbolGrammar, automaton: Automaton) -> dict[str, list[str]]:
    """Return for each terminal those that may come right after it."""
    masks: dict[int, int] = {}
    for state, symbol in enumerate(automaton.access):
        if symbol is not None and symbol < automaton.terminal_count:
            masks[symbol] = masks.get(symbol, 0) | automaton.accepted(state)
    return {
        automaton.names[symbol]: [
            name for bit in bits(mask) if (name := automaton.names[bit]) in grammar.terminals
        ]
        for symbol, mask in masks.items()
        if automaton.names[symbol] in grammar.terminals
    }


def check_adjacency(
    grammar: SymbolGrammar, automaton: Automaton, show: Lexemes, *, longest: bool = False
) -> list[Finding]:
    """Report terminals that swallow what may follow them.

    Args:
        grammar: The grammar.
        automaton: Its automaton.
        show: Knows the texts of its terminals.
        longest: Whether the lexer takes the longest match, and not the one that ``re`` takes.
    """
    adjacency = Adjacency(show, longest=longest)
    never = {pair[:2]: pair for pair in _never_after(grammar, automaton, adjacency)}
    findings = []
    for first, following in neighbours(grammar, automaton).items():
        some: list[tuple[str, str]] = []
        for second in following:
            example = adjacency.swallowed(first, second)
            if example is None or adjacency.separable(first, second, grammar.ignored):
                continue
            if (first, second) in never:
                findings.append(swallowing(grammar, *never[first, second]))
            else:
                some.append((second, example[0] + example[1]))
        if some:
            findings.append(
                finding(
                    "warning",
                    "adjacency",
                    first,
                    f"{named(first)} can swallow the beginning of "
                    f"{listed([name for name, _ in some])} right after it: such "
                    f"texts are read as a longer {named(first)}, as {quoted(some[0][1])} is",
                    place=grammar.place(first),
                    example=some[0][1],
                    hint="ignore a separator, or make the terminals begin differently",
                )
            )
    return findings


def never_after(
    grammar: SymbolGrammar, automaton: Automaton, show: Lexemes, *, longest: bool = False
) -> list[tuple[str, str, str]]:
    """Return terminals that swallow another that may follow them, that one, and an example.

    The arguments are those of ``check_adjacency``.
    """
    return _never_after(grammar, automaton, Adjacency(show, longest=longest))


def _never_after(
    grammar: SymbolGrammar, automaton: Automaton, adjacency: Adjacency
) -> list[tuple[str, str, str]]:
    found = []
    for first, following in neighbours(grammar, automaton).items():
        for second in following:
            example = adjacency.swallowed(first, second)
            if example is None or adjacency.separable(first, second, grammar.ignored):
                continue
            if not adjacency.is_clean(first, second) and adjacency.is_sure(first, second, example):
                found.append((first, second, example[0] + example[1]))
    return found


def swallowing(grammar: SymbolGrammar, first: str, second: str, example: str) -> Finding:
    """Return the finding for a terminal that swallows another always."""
    return finding(
        "error",
        "adjacency",
        first,
        f"{named(second)} can never be read right after {named(first)}: the longest "
        f"match of {named(first)} takes the beginning of each of its texts",
        place=grammar.place(first),
        example=example,
        hint="ignore a separator such as white space, or end the first terminal "
        "before what the second begins with",
    )


class Adjacency:
    """Answers questions about two terminals side by side, each of them once.

    Args:
        show: Knows their texts.
        longest: Whether the lexer takes the longest match, and not the one that ``re`` takes.
    """

    def __init__(self, show: Lexemes, *, longest: bool = False) -> None:
        self._show = show
        self._longest = longest
        self._clean: dict[tuple[str, str], bool] = {}
        self._swallowed: dict[tuple[str, str], tuple[str, str] | None] = {}

    def is_clean(self, first: str, second: str) -> bool:
        """Say whether some text of ``first`` can stand right before one of ``second``.

        True, too, where it cannot be decided.
        """
        key = (first, second)
        if key not in self._clean:
            one, other = self._show.automaton(first), self._show.automaton(second)
            self._clean[key] = one is None or other is None or _some_clean(one, other)
        return self._clean[key]

    def swallowed(self, first: str, second: str) -> tuple[str, str] | None:
        """Return a text of each, the first of which takes a beginning of the second."""
        key = (first, second)
        if key not in self._swallowed:
            one, other = self._show.automaton(first), self._show.automaton(second)
            found = None if one is None or other is None else _some_swallowed(one, other)
            if found is not None and not (self._longest or self._is_real(first, found)):
                found = None
            self._swallowed[key] = found
        return self._swallowed[key]

    def is_sure(self, first: str, second: str, example: tuple[str, str]) -> bool:
        """Say whether ``re``, where it cuts the text, leaves no short text of the second alone."""
        return self._longest or _agrees(self._show, first, second, example)

    def separable(self, first: str, second: str, ignored: tuple[str, ...]) -> bool:
        """Say whether an ignored terminal can stand between two."""
        return any(self.is_clean(first, name) and self.is_clean(name, second) for name in ignored)

    def _is_real(self, first: str, texts: tuple[str, str]) -> bool:
        """Say whether ``re``, too, matches beyond the first text."""
        pattern = self._show.pattern(first)
        match = None if pattern is None else pattern.match(texts[0] + texts[1])
        return match is not None and match.end() > len(texts[0])


def _agrees(show: Lexemes, first: str, second: str, example: tuple[str, str]) -> bool:
    """Say whether ``re`` leaves no short text of the second alone either; lazy patterns may."""
    pattern = show.pattern(first)
    if pattern is None:
        return False
    lefts = [example[0], show.example(first)]
    rights = [example[1], show.example(second)]
    return all(
        (match := pattern.match(left + right)) is not None and match.end() > len(left)
        for left in lefts
        for right in rights
        if left is not None and right is not None
    )


def _ends(automaton: ByteAutomaton) -> list[int]:
    return [state for state, ends in enumerate(automaton.accepting) if ends]


def _some_clean(one: ByteAutomaton, other: ByteAutomaton) -> bool:
    """Say whether a text of the second follows one of the first that it never extends."""
    seen = {(state, 0) for state in _ends(one)}
    queue = deque(seen)
    while queue:
        state, at = queue.popleft()
        if other.accepting[at]:
            return True
        for byte, after in other.edges[at].items():
            target = one.edges[state].get(byte)
            if target is None:
                return True  # every state of the second reaches an end
            if not one.accepting[target] and (target, after) not in seen:
                seen.add((target, after))
                queue.append((target, after))
    return False


def _some_swallowed(one: ByteAutomaton, other: ByteAutomaton) -> tuple[str, str] | None:
    """Return texts of both of which the second extends the first."""
    ways = _words(one, 0)
    origin: dict[tuple[int, int], tuple[tuple[int, int], int] | None] = {
        (state, 0): None for state in _ends(one)
    }
    queue = deque(origin)
    while queue:
        node = queue.popleft()
        state, at = node
        for byte, after in sorted(other.edges[at].items()):
            target = one.edges[state].get(byte)
            if target is None:
                continue
            if one.accepting[target]:
                word = bytearray([byte])
                begin = node
                while (step := origin[begin]) is not None:
                    begin, earlier = step
                    word.append(earlier)
                rest = _shortest_end(other, after)
                left, right = ways[begin[0]], bytes(word[::-1]) + rest
                return left.decode(errors="replace"), right.decode(errors="replace")
            if (target, after) not in origin:
                origin[target, after] = (node, byte)
                queue.append((target, after))
    return None


def _words(automaton: ByteAutomaton, start: int) -> dict[int, bytes]:
    """Return a shortest text to each state."""
    found = {start: b""}
    queue = deque([start])
    while queue:
        state = queue.popleft()
        for byte, target in sorted(automaton.edges[state].items()):
            if target not in found:
                found[target] = found[state] + bytes([byte])
                queue.append(target)
    return found


def _shortest_end(automaton: ByteAutomaton, start: int) -> bytes:
    """Return a shortest text from a state to an end."""
    ways = _words(automaton, start)
    return next((word for state, word in ways.items() if automaton.accepting[state]), b"")
