"""Measures one engine on a device, inside a process of its own (`benchmarks.worker`).

Parts of the job:

 - `kernels`: packed masks lie on the device; how long the device takes to mask scores by them
   (replays of a CUDA graph, so that launching is not in it), and how long the call takes the host.
   Each kind of scores and masks is checked against the masks' bits.
 - `steps`: a server's loop. A forward pass is a graph of matrix products of about 4 ms, the budget
   of 250 tokens a second; it is launched, masks are made and applied while it runs, then the
   highest scores are fetched and one token is committed to each row. What masks add is the
   difference to the same loop without them. Once with that pass, once with none, where nothing
   hides what the host does. Each row of scores is checked: the finite ones are those that the mask
   of the state allows.
 - `decoding`: `generate` of transformers with a model of random weights, masked and not.

On a CPU, the host's clock takes the place of the device's: that only tries the harness.
"""

from __future__ import annotations

import importlib
import json
from functools import partial
from pathlib import Path
from statistics import median
from time import perf_counter_ns
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from benchmarks.batch import _stretch
from benchmarks.device_engines import Copied, kernel_of, sessions_of_ours
from benchmarks.vocabularies import VocabularyData

if TYPE_CHECKING:
    from collections.abc import Callable

    Texts = list[tuple[list[int], list[int]]]

KERNEL_TYPES = ("float32", "bfloat16")
FORWARD_MS = 4.0
STEPS = 32
PASSES = 4
HOST_CALLS = 200
GENERATED = 100
SCHEMA = json.dumps(
    {
        "type": "object",
        "properties": {
            "name": {"type": "string"},
            "age": {"type": "integer"},
            "kind": {"enum": ["cat", "dog", "bird"]},
        },
        "required": ["name", "age", "kind"],
    }
)
TEXT = b'{"name": "Tiberius the second", "age": 1234567, "kind": "bi'


def measure_device(job: dict[str, Any]) -> dict[str, Any]:
    """Return what was found: the device, versions, and records of the job's part."""
    vocabulary = VocabularyData.load(Path(job["vocabulary"]))
    device = torch.device(job["device"])
    if device.type != "cuda":
        torch.set_num_threads(1)  # several wait for each other where others work, too
    records, versions = PARTS[job["part"]](job, vocabulary, device)
    name = torch.cuda.get_device_name(device) if device.type == "cuda" else "cpu"
    versions = {"torch": torch.__version__, **versions}
    return {"device": name, "versions": versions, "records": records}


def _kernels(
    job: dict[str, Any], vocabulary: VocabularyData, device: Any
) -> tuple[list[dict[str, Any]], dict[str, str]]:
    masks = _masks(vocabulary)
    kernel = kernel_of(job["engine"])
    size = len(vocabulary.tokens)
    records = []
    for name in KERNEL_TYPES:
        for rows in job["sizes"]:
            scores = torch.randn(rows, size, device=device).to(getattr(torch, name))
            for kind, chosen in masks.items():
                packed = np.stack([chosen[i % len(chosen)] for i in range(rows)])
                words = torch.from_numpy(packed).to(device)
                target = scores.clone()
                kernel(target, words)
                record = {"scores": name, "rows": rows, "masks": kind}
                if not _is_masked(scores, target, packed):
                    records.append({**record, "status": "wrong", "error": "other scores"})
                    continue
                call = partial(kernel, target, words)
                record.update(status="ok", device_ns=_on_device(call, device))
                record["host_ns"] = _on_host(call, device)
                records.append(record)
            if job["engine"] == "torch":
                call = partial(scores.fill_, float("-inf"))
                record = {"scores": name, "rows": rows, "masks": "write all", "status": "ok"}
                record.update(device_ns=_on_device(call, device), host_ns=_on_host(call, device))
                records.append(record)
    return records, _versions(job["engine"])


def _masks(vocabulary: VocabularyData) -> dict[str, list[np.ndarray[Any, Any]]]:
    """Return masks along a text: the one that allows most, the one that allows least, and all."""
    import formgate

    own = formgate.Vocabulary(
        vocabulary.tokens, stop_ids=vocabulary.stop_ids, special=vocabulary.special
    )
    engine = formgate.compile(SCHEMA, own, format="json_schema")
    ids = {text: number for number, text in enumerate(vocabulary.tokens)}
    states = [engine.start()]
    for byte in TEXT:
        states.append(engine.advance(states[-1], ids[bytes([byte])]))
    masks = [engine.allowed_tokens(state) for state in states]
    packed = [mask.words.view(np.int32) for mask in masks]
    counts = [len(mask) for mask in masks]
    return {
        "most": [packed[counts.index(max(counts))]],
        "fewest": [packed[counts.index(min(counts))]],
        "a text's": packed,
    }


