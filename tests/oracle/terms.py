"""Terms: trees with one object per distinct language expression, ready for derivatives.

Only the laws that keep the number of derivatives finite are applied: neutral and absorbing
elements, associativity, commutativity and idempotence of union and intersection (Brzozowski 1964),
and distribution of concatenation over a union on its left (Antimirov 1996). A term `assert` holds a
formula about the text still to come; it is what a look-ahead leaves behind once it is entered.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from oracle.formulas import FALSE, TRUE, Formulas
from oracle.tree import ALL_CHARS, Ranges, normal_ranges

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, eq=False)
class Term:
    """An interned expression; compare with `is`."""

    kind: str
    args: tuple[Any, ...]
    index: int
    looks: bool  # emptiness may depend on the surrounding text
    behind: bool  # derivatives depend on the text before
    nullable: bool  # matches the empty text; meaningful when `looks` is false


class Terms:
    """The pool of terms, with the operators of `tree.TreeBuilder`."""

    def __init__(self) -> None:
        self.formulas = Formulas()
        self.by_index: list[Term] = []
        self._pool: dict[tuple[Any, ...], Term] = {}
        self.has_raw_bytes = False  # some text may not be well-formed UTF-8
        self._nothing = self._make("nothing", ())
        self._empty = self._make("empty", (), nullable=True)
        self.all_chars = self._make("chars", (ALL_CHARS,))
        self._any_text = self._make("repeat", (self.all_chars, 0, None), nullable=True)
        self.well_formed = self._make("well_formed", (), nullable=True)

    def _make(
        self,
        kind: str,
        args: tuple[Any, ...],
        *,
        looks: bool = False,
        behind: bool = False,
        nullable: bool = False,
    ) -> Term:
        key = (kind, *(arg.index if isinstance(arg, Term) else arg for arg in args))
        term = self._pool.get(key)
        if term is None:
            term = Term(kind, args, len(self.by_index), looks, behind, nullable)
            self._pool[key] = term
            self.by_index.append(term)
        return term

    # leaves

    def nothing(self) -> Term:
        return self._nothing

    def empty(self) -> Term:
        return self._empty

    def any_text(self) -> Term:
        return self._any_text

    def literal(self, text: bytes) -> Term:
        try:
            text.decode()
        except UnicodeDecodeError:
            self.has_raw_bytes = True
        return self.seq(*(self._byte_set(1 << byte) for byte in text))

    def char_class(self, ranges: Iterable[tuple[int, int]]) -> Term:
        kept = normal_ranges(ranges)
        return self._make("chars", (kept,)) if kept else self._nothing

    def byte_class(self, ranges: Iterable[tuple[int, int]]) -> Term:
        mask = 0
        for low, high in ranges:
            self.has_raw_bytes |= high >= 0x80
            for byte in range(low, high + 1):
                mask |= 1 << byte
        return self._byte_set(mask)

    def _byte_set(self, mask: int) -> Term:
        return self._make("bytes", (mask,)) if mask else self._nothing

    def tail(self, offsets: Ranges, length: int) -> Term:
        """The last `length` bytes of the characters whose low 6*length bits are in `offsets`."""
        if not offsets:
            return self._nothing
        return self._make("tail", (offsets, length)) if length else self._empty

    def strings(self, values: Iterable[bytes]) -> Term:
        return self.choice(*(self.literal(value) for value in values))

    # operators

    def seq(self, *nodes: Term) -> Term:
        result = self._empty
        for node in reversed(nodes):
            result = self._pair(node, result)
        return result

    def _pair(self, left: Term, right: Term) -> Term:  # noqa: PLR0911 - one law a line
        if left is self._nothing or right is self._nothing:
            return self._nothing
        if left is self._empty:
            return right
        if right is self._empty:
            return left
        if left.kind == "alt":
            return self.choice(*(self._pair(item, right) for item in left.args))
        if left.kind == "cat":
            return self._pair(left.args[0], self._pair(left.args[1], right))
        if left.kind == "assert" and right.kind == "assert":
            return self.asserting(self.formulas.conj(left.args[0], right.args[0]))
        if left.kind == "assert" and right.kind == "cat" and right.args[0].kind == "assert":
            both = self.formulas.conj(left.args[0], right.args[0].args[0])
            return self._pair(self.asserting(both), right.args[1])
        return self._make(
            "cat",
            (left, right),
            looks=left.looks or right.looks,
            behind=left.behind or right.behind,
            nullable=left.nullable and right.nullable,
        )

    def split(self, term: Term) -> tuple[int, Term]:
        """Write a term as (formula about the rest of the text, term without that formula)."""
        if term.kind == "assert":
            return term.args[0], self._empty
        if term.kind == "cat" and term.args[0].kind == "assert":
            return term.args[0].args[0], term.args[1]
        return TRUE, term

    def choice(self, *nodes: Term) -> Term:
        weights: dict[Term, int] = {}
        for node in nodes:
            for item in node.args if node.kind == "alt" else (node,):
                if item is not self._nothing:
                    weight, rest = self.split(item)
                    weights[rest] = self.formulas.disj(weights.get(rest, FALSE), weight)
        items = [self._pair(self.asserting(weight), rest) for rest, weight in weights.items()]
        return self._union(items)

    def _union(self, items: list[Term]) -> Term:
        kept = sorted({item.index: item for item in items if item is not self._nothing}.items())
        if not kept:
            return self._nothing
        if len(kept) == 1:
            return kept[0][1]
        parts = tuple(item for _, item in kept)
        return self._make(
            "alt",
            parts,
            looks=any(part.looks for part in parts),
            behind=any(part.behind for part in parts),
            nullable=any(part.nullable for part in parts),
        )

    def intersection(self, *nodes: Term) -> Term:
        """What all nodes match; each is a scope of its own."""
        return self.meet(*(self.scope(node) for node in nodes))

    def complement(self, node: Term) -> Term:
        """Every well-formed text that `node`, a scope of its own, does not match."""
        return self.meet(self.inverse(self.scope(node)), self._any_text)

    def meet(self, *nodes: Term) -> Term:
        """Intersection of terms that do not look around."""
        parts: dict[int, Term] = {}
        for node in nodes:
            assert not node.looks
            for item in node.args if node.kind == "and" else (node,):
                parts[item.index] = item
        if self._nothing.index in parts:
            return self._nothing
        items = tuple(item for _, item in sorted(parts.items()))
        if len(items) == 1:
            return items[0]
        return self._make("and", items, nullable=all(item.nullable for item in items))

    def inverse(self, node: Term) -> Term:
        """Every byte string that a term, which does not look around, does not match."""
        assert not node.looks
        if node.kind == "not":
            return node.args[0]
        return self._make("not", (node,), nullable=not node.nullable)

    def repeat(self, node: Term, min: int, max: int | None) -> Term:  # noqa: A002 - its name
        if node.nullable and not node.looks:
            min = 0  # noqa: A001 - empty iterations stand for the missing ones
        if max == 0 or node is self._empty or (node is self._nothing and min == 0):
            return self._empty
        if node is self._nothing or (min == 1 and max == 1):
            return node
        looks, behind = node.looks, node.behind
        args = (node, min, max)
        return self._make("repeat", args, looks=looks, behind=behind, nullable=min == 0)

    def look_ahead(self, node: Term, *, negative: bool) -> Term:
        return self._make("ahead", (node, negative), looks=True, behind=node.behind)

    def look_behind(self, node: Term, *, negative: bool) -> Term:
        return self._make("behind", (node, negative), looks=True, behind=True)

    def asserting(self, formula: int) -> Term:
        """Zero width; holds where `formula` holds of the rest of the text."""
        if formula in (FALSE, TRUE):
            return self._empty if formula == TRUE else self._nothing
        behind = any(self.by_index[name].behind for name in self.formulas.support(formula))
        return self._make("assert", (formula,), looks=True, behind=behind)

    def scope(self, node: Term) -> Term:
        if not node.looks:
            return node
        from oracle.machine import Machine

        machine = Machine(self, node)
        return self.scoped(machine, machine.start)

    def scoped(self, machine: Any, state: int) -> Term:
        """A machine of its own that has read some text and sees nothing outside of it."""
        if machine.is_void(state):
            return self._nothing
        return self._make("scope", (machine, state), nullable=machine.accepts_here(state))
