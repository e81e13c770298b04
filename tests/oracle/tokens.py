"""The exact judge lifted to the tokens of a vocabulary.

A state is live when an accepting state can be reached by whole tokens. This is decided on the
finite graph of token steps, so missing bytes and lengths that no tokens add up to come out right.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from oracle.machine import Machine, TooLarge, in_order

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from oracle.tree import Tree


class TokenOracle:
    """What a mask engine must answer for one language and one vocabulary."""

    def __init__(
        self,
        language: Tree | Machine,
        tokens: Sequence[bytes | None],
        stop_ids: Iterable[int],
        special_ids: Iterable[int] = (),
        *,
        budget: int = 3_000,
    ) -> None:
        self.machine = language if isinstance(language, Machine) else Machine.of(language)
        self.stop_ids = frozenset(stop_ids)
        never = self.stop_ids | frozenset(special_ids)
        self.text_of = {
            token: text
            for token, text in enumerate(tokens)
            if text is not None and token not in never
        }
        self.start = self.machine.start
        self._edges: dict[int, dict[bytes, int]] = {}
        self._distance: dict[int, int] = {}
        self._explore(budget)

    def _explore(self, budget: int) -> None:
        texts = in_order(self.text_of.values())
        queue = deque([self.start])
        self._edges[self.start] = {}
        before: dict[int, set[int]] = {}
        while queue:
            state = queue.popleft()
            edges = self._edges[state] = dict(self.machine.walks(state, texts))
            for after in dict.fromkeys(edges.values()):
                before.setdefault(after, set()).add(state)
                if after not in self._edges:
                    self._edges[after] = {}
                    queue.append(after)
            if len(self._edges) > budget:
                raise TooLarge
        ends = [state for state in self._edges if self.machine.accepts_here(state)]
        self._distance = dict.fromkeys(ends, 0)
        queue = deque(ends)
        while queue:
            state = queue.popleft()
            for source in before.get(state, ()):
                if source not in self._distance:
                    self._distance[source] = self._distance[state] + 1
                    queue.append(source)

    @property
    def states(self) -> list[int]:
        """Every state that tokens reach, dead ends included."""
        return list(self._edges)

    @property
    def is_empty(self) -> bool:
        """Whether no sequence of tokens spells a text of the language."""
        return self.start not in self._distance

    def is_live(self, state: int) -> bool:
        return state in self._distance

    def accepts_here(self, state: int) -> bool:
        return self.machine.accepts_here(state)

    def advance(self, state: int, token: int) -> int:
        return self._edges[state].get(self.text_of[token], 0)

    def text_tokens(self, state: int) -> set[int]:
        """The ids with text that a continuation of tokens leads to a text of the language."""
        edges = self._edges[state]
        good = {text for text, after in edges.items() if after in self._distance}
        return {token for token, text in self.text_of.items() if text in good}

    def mask(self, state: int) -> set[int]:
        """The whole mask: text tokens, and every stop id where the text so far is complete."""
        stops = self.stop_ids if self.accepts_here(state) else frozenset[int]()
        return self.text_tokens(state) | stops

    def min_tokens(self, state: int) -> int:
        """The least number of text tokens to a complete text."""
        return self._distance[state]

    def keeps_forced(self, state: int, forced: bytes) -> bool:
        """Whether every complete continuation of tokens begins with `forced`."""
        stack, seen = [(state, forced)], {(state, forced)}
        while stack:
            here, rest = stack.pop()
            if not rest:
                continue
            if self.accepts_here(here):
                return False
            for text, after in self._edges[here].items():
                if after not in self._distance:
                    continue
                if not (text.startswith(rest) or rest.startswith(text)):
                    return False
                pair = (after, rest[len(text) :])
                if pair not in seen:
                    seen.add(pair)
                    stack.append(pair)
        return True

    def forced(self, state: int, limit: int = 64) -> bytes:
        """The longest text (up to `limit`) every complete continuation of bytes begins with."""
        text = bytearray()
        while len(text) < limit and not self.machine.accepts_here(state):
            options = {
                byte: after
                for byte in range(256)
                if (after := self.machine.step(state, byte)) and self.machine.is_live(after)
            }
            if len(options) != 1:
                break
            [(byte, state)] = options.items()
            text.append(byte)
        return bytes(text)
