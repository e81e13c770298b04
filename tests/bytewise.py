"""Masks of vocabularies with longer tokens, against steps by single bytes."""

from __future__ import annotations

import formgate

__all__ = ["lives", "vocabularies"]


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
