"""Lexers that look for what an LALR parser has an action for, with the judge told what that is."""

from __future__ import annotations

import itertools

import pytest

pytest.importorskip("lark")

import lark
from hypothesis import HealthCheck, assume, event, given, settings
from hypothesis import strategies as st
from lark.exceptions import UnexpectedInput
from lark.lexer import Token
from lark.parsers.lalr_analysis import LALR_Analyzer
from lexed_cases import FIRST, PATTERNS, check, compile_lexed
from lexer_judge import Lexeme, LexerJudge
from mask_switches import CHOICES, check_tables

import formgate
from formgate.core.errors import EmptyLanguageError, GrammarError, LimitError
from formgate.core.grammar import GrammarBuilder, Production, Terminal
from formgate.plugins.regex import compile_lexeme, compile_regex


def larks(rules, terminals):
    """Return lark's parser for rules, with any texts for the terminals; None if it has none."""

    def written_so(symbol):
        return {"S": "start", "A": "a", "B": "b"}.get(symbol, symbol.upper())

    used = {symbol for bodies in rules.values() for body in bodies for symbol in body} - set(rules)
    lines = [
        f"{written_so(name)}: " + " | ".join(" ".join(map(written_so, body)) for body in bodies)
        for name, bodies in rules.items()
    ]
    lines += [f'{name.upper()}: "{name}"' for name in used]
    try:
        return lark.Lark("\n".join(lines), parser="lalr")
    except lark.exceptions.LarkError:
        return None


def has_conflicts(parser):
    try:
        LALR_Analyzer(parser.parser.parser_conf, strict=True).compute_lalr()
    except lark.exceptions.GrammarError:
        return True
    return False


class LarksJudge(LexerJudge):
    """Lets compete what lark's parser has an action for."""

    def __init__(self, rules, terminals, mode, parser):
        super().__init__(rules, terminals, mode, contextual=True)
        self.larks = parser
        self.known = {}

    def looked_for(self, symbols):
        if symbols not in self.known:
            interactive = self.larks.parse_interactive("")
            for symbol in symbols:
                try:
                    interactive.feed_token(Token(symbol.upper(), ""))
                except UnexpectedInput:
                    self.known[symbols] = None
                    break
            else:
                self.known[symbols] = interactive.choices().keys()
        return self.known[symbols]

    def competing(self, symbols):
        found = self.looked_for(symbols)
        return [t for t in self.terminals if t.ignored or t.letter.upper() in (found or ())]


@st.composite
def merging_grammars(draw, patterns):
    """Draw rules in which some stand in several contexts; no two alternatives are alike."""
    letters = "xyz"[: draw(st.integers(2, 3))]
    names = ("S", "A", "B")[: draw(st.integers(2, 3))]
    bodies = st.lists(st.sampled_from([*names[1:], *letters]), max_size=3).map(tuple)
    rules = {"S": draw(st.lists(bodies, min_size=2, max_size=4, unique=True))}
    for name in names[1:]:
        rules[name] = draw(st.lists(bodies, min_size=1, max_size=2, unique=True))
    terminals = [Lexeme(letter, draw(st.sampled_from(patterns))) for letter in letters]
    if draw(st.booleans()):
        terminals.append(Lexeme("w", draw(st.sampled_from([" ", " +", "b"])), True))
    return rules, draw(st.permutations(terminals))


def productions_of(rules):
    return [Production(name, body) for name, bodies in rules.items() for body in bodies]


@settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.booleans(), st.data())
def test_what_a_parser_looks_for_competes(first, data):
    rules, terminals = data.draw(merging_grammars(FIRST if first else PATTERNS))
    parser = larks(rules, terminals)
    assume(parser is not None)
    mode = "first" if first else "longest"
    options = {
        "write": compile_lexeme if first else compile_regex,
        "productions": productions_of(rules),
    }
    if has_conflicts(parser):
        event("with conflicts")
        check_alive(rules, terminals, mode, parser, options)
        return
    event("without conflicts")
    judge = LarksJudge(rules, terminals, mode, parser)
    check(rules, terminals, mode, contextual=True, judge=judge, most=5, **options)


def check_alive(rules, terminals, mode, parser, options):
    """Check that texts that lark takes are taken, and that no mask leads to a dead end."""
    judge = LarksJudge(rules, terminals, mode, parser)
    texts = ["".join(word) for n in range(5) for word in itertools.product("ab ", repeat=n)]
    accepted = [text for text in texts if judge.accepts(text)]
    accepted = [text for text in accepted if larks_own(judge, text)]
    try:
        engine = compile_lexed(rules, terminals, mode, contextual=True, **options)
    except (EmptyLanguageError, LimitError):
        assert not accepted
        return
    assert all(engine.accepts(text) for text in accepted)
    pending, seen = [engine.start()], set()
    for state in pending:
        allowed = engine.allowed_tokens(state).to_list()
        assert allowed
        for token in allowed:
            if token == 8:
                continue
            after = engine.advance(state, token)
            if after.key not in seen and len(seen) < 40:
                seen.add(after.key)
                pending.append(after)


