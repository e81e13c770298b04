"""All texts of a schema that has few."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import formgate

MOST_TEXTS = 4000
PLAIN = {"whitespace": "compact", "escapes": "canonical"}
"""Options under which a value is written in one way only."""


def written_out(engine: formgate.Engine) -> set[str]:
    """Return all texts of a finite language, by its masks over single bytes."""
    found, work = set(), [(engine.start(), b"")]
    while work:
        state, text = work.pop()
        ids = engine.allowed_tokens(state).to_list()
        assert ids, text
        for token in ids:
            if token == 256:
                found.add(text.decode())
            else:
                work.append((engine.advance(state, token), text + bytes([token])))
        assert len(found) <= MOST_TEXTS
    return found
