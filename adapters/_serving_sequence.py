"""One request inside a serving engine: a matcher that never throws.

An exception in a scheduler ends every request of the server. So what goes wrong here, which nothing
should, is logged once, and the request is over: it accepts nothing more, and its mask allows the
stop ids alone.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from formgate.core._native import TokenMask
from formgate.core.errors import TokenError
from formgate.core.matcher import Matcher

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from formgate.core.protocol import MaskEngine

__all__ = ["ServedSequence"]

_logger = logging.getLogger("formgate.adapters")


class _Nothing:
    """An engine that allows no token."""

    def start(self) -> None:
        """Return the only state."""

    def allowed_tokens(self, state: None) -> TokenMask:
        """Return the empty mask."""
        del state
        return TokenMask.from_ids(0, [])

    def advance(self, state: None, token: int) -> None:
        """Refuse every token."""
        del state
        raise TokenError(f"token {token} is not allowed")

    def is_accepting(self, state: None) -> bool:
        """Say no."""
        return state is not None

    def is_terminal(self, state: None) -> bool:
        """Say yes: nothing can follow."""
        return state is None


class ServedSequence:
    """Follows the tokens of one request; no method raises.

    Args:
        engine: The constraint.
        stop_ids: What the mask allows once something has gone wrong.
    """

    def __init__(self, engine: MaskEngine[Any], stop_ids: Iterable[int]) -> None:
        self._matcher: Matcher[Any] = Matcher(engine)
        self._stop_ids = tuple(stop_ids)
        self._fill_masks = getattr(engine, "fill_masks", None)
        self._failed = False
        # Both kept beside the matcher, since a server asks several times for each token.
        self._ended = False
        self._length = 0

    @classmethod
    def broken(cls, stop_ids: Iterable[int]) -> ServedSequence:
        """Return a sequence whose constraint could not be compiled: the output ends at once."""
        sequence = cls(_Nothing(), stop_ids)
        sequence._failed = True
        return sequence

    @property
    def stop_ids(self) -> tuple[int, ...]:
        """What the mask allows once something has gone wrong."""
        return self._stop_ids

    @property
    def failed(self) -> bool:
        """Whether something has gone wrong."""
        return self._failed

    @property
    def ended(self) -> bool:
        """Whether a stop id was accepted."""
        return self._ended

    @property
    def length(self) -> int:
        """How many tokens were accepted."""
        return self._length

    @property
    def matcher(self) -> Matcher[Any]:
        """The matcher inside."""
        return self._matcher

    def accept(self, tokens: Iterable[int]) -> bool:
        """Take tokens, one after the other; return False at the first that is not allowed.

        Those before it stay accepted. Tokens after the end are ignored: an engine may have
        generated them before it knew.
        """
        if self._failed:
            return False
        try:
            for token in tokens:
                if self._ended:
                    return True
                if not self._matcher.accept(token):
                    return False
                self._length += 1
                self._ended = self._matcher.is_terminated
        except Exception:  # noqa: BLE001 (see the head of the module)
            return self._fail("accept")
        return True

    def validate(self, tokens: Sequence[int]) -> int:
        """Return how many leading tokens could be accepted; padding (below 0) ends the draft."""
        if self._failed or self._ended:
            return 0
        try:
            draft = list(tokens)
            padding = next((i for i, token in enumerate(draft) if token < 0), len(draft))
            return self._matcher.validate(draft[:padding])
        except Exception:  # noqa: BLE001 (see the head of the module)
            self._fail("validate")
            return 0

    def rollback(self, count: int) -> None:
        """Forget the last tokens, across an end too."""
        if self._failed or count <= 0:
            return
        try:
            self._matcher.rollback(count)
            self._length -= count
            self._ended = False  # nothing is accepted after an end, so it was among them
        except Exception:  # noqa: BLE001 (see the head of the module)
            self._fail("rollback")

    def fill(self, out: NDArray[np.int32], row: int) -> None:
        """Write the mask into a row, without holding the interpreter lock."""
        if not self._failed:
            try:
                if self._fill_masks is not None:
                    self._fill_masks([self._matcher.state], out[row : row + 1])
                else:
                    self._matcher.fill(out, row)
            except Exception:  # noqa: BLE001 (see the head of the module)
                self._fail("fill")
            else:
                return
        words = out[row].view("uint32")
        words[:] = 0
        for token in self._stop_ids:
            if token >> 5 < len(words):
                words[token >> 5] |= 1 << (token & 31)

    def reset(self) -> None:
        """Begin again."""
        self._matcher.reset()
        self._failed = self._ended = False
        self._length = 0

    def _fail(self, what: str) -> bool:
        """Log what went wrong, with the exception of the caller; the request is over."""
        self._failed = True
        _logger.error(
            "formgate: %s failed; the request's output ends here",
            what,
            exc_info=True,  # noqa: LOG014 (called while the exception is handled)
        )
        return False

    def follow(self, outputs: Sequence[int]) -> None:
        """Come to be where these tokens lead, of which most are known from the last call.

        Tokens that are not allowed, or not known yet (below 0), are logged: another processor has
        chosen them, and the request is over.
        """
        known = self._length
        if len(outputs) < known:
            self.rollback(known - len(outputs))
            known = len(outputs)
        fresh = outputs[known:]
        if self._failed or self._ended or not fresh:
            return
        if not self.accept(fresh) and not self._failed:
            self._failed = True
            _logger.error("formgate: tokens %s are not allowed; the output ends here", list(fresh))
