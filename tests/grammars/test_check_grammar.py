"""``check_grammar``: it finds planted faults, and its parts are put to judges of their own."""

from __future__ import annotations

import itertools
import json
import random
from pathlib import Path

import pytest
from earley import Earley
from hypothesis import example, given, settings
from hypothesis import strategies as st
from random_rules import rule_sets

import formgate
from formgate.core.errors import EmptyLanguageError, FormgateError, GrammarError
from formgate.core.grammar import Cell, Entry, GrammarBuilder, Some
from formgate.plugins.cfg import check_grammar
from formgate.plugins.cfg._testing import _recorded
from formgate.plugins.cfg._testing_coverage import Coverage
from formgate.plugins.cfg._testing_lexemes import lark_tokens
from formgate.plugins.cfg._testing_oracles import ORACLES, find_oracle
from formgate.plugins.cfg._testing_record import Recorder, rebuilt
from formgate.plugins.cfg._testing_sampler import ByteWalker, RuleSampler, mutant, walk
from formgate.plugins.cfg._testing_spell import Speller, made_up_vocabulary
from formgate.plugins.cfg._testing_symbols import Symbols

LIST = 'root ::= "[" ( item ( "," item )* )? "]"\nitem ::= root | [0-9]+ | "x"\n'


def recorded(rules, vocabulary) -> Symbols:
    """Record a rule set, each alternative a sequence of letters and rules."""
    recorder = Recorder(embed=lambda *_: None)
    for name, bodies in rules.items():
        alternatives = [
            recorder.seq(*(recorder.rule(s) if s in rules else recorder.literal(s) for s in body))
            for body in bodies
        ]
        recorder.define(name, recorder.choice(*alternatives))
    recorder.start(recorder.rule("S"))
    return Symbols(recorder, vocabulary)


# --- the parts, against an independent judge


@settings(max_examples=150, deadline=None)
@given(rule_sets(), st.integers(0, 2**32))
def test_what_is_drawn_from_rules_is_in_the_language(byte_vocabulary, rules, seed):
    judge = Earley(rules, "S")
    sampler = RuleSampler(recorded(rules, byte_vocabulary), random.Random(seed))
    for size in (0, 3, 20):
        data = sampler.draw(size)
        if "S" not in judge.rules:
            assert data is None
        elif data is not None and len(data) < 60:
            assert judge.accepts(data.decode()), (rules, data)


@settings(max_examples=150, deadline=None)
@given(rule_sets(), st.integers(0, 2**32))
def test_a_text_is_covered_where_it_is_in_the_language(byte_vocabulary, rules, seed):
    judge = Earley(rules, "S")
    symbols = recorded(rules, byte_vocabulary)
    chance = random.Random(seed)
    for _ in range(6):
        text = "".join(chance.choice("ab") for _ in range(chance.randint(0, 7)))
        coverage = Coverage(symbols)
        coverage.add(text.encode(), "text")
        assert bool(coverage.used) == judge.accepts(text), (rules, text)
        if coverage.used:
            # What the text uses is enough to read it.
            used = {
                name: [b for index, b in enumerate(bodies) if (symbol, index) in coverage.used]
                for symbol, (name, bodies) in enumerate(rules.items())
            }
            assert Earley(used, "S").accepts(text), (rules, text, used)
            record = coverage.record()
            assert record["alternatives_used"] == sum(map(len, used.values()))
            assert record["alternatives_used"] <= record["alternatives"]


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.binary(min_size=1, max_size=3), max_size=8), st.binary(max_size=12), st.integers()
)
def test_spellings_spell_the_text(pieces, data, seed):
    vocabulary = formgate.Vocabulary([*pieces, None], stop_ids=[len(pieces)])
    speller = Speller(vocabulary)
    lattice = speller.lattice(data)
    # Which lengths can be spelled, by the plain definition.
    reached = {0}
    for place in range(len(data)):
        if place in reached:
            reached |= {place + len(p) for p in pieces if data.startswith(p, place)}
    assert (lattice is not None) == (len(data) in reached)
    if lattice is not None:
        chance = random.Random(seed)
        for tokens in (speller.longest(data, lattice), speller.random(data, lattice, chance)):
            assert b"".join(vocabulary.token_bytes(token) for token in tokens) == data


