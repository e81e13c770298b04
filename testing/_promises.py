"""The promises of ``MaskEngine``, each a function that yields where an engine breaks it."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from formgate.core.matcher import Matcher
from formgate.testing._trials import Visit, allowed_ids, key_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from formgate.core.protocol import MaskEngine
    from formgate.testing._trials import Trial, Violation

__all__ = ["PROMISES"]

_THREADS = 4
_STEPS = 60


def _sound(trial: Trial) -> Iterator[Violation]:
    """An allowed token can be completed, by tokens, to a text of the language."""
    for visit in trial.visits():
        extra = allowed_ids(trial.engine, visit.state) - trial.judge.mask(visit.text)
        if extra := extra - set(trial.sample.stop_ids):
            yield trial.violation(
                "sound", visit, f"allows {trial.shown(extra)}, which nothing completes"
            )


def _complete(trial: Trial) -> Iterator[Violation]:
    """Every token that can be completed is allowed."""
    visits = trial.visits()
    yield from trial.refused
    for visit in visits:
        missing = trial.judge.text_tokens(visit.text) - allowed_ids(trial.engine, visit.state)
        if missing:
            yield trial.violation(
                "complete", visit, f"forbids {trial.shown(missing)}, which can be completed"
            )


def _end(trial: Trial) -> Iterator[Violation]:
    """Every stop id is allowed, and the state accepting, exactly where the text is complete."""
    stops = frozenset(trial.sample.stop_ids)
    for visit in trial.visits():
        accepted = trial.judge.accepts(visit.text)
        got = allowed_ids(trial.engine, visit.state) & stops
        wanted = stops if accepted else frozenset[int]()
        if got != wanted:
            yield trial.violation(
                "end",
                visit,
                f"allows the stop ids {sorted(got)} and not {sorted(wanted)}: the text is "
                f"{'' if accepted else 'not '}complete",
            )
        says = trial.engine.is_accepting(visit.state)
        if says is not accepted:
            yield trial.violation("end", visit, f"is_accepting says {says!r}, not {accepted}")


def _no_dead_end(trial: Trial) -> Iterator[Violation]:
    """No mask is empty before the output has ended, whatever allowed tokens led there."""
    stops = set(trial.sample.stop_ids)
    for visit in trial.visits():
        allowed = allowed_ids(trial.engine, visit.state)
        if not allowed:
            yield trial.violation("no dead end", visit, "the mask is empty")
        for token in sorted(allowed - stops - trial.judge.text_tokens(visit.text)):
            try:
                after = trial.engine.advance(visit.state, token)
            except (ValueError, LookupError) as error:
                detail = f"allows token {token}, yet advance refuses it: {error!r}"
                yield trial.violation("no dead end", visit, detail)
                continue
            if not allowed_ids(trial.engine, after):
                detail = f"allows token {token}, after which the mask is empty"
                yield trial.violation("no dead end", visit, detail)


def _ended(trial: Trial) -> Iterator[Violation]:
    """After a stop id comes a state that is terminal, accepting, and allows nothing."""
    engine = trial.engine
    for visit in trial.visits():
        if not trial.judge.accepts(visit.text):
            continue
        for stop in sorted(allowed_ids(engine, visit.state) & set(trial.sample.stop_ids)):
            ended = engine.advance(visit.state, stop)
            after = Visit((*visit.tokens, stop), visit.text, ended)
            if allowed := allowed_ids(engine, ended):
                yield trial.violation("ended", after, f"allows {sorted(allowed)} after a stop id")
            if not engine.is_terminal(ended):
                yield trial.violation("ended", after, "is not terminal after a stop id")
            if not engine.is_accepting(ended):
                yield trial.violation("ended", after, "is not accepting after a stop id")
            taken = [t for t in range(len(trial.sample.tokens)) if _takes(engine, ended, t)]
            if taken:
                yield trial.violation("ended", after, f"takes {taken} after a stop id")


def _terminal(trial: Trial) -> Iterator[Violation]:
    """A state is terminal exactly where nothing but the end may come."""
    for visit in trial.visits():
        wanted = not trial.judge.text_tokens(visit.text)
        says = trial.engine.is_terminal(visit.state)
        if says is not wanted:
            yield trial.violation("terminal", visit, f"is_terminal says {says!r}, not {wanted}")


def _path_independence(trial: Trial) -> Iterator[Violation]:
    """Two spellings of one text lead to equal keys, masks and ends."""
    first: dict[bytes, Visit] = {}
    for visit in trial.visits():
        other = first.setdefault(visit.text, visit)
        if key_of(visit.state) != key_of(other.state):
            detail = f"another key than after {list(other.tokens)}, the same text"
            yield trial.violation("path independence", visit, detail)
        if _answers(trial.engine, visit.state) != _answers(trial.engine, other.state):
            detail = f"another mask or end than after {list(other.tokens)}, the same text"
            yield trial.violation("path independence", visit, detail)


def _keys(trial: Trial) -> Iterator[Violation]:
    """Equal keys mean equal futures, and a key is bytes; engines may go without."""
    first: dict[object, Visit] = {}
    for visit in trial.visits():
        key = key_of(visit.state)
        if key is None:
            return
        if not isinstance(key, bytes):
            yield trial.violation("keys", visit, f"the key is a {type(key).__name__}, not bytes")
            return
        other = first.setdefault(key, visit)
        if _known(trial, visit) != _known(trial, other):
            detail = f"the key of {other.text!r}, after which other tokens may come"
            yield trial.violation("keys", visit, detail)


def _refusal(trial: Trial) -> Iterator[Violation]:
    """A token that is not allowed raises ValueError, and the state stays as good as before."""
    engine, size = trial.engine, len(trial.sample.tokens)
    outside = (-1, size, size + 31, 2**31, 2**63, -(2**40))
    for visit in trial.visits():
        before, key = _answers(engine, visit.state), key_of(visit.state)
        wanted = trial.judge.mask(visit.text)
        for token in (*range(size), *outside):
            if token in wanted:
                continue
            try:
                engine.advance(visit.state, token)
            except (ValueError, LookupError):
                continue
            except Exception as error:  # noqa: BLE001 (whatever it is, it is the finding)
                detail = f"advance raises {error!r} for token {token}, no ValueError"
            else:
                detail = f"advance takes token {token}, which is not allowed"
            yield trial.violation("refusal", visit, detail)
        if _answers(engine, visit.state) != before or key_of(visit.state) != key:
            yield trial.violation("refusal", visit, "a refused token changed the state")


def _no_history(trial: Trial) -> Iterator[Violation]:
    """A mask is a function of the state: order, repetition and another engine change nothing."""
    visits = trial.visits()
    forward = {visit.tokens: _answers(trial.engine, visit.state) for visit in visits}
    for visit in reversed(visits):
        if _answers(trial.engine, visit.state) != forward[visit.tokens]:
            yield trial.violation("no history", visit, "the answer changed when asked again")
    fresh = trial.make()
    for visit in reversed(visits):
        state = _after(fresh, visit.tokens)
        if state is None:
            yield trial.violation("no history", visit, "another engine refuses these tokens")
        elif _answers(fresh, state) != forward[visit.tokens]:
            yield trial.violation("no history", visit, "another engine, asked backwards, differs")


def _threads(trial: Trial) -> Iterator[Violation]:
    """Threads that share an engine get the answers that one alone gets."""
    engine = trial.make()
    visits = trial.visits()

    def ask(seed: int) -> list[Visit]:
        order = list(visits)
        random.Random(seed).shuffle(order)
        return [
            visit
            for visit in order
            if (state := _after(engine, visit.tokens)) is None
            or allowed_ids(engine, state) != wanted[visit.tokens]
        ]

    wanted = {visit.tokens: allowed_ids(trial.engine, visit.state) for visit in visits}
    with ThreadPoolExecutor(_THREADS) as pool:
        for wrong in pool.map(ask, range(_THREADS)):
            for visit in wrong:
                yield trial.violation("threads", visit, "another mask in a thread")


def _masks(trial: Trial) -> Iterator[Violation]:
    """A mask speaks of the whole vocabulary, and all ways to read it agree."""
    size = len(trial.sample.tokens)
    for visit in trial.visits():
        mask = trial.engine.allowed_tokens(visit.state)
        allowed = allowed_ids(trial.engine, visit.state)
        facts = {
            "size": (mask.size, size),
            "len": (len(mask), len(allowed)),
            "to_list": (mask.to_list(), sorted(allowed)),
            "in": ([t for t in range(size) if t in mask], sorted(allowed)),
            "fill": (_filled(mask.fill, size), _words(allowed, size)),
        }
        for what, (got, wanted) in facts.items():
            if got != wanted:
                yield trial.violation("masks", visit, f"{what} gives {got}, not {wanted}")


def _rollback(trial: Trial) -> Iterator[Violation]:
    """Accepting, rolling back and forking in any order leads to the same masks."""
    rng = random.Random(0)
    matcher: Matcher[Any] = Matcher(trial.engine)
    texts: list[bytes] = [b""]
    for _ in range(_STEPS):
        here = Visit(matcher.tokens, texts[-1], matcher.state)
        if frozenset(matcher.allowed_tokens().to_list()) != trial.judge.mask(texts[-1]):
            yield trial.violation("rollback", here, "another mask after rolling back and forking")
            return
        tokens = sorted(trial.judge.text_tokens(texts[-1]))
        if not tokens or len(texts) > trial.sample.depth or rng.random() < 0.3:
            count = rng.randint(0, len(texts) - 1)
            matcher.rollback(count)
            texts = texts[: len(texts) - count]
        else:
            token = rng.choice(tokens)
            fork = matcher.fork()
            if not matcher.accept(token):
                yield trial.violation("rollback", here, f"refuses token {token}")
                return
            texts.append(texts[-1] + trial.judge.text_of[token])
            matcher, fork = (fork, matcher) if rng.random() < 0.2 else (matcher, fork)
            texts = texts[: len(matcher.tokens) + 1]


PROMISES: dict[str, Callable[[Trial], Iterator[Violation]]] = {
    "sound": _sound,
    "complete": _complete,
    "end": _end,
    "no dead end": _no_dead_end,
    "ended": _ended,
    "terminal": _terminal,
    "path independence": _path_independence,
    "keys": _keys,
    "refusal": _refusal,
    "no history": _no_history,
    "threads": _threads,
    "masks": _masks,
    "rollback": _rollback,
}
"""What every engine promises, by the names that ``Violation.promise`` has."""


def _answers(engine: MaskEngine[Any], state: Any) -> tuple[frozenset[int], bool, bool]:
    return allowed_ids(engine, state), engine.is_accepting(state), engine.is_terminal(state)


def _known(trial: Trial, visit: Visit) -> tuple[frozenset[int], bool]:
    return trial.judge.mask(visit.text), trial.judge.accepts(visit.text)


def _after(engine: MaskEngine[Any], tokens: Sequence[int]) -> Any:
    """Return the state after some tokens; None where one is refused."""
    state = engine.start()
    for token in tokens:
        try:
            state = engine.advance(state, token)
        except (ValueError, LookupError):
            return None
    return state


def _takes(engine: MaskEngine[Any], state: Any, token: int) -> bool:
    try:
        engine.advance(state, token)
    except (ValueError, LookupError):
        return False
    return True


def _filled(fill: Callable[[Any], None], size: int) -> list[int]:
    """Return the words that ``fill`` writes to a row of ones."""
    import numpy as np  # noqa: PLC0415 (takes 75 ms; masks load it anyway)

    row = np.full((size + 31) // 32, -1, dtype=np.int32)
    fill(row)
    return [int(word) for word in row.view(np.uint32)]


def _words(ids: frozenset[int], size: int) -> list[int]:
    """Return the words of a mask: id i is bit ``i % 32`` of word ``i // 32``."""
    words = [0] * ((size + 31) // 32)
    for token in ids:
        words[token // 32] |= 1 << token % 32
    return words
