"""The official suite against compiled schemas, with a ratchet in `ratchet.json`.

Every case is decided: an instance is in the language of its schema or not. Cases that are not
decided right stand in the ratchet by name, with what came out; a whole group as `...: *`. A case
that is wrong and does not stand there fails the run; one that stands there and is right now is
reported, and `--update` takes it out. A schema that no instance satisfies has an empty language,
which decides its cases.

Required cases, and optional ones that are not about formats, run with `formats="annotate"`, as the
standard has it by default; those about formats with `formats="assert"`. So it is with the contents
of strings: optional cases about them run with `content="assert"`, all others without.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from suite import DRAFTS, cases

from conformance.judge import begin, judge
from conformance.pool import run_all
from conformance.texts import reordered, written

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from suite import Case

RATCHET = Path(__file__).with_name("ratchet.json")
KINDS = ("required", "optional", "format")
RIGHT = "right"
EVERY_CASE = ": *"


def jobs(draft: str, order: str, *, every: int = 1, first: int = 0) -> Iterator[dict[str, Any]]:
    """Yield a job for each schema of a draft, or for one of so many."""
    groups: dict[tuple[str, str, int], list[Case]] = {}
    for case in cases(draft):
        groups.setdefault((case.file, case.group, id(case.schema)), []).append(case)
    for number, group in enumerate(groups.values()):
        if number % every != first % every:
            continue
        head = group[0]
        arranged = [
            reordered(case.instance, head.schema) if order == "schema" else case.instance
            for case in group
        ]
        yield {
            "name": f"{draft}/{head.file}: {head.group}",
            "schema": head.schema,
            "options": {
                "draft": draft,
                "resources": draft,
                "formats": "assert" if head.about_format else "annotate",
                "content": "assert" if head.about_content else "annotate",
                "property_order": order,
            },
            "texts": [[written(value), case.valid] for value, case in zip(arranged, group)],  # noqa: B905
            **({"values": [case.instance for case in group]} if order == "schema" else {}),
            "cases": [case.name for case in group],
            "kind": _kind(head),
        }


def verdicts(job: dict[str, Any], record: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the name of each case and what came out: "right", or what is wrong."""
    for at, (name, (_, valid)) in enumerate(zip(job["cases"], job["texts"], strict=True)):
        if record["status"] == "empty":
            yield name, "valid refused" if valid else RIGHT
        elif record["status"] != "ok":
            yield name, f"{record['status']}: {record['reason'].partition(':')[0]}"
        elif not isinstance(record["texts"][at][0], bool):
            yield name, f"error: {record['texts'][at][0].partition(':')[0]}"
        elif record["texts"][at][0] == valid:
            yield name, RIGHT
        else:
            yield name, "valid refused" if valid else "invalid accepted"


def load_ratchet() -> dict[str, dict[str, str]]:
    """Return, for each order of members, the cases that are known not to be decided right."""
    if not RATCHET.exists():
        return {"any": {}, "schema": {}}
    ratchet: dict[str, dict[str, str]] = json.loads(RATCHET.read_text(encoding="utf-8"))
    return ratchet


def stored(name: str, known: dict[str, str]) -> str:
    """Return what the ratchet holds of a case."""
    group = name.rpartition(": ")[0] + EVERY_CASE
    return known.get(name) or known.get(group, RIGHT)


def gathered(found: dict[str, str]) -> dict[str, str]:
    """Return what to store: cases that are not right, one entry for a group with one verdict."""
    groups: dict[str, dict[str, str]] = {}
    for name, verdict in found.items():
        groups.setdefault(name.rpartition(": ")[0], {})[name] = verdict
    kept: dict[str, str] = {}
    for group, members in groups.items():
        same = set(members.values())
        one_entry = len(same) == 1 and len(members) > 1
        entries = {group + EVERY_CASE: same.pop()} if one_entry else members
        kept |= {name: verdict for name, verdict in entries.items() if verdict != RIGHT}
    return dict(sorted(kept.items()))


