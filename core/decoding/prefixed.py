"""An output that begins with a given text: token healing, and text between a marker and an answer.

The first tokens need not end where the given text ends: a token may finish it and begin what the
engine constrains. That is what healing is for. A prompt is cut into tokens as if nothing followed,
so its last token may be one that the model has never seen before the text to come (``http:`` as a
token, when the model writes ``://`` as one). The last token is taken off the prompt instead, and
the output must begin with its text.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from formgate.core._native import TokenMask
from formgate.core.decoding._token_table import TokenTable, token_table
from formgate.core.errors import EmptyLanguageError, TokenError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formgate.core.decoding.loop import TokenTexts
    from formgate.core.protocol import MaskEngine

__all__ = ["HealedPrompt", "Prefixed", "heal"]

S = TypeVar("S")


@dataclass(frozen=True)
class Lead:
    """So many bytes of the given text have been written; ``owner`` tells wrappers apart."""

    owner: object
    written: int


class Prefixed(Generic[S]):
    """An engine for a given text and, right after it, a text of another engine.

    Masks are as exact as the other engine's, but for tokens whose end no other tokens of the
    vocabulary spell. Cost of the first masks: a look at each token that begins with what is left of
    the given text, once for each place in it.

    Args:
        engine: What follows the given text.
        prefix: The given text.
        vocabulary: Bytes of tokens and stop ids; ``engine.vocabulary`` when left out.

    Attributes:
        engine: What follows the given text.
        vocabulary: The tokens.

    Raises:
        EmptyLanguageError: The vocabulary cannot spell the given text.
        TypeError: It is no text.
    """

    def __init__(
        self,
        engine: MaskEngine[S],
        prefix: str | bytes,
        *,
        vocabulary: TokenTexts | None = None,
    ) -> None:
        self.engine = engine
        self.vocabulary: TokenTexts = vocabulary or engine.vocabulary  # type: ignore[attr-defined]
        if not isinstance(prefix, (str, bytes)):
            raise TypeError(f"the text that the output begins with is text, not {prefix!r:.60}")
        data = prefix.encode() if isinstance(prefix, str) else prefix
        self._prefix = data.decode("latin-1")
        self._table = token_table(self.vocabulary, engine.allowed_tokens(engine.start()).size)
        # By place in the given text: the tokens that go on from there.
        self._masks: dict[int, TokenMask] = {}
        for place in range(len(data) - 1, -1, -1):
            self._masks[place] = self._mask(place)
        if data and not self._masks[0]:
            raise EmptyLanguageError(
                f"no tokens of the vocabulary spell the text {data!r:.60} that the output is to "
                "begin with"
            )

    def start(self) -> Lead | S:
        """Return the state of the empty output."""
        return Lead(self, 0) if self._prefix else self.engine.start()

    def allowed_tokens(self, state: Lead | S) -> TokenMask:
        """Return the tokens that may come next."""
        if isinstance(state, Lead) and state.owner is self:
            return self._masks[state.written]
        return self.engine.allowed_tokens(state)  # type: ignore[arg-type] # not ours

    def advance(self, state: Lead | S, token: int) -> Lead | S:
        """Return the state after one more token.

        Raises:
            TokenError: The token is not allowed.
        """
        if not isinstance(state, Lead) or state.owner is not self:
            return self.engine.advance(state, token)  # type: ignore[arg-type] # not ours
        if not 0 <= token < self._table.size or token not in self._masks[state.written]:
            raise TokenError(f"token {token} is not allowed here")
        text = self._table.texts[token] or ""
        left = len(self._prefix) - state.written
        if len(text) < left:
            return Lead(self, state.written + len(text))
        found = after_text(self.engine, self.engine.start(), text[left:], self._table)
        if found is None:  # the mask has said that it is there
            raise TokenError(f"token {token} is not allowed here")
        return found

    def is_accepting(self, state: Lead | S) -> bool:
        """Say whether the output may end here."""
        is_own = isinstance(state, Lead) and state.owner is self
        return not is_own and self.engine.is_accepting(state)  # type: ignore[arg-type] # not ours

    def is_terminal(self, state: Lead | S) -> bool:
        """Say whether the output must end here, or has ended."""
        is_own = isinstance(state, Lead) and state.owner is self
        return not is_own and self.engine.is_terminal(state)  # type: ignore[arg-type] # not ours

    def forced_text(self, state: Lead | S, max_bytes: int = 4096) -> bytes:
        """Return bytes that every accepted continuation begins with."""
        left = b""
        if isinstance(state, Lead) and state.owner is self:
            left = self._prefix[state.written :].encode("latin-1")
            state = self.engine.start()
        forced = getattr(self.engine, "forced_text", None)
        if forced is None or len(left) >= max_bytes:
            return left[:max_bytes]
        return left + bytes(forced(state, max_bytes - len(left)))

    def completed_by(
        self, state: Lead | S, text: bytes, among: TokenMask | None = None
    ) -> TokenMask | None:
        """Return what the engine's ``completed_by`` does; None where it cannot be asked."""
        ask = getattr(self.engine, "completed_by", None)
        if ask is None or (isinstance(state, Lead) and state.owner is self):
            return None
        found: TokenMask | None = ask(state, text, among)
        return found

    def inner_text(self, text: str) -> str:
        """Return the part of an output that the other engine constrains."""
        return text[len(self._prefix) :]

    def _mask(self, place: int) -> TokenMask:
        """Return the tokens that may follow the first bytes of the given text."""
        left = self._prefix[place:]
        ids = []
        for length in range(1, len(left)):
            # Where nothing goes on from the place it would lead to, a token leads nowhere.
            if self._masks[place + length]:
                ids += self._table.spelling(left[:length])
        ids += self._table.spelling(left)
        start = self.engine.start()
        first = self.engine.allowed_tokens(start)
        for token in self._table.starting_with(left):
            rest = (self._table.texts[token] or "")[len(left) :]
            if not rest:
                continue
            whole = self._table[rest]
            if whole is not None:
                if whole in first:
                    ids.append(token)
            elif after_text(self.engine, start, rest, self._table) is not None:
                ids.append(token)
        return TokenMask.from_ids(self._table.size, sorted(set(ids)))


