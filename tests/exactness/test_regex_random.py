"""Random patterns and vocabularies: every mask of every state against the exact judge."""

from __future__ import annotations

import re

from hypothesis import given, note
from hypothesis import strategies as st
from oracle.from_re import tree_of_pattern
from oracle.native import check_everything, check_history, try_compile, try_oracle
from oracle.strategies import (
    ALPHABETS,
    every_byte_too,
    examples,
    loops,
    patterns,
    vocabularies,
    wide_vocabularies,
)

import formgate


def compile_checked(pattern, tiny):
    """The engine; it may refuse a look-ahead inside a look-behind, and large counts beside one."""
    try:
        engine = try_compile(pattern, tiny, format="regex")
    except formgate.LimitError:
        assert re.search(r"\(\?[=!]", pattern), f"{pattern!r} is too large"
        return None
    if isinstance(engine, formgate.UnsupportedConstraint):
        assert "(?<" in pattern, f"{pattern!r} was refused: {engine}"
        return None
    return engine


@examples(200)
@given(st.data())
def test_masks(data):
    alphabet = data.draw(st.sampled_from(ALPHABETS))
    pattern = data.draw(patterns(alphabet))
    tiny = data.draw(vocabularies(alphabet))
    oracle = try_oracle(tree_of_pattern(pattern), tiny)
    if oracle is None:
        return
    label = f"{pattern!r} with {tiny}"
    note(label)
    engine = compile_checked(pattern, tiny)
    if engine is not None:
        check_everything(engine, oracle, tiny, label)


@examples(25)
@given(st.data())
def test_masks_where_every_byte_is_a_token(data):
    alphabet = data.draw(st.sampled_from(ALPHABETS))
    pattern = data.draw(patterns(alphabet, size=5))
    tiny = every_byte_too(data.draw(vocabularies(alphabet)))
    oracle = try_oracle(tree_of_pattern(pattern), tiny, budget=100)
    if oracle is None:
        return
    label = f"{pattern!r} with {tiny}"
    engine = compile_checked(pattern, tiny)
    if engine is not None:
        check_everything(engine, oracle, tiny, label)


@examples(60)
@given(st.data())
def test_masks_do_not_depend_on_history(data):
    alphabet = data.draw(st.sampled_from(ALPHABETS))
    pattern = data.draw(patterns(alphabet, size=6))
    tiny = data.draw(vocabularies(alphabet))
    oracle = try_oracle(tree_of_pattern(pattern), tiny)
    if oracle is None or oracle.is_empty:
        return
    engine = compile_checked(pattern, tiny)
    if engine is not None:
        fresh = compile_checked(pattern, tiny)
        check_history(engine, fresh, oracle, len(tiny.tokens), f"{pattern!r} with {tiny}")


@examples(100)
@given(st.data())
def test_repeated_classes(data):
    alphabet = data.draw(st.sampled_from(ALPHABETS))
    pattern = data.draw(loops(alphabet))
    tiny = data.draw(wide_vocabularies(alphabet))
    oracle = try_oracle(tree_of_pattern(pattern), tiny)
    if oracle is None:
        return
    engine = compile_checked(pattern, tiny)
    if engine is not None:
        check_everything(engine, oracle, tiny, f"{pattern!r} with {tiny}")