def worse(found: Iterable[tuple[str, str]], known: dict[str, str]) -> list[str]:
    """Return what the ratchet does not allow: wrong cases that were right, or are wrong otherwise.

    A refusal may change its reason; a refused case that is now decided wrong is worse.
    """
    bad = []
    for name, verdict in found:
        before = stored(name, known)
        if verdict in (RIGHT, before):
            continue
        if before == RIGHT or not (verdict.startswith("refused") and before.startswith("refused")):
            bad.append(f"{name}: {verdict} (was: {before})")
    return bad


def run(
    *,
    drafts: Sequence[str],
    order: str,
    names: Sequence[str],
    every: int,
    processes: int,
    limit_s: float,
    update: bool,
    verbose: bool,
    out: Path | None,
) -> int:
    """Run drafts, print the table, compare with the ratchet or store it."""
    wanted = [
        job
        for draft in drafts
        for job in jobs(draft, order, every=every)
        if not names or any(name in job["name"] for name in names)
    ]
    found: dict[str, str] = {}
    table: dict[tuple[str, str], Counter[str]] = {}
    reasons: Counter[str] = Counter()
    records = []
    for job, record in run_all(wanted, judge, processes=processes, limit_s=limit_s, start=begin):
        records.append(record)
        for (name, verdict), (text, _) in zip(verdicts(job, record), job["texts"], strict=True):
            found[_unique(name, found)] = verdict
            row = table.setdefault((job["options"]["draft"], job["kind"]), Counter())
            row[verdict] += 1
            if record["status"] not in ("ok", "empty"):
                reasons[f"{record['status']}: {record['reason']}"] += 1
            if verbose and verdict != RIGHT:
                print(f"{name}: {verdict}: {text[:200]}")
                if "error" in record:
                    print(f"    {record['error']}")
    print(_table(table, reasons))
    if out:
        out.write_text(json.dumps(records, indent=1), encoding="utf-8")
    if update and (names or every > 1 or set(drafts) != set(DRAFTS)):
        print("the ratchet is stored for all cases or not at all")
        return 2
    return _store(found, order) if update else _compare(found, order)


def _store(found: dict[str, str], order: str) -> int:
    """Make what came out the ratchet of an order."""
    ratchet = {**load_ratchet(), order: gathered(found)}
    text = json.dumps(ratchet, indent=1, ensure_ascii=False, sort_keys=True)
    RATCHET.write_text(text + "\n", encoding="utf-8")
    wrong = sum(verdict != RIGHT for verdict in found.values())
    print(f"stored {wrong} of {len(found)} cases, which are not decided right")
    return 0


def _compare(found: dict[str, str], order: str) -> int:
    """Say what is better and worse than the ratchet; the exit status."""
    known = load_ratchet()[order]
    better = sum(v == RIGHT != stored(name, known) for name, v in found.items())
    if better:
        print(f"{better} cases are decided right now; store that with --update")
    bad = worse(found.items(), known)
    if bad:
        print(f"{len(bad)} cases are worse than stored:\n  " + "\n  ".join(bad[:50]))
    return int(bool(bad))


def _unique(name: str, known: dict[str, str]) -> str:
    """Return a name for a case whose name is taken."""
    unique, number = name, 1
    while unique in known:
        number += 1
        unique = f"{name} ({number})"
    return unique


def _kind(case: Case) -> str:
    if case.about_format:
        return "format"
    return "optional" if case.optional else "required"


def _table(table: dict[tuple[str, str], Counter[str]], reasons: Counter[str]) -> str:
    """Return counts for each draft and kind, then the reasons of refusals."""
    lines = ["draft    kind       cases  right      %  accepted  refused  not decided"]
    lines[0] += "   (accepted: invalid ones, refused: valid ones)"
    for (draft, kind), row in sorted(table.items(), key=lambda i: (i[0][0], KINDS.index(i[0][1]))):
        total = sum(row.values())
        other = total - row[RIGHT] - row["invalid accepted"] - row["valid refused"]
        lines.append(
            f"{draft:8} {kind:9} {total:6} {row[RIGHT]:6} {100 * row[RIGHT] / total:6.2f} "
            f"{row['invalid accepted']:9} {row['valid refused']:8} {other:8}"
        )
    lines += [f"{count:6}  {reason}" for reason, count in reasons.most_common(40)]
    return "\n".join(lines)
