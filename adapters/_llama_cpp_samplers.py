"""Samplers of llama.cpp beside our masks, in both directions.

``SamplerChain`` runs llama.cpp's own samplers (penalties, top-k, min-p, mirostat, ...) on the
allowed tokens alone, without a call back into Python. ``MaskSampler`` is a ``llama_sampler`` for
chains of one's own, which calls back into Python twice for each token.
"""

# ruff: noqa: SLF001 (the functions that llama.cpp calls stand beside the class that they belong to)

from __future__ import annotations

import ctypes
import itertools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import llama_cpp
import numpy as np

from formgate.core._native import TokenMask, apply_mask
from formgate.core.decoding.errors import DecodingError
from formgate.core.matcher import Matcher

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from formgate.core.protocol import MaskEngine

__all__ = ["MaskSampler", "SamplerChain"]

# What llama.cpp calls llama_token_data.
_ENTRY = np.dtype([("id", np.int32), ("logit", np.float32), ("p", np.float32)])


@dataclass(eq=False)
class SamplerChain:
    """llama.cpp's samplers, on the tokens that a mask allows; for ``jump_decode`` and ``generate``.

    They run in this order, those left at their defaults not at all: penalties, top-k, typical,
    top-p, min-p, temperature, and a draw; or, with a temperature of 0, the highest score. Cuts
    apply to the allowed tokens. Cost: some nanoseconds for each allowed token and sampler.

    Args:
        llama: The model whose tokens are chosen.
        temperature: Scores are divided by it; 0 is greedy.
        top_k: Keep the k highest scores; 0 keeps all.
        top_p: Keep this share of the mass.
        min_p: Keep what is at least so likely, relative to the likeliest.
        typical_p: Keep this share of the mass, most typical first.
        repeat_penalty: Divides the scores of recent tokens.
        frequency_penalty: Taken off the scores of recent tokens for each time they came.
        presence_penalty: Taken off the scores of recent tokens.
        penalty_last_n: How many tokens are recent.
        mirostat: Version 2 of mirostat where 2, in place of the cuts.
        mirostat_tau: Mirostat's target surprise.
        mirostat_eta: Mirostat's learning rate.
        seed: Makes draws repeatable; None takes fresh entropy.

    Raises:
        ValueError: An argument is out of its range.
    """

    llama: llama_cpp.Llama
    temperature: float = 0.8
    top_k: int = 0
    top_p: float = 1.0
    min_p: float = 0.0
    typical_p: float = 1.0
    repeat_penalty: float = 1.0
    frequency_penalty: float = 0.0
    presence_penalty: float = 0.0
    penalty_last_n: int = 64
    mirostat: int = 0
    mirostat_tau: float = 5.0
    mirostat_eta: float = 0.1
    seed: int | None = None

    def __post_init__(self) -> None:
        default = llama_cpp.LLAMA_DEFAULT_SEED
        for name, is_right, range_ in (
            ("temperature", 0 <= self.temperature < math.inf, "zero or positive"),
            ("top_k", self.top_k >= 0, "zero (keep all) or positive"),
            ("top_p", 0 < self.top_p <= 1, "in (0, 1]"),
            ("min_p", 0 <= self.min_p <= 1, "in [0, 1]"),
            ("typical_p", 0 < self.typical_p <= 1, "in (0, 1]"),
            ("repeat_penalty", 0 < self.repeat_penalty < math.inf, "positive"),
            ("frequency_penalty", math.isfinite(self.frequency_penalty), "finite"),
            ("presence_penalty", math.isfinite(self.presence_penalty), "finite"),
            ("penalty_last_n", self.penalty_last_n >= 0, "zero or positive"),
            ("mirostat", self.mirostat in (0, 2), "0 (off) or 2"),
            ("mirostat_tau", 0 < self.mirostat_tau < math.inf, "positive"),
            ("mirostat_eta", 0 < self.mirostat_eta < math.inf, "positive"),
            ("seed", self.seed is None or 0 <= self.seed < default, f"below {default}"),
        ):
            if not is_right:
                raise ValueError(f"{name} must be {range_}, not {getattr(self, name)}")
        # Owns the samplers, and frees them.
        self._chain = llama_cpp._internals.LlamaSampler()
        self._fill(self._chain, default if self.seed is None else self.seed)
        self._handle = self._chain.sampler

    def _fill(self, chain: Any, seed: int) -> None:
        """Add the samplers to their chain."""
        penalties = (self.repeat_penalty, self.frequency_penalty, self.presence_penalty)
        if penalties != (1.0, 0.0, 0.0):
            chain.add_penalties(self.llama.n_vocab(), self.penalty_last_n, *penalties)
        if not self.temperature:
            chain.add_greedy()
            return
        if self.mirostat:
            chain.add_temp(self.temperature)
            chain.add_mirostat_v2(seed, self.mirostat_tau, self.mirostat_eta)
            return
        if self.top_k:
            chain.add_top_k(self.top_k)
        if self.typical_p < 1:
            chain.add_typical(self.typical_p)
        if self.top_p < 1:
            chain.add_top_p(self.top_p)
        if self.min_p:
            chain.add_min_p(self.min_p)
        chain.add_temp(self.temperature)
        chain.add_dist(seed)

    def pick(self, row: NDArray[np.float32], mask: TokenMask) -> int:
        """Return one of the tokens that a mask allows, and remember it.

        Raises:
            DecodingError: The scores do not fit the mask, or all of them are unusable.
        """
        if len(row) < mask.size:
            raise DecodingError(
                f"the model scores {len(row)} token ids, the engine's vocabulary has {mask.size}: "
                "build the vocabulary for this model"
            )
        ids = mask.ids()
        entries = np.empty(len(ids), _ENTRY)
        entries["id"] = ids
        entries["logit"] = row[ids]
        entries["p"] = 0
        if not np.isfinite(entries["logit"]).any():
            raise DecodingError("the model gives no finite score to any allowed token")
        array = llama_cpp.llama_token_data_array(
            data=entries.ctypes.data_as(ctypes.POINTER(llama_cpp.llama_token_data)),
            size=len(entries),
            selected=-1,
            sorted=False,
        )
        llama_cpp.llama_sampler_apply(self._handle, ctypes.byref(array))
        if not 0 <= array.selected < array.size:
            raise DecodingError("llama.cpp's samplers chose no token")
        token = int(array.data[array.selected].id)
        llama_cpp.llama_sampler_accept(self._handle, token)
        return token

    def accept(self, token: int) -> None:
        """Remember a token that was not picked."""
        llama_cpp.llama_sampler_accept(self._handle, token)

    def reset(self) -> None:
        """Forget all tokens, and begin the draws anew."""
        llama_cpp.llama_sampler_reset(self._handle)


