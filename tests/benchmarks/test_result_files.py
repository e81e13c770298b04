"""Results files: what is none is named, whatever is wrong with it."""

import contextlib
import copy
import io
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("tomllib", reason="the plan is TOML")

from benchmarks import cli, pages, plan, results
from benchmarks.checked import ShapeError, check

NAMES = {
    "batch": ["rows", "batch"],
    "startup": ["starting"],
    "memory": ["resident"],
    "crossformat": ["decoding", "prediction"],
    "regex-tekken": [
        "about", "coverage", "first", "all-outputs", "again", "ratios", "slowest", "cases",
        "failures", "headline",
    ],
    "scaling-tekken": ["costs", "growth"],
    "device-steps": ["device-steps"],
    "device": ["device-kernels", "device-decoding"],
}  # fmt: skip


def cut(record):
    """Leave the first steps of a record of a replay."""
    runs = [
        {
            key: value[: 4 if "advance" in key else 5] if isinstance(value, list) else value
            for key, value in run.items()
        }
        for run in record.get("runs", ())[:3]
    ]
    return {**record, "runs": runs} if runs else record


def small(content):
    """Keep little of a stored file, with everything in it that there is of each kind."""
    sessions = []
    for session in content["sessions"][:4]:
        short = dict(session)
        for key in ("batches", "points", "imports", "setups", "kernels", "steps", "decoding"):
            if key in short:
                short[key] = short[key][:2]
        if "cases" in short:
            names = list(content["cases"])[:3]
            if short["workload"] == "decoding":
                names = list(short["cases"])
            short["cases"] = {n: cut(short["cases"][n]) for n in names if n in short["cases"]}
        sessions.append(short)
    return {**content, "sessions": sessions}


STORED = {
    name: small(results.load(path))
    for name in NAMES
    if (path := cli.RESULTS / f"{name}.json.gz").exists()
}
pytestmark = pytest.mark.skipif(not STORED, reason="no results are stored here")
GARBAGE = st.sampled_from(
    [
        None, True, 0, -1, 1.5, "x", "", [], {}, [1], ["x"], {"x": 1}, [[]],
        float("nan"), float("inf"), 10**400, [10**400, 1], [float("nan"), 1],
    ]
)  # fmt: skip


def places(value, path=()):
    """Yield the path to everything within a value; of lists, to the first two parts."""
    if path:
        yield path
    if isinstance(value, dict):
        parts = list(value.items())
    else:
        parts = list(enumerate(value[:2])) if isinstance(value, list) else []
    for key, part in parts:
        yield from places(part, (*path, key))


PLACES = {name: list(places(content)) for name, content in STORED.items()}


def spoilt(content, path, garbage, *, gone):
    content = json.loads(json.dumps(content))
    at = content
    for key in path[:-1]:
        at = at[key]
    if gone:
        del at[path[-1]]
    else:
        at[path[-1]] = copy.deepcopy(garbage)
    return content


def told(arguments):
    """Run a command; return its exit status and what it says of errors."""
    errors = io.StringIO()
    with contextlib.redirect_stderr(errors), contextlib.redirect_stdout(io.StringIO()):
        status = cli.main(arguments)
    return status, errors.getvalue()


@settings(max_examples=300, deadline=None)
@given(data=st.data())
def test_garbage_gives_one_line_that_names_the_file_or_a_result(data, tmp_path_factory):
    name = data.draw(st.sampled_from(sorted(STORED)))
    path = data.draw(st.sampled_from(PLACES[name]))
    gone = data.draw(st.booleans())
    content = spoilt(STORED[name], path, data.draw(GARBAGE), gone=gone)
    folder = tmp_path_factory.mktemp("garbage")
    file = folder / f"{name}.json.gz"
    results.save(content, file)
    (folder / "page.md").write_text(
        "".join(f"<!-- begin {name} {part} -->\n<!-- end -->\n" for part in NAMES[name]
                if part in pages.PARTS), encoding="utf-8",
    )  # fmt: skip
    results.save(STORED[name], folder / "good.json")
    publish = ["publish", "--check", "--results", str(folder), "--pages", str(folder)]
    good = str(folder / "good.json")
    for arguments in (["report", str(file)], ["compare", good, str(file)],
                      ["compare", str(file), good], publish):  # fmt: skip
        status, errors = told(arguments)
        assert status in {0, 1, 2}
        if status == 2:
            assert errors.startswith("benchmarks: ")
            assert errors.count("\n") == 1
            assert str(file) in errors or "nothing to compare" in errors


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ({"format": 2}, "date is missing"),
        ({"sessions": [{}]}, "sessions[0].workload is missing"),
        ({"sessions": {}}, "sessions is {}, not a list"),
        ({"machine": 3}, "machine is 3, not an object"),
        ({"complete": "yes"}, "complete is 'yes', not true or false"),
        ({"options": {"timeout_s": True}}, "options.timeout_s is True, not a number"),
        ({"sessions": [{"workload": "sleep"}]}, "sessions[0].workload is 'sleep', not one of"),
    ],
)
def test_what_is_wrong_is_said(content, words, tmp_path, capsys):
    whole = results.new_results({}, {})
    path = tmp_path / "bad.json"
    path.write_text(json.dumps(content if "format" in content else whole | content), "utf-8")
    for command in (["report", str(path)], ["compare", str(path), str(path)]):
        assert cli.main(command) == 2
        errors = capsys.readouterr().err
        assert errors.startswith(f"benchmarks: {path} is no results file: {words}")


