"""What the one-call helpers share: from a constraint to an engine, from tokens to a text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from formgate.core._native import Engine
    from formgate.core.vocabulary import Vocabulary

__all__ = [
    "GeneratedText",
    "Output",
    "check_tokens",
    "engine_of",
    "is_engine",
    "prompts_of",
    "read_output",
    "value_of",
]


@dataclass(frozen=True)
class GeneratedText:
    """One output of ``generate``.

    Attributes:
        text: The output, without prompt, stop tokens and padding.
        tokens: Its token ids.
        complete: Whether it satisfies the constraint as it stands; false when it was cut off.
        prompt_index: Which of the prompts it belongs to.
        score: Beam search's score, where ``output_scores=True`` asks for it.
        engine: The engine it was generated under.
        before: What was written before the output: free text up to a marker, the end of the prompt.
    """

    text: str
    tokens: tuple[int, ...]
    complete: bool
    prompt_index: int
    score: float | None = None
    engine: Any = field(default=None, repr=False, compare=False)
    before: str = ""

    @property
    def value(self) -> Any:
        """The value that the text stands for, as ``formgate.parse`` gives it.

        Read anew at each access. Under an engine that is not formgate's own, it is the text.

        Raises:
            ParseError: The text is not complete; or the type that the constraint was made from
                refuses the value by a check of its own.
        """
        return value_of(self.engine, self.text, complete=self.complete)


@dataclass(frozen=True)
class Output:
    """What stands in one row.

    Attributes:
        text: The output.
        has_ended: Whether a stop token ended it where it may end.
        is_legal: Whether it is the beginning of any output at all.
        length: Tokens in the row, filling included.
    """

    text: GeneratedText
    has_ended: bool
    is_legal: bool
    length: int


def value_of(engine: Any, text: str, *, complete: bool) -> Any:
    """Return the value that a text stands for under an engine.

    Raises:
        ParseError: The text is not complete, or has no value.
    """
    from formgate.core._native import Engine  # noqa: PLC0415 (when needed)
    from formgate.core.errors import ParseError  # noqa: PLC0415 (when needed)
    from formgate.core.parsing import parse  # noqa: PLC0415 (when needed)

    if isinstance(engine, Engine):
        return parse(engine, text)
    if not complete:
        raise ParseError(
            "the output is incomplete: what follows is missing", text=text, offset=len(text)
        )
    return text


def is_engine(value: object) -> bool:
    """Say whether a constraint is an engine already, with its vocabulary."""
    return hasattr(value, "allowed_tokens") and hasattr(value, "vocabulary")


def engine_of(
    constraint: object,
    format_name: str | None,
    vocabulary: Vocabulary | None,
    read_vocabulary: Callable[[], Vocabulary],
) -> Engine:
    """Return the engine that a constraint stands for.

    Args:
        constraint: An engine, or a source for ``formgate.compile``.
        format_name: The source's format.
        vocabulary: What to compile for; None has it read.
        read_vocabulary: Reads it.

    Raises:
        FormgateError: The source does not compile, or the vocabulary cannot be known.
    """
    from formgate.core.compiler import compile as compile_source  # noqa: PLC0415 (when needed)

    if is_engine(constraint):
        return constraint  # type: ignore[return-value] # just checked
    if vocabulary is None:
        vocabulary = read_vocabulary()
    return compile_source(constraint, vocabulary, format=format_name)


def prompts_of(prompt: object) -> list[Any]:
    """Return a list of texts, or of chats as lists of messages.

    Raises:
        FormgateError: There is none, or it is something else.
    """
    from formgate.core.errors import FormgateError  # noqa: PLC0415 (when needed)

    if isinstance(prompt, str):
        return [prompt]
    prompts: list[Any] = list(prompt) if isinstance(prompt, (list, tuple)) else [prompt]
    if prompts and all(isinstance(each, Mapping) for each in prompts):
        return [prompts]
    if not prompts:
        raise FormgateError("there is no prompt")
    for each in prompts:
        is_chat = isinstance(each, (list, tuple)) and all(isinstance(m, Mapping) for m in each)
        if not (isinstance(each, str) or (is_chat and each)):
            raise FormgateError(
                "a prompt is a text, or a chat as a list of messages (dicts with role and "
                f"content), not {type(each).__name__}"
            )
        if isinstance(each, str) != isinstance(prompts[0], str):
            raise FormgateError("texts and chats cannot be mixed in one call")
    return prompts


_SAMPLED = 32  # ids whose text is compared


def check_tokens(engine: Any, decode: Callable[[int], str]) -> None:
    """See that an engine's ids stand for the same texts as the model's.

    Some ids with plain text are compared, without the blanks around it, and most must agree: an
    engine for another model agrees in nearly none, and decoders have their ways. Cost: 32 times
    ``decode``.

    Args:
        engine: The engine.
        decode: The text of one id of the model.

    Raises:
        DecodingError: Most of them differ.
    """
    from formgate.core.decoding.errors import DecodingError  # noqa: PLC0415 (when needed)

    vocabulary = engine.vocabulary
    size = engine.allowed_tokens(engine.start()).size
    compared, example = [], ""
    for token in range(0, size, max(1, size // (8 * _SAMPLED))):
        own = vocabulary.token_bytes(token)
        text = own.strip() if own and own.isascii() else b""
        if not text.isalnum() or token in vocabulary.stop_ids:
            continue
        try:
            its = decode(token)
        except (ValueError, LookupError, OverflowError, TypeError):
            its = ""
        compared.append(its.strip() == text.decode())
        if not compared[-1]:
            example = f"token {token} is {text.decode()!r} there and {its!r} here"
        if len(compared) == _SAMPLED:
            break
    if 2 * sum(compared) < len(compared):
        raise DecodingError(
            f"the engine was compiled for the vocabulary of another model ({example}): compile it "
            "for this one's, or give the source"
        )


def read_output(
    row: Sequence[int], engine: Engine, prompt_index: int, pad: int | None = None
) -> Output:
    """Return what stands in one row, which may be filled up with a padding token.

    The engine may have boundaries (see ``formgate.decoding.bounded``): what it has before the
    constrained text is kept apart.
    """
    vocabulary = engine.vocabulary
    state, data, tokens = engine.start(), bytearray(), []
    has_ended, is_legal = False, True
    for token in row:
        if token in vocabulary.stop_ids:
            has_ended = engine.is_accepting(state)
            is_legal = has_ended or token == pad
            break
        try:
            state = engine.advance(state, token)
        except ValueError:
            is_legal = token == pad
            break
        data += vocabulary.token_bytes(token) or b""
        tokens.append(token)
    inner, part = _inner(engine, tokens)
    before = bytes(data[: len(data) - len(part)])
    text = GeneratedText(
        text=part.decode("utf-8", errors="replace"),
        tokens=tuple(tokens),
        complete=engine.is_accepting(state),
        prompt_index=prompt_index,
        engine=inner,
        before=before.decode("utf-8", errors="replace"),
    )
    return Output(text, has_ended, is_legal, len(row))


def _inner(engine: Any, tokens: Sequence[int]) -> tuple[Any, bytes]:
    """Return the engine inside its boundaries, and the part of an output that it constrains."""
    from formgate.core.decoding import inner_text  # noqa: PLC0415 (when needed)

    return inner_text(engine, tokens)
