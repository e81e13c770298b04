"""Which terminals may follow which in a Lark grammar.

The first and last sets of rules are the least ones that the bodies ask for, found by work lists;
sets are bits of integers. Ignored terminals, which may stand everywhere, are left to the caller.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formgate.plugins.cfg._lark_load import Op
    from formgate.plugins.cfg._lark_use import Used

__all__ = ["follow_sets"]


class _Ends(NamedTuple):
    """What a part of a rule begins and ends with, as sets of terminals."""

    nullable: bool
    first: int
    last: int


_NOTHING_KNOWN = _Ends(False, 0, 0)


def follow_sets(used: Used) -> dict[str, list[str]]:
    """Return the terminals that may follow each one in any rule that lark keeps."""
    names = [terminal.name for terminal in used.terminals]
    numbers = {name: number for number, name in enumerate(names)}
    bodies = {name: used.loaded.rules[name] for name in used.rules}
    users: dict[str, list[str]] = {name: [] for name in bodies}
    for name, body in bodies.items():
        for symbol in {op.name for op in body if op.kind == "rule"}:
            users.setdefault(symbol, []).append(name)
    ends = dict.fromkeys(bodies, _NOTHING_KNOWN)
    work = list(bodies)
    waiting = set(work)
    while work:
        name = work.pop()
        waiting.discard(name)
        found = _walk(bodies[name], ends, numbers, None)
        if found != ends[name]:
            ends[name] = found
            for user in users[name]:
                if user not in waiting:
                    waiting.add(user)
                    work.append(user)
    follow = [0] * len(names)
    for body in bodies.values():
        _walk(body, ends, numbers, follow)
    return {
        name: [names[bit] for bit in range(len(names)) if follow[number] >> bit & 1]
        for name, number in numbers.items()
    }


def _walk(
    body: Sequence[Op], ends: dict[str, _Ends], numbers: dict[str, int], follow: list[int] | None
) -> _Ends:
    """Return the ends of a body; note what follows what, if wanted."""
    stack: list[_Ends] = []
    for op in body:
        if op.kind == "terminal":
            bit = 1 << numbers[op.name] if op.name in numbers else 0
            stack.append(_Ends(False, bit, bit))
        elif op.kind == "rule":
            stack.append(ends.get(op.name, _NOTHING_KNOWN))
        elif op.kind == "repeat":
            stack.append(_repeated(stack.pop(), op, follow))
        else:
            parts = stack[len(stack) - op.low :]
            del stack[len(stack) - op.low :]
            stack.append(_sequence(parts, follow) if op.kind == "seq" else _choice(parts))
    (whole,) = stack
    return whole


def _repeated(body: _Ends, op: Op, follow: list[int] | None) -> _Ends:
    if op.high == 0:
        return _Ends(True, 0, 0)
    if op.high != 1:
        _note(body.last, body.first, follow)
    return body._replace(nullable=body.nullable or op.low == 0)


def _sequence(parts: Sequence[_Ends], follow: list[int] | None) -> _Ends:
    whole = _Ends(True, 0, 0)
    for part in parts:
        _note(whole.last, part.first, follow)
        whole = _Ends(
            whole.nullable and part.nullable,
            whole.first | (part.first if whole.nullable else 0),
            part.last | (whole.last if part.nullable else 0),
        )
    return whole


def _choice(parts: Sequence[_Ends]) -> _Ends:
    first = last = 0
    for part in parts:
        first |= part.first
        last |= part.last
    return _Ends(any(part.nullable for part in parts), first, last)


def _note(last: int, first: int, follow: list[int] | None) -> None:
    """Note that what is in one set may be followed by what is in another."""
    while follow is not None and first and last:
        lowest = last & -last
        follow[lowest.bit_length() - 1] |= first
        last ^= lowest
