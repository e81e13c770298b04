"""The corpus, on the judges and on the engine."""

from __future__ import annotations

import pytest
from oracle.corpus import CorpusCase, check_masks, load_corpus
from oracle.engine import OracleEngine
from oracle.enumeration import membership_by_re
from oracle.native import native_vocabulary
from oracle.spans import matches
from oracle.tokens import TokenOracle

import formgate

CASES = load_corpus()
by_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)


def oracle_of(case: CorpusCase) -> TokenOracle:
    vocabulary = case.vocabulary
    return TokenOracle(
        case.tree(), vocabulary.tokens, vocabulary.stop_ids, vocabulary.special.values()
    )


def test_names_are_unique():
    names = [case.name for case in CASES]
    assert sorted(set(names)) == sorted(names)


@by_case
def test_the_judges_agree_with_the_case(case):
    oracle = oracle_of(case)
    for texts, expected in ((case.accepted, True), (case.rejected, False)):
        for text in texts:
            assert oracle.machine.accepts(text) is expected, text
            assert matches(case.tree(), text) is expected, text
            if isinstance(case.source, str):
                assert membership_by_re(case.source)(text) is expected, text
    assert oracle.is_empty is (case.error == "EmptyLanguageError")
    check_masks(case, OracleEngine(oracle))
    for mask in case.masks:
        if mask.forced is not None:
            state = oracle.machine.walk(oracle.start, mask.after)
            assert oracle.keeps_forced(state, mask.forced)


@by_case
def test_the_engine_gets_it_right(case):
    if case.error is not None:
        with pytest.raises(getattr(formgate, case.error)):
            compile_case(case)
        return
    engine = compile_case(case)
    for text in case.accepted:
        assert engine.accepts(text) is True, text
    for text in case.rejected:
        assert engine.accepts(text) is False, text
    check_masks(case, engine)


def compile_case(case):
    vocabulary = native_vocabulary(case.vocabulary)
    return formgate.compile(case.source, vocabulary, format=case.format, **case.options)
