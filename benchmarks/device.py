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

    from benchmarks.cases import Case
    from benchmarks.vocabularies import VocabularyData

DEVICE_ENGINES = ("formgate", "llguidance-complete", "xgrammar")
DECODERS = ("formgate", "xgrammar")  # that have a logits processor for transformers
DEVICE_PARTS = ("kernels", "steps", "decoding")
ROWS = (1, 32, 256)
MOST_DECODED = 32
MIX = "four"
LIMIT_S = 300.0


def run_device(
    engines: Sequence[str],
    vocabulary_name: str,
    device: str,
    parts: Sequence[str],
    rows: Sequence[int] = ROWS,
) -> Iterator[dict[str, Any]]:
    """Yield one session for each engine that is installed here, and one of torch alone.

    `rows` are the sizes of batches; decoding takes those up to 32. Raises `RuntimeError` where
    there is no such device, or nothing to measure, and `ValueError` for a size of batches that its
    constraints cannot share evenly.
    """
    _require(device)
    shared = len(_cases("steps"))
    if "steps" in parts and any(size >= shared and size % shared for size in rows):
        raise ValueError(f"rows of steps are shared by {shared} constraints: give a multiple of it")
    vocabulary = load_vocabulary(vocabulary_name)
    ready = [name for name in engines if importlib.util.find_spec(ENGINES[name].package)]
    with tempfile.TemporaryDirectory(prefix="benchmarks-") as folder:
        common = _prepare(vocabulary, device, Path(folder))
        jobs = list(_jobs(ready, common, parts, rows))
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
        if not any(session[part] for session in sessions.values() for part in DEVICE_PARTS):
            raise RuntimeError(
                "nothing to measure: no engine chosen is installed beside torch, or takes part in "
                f"this (decoding takes up to {MOST_DECODED} rows)"
            )
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
    import torch

    try:
        kind = torch.device(device).type
    except RuntimeError as error:
        raise RuntimeError(f"no such device: {device}") from error
    if kind not in {"cpu", "cuda"}:
        raise RuntimeError(f"devices are cuda, and cpu to try the harness, not {device}")
    if kind == "cuda" and not has_device():
        raise RuntimeError(
            "torch sees no GPU: run this where one is, with a build of torch for it; "
            "`--device cpu` only tries the harness"
        )


def _jobs(
    engines: Sequence[str], common: dict[str, Any], parts: Sequence[str], sizes: Sequence[int]
) -> Iterator[dict[str, Any]]:
    if "kernels" in parts:
        for engine in ["torch", *engines]:
            yield {**common, "part": "kernels", "engine": engine, "sizes": list(sizes)}
    for part in ("steps", "decoding"):
        cases = _cases(part)
        for engine in engines if part in parts else ():
            spec = ENGINES[engine]
            if part == "decoding" and engine not in DECODERS:
                continue
            if {case.dialect(spec.package).format for case in cases} <= set(spec.formats):
                job = {**common, "part": part, "engine": engine, "workload": common[part]}
                job.update(adapter=spec.adapter, package=spec.package)
                most = MOST_DECODED if part == "decoding" else max(sizes)
                yield from ({**job, "rows": rows} for rows in sizes if rows <= most)


def _cases(part: str) -> Sequence[Case]:
    if part == "decoding":
        return load_cases("grammar", names=["json_gbnf"])
    [mix] = [mix for mix in load_mixes() if mix.name == MIX]
    return mix.cases


def _prepare(vocabulary: VocabularyData, device: str, folder: Path) -> dict[str, Any]:
    """Write what all jobs read; return what they have in common."""
    tokens = folder / "tokens"
    vocabulary.save(tokens)
    tokeniser = Tokeniser(vocabulary)
    common = {"vocabulary": str(tokens), "device": device}
    for part in ("steps", "decoding"):
        path = folder / part
        path.write_text(json.dumps(build_workload(_cases(part), tokeniser)), encoding="utf-8")
        common[part] = str(path)
    return common


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
