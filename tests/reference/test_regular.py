"""Patterns and automata, against Python's ``re`` and against sets of words."""

from __future__ import annotations

import re
from itertools import islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.counting import record
from reference.families import patterns_and_words, patterns_up_to
from reference.naive import all_texts, all_words, matches

from formgate.core.errors import GrammarError, LimitError, UnsupportedConstraint
from formgate.core.reference import FSA, automaton_of, literal

TEXTS = list(all_texts(b"ab", 8))


def words_of(automaton, length):
    return {
        word for word in all_words(sorted(automaton.alphabet), length) if automaton.accepts(word)
    }


def check_pattern(pattern, words):
    automaton = automaton_of(pattern)
    assert automaton.is_pruned or not automaton.accepting
    for text in TEXTS:
        assert automaton.accepts(text) == (text in words), (pattern, text)
    record("pattern and text: automaton against its words", len(TEXTS))


def test_every_small_pattern_matches_its_words_as_re_does():
    for size in range(1, 5):
        for pattern, words in patterns_and_words(size):
            assert words == {text for text in TEXTS if matches(pattern, text)}, pattern
            check_pattern(pattern, words)
    for pattern, words in patterns_and_words(5):
        check_pattern(pattern, words)


@pytest.mark.slow
def test_every_pattern_up_to_size_seven_matches_its_words():
    for size in (6, 7):
        for pattern, words in patterns_and_words(size):
            check_pattern(pattern, words)


def test_minimal_automata_are_equal_exactly_for_equal_languages():
    languages = {}
    for pattern in patterns_up_to(4):
        automaton = automaton_of(pattern)
        # Two automata of n states that differ do so on a word of fewer than 2n letters.
        assert len(automaton.states) <= 5
        words = frozenset(text for text in all_texts(b"ab", 9) if automaton.accepts(text))
        assert languages.setdefault(words, automaton) == automaton, pattern


pieces = st.sampled_from(
    [
        "a",
        "é",
        "漢",
        "😀",
        ".",
        "[a-c]",
        "[^a]",
        "[é-漢]",
        "[^\\n😀]",
        r"\.",
        r"\x61",
        r"\u6f22",
        "[]a-]",
    ]
)
expressions = st.recursive(
    pieces,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map("".join),
        st.tuples(inner, inner).map("({0[0]}|{0[1]})".format),
        st.tuples(inner, st.sampled_from("*+?")).map("(?:{0[0]}){0[1]}".format),
        st.tuples(inner, st.sampled_from(["{2}", "{1,3}", "{,2}", "{2,}"])).map(
            "({0[0]}){0[1]}".format
        ),
    ),
    max_leaves=6,
)


@settings(max_examples=60, deadline=None, derandomize=True, database=None)
@given(expressions, st.lists(st.text("abc-]\né漢😀\x00.", max_size=5), max_size=20))
def test_random_patterns_match_as_re_does(pattern, texts):
    automaton = automaton_of(pattern)
    for text in texts:
        expected = re.fullmatch(pattern, text) is not None
        assert automaton.accepts(text.encode()) == expected, (pattern, text)


@pytest.mark.parametrize(
    ("ranges", "inside", "outside"),
    [
        ("[\ud7ff-\ue000]", "\ud7ff\ue000", "\ud7fe\ue001"),
        ("[\x7f-\u0800]", "\x7f\x80\u07ff\u0800", "\x7e\u0801"),
        ("[\uffff-\U00010000]", "\uffff\U00010000", "\ufffe\U00010001"),
        ("[^a]", "\x00\n\U0010ffff", "a"),
    ],
)
def test_classes_at_the_borders_of_the_encoding(ranges, inside, outside):
    automaton = automaton_of(ranges)
    assert all(automaton.accepts(character.encode()) for character in inside)
    assert not any(automaton.accepts(character.encode()) for character in outside)
    assert not automaton.accepts(b"\xed\xa0\x80"), "a surrogate"
    assert not automaton.accepts(b"\xc0\x80"), "an overlong spelling"


@pytest.mark.parametrize(
    ("pattern", "offset"),
    [("a)", 1), ("(a", 0), ("*a", 0), ("a|*", 2), ("[a", 0), ("[b-a]", 1), ("a{", 1), ("a{x}", 1),
     ("a{3,2}", 1), ("a\\", 1), (r"\xzz", 0), ("[a-", 0)],
)  # fmt: skip
def test_malformed_patterns_are_refused_with_their_place(pattern, offset):
    with pytest.raises(GrammarError) as caught:
        automaton_of(pattern)
    assert caught.value.offset == offset
    assert not isinstance(caught.value, UnsupportedConstraint)


@pytest.mark.parametrize("pattern", ["^a", "a$", "(?=a)", r"\d", r"\b", "a*?", "a++", "(?P<x>a)"])
def test_what_is_not_read_is_refused(pattern):
    with pytest.raises(UnsupportedConstraint, match="reference"):
        automaton_of(pattern)


def test_large_repetitions_have_a_limit():
    with pytest.raises(LimitError, match="MAX_AUTOMATON_STATES"):
        automaton_of("(?:ab){100000}")


def test_products_are_the_boolean_operations():
    small = [automaton_of(pattern) for pattern in patterns_up_to(3)]
    checked = 0
    for left in small:
        for right in small:
            both = left.product(right, lambda x, y: x and y)
            either = left.product(right, lambda x, y: x or y)
            less = left.product(right, lambda x, y: x and not y)
            for text in islice(TEXTS, 63):
                x, y = left.accepts(text), right.accepts(text)
                assert both.accepts(text) == (x and y)
                assert either.accepts(text) == (x or y)
                assert less.accepts(text) == (x and not y)
                checked += 1
    record("product automata: pairs and texts", checked)


def test_prefixes_and_without_empty():
    for pattern in patterns_up_to(4):
        automaton = automaton_of(pattern)
        prefixes, lexemes = automaton.prefixes(), automaton.without_empty()
        longest = len(automaton.states)  # a completion need not be longer
        words = {text for text in all_texts(b"ab", 4 + longest) if matches(pattern, text)}
        begun = {word[:i] for word in words for i in range(len(word) + 1)}
        for text in all_texts(b"ab", 4):
            assert prefixes.accepts(text) == (text in begun), (pattern, text)
            assert lexemes.accepts(text) == (text in words and text != b""), (pattern, text)


def test_literal_and_shortest_word():
    automaton = literal("é!")
    assert words_of(automaton, 4) == {tuple("é!".encode())}
    assert automaton.shortest_word(automaton.accepting) == tuple("é!".encode())
    assert automaton.shortest_word(frozenset([99])) is None


def test_useless_states_are_pruned():
    wasteful = FSA(0, frozenset([1]), {0: {97: 1, 98: 2}, 1: {}, 2: {97: 2}, 3: {97: 1}})
    assert not wasteful.is_pruned
    assert wasteful.pruned().states == {0, 1}
    assert wasteful.pruned().is_pruned
