"""What the decode loop asks of a language model, and models made from simpler things."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from formgate.core.vocabulary import Vocabulary

__all__ = ["CallableModel", "ExtensibleModel", "LanguageModel", "LoadedModel"]


@runtime_checkable
class LanguageModel(Protocol):
    """A model that reads tokens one after another and scores the next one.

    Scores are one row, a float per token id: a one-dimensional numpy array or a torch tensor of any
    device. The row may be reused by the model's next call. A row still being computed on a device
    is best returned as it is: the loop computes the mask before it waits for the row.
    """

    def start(self, prompt_ids: Sequence[int]) -> Any:
        """Forget everything, read a prompt, and return the scores of the first output token."""

    def step(self, token: int) -> Any:
        """Read one more token and return the scores of the next one."""


@runtime_checkable
class ExtensibleModel(LanguageModel, Protocol):
    """A model that reads several tokens in one pass, which makes forced tokens cheap."""

    def extend(self, tokens: Sequence[int]) -> Any:
        """Read tokens and return the scores of the token after the last of them."""


@dataclass(frozen=True)
class LoadedModel:
    """A model ready for use, and what turns texts into its tokens and back.

    Attributes:
        name: What to call it when speaking to people.
        model: Scores the next token.
        vocabulary: The exact bytes of its tokens.
        encode: Returns the token ids of a text, with what the model wants in front of every text.
        encode_chat: Returns the token ids of a chat in which the user has said a text; None when
            the model has no chat template.
    """

    name: str
    model: LanguageModel
    vocabulary: Vocabulary
    encode: Callable[[str], list[int]]
    encode_chat: Callable[[str], list[int]] | None


class CallableModel:
    """A model without a cache: a function from all token ids so far to a row of scores.

    Args:
        function: Called with prompt and output so far, as one list that it must not change.
    """

    def __init__(self, function: Callable[[Sequence[int]], Any]) -> None:
        self._function = function
        self._tokens: list[int] = []

    def start(self, prompt_ids: Sequence[int]) -> Any:
        """Forget everything, read a prompt, and return the scores of the first output token."""
        self._tokens = list(prompt_ids)
        return self._function(self._tokens)

    def step(self, token: int) -> Any:
        """Read one more token and return the scores of the next one."""
        self._tokens.append(token)
        return self._function(self._tokens)

    def extend(self, tokens: Sequence[int]) -> Any:
        """Read tokens and return the scores of the token after the last of them."""
        self._tokens.extend(tokens)
        return self._function(self._tokens)
