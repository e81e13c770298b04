"""Continuous batching of transformers, with a constraint of its own for each request.

transformers makes the list of processors of a batching manager itself, from the generation config,
and replaces those it has a per-request form of by that form. So the list is made with ours in it,
at the place that ``generate`` gives to a caller's processors (before temperature, top-k and top-p),
and the per-request form is entered in transformers' map. That form sees each request's generated
tokens on the host, before the model runs; the mask is applied to the rows of the present batch.

A request is followed by one ``advance`` per token; one that was put back to make room, or that
begins as a copy of another, is followed again from its start. Whatever goes wrong in one request
must not end the others: such a request is ended at once and comes back with an error.
"""

from __future__ import annotations

import dataclasses
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import torch
from transformers import LogitsProcessor, LogitsProcessorList
from transformers.generation import ContinuousBatchingConfig
from transformers.generation.continuous_batching import cb_logits_processors

from formgate.adapters._generated import read_output
from formgate.adapters._torch_masks import RowMasker
from formgate.adapters._transformers_generate import engines_of, tokenized, with_boundaries
from formgate.adapters._transformers_model import score_count
from formgate.core.decoding.errors import DecodingError
from formgate.core.errors import FormgateError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from formgate.adapters._generated import GeneratedText
    from formgate.core.protocol import MaskEngine
    from formgate.core.vocabulary import Vocabulary

__all__ = ["ConstrainedBatching", "continuous_batching", "generate_batch"]

_ARGUMENT = "constraint"
_KEPT_REQUESTS = 1024  # of requests not in the present batch; others are followed anew
# Settings under which a step is recorded once and replayed, or prepared before the tokens of the
# step before it are known.
_UNUSABLE = (
    "use_async_batching",
    "use_cuda_graph",
    "varlen_compile_config",
    "decode_compile_config",
    "default_compile_level",
    "use_default_compile_configs",
)


@contextmanager
def continuous_batching(
    model: Any, *, continuous_batching_config: Any = None, **options: Any
) -> Iterator[ConstrainedBatching]:
    """Open a batching manager of transformers whose requests may each have a constraint.

    Args:
        model: A causal language model of transformers.
        continuous_batching_config: As in ``model.continuous_batching_context_manager``; its
            asynchronous batching, graphs and compilation must not be asked for. Say how large the
            cache may be (``num_blocks``, ``max_batch_tokens``): left to itself, transformers takes
            most of the memory there is, 60 % of it on a CPU.
        **options: What else that method takes, ``generation_config`` above all.

    Yields:
        What requests are given to. Leaving the block waits for those under way.

    Raises:
        DecodingError: The configuration asks for what shows no processor the tokens in time.
    """
    config = _checked_config(continuous_batching_config)
    processor = _Marker()
    classic = cb_logits_processors.CLASSIC_TO_CB_PROCESSORS_MAP
    ours: list[_RequestProcessor] = []

    def made(_: _Marker) -> _RequestProcessor:
        ours.append(_RequestProcessor())
        return ours[-1]

    original = model._get_logits_processor  # noqa: SLF001 (there is no public way)

    def with_ours(*args: Any, **kwargs: Any) -> Any:
        given = kwargs.pop("logits_processor", None) or []
        return original(*args, **kwargs, logits_processor=LogitsProcessorList([*given, processor]))

    # The list is made when the manager is; afterwards the model is as it was.
    if options.get("persistent_manager"):
        raise DecodingError(
            "a manager with constraints cannot be kept: leave persistent_manager out"
        )
    before = vars(model).get("_get_logits_processor")
    classic[_Marker] = made
    model._get_logits_processor = with_ours  # noqa: SLF001 (as above)
    try:
        block = model.continuous_batching_context_manager(
            continuous_batching_config=config, **options
        )
        manager = block.__enter__()
    finally:
        del classic[_Marker]
        if before is None:
            del model._get_logits_processor  # noqa: SLF001 (as above)
        else:
            model._get_logits_processor = before  # noqa: SLF001 (as above)
    try:
        if len(ours) != 1:
            raise DecodingError(
                "transformers made no processor for the constraints: it had a manager kept on the "
                "model (call model.destroy_cached_continuous_batching_manager()), or this version "
                "of transformers makes the processors of continuous batching in another way"
            )
        yield ConstrainedBatching(manager, ours[0], score_count(model))
    finally:
        block.__exit__(None, None, None)


