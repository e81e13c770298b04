"""The abnf format: what it accepts, what it refuses and where, and the grammars of standards."""

from __future__ import annotations

import json
import re

import notations
import pytest
import rfc_grammars
from hypothesis import given, settings
from hypothesis import strategies as st

import formgate
from formgate.core.errors import GrammarError, UnsupportedConstraint
from formgate.core.grammar import GrammarBuilder
from formgate.plugins.cfg import compile_abnf


def compiled(source, vocabulary, **options):
    return formgate.compile(source, vocabulary, format="abnf", **options)


@pytest.mark.parametrize(
    ("source", "accepted", "rejected"),
    [
        ('a = "x"', ["x", "X"], ["", "xx"]),
        ('a = %s"xY"', ["xY"], ["xy", "XY"]),
        ('a = %i"xY"', ["xy", "XY"], ["x"]),
        ('a = ""', [""], ["x"]),
        ('a = "ab-1"', ["ab-1", "AB-1", "aB-1"], ["ab1"]),
        ("a = %x61 %d98 %b1100011", ["abc"], ["ABC"]),
        ("a = %x61.62.63", ["abc"], ["ab", "ABC"]),
        ("a = %X61-63", ["a", "c"], ["d", "A"]),
        ("a = %xE9 %x1F600", ["é😀"], ["é"]),
        ("a = 2DIGIT", ["12"], ["1", "123"]),
        ("a = 2*3DIGIT", ["12", "123"], ["1", "1234"]),
        ("a = *3DIGIT", ["", "123"], ["1234"]),
        ("a = 2*DIGIT", ["12", "1" * 99], ["1"]),
        ('a = *"x" "y"', ["y", "xxy"], ["x"]),
        ('a = 0"x" "y"', ["y"], ["xy"]),
        ('a = 2("x" / "y") ["z"]', ["xy", "yyz"], ["x", "xyzz"]),
        ('a = "x" "y" / "z"', ["xy", "z"], ["x", "xz"]),
        ('a = 3["x"]', ["", "xxx"], ["xxxx"]),
        ('a = "(" A ")" / ""', ["", "(())"], ["(", ")("]),
        ('a = a "+" b / b\nb = DIGIT', ["1", "1+2+3"], ["1+"]),
        ('a = "x"\na =/ "y"\nA =/ "z"', ["x", "y", "z"], ["xy"]),
        ('a = alpha\nALPHA =/ "_"', ["x", "_"], ["1"]),
        ('a = DIGIT\ndigit = "7"', ["7"], ["1"]),
        ('a = "x" /\n  "y"  ; or\n\n ; nothing\n   / "z"\n', ["x", "y", "z"], [""]),
        ('\n; first\n\n  a = b\n  b = "x"\r\n', ["x"], [""]),
        ("a = LWSP", ["", " \t", "\r\n \r\n\t"], ["\r\n", "\r\n x"]),
        ("a = HEXDIG", ["7", "a", "F"], ["g"]),
        ("a = CRLF / DQUOTE / HTAB / CTL / BIT", ["\r\n", '"', "\t", "\x7f", "1"], ["2"]),
        ("a = *CHAR", ["", "\x01\x7f"], ["\0", "é"]),
        ("a = %xD000-10FFFF", ["\ud7ff", "\ue000", "\U0010ffff"], ["a"]),
        ('a = <b>\nb = "x"', ["x"], ["b"]),
        ('a = *4096"x" "y"', ["x" * 4096 + "y"], ["x" * 4097 + "y"]),
    ],
)
def test_what_a_grammar_means(byte_vocabulary, source, accepted, rejected):
    engine = compiled(source, byte_vocabulary)
    assert [text for text in accepted if not engine.accepts(text)] == []
    assert [text for text in rejected if engine.accepts(text)] == []


@pytest.mark.parametrize(
    ("source", "accepted", "rejected"),
    [
        ("a = %xE9", [b"\xe9"], ["é"]),
        ("a = %xC3.A9", [b"\xc3\xa9"], [b"\xe9"]),
        ("a = 2%x80-BF", [b"\x80\xbf"], [b"\xc0\x80"]),
        ("a = *OCTET", [b"", bytes(range(256))], []),
        ('a = "e" %x00', [b"E\0"], [b"\0"]),
    ],
)
def test_octets(byte_vocabulary, source, accepted, rejected):
    engine = compiled(source, byte_vocabulary, octets=True)
    assert [text for text in accepted if not engine.accepts(text)] == []
    assert [text for text in rejected if engine.accepts(text)] == []


