"""vLLM's custom logits processors: constraints that leave the model's own scores visible.

A backend of structured outputs masks before vLLM computes the log-probabilities that it returns; a
logits processor masks after. So with this one the returned values are the model's, unconstrained,
as importance weights and other faithful samplers need them.

vLLM has two interfaces: that of its older runner (a batch whose rows move, ``update_state``) and
that of the newer one (slots, ``add_request``). A class that is not of the one in use stops the
start-up, so this one is of both. Requests say what they want in ``extra_args`` (``vllm_xargs`` over
HTTP): ``formgate`` is the constraint's text, ``formgate_kind`` its kind.
"""

from __future__ import annotations

import json
import logging
from typing import TYPE_CHECKING, Any

from vllm.exceptions import VLLMValidationError
from vllm.tokenizers import cached_tokenizer_from_config
from vllm.v1.sample.logits_processor import LogitsProcessor as BatchLogitsProcessor
from vllm.v1.worker.gpu.sample.logits_processor import LogitsProcessor as SlotLogitsProcessor

from formgate.adapters._serving import KINDS, EngineStore, ServingOptions
from formgate.adapters._serving_check import check_constraint
from formgate.adapters._serving_sequence import ServedSequence
from formgate.adapters._torch_masks import RowMasker
from formgate.adapters._vllm_tokenizer import read_vocabulary
from formgate.core.errors import FormgateError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["FormgateLogitsProcessor", "requested"]

_logger = logging.getLogger("vllm.formgate")  # below vllm's own, so that its handlers show it


def requested(extra_args: Mapping[str, Any] | None) -> tuple[str, str] | None:
    """Return kind and text of the constraint that a request carries; None where it has none.

    Args:
        extra_args: ``SamplingParams.extra_args``.

    Raises:
        VLLMValidationError: What is there is no constraint.
    """
    given = {k: v for k, v in (extra_args or {}).items() if k.startswith("formgate")}
    if not given:
        return None
    source = given.pop("formgate", None)
    kind = given.pop("formgate_kind", "choice" if isinstance(source, list) else "regex")
    if given:
        raise VLLMValidationError(
            f"{min(given)!r} has no meaning; known are 'formgate' and 'formgate_kind'",
            parameter="extra_args",
        )
    if kind not in KINDS:
        raise VLLMValidationError(
            f"formgate_kind is one of {', '.join(KINDS)}, not {kind!r:.60}", parameter="extra_args"
        )
    if kind == "json_object" and source is None:
        source = ""
    if source is None:
        raise VLLMValidationError(
            "'formgate' is missing: the text of the constraint", parameter="extra_args"
        )
    if not isinstance(source, str):
        try:
            source = json.dumps(source)
        except (TypeError, ValueError, RecursionError) as error:
            raise VLLMValidationError(
                f"formgate is the text of a constraint: {error}", parameter="extra_args"
            ) from error
    return kind, source


