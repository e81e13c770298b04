"""Runs of the command line with this project's own engine, and with ways to spoil its masks."""

import os
from pathlib import Path

import pytest

pytest.importorskip("tomllib", reason="the data files are TOML")
pytest.importorskip("tiktoken", reason="texts are tokenised with it")
if not hasattr(os, "sched_setaffinity"):
    pytest.skip("workers are pinned to a core", allow_module_level=True)

from benchmarks import cases, cli, report, results
from benchmarks.engines import ENGINES, EngineSpec
from benchmarks.progress import Progress
from benchmarks.vocabularies import VOCABULARIES, VocabularyData


def words():
    texts = [bytes([value]) for value in range(256)]
    texts += [b'": "', b'", "', b"tense", b"person", b"hello", b'"}, {"', b"]]]]]"]
    return VocabularyData("words", [*texts, None, None], [263], {"<end>": 263}, r"\w+|\W+")


@pytest.fixture
def schemas(monkeypatch, tmp_path):
    """Run engines over the schemas that are made by hand; returns the results."""
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent))
    monkeypatch.setitem(VOCABULARIES, "words", words)
    monkeypatch.setattr(cases, "SCHEMAS", tmp_path / "nowhere")
    for name in ("Generous", "Textless"):
        spec = EngineSpec(
            name.lower(),
            "test",
            f"sample_schema_engines:{name}",
            "a test engine",
            formats=("json_schema", "json_schema_any_order"),
        )
        monkeypatch.setitem(ENGINES, name.lower(), spec)

    def run(engines, *more):
        out = tmp_path / "out.json"
        arguments = ["run", "--kinds", "schema", "--engines", engines, "--vocabularies", "words"]
        assert cli.main([*arguments, "--out", str(out), *more]) == 0
        return results.load(out)

    return run


def test_a_wrong_mask_of_a_schema_is_a_failure(schemas):
    content = schemas("formgate,generous,textless,trivial", "--cases", "tutor,enum_600")
    lines = [line.split(" | ") for line in report.render(content).splitlines()]
    counts = {row[0].strip("| "): row[1:6] for row in lines if len(row) == 12}
    # Right, refused, wrong, contradicted, ended.
    assert counts["formgate"] == ["2", "0", "0", "0", "0"]
    assert counts["generous"] == ["0", "0", "0", "2", "0"]
    assert counts["textless"] == ["0", "0", "0", "2", "0"]
    assert counts["trivial"] == ["0", "0", "2", "0", "0"]
    text = report.render(content)
    assert "Left out, since masks allow what is no JSON: enum_600, tutor." in text
    assert "| masks allow what is no JSON in " in text


def test_the_core_is_one_that_may_be_used(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {5, 2, 3})
    options = cli._parser().parse_args(["run", "--out", "x.json"])
    assert options.core == 5
    assert cli._parser().parse_args(["run", "--out", "x.json", "--core", "2"]).core == 2


def test_the_seconds_of_an_engine_are_its_own(monkeypatch, capsys):
    clock = iter([0.0, 1.0, 11.0, 13.0, 100.0, 104.0])
    monkeypatch.setattr("time.monotonic", lambda: next(clock))
    shown = Progress("engine", 2)
    for _ in range(2):
        shown.pause()
        shown.pause()  # once more is no less
        shown.resume()
        shown.resume()
    shown.close("done")
    assert capsys.readouterr().err == "engine: done (7 s)\n"
