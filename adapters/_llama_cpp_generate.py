"""Constrained generation in one call, and models of llama.cpp for the command line."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import llama_cpp
from llama_cpp.llama_chat_format import Jinja2ChatFormatter

from formgate.adapters._generated import (
    GeneratedText,
    check_tokens,
    engine_of,
    is_engine,
    prompts_of,
)
from formgate.adapters._llama_cpp_model import LlamaCppModel, tokenize, vocabulary_of
from formgate.adapters._llama_cpp_processor import check_llama
from formgate.core.decoding import LoadedModel, bounded, heal, inner_text, jump_decode
from formgate.core.errors import FormgateError

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping, Sequence

    from formgate.core.decoding import JumpResult, MaskedSampler, Sampler
    from formgate.core.protocol import MaskEngine
    from formgate.core.vocabulary import Vocabulary

__all__ = ["generate", "load_language_model", "prompt_tokens"]

_LONGEST_CONTEXT = 8192
_TEMPLATE = "tokenizer.chat_template"


def generate(
    llama: llama_cpp.Llama | LlamaCppModel,
    prompt: str | Sequence[Any],
    constraint: object,
    *,
    format: str | None = None,  # noqa: A002 (as in formgate.compile)
    vocabulary: Vocabulary | None = None,
    max_tokens: int = 256,
    whole: bool = False,
    sampler: Sampler | MaskedSampler | None = None,
    after: str | bytes | int | Sequence[str | bytes | int] | None = None,
    between: str | bytes = b"",
    heal_tokens: int = 0,
    jump: bool = True,
    draft_tokens: int = 0,
) -> list[GeneratedText]:
    """Generate texts that satisfy a constraint, one for each prompt.

    Args:
        llama: What ``llama_cpp.Llama`` returns; or a ``LlamaCppModel`` of it, which keeps what it
            has read from one call to the next.
        prompt: A text; a chat, as a list of messages; or a list of texts or of chats. A text is
            read as ``create_completion`` reads it, special tokens included.
        constraint: A source for ``formgate.compile``, or an engine.
        format: The source's format; guessed when left out.
        vocabulary: The model's vocabulary; llama.cpp is asked when left out.
        max_tokens: Longest output in tokens, a stop token included.
        whole: Never cut an output off: leave only tokens after which it can be completed within
            ``max_tokens`` (see ``WithinBudget``), and within what the prompt leaves of the context.
        sampler: How to choose among the allowed tokens: a sampler of ``formgate.decoding``, or a
            ``SamplerChain``; greedy when left out.
        after: A marker, such as ``"</think>"``: the constraint begins after it, and what comes
            before is free (see ``AfterMarker``).
        between: Text between the marker and the constrained output, such as two newlines.
        heal_tokens: How many tokens of a text prompt may be taken off its end and written again, so
            that a token can reach over it (see ``heal``). Not for chats: their prompts end where
            the model expects it.
        jump: Append forced text without scoring it, as the model's tokenizer writes it.
        draft_tokens: How many tokens to draft at a time from what the prompt and the output repeat.

    Returns:
        The texts, in the order of the prompts. ``text`` is the constrained part alone.

    Raises:
        FormgateError: The constraint does not compile, the model cannot be constrained or has no
            chat template, or no text fits into ``max_tokens`` where it must be whole.
        TypeError: The sampler is none.
    """
    model = llama if isinstance(llama, LlamaCppModel) else LlamaCppModel(llama)
    loaded = model.llama
    engine = engine_of(constraint, format, vocabulary, partial(vocabulary_of, loaded))
    check_llama(loaded, engine.allowed_tokens(engine.start()).size)
    if is_engine(constraint):
        check_tokens(engine, partial(_text_of, loaded))
    prompts = prompts_of(prompt)
    texts = []
    for index, each in enumerate(prompts):
        tokens, healed = prompt_tokens(loaded, each), b""
        if heal_tokens and isinstance(each, str):
            kept = heal(tokens, engine.vocabulary, tokens=heal_tokens)
            tokens, healed = list(kept.tokens), kept.text
        # A prompt that the context cannot hold is the model's to refuse.
        room = max(loaded.n_ctx() - len(tokens), 0) or max_tokens
        wrapped = bounded(
            engine,
            after=after,
            between=between,
            healed=healed,
            max_tokens=min(max_tokens, room) if whole else None,
        )
        result = jump_decode(
            model,
            wrapped,
            tokens,
            # A stop token after an output that is whole need not fit in.
            max_tokens=max_tokens,
            sampler=sampler,
            tokenize=partial(tokenize, loaded, engine.vocabulary) if jump else None,
            draft_tokens=draft_tokens,
        )
        texts.append(_text(wrapped, engine, result, index))
    return texts


def _text(wrapped: MaskEngine[Any], engine: Any, result: JumpResult, index: int) -> GeneratedText:
    """Return an output, its constrained part apart."""
    data = result.text_bytes
    if wrapped is not engine:
        _, data = inner_text(wrapped, result.tokens)
    stops = engine.vocabulary.stop_ids
    before = result.text_bytes[: len(result.text_bytes) - len(data)]
    return GeneratedText(
        text=data.decode("utf-8", errors="replace"),
        tokens=tuple(token for token in result.tokens if token not in stops),
        complete=result.complete,
        prompt_index=index,
        engine=engine,
        before=before.decode("utf-8", errors="replace"),
    )


def _text_of(llama: llama_cpp.Llama, token: int) -> str:
    """Return the text of a token."""
    data: bytes = llama.detokenize([token])
    return data.decode("utf-8", errors="replace")


def prompt_tokens(llama: llama_cpp.Llama, prompt: str | Sequence[Mapping[str, Any]]) -> list[int]:
    """Return the tokens of a text, or of a chat in the model's own template.

    Raises:
        FormgateError: The model has no chat template, or the template refuses the chat.
    """
    if isinstance(prompt, str):
        tokens: list[int] = llama.tokenize(prompt.encode(), add_bos=True, special=True)
        if not tokens:
            raise FormgateError("the prompt has no tokens: give it some text")
        return tokens
    template = llama.metadata.get(_TEMPLATE)
    if template is None:
        raise FormgateError(
            f"{llama.model_path} has no chat template: give the prompt as a text, written as the "
            "model expects it"
        )
    names = [
        "" if token < 0 else llama._model.token_get_text(token)  # noqa: SLF001 (not offered above)
        for token in (llama.token_eos(), llama.token_bos())
    ]
    formatter = Jinja2ChatFormatter(template=template, eos_token=names[0], bos_token=names[1])
    try:
        text = formatter(messages=list(prompt)).prompt
    except Exception as error:  # (templates fail in any way)
        raise FormgateError(
            f"the chat template of {llama.model_path} refuses the chat: "
            f"{' '.join(str(error).split()) or type(error).__name__}"
        ) from error
    return list(llama.tokenize(text.encode(), add_bos=False, special=True))


def load_language_model(
    path: str | os.PathLike[str],
    *,
    device: str = "auto",
    threads: int | None = None,
    progress: Callable[[str], None] | None = None,
) -> LoadedModel:
    """Load a GGUF file with llama.cpp.

    The context has as many tokens as the model was trained for, at most 8,192.

    Args:
        path: The file.
        device: ``"cpu"``; ``"gpu"`` for all layers there; ``"auto"`` for the latter where the
            installed llama.cpp can.
        threads: Processor threads; llama-cpp-python's choice when left out.
        progress: Called with a few words at the start of each stage.

    Raises:
        FormgateError: There is no model at the path, llama.cpp cannot load it, or cannot use the
            device.
        VocabularyError: The model has no end token.
    """
    path = Path(path)
    tell = progress if progress is not None else _ignore
    if threads is not None and threads < 1:
        raise FormgateError(f"threads must be positive, not {threads}")
    if not path.is_file():
        raise FormgateError(f"no such model: {path} (llama.cpp needs a .gguf file)")
    with path.open("rb") as file:
        if file.read(4) != b"GGUF":
            raise FormgateError(f"{path} is not a GGUF file, which llama.cpp needs")
    can = llama_cpp.llama_supports_gpu_offload()
    if device not in ("auto", "cpu", "gpu", "cuda") or (device in ("gpu", "cuda") and not can):
        raise FormgateError(
            f"cannot use the device {device!r}: llama.cpp here knows auto and cpu"
            + (" and gpu" if can else "; a build for a GPU was not installed")
        )
    tell("loading the weights")
    options: dict[str, Any] = {
        "n_gpu_layers": -1 if can and device != "cpu" else 0,
        "verbose": False,
    }
    if threads is not None:
        options.update(n_threads=threads, n_threads_batch=threads)
    try:
        llama = _load(path, options)
    except Exception as error:  # (readers of damaged files fail in any way)
        raise FormgateError(f"llama.cpp cannot load {path}: {error}") from error
    tell("reading the vocabulary")
    vocabulary = vocabulary_of(llama)
    has_template = _TEMPLATE in llama.metadata
    return LoadedModel(
        name=path.stem,
        model=LlamaCppModel(llama),
        vocabulary=vocabulary,
        encode=partial(prompt_tokens, llama),
        encode_chat=(
            (lambda text: prompt_tokens(llama, [{"role": "user", "content": text}]))
            if has_template
            else None
        ),
    )


def _load(path: Path, options: Mapping[str, Any]) -> llama_cpp.Llama:
    """Load a model, with a context that is no longer than the model was trained for."""
    llama = llama_cpp.Llama(str(path), n_ctx=_LONGEST_CONTEXT, **options)
    if llama._model.n_ctx_train() >= _LONGEST_CONTEXT:  # noqa: SLF001 (not offered above)
        return llama
    llama.close()
    return llama_cpp.Llama(str(path), n_ctx=0, **options)


def _ignore(_stage: str) -> None:
    pass
