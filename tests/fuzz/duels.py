"""The duels: what is held against what. A new format or engine adds an entry to `DUELS`.

A duel draws its case from a seed and returns what disagreed, or None. It calls `stage` before it
enters native code and before it enters a judge, so that whoever watches the process knows whose
crash or hang it was. Whatever a judge cannot afford is an abstention, never a finding.
"""

from __future__ import annotations

import random
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from oracle.native import try_oracle
from oracle.tree import uses

import formgate
from formgate.core import _native
from fuzz.cases import Case, draw_case
from fuzz.contenders import (
    CONTENDERS,
    LOOKS,
    REFERENCE_PATTERN,
    SWITCHES,
    Abstains,
    Contender,
    native,
    pattern_of,
    reference,
    without,
)
from fuzz.grammars import draw_grammar_case, source_of
from fuzz.rewrites import rewritten

if TYPE_CHECKING:
    from collections.abc import Callable

    from oracle.strategies import TinyVocabulary

_MOST_STATES = 40
_DEPTH = 6
_REFUSALS = (formgate.UnsupportedConstraint, formgate.LimitError)


@dataclass(frozen=True)
class Finding:
    """A disagreement.

    Attributes:
        claim: What should have held.
        after: The text before the masks that differ.
    """

    claim: str
    after: bytes = b""


@dataclass(frozen=True)
class Duel:
    """Two ways to one answer."""

    name: str
    fight: Callable[[Case, Callable[[str], None]], Finding | None]
    draw_from: Callable[[str], Case] = draw_case

    def draw(self, seed: str) -> Case:
        """The case of a seed."""
        return self.draw_from(f"{self.name}:{seed}")


# ---------------------------------------------------------------------------- walking


def engine_or_none(make: Callable[[], Any]) -> Any:
    """The engine, or None where the language is empty; abstains where it is refused."""
    try:
        return make()
    except formgate.EmptyLanguageError:
        return None
    except _REFUSALS as error:
        raise Abstains(f"refused: {type(error).__name__}") from error


def texts_of(tiny: TinyVocabulary) -> dict[int, bytes]:
    never = {*tiny.stop_ids, *tiny.special.values()}
    return {i: text for i, text in enumerate(tiny.tokens) if text and i not in never}


def visits(engine: Any, tiny: TinyVocabulary, seed: int) -> list[tuple[tuple[int, ...], Any]]:
    """States that tokens lead to: breadth first, each key twice at most, in a drawn order."""
    rng = random.Random(seed)
    texts = texts_of(tiny)
    queue: list[tuple[tuple[int, ...], Any]] = [((), engine.start())]
    seen: dict[Any, int] = {}
    found = []
    for tokens, state in queue:
        if seen.get(state.key, 0) == 2 or len(found) == _MOST_STATES:
            continue
        seen[state.key] = seen.get(state.key, 0) + 1
        found.append((tokens, state))
        if len(tokens) < _DEPTH:
            allowed = [t for t in engine.allowed_tokens(state).to_list() if t in texts]
            rng.shuffle(allowed)
            queue += [((*tokens, t), engine.advance(state, t)) for t in allowed]
    return found


def answers(engine: Any, state: Any) -> tuple[list[int], bool, bool]:
    return (
        [int(token) for token in engine.allowed_tokens(state).ids()],
        engine.is_accepting(state),
        engine.is_terminal(state),
    )


def same(one: Any, other: Any, case: Case, what: str) -> Finding | None:
    """Two engines give the same answers wherever the first one's tokens lead."""
    if (one is None) is not (other is None):
        return Finding(f"{what}: only one of them says that the language is empty")
    if one is None:
        return None
    texts = texts_of(case.vocabulary)
    for tokens, state in visits(one, case.vocabulary, case.seed):
        text = b"".join(texts[token] for token in tokens)
        there = other.start()
        try:
            for token in tokens:
                there = other.advance(there, token)
        except ValueError:
            return Finding(f"{what}: only one of them takes these tokens", text)
        if answers(one, state) != answers(other, there):
            return Finding(f"{what}: {answers(one, state)} and {answers(other, there)}", text)
    return None


