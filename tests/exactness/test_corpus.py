"""The corpus, on the judges, on every engine, with every switch, through every front end."""

from __future__ import annotations

from collections import Counter

import pytest
from fuzz.contenders import CONTENDERS, REFERENCE, Abstains
from oracle.corpus import check_masks, load_corpus
from oracle.engine import OracleEngine
from oracle.enumeration import membership_by_re
from oracle.grammars import GrammarSource
from oracle.machine import TooLarge
from oracle.spans import matches
from oracle.tokens import TokenOracle

import formgate
from formgate.testing import BruteForce, Sample

CASES = load_corpus()
by_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
PAIRS = [
    pytest.param(case, contender, id=f"{case.name}-{contender}")
    for case in CASES
    for contender in CONTENDERS
    if case.format in contender.formats
]


def test_names_are_unique_and_origins_given():
    names = [case.name for case in CASES]
    assert sorted(set(names)) == sorted(names)
    assert all(case.origin.strip() for case in CASES)


@by_case
def test_the_judges_agree_with_the_case(case):
    if isinstance(case.source, GrammarSource):
        check_grammar(case)
        return
    vocabulary = case.vocabulary
    tree = case.tree()
    try:
        oracle = TokenOracle(
            tree, vocabulary.tokens, vocabulary.stop_ids, vocabulary.special.values()
        )
    except TooLarge:
        pytest.skip("the judge's search is too large")
    for texts, expected in ((case.accepted, True), (case.rejected, False)):
        for text in texts:
            assert oracle.machine.accepts(text) is expected, text
            assert matches(tree, text) is expected, text
            if isinstance(case.source, str):
                assert membership_by_re(case.source)(text) is expected, text
    assert oracle.is_empty is (case.error == "EmptyLanguageError")
    check_masks(case, OracleEngine(oracle))
    for mask in case.masks:
        if mask.forced is not None:
            state = oracle.machine.walk(oracle.start, mask.after)
            assert oracle.keeps_forced(state, mask.forced)


def check_grammar(case):
    """Grammars are judged by enumeration: membership by spans, completions up to a length."""
    vocabulary = case.vocabulary
    sample = Sample(
        case.name,
        case.source,
        case.source.accepts,
        vocabulary.tokens,
        vocabulary.stop_ids,
        vocabulary.special,
        reach=case.reach,
        may_begin=case.source.may_begin,
    )
    judge = BruteForce(sample)
    for texts, expected in ((case.accepted, True), (case.rejected, False)):
        for text in texts:
            assert judge.accepts(text) is expected, text
    assert judge.is_empty is (case.error == "EmptyLanguageError")
    for mask in case.masks:
        got = {vocabulary.tokens[token] for token in judge.text_tokens(mask.after)}
        assert got & case.listed == mask.allowed, mask.after
        assert judge.accepts(mask.after) is mask.stop, mask.after


def check(case, source, contender):
    """Hold one contender against one case; say how it abstains."""
    if case.error is not None:
        with pytest.raises(getattr(formgate, case.error)):
            contender.make(source, case.vocabulary, case.options)
        return
    engine = contender.make(source, case.vocabulary, case.options)
    for text in case.accepted:
        assert engine.accepts(text) is True, text
    for text in case.rejected:
        assert engine.accepts(text) is False, text
    check_masks(case, engine)


@pytest.mark.parametrize(("case", "contender"), PAIRS)
def test_every_contender_gets_it_right(case, contender):
    for source in (case.source, *case.same_as):
        try:
            check(case, source, contender)
        except Abstains as reason:
            pytest.skip(str(reason))


def test_the_reference_abstains_seldom():
    """Whatever the corpus can say, both engines should take; more exceptions must be a decision."""
    reasons = Counter()
    for case in CASES:
        try:
            REFERENCE.make(case.source, case.vocabulary, case.options)
        except Abstains as reason:
            reasons[str(reason)] += 1
        except formgate.EmptyLanguageError:
            continue
    assert reasons.total() <= 5, reasons
