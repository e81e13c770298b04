"""The lexer's three forms agree, and so do the two forms of Prod: Theorem C.1 and Lemma C.3."""

from __future__ import annotations

import itertools

import pytest
from reference.counting import record
from reference.families import VOCABULARIES, patterns_up_to
from reference.naive import all_texts, munch

from formgate.core.errors import GrammarError, VocabularyError
from formgate.core.reference import (
    EOS,
    FSA,
    BuildDetokenizingFST,
    BuildDetokLexer,
    BuildInverseTokenSpannerTable,
    BuildLexingFST,
    HypothesisLexer,
    LexerSpec,
    Marker,
    MaximalMunch,
    PartialLex,
    RealizableSequences,
    Vocabulary,
    automaton_of,
)
from formgate.core.reference.hypotheses import FRESH


def distinct_languages(size):
    """One pattern for each language that patterns of a size have, the empty text left out of it."""
    seen = {}
    for pattern in patterns_up_to(size):
        automaton = automaton_of(pattern).without_empty().minimal()
        rows = tuple(
            (state, tuple(sorted(row.items()))) for state, row in sorted(automaton.edges.items())
        )
        key = (automaton.accepting, rows)
        if automaton.start not in automaton_of(pattern).accepting:
            seen.setdefault(key, pattern)
    return list(seen.values())


def small_lexers(size):
    """Every lexer of two terminals, in both orders of priority."""
    for first, second in itertools.permutations(distinct_languages(size), 2):
        yield {"A": first, "B": second}


def lexing_agrees(terminals, length):
    """All forms of lexing on all texts, and Prod in every state of the lexing transducer."""
    lexer = LexerSpec.of(terminals)
    transducer = BuildLexingFST(lexer)
    guessing = HypothesisLexer(lexer)
    published = HypothesisLexer(lexer, "published")
    checked = 0
    for text in all_texts(b"ab", length):
        expected = munch(terminals, text)
        assert MaximalMunch(lexer, text) == expected, (terminals, text)
        ended = (*text, EOS)
        outputs = [emitted for _, emitted in guessing.run(FRESH, ended)]
        assert outputs == ([] if expected is None else [(*expected, EOS)]), (terminals, text)
        for word in (tuple(text), ended):
            partial = PartialLex(lexer, word)
            run = transducer.run(word)
            steps = published.run(FRESH, word)
            assert [emitted for _, emitted in steps] == ([] if run is None else [run[1]])
            assert (partial is None) == (run is None), (terminals, word)
            if partial is not None and run is not None:
                assert partial[0] == run[1], (terminals, word)
                rest = lexer.automaton.run(partial[1]) if partial[1] else Marker.LEXER_START
                assert rest == run[0], (terminals, word)
            checked += 1
        if run is not None:  # the look-ahead of one symbol loses texts, but never misreads one
            assert run[1] == (*(expected or ()), EOS), (terminals, text)
    for state in transducer.states:
        if len(transducer.states) <= 7:
            defined = transducer.singleProducible(state, len(transducer.states))
            assert transducer.computeSingleProducible(state) == defined, (terminals, state)
            record("states: Prod(q) searched against Prod(q) defined", 1)
    record("lexer and text: PartialLex, transducers, hypotheses and re agree", checked)


def test_all_forms_of_small_lexers_agree():
    for terminals in small_lexers(3):
        lexing_agrees(terminals, 8)
    for terminals in itertools.islice(small_lexers(4), 0, None, 5):
        lexing_agrees(terminals, 7)


@pytest.mark.slow
def test_all_forms_of_larger_lexers_agree():
    for terminals in small_lexers(4):
        lexing_agrees(terminals, 8)
    for terminals in itertools.islice(small_lexers(5), 0, None, 100):
        lexing_agrees(terminals, 7)


def test_three_terminals_and_ties():
    for terminals in (
        {"IF": "ab", "NAME": "(?:a|b)(?:a|b)*", "A": "a"},
        {"A": "a", "ABA": "aba", "B": "bb*"},
        {"X": "a(?:aab)?", "Y": "b", "Z": "aa"},
    ):
        lexing_agrees(terminals, 8)


def test_term_is_the_first_and_terms_are_all():
    lexer = LexerSpec.of({"IF": "if", "NAME": "[a-z][a-z]*"})
    state = lexer.automaton.run(b"if")
    assert lexer.term(state) == "IF"
    assert lexer.terms[state] == ("IF", "NAME")
    assert lexer.terminals == {"IF", "NAME"}
    assert lexer.term(lexer.automaton.start) is None


@pytest.mark.parametrize(
    ("terminals", "reason"),
    [
        ({}, "at least one"),
        ({"A": "a*"}, "empty text"),
        ({"A": FSA(0, frozenset(), {0: {}})}, "no text"),
    ],
)
def test_lexers_that_are_none_are_refused(terminals, reason):
    with pytest.raises(GrammarError, match=reason):
        LexerSpec.of(terminals)


def test_detokenising_is_the_homomorphism_and_composition_runs_one_into_the_other():
    lexer = LexerSpec.of({"A": "aab?", "B": "b"})
    for vocabulary in VOCABULARIES:
        detokenise, lex = BuildDetokenizingFST(vocabulary), BuildLexingFST(lexer)
        both = BuildDetokLexer(vocabulary, lexer)
        for length in range(4):
            for word in itertools.product(range(len(vocabulary)), repeat=length):
                spelled = tuple(s for token in word for s in vocabulary.spelling(token))
                assert detokenise.run(word) == (Marker.TOKENS, spelled)
                for state in lex.states:
                    run = lex.run(spelled, state)
                    composed = both.run(word, (Marker.TOKENS, state))
                    assert (run is None) == (composed is None)
                    if run is not None:
                        assert composed == ((Marker.TOKENS, run[0]), run[1])


def test_the_spanner_table_inverts_the_composition():
    """T_inv and Re, from their definitions alone."""
    checked = 0
    for terminals in itertools.islice(small_lexers(4), 0, None, 20):
        lexer = LexerSpec.of(terminals)
        lex = BuildLexingFST(lexer)
        for vocabulary in VOCABULARIES:
            both = BuildDetokLexer(vocabulary, lexer)
            expected = {}
            for state in lex.states:
                for token in range(len(vocabulary)):
                    step = both.step((Marker.TOKENS, state), token)
                    if step is None:
                        continue
                    (_, after), outputs = step
                    pending = [()] if EOS in outputs else [
                        (t,) for t in lex.computeSingleProducible(after)
                    ]  # fmt: skip
                    for last in pending:
                        expected.setdefault((state, outputs + last), set()).add(token)
            table = BuildInverseTokenSpannerTable(lexer, vocabulary)
            found = {(q, s): set(ids) for q, row in table.tokens.items() for s, ids in row.items()}
            assert found == expected
            assert RealizableSequences(lexer, vocabulary) == {s for _, s in expected}
            assert all(s for _, s in expected), "a realizable sequence is never empty"
            assert table.inverse(Marker.LEXER_START, ("no such",)) == frozenset()
            checked += len(expected)
    record("entries of inverse token spanner tables", checked)


def test_vocabularies():
    vocabulary = Vocabulary((b"a", None, b"a", b"</s>"), (3,))
    assert vocabulary.spellings() == {(97,): {0, 2}, (EOS,): {3}}
    assert vocabulary.token_bytes(3) is None
    assert vocabulary.spelling(1) is None
    with pytest.raises(VocabularyError, match="token 1 is b''"):
        Vocabulary.of([b"a", b""])
    with pytest.raises(VocabularyError, match="stop id 7"):
        Vocabulary((b"a",), (7,))
