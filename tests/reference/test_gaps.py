"""The known gaps of the published algorithm, the predicates that name them, and the exact answers.

The cases are those measured on the authors' prototype, and one for each hypothesis of the theorems.
"""

from __future__ import annotations

import pytest

from formgate.core.errors import EmptyLanguageError, GrammarError, UnsupportedConstraint
from formgate.core.reference import (
    FSA,
    PDA,
    GCDChecker,
    Grammar,
    LexerSpec,
    ReferenceEngine,
    Transition,
    Vocabulary,
)
from formgate.core.reference.assumptions import (
    GCDAssumptions,
    every_byte_is_a_token,
    hempty,
    hrestart,
    lexer_pruned,
    one_state_per_terminal,
    one_symbol_lookahead,
    parser_pruned,
    whitespace,
)
from formgate.core.reference.search import path_independence, productivity

NUMBERS = {"NUM": r"[0-9]+(\.[0-9]+)?", "DOTS": r"\.\."}
WORDS = {"IF": "if", "NAME": "[a-z]+", "NUM": "[0-9]+"}


def allowed(engine, *texts):
    """The texts of the tokens allowed after some tokens; "end" stands for the stop id."""
    vocabulary = engine.vocabulary
    state = engine.start()
    for text in texts:
        state = engine.advance(state, vocabulary.tokens.index(text))
    tokens = [vocabulary.token_bytes(i) for i in engine.allowed_tokens(state).to_list()]
    return {"end" if data is None else data.decode() for data in tokens}


@pytest.mark.parametrize("assumptions", ["exact", "paper"])
def test_a_token_across_the_end_of_a_sentence(assumptions):
    """The prototype allows bb where one b is owed, and b after the whole sentence."""
    vocabulary = Vocabulary.of([b"a", b"b", b"c", b"ab", b"cb", b"bb", b"cbb", b"aa"])
    engine = ReferenceEngine.from_grammar(
        "start: A start B | C", {"A": "a", "B": "b", "C": "c"}, vocabulary, assumptions=assumptions
    )
    assert allowed(engine, b"aa", b"cb") == {"b"}
    assert allowed(engine, b"a", b"c", b"b") == {"end"}
    assert "bb" in allowed(engine, b"aa", b"c")


def test_without_a_separator_a_keyword_swallows_the_name_behind_it():
    """IF NAME has no text under longest match, yet the published masks begin one."""
    vocabulary = Vocabulary.of([b"if", b"i", b"f", b"x", b"1"])
    grammar = "start: IF NAME"
    published = ReferenceEngine.from_grammar(grammar, WORDS, vocabulary, assumptions="paper")
    assert "if" in allowed(published)
    assert allowed(published, b"if") == set(), "a dead end"
    finding = productivity(published.checker)
    assert not finding
    assert "nothing completes the text" in finding.where
    with pytest.raises(EmptyLanguageError, match="no sequence of tokens"):
        ReferenceEngine.from_grammar(grammar, WORDS, vocabulary)
    # Read as sets of texts, cut anywhere, the same rules have texts.
    free = ReferenceEngine.from_grammar(grammar, WORDS, vocabulary, lexing="any")
    assert allowed(free, b"if") == {"if", "i", "f", "x"}
    assert free.accepts("ifx")
    assert not free.accepts("if")


def test_with_a_separator_the_published_masks_are_exact():
    vocabulary = Vocabulary.of([b"if", b"i", b"f", b"x", b"1", b" ", b" x", b"if "])
    terminals = {"IF": "if", "NAME": "[fix]+", "NUM": "1", "WS": " +"}
    engines = [
        ReferenceEngine.from_grammar(
            "start: IF NAME", terminals, vocabulary, ignored=["WS"], assumptions=assumptions
        )
        for assumptions in ("exact", "paper")
    ]
    for prefix in ([], [b"if"], [b"if "], [b"if", b" x"], [b"i"], [b" ", b"if", b" ", b"x"]):
        assert allowed(engines[0], *prefix) == allowed(engines[1], *prefix), prefix
    assert allowed(engines[0], b"if") == {" ", " x"}, "ifx would be a name"