def generate_batch(
    model: Any,
    tokenizer: Any,
    prompts: Sequence[Any],
    constraint: object,
    *,
    format: str | None = None,  # noqa: A002 (as in formgate.compile)
    vocabulary: Vocabulary | None = None,
    generation_config: Any = None,
    max_new_tokens: int | None = None,
    whole: bool = False,
    after: str | bytes | int | Sequence[str | bytes | int] | None = None,
    between: str | bytes = b"",
    **options: Any,
) -> list[GeneratedText]:
    """Generate texts that satisfy constraints, by continuous batching.

    Args:
        model: A causal language model of transformers.
        tokenizer: Its tokenizer.
        prompts: Texts, or chats.
        constraint: A source for ``formgate.compile``, an engine, or a list with one engine for each
            prompt.
        format: The source's format; guessed when left out.
        vocabulary: The model's vocabulary; read from the tokenizer when left out, once for each.
        generation_config: What the manager starts from; the model's own when left out.
        max_new_tokens: How long outputs may become; as the generation config has it when left out.
        whole: Never cut an output off: leave only tokens after which it can be completed within
            ``max_new_tokens`` (see ``formgate.decoding.WithinBudget``).
        after: A marker, such as ``"</think>"``: the constraint begins after it, and what comes
            before is free.
        between: Text between the marker and the constrained output, such as two newlines.
        **options: What else ``continuous_batching`` takes.

    Returns:
        The texts in the order of the prompts; the copies that ``num_return_sequences`` in the
        generation config asks for stand behind one another.

    Raises:
        FormgateError: The constraint does not compile, engines and prompts do not fit together, no
            text fits into ``max_new_tokens`` where it must be whole, or a request failed.
    """
    engines = engines_of(model, tokenizer, constraint, format, vocabulary)
    if len(engines) not in (1, len(prompts)):
        raise FormgateError(
            f"{len(engines)} engines were given for {len(prompts)} prompts: give one engine, or "
            "one for each prompt"
        )
    config = model.generation_config if generation_config is None else generation_config
    copies = config.num_return_sequences or 1
    limit = config.max_new_tokens if max_new_tokens is None else max_new_tokens
    if whole and limit is None:
        raise FormgateError(
            "whole=True needs max_new_tokens, here or in the generation config, to know when an "
            "output must end"
        )
    engines = with_boundaries(engines, after, between, limit if whole else None)
    places: dict[str, tuple[int, int]] = {}
    results: dict[tuple[int, int], Any] = {}
    with continuous_batching(model, generation_config=generation_config, **options) as batching:
        for index, prompt in enumerate(prompts):
            inputs, _ = tokenized(tokenizer, [prompt])
            request = batching.add_request(
                inputs["input_ids"][0].tolist(),
                engines[index if len(engines) > 1 else 0],
                max_new_tokens=max_new_tokens,
            )
            places[request] = (index, 0)
            # So transformers names the copies of a request.
            places.update({f"{request}__child#{n}": (index, n + 1) for n in range(copies - 1)})
        while len(results) < len(places):
            result = batching.get_result(timeout=1.0)
            if result is None:
                if not batching.manager.is_running():
                    raise DecodingError("the batching manager stopped before it was done")
            elif result.is_finished() or result.error is not None:
                results[places[result.request_id]] = result
    texts = []
    for place in sorted(results):
        index = place[0]
        result = results[place]
        if result.error is not None:
            raise DecodingError(f"prompt {index}: {result.error}")
        engine = engines[index if len(engines) > 1 else 0]
        texts.append(read_output(result.generated_tokens, engine, index).text)
    return texts


