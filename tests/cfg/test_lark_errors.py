"""Errors in Lark grammars: each shows its place in the user's text, and says what to do."""

from __future__ import annotations

import random
import re

import pytest

pytest.importorskip("lark")

import lark_grammars
from hypothesis import given, settings
from hypothesis import strategies as st

import formgate
from formgate.core.errors import (
    EmptyLanguageError,
    FormgateError,
    GrammarError,
    LimitError,
    UnsupportedConstraint,
)
from formgate.core.grammar import Limits
from formgate.plugins.cfg import shipped_path
from formgate.plugins.cfg._lark_source import prepare

BOTH = ("any", "lark")


def refused(source, vocabulary, **options):
    """Return the error for a grammar."""
    with pytest.raises(GrammarError) as caught:
        formgate.compile(source, vocabulary, format="lark", **options)
    return caught.value


# The mark « » stands around what an error has to show.
MARKED = [
    # strings and regexes
    ("start: A\nA: /«(»/", "in terminal A: missing ), unterminated"),
    ('start: "x" /a«(»/', "in a regex: missing ), unterminated"),
    ('start: "x" /a{«2»,1}/', "in a regex: min repeat greater than max"),
    ('start: X\nX: "a" Y\nY: /[«z-a»]/', "in terminal Y: bad character range z-a"),
    ('start: X\nX: /[«z-a»]/ "b"', "in terminal X: bad character range z-a"),
    (r"start: /(a)«\1»/", "in a regex: a back-reference"),
    (r"start: X\nX: /«\p»{L}/".replace(r"\n", "\n"), r"in terminal X: bad escape \p"),
    ("start: /(«?»q)a/", "in a regex: unknown extension ?q"),
    ("start: /a«{99999999999}»/", "in a regex: the repetition number is too large"),
    ("start: «/a»\nb/", "goes over the end of its line without the flag x"),
    ('start: «""»', "a string cannot be empty"),
    ('start: X\nX: "a" | «""»', "a string cannot be empty"),
    (r'start: "a«\x4»"', r"the escape \x needs 2 hexadecimal digits, not 1, in a string"),
    (r"start: /«\u12»/", r"the escape \u needs 4 hexadecimal digits, not 2, in a regex"),
    (r'start: "«\U00110000»"', "an escape beyond the last character"),
    ('start: "a«\ud800»"', "a lone surrogate"),
    (r'start: "a«\ud800»"', "a lone surrogate"),
    (r"start: «/\ud800/»", "a lone surrogate"),
    (r'start: X\nX: "a" «"\ud800"»'.replace(r"\n", "\n"), "in terminal X: a lone surrogate"),
    # flags
    ("start: /a/«q»", "'q' is no flag of a regex; there are i, m, s, l, u and x"),
    ("start: /a/i«L»", "'L' is no flag of a regex"),
    ('start: "a"«x»', "'x' is no flag of a string; there is i"),
    ('start: "a"i«m»', "'m' is no flag of a string"),
    # ranges and counts
    ('start: «"z".."a"»', "the ends of this range are in the wrong order: 'z' comes after 'a'"),
    ('start: X\nX: "q" («"z" .. "a"»)+', "the ends of this range are in the wrong order"),
    ('start: «"a".."bc"»', "the ends of a range are single characters"),
    ('start: "a"..«"b"i»', "the ends of a range have no flags"),
    ('start: "a"~«5..2»', "no count is at least 5 and at most 2"),
    ('start: X\nX: "a"~«5..2»', "no count is at least 5 and at most 2"),
    ('start: "a"~«-1»', "a count cannot be negative"),
    ('start: "a"~«99999999999»', "this count is above the largest, 2147483647"),
    ('start: X\nX: "a"~«99999999999»', "this count is above the largest, 2147483647"),
    ('start: "a"~«' + "9" * 5000 + "»", "this count is above the largest, 2147483647"),
    # names
    ("start: «x»", "rule 'x' used but not defined (in rule start)"),
    ("start: y «FOO»\ny: FOO", "terminal 'FOO' used but not defined (in rule start)"),
    ("start: X\nX: «FOO»", "terminal 'FOO' used but not defined"),
    ("start: X\nX: «bar»\nbar: X", "terminal X uses bar, which is a rule"),
    ("x: «u»{X}\nX: /a/", "template 'u' used but not defined"),
    ('start: "a"\n«start»: "b"', "rule 'start' is defined more than once"),
    ('start: "a"' + "\n" * 200 + "«start»: x", "rule 'start' is defined more than once"),
    ('start: INT\nINT: "a"\n%import common.«INT»', "terminal 'INT' is defined more than once"),
    ("start: A\n«A»: B\nB: A\n", "recursion in terminal 'A'"),
    ('%ignore «FOO»\nstart: "a"', "terminal 'FOO' is ignored but not defined"),
    ('%ignore " " | «x»\nstart: "a"', "%ignore takes terminals, but x is a rule"),
    ('%override «x»: "a"\nstart: x', "there is no rule 'x' to override"),
    ('%extend «x»: "a"\nstart: x', "there is no rule 'x' to extend"),
    ('start: x\nx: «t»{"a"}\nt{a,b}: a b', "template 't' takes 2 arguments, not 1"),
    ('start: «a»{"b"}\na: "x"', "rule 'a' is no template, but is given 1 arguments"),
    ('t{«a»}: a\nstart: t{"b"}\na: "x"', "a parameter of template t has the name of rule 'a'"),
    ('t{«a»,a}: a\nstart: t{"b"}', "template t has two parameters of the name 'a'"),
    ("«start»: t\nt{x}: x", "rule start uses template 't' without arguments"),
    ('start: _x\n«?_x»: "a"', "cannot have the modifier '?'"),
    ('start: _x\n«_x»: "b" -> c', "rule _x has an alias, c"),
    ('start: X\nX: "a" «->» y', "terminal X has an alias"),
    ("start: X\n«X»:", "terminal X is empty"),
    ('start: "x"\n%ignore " "\n«%ignore»\n', "this ignores nothing"),
    ('start: «myRule»\nmyrule: "a"', "the name 'myRule' has capitals and small letters"),
    ("start: x\n«myRule»: x", "the name 'myRule' has capitals and small letters"),
    ('«Start»: "a"', "the name 'Start' has capitals and small letters"),
    ('start: "a" -> «anAlias»', "the name 'anAlias' has capitals and small letters"),
    # other files
    ("start: A\n%import «nowhere».A", "cannot find nowhere.lark"),
    ("start: A\n%import .«near».A", "cannot find near.lark"),
    ("start: A\n%import «a.b» (A, B)", "cannot find a/b.lark"),
    ("start: NOPE\n%import common.«NOPE»", "common defines no terminal NOPE"),
    ("start: INT NOPE\n%import common (INT, «NOPE»)", "common defines no terminal NOPE"),
    ("start: A\n%import «common»", "nothing is imported from common"),
    # what a line looks like
    ("start: («»", "unclosed parenthesis; expected"),
    ("start: [«»", "unclosed bracket; expected"),
    ("start: [«»\n", "unclosed bracket; expected"),
    ("start: [«»\r\n", "unclosed bracket; expected"),
    ("start: [«:» x", "unexpected ':'; expected"),
    ("start: [«)»", "unmatched closing parenthesis; expected"),
    ("start: «)»", "unmatched closing parenthesis; expected"),
    ('start: "a" «$»', "unexpected '$'"),
    ("start: x«.»\n", "unexpected '.'; expected"),
    ("a«»", "missing colon"),
    ("start: «'»a'", 'unexpected "\'"'),
    ('start: "a"«;»', "unexpected ';'"),
    ('start «=» "a"', "unexpected '='"),
    ('start: «"»a', "this string is not closed"),
    ('start: «"»\\"' + "\\\\" * 40, "this string is not closed"),
    ("start: «/»a", "this regex is not closed"),
    ("start: «%foo» x", "'%foo' is no directive"),
    # parts in other formats
    ('start: %json {"a":«»', "no JSON value"),
    ('start: %choice «{»"a":1,"a":2}', "stands twice"),
    ('start: %gbnf «"""»x', "this text is not closed"),
    ('start: %lark «{» start: "}" ', "this brace is not closed"),
    ('start: %regex /a/ «$»\nx: "b"', "unexpected '$'"),
    ('start: A B\nA: "x" B\nB: «%regex /a/»', "terminal A has a part in another format"),
    ("start: %regex /a«(»b/ x\nx: /a/", "in %regex: missing ), unterminated"),
    ('start: %lark { start: x\nx: /a«(»b/ } "."', "in %lark: in a regex: missing )"),
    ('start: %lark { start: «x» } "."', "in %lark: rule 'x' used but not defined"),
    (
        'start: %lark { start: "a" %lark { start: %lark { start: «x» } } }',
        "in %lark > %lark > %lark: rule 'x' used",
    ),
    ("start: %lark { start: %regex /a«(»/ }", "in %lark > %regex: missing ), unterminated"),
    (
        "start: " + "%lark { start: " * 9 + "«x»" + " }" * 9,
        "in %lark > ... > %lark: rule 'x' used",
    ),
    ('start: "a" %gbnf """root ::= «x»"""', "in %gbnf: rule 'x' is used but not defined"),
    ('start: "a" «%choice []»', "in %choice: "),
    ('start: "a" «%nonsense [1]»', "in %nonsense: unknown format 'nonsense'"),
]


