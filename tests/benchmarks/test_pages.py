"""Tables and plots are written into pages, and the documented pages name what there is."""

import json
import re
import shutil

import pytest

pytest.importorskip("tomllib", reason="the plan is TOML")

from page_samples import BLOCK, REPLAY_PARTS, STORED, batch, memory, page, replayed

from benchmarks import (
    cli,
    other_report,
    pages,
    plan,
    plots,
    process,
    results,
)


@pytest.fixture
def folders(tmp_path):
    for name, make in STORED.items():
        results.save(make(), tmp_path / "results" / f"{name}.json.gz")
    (tmp_path / "pages").mkdir()
    return tmp_path / "results", tmp_path / "pages"


def test_blocks_are_filled_and_the_text_around_is_kept(folders):
    stored, folder = folders
    path = page(folder, *(f"regex-tekken {part}" for part in ("about", *REPLAY_PARTS, "failures")))
    assert pages.publish(stored, folder, check=True) == [path]
    assert "old" in path.read_text(encoding="utf-8")
    assert pages.publish(stored, folder) == [path]
    text = path.read_text(encoding="utf-8")
    assert "old" not in text
    assert text.count("kept\n") == len(REPLAY_PARTS) + 2
    assert "$ python -m benchmarks run --kinds regex" in text
    assert "| formgate | 2 | 0 | 0 | 0 | 0 | 0 of 6 |" in text
    assert "formgate against llguidance-complete on the 1 case both get right" in text
    assert "1.5, 6 (0.25)" not in text
    assert "| mask, all outputs, mean | 2 µs | 8 µs |" in text
    assert "2, 8 (0.25)" in text  # mask mean of the case that both get right, µs
    assert "| llguidance-complete | two | wrong | mask 1 \\| forbids |" in text
    assert pages.publish(stored, folder) == []


def test_other_workloads_have_tables(folders):
    stored, folder = folders
    path = page(
        folder, "grammar-tekken costs", "batch rows", "memory resident", "crossformat decoding",
        "crossformat prediction", "all scoreboard",
    )  # fmt: skip
    pages.publish(stored, folder)
    text = path.read_text(encoding="utf-8")
    assert "| tekken | one | formgate | 1 | 0.50 / 0.50 / 0.50 |" in text
    assert "| tekken | xgrammar | ok | 5 | 85 | 85 | 85 |" in text
    assert "| zip_code, regex | lazy | 2 |" in text
    assert "| regex | 0.01 | 0.003 to 0.003 |" in text
    assert "so many times what was predicted: regex 0.30. A copy alone takes 0.003 to" in text
    assert (
        "- Derived again at each token, 2 of 2 outputs take less than the 5 ms predicted.\n" in text
    )
    assert "- Lazy, 2 of 2 outputs stay below 40 µs in the mean.\n" in text
    (row,) = re.findall(r"\| memory after .*", text)
    assert row.endswith("| 5 MiB | 85 MiB, xgrammar | 0.059 | 28.3 MiB | **met** |")
    (row,) = re.findall(r"\| regexes, first outputs \| tekken \| mask mean (.*)", text)
    assert row == "| 2 µs | 8 µs, llguidance | 0.25 | 0.2 | ahead, goal missed |"


def test_a_busy_machine_is_said_to_be_one(folders):
    stored, folder = folders
    path = page(folder, "batch about", "all scoreboard")
    for load, times in ((0.9, 0), (5.0, 2)):
        for name, make in STORED.items():
            content = make()
            content["machine"]["load"] = [load if name == "batch" else 0.0, 0.0, 0.0]
            results.save(content, stored / f"{name}.json.gz")
        pages.publish(stored, folder)
        text = path.read_text(encoding="utf-8")
        assert text.count("machine busy") == times
        assert ("That holds for batch." in text) == bool(times)


def test_the_command_shown_is_the_one_that_was_run(folders):
    stored, folder = folders
    path = page(folder, "batch about")
    command = ["run", "--workloads", "batch", "--timeout", "60", "--core", "0", "--nice=5"]
    for complete in (True, False):
        content = {**batch(), "command": [*command, "--out", "/somewhere/else.json"]}
        results.save({**content, "complete": complete}, stored / "batch.json.gz")
        pages.publish(stored, folder)
        text = path.read_text(encoding="utf-8")
        shown = "run --workloads batch --timeout 60 --out benchmarks/results/batch.json.gz\n"
        assert f"$ python -m benchmarks {shown}" in text
        assert ("Incomplete" in text) == (not complete)


