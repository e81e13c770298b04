"""A decoding method for ``generate`` that runs the model only where there is a choice.

Where the constraint allows one token (the names of required members, a fixed separator), the
token is taken without the model; what the model has not read by then is read in one pass when its
scores are next needed. Which tokens are chosen does not change: a row with one allowed entry has
one outcome under any sampler. Cost: one pass for every token with an alternative.

Rows are decoded one after another, each with a cache of its own, since they skip at different
places: for batches whose texts leave few choices.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from transformers import DynamicCache
from transformers.generation import GenerateDecoderOnlyOutput

from formgate.core.decoding.errors import DecodingError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["skip_forced"]

# Asking for these needs the model's output at every token.
_PER_TOKEN = ("output_scores", "output_logits", "output_attentions", "output_hidden_states")
_KNOWN = ("attention_mask", "position_ids", "past_key_values", "use_cache", "logits_to_keep")


def skip_forced(
    model: Any,
    input_ids: Any,
    logits_processor: Any,
    stopping_criteria: Any,
    generation_config: Any,
    **model_kwargs: Any,
) -> Any:
    """Decode greedily or by sampling, taking tokens without an alternative without the model.

    For ``generate(..., custom_generate=skip_forced, logits_processor=[processor])``, the processor
    being a ``FormgateLogitsProcessor``; further processors may stand beside it. They see only the
    rows that the model is run for.

    Returns:
        Token ids, as ``generate`` returns them, or a ``GenerateDecoderOnlyOutput`` with them.

    Raises:
        DecodingError: There is no ``FormgateLogitsProcessor``, or more than one; the call asks for
            beams, for guidance, for the model's output at every token, or gives the model more
            than token ids.
    """
    _refuse_unsupported(model, generation_config, model_kwargs)
    index, processor = _find_processor(logits_processor)
    count, width = input_ids.shape
    mask = model_kwargs.get("attention_mask")
    rows = []
    for row in range(count):
        # Padding is on the left: what the model reads of a row is its end.
        read = width if mask is None else int(mask[row].sum())
        if mask is not None and not bool(mask[row, width - read :].all()):
            raise DecodingError(f"row {row} is padded on the right: pad on the left")
        own = processor.for_row(row, count, width)
        processors = type(logits_processor)(logits_processor)
        processors[index] = own
        decoder = _RowDecoder(
            model,
            processors,
            stopping_criteria,
            place=(row, count),
            do_sample=bool(generation_config.do_sample),
            use_cache=bool(model_kwargs.get("use_cache", True)),
        )
        rows.append(decoder.run(input_ids[row : row + 1], read, *own.follow(input_ids[row])))
    longest = max(row.shape[1] for row in rows)
    pad = generation_config._pad_token_tensor  # noqa: SLF001 (as transformers' own methods do)
    filler = 0 if pad is None else int(pad)
    sequences = torch.cat(
        [torch.nn.functional.pad(row, (0, longest - row.shape[1]), value=filler) for row in rows]
    )
    if generation_config.return_dict_in_generate:
        return GenerateDecoderOnlyOutput(sequences=sequences)
    return sequences


class _RowDecoder:
    """Decodes one row."""

    def __init__(
        self,
        model: Any,
        processors: Any,
        criteria: Any,
        *,
        place: tuple[int, int],
        do_sample: bool,
        use_cache: bool,
    ) -> None:
        self._model = model
        self._processors = processors
        self._criteria = criteria
        self._row, self._row_count = place
        self._do_sample = do_sample
        self._cache = DynamicCache(config=model.config) if use_cache else None
        self._options: dict[str, Any] = {"use_cache": use_cache}
        if model._supports_logits_to_keep():  # noqa: SLF001 (as transformers' own generate asks)
            self._options["logits_to_keep"] = 1

    def run(self, ids: Any, read: int, engine: Any, state: Any) -> Any:
        """Return the row with its output.

        Args:
            ids: The row, of shape (1, length).
            read: How many tokens at its end are no padding.
            engine: The row's engine.
            state: Its state after what the row already holds of the output.
        """
        unread = read
        while True:
            mask = engine.allowed_tokens(state)
            allowed = len(mask)
            if allowed == 0:
                return ids  # nothing may follow, and no stopping criterion knows it
            if allowed == 1:
                token = int(mask.ids()[0])
            else:
                token = self._choose(ids, self._scores(ids, unread))
                if self._cache is not None:
                    unread = 0
            ids = torch.cat([ids, ids.new_tensor([[token]])], dim=1)
            unread += 1
            state = engine.advance(state, token)
            if bool(self._criteria(ids, None).all()):
                return ids

    def _scores(self, ids: Any, unread: int) -> Any:
        """Return the model's scores after a row whose last tokens it has not read yet."""
        given = ids[:, -unread:].to(self._model.device)
        output = self._model(input_ids=given, past_key_values=self._cache, **self._options)
        return output.logits[:, -1].to(copy=True, dtype=torch.float32, device=ids.device)

    def _choose(self, ids: Any, scores: Any) -> int:
        """Return the next token."""
        # Some processors hold what they know of the rows of the whole batch.
        rows = ids.expand(self._row_count, -1)
        scores = self._processors(rows, scores.repeat(self._row_count, 1))[self._row]
        if self._do_sample:
            return int(torch.multinomial(scores.softmax(dim=-1), num_samples=1))
        return int(scores.argmax(dim=-1))


def _find_processor(processors: Sequence[Any]) -> tuple[int, Any]:
    """Return the constraint among the processors, and where it stands."""
    from formgate.adapters.transformers import FormgateLogitsProcessor  # noqa: PLC0415 (a cycle)

    found = [
        (index, each)
        for index, each in enumerate(processors)
        if isinstance(each, FormgateLogitsProcessor)
    ]
    if len(found) != 1:
        raise DecodingError(
            f"skip_forced needs exactly one FormgateLogitsProcessor in logits_processor=, "
            f"not {len(found)}"
        )
    return found[0]


def _refuse_unsupported(model: Any, config: Any, model_kwargs: dict[str, Any]) -> None:
    """Refuse what decoding row by row, without scores for every token, cannot give."""
    if model.config.is_encoder_decoder:
        raise DecodingError("skip_forced works with decoder-only models")
    if (config.num_beams or 1) > 1:
        raise DecodingError("skip_forced cannot search with beams: leave num_beams out")
    if config.prompt_lookup_num_tokens:
        raise DecodingError("skip_forced does not draft: leave prompt_lookup_num_tokens out")
    if config.guidance_scale not in (None, 1, 1.0):
        raise DecodingError("skip_forced cannot be used with guidance_scale")
    asked = [name for name in _PER_TOKEN if getattr(config, name, None)]
    if asked:
        raise DecodingError(
            f"{asked[0]} cannot be had with skip_forced: the model is not run for every token"
        )
    others = [
        name for name, value in model_kwargs.items() if value is not None and name not in _KNOWN
    ]
    if others:
        raise DecodingError(
            f"skip_forced gives the model token ids alone, not {', '.join(sorted(others))}"
        )
    cache = model_kwargs.get("past_key_values")
    if cache is not None and cache.get_seq_length() > 0:
        raise DecodingError("skip_forced starts with an empty cache: leave past_key_values out")
