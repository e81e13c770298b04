"""The command and the whole report: rules, formats without a lexer, limits, JSON, exit codes."""

from __future__ import annotations

import io
import json
import subprocess
import sys

import pytest

import formgate
from formgate.core.cli import main
from formgate.core.errors import FormgateError, GrammarError
from formgate.plugins.cfg import lint


def found(source, format, **options):  # noqa: A002
    report = lint(source, format=format, **options)
    return [(each.check, each.subject, each.line, each.column) for each in report.findings]


RULES = """\
start: a b? | c
     | e
a: a "x"
b:
c: d | "x"
  d: c
u: "y"
e: b e "q" | "r"
"""


def test_rules_are_told_with_their_place():
    checks = found(RULES, "lark")
    assert ("unproductive-rule", "a", 3, 1) in checks
    assert ("empty-rule", "b", 4, 1) in checks
    assert ("cyclic-rule", "c", 5, 1) in checks
    assert ("unreachable-rule", "u", 7, 1) in checks
    kinds = {
        each.subject: each.message.split()[0]
        for each in lint(RULES, format="lark").findings
        if each.check == "left-recursion"
    }
    assert kinds == {"a": "direct", "c": "indirect", "e": "hidden"}


def test_a_start_without_a_text():
    report = lint('start: "a" start', format="lark")
    assert [each.check for each in report.findings] == ["unproductive-rule"]
    assert "which the whole text must match" in report.findings[0].message
    assert report.failed()


def test_a_clean_grammar():
    report = lint('start: "a" start "b" | "c"', format="lark")
    assert report.findings == ()
    assert report.facts["ambiguity"] == "none: no text has two parses, the grammar being LALR(1)"
    assert not report.failed(strict=True)


@pytest.mark.parametrize(
    ("format", "source"),
    [
        ("gbnf", 'root ::= e\ne ::= e "+" e | [0-9]\nz ::= "x"'),
        ("ebnf", 'root ::= e\ne ::= e "+" e | [0-9]\nz ::= "x"'),
        ("ebnf", 'root = e ;\ne = e, "+", e | "0" ;\nz = "x" ;'),
        ("abnf", 'root = e\ne = e "+" e / DIGIT\nz = "x"\n'),
    ],
)
def test_formats_without_a_lexer(format, source):  # noqa: A002
    report = lint(source, format=format)
    checks = [(each.severity, each.check, each.subject, each.line) for each in report.findings]
    assert ("info", "ambiguity", "e", 2) in checks
    assert ("info", "left-recursion", "e", 2) in checks
    assert ("warning", "unreachable-rule", "z", 3) in checks
    (ambiguous,) = [each for each in report.findings if each.check == "ambiguity"]
    assert ambiguous.example == "0+0+0"
    assert len(set(ambiguous.derivations)) == 2


def test_characters_are_told_apart_only_where_the_grammar_does():
    report = lint('root ::= [a-z]+ "=" [0-9a-f]+ | [^x]', format="gbnf")
    assert report.facts["terminals"] < 20
    assert lint("root ::= [a-z]* [a-z]*", format="gbnf").facts["ambiguity"].startswith("found")
    assert lint("root ::= [a-y]* [z]*", format="gbnf").facts["ambiguity"].startswith("none")


def test_what_productions_cannot_say_is_named():
    report = lint('root ::= "a"{0,5000} "b"', format="gbnf")
    assert report.facts["ambiguity"] == "not looked for: counts above 16 are not written out"
    assert [each.check for each in report.findings] == ["not-analysed"]
    report = lint('root ::= ([a-z]* - "end") ";"', format="ebnf")
    assert "an intersection or a difference is taken for one terminal" in str(report.facts)


def test_terminals_that_only_a_program_knows_are_named():
    report = lint('start: A "b"\n%declare A', format="lark")
    assert [(each.check, each.subject) for each in report.findings] == [("not-analysed", "A")]


def test_assumptions():
    report = lint('start: NUM ".." NUM\nNUM: /[0-9]+(\\.[0-9]+)?/', format="lark", assumptions=True)
    held = report.facts["assumptions"]
    assert held["hempty"]
    assert held["parser_pruned"]
    assert not held["one_symbol_lookahead"]
    messages = [each.message for each in report.findings if each.check.startswith("assumption")]
    assert any("b'0..' can only be lexed by giving back" in message for message in messages)
    clean = lint('start: "x" NAME\nNAME: /[a-w]+/\n%ignore / +/', format="lark", assumptions=True)
    assert all(clean.facts["assumptions"].values())
    large = lint("start: " + "|".join(f'"{i}"' for i in range(99)), format="lark", assumptions=True)
    assert large.facts["assumptions"] == "not checked: the grammar has over 80 productions"


@pytest.mark.parametrize(
    ("source", "options", "reason"),
    [
        ("start: (", {}, "line 1|expected"),
        ("start: x", {}, "x"),
        ('a: "b"', {}, "no rule 'start'"),
        ("%import .nope.x", {}, "cannot find nope.lark"),
        ("start: A\nA: /(/", {}, "in terminal A: missing \\), unterminated subpattern"),
        ('start: A\nA: /(/ "x"', {}, "in terminal A"),
        ('start: "b"', {"start": 3}, "name of a rule"),
        ('start: "b"', {"g_regex_flags": "q"}, "letters among"),
        ('start: "b"', {"import_paths": "x"}, "a list of folders"),
        ('start: "b"', {"nonsense": 1}, "no option 'nonsense'"),
    ],
)
def test_errors_are_typed(source, options, reason):
    with pytest.raises(GrammarError, match=reason):
        lint(source, format="lark", options=options)


