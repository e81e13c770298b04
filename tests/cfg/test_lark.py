"""The lark format: its options, errors, imports and parts; and the ways without a lexer."""

from __future__ import annotations

import random
import re
import sys

import pytest

pytest.importorskip("lark")

import lark_grammars
from earley import Earley
from hypothesis import HealthCheck, assume, event, given, settings
from hypothesis import strategies as st

import formgate
from formgate.core.errors import (
    EmptyLanguageError,
    GrammarError,
    LimitError,
    MissingDependencyError,
    UnsupportedConstraint,
)
from formgate.core.registry import Format, Registry, default_registry, hookimpl
from formgate.plugins import cfg
from formgate.plugins.cfg import _lark_load

TEXTS = tuple(lark_grammars.texts())

lark_settings = settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow],
)


def compiled(source, vocabulary, **options):
    """Return an engine, None where no text is in the language."""
    try:
        return formgate.compile(source, vocabulary, format="lark", **options)
    except EmptyLanguageError:
        return None


def every_cut(parser) -> Earley:
    """Return a judge that knows each terminal by the texts of TEXTS that it matches."""
    names = [terminal.name for terminal in parser.terminals]
    rules = {"#skip": [(), *((f"#{name}", "#skip") for name in parser.ignore_tokens)]}
    for terminal in parser.terminals:
        pattern = re.compile(terminal.pattern.to_regexp())
        found = [tuple(text) for text in TEXTS if text and pattern.fullmatch(text)]
        rules[f"#{terminal.name}"] = found
    for rule in parser.rules:
        body = []
        for symbol in rule.expansion:
            body += [f"#{symbol.name}", "#skip"] if symbol.name in names else [symbol.name]
        rules.setdefault(rule.origin.name, []).append(tuple(body))
    return Earley(rules | {"#text": [("#skip", "start")]}, "#text")


@lark_settings
@given(lark_grammars.grammars())
def test_every_way_to_cut_the_text(byte_vocabulary, source):
    parser = lark_grammars.judge(source, parser="earley", lexer="dynamic")
    assume(parser is not None)
    judge = every_cut(parser)
    engine = compiled(source, byte_vocabulary, lexing="any")
    for text in TEXTS:
        got = engine is not None and engine.accepts(text)
        assert got == judge.accepts(text), (source, text)


@lark_settings
@given(lark_grammars.grammars(), st.sampled_from(["dynamic", "dynamic_complete"]))
def test_the_dynamic_lexers(byte_vocabulary, source, lexer):
    parser = lark_grammars.judge(source, parser="earley", lexer=lexer)
    assume(parser is not None)
    try:
        engine = compiled(source, byte_vocabulary, parser="earley", lexer=lexer)
    except UnsupportedConstraint as error:
        event(error.reason.partition(" terminal ")[0])
        return
    event("read")
    for text in TEXTS:
        got = engine is not None and engine.accepts(text)
        assert got == lark_grammars.accepts(parser, text), (source, text)


