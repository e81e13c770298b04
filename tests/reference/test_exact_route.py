"""The theorems for the exact route, which has no hypotheses: soundness, completeness, EOS
completeness, checker language = target language, productivity, path independence.

``Verdict`` checks all of them in every state it visits, against enumeration and a naive judge.
"""

from __future__ import annotations

import itertools
from collections import Counter

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from oracle.strategies import examples
from reference import strategies
from reference.counting import record
from reference.families import (
    TOKEN_SETS,
    VOCABULARIES,
    grammars,
    is_useful,
    patterns_and_words,
)
from reference.naive import derives, is_text, language, matches, sentences
from reference.verdicts import Verdict

from formgate.core.errors import EmptyLanguageError
from formgate.core.reference import (
    GCDChecker,
    Grammar,
    LexerSpec,
    ReferenceEngine,
    Vocabulary,
)

MAX_MOVES = 60
LETTERS = LexerSpec.of({"a": "a", "b": "b"})
WORDS = {"a": {("a",)}, "b": {("b",)}}


def report(family, counts):
    for name, count in counts.items():
        record(f"exact route, {family}: {name}", count)


def check_patterns(patterns, vocabularies, family):
    counts = Counter()
    for pattern, expected in patterns:
        for vocabulary in vocabularies:
            label = f"{pattern} with {vocabulary.tokens}"
            try:
                checker = ReferenceEngine.from_regex(pattern, vocabulary).checker
            except EmptyLanguageError:
                spelled = {t for t in expected if is_spelled(t, vocabulary)}
                assert not spelled, f"wrongly empty: {label}"
                counts["empty"] += 1
                continue
            verdict = Verdict(
                checker,
                expected,
                lambda text, p=pattern, w=expected: (
                    text in w if len(text) <= 8 else matches(p, text)
                ),
                length=8,
                label=label,
            )
            counts += verdict.check(5)
            counts["cases"] += 1
    report(family, counts)


def is_spelled(text, vocabulary):
    """Whether some tokens spell a text."""
    tokens = [data for token in range(len(vocabulary)) if (data := vocabulary.token_bytes(token))]
    spelled = [True] + [False] * len(text)
    for at in range(len(text)):
        if spelled[at]:
            for token in tokens:
                if text.startswith(token, at):
                    spelled[at + len(token)] = True
    return spelled[-1]


def test_all_small_patterns():
    for size in range(1, 5):
        check_patterns(patterns_and_words(size), VOCABULARIES, "patterns")
    check_patterns(patterns_and_words(5), VOCABULARIES[3:4], "patterns")


@pytest.mark.slow
def test_all_larger_patterns():
    check_patterns(patterns_and_words(5), VOCABULARIES, "patterns")
    check_patterns(patterns_and_words(6), VOCABULARIES[1:4:2], "patterns")


def check_grammars(tables, vocabularies, family):
    """Grammars over the single letters a and b: both disciplines of lexing say the same."""
    counts = Counter()
    for table in tables:
        if not is_useful(table, "S"):
            continue
        expected = {bytes(map(ord, word)) for word in sentences("S", table, WORDS, 8)}
        try:
            parser = Grammar("S", table).parser()
        except EmptyLanguageError:
            assert not expected, table
            counts["grammars without a sentence"] += 1
            continue
        for vocabulary, lexing in zip(
            vocabularies, itertools.cycle(["longest", "any"]), strict=False
        ):
            verdict = Verdict(
                GCDChecker(LETTERS, parser, vocabulary, lexing=lexing),
                expected,
                lambda text, t=table: derives("S", t, tuple(text.decode())),
                length=8,
                label=f"{table} with {vocabulary.tokens}, {lexing}",
            )
            counts += verdict.check(5)
            counts["cases"] += 1
    report(family, counts)


def test_all_small_grammars():
    tables = itertools.chain(grammars("SA", "ab", 1, 3), grammars("SA", "ab", 2, 2))
    check_grammars(tables, VOCABULARIES, "grammars")


def test_some_grammars_of_three_rules():
    tables = itertools.islice(grammars("SA", "ab", 3, 3), 0, None, 2_500)
    check_grammars(tables, VOCABULARIES[1:4:2], "grammars")


@pytest.mark.slow
def test_all_grammars_of_three_rules_and_two_symbols():
    check_grammars(grammars("SA", "ab", 3, 2), VOCABULARIES[1:4:2], "grammars")
    check_grammars(grammars("SA", "ab", 2, 3), VOCABULARIES, "grammars")


@pytest.mark.slow
def test_many_grammars_of_three_rules_and_three_symbols():
    tables = itertools.islice(grammars("SA", "ab", 3, 3), 0, None, 1_000)
    check_grammars(tables, VOCABULARIES[1:4:2], "grammars")


LEXERS = (
    {"A": "a", "B": "b"},
    {"A": "aa*", "B": "b"},
    {"A": "a", "B": "ab"},
    {"A": "a(?:ba)?", "B": "bb"},  # must look two bytes ahead, and go back
    {"A": "ab", "B": "(?:a|b)(?:a|b)*"},  # a keyword beside an identifier
    {"A": "a(?:aab)?", "B": "b(?:b)*"},
    {"A": "aa?", "B": "a(?:a|b)*b"},
    {"A": "a(?:b*a)?", "B": "b"},  # unbounded look-ahead
    {"A": "(?:a|b)", "B": "b"},  # B never wins, but may be meant where every split counts
)


