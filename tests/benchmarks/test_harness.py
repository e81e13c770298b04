"""The harness end to end, with engines whose answers are known, over a vocabulary of 260 tokens."""

import copy
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("tomllib", reason="the data files are TOML")
pytest.importorskip("tiktoken", reason="texts are tokenised with it")
if not hasattr(os, "sched_setaffinity"):
    pytest.skip("workers are pinned to a core", allow_module_level=True)

from tiny_suite import statuses, tiny_vocabulary

from benchmarks import cli, environments, plan, report, results
from benchmarks.engines import ENGINES, EngineSpec
from benchmarks.measure import Row
from benchmarks.vocabularies import VOCABULARIES, Tokeniser, VocabularyData


def test_right_and_wrong_engines_are_told_apart(bench, capsys):
    content = bench("exact,loose,tight,stubborn")
    right = {"words": "ok", "awkward": "ok", "group": "refused", "last": "ok"}
    assert statuses(content, "exact") == right
    wrong = dict.fromkeys(("words", "awkward", "last"), "wrong") | {"group": "refused"}
    for engine in ("loose", "tight", "stubborn"):
        assert statuses(content, engine) == wrong, engine
    errors = {s["engine"]: s["cases"]["words"].get("error") for s in content["sessions"]}
    assert "non-matching text 0 is accepted" in errors["loose"]
    assert "forbids the legal token" in errors["tight"]
    assert "refuses token" in errors["stubborn"]
    assert "tiny-regex shared exact [1/1]: 3 ok, 1 refused (" in capsys.readouterr().err


def test_the_record_of_a_case(bench):
    content = bench("exact", "--cases", "words", "--repeat", "2")
    (session,) = content["sessions"]
    assert session["setup"]["setup_ms"] >= 0
    assert session["rss_peak_mib"] >= session["setup"]["rss_base_mib"] > 0
    record = session["cases"]["words"]
    assert record["compile_ns"] > 0
    # "abab" is ab+ab by merges, aba+b by longest match; "bad" is ba+d by both.
    assert [(r["text"], r["tokenisation"]) for r in record["runs"]] == [
        (0, "bpe"),
        (0, "greedy"),
        (1, "bpe"),
    ]
    for run in record["runs"]:
        assert len(run["mask_ns"]) == len(run["warm_mask_ns"]) == len(run["digests"]) == 3
        assert len(run["advance_ns"]) == len(run["warm_advance_ns"]) == 2
        assert min(run["mask_ns"]) > 0
        assert run["loop_ns"] > 0
    first, second, _ = record["runs"]
    assert first["digests"][0] == second["digests"][0]  # the same state
    assert first["digests"][1] != second["digests"][1]


def test_an_engine_is_given_the_grammars_it_has_a_form_of(bench):
    content = bench("reader,loose,tight", "--kind", "grammar")
    assert [session["engine"] for session in content["sessions"]] == ["reader", "loose"]
    assert statuses(content, "reader") == {"long": "ok", "short": "ok"}
    assert statuses(content, "loose") == {"short": "wrong"}  # its form of the other is no format
    records = content["sessions"][0]["cases"]
    assert 0 < records["long"]["read_ns"] < records["long"]["compile_ns"]
    assert [len(run["mask_ns"]) for run in records["long"]["runs"]] == [602, 2]


def test_the_report_of_grammars(bench):
    content = bench("exact,reader", "--kind", "grammar")
    text = report.render(content, ours="reader")
    rows = [line.split(" | ") for line in text.splitlines()]
    costs = {(row[0], row[1]): row[2] for row in rows if len(row) == 9}
    assert costs["| short", "exact"] == "-"  # it reads and compiles in one
    assert float(costs["| short", "reader"]) >= 0
    (scaling,) = [row for row in rows if row[:3] == ["| long", "exact", "ok"]]
    assert float(scaling[3].replace(",", "")) > 0
    assert scaling[4:7] == ["-", "-", "-"]
    assert "| exact | 2 | 0 | 0 | 0 | 0 | 0 of 604 |" in text  # "short" is not compared


