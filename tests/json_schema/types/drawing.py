"""Random texts of an engine over bytes, and texts that one of a pydantic type has to judge."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import formgate

if TYPE_CHECKING:
    import random

STOP = 256
CLOSING = b'"]},:'
ZERO = re.compile(rb"(?<![0-9.eE+-])-?0$")


def drawn(engine: Any, source: random.Random, soft: int = 40, hard: int = 2000) -> str | None:
    """A random text of an engine over bytes, brought to an end after some bytes if it can be."""
    state, text = engine.start(), bytearray()
    while len(text) < hard:
        allowed = engine.allowed_tokens(state).to_list()
        if STOP in allowed and (len(allowed) == 1 or len(text) > soft or source.random() < 0.3):
            return text.decode()
        going = [token for token in allowed if token != STOP and token not in b" \t\r\n"]
        closing = [token for token in going if token in CLOSING]
        if len(text) > soft and closing:
            going = closing
        # Numbers of more digits than are read are left out: only zeros have exponents.
        if text and text[-1] in b"0123456789" and ord("a") not in going and not ZERO.search(text):
            going = [token for token in going if token not in b"eE"] or going
        text.append(source.choice(going))
        state = engine.advance(state, text[-1])
    return None


def checked(
    reader: Any, good: list[str], bad: list[str], vocabulary: formgate.Vocabulary
) -> formgate.Engine:
    """An engine of a pydantic type that judges these texts; pydantic reads the good ones."""
    engine = formgate.compile(reader, vocabulary)
    assert [text for text in good if not engine.accepts(text)] == []
    assert [text for text in bad if engine.accepts(text)] == []
    for text in good:
        reader.validate_json(text)
    return engine
