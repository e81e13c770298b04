"""Which alternatives are not part of others.

Conjunctions of implications make many alternatives that say nearly the same of the same members. As
sets of literals, in bits, most pairs are told apart at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from formgate.plugins.json_schema._deadline import check_time
from formgate.plugins.json_schema._shapes import NOTHING

if TYPE_CHECKING:
    from formgate.plugins.json_schema._products import Shape

__all__ = ["widest"]

S = TypeVar("S", bound="Shape")


def widest(shapes: list[S]) -> list[S]:
    """Return shapes without those that are surely part of others, the first of equal ones."""
    kept: list[tuple[int, int, S]] = []
    for said, implied, shape in _as_bits(shapes):
        check_time()
        if any(not more & ~implied and shape.within(other) for more, _, other in kept):
            continue
        kept = [one for one in kept if said & ~one[1] or not one[2].within(shape)]
        kept.append((said, implied, shape))
    return [shape for _, _, shape in kept]


def _as_bits(shapes: list[S]) -> list[tuple[int, int, S]]:
    """Return shapes with what they say of members, and with all that this implies.

    A bit is a literal of a member. A member that cannot be satisfies each of its literals.
    """
    places: dict[tuple[str, int], int] = {}
    of_name: dict[str, int] = {}
    found: list[tuple[int, list[str], S]] = []
    for shape in shapes:
        said = 0
        never: list[str] = []
        for name, lits in shape.said():
            for lit in lits:
                place = name, lit
                bit = places.get(place)
                if bit is None:
                    bit = places[place] = 1 << len(places)
                    of_name[name] = of_name.get(name, 0) | bit
                said |= bit
            if lits == NOTHING:
                never.append(name)
        found.append((said, never, shape))
    out = []
    for said, never, shape in found:
        implied = said
        for name in never:
            implied |= of_name[name]
        out.append((said, implied, shape))
    return out
