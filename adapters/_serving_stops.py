"""An engine whose outputs end at other stop ids than its vocabulary's.

Servers let every request name the ids that end its output. Compiling for a vocabulary of its own
each time would cost the server its caches. Where those ids stand for no text, nothing else changes:
this view allows them where the engine allows its own stop ids, and forbids those that the request
does not name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from formgate.core._native import TokenMask
from formgate.core.errors import TokenError

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from formgate.core._native import Engine, State, Vocabulary

__all__ = ["StopView"]


class StopView:
    """A ``MaskEngine`` over a native engine, with its stop ids exchanged.

    Args:
        engine: The engine.
        own: The stop ids of its vocabulary.
        wanted: The stop ids of this view, without text in the vocabulary.
    """

    def __init__(self, engine: Engine, own: Collection[int], wanted: Collection[int]) -> None:
        self._engine = engine
        self._stop = min(own)
        self._added = frozenset(wanted) - frozenset(own)
        self._dropped = frozenset(own) - frozenset(wanted)
        size = len(engine.vocabulary)
        self._all = TokenMask.from_ids(size, sorted(self._added))
        self._none = TokenMask.from_ids(size, sorted(self._dropped))

    @property
    def vocabulary(self) -> Vocabulary:
        """The engine's vocabulary."""
        return self._engine.vocabulary

    @property
    def grammar(self) -> Any:
        """The grammar the engine was compiled from."""
        return self._engine.grammar

    def start(self) -> State:
        """Return the state of the empty output."""
        return self._engine.start()

    def allowed_tokens(self, state: State) -> TokenMask:
        """Return the tokens that may come next."""
        mask = self._engine.allowed_tokens(state)
        if self._stop in mask:
            mask = mask | self._all
        return mask - self._none

    def advance(self, state: State, token: int) -> State:
        """Return the state after one more token.

        Raises:
            TokenError: The token is not allowed.
        """
        if token in self._added:
            token = self._stop
        elif token in self._dropped:
            raise TokenError(f"token {token} does not end the outputs of this request")
        return self._engine.advance(state, token)

    def is_accepting(self, state: State) -> bool:
        """Say whether the output may end here."""
        return self._engine.is_accepting(state)

    def is_terminal(self, state: State) -> bool:
        """Say whether the output must end here, or has ended."""
        return self._engine.is_terminal(state)

    def validate(self, state: State, tokens: Sequence[int]) -> int:
        """Return how many of the tokens are allowed one after the other."""
        translated = []
        for token in tokens:
            if token in self._dropped:
                break
            translated.append(self._stop if token in self._added else token)
        return self._engine.validate(state, translated)

    def fill_masks(self, states: Sequence[State], out: NDArray[np.int32], threads: int = 1) -> None:
        """Write one mask a row, mostly without holding the interpreter lock."""
        self._engine.fill_masks(states, out, threads)
        for row in range(len(states)):
            self._exchange(out[row].view("uint32"))

    def _exchange(self, words: NDArray[np.uint32]) -> None:
        """Exchange the stop ids of one filled row."""
        may_end = int(words[self._stop >> 5]) >> (self._stop & 31) & 1
        for token in self._dropped:
            words[token >> 5] &= ~(1 << (token & 31)) & 0xFFFFFFFF
        if may_end:
            for token in self._added:
                words[token >> 5] |= 1 << (token & 31)
