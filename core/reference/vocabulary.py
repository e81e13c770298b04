"""``Vocabulary``: tokens as non-empty byte strings, and the tokens that end the output."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from formgate.core.errors import VocabularyError
from formgate.core.reference.symbols import EOS, ExtChar

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["TokenBytes", "Vocabulary"]


class TokenBytes(Protocol):
    """What is asked of a vocabulary that comes from elsewhere."""

    @property
    def stop_ids(self) -> Sequence[int]:
        """The ids that end an output."""

    def token_bytes(self, token: int, /) -> bytes | None:
        """Return a token's bytes, None when it has no text."""

    def __len__(self) -> int: ...


@dataclass(frozen=True)
class Vocabulary:
    """The tokens V.

    Attributes:
        tokens: By id: the bytes of a token, never empty; None for an id without text.
        stop_ids: The ids that stand for the end of input; their bytes are ignored.

    Raises:
        VocabularyError: A token is empty or no byte string, or a stop id is out of range.
    """

    tokens: tuple[bytes | None, ...]
    stop_ids: tuple[int, ...]

    def __post_init__(self) -> None:
        for token, data in enumerate(self.tokens):
            if data is not None and (not isinstance(data, bytes) or not data):
                raise VocabularyError(
                    f"token {token} is {data!r}: a token is a non-empty byte string, or None for "
                    "an id without text"
                )
        for token in self.stop_ids:
            if not 0 <= token < len(self.tokens):
                raise VocabularyError(
                    f"stop id {token} is outside of 0 to {len(self.tokens) - 1}: pass ids of the "
                    "vocabulary"
                )

    @classmethod
    def of(cls, texts: Iterable[bytes]) -> Vocabulary:
        """Return the vocabulary of these tokens and, after them, one stop id."""
        tokens = (*texts, None)
        return cls(tokens, (len(tokens) - 1,))

    @classmethod
    def copy_of(cls, other: TokenBytes) -> Vocabulary:
        """Return a copy of any object that knows its length, stop ids and token bytes."""
        tokens = tuple(other.token_bytes(token) for token in range(len(other)))
        return cls(tokens, tuple(other.stop_ids))

    def __len__(self) -> int:
        return len(self.tokens)

    def token_bytes(self, token: int) -> bytes | None:
        """Return a token's bytes; None where it has no text."""
        return None if token in self.stop_ids else self.tokens[token]

    def spelling(self, token: int) -> tuple[ExtChar, ...] | None:
        """Return what a token adds to the input: bytes, or EOS; None where it can add nothing."""
        if token in self.stop_ids:
            return (EOS,)
        data = self.tokens[token]
        return None if data is None else tuple(data)

    def spellings(self) -> dict[tuple[ExtChar, ...], frozenset[int]]:
        """Return the ids of each spelling: ids with equal bytes are one token to the model."""
        ids: dict[tuple[ExtChar, ...], set[int]] = {}
        for token in range(len(self)):
            spelling = self.spelling(token)
            if spelling is not None:
                ids.setdefault(spelling, set()).add(token)
        return {spelling: frozenset(tokens) for spelling, tokens in ids.items()}
