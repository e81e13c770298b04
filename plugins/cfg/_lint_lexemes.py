"""The texts of terminals: examples, what two of them share, and small automata of them.

Patterns are compiled by the engine itself, one token a byte, so that what is said here is exact for
everything the ``regex`` format takes. Look-around that sees beyond the lexeme sees its end; what
depends on that is told by ``re`` as it matches.
"""

from __future__ import annotations

import re
from collections import deque
from typing import TYPE_CHECKING, NamedTuple

from formgate.core.errors import EmptyLanguageError, FormgateError, GrammarError, LimitError
from formgate.core.grammar import GrammarBuilder
from formgate.core.vocabulary import byte_vocabulary
from formgate.plugins.regex import compile_first_match, compile_regex

if TYPE_CHECKING:
    from collections.abc import Callable

    from formgate.core._native import Engine, State, TokenMask
    from formgate.core.grammar import Node
    from formgate.plugins.cfg._lint_grammar import LexicalTerminal, SymbolGrammar

__all__ = ["EMPTY", "ByteAutomaton", "Lexemes"]

EMPTY = "it matches no text"
"""The problem of a terminal that surely never matches."""

MAX_AUTOMATON_STATES = 1_000
"""Most states of a terminal's automaton; larger ones are not analysed, which is reported."""

_MOST_OTHERS = 20

MAX_SEARCH = 4_000
"""Most states looked at for an example."""

# Bytes in the order in which examples should use them: readable ones first.
_READABLE = (
    b"abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_"
    b" .,:;+-*/=()[]{}<>!?\"'#$%&@\\^`|~\n\t"
)
_ORDER = [*_READABLE, *(byte for byte in range(256) if byte not in _READABLE)]
_RANK = {byte: rank for rank, byte in enumerate(_ORDER)}


class ByteAutomaton(NamedTuple):
    """A deterministic automaton over bytes; its first state is 0.

    Attributes:
        edges: For each state its transitions.
        accepting: Whether each state ends a text.
    """

    edges: list[dict[int, int]]
    accepting: list[bool]