def place(marked):
    """Return a grammar without its marks, and the span that they stand around."""
    begin = marked.index("«")
    end = marked.index("»") - 1
    return marked.replace("«", "").replace("»", ""), (begin, max(end, begin + 1))


@pytest.mark.parametrize("lexing", BOTH)
@pytest.mark.parametrize(("marked", "reason"), MARKED)
def test_errors_name_the_place(byte_vocabulary, marked, reason, lexing):
    source, span = place(marked)
    if lexing == "lark" and "%" in source and "in %" in reason:
        pytest.skip("a part in another format needs lexing='any'")
    error = refused(source, byte_vocabulary, lexing=lexing)
    assert reason in error.reason
    assert error.source == source
    assert error.span == span
    assert "__" not in str(error)


@pytest.mark.parametrize(
    ("marked", "name"),
    [
        ("start: X\n«X»: /a*/", "terminal X"),
        ("start: «/a*/»", "the regex /a*/"),
        ('start: "b"\n%ignore «/a*/»', "the regex /a*/"),
        ('start: "b" X\n«X»: "a"?', "terminal X"),
    ],
)
@pytest.mark.parametrize("lexing", ["lark", "longest"])
def test_terminals_of_no_characters(byte_vocabulary, marked, name, lexing):
    source, span = place(marked)
    error = refused(source, byte_vocabulary, lexing=lexing)
    assert error.reason == f"{name} can match the empty text, which a lexer does not allow"
    assert (error.source, error.span) == (source, span)
    assert "optional" in error.hint


