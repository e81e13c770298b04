"""The gbnf format: what it accepts, what it refuses and where, and whole grammars."""

from __future__ import annotations

import itertools
import json
import random

import gbnf_writer
import pytest
from earley import Earley
from hypothesis import given, settings
from hypothesis import strategies as st
from random_rules import rule_sets

import formgate
from formgate.core.errors import EmptyLanguageError, GrammarError, UnsupportedConstraint
from formgate.core.grammar import GrammarBuilder
from formgate.plugins.cfg import compile_gbnf


@settings(max_examples=200, deadline=None)
@given(rule_sets(), st.randoms(use_true_random=False))
def test_random_grammars(byte_vocabulary, rules, chance):
    judge = Earley(rules, "S")
    source = gbnf_writer.write(rules, chance)
    try:
        engine = formgate.compile(source, byte_vocabulary, format="gbnf")
    except EmptyLanguageError:
        assert "S" not in judge.rules, source
        return
    for length in range(6):
        for word in itertools.product("ab", repeat=length):
            text = "".join(word)
            assert engine.accepts(text) == judge.accepts(text), (source, text)
            assert engine.is_prefix(text) == judge.viable(text), (source, text)


@pytest.mark.parametrize(
    ("source", "accepted", "rejected"),
    [
        ('root ::= "a"', ["a"], ["", "aa"]),
        ('root ::= "a" *', ["", "aaa"], ["b"]),
        ('root ::= "ab"+ "c"?', ["ab", "ababc"], ["", "aba"]),
        ('root ::= "a"{2}', ["aa"], ["a", "aaa"]),
        ('root ::= "a"{2,}', ["aa", "a" * 9], ["a"]),
        ('root ::= "a"{ 2 , 3 }', ["aa", "aaa"], ["a", "aaaa"]),
        ('root ::= "a"{2}{3}', ["a" * 6], ["a" * 5]),
        ("root ::= [a-c]", ["a", "c"], ["d", "-"]),
        ("root ::= [a-]", ["a", "-"], ["b"]),
        ("root ::= [-a]", ["a", "-"], ["b"]),
        ("root ::= [^a]", ["b", "\n", "é"], ["a", ""]),
        (r"root ::= [\]\\\n]", ["]", "\\", "\n"], ["n"]),
        (r'root ::= "\"\x41\u00e9\U0001F600\t"', ['"Aé😀\t'], ["A"]),
        ("root ::= .", ["a", "\n", "😀"], ["", "ab"]),
        ('root ::= ("a" | "b")+ "c"', ["abbac"], ["c"]),
        ('root ::= ( "a"\n  | "b" # two\n  )', ["a", "b"], ["ab"]),
        ('root ::=\n  "a" |\n  "b"', ["a", "b"], [""]),
        ('root ::= "a" | ', ["a", ""], ["b"]),
        ('# first\nroot ::= x-1\nx-1 ::= "y" # last', ["y"], ["x"]),
        ('root ::= root "+" root | [0-9]', ["1", "1+2+3"], ["1+", "+"]),
        ('root ::= "(" root ")" root | ""', ["", "(())()"], ["(", ")("]),
        ('root ::= "a"{0,5000}', ["a" * 5000], ["a" * 5001]),
        ("root ::= ((((((([^x]*){0,99}){0,99}){0,99}){0,99}){0,99}){0,99})", ["yyy"], ["x"]),
    ],
)
def test_what_a_grammar_means(byte_vocabulary, source, accepted, rejected):
    engine = formgate.compile(source, byte_vocabulary)  # the format is guessed
    assert engine.format == "gbnf"
    assert [text for text in accepted if not engine.accepts(text)] == []
    assert [text for text in rejected if engine.accepts(text)] == []


@pytest.mark.parametrize(
    ("source", "reason", "span"),
    [
        ("root = x", "'::=' must follow", (5, 6)),
        ('root ::= "a', "this literal is not closed", (9, 10)),
        ('root ::= "a\n"', "this literal is not closed", (9, 10)),
        ("root ::= [a", "this class is not closed", (9, 10)),
        ("root ::= [a-", "this class is not closed", (9, 10)),
        ("root ::= [a-\n", "this class is not closed", (9, 10)),
        ("root ::= []", "this class is empty", (9, 11)),
        ("root ::= [z-a]", "wrong order", (10, 13)),
        ('root ::= ("a"', "this bracket is not closed", (9, 10)),
        ('root ::= "a")', "closes nothing", (12, 13)),
        ("root ::= * ", "nothing to repeat", (9, 10)),
        ("root ::= a]", "a rule ends here", (10, 11)),
        ('root ::= "\\x\u0663\u0663"', "2 hexadecimal digits", (10, 14)),
        ("\ufeffroot ::= a", "byte order mark", (0, 1)),
        ('root ::= "a"{,3}', "a count is", (12, 14)),
        ('root ::= "a"{}', "a count is", (12, 14)),
        ('root ::= "a"{3,2}', "min <= max", (12, 17)),
        ('root ::= "a"{99999999999}', "too large", (13, 24)),
        (r'root ::= "\q"', "unknown escape", (10, 12)),
        (r'root ::= "\x4"', "2 hexadecimal digits", (10, 14)),
        (r'root ::= "\ud800"', "number of no character", (10, 16)),
        (r'root ::= "\U00110000"', "number of no character", (10, 20)),
        ("root ::= \ud800", "a rule ends here", (9, 10)),
        ('root ::= "\ud800"', "lone surrogate", (10, 11)),
        ("root ::= x", "'x' is used but not defined", (9, 10)),
        ('root ::= "a"\nroot ::= "b"', "defined twice", (13, 17)),
        ('root ::= "a"\n | "b"', "begins with its name", (14, 15)),
    ],
)
def test_errors_name_the_place(byte_vocabulary, source, reason, span):
    with pytest.raises(GrammarError, match=reason) as caught:
        formgate.compile(source, byte_vocabulary, format="gbnf")
    assert caught.value.source == source
    assert caught.value.span == span


