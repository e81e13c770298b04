"""The replay loop and its clocks, run inside an engine's process.

Each step is timed on its own: fill the row, then commit one token. Two clocks surround each call,
wall time on the inside and the CPU time of the process on the outside, and the smaller difference
counts: wall time has the finer grain (the CPU clock is a system call of half a microsecond), CPU
time is right when another program was scheduled in between. The CPU clock is that of the whole
process, so that helper threads are charged to the engine that starts them.

Nothing is subtracted for the clocks; `clock_overhead_ns` says what an empty pair costs.
"""

from __future__ import annotations

import gc
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter_ns, process_time_ns
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.engines.base import RefusedError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from benchmarks.engines.base import Adapter
    from benchmarks.json_oracle import JsonOracle

FLUSH_BYTES = 64 * 2**20
# A case whose outputs take this long the first time is not replayed again.
AGAIN_LIMIT_NS = 20 * 10**9
CACHE_LINE = 64
# Has what readers of schemas import when they first meet it.
_SCHEMA = """{"type": "object", "properties": {"a": {"enum": ["%s"]}, "d": {"format": "date"},
"n": {"type": "integer", "minimum": 1}, "p": {"type": "string", "pattern": "^a$"}}}"""
WARM_UPS = {
    "regex": "[ab]{1,3}",
    "lark": "start: LETTERS\nLETTERS: /[ab]{1,3}/\n",
    "gbnf": "root ::= [ab]{1,3}\n",
    "kbnf": "text ::= #'[ab]{1,3}';\n",
    "json_schema": _SCHEMA % "b",
    "json_schema_any_order": _SCHEMA % "c",
    "json_schema_compact": _SCHEMA % "d",
}
_SIMPLER = '{"enum": ["a"]}'  # for readers of schemas that refuse the one above


