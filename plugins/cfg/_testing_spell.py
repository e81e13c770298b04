"""Ways to spell a text with the tokens of a vocabulary.

A grammar's masks must allow every one of them. Which places of the text can be reached from its end
is found first, in one pass from the back, so that a random choice never leads nowhere. Cost: the
length of the text times that of the longest token, once for each text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from formgate.core.vocabulary import Vocabulary

if TYPE_CHECKING:
    import random
    from collections.abc import Iterable

__all__ = ["Speller", "made_up_vocabulary"]

_LONGEST_TOKEN = 64
_MADE_UP_TOKENS = 400


class Speller:
    """Spells texts.

    Args:
        vocabulary: The tokens.
    """

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._ids: dict[bytes, list[int]] = {}
        for token in range(len(vocabulary)):
            data = vocabulary.token_bytes(token)
            if data and len(data) <= _LONGEST_TOKEN:
                self._ids.setdefault(data, []).append(token)
        self._longest = max(map(len, self._ids), default=0)

    def lattice(self, data: bytes) -> list[list[int]] | None:
        """Return for each place the lengths of tokens that lead on; None if there is no spelling.

        Longest first; only those from which the end can be reached.
        """
        lengths: list[list[int]] = [[] for _ in range(len(data) + 1)]
        live = [False] * len(data) + [True]
        for place in range(len(data) - 1, -1, -1):
            lengths[place] = [
                length
                for length in range(min(self._longest, len(data) - place), 0, -1)
                if live[place + length] and data[place : place + length] in self._ids
            ]
            live[place] = bool(lengths[place])
        return lengths if live[0] else None

    def longest(self, data: bytes, lattice: list[list[int]]) -> list[int]:
        """Return the spelling that takes the longest token at each place."""
        tokens, place = [], 0
        while place < len(data):
            length = lattice[place][0]
            tokens.append(self._ids[data[place : place + length]][0])
            place += length
        return tokens

    def random(self, data: bytes, lattice: list[list[int]], chance: random.Random) -> list[int]:
        """Return a spelling at random."""
        tokens, place = [], 0
        while place < len(data):
            length = chance.choice(lattice[place])
            tokens.append(chance.choice(self._ids[data[place : place + length]]))
            place += length
        return tokens


def made_up_vocabulary(texts: Iterable[bytes], chance: random.Random) -> Vocabulary:
    """Return a vocabulary of all bytes, and of pieces of some texts that begin and end anywhere."""
    usable = [text for text in texts if len(text) > 1]
    pieces: set[bytes] = set()
    for _ in range(_MADE_UP_TOKENS if usable else 0):
        text = chance.choice(usable)
        begin = chance.randrange(len(text))
        pieces.add(text[begin : begin + chance.choice((2, 2, 3, 4, 8))])
    tokens = [*(bytes([byte]) for byte in range(256)), *sorted(p for p in pieces if len(p) > 1)]
    return Vocabulary([*tokens, None], stop_ids=[len(tokens)])