@pytest.mark.parametrize(
    ("source", "reason", "span"),
    [
        ("a", "'=' or '=/' must follow", (1, 2)),
        ('= "x"', "begins with its name", (0, 1)),
        ('a := "x"', "'=' or '=/' must follow", (2, 3)),
        ('a = "x', "literal is not closed", (4, 5)),
        ('a = "é"', "printable ASCII", (5, 6)),
        ("a = 'x'", "a name, a string", (4, 5)),
        ('a = "x" | "y"', "a name, a string", (8, 9)),
        ('a = ("x"', "not closed", (4, 5)),
        ('a = "x")', "closes nothing", (7, 8)),
        ('a = ("x"]', "must close", (8, 9)),
        ("a = ()", "an element must stand", (5, 6)),
        ('a = "x" /', "an element must stand", (8, 9)),
        ('a = / "x"', "an element must stand", (4, 5)),
        ("a = 3 DIGIT", "follow the count at once", (4, 5)),
        ("a = 3*2DIGIT", "min <= max", (4, 7)),
        ("a = 9999999999DIGIT", "above the largest", (4, 14)),
        ("a = 99999999999DIGIT", "too large", (4, 15)),
        ("a = %q", "must follow '%'", (4, 6)),
        ("a = %x", "digits of base 16", (4, 6)),
        ("a = %b2", "digits of base 2", (4, 6)),
        ("a = %x31-30", "wrong order", (4, 11)),
        ("a = %x110000", "number of no character", (4, 12)),
        ("a = %d" + "9" * 5000, "number of no character", (4, 5006)),
        ("a = %xD800", "number of no character", (4, 10)),
        ("a = b", "'b' is used but not defined", (4, 5)),
        ("a = <b", "no '>' on its line", (4, 5)),
        ('a = "x"\nA = "y"', "defined twice", (8, 9)),
        ('a =/ "x"', "no alternatives yet", (0, 1)),
        ('a = "x"\n b = "y"', "a name, a string", (11, 12)),
        (' a = "x"\nb = "y"', "in the column of the first, 2", (9, 10)),
    ],
)
def test_errors_name_the_place(byte_vocabulary, source, reason, span):
    with pytest.raises(GrammarError, match=reason) as caught:
        compiled(source, byte_vocabulary)
    assert caught.value.source == source
    assert caught.value.span == span


@pytest.mark.parametrize(
    ("source", "reason", "span"),
    [
        ("a = <any text, see above>", "description in words", (4, 25)),
        ("a = *OCTET", "OCTET is a byte", (5, 10)),
    ],
)
def test_what_cannot_be_enforced_is_refused(byte_vocabulary, source, reason, span):
    with pytest.raises(UnsupportedConstraint, match=reason) as caught:
        compiled(source, byte_vocabulary)
    assert caught.value.span == span


def test_numbers_are_bytes_with_octets(byte_vocabulary):
    with pytest.raises(GrammarError, match="number of no byte"):
        compiled("a = %x100", byte_vocabulary, octets=True)


def test_options(byte_vocabulary):
    source = 'first = "x"\nSecond = "y"'
    assert compiled(source, byte_vocabulary).accepts("x")
    assert compiled(source, byte_vocabulary, root="SECOND").accepts("y")
    assert compiled(source, byte_vocabulary, start="second").accepts("y")
    with pytest.raises(GrammarError, match="only one of them"):
        compiled(source, byte_vocabulary, root="first", start="second")
    with pytest.raises(GrammarError, match="no rule 'third'"):
        compiled(source, byte_vocabulary, root="third")
    with pytest.raises(GrammarError, match="has no rules"):
        compiled("; nothing", byte_vocabulary)
    with pytest.raises(GrammarError, match="octets is True or False"):
        compiled(source, byte_vocabulary, octets=1)
    with pytest.raises(GrammarError, match="no option 'dialect'"):
        compiled(source, byte_vocabulary, dialect="w3c")
    with pytest.raises(GrammarError, match="as a string"):
        compiled(b"a", byte_vocabulary)


def test_nesting_and_length_have_no_limit(byte_vocabulary):
    depth = 20_000
    for source in (
        "a = " + "(" * depth + '"x"' + ")" * depth,
        'a = "x"\n' + 'a =/ "y"\n' * depth,
        'a = "x"' + "\n;\n" * 10 * depth,
        "a = r0\n" + "".join(f"r{n} = r{n + 1}\n" for n in range(depth)) + f'r{depth} = "x"\n',
    ):
        builder = GrammarBuilder()
        builder.start(compile_abnf(source, builder))
        assert builder.build().compile(byte_vocabulary).accepts("x")


# --- grammars of standards


