"""One sequence whose whole history a back end hands over at each call.

The history may have grown by a token, by several, or have become shorter again, as drafts are tried
and dropped. The matcher goes back to where the histories part, and on from there: one step in the
usual case.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from formgate.core.decoding.errors import DecodingError
from formgate.core.matcher import Matcher

if TYPE_CHECKING:
    from formgate.core.protocol import MaskEngine, TokenMask

__all__ = ["Follower"]


class Follower:
    """Follows one sequence by its histories.

    Args:
        engine: The constraint.
        prompt_length: How many leading tokens of a history are the prompt; when left out, all those
            of the first.

    Raises:
        TypeError: The constraint is no engine.
        ValueError: The prompt's length is negative.
    """

    def __init__(self, engine: MaskEngine[Any], *, prompt_length: int | None = None) -> None:
        if prompt_length is not None and prompt_length < 0:
            raise ValueError(f"prompt_length must not be negative, not {prompt_length}")
        self._matcher = Matcher(engine)
        self._given_start = prompt_length
        self.reset()

    @property
    def state(self) -> Any:
        """The engine's state after the last history."""
        return self._matcher.state

    def reset(self) -> None:
        """Forget everything seen; the next history is the first of a generation."""
        self._matcher.reset()
        self._output: list[int] = []
        self._prompt: list[int] | None = None

    def follow(self, history: list[int]) -> TokenMask | None:
        """Return the tokens that may follow a history; None after its end.

        Args:
            history: Prompt and output so far.

        Raises:
            DecodingError: The history belongs to another generation, or breaks the constraint.
        """
        start = self._given_start
        if start is None:
            if self._prompt is None:
                self._prompt = list(history)
            start = len(self._prompt)
            if history[:start] != self._prompt:
                raise DecodingError(
                    "the tokens begin with another prompt than those before: make a new processor "
                    "for each generation, or call reset() between them"
                )
        if len(history) < start:
            raise DecodingError(f"prompt_length is {start}, but there are {len(history)} tokens")
        output = history[start:]
        kept = self._common(output)
        self._matcher.rollback(len(self._output) - kept)
        del self._output[kept:]
        for token in output[kept:]:
            if not self._matcher.accept(token):
                if self._matcher.is_terminated:
                    break  # what a back end computes beyond the end is thrown away
                raise DecodingError(
                    f"token {token} after {len(self._output)} tokens of output breaks the "
                    "constraint: make a new processor for each generation, or call reset() between "
                    "them"
                )
            self._output.append(token)
        if self._matcher.is_terminated:
            return None
        return self._matcher.allowed_tokens()

    def _common(self, output: list[int]) -> int:
        """Return how many leading tokens are those of the last history."""
        before = self._output
        if output[: len(before)] == before:
            return len(before)
        for index, (new, old) in enumerate(zip(output, before, strict=False)):
            if new != old:
                return index
        return min(len(output), len(before))
