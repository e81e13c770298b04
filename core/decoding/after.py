"""A constraint that begins after a marker: a model reasons freely, then answers within it.

The marker is text, a special token, or a sequence of both. It is searched for as it is written
(Knuth, Morris, Pratt 1977), also where it begins or ends within a token: what a token holds beyond
the marker must already satisfy the constraint.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from formgate.core._native import TokenMask
from formgate.core.decoding._token_table import mark, token_table
from formgate.core.decoding.prefixed import after_text
from formgate.core.errors import EmptyLanguageError, TokenError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formgate.core.decoding.loop import TokenTexts
    from formgate.core.protocol import MaskEngine

__all__ = ["AfterMarker"]

S = TypeVar("S")


@dataclass(frozen=True)
class Free:
    """No constraint yet; the text so far ends with so many characters of the marker."""

    owner: object
    matched: int


class AfterMarker(Generic[S]):
    r"""Free text up to and including a marker, and then a text of an engine.

    Before the marker every token with text is allowed, and every special token that the vocabulary
    names, but no stop id: the output cannot end before the answer. The first marker counts. Text
    between it and the answer (``"\n\n"``) is best added as ``Prefixed(engine, "\n\n")``.

    Masks are exact, but for tokens that hold more than the marker's end which no other tokens of
    the vocabulary spell. Cost of a mask before the marker: a look at all tokens, once for each part
    of the marker.

    Args:
        engine: What follows the marker.
        marker: A text, which is the special token of that name where there is one; the id of a
            token; or a sequence of these.
        vocabulary: Bytes of tokens and stop ids; ``engine.vocabulary`` when left out.

    Attributes:
        engine: What follows the marker.
        vocabulary: The tokens.

    Raises:
        EmptyLanguageError: The vocabulary cannot spell the marker.
        ValueError: The marker is empty, or holds an id that is outside the vocabulary or ends an
            output.
    """

    def __init__(
        self,
        engine: MaskEngine[S],
        marker: str | bytes | int | Sequence[str | bytes | int],
        *,
        vocabulary: TokenTexts | None = None,
    ) -> None:
        self.engine = engine
        self.vocabulary: TokenTexts = vocabulary or engine.vocabulary  # type: ignore[attr-defined]
        self._table = token_table(self.vocabulary, engine.allowed_tokens(engine.start()).size)
        parts = [marker] if isinstance(marker, (str, bytes, int)) else list(marker)
        self._marker = "".join(map(self._part, parts))
        if not self._marker:
            raise ValueError("the marker is empty: leave AfterMarker out where nothing precedes")
        if self._table.spell(self._marker) is None:
            raise EmptyLanguageError(
                f"no tokens of the vocabulary spell the marker {marker!r:.60}, so the constrained "
                "part could never begin"
            )
        # By how much of the marker has been written.
        self._masks: dict[int, TokenMask] = {}

    def start(self) -> Free | S:
        """Return the state of the empty output."""
        return Free(self, 0)

    def allowed_tokens(self, state: Free | S) -> TokenMask:
        """Return the tokens that may come next."""
        if not isinstance(state, Free) or state.owner is not self:
            return self.engine.allowed_tokens(state)  # type: ignore[arg-type] # not ours
        if state.matched not in self._masks:
            self._masks[state.matched] = self._mask(state.matched)
        return self._masks[state.matched]

    def advance(self, state: Free | S, token: int) -> Free | S:
        """Return the state after one more token.

        Raises:
            TokenError: The token is not allowed.
        """
        if not isinstance(state, Free) or state.owner is not self:
            return self.engine.advance(state, token)  # type: ignore[arg-type] # not ours
        if not 0 <= token < self._table.size or token not in self.allowed_tokens(state):
            raise TokenError(f"token {token} is not allowed here")
        text = self._marker[: state.matched] + (self._table.texts[token] or "")
        _, found, rest = text.partition(self._marker)
        if not found:
            return Free(self, self._matched(text))
        after = after_text(self.engine, self.engine.start(), rest, self._table)
        if after is None:  # the mask has said that it is there
            raise TokenError(f"token {token} is not allowed here")
        return after

    def is_accepting(self, state: Free | S) -> bool:
        """Say whether the output may end here."""
        is_own = isinstance(state, Free) and state.owner is self
        return not is_own and self.engine.is_accepting(state)  # type: ignore[arg-type] # not ours

    def is_terminal(self, state: Free | S) -> bool:
        """Say whether the output must end here, or has ended."""
        is_own = isinstance(state, Free) and state.owner is self
        return not is_own and self.engine.is_terminal(state)  # type: ignore[arg-type] # not ours

    def forced_text(self, state: Free | S, max_bytes: int = 4096) -> bytes:
        """Return bytes that every accepted continuation begins with: none before the marker."""
        forced = getattr(self.engine, "forced_text", None)
        if forced is None or (isinstance(state, Free) and state.owner is self):
            return b""
        return bytes(forced(state, max_bytes))

    def completed_by(
        self, state: Free | S, text: bytes, among: TokenMask | None = None
    ) -> TokenMask | None:
        """Return what the engine's ``completed_by`` does; None where it cannot be asked."""
        ask = getattr(self.engine, "completed_by", None)
        if ask is None or (isinstance(state, Free) and state.owner is self):
            return None
        found: TokenMask | None = ask(state, text, among)
        return found

    def inner_text(self, text: str) -> str:
        """Return the part of an output that the other engine constrains."""
        return text.partition(self._marker)[2]

    def _part(self, part: str | bytes | int) -> str:
        """Return a part of the marker as characters of the table."""
        if isinstance(part, str):
            special = _special(self.vocabulary)
            if part not in special:
                return part.encode().decode("latin-1")
            part = special[part]
        if isinstance(part, bytes):
            return part.decode("latin-1")
        if not 0 <= part < self._table.size:
            raise ValueError(
                f"the marker holds the id {part}, which is outside the vocabulary of "
                f"{self._table.size} ids: give the id of a token, or text"
            )
        text = self._table.texts[part]
        if text is None:
            names = [name for name, token in _special(self.vocabulary).items() if token == part]
            raise ValueError(
                f"the marker holds the token {part}{''.join(f' ({n!r})' for n in names[:1])}, "
                "which ends an output, so that no answer could follow: give another token or text, "
                f"or make the vocabulary with stop_ids that leave {part} out"
            )
        return text

    def _matched(self, text: str) -> int:
        """Return how much of the marker a text without it ends with."""
        marker = self._marker
        longest = min(len(text), len(marker) - 1)
        return next(n for n in range(longest, -1, -1) if text.endswith(marker[:n]))

    def _mask(self, matched: int) -> TokenMask:
        """Return the tokens that may come when so much of the marker has been written."""
        table, head, marker = self._table, self._marker[:matched], self._marker
        special = set(_special(self.vocabulary).values())
        start = self.engine.start()
        first = self.engine.allowed_tokens(start)
        ids = []
        for token, text in enumerate(table.texts):
            if text is None:
                continue
            if text == mark(token) and token not in special and text not in marker:
                continue
            joined = head + text
            if marker in joined:
                rest = joined.partition(marker)[2]
                whole = table[rest] if rest else None
                if whole is not None and whole not in first:
                    continue
                if rest and after_text(self.engine, start, rest, table) is None:
                    continue
            ids.append(token)
        return TokenMask.from_ids(table.size, ids)


def _special(vocabulary: TokenTexts) -> dict[str, int]:
    """Return the special tokens by name, as far as a vocabulary knows them."""
    special: dict[str, int] = getattr(vocabulary, "special", {})
    return special
