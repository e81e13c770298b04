"""The constraint as a logits processor of llama-cpp-python.

llama-cpp-python calls its processors out of llama.cpp, through which no exception passes: one is
printed, and sampling goes on without the constraint. So this processor raises nothing. When
something is wrong it forbids all but the end of the output, and the stopping criterion that belongs
to it, which is called from Python, raises the error.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from llama_cpp import LogitsProcessorList, StoppingCriteriaList

from formgate.adapters._histories import Histories, SkippedTokensError
from formgate.adapters._llama_cpp_samplers import _stop_mask
from formgate.core._native import TokenMask, apply_mask
from formgate.core.decoding.errors import DecodingError

if TYPE_CHECKING:
    from collections.abc import Iterable

    import llama_cpp
    from numpy.typing import NDArray

    from formgate.core.decoding import TokenTexts
    from formgate.core.protocol import MaskEngine

__all__ = ["FormgateLogitsProcessor", "check_llama"]

_SURELY_KEPT = 16  # bytes of a token that llama-cpp-python makes text of, in any version

_DRAFTS = (
    "a draft_model shows processors tokens that it has not yet verified, which no constraint can "
    "follow: make the Llama without draft_model, and use generate(..., draft_tokens=8) of "
    "formgate.adapters.llama_cpp for prompt look-up"
)


class _Processors(LogitsProcessorList):  # type: ignore[misc] # llama_cpp is not checked
    """A list that stays one where ``logit_bias`` is given.

    llama-cpp-python 0.3.36 then takes what ``extend`` returns for the list, which is None for a
    plain one: it would go on without any processor, and say nothing.
    """

    def extend(self, others: Iterable[Any]) -> _Processors:
        """Add processors before ours, which must see their work, and return the list."""
        self[:0] = others
        return self


class FormgateLogitsProcessor:
    """Keeps one generation of llama-cpp-python within a constraint.

    Give ``options()`` to ``Llama.create_completion`` or ``generate``: the processor and the
    stopping criterion, which raises the errors (see above). One processor serves one call at a
    time. Another prompt begins another generation; where it begins with the prompt before and goes
    on, as a further turn of a chat does, take ``options()`` anew. Cost per token, beside the
    engine's mask: some 30 microseconds.

    llama-cpp-python 0.3.36 leaves tokens of more than 32 bytes out of the texts that it returns
    (long runs of blanks or dashes). With ``llama`` given they are forbidden wherever there are
    others; texts spelled by shorter tokens are the same.

    Args:
        engine: The constraint.
        llama: The model; when given, a model that processors cannot serve is refused at once.
        max_nodes: How many engine states are remembered.

    Attributes:
        error: What went wrong, if anything did.

    Raises:
        DecodingError: The model has a ``draft_model``, or scores fewer ids than the vocabulary has.
        TypeError: It is no engine.
    """

    def __init__(
        self,
        engine: MaskEngine[Any],
        *,
        llama: llama_cpp.Llama | None = None,
        max_nodes: int = 65_536,
    ) -> None:
        if not callable(getattr(engine, "allowed_tokens", None)):
            raise TypeError(
                f"{engine!r:.60} is not an engine; make one with formgate.compile(source, "
                "vocabulary)"
            )
        self._engine = engine
        self._stops = _stop_mask(engine)
        self._lost = TokenMask.from_ids(self._stops.size, [])
        if llama is not None:
            check_llama(llama, self._stops.size)
            self._lost = _lost_tokens(llama, engine, self._stops.size)
        self._histories: Histories[Any] = Histories([engine], max_nodes=max_nodes)
        self.reset()

    def reset(self) -> None:
        """Forget everything seen; the next call is the first of a generation."""
        self._begin(None)
        self.error: Exception | None = None

    def options(self, *, chat: bool = False) -> dict[str, Any]:
        """Return the arguments for a generation, and make the processor ready for it.

        Args:
            chat: For ``create_chat_completion``, which takes no stopping criterion: call ``check``
                when it has returned.
        """
        self.reset()
        processors = {"logits_processor": _Processors([self])}
        if chat:
            return processors
        return {**processors, "stopping_criteria": StoppingCriteriaList([self.check])}

    def check(self, input_ids: Any = None, logits: Any = None) -> bool:
        """Return False, which lets a generation go on, unless something went wrong.

        Raises:
            DecodingError: Something did.
        """
        del input_ids, logits
        if self.error is not None:
            raise self.error
        return False

    def __call__(
        self, input_ids: NDArray[np.int32], scores: NDArray[np.float32]
    ) -> NDArray[np.float32]:
        """Set the scores of forbidden tokens to minus infinity, in place, and return them."""
        mask = self._stops
        if self.error is None:
            try:
                mask = self._mask(input_ids, scores)
            except Exception as error:  # noqa: BLE001 (it would be printed, and lost)
                self.error = error
        if len(scores) >= mask.size:
            apply_mask(mask, scores)
        return scores

    def _begin(self, prompt: NDArray[np.int64] | None) -> None:
        """Begin a generation; its prompt is not known until the first call."""
        self._histories.clear()
        self._prompt = None if prompt is None else prompt.copy()
        self._start = 0 if prompt is None else len(prompt)

    def _mask(self, input_ids: NDArray[np.int32], scores: NDArray[np.float32]) -> Any:
        """Return the mask after a history.

        Raises:
            DecodingError: The history does not go on from the last call, or the scores do not fit.
        """
        if len(scores) < self._stops.size:
            raise _too_few(len(scores), self._stops.size)
        row = np.asarray(input_ids, np.int64)[None]
        nodes = self._histories.grow(row)
        if nodes is None:
            prompt = self._prompt
            if prompt is None or not np.array_equal(row[0, : len(prompt)], prompt):
                self._begin(row[0])
            try:
                nodes = self._histories.walk(row, [self._start], skipping=False)
            except SkippedTokensError:
                raise DecodingError(
                    "there are tokens that were never sampled under the constraint: either another "
                    f"generation began (take options() anew, or call reset()), or {_DRAFTS}"
                ) from None
        (node,) = nodes
        self._histories.trim([self._start])
        if not node.is_open:
            raise DecodingError(
                "the output has left the constraint or ended before, so this is another "
                "generation: take options() anew for each, or call reset()"
            )
        mask = self._engine.allowed_tokens(node.state)
        if self._lost:
            mask = mask - self._lost or mask
        best = scores[mask.ids()].max(initial=-np.inf)
        if not -np.inf < best < np.inf:
            raise DecodingError(
                "no allowed token has a finite score: another logits processor forbids them "
                "(min_tokens, logit_bias), or the model gives NaN"
            )
        return mask


def check_llama(llama: llama_cpp.Llama, size: int) -> None:
    """Refuse a model that a constraint cannot serve.

    Raises:
        DecodingError: It drafts by itself, or does not score all ids of the vocabulary.
    """
    if getattr(llama, "draft_model", None) is not None:
        raise DecodingError(_DRAFTS)
    if llama.n_vocab() < size:
        raise _too_few(llama.n_vocab(), size)


def _lost_tokens(llama: llama_cpp.Llama, engine: MaskEngine[Any], size: int) -> TokenMask:
    """Return the tokens that llama-cpp-python loses when it makes text of them."""
    vocabulary: TokenTexts | None = getattr(engine, "vocabulary", None)
    if vocabulary is None:
        return TokenMask.from_ids(size, [])
    texts = ((token, vocabulary.token_bytes(token) or b"") for token in range(size))
    long = [(token, text) for token, text in texts if len(text) > _SURELY_KEPT]
    return TokenMask.from_ids(size, [t for t, text in long if llama.detokenize([t]) != text])


def _too_few(scored: int, size: int) -> DecodingError:
    """Return the error for a model with another vocabulary."""
    return DecodingError(
        f"the model scores {scored} token ids, the engine's vocabulary has {size}: compile for "
        "formgate.adapters.llama_cpp.vocabulary_of(llama)"
    )