def test_walks_end_in_the_language(byte_vocabulary):
    texts = [b"[1,[2,3],x]", b"[]"]
    vocabulary = made_up_vocabulary(texts, random.Random(3))
    engine = formgate.compile(LIST, vocabulary)
    byte_engine = formgate.compile(LIST, byte_vocabulary)
    chance = random.Random(5)
    end = ByteWalker(byte_engine, chance)
    drawn = [walk(engine, end, chance, size) for size in (0, 1, 5, 20, 60) for _ in range(5)]
    assert all(text is not None and byte_engine.accepts(text) for text in drawn)
    assert max(map(len, drawn)) > 20


def test_mutants_are_made_of_the_texts():
    chance = random.Random(1)
    found = {mutant(["ab", "[1]"], chance) for _ in range(200)}
    assert set().union(*found) <= set("ab[1]")
    assert len(found) > 50


# --- planted faults


def check(source, **given):
    settings = {"format": "gbnf", "accept": {"a": b"[1,[x]]"}, "reject": {}, "count": 40, **given}
    return check_grammar(source, **settings)


def kinds(report) -> set[str]:
    return {finding.kind for finding in report.findings}


def test_a_good_grammar_passes():
    report = check(LIST, reject={"r": b"[1,]"})
    assert report.ok, str(report)
    where = "it leaves the language at line 1, column 4; must go on; next: [0-9\\[x]"
    assert report.rejected == {"r": where}
    figures = report.coverage["samples and drawn texts"]
    assert figures["alternatives_used"] == figures["alternatives"] == 4


def test_too_narrow():
    report = check(LIST.replace(' | "x"', ""), accept={"a": b"[\n[x]]"})
    assert kinds(report) == {"false-negative"}
    assert report.findings[0].detail.startswith("it leaves the language at line 1, column 2; ")
    report = check(LIST, accept={"a": b"[1"})
    assert report.findings[0].detail.startswith("it ends too early, at line 1, column 3; ")


def test_too_wide():
    report = check(LIST.replace('"x"', '"nul" "l"?'), accept={"a": b"[1,[null]]"}, oracle="json")
    assert kinds(report) == {"false-positive"}
    assert any("nul]" in finding.text for finding in report.findings)
    assert {"rules"} <= {finding.origin for finding in report.findings}


def test_a_sample_to_reject_is_accepted():
    report = check(LIST, reject={"r": b"[1]"}, oracle="json", accept={})
    assert ("accepted", "the oracle accepts it, too") in {
        (finding.kind, finding.detail) for finding in report.findings
    }


def test_a_sample_is_wrong():
    report = check(LIST, accept={"a": b"[x]"}, oracle="json", count=0)
    assert kinds(report) == {"wrong-sample"}


def test_what_only_an_exact_judge_accepts_is_a_failure():
    given = {"accept": {"a": b"[1,[2]]"}, "reject": {"r": b"[ ]"}, "oracle": "json", "count": 0}
    report = check(LIST, **given)
    assert report.ok
    assert [finding.text for finding in report.narrower] == ["[ ]"]
    assert kinds(check(LIST, exact=True, **given)) == {"false-negative"}


def test_the_same_seed_draws_the_same():
    first, again, other = (check(LIST, seed=seed).record() for seed in (1, 1, 2))
    assert first == again
    assert first != other


def test_special_parts_of_grammars_are_drawn_and_read():
    pytest.importorskip("lark")
    source = """
        start: (NAME | NUMBER) ("," start)*
        NAME: /(?!if$)[a-z]+/
        NUMBER: /[0-9]+/
        %ignore " "
    """
    for options in ({"lexing": "any"}, {"lexing": "longest"}, {}):
        report = check_grammar(
            source,
            format="lark",
            options=options,
            accept={"a": b"ab, 12"},
            reject={"r": b"a b"},
            count=12,
        )
        assert report.ok, str(report)
        assert report.oracle == "lark"
        assert report.counts["drawn from rules"] > 6
        assert report.coverage["samples and drawn texts"]["rules_unused"] == []


LEXED = """
    start: item+
    item: "if" -> word | NAME | SHORT | number "." NUMBER | number | LONG
    number: NUMBER
    NAME: /[a-z]+/
    SHORT: /[a-z]/
    NUMBER: /[0-9]+/
    LONG: /[0-9]+[.][0-9]+x/
    %ignore " "
    %ignore /#.*/
"""


