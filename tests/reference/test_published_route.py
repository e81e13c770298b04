"""The theorems for the published route: what holds of any lexer and parser, and what needs
``GCDAssumptions``."""

from __future__ import annotations

import itertools
import random

import pytest
from reference.counting import record
from reference.families import VOCABULARIES, grammars
from reference.naive import language

from formgate.core.errors import EmptyLanguageError, UnsupportedConstraint
from formgate.core.reference import (
    EOS,
    BuildInverseTokenSpannerTable,
    BuildLexingFST,
    GCDChecker,
    Grammar,
    LexerSpec,
    ParserConfiguration,
    PreprocessParser,
    Vocabulary,
)
from formgate.core.reference.assumptions import GCDAssumptions, OneStatePerTerminal
from formgate.core.reference.search import path_independence, productivity, visits

SPACED = Vocabulary.of([b"a", b"b", b" ", b"ab", b"b ", b" a", b"a b", b"bb", b"  "])
SPACED_LEXERS = (
    {"A": "a", "B": "b"},
    {"A": "aa*", "B": "b"},
    {"A": "a", "B": "bb*"},
    {"A": "aa*", "B": "bb*"},
)
BARE_LEXERS = (
    {"A": "a", "B": "b"},
    {"A": "ab", "B": "(?:a|b)(?:a|b)*"},
    {"A": "a(?:ba)?", "B": "bb"},
    {"A": "aa*", "B": "b"},
    {"A": "aa?", "B": "a(?:a|b)*b"},
)


def parsers(rules, length):
    """Rules and parser of every small grammar over the terminals A and B that derives something."""
    for table in grammars("s", "AB", rules, length):
        try:
            yield table, Grammar("s", table).parser()
        except EmptyLanguageError:
            continue


def by_definition(checker, lexer_state, configuration):
    """The mask of one configuration: v is in it exactly if the lexer takes it, and some terminal T
    of Prod(q') is such that the parser can read the terminals emitted and T."""
    lexing, parser = checker.route.lexing, checker.route.parser
    allowed = set()
    for token in range(len(checker.vocabulary)):
        spelling = checker.vocabulary.spelling(token)
        step = None if spelling is None else lexing.run(spelling, lexer_state)
        if step is None:
            continue
        after, outputs = step
        pending = [()] if EOS in outputs else [(t,) for t in lexing.computeSingleProducible(after)]
        if any(parser.run([configuration], outputs + last) for last in pending):
            allowed.add(token)
    return allowed


def check_mask_characterisation(lexer, parser, vocabulary, stacks):
    """The mask characterisation, and that A(q, p) and what is in neither table are safe to fix."""
    checker = GCDChecker(lexer, parser, vocabulary, assumptions="paper")
    route = checker.route
    checked = 0
    for q in route.lexing.states:
        for p in route.parser.states:
            for stack in stacks:
                configuration = ParserConfiguration(p, stack)
                mask = checker.mask(frozenset([(q, p, stack)]))
                assert mask == by_definition(checker, q, configuration), (q, configuration)
                assert route.preprocessed.accepted[q, p] <= mask
                checked += 1
    record("lexer state and configuration: mask characterisation", checked)


def test_mask_characterisation():
    for _, parser in itertools.islice(parsers(2, 2), 0, None, 6):
        symbols = sorted(parser.stack_symbols, key=repr)[:3]
        stacks = [s for size in range(3) for s in itertools.product(symbols, repeat=size)]
        for terminals in BARE_LEXERS[1:4]:
            for vocabulary in VOCABULARIES[1:4:2]:
                check_mask_characterisation(LexerSpec.of(terminals), parser, vocabulary, stacks)


def test_sequences_are_sorted_into_accepted_rejected_and_dependent():
    """On all stacks up to a height: accepted never fails, rejected never runs, dependent varies."""
    parser = Grammar.of("S: A S B | A").parser().with_end_marker()
    lexer = LexerSpec.of({"A": "a", "B": "b"})
    table = BuildInverseTokenSpannerTable(lexer, Vocabulary.of([b"a", b"b", b"bb", b"aab", b"ba"]))
    tables = PreprocessParser(parser, table)
    symbols = sorted(parser.stack_symbols, key=repr)
    stacks = [s for size in range(4) for s in itertools.product(symbols, repeat=size)]
    seen = {"accepted": 0, "rejected": 0, "dependent": 0}
    for q, row in table.tokens.items():
        for p in parser.states:
            for sequence, ids in row.items():
                ran = {bool(parser.run([ParserConfiguration(p, s)], sequence)) for s in stacks}
                if sequence in tables.dependent[q, p]:
                    seen["dependent"] += 1
                    assert not parser.run([ParserConfiguration(p, ())], sequence)
                elif ran == {True}:
                    seen["accepted"] += 1
                    assert ids <= tables.accepted[q, p]
                else:
                    seen["rejected"] += 1
                    assert ran == {False}
    assert all(seen.values()), seen


