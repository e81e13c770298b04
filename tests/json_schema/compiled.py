"""What the engine makes of a set of numbers or strings, byte by byte."""

from __future__ import annotations

from functools import cache

import formgate
from formgate.core.errors import EmptyLanguageError
from formgate.core.grammar import GrammarBuilder


@cache
def byte_vocabulary():
    """One token for each byte: every text can be spelled in just one way."""
    return formgate.Vocabulary([bytes([byte]) for byte in range(256)] + [None], stop_ids=[256])


def compiled(numbers_or_strings):
    """Return the engine of a set's node, or None where nothing belongs to the set."""
    builder = GrammarBuilder()
    builder.start(numbers_or_strings.node(builder))
    try:
        return builder.build().compile(byte_vocabulary())
    except EmptyLanguageError:
        return None


def acceptor(numbers_or_strings):
    """Return a function that says which texts the engine of a set accepts."""
    engine = compiled(numbers_or_strings)
    return (lambda text: False) if engine is None else engine.accepts


def random_member(engine, chance, length):
    """Return a text of an engine's language, of about this many bytes at most."""
    state, text = engine.start(), bytearray()
    while True:
        if engine.is_accepting(state) and chance.random() < 1 / (1 + max(length - len(text), 0)):
            return text.decode()
        tokens = [token for token in engine.allowed_tokens(state).ids() if token < 256]
        if not tokens:
            return text.decode()
        token = chance.choice(tokens)
        if len(text) > length:
            token = min(tokens, key=lambda one: engine.min_tokens(engine.advance(state, one)))
        state = engine.advance(state, token)
        text.append(token)
