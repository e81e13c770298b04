"""Decoding with any engine and any model: the loop, the samplers, and what they return."""

from __future__ import annotations

from formgate.core.decoding.errors import DecodingError
from formgate.core.decoding.loop import DecodeStream, TokenTexts, constrained_decode
from formgate.core.decoding.models import (
    CallableModel,
    ExtensibleModel,
    LanguageModel,
    LoadedModel,
)
from formgate.core.decoding.samplers import Greedy, Multinomial, Sampler
from formgate.core.decoding.steps import DecodeResult, FinishReason, PhaseTimes, Step, Timings
from formgate.core.decoding.unconstrained import UnconstrainedEngine

__all__ = [
    "CallableModel",
    "DecodeResult",
    "DecodeStream",
    "DecodingError",
    "ExtensibleModel",
    "FinishReason",
    "Greedy",
    "LanguageModel",
    "LoadedModel",
    "Multinomial",
    "PhaseTimes",
    "Sampler",
    "Step",
    "Timings",
    "TokenTexts",
    "UnconstrainedEngine",
    "constrained_decode",
]