def test_the_root_may_have_another_name(byte_vocabulary):
    engine = formgate.compile('top ::= "a"', byte_vocabulary, format="gbnf", root="top")
    assert engine.accepts("a")
    with pytest.raises(GrammarError, match="no rule 'root'"):
        formgate.compile('top ::= "a"', byte_vocabulary, format="gbnf")
    with pytest.raises(GrammarError, match="no option 'start'"):
        formgate.compile('root ::= "a"', byte_vocabulary, format="gbnf", start="root")
    with pytest.raises(GrammarError, match="root is the name"):
        formgate.compile('root ::= "a"', byte_vocabulary, format="gbnf", root=3)
    with pytest.raises(GrammarError, match="as a string"):
        formgate.compile(3, byte_vocabulary, format="gbnf")


def test_nesting_of_any_depth_is_read(byte_vocabulary):
    depth = 20_000
    builder = GrammarBuilder()
    builder.start(compile_gbnf("root ::= " + "(" * depth + '"a"' + ")" * depth, builder))
    assert builder.build().compile(byte_vocabulary).accepts("a")


def test_embedded_grammars_keep_their_rules_apart(byte_vocabulary):
    builder = GrammarBuilder(embed=write_gbnf)
    first = builder.embed("gbnf", 'root ::= "(" root ")" | "x"')
    second = builder.embed("gbnf", 'root ::= "[" root "]" | "y"')
    builder.define("root", builder.seq(first, second))
    builder.start(builder.rule("root"))
    engine = builder.build().compile(byte_vocabulary)
    assert engine.accepts("((x))[y]")
    assert not engine.accepts("(y)[y]")


def write_gbnf(name, source, builder, options):
    """Embed a grammar, as the registry does."""
    builder.start(compile_gbnf(source, builder, **options))


@pytest.fixture(scope="module")
def vectors(request):
    found = request.config.rootpath.parent / "shared/data/grammars-and-programs"
    if not found.is_dir():
        pytest.skip("shared/data/grammars-and-programs is not here")
    return found


def test_syntax_vectors(vectors, byte_vocabulary):
    """llama.cpp's own examples: we refuse no more, and less only where it has a size limit."""
    data = json.loads((vectors / "vectors/llama.cpp_gbnf_parser.json").read_text())
    assert len(data["parse_ok"]) > 10
    for source in data["parse_ok"]:
        if "!<[" in source:
            with pytest.raises(UnsupportedConstraint, match="one token of any text"):
                formgate.compile(source, byte_vocabulary, format="gbnf")
            continue
        formgate.compile(source, byte_vocabulary, format="gbnf")
    limited = 0
    for source in data["parse_fail"]:
        if "5000" in source or "0,99" in source:
            limited += 1
            formgate.compile(source, byte_vocabulary, format="gbnf")
            continue
        with pytest.raises(GrammarError):
            formgate.compile(source, byte_vocabulary, format="gbnf")
    assert limited == 4


def test_acceptance_vectors(vectors, byte_vocabulary):
    cases = json.loads((vectors / "vectors/llama.cpp_grammar_integration_gbnf.json").read_text())
    checked = 0
    for case in cases:
        if case["skipped_token_exprs"]:
            continue
        engine = formgate.compile(case["spec"], byte_vocabulary, format="gbnf")
        for text in case["accept"]:
            assert engine.accepts(text), (case["name"], text)
        for text in case["reject"]:
            assert not engine.accepts(text), (case["name"], text)
        checked += len(case["accept"]) + len(case["reject"])
    assert checked > 100


SAMPLES = {
    "arithmetic": ["(a+1)*x = 3\n"],
    "c": ["int main(){return 0;}"],
    "json": ['{"a": [1, 2.5, "x"], "b": null}'],
    "json_arr": ['[\n{"a": 1}\n]'],
    "list": ["- one\n- two\n"],
}


def test_shipped_grammars(vectors, tekken_vocabulary):
    """Every grammar compiles and lets random legal tokens go on, never into a dead end."""
    chance = random.Random(5)
    paths = sorted((vectors / "grammars/gbnf").rglob("*.gbnf"))
    assert len(paths) >= 8
    for path in paths:
        engine = formgate.compile(path.read_text(), tekken_vocabulary)
        for text in SAMPLES.get(path.stem, []):
            assert engine.is_prefix(text), (path.stem, text)
        state = engine.start()
        for _ in range(40):
            allowed = engine.allowed_tokens(state).ids()
            assert len(allowed) > 0, path.stem
            token = int(chance.choice(allowed))
            if token in tekken_vocabulary.stop_ids:
                assert engine.is_accepting(state)
                break
            assert engine.is_allowed(state, token)
            state = engine.advance(state, token)