@pytest.mark.parametrize(
    ("engine", "status", "reason"),
    [
        ("hanging", "timeout", "more than 1 s of processor time"),
        ("sleeping", "timeout", "idle for 4 s"),
        ("crashing", "crash", "exit status 3"),
        ("torn", "crash", "exit status 3"),
    ],
)
def test_the_rest_goes_on_after_a_hang_or_a_crash(bench, monkeypatch, engine, status, reason):
    monkeypatch.setattr("benchmarks.process.IDLE_LIMIT_S", 4.0)
    content = bench(engine, "--timeout", "1")
    found = statuses(content, engine)
    assert found == {"words": "ok", "awkward": status, "group": "refused", "last": "ok"}
    (session,) = content["sessions"]
    assert reason in session["cases"]["awkward"]["error"]
    assert session["restarts"] == 1


def test_a_limit_holds_for_a_case_that_ends_before_it_is_looked_at(bench, monkeypatch):
    monkeypatch.setattr("benchmarks.process.POLL_S", 5.0)
    content = bench("slow", "--timeout", "0.1")
    assert statuses(content, "slow") == {
        "words": "ok", "awkward": "timeout", "group": "refused", "last": "ok",
    }  # fmt: skip
    (session,) = content["sessions"]
    assert session["cases"]["awkward"]["error"] == "more than 0.1 s of processor time"
    assert session["restarts"] == 0


def test_isolated_cases_run_in_processes_of_their_own(bench):
    content = bench("crashing", "--isolate")
    (session,) = content["sessions"]
    assert session["mode"] == "isolated"
    assert session["restarts"] == 0
    assert statuses(content, "crashing")["last"] == "ok"


@pytest.mark.parametrize("more", [(), ("--isolate",)])
@pytest.mark.parametrize("size", [1, 2, 20])
def test_engines_take_turns(bench, monkeypatch, tmp_path, size, more):
    monkeypatch.setattr("benchmarks.runner.CASES_A_TURN", size)
    monkeypatch.setenv("NOTES", str(tmp_path / "notes"))
    content = bench("noting,jotting", "--repeat", "2", *more)
    assert [session["engine"] for session in content["sessions"]] == ["noting", "jotting"]
    assert statuses(content, "jotting")["awkward"] == "crash"
    assert statuses(content, "noting")["awkward"] == "ok"
    notes = [line.split() for line in (tmp_path / "notes").read_text("utf-8").splitlines()]
    patterns = ["bad|abab", "x|ax", "dab|dad"]
    measured = [(name, source) for name, _, source in notes if source in patterns]
    refused = [*patterns[:2], None, *patterns[2:]]  # it compiles all but this one
    once = [
        (name, source)
        for first in range(0, len(refused), size)
        for name in ("noting", "jotting")
        for source in refused[first : first + size]
        if source
    ]
    assert measured == once * 2
    processes = {
        name: {own for one, own, _ in notes if one == name} for name in ("noting", "jotting")
    }
    assert {name: len(own) for name, own in processes.items()} == (
        {"noting": 2, "jotting": 4} if not more else {"noting": 8, "jotting": 8}
    )


def test_an_engine_that_does_not_start_is_an_error(bench, capsys):
    with pytest.raises(AssertionError):
        bench("broken,exact", "--cases", "words")
    errors = capsys.readouterr().err
    assert "broken does not run" in errors
    assert "exact [1/1]: 1 ok" in errors  # the others are measured first


def test_an_engine_without_an_environment_costs_only_itself(bench, monkeypatch, tmp_path, capsys):
    wanted = (("--no-index", "no-such-thing==9.9"),)
    spec = EngineSpec("remote", "test", "sample_engines:Exact", "elsewhere", "nowhere", wanted)
    monkeypatch.setitem(ENGINES, "remote", spec)
    monkeypatch.setattr(environments, "ENVIRONMENTS", tmp_path / "envs")
    with pytest.raises(AssertionError):
        bench("remote,exact", "--cases", "words")
    errors = capsys.readouterr().err
    assert "exact [1/1]: 1 ok" in errors
    last = errors.splitlines()[-1]
    assert last.startswith("benchmarks: remote has no environment: pip install --quiet --no-index")
    assert "ended with exit status 1: ERROR: No matching distribution found for no-such" in last
    content = results.load(tmp_path / "out.json")
    assert [session["engine"] for session in content["sessions"]] == ["exact"]
    assert not content["complete"]
    assert cli.main(["setup", "remote"]) == 2
    assert "remote has no environment: pip install" in capsys.readouterr().err
    monkeypatch.setattr(environments, "ENVIRONMENTS", tmp_path / "out.json" / "envs")
    with pytest.raises(AssertionError):
        bench("remote")
    assert "remote has no environment: [Errno 20]" in capsys.readouterr().err