def _is_masked(before: Any, after: Any, packed: np.ndarray[Any, Any]) -> bool:
    bits = np.unpackbits(packed.view(np.uint8), axis=1, bitorder="little")[:, : before.shape[1]]
    wanted = before.masked_fill(~torch.from_numpy(bits).bool().to(before.device), float("-inf"))
    return bool(torch.equal(after, wanted))


def _on_device(call: Callable[[], object], device: Any) -> float:
    """Return how long the device works on one call, in nanoseconds."""
    if device.type != "cuda":
        return _on_host(call, device)
    from triton.testing import do_bench_cudagraph

    return float(do_bench_cudagraph(call, rep=20, return_mode="median")) * 1e6


def _on_host(call: Callable[[], object], device: Any) -> float:
    """Return how long the call itself takes, in nanoseconds, with nothing to wait for."""
    found = []
    for _ in range(HOST_CALLS if device.type == "cuda" else 3):
        _wait(device)
        begin = perf_counter_ns()
        call()
        found.append(perf_counter_ns() - begin)
    _wait(device)
    return median(found)


def _wait(device: Any) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def _steps(
    job: dict[str, Any], vocabulary: VocabularyData, device: Any
) -> tuple[list[dict[str, Any]], dict[str, str]]:
    workload = json.loads(Path(job["workload"]).read_text(encoding="utf-8"))
    rows, size = job["rows"], len(vocabulary.tokens)
    workload = workload[:rows]
    adapter, compiled = _compiled(job, workload, vocabulary)
    share = rows // len(compiled)
    texts = [_stretch(case, index, STEPS) for case in workload for index in range(share)]
    # An adapter may keep what it fills with from batch to batch: checks have their own.
    checker = _Checker(job, *_compiled(job, workload, vocabulary), texts)
    base = torch.randn(rows, size, device=device)
    groups = [(each, share) for each in compiled]
    begin_session: Callable[[], Any] = (
        sessions_of_ours(groups)
        if job["engine"] == "formgate"
        else partial(Copied, adapter, job["engine"], groups, size, device)
    )
    records = []
    for forward_ms in (0.0, FORWARD_MS):
        forward, scores = _forward(base, forward_ms, device)
        plain: list[int] = []
        added: list[list[int]] = []
        host: list[list[int]] = []
        for turn in range(PASSES):
            session = begin_session()
            for number, (before, _) in enumerate(texts):
                session.feed(number, before)
            walls, calls = [], []
            for step in range(STEPS):
                _wait(device)
                begin = perf_counter_ns()
                forward()
                scores.argmax(-1).tolist()
                plain.append(perf_counter_ns() - begin)
                begin = perf_counter_ns()
                forward()
                called = perf_counter_ns()
                session.mask(scores)
                calls.append(perf_counter_ns() - called)
                scores.argmax(-1).tolist()
                tokens = [after[step] for _, after in texts]
                session.advance(tokens)
                walls.append(perf_counter_ns() - begin)
                if turn == PASSES - 1:
                    wrong = checker.wrong_row(step, scores)
                    if wrong is not None:
                        error = f"step {step}: row {wrong}"
                        return [{"rows": rows, "status": "wrong", "error": error}], {}
            added.append(walls)
            host.append(calls)
        record = {"rows": rows, "status": "ok", "forward_ms": forward_ms}
        # The first turn meets the states, and has the kernel made.
        record.update(plain_ns=plain[STEPS:])
        record["again_ns"] = [min(times) for times in zip(*added[1:], strict=True)]
        record["again_host_ns"] = [min(times) for times in zip(*host[1:], strict=True)]
        records.append(record)
    return records, adapter.versions()


