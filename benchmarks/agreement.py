"""Which records of replays count: right answers, and masks that no majority of engines contradicts.

Texts alone do not judge a mask. Where engines are asked for the same masks and make different ones,
at least one of them is wrong; a case is set aside for each engine that more of the others
contradict there than confirm. Of two engines that differ neither can be believed, so both lose it.
"""

from __future__ import annotations

from typing import Any

from benchmarks.engines import ENGINES
from benchmarks.statistics import counts_as_measured, mask_differences, masks_agree

Session = dict[str, Any]
Sessions = dict[str, Session]
# By engine and case: how many masks differ from another engine's, of so many compared.
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
    """Tell whether two engines made the same masks of a case, as far as they are compared.

    Where they differ one of them is wrong, though it accepts and refuses every text rightly.
    """
    pair = mine["engine"], theirs["engine"]
    if not compared(results, name) or not all(ENGINES[engine].comparable for engine in pair):
        return True
    return masks_agree(mine["cases"][name], theirs["cases"][name])


def set_aside(results: dict[str, Any], sessions: Sessions) -> Aside:
    """Return what each engine loses, with the most masks at which another contradicts it.

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
        for engine, record in records.items():
            found = [
                mask_differences(record, other)
                for rival, other in records.items()
                if rival != engine
            ]
            against = [pair for pair in found if pair[0]]
            confirmed = sum(1 for differing, seen in found if seen and not differing)
            if len(against) > confirmed:
                aside[engine][name] = max(against)
    return aside
