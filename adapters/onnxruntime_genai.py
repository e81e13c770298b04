"""onnxruntime-genai: its generators under a constraint, and its models for the decode loop.

A generator computes scores when they are asked for, and takes them back changed before it chooses,
so its own search options (temperature, top-k, top-p, seed) apply to what the mask leaves.

Two ways of its calls are not mixed here. A token chosen by ``generate_next_token`` is read by the
model when scores are next asked for; ``append_tokens`` straight after it would leave it unread, and
scores asked for right after ``rewind_to`` are those of before. So ``ConstrainedGenerator`` only
generates, and ``OnnxGenaiModel`` only appends.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import onnxruntime_genai as og

from formgate.adapters._generated import (
    GeneratedText,
    check_tokens,
    engine_of,
    is_engine,
    read_output,
)
from formgate.core._native import apply_mask
from formgate.core.decoding.errors import DecodingError
from formgate.core.decoding.models import LoadedModel
from formgate.core.errors import FormgateError
from formgate.core.matcher import Matcher
from formgate.core.vocabulary import Vocabulary

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Sequence

    from formgate.core.protocol import MaskEngine

__all__ = [
    "ConstrainedGenerator",
    "GeneratedText",
    "OnnxGenaiModel",
    "generate",
    "load_language_model",
]

_UNSUPPORTED = ("num_beams", "num_return_sequences")


class ConstrainedGenerator:
    """A generator whose every row keeps to its constraint.

    Use it in the generator's place, after the prompt was appended: ``generate_next_token``,
    ``is_done``, ``get_sequence``. Cost per token and row, beside the engine's mask: one pass over
    the row, and two copies of it that the generator makes.

    Args:
        generator: An ``onnxruntime_genai.Generator`` that has read its prompts.
        engine: The constraint of all rows, or a list with one engine for each row.

    Raises:
        DecodingError: The generator has read no prompt, or rows, engines and scores do not fit
            together.
        TypeError: The constraint is no engine.
    """

    def __init__(self, generator: Any, engine: MaskEngine[Any] | Sequence[MaskEngine[Any]]) -> None:
        self.generator = generator
        if generator.token_count() == 0:
            raise DecodingError("the generator has read no prompt yet: append_tokens first")
        rows, _, width = generator.get_logits().shape
        engines: list[Any] = list(engine) if isinstance(engine, (list, tuple)) else [engine] * rows
        if len(engines) != rows:
            raise DecodingError(f"{len(engines)} engines were given for {rows} rows")
        self._matchers = [Matcher(each) for each in engines]
        for matcher in self._matchers:
            size = matcher.allowed_tokens().size
            if size > width:
                raise DecodingError(
                    f"the model scores {width} token ids, the engine's vocabulary has {size}: "
                    f"make the vocabulary with size={width}"
                )

    def is_done(self) -> bool:
        """Say whether every row has ended, or the greatest length is reached."""
        return bool(self.generator.is_done())

    def get_sequence(self, row: int = 0) -> Any:
        """Return the tokens of a row, prompt included."""
        return self.generator.get_sequence(row)

    def generate_next_token(self) -> None:
        """Choose one more token for every row that has not ended.

        Raises:
            DecodingError: A row's scores leave nothing to choose, or the generator chose a token
                that was masked, as a search option may make it do.
        """
        scores = np.array(self.generator.get_logits(), dtype=np.float32)
        ended = [matcher.is_terminated for matcher in self._matchers]
        for row, matcher in enumerate(self._matchers):
            if ended[row]:
                continue
            apply_mask(matcher.allowed_tokens(), scores[row, 0])
            best = float(scores[row, 0].max())
            if not np.isfinite(best):
                raise DecodingError(
                    f"row {row}: the scores of allowed tokens hold NaN or infinity, or all are "
                    "minus infinity"
                )
        self.generator.set_logits(scores)
        self.generator.generate_next_token()
        chosen = self.generator.get_next_tokens()
        for row, matcher in enumerate(self._matchers):
            if not ended[row] and not matcher.accept(int(chosen[row])):
                raise DecodingError(
                    f"row {row}: token {int(chosen[row])} was chosen, which the constraint "
                    "forbids: a search option leaves nothing that is allowed"
                )


class OnnxGenaiModel:
    """A model for ``constrained_decode``: tokens are appended, scores are read.

    Args:
        model: An ``onnxruntime_genai.Model``.
        max_length: Longest sequence, prompt included; as the model's configuration has it when left
            out.
    """

    def __init__(self, model: Any, *, max_length: int | None = None) -> None:
        self._model = model
        self._options = {} if max_length is None else {"max_length": max_length}
        self._generator: Any = None

    @property
    def model(self) -> Any:
        """The model of onnxruntime-genai."""
        return self._model

    def start(self, prompt_ids: Sequence[int]) -> Any:
        """Forget everything, read a prompt, and return the scores of the first output token."""
        params = og.GeneratorParams(self._model)
        params.set_search_options(**self._options)
        self._generator = og.Generator(self._model, params)
        return self.extend(prompt_ids)

    def step(self, token: int) -> Any:
        """Read one more token and return the scores of the next one."""
        return self.extend((token,))

    def extend(self, tokens: Sequence[int]) -> Any:
        """Read tokens in one pass and return the scores of the token after the last of them."""
        self._generator.append_tokens(np.array(tokens, dtype=np.int32))
        return self._generator.get_logits()[0, -1]


def generate(
    model: Any,
    tokenizer: Any,
    prompt: str | Sequence[Any],
    constraint: object,
    *,
    format: str | None = None,  # noqa: A002 (as in formgate.compile)
    vocabulary: Vocabulary | None = None,
    max_tokens: int = 256,
    **search_options: Any,
) -> GeneratedText:
    """Generate a text that satisfies a constraint.

    Args:
        model: An ``onnxruntime_genai.Model``.
        tokenizer: Its ``onnxruntime_genai.Tokenizer``.
        prompt: A text, a chat as a list of messages, or token ids.
        constraint: A source for ``formgate.compile``, or an engine.
        format: The source's format; guessed when left out.
        vocabulary: The model's vocabulary, ``Vocabulary.from_file(FOLDER)``; needed for a source.
        max_tokens: How long the output may become; ``max_length`` of the model's folder holds too.
        **search_options: Of onnxruntime-genai: ``do_sample``, ``temperature``, ``top_p``, ...

    Raises:
        FormgateError: The constraint does not compile or is an engine for another model, there is
            no vocabulary for it, its stop ids are not where the generator ends an output, or beams
            were asked for.
    """
    for name in _UNSUPPORTED:
        if search_options.get(name, 1) != 1:
            raise FormgateError(f"{name} cannot be used: rows are swapped without a word")
    if max_tokens < 1:
        raise FormgateError(f"max_tokens must be positive, not {max_tokens}")
    if "max_length" in search_options:
        raise FormgateError("max_length counts the prompt too: give max_tokens")
    engine = engine_of(constraint, format, vocabulary, _no_vocabulary)
    if is_engine(constraint):
        check_tokens(engine, lambda token: str(tokenizer.decode(np.array([token], np.int32))))
    missing = sorted(
        set(engine.vocabulary.stop_ids).difference(int(t) for t in tokenizer.eos_token_ids)
    )
    if missing:
        raise FormgateError(
            f"the constraint may end with token {missing[0]}, at which onnxruntime-genai does not "
            "stop: name it in eos_token_id of genai_config.json, or make the vocabulary with "
            "stop_ids=tokenizer.eos_token_ids"
        )
    ids = _tokenized(tokenizer, prompt)
    params = og.GeneratorParams(model)
    longest = int(params.get_search_options()["max_length"])  # what the model's folder allows
    params.set_search_options(**search_options, max_length=min(len(ids) + max_tokens, longest))
    generator = og.Generator(model, params)
    generator.append_tokens(np.array(ids, dtype=np.int32))
    constrained = ConstrainedGenerator(generator, engine)
    while not constrained.is_done():
        constrained.generate_next_token()
    row = [int(token) for token in constrained.get_sequence(0)]
    return read_output(row[len(ids) :], engine, 0).text


def load_language_model(
    path: str | os.PathLike[str],
    *,
    device: str = "auto",
    threads: int | None = None,
    progress: Callable[[str], None] | None = None,
) -> LoadedModel:
    """Load a model folder of onnxruntime-genai.

    Args:
        path: A folder with ``genai_config.json``, the model, and the tokenizer's files.
        device: ``"auto"`` as the folder says it, or an execution provider's name.
        threads: How many threads the processor's provider may use.
        progress: Called with a few words at the start of each stage.

    Raises:
        FormgateError: There is no model at the path, or onnxruntime-genai cannot load it.
        VocabularyError: The tokenizer's exact bytes cannot be known.
    """
    folder = Path(path)
    if not (folder / "genai_config.json").is_file():
        raise FormgateError(f"{folder} is no model folder: it has no genai_config.json")
    tell = progress if progress is not None else _ignore
    tell("loading the weights")
    try:
        config = og.Config(str(folder))
        if device != "auto":
            config.clear_providers()
            if device != "cpu":
                config.append_provider(device)
        if threads is not None:
            options = {"intra_op_num_threads": threads}
            overlay = {"model": {"decoder": {"session_options": options}}}
            config.overlay(json.dumps(overlay))
        model = og.Model(config)
        tokenizer = og.Tokenizer(model)
    except Exception as error:  # (it raises what its native part does)
        line = " ".join(str(error).split())
        raise FormgateError(f"onnxruntime-genai cannot load {folder}: {line:.400}") from error
    tell("reading the vocabulary")
    vocabulary = Vocabulary.from_file(
        folder, stop_ids=[int(token) for token in tokenizer.eos_token_ids] or None
    )

    def encode(text: str) -> list[int]:
        return _tokenized(tokenizer, text)

    def encode_chat(text: str) -> list[int]:
        return _tokenized(tokenizer, [{"role": "user", "content": text}])

    try:
        encode_chat("x")
        has_template = True
    except Exception:  # noqa: BLE001 (without a template it raises what its native part does)
        has_template = False
    return LoadedModel(
        name=folder.resolve().name,
        model=OnnxGenaiModel(model),
        vocabulary=vocabulary,
        encode=encode,
        encode_chat=encode_chat if has_template else None,
    )


def _tokenized(tokenizer: Any, prompt: str | Sequence[Any]) -> list[int]:
    """Return the token ids of a text or a chat; token ids as they are."""
    if not isinstance(prompt, str):
        if not (len(prompt) and isinstance(prompt[0], dict)):
            return [int(token) for token in prompt]
        prompt = tokenizer.apply_chat_template(json.dumps(list(prompt)), add_generation_prompt=True)
    return [int(token) for token in tokenizer.encode(prompt)]


def _no_vocabulary() -> Vocabulary:
    raise FormgateError(
        "onnxruntime-genai does not give its tokenizer's bytes away: pass "
        "vocabulary=Vocabulary.from_file(FOLDER), the folder of the model"
    )


def _ignore(_stage: str) -> None:
    pass