def _compiled(
    job: dict[str, Any], workload: list[dict[str, Any]], vocabulary: VocabularyData
) -> tuple[Any, list[Any]]:
    module, name = job["adapter"].split(":")
    row = np.zeros(-(-len(vocabulary.tokens) // 32), np.int32)
    adapter = getattr(importlib.import_module(module), name)(vocabulary, row)
    compiled = []
    for case in workload:
        own = case["dialects"].get(job["package"], case)
        compiled.append(adapter.compile(adapter.read(own["source"], own["format"]), own["format"]))
    return adapter, compiled


def _forward(base: Any, milliseconds: float, device: Any) -> tuple[Callable[[], object], Any]:
    """Return what launches a pass of so many milliseconds that leaves fresh scores, and those."""
    scores = base.clone()
    if device.type != "cuda":
        return lambda: scores.copy_(base), scores
    side = torch.randn(4096, 4096, device=device, dtype=torch.bfloat16)
    result = torch.empty_like(side)

    def work(count: int) -> None:
        for _ in range(count):
            torch.mm(side, side, out=result)
        scores.copy_(base)

    work(3)
    _wait(device)
    begin = perf_counter_ns()
    work(20)
    _wait(device)
    one = (perf_counter_ns() - begin) / 20 / 1e6
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        work(round(milliseconds / one))
    return graph.replay, scores


class _Checker:
    """Finds rows whose finite scores are not those that their own mask allows.

    One row of each constraint is looked at; committing the tokens of all once more takes long.
    """

    def __init__(
        self, job: dict[str, Any], adapter: Any, compiled: list[Any], texts: Texts
    ) -> None:
        self._is_ours = job["engine"] == "formgate"
        self._adapter = adapter
        self._compiled = compiled
        self._texts = texts

    def wrong_row(self, step: int, scores: Any) -> int | None:
        """Return the first such row, None where there is none."""
        share = len(scores) // len(self._compiled)
        finite = torch.isfinite(scores[::share]).cpu().numpy()
        row = np.zeros((1, -(-scores.shape[1] // 32)), np.int32)
        for number, each in enumerate(self._compiled):
            before, after = self._texts[number * share]
            tokens = [*before, *after[:step]]
            if self._is_ours:
                each.fill_mask(each.advance_many(each.start(), tokens), row, 0)
            else:
                single = self._adapter.start_batch([(each, 1)], row, 1)
                single.feed(0, tokens)
                single.fill()
            bits = np.unpackbits(row.view(np.uint8), bitorder="little")[: scores.shape[1]]
            if not np.array_equal(bits.astype(bool), finite[number]):
                return number * share
        return None


def _decoding(
    job: dict[str, Any], vocabulary: VocabularyData, device: Any
) -> tuple[list[dict[str, Any]], dict[str, str]]:
    from transformers import LlamaConfig, LlamaForCausalLM, LogitsProcessorList

    workload = json.loads(Path(job["workload"]).read_text(encoding="utf-8"))
    adapter, [compiled] = _compiled(job, workload, vocabulary)
    size = len(vocabulary.tokens)
    small = device.type != "cuda"
    config = LlamaConfig(
        vocab_size=size, hidden_size=64 if small else 2048, num_hidden_layers=2 if small else 16,
        num_attention_heads=8 if small else 32, num_key_value_heads=8,
        intermediate_size=128 if small else 8192, bos_token_id=1, eos_token_id=vocabulary.stop_ids,
        pad_token_id=0,
    )  # fmt: skip
    torch.manual_seed(0)
    torch.set_default_dtype(torch.bfloat16)
    with device:
        model = LlamaForCausalLM(config)
    torch.set_default_dtype(torch.float32)
    length = 8 if small else GENERATED
    prompt = torch.full((job["rows"], 16), 1, device=device)

    def generate(processor: Any) -> tuple[float, Any]:
        processors = LogitsProcessorList([] if processor is None else [processor])
        _wait(device)
        begin = perf_counter_ns()
        written = model.generate(
            prompt, attention_mask=torch.ones_like(prompt), do_sample=False, max_new_tokens=length,
            logits_processor=processors,
            min_new_tokens=length if processor is None else None,
        )  # fmt: skip
        _wait(device)
        written = written[:, prompt.shape[1] :].tolist()
        return (perf_counter_ns() - begin) / max(map(len, written)), written

    generate(None)
    record: dict[str, Any] = {"rows": job["rows"], "status": "ok", "plain_ns": [], "masked_ns": []}
    for _ in range(3):
        record["plain_ns"].append(generate(None)[0])
        took, written = generate(_processor(job["engine"], compiled))
        record["masked_ns"].append(took)
    record["tokens"] = max(map(len, written))
    if job["engine"] == "formgate":
        for row in written:
            ends = [i for i, token in enumerate(row) if token in vocabulary.stop_ids]
            compiled.advance_many(compiled.start(), row[: ends[0] if ends else None])
    return [record], {**adapter.versions(), **_versions("transformers")}


def _processor(engine: str, compiled: Any) -> Any:
    if engine == "formgate":
        from formgate.adapters.transformers import FormgateLogitsProcessor

        return FormgateLogitsProcessor(compiled)
    from xgrammar.contrib.hf import (  # type: ignore[import-not-found,unused-ignore]
        LogitsProcessor,
    )

    return LogitsProcessor(compiled)


def _versions(engine: str) -> dict[str, str]:
    from importlib.metadata import PackageNotFoundError, version

    found = {}
    for name in ("triton", {"llguidance-complete": "llguidance"}.get(engine, engine)):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


PARTS = {"kernels": _kernels, "steps": _steps, "decoding": _decoding}
