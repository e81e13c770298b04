"""Nearley grammars as GBNF: random ones against the judge, files of others, and the notation."""

from __future__ import annotations

import itertools

import notations
import pytest
from earley import Earley
from hypothesis import given, settings
from hypothesis import strategies as st

import formgate
from formgate.core.errors import EmptyLanguageError, GrammarError, LimitError
from formgate.plugins.cfg import convert

WORDS = ["".join(word) for length in range(5) for word in itertools.product("ab", repeat=length)]


def compiled(source, vocabulary, **options):
    converted = convert(source, from_="nearley", **options)
    assert converted.format == "gbnf"
    return formgate.compile(converted.text, vocabulary, format="gbnf")


class Nearley(notations.Printer):
    defines = "->"

    def __init__(self, chance):
        super().__init__(chance)
        self.end = chance.choice(["\n", " {% d => d[0] %}\n", " # done\n"])

    def grammar(self, grammar):
        return super().grammar(grammar) + "once[X] -> $X\ntwice[X, Y] -> $X $Y\n"

    def rule_name(self, name):
        return f"rule{name}+?"

    def text(self, text):
        return self.chance.choice([f'"{text}"', f"`{text}`"]) if text else "null"

    def class_(self, letters):
        return self.chance.choice(
            [f"[{letters}]", f"[{letters[0]}-{letters[-1]}]", f"[\\x61{letters}]"]
        )

    def item(self, expression):
        item = super().item(expression)
        if expression[0] == "name" and self.chance.random() < 0.3:
            return f"once[{item}]"
        return item

    def repeat(self, part, least, most):
        item = f"({self.item(part)})"
        sign = {(0, 1): "?", (0, None): "*", (1, None): "+"}.get((least, most))
        if sign is not None:
            return f"{item}:{sign}"
        if (least, most) == (2, 2):
            return f"twice[{item}, {item}]"
        more = [f"{item}:*"] if most is None else [f"{item}:?"] * (most - least)
        return f"({' '.join([item] * least + more)})"


@settings(max_examples=60, deadline=None)
@given(notations.grammars(), st.randoms(use_true_random=False))
def test_random_grammars(byte_vocabulary, grammar, chance):
    source = Nearley(chance).grammar(grammar)
    judge = Earley(notations.plain(grammar), "S")
    try:
        engine = compiled(source, byte_vocabulary)
    except EmptyLanguageError:
        assert "S" not in judge.rules, source
        return
    for word in WORDS:
        assert engine.accepts(word) == judge.accepts(word), (source, word)


@pytest.mark.parametrize(
    ("source", "accepted", "rejected"),
    [
        ('main -> "a" | "b"', ["a", "b"], [""]),
        ('main -> "a"\nmain -> "b"', ["a", "b"], [""]),
        ('main -> "\\"\\n\\u00e9"', ['"\né'], ["n"]),
        ("main -> `a\\n`", ["a\\n"], ["a\n"]),
        ('main -> "aB-ß"i', ["ab-ß", "AB-S"], ["ab-", "ab-SS"]),
        ('main -> ""i "x"', ["x"], ["X"]),
        ("main -> .", ["a", "é", "😀"], ["\n", "\u2028", ""]),
        ("main -> [^a-c]", ["d", "\n"], ["a", "b"]),
        ("main -> [^\\n]", ["d"], ["\n"]),
        (r"main -> [\d\-x] [\s] [\w]", ["1 _", "-\u00a0a", "x\ufeffZ"], ["1 é", "a a"]),
        (r"main -> [\D] [\S] [^\W]", ["a.b"], ["1.b", "a b", "a.."]),
        (
            r"main -> [\x41\u0042\cC\0\]\\\/\^]",
            ["A", "B", "\x03", "\0", "]", "\\", "/", "^"],
            ["C"],
        ),
        ("main -> [a-] [-b]", ["a-", "-b"], ["ab "]),
        ('main -> ("a" | null) "b":?', ["", "a", "ab", "b"], ["ba"]),
        ('main -> "a":*:? "b":+', ["b", "aabb"], ["a"]),
        ('@{% const x = "%"; %}\nmain -> "a" {% d => "}" %}', ["a"], [""]),
        ('main => "a"\n', ["a"], [""]),
        ('main -> list["a", ","]\nlist[X, S] -> $X ($S $X):*', ["a", "a,a"], ["a,"]),
        ('main -> a[("x" | "y")]\na[X] -> b[$X $X]\nb[Y] -> "(" $Y ")"', ["(xy)"], ["(x)"]),
        ('root -> r2 "-"\nr2 -> "x"', ["x-"], ["x"]),
        ('main -> root\nroot -> "x"', ["x"], [""]),
        ('@builtin "whitespace.ne"\nmain -> _ "x" __ "y"', ["x y", " x\t\ny"], ["xy"]),
        ('@builtin "number.ne"\nmain -> jsonfloat', ["-1.5e+3", "007"], ["1.", "+1"]),
        (
            '@builtin "number.ne"\nmain -> int ";" decimal ";" percentage',
            ["+1;-2.5;3%"],
            ["1;+2;3%"],
        ),
        (
            '@builtin "string.ne"\nmain -> dqstring | sqstring | btstring',
            ['"a\\n\\u00e9\'"', "'it\\'s \"'", "`\n\\`"],
            ['"a', '"\n"', '"\\x"', "'''"],
        ),
    ],
)
def test_what_a_grammar_means(byte_vocabulary, source, accepted, rejected):
    engine = compiled(source, byte_vocabulary)
    assert [text for text in accepted if not engine.accepts(text)] == []
    assert [text for text in rejected if engine.accepts(text)] == []


