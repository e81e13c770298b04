"""Servers that speak OpenAI's protocol: three ways to a constrained text, each with its guarantee.

No such server gives scores away, so what can be promised depends on what it lets one say:

- ``step`` (vLLM): one request for each token with an alternative, which names the ids that the mask
  allows. Exact, as if the model ran here. Where more ids are allowed than the server takes, tokens
  are drawn without a mask until an allowed one comes, which follows the same law (rejection
  sampling); a greedy choice is then looked up among the likeliest tokens.
- ``delegate``: the constraint goes into the server's own field, and the answer is checked here.
- ``resample``: texts are drawn freely until one is in the language. Each draw is independent, so
  the text has the model's own distribution conditioned on the language: what masks alone do not
  give. It takes as many draws as the model needs.

Whatever the way, a text that comes back as complete was found in the language by the engine here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, get_args

from formgate.adapters._generated import is_engine, value_of
from formgate.adapters._openai_fields import ServerKind, constraint_fields, kinds
from formgate.adapters._openai_http import JsonClient, ServerError
from formgate.adapters._openai_steps import Stepper, first_choice
from formgate.core.compiler import compile as compile_source
from formgate.core.errors import UnsupportedConstraint
from formgate.core.vocabulary import Vocabulary

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from typing_extensions import Self

    from formgate.core._native import Engine

__all__ = ["Guarantee", "OpenAIServer", "ServerError", "ServerText"]

Method = Literal["auto", "step", "delegate", "resample"]

# Fields that are set here.
_RESERVED = ("model", "prompt", "messages", "max_tokens", "n", "stream", "echo")

_STRING_OR_BLANKS = re.compile(r'"(?:[^"\\]|\\.)*"|[ \t\r\n]+', re.DOTALL)


@dataclass(frozen=True)
class Guarantee:
    """What is known of a text that a server wrote.

    Attributes:
        method: How it came about.
        enforced_by: ``"formgate"``: every token was drawn under an exact mask, or the text was
            drawn until the engine accepted it; ``"server"``: by the server's reading of the source.
        distribution: ``"masked"``: each token follows the model's distribution among the allowed
            ones; ``"conditional"``: the text follows the model's own distribution given that it is
            in the language and not longer than was asked for; ``"unknown"``.
        statement: The same in words.
    """

    method: Literal["step", "delegate", "resample"]
    enforced_by: Literal["formgate", "server"]
    distribution: Literal["masked", "conditional", "unknown"]
    statement: str


_STEP = Guarantee(
    "step",
    "formgate",
    "masked",
    "exact: every token was drawn among exactly those that can lead to a text of the language",
)
_DELEGATE = Guarantee(
    "delegate",
    "server",
    "unknown",
    "the server enforced its own reading of the source; the finished text was checked to be in "
    "the language (a JSON Schema's with members in any order and any white space), but texts of "
    "the language may have been out of the server's reach",
)
_RESAMPLE = Guarantee(
    "resample",
    "formgate",
    "conditional",
    "independent draws until one was in the language: the model's own distribution given that",
)


@dataclass(frozen=True)
class ServerText:
    """A text that a server wrote.

    Attributes:
        text: The text.
        complete: Whether it is in the language, by the engine's own check; false when it was cut
            off by ``max_tokens``.
        guarantee: What is known of it.
        requests: How many requests it took.
        tokens: Its token ids, where the server says them.
        engine: The constraint.
        checked: What was checked, where that is not the text itself: JSON with its white space cut
            short.
    """

    text: str
    complete: bool
    guarantee: Guarantee
    requests: int
    tokens: tuple[int, ...] | None = None
    engine: Any = field(default=None, repr=False, compare=False)
    checked: str | None = field(default=None, repr=False, compare=False)

    @property
    def value(self) -> Any:
        """The value that the text stands for, as ``formgate.parse`` gives it.

        Raises:
            ParseError: The text is not complete, or the constraint's type refuses the value.
        """
        text = self.text if self.checked is None else self.checked
        return value_of(self.engine, text, complete=self.complete)


class OpenAIServer:
    """A server that speaks OpenAI's protocol. Not for several threads at once.

    As a context manager it closes its connection at the end.

    Args:
        base_url: Where its paths begin, as ``"http://127.0.0.1:8000/v1"``.
        model: The model's name there.
        kind: ``"vllm"``, ``"sglang"``, ``"llama_cpp"``, or ``"openai"`` for all others.
        vocabulary: The model's vocabulary, for stepping.
        api_key: Sent as a bearer token.
        timeout_s: Seconds to wait for an answer.
        max_response_bytes: Longest answer that is read.
        max_allowed_ids: How many ids the server takes in ``allowed_token_ids``; None where it has
            no limit.
        max_rejections: While stepping, how many tokens are drawn in a row, where too many ids are
            allowed to name them, before giving up.

    Raises:
        ServerError: The address is none of HTTP.
        ValueError: The kind is not known, or a number is not positive.
    """

    def __init__(
        self,
        base_url: str,
        model: str,
        *,
        kind: ServerKind = "openai",
        vocabulary: Vocabulary | None = None,
        api_key: str | None = None,
        timeout_s: float = 120.0,
        max_response_bytes: int = 64 << 20,
        max_allowed_ids: int | None = 1024,
        max_rejections: int = 256,
    ) -> None:
        if kind not in kinds():
            raise ValueError(f"kind is {kind!r}, not one of {', '.join(kinds())}")
        for name, number in (
            ("timeout_s", timeout_s),
            ("max_response_bytes", max_response_bytes),
            ("max_allowed_ids", 1 if max_allowed_ids is None else max_allowed_ids),
            ("max_rejections", max_rejections),
        ):
            if number <= 0:
                raise ValueError(f"{name} must be positive, not {number}")
        headers = {} if api_key is None else {"Authorization": f"Bearer {api_key}"}
        self._client = JsonClient(
            base_url, headers, timeout_s=timeout_s, max_bytes=max_response_bytes
        )
        self._model = model
        self._kind = kind
        self._vocabulary = vocabulary
        self._max_allowed_ids = max_allowed_ids
        self._max_rejections = max_rejections

    def close(self) -> None:
        """Close the connection; the next request opens it again."""
        self._client.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def generate(
        self,
        prompt: str | Sequence[Any],
        constraint: object,
        *,
        format: str | None = None,  # noqa: A002 (as in formgate.compile)
        options: Mapping[str, Any] | None = None,
        method: Method = "auto",
        max_tokens: int = 256,
        max_attempts: int = 16,
        temperature: float = 1.0,
        seed: int | None = None,
        **fields: Any,
    ) -> ServerText:
        """Generate a text that satisfies a constraint.

        Args:
            prompt: A text, for a completion; a list of messages, for a chat; or, where the server
                takes them, a list of token ids.
            constraint: A source for ``formgate.compile``, or an engine.
            format: The source's format; guessed when left out.
            options: Of the format; what ``"delegate"`` checks with, not what the server reads.
            method: ``"step"``, ``"delegate"``, ``"resample"``, or ``"auto"``: the first of these
                that server, source and vocabulary allow.
            max_tokens: How long the text may become.
            max_attempts: How many texts ``"resample"`` draws before it gives up.
            temperature: 0 is greedy.
            seed: Makes draws repeatable, as far as the server does; each draw has a seed of its
                own, counted up from it.
            **fields: Further fields of the requests, as ``top_p``; not for ``"step"``, where they
                would cut the distribution before the mask or after it, as it happens.

        Raises:
            FormgateError: The constraint does not compile.
            UnsupportedConstraint: The method cannot be used with this server or source.
            ServerError: A request failed; a text is not in the language although the server was
                told it; or no text that was drawn is in it.
            ValueError: An argument is out of its range.
        """
        _check_arguments(
            {"max_tokens": max_tokens, "max_attempts": max_attempts}, temperature, fields, method
        )
        engine = self._engine(constraint, format, options or {})
        draw = _Draw(prompt, max_tokens, temperature, seed, fields)
        if method == "step" or (method == "auto" and not self._why_no_steps(constraint, fields)):
            return self._step(draw, constraint, engine)
        if method != "resample":
            try:
                told = self._told(constraint, engine, is_chat=draw.is_chat)
            except UnsupportedConstraint:
                if method == "delegate":
                    raise
            else:
                if engine.format == "json_schema":
                    any_order = {"property_order": "any", **(options or {})}
                    engine = self._engine(constraint, "json_schema", any_order)
                return self._delegate(draw, engine, told)
        return self._resample(draw, engine, max_attempts)

    def _engine(
        self, constraint: object, format_name: str | None, options: Mapping[str, Any]
    ) -> Engine:
        """Return the engine of a constraint; for bytes, where the vocabulary is not known."""
        if is_engine(constraint):
            return constraint  # type: ignore[return-value] # just checked
        vocabulary = self._vocabulary if self._vocabulary is not None else _byte_vocabulary()
        return compile_source(constraint, vocabulary, format=format_name, **options)

    def _why_no_steps(self, constraint: object, fields: Mapping[str, Any]) -> str | None:
        """Say why stepping cannot be used; None when it can."""
        if self._kind != "vllm":
            return f"a server of kind {self._kind!r} takes no list of allowed tokens"
        if self._vocabulary is None and not is_engine(constraint):
            return "the server was made without vocabulary="
        if fields:
            return f"{next(iter(fields))} would cut the distribution before the mask or after it"
        return None

    def _step(self, draw: _Draw, constraint: object, engine: Engine) -> ServerText:
        """Draw token by token."""
        why_not = self._why_no_steps(constraint, draw.fields)
        if why_not is not None:
            raise UnsupportedConstraint(
                f"method 'step' cannot be used: {why_not}",
                hint="use method='delegate' or method='resample'",
            )
        stepper = Stepper(
            self._client,
            self._model,
            engine,
            temperature=draw.temperature,
            seed=draw.seed,
            max_allowed_ids=self._max_allowed_ids,
            max_rejections=self._max_rejections,
        )
        tokens, complete = stepper.run(draw.prompt, draw.max_tokens)
        data = b"".join(engine.vocabulary.token_bytes(token) or b"" for token in tokens)
        text = data.decode("utf-8", errors="replace")
        return ServerText(text, complete, _STEP, stepper.requests, tokens, engine)

    def _told(self, constraint: object, engine: Engine, *, is_chat: bool) -> dict[str, Any]:
        """Return the fields that tell the server a constraint."""
        if is_engine(constraint):
            raise UnsupportedConstraint(
                "an engine cannot be sent to a server", hint="give the source it was compiled from"
            )
        return constraint_fields(self._kind, engine.format or "", constraint, is_chat=is_chat)

    def _delegate(self, draw: _Draw, engine: Engine, told: Mapping[str, Any]) -> ServerText:
        """Have the server keep to the constraint."""
        text, has_ended, refusal = self._drawn(draw, told, 0)
        if refusal is not None:
            raise ServerError(refusal)
        # How much white space a server writes between JSON's tokens says nothing about the value.
        checked = _with_single_blanks(text) if engine.format == "json_schema" else text
        complete = _accepts(engine, checked)
        if has_ended and not complete:
            raise ServerError(
                f"the server was told the constraint, but its text is not in the language: "
                f"{text!r:.200}",
                text=text,
            )
        return ServerText(text, complete, _DELEGATE, 1, None, engine, checked)

    def _resample(self, draw: _Draw, engine: Engine, max_attempts: int) -> ServerText:
        """Draw texts until one is in the language."""
        if draw.temperature == 0:
            max_attempts = 1  # every draw would be the same
        text, refusal = "", None
        for attempt in range(max_attempts):
            text, has_ended, refusal = self._drawn(draw, {}, attempt)
            # A text that was cut off is not one that the model wrote, whatever it looks like.
            if has_ended and _accepts(engine, text):
                return ServerText(text, True, _RESAMPLE, attempt + 1, None, engine)
        raise ServerError(
            f"none of {max_attempts} texts was in the language, the last of them {text!r:.200}"
            f"{'' if refusal is None else f' ({refusal})'}; describe the format in the prompt, or "
            "allow more with max_attempts=",
            text=text,
        )

    def _drawn(
        self, draw: _Draw, told: Mapping[str, Any], number: int
    ) -> tuple[str, bool, str | None]:
        """Return one text, whether the model ended it itself, and why there is none, if so."""
        body: dict[str, Any] = {
            "model": self._model,
            "max_tokens": draw.max_tokens,
            "temperature": draw.temperature,
            **draw.fields,
            **told,
        }
        if draw.seed is not None:
            body["seed"] = draw.seed + number
        if draw.is_chat:
            answer = self._client.post("/chat/completions", {**body, "messages": list(draw.prompt)})
        else:
            answer = self._client.post("/completions", {**body, "prompt": draw.prompt})
        choice = first_choice(answer)
        message = choice.get("message") if draw.is_chat else choice
        message = message if isinstance(message, dict) else {}
        text = message.get("content" if draw.is_chat else "text")
        reason = choice.get("finish_reason")
        if isinstance(text, str):
            return text, reason == "stop", None
        refusal = message.get("refusal")
        if isinstance(refusal, str):
            return "", False, f"the model refuses to answer: {refusal!r:.200}"
        return "", False, f"the server's answer holds no text; it ended with {reason!r:.40}"


def _accepts(engine: Engine, text: str) -> bool:
    """Say whether a text of a server is in a language; what is no text (lone surrogates) is not."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return engine.accepts(text)


