"""A small mask engine in plain Python, written against the protocol alone.

A language is a deterministic automaton over bytes, every state of which can still reach acceptance.
A mask is found by trying every token: slow, obvious, and independent of the native engine, so the
decode loop and the adapters are tested against something they do not share code with. Passing it
to them also shows that a user's own engine plugs in.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from formgate.core._native import TokenMask
from formgate.core.errors import TokenError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

State = tuple[str, int]  # ("open", automaton state) or ("ended", 0)
ENDED: State = ("ended", 0)


class ToyVocabulary:
    """Token bytes and stop ids; an entry of None has no text."""

    def __init__(self, tokens: Sequence[bytes | None], stop_ids: Iterable[int]) -> None:
        self.tokens = tuple(tokens)
        self.stop_ids = tuple(stop_ids)

    def __len__(self) -> int:
        return len(self.tokens)

    def token_bytes(self, token: int) -> bytes | None:
        return self.tokens[token]


class Automaton:
    """Byte automaton: edges[state][byte] -> state; only live states are kept."""

    def __init__(self, edges: Mapping[int, Mapping[int, int]], accepting: Iterable[int]) -> None:
        self.edges = {state: dict(out) for state, out in edges.items()}
        self.accepting = frozenset(accepting)
        live = set(self.accepting)
        while True:
            more = {s for s, out in self.edges.items() if live & set(out.values())} - live
            if not more:
                break
            live |= more
        for state, out in self.edges.items():
            self.edges[state] = {b: t for b, t in out.items() if state in live and t in live}

    @classmethod
    def of_strings(cls, strings: Iterable[str]) -> Automaton:
        """Accept exactly these strings (a trie)."""
        edges: dict[int, dict[int, int]] = {0: {}}
        accepting = set()
        for string in strings:
            state = 0
            for byte in string.encode():
                state = edges[state].setdefault(byte, len(edges))
                edges.setdefault(state, {})
            accepting.add(state)
        return cls(edges, accepting)

    @classmethod
    def of_counts(cls, *parts: tuple[str, int, int | None]) -> Automaton:
        """Accept a sequence of (characters, least, most) runs of ASCII characters.

        Neighbouring runs must not share characters, so that the automaton is deterministic.
        """
        edges: dict[int, dict[int, int]] = {}
        ends = {0}  # states from which the next run may start
        fresh = 1
        for characters, least, most in parts:
            starts, ends = ends, set(ends) if least == 0 else set()
            current = starts
            for count in range(1, (max(least, 1) if most is None else most) + 1):
                target, fresh = fresh, fresh + 1
                for state in current:
                    edges.setdefault(state, {}).update(dict.fromkeys(characters.encode(), target))
                current = {target}
                if count >= least:
                    ends.add(target)
            if most is None:
                (last,) = current
                edges.setdefault(last, {}).update(dict.fromkeys(characters.encode(), last))
        return cls({state: edges.get(state, {}) for state in range(fresh)}, ends)

    def run(self, state: int | None, data: bytes) -> int | None:
        for byte in data:
            if state is None:
                return None
            state = self.edges[state].get(byte)
        return state


class ToyEngine:
    """Masks of an automaton's language over a vocabulary that holds every byte it needs."""

    def __init__(self, automaton: Automaton, vocabulary: ToyVocabulary) -> None:
        self.automaton = automaton
        self.vocabulary = vocabulary
        self._masks: dict[State, TokenMask] = {}
        self.calls = 0  # masks asked for

    def start(self) -> State:
        return ("open", 0)

    def _target(self, state: State, token: int) -> State | None:
        if state == ENDED or not 0 <= token < len(self.vocabulary):
            return None
        if token in self.vocabulary.stop_ids:
            return ENDED if state[1] in self.automaton.accepting else None
        data = self.vocabulary.token_bytes(token)
        target = self.automaton.run(state[1], data) if data else None
        return None if target is None else ("open", target)

    def allowed_tokens(self, state: State) -> TokenMask:
        self.calls += 1
        mask = self._masks.get(state)
        if mask is None:
            size = len(self.vocabulary)
            ids = [t for t in range(size) if self._target(state, t) is not None]
            mask = self._masks[state] = TokenMask.from_ids(size, ids)
        return mask

    def advance(self, state: State, token: int) -> State:
        target = self._target(state, token)
        if target is None:
            raise TokenError(f"token {token} is not allowed")
        return target

    def is_accepting(self, state: State) -> bool:
        return state == ENDED or state[1] in self.automaton.accepting

    def is_terminal(self, state: State) -> bool:
        return state == ENDED or (self.is_accepting(state) and not self.automaton.edges[state[1]])

    def accepts(self, text: str) -> bool:
        return self.automaton.run(0, text.encode()) in self.automaton.accepting