def test_one_symbol_of_look_ahead_is_too_little_for_a_range():
    """1..2 by longest match: after 1. a second dot shows that the number had ended before."""
    vocabulary = Vocabulary.of([b"1", b"2", b".", b"..", b"1..", b".2"])
    engine = {
        assumptions: ReferenceEngine.from_grammar(
            "range: NUM DOTS NUM", NUMBERS, vocabulary, assumptions=assumptions
        )
        for assumptions in ("exact", "paper")
    }
    assert allowed(engine["exact"], b"1") == {"1", "2", ".", "..", "1..", ".2"}
    assert ".." not in allowed(engine["paper"], b"1"), "incomplete"
    assert allowed(engine["exact"], b"1", b".", b".") == {"1", "2"}
    assert allowed(engine["exact"], b"1", b"..", b"2") == {"1", "2", ".", ".2", "end"}
    finding = one_symbol_lookahead(LexerSpec.of(NUMBERS))
    assert not finding
    assert "b'0..'" in finding.where
    assert one_symbol_lookahead(LexerSpec.of(WORDS))


def test_unbounded_look_ahead():
    """A lexeme a, or a b...b a: how many b were lexemes shows at the next a, or at the end."""
    vocabulary = Vocabulary.of([b"a", b"b", b"bb", b"c"])
    terminals = {"A": "a(b*c)?", "B": "b"}
    engine = ReferenceEngine.from_grammar("s: A bs\nbs: B bs |", terminals, vocabulary)
    for count in range(5):
        assert allowed(engine, b"a", *[b"b"] * count) == {"b", "bb", "c", "end"}
    assert allowed(engine, b"a", b"bb", b"c") == {"b", "bb", "end"}
    finding = one_symbol_lookahead(LexerSpec.of(terminals))
    assert "b'ab'" in finding.where


def test_a_keyword_is_never_a_name_and_adjacent_numbers_are_one():
    vocabulary = Vocabulary.of([b"if", b"i", b"x", b"1", b"12"])
    engine = ReferenceEngine.from_grammar("s: NAME NUM NAME", WORDS, vocabulary)
    assert "1" not in allowed(engine, b"if"), "IF NUM NAME is no sentence"
    assert "1" in allowed(engine, b"if", b"x")
    with pytest.raises(EmptyLanguageError):
        ReferenceEngine.from_grammar("s: NUM NUM", WORDS, vocabulary)


def test_two_readings_of_adjacent_repetitions():
    """a+ a+ has no text under longest match, and all of two or more under free splits."""
    vocabulary = Vocabulary.of([b"a", b"aa"])
    with pytest.raises(EmptyLanguageError):
        ReferenceEngine.from_grammar("s: A A", {"A": "a+"}, vocabulary)
    engine = ReferenceEngine.from_grammar("s: A A", {"A": "a+"}, vocabulary, lexing="any")
    assert allowed(engine) == {"a", "aa"}
    assert allowed(engine, b"a") == {"a", "aa"}
    assert allowed(engine, b"aa") == {"a", "aa", "end"}


def test_hempty():
    assert hempty(LexerSpec.of(WORDS))
    empty = LexerSpec(FSA(0, frozenset([0]), {0: {97: 0}}), {0: ("A",)})
    finding = hempty(empty)
    assert not finding
    assert "empty text as A" in finding.where


def test_lexer_pruned():
    assert lexer_pruned(LexerSpec.of(WORDS))
    finding = lexer_pruned(
        LexerSpec(FSA(0, frozenset([1]), {0: {97: 1}, 1: {}, 2: {}}), {1: ("A",)})
    )
    assert finding.where == "useless states: [2]"


def test_hrestart_fails_where_nothing_ends_a_lexeme():
    lexer = LexerSpec.of({"A": "a+"})
    finding = hrestart(lexer)
    assert not finding
    assert "b'a'" in finding.where
    assert hrestart(LexerSpec.of({"A": "a+", "B": "b"}))
    # So the published masks refuse all: no input emits the terminal alone, EOS emits it with EOS.
    vocabulary = Vocabulary.of([b"a"])
    parser = Grammar.of("s: A").parser()
    assert not GCDChecker(lexer, parser, vocabulary, assumptions="paper").mask(
        GCDChecker(lexer, parser, vocabulary, assumptions="paper").start()
    )
    assert allowed(ReferenceEngine.from_grammar("s: A", {"A": "a+"}, vocabulary)) == {"a"}