def check_lexed(tables, lexers, vocabularies, lexings, family, *, ignored=(), letters=b"ab"):
    counts = Counter()
    for table in tables:
        rules = {
            h: [tuple(s.upper() if s in "ab" else s.lower() for s in b) for b in bs]
            for h, bs in table.items()
        }
        rules = {head.lower(): alternatives for head, alternatives in rules.items()}
        for terminals in lexers:
            lexer = LexerSpec.of(terminals)
            try:
                parser = Grammar("s", rules).parser().with_ignored(ignored)
            except EmptyLanguageError:
                break
            for lexing in lexings:
                expected = language(
                    "s", rules, terminals, letters, 8, lexing=lexing, ignored=ignored
                )
                for vocabulary in vocabularies:
                    verdict = Verdict(
                        GCDChecker(lexer, parser, vocabulary, lexing=lexing),
                        expected,
                        lambda text, r=rules, t=terminals, how=lexing: is_text(
                            "s", r, t, text, lexing=how, ignored=ignored
                        ),
                        length=8,
                        label=f"{rules} over {terminals} with {vocabulary.tokens}, {lexing}",
                    )
                    counts += verdict.check(4)
                    counts["cases"] += 1
    report(family, counts)


def useful(tables):
    return (table for table in tables if is_useful(table, "S"))


def test_small_grammars_over_lexers_without_separators():
    tables = itertools.islice(useful(grammars("S", "ab", 2, 2)), 0, None, 8)
    check_lexed(tables, LEXERS, VOCABULARIES[1:4:2], ["longest"], "grammars over lexers")
    tables = itertools.islice(useful(grammars("S", "ab", 2, 2)), 3, None, 25)
    check_lexed(
        tables,
        (*LEXERS[:5], LEXERS[-1]),
        VOCABULARIES[1:2],
        ["any"],
        "grammars over lexers, any split",
    )


@pytest.mark.slow
def test_all_grammars_of_two_rules_over_lexers_without_separators():
    tables = list(useful(grammars("S", "ab", 2, 3)))
    check_lexed(tables, LEXERS, VOCABULARIES[1:4], ["longest"], "grammars over lexers")
    check_lexed(tables[::3], LEXERS, VOCABULARIES[1:2], ["any"], "grammars over lexers, any split")


def test_a_separator_that_is_ignored():
    vocabulary = Vocabulary.of([b"a", b"b", b" ", b"a ", b" b", b"ab"])
    lexers = [{**terminals, "WS": " +"} for terminals in LEXERS[1:5:3]]
    tables = itertools.islice(useful(grammars("S", "ab", 2, 2)), 5, None, 60)
    check_lexed(
        tables,
        lexers,
        [vocabulary],
        ["longest"],
        "with a separator",
        ignored=("WS",),
        letters=b"ab ",
    )


def check_random(rules, terminals, vocabulary, lexing):
    try:
        parser = Grammar("s", rules).parser()
    except EmptyLanguageError:
        return
    # Very ambiguous rules have parsers with hundreds of moves, and minutes are spent on one.
    assume(sum(map(len, parser.edges.values())) <= MAX_MOVES)
    expected = language("s", rules, terminals, b"ab", 7, lexing=lexing)
    verdict = Verdict(
        GCDChecker(LexerSpec.of(terminals), parser, vocabulary, lexing=lexing),
        expected,
        lambda text: is_text("s", rules, terminals, text, lexing=lexing),
        length=7,
        label=f"{rules} over {terminals} with {vocabulary.tokens}, {lexing}",
    )
    report("random grammars and lexers", Counter(verdict.check(3), cases=1))


lexings = st.sampled_from(["longest", "any"])


@examples(150)
@given(strategies.grammars, strategies.lexers, strategies.vocabularies, lexings)
def test_random_grammars_and_lexers(rules, terminals, vocabulary, lexing):
    check_random(rules, terminals, vocabulary, lexing)


@pytest.mark.slow
@examples(2_000)
@given(strategies.grammars, strategies.lexers, strategies.vocabularies, lexings)
def test_many_random_grammars_and_lexers(rules, terminals, vocabulary, lexing):
    check_random(rules, terminals, vocabulary, lexing)


def test_the_checkers_language_is_the_target_language():
    """Over all sequences of tokens, not only those that the checker allows."""
    rules = {"s": [("A", "s", "B"), ("A",)]}
    terminals = {"A": "a(?:ba)?", "B": "bb"}
    checked = 0
    for tokens in TOKEN_SETS[1:4]:
        vocabulary = Vocabulary.of(tokens)
        checker = GCDChecker(LexerSpec.of(terminals), Grammar("s", rules).parser(), vocabulary)
        for length in range(6):
            for word in itertools.product(range(len(tokens)), repeat=length):
                text = b"".join(tokens[token] for token in word)
                inside = is_text("s", rules, terminals, text, lexing="longest")
                assert checker.accepts(word) == inside, (text, word)
                begun = bool(checker.after(word))
                assert begun == all(checker.allows(word[:i], word[i]) for i in range(length)), (
                    "the intermediate language is what is allowed in turn"
                )
                checked += 1
    record("token sequences: accepts against the target language", checked)


def test_liveness_is_a_matter_of_tokens_not_of_bytes():
    vocabulary = Vocabulary.of([b"aaaa", b"b"])
    engine = ReferenceEngine.from_regex("(aa)?(aaa)?b", vocabulary)
    assert engine.allowed_tokens(engine.start()).to_list() == [1]


def test_deep_nesting_is_a_matter_of_the_stack():
    vocabulary = Vocabulary.of([b"(", b")", b"))", b")))"])
    terminals = {"OPEN": r"\(", "CLOSE": r"\)"}
    engine = ReferenceEngine.from_grammar("S: OPEN S CLOSE |", terminals, vocabulary)
    state = engine.start()
    for _ in range(200):
        state = engine.advance(state, 0)
    for _ in range(198):
        state = engine.advance(state, 1)
    assert engine.allowed_tokens(state).to_list() == [1, 2]
