"""Real schemas with valid and invalid instances: what compiles, is decided wrong, is slow.

The schemas are those of the public MaskBench, read in place from `shared/data`; nothing of them is
stored here. Each is compiled with the options of the format left alone (or as asked), and every
instance is serialised and judged. Schemas that do not compile stand by name in `ratchet_real.json`;
one that does not stand there, or an instance decided wrong, fails the run.
"""

from __future__ import annotations

import json
import lzma
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conformance.texts import reordered, written

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

DATA = Path(__file__).resolve().parents[4] / "shared/data/json-schemas-real.jsonl.xz"
RATCHET = Path(__file__).with_name("ratchet_real.json")
SLOWEST = 20
EXAMPLES = 3
WARMING = 20  # of so many schemas one is compiled before times are taken again


def load() -> list[dict[str, Any]]:
    """Return all entries in their order."""
    with lzma.open(DATA, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def jobs(
    entries: Iterable[dict[str, Any]], options: dict[str, Any], *, tokens: bool
) -> Iterator[dict[str, Any]]:
    """Yield the job of each entry."""
    order = options.get("property_order", "schema")
    for entry in entries:
        texts = []
        for test in entry["tests"]:
            data = test["data"]
            data = reordered(data, entry["schema"]) if order == "schema" else data
            texts.append([written(data), test["valid"]])
        yield {
            "name": entry["name"],
            "schema": entry["schema"],
            "options": options,
            "texts": texts,
            **({"values": [test["data"] for test in entry["tests"]]} if order == "schema" else {}),
            "tokens": tokens,
            "size": entry["meta"]["full_size"],
        }


def slowest(records: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the records of what took longest, the slowest first."""
    timed = [record for record in records if "mask_s" in record]
    return sorted(timed, key=_whole, reverse=True)[:SLOWEST]


def jobs_again(
    entries: Sequence[dict[str, Any]],
    names: Iterable[str],
    options: dict[str, Any],
    *,
    tokens: bool,
) -> Iterator[dict[str, Any]]:
    """Yield jobs that take the times of some schemas again, behind others as they came before.

    What runs in a process at first imports modules, and with another process beside it each takes
    longer: a time is that of a schema where these are imported and nothing else runs.
    """
    wanted = set(names)
    first = [entry for entry in entries[::WARMING] if entry["name"] not in wanted]
    for entry in (*first, *(entry for entry in entries if entry["name"] in wanted)):
        yield from jobs([{**entry, "tests": []}], options, tokens=tokens)


def keep_least(records: Iterable[dict[str, Any]], again: Iterable[dict[str, Any]]) -> None:
    """Put the least times of what was measured again into records, as `least`."""
    own = {record["name"]: record for record in records}
    for record in again:
        found = own[record["name"]]
        if "mask_s" in record:
            found["least"] = min(_least(found), _parts(record), key=sum)


def fixed_work_s() -> float:
    """Return the seconds that a loop takes which is always the same: how fast the processor is."""
    started = time.perf_counter()
    counts: dict[tuple[int, int], int] = {}
    for number in range(60_000):
        key = number % 977, number & 3
        counts[key] = counts.get(key, 0) + 1
    return time.perf_counter() - started


def finished(job: dict[str, Any], record: dict[str, Any]) -> dict[str, Any]:
    """Return a record with what is wrong in it counted."""
    wrong: dict[str, list[int]] = {"valid refused": [], "invalid accepted": [], "error": []}
    for at, ((_, valid), (accepted, _)) in enumerate(
        zip(job["texts"], record["texts"], strict=False)
    ):
        if not isinstance(accepted, bool):
            wrong["error"].append(at)
        elif accepted != valid:
            wrong["invalid accepted" if accepted else "valid refused"].append(at)
    if record["status"] == "empty":
        wrong["valid refused"] = [at for at, (_, valid) in enumerate(job["texts"]) if valid]
    return {**record, "size": job["size"], "wrong": {k: v for k, v in wrong.items() if v}}


def verdict(record: dict[str, Any]) -> str:
    """Return "right", what did not compile, or what was decided wrong."""
    if record["wrong"]:
        return "wrong: " + ", ".join(record["wrong"])
    if record["status"] in ("ok", "empty"):
        return "right"
    return f"{record['status']}: {record['reason'].partition(':')[0]}"


def worse(records: Iterable[dict[str, Any]]) -> list[str]:
    """Return what the ratchet does not hold."""
    known = json.loads(RATCHET.read_text(encoding="utf-8")) if RATCHET.exists() else {}
    return [
        f"{record['name']}: {now} (was: {known.get(record['name'], 'right')})"
        for record in records
        if (now := verdict(record)) != "right" and known.get(record["name"]) != now
    ]


def store(records: Iterable[dict[str, Any]]) -> int:
    """Make the ratchet of what came out; returns how many schemas it holds."""
    kept = {record["name"]: verdict(record) for record in records if verdict(record) != "right"}
    RATCHET.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    return len(kept)


def summary(records: Sequence[dict[str, Any]]) -> str:
    """Return what a reader wants to know first."""
    count = len(records) or 1
    # A schema without valid instances has an empty language, which is a right answer.
    status = Counter(record["status"] for record in records)
    lines = [f"{len(records)} schemas"]
    lines += [
        f"  {name:10} {number:6}  {100 * number / count:.2f} %"
        for name, number in status.most_common()
    ]
    lines += ["", "wrong instances, in schemas that compile"]
    for kind in ("valid refused", "invalid accepted", "error"):
        hit = [record for record in records if kind in record["wrong"]]
        instances = sum(len(record["wrong"][kind]) for record in hit)
        shown = ", ".join(f"{r['name']}[{r['wrong'][kind][0]}]" for r in hit[:EXAMPLES])
        lines.append(f"  {kind:17} {instances:5} in {len(hit)} schemas  {shown}")
    lines += ["", "schemas that do not compile, by reason"]
    reasons: dict[str, list[dict[str, Any]]] = {}
    for record in records:
        if record["status"] != "ok" and not _rightly_empty(record):
            reasons.setdefault(f"{record['status']}: {record['reason']}", []).append(record)
    for reason, hit in sorted(reasons.items(), key=lambda item: -len(item[1])):
        shown = ", ".join(record["name"] for record in hit[:EXAMPLES])
        lines.append(f"  {len(hit):5}  {reason}\n         {shown}")
    timed = [record for record in records if "mask_s" in record]
    lines += ["", f"times of {len(timed)} schemas, ms: p50 / p90 / p99 / max"]
    for name in ("grammar_s", "engine_s", "mask_s"):
        lines.append(f"  {name[:-2]:8} {_spread([record[name] for record in timed])}")
    lines += ["", "slowest (ms: grammar + engine + first mask; the least of all; in the run)"]
    for record in sorted(slowest(timed), key=lambda r: sum(_least(r)), reverse=True):
        parts = " + ".join(f"{1e3 * part:.1f}" for part in _least(record))
        lines.append(
            f"  {1e3 * sum(_least(record)):9.1f} = {parts}; {1e3 * _whole(record):.1f}  "
            f"{record['name']} ({record['size']:,} bytes)"
        )
    return "\n".join(lines)


def _rightly_empty(record: dict[str, Any]) -> bool:
    return record["status"] == "empty" and not record["wrong"]


def _parts(record: dict[str, Any]) -> list[float]:
    return [float(record[f"{name}_s"]) for name in ("grammar", "engine", "mask")]


def _least(record: dict[str, Any]) -> list[float]:
    least: list[float] = record.get("least", _parts(record))
    return least


def _whole(record: dict[str, Any]) -> float:
    return sum(_parts(record))


def _spread(values: list[float]) -> str:
    if not values:
        return "-"
    values.sort()
    picks = [values[min(int(len(values) * share), len(values) - 1)] for share in (0.5, 0.9, 0.99)]
    return " / ".join(f"{1e3 * value:.2f}" for value in [*picks, values[-1]])