def test_no_command_is_made_up_for_files_of_old(folders):
    stored, folder = folders
    path = page(folder, "batch about", "regex-tekken about")
    for name, make in (("batch", batch), ("regex-tekken", replayed)):
        content = {**make(), "options": {"timeout_s": 60.0}}
        del content["command"], content["complete"]
        results.save(content, stored / f"{name}.json.gz")
    pages.publish(stored, folder)
    text = path.read_text(encoding="utf-8")
    assert "$ python" not in text
    assert "what was run" not in text
    assert text.count("too old to say by which command they were made") == 2
    assert "What they hold: engines formgate, xgrammar, trivial; timeout_s 60.0.\n" in text
    assert "engines formgate, llguidance-complete; 2 cases; timeout_s 60.0.\n" in text
    assert text.count("The plan now says: `python -m benchmarks run --workloads batch") == 1
    assert "Incomplete" not in text


def test_columns_of_memory_have_figures():
    content = memory()
    text = other_report.memory_table(content)
    assert "| + after 100 | + after 1,000 | + at most | CPU ms a schema |" in text
    assert text.endswith("No engine was given more than 1,000 schemas here.")
    more = {**content["sessions"][1]["points"][-1], "schemas": 3000}
    content["sessions"][1]["points"].append(more)
    for session in content["sessions"]:
        for point in session["points"]:
            del point["own_cpu_s"]
    text = other_report.memory_table(content)
    assert "| + after 1,000 | + after 3,000 | + at most | refused / wrong |" in text
    assert "| tekken | formgate | ok | 5 | 5 | 5 | - | 5 | 0 / 0 |" in text
    assert "given more" not in text


def test_a_command_unlike_the_plan_is_said_to_be(folders):
    stored, folder = folders
    path = page(folder, "batch about")
    (entry,) = [entry for entry in plan.load() if entry.name == "batch"]
    planned = entry.run.split()
    for command, times in ((planned, 0), ([*planned, "--timeout", "60"], 1)):
        results.save({**batch(), "command": command}, stored / "batch.json.gz")
        pages.publish(stored, folder)
        assert path.read_text(encoding="utf-8").count("The plan now says") == times


def test_missing_results_leave_a_block_and_unknown_ones_are_errors(folders):
    stored, folder = folders
    path = page(folder, "schema-hand-tekken coverage")
    assert pages.publish(stored, folder) == []
    assert "old" in path.read_text(encoding="utf-8")
    for block, message in (
        ("nothing coverage", r"page.md:3: no entry of the plan is called 'nothing'"),
        ("regex-tekken nonsense", r"page.md:3: no part is called 'nonsense'; there are about,"),
        ("all nonsense", r"page.md:3: no part is called 'nonsense'; there are scoreboard"),
    ):
        page(folder, block)
        with pytest.raises(ValueError, match=message):
            pages.publish(stored, folder)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("<!-- begin batch -->\n<!-- end -->\n", 3),
        ("<!-- begin batch rows -->\nno end\n", 3),
        ("<!-- begin batch rows --> after\n<!-- end -->\n", 3),
        ("<!-- begin batch rows -->\n<!-- begin batch rows -->\n<!-- end -->\n", 4),
        ("text\n<!-- end -->\n", 4),
    ],
)
def test_comments_that_begin_or_end_no_block_are_errors(folders, text, line):
    stored, folder = folders
    path = page(folder, "batch rows")
    whole = path.read_text(encoding="utf-8")
    assert pages.publish(stored, folder) == [path]
    (folder / "wrong.md").write_text(f"# Title\n\n{text}", encoding="utf-8")
    path.write_text(whole, encoding="utf-8")
    with pytest.raises(pages.PublishError, match=rf"wrong\.md:{line}: <!-- "):
        pages.publish(stored, folder)
    assert path.read_text(encoding="utf-8") == whole


def test_publish_from_the_command_line(folders, capsys):
    stored, folder = folders
    path = page(folder, "batch rows")
    arguments = ["publish", "--results", str(stored), "--pages", str(folder)]
    assert cli.main([*arguments, "--check"]) == 1
    assert capsys.readouterr().out == f"stale: {path}\n"
    assert cli.main(arguments) == 0
    assert cli.main([*arguments, "--check"]) == 0


