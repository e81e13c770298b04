"""What a format costs inside decoding: the same constraints, masks made in several ways.

The embedded model writes each output once, greedily, under the constraint. Then the same tokens are
decoded again in each way, by the same loop, so that only the masks differ:

 - `unmasked`: no constraint; the highest score of the whole row is taken.
 - `copy alone`: numpy copies a finished row and nothing is committed: what calls, clocks and cold
   caches cost with it. Ours copies finished rows by itself, and can take less.
 - `lazy`: compiled right before, over an empty pool of expressions: what the first output of a new
   constraint costs. Masks that are made ahead count as compiling, others are made as they are met.
 - `none ahead`: the same compiled without any mask made ahead.
 - `precompiled`: the output has been made before, so every state is known: what the constraint
   costs in the long run.
 - `derived again`: at every token the source is compiled anew and the text so far is read again,
   with whatever the process keeps between compilations (expressions, masks, loaded grammars).
 - `derived from nothing`: the same over an empty pool each time, so that nothing native is kept.

Every step is timed as in a server: the model's pass has just used the processor's caches. The work
is that of all benchmarks, to fill one preallocated row and to commit one token. Choosing from the
masked scores is timed, too, since a mask changes how the row of scores is searched.
"""

from __future__ import annotations

import sys
from itertools import pairwise
from pathlib import Path
from time import perf_counter_ns, thread_time_ns
from typing import TYPE_CHECKING, Any, NamedTuple

from benchmarks.process import Worker
from benchmarks.progress import Progress

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from benchmarks.cases import Case
    from benchmarks.runner import Options

BUDGET_NS = 4e6  # of one token, at 250 a second
COMPILED = ("lazy", "none ahead", "precompiled")  # once, before decoding
MODES = ("unmasked", "copy alone", *COMPILED, "derived again", "derived from nothing")
SERIES = ("forward_ns", "mask_ns", "sample_ns", "advance_ns")
POOL_BYTES = 256 * 2**20
PROMPTS = {
    "zip_code": "What is the ZIP code of the University of California in San Diego?",
    "brackets": "Write balanced brackets.",
    "tutor": "Make a Spanish exercise about the future tense, as a JSON object.",
    "forms_600": "Name one form of the Spanish verb hablar.",
}


def run_decoding(cases: Sequence[Case], tokens: int, options: Options) -> dict[str, Any]:
    """Measure in a process of its own; returns a session with one record per case.

    Raises `RuntimeError` when the model cannot be used.
    """
    job = {
        "task": "decoding",
        "core": options.core,
        "memory_gib": options.memory_gib,
        "repeat": options.repeat,
        "tokens": tokens,
        "cases": [
            {"name": case.name, "group": case.group, "format": case.format, "source": case.source}
            for case in cases
        ],
    }
    session: dict[str, Any] = {"workload": "decoding", "engine": "formgate", "cases": {}}
    session.update(vocabulary="smollm2", setup={}, versions={})
    progress = Progress("crossformat", len(cases))
    progress.show("loading the model")
    worker = Worker(job, Path(sys.executable), options.niceness)
    complete = False
    try:
        for event in worker:
            if event["event"] == "ready":
                session["versions"] = event["versions"]
            elif event["event"] == "begin":
                progress.show(event["case"])
                worker.set_limit(40 * options.timeout_s)
            elif event["event"] == "case":
                session["cases"][event["case"]] = event["record"]
                progress.step()
            elif event["event"] == "end":
                complete = True
    finally:
        worker.stop()
    if not complete:
        raise RuntimeError(f"decoding failed: {worker.ended_by or worker.last_words}")
    tokens_done = sum(len(record["tokens"]) for record in session["cases"].values())
    progress.close(f"{len(session['cases'])} outputs, {tokens_done} tokens")
    return session


