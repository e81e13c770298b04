"""Grammars that are read without lark are read as lark reads them."""

from __future__ import annotations

import itertools
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lark import load_grammar
from lark_grammars import grammars

import formgate
from formgate.core.errors import FormgateError, GrammarError, LimitError
from formgate.plugins.cfg import _lark_load, _lark_plain
from formgate.plugins.cfg._lark_load import load
from formgate.plugins.cfg._lark_patterns import NAMES, _evaluated
from formgate.plugins.cfg._lark_productions import productions_of
from formgate.plugins.cfg._lark_syntax import TOKENS, Unusual, statements

ROOT = Path(__file__).parents[2]
FILES = sorted(
    path
    for folder in ("plugins/cfg/grammars", "benchmarks/cases/grammars", "tests")
    for path in (ROOT / folder).rglob("*.lark")
)

# Each with something that has a way of its own; lark takes them all.
PLAIN = {
    "anonymous": 'start: "a" "b"i /c/ "," "," "(" "ab"~2 x\nx: "=" | "B"\nA: "a"\n',
    "order of names": 'start: ("x" ["y" ("<<" | ">>")])? "->" (("==")) "!=" x\nx: "=>" [("::")]\n',
    "taken names": 'start: "a" "," A COMMA\nA: "b"\nCOMMA: "c"\n',
    "names of other scripts": 'start: "\u00e9t\u00e9" "\u4e2d" "1a" "a1" "_" "\u00df"\n',
    "escapes": r'start: "\n" "\x41" "\"" "\\" "\\n" /\// /\\/ /\"/ /a\.b/ /\x41/ /\u00e9/ "\'" /\'/'
    "\n",
    "quotes": 'start: "\'" /\'/ "`" /"/\n',
    "ranges": 'start: "a".."z" "\\x00".."\\x1f" A\nA: "0".."9"+\n',
    "flags": 'start: /a/i /a./s "x"i A\nA: "y"i | /z/i "w"\n',
    "terminals of terminals": (
        'start: A\nA: B? C* (D | "x"~2 | "y"~1..3)+ ["z"]\nB: /b|bb/\nC: "c" | "cc" | /c{1,5}/\n'
        'D: ("d" | ) B\n'
    ),
    "priorities": "start: a b A B\na.2: A\nb.-1: B\nA.10: /a/\nB.-3: /b/\n",
    "modifiers": '?start: a | b\n!a: "x" ["y"] | "z"\n!?b: "x"? ["y" "z"]\n_c: "d"\n',
    "aliases": 'start: "a" -> x\n     | "b"? "c" -> y\n     | ("d" | "e") -> z\n     | -> none\n',
    "repetitions": 'start: A* (A B)+ (A | B)* A? [A] (A+)* b\nb: A* (A B)+\nA: "a"\nB: "b"\n',
    "counts": (
        'start: A~3 B~2..4 (A B)~0..2 A~0 b\nb: A~60 (A | B)~50..53 A~0..77\nA: "a"\nB: "b"\n'
    ),
    "brackets": '!start: [A b _c "x"] [[A] b]\nb: ["x" A _c] [_D]\n_c: A\nA: "a"\n_D: "d"\n',
    "nothing": 'start: | a ()\na: "x" | [] "y"\n',
    "ignored": (
        'start: A\nA: "a"\n%ignore " "\n%ignore A\n%ignore /x/ | "y"+\nWS: /\\s/\n%ignore WS\n'
    ),
    "declared": "%declare _X Y z\nstart: A | _X | z\nA: /a/\n",
    "comments": '// one\nstart: "a" // two\n  # three\n  | "b" # four\n\n\n  // five\n  | /c#d/\n',
    "continued": 'start: "a" \\\n  "b"\n',
    "lines": '\r\nstart: "a"\r\n  | "b"\r\n\r\nx: "c"\r\n',
    "no end": 'start: "a"',
    "imports": (
        "%import common.WS\n%import common (INT, SIGNED_FLOAT)\n%import common.CNAME -> NAME\n"
        "start: NAME INT SIGNED_FLOAT\n%ignore WS\n"
    ),
    "rules of lark's": "%import lark (expansions, COMMENT)\nstart: expansions\n%ignore COMMENT\n",
    "same helper": 'start: a b\na: ("x" "y")+\nb: ("x" "y")+ | ("y" "x")*\n',
    "templates": (
        'start: a{"x"} | a{b}* _list{_list{A, ","}, /;/} d{A} e{"y".."z"}\n'
        'b: "b"\nc: a{A} unused_{c}\nA: "a"\n!d{x}: [x "d"] | d{x} x -> y\n'
        '_list{item, separator}.2: item (separator item)*\nunused_{one}: "(" one ")"\n'
        'a{x}: x ["<<" x] | a{x}\ne{f}: f~2 | ("=>" f)+\nnever{a1}: "never" a1\n'
    ),
    "templates in templates": (
        'start: a{b{c}, c} c d{c}\na{x, y}: x | d{y} | d{b{x}}\nb{x}: "(" x ")"\n'
        'c: "c" b{a{c, c}}\nd{x}: x "," x | b{c}\n'
    ),
    "template without arguments": 'start: b a\nb: "b"\na{x}: x\n',
    "parts": "start: a\na: %regex /x+/ | %json {}\n",
}
UNUSUAL = {
    "template given to a template": 'start: a{b}\na{c}: c{"x"}\nb{x}: x\n',
    "arguments": 'start: a{"x", "y"}\na{b}: b\n',
    "no template": 'start: a{"x"}\na: "b"\n',
    "parameters": 'start: a{"x", "y"}\na{b, b}: b\n',
    "parameter and rule": 'start: a{"x"} b\na{b}: b\nb: "b"\n',
    "template in a terminal": 'start: A\nA: a{"x"}\na{b}: b\n',
    "endless templates": 'start: a{"x"}\na{x}: x a{b{x}}\nb{x}: "(" x ")"\n',
    "extended": 'start: a\na: "x"\n%extend a: "y"\n',
    "overridden": 'start: a\na: "x"\n%override a: "y"\n',
    "two flags": "start: /a/is\n",
    "two lines": "start: /a\nb/x\n",
    "category": r"start: /\p{Lu}/" "\n",
    "signed count": 'start: "a"~+2\n',
    "named like a made-up name": 'start: "__anon_0" "\u00b2"\n',
    "made-up names": 'start: "__anon_1" /a/ /b/ /c/\n',
    "kept argument": '!start: t{"x"}\nt{p}: ([p] | ) "y"\n',
    "kept argument inside": '!start: t{u{"x"}}\nt{p}: [p] "y"\nu{p}: [p "z"]\n',
}