@pytest.mark.parametrize(
    ("options", "unused"),
    [
        ({"lexing": "any"}, set()),
        ({"lexing": "longest"}, {"SHORT"}),
        ({"lexing": "longest", "lexer": "basic"}, {"SHORT"}),
        ({}, {"SHORT"}),
        ({"lexer": "basic"}, {"SHORT"}),
        ({"parser": "earley", "lexer": "basic"}, {"SHORT"}),
    ],
)
def test_coverage_follows_the_lexer(byte_vocabulary, options, unused):
    pytest.importorskip("lark")
    report = check_grammar(
        LEXED,
        format="lark",
        options=options,
        accept={"a": "if ab a 12.5 7 3.4x # é .\n".strip().encode(), "b": b"ifx"},
        reject={},
        count=0,
    )
    assert report.ok, str(report)
    figures = report.coverage["the samples"]
    assert figures["rules"] == figures["rules_used"] == 3
    assert unused <= set(figures["terminals_unused"]) <= unused | {"LONG"}
    assert figures["texts_in_every_cut"] == []
    # Of the alternatives of "item", in lark's order: a string wins over NAME where it fits.
    numbers = {int(each.rpartition(" ")[2]) for each in figures["alternatives_unused"]}
    assert len(numbers) == len(unused)


@settings(max_examples=40, deadline=None)
@given(
    st.text("ab #", max_size=10),
    st.sampled_from([{"lexing": "longest"}, {"lexing": "longest", "lexer": "basic"}, {}]),
)
@example("aabb", {})
def test_every_accepted_text_is_cut(byte_vocabulary, text, options):
    lark = pytest.importorskip("lark")
    source = """
        start: (A B | AB | C D)*
        A: "a"
        B: /b+/
        AB: /ab/
        C: "aa"
        D: /[ab]b/
        %ignore " "
        %ignore /#a?/
    """
    if not formgate.compile(source, byte_vocabulary, format="lark", **options).accepts(text):
        return
    symbols = Symbols(_recorded(source, "lark", options), byte_vocabulary)
    coverage = Coverage(symbols, lambda text: lark_tokens(parser, text))
    parser = lark.Lark(source, parser="lalr")
    coverage.add(text.encode(), text)
    assert coverage.uncut == coverage.skipped == []
    if not options:
        names = {
            symbols.lexemes[piece].name for piece in coverage.pieces if piece in symbols.lexemes
        }
        tokens = parser.parse(text).scan_values(lambda value: isinstance(value, lark.Token))
        assert names >= {token.type for token in tokens}


def test_a_text_that_lark_drops_is_read_in_every_cut(byte_vocabulary):
    pytest.importorskip("lark")
    source = 'start: a "b" | "a" "b" "c"\na: "a" "b"?\n'
    report = check_grammar(
        source, format="lark", accept={"dropped": b"ab"}, reject={}, count=0, oracle="sql"
    )
    figures = report.coverage["the samples"]
    assert figures["texts_in_every_cut"] == ["dropped"]
    assert "read in every cut into terminals, since lark's is not known: dropped" in str(report)
    assert figures["terminals_unused"] == ["C"]


def test_schemas_are_drawn_and_read():
    schema = {
        "type": "object",
        "properties": {
            "name": {"type": "string", "maxLength": 3},
            "tags": {"type": "array", "items": {"enum": ["a", "b"]}, "uniqueItems": True},
            "next": {"$ref": "#"},
        },
        "additionalProperties": False,
    }
    accept = {"all": b'{"name": "x", "tags": ["b", "a"], "next": {"next": {}}}'}
    reject = {"twice": b'{"tags": ["a", "a"]}'}
    report = check_grammar(
        schema, format="json_schema", accept=accept, reject=reject, oracle="json", count=12
    )
    assert report.ok, str(report)
    assert report.coverage["the samples"]["rules_unused"] == []
    pytest.importorskip("lark")
    source = f'start: "<" %json {json.dumps(schema)} ">"'
    report = check_grammar(
        source,
        format="lark",
        options={"lexing": "any"},
        accept={name: b"<" + data + b">" for name, data in accept.items()},
        reject={name: b"<" + data + b">" for name, data in reject.items()},
        count=12,
    )
    assert report.ok, str(report)
    assert "start" not in report.coverage["the samples"]["rules_unused"]


