"""What engines may offer beyond the protocol; where they do, it must agree with the masks.

The names and meanings are those of ``formgate.Engine``.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

from formgate.testing._trials import allowed_ids, key_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from formgate.testing._trials import Trial, Violation, Visit

__all__ = ["OFFERED"]

_DRAFTS = 3
_DRAFT_LENGTH = 5


def _is_allowed(trial: Trial) -> Iterator[Violation]:
    """``is_allowed(state, token)`` says whether the mask holds the token."""
    engine: Any = trial.engine
    for visit in trial.visits():
        wanted = trial.judge.mask(visit.text)
        for token in range(len(trial.sample.tokens)):
            if engine.is_allowed(visit.state, token) is not (token in wanted):
                yield trial.violation("is_allowed", visit, f"wrong about token {token}")


def _validate(trial: Trial) -> Iterator[Violation]:
    """``validate(state, tokens)`` counts the leading tokens that could be accepted."""
    engine: Any = trial.engine
    for visit, draft in _drafts(trial):
        got, wanted = engine.validate(visit.state, draft), _leading(trial, visit.text, draft)
        if got != wanted:
            yield trial.violation("validate", visit, f"takes {got} of {draft}, not {wanted}")


def _advance_many(trial: Trial) -> Iterator[Violation]:
    """``advance_many(state, tokens)`` is one ``advance`` after the other."""
    engine: Any = trial.engine
    for visit, draft in _drafts(trial):
        wanted = _leading(trial, visit.text, draft)
        try:
            state = engine.advance_many(visit.state, draft)
        except (ValueError, LookupError):
            if wanted == len(draft):
                yield trial.violation("advance_many", visit, f"refuses {draft}")
            continue
        if wanted != len(draft):
            yield trial.violation("advance_many", visit, f"takes {draft}")
            continue
        one = visit.state
        for token in draft:
            one = engine.advance(one, token)
        if key_of(one) != key_of(state) or allowed_ids(engine, one) != allowed_ids(engine, state):
            yield trial.violation("advance_many", visit, f"{draft} leads to another state")


def _fill_mask(trial: Trial) -> Iterator[Violation]:
    """``fill_mask(state, out, row)`` writes the mask's words to one row and no other."""
    import numpy as np  # noqa: PLC0415 (takes 75 ms; masks load it anyway)

    engine: Any = trial.engine
    for visit in trial.visits():
        rows = np.full((3, (len(trial.sample.tokens) + 31) // 32), -1, dtype=np.int32)
        engine.fill_mask(visit.state, rows, 1)
        if not np.array_equal(rows[1], _row(engine, visit.state)):
            yield trial.violation("fill_mask", visit, "the row differs from the mask")
        if not ((rows[0] == -1).all() and (rows[2] == -1).all()):
            yield trial.violation("fill_mask", visit, "another row was written")


def _fill_masks(trial: Trial) -> Iterator[Violation]:
    """``fill_masks(states, out, threads)`` writes one mask a row, whatever the batch is."""
    import numpy as np  # noqa: PLC0415 (as above)

    engine: Any = trial.engine
    visits = list(trial.visits())
    random.Random(1).shuffle(visits)
    rows = np.full((len(visits), (len(trial.sample.tokens) + 31) // 32), -1, dtype=np.int32)
    for threads in (1, 3):
        engine.fill_masks([visit.state for visit in visits], rows, threads)
        for visit, row in zip(visits, rows, strict=True):
            if not np.array_equal(row, _row(engine, visit.state)):
                yield trial.violation("fill_masks", visit, f"a row differs, {threads} threads")


def _forced_text(trial: Trial) -> Iterator[Violation]:
    """Every complete continuation of tokens begins with ``forced_text(state)``."""
    engine: Any = trial.engine
    for visit in trial.visits():
        forced = engine.forced_text(visit.state)
        for more in trial.judge.completions(visit.text):
            if not more.startswith(forced):
                yield trial.violation("forced_text", visit, f"{forced!r}, but {more!r} completes")
                break


def _min_tokens(trial: Trial) -> Iterator[Violation]:
    """``min_tokens(state)`` is the least number of text tokens to a complete text."""
    engine: Any = trial.engine
    for visit in trial.visits():
        got, wanted = engine.min_tokens(visit.state), trial.judge.min_tokens(visit.text)
        if got != wanted:
            yield trial.violation("min_tokens", visit, f"{got}, not {wanted}")


def _accepts(trial: Trial) -> Iterator[Violation]:
    """``accepts(text)`` says whether a text is in the language, however it might be spelled."""
    engine: Any = trial.engine
    letters = sorted({byte for piece in trial.judge.text_of.values() for byte in piece})
    for visit in trial.visits():
        for text in (visit.text, *(visit.text + bytes([letter]) for letter in letters)):
            wanted = trial.judge.accepts(text)
            if engine.accepts(text) is not wanted:
                yield trial.violation("accepts", visit, f"wrong about {text!r}: it is {wanted}")


def _is_prefix(trial: Trial) -> Iterator[Violation]:
    """``is_prefix(text)`` holds at least for whatever tokens can complete."""
    engine: Any = trial.engine
    for visit in trial.visits():
        if not engine.is_prefix(visit.text):
            yield trial.violation("is_prefix", visit, "denied, yet tokens complete it")


OFFERED: dict[str, Callable[[Trial], Iterator[Violation]]] = {
    "is_allowed": _is_allowed,
    "validate": _validate,
    "advance_many": _advance_many,
    "fill_mask": _fill_mask,
    "fill_masks": _fill_masks,
    "forced_text": _forced_text,
    "min_tokens": _min_tokens,
    "accepts": _accepts,
    "is_prefix": _is_prefix,
}
"""What is checked only where an engine has a method of that name."""


def _drafts(trial: Trial) -> Iterator[tuple[Visit, list[int]]]:
    """Yield token sequences to try from each state: none, allowed ones, and ones that go wrong."""
    rng = random.Random(2)
    size = len(trial.sample.tokens)
    for visit in trial.visits():
        yield visit, []
        for _ in range(_DRAFTS):
            draft: list[int] = []
            text = visit.text
            for _ in range(rng.randint(1, _DRAFT_LENGTH)):
                good = sorted(trial.judge.mask(text))
                token = rng.choice(good) if good and rng.random() < 0.8 else rng.randrange(size)
                draft.append(token)
                text += trial.judge.text_of.get(token, b"")
            yield visit, draft


def _leading(trial: Trial, text: bytes, draft: list[int]) -> int:
    """Return how many leading tokens of a draft may be taken after ``text``."""
    for count, token in enumerate(draft):
        if token not in trial.judge.mask(text):
            return count
        if token in trial.sample.stop_ids:
            return count + 1
        text += trial.judge.text_of[token]
    return len(draft)


def _row(engine: Any, state: Any) -> Any:
    """Return the words of a mask as a row of int32."""
    import numpy as np  # noqa: PLC0415 (as above)

    row = np.zeros((engine.allowed_tokens(state).size + 31) // 32, dtype=np.int32)
    engine.allowed_tokens(state).fill(row)
    return row
