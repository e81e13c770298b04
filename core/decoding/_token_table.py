"""The tokens of a vocabulary, arranged for questions about text.

What wraps an engine must find tokens by their bytes: those that begin with a text, those that spell
one. Bytes are written as characters below U+0100 here, and an id without text as the one character
``mark(id)`` above, so that a text and the special tokens in it are one ``str``.
"""

from __future__ import annotations

from bisect import bisect_left
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from formgate.core._native import TokenMask

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from formgate.core.decoding._successors import Trie
    from formgate.core.decoding.loop import TokenTexts

__all__ = ["TokenTable", "mark", "token_table"]

_MARKS = 0x100


class TokenTable:
    """Tokens by id and by text.

    Attributes:
        size: Number of ids.
        stop_ids: The ids that end an output.
        texts: By id: the text, ``mark(id)`` for an id without one, None for a stop id.
    """

    def __init__(self, vocabulary: TokenTexts, size: int) -> None:
        self.size = size
        self.stop_ids = frozenset(vocabulary.stop_ids)
        self.texts: list[str | None] = []
        for token in range(size):
            data = vocabulary.token_bytes(token)
            text = mark(token) if data is None else data.decode("latin-1")
            self.texts.append(None if token in self.stop_ids else text)
        self._named: dict[str, int] = {}
        for token, own in enumerate(self.texts):
            if own is not None:
                self._named.setdefault(own, token)
        self._sorted = sorted(
            (own, token) for token, own in enumerate(self.texts) if own is not None
        )
        self.longest = max(map(len, self._named), default=0)

    def __getitem__(self, text: str) -> int | None:
        """Return the first token with a text, None where there is none."""
        return self._named.get(text)

    def starting_with(self, text: str) -> list[int]:
        """Return the tokens whose text begins with a text."""
        begin = bisect_left(self._sorted, (text, -1))
        end = bisect_left(self._sorted, (text + "\U0010ffff", -1))
        return [token for _, token in self._sorted[begin:end]]

    def spelling(self, text: str) -> list[int]:
        """Return the tokens with just this text; several where a vocabulary has it twice."""
        begin = bisect_left(self._sorted, (text, -1))
        end = bisect_left(self._sorted, (text, self.size))
        return [token for _, token in self._sorted[begin:end]]

    def goes_on(self, text: str) -> bool:
        """Say whether the text can be written otherwise than it ends.

        That is: some token begins with an end of the text, and has more than that.
        """
        for begin in range(len(text)):
            end = text[begin:]
            if len(self.starting_with(end)) > len(self.spelling(end)):
                return True
        return False

    def spell(self, text: str) -> tuple[int, ...] | None:
        """Return tokens with a text, as few as possible; None where no tokens spell it.

        Cost: the length of the text times that of the longest token.
        """
        # shortest[i]: tokens of text[i:] and the first of them; from the end to the beginning.
        shortest: list[tuple[int, int] | None] = [None] * len(text) + [(0, 0)]
        for i in range(len(text) - 1, -1, -1):
            for j in range(i + 1, min(i + self.longest, len(text)) + 1):
                rest, token = shortest[j], self._named.get(text[i:j])
                if rest is None or token is None:
                    continue
                best = shortest[i]
                if best is None or rest[0] + 1 < best[0]:
                    shortest[i] = (rest[0] + 1, token)
        tokens = []
        at = 0
        while at < len(text):
            step = shortest[at]
            if step is None:
                return None
            tokens.append(step[1])
            at += len(self.texts[step[1]] or "")
        return tuple(tokens)

    @cached_property
    def stops(self) -> TokenMask:
        """The stop ids as a mask."""
        return TokenMask.from_ids(self.size, sorted(self.stop_ids))

    @cached_property
    def last_bytes(self) -> NDArray[np.uint8]:
        """By id: the last byte of the text; a blank where there is none."""
        import numpy as np  # noqa: PLC0415 (when needed)

        last = [" " if not text or text[-1] >= mark(0) else text[-1] for text in self.texts]
        return np.frombuffer("".join(last).encode("latin-1"), np.uint8)

    @cached_property
    def trie(self) -> Trie:
        """The texts as a trie; made when first asked for."""
        from formgate.core.decoding._successors import Trie  # noqa: PLC0415 (numpy, and a cycle)

        return Trie(self)

    @cached_property
    def alphabet(self) -> TokenMask:
        """Tokens that spell whatever the vocabulary spells.

        One token for each byte that is a token, all tokens with another byte, all without text.
        """
        single = {text for text in self._named if len(text) == 1}
        ids = [
            token
            for text, token in self._named.items()
            if len(text) == 1 or not single.issuperset(text)
        ]
        return TokenMask.from_ids(self.size, sorted(ids))


def mark(token: int) -> str:
    """Return the character that stands for an id without text."""
    return chr(_MARKS + token)


def token_table(vocabulary: TokenTexts, size: int) -> TokenTable:
    """Return the table of a vocabulary; made once, some 50 ms for 50,000 tokens."""
    return _token_table(vocabulary, size)  # type: ignore[arg-type] # whatever is no value is by identity


@lru_cache(maxsize=8)
def _token_table(vocabulary: Any, size: int) -> TokenTable:
    return TokenTable(vocabulary, size)
