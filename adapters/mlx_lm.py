"""mlx-lm: a logits processor for ``generate_step``, ``stream_generate`` and ``BatchGenerator``.

mlx-lm hands a processor all tokens so far and the scores of the next one, also for drafts, whose
tokens come and go without a word; so the state is found by history (``_following``). It calls one
step ahead of the token it yields, and reading the tokens waits for them: the overlap of host and
device that lazy evaluation gives is lost, one mask's time per token.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import mlx.core as mx
import numpy as np

from formgate.adapters._following import Follower
from formgate.adapters._generated import (
    GeneratedText,
    check_tokens,
    engine_of,
    is_engine,
    read_output,
)
from formgate.core.decoding.errors import DecodingError
from formgate.core.errors import FormgateError
from formgate.core.vocabulary import Vocabulary

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formgate.core.protocol import MaskEngine

__all__ = ["FormgateProcessor", "GeneratedText", "generate"]


class FormgateProcessor:
    """Keeps one generation within its constraint: an entry of ``logits_processors``.

    Make one for each generation (cheap), or call ``reset`` between them; a batch takes a list with
    one processor for each of its sequences. Drafts of ``draft_model`` are masked too. Cost per
    call: the engine's mask, and some ten microseconds to bring it to an array.

    Args:
        engine: The constraint.
        prompt_length: How many leading tokens are the prompt; when left out, all those of the first
            call. Say it when they already hold a part of the output.

    Raises:
        TypeError: The constraint is no engine.
    """

    def __init__(self, engine: MaskEngine[Any], *, prompt_length: int | None = None) -> None:
        self._follower = Follower(engine, prompt_length=prompt_length)

    def reset(self) -> None:
        """Forget everything seen; the next call is the first of a generation."""
        self._follower.reset()

    def __call__(self, tokens: Any, logits: Any) -> Any:
        """Return the scores with minus infinity where a token is forbidden.

        Args:
            tokens: Prompt and output so far, an array of shape (n,).
            logits: Scores of shape (1, vocabulary).

        Raises:
            DecodingError: The tokens belong to another generation or break the constraint; or the
                model scores fewer ids than the engine's vocabulary has.
        """
        mask = self._follower.follow(tokens.tolist())
        if mask is None:
            return logits
        width = logits.shape[-1]
        if width < mask.size:
            raise DecodingError(
                f"the model scores {width} token ids, the engine's vocabulary has {mask.size}: "
                f"compile for a vocabulary of this model, Vocabulary.from_tokenizer(tokenizer, "
                f"size={width})"
            )
        allowed = np.zeros(width, dtype=bool)
        allowed[: mask.size] = np.unpackbits(
            mask.words.view(np.uint8), count=mask.size, bitorder="little"
        )
        return mx.where(mx.array(allowed), logits, mx.array(-float("inf"), dtype=logits.dtype))


def generate(
    model: Any,
    tokenizer: Any,
    prompt: str | Sequence[Any],
    constraint: object,
    *,
    format: str | None = None,  # noqa: A002 (as in formgate.compile)
    vocabulary: Vocabulary | None = None,
    max_tokens: int = 256,
    **options: Any,
) -> GeneratedText:
    """Generate a text that satisfies a constraint.

    Args:
        model: What ``mlx_lm.load`` returns first.
        tokenizer: What it returns second.
        prompt: A text, a chat as a list of messages, or token ids.
        constraint: A source for ``formgate.compile``, or an engine.
        format: The source's format; guessed when left out.
        vocabulary: The model's vocabulary; read from the tokenizer when left out.
        max_tokens: How long the output may become.
        **options: What else ``mlx_lm.stream_generate`` takes: ``sampler``, ``draft_model``, ...

    Raises:
        FormgateError: The constraint does not compile or is an engine for another model, its stop
            ids are not where mlx-lm ends an output, or the model's scores leave nothing to choose.
    """
    import mlx_lm  # noqa: PLC0415 (the processor does without)
    from mlx_lm.tokenizer_utils import TokenizerWrapper  # noqa: PLC0415 (as above)

    if max_tokens < 1:
        raise FormgateError(f"max_tokens must be positive, not {max_tokens}")
    if not isinstance(tokenizer, TokenizerWrapper):
        tokenizer = TokenizerWrapper(tokenizer)
    ends = sorted(int(token) for token in tokenizer.eos_token_ids)

    def read_vocabulary() -> Vocabulary:
        inner = tokenizer._tokenizer  # noqa: SLF001 (the wrapper has no other way to it)
        return Vocabulary.from_tokenizer(inner, stop_ids=ends or None)

    engine = engine_of(constraint, format, vocabulary, read_vocabulary)
    if is_engine(constraint):
        check_tokens(engine, lambda token: tokenizer.decode([token]))
    missing = sorted(set(engine.vocabulary.stop_ids).difference(ends))
    if missing:
        raise FormgateError(
            f"the constraint may end with token {missing[0]}, at which mlx-lm does not stop: call "
            "tokenizer.add_eos_token, or make the vocabulary with stop_ids=tokenizer.eos_token_ids"
        )
    others = options.pop("logits_processors", None) or []
    responses = mlx_lm.stream_generate(
        model,
        tokenizer,
        _tokenized(tokenizer, prompt),
        max_tokens=max_tokens,
        logits_processors=[*others, FormgateProcessor(engine)],
        **options,
    )
    output = read_output([int(response.token) for response in responses], engine, 0)
    if not output.is_legal:
        raise DecodingError(
            "a token was chosen that the constraint forbids: the model's scores hold NaN, or "
            "another processor leaves nothing that is allowed"
        )
    return output.text


def _tokenized(tokenizer: Any, prompt: str | Sequence[Any]) -> Any:
    """Return what mlx-lm takes for a prompt."""
    if not isinstance(prompt, str) and len(prompt) and isinstance(prompt[0], dict):
        return list(tokenizer.apply_chat_template(list(prompt), add_generation_prompt=True))
    return prompt if isinstance(prompt, str) else list(prompt)