@pytest.mark.parametrize(
    ("source", "reason", "span"),
    [
        ("main -> x", "'x' is used but not defined", (8, 9)),
        ("main ->", "something to match", (7, 8)),
        ('main "a"', "'->' is expected", (5, 8)),
        ('-> "a"', "a rule, which begins", (0, 2)),
        ('main -> "a', "not closed on its line", (8, 9)),
        ('main -> "\\x42"', "escape that Nearley lacks", (8, 9)),
        ("main -> [ab\n]", "class is not closed", (8, 9)),
        ("main -> 'a'", "begins like this", (8, 9)),
        ('main -> ("a"', "'\\)' is expected", (12, 13)),
        ('main -> "a")', "a rule, which begins", (11, 12)),
        ("main -> [z-a]", "range that is none", (8, 13)),
        (r"main -> [\w-z]", "range that is none", (8, 14)),
        (r"main -> [\q]", "no known meaning", (8, 12)),
        (r"main -> [\ud83d\ude00]", "surrogates are no characters", (8, 22)),
        ("main -> $X", "no parameter", (8, 9)),
        ('main -> m\nm[X] -> "a"', "takes 1 arguments, not 0", (8, 9)),
        ('main -> m["a", "b"]\nm[X] -> "a"', "takes 1 arguments, not 2", (8, 9)),
        ('main -> m["a"]\nm -> "a"', "takes 0 arguments, not 1", (8, 9)),
        ('m[X] -> "a"', "is a macro", (0, 1)),
        ('@include "x.ne"\nmain -> "a"', "not known from where", (0, 1)),
        ('@builtin "x.ne"\nmain -> "a"', "no built-in file", (0, 1)),
        ("main -> " + "(" * 60 + '"a"' + ")" * 60, "nested more than 50", (59, 60)),
        ('main -> "a"' + ":*" * 60, "nested more than 50", (113, 115)),
    ],
)
def test_errors_name_the_place(source, reason, span):
    with pytest.raises(GrammarError, match=reason) as caught:
        convert(source, from_="nearley")
    assert caught.value.source == source
    assert caught.value.span == span


def test_macros_that_never_end_are_stopped():
    for source in ('main -> m["a"]\nm[X] -> m[($X $X)]', 'main -> m["a"]\nm[X] -> "b" m[($X "a")]'):
        with pytest.raises(LimitError, match="expand to more than"):
            convert(source, from_="nearley")


def test_notes(byte_vocabulary):
    source = '@{% let x %}\nmain -> %tok\n  {% (d, l, reject) => reject %} | "b" {% id %}'
    converted = convert(source, from_="nearley")
    assert [(note.line, note.column, note.lost) for note in converted.notes] == [
        (1, 1, True),
        (3, 3, True),
        (2, 9, True),
    ]
    for note in converted.notes:
        assert f"line {note.line}, column {note.column}" in converted.text
    with pytest.raises(GrammarError, match="'token-tok' is used but not defined"):
        formgate.compile(converted.text, byte_vocabulary, format="gbnf")
    with pytest.raises(formgate.UnsupportedConstraint, match=r"line 1, column 1: code in Java"):
        convert(source, from_="nearley", strict=True)
    assert convert('main -> "b" {% id %}', from_="nearley", strict=True).notes == ()


def test_a_lexer_makes_it_lark():
    lark = pytest.importorskip("lark")
    converted = convert(
        '@lexer moo\nMain -> %num ("+" | `-`):? part:*\npart -> "x\\ny"i | null', from_="nearley"
    )
    assert converted.format == "lark"
    text = converted.text.replace("%declare T_NUM", "T_NUM: /[0-9]+/")
    parser = lark.Lark(text, parser="earley", lexer="basic")
    for good in ("1", "12+", "1-X\nYx\ny"):
        parser.parse(good)
    with pytest.raises(lark.exceptions.LarkError):
        parser.parse("1+-")
    with pytest.raises(GrammarError, match="where a lexer makes tokens"):
        convert("@lexer moo\nmain -> [a]", from_="nearley")


def test_included_files(tmp_path, byte_vocabulary):
    (tmp_path / "a.ne").write_text('@include "sub/b.ne"\n@{% code %}\nx -> y', encoding="utf-8")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/b.ne").write_text('@include "../a.ne"\ny -> "é"', encoding="utf-8")
    source = '@include "a.ne"\nmain -> x'
    assert compiled(source, byte_vocabulary, base_path=tmp_path).accepts("é")
    (note,) = convert(source, from_="nearley", base_path=tmp_path).notes
    assert str(note) == "a.ne, line 2, column 1: code in JavaScript"
    with pytest.raises(GrammarError, match="cannot be read"):
        convert('@include "none.ne"\nmain -> x', from_="nearley", base_path=tmp_path)


def test_grammars_of_others(request, byte_vocabulary):
    folder = request.config.rootpath.parent / "shared/data/grammars-and-programs/grammars/nearley"
    if not folder.is_dir():
        pytest.skip("shared/data/grammars-and-programs is not here")
    paths = sorted(folder.rglob("*.ne"))
    assert len(paths) == 2
    for path in paths:
        engine = compiled(path.read_text("utf-8"), byte_vocabulary, base_path=path.parent)
        assert engine.accepts("±a")
        assert not engine.accepts("a")
