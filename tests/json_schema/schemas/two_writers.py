"""One schema by the native writer and by the automaton alone, and their engines side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from compiled import byte_vocabulary

import formgate
from formgate.core.errors import EmptyLanguageError, FormgateError, LimitError
from formgate.plugins.json_schema import _plain

if TYPE_CHECKING:
    import random

__all__ = ["both_ways", "compare", "compiled", "reasoned"]

STATES = 150  # of each pair of engines that are compared


def reasoned(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have everything written by way of the automaton."""
    monkeypatch.setattr(_plain, "plain_writer", lambda *_: None)


def compiled(schema: Any, options: dict[str, Any]) -> Any:
    """Return the engine of a schema, or the type of the error and its words."""
    try:
        return formgate.compile(schema, byte_vocabulary(), format="json_schema", **options)
    except EmptyLanguageError:
        return EmptyLanguageError  # seen at once, or by the engine
    except LimitError:
        return LimitError
    except FormgateError as error:
        return type(error), str(error)


def both_ways(schema: Any, options: dict[str, Any]) -> tuple[Any, Any]:
    """Return what becomes of a schema with and without the native writer."""
    found = compiled(schema, options)
    with pytest.MonkeyPatch.context() as patched:
        reasoned(patched)
        return found, compiled(schema, options)


def compare(one: Any, other: Any, chance: random.Random, *, told: bool = True) -> None:
    """Walk through two engines side by side, at random, for some states.

    Where a schema has several faults, or one that shows in several places, either way may tell
    another one first: then ``told`` is false.
    """
    assert isinstance(one, formgate.Engine) == isinstance(other, formgate.Engine), (one, other)
    if not isinstance(one, formgate.Engine):
        assert one == other or not told
        return
    left, right, steps = one.start(), other.start(), 0
    for _ in range(STATES):
        allowed = sorted(one.allowed_tokens(left).ids())
        assert allowed == sorted(other.allowed_tokens(right).ids())
        assert one.is_accepting(left) == other.is_accepting(right)
        going = [token for token in allowed if token < 256]
        if not going or steps > 60:
            left, right, steps = one.start(), other.start(), 0
            continue
        # Blanks lead nowhere new, and digits hardly anywhere.
        telling = [token for token in going if chr(token) not in " \t\r\n0123456789\\"]
        token = chance.choice(telling if telling and chance.random() < 0.95 else going)
        left, right, steps = one.advance(left, token), other.advance(right, token), steps + 1
