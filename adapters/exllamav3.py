"""exllamav3: a filter for its generator's jobs.

The generator asks for a packed mask, 32 ids a word, in a thread of its own while the model computes
on the GPU; it takes ids beyond the mask for forbidden. It goes back by tokens when a banned string
turns up, which the matcher does in one step. Nothing is raised while jobs run, since that would end
all of them: a token that the constraint forbids, which only another filter's or the caller's doing
can bring, leaves the filter with nothing but the end of the output, and says so in ``failure``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from exllamav3.generator.filter import Filter

from formgate.core.matcher import Matcher
from formgate.core.vocabulary import Vocabulary

if TYPE_CHECKING:
    from formgate.core.protocol import MaskEngine

__all__ = ["FormgateFilter", "vocabulary_of"]


class FormgateFilter(Filter):  # type: ignore[misc] # exllamav3 is untyped
    """Keeps one job within its constraint: an entry of ``filters=[...]``.

    Args:
        tokenizer: exllamav3's tokenizer.
        engine: The constraint.
        trigger_token: Begin after this token; at once when left out.
        eos_after_completed: End the job when nothing can follow but a stop token. With False what
            follows then is free.

    Attributes:
        failure: What went wrong; None while all is well.

    Raises:
        TypeError: The constraint is no engine.
    """

    def __init__(
        self,
        tokenizer: Any,
        engine: MaskEngine[Any],
        *,
        trigger_token: int | None = None,
        eos_after_completed: bool = True,
    ) -> None:
        super().__init__(tokenizer, trigger_token, None, eos_after_completed)
        self.failure: str | None = None
        self._matcher = Matcher(engine)
        self._engine = engine
        size = self._matcher.allowed_tokens().size
        self._words = np.empty((1, (size + 31) // 32), dtype=np.int32)
        self._mask = torch.from_numpy(self._words)
        # States after a forbidden token are not kept by the matcher, only counted.
        self._lost = 0

    def reset(self) -> None:
        """Begin anew."""
        self._matcher.reset()
        self._lost = 0
        self.failure = None

    def accept_token(self, token: int) -> None:
        """Take one more token."""
        if self._lost or not self._matcher.accept(token):
            self._lost += 1
            if self.failure is None:
                count = len(self._matcher.tokens)
                self.failure = f"token {token} after {count} tokens breaks the constraint"

    def rollback_tokens(self, num_tokens: int) -> bool:
        """Forget the last tokens; return False when there are fewer."""
        if num_tokens > len(self._matcher.tokens) + self._lost:
            return False
        kept = max(num_tokens - self._lost, 0)
        self._lost -= min(num_tokens, self._lost)
        if not self._lost:
            self.failure = None
        self._matcher.rollback(kept)
        return True

    def get_next_logit_mask(self) -> Any:
        """Return the mask as packed words, in memory that the next call overwrites."""
        if self._lost:
            self._words.fill(0)
            for token in self._engine_stops():
                self._words[0, token // 32] |= np.int32(np.uint32(1 << token % 32).astype(np.int32))
        else:
            self._matcher.fill(self._words, 0)
        return self._mask

    def is_completed(self) -> bool:
        """Say whether nothing can follow, but for a stop token."""
        return bool(self._lost) or self._engine.is_terminal(self._matcher.state)

    def use_background_worker(self) -> bool:
        """Say that masks may be computed while the model runs."""
        return True

    def _engine_stops(self) -> tuple[int, ...]:
        """Return the ids that end an output."""
        vocabulary = getattr(self._engine, "vocabulary", None)
        return () if vocabulary is None else tuple(vocabulary.stop_ids)


def vocabulary_of(tokenizer: Any, *, size: int | None = None) -> Vocabulary:
    """Return the vocabulary of exllamav3's tokenizer; its stop ids are those of the model's config.

    Args:
        tokenizer: ``exllamav3.Tokenizer.from_config(config)``.
        size: Number of ids that the model scores; as many as the tokenizer has when left out, and
            the others are then forbidden.

    Raises:
        VocabularyError: The tokenizer's exact bytes cannot be known, or there is no stop id.
    """
    stops = getattr(tokenizer.config, "eos_token_id_list", None) or [tokenizer.eos_token_id]
    stops = [int(token) for token in stops if token is not None]
    return Vocabulary.from_tokenizer(tokenizer.tokenizer, size=size, stop_ids=stops or None)
