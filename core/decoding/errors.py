"""What can go wrong between a model and an engine while decoding."""

from __future__ import annotations

from formgate.core.errors import FormgateError

__all__ = ["BudgetError", "DecodingError"]


class DecodingError(FormgateError, RuntimeError):
    """Decoding cannot go on: the model's scores are unusable, or do not fit the vocabulary.

    Never raised because of what the model prefers: an engine always leaves a token to choose.
    """


class BudgetError(DecodingError):
    """No text of the constraint fits into the tokens that were given; said before the first one.

    Args:
        message: What is wrong, in one sentence.
        budget: How many tokens were given.
        needed: How many would do.
    """

    def __init__(self, message: str, *, budget: int = 0, needed: int = 0) -> None:
        super().__init__(message)
        self.budget = budget
        self.needed = needed
