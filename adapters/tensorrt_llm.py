"""TensorRT-LLM: the logits callback of a request.

TensorRT-LLM's guided decoder takes no backend but its own two; the open way is the callback of
``SamplingParams(logits_processor=...)``, called at every step with the request's tokens so far,
prompt included. Callbacks travel to the worker processes by pickle, and engines do not; so the
callback carries the source and what to compile it for, and each process compiles it once, when it
is first called.
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import torch

from formgate.adapters._following import Follower
from formgate.adapters._torch_masks import RowMasker
from formgate.core.compiler import compile as compile_source
from formgate.core.decoding.errors import DecodingError
from formgate.core.vocabulary import Vocabulary

if TYPE_CHECKING:
    import os

    from formgate.core._native import Engine

__all__ = ["FormgateLogitsProcessor"]

_logger = logging.getLogger(__name__)

# Every step touches all running requests, so those forgotten first have long ended.
_KEPT_REQUESTS = 65_536
_KEPT_VOCABULARIES = 8
_vocabularies: OrderedDict[tuple[str, int | None, tuple[int, ...]], Vocabulary] = OrderedDict()


class FormgateLogitsProcessor:
    """Keeps requests within a constraint: ``SamplingParams(logits_processor=...)``.

    One object may serve any number of requests. The sampling parameters must end outputs at the
    vocabulary's stop ids (``end_id``, ``stop_token_ids``). One output per request; beams are
    refused.

    Args:
        source: A source for ``formgate.compile``, of a kind that pickle knows.
        vocabulary_path: The model's folder, or another file that ``Vocabulary.from_file`` reads;
            the workers read it.
        format: The source's format; guessed when left out.
        size: Number of ids that the model scores; see ``Vocabulary.from_file``.
        stop_ids: Ids that end the output; those that the files name when left out.
        **options: Of the format.

    Raises:
        FormgateError: The source does not compile, or the vocabulary cannot be read: both are done
            once where the object is made.
    """

    _engine: Engine | None

    def __init__(
        self,
        source: object,
        vocabulary_path: str | os.PathLike[str],
        *,
        format: str | None = None,  # noqa: A002 (as in formgate.compile)
        size: int | None = None,
        stop_ids: tuple[int, ...] = (),
        **options: Any,
    ) -> None:
        self._source = source
        self._format = format
        self._options = options
        self._place = (str(vocabulary_path), size, tuple(stop_ids))
        self._begin(self._compiled())

    def __getstate__(self) -> dict[str, Any]:
        """Return what travels to another process: everything to compile the engine from."""
        return {name: getattr(self, name) for name in ("_source", "_format", "_options", "_place")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take what came from another process; compile when first called."""
        vars(self).update(state)
        self._begin(None)

    @property
    def engine(self) -> Engine:
        """The compiled constraint, in this process."""
        engine = self._engine
        if engine is None:
            engine = self._engine = self._compiled()
        return engine

    def __call__(
        self,
        req_id: int,
        logits: Any,
        token_ids: list[list[int]],
        stream_ptr: int | None = None,
        client_id: int | None = None,
    ) -> None:
        """Set the scores of forbidden tokens to minus infinity, in place.

        A request that leaves its constraint, which only another callback after this one can bring
        about, may do nothing but end; the log says so.

        Raises:
            DecodingError: The request searches with beams, or the model scores fewer ids than the
                vocabulary has.
        """
        del client_id
        if len(token_ids) != 1:
            raise DecodingError(
                f"request {req_id} has {len(token_ids)} beams: constraints work with one output "
                "per request"
            )
        engine = self.engine
        scores = logits.view(-1, logits.shape[-1])
        size = len(engine.vocabulary)
        if scores.shape[-1] < size:
            raise DecodingError(
                f"the model scores {scores.shape[-1]} token ids, the engine's vocabulary has "
                f"{size}: give size={scores.shape[-1]}"
            )
        follower = self._followers.get(req_id)
        if follower is None:
            follower = self._followers[req_id] = Follower(engine)
            if len(self._followers) > _KEPT_REQUESTS:
                self._followers.popitem(last=False)
        self._followers.move_to_end(req_id)
        try:
            mask = follower.follow([int(token) for token in token_ids[0]])
        except DecodingError as error:
            _logger.error("request %s ends here: %s", req_id, error)  # noqa: TRY400 (a message, no place)
            keep = torch.tensor(engine.vocabulary.stop_ids, device=scores.device)
            ends = scores[:, keep]
            scores.fill_(-float("inf"))
            scores[:, keep] = ends
            return
        if mask is None:
            return
        stream = (
            nullcontext()
            if stream_ptr is None
            else torch.cuda.stream(torch.cuda.ExternalStream(stream_ptr))
        )
        with stream:
            self._masker.mask(scores, [(engine, follower.state)] * len(scores))

    def _begin(self, engine: Engine | None) -> None:
        """Set what does not travel."""
        self._engine = engine
        self._followers: OrderedDict[int, Follower] = OrderedDict()
        self._masker = RowMasker()

    def _compiled(self) -> Engine:
        """Return the engine of the source."""
        return compile_source(
            self._source, _vocabulary(*self._place), format=self._format, **self._options
        )


def _vocabulary(path: str, size: int | None, stop_ids: tuple[int, ...]) -> Vocabulary:
    """Return a vocabulary, read once in each process."""
    key = (path, size, stop_ids)
    if key not in _vocabularies:
        _vocabularies[key] = Vocabulary.from_file(path, size=size, stop_ids=stop_ids or None)
        if len(_vocabularies) > _KEPT_VOCABULARIES:
            _vocabularies.popitem(last=False)
    return _vocabularies[key]