class MaskSampler:
    """A constraint as a ``llama_sampler``, for a sampler chain of one's own.

    Put it first, where it sees every token; after a cut there may be nothing left that is allowed.
    It follows the tokens that the chain accepts. Cost: one call into Python for each of ``apply``
    and ``accept``. An error cannot pass through llama.cpp: from then on everything is forbidden but
    the end of the output, and ``check`` raises the error.

    Args:
        engine: The constraint.

    Attributes:
        matcher: Where the output stands.
        error: What went wrong, if anything did.
    """

    def __init__(self, engine: MaskEngine[Any]) -> None:
        self.matcher: Matcher[Any] = Matcher(engine)
        self.error: Exception | None = None
        self._stops = _stop_mask(engine)
        self._all = np.arange(self._stops.size, dtype=np.int32)
        self._number = 0  # by which llama.cpp's sampler finds this object; 0: there is none

    @property
    def pointer(self) -> Any:
        """What ``llama_sampler_chain_add`` takes; the same as long as llama.cpp has not freed it.

        From here on llama.cpp owns it, and keeps this object alive: ``llama_sampler_free`` of the
        chain frees it too. One that was taken out of a chain again is yours to free.
        """
        if not self._number:
            self._number = next(_NUMBERS)
            made = llama_cpp.llama_sampler_init(ctypes.byref(_INTERFACE), self._number)
            _OWNED[self._number] = (self, made)
        return _OWNED[self._number][1]

    def check(self) -> None:
        """Raise what went wrong, if anything did.

        Raises:
            DecodingError: The chain accepted a forbidden token, or offered none that is allowed.
        """
        if self.error is not None:
            raise self.error

    def _accept(self, token: int) -> None:
        if self.error is None and not self.matcher.accept(token):
            self.error = DecodingError(
                f"the sampler chain accepted token {token}, which is not allowed after "
                f"{len(self.matcher.tokens)} tokens: the mask must come first in the chain"
            )

    def _apply(self, array: Any) -> None:
        try:
            self._mask(array)
        except Exception as error:  # noqa: BLE001 (it would be printed, and lost)
            self.error = self.error or error

    def _mask(self, array: Any) -> None:
        """Set the scores of forbidden tokens to minus infinity."""
        address = ctypes.cast(array.data, ctypes.c_void_p).value or 0
        # SAFETY: llama.cpp's array, alive while it calls.
        memory = (ctypes.c_char * (_ENTRY.itemsize * array.size)).from_address(address)
        entries = np.frombuffer(memory, _ENTRY)
        mask = self._stops if self.error is not None else self.matcher.allowed_tokens()
        ids, logits = entries["id"], entries["logit"]
        if array.size >= mask.size and (ids[: mask.size] == self._all).all():
            apply_mask(mask, logits)
        else:
            logits[~np.isin(ids, mask.ids())] = -np.inf
        if mask and not (logits > -np.inf).any():
            raise DecodingError(
                "the samplers before the mask left no token that is allowed: put the mask first"
            )

    def _reset(self) -> None:
        self.matcher.reset()
        self.error = None

    def _clone(self) -> int:
        """Return the address of a sampler that stands where this one does."""
        other = MaskSampler.__new__(MaskSampler)
        other.__dict__.update(self.__dict__)
        other.__dict__.update(matcher=self.matcher.fork(), _number=0)
        return ctypes.cast(other.pointer, ctypes.c_void_p).value or 0


