"""The engine that allows everything: decoding without a constraint, by the same loop."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formgate.core._native import TokenMask
from formgate.core.errors import TokenError

if TYPE_CHECKING:
    from formgate.core.decoding.loop import TokenTexts

__all__ = ["UnconstrainedEngine"]


class UnconstrainedEngine:
    """Allows every token until a stop token ends the output: what a bare model would write.

    For comparison, and as the smallest example of an engine. A state says whether the output goes
    on. Special tokens are allowed too.

    Args:
        vocabulary: The tokens.
        size: Number of token ids.
    """

    def __init__(self, vocabulary: TokenTexts, size: int) -> None:
        self.vocabulary = vocabulary
        self._stop_ids = frozenset(vocabulary.stop_ids)
        self._all = TokenMask.from_ids(size, range(size))
        self._none = TokenMask.from_ids(size, ())

    def start(self) -> bool:
        """Return the state of the empty output."""
        return True

    def allowed_tokens(self, state: bool) -> TokenMask:
        """Return all tokens, or none after a stop token."""
        return self._all if state else self._none

    def advance(self, state: bool, token: int) -> bool:
        """Return the state after one more token.

        Raises:
            TokenError: The output has ended.
        """
        if not state or not 0 <= token < self._all.size:
            raise TokenError(f"token {token} is not allowed here")
        return token not in self._stop_ids

    def is_accepting(self, state: bool) -> bool:
        """Return True: any output is as good as any other."""
        del state
        return True

    def is_terminal(self, state: bool) -> bool:
        """Say whether a stop token has ended the output."""
        return not state
