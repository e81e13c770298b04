"""One sequence being decoded: a small mutable object over any ``MaskEngine``.

It keeps the state after every token, so rolling back any number of tokens is dropping list
entries, and a fork is a copy of two lists. With the native engine the masks are filled and drafts
validated by one native call each; with an engine in plain Python the same results come from the
protocol.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from formgate.core.protocol import MaskEngine, TokenMask

__all__ = ["Matcher"]

S = TypeVar("S")


class Matcher(Generic[S]):
    """Follows one sequence of tokens through an engine.

    Args:
        engine: Any engine; it is shared, never changed.

    Raises:
        TypeError: It is no engine.
    """

    __slots__ = ("_engine", "_fill_mask", "_states", "_tokens", "_validate")

    def __init__(self, engine: MaskEngine[S]) -> None:
        if not callable(getattr(engine, "allowed_tokens", None)):
            raise TypeError(
                f"{engine!r:.60} is not an engine; make one with formgate.compile(source, "
                "vocabulary)"
            )
        self._engine = engine
        self._tokens: list[int] = []
        # Invariant: one entry more than tokens; _states[i] is the state before token i.
        self._states: list[S] = [engine.start()]
        self._fill_mask: Callable[[S, Any, int], None] | None = getattr(engine, "fill_mask", None)
        self._validate: Callable[[S, list[int]], int] | None = getattr(engine, "validate", None)

    @property
    def engine(self) -> MaskEngine[S]:
        """The engine this matcher follows."""
        return self._engine

    @property
    def state(self) -> S:
        """The engine's state after the tokens accepted so far."""
        return self._states[-1]

    @property
    def tokens(self) -> tuple[int, ...]:
        """The tokens accepted so far, a stop token included."""
        return tuple(self._tokens)

    @property
    def is_accepting(self) -> bool:
        """Whether the output may end here."""
        return self._engine.is_accepting(self.state)

    @property
    def is_terminated(self) -> bool:
        """Whether nothing more can be accepted.

        True after a stop token. An output that is complete but still waits for its stop token is
        not terminated: its mask allows exactly the stop tokens.
        """
        state = self.state
        return self._engine.is_terminal(state) and len(self._engine.allowed_tokens(state)) == 0

    def accept(self, token: int) -> bool:
        """Take one more token; return False, changing nothing, when it is not allowed.

        A stop token counts as a token like any other and can be rolled back.
        """
        try:
            state = self._engine.advance(self._states[-1], token)
        # LookupError: an engine in plain Python may index a table with an id that it does not know.
        except (ValueError, LookupError):
            return False
        self._states.append(state)
        self._tokens.append(token)
        return True

    def validate(self, tokens: Iterable[int]) -> int:
        """Return how many leading tokens could be accepted from here; nothing changes."""
        draft = list(tokens)
        if self._validate is not None:
            return self._validate(self.state, draft)
        state = self.state
        for count, token in enumerate(draft):
            try:
                state = self._engine.advance(state, token)
            except (ValueError, LookupError):
                return count
        return len(draft)

    def rollback(self, count: int) -> None:
        """Forget the last ``count`` tokens.

        Raises:
            ValueError: Fewer tokens than that have been accepted; nothing changes.
        """
        if not 0 <= count <= len(self._tokens):
            raise ValueError(
                f"cannot roll back {count} tokens: {len(self._tokens)} have been accepted"
            )
        if count:
            del self._tokens[-count:]
            del self._states[-count:]

    def allowed_tokens(self) -> TokenMask:
        """Return the tokens that may come next."""
        return self._engine.allowed_tokens(self.state)

    def fill(self, out: Any, row: int = 0) -> None:
        """Write the mask into a row of 32-bit words, token i at bit ``i % 32`` of word ``i // 32``.

        Args:
            out: A buffer of int32 or uint32, of one row or of several.
            row: Which row to write.
        """
        if self._fill_mask is not None:
            self._fill_mask(self._states[-1], out, row)
            return
        self._engine.allowed_tokens(self.state).fill(out[row] if _has_rows(out) else out)

    def fork(self) -> Matcher[S]:
        """Return an independent matcher at the same place; cost: a copy of the history's list."""
        copy: Matcher[S] = Matcher.__new__(Matcher)
        copy._engine = self._engine
        copy._tokens = list(self._tokens)
        copy._states = list(self._states)
        copy._fill_mask = self._fill_mask
        copy._validate = self._validate
        return copy

    def __copy__(self) -> Matcher[S]:
        return self.fork()

    def __deepcopy__(self, memo: object, /) -> Matcher[S]:
        return self.fork()  # engine and states are immutable

    def reset(self) -> None:
        """Forget all tokens: a new output starts."""
        self._tokens.clear()
        self._states[:] = [self._engine.start()]


def _has_rows(out: Any) -> bool:
    """Say whether a buffer has two dimensions."""
    return len(getattr(out, "shape", ())) > 1
