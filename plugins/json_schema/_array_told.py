"""Which keyword it is that asks for items to be compared where that cannot be enforced."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formgate.plugins.json_schema._facts import FALSE, Op
from formgate.plugins.json_schema._resolve import pointer

if TYPE_CHECKING:
    from formgate.plugins.json_schema._closed import ClosedArray
    from formgate.plugins.json_schema._resolve import Where
    from formgate.plugins.json_schema._scalars import State
    from formgate.plugins.json_schema._states import Schemas

__all__ = ["told"]

_CHOOSING = ("not", "if", "oneOf")  # keywords under which items may have to be equal
_MOST = 10_000  # subschemas that are looked at


def told(closed: ClosedArray, state: State, world: Schemas) -> tuple[str, str, str]:
    """Return the place, the reason and the remedy, for what is neither enforced nor left out."""
    where = _asking(state, world, denied=closed.repeats)
    place = "#" if where is None else pointer((where, "uniqueItems"))
    if closed.repeats:
        under = next((step for step in _steps(where) if step in _CHOOSING), "not")
        reason = (
            f"that two items must be equal (uniqueItems under {under}) cannot be enforced where "
            "items are of more than a few values"
        )
        hint = f"leave uniqueItems out under {under}, or let the items be one of up to 12 values"
        return place, reason, hint
    lits = [lit for count in closed.counts for lit in count.state.lits]
    beside = world.where(lits) or "contains"
    reason = (
        f"uniqueItems beside a bound on how many items satisfy something ({beside}) cannot be "
        "enforced where these are of many values, or items at positions of their own are"
    )
    return place, reason, "leave one of them out, or let what is counted be of few values"


def _asking(state: State, world: Schemas, *, denied: bool) -> Where | None:
    """Return the way to the schema with the uniqueItems that a state has, or denies."""
    work, seen = list(state.lits), set(state.lits)
    found: list[Where] = []
    while work and len(seen) < _MOST:
        lit = work.pop(0)
        if lit <= FALSE:
            continue
        facts = world.facts(lit)
        if facts.arrays is not None and facts.arrays.unique:
            found += world.written_alike(lit)
        for op in facts.ops:
            inner = op[2:] if op[0] == Op.DEPENDENT else op[1:]
            for one in inner if op[0] not in (Op.BASE, Op.REQUIRED) else ():
                if one not in seen:
                    seen.add(one)
                    work.append(one)
    if denied:
        chosen = [where for where in found if not set(_CHOOSING).isdisjoint(_steps(where))]
        found = chosen or found
    return found[0] if found else None


def _steps(where: Where | None) -> list[str]:
    """Return the steps of a way, the last one first."""
    steps = []
    while where is not None and where[0] is not None:
        where, step = where
        steps.append(step)
    return steps
