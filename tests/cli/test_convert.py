"""``formgate convert``: what it prints, and its exit codes."""

from __future__ import annotations

import io
import sys

from formgate.core.cli import main


def test_a_grammar_is_printed(tmp_path, capsys):
    (tmp_path / "part.ne").write_text('x -> "é"', encoding="utf-8")
    path = tmp_path / "grammar.ne"
    path.write_text('@include "part.ne"\n@{% code %}\nmain -> x', encoding="utf-8")
    assert main(["convert", "--from", "nearley", str(path)]) == 0
    printed = capsys.readouterr()
    assert 'x ::= "é"' in printed.out
    assert printed.err == ("formgate: not carried over: line 2, column 1: code in JavaScript\n")
    assert main(["convert", "--from", "nearley", "--strict", str(path)]) == 2
    assert "line 2, column 1: code in JavaScript" in capsys.readouterr().err


def test_standard_input(monkeypatch, capsys):
    source = io.TextIOWrapper(io.BytesIO(b"grammar G; r : 'a'*? ;"))
    monkeypatch.setattr(sys, "stdin", source)
    assert main(["convert", "--from", "antlr4", "--strict", "-"]) == 0
    printed = capsys.readouterr()
    assert 'r: ("a")*' in printed.out
    assert printed.err.startswith("formgate: remark: line 1, column 19: not greedy")


def test_what_cannot_be_read(tmp_path, capsys):
    path = tmp_path / "grammar.g4"
    path.write_bytes(b"\xff")
    for arguments in (["--from", "antlr4", str(path)], ["--from", "antlr4", str(tmp_path / "no")]):
        assert main(["convert", *arguments]) == 2
    assert main(["convert", "--from", "bison", str(path)]) == 2
    errors = capsys.readouterr().err
    assert "is not UTF-8" in errors
    assert "cannot be read" in errors
    path.write_text("x")
    assert main(["convert", "--from", "bison", str(path)]) == 2
    assert "known are 'antlr4', 'nearley'" in capsys.readouterr().err