def larks_own(judge, text):
    """Say whether lark's parser takes the terminals that a text is cut into."""
    at, symbols = 0, ""
    while at < len(text):
        take = judge.longest if judge.mode == "longest" else judge.first
        winner, at = take(text, at, judge.competing(symbols))
        symbols += "" if winner.ignored else winner.letter
    found = judge.looked_for(symbols)
    return found is not None and "$END" in found


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.booleans(), CHOICES, st.data())
def test_masks_are_those_of_single_steps(first, choices, data):
    grammar = data.draw(merging_grammars(FIRST if first else PATTERNS))
    assume(larks(*grammar) is not None)
    mode = "first" if first else "longest"
    check_tables(grammar, mode, True, choices, productions=productions_of(grammar[0]))


# After "x" and "y" the parser is in the state of "a: . c", whatever follows that.
MERGED = {"S": [("x", "A", "k", "q"), ("y", "A", "n")], "A": [("c",)]}
LEXEMES = [
    *(Lexeme(letter, letter) for letter in "xycq"),
    Lexeme("k", "p", keyword_of="n"),
    Lexeme("n", "[a-z]+"),
]


def engine_of(rules, lexemes, letters, **options):
    builder = GrammarBuilder()
    for name, bodies in rules.items():
        builder.define(
            name,
            builder.choice(
                *(
                    builder.seq(
                        *(builder.rule(s) if s in rules else builder.terminal(s) for s in body)
                    )
                    for body in bodies
                )
            ),
        )
    given = []
    for each in lexemes:
        pattern, longest = compile_lexeme(each.pattern, builder)
        keyword_of = [(each.keyword_of, each.embedded)] if each.keyword_of else []
        given.append(Terminal(each.letter, pattern, each.ignored, keyword_of, longest))
    builder.start(builder.lexed(builder.rule("S"), given, mode="first", **options))
    return builder.build().compile(vocabulary_of(letters))


def vocabulary_of(letters):
    return formgate.Vocabulary([*(c.encode() for c in letters), None], stop_ids=[len(letters)])


def test_a_keyword_of_another_context():
    engine = engine_of(MERGED, LEXEMES, "xycpqz", productions=productions_of(MERGED))
    words = [word for n in range(3) for word in itertools.product("pqz", repeat=n)]
    texts = [f"{first}c{''.join(word)}" for first in "xy" for word in words]
    taken = {text for text in texts if engine.accepts(text)}
    plain = engine_of(MERGED, LEXEMES, "xycpqz")
    assert "ycp" in {text for text in texts if plain.accepts(text)}
    assert "ycp" not in taken
    assert "ycpq" in taken
    state = engine.advance_many(engine.start(), [1, 2, 3])
    assert sorted(engine.allowed_tokens(state).to_list()) == [0, 1, 2, 3, 4, 5]  # no end


def test_productions_that_are_refused():
    twice = {"S": [("A",), ("B",)], "A": [("x",)], "B": [("x",)]}
    with pytest.raises(GrammarError, match="reduce/reduce"):
        engine_of(twice, [Lexeme("x", "x")], "x", productions=productions_of(twice))
    with pytest.raises(GrammarError, match="is a terminal and the head"):
        engine_of({"S": [("x",)]}, [Lexeme("x", "x")], "x", productions=[Production("x", ("x",))])
    decided = [*productions_of({"S": twice["S"], "A": twice["A"]}), Production("B", ("x",), 1)]
    assert engine_of(twice, [Lexeme("x", "x")], "x", productions=decided).accepts("x")


def test_productions_of_something_else_do_no_harm():
    """Masks lead to no dead end even where the productions are wrong."""
    wrong = [Production("S", ("q", "q")), Production("S", ("x", "S", "nowhere"))]
    engine = engine_of(MERGED, LEXEMES, "xycpqz", productions=wrong)
    state = engine.start()
    for token in engine.allowed_tokens(state).to_list():
        assert engine.allowed_tokens(engine.advance(state, token)).to_list()


def test_time_for_each_token_is_constant():
    """Right recursion and nesting make no state larger than the rules do."""
    rules = {"S": [("x", "A")], "A": [("c", "A"), ("c", "n"), ("x", "A", "y"), ("k", "q")]}
    engine = engine_of(rules, LEXEMES, "xycpqz", productions=productions_of(rules))
    state = engine.start()
    keys = set()
    for token in [0, *[2] * 500]:
        state = engine.advance(state, token)
        keys.add(state.key)
    assert len(keys) < 10
