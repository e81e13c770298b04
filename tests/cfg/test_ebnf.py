"""The ebnf format: what both dialects accept, what they refuse and where."""

from __future__ import annotations

import json

import pytest

import formgate
from formgate.core.errors import EmptyLanguageError, GrammarError, UnsupportedConstraint
from formgate.core.grammar import GrammarBuilder
from formgate.plugins.cfg import compile_ebnf


def compiled(source, vocabulary, **options):
    return formgate.compile(source, vocabulary, format="ebnf", **options)


@pytest.mark.parametrize(
    ("source", "accepted", "rejected"),
    [
        ("a ::= 'x'", ["x"], ["", "xx"]),
        ('a ::= "it\'s"', ["it's"], ["its"]),
        ("a ::= ''", [""], ["x"]),
        ("a ::= #x41 #x000001F600", ["A😀"], ["A"]),
        ("a ::= [a-c]", ["a", "c"], ["d", "-"]),
        ("a ::= [#x41-#x43#x61-c]", ["A", "C", "b"], ["D", "d"]),
        ("a ::= [^a#x20]", ["b", "\n", "é"], ["a", " ", ""]),
        ("a ::= [-'()+,./:=?;!*#@$_%]", ["-", "#", "@", "%", "'"], ["&", "x"]),
        ("a ::= [a-]", ["a", "-"], ["b"]),
        ("a ::= [\"'| ]", ['"', "'", "|", " "], ["x"]),
        ("a ::= 'x'* 'y'+ 'z'?", ["y", "xxyyz"], ["", "x"]),
        ("a ::= ('x' | 'y')* 'z'", ["z", "xyz"], ["x"]),
        ("a ::= 'x' |", ["x", ""], ["y"]),
        ("a ::=", [""], ["y"]),
        ("a ::= b b ::= 'x'", ["x"], [""]),
        ("a ::= b-c.d b-c.d ::= 'x'", ["x"], ["b"]),
        ("[1] a ::= b\n[2a]   b ::= [12] [3]\n[4] c ::= 'y'", ["13", "23"], ["1"]),
        ("a ::= '(' a ')' a | ''", ["", "(())()"], ["(", ")("]),
        ("a ::= a '+' b | b b ::= [0-9]", ["1", "1+2+3"], ["1+"]),
        ("/* one */ a /* two */ ::= /* three */ 'x' /**/ 'y' /* | */", ["xy"], ["x"]),
        ("a ::= 'x' b /* one */ ::= 'y' [1] c # two\n /**/ ::= b", ["x"], ["xy"]),
        ("a ::= b b\nb /* */ /* ::= */ ::= 'y'", ["yy"], ["y"]),
        ("# one\na ::= 'x' # two '\n  'y'", ["xy"], ["x"]),
        ("a ::= 'x'{2} 'y'{1,} 'z'{0,2};", ["xxy", "xxyyzz"], ["xy"]),
        ("a ::= b - 'x' b ::= [a-z]", ["a"], ["x"]),
        ("a ::= (b - 'x')* b ::= [a-z]", ["", "ay"], ["ax"]),
        ("a ::= b* - (b* 'xy' b*) b ::= [a-z]", ["", "yx", "axby"], ["xy", "axyb"]),
        ("a ::= 'x' | b - 'y' | 'z' b ::= [yw]", ["x", "w", "z"], ["y"]),
        ("a ::= '(' a ')' | c* - '' c ::= [a-z]", ["(b)", "b"], ["()"]),
        ("a ::= b -'x' b ::= [a-z]", ["a"], ["x"]),
        ("é ::= ñ_1 ñ_1 ::= 'x'", ["x"], ["y"]),
    ],
)
def test_what_w3c_means(byte_vocabulary, source, accepted, rejected):
    engine = compiled(source, byte_vocabulary)
    assert [text for text in accepted if not engine.accepts(text)] == []
    assert [text for text in rejected if engine.accepts(text)] == []


