"""Reduced ordered binary decision diagrams: one number per boolean function.

Bryant, "Graph-Based Algorithms for Boolean Function Manipulation" (1986). Equal functions get equal
numbers, which keeps the state space of `machine` finite however look-around is nested.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

FALSE, TRUE = 0, 1
_LEAF = 1 << 60  # orders after every variable


class Formulas:
    """A pool of decision diagrams over variables named by integers."""

    def __init__(self) -> None:
        self._nodes: list[tuple[int, int, int]] = [(_LEAF, 0, 0), (_LEAF, 1, 1)]
        self._unique: dict[tuple[int, int, int], int] = {}
        self._ite: dict[tuple[int, int, int], int] = {}
        self._support: dict[int, frozenset[int]] = {FALSE: frozenset(), TRUE: frozenset()}

    def variable(self, name: int) -> int:
        return self._node(name, TRUE, FALSE)

    def _node(self, name: int, high: int, low: int) -> int:
        if high == low:
            return high
        key = (name, high, low)
        found = self._unique.get(key)
        if found is None:
            found = self._unique[key] = len(self._nodes)
            self._nodes.append(key)
        return found

    def ite(self, test: int, then: int, other: int) -> int:
        """`then` where `test` holds and `other` elsewhere."""
        if test == TRUE or then == other:
            return then
        if test == FALSE:
            return other
        key = (test, then, other)
        found = self._ite.get(key)
        if found is None:
            top = min(self._nodes[test][0], self._nodes[then][0], self._nodes[other][0])
            high = self.ite(*(self._cofactor(part, top, 1) for part in key))
            low = self.ite(*(self._cofactor(part, top, 2) for part in key))
            found = self._ite[key] = self._node(top, high, low)
        return found

    def _cofactor(self, formula: int, name: int, side: int) -> int:
        node = self._nodes[formula]
        return node[side] if node[0] == name else formula

    def conj(self, left: int, right: int) -> int:
        return self.ite(left, right, FALSE)

    def disj(self, left: int, right: int) -> int:
        return self.ite(left, TRUE, right)

    def neg(self, formula: int) -> int:
        return self.ite(formula, FALSE, TRUE)

    def support(self, formula: int) -> frozenset[int]:
        """The variables the function depends on."""
        found = self._support.get(formula)
        if found is None:
            name, high, low = self._nodes[formula]
            found = self.support(high) | self.support(low) | {name}
            self._support[formula] = found
        return found

    def substitute(self, formula: int, value: Callable[[int], int]) -> int:
        """Replace every variable by a formula, all at once."""
        memo = {FALSE: FALSE, TRUE: TRUE}

        def walk(part: int) -> int:
            if part not in memo:
                name, high, low = self._nodes[part]
                memo[part] = self.ite(value(name), walk(high), walk(low))
            return memo[part]

        return walk(formula)

    def holds(self, formula: int, value: Callable[[int], bool]) -> bool:
        """The truth value under an assignment."""
        while formula not in (FALSE, TRUE):
            name, high, low = self._nodes[formula]
            formula = high if value(name) else low
        return formula == TRUE