def rfc3339(text):
    """The grammar says nothing of ranges."""
    return re.fullmatch(
        r"[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?"
        r"([Zz]|[+-][0-9]{2}:[0-9]{2})",
        text,
    )


DATES = ["2026-11-21T10:00:00Z", "1937-01-01t12:00:27.87+00:20", "2026-11-21 10:00:00Z",
         "2026-11-21T10:00Z", "2026-11-21T10:00:00", "2026-11-21T10:00:00.Z"]  # fmt: skip


@settings(max_examples=100, deadline=None)
@given(
    st.one_of(
        st.sampled_from(DATES),
        st.datetimes(timezones=st.timezones()).map(lambda when: when.isoformat()),
    ),
    st.integers(0, 40),
    st.sampled_from(["", "0", "T", "z", "-", ".", ":", "+", "é"]),
)
def test_date_times(byte_vocabulary, text, place, inserted):
    engine = compiled(rfc_grammars.DATE_TIME, byte_vocabulary)
    for candidate in (text, text[:place] + inserted + text[place + 1 :]):
        assert engine.accepts(candidate) == bool(rfc3339(candidate)), candidate


def test_uris(byte_vocabulary):
    engine = compiled(rfc_grammars.URI, byte_vocabulary)
    # RFC 3986, section 1.1.2, and others.
    for text in (
        "ftp://ftp.is.co.za/rfc/rfc1808.txt",
        "http://www.ietf.org/rfc/rfc2396.txt",
        "ldap://[2001:db8::7]/c=GB?objectClass?one",
        "mailto:John.Doe@example.com",
        "news:comp.infosystems.www.servers.unix",
        "tel:+1-816-555-1212",
        "telnet://192.0.2.16:80/",
        "urn:oasis:names:specification:docbook:dtd:xml:4.1.2",
        "http://user:pw@h%C3%A9:8/a/b/../c;d?e=f&g#h/?",
        "x:",
        "http://[v1.fe80::a+en1]/",
        "http://[::ffff:192.0.2.1]",
    ):
        assert engine.accepts(text), text
        assert engine.is_prefix(text[:-1])
    for text in (
        "",
        "//no.scheme/",
        "1http://x",
        "http://h/a b",
        "http://h/%4",
        "http://[::1",
        "http://[1:2:3]/",
        "http://[1::2::3]/",
        "http://h:port/",
        "a:#b#c",
        "http://é/",
    ):
        assert not engine.accepts(text), text


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=6,
)  # fmt: skip


@settings(max_examples=100, deadline=None)
@given(values, st.booleans(), st.integers(0, 60), st.sampled_from(list('"{}[],:\\ue+-.0 \n\t')))
def test_json(byte_vocabulary, value, ascii_only, place, inserted):
    """Judged by Python's parser, which knows NaN and Infinity besides."""
    engine = compiled(rfc_grammars.JSON, byte_vocabulary)
    text = json.dumps(value, ensure_ascii=ascii_only, indent=place % 3 or None)
    assert engine.accepts(text)
    changed = text[:place] + inserted + text[place + place % 2 :]
    try:
        json.loads(changed)
    except ValueError:
        assert not engine.accepts(changed), changed
    else:
        assert engine.accepts(changed), changed


@settings(max_examples=40, deadline=None)
@given(notations.grammars(), st.randoms(use_true_random=False))
def test_abnf_in_abnf(byte_vocabulary, grammar, chance):
    """What the grammar of ABNF accepts, we read, and what we print it accepts."""
    engine = compiled(rfc_grammars.ABNF, byte_vocabulary)
    source = notations.Abnf(chance).grammar(grammar)
    assert engine.accepts(re.sub(r"(?<!\r)\n", "\r\n", source)), source


def test_abnf_in_abnf_reads_its_like(byte_vocabulary):
    engine = compiled(rfc_grammars.ABNF, byte_vocabulary)
    for name in ("DATE_TIME", "URI", "JSON", "ABNF"):
        text = getattr(rfc_grammars, name)
        lines = text.splitlines()
        margin = min(len(line) - len(line.lstrip()) for line in lines if line)
        text = "".join(f"{line[margin:]}\r\n" for line in lines)
        assert engine.accepts(text), name
        assert not engine.accepts(text.replace("=", "=="))
        assert not engine.accepts(text.replace("\r\n", "\n"))


def test_compiling_is_bounded_by_its_source(byte_vocabulary):
    """A grammar that means a huge language is written at once: counts are not unrolled."""
    source = "a = 2000000000b\nb = 2000000000c\nc = *2000000000%x0-10FFFF"
    assert compiled(source, byte_vocabulary).is_prefix("abc")