class ConstrainedBatching:
    """A batching manager that takes a constraint with each request.

    Attributes:
        manager: transformers' own manager, for all else that it offers.
    """

    def __init__(self, manager: Any, processor: _RequestProcessor, size: int) -> None:
        self.manager = manager
        self._processor = processor
        self._size = size

    def add_request(
        self,
        input_ids: Sequence[int],
        constraint: MaskEngine[Any] | None = None,
        *,
        eos_token_id: int | Sequence[int] | None = None,
        **options: Any,
    ) -> str:
        """Queue a request and return its id.

        Args:
            input_ids: The prompt.
            constraint: An engine; without one the request is left alone.
            eos_token_id: Where the request ends; the stop ids of the engine's vocabulary when left
                out, and they must be among those given.
            **options: What else the manager's ``add_request`` takes: ``request_id``,
                ``max_new_tokens``, ``streaming``, and ``temperature``, ``top_k``, ``top_p`` where
                the generation config has them set.

        Raises:
            DecodingError: The constraint does not fit the model or the ids that end the request; or
                the manager takes no more requests.
            TypeError: The constraint is no engine.
        """
        if constraint is not None:
            options[_ARGUMENT] = constraint
            eos_token_id = self._checked_stops(constraint, eos_token_id)
        request_id = self.manager.add_request(list(input_ids), eos_token_id=eos_token_id, **options)
        if request_id is None:
            raise DecodingError("the manager takes no more requests: it is stopping or has stopped")
        return str(request_id)

    def get_result(self, timeout: float | None = None) -> Any:
        """Return a finished request or, for a streaming one, what it has so far.

        Args:
            timeout: Seconds to wait; None waits for ever.

        Returns:
            A ``GenerationOutput`` of transformers, whose ``error`` says what went wrong; None when
            nothing came in time.
        """
        result = self.manager.get_result(timeout=timeout)
        if result is not None and result.is_finished():
            failure = self._processor.failures.pop(result.request_id, None)
            if failure is not None and result.error is None:
                result.error = failure
        return result

    def _checked_stops(
        self, constraint: MaskEngine[Any], given: int | Sequence[int] | None
    ) -> list[int]:
        """Return the ids that end a request."""
        if not callable(getattr(constraint, "allowed_tokens", None)):
            raise TypeError(
                f"{constraint!r:.60} is not an engine; make one with formgate.compile(source, "
                "vocabulary)"
            )
        size = constraint.allowed_tokens(constraint.start()).size
        if size > self._size:
            raise DecodingError(
                f"the model scores {self._size} token ids, the engine's vocabulary has {size}: "
                f"compile for a vocabulary of this model, Vocabulary.from_tokenizer(tokenizer, "
                f"size={self._size})"
            )
        vocabulary = getattr(constraint, "vocabulary", None)
        stops = [] if vocabulary is None else [int(token) for token in vocabulary.stop_ids]
        if given is None:
            if not stops:
                raise DecodingError(
                    "the engine has no vocabulary to say where requests end: give eos_token_id="
                )
            return stops
        ends = [given] if isinstance(given, int) else [int(token) for token in given]
        missing = sorted(set(stops).difference(ends))
        if missing:
            raise DecodingError(
                f"eos_token_id lacks {missing[0]}, with which the constraint may end an output"
            )
        return ends


class _Marker(LogitsProcessor):  # type: ignore[misc] # transformers is untyped
    """Stands for the constraints in a list of processors until the per-request form replaces it."""

    def __call__(self, input_ids: Any, scores: Any) -> Any:
        """Refuse to be called: the manager did not replace this."""
        del input_ids, scores
        raise DecodingError("continuous batching needs per_request_processors=True")


