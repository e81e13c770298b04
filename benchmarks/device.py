"""Masks on a device: what the kernels cost, what a step costs a server, and real decoding.

Every engine is measured in processes of its own, all by the interpreter that runs this: torch for
the device, Triton and the engines must be installed beside each other. What each process does is
told in `benchmarks.device_worker`.
"""

from __future__ import annotations

import importlib.util
import json
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.cases import load_cases, load_mixes
from benchmarks.engines import ENGINES
from benchmarks.process import Worker
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
    """Yield one session for each engine, as soon as it is measured, after one of torch alone.

    `rows` are the sizes of batches; decoding takes those up to 32. Raises `RuntimeError` where
    there is no such device, or nothing to measure, and `ValueError` for a size of batches that its
    constraints cannot share evenly.
    """
    _require(device)
    shared = len(_cases("steps"))
    if "steps" in parts and any(size >= shared and size % shared for size in rows):
        raise ValueError(f"rows of steps are shared by {shared} constraints: give a multiple of it")
    vocabulary = load_vocabulary(vocabulary_name)
    count = 0
    with tempfile.TemporaryDirectory(prefix="benchmarks-") as folder:
        common = _prepare(vocabulary, device, Path(folder))
        for engine in ["torch", *engines]:
            jobs = list(_jobs(engine, common, parts, rows))
            if not jobs:
                continue
            session: dict[str, Any] = {"workload": "device", "engine": engine}
            session.update(vocabulary=vocabulary_name, setup={}, versions={})
            session.update(device=device, **{part: [] for part in DEVICE_PARTS})
            progress = Progress(f"{vocabulary_name} device {engine}", len(jobs))
            for job in jobs:
                progress.show(f"{job['part']} {job.get('rows', '')}")
                session[job["part"]] += _run(job, session)
                progress.step()
            progress.close("measured")
            count += 1
            yield session
    if not count:
        raise RuntimeError(
            f"nothing to measure: no engine chosen takes part in this (decoding takes up to "
            f"{MOST_DECODED} rows)"
        )


def is_installed(engine: str) -> bool:
    """Tell whether an engine is installed beside this interpreter's torch."""
    return importlib.util.find_spec(ENGINES[engine].package) is not None


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
    engine: str, common: dict[str, Any], parts: Sequence[str], sizes: Sequence[int]
) -> Iterator[dict[str, Any]]:
    common = {**common, "task": "device", "engine": engine}
    if "kernels" in parts:
        yield {**common, "part": "kernels", "sizes": list(sizes)}
    if engine == "torch":
        return
    spec = ENGINES[engine]
    for part in ("steps", "decoding"):
        if part not in parts or (part == "decoding" and engine not in DECODERS):
            continue
        if {case.dialect(spec.package).format for case in _cases(part)} <= set(spec.formats):
            job = {**common, "part": part, "workload": common[part]}
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


def _run(job: dict[str, Any], session: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the records of one process; how it failed, if it did, is the last of them."""
    worker = Worker(job, Path(sys.executable))
    worker.set_limit(LIMIT_S)
    records: list[dict[str, Any]] = []
    complete = False
    try:
        for event in worker:
            if event["event"] == "device":
                session["device"] = event["device"]
                session["versions"].update(event["versions"])
                records += event["records"]
            complete = event["event"] == "end"
    finally:
        worker.stop()
    if not complete:
        status = "timeout" if worker.ended_by else "crash"
        error = worker.ended_by or worker.last_words
        records.append({"status": status, "error": error, "rows": job.get("rows", 0)})
    return records