class Faulty(GCDChecker):
    """A checker with a planted fault: one token is forbidden wherever it stands."""

    forbidden = 2

    def mask(self, state):
        return super().mask(state) - {self.forbidden}

    def step(self, state, token):
        return frozenset() if token == self.forbidden else super().step(state, token)


@pytest.mark.parametrize("assumptions", ["exact", "paper"])
def test_path_independence(assumptions):
    arguments = (
        LexerSpec.of({"A": "a+", "B": "a*b"}),
        Grammar.of("s: B").parser(),
        Vocabulary.of([b"a", b"b", b"ab"]),
    )
    assert path_independence(GCDChecker(*arguments, assumptions=assumptions))
    finding = path_independence(Faulty(*arguments, assumptions=assumptions))
    assert not finding
    assert "after b'' the token b'ab' and its bytes differ" in finding.where


def test_one_state_per_terminal():
    assert one_state_per_terminal(LexerSpec.of({"A": "a", "B": "b+"}))
    finding = one_state_per_terminal(LexerSpec.of({**NUMBERS, "INT": "[0-9]+"}))
    assert finding.where == "NUM has 2 accepting states, INT loses every tie"


def test_parser_pruned():
    assert parser_pruned(Grammar.of("s: A s B |").parser())
    stuck = PDA("p", frozenset(["q"]), {("p", "A"): frozenset([Transition((), (), "r")])})
    finding = parser_pruned(stuck)
    assert not finding
    assert finding.where.startswith("after nothing")


@pytest.mark.parametrize(
    ("terminals", "reason"),
    [
        ({"A": "a", "B": "b"}, "b'a' cannot be repeated in A, b'b' cannot"),
        ({"A": "a+", "B": "b"}, "is not ignored by the parser in state"),
        ({"STRING": "'[a ]*'", "WS": " +"}, 'may stand inside of a lexeme, after b"\'"'),
        ({"A": "a", "COMMENT": " +b", "WS": " +"}, "is followed by more than itself in WS"),
        ({"A": "aa", "WS": " +"}, "is the only single-byte lexeme"),
        ({"A": "a", "WS": "  "}, "is no lexeme by itself"),
        ({"WS": " +", "A": "a"}, None),
    ],
)
def test_whitespace(terminals, reason):
    lexer = LexerSpec.of(terminals)
    name = next(iter(terminals))
    parser = Grammar("s", {"s": [["A" if "A" in terminals else name]]}).parser()
    if "WS" in terminals:
        parser = parser.with_ignored(["WS"])
    finding = whitespace(lexer, parser)
    assert bool(finding) == (reason is None)
    if reason is not None:
        assert reason in finding.where


def test_every_byte_is_a_token():
    lexer = LexerSpec.of({"A": "a", "B": "[b-z]"})
    assert every_byte_is_a_token(lexer, Vocabulary.of(bytes([b]) for b in range(256)))
    finding = every_byte_is_a_token(lexer, Vocabulary((b"a",), ()))
    assert "no token is b'b'" in finding.where
    assert "nor are 20 more bytes" in finding.where
    assert "there is no stop id" in finding.where


def test_all_that_fails_is_reported_at_once():
    lexer = LexerSpec.of(NUMBERS)
    report = GCDAssumptions(lexer, Grammar.of("s: NUM").parser(), Vocabulary.of([b"1"]))
    assert not report
    names = {finding.name for finding in report.failures}
    assert names == {"one_state_per_terminal", "whitespace", "every_byte_is_a_token"}
    with pytest.raises(UnsupportedConstraint) as caught:
        report.require()
    assert all(name in caught.value.reason for name in names)
    assert "assumptions='exact'" in caught.value.hint


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"lexing": "shortest"}, "not 'shortest'"),
        ({"assumptions": "none"}, "not 'none'"),
        ({"lexing": "any", "assumptions": "paper"}, "longest match"),
    ],
)
def test_unknown_options_are_refused(options, reason):
    with pytest.raises(GrammarError, match=reason):
        GCDChecker(
            LexerSpec.of({"A": "a"}), Grammar.of("s: A").parser(), Vocabulary.of([b"a"]), **options
        )