@pytest.mark.parametrize(
    ("source", "accepted", "rejected"),
    [
        ('start: "a"~2..3 "b"?', ["aa", "aaab"], ["a", "aaaa"]),
        ('start: "a"~3', ["aaa"], ["aa"]),
        ('start: ["a"] x\n?x: "b" -> one | "c" -> two', ["ab", "c"], ["a"]),
        ('!start: "a".."c"+\n', ["abc"], ["d", ""]),
        ("start: /[a-c]+/i", ["aBc"], ["d"]),
        ('start: "ab"i', ["AB", "aB"], ["a"]),
        ('start: list{"a", ","}\nlist{item, mark}: item (mark item)*', ["a,a"], ["a,", ","]),
        ('start: pair{pair{"a"}}\npair{x}: "(" x "," x ")"', ["((a,a),(a,a))"], ["(a,a)"]),
        ('start: A\nA: B "x"\nB: "a" | "b"~2', ["ax", "bbx"], ["bx"]),
        ('start: "a" \\\n  | "b"', ["a", "b"], ["ab"]),
        ('start: x\nx: "a"\n%extend x: "b"', ["a", "b"], ["c"]),
        ("start: INT\n%import common.INT", ["12"], ["a"]),
        ("start: INT\n%import common.INT\n%extend INT: /x/", ["12", "x"], ["1x"]),
        ("start: INT\n%import common.INT\n%override INT: /x/", ["x"], ["1"]),
        ('start: "a" "b"\n%ignore " "', ["ab", " a  b "], ["a b c"]),
        ('start: start "+" start | /[0-9]/', ["1+2+3"], ["1+"]),
        ("start: (x)~0 /b/\nx: x", ["b"], ["a"]),
        ('start: A\nA.3: "a" // comment "\n# another /\n', ["a"], ["b"]),
        ('start: %regex /[0-9]{2}/ ("," %regex /a/i)*', ["12", "12,A,a"], ["1"]),
        ('start: %choice ["yes", "no"] "!"', ["yes!"], ["yes"]),
        ('start: %lark { start: "{" start "}" | "x" // }\n } "."', ["{{x}}."], ["{x."]),
        ('start: %gbnf """\nroot ::= "a" root "b" | ""\n"""', ["", "aabb"], ["ab\n", "abb"]),
        ('start: A\nA: %regex /a+/\n%ignore " "', ["aa "], ["b"]),
        ('start: list{%regex /[ab]/}\nlist{x}: x ("," x)*', ["a,b"], ["a,c"]),
    ],
)
def test_what_a_grammar_means(byte_vocabulary, source, accepted, rejected):
    engine = compiled(source, byte_vocabulary, lexing="any")
    assert [text for text in accepted if not engine.accepts(text)] == []
    assert [text for text in rejected if engine.accepts(text)] == []


@pytest.mark.parametrize(
    ("part", "accepted", "rejected"),
    [
        ("%regex /[0-9]{2}/", ["a12b", " a 12 b "], ["a1b", "a1 2b"]),
        ("%regex /x/i", ["aXb", "axb"], ["ab"]),
        ('%choice ["yes", "no"]', ["ayesb", "a no b"], ["ab"]),
        ("P\nP: %regex /[0-9]+/", ["a12b"], ["ab"]),
        ('P\nP: %choice ["yes", "no"]', ["ayesb"], ["ab"]),
    ],
)
def test_parts_that_are_terminals(byte_vocabulary, part, accepted, rejected):
    for lexing in ("any", "longest"):
        source = f'start: "a" (p) "b"\np: {part}\n%ignore " "'
        engine = compiled(source, byte_vocabulary, lexing=lexing)
        assert [text for text in accepted if not engine.accepts(text)] == []
        assert [text for text in rejected if engine.accepts(text)] == []
    with pytest.raises(UnsupportedConstraint, match="as lark reads a text") as caught:
        compiled(source, byte_vocabulary)
    begin = source.index("%")
    assert caught.value.offset == begin
    assert "lexing='longest'" in caught.value.hint


@pytest.mark.parametrize(
    "part", ['%lark { start: "a" start "b" | "c" }', '%gbnf """root ::= "c" """']
)
def test_parts_with_rules_are_no_terminals(byte_vocabulary, part):
    source = f'start: "x" {part} "y"'
    assert compiled(source, byte_vocabulary, lexing="any").accepts("xcy")
    with pytest.raises(UnsupportedConstraint, match="makes rules of its own") as caught:
        compiled(source, byte_vocabulary, lexing="longest")
    assert caught.value.span == (11, 11 + len(part))
    assert "lexing='any'" in caught.value.hint


def test_a_schema_is_handed_to_its_format(byte_vocabulary):
    given = []

    def write(source, builder, options):
        given.append((source, dict(options)))
        builder.start(builder.literal("{}"))

    class Plugin:
        @hookimpl
        def register_formats(self, register):
            register(Format(name="json_schema", compile=write))

    registry = Registry(load=False)
    registry.register(cfg, name="cfg")
    source = 'start: "call" %json {"type": "object",\n "maxProperties": 0} "."'
    with pytest.raises(GrammarError, match="in %json: unknown format 'json_schema'") as caught:
        formgate.compile(source, byte_vocabulary, format="lark", lexing="any", registry=registry)
    assert caught.value.span == (14, len(source) - 4)
    registry.register(Plugin(), name="schema")
    for lexing in ("any", "longest"):
        engine = formgate.compile(
            source, byte_vocabulary, format="lark", lexing=lexing, registry=registry
        )
        assert engine.accepts("call{}.")
    assert given == [('{"type": "object",\n "maxProperties": 0}', {})] * 2