@pytest.mark.parametrize(
    ("source", "accepted", "rejected"),
    [
        ("a = 'x';", ["x"], ["", "xx"]),
        ("a = 'x', \"y'\" | 'z';", ["xy'", "z"], ["x"]),
        ("a = [ 'x' ], { 'y' }, ( 'z' );", ["z", "xyyz"], ["x"]),
        ("a = (/ 'x' /), (: 'y' :) ! 'z' / 'w'.", ["", "xyy", "z", "w"], ["zw"]),
        ("a = 3 * 'x';", ["xxx"], ["xx"]),
        ("a = 2 * [ 'x' ], 0 * 'y', 1 * ( 'z' );", ["z", "xxz"], ["xxxz", "yz"]),
        ("a = 2 * 'x' - 'y';", ["xx"], ["x"]),
        ("a = { 'x' }-;", ["x", "xxx"], [""]),
        ("a = { 'x' } - , 'y';", ["xy"], ["y"]),
        ("a = { [ 'x' ] | 'y' }-;", ["x", "y", "yx"], [""]),
        ("a = { '(', [ a ], ')' }-;", ["()", "(())()"], ["", "("]),
        ("a = letter - 'b', 'b'; letter = 'a' | 'b';", ["ab"], ["bb"]),
        ("a = ;", [""], ["x"]),
        ("a = | 'x';", ["", "x"], ["y"]),
        ("a = ( | 'x'), 'y';", ["y", "xy"], ["x"]),
        ("first rule = second  (* ; *) rule; second\nrule = 'x';", ["x"], [""]),
        ("a (* (* in *) out *) = 'x';", ["x"], [""]),
        ("a_1 = 'x';", ["x"], [""]),
        ("a = '\\', \"n\";", ["\\n"], ["\n"]),
        ("a = a, '+', b | b; b = '1';", ["1", "1+1"], ["1+"]),
    ],
)
def test_what_iso_means(byte_vocabulary, source, accepted, rejected):
    engine = compiled(source, byte_vocabulary)
    assert [text for text in accepted if not engine.accepts(text)] == []
    assert [text for text in rejected if engine.accepts(text)] == []


W3C_ERRORS = [
    ("a = 'x'", "'::=' must follow", (2, 3)),
    ("::= 'x'", "begins with its name", (0, 1)),
    ("a ::= 'x", "literal is not closed", (6, 7)),
    ("a ::= 'x\n'", "literal is not closed", (6, 7)),
    ("a ::= [x", "class is not closed", (6, 7)),
    ("a ::= []", "class is empty", (6, 8)),
    ("a ::= [^]", "class is empty", (6, 9)),
    ("a ::= [z-a]", "wrong order", (7, 10)),
    ("a ::= #x", "hexadecimal digits", (6, 8)),
    ("a ::= #x110000", "number of no character", (6, 14)),
    ("a ::= #x" + "1" * 5000, "number of no character", (6, 5008)),
    ("a ::= #xD800", "number of no character", (6, 12)),
    ("a ::= '\ud800'", "lone surrogate", (7, 8)),
    ("a ::= [\ud800]", "lone surrogate", (7, 8)),
    ("a ::= #x41-#x5A", "in square brackets", (6, 15)),
    ("a ::= #'x'", "'#' begins", (6, 7)),
    ("a ::= .", "no sign for any character", (6, 7)),
    ("a ::= ('x'", "not closed", (6, 7)),
    ("a ::= 'x')", "closes nothing", (9, 10)),
    ("a ::= *", "nothing to repeat", (6, 7)),
    ("a ::= 'x'{,3}", "a count is", (9, 11)),
    ("a ::= 'x'{3,2}", "min <= max", (9, 14)),
    ("a ::= 'x'{9999999999}", "above the largest", (9, 21)),
    ("a ::= - 'x'", "must stand before '-'", (6, 7)),
    ("a ::= 'x' -", "must follow '-'", (10, 11)),
    ("a ::= ('x' - ) 'y'", "must follow '-'", (11, 12)),
    ("a ::= 'x' - 'y' - 'z'", "stands alone", (16, 17)),
    ("a ::= 'x' 'y' - 'z'", "stands alone", (14, 15)),
    ("a ::= 'x' - 'y' 'z'", "stands alone", (16, 19)),
    ("a ::= b", "'b' is used but not defined", (6, 7)),
    ("a ::= 'x' a ::= 'y'", "defined twice", (10, 11)),
    ("a ::= 'x' /* y", "comment is not closed", (10, 12)),
    ("a ::= 'x' ::= 'y'", "right before '::='", (10, 13)),
    ("a ::= 'x' = 'y'", "is expected", (10, 11)),
    ("a ::= '\\n'", "a backslash is itself", (7, 8)),
    ("a ::= [^\\n]", "a backslash is itself", (8, 9)),
]
ISO_ERRORS = [
    ("a ::= 'x'", "'=' must follow", (2, 3)),
    ("= 'x'", "begins with its name", (0, 1)),
    ("a = 'x'", "';' must end", (7, 8)),
    ("a = 'x' b = 'y';", "',' or '|' must stand", (8, 9)),
    ("a = b c = 'y';", "';' must end", (8, 9)),
    ("a = 'x", "literal is not closed", (4, 5)),
    ("a = '';", "at least one character", (4, 6)),
    ("a = ('x';", "not closed", (4, 5)),
    ("a = 'x');", "closes nothing", (7, 8)),
    ("a = ('x'];", "must close", (8, 9)),
    ("a = ['x' /);", "must close", (9, 11)),
    ("a = 'x',;", "follow the comma", (8, 9)),
    ("a = , 'x';", "before this comma", (4, 5)),
    ("a = 'x',, 'y';", "before this comma", (8, 9)),
    ("a = 3 'x';", "a number is a count", (4, 6)),
    ("a = 3 * 3 * 'x';", "a number is a count", (8, 10)),
    ("a = 3 *;", "what the count counts", (7, 8)),
    ("a = 9999999999 * 'x';", "above the largest", (4, 14)),
    ("a = - 'x';", "must stand before '-'", (4, 5)),
    ("a = 'x' - - 'z';", "must stand before '-'", (10, 11)),
    ("a = 'x' *;", "no sign for repetition", (8, 9)),
    ("a = #x41;", "is expected", (4, 5)),
    ("a = x y;", "'x y' is used but not defined", (4, 7)),
    ("a = 'x'; a = 'y';", "defined twice", (9, 10)),
    ("a = 'x' (* (* y *)", "comment is not closed", (8, 10)),
]


