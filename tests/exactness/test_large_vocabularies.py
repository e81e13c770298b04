"""Vocabularies with more than a thousand tokens, and many of them below one prefix."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle.compare import Comparison
from oracle.from_re import tree_of_pattern
from oracle.native import native_vocabulary, try_oracle
from oracle.strategies import LARGE_VOCABULARIES, examples, loops, patterns

import formgate

NATIVE = {name: native_vocabulary(tiny) for name, tiny in LARGE_VOCABULARIES.items()}
CHOSEN = (
    ("a😀é", "(?:[🌀-🗿]|aé){1,5}"),
    ("a😀é", "(?:[🌀-🗿]|❤️|✅)*a?"),
    ("a😀é", "[a😀é]{2,9}é"),
    ("a😀é", "(?!.*aa).{1,6}"),
    ("abc", "(?:ab|[bc]{2,3}){2,}"),
    ("abc", "(?=.*c)[ab]*c[ac]{3,7}"),
    ("a1 ", r"\w{3,30}(?: \w+){0,2}"),
    ("a1 ", r".*\ba1\b.*"),
)


def check(name, pattern, states):
    tiny = LARGE_VOCABULARIES[name]
    oracle = try_oracle(tree_of_pattern(pattern), tiny, budget=60)
    if oracle is None or oracle.is_empty:
        return
    try:
        engine = formgate.compile(pattern, NATIVE[name], format="regex")
    except (formgate.UnsupportedConstraint, formgate.LimitError):
        assert re.search(r"\(\?[<=!]", pattern)
        return
    comparison = Comparison(engine, oracle, len(tiny.tokens), f"{pattern!r} on {name!r}")
    for visit in comparison.explore(limit=states, repeats=1):
        comparison.check_mask(visit)
        comparison.check_ends(visit)


@pytest.mark.parametrize(("name", "pattern"), CHOSEN)
def test_chosen(name, pattern):
    check(name, pattern, states=12)


@examples(60)
@given(st.sampled_from(sorted(LARGE_VOCABULARIES)), st.data())
def test_random(name, data):
    pattern = data.draw(st.one_of(loops(name), patterns(name, size=6)))
    check(name, pattern, states=5)