def facts(loaded):
    """Return all that counts of a loaded grammar, flags of regexes in one order."""
    found = [loaded.terminals, list(loaded.terminals), loaded.rules, list(loaded.rules)]
    found += [loaded.ignored, loaded.declared, loaded.files]
    for start in list(loaded.rules)[:3]:
        try:
            found.append(productions_of(loaded, start))
        except GrammarError as error:
            found.append(str(error))
    return found


def by_lark(source, **options):
    """Load a grammar with the lark package, or return the error."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_lark_plain, "RELEASES", frozenset())
        return outcome(source, **options)


def outcome(source, *, base_path=None, import_paths=()):
    _lark_load._kept.clear()
    try:
        return facts(load(source, base_path=base_path, import_paths=import_paths))
    except FormgateError as error:
        return type(error), str(error), getattr(error, "hint", None), getattr(error, "span", None)


def is_plain(source):
    try:
        _lark_plain.read_plain(source, None, ())
    except Unusual:
        return False
    return True


def test_tokens_and_names_are_those_of_lark():
    parser = load_grammar._get_parser()
    assert list(TOKENS) == [terminal.name for terminal in parser.lexer.terminals]
    assert TOKENS == load_grammar.TERMINALS
    assert NAMES == load_grammar._TERMINAL_NAMES


@pytest.mark.parametrize("name", PLAIN)
def test_plain_grammars_are_read_as_by_lark(name):
    source = PLAIN[name]
    assert is_plain(_lark_load.prepare(source).text)
    expected = by_lark(source)
    assert isinstance(expected, list), expected
    assert outcome(source) == expected


def test_all_short_texts_are_evaluated_as_by_lark():
    for length in range(6):
        for characters in itertools.product("\\\"'nx4/", repeat=length):
            text = "".join(characters)
            try:
                expected = load_grammar.eval_escaping(text)
            except Exception:  # noqa: BLE001 (whatever lark raises)
                expected = None
            try:
                found = _evaluated(text)
            except Unusual:
                found = None
            assert found == expected, text


@pytest.mark.parametrize("name", UNUSUAL)
def test_what_is_unusual_is_left_to_lark(name):
    assert not is_plain(UNUSUAL[name])
    assert outcome(UNUSUAL[name]) == by_lark(UNUSUAL[name])


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_grammars_in_files_are_read_as_by_lark(path):
    source, folder = path.read_text(encoding="utf-8-sig"), str(path.parent)
    assert outcome(source, base_path=folder) == by_lark(source, base_path=folder)


def test_imports_are_found_as_by_lark(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "one.lark").write_text(
        'a: _b C D "x" [E] -> c\n_b: "y" | D\nC: "c" _F\n_F: "f"\nD: E~2\nE: "e"\nunused: "u"\n'
        "%ignore C\n%import .sub.two (g, H)\n"
    )
    (tmp_path / "sub" / "two.lark").write_text(
        'g: H _i\n_i: "i" J\nH: "h"\nJ: "j"\n%import common.INT\n'
    )
    source = "%import .one.a\n%import .one (C, _b)\n%import .one.D -> K\n%import sub.two.g\n"
    source += 'start: a C _b K g "x"\n'
    for options in (
        {"base_path": str(tmp_path), "import_paths": (str(tmp_path),)},
        {"base_path": f"{tmp_path}/", "import_paths": (str(tmp_path / "no"), str(tmp_path))},
    ):
        found = outcome(source, **options)
        assert isinstance(found, list), found
        assert found == by_lark(source, **options)
    for options in ({}, {"base_path": str(tmp_path)}, {"import_paths": (str(tmp_path),)}):
        assert outcome(source, **options) == by_lark(source, **options)


@given(source=grammars())
def test_random_grammars_are_read_as_by_lark(source):
    assert outcome(source) == by_lark(source)


TEXT = "\n".join(PLAIN.values())
PIECES = re.findall(r'"[^"\n]*"|/[^/\n]+/|\w+|[^\w\s]|\s+', TEXT)


@given(data=st.data())
def test_changed_grammars_are_read_as_by_lark(data):
    source = PLAIN[data.draw(st.sampled_from(sorted(PLAIN)))]
    pieces = re.findall(r'"[^"\n]*"|/[^/\n]+/|\w+|[^\w\s]|\s+', source)
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(pieces) - 1))
        pieces[at : at + data.draw(st.integers(0, 2))] = data.draw(
            st.lists(st.sampled_from(PIECES), max_size=2)
        )
    source = "".join(pieces)
    assert outcome(source) == by_lark(source)


@pytest.mark.parametrize("source", ['start: ("a" -> x) "b"\nx: "c"\n', 'start: ["a" -> x]\nx: "c"'])
def test_aliases_inside_brackets_are_refused(byte_vocabulary, source):
    for lexing in ("lark", "longest", "any"):
        with pytest.raises(GrammarError, match="has an alias, x, inside brackets") as caught:
            formgate.compile(source, byte_vocabulary, format="lark", lexing=lexing)
        assert caught.value.span == (0, 5)


def test_a_plain_grammar_is_read_without_importing_lark():
    code = (
        "import sys; from formgate.core.compiler import build_grammar\n"
        "build_grammar('start: WORD+\\n%import common.WORD\\n', format='lark')\n"
        "print('lark' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_statements_end_with_the_text():
    assert [each.name for each in statements("start: a\na: | \n\n")] == ["start", "a"]
    for source in ("start", "start: (", "start: )", "a: b -> c d", "%declare\n", "a: b??"):
        with pytest.raises(Unusual):
            statements(source)


def test_terminals_may_be_made_of_each_other_in_long_chains(byte_vocabulary):
    chain = "".join(f'A{i}: A{i + 1} "x"\n' for i in range(500))
    engine = formgate.compile(f'start: A0\n{chain}A500: "y"\n', byte_vocabulary, format="lark")
    assert engine.accepts("y" + "x" * 500)
    assert not engine.accepts("y" + "x" * 499)


def test_terminals_that_double_are_refused(byte_vocabulary):
    doubled = "".join(f"A{i}: A{i + 1} A{i + 1}\n" for i in range(12))
    source = f'start: A0\n{doubled}A12: "{"y" * 1000}"\n'
    with pytest.raises(LimitError, match="comes to more than 1,000,000 characters"):
        formgate.compile(source, byte_vocabulary, format="lark")
