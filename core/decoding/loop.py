"""The loop that every constraint shares: forward, mask, sample, advance, until the output ends.

It knows an engine only through ``MaskEngine``, a model only through ``LanguageModel``. Order within
a step: the model's pass is launched first and waited for after the mask is known, so a model that
computes on a device overlaps with the mask. With ``skip_forced`` the mask comes first: where it
allows one token the model is not run, and the tokens it has not read yet are fed in one pass when
its scores are next needed.

An engine may offer ``candidates(state)``, a superset of its mask that is cheaper, along with
``is_allowed(state, token)``. A choice among candidates that is not allowed is made again without
it, which chooses as from the mask itself wherever dropping a token leaves the odds of the others as
they were: greedily, and by drawing without a cut (``may_choose_again``).

Cost per token beside model, mask and advance: some microseconds of Python, and one or two passes
over the row of scores where many tokens are allowed.
"""

from __future__ import annotations

import codecs
from time import perf_counter_ns
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from formgate.core.decoding._rows import Asked, Choice, Chooser, as_row, confirmed, only_token
from formgate.core.decoding.errors import DecodingError
from formgate.core.decoding.samplers import checked_sampler
from formgate.core.decoding.steps import DecodeResult, Step, Timings

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Sequence

    from formgate.core.decoding.models import LanguageModel
    from formgate.core.decoding.samplers import Sampler
    from formgate.core.decoding.steps import FinishReason
    from formgate.core.protocol import MaskEngine

__all__ = ["DecodeStream", "TokenTexts", "constrained_decode"]

S = TypeVar("S")


class TokenTexts(Protocol):
    """What the loop asks of a vocabulary."""

    @property
    def stop_ids(self) -> Sequence[int]:
        """The ids that end an output."""

    def token_bytes(self, token: int, /) -> bytes | None:
        """Return a token's bytes, None when it has no text."""


def constrained_decode(
    model: LanguageModel,
    engine: MaskEngine[S],
    prompt: Sequence[int],
    *,
    max_tokens: int,
    sampler: Sampler | None = None,
    skip_forced: bool = False,
    logprobs: bool = False,
    vocabulary: TokenTexts | None = None,
) -> DecodeResult:
    """Generate an output that satisfies a constraint.

    Args:
        model: Scores the next token.
        engine: Says which tokens may come next.
        prompt: Token ids that the model reads first; the constraint does not see them.
        max_tokens: Longest output in tokens, a stop token included.
        sampler: How to choose among the allowed tokens; greedy when left out.
        skip_forced: Do not run the model where one token alone is allowed. The output is the same
            up to the model's rounding; a model with ``extend`` then reads a forced stretch in one
            pass.
        logprobs: Compute log-probabilities; costs two passes over the row of scores per token.
        vocabulary: Bytes of tokens and stop ids; ``engine.vocabulary`` when left out.

    Raises:
        DecodingError: The model's scores are unusable or do not fit the vocabulary.
        TypeError: The sampler is none.
        ValueError: An argument is out of its range.
    """
    stream = DecodeStream(
        model,
        engine,
        prompt,
        max_tokens=max_tokens,
        sampler=sampler,
        skip_forced=skip_forced,
        logprobs=logprobs,
        vocabulary=vocabulary,
    )
    return stream.result()


