"""Lark grammars with a lexer, judged by lark itself, and by the definition of the longest match."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import pytest

pytest.importorskip("lark")

import lark
import lark_grammars
from earley import Earley
from hypothesis import HealthCheck, assume, event, given, settings
from hypothesis import strategies as st
from lark.lexer import BasicLexer

import formgate
from formgate.core.errors import EmptyLanguageError, GrammarError, LimitError, UnsupportedConstraint
from formgate.plugins.cfg._lark_lexed import in_order
from formgate.plugins.cfg._lark_load import load

TEXTS = tuple(lark_grammars.texts())
PATTERNS = (*lark_grammars.STRINGS, *lark_grammars.PATTERNS, *lark_grammars.LOOKING)


def compiled(source, vocabulary, **options):
    """Return an engine, None where no text is in the language."""
    try:
        return formgate.compile(source, vocabulary, format="lark", **options)
    except EmptyLanguageError:
        return None
    except LimitError as error:  # no text is known; the judge shall know none, either
        if "come to an end" not in str(error):
            raise
        event("no text found within the limit")
        return None


def compare(source, parser, engine, *, exact=True):
    """Check that lark and an engine take the same texts."""
    for text in TEXTS:
        wanted = lark_grammars.accepts(parser, text)
        got = engine is not None and engine.accepts(text)
        assert got == wanted or (got and not exact), (source, text, got)
        if got:
            assert all(engine.is_prefix(text[:cut]) for cut in range(len(text))), (source, text)


lexed_settings = settings(
    max_examples=50,
    deadline=None,
    suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow],
)


@lexed_settings
@given(lark_grammars.grammars(PATTERNS))
def test_the_contextual_lexer(byte_vocabulary, source):
    parser = lark_grammars.judge(source, parser="lalr", lexer="contextual")
    assume(parser is not None)
    engine = compiled(source, byte_vocabulary)
    exact = not lark_grammars.has_conflicts(parser)
    event("without conflicts" if exact else "with conflicts")
    compare(source, parser, engine, exact=exact)


@lexed_settings
@given(
    lark_grammars.grammars(PATTERNS),
    st.sampled_from(["lalr", "earley"]),
)
def test_the_basic_lexer(byte_vocabulary, source, kind):
    parser = lark_grammars.judge(source, parser=kind, lexer="basic")
    assume(parser is not None)
    engine = compiled(source, byte_vocabulary, parser=kind, lexer="basic")
    exact = kind == "earley" or not lark_grammars.has_conflicts(parser)
    compare(source, parser, engine, exact=exact)


class LongestMatch:
    """Cuts a text as ``lexing="longest"`` says, by trying everything."""

    def __init__(self, parser, *, contextual):
        self.ordered = BasicLexer(parser.lexer_conf).terminals
        self.ordered.sort(key=lambda t: (-t.priority, t.pattern.type == "re"))
        self.patterns = {t.name: re.compile(t.pattern.to_regexp()) for t in self.ordered}
        self.ignored = set(parser.ignore_tokens)
        self.contextual = contextual
        self.letters = {t.name: chr(0x100 + i) for i, t in enumerate(self.ordered)}
        rules = {}
        for rule in parser.rules:
            body = tuple(self.letters.get(s.name, s.name) for s in rule.expansion)
            rules.setdefault(rule.origin.name, []).append(body)
        for name, letter in self.letters.items():
            if name in self.ignored:  # a lexer never hands it on
                rules = {
                    head: [body for body in bodies if letter not in body]
                    for head, bodies in rules.items()
                }
        self.parser = Earley(rules, "start")

    def accepts(self, text):
        tokens = ""
        while text:
            names = [
                t.name
                for t in self.ordered
                if not self.contextual
                or t.name in self.ignored
                or self.parser.viable(tokens + self.letters[t.name])
            ]
            lengths = [
                (length, name)
                for length in range(len(text), 0, -1)
                for name in names
                if self.patterns[name].fullmatch(text[:length])
            ]
            if not lengths:
                return False
            length, name = lengths[0]
            text = text[length:]
            tokens += "" if name in self.ignored else self.letters[name]
        return self.parser.accepts(tokens)


@lexed_settings
@given(lark_grammars.grammars(), st.sampled_from(["contextual", "basic"]))
def test_the_longest_match(byte_vocabulary, source, lexer):
    parser = lark_grammars.judge(source, parser="earley", lexer="basic")
    assume(parser is not None)
    judge = LongestMatch(parser, contextual=lexer == "contextual")
    engine = compiled(source, byte_vocabulary, lexing="longest", lexer=lexer)
    for text in TEXTS:
        got = engine is not None and engine.accepts(text)
        assert got == judge.accepts(text), (source, text)


@pytest.mark.parametrize("lexer", ["contextual", "basic"])
def test_the_longest_match_has_keywords(byte_vocabulary, lexer):
    """As with lark's lexers, where only the priority is stronger."""
    rules = 'start: "if" "(" NAME ")" | NAME "="\nNAME{}: /[a-z]+/\n%ignore " "'
    engine = compiled(rules.format(""), byte_vocabulary, lexing="longest", lexer=lexer)
    assert [t for t in ("if(a)", "ifx=", "ifx(a)", "if=") if engine.accepts(t)] == ["if(a)", "ifx="]
    engine = compiled(rules.format(".1"), byte_vocabulary, lexing="longest", lexer=lexer)
    assert [t for t in ("if(a)", "ifx=", "ifx(a)", "if=") if engine.accepts(t)] == ["ifx=", "if="]


