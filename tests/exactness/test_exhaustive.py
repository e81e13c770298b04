"""Every small pattern and tree on every vocabulary of a family: no case left to chance."""

from __future__ import annotations

import pytest
from oracle.compare import Comparison
from oracle.from_re import tree_of_pattern
from oracle.machine import Machine
from oracle.native import grammar_of, native_vocabulary
from oracle.small import VOCABULARIES, patterns_of_size, trees_of_size
from oracle.tokens import TokenOracle

import formgate


def check(source, tree, pairs):
    """One language on several vocabularies; returns how many of them left it empty."""
    machine = Machine.of(tree)
    options = {"format": "regex"} if isinstance(source, str) else {}
    empty = 0
    for tiny, vocabulary in pairs:
        oracle = TokenOracle(machine, tiny.tokens, tiny.stop_ids)
        label = f"{tree if options == {} else source!r} with {tiny.tokens}"
        try:
            engine = formgate.compile(source, vocabulary, **options)
        except formgate.EmptyLanguageError:
            assert oracle.is_empty, f"wrongly empty: {label}"
            empty += 1
            continue
        assert not oracle.is_empty, f"not refused as empty: {label}"
        comparison = Comparison(engine, oracle, len(tiny.tokens), label)
        for visit in comparison.explore(limit=25, repeats=1):
            comparison.check_mask(visit)
            comparison.check_ends(visit)
    return empty


def check_all(languages, vocabularies):
    """All languages on all vocabularies; returns the numbers of cases and of empty ones."""
    pairs = [(tiny, native_vocabulary(tiny)) for tiny in vocabularies]
    cases = empty = 0
    for source, tree in languages:
        empty += check(source, tree, pairs)
        cases += len(pairs)
    return cases, empty


def all_patterns(*sizes):
    for size in sizes:
        for pattern in patterns_of_size(size):
            yield pattern, tree_of_pattern(pattern)


def all_trees(*sizes):
    for size in sizes:
        for tree in trees_of_size(size):
            yield grammar_of(tree), tree


def test_patterns_up_to_size_three():
    cases, empty = check_all(all_patterns(1, 2, 3), VOCABULARIES)
    assert cases > 2_900
    assert 0 < empty < cases / 2


def test_patterns_of_size_four():
    cases, _ = check_all(all_patterns(4), VOCABULARIES[1:6:2])
    assert cases > 11_000


def test_trees_up_to_size_three():
    cases, empty = check_all(all_trees(1, 2, 3), VOCABULARIES)
    assert cases > 2_800
    assert 0 < empty < cases


def test_trees_of_size_four():
    cases, _ = check_all(all_trees(4), VOCABULARIES[3:4])
    assert cases > 4_000


@pytest.mark.slow
def test_patterns_of_size_four_on_all_vocabularies():
    check_all(all_patterns(4), VOCABULARIES)


@pytest.mark.slow
def test_patterns_of_size_five():
    check_all(all_patterns(5), VOCABULARIES[3:5])


@pytest.mark.slow
def test_trees_of_size_four_on_all_vocabularies():
    check_all(all_trees(4), VOCABULARIES)


@pytest.mark.slow
def test_trees_of_size_five():
    check_all(all_trees(5), VOCABULARIES[3:4])