@pytest.mark.parametrize(
    ("dialect", "source", "reason", "span"),
    [("w3c", *case) for case in W3C_ERRORS] + [("iso", *case) for case in ISO_ERRORS],
)
def test_errors_name_the_place(byte_vocabulary, dialect, source, reason, span):
    if "backslash" in reason:
        dialect = "auto"
    with pytest.raises(GrammarError, match=reason) as caught:
        compiled(source, byte_vocabulary, dialect=dialect)
    assert caught.value.source == source
    assert caught.value.span == span


@pytest.mark.parametrize(
    ("source", "reason", "span"),
    [
        ("a ::= a - 'y' | 'z'", "where a rule recurses", (8, 9)),
        ("a ::= 'x' - b b ::= 'y' | c c ::= '(' b ')'", "as 'b' does", (10, 11)),
        ("a ::= b* - 'y' b ::= 'y' b?", "as 'b' does", (9, 10)),
        ("a ::= 'x' [ wfc: No < in it ]", "given elsewhere", (10, 29)),
        ("a ::= [VC: one]", "given elsewhere", (6, 15)),
        ("a ::= [https://example.org/x]", "given elsewhere", (6, 29)),
        ("a = ? any character ?;", "special sequence", (4, 21)),
        ("a = { b }-; b = ['(', a, ')'];", "as 'b' does", (9, 10)),
    ],
)
def test_what_cannot_be_enforced_is_refused(byte_vocabulary, source, reason, span):
    with pytest.raises(UnsupportedConstraint, match=reason) as caught:
        compiled(source, byte_vocabulary)
    assert caught.value.span == span


def test_backslashes_mean_themselves_when_asked(byte_vocabulary):
    engine = compiled("a ::= '\\n' [\\]", byte_vocabulary, dialect="w3c")
    assert engine.accepts("\\n\\")
    assert not engine.accepts("\n\\")


def test_options(byte_vocabulary):
    source = "first ::= 'x' second ::= 'y'"
    assert compiled(source, byte_vocabulary).accepts("x")
    assert compiled(source, byte_vocabulary, root="second").accepts("y")
    assert compiled(source, byte_vocabulary, start="second").accepts("y")
    assert compiled(source, byte_vocabulary, root="second", start="second").accepts("y")
    with pytest.raises(GrammarError, match="only one of them"):
        compiled(source, byte_vocabulary, root="first", start="second")
    with pytest.raises(GrammarError, match="no rule 'third'"):
        compiled(source, byte_vocabulary, root="third")
    with pytest.raises(GrammarError, match="root is the name"):
        compiled(source, byte_vocabulary, start=3)
    for dialect in ("w3c", "iso"):
        with pytest.raises(GrammarError, match="has no rules"):
            compiled("", byte_vocabulary, dialect=dialect)
    for text in ("", " \n", "# c", "/* c */", " (* c *) "):
        with pytest.raises(GrammarError, match="has no rules"):
            compiled(text, byte_vocabulary)
    for text in ("/* c", "(* c"):
        with pytest.raises(GrammarError, match="comment"):
            compiled(text, byte_vocabulary)
    with pytest.raises(GrammarError, match="no dialect 'bnf'"):
        compiled(source, byte_vocabulary, dialect="bnf")
    with pytest.raises(GrammarError, match="no option 'octets'"):
        compiled(source, byte_vocabulary, octets=True)
    with pytest.raises(GrammarError, match="as a string"):
        compiled(3, byte_vocabulary)


