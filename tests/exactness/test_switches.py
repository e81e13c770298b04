"""Optimisations and caches change no mask: every switch both ways, caches emptied all the time."""

from __future__ import annotations

import pytest
from fuzz.contenders import NATIVE
from hypothesis import given
from hypothesis import strategies as st
from oracle.compare import Comparison
from oracle.corpus import check_masks, load_corpus
from oracle.from_re import tree_of_pattern
from oracle.native import compile_with_switches, try_oracle
from oracle.strategies import ALPHABETS, examples, patterns, trees, vocabularies

import formgate
from formgate.core import _native

SWITCHES = ("class_tables", "automaton_walk", "split_parts", "cut_subtrees", "keep_masks")
SETTINGS = [
    *({name: False} for name in SWITCHES),
    {"prefix_uses": 1},
    dict.fromkeys(SWITCHES, False) | {"prefix_uses": 0},
]
TINY_BUDGET = 2_000


@pytest.fixture
def small_caches():
    """Budgets that a few masks and expressions exceed; the defaults again afterwards."""
    _native.set_mask_budget(TINY_BUDGET)
    _native.set_pool_budget(TINY_BUDGET)
    yield
    _native.set_mask_budget(DEFAULT_MASK_BUDGET)
    _native.set_pool_budget(DEFAULT_POOL_BUDGET)


# those of core/native/src/masks.cpp and expr_pool.cpp
DEFAULT_MASK_BUDGET = 128 << 20
DEFAULT_POOL_BUDGET = 256 << 20


def check(source, tree, tiny, switches):
    oracle = try_oracle(tree, tiny)
    if oracle is None or oracle.is_empty:
        return
    try:
        engine = compile_with_switches(source, tiny, switches)
    except formgate.UnsupportedConstraint:
        return
    comparison = Comparison(engine, oracle, len(tiny.tokens), f"{source!r} {switches} {tiny}")
    comparison.check_protocol(comparison.explore(limit=30))


@examples(150)
@given(st.data(), st.sampled_from(SETTINGS))
def test_switches_on_patterns(data, switches):
    alphabet = data.draw(st.sampled_from(ALPHABETS))
    pattern = data.draw(patterns(alphabet, size=6))
    check(pattern, tree_of_pattern(pattern), data.draw(vocabularies(alphabet)), switches)


@examples(100)
@given(st.data(), st.sampled_from(SETTINGS))
def test_switches_on_trees(data, switches):
    alphabet = data.draw(st.sampled_from(ALPHABETS))
    tree = data.draw(trees(alphabet, size=6))
    check(tree, tree, data.draw(vocabularies(alphabet)), switches)


@pytest.mark.usefixtures("small_caches")
def test_small_caches_on_the_corpus():
    engines = [
        (case, NATIVE.make(case.source, case.vocabulary, case.options))
        for case in load_corpus()
        if case.error is None and case.format != "grammar"
    ]
    for _ in range(2):
        for case, engine in engines:
            check_masks(case, engine)


@pytest.mark.usefixtures("small_caches")
def test_small_caches_on_patterns():
    @examples(60)
    @given(st.data())
    def run(data):
        alphabet = data.draw(st.sampled_from(ALPHABETS))
        pattern = data.draw(patterns(alphabet, size=6))
        check(pattern, tree_of_pattern(pattern), data.draw(vocabularies(alphabet)), {})

    run()