class FormgateLogitsProcessor(BatchLogitsProcessor, SlotLogitsProcessor):  # type: ignore[misc] # vllm is untyped here
    """Masks the scores of requests that carry a constraint, in either of vLLM's runners.

    vLLM makes it. In the newer runner the tokens are on the device, so each step waits for them
    where some request is constrained: use the backend of structured outputs there unless the scores
    must be the model's own. Compiling happens in the worker, when the request arrives.

    Args:
        vllm_config: vLLM's configuration.
        device_or_states: The device (older runner) or the states of all requests (newer one).
        is_pin_memory: Given by the older runner alone.
    """

    def __init__(
        self,
        vllm_config: Any,
        device_or_states: Any,
        is_pin_memory: bool | None = None,
    ) -> None:
        del is_pin_memory
        self._states = device_or_states
        # Of the older runner: what each row's request is, and its list of output tokens, which
        # vLLM goes on filling. Of the newer one: what each slot's request is.
        self._rows: dict[int, tuple[ServedSequence, list[int]]] = {}
        self._slots: dict[int, ServedSequence] = {}
        self._masker = RowMasker()
        model = vllm_config.model_config
        self._store = EngineStore(
            lambda: read_vocabulary(cached_tokenizer_from_config(model), model.get_vocab_size()),
            ServingOptions.from_environment(),
        )

    @classmethod
    def validate_params(cls, sampling_params: Any) -> None:
        """Check what a request carries, in the front end.

        Raises:
            VLLMValidationError: What is wrong, where, and the way out.
        """
        wanted = requested(sampling_params.extra_args)
        if wanted is None:
            return
        if sampling_params.structured_outputs is not None:
            raise VLLMValidationError(
                "a request has either structured_outputs or a constraint in extra_args",
                parameter="extra_args",
            )
        try:
            check_constraint(*wanted, ServingOptions.from_environment())
        except FormgateError as error:
            raise VLLMValidationError(str(error), parameter="extra_args") from error

    def is_argmax_invariant(self) -> bool:
        """Say that greedy sampling needs this, too."""
        return False

    # --- the older runner ---

    def update_state(self, batch_update: Any) -> None:
        """Follow requests that come, go and move."""
        if batch_update is None:
            return
        for row in batch_update.removed:
            self._rows.pop(row, None)
        for row, params, _, outputs in batch_update.added:
            sequence = self._sequence(params)
            if sequence is None:
                self._rows.pop(row, None)
            else:
                self._rows[row] = (sequence, outputs)
        for source, target, direction in batch_update.moved:
            moved, other = self._rows.pop(source, None), self._rows.pop(target, None)
            if moved is not None:
                self._rows[target] = moved
            if other is not None and direction.name == "SWAP":
                self._rows[source] = other

    def apply(self, logits: Any, ctx: Any = None) -> Any:
        """Set the scores of forbidden tokens to minus infinity, in place.

        Args:
            logits: Float tensor ``[rows, ids]``.
            ctx: Given by the newer runner alone: which slot each row belongs to.
        """
        if ctx is not None:
            return self._apply_to_slots(logits, ctx)
        if self._rows:
            items: list[Any] = [None] * len(logits)
            for row, (sequence, outputs) in self._rows.items():
                sequence.follow(outputs)
                items[row] = self._item(sequence, logits, row)
            self._masker.mask(logits, items)
        return logits

    # --- the newer runner ---

    def add_request(self, req_idx: int, sampling_params: Any) -> bool:
        """Take a request into a slot; say whether it has a constraint."""
        sequence = self._sequence(sampling_params)
        if sequence is None:
            self._slots.pop(req_idx, None)
            return False
        self._slots[req_idx] = sequence
        return True

    def _apply_to_slots(self, logits: Any, ctx: Any) -> Any:
        """Mask rows that belong to slots: several of one slot are those of a draft, in order."""
        if self._slots.keys().isdisjoint(ctx.idx_mapping_np.tolist()):
            return logits
        slots, local = ctx.expanded_idx_mapping.tolist(), ctx.expanded_local_pos.tolist()
        places, inputs = ctx.pos.tolist(), ctx.input_ids.tolist()
        items: list[Any] = [None] * len(slots)
        outputs: list[int] = []
        drafted = True
        for row, slot in enumerate(slots):
            sequence = self._slots.get(slot)
            if sequence is None:
                continue
            if local[row] == 0:
                start = int(self._states.prompt_len.np[slot])
                outputs = self._states.all_token_ids.gpu[slot, start : places[row] + 1].tolist()
                sequence.follow(outputs)
                drafted = True
            else:
                # A draft that is not allowed is never accepted, so the rows after it do not matter.
                drafted = drafted and not sequence.ended and sequence.accept([inputs[row]])
            if drafted:
                items[row] = self._item(sequence, logits, row)
            if row + 1 == len(slots) or slots[row + 1] != slot:
                sequence.rollback(sequence.length - len(outputs))
        self._masker.mask(logits, items)
        return logits

    # --- both ---

    def _sequence(self, params: Any) -> ServedSequence | None:
        """Return what follows a new request; None where it has no constraint.

        The front end has checked the constraint, so only what depends on the vocabulary fails here.
        Then the request must not run free: its sequence allows the stop ids alone.
        """
        try:
            wanted = requested(params.extra_args)
            if wanted is None:
                return None
            stops = params.all_stop_token_ids
            engine = self._store.engine(*wanted, stops)
            return ServedSequence(engine, stops or self._store.vocabulary.stop_ids)
        except Exception as error:  # noqa: BLE001 (an exception here ends the worker)
            text = "formgate: a request's constraint does not compile: %s"
            _logger.error(text, error)  # noqa: TRY400 (the message says it all)
            return ServedSequence.broken(params.all_stop_token_ids)

    @staticmethod
    def _item(sequence: ServedSequence, logits: Any, row: int) -> Any:
        """Return engine and state for masking a row; where there are none, see to it here."""
        if sequence.ended:
            return None
        if sequence.failed:
            stops = list(sequence.stop_ids)
            kept = logits[row, stops].clone()
            logits[row].fill_(-float("inf"))
            logits[row, stops] = kept
            return None
        return sequence.matcher.engine, sequence.matcher.state