def test_schemas_in_grammars(byte_vocabulary):
    schema = '{"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}}'
    source = f'start: ("call" %json {schema})+\n%ignore " "'
    engine = compiled(source, byte_vocabulary, lexing="any")
    assert engine.accepts('call {"n": 3} call{"n":4, "m": [1]}')
    assert not engine.accepts('call {"m": 3}')
    source = source.replace("integer", "number?")
    with pytest.raises(GrammarError, match="in %json: ") as caught:
        compiled(source, byte_vocabulary, lexing="any")
    assert caught.value.source == source
    assert caught.value.offset == source.index("%json")


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("start: " + "(" * 200, "brackets are nested more than 100 deep"),
        (
            "start: A0\n" + "".join(f"A{i}: A{i + 1} A{i + 1}\n" for i in range(40)) + 'A40: "x"',
            "the terminals are made of more than",
        ),
        ('start: t{s}\ns: "a"\nt{x}: t{u{x}}\nu{a}: a', "templates are used inside each other"),
    ],
)
def test_hostile_grammars_meet_a_limit(byte_vocabulary, source, reason):
    with pytest.raises(LimitError, match=reason):
        compiled(source, byte_vocabulary, lexing="any")


def test_large_grammars_are_read(byte_vocabulary):
    optional = " ".join(f'["{letter}"]' for letter in "abcdefghijklmnopqrstuvwxyz")
    engine = compiled(f'start: {optional} "!"~0..5000' + "\n" * 5000, byte_vocabulary, lexing="any")
    assert engine.accepts("adz!!")
    assert not engine.accepts("za")


def test_declared_terminals_are_refused(byte_vocabulary):
    source = "start: A\n%declare A"
    with pytest.raises(UnsupportedConstraint, match="A is only declared") as caught:
        compiled(source, byte_vocabulary)
    assert caught.value.span == (7, 8)
    unused = 'start: "a"\nx: A\n%declare A'
    assert compiled(unused, byte_vocabulary, lexing="any").accepts("a")


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"lexing": "first"}, "lexing='first' is none of 'lark', 'longest', 'any'"),
        ({"parser": "lr"}, "parser='lr' is none of 'lalr', 'earley'"),
        ({"parser": "cyk"}, "CYK parser is not supported"),
        ({"lexer": "dynamic"}, "lexer='dynamic' is none of 'contextual', 'basic' beside"),
        ({"parser": "earley", "lexer": "contextual"}, "lexer='contextual' is none of 'dynamic'"),
        ({"lexing": "any", "parser": "lalr"}, "which lexing='any' replaces"),
        ({"lexing": "any", "lexer": "basic"}, "lexing='any' has no lexer"),
        ({"start": 3}, "start is the name of a rule"),
        ({"start": "x"}, "no rule 'x'"),
        ({"g_regex_flags": "q"}, "unknown regex flag 'q'"),
        ({"import_paths": 3}, "import_paths is a list of folders"),
        ({"base_path": 3}, "base_path is the path of a folder"),
        ({"maybe_placeholders": True}, "no option 'maybe_placeholders'"),
    ],
)
def test_options_are_checked(byte_vocabulary, options, reason):
    with pytest.raises(GrammarError, match=re.escape(reason)):
        compiled('start: "a"', byte_vocabulary, **options)