@pytest.mark.parametrize("command", ["report", "compare"])
@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("cases", "FIRST", "compile_ns"), -5),
        (("cases", "FIRST", "runs", 0, "mask_ns", 1), -1),
        (("cases", "FIRST", "runs", 0, "mask_ns", 0), 10**400),
        (("cases", "FIRST", "runs", 0, "warm_advance_ns", 0), float("inf")),
        (("cases", "FIRST", "runs", 0, "mask_ns", 0), float("nan")),
        (("setup", "setup_ms"), float("nan")),
        (("rss_peak_mib",), float("-inf")),
    ],
)
def test_no_figure_is_below_zero_or_endless(path, value, command, tmp_path, capsys):
    name = next(iter(STORED["regex-tekken"]["cases"]))
    path = tuple(name if part == "FIRST" else part for part in path)
    content = spoilt(STORED["regex-tekken"], ("sessions", 1, *path), value, gone=False)
    file = tmp_path / "bad.json"
    results.save(content, file)
    assert cli.main([command, *[str(file)] * (1 + (command == "compare"))]) == 2
    place = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    shown = repr(value) if len(repr(value)) <= 40 else f"{str(value)[:40]}..."
    assert capsys.readouterr().err == (
        f"benchmarks: {file} is no results file: sessions[1]{place} is {shown}, "
        "not a number from 0 to 1e+18\n"
    )


def test_a_session_is_there_once_and_there_is_one(tmp_path, capsys):
    content = copy.deepcopy(STORED["regex-tekken"])
    content["sessions"].append(content["sessions"][1])
    twice = len(content["sessions"]) - 1
    words = f"sessions[{twice}] is tekken replay regex shared formgate, as is sessions[1]"
    for sessions, error in ((content["sessions"], words), ([], "sessions is [], not a list that")):
        file = tmp_path / "bad.json"
        results.save({**content, "sessions": sessions}, file)
        for command in (["report", str(file)], ["compare", str(file), str(file)]):
            assert cli.main(command) == 2
            told_of = capsys.readouterr().err
            assert told_of.startswith(f"benchmarks: {file} is no results file: {error}")


def test_cases_and_engines_are_those_that_there_are(tmp_path, capsys):
    content = copy.deepcopy(STORED["regex-tekken"])
    session = content["sessions"][1]
    session["cases"]["nothing"] = next(iter(session["cases"].values()))
    with pytest.raises(ShapeError, match=r"sessions\[1\].cases is 'nothing', not one of the cases"):
        check(content)
    content = copy.deepcopy(STORED["regex-tekken"])
    content["sessions"][1]["engine"] = "nobody"
    path = tmp_path / "old.json"
    results.save(content, path)
    assert cli.main(["report", str(path)]) == 2
    assert f"{path}: no engine is called 'nobody'" in capsys.readouterr().err
    assert cli.main(["compare", str(path), str(path)]) == 0  # needs to know nothing of it


def test_what_a_run_writes_is_taken(bench):
    check(bench("exact,loose,crashing", "--repeat", "2"))


def test_files_of_the_plan_are_taken():
    for entry in plan.load():
        if entry.path(cli.RESULTS).exists():
            results.load_known(Path(entry.path(cli.RESULTS)))


@pytest.mark.parametrize(
    ("name", "path", "garbage", "words"),
    [
        ("device", ("decoding", 0, "plain_ns"), [0], "a list of numbers above 0"),
        ("device", ("decoding", 0, "rows"), 1.5, "a whole number"),
        ("device-steps", ("steps", 0, "plain_ns"), [1], "turns of"),
    ],
)
def test_what_is_wrong_on_a_device_is_said(name, path, garbage, words):
    if name not in STORED:
        pytest.skip(f"no results of {name} are stored here")
    content = STORED[name]
    session = next(n for n, each in enumerate(content["sessions"]) if each[path[0]])
    with pytest.raises(ShapeError, match=words):
        check(spoilt(content, ("sessions", session, *path), garbage, gone=False))


def test_what_is_published_holds_ours(tmp_path):
    content = json.loads(json.dumps(STORED["regex-tekken"]))
    content["sessions"] = [s for s in content["sessions"] if s["engine"] != "formgate"]
    results.save(content, tmp_path / "regex-tekken.json.gz")
    page = "<!-- begin regex-tekken ratios -->\n<!-- end -->\n"
    (tmp_path / "page.md").write_text(page, encoding="utf-8")
    status, errors = told(
        ["publish", "--check", "--results", str(tmp_path), "--pages", str(tmp_path)]
    )
    assert status == 2
    assert "regex-tekken.json.gz has no session of formgate: tekken regex shared" in errors


def test_a_file_nested_beyond_reading_is_named(tmp_path):
    path = tmp_path / "deep.json"
    path.write_text("[" * 100_000, encoding="utf-8")
    status, errors = told(["report", str(path)])
    assert status == 2
    assert f"{path} is no results file" in errors


def test_a_second_replay_is_as_long_as_the_first(tmp_path):
    content = json.loads(json.dumps(STORED["scaling-tekken"]))
    runs = [
        run
        for session in content["sessions"]
        for case in session["cases"].values()
        for run in case.get("runs", ())
        if run["failure"] is None and run.get("warm_advance_ns")
    ]
    runs[0]["warm_advance_ns"] = []
    path = tmp_path / "scaling-tekken.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    status, errors = told(["report", str(path)])
    assert status == 2
    assert "warm_advance_ns is 0, not as many as advance_ns" in errors
