"""A run that is ended early keeps what is finished, and says so."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("tomllib", reason="the data files are TOML")
pytest.importorskip("tiktoken", reason="texts are tokenised with it")
if not hasattr(os, "sched_setaffinity"):
    pytest.skip("workers are pinned to a core", allow_module_level=True)

import tiny_suite

from benchmarks import cli, report, results, runner

FOLDER = Path(__file__).parent
PATIENCE_S = 120


def started(tmp_path, *more):
    """Start a run in a group of its own, and wait until its second engine is at the last case."""
    waiting = tmp_path / "waiting"
    path = os.pathsep.join([str(FOLDER), str(cli.ROOT)])
    command = [sys.executable, str(FOLDER / "sample_run.py"), "run", "--engines", "exact,waiting"]
    program = subprocess.Popen(
        [*command, "--vocabularies", "tiny", "--out", str(tmp_path / "out.json"), *more],
        env={**os.environ, "PYTHONPATH": path, "WAITING": str(waiting), "SUITE": str(tmp_path)},
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    end = time.monotonic() + PATIENCE_S
    while not waiting.exists() and program.poll() is None and time.monotonic() < end:
        time.sleep(0.05)
    assert waiting.exists(), program.communicate()[1]
    return program


@pytest.mark.parametrize(
    ("send", "number"),
    [
        (os.killpg, signal.SIGINT),  # as a terminal does it: to the engines, too
        (os.kill, signal.SIGINT),
        (os.kill, signal.SIGTERM),
    ],
)
def test_a_signal_keeps_the_cases_that_are_done(tmp_path, monkeypatch, capsys, send, number):
    program = started(tmp_path)
    send(program.pid, number)
    errors = program.communicate(timeout=PATIENCE_S)[1]
    assert program.returncode == 128 + number
    assert "what is finished is in" in errors
    content = results.load(tmp_path / "out.json")
    assert content["interrupted"]
    assert not content["complete"]
    exact, waiting = content["sessions"]
    statuses = {name: record["status"] for name, record in exact["cases"].items()}
    assert statuses == {"words": "ok", "awkward": "ok", "group": "refused", "last": "ok"}
    assert {"exact": set(exact["cases"]) - {"last"}} == {"exact": set(waiting["cases"])}
    assert waiting["interrupted"] == {"cases": 3, "of": 4, "repeats": 0}
    tiny_suite.install(tmp_path, monkeypatch.setitem)
    text = report.render(content)
    assert report.INTERRUPTED in text
    line = "tiny regex shared waiting: 3 of 4 cases measured, 0 of 1 repeats to the end."
    assert line in text
    assert "tiny regex shared exact:" not in text  # it has all of them
    path = str(tmp_path / "out.json")
    capsys.readouterr()
    assert cli.main(["compare", path, path]) == 0
    assert "Note: the second is incomplete: it was interrupted." in capsys.readouterr().out


def test_an_error_keeps_the_cases_that_are_done(bench, monkeypatch, tmp_path, capsys):
    """In the second of two repeats: what the first has is kept with it."""
    count = iter(range(100))
    step = runner.Progress.step

    def failing(progress):
        step(progress)
        if next(count) == 10:
            raise OSError("no space left")

    monkeypatch.setattr(runner.Progress, "step", failing)
    with pytest.raises(AssertionError):
        bench("exact,tight", "--repeat", "2")
    assert "no space left" in capsys.readouterr().err
    content = results.load(tmp_path / "out.json")
    assert content["interrupted"]
    assert [s["interrupted"] for s in content["sessions"]] == [
        {"cases": 4, "of": 4, "repeats": 1}
    ] * 2
    found = tiny_suite.statuses(content, "exact")
    assert found == {"words": "ok", "awkward": "ok", "group": "refused", "last": "ok"}


def test_before_anything_is_finished_a_file_of_before_stays(tmp_path):
    (tmp_path / "out.json").write_text("as it was", encoding="utf-8")
    program = started(tmp_path, "--cases", "last", "--engines", "waiting")
    os.kill(program.pid, signal.SIGINT)
    assert "nothing is finished" in program.communicate(timeout=PATIENCE_S)[1]
    assert (tmp_path / "out.json").read_text(encoding="utf-8") == "as it was"
