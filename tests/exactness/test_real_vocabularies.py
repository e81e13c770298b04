"""Whole masks on vocabularies of real size: each token of 131k and 151k judged one by one."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import numpy as np
import pytest
from oracle.dense import DenseOracle, TokenTable
from oracle.from_re import tree_of_pattern
from oracle.machine import TooLarge
from oracle.native import native_vocabulary
from oracle.vocabularies import qwen, tekken

import formgate

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_FILE = Path(__file__).resolve().parent.parent / "data" / "regexes.toml"
CASES = tomllib.loads(_FILE.read_text(encoding="utf-8"))["case"]
# the judge takes half a minute for the states of this one
_HEAVY = {"word_600_list"}
_STATES = 8
_READERS = {"tekken": tekken, "qwen": qwen}


class Loaded:
    """A real vocabulary for the judge and for the engine."""

    def __init__(self, name: str) -> None:
        tiny = _READERS[name]()
        if tiny is None:
            pytest.skip(f"the package with the {name} vocabulary is not installed")
        self.tiny = tiny
        self.table = TokenTable(tiny.tokens)
        self.native = native_vocabulary(tiny)
        self.ids_of: dict[bytes, list[int]] = {}
        for number, text in enumerate(tiny.tokens):
            if text:
                self.ids_of.setdefault(text, []).append(number)


@pytest.fixture(scope="module", params=sorted(_READERS))
def loaded(request):
    return Loaded(request.param)


def random_spelling(text: bytes, ids_of: dict[bytes, list[int]], seed: str) -> list[int]:
    """Tokens that spell a text, drawn among all that fit at each place."""
    rng = random.Random(seed)
    tokens = []
    while text:
        fitting = [n for n in range(1, min(24, len(text)) + 1) if text[:n] in ids_of]
        length = rng.choice([fitting[-1], rng.choice(fitting)])
        tokens.append(rng.choice(ids_of[text[:length]]))
        text = text[length:]
    return tokens


def check_case(case, loaded, states):
    """Masks along random spellings of matching texts, whole, against the judge."""
    judge = DenseOracle(tree_of_pattern(case["pattern"]), loaded.table)
    engine = formgate.compile(case["pattern"], loaded.native, format="regex")
    budget = states
    texts = sorted(case["matching"], key=len)[-3:]
    for number, text in enumerate(texts):
        share = budget // (len(texts) - number)
        budget -= check_text(text.encode(), share, (case["name"], judge, engine, loaded))
    for text in case["matching"]:
        assert engine.accepts(text), text
    for text in case["non_matching"]:
        assert not engine.accepts(text), text


def check_text(text, states, subject):
    """Masks at up to `states` places of one spelling; returns how many."""
    name, judge, engine, loaded = subject
    tokens = random_spelling(text, loaded.ids_of, f"{name} {text!r}")
    places = set(random.Random(name).sample(range(len(tokens) + 1), min(states, len(tokens) + 1)))
    state, prefix = engine.start(), b""
    for place, token in enumerate([*tokens, None]):
        if place in places:
            compare_mask(judge, engine, state, prefix, (name, loaded.tiny))
        if token is not None:
            state = engine.advance(state, token)
            prefix += loaded.tiny.tokens[token]
    assert engine.is_accepting(state)
    return len(places)


def compare_mask(judge, engine, state, prefix, subject):
    name, tiny = subject
    judged = judge.state_after(prefix)
    expected = judge.text_mask(judged)
    expected[list(tiny.stop_ids)] = judge.machine.accepts_here(judged)
    got = np.zeros(len(tiny.tokens), dtype=bool)
    got[engine.allowed_tokens(state).ids()] = True
    extra = np.flatnonzero(got & ~expected)
    missing = np.flatnonzero(expected & ~got)
    for claim, wrong in (("sound: extra", extra), ("complete: missing", missing)):
        sample = [(int(token), tiny.tokens[token]) for token in wrong[:8]]
        assert not len(wrong), f"{claim} {len(wrong)} in {name} after {prefix!r}: {sample}"


@pytest.mark.parametrize(
    "case", [case for case in CASES if case["name"] not in _HEAVY], ids=lambda case: case["name"]
)
def test_masks(case, loaded):
    check_case(case, loaded, _STATES)


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_many_masks(case, loaded):
    try:
        check_case(case, loaded, 10 * _STATES)
    except TooLarge:
        pytest.skip("too many states for the judge")