@pytest.mark.parametrize(
    ("source", "hint"),
    [
        ('start: "z".."a"', 'write "a".."z"'),
        ('start: "a"~5..2', "write ~2..5"),
        ("start: 'a'", 'a string stands in double quotes: "a"'),
        ('start = "a"', "a rule is written name: ..."),
        ('start ::= "a" "b"', "a rule is written name: ..."),
        ('start: {"a"}', "repetition is written (...)*"),
        ('start: "a"\nstart: "b"', "%override replaces a definition"),
        ("start: /a/q", "put a blank before it, if it is the rule q"),
        ("start: NOPE\n%import common.NOPE", "it has "),
        ("start: X\nX: bar\nbar: X", "make X a rule, x, or bar a terminal, BAR"),
    ],
)
def test_the_way_out(byte_vocabulary, source, hint):
    assert refused(source, byte_vocabulary, lexing="any").hint.startswith(hint)


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("", "no rule 'start', which the text must match; its rules: none"),
        ('a: "x"', "no rule 'start', which the text must match; its rules: a"),
    ],
)
def test_grammars_without_a_start(byte_vocabulary, source, reason):
    assert reason in refused(source, byte_vocabulary, lexing="any").reason


@pytest.mark.parametrize("source", ["", "\n", "# nothing\n", "%import common.INT\n"])
def test_a_source_that_defines_nothing(source):
    assert prepare(source).definitions() == []