class DecodeStream(Generic[S]):
    """A decode that yields a ``Step`` per token, as soon as it is known.

    Iterate to the end, or stop early; ``result`` runs what is left. Takes the arguments of
    ``constrained_decode``.

    Attributes:
        state: The engine's state after the tokens so far.
        finish_reason: Why the output ended; None while it goes on.
    """

    def __init__(
        self,
        model: LanguageModel,
        engine: MaskEngine[S],
        prompt: Sequence[int],
        *,
        max_tokens: int,
        sampler: Sampler | None = None,
        skip_forced: bool = False,
        logprobs: bool = False,
        vocabulary: TokenTexts | None = None,
    ) -> None:
        if len(prompt) == 0:
            raise ValueError("the prompt has no tokens; a model needs at least one to start from")
        if max_tokens < 0:
            raise ValueError(f"max_tokens must not be negative, not {max_tokens}")
        self.state: S = engine.start()
        self.finish_reason: FinishReason | None = None
        self._engine = engine
        self._vocabulary = _token_texts(engine, vocabulary)
        self._reader = _Reader(model, prompt)
        sampler = checked_sampler(sampler)
        self._chooser = Chooser(sampler.start(), logprobs=logprobs)
        # Where the sampler permits, an engine that knows candidates is asked about the token chosen
        # rather than for its mask.
        self._candidates = None
        if not logprobs and getattr(sampler, "may_choose_again", False):
            self._candidates = getattr(engine, "candidates", None)
        self._skip_forced = skip_forced
        self._max_tokens = max_tokens
        self._tokens: list[int] = []
        self._data = bytearray()
        self._forced = 0
        self._timings = Timings()
        self._steps = self._run()

    def __iter__(self) -> Iterator[Step]:
        return self

    def __next__(self) -> Step:
        return next(self._steps)

    def result(self) -> DecodeResult:
        """Decode what is left and return the whole.

        Raises:
            DecodingError: The model's scores are unusable or do not fit the vocabulary.
        """
        for _ in self:
            pass
        if self.finish_reason is None:
            raise DecodingError("this decode failed earlier and has no result")
        return DecodeResult(
            text=self._data.decode("utf-8", errors="replace"),
            text_bytes=bytes(self._data),
            tokens=tuple(self._tokens),
            finish_reason=self.finish_reason,
            complete=self._engine.is_accepting(self.state),
            forced=self._forced,
            timings=self._timings,
        )

    def _run(self) -> Iterator[Step]:
        """Yield steps until the output ends."""
        engine, reader = self._engine, self._reader
        token_bytes = self._vocabulary.token_bytes
        stop_ids: Container[int] = frozenset(self._vocabulary.stop_ids)
        decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        now, skip_forced = perf_counter_ns, self._skip_forced
        masks = self._candidates or engine.allowed_tokens
        while True:
            if engine.is_terminal(self.state):
                self.finish_reason = "terminal"
                return
            if len(self._tokens) == self._max_tokens:
                self.finish_reason = "length"
                return
            started = now()
            scores = None if skip_forced else reader.read()
            launched = now()
            mask = masks(self.state)
            allowed = len(mask)
            masked = now()
            if not allowed:
                raise DecodingError(
                    "the engine allows no token in a state that is not terminal: a constraint "
                    "compiled by formgate never does this"
                )
            if skip_forced and allowed == 1:
                choice, scored = Choice(only_token(mask), None, None), masked
            else:
                row = as_row(reader.read() if skip_forced else scores)
                scored = now()
                choice = self._chooser.pick(row, mask, allowed)
                if self._candidates is not None:
                    asked = Asked(engine, self.state)
                    choice = confirmed(self._chooser, choice, row, mask, asked)
            token = choice.token
            chosen = now()
            self.state = engine.advance(self.state, token)
            advanced = now()

            reader.feed(token)
            self._tokens.append(token)
            self._forced += allowed == 1
            is_stop = token in stop_ids
            data = b"" if is_stop else token_bytes(token) or b""
            self._data += data
            step = Step(
                token,
                data,
                decode(data, is_stop),
                allowed == 1,
                allowed,
                choice.logprob,
                choice.masked_logprob,
                (launched - started) + (scored - masked),
                masked - launched,
                chosen - scored,
                advanced - chosen,
            )
            self._count(step)
            yield step
            if is_stop:
                self.finish_reason = "stop"
                return

    def _count(self, step: Step) -> None:
        """Add a step's times to the summary."""
        timings = self._timings
        # Passes already counted, the prompt's included.
        counted = timings.forward.count + (timings.prompt_ns > 0)
        if self._reader.reads > counted and not timings.prompt_ns:
            timings.prompt_ns = step.forward_ns
        elif self._reader.reads > counted:
            timings.forward.add(step.forward_ns)
        timings.mask.add(step.mask_ns)
        timings.sample.add(step.sample_ns)
        timings.advance.add(step.advance_ns)


class _Reader:
    """Feeds a model: remembers the tokens that it has not read yet, and reads them at once."""

    __slots__ = ("_extend", "_model", "_prompt", "_unread", "reads")

    def __init__(self, model: LanguageModel, prompt: Sequence[int]) -> None:
        self._model = model
        self._extend = getattr(model, "extend", None)
        self._prompt: list[int] | None = [int(token) for token in prompt]
        self._unread: list[int] = []
        self.reads = 0  # passes of the model so far

    def feed(self, token: int) -> None:
        """Have a token read before the next scores."""
        self._unread.append(token)

    def read(self) -> Any:
        """Return the scores of the token after all those fed."""
        unread, self._unread = self._unread, []
        self.reads += 1
        if self._prompt is not None:
            prompt, self._prompt = self._prompt, None
            return self._model.start([*prompt, *unread])
        if len(unread) > 1 and self._extend is not None:
            return self._extend(unread)
        scores = None
        for token in unread:
            scores = self._model.step(token)
        return scores


def _token_texts(engine: object, vocabulary: TokenTexts | None) -> TokenTexts:
    """Return the vocabulary to decode with.

    Raises:
        TypeError: None was given and the engine has none.
    """
    found: TokenTexts | None = (
        vocabulary if vocabulary is not None else getattr(engine, "vocabulary", None)
    )
    if found is None:
        raise TypeError(
            "this engine has no attribute 'vocabulary': give vocabulary=, an object with stop_ids "
            "and token_bytes(id)"
        )
    return found