# ---------------------------------------------------------------------------- the duels


def against_reference(case: Case, stage: Callable[[str], None]) -> Finding | None:
    """The native engine and the formal model."""
    stage("native")
    one = engine_or_none(lambda: native(case.tree, case.vocabulary, {}))
    stage("judge")
    other = engine_or_none(lambda: reference(case.tree, case.vocabulary, {}))
    return same(one, other, case, "native and reference")


def against_reference_with_rules(case: Case, stage: Callable[[str], None]) -> Finding | None:
    """The same for grammars, whose every split into terminals counts."""
    source = source_of(case.tree)
    stage("native")
    one = engine_or_none(lambda: native(source, case.vocabulary, {}))
    stage("judge")
    other = engine_or_none(lambda: reference(source, case.vocabulary, {}))
    return same(one, other, case, "native and reference")


def draw_plain_case(seed: str) -> Case:
    """A language without look-around, intersection and complement."""
    return draw_case(seed, looks=False)


def against_judge(case: Case, stage: Callable[[str], None]) -> Finding | None:
    """The native engine and boolean derivatives, lifted to tokens."""
    stage("judge")
    oracle = try_oracle(case.tree, case.vocabulary, budget=200)
    if oracle is None:
        raise Abstains("the judge's search is too large")
    stage("native")
    engine = engine_or_none(lambda: native(case.tree, case.vocabulary, {}))
    if (engine is None) is not oracle.is_empty:
        return Finding("native and judge: only one of them says that the language is empty")
    texts = texts_of(case.vocabulary)
    for tokens, state in visits(engine, case.vocabulary, case.seed) if engine else ():
        text = b"".join(texts[token] for token in tokens)
        judged = oracle.machine.walk(oracle.start, text)
        got, wanted = set(engine.allowed_tokens(state).to_list()), oracle.mask(judged)
        if got != wanted or engine.is_accepting(state) is not oracle.accepts_here(judged):
            return Finding(f"native allows {sorted(got)}, the judge {sorted(wanted)}", text)
    return None


def against_re(case: Case, stage: Callable[[str], None]) -> Finding | None:
    """Texts that tokens spell, against `re.fullmatch` of the same language as a pattern."""
    if uses(case.tree, LOOKS):
        raise Abstains("the tree has no pattern")
    try:
        pattern = pattern_of(case.tree)
    except UnicodeDecodeError as error:
        raise Abstains("the tree has no pattern") from error
    if pattern is None or len(pattern) > REFERENCE_PATTERN:
        raise Abstains("the tree has no pattern")
    stage("native")
    by_tree = engine_or_none(lambda: native(case.tree, case.vocabulary, {}))
    by_pattern = engine_or_none(lambda: native(pattern, case.vocabulary, {}))
    found = same(by_tree, by_pattern, case, "tree and pattern")
    if found is not None or by_tree is None:
        return found
    texts = texts_of(case.vocabulary)
    compiled = re.compile(pattern)
    for tokens, state in visits(by_tree, case.vocabulary, case.seed):
        text = b"".join(texts[token] for token in tokens)
        try:
            matched = compiled.fullmatch(text.decode()) is not None
        except UnicodeDecodeError:
            matched = False
        if by_tree.is_accepting(state) is not matched or by_tree.accepts(text) is not matched:
            return Finding(f"re.fullmatch says {matched}", text)
    return None


def against_rewritten(case: Case, stage: Callable[[str], None]) -> Finding | None:
    """The same language written otherwise."""
    other_tree = rewritten(case.tree, random.Random(case.seed))
    stage("native")
    one = engine_or_none(lambda: native(case.tree, case.vocabulary, {}))
    other = engine_or_none(lambda: native(other_tree, case.vocabulary, {}))
    return same(one, other, case, f"the tree and {other_tree!r}")


