"""One random grammar in every notation: each means what the judge says of its plain rules."""

from __future__ import annotations

import itertools

import notations
import pytest
from earley import Earley
from hypothesis import given, settings
from hypothesis import strategies as st

import formgate
from formgate.core.errors import EmptyLanguageError

WORDS = ["".join(word) for length in range(5) for word in itertools.product("ab", repeat=length)]
FORMATS = {
    "ebnf-w3c": (notations.W3c, "ebnf"),
    "ebnf-iso": (notations.Iso, "ebnf"),
    "abnf": (notations.Abnf, "abnf"),
    "gbnf": (notations.Gbnf, "gbnf"),
}


@pytest.mark.parametrize("name", FORMATS)
@settings(max_examples=40, deadline=None)
@given(notations.grammars(), st.randoms(use_true_random=False))
def test_every_notation_means_the_same(byte_vocabulary, name, grammar, chance):
    printer, format_name = FORMATS[name]
    source = printer(chance).grammar(grammar)
    judge = Earley(notations.plain(grammar), "S")
    try:
        engine = formgate.compile(source, byte_vocabulary, format=format_name)
    except EmptyLanguageError:
        assert "S" not in judge.rules, source
        return
    for word in WORDS:
        assert engine.accepts(word) == judge.accepts(word), (source, word)
        assert engine.is_prefix(word) == judge.viable(word), (source, word)


@pytest.mark.parametrize("name", ["ebnf-w3c", "ebnf-iso"])
@settings(max_examples=40, deadline=None)
@given(notations.expressions(()), notations.expressions(()), st.randoms(use_true_random=False))
def test_differences(byte_vocabulary, name, left, right, chance):
    printer = FORMATS[name][0](chance)
    body = f"( {printer.top(left)} ) - ( {printer.top(right)} )"
    source = f"{printer.rule_name('S')} {printer.defines} {body}{printer.end}"
    whole = Earley(notations.plain({"S": left}), "S")
    taken = Earley(notations.plain({"S": right}), "S")
    expected = {word for word in WORDS if whole.accepts(word) and not taken.accepts(word)}
    try:
        engine = formgate.compile(source, byte_vocabulary, format="ebnf")
    except EmptyLanguageError:
        assert not expected, source
        return
    assert {word for word in WORDS if engine.accepts(word)} == expected, source


@settings(max_examples=40, deadline=None)
@given(notations.grammars(), st.randoms(use_true_random=False))
def test_iso_at_least_once(byte_vocabulary, grammar, chance):
    """``{ x }-`` is exact for rules that recurse, or refused: never anything else."""
    printer = notations.Iso(chance)
    source = f"top = {{ {printer.name('S')} }}-;\n" + printer.grammar(grammar)
    judge = Earley(notations.plain({"top": ("repeat", ("name", "S"), 0, None), **grammar}), "top")
    try:
        engine = formgate.compile(source, byte_vocabulary, format="ebnf")
    except EmptyLanguageError:
        assert not any(judge.accepts(word) for word in WORDS if word), source
        return
    except formgate.UnsupportedConstraint as error:
        assert "recurses" in error.reason  # noqa: PT017 (other outcomes are fine, too)
        return
    for word in WORDS:
        assert engine.accepts(word) == (word != "" and judge.accepts(word)), (source, word)