def test_a_page_is_published_whole_or_not_at_all(folders, capsys):
    stored, folder = folders
    path = page(folder, "batch rows", "memory resident", "batch batch", "all scoreboard")
    arguments = ["publish", "--results", str(stored), "--pages", str(folder)]
    for name in ("memory", "startup"):
        (stored / f"{name}.json.gz").unlink()
    before = path.read_bytes()
    for more in ([], ["--check"]):
        assert cli.main([*arguments, *more]) == 2
        assert capsys.readouterr() == (
            "",
            f"benchmarks: {path} is left as it is: {stored} has no results of startup, memory\n",
        )
        assert path.read_bytes() == before
    assert not (folder / "plots").exists()
    other = folder / "other.md"
    other.write_text("<!-- begin batch rows -->\n<!-- end -->\n", encoding="utf-8")
    assert cli.main(arguments) == 2
    assert capsys.readouterr().out == f"written: {other}\n"
    assert path.read_bytes() == before


def test_without_results_or_pages_nothing_is_written(folders, tmp_path, capsys):
    stored, folder = folders
    path = page(folder, "all scoreboard")
    before = path.read_bytes()
    (tmp_path / "empty").mkdir()
    for place in (tmp_path / "empty", tmp_path / "nowhere"):
        for more in ([], ["--check"]):
            assert (
                cli.main(["publish", "--results", str(place), "--pages", str(folder), *more]) == 2
            )
            assert capsys.readouterr() == (
                "",
                f"benchmarks: {place} has no results of any entry of the plan\n",
            )
            words = "no page with a block to fill" if place.exists() else "no folder of pages"
            assert (
                cli.main(["publish", "--results", str(stored), "--pages", str(place), *more]) == 2
            )
            found = capsys.readouterr()
            assert found.out == ""
            assert found.err.startswith(f"benchmarks: {place} ")
            assert words in found.err
    assert path.read_bytes() == before
    with pytest.raises(pages.PublishError, match="empty has no results"):
        pages.publish(tmp_path / "empty", folder)


def test_results_of_another_entry_are_refused_before_anything_is_written(folders, capsys):
    stored, folder = folders
    path = page(folder, "batch rows", "regex-tekken about", "batch batch")
    before = path.read_bytes()
    foreign = stored / "regex-tekken.json.gz"
    shutil.copy(stored / "batch.json.gz", foreign)
    assert cli.main(["publish", "--results", str(stored), "--pages", str(folder)]) == 2
    assert capsys.readouterr().err == (
        f"benchmarks: {foreign} is not of the plan's entry regex-tekken: "
        "its workload is batch, not replay\n"
    )
    assert path.read_bytes() == before
    assert not (folder / "plots").exists()


LMFE = "formgate, lm-format-enforcer, outlines-core"


@pytest.mark.parametrize(
    ("name", "source", "change", "words"),
    [
        ("schema-tekken", "regex-tekken", {}, "its kind is regex, not schema"),
        ("schema-tekken", "schema-qwen", {}, "its vocabulary is qwen, not tekken"),
        ("scaling-tekken", "grammar-tekken", {}, "its cases have one, not only scaling"),
        ("grammar-qwen", "grammar-qwen", {"mode": "shared"}, "its mode is shared, not isolated"),
        (
            "regex-lmfe", "regex-tekken", {},
            f"its engines are formgate, llguidance-complete, not {LMFE}",
        ),
        (
            "schema-tekken", "schema-tekken", {"command": ["run", "--cases=hand"]},
            "its cases are hand alone",
        ),
        ("schema-tekken", "schema-tekken", {}, None),
        ("schema-tekken", "schema-tekken", {"engine": "formgate"}, None),
        ("startup", "startup", {}, None),
        ("crossformat", "startup", {}, "its workload is startup, not decoding"),
        ("device-steps", "crossformat", {}, "its workload is decoding, not device"),
    ],
)  # fmt: skip
def test_results_tell_whether_they_are_of_an_entry(name, source, change, words):
    (entry,) = [entry for entry in plan.load() if entry.name == name]
    content = {**STORED[source](), **{k: v for k, v in change.items() if k == "command"}}
    if "mode" in change:
        for part in content["sessions"]:
            part["mode"] = change["mode"]
    if "engine" in change:  # a run that was interrupted has fewer
        content["sessions"] = content["sessions"][:1]
    assert plan.unlike(content, entry) == words