def test_errors_in_files_that_are_imported(byte_vocabulary, tmp_path):
    (tmp_path / "words.lark").write_text('WORD: "z".."a"\n')
    source = "start: WORD\n%import .words.WORD\n"
    error = refused(source, byte_vocabulary, base_path=tmp_path)
    assert "in terminal WORD: bad character range z-a" in error.reason
    assert (error.source, error.span) == (source, (7, 11))
    (tmp_path / "words.lark").write_text('WORD: "\\x4"\n')
    error = refused(source, byte_vocabulary, base_path=tmp_path)
    assert "words.lark, which the grammar imports: the escape" in error.reason
    assert error.source == 'WORD: "\\x4"\n'
    (tmp_path / "words.lark").write_text("%import .nowhere.WORD\n")
    error = refused(source, byte_vocabulary, base_path=tmp_path)
    assert "cannot find nowhere.lark" in error.reason


@pytest.mark.parametrize("lexing", ["lark", "longest"])
@pytest.mark.parametrize("named", [True, False])
def test_more_terminals_than_a_lexer_may_have(byte_vocabulary, lexing, named):
    count = 16_385
    names = [f"T{index}" if named else f"/t{index}/" for index in range(count)]
    source = "start: " + " | ".join(names) + "\n"
    if named:
        source += "".join(f'{name}: "{name}"\n' for name in names)
    with pytest.raises(LimitError, match=r"has 16,385 terminals, more than the 16,384"):
        formgate.compile(source, byte_vocabulary, format="lark", lexing=lexing)


PIECES = (
    '"a"', "/a/", "x", "X", "->", "|", "(", ")", "[", "]", "*", "~2", "~3..1", "..", ":", "\n",
    "start:", "x:", "X:", "%ignore", "%import common.INT", "INT", "%declare", "%extend", "%json",
    "%regex", "%lark", "%choice", "{", "}", '"""', "\\", "#", "//", "/", '"', "\r", "\r\n", "é",
    "\x00", "!", "?", ",", "t{x}:", "t{", ".2", "/(/", '"\\x"', "/[z-a]/", '"z".."a"', "/a/q",
    "\u2028",
)  # fmt: skip


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=14), st.sampled_from(("any", "lark", "longest")))
def test_whatever_is_written_is_read_or_refused(byte_vocabulary, pieces, lexing):
    source = "start: x\nx: " + " ".join(pieces)
    try:
        formgate.compile(source, byte_vocabulary, format="lark", lexing=lexing)
    except FormgateError as found:
        error = found
    else:
        return
    assert "__ANON" not in str(error)
    if isinstance(error, GrammarError) and error.span is not None:
        assert 0 <= error.span[0] <= len(error.source)


def test_real_grammars_with_one_character_changed(byte_vocabulary):
    """Damage to a real grammar is refused as such, or harmless."""
    chance = random.Random(11)
    source = shipped_path("lark").read_text()
    messages: list[str] = []
    for _ in range(12):
        at = chance.randrange(len(source))
        damaged = source[:at] + chance.choice('"/()[]{}%~\\:|xX9\n') + source[at + 1 :]
        try:
            formgate.compile(damaged, byte_vocabulary, format="lark", lexing="any")
        except FormgateError as found:
            messages.append(str(found))
    assert not any("__ANON" in message for message in messages)


@pytest.mark.parametrize(
    ("source", "options", "reason", "marked"),
    [
        (
            'start: "x"\n    | %regex /a*/ "b"',
            {"lexing": "longest"},
            "%regex matches the empty text",
            "%regex /a*/",
        ),
        (
            'start: "x"\n    | %special_token """<|nope|>""" "b"',
            {"lexing": "any"},
            'no special token "<|nope|>"',
            '%special_token """<|nope|>"""',
        ),
    ],
)
def test_what_the_engine_refuses_has_a_place(byte_vocabulary, source, options, reason, marked):
    with pytest.raises(GrammarError) as caught:
        formgate.compile(source, byte_vocabulary, format="lark", **options)
    assert reason in caught.value.reason
    begin, end = caught.value.span
    assert source[begin:end] == marked
    assert "line 2, column 7" in str(caught.value)