def test_options_in_the_grammar(byte_vocabulary, tmp_path):
    """Each "a" is a reading of its own: lark's parser cannot tell them apart."""
    rules = 'start: x | y\nx: "a"\ny: "a"\n'
    header = "// Two readings\n//formgate: lexing=any g_regex_flags=i oracle=none\n"

    def compiled(source, **options):
        return formgate.compile(source, byte_vocabulary, format="lark", **options)

    with pytest.raises(GrammarError, match="lexing='any'"):
        compiled(rules)
    path = tmp_path / "two.lark"
    path.write_text("\ufeff" + header + rules, encoding="utf-8")
    for source in (header + rules, path):
        assert compiled(source).accepts("a")
        with pytest.raises(GrammarError, match="reduce/reduce"):
            compiled(source, lexing="lark")
    for text in ("\n" + header + rules, rules + header, "// lexing=any\n" + rules):
        with pytest.raises(GrammarError, match="reduce/reduce"):
            compiled(text)
    with pytest.raises(GrammarError, match="the lark format has no option 'lexer_mode'"):
        compiled("// formgate: lexer_mode=any\n" + rules)
    with pytest.raises(GrammarError, match="lexing='some' is none of"):
        compiled("// formgate: lexing=some\n" + rules)
    with pytest.raises(GrammarError, match="has no option 'import_paths' in the line"):
        compiled("// formgate: import_paths=/\n" + rules)


def test_flags_hold_for_all_terminals(byte_vocabulary):
    engine = compiled('start: "a" /b./', byte_vocabulary, lexing="any", g_regex_flags="is")
    assert engine.accepts("AB\n")


def test_imports_are_searched_and_followed(byte_vocabulary, tmp_path):
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared" / "words.lark").write_text('WORD: "x"\nrule: WORD "-" more\nmore: "y"\n')
    main = tmp_path / "main.lark"
    main.write_text("start: rule WORD\n%import .shared.words (rule, WORD)\n")
    engine = formgate.compile(main, byte_vocabulary, lexing="any")
    assert engine.accepts("x-yx")
    text = main.read_text()
    assert compiled(text, byte_vocabulary, lexing="any", base_path=tmp_path).accepts("x-yx")
    paths = [str(tmp_path / "shared")]
    source = "start: W\n%import words.WORD -> W"
    engine = compiled(source, byte_vocabulary, lexing="any", import_paths=paths)
    assert engine.accepts("x")
    (tmp_path / "shared" / "words.lark").write_text('WORD: "z"\nrule: WORD\n')
    assert formgate.compile(main, byte_vocabulary, lexing="any").accepts("zz")  # not from the cache
    (tmp_path / "shared" / "words.lark").write_text("WORD: (\n")
    with pytest.raises(GrammarError, match=r"in .*words.lark, which the grammar imports: ") as bad:
        formgate.compile(main, byte_vocabulary, lexing="any")
    assert bad.value.source == "WORD: (\n"
    (tmp_path / "loop.lark").write_text("A: B\n%import .loop.B\n")
    with pytest.raises((LimitError, GrammarError)):
        compiled("start: A\n%import .loop.A", byte_vocabulary, base_path=tmp_path)
    with pytest.raises(GrammarError, match="cannot read the grammar"):
        formgate.compile(tmp_path / "none.lark", byte_vocabulary)


def test_what_was_loaded_is_kept(byte_vocabulary, monkeypatch):
    for unusual in ("", '%extend start: "b"'):  # which lark has to read
        source = f'start: "a"+ // {random.random()}\n{unusual}'
        compiled(source, byte_vocabulary)
        with monkeypatch.context() as patch:
            patch.setitem(sys.modules, "lark.load_grammar", None)
            patch.setattr(_lark_load, "read_plain", None)
            assert compiled(source, byte_vocabulary, lexing="any").accepts("aa")


@pytest.mark.parametrize("source", ['start: "a"', 'start: "a"\n%extend start: "b"', "start: ("])
def test_without_lark_no_grammar_is_read(byte_vocabulary, monkeypatch, source):
    source += f"// {random.random()}"
    for name in [*sys.modules]:
        if name.partition(".")[0] == "lark":
            monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingDependencyError, match=r"formgate\[lark\]"):
        compiled(source, byte_vocabulary)


def test_no_more_than_some_grammars_are_kept(byte_vocabulary):
    for number in range(70):
        compiled(f'start: "a" // {number}', byte_vocabulary)
    assert len(_lark_load._kept) <= 64


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ('start: "a"', "lark"),
        ('x: "b"\n?start: x', "lark"),
        ('!start.2 : "a"', "lark"),
        ('root ::= "a"', "gbnf"),
        ('start ::= "a"', "ebnf"),
        ("restart: a", "regex"),
    ],
)
def test_sources_are_recognised(source, name):
    assert default_registry().guess(source).spec.name == name


