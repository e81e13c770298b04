"""The judges agree with each other and with Python's `re` before anything is judged by them."""

from __future__ import annotations

import itertools
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle.enumeration import completable, membership_by_re
from oracle.from_re import Unsupported, tree_of_pattern
from oracle.machine import Machine, TooLarge
from oracle.spans import matches
from oracle.strategies import ALPHABETS, examples, patterns, trees, vocabularies
from oracle.tokens import TokenOracle

PATTERNS = (
    r"a|ab",
    r"(?:a|ab)(?:c|bcd)",
    r"\ba+\b",
    r"(?!aa)[ab]{0,3}",
    r"(?:(?=a)[ab]|(?<=a)b){2,4}",
    r"(?m)^a$\n^b$",
    r"a$\n?",
    r"(?s).*a.{3}",
    r"\B",
    r"(?:(?<=b)|b){2}",
    r"(?:(?=b)|a){2,3}b",
    r"(?=.*b)(?=.*a).{2,4}",
    r"(?:(?!ab).)*",
    r"é|[é語😀]{1,2}",
    r"(?i)Ab",
    r"(?<!a)b|ab",
    r"(?:(?:a|)*)*b?",
    r"(?<=a(?=b))b|a(?<=a(?=b))b",
    r"((?:(?!ab).)*(?=b)\w)+",
)


def texts_over(alphabet: str, longest: int) -> list[str]:
    return [
        "".join(letters)
        for length in range(longest + 1)
        for letters in itertools.product(alphabet, repeat=length)
    ]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_three_judges_agree_on_fixed_patterns(pattern):
    tree = tree_of_pattern(pattern)
    machine, compiled = Machine.of(tree), re.compile(pattern)
    for alphabet in ("ab\n", "abé", "é語😀"):
        for text in texts_over(alphabet, 4):
            expected = compiled.fullmatch(text) is not None
            assert machine.accepts(text.encode()) is expected, text
            assert matches(tree, text.encode()) is expected, text


@examples(120)
@given(st.data())
def test_three_judges_agree_on_random_patterns(data):
    alphabet = data.draw(st.sampled_from(ALPHABETS))
    pattern = data.draw(patterns(alphabet))
    tree = tree_of_pattern(pattern)
    machine, compiled = Machine.of(tree), re.compile(pattern)
    for text in texts_over(alphabet, 4 if len(alphabet) == 2 else 3):
        by_definition = matches(tree, text.encode())
        assert machine.accepts(text.encode()) is by_definition, text
        assert (compiled.fullmatch(text) is not None) is by_definition, text


@examples(120)
@given(st.data())
def test_the_machine_agrees_with_the_definition_on_trees(data):
    alphabet = data.draw(st.sampled_from(ALPHABETS))
    tree = data.draw(trees(alphabet))
    machine = Machine.of(tree)
    for text in texts_over(alphabet, 3):
        assert machine.accepts(text.encode()) is matches(tree, text.encode()), text


@examples(60)
@given(st.data())
def test_liveness_agrees_with_enumeration(data):
    alphabet = data.draw(st.sampled_from(ALPHABETS))
    pattern = data.draw(patterns(alphabet, size=5))
    vocabulary = data.draw(vocabularies(alphabet))
    try:
        oracle = TokenOracle(
            tree_of_pattern(pattern), vocabulary.tokens, vocabulary.stop_ids, budget=400
        )
    except TooLarge:
        return
    longest = 6
    needed = completable(membership_by_re(pattern), vocabulary.texts, longest)
    for text in needed:
        assert oracle.is_live(oracle.machine.walk(oracle.start, text)), text
    reached = {b"": oracle.start}
    queue = [b""]
    for text in queue:
        state = reached[text]
        if oracle.is_live(state) and text not in needed:
            assert _least_bytes(oracle, state) > longest - len(text), text
        for piece, after in oracle._edges[state].items():
            longer = text + piece
            if len(longer) <= longest and longer not in reached:
                reached[longer] = after
                queue.append(longer)


def _least_bytes(oracle: TokenOracle, start: int) -> int:
    """The least number of bytes of tokens from a live state to a complete text."""
    best = {start: 0}
    while True:
        state = min(best, key=lambda one: (best[one] < 0, best[one]))
        if oracle.accepts_here(state):
            return best[state]
        for piece, after in oracle._edges[state].items():
            cost = best[state] + len(piece)
            if best.get(after, cost + 1) > cost:
                best[after] = cost
        best[state] = 1 << 40


@examples(60)
@given(st.data())
def test_bytes_of_one_range_lead_to_one_state(data):
    alphabet = data.draw(st.sampled_from(ALPHABETS))
    tree = data.draw(st.one_of(patterns(alphabet).map(tree_of_pattern), trees(alphabet)))
    machine = Machine.of(tree)
    state = machine.start
    for letter in data.draw(st.lists(st.sampled_from(alphabet), max_size=3)):
        state = machine.walk(state, letter.encode()[:-1])
        cuts = machine.cuts(state)
        for first, end in zip(cuts, [*cuts[1:], 256], strict=True):
            reached = {machine.step(state, byte) for byte in range(first, end)}
            live = {machine.is_live(after) for after in reached}
            assert len(reached) == 1 or live == {False}, (first, end)
        state = machine.step(state, letter.encode()[-1])


def test_search_order_is_not_judged():
    with pytest.raises((Unsupported, re.error)):
        tree_of_pattern(r"(a)\1")


def test_a_large_state_space_is_refused_not_guessed():
    tree = tree_of_pattern(r"(?s)(?=.*a.{18}b).*a.{17}(?!.)(?<!b)")
    machine = Machine.of(tree)
    with pytest.raises(TooLarge):
        machine.is_live(machine.walk(machine.start, b"ab" * 20), budget=3)
