"""Masks of vocabularies with longer tokens, against steps by single bytes."""

from __future__ import annotations

import formgate

__all__ = ["Pair", "lives", "vocabularies"]


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
        right = [
            number
            for number, text in enumerate(self.pieces, 256)
            if lives(self.by_byte, self.state, text)
        ]
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