def test_formats_without_rules_are_refused():
    with pytest.raises(GrammarError, match="has no rules"):
        lint("[a-z]+", format="regex")
    with pytest.raises(GrammarError, match="as a string"):
        lint(["a"], format="lark")


@pytest.mark.parametrize(
    ("format", "source"),
    [
        ("gbnf", "root ::= " + "(" * 20_000 + '"a"' + ")" * 20_000),
        ("gbnf", 'root ::= "' + "a" * 100_000 + '"'),
        ("gbnf", "root ::= " + " | ".join(f'"{chr(0x4E00 + i)}"' for i in range(2_000))),
        (
            "gbnf",
            "root ::= r0\n"
            + "\n".join(f"r{i} ::= r{i + 1}" for i in range(3_000))
            + '\nr3000 ::= "a"',
        ),
        ("gbnf", "root ::= " + '("a"{16}' * 8 + "{16})" * 8),
        ("gbnf", 'root ::= a a a a a a a a a a a a\na ::= "x" | a a |'),
    ],
)
def test_hostile_grammars_end(format, source):  # noqa: A002
    try:
        report = lint(source, format=format, timeout_s=2)
    except FormgateError:
        return
    assert report.to_text()
    json.loads(report.to_json())


def test_many_notes_of_one_kind_are_cut_for_people():
    rules = "\n".join(f'r{i}: r{i} "x" | "{i}"' for i in range(9))
    report = lint("start: " + "|".join(f"r{i}" for i in range(9)) + "\n" + rules, format="lark")
    assert len(report.findings) == 9
    assert report.to_text().count("direct left recursion") == 5
    assert "info: 4 more of this kind; --json lists them [left-recursion]" in report.to_text()
    assert len(json.loads(report.to_json())["findings"]) == 9


@pytest.fixture
def run(capsys):
    def call(*arguments: str) -> tuple[int, str, str]:
        code = main(["lint", *arguments])
        out, err = capsys.readouterr()
        return code, out, err

    return call


def test_exit_codes(run, tmp_path):
    path = tmp_path / "grammar.lark"
    path.write_text('start: e\ne: e "+" e | "1"\n')
    assert run(str(path))[0] == 0
    assert run(str(path), "--strict")[0] == 1
    path.write_text('start: A "a"\nA: /a+/\n')
    code, out, _ = run(str(path))
    assert code == 1
    assert out.startswith("line 2, column 1: error: 'A'") or "error:" in out.splitlines()[0]
    assert '  example: "aa"' in out.splitlines()


def test_json(run, tmp_path):
    path = tmp_path / "grammar.gbnf"
    path.write_text('root ::= e\ne ::= e "+" e | "1"\n')
    code, out, _ = run(str(path), "--json")
    report = json.loads(out)
    assert code == 0
    assert report["format"] == "gbnf"
    assert report["counts"] == {"error": 0, "warning": 0, "info": 2}
    assert {each["check"] for each in report["findings"]} == {"ambiguity", "left-recursion"}
    assert set(report["findings"][0]) == {
        *("severity", "check", "subject", "message", "line", "column", "example"),
        *("derivations", "hint"),
    }


def test_imports_beside_the_file(run, tmp_path):
    (tmp_path / "part.lark").write_text('item: "i"\n')
    path = tmp_path / "grammar.lark"
    path.write_text("start: item\n%import .part.item\n")
    assert run(str(path), "--strict")[0] == 0


def test_options_and_standard_input(run, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO('top: "a"\n'))
    assert run("-", "--format", "lark", "--option", "start=top")[0] == 0


def test_endings_in_capitals_and_of_schemas(run, tmp_path):
    path = tmp_path / "g.LARK"
    path.write_text('start: "a"\n')
    assert run(str(path))[0] == 0
    for schema in ('{"type": "string"}', '{"properties": {"a": {}}}', '{"type": "integr"}'):
        for name in ("s.json", "s.JSON"):
            path = tmp_path / name
            path.write_text(schema)
            code, out, err = run(str(path))
            assert (code, out) == (2, "")
            assert "the format 'json_schema' has no rules that lint could check" in err


@pytest.mark.parametrize("name", ["/no/such/file.lark", "."])
def test_errors_are_short(run, name):
    code, out, err = run(name)
    assert (code, out) == (2, "")
    assert err.startswith("formgate: ")
    assert "Traceback" not in err


def test_lark_is_loaded_when_it_is_needed():
    code = (
        "import sys, formgate.plugins.cfg as c\n"
        "from formgate.core.registry import default_registry\n"
        "default_registry().tool('lint')\n"
        "assert 'lark' not in sys.modules\n"
        "c.lint('root ::= \"a\"', format='gbnf')\n"
        "assert 'lark' not in sys.modules and 'interegular' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    assert formgate is not None


def test_every_option_of_lark_is_taken():
    from formgate.plugins.cfg import _lark, _lint

    assert set(_lint._LARK_OPTIONS) == set(_lark._OPTIONS)
    options = {"lexing": "longest", "max_ignored": 4}
    assert lint('start: "a"\n%ignore " "', format="lark", options=options) is not None
