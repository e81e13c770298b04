"""What can go wrong between a model and an engine while decoding."""

from __future__ import annotations

from formgate.core.errors import FormgateError

__all__ = ["DecodingError"]


class DecodingError(FormgateError, RuntimeError):
    """Decoding cannot go on: the model's scores are unusable, or do not fit the vocabulary.

    Never raised because of what the model prefers: an engine always leaves a token to choose.
    """