# The samplers that llama.cpp holds: it keeps no reference to Python's objects, only their numbers.
_OWNED: dict[int, tuple[MaskSampler, Any]] = {}
_NUMBERS = itertools.count(1)


def _owned(sampler: Any) -> MaskSampler:
    """Return the object behind a pointer that llama.cpp calls with."""
    return _OWNED[sampler.contents.ctx][0]


def _freed(sampler: Any) -> None:
    """Let go of an object, when llama.cpp frees its sampler."""
    owned, _ = _OWNED.pop(sampler.contents.ctx)
    owned._number = 0


def _interface() -> Any:
    """Return the functions that llama.cpp calls, the same for every sampler; never freed."""
    made = llama_cpp.llama_sampler_i()
    made.accept = llama_cpp.llama_sampler_i_accept(lambda at, token: _owned(at)._accept(token))
    made.apply = llama_cpp.llama_sampler_i_apply(
        lambda at, array: _owned(at)._apply(array.contents)
    )
    made.reset = llama_cpp.llama_sampler_i_reset(lambda at: _owned(at)._reset())
    made.free = llama_cpp.llama_sampler_i_free(_freed)
    # ctypes has no callbacks that return pointers, and leaks the texts that they return.
    address = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)
    name = ctypes.cast(_NAME, ctypes.c_void_p).value
    made.name = ctypes.cast(address(lambda _: name), llama_cpp.llama_sampler_i_name)
    made.clone = ctypes.cast(address(_clone), llama_cpp.llama_sampler_i_clone)
    return made


def _clone(address: int) -> int:
    """Return the address of a copy of the sampler at an address."""
    pointer = ctypes.cast(address, ctypes.POINTER(llama_cpp.llama_sampler))
    return _owned(pointer)._clone()


_NAME = ctypes.c_char_p(b"formgate")
_INTERFACE = _interface()


def _stop_mask(engine: MaskEngine[Any]) -> TokenMask:
    """Return the stop ids of an engine as a mask."""
    size = engine.allowed_tokens(engine.start()).size
    return TokenMask.from_ids(size, list(engine.vocabulary.stop_ids))  # type: ignore[attr-defined]