@pytest.mark.parametrize("lexer", ["dynamic", "dynamic_complete", "basic"])
@pytest.mark.parametrize(
    "source",
    [
        'start: "a" -> x | "a" -> y',
        'start: x\nx: "b" | [A] "b"\nA: "a"',
        'start: A~0..2 | A A -> z\nA: "a"',
    ],
)
def test_alternatives_that_are_there_twice(byte_vocabulary, source, lexer):
    lark = pytest.importorskip("lark")
    with pytest.raises(lark.exceptions.GrammarError, match="Rules defined twice"):
        lark.Lark(source, parser="earley", lexer=lexer)
    with pytest.raises(GrammarError, match="has an alternative twice"):
        formgate.compile(source, byte_vocabulary, format="lark", parser="earley", lexer=lexer)


@settings(max_examples=200, deadline=None)
@given(lark_grammars.grammars(), st.sampled_from(["dynamic", "basic"]))
def test_earley_refuses_what_lark_refuses(byte_vocabulary, source, lexer):
    lark = pytest.importorskip("lark")
    try:
        lark.Lark(source, parser="earley", lexer=lexer)
    except lark.exceptions.LarkError as error:
        refused = str(error)
    else:
        refused = ""
    wrong = ""
    try:
        formgate.compile(source, byte_vocabulary, format="lark", parser="earley", lexer=lexer)
    except (EmptyLanguageError, UnsupportedConstraint, LimitError):
        return
    except GrammarError as error:
        wrong = str(error)
    assert bool(wrong) == bool(refused), (wrong, refused)


@pytest.mark.parametrize(
    ("source", "places", "caret"),
    [
        ('start: a | b\n  ?a: "x"\nb: "x"', ("(line 2, column 4)", "(line 3, column 1)"), "a"),
        # Found before the grammar is compiled, since an ignored terminal is used.
        (
            'start: one | two | "y"\none: "x" A\ntwo: "x" A\nA: "a"\n%ignore A',
            ("(line 2, column 1)", "(line 3, column 1)"),
            "one",
        ),
        # A rule of a template, and one that lark writes for a repetition.
        (
            'start: a{"x"} | b\na{z}: z\nb: "x"',
            ("(line 2, column 1)", "(line 3, column 1)"),
            "a",
        ),
        (
            'start: _all | one\n_all: "x"+\none: "x"',
            ("(line 2, column 1)", "(line 3, column 1)"),
            "one",
        ),
    ],
)
def test_rules_that_collide_are_shown(byte_vocabulary, source, places, caret):
    with pytest.raises(GrammarError, match="reduce/reduce") as caught:
        formgate.compile(source, byte_vocabulary, format="lark")
    error = caught.value
    assert all(place in error.reason for place in places)
    assert error.source == source
    begin, end = error.span
    assert source[begin:end] == caret


def colliding(source, vocabulary, **options):
    with pytest.raises(GrammarError, match="reduce/reduce") as caught:
        formgate.compile(source, vocabulary, format="lark", **options)
    return caught.value


def test_an_imported_rule_that_collides_is_shown(byte_vocabulary, tmp_path):
    (tmp_path / "other.lark").write_text('Y: "y"\nb: "x"')
    source = '%import .other.b -> c\nstart: a | c\na: "x"'
    error = colliding(source, byte_vocabulary, base_path=tmp_path)
    path = str(tmp_path / "other.lark")
    assert 'a: "x" (line 3, column 1)' in error.reason
    assert f'b: "x" (line 2, column 1 of {path})' in error.reason
    assert (error.source, error.span) == (source, (35, 36))


