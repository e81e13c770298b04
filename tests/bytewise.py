"""Masks of vocabularies with longer tokens, against steps by single bytes."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from oracle.machine import in_order

import formgate

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Pair", "lives", "living", "vocabularies"]


def vocabularies(pieces: list[bytes]) -> tuple[formgate.Vocabulary, formgate.Vocabulary]:
    """Return the bytes alone, and the bytes with longer tokens, whose ids count from 256."""
    single = [bytes([i]) for i in range(256)]
    longer = [*single, *pieces]
    return (
        formgate.Vocabulary([*single, None], stop_ids=[256]),
        formgate.Vocabulary([*longer, None], stop_ids=[len(longer)]),
    )


def lives(engine: formgate.Engine, state: formgate.State, text: bytes) -> bool:
    """Say whether an engine of single bytes allows the bytes of a text one after another."""
    for byte in text:
        if not engine.is_allowed(state, byte):
            return False
        state = engine.advance(state, byte)
    return True


@functools.cache
def _in_order(texts: tuple[bytes, ...]) -> list[tuple[int, bytes]]:
    return in_order(texts)


def living(engine: formgate.Engine, state: formgate.State, texts: Sequence[bytes]) -> list[int]:
    """Return the places of the texts that live; a beginning that many share is walked once."""
    alive = set()
    after = [state]  # one state for each byte of the last text, up to where it ends to live
    for shared, text in _in_order(tuple(texts)):
        if shared >= len(after):
            continue  # it begins with what does not live
        del after[shared + 1 :]
        for byte in text[shared:]:
            if not engine.is_allowed(after[-1], byte):
                break
            after.append(engine.advance(after[-1], byte))
        else:
            alive.add(text)
    return [place for place, text in enumerate(texts) if text in alive]


class Pair:
    """An engine of single bytes and one of longer tokens, after the same text.

    Args:
        by_byte: The engine of single bytes.
        by_token: That of the longer tokens, too.
        pieces: These tokens.
    """

    def __init__(
        self, by_byte: formgate.Engine, by_token: formgate.Engine, pieces: list[bytes]
    ) -> None:
        self.by_byte, self.by_token, self.pieces = by_byte, by_token, pieces
        self.state, self.other = by_byte.start(), by_token.start()
        self.before = b""

    def check(self) -> tuple[list[int], list[int]]:
        """Assert that the mask is what bytes allow; return the bytes and the tokens in it."""
        last = 256 + len(self.pieces)
        found = self.by_token.allowed_tokens(self.other).to_list()
        singles = [byte for byte in range(256) if self.by_byte.is_allowed(self.state, byte)]
        assert [token for token in found if token < 256] == singles, self.before
        right = [256 + place for place in living(self.by_byte, self.state, self.pieces)]
        assert [token for token in found if 256 <= token < last] == right, self.before
        ends = self.by_byte.is_accepting(self.state)
        assert ends == self.by_token.is_accepting(self.other) == (last in found), self.before
        return singles, right

    def advance(self, token: int) -> None:
        """Take a token in both."""
        text = self.pieces[token - 256] if token >= 256 else bytes([token])
        self.before += text
        self.other = self.by_token.advance(self.other, token)
        self.state = self.by_byte.advance_many(self.state, list(text))
