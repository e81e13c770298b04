"""What decoding yields token by token, and what it returns in the end."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, NamedTuple

__all__ = ["DecodeResult", "FinishReason", "PhaseTimes", "Step", "Timings"]

FinishReason = Literal["stop", "terminal", "length"]


class Step(NamedTuple):
    """One output token.

    Attributes:
        token: The token's id.
        token_bytes: What it adds to the text; empty for stop and other special tokens.
        text: The characters that became complete with it; a character may span several tokens.
        forced: Whether it was the only token allowed.
        allowed: How many tokens were allowed.
        logprob: Log-probability under the model without the mask; None unless asked for, or when
            the model was not run for a forced token.
        masked_logprob: The same among the allowed tokens.
        forward_ns: Nanoseconds the model took; the first step's hold the prompt.
        mask_ns: Nanoseconds of ``allowed_tokens``.
        sample_ns: Nanoseconds of masking and sampling.
        advance_ns: Nanoseconds of ``advance``.
    """

    token: int
    token_bytes: bytes
    text: str
    forced: bool
    allowed: int
    logprob: float | None
    masked_logprob: float | None
    forward_ns: int
    mask_ns: int
    sample_ns: int
    advance_ns: int


@dataclass
class PhaseTimes:
    """Times of one phase over all tokens, in nanoseconds."""

    count: int = 0
    total_ns: int = 0
    max_ns: int = 0

    @property
    def mean_ns(self) -> float:
        """Mean, or 0 when nothing was measured."""
        return self.total_ns / self.count if self.count else 0.0

    def add(self, time_ns: int) -> None:
        """Count one more time."""
        self.count += 1
        self.total_ns += time_ns
        self.max_ns = max(self.max_ns, time_ns)


@dataclass
class Timings:
    """Where the time went.

    Attributes:
        prompt_ns: The model's pass over the prompt.
        forward: The model's later passes; one entry per pass.
        mask: ``allowed_tokens``; one entry per token, as in those below.
        sample: Masking the scores and sampling.
        advance: ``advance``.
    """

    prompt_ns: int = 0
    forward: PhaseTimes = field(default_factory=PhaseTimes)
    mask: PhaseTimes = field(default_factory=PhaseTimes)
    sample: PhaseTimes = field(default_factory=PhaseTimes)
    advance: PhaseTimes = field(default_factory=PhaseTimes)

    @property
    def overhead(self) -> float:
        """What the constraint costs: time of mask and advance over time of the model, per token."""
        if not self.forward.mean_ns:
            return 0.0
        return (self.mask.mean_ns + self.advance.mean_ns) / self.forward.mean_ns


@dataclass(frozen=True)
class DecodeResult:
    """The outcome of one decode.

    Attributes:
        text: The output; bytes that are no UTF-8 (a cut character, where the output was cut off)
            are shown as U+FFFD.
        text_bytes: The output's exact bytes.
        tokens: The token ids, a stop token included.
        finish_reason: ``"stop"``: a stop token was chosen; ``"terminal"``: nothing could follow;
            ``"length"``: ``max_tokens`` was reached.
        complete: Whether the output satisfies the constraint as it stands; always true unless it
            was cut off by ``max_tokens``.
        forced: How many tokens were the only ones allowed.
        timings: Where the time went.
    """

    text: str
    text_bytes: bytes
    tokens: tuple[int, ...]
    finish_reason: FinishReason
    complete: bool
    forced: int
    timings: Timings
