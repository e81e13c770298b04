"""Which records of replays count: right answers, and masks that nothing contradicts.

Texts alone do not judge a mask. Where engines are asked for the same masks and make different ones,
at least one of them is wrong; a case is set aside for each engine that more of the others
contradict there than confirm. Of two engines that differ neither can be believed, so both lose it.
Engines of one package are one voice: they share their mistakes. Masks of JSON Schemas, which are
not compared, are judged by `benchmarks.json_oracle`; one it contradicts sets the case aside, too.
"""

from __future__ import annotations

from typing import Any

from benchmarks.engines import ENGINES
from benchmarks.statistics import counts_as_measured, judged, mask_differences, masks_agree

Session = dict[str, Any]
Sessions = dict[str, Session]
# By engine and case: how many masks are contradicted, of so many compared or judged.
Aside = dict[str, dict[str, tuple[int, int]]]


def usable(session: Session) -> dict[str, dict[str, Any]]:
    """Return the case records of right answers, as far as texts tell."""
    engine = session["engine"]
    return {n: r for n, r in session["cases"].items() if counts_as_measured(engine, r)}


def right(session: Session, aside: Aside) -> dict[str, dict[str, Any]]:
    """Return the case records whose times count: those of `usable` that are not set aside."""
    out = aside.get(session["engine"], {})
    return {name: record for name, record in usable(session).items() if name not in out}


def compared(results: dict[str, Any], name: str) -> bool:
    """Tell whether the masks of a case mean the same to every engine."""
    case = results["cases"][name]
    return bool(case["common"] and case.get("same_masks", True))


def agreed(results: dict[str, Any], mine: Session, theirs: Session, name: str) -> bool:
    """Tell whether nothing speaks against two engines' masks of a case.

    That is a judge of JSON, or that they differ where they are compared: one of them is wrong then,
    though it accepts and refuses every text rightly.
    """
    records = mine["cases"][name], theirs["cases"][name]
    if any(judged(record)[0] for record in records):
        return False
    pair = mine["engine"], theirs["engine"]
    if not compared(results, name) or not all(ENGINES[engine].comparable for engine in pair):
        return True
    return masks_agree(*records)


def set_aside(results: dict[str, Any], sessions: Sessions) -> Aside:
    """Return what each engine loses, with how many of its masks are contradicted, at most.

    An engine whose masks leave tokens out by design has no say. Takes a comparison of checksums
    for each pair of engines.
    """
    voters = {
        name: session["cases"]
        for name, session in sessions.items()
        if ENGINES[name].comparable and ENGINES[name].complete
    }
    aside: Aside = {name: {} for name in sessions}
    for name in (name for name in results["cases"] if compared(results, name)):
        records = {
            engine: cases[name]
            for engine, cases in voters.items()
            if name in cases and cases[name]["status"] == "ok"
        }
        for engine in records:
            against = _outvoted(engine, records)
            if against is not None:
                aside[engine][name] = against
    for engine, session in sessions.items():
        for name, record in session["cases"].items():
            found = judged(record)
            if record["status"] == "ok" and found[0]:
                aside[engine][name] = found
    return aside


def contradiction(record: dict[str, Any], found: tuple[int, int]) -> str:
    """Return in words why a case is set aside for an engine."""
    reason = "masks allow what is no JSON" if judged(record)[0] else "masks differ"
    return "{} in {} of {}".format(reason, *found)


def _outvoted(engine: str, records: dict[str, dict[str, Any]]) -> tuple[int, int] | None:
    """Return the most masks at which an engine is contradicted, if it is by more than confirm it.

    A package whose own engines differ among each other neither confirms nor contradicts. An engine
    of the same package confirms nothing; where it differs, one of the two is wrong all the same.
    """
    by_package: dict[str, list[tuple[int, int]]] = {}
    for other, record in records.items():
        if other != engine:
            found = by_package.setdefault(ENGINES[other].package, [])
            found.append(mask_differences(records[engine], record))
    own = by_package.pop(ENGINES[engine].package, [])
    against = [max(pairs) for pairs in by_package.values() if all(pair[0] for pair in pairs)]
    against += [pair for pair in sorted(own)[-1:] if pair[0]]
    confirmed = sum(
        1
        for pairs in by_package.values()
        if any(seen for _, seen in pairs) and not any(differing for differing, _ in pairs)
    )
    return max(against) if len(against) > confirmed else None