class Row:
    """One packed mask row, aligned to a cache line, with a fast view for looking at single bits."""

    def __init__(self, size: int) -> None:
        words = -(-size // 32)
        space = np.zeros(words + CACHE_LINE // 4, np.int32)
        start = (-space.ctypes.data % CACHE_LINE) // 4
        self.use(space[start : start + words])
        # Bits past the vocabulary mean nothing and differ between engines.
        self._last = (1 << (size % 32)) - 1 if size % 32 else -1

    def use(self, array: np.ndarray[Any, Any]) -> None:
        """Look at this array from now on, an engine's own buffer."""
        self.array = array
        self.words = array.data

    def allows(self, token: int) -> bool:
        """Tell whether the bit of `token` is set."""
        return bool(self.words[token >> 5] >> (token & 31) & 1)

    def digest(self, stop_ids: Sequence[int] = ()) -> int:
        """Return a checksum of the mask.

        Of the stop tokens it tells whether any is allowed: some engines can be told of one only.
        """
        content = self.array.copy()
        content[-1] &= np.int32(self._last)
        words = content.view(np.uint32)
        for token in stop_ids:
            words[token >> 5] &= ~np.uint32(1 << (token & 31))
        ends = any(self.allows(token) for token in stop_ids)
        return zlib.crc32(content.tobytes(), int(ends))


@dataclass
class Pass:
    """One replay of a token sequence: what each step took, and where it went wrong, if it did.

    `wall_ns` and `cpu_ns` are the sums over all steps by each clock alone.
    """

    start_ns: int
    mask_ns: list[int] = field(default_factory=list)
    advance_ns: list[int] = field(default_factory=list)
    wall_ns: int = 0
    cpu_ns: int = 0
    failure: str | None = None

    def add(self, series: list[int], wall: int, cpu: int) -> None:
        """Count one more time."""
        series.append(min(wall, cpu))
        self.wall_ns += wall
        self.cpu_ns += cpu


class Replayer:
    """Replays token sequences through one adapter.

    `flush` overwrites a block larger than the processor's caches before every mask, as a forward
    pass of a model would.
    """

    def __init__(self, adapter: Adapter, row: Row, stop_ids: Sequence[int], *, flush: bool) -> None:
        self._adapter = adapter
        self._row = row
        self._stop_ids = stop_ids
        self._block = np.zeros(FLUSH_BYTES // 4, np.int32) if flush else None

    def compile(
        self, source: str, form: str, *, collect: bool = True
    ) -> tuple[Any, int, int | None]:
        """Return the compiled constraint, its time in nanoseconds, and the part of its reading.

        That part is None where the engine does both in one. Garbage is collected before, outside
        of that time, unless the caller's own clock runs.
        """
        if collect:
            gc.collect()
        cpu, wall = process_time_ns(), perf_counter_ns()
        read = self._adapter.read(source, form)
        read_ns = min(perf_counter_ns() - wall, process_time_ns() - cpu)
        compiled = self._adapter.compile(read, form)
        whole_ns = min(perf_counter_ns() - wall, process_time_ns() - cpu)
        return compiled, whole_ns, read_ns if self._adapter.reads_apart else None

    def timed(self, compiled: Any, tokens: Sequence[int]) -> Pass:
        """Replay with both clocks around every call, and check each mask for the token fed."""
        now, used = perf_counter_ns, process_time_ns
        self._flush()
        cpu0, wall0 = used(), now()
        fill, advance = self._adapter.start(compiled)
        result = Pass(min(now() - wall0, used() - cpu0))
        allows, flush = self._row.allows, self._flush if self._block is not None else None

        try:
            for position, token in enumerate([*tokens, None]):
                if flush:
                    flush()
                cpu0, wall0 = used(), now()
                fill()
                wall1, cpu1 = now(), used()
                result.add(result.mask_ns, wall1 - wall0, cpu1 - cpu0)
                if token is None:
                    break
                if not allows(token):
                    result.failure = f"mask {position} forbids the legal token {token}"
                    return result
                cpu0, wall0 = used(), now()
                accepted = advance(token)
                wall1, cpu1 = now(), used()
                result.add(result.advance_ns, wall1 - wall0, cpu1 - cpu0)
                if not accepted:
                    result.failure = f"advance {position} refuses token {token}"
                    return result
        except Exception as error:  # noqa: BLE001 - whatever an engine raises is a result
            result.failure = f"{type(error).__name__}: {error}"
            return result
        if not any(allows(token) for token in self._stop_ids):
            result.failure = "no stop token at the end"
        return result

    def loop_ns(self, compiled: Any, tokens: Sequence[int]) -> int:
        """Return the time of a whole replay, with no clock or check between the steps."""
        fill, advance = self._adapter.start(compiled)
        cpu, wall = process_time_ns(), perf_counter_ns()
        for token in tokens:
            fill()
            advance(token)
        fill()
        return min(perf_counter_ns() - wall, process_time_ns() - cpu)

    def digests(self, compiled: Any, tokens: Sequence[int]) -> list[int]:
        """Return the checksum of the mask at every step."""
        fill, advance = self._adapter.start(compiled)
        result = []
        for token in tokens:
            fill()
            result.append(self._row.digest(self._stop_ids))
            advance(token)
        fill()
        result.append(self._row.digest(self._stop_ids))
        return result

    def masks(
        self, compiled: Any, tokens: Sequence[int], positions: Sequence[int]
    ) -> Iterator[tuple[int, np.ndarray[Any, Any]]]:
        """Yield the masks at some positions, in order: each holds until the next is asked for."""
        fill, advance = self._adapter.start(compiled)
        at = 0
        for position in positions:
            for token in tokens[at:position]:
                advance(token)
            at = position
            fill()
            yield position, self._row.array

    def refuses(self, compiled: Any, tokens: Sequence[int]) -> bool:
        """Tell whether the masks keep this text of a non-matching case from being completed.

        An error or a refusal by `advance` of a token that the mask allowed does not count as
        refusing: a decoder would be stuck there. Raises `AssertionError` then.
        """
        fill, advance = self._adapter.start(compiled)
        for position, token in enumerate(tokens):
            fill()
            if not self._row.allows(token):
                return True
            _must_accept(advance, token, position)
        fill()
        return not any(self._row.allows(token) for token in self._stop_ids)

    def _flush(self) -> None:
        if self._block is not None:
            self._block += 1


def _must_accept(advance: Callable[[int], object], token: int, position: int) -> None:
    try:
        accepted = advance(token)
    except Exception as error:
        raise AssertionError(f"advance {position} raises on an allowed token: {error}") from error
    if not accepted:
        raise AssertionError(f"advance {position} refuses an allowed token")


def measure_case(
    replayer: Replayer,
    case: dict[str, Any],
    source: str,
    form: str,
    *,
    complete: bool = True,
    oracle: JsonOracle | None = None,
) -> dict[str, Any]:
    """Compile one case, replay its texts cold and warm, and check it; returns a JSON-ready record.

    A case that is very slow, or wrong already, is not timed a second time.

    `status` is "ok", "refused" (the engine does not take the constraint) or "wrong" (a matching
    text was not accepted, or a non-matching one was). An engine that does not mean its masks to be
    `complete` may fail at other tokenisations than the tokeniser's own; such runs are recorded but
    not held against it. Where there is an `oracle`, outputs are JSON, and a sample of their masks
    is judged by it.
    """
    try:
        compiled, compile_ns, read_ns = replayer.compile(source, form)
    except RefusedError as error:
        return {"status": "refused", "error": str(error)[:400]}
    record: dict[str, Any] = {"status": "ok", "compile_ns": compile_ns, "runs": []}
    if read_ns is not None:
        record["read_ns"] = read_ns
    failures: list[str] = []
    for run in case["runs"]:
        cold = replayer.timed(compiled, run["tokens"])
        entry = {"text": run["text"], "tokenisation": run["tokenisation"], "failure": cold.failure}
        entry["pair"] = run["pair"]
        entry.update(start_ns=cold.start_ns, mask_ns=cold.mask_ns, advance_ns=cold.advance_ns)
        entry.update(wall_ns=cold.wall_ns, cpu_ns=cold.cpu_ns)
        record["runs"].append(entry)
        if cold.failure and (complete or run["tokenisation"] == "bpe"):
            failures.append(f"text {run['text']} ({run['tokenisation']}): {cold.failure}")
    if sum(entry["cpu_ns"] for entry in record["runs"]) < AGAIN_LIMIT_NS:
        _go_on(replayer, compiled, case, record["runs"], oracle, timed=not failures)
    failures += _wrongly_accepted(replayer, compiled, case["rejects"])
    if failures:
        record.update(status="wrong", error="; ".join(failures)[:400], failures=len(failures))
    return record


def _go_on(
    replayer: Replayer,
    compiled: Any,
    case: dict[str, Any],
    entries: list[dict[str, Any]],
    oracle: JsonOracle | None,
    *,
    timed: bool,
) -> None:
    """Time each finished output again, and look at its masks when no time is taken any more."""
    finished = [pair for pair in zip(case["runs"], entries, strict=True) if not pair[1]["failure"]]
    for run, entry in finished:
        if timed:
            warm = replayer.timed(compiled, run["tokens"])
            entry.update(warm_mask_ns=warm.mask_ns, warm_advance_ns=warm.advance_ns)
            entry["loop_ns"] = replayer.loop_ns(compiled, run["tokens"])
        if case["compared"]:
            entry["digests"] = replayer.digests(compiled, run["tokens"])
    if oracle is None:
        return
    for run, entry in finished:
        seed = f"{case['name']} {run['text']} {run['tokenisation']}"
        entry["judged"] = oracle.judge(replayer, compiled, run["tokens"], seed)


def _wrongly_accepted(
    replayer: Replayer, compiled: Any, rejects: Iterable[dict[str, Any]]
) -> Iterator[str]:
    for reject in rejects:
        try:
            refused = replayer.refuses(compiled, reject["tokens"])
        except AssertionError as error:
            yield f"non-matching text {reject['text']}: {error}"
            continue
        if not refused:
            yield f"non-matching text {reject['text']} is accepted"


def clock_overhead_ns() -> int:
    """Return the median difference of an empty pair of wall-clock readings."""
    pairs = sorted(-perf_counter_ns() + perf_counter_ns() for _ in range(1001))
    return pairs[500]


def warm_up(replayer: Replayer, tokens: list[int], formats: Sequence[str] = ("regex",)) -> int:
    """Compile and replay a tiny source of each format, so that first-use costs are not charged.

    Returns the time of these first compilations in nanoseconds; late imports show in it.
    """
    total_ns = 0
    for form in formats:
        try:
            compiled, compile_ns, _ = replayer.compile(WARM_UPS[form], form)
        except RefusedError:
            compiled, compile_ns, _ = replayer.compile(_SIMPLER, form)
        total_ns += compile_ns
        for _ in range(5):
            replayer.timed(compiled, tokens)
    return total_ns


def memory_mib(key: str) -> float:
    """Return a figure of this process's memory, such as VmRSS or its peak, VmHWM."""
    for line in Path("/proc/self/status").read_text(encoding="utf-8").splitlines():
        if line.startswith(key + ":"):
            return round(int(line.split()[1]) / 1024, 1)
    return 0.0