class Lexemes:
    """Answers questions about the texts of a grammar's terminals, each of them once.

    Args:
        grammar: The grammar.
        flags: ``re`` flags that hold for every pattern.
    """

    def __init__(self, grammar: SymbolGrammar, flags: int = 0) -> None:
        self._terminals = grammar.terminals
        self._flags = flags
        self._engines: dict[str, Engine | None] = {}
        self._examples: dict[str, str | None] = {}
        self._texts: dict[tuple[str, int], tuple[str, ...]] = {}
        self._escapes: dict[tuple[str, frozenset[str]], bool] = {}
        self._apart: dict[tuple[str, ...], str | None] = {}
        self._automata: dict[str, ByteAutomaton | None] = {}
        self._patterns: dict[str, re.Pattern[str] | None] = {}
        self._pairs: dict[tuple[str, str, str], str | None] = {}
        self.problems: dict[str, str] = {}

    # --- one terminal ---

    def is_known(self, name: str) -> bool:
        """Say whether the texts of a terminal can be analysed."""
        return self._engine(name) is not None

    def is_empty(self, name: str) -> bool:
        """Say whether a terminal surely matches no text, whatever comes after it."""
        self._engine(name)
        return self.problems.get(name) == EMPTY

    def is_zero_width(self, name: str) -> bool:
        """Say whether a terminal matches the empty text, before some text at least."""
        terminal = self._terminals.get(name)
        return (terminal is not None and terminal.may_be_empty) or self.takes_nothing(name)

    def takes_nothing(self, name: str) -> bool:
        """Say whether the empty text alone is one of a terminal."""
        pattern = self.pattern(name)
        return pattern is not None and pattern.fullmatch("") is not None

    def literal(self, name: str) -> str | None:
        """Return the one text of a terminal; None where it may have several."""
        terminal = self._terminals.get(name)
        return None if terminal is None or self._flags else terminal.literal

    def example(self, name: str) -> str | None:
        """Return a short text of a terminal; None where none was found."""
        if name not in self._examples:
            engine = self._engine(name)
            self._examples[name] = None if engine is None else _shortest(engine)
        return self._examples[name]

    def texts(self, name: str, most: int) -> tuple[str, ...]:
        """Return some short texts of a terminal, the shortest first; none where none was found."""
        first = self.example(name)
        engine = self._engine(name)
        if first is None or engine is None:
            return ()
        if (name, most) not in self._texts:
            found = _search(engine, frozenset(_READABLE), most)
            self._texts[name, most] = tuple(dict.fromkeys((first, *found)))
        return self._texts[name, most]

    def apart(self, name: str, others: tuple[str, ...]) -> str | None:
        """Return a text of a terminal that is none of the others; None where none was found.

        Others that share no text with it, or are not known, are left out.
        """
        meeting = [other for other in others if self.shared(name, other) is not None]
        key = (name, *sorted(meeting))
        if key not in self._apart:
            found = None
            if meeting and len(meeting) <= _MOST_OTHERS:
                own = self._terminals[name]
                rest = [self._terminals[other] for other in meeting]
                try:
                    found = _shortest(
                        self._compile(
                            lambda b: b.intersection(
                                self._node(own, b),
                                *(b.complement(self._node(other, b)) for other in rest),
                            )
                        )
                    )
                except (EmptyLanguageError, LimitError):
                    found = None
            self._apart[key] = found
        return self._apart[key]

    def escapes(self, name: str, others: frozenset[str]) -> bool:
        """Say whether some text begins with one of a terminal and with none of the others.

        Look-ahead sees all of that text. True, too, where it cannot be decided.
        """
        key = (name, others)
        if key not in self._escapes:
            known = [other for other in sorted(others) if self._can_begin(other)]
            self._escapes[key] = not known or self._can_begin(name, *known)
        return self._escapes[key]

    def _can_begin(self, name: str, *others: str) -> bool:
        """Say whether a text begins with one of a terminal, as ``re`` takes it, and no others.

        With others, True where that cannot be decided; alone, False.
        """
        try:
            self._compile(
                lambda b: b.intersection(
                    self._begun(name, b), *(b.complement(self._begun(each, b)) for each in others)
                )
            )
        except EmptyLanguageError:
            return False
        except FormgateError:
            return bool(others)
        return True

    def _begun(self, name: str, b: GrammarBuilder) -> Node:
        """Return the node of all texts that begin with one of a terminal.

        Raises:
            UnsupportedConstraint: What it matches depends on the text before it.
        """
        pattern = self._terminals[name].pattern
        if pattern is None:
            raise GrammarError("no pattern says what it matches")
        return b.seq(compile_first_match(pattern, b, flags=self._flags), b.any_text())

    def shown(self, name: str) -> str:
        """Return a short text of a terminal, or its name in angle brackets."""
        example = self.example(name)
        return f"<{name}>" if example is None else example

    def pattern(self, name: str) -> re.Pattern[str] | None:
        """Return the pattern as ``re`` compiles it; None where there is none."""
        if name not in self._patterns:
            terminal = self._terminals.get(name)
            source = None if terminal is None else terminal.pattern
            try:
                compiled = None if source is None else re.compile(source, self._flags)
            except re.error:
                compiled = None
            self._patterns[name] = compiled
        return self._patterns[name]

    def automaton(self, name: str) -> ByteAutomaton | None:
        """Return the automaton of a terminal; None where it is too large or unknown."""
        if name not in self._automata:
            engine = self._engine(name)
            found = None if engine is None else _explored(engine)
            if engine is not None and found is None:
                self.problems[name] = f"its automaton has over {MAX_AUTOMATON_STATES} states"
            self._automata[name] = found
        return self._automata[name]

    # --- two terminals ---

    def may_meet(self, first: str, second: str) -> bool:
        """Say whether some text of one may begin like some text of the other; cheap and safe."""
        left, right = self._first_bytes(first), self._first_bytes(second)
        return left is None or right is None or bool(left & right)

    def shared(self, first: str, second: str) -> str | None:
        """Return a text of both terminals; None where there is none."""
        return self._pair(
            "shared", first, second, lambda b, one, other: b.intersection(one(), other())
        )

    def shadowed(self, first: str, second: str) -> str | None:
        """Return a text of ``second`` that begins with one of ``first`` but is none of it."""
        return self._pair(
            "shadowed",
            first,
            second,
            lambda b, one, other: b.intersection(
                other(),
                b.scope(b.seq(one(), b.plus(b.any_char()))),
                b.complement(one()),
            ),
        )

    def extended(self, first: str, second: str) -> str | None:
        """Return a text of ``first`` that begins with, and is longer than, one of ``second``."""
        return self._pair(
            "extended",
            first,
            second,
            lambda b, one, other: b.intersection(
                one(), b.scope(b.seq(other(), b.plus(b.any_char())))
            ),
        )

    def beginning(self, first: str, second: str) -> str | None:
        """Return a text that begins with a text of each terminal; None where there is none."""
        return self._pair(
            "beginning",
            first,
            second,
            lambda b, one, other: b.intersection(
                b.scope(b.seq(one(), b.any_text())), b.scope(b.seq(other(), b.any_text()))
            ),
        )

    def _pair(
        self,
        question: str,
        first: str,
        second: str,
        write: Callable[[GrammarBuilder, Callable[[], Node], Callable[[], Node]], Node],
    ) -> str | None:
        """Return a text of what ``write`` builds of two terminals; None where there is none."""
        key = (question, first, second)
        if key in self._pairs:
            return self._pairs[key]
        found = None
        if self.is_known(first) and self.is_known(second) and self.may_meet(first, second):
            left, right = self._terminals[first], self._terminals[second]
            try:
                engine = self._compile(
                    lambda b: write(b, lambda: self._node(left, b), lambda: self._node(right, b))
                )
                text = _shortest(engine)
                found = "?" if text is None else text
            except EmptyLanguageError:
                found = None
            except LimitError as error:
                self.problems[f"{first} and {second}"] = str(error).splitlines()[0]
        self._pairs[key] = found
        return found

    # --- engines ---

    def _first_bytes(self, name: str) -> TokenMask | None:
        engine = self._engine(name)
        return None if engine is None else engine.allowed_tokens(engine.start())

    def _engine(self, name: str) -> Engine | None:
        if name not in self._engines:
            self._engines[name] = self._compiled(name)
        return self._engines[name]

    def _compiled(self, name: str) -> Engine | None:
        terminal = self._terminals.get(name)
        if terminal is None or terminal.pattern is None:
            self.problems[name] = "no pattern says what it matches"
            return None
        try:
            return self._compile(lambda b: self._node(terminal, b))
        except EmptyLanguageError:
            self.problems[name] = self._why_empty(terminal.pattern)
        except FormgateError as error:
            self.problems[name] = str(error).splitlines()[0]
        return None

    def _why_empty(self, pattern: str) -> str:
        """Say why no text matches a pattern in full: look-ahead may need to see what follows."""
        try:
            self._compile(
                lambda b: b.seq(compile_first_match(pattern, b, flags=self._flags), b.any_text())
            )
        except EmptyLanguageError:
            return EMPTY
        except FormgateError as error:
            return str(error).splitlines()[0]
        return "what it matches depends on what comes after it"

    def _node(self, terminal: LexicalTerminal, b: GrammarBuilder) -> Node:
        return b.scope(compile_regex(terminal.pattern or "", b, flags=self._flags))

    def _compile(self, write: Callable[[GrammarBuilder], Node]) -> Engine:
        builder = GrammarBuilder()
        builder.start(write(builder))
        return builder.build().compile(byte_vocabulary(), timeout_s=5.0)