class _RequestProcessor(cb_logits_processors.ContinuousBatchingLogitsProcessor):  # type: ignore[misc] # transformers is untyped
    """Masks each row by the constraint of its request. Used by one manager's thread.

    Attributes:
        failures: What went wrong, by request; taken out by the reader of the results.
    """

    # Any object here: add_request has already refused what is no engine.
    supported_kwargs: dict[str, type] = {_ARGUMENT: object}  # noqa: RUF012 (as in the base class)
    ignored_kwargs: tuple[str, ...] = ()

    def __init__(self) -> None:
        self.failures: dict[str, str] = {}
        self._masker = RowMasker()
        self._places: dict[str, _Place] = {}
        self._batch: list[_Place | None] = []

    def fill_defaults(self, int32_tensor: Any) -> None:
        """Write what stands for rows without a constraint."""
        int32_tensor.fill_(0)

    def prepare_tensor_args(self, requests_with_new_token: Sequence[Any]) -> Any:
        """Follow each request to its present place.

        Returns:
            For each request the index of its place in the batch, counted from 1.
        """
        self._batch = [self._find(request.state) for request in requests_with_new_token]
        if len(self._places) > _KEPT_REQUESTS + 2 * len(self._batch):
            present = {place.request_id for place in self._batch if place is not None}
            self._places = {key: place for key, place in self._places.items() if key in present}
        return torch.arange(1, len(self._batch) + 1, dtype=torch.int32)

    def __call__(self, scores: Any, tensor_arg: Any) -> Any:
        """Return the scores with minus infinity where a token is forbidden."""
        places = [
            self._batch[index - 1] if index else None
            for index in tensor_arg[: len(scores)].tolist()
        ]
        if all(place is None for place in places):
            return scores
        scores = scores.clone()
        self._masker.mask(
            scores,
            [None if p is None or p.failed else (p.engine, p.state) for p in places],
        )
        best = scores.amax(dim=-1).tolist()
        for row, place in enumerate(places):
            if place is None:
                continue
            if not place.failed and not -float("inf") < best[row] < float("inf"):
                self._fail(place, _unusable(best[row]))
            if place.failed:
                # The request ends here, and comes back with an error.
                scores[row].fill_(-float("inf"))
                scores[row, place.stop] = 0.0
        return scores

    def _find(self, state: Any) -> _Place | None:
        """Return where a request has come to; None when it has no constraint."""
        engine = state.logit_processor_kwargs.get(_ARGUMENT)
        if engine is None:
            return None
        tokens = state.generated_tokens
        if state._true_initial_tokens:  # noqa: SLF001 (its output is the end of what it reads)
            tokens = [*state.initial_tokens[state._true_initial_tokens :], *tokens]  # noqa: SLF001 (as above)
        place = self._places.get(state.request_id)
        if (
            place is None
            or place.engine is not engine
            or place.tokens != tokens[: len(place.tokens)]
        ):
            stop = min(state._eos_token_ids, default=0)  # noqa: SLF001 (as above)
            place = _Place(state.request_id, engine, engine.start(), [], stop)
            self._places[state.request_id] = place
        for token in tokens[len(place.tokens) :]:
            place.tokens.append(token)
            if place.failed:
                continue
            try:
                place.state = engine.advance(place.state, token)
            # LookupError: an engine in plain Python may index a table with an id it does not know.
            except (ValueError, LookupError) as error:
                self._fail(place, f"the request holds a token that the constraint forbids: {error}")
        if not place.failed and not engine.allowed_tokens(place.state):
            self._fail(place, "the output has ended, but no id in eos_token_id says so")
        return place

    def _fail(self, place: _Place, why: str) -> None:
        """Give a request up."""
        place.failed = True
        self.failures[place.request_id] = why


@dataclasses.dataclass
class _Place:
    """Where one request has come to.

    Attributes:
        request_id: Whose it is.
        engine: Its constraint.
        state: The engine's state after the tokens.
        tokens: Its output so far.
        stop: A token that ends it.
        failed: Whether it was given up.
    """

    request_id: str
    engine: Any
    state: Any
    tokens: list[int]
    stop: int
    failed: bool = False


def _checked_config(given: Any) -> Any:
    """Return a configuration under which constraints see every token in time.

    Raises:
        DecodingError: The caller asks for something else.
    """
    config = ContinuousBatchingConfig() if given is None else dataclasses.replace(given)
    for name in _UNUSABLE:
        value = getattr(config, name, None)
        if any(value) if isinstance(value, (tuple, list)) else value:
            raise DecodingError(
                f"{name} cannot be used with constraints: masks depend on the token before, on the "
                "host"
            )
    config.use_async_batching = False
    config.use_cuda_graph = False
    config.per_request_processors = True
    return config


def _unusable(best: float) -> str:
    """Say why a row cannot be continued."""
    if best == -float("inf"):
        return (
            "every token that the constraint allows has a score of minus infinity: another logits "
            "processor forbids them"
        )
    return (
        "the scores of allowed tokens hold NaN or infinity; in half precision, try float32 or "
        "bfloat16"
    )
