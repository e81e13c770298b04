"""What a compilation that ran into a limit had found leaves the next one all of its work."""

from __future__ import annotations

import pytest

import formgate
from formgate.core.errors import LimitError
from formgate.core.grammar import GrammarBuilder
from formgate.plugins.regex import compile_regex

FEW = formgate.Limits(max_states=60)


def intersection(first, second):
    """Return the grammar of the texts that two patterns match."""
    builder = GrammarBuilder()
    builder.start(builder.intersection(*(compile_regex(one, builder) for one in (first, second))))
    return builder.build()


@pytest.fixture(scope="module")
def vocabulary():
    return formgate.Vocabulary([*(bytes([byte]) for byte in range(256)), None], stop_ids=[256])


# In both, texts are found long before all states are: those of one letter, or all short ones.
@pytest.mark.parametrize(
    "patterns",
    [("c|[ab]*a[ab]{7}x", "c|[ab]*b[ab]{6}x"), ("(?:[ab]*a[ab]{7})?", "(?:[ab]*b[ab]{6})?")],
    ids=["a letter", "nothing"],
)
def test_what_was_found_before_a_limit_is_looked_for_again(vocabulary, patterns):
    grammar = intersection(*patterns)
    for _ in range(2):
        with pytest.raises(LimitError, match="more than 60 states"):
            grammar.compile(vocabulary, limits=FEW)
    engine = grammar.compile(vocabulary)
    text = b"abbabbabaabbab" + (b"x" if "x" in patterns[0] else b"")
    state = engine.start()
    for byte in text:
        assert byte in engine.allowed_tokens(state)
        state = engine.advance(state, byte)
    assert engine.is_accepting(state)