def check_soundness(checker, max_states):
    """Theorem C.4: behind an allowed token, some input lets the lexer go on and the parser too.

    The input is the one that emits the pending terminal: found by search of the transducer's silent
    edges, run from the start over the text as a whole.
    """
    lexing, parser = checker.route.lexing, checker.route.parser
    letters = sorted(checker.lexer.automaton.alphabet)
    for visit in visits(checker, max_states):
        read = tuple(s for t in visit.tokens for s in checker.vocabulary.spelling(t))
        mask = checker.mask(visit.state)
        for token in set(range(len(checker.vocabulary))) - mask:
            assert not checker.step(visit.state, token), (visit.tokens, token)
        for token in mask:
            text = read + checker.vocabulary.spelling(token)
            longest = len(lexing.states)
            for length in range(longest + 1):
                if any(
                    (run := lexing.run(text + more)) is not None
                    and parser.run([parser.initial], run[1])
                    for more in itertools.product(letters, repeat=length)
                ):
                    break
            else:
                raise AssertionError((visit.tokens, token))
            record("allowed tokens: soundness of the published route", 1)


def test_soundness_without_assumptions():
    for _, parser in itertools.islice(parsers(2, 2), 0, None, 2):
        for terminals in BARE_LEXERS:
            checker = GCDChecker(
                LexerSpec.of(terminals), parser, VOCABULARIES[1], assumptions="paper"
            )
            check_soundness(checker, 12)


def check_under_assumptions(table, parser, terminals, max_states, length):
    """With a separator the published route is exact; returns the states compared."""
    lexer = LexerSpec.of({**terminals, "WS": "  *"})
    parser = parser.with_ignored(["WS"])
    assert GCDAssumptions(lexer, parser, SPACED), GCDAssumptions(lexer, parser, SPACED).failures
    published = GCDChecker(lexer, parser, SPACED, assumptions="paper")
    exact = GCDChecker(lexer, parser, SPACED)
    assert productivity(published, max_states)
    assert path_independence(published, max_states)
    states = 0
    for visit in visits(exact, max_states):
        mask = published.mask(published.after(visit.tokens))
        assert mask == exact.mask(visit.state), (table, terminals, visit.tokens)
        states += 1
    expected = language(
        "s", table, {**terminals, "WS": "  *"}, b"ab ", length, lexing="longest", ignored=("WS",)
    )
    for size in range(4):
        for word in itertools.product(range(6), repeat=size):
            text = b"".join(SPACED.tokens[token] for token in word)
            if len(text) <= length:
                assert published.accepts(word) == (text in expected), (table, terminals, text)
                record("token sequences: published checker's language = target language", 1)
    record("states: published masks = exact masks under the assumptions", states)
    return states


def test_under_its_assumptions_the_published_route_is_exact():
    for table, parser in itertools.islice(parsers(2, 2), 0, None, 5):
        for terminals in SPACED_LEXERS[:3]:
            check_under_assumptions(table, parser, terminals, 25, 5)


@pytest.mark.slow
def test_under_its_assumptions_the_published_route_is_exact_for_all_small_grammars():
    for table, parser in itertools.chain(
        parsers(2, 2), itertools.islice(parsers(2, 3), 0, None, 30)
    ):
        for terminals in SPACED_LEXERS:
            check_under_assumptions(table, parser, terminals, 40, 5)


def test_one_state_per_terminal_keeps_the_language():
    """Splitting a terminal by accepting states makes ``term`` one-to-one and changes no mask."""
    split = 0
    for _, parser in itertools.islice(parsers(2, 2), 0, None, 10):
        for terminals in BARE_LEXERS[1:]:
            lexer = LexerSpec.of(terminals)
            relabelled, reparser = OneStatePerTerminal(lexer, parser)
            report = GCDAssumptions(relabelled, reparser, VOCABULARIES[1])
            assert "one_state_per_terminal" not in {finding.name for finding in report.failures}
            split += len(relabelled.terminals) > len(lexer.terminals)
            for assumptions in ("exact", "paper"):
                before = GCDChecker(lexer, parser, VOCABULARIES[1], assumptions=assumptions)
                after = GCDChecker(relabelled, reparser, VOCABULARIES[1], assumptions=assumptions)
                for visit in visits(before, 15):
                    assert after.mask(after.after(visit.tokens)) == before.mask(visit.state)
    assert split > 20


def test_where_assumptions_fail_masks_may_differ_and_productivity_shows_it():
    """The published masks are wrong only where some predicate says that an assumption fails."""
    rng = random.Random(7)
    wrong = right = 0
    for table, parser in itertools.islice(parsers(2, 2), 0, None, 2):
        for terminals in BARE_LEXERS:
            lexer = LexerSpec.of(terminals)
            vocabulary = rng.choice(VOCABULARIES)
            published = GCDChecker(lexer, parser, vocabulary, assumptions="paper")
            exact = GCDChecker(lexer, parser, vocabulary, lexing="published")
            report = GCDAssumptions(lexer, parser, vocabulary)
            states = list(visits(exact, 20))
            equal = all(
                published.mask(published.after(v.tokens)) == exact.mask(v.state) for v in states
            )
            wrong += not equal
            right += equal
            assert equal or report.failures, (table, terminals)
            if not productivity(published, 20):
                assert report.failures
                with pytest.raises(UnsupportedConstraint, match="not exact here"):
                    report.require()
    assert wrong > 20
    record("cases without a separator where published masks are wrong", wrong)
    record("cases without a separator where they are right all the same", right)


def test_lexing_transducers_of_the_route_are_those_of_the_definition():
    lexer = LexerSpec.of(BARE_LEXERS[1])
    checker = GCDChecker(lexer, Grammar.of("s: A B").parser(), SPACED, assumptions="paper")
    assert checker.route.lexing == BuildLexingFST(lexer)