def after_text(engine: MaskEngine[S], state: S, text: str, table: TokenTable) -> S | None:
    """Return the state after a text; None if it is not allowed, or no tokens spell it.

    All spellings of a text lead to states with the same masks and futures, so any will do.
    """
    tokens = table.spell(text)
    if tokens is None:
        return None
    try:
        for token in tokens:
            state = engine.advance(state, token)
    except (ValueError, LookupError):
        return None
    return state


@dataclass(frozen=True)
class HealedPrompt:
    """A prompt whose end is left to the model to write again.

    Attributes:
        tokens: The prompt without its last tokens.
        text: The text of these last tokens; empty where there was nothing to heal.
    """

    tokens: tuple[int, ...]
    text: bytes


def heal(prompt: Sequence[int], vocabulary: TokenTexts, *, tokens: int = 1) -> HealedPrompt:
    """Take the last tokens off a prompt, for ``Prefixed`` to have them written again.

    Only tokens with text are taken, never the first of the prompt; and none where no token of the
    vocabulary begins with their text and goes on, as nothing else could then be written.

    Args:
        prompt: Token ids.
        vocabulary: Bytes of the tokens.
        tokens: How many to take off at most.

    Raises:
        ValueError: ``tokens`` is negative.
    """
    if tokens < 0:
        raise ValueError(f"tokens must not be negative, not {tokens}")
    kept, text = [int(token) for token in prompt], b""
    stops = frozenset(vocabulary.stop_ids)
    for _ in range(min(tokens, len(kept) - 1)):
        data = None if kept[-1] in stops else vocabulary.token_bytes(kept[-1])
        if data is None:
            break
        text = data + text
        kept.pop()
    table = token_table(vocabulary, len(vocabulary))  # type: ignore[arg-type] # all have a length
    if not table.goes_on(text.decode("latin-1")):
        return HealedPrompt(tuple(int(token) for token in prompt), b"")
    return HealedPrompt(tuple(kept), text)
