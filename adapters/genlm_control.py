"""genlm-control: a potential whose weights are exact masks.

A potential gives every sequence of tokens a weight; this one gives 1 to what can be completed to a
text of the language and 0 to all else, so that its product with a language model is the model
restricted to the language, and particles under it never die half-way. genlm-control asks for the
tokens of finite weight after a context (``sparse_logw_next``), which is the engine's mask; only the
ids that are allowed are touched.

Contexts come from many particles in any order. States are found by their tokens: from the context
without its last token, which some earlier call has usually seen, in one step.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any

import numpy as np
from genlm.backend.tokenization import Token
from genlm.control import Potential

from formgate.core.errors import VocabularyError
from formgate.core.vocabulary import Vocabulary

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from formgate.core import _native
    from formgate.core._native import Engine, State

__all__ = ["FormgatePotential", "vocabulary_of"]

_NEVER = -float("inf")


class FormgatePotential(Potential):  # type: ignore[misc] # genlm-control is untyped
    """Weight 1 for prefixes and texts of a language, 0 for all else.

    Args:
        engine: The constraint, compiled for the vocabulary of the model; see ``vocabulary_of``.
        like: The potential of the model, a ``PromptedLLM``, whose tokens and tables are shared.
            Without it the potential is over bytes, the integers 0 to 255, for an engine whose first
            256 ids are the bytes.
        max_states: How many states are remembered.

    Raises:
        VocabularyError: The engine's vocabulary has a token with text that the potential lacks, or
            other bytes for it; or the potential's tokens have no ids.
        ValueError: ``max_states`` is not positive.
    """

    def __init__(self, engine: Engine, like: Any = None, *, max_states: int = 65_536) -> None:
        if max_states < 1:
            raise ValueError(f"max_states must be positive, not {max_states}")
        self._engine = engine
        self._like = like
        self._max_states = max_states
        self._index_of = _indices(engine.vocabulary, None if like is None else like.vocab)
        self._states: OrderedDict[tuple[int, ...], State | None] = OrderedDict()
        if like is None:
            super().__init__(list(range(256)))
        else:
            super().__init__(like.vocab, tables=like.tables)

    async def complete(self, context: Sequence[Any]) -> float:
        """Return 0 where a context is in the language, minus infinity elsewhere."""
        state = self._state(context)
        return 0.0 if state is not None and self._engine.is_accepting(state) else _NEVER

    async def prefix(self, context: Sequence[Any]) -> float:
        """Return 0 where a context can be completed, minus infinity elsewhere."""
        return _NEVER if self._state(context) is None else 0.0

    async def logw_eos(self, context: Sequence[Any]) -> float:
        """Return the weight of ending after a context."""
        self._live(context)
        return await self.complete(context)

    async def sparse_logw_next(self, context: Sequence[Any]) -> tuple[NDArray[Any], float, float]:
        """Return the indices of the tokens that may follow, their weight, and that of ending.

        Raises:
            ValueError: The context cannot be completed.
        """
        state = self._live(context)
        indices = self._index_of[self._engine.allowed_tokens(state).ids()]
        end = 0.0 if self._engine.is_accepting(state) else _NEVER
        return indices[indices >= 0], 0.0, end

    def spawn(self) -> FormgatePotential:
        """Return another potential over the same engine."""
        return FormgatePotential(self._engine, self._like, max_states=self._max_states)

    def _live(self, context: Sequence[Any]) -> State:
        """Return the state after a context of positive weight."""
        state = self._state(context)
        if state is None:
            raise ValueError(f"Context {context!r} has weight zero under `prefix`.")
        return state

    def _state(self, context: Sequence[Any]) -> State | None:
        """Return the state after a context; None where it cannot be completed."""
        if self._like is None:
            ids = tuple(int(token) for token in context)
        else:
            ids = tuple(token.token_id for token in context)
        states = self._states
        known = len(ids)
        while known and ids[:known] not in states:
            known -= 1
        if known:
            states.move_to_end(ids[:known])
            state = states[ids[:known]]
        else:
            state = self._engine.start()
        for length in range(known + 1, len(ids) + 1):
            state = None if state is None else self._advanced(state, ids[length - 1])
            states[ids[:length]] = state
            if len(states) > self._max_states:
                states.popitem(last=False)
        return state

    def _advanced(self, state: State, token: int) -> State | None:
        """Return the state after one more token; None where it is forbidden, as stop tokens are."""
        if not 0 <= token < len(self._index_of) or self._index_of[token] < 0:
            return None
        try:
            return self._engine.advance(state, token)
        except ValueError:
            return None


def vocabulary_of(llm: Any) -> Vocabulary:
    """Return the vocabulary of a ``PromptedLLM``; its end-of-sequence tokens are the stop ids.

    Raises:
        VocabularyError: The tokenizer's exact bytes cannot be known.
    """
    maps = llm.token_maps
    return Vocabulary.from_tokenizer(
        llm.model.tokenizer, size=len(maps.decode), stop_ids=[int(i) for i in maps.eos_idxs]
    )


def _indices(vocabulary: _native.Vocabulary, tokens: Sequence[Any] | None) -> NDArray[np.int64]:
    """Return each token id's index among a potential's tokens, -1 where it has no text.

    Raises:
        VocabularyError: Ids and tokens do not fit together.
    """
    if tokens is None:
        tokens = [Token(byte, bytes([byte])) for byte in range(256)]
    elif not all(isinstance(token, Token) for token in tokens):
        raise VocabularyError(
            "the potential's tokens have no ids: give the potential of a language model, or none "
            "for a potential over bytes"
        )
    indices = np.full(len(vocabulary), -1, dtype=np.int64)
    for index, token in enumerate(tokens):
        i = token.token_id
        text = vocabulary.token_bytes(i) if i < len(indices) else None
        if text is None:
            continue
        if text != token.byte_string:
            raise VocabularyError(
                f"token {i} is {text!r:.60} for the engine and {token.byte_string!r:.60} for the "
                "potential: compile for vocabulary_of(llm)"
            )
        indices[i] = index
    lost = [
        i
        for i in np.flatnonzero(indices < 0).tolist()
        if vocabulary.token_bytes(i) is not None and i not in vocabulary.stop_ids
    ]
    if lost:
        raise VocabularyError(
            f"token {lost[0]} has text for the engine, {vocabulary.token_bytes(lost[0])!r:.60}, "
            "but is not among the potential's: compile for vocabulary_of(llm)"
        )
    return indices
