"""Decoding that runs the model as rarely as the constraint and the prompt permit.

Two things spare passes of a model. Text that the constraint forces is not sampled but appended, as
the tokens that the model's own tokenizer makes of it (*jump-forward*); only the last of them is
left to the model, since it may reach into what follows. And what repeats a passage of the prompt or
of the output is drafted from there (*prompt look-up*, after Saxena 2023): the model reads the
draft in the pass that it needs anyway, every drafted token is checked against the choice at its
place, and the model forgets those behind the first that differs. States are values, so the engine
needs no rolling back.

Drafts change nothing but the work, up to the model's rounding. A jump changes the tokens of forced
text, never the text that may be written.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from time import perf_counter_ns
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar, runtime_checkable

from formgate.core.decoding._rows import Asked, Chooser, as_row, confirmed, only_token
from formgate.core.decoding.errors import DecodingError
from formgate.core.decoding.samplers import checked_sampler

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from formgate.core.decoding.loop import TokenTexts
    from formgate.core.decoding.samplers import Sampler
    from formgate.core.decoding.steps import FinishReason
    from formgate.core.protocol import MaskEngine, TokenMask

__all__ = ["JumpDecoder", "JumpResult", "MaskedSampler", "RewindableModel", "jump_decode"]

S = TypeVar("S")

_LONGEST_JUMP = 4096  # bytes


@runtime_checkable
class RewindableModel(Protocol):
    """A model that scores several places in one pass, and forgets tokens."""

    def start(self, prompt_ids: Sequence[int]) -> Any:
        """Forget everything, read a prompt, and return the scores of the first output token."""

    def read(self, tokens: Sequence[int], rows: int) -> Sequence[Any]:
        """Read tokens in one pass and return the scores after each of the last ``rows``."""

    def rewind(self, count: int) -> None:
        """Forget the last ``count`` tokens."""


class MaskedSampler(Protocol):
    """A sampler of a back end, which wants to see every token of the output."""

    def pick(self, row: Any, mask: TokenMask) -> int:
        """Return one of the tokens that a mask allows, and remember it."""

    def accept(self, token: int) -> None:
        """Remember a token that was not picked."""

    def reset(self) -> None:
        """Forget all tokens."""


@dataclass(frozen=True)
class JumpResult:
    """The outcome of one decode.

    Attributes:
        text: The output; bytes that are no UTF-8 are shown as U+FFFD.
        text_bytes: The output's exact bytes.
        tokens: The token ids, a stop token included.
        finish_reason: ``"stop"``, ``"terminal"`` or ``"length"``, as in ``DecodeResult``.
        complete: Whether the output satisfies the constraint as it stands.
        jumped: How many tokens were appended without being scored.
        drafted: How many tokens were read as drafts.
        accepted: How many of these became output.
        passes: How often the model ran, the prompt's pass included.
        prompt_ns: Nanoseconds of the pass over the prompt.
        model_ns: Nanoseconds of the model's later passes.
        total_ns: Nanoseconds of all but the pass over the prompt.
    """

    text: str
    text_bytes: bytes = field(repr=False)
    tokens: tuple[int, ...]
    finish_reason: FinishReason
    complete: bool
    jumped: int
    drafted: int
    accepted: int
    passes: int
    prompt_ns: int
    model_ns: int
    total_ns: int


def jump_decode(
    model: RewindableModel,
    engine: MaskEngine[S],
    prompt: Sequence[int],
    *,
    max_tokens: int,
    sampler: Sampler | MaskedSampler | None = None,
    tokenize: Callable[[bytes], Sequence[int]] | None = None,
    draft_tokens: int = 0,
    draft_ngram: int = 3,
    vocabulary: TokenTexts | None = None,
) -> JumpResult:
    """Generate an output that satisfies a constraint, with as few passes of the model as may be.

    Args:
        model: Scores the next tokens.
        engine: Says which tokens may come next. Jumps need one with ``forced_text``, as
            ``formgate.compile`` returns.
        prompt: Token ids that the model reads first.
        max_tokens: Longest output in tokens, a stop token included.
        sampler: How to choose among the allowed tokens; greedy when left out.
        tokenize: Makes tokens of forced text, as the model has seen such text in its training;
            without it there are no jumps, but a token without alternative is never scored.
        draft_tokens: How many tokens to draft from earlier text at a time; 0 drafts none.
        draft_ngram: How many tokens must have come before in the same order.
        vocabulary: Bytes of tokens and stop ids; ``engine.vocabulary`` when left out.

    Raises:
        DecodingError: The model's scores are unusable or do not fit the vocabulary.
        TypeError: The sampler is none.
        ValueError: An argument is out of its range.
    """
    return JumpDecoder(
        model,
        engine,
        prompt,
        max_tokens=max_tokens,
        sampler=sampler,
        tokenize=tokenize,
        draft_tokens=draft_tokens,
        draft_ngram=draft_ngram,
        vocabulary=vocabulary,
    ).result()


class JumpDecoder(Generic[S]):
    """A decode that yields tokens as they become known, several at a time where they do.

    Iterate to the end, or stop early; ``result`` runs what is left. Takes the arguments of
    ``jump_decode``.
    """

    def __init__(
        self,
        model: RewindableModel,
        engine: MaskEngine[S],
        prompt: Sequence[int],
        *,
        max_tokens: int,
        sampler: Sampler | MaskedSampler | None = None,
        tokenize: Callable[[bytes], Sequence[int]] | None = None,
        draft_tokens: int = 0,
        draft_ngram: int = 3,
        vocabulary: TokenTexts | None = None,
    ) -> None:
        if len(prompt) == 0:
            raise ValueError("the prompt has no tokens; a model needs at least one to start from")
        for name, value, least in (
            ("max_tokens", max_tokens, 0),
            ("draft_tokens", draft_tokens, 0),
            ("draft_ngram", draft_ngram, 1),
        ):
            if value < least:
                raise ValueError(f"{name} must be at least {least}, not {value}")
        self._model = model
        self._engine = engine
        self._prompt = [int(token) for token in prompt]
        self._max_tokens = max_tokens
        self._vocabulary: TokenTexts = vocabulary or engine.vocabulary  # type: ignore[attr-defined]
        self._stop_ids = frozenset(self._vocabulary.stop_ids)
        self._tokenize = tokenize
        self._forced_text = getattr(engine, "forced_text", None) if tokenize is not None else None
        self._draft_tokens, self._draft_ngram = draft_tokens, draft_ngram
        # Where the last of some tokens in a row was last followed by another one.
        self._places: dict[tuple[int, ...], int] = {}
        self._indexed = 0
        self._choose = _chooser(engine, sampler)
        self._state: S = engine.start()
        self._tokens: list[int] = []
        self._unread: list[int] = []
        self._finish_reason: FinishReason | None = None
        self._jumped = self._drafted = self._accepted = self._passes = 0
        self._prompt_ns = self._model_ns = self._total_ns = 0
        self._steps = self._run()

    def __iter__(self) -> Iterator[Sequence[int]]:
        return self

    def __next__(self) -> Sequence[int]:
        return next(self._steps)

    def result(self) -> JumpResult:
        """Decode what is left and return the whole.

        Raises:
            DecodingError: The model's scores are unusable or do not fit the vocabulary.
        """
        for _ in self:
            pass
        if self._finish_reason is None:
            raise DecodingError("this decode failed earlier and has no result")
        token_bytes, stop_ids = self._vocabulary.token_bytes, self._stop_ids
        data = b"".join(token_bytes(t) or b"" for t in self._tokens if t not in stop_ids)
        return JumpResult(
            text=data.decode("utf-8", errors="replace"),
            text_bytes=data,
            tokens=tuple(self._tokens),
            finish_reason=self._finish_reason,
            complete=self._engine.is_accepting(self._state),
            jumped=self._jumped,
            drafted=self._drafted,
            accepted=self._accepted,
            passes=self._passes,
            prompt_ns=self._prompt_ns,
            model_ns=self._model_ns,
            total_ns=self._total_ns - self._prompt_ns,
        )

    def _run(self) -> Iterator[Sequence[int]]:
        """Yield tokens until the output ends."""
        known = 0
        while self._finish_reason is None:
            started = perf_counter_ns()
            if not self._has_ended() and not self._jump():
                self._sample()
            self._total_ns += perf_counter_ns() - started
            if len(self._tokens) > known:
                yield tuple(self._tokens[known:])
                known = len(self._tokens)

    def _has_ended(self) -> bool:
        """Say whether nothing more is to come, and why."""
        if self._tokens and self._tokens[-1] in self._stop_ids:
            self._finish_reason = "stop"
        elif self._engine.is_terminal(self._state):
            self._finish_reason = "terminal"
        elif len(self._tokens) == self._max_tokens:
            self._finish_reason = "length"
        return self._finish_reason is not None

    def _take(self, token: int) -> None:
        """Make a token output."""
        self._state = self._engine.advance(self._state, token)
        self._tokens.append(token)

    def _jump(self) -> bool:
        """Append what is forced, without a pass of the model; return False where nothing is."""
        tokens = self._forced_tokens()
        if not tokens:
            mask = self._choose.masks(self._state)
            if len(mask) != 1:
                return False
            tokens = [only_token(mask)]
        tokens = tokens[: self._max_tokens - len(self._tokens)]
        for token in tokens:
            self._take(token)
            self._choose.accept(token)
        self._unread += tokens
        self._jumped += len(tokens)
        return True

    def _forced_tokens(self) -> list[int]:
        """Return the tokens of forced text, but for the last one where more text follows."""
        if self._forced_text is None or self._tokenize is None:
            return []
        text = self._forced_text(self._state, _LONGEST_JUMP)
        if len(text) < 2:
            return []  # one byte is one token at most, and the last token is left out
        tokens = [int(token) for token in self._tokenize(text)]
        good, state = _followed(self._engine, self._state, tokens)
        if good < len(tokens) or not self._engine.is_terminal(state):
            good -= 1
        return tokens[: max(good, 0)]

    def _sample(self) -> None:
        """Run the model on what it has not read, and take what it chooses."""
        draft = self._draft()
        rows = self._read(draft)
        right = 0  # how many drafted tokens are output by now
        for row in rows:
            token = self._choose(self._state, row)
            self._take(token)
            if right == len(draft) or token != draft[right]:
                self._unread = [token]
                break
            right += 1
            if self._has_ended():
                break
        self._accepted += right
        if right < len(draft):
            self._model.rewind(len(draft) - right)

    def _read(self, draft: list[int]) -> Sequence[Any]:
        """Return the scores after all tokens so far, and after each token of a draft."""
        started = perf_counter_ns()
        unread, self._unread = self._unread, []
        if not self._passes:
            rows: Sequence[Any] = [self._model.start([*self._prompt, *unread])]
            self._prompt_ns = perf_counter_ns() - started
        else:
            rows = self._model.read([*unread, *draft], len(draft) + 1)
            self._model_ns += perf_counter_ns() - started
        self._passes += 1
        self._drafted += len(draft)
        return rows

    def _draft(self) -> list[int]:
        """Return tokens that followed the last ones when these came before."""
        room = min(self._draft_tokens, self._max_tokens - len(self._tokens) - 1)
        if room < 1 or not self._passes:
            return []
        text, count = self._prompt + self._tokens, self._draft_ngram
        while self._indexed < len(text):
            if self._indexed >= count:
                self._places[tuple(text[self._indexed - count : self._indexed])] = self._indexed
            self._indexed += 1
        place = self._places.get(tuple(text[-count:]))
        if place is None:
            return []
        found = text[place : place + room]
        return found[: _followed(self._engine, self._state, found)[0]]


class _Masks(Generic[S]):
    """Masks of states, the last one remembered: a state is asked about more than once in a row."""

    def __init__(self, find: Callable[[S], TokenMask]) -> None:
        self._find = find
        self._last: tuple[S, TokenMask] | None = None

    def __call__(self, state: S) -> TokenMask:
        """Return the mask of a state."""
        if self._last is None or self._last[0] is not state:
            self._last = (state, self._find(state))
        return self._last[1]


class _Choosing(Generic[S]):
    """Chooses tokens, by a sampler of ours."""

    def __init__(self, engine: MaskEngine[S], sampler: Sampler) -> None:
        self._engine = engine
        self._chooser = Chooser(sampler.start(), logprobs=False)
        candidates = None
        if getattr(sampler, "may_choose_again", False):
            candidates = getattr(engine, "candidates", None)
        self._asks = candidates is not None
        self.masks: _Masks[S] = _Masks(candidates or engine.allowed_tokens)

    def __call__(self, state: S, row: Any) -> int:
        """Return the token chosen in a state."""
        mask, row = self.masks(state), as_row(row)
        choice = self._chooser.pick(row, mask, len(mask))
        if self._asks:
            choice = confirmed(self._chooser, choice, row, mask, Asked(self._engine, state))
        return choice.token

    def accept(self, token: int) -> None:
        """Do nothing: our samplers remember no tokens."""


class _Delegating(Generic[S]):
    """Chooses tokens, by a sampler of the back end."""

    def __init__(self, engine: MaskEngine[S], sampler: MaskedSampler) -> None:
        self._sampler = sampler
        self.masks: _Masks[S] = _Masks(engine.allowed_tokens)
        self.accept = sampler.accept
        sampler.reset()

    def __call__(self, state: S, row: Any) -> int:
        """Return the token chosen in a state."""
        return self._sampler.pick(row, self.masks(state))


def _chooser(
    engine: MaskEngine[S], sampler: Sampler | MaskedSampler | None
) -> _Choosing[S] | _Delegating[S]:
    """Return what chooses tokens."""
    if hasattr(sampler, "pick") and not isinstance(sampler, type):
        return _Delegating(engine, sampler)  # type: ignore[arg-type] # just checked
    return _Choosing(engine, checked_sampler(sampler))


def _followed(engine: MaskEngine[S], state: S, tokens: Sequence[int]) -> tuple[int, S]:
    """Return how many tokens are allowed one after the other, and the state after these."""
    for count, token in enumerate(tokens):
        try:
            state = engine.advance(state, token)
        except (ValueError, LookupError):
            return count, state
    return len(tokens), state