def test_a_missing_vocabulary_leaves_the_others_to_be_measured(bench, monkeypatch, capsys):
    def missing():
        raise RuntimeError("the vocabulary needs the package nowhere")

    monkeypatch.setitem(VOCABULARIES, "absent", missing)
    with pytest.raises(AssertionError):
        bench("exact", "--cases", "words", "--vocabularies", "absent,tiny")
    errors = capsys.readouterr().err
    assert "needs the package nowhere" in errors
    assert "tiny-regex shared exact [1/1]: 1 ok" in errors


def test_results_say_how_they_were_made_and_whether_they_are_complete(bench, tmp_path):
    content = bench("exact", "--cases", "words")
    assert content["complete"]
    assert content["command"][:3] == ["run", "--engines", "exact"]
    with pytest.raises(AssertionError):
        bench("exact,broken", "--cases", "words")
    content = results.load(tmp_path / "out.json")
    assert not content["complete"]
    assert report.INCOMPLETE in report.render(content, ours="exact")


def test_what_was_interrupted_is_measured_again(bench, monkeypatch, tmp_path, capsys):
    content = bench("exact", "--cases", "words")
    entry = plan.Entry("small", "for the test", "run --engines exact --cases words")
    monkeypatch.setattr(plan, "load", lambda: [entry])
    again = ["measure", "--missing", "--results", str(tmp_path)]
    runs = []
    monkeypatch.setattr(cli, "_run", lambda options: runs.append(options.out) or 0)
    for complete, count in ((True, 0), (False, 1)):
        results.save({**content, "complete": complete}, entry.path(tmp_path))
        assert cli.main(again) == 0
        assert len(runs) == count

    def interrupted(options):
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "_run", interrupted)
    assert cli.main(again) == cli.INTERRUPTED
    assert "interrupted" in capsys.readouterr().err


def test_cases_with_different_masks_are_not_compared_by_speed(bench):
    content = bench("exact,wide")
    right = {"words": "ok", "awkward": "ok", "group": "refused", "last": "ok"}
    assert statuses(content, "wide") == right  # no text shows it, but every mask is wrong
    for session in content["sessions"]:
        session["engine"] = {"exact": "formgate", "wide": "xgrammar"}[session["engine"]]
    text = report.render(content)
    assert "| xgrammar | 0 | 1 | 0 | 3 | 0 | 21 of 21 |" in text
    everything = "Left out, since their masks differ: words, awkward, last."
    assert f"formgate against xgrammar: no case to compare. {everything}" in text
    # Where only one case differs, the others are compared, and it is named.
    ours, theirs = content["sessions"]
    for name in ("words", "last"):
        theirs["cases"][name] = ours["cases"][name]
    text = report.render(content)
    assert "on the 2 cases both get right" in text
    assert "Left out, since their masks differ: awkward." in text


def test_nobody_is_held_to_know_more_than_one_stop_token():
    row = Row(40)
    row.array[0] = 1 << 3 | 1 << 7
    some = row.digest([3, 5])
    row.array[0] = 1 << 5 | 1 << 7
    assert row.digest([3, 5]) == some
    row.array[0] = 1 << 7
    assert row.digest([3, 5]) != some


def test_a_run_that_measures_nothing_is_an_error(bench, monkeypatch, capsys):
    spec = EngineSpec("apart", "test", "sample_engines:Exact", "of one vocabulary",
                      vocabularies=("other",))  # fmt: skip
    monkeypatch.setitem(ENGINES, "apart", spec)
    with pytest.raises(AssertionError):
        bench("apart")
    assert "nothing to measure" in capsys.readouterr().err


def test_the_trivial_engine_shows_the_cost_of_the_harness(bench):
    content = bench("trivial", "--cases", "words,last")
    (session,) = content["sessions"]
    masks = [ns for r in session["cases"].values() for run in r["runs"] for ns in run["mask_ns"]]
    assert min(masks) < 20_000


def test_the_report_shows_coverage_ratios_and_disagreements(bench, tmp_path, capsys):
    content = bench("exact,loose,hanging", "--timeout", "1")
    text = report.render(content, ours="exact")
    assert "| exact | 3 | 1 | 0 | 0 | 0 | 0 of 21 |" in text
    assert "| loose | 0 | 1 | 3 | 0 | 0 | 14 of 21 |" in text
    assert "exact against hanging on the 2 cases both get right" in text
    assert "| group * | refused | refused | refused |" in text
    assert "timeout" in text
    capsys.readouterr()
    results.save(content, tmp_path / "again.json.gz")
    assert cli.main(["report", str(tmp_path / "again.json.gz"), "--ours", "exact"]) == 0
    assert capsys.readouterr().out == text


