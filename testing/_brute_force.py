"""The judge: what an engine must answer, by enumeration from the definition of exactness.

Nothing is clever here. A text can be completed if some sequence of tokens makes it a text of the
language, and all sequences up to the sample's ``reach`` are tried.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from formgate.testing._samples import Sample

__all__ = ["BruteForce"]


class BruteForce:
    """All answers for one sample.

    Args:
        sample: The language and the tokens.

    Cost: a text that cannot be completed is refuted by every distinct text that the tokens spell
    after it within ``reach`` bytes; answers are kept.
    """

    def __init__(self, sample: Sample) -> None:
        self.sample = sample
        self.text_of = sample.text_of
        self._pieces = sorted(set(self.text_of.values()) - {b""}, key=len)
        self._completable: dict[bytes, bool] = {}
        self._member: dict[bytes, bool] = {}

    def accepts(self, text: bytes) -> bool:
        """Say whether ``text`` is in the language."""
        known = self._member.get(text)
        if known is None:
            known = self._member[text] = self.sample.accepts(text)
        return known

    def completable(self, text: bytes) -> bool:
        """Say whether tokens can make ``text`` a text of the language, by adding any or none."""
        known = self._completable.get(text)
        if known is None:
            known = any(True for _ in self.completions(text))
            self._completable[text] = known
        return known

    def completions(self, text: bytes) -> Iterator[bytes]:
        """Yield what may be added to ``text`` within ``reach`` bytes, the shortest first."""
        longest = len(text) + self.sample.reach
        seen = {text}
        # One bucket for each length, so that the shortest come first.
        buckets: dict[int, list[bytes]] = {len(text): [text]}
        for length in range(len(text), longest + 1):
            for longer in buckets.pop(length, ()):
                if self.accepts(longer):
                    yield longer[len(text) :]
                for piece in self._pieces:
                    after = longer + piece
                    if len(after) <= longest and after not in seen:
                        seen.add(after)
                        if not self.sample.may_begin(after):
                            continue
                        buckets.setdefault(len(after), []).append(after)

    @property
    def is_empty(self) -> bool:
        """Whether no sequence of tokens spells a text of the language."""
        return not self.completable(b"")

    def text_tokens(self, text: bytes) -> frozenset[int]:
        """Return the ids with text that may come after ``text``."""
        good = {piece for piece in set(self.text_of.values()) if self.completable(text + piece)}
        return frozenset(token for token, piece in self.text_of.items() if piece in good)

    def mask(self, text: bytes) -> frozenset[int]:
        """Return all ids that may come after ``text``, stop ids included."""
        stops = self.sample.stop_ids if self.accepts(text) else ()
        return self.text_tokens(text).union(stops)

    def min_tokens(self, text: bytes) -> int:
        """Return the least number of tokens that complete a text that can be completed.

        Raises:
            ValueError: Nothing completes it.
        """
        if not self.completable(text):
            raise ValueError(f"nothing completes {text!r}")
        seen = {text}
        queue = deque([(text, 0)])
        while not self.accepts(queue[0][0]):
            here, count = queue.popleft()
            for piece in self._pieces:
                after = here + piece
                if after not in seen and self.completable(after):
                    seen.add(after)
                    queue.append((after, count + 1))
        return queue[0][1]