@pytest.mark.parametrize("has_some", [False, True])
@pytest.mark.parametrize("is_ordered", [False, True])
def test_members_and_items_are_rebuilt_as_they_were(byte_vocabulary, is_ordered, has_some):
    recorder = Recorder(embed=lambda *_: None)
    chars = recorder.plus(recorder.char_class([(ord("a"), ord("b"))]))
    one, three, comma, colon = (recorder.literal(each) for each in "13,:")
    items = recorder.distinct(
        [one], strings=[chars], values=[recorder.literal("2")], comma=comma, max=3
    )
    whole = recorder.seq(
        recorder.members(
            [Entry("a", one, required=True), Entry("c", items)],
            [Cell(chars, recorder.choice(one, three), [Some(three, [0])] if has_some else ())],
            colon=colon,
            comma=comma,
            ordered=is_ordered,
            min=2,
            escapes=False,
        ),
        recorder.literal("."),
    )
    builder = GrammarBuilder()
    builder.start(rebuilt(recorder, whole, builder))
    again = builder.build().compile(byte_vocabulary)
    recorder.start(whole)
    engine = recorder.build().compile(byte_vocabulary)
    pieces = ('"a":1', '"b":1', '"b":3', '"ab":1', '"c":1', '"c":"b"', '"c":1,"b",2', '"c":1,1')
    texts = [
        ",".join(chosen) + "."
        for length in range(4)
        for chosen in itertools.product(pieces, repeat=length)
    ]
    accepted = [text for text in texts if engine.accepts(text)]
    assert [text for text in texts if again.accepts(text)] == accepted
    assert ('"a":1,"c":1,"b",2.' in accepted) is not has_some
    assert '"a":1,"b":3.' in accepted
    assert ('"b":3,"a":1.' in accepted) is not is_ordered


def test_formats_without_rules():
    report = check_grammar("a+b|c{2,3}", format="regex", accept={"a": b"aab"}, reject={"r": b"c"})
    assert report.ok
    assert report.coverage["samples and drawn texts"]["rules"] == 0


# --- judges


def accepts_short(text: str) -> bool:
    return len(text) < 5


def test_judges_of_ones_own():
    report = check(LIST, oracle=f"{__name__}:accepts_short") if __name__ != "__main__" else None
    assert kinds(report) >= {"wrong-sample", "false-positive"}
    assert find_oracle("ast:parse").verdict(b"x = 1")[0] is True
    verdict, reason = find_oracle("ast:parse").verdict(b"x =")
    assert verdict is False
    assert reason.startswith("SyntaxError: ")
    assert find_oracle("json:loads").verdict(b"\xff")[0] is False
    assert find_oracle("json").verdict(b"[" * 200_000)[0] is None


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [
        ("arithmetic", "1 + -2", "'a'"),
        ("arithmetic", "2 ** 3", "f(1)"),
        ("csv", 'a,"b"', '"a'),
        ("iso-date", "2024-02-29", "20240229"),
        ("json", "false", "NaN"),
        ("json-lines", "1\nfalse\n", "1\n\n2"),
        ("python", "x = 1", "x = "),
        ("regex", "(a)", "(a"),
        ("sql", "SELECT a FROM missing", "SELECT a FROM"),
        ("sql", "CREATE TABLE t (a)", "SELECT 1; SELECT 2"),
        ("sql", "DROP TABLE t;", ""),
        ("xml", "<a/>", "<a>"),
    ],
)
def test_built_in_judges(name, good, bad):
    assert find_oracle(name).verdict(good.encode())[0] is True
    assert find_oracle(name).verdict(bad.encode())[0] is False


def test_every_judge_is_documented():
    page = Path(__file__).parents[2] / "docs" / "reference"
    text = (page / "test-grammar.md").read_text(encoding="utf-8")
    assert all(f"`{name}`" in text for name in ORACLES)