def test_a_report_is_asked_for_engines_that_were_replayed(bench, tmp_path, capsys):
    bench("exact,loose", "--cases", "words")
    capsys.readouterr()
    path = str(tmp_path / "out.json")
    for option in ("--ours", "--reference"):
        assert cli.main(["report", path, option, "loose"]) == 0
        for name in ("nosuch", "tight"):
            assert cli.main(["report", path, option, name]) == 2
            assert capsys.readouterr().err == (
                f"benchmarks: {option} {name}: no replay is of that engine; "
                "there are exact, loose\n"
            )
    assert cli.main(["report", path]) == 0


def test_masks_that_were_compared_with_nobodys_are_said_to_be(bench):
    words = "Masks are compared with nobody's here: only texts tell what is right."
    alone = report.render(bench("exact", "--cases", "words"), ours="exact")
    assert words in alone
    # Of one package: they share their mistakes.
    assert words in report.render(bench("exact,tight", "--cases", "words"), ours="exact")
    assert words not in report.render(bench("exact,loose", "--cases", "words"), ours="exact")
    assert words in report.render(bench("exact,loose", "--kinds", "grammar", "--cases", "short"))


def test_compare_flags_what_got_worse(bench, tmp_path, capsys):
    base = bench("exact")
    slower = copy.deepcopy(base)
    record = slower["sessions"][0]["cases"]["words"]
    for run in record["runs"]:
        run["mask_ns"] = [10 * ns + 10_000 for ns in run["mask_ns"]]
    slower["sessions"][0]["cases"]["last"]["status"] = "wrong"
    paths = [str(tmp_path / name) for name in ("base.json", "slower.json")]
    for path, content in zip(paths, (base, slower), strict=True):
        results.save(content, Path(path))
    assert cli.main(["compare", paths[0], paths[0]]) == 0
    assert "worse" not in capsys.readouterr().out
    assert cli.main(["compare", *paths]) == 1
    lines = [line for line in capsys.readouterr().out.splitlines() if "worse" in line]
    assert any("| words | mask mean |" in line for line in lines)
    assert any("| last | no longer right (wrong) |" in line for line in lines)


def test_what_cannot_be_compared_is_said(bench, tmp_path, capsys):
    base = bench("exact", "--cases", "words")
    other = copy.deepcopy(base)
    other["sessions"][0]["engine"] = "loose"
    results.save(base, tmp_path / "base.json")
    results.save(other, tmp_path / "other.json")
    assert cli.main(["compare", str(tmp_path / "base.json"), str(tmp_path / "other.json")]) == 2
    assert "nothing to compare" in capsys.readouterr().err
    other = copy.deepcopy(base)
    other["machine"]["cpu"] = "another one"
    other["options"]["flush"] = True
    base["sessions"].append({**base["sessions"][0], "engine": "loose"})
    results.save(base, tmp_path / "base.json")
    results.save(other, tmp_path / "other.json")
    assert cli.main(["compare", str(tmp_path / "base.json"), str(tmp_path / "other.json")]) == 0
    out = capsys.readouterr().out
    assert "another processor" in out
    assert "flush False, then True" in out
    assert "only in the first: tiny replay regex shared loose" in out


def test_the_same_session_twice_is_no_report(bench, tmp_path):
    bench("exact", "--cases", "words")
    with pytest.raises(ValueError, match="in two of the files"):
        results.load_all([tmp_path / "out.json"] * 2)


def test_what_is_no_results_file_is_named(tmp_path):
    for name, content in (("a.json", b"no"), ("b.json.gz", b"no"), ("c.json", b"[]")):
        path = tmp_path / name
        path.write_bytes(content)
        with pytest.raises(ValueError, match=name):
            results.load(path)


