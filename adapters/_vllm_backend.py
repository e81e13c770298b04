"""vLLM's structured outputs: the backend, its grammars, the validator, and how they are put in.

vLLM has a fixed list of backends, each a class and a validator that it imports from a module of
its own when it needs them. ``install`` exchanges both in one of these modules, which works in every
process and without a fork. The front end validates requests (so a bad constraint is an error 400,
with our message); the process with the scheduler compiles, fills masks and follows the tokens.

Tried with vLLM 0.32 on a CPU; the names and call sequences are the same in 0.33, which the tests
compare with its sources.
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from dataclasses import dataclass
from importlib import import_module
from threading import Lock
from typing import Any

import torch
from vllm.exceptions import VLLMValidationError
from vllm.v1.structured_output.backend_types import (
    StructuredOutputBackend,
    StructuredOutputGrammar,
    StructuredOutputOptions,
)
from vllm.v1.structured_output.request import get_structured_output_key

from formgate.adapters._serving import EngineStore, ServingOptions, digest
from formgate.adapters._serving_check import check_constraint
from formgate.adapters._serving_sequence import ServedSequence
from formgate.adapters._vllm_tokenizer import read_vocabulary
from formgate.core.errors import FormgateError, PluginError

__all__ = ["FormgateBackend", "FormgateGrammar", "install", "validate"]

_logger = logging.getLogger("vllm.formgate")  # below vllm's own, so that its handlers show it

# Of each slot: its module, its names for the class and the validator, and where else vLLM has
# imported the class already.
_PLACES: dict[str, tuple[str, str, str, tuple[str, ...]]] = {
    "outlines": (
        "vllm.v1.structured_output.backend_outlines",
        "OutlinesBackend",
        "validate_structured_output_request_outlines",
        (),
    ),
    "xgrammar": (
        "vllm.v1.structured_output.backend_xgrammar",
        "XgrammarBackend",
        "validate_xgrammar_grammar",
        ("vllm.v1.structured_output",),
    ),
}
# What a request may say about JSON beside its schema, and what to say instead.
_UNUSED = ("disable_any_whitespace", "disable_additional_properties", "whitespace_pattern")
_MAX_VALIDATED = 1024


class FormgateGrammar(StructuredOutputGrammar):  # type: ignore[misc] # vllm is untyped here
    """One request's place in its constraint, as vLLM's scheduler drives it.

    Args:
        sequence: What follows the tokens.
    """

    def __init__(self, sequence: ServedSequence) -> None:
        self._sequence = sequence
        self._array: Any = None
        self._tensor: Any = None

    def accept_tokens(self, request_id: str, tokens: list[int]) -> bool:
        """Take sampled tokens; False, and a line in the log, if one is not allowed."""
        if self._sequence.accept(tokens):
            return True
        if not self._sequence.failed:
            _logger.error("formgate: request %s: tokens %s are not allowed", request_id, tokens)
        return False

    def validate_tokens(self, tokens: list[int]) -> list[int]:
        """Return the leading tokens that would be allowed; nothing changes."""
        return tokens[: self._sequence.validate(tokens)]

    def rollback(self, num_tokens: int) -> None:
        """Forget the last tokens, a stop token among them too."""
        self._sequence.rollback(num_tokens)

    def fill_bitmask(self, bitmask: Any, batch_index: int) -> None:
        """Write the mask into a row of an int32 tensor."""
        if bitmask is not self._tensor:
            self._tensor, self._array = bitmask, bitmask.numpy()
        self._sequence.fill(self._array, batch_index)

    def is_terminated(self) -> bool:
        """Say whether a stop token was accepted."""
        return self._sequence.ended

    def reset(self) -> None:
        """Begin again."""
        self._sequence.reset()


@dataclass
class FormgateBackend(StructuredOutputBackend):  # type: ignore[misc] # as above
    """Compiles the constraints of one vLLM engine; vLLM makes it.

    Options come from ``FORMGATE_SERVING_OPTIONS``. Cost of a constraint: compiling it once, then a
    look-up; of a mask, what the engine takes (a microsecond where the state is known).
    """

    def __post_init__(self) -> None:
        """Prepare to read the vocabulary when the first constraint comes."""
        self._store = EngineStore(
            lambda: read_vocabulary(self.tokenizer, self.vocab_size),
            ServingOptions.from_environment(),
        )

    def compile_grammar(
        self,
        request_type: StructuredOutputOptions,
        grammar_spec: str,
        stop_token_ids: set[int] | None = None,
    ) -> FormgateGrammar:
        """Return the grammar object of a request.

        Raises:
            FormgateError: The constraint is wrong for this vocabulary; vLLM fails the request.
        """
        kind = request_type.name.lower()
        engine = self._store.engine(kind, grammar_spec, stop_token_ids)
        stops = stop_token_ids or self._store.vocabulary.stop_ids
        return FormgateGrammar(ServedSequence(engine, stops))

    def allocate_token_bitmask(self, max_num_seqs: int) -> Any:
        """Return an int32 tensor of as many rows, everything allowed."""
        width = (self.vocab_size + 31) // 32
        return torch.full((max_num_seqs, width), -1, dtype=torch.int32)

    def destroy(self) -> None:
        """Drop what was compiled."""
        self._store.clear()


class _Validated:
    """Which constraints were found good, so that each is read once; bounded, for any thread."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._keys: OrderedDict[tuple[str, bytes], None] = OrderedDict()

    def __contains__(self, key: tuple[str, bytes]) -> bool:
        with self._lock:
            return key in self._keys

    def add(self, key: tuple[str, bytes]) -> None:
        """Remember one."""
        with self._lock:
            self._keys[key] = None
            while len(self._keys) > _MAX_VALIDATED:
                self._keys.popitem(last=False)


