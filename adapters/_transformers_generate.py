"""Constrained ``generate`` in one call: tokenise, compile, generate, and say what is complete."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import torch

from formgate.adapters._generated import (
    GeneratedText,
    Output,
    check_tokens,
    is_engine,
    prompts_of,
    read_output,
)
from formgate.adapters._transformers_model import vocabulary_of
from formgate.core.decoding import bounded, heal
from formgate.core.errors import FormgateError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from formgate.core._native import Engine
    from formgate.core.vocabulary import Vocabulary

__all__ = ["GeneratedText", "engines_of", "generate", "tokenized", "with_boundaries"]

# Sums of log-probabilities below this are beam search's own markers of unusable beams.
_UNUSABLE_SCORE = -1e8

# Settings of transformers that matter here.
_DRAFTING = ("assistant_model", "prompt_lookup_num_tokens", "assistant_early_exit", "use_mtp")
_SCORE_SHARING = ("prompt_lookup_num_tokens", "output_logits")
_OTHER_ENDS = ("stopping_criteria", "stop_strings", "max_time")


def generate(
    model: Any,
    tokenizer: Any,
    prompt: str | Sequence[Any],
    constraint: object,
    *,
    format: str | None = None,  # noqa: A002 (as in formgate.compile)
    vocabulary: Vocabulary | None = None,
    whole: bool = False,
    after: str | bytes | int | Sequence[str | bytes | int] | None = None,
    between: str | bytes = b"",
    heal_tokens: int = 0,
    skip_forced: bool = False,
    **generate_kwargs: Any,
) -> list[GeneratedText]:
    """Generate texts that satisfy a constraint.

    Beams that beam search keeps only to fill its width are left out, so there may be fewer texts
    than were asked for where the constraint allows fewer.

    Args:
        model: A causal language model of transformers.
        tokenizer: Its tokenizer; pads on the left here, whatever its setting.
        prompt: A text; a chat, as a list of messages; or a list of texts or of chats.
        constraint: A source for ``formgate.compile``, an engine, or a list with one engine for each
            prompt.
        format: The source's format; guessed when left out.
        vocabulary: The model's vocabulary; read from the tokenizer when left out, once for each.
        whole: Never cut an output off: leave only tokens after which it can be completed within
            ``max_new_tokens`` (see ``formgate.decoding.WithinBudget``).
        after: A marker, such as ``"</think>"``: the constraint begins after it, and what comes
            before is free.
        between: Text between the marker and the constrained output, such as two newlines.
        heal_tokens: How many tokens of a text prompt may be taken off its end and written again, so
            that a token can reach over it. Not for chats: their prompts end where the model expects
            it.
        skip_forced: Take tokens that have no alternative without running the model, and decode the
            prompts one after another (``formgate.adapters.transformers.skip_forced``).
        **generate_kwargs: Whatever ``model.generate`` takes.

    Returns:
        The texts in the order of ``generate``: those of the first prompt first. ``text`` is the
        constrained part alone, ``before`` what was written before it.

    Raises:
        FormgateError: The constraint does not compile, engines and prompts do not fit together, no
            text fits into ``max_new_tokens`` where it must be whole, or ``generate`` cannot go on
            under the constraint.
    """
    from formgate.adapters.transformers import FormgateLogitsProcessor  # noqa: PLC0415 (a cycle)

    engines = engines_of(model, tokenizer, constraint, format, vocabulary)
    if heal_tokens and not isinstance(prompts_of(prompt)[0], str):
        raise FormgateError("heal_tokens is for texts: chats end where the model expects it")
    inputs, prompt_count = tokenized(tokenizer, prompt)
    if len(engines) not in (1, prompt_count):
        raise FormgateError(
            f"{len(engines)} engines were given for {prompt_count} prompts: give one engine, or "
            "one for each prompt"
        )
    stop_ids = engines[0].vocabulary.stop_ids
    if any(engine.vocabulary.stop_ids != stop_ids for engine in engines):
        raise FormgateError("the engines were compiled for vocabularies with different stop ids")
    options = _options(model, tokenizer, stop_ids, generate_kwargs)
    healed = [b""] * prompt_count
    if heal_tokens:
        inputs, healed = _healed(inputs, engines, heal_tokens, options["pad_token_id"])
    length = inputs["input_ids"].shape[1]
    config = options.get("generation_config") or model.generation_config
    num_beams = options.get("num_beams") or config.num_beams or 1
    limit = _token_limit(options, config, length)
    if whole and limit is None:
        raise FormgateError(
            "whole=True needs max_new_tokens, and nothing else that may end an output "
            f"({', '.join(_OTHER_ENDS)})"
        )
    engines = with_boundaries(engines, after, between, limit if whole else None, healed)
    if num_beams > 1 and limit is None:
        options["output_scores"] = True  # nothing else tells a beam that was cut off from filling
    processor = FormgateLogitsProcessor(
        engines,
        num_beams=num_beams,
        drafts=any(_value(name, options, config) is not None for name in _DRAFTING),
        # These look at the scores again that they hand to processors.
        in_place=not any(_value(name, options, config) for name in _SCORE_SHARING),
    )
    if skip_forced:
        options["custom_generate"] = _skipping(options, config)
    others = options.pop("logits_processor", None) or []
    output = model.generate(
        **inputs.to(model.device), **options, logits_processor=[*others, processor]
    )
    rows = output.sequences[:, length:].tolist()
    outputs = read_outputs(rows, engines, prompt_count, options["pad_token_id"])
    if num_beams == 1:
        return [each.text for each in outputs if each.is_legal]
    scores = getattr(output, "sequences_scores", None)
    if scores is not None:
        penalty = options.get("length_penalty", config.length_penalty)
        outputs = _scored(outputs, scores.tolist(), 1.0 if penalty is None else penalty)
    return _usable_beams(outputs, 0 if limit is None else limit)


def engines_of(
    model: Any,
    tokenizer: Any,
    constraint: object,
    format_name: str | None,
    vocabulary: Vocabulary | None,
) -> list[Engine]:
    """Return the engines that a constraint stands for."""
    from formgate.core.compiler import compile as compile_source  # noqa: PLC0415 (when needed)

    if is_engine(constraint):
        constraint = [constraint]
    if isinstance(constraint, (list, tuple)) and constraint and all(map(is_engine, constraint)):
        for engine in {id(each): each for each in constraint}.values():
            check_tokens(engine, tokenizer.decode)
        return list(constraint)
    if vocabulary is None:
        vocabulary = vocabulary_of(model, tokenizer)
    return [compile_source(constraint, vocabulary, format=format_name)]


def tokenized(tokenizer: Any, prompt: str | Sequence[Any]) -> tuple[Any, int]:
    """Return the tokenised prompts, padded on the left, and their number."""
    prompts = prompts_of(prompt)
    if tokenizer.pad_token_id is None and len(prompts) > 1:
        raise FormgateError(
            "the tokenizer has no padding token, which a batch needs: set tokenizer.pad_token"
        )
    padding: dict[str, Any] = {"return_tensors": "pt", "padding": len(prompts) > 1}
    side, tokenizer.padding_side = tokenizer.padding_side, "left"
    try:
        if isinstance(prompts[0], str):
            inputs = tokenizer(prompts, **padding)
            if not inputs["attention_mask"].any(1).all():
                raise FormgateError("a prompt has no tokens: give it some text")
            return inputs, len(prompts)
        chats = tokenizer.apply_chat_template(
            prompts, add_generation_prompt=True, tokenize=True, return_dict=True, **padding
        )
        return chats, len(prompts)
    finally:
        tokenizer.padding_side = side


def _healed(
    inputs: Any, engines: Sequence[Engine], count: int, pad: int
) -> tuple[Any, list[bytes]]:
    """Take tokens off the ends of text prompts; return the inputs and the texts taken off."""
    ids, mask = inputs["input_ids"], inputs["attention_mask"]
    kept, texts = [], []
    for index in range(len(ids)):
        engine = engines[index if len(engines) > 1 else 0]
        tokens = ids[index][mask[index].bool()].tolist()
        prompt_left = heal(tokens, engine.vocabulary, tokens=count)
        kept.append(list(prompt_left.tokens))
        texts.append(prompt_left.text)
    width = max(map(len, kept))
    inputs["input_ids"] = torch.tensor([[pad] * (width - len(row)) + row for row in kept])
    inputs["attention_mask"] = torch.tensor(
        [[0] * (width - len(row)) + [1] * len(row) for row in kept]
    )
    unread = [name for name in inputs if name not in ("input_ids", "attention_mask")]
    for name in unread:  # token_type_ids and the like have the old shape, and say nothing here
        del inputs[name]
    return inputs, texts


def with_boundaries(
    engines: Sequence[Engine],
    after: str | bytes | int | Sequence[str | bytes | int] | None,
    between: str | bytes,
    limit: int | None,
    healed: Sequence[bytes] = (b"",),
) -> list[Any]:
    """Return the engines with the boundaries asked for; one for each prompt where they differ."""
    if len(engines) == 1:
        engines = list(engines) * (len(healed) if any(healed) else 1)
    texts = healed if any(healed) else [b""] * len(engines)
    made: dict[tuple[int, bytes], Any] = {}
    for engine, text in zip(engines, texts, strict=True):
        key = (id(engine), text)
        if key not in made:
            made[key] = bounded(engine, after=after, between=between, healed=text, max_tokens=limit)
    return [made[id(engine), text] for engine, text in zip(engines, texts, strict=True)]


def _options(
    model: Any, tokenizer: Any, stop_ids: Iterable[int], given: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the arguments of ``generate``: the caller's, and ours where the caller has none."""
    options = dict(given)
    options["return_dict_in_generate"] = True
    options.setdefault("eos_token_id", list(stop_ids))
    if options.get("stop_strings") or options.get("assistant_tokenizer"):
        options["tokenizer"] = tokenizer
    if options.get("pad_token_id") is None:
        pads = [model.generation_config.pad_token_id, tokenizer.pad_token_id, *stop_ids]
        options["pad_token_id"] = next(int(pad) for pad in pads if pad is not None)
    return options


