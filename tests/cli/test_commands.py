"""The command line: what it prints, where, and with which exit code."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from formgate.core.cli import COMMANDS, build_parser, main


@pytest.fixture
def run(capsys):
    """Run the command line; return its exit code, standard output and standard error."""

    def call(*arguments: str) -> tuple[int, str, str]:
        code = main(arguments)
        out, err = capsys.readouterr()
        return code, out, err

    return call


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(command, capsys):
    with pytest.raises(SystemExit) as stop:
        build_parser().parse_args([command, "--help"])
    assert stop.value.code == 0
    assert "usage: formgate" in capsys.readouterr().out


def test_no_command_is_an_error(capsys):
    with pytest.raises(SystemExit) as stop:
        main([])
    assert stop.value.code == 2
    assert "COMMAND" in capsys.readouterr().err


def test_version(run):
    code, out, _ = run("version")
    assert code == 0
    assert out.startswith("formgate ")
    assert "plugin interface 1.0" in out


def test_formats(run):
    code, out, _ = run("formats")
    assert code == 0
    assert out.splitlines()[0].split() == ["FORMAT", "ALIASES", "FROM", "DESCRIPTION"]
    names = {entry["name"] for entry in json.loads(run("formats", "--json")[1])}
    assert {"regex", "choice"} <= names


def test_plugins(run):
    code, out, _ = run("plugins", "--json")
    assert code == 0
    found = {plugin["name"]: plugin for plugin in json.loads(out)}
    assert found["regex"]["formats"] == ["regex"]
    assert found["regex"]["builtin"]
    assert found["regex"]["distribution"] == "formgate"
    assert found["regex"]["error"] is None
    assert run("plugins")[1].splitlines()[0].split() == ["PLUGIN", "FROM", "OFFERS", "STATE"]


def test_backends(run):
    code, out, _ = run("backends", "--json")
    assert code == 0
    (transformers,) = [each for each in json.loads(out) if each["name"] == "transformers"]
    assert transformers["install"] == "formgate[transformers]"
    assert transformers["usable"] == (not transformers["problems"])
    assert transformers["tested"] == "run"
    header, *lines = run("backends")[1].splitlines()
    assert header.split() == ["BACKEND", "STATE", "TESTED", "DESCRIPTION"]
    for entry in json.loads(out):
        (line,) = [line for line in lines if line.split()[0] == entry["name"]]
        assert entry["tested"] in ("run", "contract")
        assert {"run": " run ", "contract": " by contract "}[entry["tested"]] in line
        assert entry["usable"] or f"pip install '{entry['install']}'" in line


def test_check_says_yes(run):
    assert run("check", "--format", "regex", "--source", "a+b", "--text", "aab")[:2] == (0, "yes\n")
    assert run("check", "--source-json", '["é", "b"]', "--text", "é")[:2] == (0, "yes\n")
    long = "0.1000000000000000055511151231257827"
    for number, text, said in [(long, long, "yes"), (long, "0.1", "no"), ("0.1", "0.1", "yes")]:
        source = '{"enum": [' + number + ", 1e400]}"
        assert run("check", "--source-json", source, "--text", text)[1].startswith(said)


def test_check_says_where_not(run):
    code, out, _ = run("check", "--source", "a+bé", "--text", "aabx")
    assert code == 1
    assert out.startswith("no: the text leaves the language after 3 characters ('aab')\n")
    code, out, _ = run("check", "--source", "a+bé", "--text", "aa")
    assert code == 1
    assert out.startswith("no: the text ends too early after 2 characters ('aa')\n")


def test_check_reads_files_and_standard_input(tmp_path):
    source = tmp_path / "pattern"
    source.write_text("[α-ω]+", encoding="utf-8")
    command = [sys.executable, "-m", "formgate", "check", "--source-file", str(source)]
    done = subprocess.run(command, input="αβγ".encode(), capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (0, b"yes\n")


@pytest.mark.parametrize("locale", ["C", "C.UTF-8"])
@pytest.mark.parametrize("command", [["lint", "-"], ["convert", "--from", "antlr4", "-"]])
def test_standard_input_that_is_not_utf8(locale, command):
    done = subprocess.run(
        [sys.executable, "-m", "formgate", *command],
        input=b"\xff\xfe",
        env={**os.environ, "LC_ALL": locale},
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.startswith(b"formgate: standard input is not UTF-8")


@pytest.mark.parametrize("locale", ["C", "C.UTF-8"])
def test_a_grammar_on_standard_input_is_utf8_in_any_locale(locale):
    done = subprocess.run(
        [sys.executable, "-m", "formgate", "lint", "-", "--format", "gbnf"],
        input='root ::= "é"\r\n'.encode(),
        env={**os.environ, "LC_ALL": locale, "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"},
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_source_may_be_a_path_or_the_text(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "words.lark").write_text('WORD: "é"\n', encoding="utf-8")
    grammar = 'start: WORD "!"\n%import .words.WORD\n'
    (tmp_path / "grammar.lark").write_text(grammar, encoding="utf-8")
    (tmp_path / "ab").write_text("[cd]+", encoding="utf-8")
    # The ending is the format, and imports are found beside the file.
    for path in ("grammar.lark", "./grammar.lark", str(tmp_path / "grammar.lark")):
        assert run("check", "--source", path, "--text", "é!") == (0, "yes\n", "")
    assert run("check", "--source-file", "grammar.lark", "--text", "é!") == (0, "yes\n", "")
    assert run("check", "--source", "./ab", "--text", "cd") == (0, "yes\n", "")
    # A schema's ending is json, which a note says, since other things are written in JSON.
    (tmp_path / "schema.json").write_text('{"type": "integer"}', encoding="utf-8")
    for argument in ("--source", "--source-file"):
        code, out, err = run("check", argument, "schema.json", "--text", "12")
        assert (code, out) == (0, "yes\n")
        assert err == (
            "formgate: note: schema.json is read as json_schema by its ending; --format says "
            "otherwise\n"
        )
    command = ("check", "--format", "choice", "--source-file", "schema.json", "--text", "12")
    assert "is read as" not in run(*command)[2]
    # What is both is the file, and a note says so.
    code, out, err = run("check", "--source", "ab", "--text", "cd")
    assert (code, out) == (0, "yes\n")
    assert err == (
        "formgate: note: --source 'ab' is the name of a file, which is read; --source-text takes "
        "it as the source itself\n"
    )
    assert run("check", "--source-text", "ab", "--text", "ab") == (0, "yes\n", "")
    assert run("check", "--source-text", "ab", "--text", "cd")[0] == 1
    # What is no file is the source, and a note says so where it looks like one.
    assert run("check", "--source", "ac", "--text", "ac") == (0, "yes\n", "")
    assert run("check", "--source", ".", "--text", "x") == (0, "yes\n", "")
    assert run("check", "--source", "x" * 9999, "--text", "x" * 9999) == (0, "yes\n", "")
    code, _, err = run("check", "--source", "missing.lark", "--text", "missing.lark")
    assert code == 0
    assert "there is no file 'missing.lark'; --source takes it as the source itself" in err


def test_a_source_may_come_through_a_pipe():
    command = (
        f"{sys.executable} -m formgate check --format lark --text a --source <(echo 'start: \"a\"')"
    )
    done = subprocess.run(["bash", "-c", command], capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"yes\n", b"")


@pytest.mark.parametrize("command", ["check", "debug", "generate"])
def test_every_command_with_a_source_reads_files(run, tmp_path, command):
    path = tmp_path / "wrong.gbnf"
    path.write_text("root ::= x\n")
    code, _, err = run(command, "--source", str(path))
    assert code == 2
    assert "rule 'x' is used but not defined" in err
    path.write_bytes(b"\xff")
    code, _, err = run(command, "--source", str(path))
    assert code == 2
    assert "is not UTF-8" in err


def test_debug_shows_stages(run):
    code, out, _ = run("debug", "--source", "[a-f]{2,4}")
    assert code == 0
    for stage in ("vocabulary", "grammar", "engine", "first mask", "same mask again"):
        assert stage in out
    assert "tokens allowed at the start  6" in out


def test_debug_says_so_where_a_search_takes_too_long(run):
    items = '{"type":"string","minLength":3}'
    schema = f'{{"type":"array","minItems":6,"uniqueItems":true,"items":{items}}}'
    options = ("--format", "json_schema")
    code, out, _ = run("debug", "--source-json", schema, *options)
    assert code == 0
    assert "fewest tokens to the end     unknown (min_tokens" in out


def test_a_bad_pattern_is_shown_with_a_caret(run):
    code, out, err = run("check", "--source", "ab(cd", "--text", "")
    assert code == 2
    assert out == ""
    lines = err.splitlines()
    assert lines[0].startswith("formgate: ")
    assert lines[1] == "  line 1, column 3: ab(cd"
    assert lines[2] == "                      ^"
    assert "Traceback" not in err


@pytest.mark.parametrize("where", ["before", "after"])
def test_traceback_shows_where(run, where):
    arguments = ["check", "--format", "nonsense", "--source", "a", "--text", "a"]
    arguments.insert(0 if where == "before" else len(arguments), "--traceback")
    code, _, err = run(*arguments)
    assert code == 2
    assert "Traceback" in err
    assert "unknown format 'nonsense'" in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["check", "--format", "regxe", "--source", "a"], "unknown format 'regxe'"),
        (["check", "--source-json", "{", "--text", "a"], "--source-json is not JSON"),
        (
            ["check", "--source-json", '{"const":1,"const":2}', "--text", "2"],
            "'const' stands twice",
        ),
        (["check", "--source-file", "/no/such/file", "--text", "a"], "No such file"),
        (["check", "--source", "a", "--option", "nonsense", "--text", "a"], "is not NAME=VALUE"),
        (["check", "--source", "a", "--option", "x=1", "--text", "a"], "x"),
        (["generate", "--source", "a", "--prompt", "x", "--seed", "-1"], "seed must be zero"),
        (["generate", "--source", "a(?!a)a", "--prompt", "x"], "^^^^^^^"),
        (["debug", "--source", "a", "--vocabulary", "/no/such/file"], "no such file"),
        (["check", "--source", "[^\\s\\S]", "--text", "a"], "formgate: "),
    ],
)
def test_errors_are_short(run, arguments, message):
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert err.startswith("formgate: ")
    assert message in err
    assert "Traceback" not in err


def test_an_error_in_formgate_itself_keeps_its_traceback(monkeypatch):
    from formgate.core.cli import version

    def fail(args):
        raise ZeroDivisionError

    monkeypatch.setattr(version, "run", fail)
    with pytest.raises(ZeroDivisionError):
        main(["version"])


def test_interrupting_exits_with_130(run, monkeypatch):
    from formgate.core.cli import version

    def interrupt(args):
        raise KeyboardInterrupt

    monkeypatch.setattr(version, "run", interrupt)
    assert run("version") == (130, "", "formgate: interrupted\n")


def test_a_reader_that_leaves_is_no_error_message():
    code = "import sys; sys.stdin.close()"
    command = f"{sys.executable} -m formgate plugins --json | {sys.executable} -c '{code}'"
    done = subprocess.run(["bash", "-c", command], capture_output=True, check=False)
    assert done.stderr == b""


@pytest.mark.parametrize(
    ("redirection", "message"),
    [(">&-", b"standard output is closed"), ("<&-", b"standard input is closed")],
)
def test_a_closed_stream_is_one_line(redirection, message):
    command = f"{sys.executable} -m formgate generate --source '[a-z]' {redirection}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, check=False)
    assert done.returncode == 2
    assert message in done.stderr
    assert b"Traceback" not in done.stderr


def test_broken_plugins_are_warned_of_in_one_line(tmp_path):
    info = tmp_path / "broken_plugin-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: broken-plugin\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[formgate]\nbroken = no_such_module_at_all\n")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    command = [sys.executable, "-m", "formgate"]
    done = subprocess.run(
        [*command, "formats"], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0
    (line,) = done.stderr.splitlines()
    assert line.startswith("formgate: PluginWarning: plugin 'broken' (broken-plugin 1.0)")
    listing = subprocess.run(
        [*command, "plugins"], env=environment, capture_output=True, text=True, check=False
    )
    assert listing.stderr == ""
    assert "broken: ModuleNotFoundError" in listing.stdout