def test_results_of_another_format_are_refused(tmp_path):
    path = tmp_path / "old.json"
    path.write_text(json.dumps({"format": 0}), encoding="utf-8")
    with pytest.raises(ValueError, match="results format 0, expected 2"):
        results.load(path)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", "--engines", "nobody", "--out", "x.json"], "no such engine: nobody"),
        (["run", "--vocabularies", "latin", "--out", "x.json"], "no such vocabulary: latin"),
        (["run", "--cases", "nonsense", "--out", "x.json"], "no such case or group: nonsense"),
        (["run", "--formats", "regex,prose", "--out", "x.json"], "no such format: prose"),
        (
            ["run", "--workloads", "startup", "--cases", "date", "--out", "x.json"],
            "--cases choose what is replayed",
        ),
        (["run", "--out", "x.txt"], "ends in .json or .json.gz"),
        (["run", "--out", "/proc/nowhere/x.json"], "/proc/nowhere"),
        (["setup", "nobody"], "no such engine: nobody"),
    ],
)
def test_unknown_names_are_refused(arguments, message, capsys):
    assert cli.main(arguments) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("option", "message"),
    [
        (["--repeat", "0"], "at least 1"),
        (["--timeout", "-1"], "above 0"),
        (["--timeout", "nan"], "above 0"),
        (["--timeout", "0.0001"], "at least 0.1: processor time is counted in ticks"),
        (["--floor", "-1"], "at least 0"),
        (["--memory", "0"], "above 0"),
        (["--memory", "0.01"], "it must be at least 1, which"),
        (["--nice", "100"], "it must be from 0 to 19"),
        (["--nice", "-1"], "it must be from 0 to 19"),
        (["--core", "99999"], "there are the cores"),
        (["--engines", ","], "no name is given"),
    ],
)
def test_numbers_out_of_range_are_refused(option, message, capsys):
    with pytest.raises(SystemExit) as end:
        cli.main(["run", "--out", "x.json", *option])
    assert end.value.code == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--threshold", "--case-threshold", "--floor"])
def test_limits_of_a_comparison_need_one(option, tmp_path, capsys):
    out = tmp_path / "x.json"
    assert cli.main(["run", "--out", str(out), option, "2"]) == 2
    assert "add --compare BASE" in capsys.readouterr().err
    assert not out.exists()


def test_results_and_pages_make_no_commit_dirty(tmp_path, monkeypatch):
    def git(*words):
        identity = ["-c", "user.name=a", "-c", "user.email=a@b.c"]
        subprocess.run(["git", *identity, *words], cwd=tmp_path, check=True, capture_output=True)

    for name in ("benchmarks/results/x.json", "docs/page.md", "core/code.py"):
        path = tmp_path / name
        path.parent.mkdir(parents=True)
        path.write_text("old", encoding="utf-8")
    monkeypatch.setattr(results, "ROOT", tmp_path)
    for words in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "all"]):
        git(*words)
    for name in ("benchmarks/results/x.json", "docs/page.md", "benchmarks/results/new.json"):
        (tmp_path / name).write_text("new", encoding="utf-8")
    clean = results.describe_source()
    assert re.fullmatch("[0-9a-f]{7,}", clean)
    (tmp_path / "core" / "more.py").write_text("new", encoding="utf-8")
    assert results.describe_source() == f"{clean}-dirty"


def test_a_reader_that_has_read_enough_is_no_error():
    with subprocess.Popen(
        [sys.executable, "-m", "benchmarks", "list"], cwd=cli.ROOT, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as listing:  # fmt: skip
        listing.stdout.close()
        assert not listing.stderr.read()
    assert listing.returncode == 141


def test_tokenisations_spell_the_text():
    vocabulary = tiny_vocabulary()
    tokeniser = Tokeniser(vocabulary)
    for text in ("abab", "é 東", ""):
        for how in ("bpe", "greedy"):
            ids = tokeniser.encode(text, how)
            assert b"".join(vocabulary.tokens[i] for i in ids) == text.encode()


def test_vocabularies_survive_the_file(tmp_path):
    vocabulary = tiny_vocabulary()
    vocabulary.save(tmp_path / "tokens.json")
    assert VocabularyData.load(tmp_path / "tokens.json") == vocabulary


def test_modules_of_the_checkout_are_compiled_as_installed_ones_are(tmp_path, monkeypatch):
    module = tmp_path / "plugins" / "one.py"
    module.parent.mkdir()
    module.write_text("value = 1\n", encoding="utf-8")
    monkeypatch.setattr(environments, "ROOT", tmp_path)
    environments.set_up(["formgate"])
    assert list(module.parent.glob("__pycache__/one.*.pyc"))