def against_switches(case: Case, stage: Callable[[str], None]) -> Finding | None:
    """Optimisations off, other front ends: each of them against the engine as it comes."""
    stage("native")
    rng = random.Random(case.seed)
    one = engine_or_none(lambda: native(case.tree, case.vocabulary, {}))
    off = tuple(name for name in SWITCHES if rng.random() < 0.5)
    rules = next(c for c in CONTENDERS if c.name == "native by rules")
    for contender in (Contender(f"native without {off}", without(*off)), rules):
        other = engine_or_none(lambda c=contender: c.make(case.tree, case.vocabulary, {}))
        found = same(one, other, case, f"native and {contender}")
        if found is not None:
            return found
    return None


def against_history(case: Case, stage: Callable[[str], None]) -> Finding | None:
    """Rollback, forks, batches, threads and emptied caches change no mask."""
    stage("native")
    engine = engine_or_none(lambda: native(case.tree, case.vocabulary, {}))
    if engine is None:
        return None
    known = visits(engine, case.vocabulary, case.seed)
    wanted = [answers(engine, state) for _, state in known]
    texts = texts_of(case.vocabulary)
    for name, ask in (
        ("a batch", _by_batch),
        ("rollback and forks", _by_matcher),
        ("emptied caches", _by_small_caches),
        ("threads", _by_threads),
    ):
        for (tokens, _), mask, got in zip(known, wanted, ask(case, engine, known), strict=True):
            if got != mask[0]:
                text = b"".join(texts[token] for token in tokens)
                return Finding(f"{name} gives {got}, not {mask[0]}", text)
    return None


def _by_batch(case: Case, engine: Any, known: Any) -> list[list[int]]:
    size = len(case.vocabulary.tokens)
    rows = np.full((len(known), (size + 31) // 32), -1, dtype=np.int32)
    engine.fill_masks([state for _, state in known], rows, 1 + case.seed % 3)
    bits = np.unpackbits(rows.view(np.uint8), axis=1, bitorder="little")
    return [np.flatnonzero(row).tolist() for row in bits]


def _by_matcher(case: Case, engine: Any, known: Any) -> list[list[int]]:
    """One matcher taken from state to state by rolling back to what two of them share."""
    matcher = formgate.Matcher(engine)
    rng = random.Random(case.seed)
    found: dict[int, list[int]] = {}
    for index in rng.sample(range(len(known)), len(known)):
        tokens = known[index][0]
        shared = 0
        while shared < min(len(tokens), len(matcher.tokens)) and (
            tokens[shared] == matcher.tokens[shared]
        ):
            shared += 1
        if rng.random() < 0.3:
            matcher = matcher.fork()
        matcher.rollback(len(matcher.tokens) - shared)
        for token in tokens[shared:]:
            matcher.accept(token)
        found[index] = matcher.allowed_tokens().to_list()
    return [found[index] for index in range(len(known))]


def _by_small_caches(case: Case, engine: Any, known: Any) -> list[list[int]]:
    _native.set_mask_budget(1_000)
    _native.set_pool_budget(1_000)
    try:
        fresh = native(case.tree, case.vocabulary, {})
        return [_masks_after(fresh, tokens) for tokens, _ in reversed(known)][::-1]
    finally:
        _native.set_mask_budget(128 << 20)
        _native.set_pool_budget(256 << 20)


def _by_threads(case: Case, engine: Any, known: Any) -> list[list[int]]:
    fresh = native(case.tree, case.vocabulary, {})
    with ThreadPoolExecutor(3) as pool:
        return list(pool.map(lambda visit: _masks_after(fresh, visit[0]), known))


def _masks_after(engine: Any, tokens: tuple[int, ...]) -> list[int]:
    return engine.allowed_tokens(engine.advance_many(engine.start(), list(tokens))).to_list()


DUELS: dict[str, Duel] = {
    duel.name: duel
    for duel in (
        Duel("reference", against_reference, draw_plain_case),
        Duel("grammars", against_reference_with_rules, draw_grammar_case),
        Duel("judge", against_judge),
        Duel("re", against_re, draw_plain_case),
        Duel("rewriting", against_rewritten),
        Duel("switches", against_switches),
        Duel("history", against_history),
    )
}
"""By name. A later format adds a duel of its own: how to draw a case is a duel's own affair."""