@pytest.mark.parametrize("source", ["x", "a :: b", "'x'", "/* x */ y"])
def test_a_dialect_that_is_not_clear(byte_vocabulary, source):
    with pytest.raises(GrammarError, match="a rule begins with"):
        compiled(source, byte_vocabulary)


def test_the_format_is_guessed_where_it_is_sure(byte_vocabulary):
    for source in ("a ::= 'x'", "/* */ /* a */\n [1] a::='x'", "\n a-b ::= 'x' c ::= #x41"):
        assert formgate.compile(source, byte_vocabulary).format == "ebnf"
    for source in ('root ::= "x"', 'a ::= "x"\nroot ::= a'):
        assert formgate.compile(source, byte_vocabulary).format == "gbnf"
    for source in ("a = 'x';", "x*", "/* */", "/*a ::= b", "(::=)"):
        try:
            assert formgate.compile(source, byte_vocabulary).format == "regex"
        except GrammarError as error:
            assert "ebnf" not in str(error)  # noqa: PT017 (no format claims it but regex)


def test_nothing_left_is_an_error(byte_vocabulary):
    with pytest.raises(EmptyLanguageError):
        compiled("a ::= 'x' a", byte_vocabulary)
    with pytest.raises(EmptyLanguageError):
        compiled("a ::= 'x' - 'x'", byte_vocabulary)


def test_nesting_and_length_have_no_limit(byte_vocabulary):
    depth = 20_000
    for source in (
        "a ::= " + "(" * depth + "'x'" + ")" * depth,
        "a = " + "(" * depth + "'x'" + ")" * depth + ";",
        "a = " + "(*" * depth + "*)" * depth + "'x';",
        "a ::= r0 " + "".join(f"r{n} ::= r{n + 1} " for n in range(depth)) + f"r{depth} ::= 'x'",
        "a ::= r0 - 'y' " + "".join(f"r{n} ::= r{n + 1} " for n in range(2000)) + "r2000 ::= 'x'",
        "/* " * depth + "*/ a ::= 'x'",
    ):
        builder = GrammarBuilder()
        builder.start(compile_ebnf(source, builder))
        assert builder.build().compile(byte_vocabulary).accepts("x")


@pytest.fixture(scope="module")
def vectors(request):
    found = request.config.rootpath.parent / "shared/data/grammars-and-programs"
    if not found.is_dir():
        pytest.skip("shared/data/grammars-and-programs is not here")
    return found


def test_grammars_that_both_notations_read(vectors, byte_vocabulary):
    """EBNF files of others: those without escapes mean the same here and as GBNF."""
    same = refused = 0
    for path in sorted((vectors / "grammars/ebnf").rglob("*.ebnf")):
        source = path.read_text()
        theirs = formgate.compile(source, byte_vocabulary, format="gbnf")
        try:
            ours = compiled(source, byte_vocabulary, root="root")
        except GrammarError as error:
            reasons = ("a backslash is itself", "'#' begins", "no sign for any character")
            assert any(reason in error.reason for reason in reasons), path  # noqa: PT017
            refused += 1
            continue
        same += 1
        one, other = theirs.start(), ours.start()
        for step in range(200):
            allowed = theirs.allowed_tokens(one).to_list()
            assert allowed == ours.allowed_tokens(other).to_list(), path
            token = allowed[step % len(allowed)]
            if token == 256:
                break
            one, other = theirs.advance(one, token), ours.advance(other, token)
    assert same > 10
    assert refused > 5


def test_kbnf(vectors, byte_vocabulary):
    """KBNF's regexes and escapes are refused, and nothing of it is read as something else."""
    sources = json.loads((vectors / "grammars/kbnf/kbnf_tests.json").read_text())
    read = 0
    for source in sources:
        if "#" in source or "\\" in source:
            with pytest.raises(GrammarError, match=r"'#' begins|backslash|is expected"):
                compiled(source, byte_vocabulary, dialect="auto")
        elif "\n" not in source:
            read += 1
            assert compiled(source, byte_vocabulary).is_prefix("")
    assert read >= 3