def _shortest(engine: Engine) -> str | None:
    """Return a shortest text, of readable characters where there is a choice; None if none found.

    Breadth first, the readable bytes before the others; a second look, for any bytes, follows where
    the first finds nothing.
    """
    for letters in (frozenset(_READABLE), frozenset(range(256))):
        texts = _search(engine, letters)
        if texts:
            return texts[0]
    return None


def _search(engine: Engine, letters: frozenset[int], most: int = 1) -> list[str]:
    """Return texts that lead to different states, up to so many, the shortest first."""
    start = engine.start()
    origin: dict[State, tuple[State, int] | None] = {start: None}
    queue = deque([start])
    texts: list[str] = []
    while queue and len(origin) <= MAX_SEARCH and len(texts) < most:
        state = queue.popleft()
        if engine.is_accepting(state):
            text = bytearray()
            at: State = state
            while (step := origin[at]) is not None:
                at, byte = step
                text.append(byte)
            texts.append(bytes(reversed(text)).decode("utf-8", errors="backslashreplace"))
        allowed = [byte for byte in engine.allowed_tokens(state).to_list() if byte in letters]
        for byte in sorted(allowed, key=_RANK.__getitem__):
            target = engine.advance(state, byte)
            if target not in origin:
                origin[target] = (state, byte)
                queue.append(target)
    return texts


def _explored(engine: Engine) -> ByteAutomaton | None:
    """Return the whole automaton of an engine, or None where it is too large."""
    start = engine.start()
    number = {start: 0}
    queue = [start]
    edges: list[dict[int, int]] = []
    accepting: list[bool] = []
    for state in queue:  # grows while it is read
        row = {}
        for byte in engine.allowed_tokens(state).to_list():
            if byte == 256:
                continue
            target = engine.advance(state, byte)
            if target not in number:
                number[target] = len(number)
                queue.append(target)
            row[byte] = number[target]
        edges.append(row)
        accepting.append(engine.is_accepting(state))
        if len(number) > MAX_AUTOMATON_STATES:
            return None
    return ByteAutomaton(edges, accepting)