@pytest.mark.skipif(not list(cli.RESULTS.glob("*.gz")), reason="no results are stored here")
def test_stored_results_are_of_their_entries_and_of_no_other():
    entries = plan.load()
    for entry in entries:
        if not entry.path(cli.RESULTS).exists():
            continue
        content = results.load(entry.path(cli.RESULTS))
        alike = [other.name for other in entries if plan.unlike(content, other) is None]
        assert alike == [entry.name]


@pytest.mark.parametrize(
    ("entry", "part"),
    [
        ("regex-tekken", "tail"),
        ("regex-tekken", "first-mask"),
        ("batch", "batch"),
        ("memory", "memory"),
        ("crossformat", "formats"),
    ],
)
def test_plots_are_the_same_every_time(folders, entry, part):
    pytest.importorskip("matplotlib", reason="plots are drawn with it")
    stored, folder = folders
    page(folder, f"{entry} {part}")
    pages.publish(stored, folder)
    picture = folder / "plots" / f"{entry}-{part}.svg"
    content = picture.read_bytes()
    assert content.startswith(b"<?xml")
    picture.unlink()
    pages.publish(stored, folder)  # the page is as it should be, the picture is made anew
    assert picture.read_bytes() == content


def test_the_documented_pages_name_entries_and_parts_that_there_are():
    entries = {entry.name: entry for entry in plan.load()}
    used = set()
    for path in [*cli.PAGES.glob("*.md"), cli.README]:
        for name, part in BLOCK.findall(path.read_text("utf-8")):
            used.add(name)
            assert name in {*entries, "all"}, path.name
            assert part in {*pages.PARTS, *plots.PLOTS, "scoreboard"}, path.name
    assert used == {*entries, "all"}  # nothing is measured that no page shows


def test_the_plan_can_be_run(monkeypatch):
    seen = []
    monkeypatch.setattr(cli, "set_up", seen.append)
    for entry in plan.load():
        arguments = entry.arguments(cli.RESULTS)
        options = cli._parser().parse_args(arguments)
        if arguments[0] == "run":
            cli._check("engine", options.engines, list(cli.ENGINES))
            cli._check("vocabulary", options.vocabularies, list(cli.VOCABULARIES))
            cli._check("kind", options.kinds or [], cli.KINDS)
            cli._check("workload", options.workloads, cli.WORKLOADS)
            if "replay" not in options.workloads:
                cli._refuse_unused(options)
        assert entry.command(cli.RESULTS).endswith(f"{entry.name}.json.gz")


def test_measuring_goes_on_after_a_failure(monkeypatch, tmp_path, capsys):
    text = """
[[entry]]
name = "bad"
description = "fails"
run = "run --engines nobody"
[[entry]]
name = "good"
description = "is there"
run = "run --cases nonsense"
"""
    (tmp_path / "plan.toml").write_text(text, encoding="utf-8")
    entries = plan.load(tmp_path / "plan.toml")
    monkeypatch.setattr(plan, "load", lambda: entries)
    results.save({**replayed(), "complete": True}, tmp_path / "good.json.gz")
    core = str(min(process.usable_cores()))
    arguments = ["measure", "--results", str(tmp_path), "--core", core]
    assert cli.main([*arguments, "--missing"]) == 2
    errors = capsys.readouterr().err
    assert "no such engine: nobody" in errors
    assert errors.endswith("not all of this could be measured: bad\n")
    assert cli.main(arguments) == 2
    assert capsys.readouterr().err.endswith("could be measured: bad, good\n")
    assert cli.main([*arguments, "nonsense"]) == 2
    assert "no such entry of the plan: nonsense; there are bad, good" in capsys.readouterr().err


@pytest.mark.skipif(not list(cli.RESULTS.glob("*.gz")), reason="no results are stored here")
def test_stored_results_are_readable():
    for path in cli.RESULTS.glob("*.gz"):
        content = results.load(path)
        assert content["sessions"], path.name
        assert json.dumps(content["machine"])
