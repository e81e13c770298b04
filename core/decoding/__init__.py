"""Decoding with any engine and any model: the loop, the samplers, and what they return."""

from __future__ import annotations

from formgate.core.decoding.after import AfterMarker
from formgate.core.decoding.boundaries import bounded, inner_text
from formgate.core.decoding.budget import WithinBudget
from formgate.core.decoding.errors import BudgetError, DecodingError
from formgate.core.decoding.jumping import (
    JumpDecoder,
    JumpResult,
    MaskedSampler,
    RewindableModel,
    jump_decode,
)
from formgate.core.decoding.loop import DecodeStream, TokenTexts, constrained_decode
from formgate.core.decoding.models import (
    CallableModel,
    ExtensibleModel,
    LanguageModel,
    LoadedModel,
)
from formgate.core.decoding.prefixed import HealedPrompt, Prefixed, heal
from formgate.core.decoding.samplers import Greedy, Multinomial, Sampler
from formgate.core.decoding.steps import DecodeResult, FinishReason, PhaseTimes, Step, Timings
from formgate.core.decoding.unconstrained import UnconstrainedEngine

__all__ = [
    "AfterMarker",
    "BudgetError",
    "CallableModel",
    "DecodeResult",
    "DecodeStream",
    "DecodingError",
    "ExtensibleModel",
    "FinishReason",
    "Greedy",
    "HealedPrompt",
    "JumpDecoder",
    "JumpResult",
    "LanguageModel",
    "LoadedModel",
    "MaskedSampler",
    "Multinomial",
    "PhaseTimes",
    "Prefixed",
    "RewindableModel",
    "Sampler",
    "Step",
    "Timings",
    "TokenTexts",
    "UnconstrainedEngine",
    "WithinBudget",
    "bounded",
    "constrained_decode",
    "heal",
    "inner_text",
    "jump_decode",
]
