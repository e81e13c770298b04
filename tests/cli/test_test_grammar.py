"""``formgate test-grammar``: files, folders, exit codes."""

from __future__ import annotations

import json

import pytest

from formgate.core.cli import main

GRAMMAR = 'root ::= "[" ( item ( "," item )* )? "]"\nitem ::= root | [0-9]\n'


@pytest.fixture
def run(capsys, tmp_path, monkeypatch):
    """Run the command in a folder with a grammar and samples; return code, output and error."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lists.gbnf").write_text(GRAMMAR, encoding="utf-8")
    for folder, name, text in (("good", "1", "[1,[2]]\n"), ("bad", "2", "[1,]\n")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / name).write_text(text, encoding="utf-8")

    def call(*arguments: str) -> tuple[int, str, str]:
        code = main(["test-grammar", *arguments])
        return code, *capsys.readouterr()

    return call


def test_nothing_is_wrong(run):
    code, out, err = run("lists.gbnf", "--accept", "good", "--reject", "bad", "--count", "9")
    assert (code, err) == (0, "")
    assert out.splitlines()[0] == "grammar  gbnf"
    assert "  bad/2: it leaves the language at line 1, column 4; " in out
    assert out.splitlines()[-1] == "nothing is wrong"


def test_failures_as_json(run):
    code, out, _ = run(
        "lists.gbnf", "--accept", "bad", "--reject", "good", "--json", "--count", "0"
    )
    assert code == 1
    report = json.loads(out)
    assert not report["ok"]
    assert {(each["kind"], each["origin"]) for each in report["findings"]} == {
        ("false-negative", "bad/2"),
        ("accepted", "good/1"),
    }


def test_a_shipped_grammar_and_its_judge(run):
    code, out, _ = run("json", "--accept", "good", "--reject", "bad", "--exact", "--count", "9")
    assert code == 0
    assert "oracle   json" in out


def test_final_newlines_can_be_kept(run):
    assert run("lists.gbnf", "--accept", "good", "--count", "0")[0] == 0
    assert run("lists.gbnf", "--accept", "good", "--count", "0", "--keep-final-newline")[0] == 1


def test_a_judge_beside_the_user(run, tmp_path):
    (tmp_path / "my_judge.py").write_text("def short(text):\n    return len(text) < 3\n")
    code, out, _ = run("lists.gbnf", "--accept", "good", "--oracle", "my_judge:short")
    assert code == 1
    assert "texts of the grammar that the oracle rejects: " in out
    assert "it returned False" in out


def test_options_reach_the_format(run):
    code, out, _ = run("lists.gbnf", "--option", "root=item", "--accept", "good", "--count", "3")
    assert code == 0, out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("jso",), "no grammar 'jso' comes with formgate"),
        (("none.lark",), "none.lark cannot be read: No such file"),
        (("none.lark", "--format", "lark"), "none.lark cannot be read: No such file"),
        (("folder/json",), "folder/json cannot be read: No such file"),
        (("none", "--format", "gbnf"), "none cannot be read: No such file"),
        (("lists.gbnf", "--accept", "nowhere"), "--accept nowhere is no folder"),
        (("lists.gbnf", "--oracle", "x"), "unknown oracle 'x'"),
        (("lists.gbnf", "--exact"), "an exact test needs an oracle"),
        (("lists.gbnf", "--vocabulary", "none.json"), "no such file: none.json"),
        (("lists.gbnf", "--option", "x"), "--option 'x' is not NAME=VALUE"),
    ],
)
def test_errors(run, arguments, words):
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert words in err


def test_an_empty_folder_is_an_error(run, tmp_path):
    (tmp_path / "empty").mkdir()
    assert "holds no files" in run("lists.gbnf", "--accept", "empty")[2]


def test_a_link_to_nothing_is_an_error(run, tmp_path):
    folder = tmp_path / "links"
    folder.mkdir()
    (folder / "one").write_text("[]")
    (folder / "two").symlink_to(folder / "none")
    assert "two is a link to nothing" in run("lists.gbnf", "--accept", "links")[2]


@pytest.mark.slow
@pytest.mark.model
@pytest.mark.usefixtures("smol_path")
def test_the_embedded_model_writes(run):
    pytest.importorskip("transformers")
    code, out, _ = run("iso-date", "--model", "embedded", "--count", "3", "--json")
    assert code == 0, out
    assert json.loads(out)["counts"]["outputs of the model"] == 3


def test_a_format_without_rules_is_refused(run, tmp_path):
    path = tmp_path / "s.json"
    path.write_text('{"type": "integer"}', encoding="utf-8")
    code, _, err = run(str(path), "--count", "3")
    assert code == 2
    assert "'json_schema' has no rules that could be tested" in err


ENDLESS = '{"$ref": "#/$defs/a", "$defs": {"a": {"items": {"$ref": "#/$defs/a"}}}}'


def test_schemas_with_rules_are_refused(run, tmp_path):
    (tmp_path / "s.JSON").write_text(ENDLESS, encoding="utf-8")
    code, _, err = run("s.JSON", "--count", "3")
    assert code == 2
    assert "'json_schema' has no rules that could be tested" in err


def test_errors_in_schemas_name_the_file(run, tmp_path):
    (tmp_path / "s.json").write_text('{"type": "integr"}', encoding="utf-8")
    code, _, err = run("s.json")
    assert code == 2
    assert "s.json: #/type: this is no JSON Schema" in err


def test_grammars_with_rules_of_other_formats_are_refused(run, tmp_path):
    part = '{"type": "object", "properties": {"a": {"type": "integer"}}}'
    (tmp_path / "s.lark").write_text(f'start: "a" x*\nx: "b" %json {part}\n', encoding="utf-8")
    code, _, err = run("s.lark", "--option", "lexing=any", "--count", "3")
    assert code == 2
    assert "the grammar has parts in another format" in err