@lexed_settings
@given(lark_grammars.grammars())
def test_the_order_of_terminals(source):
    parser = lark_grammars.judge(source, parser="earley", lexer="basic")
    assume(parser is not None)
    loaded = load(source, base_path=None, import_paths=())
    wanted = [t.name for t in BasicLexer(parser.lexer_conf).terminals]
    assert [t.name for t in in_order([loaded.terminals[name] for name in wanted])] == wanted


@pytest.mark.parametrize(
    ("source", "accepted", "rejected"),
    [
        # The first match in lark's order, not the longest one.
        ("start: A B\nA: /a|ab/\nB: /b?c/", ["abc", "ac"], ["abbc"]),
        # A keyword is no name where both may stand; a name may begin with it.
        (
            'start: "if" "(" NAME ")" | NAME "="\nNAME: /[a-z]+/\n%ignore " "',
            ["if (if)", "ifx =", "if(a)"],
            ["if =", "ifx(a)"],
        ),
        # So for keywords in any case, among them one that the regex has not.
        (
            'start: "if"i NAME ";" | NAME "="\nNAME: /[a-z]+/i\n%ignore " "',
            ["iF x;", "if iF;", "ifx="],
            ["IF=", "If x="],
        ),
        # Where only a name may stand, the contextual lexer knows no keyword.
        ('start: NAME ["if"]\nNAME: /[a-z]+/\n%ignore " "', ["if", "if if"], ["if x", "if if if"]),
        # The priority goes before all else.
        ('start: A B | B\nA.2: "a"\nB: /[ab]+/', ["ab", "b"], ["a"]),
        # Lazy quantifiers end where they can.
        ("start: S+\nS: /'.*?'/", ["'a''b'"], ["'a'b'"]),
        # What is ignored, and matches a string, too, takes it away.
        ('start: "a" "\\n" "a"\n%ignore /\\s+/', [], ["a\na", "aa"]),
    ],
)
def test_what_the_contextual_lexer_reads(byte_vocabulary, source, accepted, rejected):
    parser = lark_grammars.judge(source, parser="lalr")
    engine = compiled(source, byte_vocabulary)
    for text in [*accepted, *rejected]:
        assert lark_grammars.accepts(parser, text) == (text in accepted), text
        assert (engine is not None and engine.accepts(text)) == (text in accepted), text


def test_merged_states(byte_vocabulary):
    """After "xc" and "yc" lark's parser is in one state, where "p" and NAME compete."""
    source = 'start: "x" a "p" "q" | "y" a NAME\na: "c"\nNAME: /[a-z]+/'
    parser = lark_grammars.judge(source, parser="lalr")
    engine = compiled(source, byte_vocabulary)
    for text in ("xcpq", "ycp", "ycpq"):
        assert engine.accepts(text) == lark_grammars.accepts(parser, text) == (text == "ycpq")


