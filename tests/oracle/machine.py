"""Boolean derivatives over bytes, with look-around: the exact judge.

A state is what the rest of the text must satisfy: a boolean formula whose variables say "the whole
rest of the text is matched by this term", together with, for every look-behind, the term left over
after it has read the text so far. Reading a byte substitutes every variable by the formula of its
derivative. Both parts range over finite sets, so a search of the state space decides emptiness; the
searches take a budget and raise `TooLarge` rather than guess.

    rest in (?=A)K   iff   rest in A and rest in K       (A speaks of the whole rest)
    rest in (?<=B)K  iff   rest in K, where B has matched the whole text so far
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from oracle.formulas import FALSE, TRUE
from oracle.terms import Term, Terms
from oracle.tree import Tree, build

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

Context = tuple[Term, ...] | None
_LEADS = (0x80, 0xC2, 0xE0, 0xE1, 0xED, 0xEE, 0xF0, 0xF1, 0xF4, 0xF5)


class TooLarge(Exception):  # noqa: N818 - not an error of the language
    """The state space exceeds the budget given; the judge abstains."""


class Machine:
    """A deterministic automaton over bytes, built as far as it is walked; state 0 is dead."""

    def __init__(self, terms: Terms, root: Term) -> None:
        self.terms = terms
        self.formulas = terms.formulas
        self._states: list[tuple[int, Context]] = [(FALSE, None)]
        self._steps: list[dict[int, int]] = [dict.fromkeys(range(256), 0)]  # of each state
        self._numbers: dict[tuple[int, Context], int] = {(FALSE, None): 0}
        self._derivatives: dict[tuple[int, int, Context], Term] = {}
        self._bodies: dict[Term, int] = {}
        self._fulls: dict[int, int] = {}
        self._nulls: dict[tuple[int, Context], int] = {}
        self._cuts: dict[int, list[int]] = {0: [0]}
        self._marks: dict[int, frozenset[int]] = {}
        self._accepts: dict[int, bool] = {}
        self._live: dict[int, bool] = {0: False}
        self._collect(root)
        context = tuple(self._bodies)
        formula = self._full(root)
        if not terms.has_raw_bytes:
            # whole texts are well-formed, said once, so that `any text` is no condition elsewhere
            whole = self.formulas.variable(terms.well_formed.index)
            formula = self.formulas.conj(whole, formula)
        self.start = self._number(formula, context)

    @classmethod
    def of(cls, tree: Tree) -> Machine:
        """The machine of a tree."""
        terms = Terms()
        return cls(terms, build(tree, terms))

    def __len__(self) -> int:
        return len(self._states)

    def _collect(self, term: Term) -> None:
        stack = [term]
        while stack:
            top = stack.pop()
            stack += [arg for arg in top.args if isinstance(arg, Term)]
            if top.kind == "behind":
                self._bodies.setdefault(top.args[0], len(self._bodies))

    def _number(self, formula: int, context: Context) -> int:
        names = self.formulas.support(formula)
        if not any(self.terms.by_index[name].behind for name in names):
            context = None  # nothing will look back again
        key = (formula, context)
        found = self._numbers.get(key)
        if found is None:
            found = self._numbers[key] = len(self._states)
            self._states.append(key)
            self._steps.append({})
        return found

    # the automaton

    def step(self, state: int, byte: int) -> int:
        """The state after one byte."""
        found = self._steps[state].get(byte)
        if found is None:
            formula, context = self._states[state]
            after = self._after(formula, byte, context)
            past = None
            if context is not None:
                past = tuple(self._derive(term, byte, context) for term in context)
            found = self._steps[state][byte] = self._number(after, past)
        return found

    def walk(self, state: int, text: bytes) -> int:
        """The state after `text`."""
        for byte in text:
            state = self.step(state, byte)
        return state

    def walks(self, state: int, texts: Sequence[tuple[int, bytes]]) -> Iterator[tuple[bytes, int]]:
        """Each text that `in_order` gave and that may be read on from here, with the state after.

        A beginning that many texts share is walked once.
        """
        steps = self._steps  # asked here, for the calls would take most of the time
        after = [state]  # one state for each byte of the last text, up to where it is dead
        for shared, text in texts:
            if shared >= len(after):
                continue  # the text begins with what is dead
            del after[shared + 1 :]
            here = after[shared]
            for byte in text[shared:]:
                known = steps[here].get(byte)
                here = self.step(here, byte) if known is None else known
                if not here:
                    break
                after.append(here)
            if here:
                yield text, here

    def accepts_here(self, state: int) -> bool:
        """Whether the text read so far is in the language."""
        found = self._accepts.get(state)
        if found is None:
            found = self._accepts[state] = self._holds_at_end(*self._states[state])
        return found

    def accepts(self, text: bytes) -> bool:
        """Whether `text` is in the language."""
        return self.accepts_here(self.walk(self.start, text))

    def is_void(self, state: int) -> bool:
        """Whether no continuation is accepted, for a reason visible without a search."""
        return self._states[state][0] == FALSE

    def is_live(self, state: int, budget: int = 20_000) -> bool:
        """Whether some continuation (any bytes) is accepted. Raises `TooLarge`."""
        if state in self._live:
            return self._live[state]
        parent: dict[int, int] = {state: -1}
        queue, found = [state], -1
        for here in queue:
            if self._live.get(here) or self.accepts_here(here):
                found = here
                break
            for byte in self.cuts(here):
                after = self.step(here, byte)
                if after not in parent and self._live.get(after, True):
                    parent[after] = here
                    queue.append(after)
            if len(parent) > budget:
                raise TooLarge
        if found < 0:
            self._live.update(dict.fromkeys(parent, False))
            return False
        while found >= 0:
            self._live[found] = True
            found = parent[found]
        return True

    # emptiness, derivatives, and what they need of the text around

    def _full(self, term: Term) -> int:
        """The formula "the whole rest of the text is matched by `term`"."""
        found = self._fulls.get(term.index)
        if found is None:
            found = self._fulls[term.index] = self._full_of(term)
        return found

    def _full_of(self, term: Term) -> int:
        terms, formulas = self.terms, self.formulas
        if term is terms.nothing():
            return FALSE
        if term is terms.any_text() and not terms.has_raw_bytes:
            return TRUE
        weight, rest = terms.split(term)
        if rest is not term:
            return formulas.conj(weight, self._full(rest))
        if term.kind == "not":
            return formulas.neg(self._full(term.args[0]))
        if term.kind not in ("alt", "and"):
            return formulas.variable(term.index)
        result = FALSE if term.kind == "alt" else TRUE
        combine = formulas.disj if term.kind == "alt" else formulas.conj
        for part in term.args:
            result = combine(result, self._full(part))
        return result

    def _null(self, term: Term, context: Context) -> int:
        """The formula "`term` matches the empty text here", about the rest of the text."""
        if not term.looks:
            return TRUE if term.nullable else FALSE
        key = (term.index, context if term.behind else None)
        found = self._nulls.get(key)
        if found is None:
            found = self._nulls[key] = self._null_of(term, context)
        return found

    def _null_of(self, term: Term, context: Context) -> int:
        formulas, kind, args = self.formulas, term.kind, term.args
        if kind == "assert":
            return int(args[0])
        if kind in ("ahead", "behind"):
            if kind == "ahead":
                value = self._full(args[0])
            else:
                assert context is not None
                value = self._null(context[self._bodies[args[0]]], context)
            return formulas.neg(value) if args[1] else value
        if kind == "repeat":
            return TRUE if args[1] == 0 else self._null(args[0], context)
        assert kind in ("cat", "alt"), kind
        result = FALSE if kind == "alt" else TRUE
        combine = formulas.disj if kind == "alt" else formulas.conj
        for part in args:
            result = combine(result, self._null(part, context))
        return result

    def _holds_at_end(self, formula: int, context: Context) -> bool:
        def value(name: int) -> bool:
            return self._holds_at_end(self._null(self.terms.by_index[name], context), context)

        return self.formulas.holds(formula, value)

    def _after(self, formula: int, byte: int, context: Context) -> int:
        def value(name: int) -> int:
            return self._full(self._derive(self.terms.by_index[name], byte, context))

        return self.formulas.substitute(formula, value)

    def _derive(self, term: Term, byte: int, context: Context) -> Term:
        key = (term.index, byte, context if term.behind else None)
        found = self._derivatives.get(key)
        if found is None:
            found = self._derivatives[key] = getattr(self, "_derive_" + term.kind)(
                term, byte, context
            )
        return found

    def _derive_nothing(self, *_: object) -> Term:
        return self.terms.nothing()

    _derive_empty = _derive_ahead = _derive_behind = _derive_assert = _derive_nothing

    def _derive_bytes(self, term: Term, byte: int, _: Context) -> Term:
        return self.terms.empty() if term.args[0] >> byte & 1 else self.terms.nothing()

    def _derive_chars(self, term: Term, byte: int, _: Context) -> Term:
        if byte < 0x80:
            inside = any(low <= byte <= high for low, high in term.args[0])
            return self.terms.empty() if inside else self.terms.nothing()
        if 0xC2 <= byte <= 0xDF:
            length, base, least = 1, (byte & 0x1F) << 6, 0x80
        elif 0xE0 <= byte <= 0xEF:
            length, base, least = 2, (byte & 0x0F) << 12, 0x800
        elif 0xF0 <= byte <= 0xF4:
            length, base, least = 3, (byte & 0x07) << 18, 0x10000
        else:
            return self.terms.nothing()
        top = base + 64**length - 1
        return self.terms.tail(_clip(term.args[0], max(base, least), top, base), length)

    def _derive_tail(self, term: Term, byte: int, _: Context) -> Term:
        if not 0x80 <= byte <= 0xBF:
            return self.terms.nothing()
        offsets, length = term.args
        block = 64 ** (length - 1)
        base = (byte & 0x3F) * block
        return self.terms.tail(_clip(offsets, base, base + block - 1, base), length - 1)

    def _derive_well_formed(self, term: Term, byte: int, context: Context) -> Term:
        return self.terms.seq(self._derive(self.terms.all_chars, byte, context), term)

    def _derive_cat(self, term: Term, byte: int, context: Context) -> Term:
        left, right = term.args
        first = self.terms.seq(self._derive(left, byte, context), right)
        skip = self._after(self._null(left, context), byte, context)
        if skip == FALSE:
            return first
        second = self.terms.seq(self.terms.asserting(skip), self._derive(right, byte, context))
        return self.terms.choice(first, second)

    def _derive_repeat(self, term: Term, byte: int, context: Context) -> Term:
        body, least, most = term.args
        terms = self.terms
        once = self._derive(body, byte, context)

        def remaining(done: int) -> Term:
            return terms.repeat(body, max(least - done, 0), None if most is None else most - done)

        first = terms.seq(once, remaining(1))
        skip = FALSE
        if body.looks and least > 1:
            skip = self._after(self._null(body, context), byte, context)
        if skip == FALSE:
            return first
        # some of the obligatory iterations may be empty here and impossible later
        later = terms.choice(*(remaining(done) for done in range(2, least + 1)))
        return terms.choice(first, terms.seq(terms.asserting(skip), once, later))

    def _derive_alt(self, term: Term, byte: int, context: Context) -> Term:
        return self.terms.choice(*(self._derive(part, byte, context) for part in term.args))

    def _derive_and(self, term: Term, byte: int, context: Context) -> Term:
        return self.terms.meet(*(self._derive(part, byte, context) for part in term.args))

    def _derive_not(self, term: Term, byte: int, context: Context) -> Term:
        return self.terms.inverse(self._derive(term.args[0], byte, context))

    def _derive_scope(self, term: Term, byte: int, _: Context) -> Term:
        machine, state = term.args
        return self.terms.scoped(machine, machine.step(state, byte))

    # which bytes need to be told apart

    def cuts(self, state: int) -> list[int]:
        """First bytes of ranges; all bytes of one range lead to the same state."""
        found = self._cuts.get(state)
        if found is None:
            formula, context = self._states[state]
            names = self.formulas.support(formula)
            terms = [*(self.terms.by_index[name] for name in names), *(context or ())]
            marks = {0}.union(*map(self._marks_of, terms))
            found = self._cuts[state] = sorted(mark for mark in marks if mark < 256)
        return found

    def _marks_of(self, root: Term) -> frozenset[int]:
        found = self._marks.get(root.index)
        if found is None:
            found = self._marks[root.index] = frozenset(self._collected_marks(root))
        return found

    def _collected_marks(self, root: Term) -> set[int]:
        stack, seen, marks = [root], set[int](), set[int]()
        while stack:
            term = stack.pop()
            if term.index in seen:
                continue
            seen.add(term.index)
            if term.kind == "cat":
                left, right = term.args
                stack += [left, right] if left.nullable or left.looks else [left]
            elif term.kind == "assert":
                names = self.formulas.support(term.args[0])
                stack += [self.terms.by_index[name] for name in names]
            elif term.kind == "scope":
                marks.update(term.args[0].cuts(term.args[1]))
            elif term.kind in ("chars", "tail", "bytes", "well_formed"):
                marks.update(_MARKS[term.kind](term))
            else:
                stack += [arg for arg in term.args if isinstance(arg, Term)]
        return marks


def in_order(texts: Iterable[bytes]) -> Sequence[tuple[int, bytes]]:
    """The distinct texts, sorted, each after how many bytes it shares with the one before."""
    return _in_order(frozenset(texts))


@lru_cache(maxsize=16)  # many languages are judged with the tokens of one vocabulary
def _in_order(texts: frozenset[bytes]) -> Sequence[tuple[int, bytes]]:
    ordered = sorted(texts)
    return tuple(
        (_shared(last, text), text) for last, text in zip([b"", *ordered], ordered, strict=False)
    )


def _shared(one: bytes, other: bytes) -> int:
    alike = (left == right for left, right in zip(one, other, strict=False))
    return next((n for n, same in enumerate(alike) if not same), min(len(one), len(other)))


def _clip(
    ranges: tuple[tuple[int, int], ...], low: int, high: int, base: int
) -> tuple[tuple[int, int], ...]:
    pieces = ((max(first, low), min(last, high)) for first, last in ranges)
    return tuple((first - base, last - base) for first, last in pieces if first <= last)


def _lead(code_point: int) -> int:
    return chr(code_point).encode()[0]


def _marks_of_chars(term: Term) -> set[int]:
    marks = set(_LEADS)
    for low, high in term.args[0]:
        marks |= {_lead(low), _lead(low) + 1, _lead(high), _lead(high) + 1}
    return marks


def _marks_of_tail(term: Term) -> set[int]:
    offsets, length = term.args
    block, marks = 64 ** (length - 1), {0x80, 0xC0}
    for low, high in offsets:
        first, last = 0x80 + low // block, 0x80 + high // block
        marks |= {first, first + 1, last, last + 1}
    return marks


def _marks_of_bytes(term: Term) -> set[int]:
    mask = term.args[0]
    return {byte for byte in range(1, 256) if (mask >> byte & 1) != (mask >> byte - 1 & 1)}


_MARKS = {
    "chars": _marks_of_chars,
    "tail": _marks_of_tail,
    "bytes": _marks_of_bytes,
    "well_formed": lambda _: set(_LEADS),
}