# --- errors and bounds


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ({"oracle": "nobody"}, FormgateError, "unknown oracle 'nobody'; there are arithmetic, csv"),
        ({"oracle": "json:nothing"}, FormgateError, "oracle 'json:nothing' cannot be imported"),
        ({"oracle": "nobody:x"}, FormgateError, "oracle 'nobody:x' cannot be imported"),
        ({"oracle": "json:__name__"}, FormgateError, "oracle 'json:__name__' is no function"),
        ({"exact": True}, FormgateError, "an exact test needs an oracle"),
        ({"count": -1}, FormgateError, "count is a number of texts, not -1"),
        ({"format": "nonsense"}, GrammarError, "unknown format 'nonsense'"),
    ],
)
def test_errors(given, error, words):
    with pytest.raises(error, match=words):
        check(LIST, **given)


def test_an_empty_language_is_said():
    with pytest.raises(EmptyLanguageError):
        check('root ::= "a" root')


def test_deep_grammars_are_recorded_without_recursion(byte_vocabulary):
    source = "root ::= " + "(" * 3_000 + '"a"' + ")" * 3_000
    recorder = Recorder(embed=lambda *_: None)
    from formgate.plugins.cfg import compile_gbnf

    recorder.start(compile_gbnf(source, recorder))
    symbols = Symbols(recorder, byte_vocabulary)
    assert RuleSampler(symbols, random.Random(0)).draw(5) == b"a"


def test_a_long_text_is_given_up(byte_vocabulary, monkeypatch):
    monkeypatch.setattr("formgate.plugins.cfg._testing_coverage._MOST_ITEMS", 200)
    rules = {"S": [("S", "S"), ("a",), ()]}
    coverage = Coverage(recorded(rules, byte_vocabulary))
    assert not coverage.add(b"a" * 50, "long")
    assert coverage.record()["texts_too_long"] == ["long"]


def test_a_recorder_writes_what_a_builder_does(byte_vocabulary):
    def write(builder):
        word = builder.plus(builder.char_class([(97, 122)]))
        kept = builder.intersection(word, builder.complement(builder.strings(["if", "else"])))
        pair = builder.seq(builder.scope(kept), builder.byte_class([(61, 61)]), builder.rule("r"))
        builder.define(
            "r", builder.choice(builder.optional(builder.literal("x")), builder.nothing())
        )
        look = builder.scope(builder.seq(builder.look_ahead(builder.any_text()), pair))
        builder.start(builder.seq(look, builder.empty(), builder.repeat(builder.any_char(), 0, 1)))

    plain, recorder = GrammarBuilder(), Recorder(embed=lambda *_: None)
    write(plain)
    write(recorder)
    assert str(plain.build()) == str(recorder.build())
    symbols = Symbols(recorder, byte_vocabulary)
    drawn = RuleSampler(symbols, random.Random(2)).draw(10)
    assert b"=" in drawn
    assert Coverage(symbols).add(drawn)


LISTS = """
start: "{" list "}"
list: A ("," A)*
A: /[a-z]+/
"""
RESOLVED = LISTS.replace('list "}"', 'list ","? "}"')  # lark's parser goes on with the list


def test_what_a_conflict_keeps_lark_from_is_no_fault():
    report = check(RESOLVED, format="lark", accept={"s": b"{a,b,}"}, count=40)
    assert report.ok
    assert any("conflict" in what for what in report.counts)


def test_other_faults_are_found_beside_conflicts():
    """A sample that no reading has is as wrong as ever; so is what a grammar without them takes."""
    report = check(RESOLVED, format="lark", accept={"s": b"{a,,}"}, count=0)
    assert kinds(report) == {"false-negative", "wrong-sample"}
    plain = check(LISTS, format="lark", accept={"s": b"{a,}"}, count=0)
    assert kinds(plain) == {"false-negative", "wrong-sample"}


def test_lark_logs_nothing_and_keeps_its_handlers(capfd):
    from lark.utils import logger

    before = logger.level, list(logger.handlers), logger.propagate
    check(RESOLVED, format="lark", accept={"s": b"{a}"}, count=0)
    assert (logger.level, list(logger.handlers), logger.propagate) == before
    assert not capfd.readouterr().err


def test_what_tests_nothing_is_refused():
    with pytest.raises(FormgateError, match="nothing to test"):
        check(LIST, accept={}, count=0)
    with pytest.raises(FormgateError, match="does not take one text"):
        check(LIST, oracle="os:getcwd")