def _check_arguments(
    positive: Mapping[str, int], temperature: float, fields: Mapping[str, Any], method: str
) -> None:
    """Refuse arguments that are out of their range."""
    for name, number in positive.items():
        if number < 1:
            raise ValueError(f"{name} must be positive, not {number}")
    if temperature < 0:
        raise ValueError(f"temperature must be zero or positive, not {temperature}")
    reserved = [name for name in _RESERVED if name in fields]
    if reserved:
        raise ValueError(f"{reserved[0]} cannot be given: it is set here")
    if method not in get_args(Method):
        raise ValueError(f"method is {method!r}, not one of {', '.join(get_args(Method))}")


@dataclass(frozen=True)
class _Draw:
    """What is asked of the model, but for the constraint."""

    prompt: Any
    max_tokens: int
    temperature: float
    seed: int | None
    fields: Mapping[str, Any]

    @property
    def is_chat(self) -> bool:
        return (
            not isinstance(self.prompt, str)
            and len(self.prompt) > 0
            and isinstance(self.prompt[0], dict)
        )


def _with_single_blanks(text: str) -> str:
    """Return a JSON text with one blank for each run of white space outside its strings."""
    return _STRING_OR_BLANKS.sub(
        lambda match: match[0] if match[0].startswith('"') else " ", text
    ).strip(" ")


@lru_cache(maxsize=1)
def _byte_vocabulary() -> Vocabulary:
    """Return a vocabulary that spells every text, for engines that only check."""
    return Vocabulary([*(bytes([byte]) for byte in range(256)), None], stop_ids=[256])