def test_imported_rules_that_collide_are_shown(byte_vocabulary, tmp_path):
    (tmp_path / "other.lark").write_text('start: one | two\none: "x"\n%import .more.two')
    (tmp_path / "more.lark").write_text('two: three\nthree: "x"+')
    error = colliding("%import .other.start", byte_vocabulary, base_path=tmp_path)
    assert f'one: "x" (line 2, column 1 of {tmp_path / "other.lark"})' in error.reason
    assert f'(a part of three): "x" (line 2, column 1 of {tmp_path / "more.lark"})' in error.reason
    assert error.source == (tmp_path / "other.lark").read_text()


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ('%import .other (b)\n%override b: "x"\nstart: a | b\na: "x"', 2),
        ('b: "y"\nstart: a | b\na: "x"\n%override b: "x"', 4),
        ('%import .other (b)\nstart: a | b\na: "x"\n%extend b: "z" | "x"', 4),
        ('b: "x"\nstart: a | b\na: "x"\n%extend b: "z"', 1),
    ],
)
def test_the_statement_in_force_is_shown(byte_vocabulary, tmp_path, source, line):
    (tmp_path / "other.lark").write_text('b: "q"')
    error = colliding(source, byte_vocabulary, base_path=tmp_path)
    assert f'b: "x" (line {line}, column ' in error.reason
    begin, end = error.span
    assert (error.source, error.source[begin:end]) == (source, "a")


def test_all_rules_that_collide_are_named(byte_vocabulary):
    error = colliding('start: a | b | c | d\na: "x"\nb: "x"\nc: "x"\nd.2: "y"', byte_vocabulary)
    assert error.reason == (
        "an LALR parser cannot tell, before the end of the text, whether "
        'a: "x" (line 2, column 1) or b: "x" (line 3, column 1) or c: "x" (line 4, column 1) '
        "ends there (a reduce/reduce conflict)"
    )


def test_terminals_without_a_name_are_shown_as_written(byte_vocabulary):
    source = 'start: a /b+/ | b /b+/ "+"\na: "x x" /[a-c]/i\nb: "x x" /[a-c]/i'
    error = colliding(source, byte_vocabulary)
    assert "before /b+/, whether" in error.reason
    assert 'a: "x x" /[a-c]/i (line 2, column 1)' in error.reason
    assert "ANON" not in str(error)


@pytest.mark.parametrize(
    ("source", "options", "reason"),
    [
        ('start: A "a"\n«A»: /a+/', {}, "\"a\" can never be read right after 'A'"),
        (
            'start: A "a"\n«A»: /a+/',
            {"lexing": "longest"},
            "\"a\" can never be read right after 'A'",
        ),
        (
            'start: x "." | A "a" y\nx: B B\ny: "z" y\n«B»: /b+/\nA: /a+/',
            {},
            "'B' can never be read right after 'B'",
        ),
        ("start: A\n«A»: /(?!y)y/", {}, "terminal 'A' matches no text at all"),
        (
            '«start»: start "a"',
            {},
            "rule 'start', which the whole text must match, derives no text",
        ),
        ("// formgate: lexing=any\n«start»: x\nx: x /a/", {}, "rule 'start', which the whole"),
    ],
)
def test_why_no_text_matches(byte_vocabulary, source, options, reason):
    begin, end = source.index("«"), source.index("»") - 1
    source = source.replace("«", "").replace("»", "")
    with pytest.raises(EmptyLanguageError, match=re.escape(reason)) as caught:
        formgate.compile(source, byte_vocabulary, format="lark", **options)
    assert caught.value.source == source
    assert caught.value.span == (begin, end)
    assert caught.value.hint


def test_a_pair_that_is_not_needed_is_not_blamed(byte_vocabulary):
    """The texts are missing for another reason: the vocabulary cannot spell them."""
    words = formgate.Vocabulary([b"a", None], stop_ids=[1])
    source = 'start: A "a" | "x"\nA: /a+/'
    with pytest.raises(EmptyLanguageError) as caught:
        formgate.compile(source, words, format="lark")
    assert "right after" not in caught.value.reason
    formgate.compile(source, byte_vocabulary, format="lark")


def test_long_names_of_terminals_are_cut(byte_vocabulary):
    name = "T" * 200
    source = (
        f'start: A " "~2 ({name} | {name} B~2) | {name} (start {name}+) " "\n'
        f"B: /a(?!b)/\nA: /a/\n{name}: /a.*?b/\n%ignore / a/\n"
    )
    with pytest.raises(LimitError, match="where it reads") as caught:
        formgate.compile(source, byte_vocabulary, format="lark", limits=Limits(max_states=200))
    assert "T" * 37 + "..." in caught.value.args[0]
    assert "T" * 38 not in caught.value.args[0]
