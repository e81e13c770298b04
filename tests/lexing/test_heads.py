"""Masks of parser states that begin alike and have different things below.

What a state's head says of a mask is found once and kept, so only grammars whose states nest reach
it: here rules stand in brackets and lists, beside each other and in each other, over tokens in
which several brackets close at once.
"""

from __future__ import annotations

import functools
import itertools
import random

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from lexed_cases import FIRST, PATTERNS
from lexer_judge import Lexeme
from mask_switches import check_tables

import formgate
from formgate.core.errors import GrammarError
from formgate.core.grammar import Production

LETTERS = "ab (),"
BRACKETS = [Lexeme("l", r"\("), Lexeme("r", r"\)"), Lexeme("c", ",")]
COLLIDING = ["a", "b", "a+", "ab?", "[ab]+"]
CHOICES = st.lists(st.floats(0, 1, exclude_max=True), min_size=3, max_size=12)


@functools.cache
def bracketed_words() -> formgate.Vocabulary:
    """All short texts, and some long ones, many of which open or close several brackets."""
    short = ["".join(word) for n in (1, 2, 3) for word in itertools.product(LETTERS, repeat=n)]
    some = random.Random(3)
    weights = [3, 2, 2, 2, 4, 2]
    long = {"".join(some.choices(LETTERS, weights, k=some.randint(4, 8))) for _ in range(2500)}
    texts = [text.encode() for text in [*short, *sorted(long)]]
    return formgate.Vocabulary([*texts, None], stop_ids=[len(texts)])


@st.composite
def nested_grammars(draw, patterns):
    """Draw rules over terminals x, y, z that stand in brackets and lists of their own kind."""
    letters = "xyz"[: draw(st.integers(1, 3))]
    inner = draw(st.lists(st.sampled_from(["T", "A", *letters]), max_size=3).map(tuple))
    bodies = st.lists(st.sampled_from(["S", "A", *letters]), max_size=3).map(tuple)
    rules = {
        "S": draw(
            st.lists(
                st.sampled_from(
                    [
                        ("l", "S", "r"),
                        ("T",),
                        ("T", "c", "S"),
                        ("l", "T", "c", "S", "r"),
                        ("l", "S", "r", "T"),
                        ("S", "c", "T"),
                        ("l", "r"),
                    ]
                ),
                min_size=2,
                max_size=5,
                unique=True,
            )
        ),
        "T": [(letters[0],), inner, ("l", "S", "c", "r")],
        "A": draw(st.lists(bodies, min_size=1, max_size=2, unique=True)),
    }
    terminals = [Lexeme(letter, draw(st.sampled_from(patterns))) for letter in letters]
    terminals += BRACKETS
    if draw(st.booleans()):
        terminals.append(Lexeme("w", draw(st.sampled_from([" ", " +"])), True))
    return rules, draw(st.permutations(terminals))


def productions_of(rules):
    return [Production(name, body) for name, bodies in rules.items() for body in bodies]


@settings(max_examples=50, deadline=None)
@given(nested_grammars(PATTERNS), CHOICES)
def test_longest_match(grammar, choices):
    check_tables(grammar, "longest", True, choices, words=bracketed_words())


@settings(max_examples=50, deadline=None)
@given(nested_grammars(FIRST), CHOICES)
def test_first_match(grammar, choices):
    check_tables(grammar, "first", True, choices, words=bracketed_words())


@settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.booleans(), st.data(), CHOICES)
def test_what_an_lalr_parser_looks_for(first, data, choices):
    grammar = data.draw(nested_grammars(COLLIDING))
    mode = "first" if first else "longest"
    productions = productions_of(grammar[0])
    try:
        check_tables(grammar, mode, True, choices, productions=productions, words=bracketed_words())
    except GrammarError:  # two rules end alike
        assume(False)


def test_what_competes_where_no_conflict_is_resolved():
    """A terminal of a rule without end competes, and no rule's end bars a terminal."""
    rules = {
        "S": [("l", "S", "r"), ("T",)],
        "T": [("x",), ("A",), ("l", "S", "c", "r")],
        "A": [("y", "A")],
    }
    terminals = [Lexeme("x", "a"), Lexeme("y", "a"), *BRACKETS]
    for mode in ("longest", "first"):
        for choices in ([0.0] * 6, [0.6] * 6, [0.9, 0.8] * 3):
            check_tables(
                (rules, terminals),
                mode,
                True,
                choices,
                productions=productions_of(rules),
                words=bracketed_words(),
            )
