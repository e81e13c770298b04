"""The contract between an engine and everything that decodes with it.

Decode loops, samplers, ``Matcher`` and adapters are written against ``MaskEngine`` alone, so a
user's own engine in plain Python plugs in where the native one does. States are immutable values:
rolling back, forking and beams are a matter of keeping an old state.
"""

from __future__ import annotations

from typing import Protocol, TypeVar, runtime_checkable

from formgate.core._native import TokenMask

__all__ = ["MaskEngine", "StateLike", "TokenMask"]

S = TypeVar("S")


class StateLike(Protocol):
    """A state that is compared by content; an engine's own states need not be of this kind."""

    @property
    def key(self) -> bytes:
        """Equal keys mean equal futures: every later mask is the same."""


@runtime_checkable
class MaskEngine(Protocol[S]):
    """Says which tokens may come next.

    For every state reached by a prefix w: a token is allowed exactly when some continuation, made
    of tokens of the vocabulary, completes w and the token to a text of the language; every stop id
    is allowed exactly when w is itself in the language. A mask is a function of the state alone,
    and is empty only where the output has ended.
    """

    def start(self) -> S:
        """Return the state of the empty output."""

    def allowed_tokens(self, state: S) -> TokenMask:
        """Return the tokens that may come next."""

    def advance(self, state: S, token: int) -> S:
        """Return the state after one more token; the state given stays good.

        After a stop id comes a state that is terminal, accepting, and allows nothing.

        Raises:
            TokenError: The token is not allowed (any ``ValueError`` is understood).
        """

    def is_accepting(self, state: S) -> bool:
        """Say whether the output may end here."""

    def is_terminal(self, state: S) -> bool:
        """Say whether the output must end here, or has ended."""
