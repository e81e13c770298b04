"""`formgate generate` and `formgate demo`, over a tiny model in a folder."""

from __future__ import annotations

import io
import json
import re
import sys

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

from formgate.core.cli import _embedded_model, _progress, demo, main
from formgate.core.cli._demo_screen import Screen
from formgate.core.cli._timings import duration
from formgate.core.decoding import DecodeResult, Timings

PATTERN = r"[0-9]{4}-[01][0-9]"


@pytest.fixture(scope="module")
def folder(setup, tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / "tiny"
    setup.model.save_pretrained(path)
    setup.tokenizer.save_pretrained(path)
    return str(path)


@pytest.fixture
def run(capsys, folder):
    def call(*arguments, model=folder):
        options = [] if model is None else ["--model", model, "--device", "cpu"]
        code = main([*arguments, *options])
        out, err = capsys.readouterr()
        return code, out, err

    return call


def test_text_goes_to_standard_output_and_nothing_else_anywhere(run):
    code, out, err = run("generate", "--source", PATTERN, "--prompt", "the year")
    assert (code, err) == (0, "")
    assert re.fullmatch(PATTERN + "\n", out)


@pytest.mark.parametrize(
    "options",
    [
        ["--temperature", "0.7", "--seed", "1"],
        ["--seed", "1"],
        ["--top-k", "5", "--top-p", "0.9", "--seed", "2"],
        ["--skip-forced"],
        ["--no-chat"],
        ["--threads", "1"],
    ],
)
def test_options(run, options):
    arguments = ("generate", "--source", PATTERN, "--prompt", "the year", *options)
    first = run(*arguments)
    assert first[0] == 0
    assert re.fullmatch(PATTERN + "\n", first[1])
    assert first == run(*arguments)


def test_the_prompt_may_come_from_standard_input(run, monkeypatch):
    given = run("generate", "--source", PATTERN, "--prompt", "dates like")
    monkeypatch.setattr(sys, "stdin", io.StringIO("dates like"))
    assert run("generate", "--source", PATTERN) == given


def test_the_source_may_be_a_file_or_json(run, tmp_path):
    (tmp_path / "pattern").write_text(PATTERN)
    file = str(tmp_path / "pattern")
    code, out, _ = run("generate", "--format", "regex", "--source-file", file, "--prompt", "x")
    assert code == 0
    assert re.fullmatch(PATTERN + "\n", out)
    code, out, _ = run("generate", "--source-json", '["yes", "no"]', "--prompt", "x")
    assert code == 0
    assert out in {"yes\n", "no\n"}


def test_json(run):
    code, out, err = run("generate", "--source", PATTERN, "--prompt", "the year", "--json")
    assert (code, err) == (0, "")
    record = json.loads(out)
    assert re.fullmatch(PATTERN, record["text"])
    assert record["complete"]
    assert record["finish_reason"] == "terminal"
    assert record["model"] == "tiny"
    assert record["format"] == "regex"
    assert record["timings"]["mask"]["count"] == len(record["tokens"])


def test_timings_have_a_line_for_each_token(run):
    code, out, err = run("generate", "--source", PATTERN, "--prompt", "the year", "--timings")
    assert code == 0
    assert re.fullmatch(PATTERN + "\n", out)
    lines = err.splitlines()
    assert lines[0].split() == ["#", "token", "allowed", "forward", "mask", "sample", "advance"]
    numbers = [line.split()[0] for line in lines[1:-3]]
    assert numbers == [str(n) for n in range(1, len(numbers) + 1)]
    assert lines[-3].split()[0] == "mean"
    assert lines[-2].split()[0] == "max"
    assert "of the model's time" in lines[-1]


def test_text_that_was_cut_off(run):
    code, out, err = run(
        "generate", "--source", PATTERN, "--prompt", "the year", "--max-tokens", "2"
    )
    assert code == 1
    assert re.match(r"[0-9]", out)
    assert err == "formgate: cut off after --max-tokens=2; the text is not complete\n"


def test_without_masks_the_text_is_judged(run):
    arguments = ("generate", "--prompt", "the year", "--unmasked", "--max-tokens", "9")
    code, out, err = run(*arguments, "--source", PATTERN)
    assert code == 1
    assert out.strip()
    assert re.fullmatch(
        r"formgate: the unmasked text (leaves .* after \d+ of its characters|ends before .*)\n", err
    )

    # The same text, as a constraint, is satisfied by itself.
    text = json.loads(run(*arguments, "--source", PATTERN, "--json")[1])["text"]
    if "\N{REPLACEMENT CHARACTER}" not in text:
        assert run(*arguments, "--source-json", json.dumps([text]))[::2] == (0, "")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--source", "a(b"],
            "missing \\), unterminated subpattern\n  line 1, column 2: a\\(b\n +\\^",
        ),
        (["--source", "(?!a)a"], "the language is empty"),
        (["--source", "(a)\\1"], ".*\\n  line 1, column 4: \\(a\\)\\\\1\\n +\\^\\^"),
        (["--source", "a", "--format", "nope"], "unknown format 'nope'"),
        (["--source", "a", "--model", "/nowhere"], "no such model: /nowhere"),
        (["--source", "a", "--model", "/"], "/ is not a model folder"),
        (["--source", "a", "--model", __file__], ".*neither a model folder nor a GGUF file"),
        (["--source", "a", "--max-tokens", "0"], "--max-tokens must be positive"),
        (["--source", "a", "--top-p", "2"], "top_p must be in"),
        (["--source", "a", "--chat"], "the model tiny has no chat template"),
        (["--source", "a", "--threads", "0"], "threads must be positive"),
        (["--source", "a", "--device", "nowhere"], "cannot use the device 'nowhere'"),
    ],
)
def test_errors_are_short(folder, capsys, arguments, message):
    if "--model" not in arguments:
        arguments = [*arguments, "--model", folder]
    assert main(["generate", "--prompt", "x", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert re.match("formgate: " + message, err)
    assert len(err.splitlines()) <= 4
    assert "Traceback" not in err


def test_an_empty_prompt(run):
    code, out, err = run("generate", "--source", "a", "--prompt", "")
    assert (code, out) == (2, "")
    assert "the prompt has no tokens" in err


def test_a_prompt_that_is_no_text(run, monkeypatch):
    code, out, err = run("generate", "--source", "a", "--prompt", "\udcff")
    assert (code, out, err) == (2, "", "formgate: the prompt is not UTF-8\n")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\xff"), encoding="utf-8"))
    assert run("generate", "--source", "a") == (2, "", "formgate: the prompt is not UTF-8\n")


def test_text_that_the_terminal_cannot_show(run, monkeypatch):
    narrow = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", narrow)
    code, _, _ = run("generate", "--source", "été", "--prompt", "x")
    assert code == 0
    assert narrow.buffer.getvalue() == rb"\xe9t\xe9" + b"\n"
    code, _, _ = run("demo")
    assert code == 0
    assert b"+ valid" in narrow.buffer.getvalue()


def test_other_back_ends(run, monkeypatch):
    code, _, err = run("generate", "--source", "a", "--prompt", "b", "--backend", "no_such")
    assert (code, "no_such" in err) == (2, True)
    import formgate.adapters.transformers as module

    monkeypatch.delattr(module, "load_language_model")
    code, _, err = run("generate", "--source", "a", "--prompt", "b")
    assert (code, "loads no models for the command line" in err) == (2, True)


def test_the_embedded_model_is_missing(run, monkeypatch):
    monkeypatch.setattr(_embedded_model, "find_spec", lambda _name: None)
    for arguments in (["generate", "--source", "a", "--prompt", "x"], ["demo"]):
        code, out, err = run(*arguments, model=None)
        assert (code, out) == (2, "")
        assert err.startswith("formgate: the embedded model is not installed. Run: pip install")
        assert len(err.splitlines()) == 1


def test_demo(run):
    code, out, err = run("demo")
    assert code == 0
    assert out.count("✓ valid") >= len(demo.CASES)
    assert f"{len(demo.CASES)} of {len(demo.CASES)} masked answers are valid." in out
    assert "\x1b" not in out + err  # neither is a terminal here
    assert err.splitlines()[:2] == ["loading transformers ...", "loading the tokenizer ..."]
    assert f"prompt 1 of {len(demo.CASES)}, without constraint ..." in err
    for heading in ("per token", "mean", "max", "overhead"):
        assert out.count(heading) >= len(demo.CASES)


def test_demo_fails_when_an_answer_is_not_valid(run, monkeypatch):
    first = demo.CASES[0]
    wrong = demo.Case(
        first.title, first.format, first.source, first.prompt, "nobody", lambda _text: False
    )
    monkeypatch.setattr(demo, "CASES", (wrong, *demo.CASES[1:]))
    code, out, _ = run("demo")
    assert code == 1
    assert "2 of 3 masked answers are valid." in out


@pytest.mark.parametrize("case", demo.CASES)
def test_demo_judges_are_strict(case):
    assert not case.is_valid("")
    assert not case.is_valid("something else")
    good = {"regex": ["1969-07-20", "name: Ada\nage: 36\ntown: Rome"], "choice": ["neutral"]}
    assert any(map(case.is_valid, good[case.format]))
    assert not any(case.is_valid(text + "\n") for text in good[case.format])


@pytest.mark.parametrize("columns", [20, 60, 80, 120, 300])
def test_the_demo_fits_the_terminal(monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    out = io.StringIO()
    screen = Screen(out)
    texts = ["word " * 200, "x" * 500, "日本語" * 60, "a\tb\nc\n\n\nd\x1b[2J", ""]
    screen.heading("model")
    for number, text in enumerate(texts):
        results = [
            DecodeResult(
                text, text.encode(), (1, 2), reason, complete=True, forced=0, timings=Timings()
            )
            for reason in ("length", "stop")
        ]
        case = ("title", "regex", "[a-z]\n" * 60, "prompt " * 60)
        screen.case(number, case, (results[0], False), (results[1], True), judge="judge")
    screen.summary([], 0)
    lines = out.getvalue().splitlines()
    assert "\x1b" not in out.getvalue()
    limit = 120 if columns > 120 else max(columns, 70)
    assert max(map(len, lines)) <= limit


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_colour_only_where_it_is_wanted(monkeypatch):
    for variable, coloured in ((None, True), ("1", False)):
        if variable:
            monkeypatch.setenv("NO_COLOR", variable)
        else:
            monkeypatch.delenv("NO_COLOR", raising=False)
        out = Terminal()
        Screen(out).heading("model")
        assert ("\x1b[1m" in out.getvalue()) == coloured


def test_progress_on_a_terminal_leaves_nothing_behind(monkeypatch):
    import time

    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with _progress.Progress(plain=True) as progress:
        progress("working")
        progress.detail("3 of 4")
        time.sleep(0.35)
    shown = terminal.getvalue()
    assert "working 0.1 s 3 of 4" in shown
    assert shown.endswith("\r\x1b[K")
    assert "\n" not in shown


@pytest.mark.parametrize("plain", [True, False])
def test_progress_elsewhere_is_a_line_for_each_stage_or_nothing(capsys, plain):
    with _progress.Progress(plain=plain) as progress:
        progress("first")
        progress("second")
    assert capsys.readouterr().err == ("first ...\nsecond ...\n" if plain else "")


@pytest.mark.parametrize(
    ("time_ns", "text"),
    [
        (0, "0 ns"),
        (999, "999 ns"),
        (1000, "1.00 µs"),
        (12_345, "12.3 µs"),
        (999_960, "1.00 ms"),
        (52_400_000, "52.4 ms"),
        (1_500_000_000, "1.50 s"),
    ],
)
def test_durations(time_ns, text):
    assert duration(time_ns) == text