def measure_decoding(job: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Run inside the worker: yield its events."""
    from importlib.metadata import version

    import torch

    from benchmarks.engines.formgate import EngineAdapter
    from benchmarks.measure import WARM_UPS
    from formgate.core.cli._embedded_model import load_model

    loaded = load_model(None, device="cpu", threads=1, progress=lambda _: None)
    torch.set_num_threads(1)
    adapter = EngineAdapter.over(loaded.vocabulary)
    packages = ("formgate", "torch", "transformers", "lark")
    yield {"event": "ready", "versions": {name: version(name) for name in packages}}
    for form in dict.fromkeys(case["format"] for case in job["cases"]):
        adapter.compile(adapter.read(WARM_UPS[form], form), form)
    for case in job["cases"]:
        yield {"event": "begin", "case": case["name"]}
        prompt = next(PROMPTS[key] for key in PROMPTS if case["group"].startswith(key))
        trial = _Trial(adapter, loaded, case, prompt)
        yield {"event": "case", "case": case["name"], "record": trial.record(job)}


class _Masks(NamedTuple):
    """Writes the mask of the current state into a row; hands it out as a value; commits a token.

    Where there is no mask to hand out, no token is chosen.
    """

    fill: Callable[[], object]
    mask: Callable[[], Any] | None
    advance: Callable[[int], object]


class _Trial:
    """One constraint in one format."""

    def __init__(self, adapter: Any, loaded: Any, case: dict[str, Any], prompt: str) -> None:
        from formgate.core._native import MaskBuffer

        self._adapter = adapter
        self._model = loaded.model
        self._prompt = (loaded.encode_chat or loaded.encode)(prompt)
        self._source, self._form = case["source"], case["format"]
        self._row = MaskBuffer(1, len(loaded.vocabulary))
        self.read_ns = self.compile_ns = 0

    def record(self, job: dict[str, Any]) -> dict[str, Any]:
        """Decode in every way, several times; each step keeps its smallest time."""
        from formgate.decoding import constrained_decode

        result = constrained_decode(
            self._model, self._compiled(), self._prompt, max_tokens=job["tokens"]
        )
        tokens = list(result.tokens)
        modes: dict[str, dict[str, list[int]]] = {}
        compiling: list[tuple[int, int]] = []
        for _ in range(job["repeat"]):
            for mode in MODES:
                self._adapter.warm_up = mode != "none ahead"
                engine = self._compiled() if mode in COMPILED else None
                if mode == "lazy":
                    compiling.append((self.read_ns, self.compile_ns))
                if mode == "precompiled":
                    self._visit(engine, tokens)
                masks = None if mode == "unmasked" else self._masks(mode, engine)
                series = self._decode(tokens, masks)
                known = modes.setdefault(mode, series)
                for name in SERIES:
                    known[name] = [min(p) for p in zip(known[name], series[name], strict=True)]
        read_ns, compile_ns = min(compiling, key=sum)
        return {
            "text": result.text,
            "complete": result.complete,
            "tokens": tokens,
            "read_ns": read_ns,
            "compile_ns": compile_ns,
            "modes": modes,
        }

    def _compiled(self, *, fresh: bool = True) -> Any:
        """Compile the source, over an empty pool of expressions if it is to be `fresh`."""
        if fresh:
            self._leave_pool()
        started = thread_time_ns()
        grammar = self._adapter.read(self._source, self._form)
        read = thread_time_ns()
        engine = self._adapter.compile(grammar, self._form)
        self.compile_ns = thread_time_ns() - read
        self.read_ns = read - started
        return engine

    def _leave_pool(self) -> None:
        """Let what is compiled next find an empty pool of expressions.

        Only what begins the pool is over the budget: under it, what is derived would be dropped.
        """
        from formgate.core._native import set_pool_budget

        set_pool_budget(1)
        self._adapter.compile(self._adapter.read("", "regex"), "regex")
        set_pool_budget(POOL_BYTES)

    def _masks(self, mode: str, engine: Any) -> _Masks:
        if engine is not None:
            return self._masks_of(engine)
        if mode == "copy alone":
            put, ones = self._row.array.__setitem__, self._row.array.copy()
            return _Masks(lambda: put(..., ones), None, lambda token: token >= 0)
        tokens: list[int] = []
        derived = state = None

        def fill() -> None:
            nonlocal derived, state
            derived = self._compiled(fresh=False)
            state = derived.advance_many(derived.start(), tokens)
            derived.fill_mask(state, self._row, 0)

        def mask() -> Any:
            allowed = derived.allowed_tokens(state)
            if mode == "derived from nothing":
                self._leave_pool()
            return allowed

        if mode == "derived from nothing":
            self._leave_pool()
        return _Masks(fill, mask, tokens.append)

    def _masks_of(self, engine: Any) -> _Masks:
        state, row = engine.start(), self._row

        def advance(token: int) -> None:
            nonlocal state
            state = engine.advance(state, token)

        return _Masks(
            lambda: engine.fill_mask(state, row, 0), lambda: engine.allowed_tokens(state), advance
        )

    def _visit(self, engine: Any, tokens: Sequence[int]) -> None:
        """Make every mask of an output, without the model."""
        masks = self._masks_of(engine)
        for token in tokens:
            masks.fill()
            masks.advance(token)

    def _decode(self, tokens: Sequence[int], masks: _Masks | None) -> dict[str, list[int]]:
        """Decode these tokens; raises `ValueError` where the mask leads to another one."""
        from formgate.core.decoding._rows import Chooser, as_row
        from formgate.core.decoding.samplers import argmax

        chooser = Chooser(argmax, logprobs=False)
        series: dict[str, list[int]] = {name: [] for name in SERIES}
        for position, token in enumerate(tokens):
            clock = [_now()]
            last = tokens[position - 1]
            scores = self._model.step(last) if position else self._model.start(self._prompt)
            row = as_row(scores)
            clock.append(_now())
            if masks is None:
                clock.append(clock[-1])
                argmax(row)
                clock += [_now()] * 2
                spans = list(pairwise(clock))
            else:
                masks.fill()
                clock.append(_now())
                before = after = _now()
                if masks.mask is not None:
                    mask = masks.mask()
                    count = len(mask)
                    before = _now()
                    chosen = chooser.pick(row, mask, count).token
                    after = _now()
                    if chosen != token:
                        raise ValueError(f"token {position} is {chosen}, was {token} before")
                then = _now()
                masks.advance(token)
                spans = [*pairwise(clock), (before, after), (then, _now())]
            for name, (start, end) in zip(SERIES, spans, strict=True):
                series[name].append(min(end[0] - start[0], end[1] - start[1]))
        return series


def _now() -> tuple[int, int]:
    """Return both clocks; of two differences the smaller counts, as in `benchmarks.measure`."""
    return thread_time_ns(), perf_counter_ns()
