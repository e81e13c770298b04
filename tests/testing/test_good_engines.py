"""Engines without fault pass the conformance tests: native, reference, and one in plain Python."""

from __future__ import annotations

import re
import unittest
from dataclasses import replace

import pytest
from toy_engine import Automaton, ToyEngine, ToyVocabulary

import formgate
from formgate.core import _native
from formgate.core.compiler import build_grammar
from formgate.core.reference import ReferenceEngine
from formgate.testing import (
    NESTED_SAMPLES,
    OFFERED,
    PROMISES,
    SAMPLES,
    BruteForce,
    EngineConformance,
    engine_violations,
)

NESTED_RULES = {
    "balanced brackets": ("S: OPEN S CLOSE S |", {"OPEN": r"\(", "CLOSE": r"\)"}),
    "as many after as before": ("S: A S B | C", {"A": "a", "B": "b", "C": "c"}),
    "palindromes": ("S: A S A | B S B | A | B |", {"A": "a", "B": "b"}),
}


class TestNative(EngineConformance):
    def make_engine(self, sample):
        return formgate.compile(sample.source, sample.vocabulary, format="regex")


class TestNativeWithoutShortCuts(EngineConformance):
    def make_engine(self, sample):
        switches = ("class_tables", "automaton_walk", "split_parts", "cut_subtrees", "keep_masks")
        options = _native.MaskOptions(**dict.fromkeys(switches, False), prefix_uses=0)
        grammar = build_grammar(sample.source, format="regex")
        return grammar.compile(sample.vocabulary, options=options)


class TestNativeWithChoices(EngineConformance):
    def make_engine(self, sample):
        if sample.texts is None:
            raise formgate.UnsupportedConstraint("the language is no list of texts")
        return formgate.compile(list(sample.texts), sample.vocabulary, format="choice")


class TestReference(EngineConformance):
    def make_engine(self, sample):
        return ReferenceEngine.from_regex(sample.source, sample.vocabulary)


class TestReferenceWithRules(EngineConformance):
    samples = NESTED_SAMPLES

    def make_engine(self, sample):
        rules, terminals = NESTED_RULES[sample.name]
        return ReferenceEngine.from_grammar(rules, terminals, sample.vocabulary, lexing="any")


class Toy(ToyEngine):
    def accepts(self, text):
        return self.automaton.run(0, text) in self.automaton.accepting


class TestToy(EngineConformance):
    """A user's own engine: it decides liveness by bytes, so it needs every byte as a token."""

    def make_engine(self, sample):
        pieces = set(sample.text_of.values())
        letters = {bytes([byte]) for piece in pieces for byte in piece}
        if sample.texts is None or not letters <= pieces:
            raise formgate.UnsupportedConstraint("no finite language with all bytes as tokens")
        spelled = [t for t in sample.texts if set(t.encode()) <= set(b"".join(letters))]
        if not spelled:
            raise formgate.EmptyLanguageError("no text can be spelled")
        texts = [sample.text_of.get(token) for token in range(len(sample.tokens))]
        return Toy(Automaton.of_strings(spelled), ToyVocabulary(texts, sample.stop_ids))


class InUnittest(EngineConformance, unittest.TestCase):
    samples = SAMPLES[:2]

    def make_engine(self, sample):
        return formgate.compile(sample.source, sample.vocabulary, format="regex")


def test_the_class_works_under_unittest():
    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(InUnittest).run(result)
    assert result.wasSuccessful()
    assert result.testsRun == 2 + len(PROMISES) + len(OFFERED)


def test_methods_that_are_not_offered_are_skipped():
    with pytest.raises(unittest.SkipTest, match="forced_text"):
        TestReference().test_forced_text()


def test_there_is_a_test_for_each_promise():
    for name in (*PROMISES, *OFFERED):
        assert hasattr(EngineConformance, f"test_{name.replace(' ', '_')}")


def test_the_base_class_asks_for_an_engine():
    with pytest.raises(NotImplementedError, match="make_engine"):
        EngineConformance().test_sound()


def test_an_engine_that_understands_nothing_fails():
    class Nothing(EngineConformance):
        def make_engine(self, sample):
            raise formgate.UnsupportedConstraint("not this one")

    with pytest.raises(AssertionError, match="none of"):
        Nothing().test_it_understands_some_sample()


@pytest.mark.parametrize("sample", [*SAMPLES, *NESTED_SAMPLES], ids=lambda sample: sample.name)
def test_the_reach_of_a_sample_is_enough(sample):
    """Looking further completes nothing more, in any text whose mask is looked at."""
    near, far = BruteForce(sample), BruteForce(replace(sample, reach=sample.reach + 2))
    pieces = set(near.text_of.values())
    seen, layer = {b""}, {b""}
    for _ in range(sample.depth):
        layer = {text + piece for text in layer if near.completable(text) for piece in pieces}
        seen |= layer
        layer = set(sorted(layer, key=lambda text: (len(text), text))[:60])
    for text in sorted(seen, key=lambda text: (len(text), text))[:150]:
        assert near.completable(text) is far.completable(text), text


def test_violations_tell_the_whole_case():
    class Forgetful(ReferenceEngine):
        def allowed_tokens(self, state):
            mask = super().allowed_tokens(state)
            return formgate.TokenMask.from_ids(mask.size, mask.to_list()[1:])

    sample = SAMPLES[0]
    [first, *_] = engine_violations(
        lambda sample: Forgetful.from_regex(sample.source, sample.vocabulary),
        [sample],
        promises=["complete"],
    )
    assert first.promise == "complete"
    assert re.search(r"complete: forbids 0 = b'aaaa'|complete: forbids 1 = b'a'", str(first))
    assert repr(sample.name) in str(first)