_validated = _Validated()


def validate(params: Any) -> None:
    """Check the constraint of a request, in vLLM's front end.

    Without a vocabulary at hand it is compiled for one of single bytes: a wrong or empty constraint
    is found here, one that just this model's tokens cannot spell when vLLM compiles it.

    Args:
        params: vLLM's ``SamplingParams``.

    Raises:
        VLLMValidationError: What is wrong, where, and the way out.
    """
    wanted = params.structured_outputs
    if wanted is None:
        return
    for name in _UNUSED:
        if getattr(wanted, name, None):
            raise VLLMValidationError(
                f"formgate has no {name} for single requests: say it in the schema, or set options "
                "of the format json_schema for the server, as in FORMGATE_SERVING_OPTIONS="
                '\'{"json_schema": {"whitespace": "compact"}}\'',
                parameter=f"structured_outputs.{name}",
            )
    try:
        request_type, text = get_structured_output_key(wanted)
    except (TypeError, ValueError, RecursionError) as error:
        raise VLLMValidationError(f"the constraint cannot be written as JSON: {error}") from error
    kind = request_type.name.lower()
    key = kind, digest(text)
    if key in _validated:
        return
    try:
        check_constraint(kind, text, ServingOptions.from_environment())
    except FormgateError as error:
        raise VLLMValidationError(str(error), parameter=f"structured_outputs.{kind}") from error
    except Exception as error:
        _logger.exception("formgate: a constraint could not be read")
        raise VLLMValidationError(
            f"the constraint cannot be read: {type(error).__name__}: {error}"
        ) from error
    _validated.add(key)


def install(slot: str = "outlines") -> None:
    """Put the backend into one of vLLM's slots, in this process; again changes nothing.

    Args:
        slot: ``"outlines"`` or ``"xgrammar"``: what ``structured_outputs_config`` then names.

    Raises:
        PluginError: This vLLM has not the names that are to be exchanged.
    """
    ServingOptions.from_environment()  # a wrong option is an error now, not at the first request
    module_name, class_name, validator_name, users = _PLACES[slot]
    places = [(module_name, class_name, FormgateBackend), (module_name, validator_name, validate)]
    places += [(user, class_name, FormgateBackend) for user in users]
    modules = [import_module(name) for name, _, _ in places]
    for module, (_, name, _) in zip(modules, places, strict=True):
        if not hasattr(module, name):
            raise PluginError(
                f"{module.__name__} has no {name}: this version of vLLM is not known; formgate was "
                "tried with 0.32 and 0.33"
            )
    for module, (_, name, value) in zip(modules, places, strict=True):
        setattr(module, name, value)
    _logger.info(
        "formgate: constraints of structured outputs are compiled by formgate, in the slot %r", slot
    )
