"""Masks on a device: what the kernels cost, what a step costs a server, and real decoding.

Every engine is measured in processes of its own, all by the interpreter that runs this: torch for
the device, Triton and the engines must be installed beside each other, and engines that are not are
left out. What each process does is told in `benchmarks.device_worker`.
"""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.cases import ROOT, load_cases, load_mixes
from benchmarks.engines import ENGINES
from benchmarks.progress import Progress
from benchmarks.vocabularies import Tokeniser, load_vocabulary
from benchmarks.workloads import build_workload

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from benchmarks.vocabularies import VocabularyData

DEVICE_ENGINES = ("formgate", "llguidance-complete", "xgrammar")
DEVICE_PARTS = ("kernels", "steps", "decoding")
ROWS = (1, 32, 256)
MIX = "four"
LIMIT_S = 300.0


def run_device(
    engines: Sequence[str], vocabulary_name: str, device: str, parts: Sequence[str]
) -> Iterator[dict[str, Any]]:
    """Yield one session for each engine that is installed here, and one of torch alone.

    Raises `RuntimeError` where there is no such device.
    """
    _require(device)
    vocabulary = load_vocabulary(vocabulary_name)
    ready = [name for name in engines if importlib.util.find_spec(ENGINES[name].package)]
    with tempfile.TemporaryDirectory(prefix="benchmarks-") as folder:
        jobs = list(_jobs(ready, vocabulary, device, parts, Path(folder)))
        progress = Progress(f"{vocabulary_name} device", len(jobs))
        sessions: dict[str, dict[str, Any]] = {}
        for job in jobs:
            progress.show(f"{job['engine']} {job['part']} {job.get('rows', '')}")
            found = _run(job, Path(folder))
            session = sessions.setdefault(
                job["engine"],
                {"workload": "device", "engine": job["engine"], "vocabulary": vocabulary_name,
                 "setup": {}, "versions": {}, "kernels": [], "steps": [], "decoding": []},
            )  # fmt: skip
            session["device"] = found["device"]
            session["versions"].update(found["versions"])
            session[job["part"]] += found["records"]
            progress.step()
        progress.close(", ".join(sessions))
        yield from sessions.values()


def has_device() -> bool:
    """Tell whether torch is installed here and sees a GPU."""
    if importlib.util.find_spec("torch") is None:
        return False
    import torch

    return bool(torch.cuda.is_available())


def _require(device: str) -> None:
    if importlib.util.find_spec("torch") is None:
        raise RuntimeError("masks on a device need torch: install a build for the device")
    if device.startswith("cuda") and not has_device():
        raise RuntimeError(
            "torch sees no GPU: run this where one is, with a build of torch for it; "
            "`--device cpu` only tries the harness"
        )


def _jobs(
    engines: Sequence[str],
    vocabulary: VocabularyData,
    device: str,
    parts: Sequence[str],
    folder: Path,
) -> Iterator[dict[str, Any]]:
    tokens = folder / "tokens"
    vocabulary.save(tokens)
    tokeniser = Tokeniser(vocabulary)
    [mix] = [mix for mix in load_mixes() if mix.name == MIX]
    workloads = {"steps": mix.cases, "decoding": load_cases("grammar", names=["json_gbnf"])}
    for name, cases in workloads.items():
        content = json.dumps(build_workload(cases, tokeniser))
        (folder / name).write_text(content, encoding="utf-8")
    common = {"vocabulary": str(tokens), "device": device}
    if "kernels" in parts:
        for engine in ["torch", *engines]:
            yield {**common, "part": "kernels", "engine": engine}
    for part in ("steps", "decoding"):
        if part not in parts:
            continue
        for engine in engines:
            spec = ENGINES[engine]
            takes = {case.dialect(spec.package).format for case in workloads[part]}
            if not takes <= set(spec.formats):
                continue
            if part == "decoding" and engine == "llguidance-complete":
                continue  # has no logits processor for transformers
            job = {**common, "part": part, "engine": engine, "workload": str(folder / part)}
            job.update(adapter=spec.adapter, package=spec.package)
            for rows in ROWS if part == "steps" else ROWS[:2]:
                yield {**job, "rows": rows}


def _run(job: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Run one worker; what goes wrong is a record, so that the others are still measured."""
    path = folder / "job"
    path.write_text(json.dumps(job), encoding="utf-8")
    command = [sys.executable, "-m", "benchmarks.device_worker", str(path)]
    try:
        done = subprocess.run(
            command, cwd=ROOT, capture_output=True, text=True, timeout=LIMIT_S, check=True
        )
    except subprocess.TimeoutExpired:
        return _failed(job, "timeout", f"takes more than {LIMIT_S:g} s")
    except subprocess.CalledProcessError as error:
        last = (error.stderr or "").strip().splitlines()[-1:] or [f"exit {error.returncode}"]
        return _failed(job, "crash", last[0])
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def _failed(job: dict[str, Any], status: str, error: str) -> dict[str, Any]:
    record = {"status": status, "error": error[:400], "rows": job.get("rows", 0)}
    return {"device": job["device"], "versions": {}, "records": [record]}