@pytest.mark.parametrize("lexing", ["lark", "longest"])
def test_terminals_without_width_are_refused(byte_vocabulary, lexing):
    with pytest.raises(GrammarError, match="terminal A can match the empty text"):
        compiled("start: A\nA: /a*/", byte_vocabulary, lexing=lexing)


@pytest.mark.parametrize("lexing", ["lark", "longest"])
def test_terminals_out_of_reach_do_not_count(byte_vocabulary, lexing):
    """Rules that use each other are kept by lark; its contextual lexer never looks for theirs."""
    source = 'start: "x" | B\nlost: more A\nmore: lost | A\nA: /a*/\nB: /b+/'
    assert lark_grammars.judge(source, parser="lalr") is not None
    engine = compiled(source, byte_vocabulary, lexing=lexing)
    assert engine.accepts("bb")
    assert not engine.accepts("a")
    assert lark_grammars.judge(source, parser="lalr", lexer="basic") is None
    with pytest.raises(GrammarError, match="terminal A can match the empty text"):
        compiled(source, byte_vocabulary, lexing=lexing, lexer="basic")


def test_other_formats_with_a_lexer(byte_vocabulary):
    source = 'start: %regex /[0-9]+/ ":" NAME\nNAME: /\\w+/\n%ignore " "'
    with pytest.raises(UnsupportedConstraint, match="cannot be read as lark reads") as caught:
        compiled(source, byte_vocabulary)
    assert caught.value.span == (7, 22)
    engine = compiled(source, byte_vocabulary, lexing="longest")
    assert engine.accepts("12 : a1")
    assert not engine.accepts("a : a")


def test_the_grammar_of_grammars(byte_vocabulary):
    """lark's grammar of its own language reads the grammars that come with lark, and no wrong ones.

    A text may be cut anywhere; what lark then says, we say.
    """
    folder = Path(lark.__file__).parent / "grammars"
    path = folder / "lark.lark"
    parser = lark_grammars.judge(path.read_text(), parser="lalr")
    engine = formgate.compile(path, byte_vocabulary)
    whole = 0
    for text in [(folder / name).read_text() for name in ("lark.lark", "common.lark")]:
        for cut in (len(text), *range(0, len(text), 97)):
            wanted = lark_grammars.accepts(parser, text[:cut])
            assert engine.accepts(text[:cut]) == wanted, text[:cut][-60:]
            assert engine.is_prefix(text[:cut])
            whole += wanted
    assert whole > 10


@pytest.mark.parametrize(
    ("source", "parser"),
    [
        ('start: "c" | "b" T\nT: /[bc]/\n%ignore /c/', "earley"),
        ('start: "c" | "b" T\nT: /[bc]/\n%ignore /c/', "lalr"),
        ('start: "if" NAME\nNAME: /[a-z]+/\n%ignore /[a-z]{2}|\\s/', "lalr"),
        ('start: "a"~0 "b"', "lalr"),
        ('start: "a"~0..0 "b" "a"', "lalr"),
    ],
)
def test_strings_that_ignored_regexes_match_and_no_times(source, parser):
    judge = lark.Lark(source, parser=parser, lexer="basic")
    octets = [bytes([octet]) for octet in range(256)]
    vocabulary = formgate.Vocabulary([*octets, None], stop_ids=[256])
    engine = formgate.compile(source, vocabulary, format="lark", parser=parser, lexer="basic")
    for n in range(5):
        for letters in itertools.product("abcif ", repeat=n):
            text = "".join(letters)
            try:
                judge.parse(text)
            except lark.exceptions.LarkError:
                assert not engine.accepts(text), text
            else:
                assert engine.accepts(text), text


def test_an_empty_language_is_shown_where_the_source_begins(byte_vocabulary):
    source = '\n\n  start: A "a"\nA: /a+/\n'
    with pytest.raises(EmptyLanguageError, match="can never be read right after 'A'") as caught:
        formgate.compile(source, byte_vocabulary, format="lark", lexing="longest")
    assert "line 4, column 1: A: /a+/" in str(caught.value)