def _skipping(options: Mapping[str, Any], config: Any) -> Any:
    """Return the decoding method that skips forced tokens.

    Raises:
        FormgateError: Something else was asked for that it would not see.
    """
    from formgate.adapters._transformers_skipping import skip_forced  # noqa: PLC0415 (a cycle)

    # transformers hands none of these to a decoding method that is not its own.
    unseen = [
        name
        for name in (*_DRAFTING, "streamer", "custom_generate")
        if _value(name, options, config) is not None
    ]
    if unseen:
        raise FormgateError(f"{unseen[0]} cannot be used with skip_forced=True")
    return skip_forced


def _token_limit(options: Mapping[str, Any], config: Any, prompt_length: int) -> int | None:
    """Return how long outputs may become; None when other things than length may end them too."""
    if any(_value(name, options, config) for name in _OTHER_ENDS):
        return None
    tokens = _value("max_new_tokens", options, config)
    if tokens is not None:
        return int(tokens)
    length = _value("max_length", options, config)
    return None if length is None else int(length) - prompt_length


def _value(name: str, options: Mapping[str, Any], config: Any) -> Any:
    """Return what ``generate`` will use for a setting."""
    return options.get(name, getattr(config, name, None))


def read_outputs(
    rows: Sequence[Sequence[int]], engines: Sequence[Engine], prompt_count: int, pad: int
) -> list[Output]:
    """Return what stands in each row."""
    per_prompt = len(rows) // prompt_count
    outputs = []
    for index, row in enumerate(rows):
        prompt_index = index // per_prompt
        engine = engines[prompt_index if len(engines) > 1 else 0]
        outputs.append(read_output(row, engine, prompt_index, pad))
    return outputs


def _scored(outputs: Sequence[Output], scores: Sequence[float], penalty: float) -> list[Output]:
    """Return outputs with beam search's scores, marked illegal where the score says so."""
    scored = []
    for each, score in zip(outputs, scores, strict=True):
        # The sum of log-probabilities was divided by a power of the length.
        is_usable = score * max(each.length, 1) ** penalty > _UNUSABLE_SCORE
        text = replace(each.text, score=score)
        scored.append(replace(each, text=text, is_legal=each.is_legal and is_usable))
    return scored


def _usable_beams(outputs: Sequence[Output], limit: int) -> list[GeneratedText]:
    """Return the beams without those that only fill beam search's width.

    These are rows left empty, beams put down half-way, and copies of a finished beam that were kept
    beside it. A beam that counts has ended, or is as long as an output may become.
    """
    usable: list[GeneratedText] = []
    seen: set[tuple[int, tuple[int, ...]]] = set()
    for each in outputs:
        counts = each.has_ended or len(each.text.tokens) >= max(limit, 1)
        key = (each.text.prompt_index, each.text.tokens)
        if each.is_legal and counts and key not in seen:
            seen.add(key)
            usable.append(each.text)
    return usable
