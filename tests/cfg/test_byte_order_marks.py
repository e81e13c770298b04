"""Grammars that begin with a byte order mark, as some editors write one."""

from __future__ import annotations

import pytest

import formgate
from formgate.core.errors import GrammarError
from formgate.plugins.cfg import convert

MARK = "\ufeff"
SOURCES = {
    "lark": 'start: "a"\n',
    "gbnf": 'root ::= "a"\n',
    "ebnf": 'a ::= "a"\n',
    "abnf": 'a = "a"\r\n',
}


def check(error, source):
    assert "byte order mark" in error.reason
    assert (error.source, error.span) == (source, (0, 1))
    assert "utf-8-sig" in error.hint


def needs(name):
    if name == "lark":
        pytest.importorskip("lark")


@pytest.mark.parametrize("name", SOURCES)
def test_a_mark_is_refused(byte_vocabulary, name):
    needs(name)
    source = MARK + SOURCES[name]
    with pytest.raises(GrammarError) as caught:
        formgate.compile(source, byte_vocabulary, format=name)
    check(caught.value, source)


@pytest.mark.parametrize("name", ["lark", "gbnf"])
def test_a_grammar_with_a_mark_is_no_regex(byte_vocabulary, name):
    needs(name)
    with pytest.raises(GrammarError, match="byte order mark"):
        formgate.compile(MARK + SOURCES[name], byte_vocabulary)


def test_a_regex_may_begin_so(byte_vocabulary):
    assert formgate.compile(MARK + "a", byte_vocabulary).accepts(MARK + "a")


@pytest.mark.parametrize(
    ("tool", "source"), [("antlr4", "grammar g;\na: 'x';\n"), ("nearley", 'a -> "x"\n')]
)
def test_converters_refuse_it(tool, source):
    with pytest.raises(GrammarError) as caught:
        convert(MARK + source, from_=tool)
    check(caught.value, MARK + source)


def test_lark_refuses_it():
    lark = pytest.importorskip("lark")
    with pytest.raises(lark.exceptions.GrammarError):
        lark.Lark(MARK + SOURCES["lark"])


def test_in_an_imported_file(byte_vocabulary, tmp_path):
    pytest.importorskip("lark")
    (tmp_path / "other.lark").write_text(MARK + 'X: "x"\n', encoding="utf-8")
    with pytest.raises(GrammarError, match=r"in .*other\.lark, which the grammar imports: a byte"):
        formgate.compile(
            "%import .other.X\nstart: X",
            byte_vocabulary,
            format="lark",
            base_path=tmp_path,
        )


def test_a_file_may_have_one(byte_vocabulary, tmp_path):
    pytest.importorskip("lark")
    path = tmp_path / "own.lark"
    path.write_text(MARK + SOURCES["lark"], encoding="utf-8")
    assert formgate.compile(path, byte_vocabulary, format="lark").accepts("a")


def test_an_imported_file_in_another_encoding_is_named(byte_vocabulary, tmp_path):
    pytest.importorskip("lark")
    (tmp_path / "other.lark").write_bytes('A: "é"'.encode("latin-1"))
    with pytest.raises(GrammarError, match=r"other\.lark.* not UTF-8"):
        formgate.compile(
            "%import .other.A\nstart: A", byte_vocabulary, format="lark", base_path=str(tmp_path)
        )
