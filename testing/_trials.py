"""One engine on trial with one sample: the states that tokens reach, and what was found wrong."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from formgate.testing._brute_force import BruteForce

if TYPE_CHECKING:
    from collections.abc import Callable

    from formgate.core.protocol import MaskEngine
    from formgate.testing._samples import Sample

__all__ = ["Trial", "Violation", "Visit", "allowed_ids", "key_of"]

_SPELLINGS = 3
_MOST_VISITS = 120


@dataclass(frozen=True)
class Violation:
    """A promise that an engine broke.

    Attributes:
        promise: Which one: a key of ``PROMISES``.
        sample: Name of the sample it was found with.
        tokens: The tokens before.
        text: The bytes of these tokens.
        detail: What was seen, and what should have been.
    """

    promise: str
    sample: str
    tokens: tuple[int, ...]
    text: bytes
    detail: str

    def __str__(self) -> str:
        return (
            f"{self.promise}: {self.detail}\n"
            f"    sample {self.sample!r}, after tokens {list(self.tokens)} = {self.text!r}"
        )


@dataclass(frozen=True)
class Visit:
    """A state and how it was reached."""

    tokens: tuple[int, ...]
    text: bytes
    state: Any


@dataclass
class Trial:
    """An engine and its judge.

    Args:
        make: Makes another engine of the same kind for the same sample.
        engine: The engine on trial.
        sample: What it was made for.

    Attributes:
        judge: Knows all answers.
        refused: Tokens that the engine should have taken but did not, met while walking.
    """

    make: Callable[[], MaskEngine[Any]]
    engine: MaskEngine[Any]
    sample: Sample
    judge: BruteForce = field(init=False)
    refused: list[Violation] = field(init=False, default_factory=list)
    _visits: list[Visit] | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        self.judge = BruteForce(self.sample)

    def violation(self, promise: str, visit: Visit, detail: str) -> Violation:
        """Return a violation seen in one state."""
        return Violation(promise, self.sample.name, visit.tokens, visit.text, detail)

    def visits(self) -> list[Visit]:
        """Return the states that tokens lead to, breadth first, each text in several spellings."""
        if self._visits is None:
            self._visits = self._explored()
        return self._visits

    def _explored(self) -> list[Visit]:
        queue = deque([Visit((), b"", self.engine.start())])
        spellings: dict[bytes, int] = {}
        visits: list[Visit] = []
        while queue and len(visits) < _MOST_VISITS:
            visit = queue.popleft()
            visits.append(visit)
            if len(visit.tokens) == self.sample.depth:
                continue
            for token in sorted(self.judge.text_tokens(visit.text)):
                text = visit.text + self.judge.text_of[token]
                if spellings.get(text, 0) == _SPELLINGS:
                    continue
                try:
                    state = self.engine.advance(visit.state, token)
                except (ValueError, LookupError) as error:
                    detail = f"advance refuses token {token}, which can be completed: {error!r}"
                    self.refused.append(self.violation("complete", visit, detail))
                    continue
                spellings[text] = spellings.get(text, 0) + 1
                queue.append(Visit((*visit.tokens, token), text, state))
        return visits

    def shown(self, tokens: frozenset[int]) -> str:
        """Return tokens with their bytes, for messages."""
        return ", ".join(
            f"{token} = {self.judge.text_of.get(token, '(no text)')!r}" for token in sorted(tokens)
        )


def allowed_ids(engine: MaskEngine[Any], state: Any) -> frozenset[int]:
    """Return a mask as a set."""
    return frozenset(int(token) for token in engine.allowed_tokens(state).ids())


def key_of(state: Any) -> object:
    """Return the key of a state; None where an engine's states have none."""
    return getattr(state, "key", None)