def test_python_needs_its_indenter(byte_vocabulary):
    source = "%import python (file_input)\nstart: file_input"
    with pytest.raises(UnsupportedConstraint, match="_DEDENT is only declared in python") as caught:
        compiled(source, byte_vocabulary)
    assert "line 1, column 1" in str(caught.value)
    assert "Indenter" in str(caught.value)
    assert 'the grammar "python"' in str(caught.value)
    with pytest.raises(UnsupportedConstraint, match="A is only declared") as caught:
        compiled("start: A\n%declare A", byte_vocabulary)
    assert "Indenter" not in str(caught.value)


@pytest.mark.parametrize("lexing", ["lark", "longest", "any"])
def test_declared_terminals_out_of_reach(byte_vocabulary, lexing):
    """Rules that use each other stay in lark's grammar, whether the start reaches them or not."""
    rules = 'start: "a" "b"\nx: "c" y\ny: _INDENT x | "d"\n%declare _INDENT\n'
    engine = compiled(rules, byte_vocabulary, lexing=lexing)
    assert engine.accepts("ab")
    with pytest.raises(UnsupportedConstraint, match="is only declared"):
        compiled(rules, byte_vocabulary, lexing=lexing, start="x")


@pytest.fixture(scope="module")
def shared_grammars(request):
    found = request.config.rootpath.parent / "shared/data/grammars-and-programs/grammars/lark"
    if not found.is_dir():
        pytest.skip("shared/data/grammars-and-programs is not here")
    return found


def test_real_grammars(shared_grammars, byte_vocabulary):
    """Each is read, or refused by name; what is read has no dead end."""
    refused = {}
    chance = random.Random(3)
    paths = sorted([*shared_grammars.glob("syncode/*.lark"), *shared_grammars.glob("*/*.lark")])
    for path in paths:
        if path.stem == "common":
            continue
        start = "file_input" if path.stem == "partial_python" else "start"
        try:
            engine = formgate.compile(path, byte_vocabulary, lexing="any", start=start)
        except (UnsupportedConstraint, GrammarError) as error:
            refused[path.stem] = error.reason
            continue
        state = engine.start()
        for _ in range(30):
            allowed = engine.allowed_tokens(state).ids()
            assert len(allowed) > 0, path
            token = int(chance.choice(allowed))
            if token in byte_vocabulary.stop_ids:
                break
            state = engine.advance(state, token)
    assert "only declared" in refused["partial_python"]
    assert len(paths) - len(refused) > 8, refused


def test_a_grammar_may_name_its_format_before_its_options(byte_vocabulary):
    rules = 'start: "a" "b"\n%ignore " "'
    assert compiled("// formgate: lark\n" + rules, byte_vocabulary).accepts("a   b")
    header = "// formgate: lark lexing=longest max_ignored=2\n"
    engine = compiled(header + rules, byte_vocabulary)
    assert engine.accepts("a  b")
    assert not engine.accepts("a   b")


@pytest.mark.parametrize("named", ["foo", "gbnf", "gbnf lexing=any", "lexing"])
def test_a_grammar_that_names_another_format_is_refused(byte_vocabulary, named):
    with pytest.raises(GrammarError, match=f"names the format '{named.split()[0]}', not 'lark'"):
        compiled(f'// formgate: {named}\nstart: "a"', byte_vocabulary)


def test_boolean_schemas_are_parts(byte_vocabulary):
    pytest.importorskip("jsonschema")
    engine = formgate.compile(
        'start: "x" %json true | "y"', byte_vocabulary, format="lark", lexing="any"
    )
    assert engine.accepts('x{"a": [1]}')
    assert engine.accepts("y")
    assert not engine.accepts("x")
    for source in ('start: "x" %json null', 'start: "x" %json truth'):
        with pytest.raises(GrammarError, match="no source of another format"):
            formgate.compile(source, byte_vocabulary, format="lark", lexing="any")
