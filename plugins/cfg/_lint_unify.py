"""Two parses of one text, looked for from a conflict on.

Both actions of a conflict are taken, and two parsers go on over the same terminals, each with every
action its LALR table allows; as soon as their stacks are equal, what was read has two rightmost
derivations. The idea of a unifying counterexample is from Isradisaikul and Myers, "Finding
Counterexamples from Parsing Conflicts" (2015); the search is a plain breadth-first one over pairs
of stacks, within a bound.
"""

from __future__ import annotations

import heapq
import math
import time
from collections import deque
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, product
from typing import TYPE_CHECKING, NamedTuple

from formgate.plugins.cfg._lint_lr import bits

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from formgate.plugins.cfg._lint_grammar import SymbolGrammar, Yields
    from formgate.plugins.cfg._lint_lr import Automaton, Conflict

__all__ = ["Ambiguity", "Bounds", "Unifier"]

_Stack = tuple[int, ...]
_SHIFT = -1
_WORK = 20  # reductions tried for each pair, on average


@dataclass(frozen=True)
class Bounds:
    """How far to search.

    Attributes:
        length: Most terminals read after the conflict.
        pairs: Most pairs of stacks looked at, for one conflict.
        depth: Most states on a stack.
        reductions: Most stacks that reductions alone may lead to.
        deadline: Value of ``time.perf_counter`` at which to give up.
    """

    length: int = 8
    pairs: int = 400
    depth: int = 60
    reductions: int = 24
    deadline: float = math.inf


class Ambiguity(NamedTuple):
    """A sentence with two derivations.

    Attributes:
        sentence: Its terminals.
        derivations: Each derivation as text: ``rule(... ...)``.
    """

    sentence: tuple[str, ...]
    derivations: tuple[str, str]


class _Half(NamedTuple):
    """A parser: its stack, and what it did since the conflict, last first."""

    stack: _Stack
    actions: tuple[object, ...] | None


class Unifier:
    """Searches an automaton for texts with two derivations.

    Args:
        automaton: The automaton.
        yields: The shortest sentences of the rules.
        bounds: How far to search.
        grammar: The grammar, for the names that derivations show.
    """

    def __init__(
        self,
        automaton: Automaton,
        yields: Yields,
        bounds: Bounds,
        grammar: SymbolGrammar,
    ) -> None:
        self._automaton = automaton
        self._grammar = grammar
        self._work = _WORK * bounds.pairs  # reductions that may still be tried
        self._yields = yields
        self._bounds = bounds

    def unify(
        self, conflict: Conflict, path: Sequence[int], stack: Sequence[int]
    ) -> Ambiguity | None:
        """Return an ambiguous sentence that begins with a way to a conflict; None if none found.

        Args:
            conflict: The conflict.
            path: The symbols that lead to its state.
            stack: The states on the way, the conflict's own last.
        """
        automaton = self._automaton
        terminal = automaton.number[conflict.terminal]
        actions = [*([_SHIFT] if conflict.shifts else []), *conflict.reductions]
        origin = tuple(stack)
        self._work = _WORK * self._bounds.pairs
        for i, first in enumerate(actions):
            for second in actions[i + 1 :]:
                one = self._begun(origin, first, terminal)
                other = self._begun(origin, second, terminal)
                for found in self._search(one, other, terminal):
                    ambiguity = self._told(tuple(path), *found)
                    if ambiguity is not None:
                        return ambiguity
        return None

    @cached_property
    def _kinds(self) -> list[int]:
        """For each terminal the first one that stands in the same places of the same rules."""
        automaton = self._automaton
        places: list[list[tuple[object, ...]]] = [[] for _ in range(automaton.terminal_count)]
        for head, body in automaton.productions:
            for dot, symbol in enumerate(body):
                if symbol < automaton.terminal_count:
                    places[symbol].append((head, body[:dot], body[dot + 1 :]))
        first: dict[tuple[object, ...], int] = {}
        return [
            first.setdefault((terminal == automaton.end, *sorted(found, key=repr)), terminal)
            for terminal, found in enumerate(places)
        ]

    # --- parsers ---

    def _begun(self, stack: _Stack, action: int, terminal: int) -> tuple[list[_Half], list[_Half]]:
        """Take one action; return what may be done before the terminal is shifted, and after."""
        start = _Half(stack, None)
        if action == _SHIFT:
            return [], [self._shifted(start, terminal)]
        return self._continued(self._reduced(start, action), terminal)

    def _continued(self, half: _Half | None, terminal: int) -> tuple[list[_Half], list[_Half]]:
        """Return all that reductions lead to before a terminal, and each with it shifted."""
        before: dict[_Stack, _Half] = {}
        queue = [] if half is None else [half]
        lookaheads = self._automaton.lookaheads
        for each in queue:  # grows while it is read
            if len(before) >= self._bounds.reductions:
                break
            if each.stack in before:
                continue
            before[each.stack] = each
            top = each.stack[-1]
            for production in self._automaton.reductions[top]:
                if lookaheads.get((top, production), 0) >> terminal & 1:
                    after = self._reduced(each, production)
                    if after is not None:
                        queue.append(after)
        gotos = self._automaton.gotos
        able = [each for each in before.values() if terminal in gotos[each.stack[-1]]]
        return list(before.values()), [self._shifted(each, terminal) for each in able]

    def _shifted(self, half: _Half, terminal: int) -> _Half:
        target = self._automaton.gotos[half.stack[-1]][terminal]
        return _Half((*half.stack, target), (("shift", terminal), half.actions))

    def _reduced(self, half: _Half, production: int) -> _Half | None:
        head, body = self._automaton.productions[production]
        self._work -= 1
        rest = half.stack[: len(half.stack) - len(body)]
        if not rest or len(rest) >= self._bounds.depth:
            return None
        target = self._automaton.gotos[rest[-1]].get(head)
        if target is None:
            return None
        return _Half((*rest, target), (("reduce", production), half.actions))

    # --- the search ---

    def _search(
        self,
        one: tuple[list[_Half], list[_Half]],
        other: tuple[list[_Half], list[_Half]],
        terminal: int,
    ) -> Iterator[tuple[_Half, _Half, int | None]]:
        """Yield two parsers with equal stacks, and the terminal that must come next, if any.

        That terminal may be one that only merged states look for; then nothing can be told of
        what was found, and the search goes on.
        """
        for mine, its, then in zip(one, other, (terminal, None), strict=True):
            met = _met(mine, its)
            if met is not None:
                yield (*met, then)
        queue: deque[tuple[_Half, _Half, int]] = deque()
        seen: set[tuple[_Stack, _Stack]] = set()

        def push(left: list[_Half], right: list[_Half], length: int) -> None:
            for a, b in islice(product(left, right), self._bounds.pairs - len(seen)):
                if a.stack != b.stack and (a.stack, b.stack) not in seen:
                    seen.add((a.stack, b.stack))
                    queue.append((a, b, length))

        push(one[1], other[1], 1)
        while queue and self._may_go_on:
            a, b, length = queue.popleft()
            for following in filter(lambda _: self._may_go_on, self._followings(a, b)):
                left = self._continued(a, following)
                right = self._continued(b, following)
                met = _met(left[0], right[0])
                if met is not None:
                    yield (*met, following)
                if length < self._bounds.length and following != self._automaton.end:
                    push(left[1], right[1], length + 1)

    @property
    def _may_go_on(self) -> bool:
        return self._work > 0 and self._in_time

    @property
    def _in_time(self) -> bool:
        return time.perf_counter() < self._bounds.deadline

    def _followings(self, one: _Half, other: _Half) -> Iterable[int]:
        """Return terminals that both parsers may take, one of each kind."""
        accepted = self._automaton.accepted
        both = accepted(one.stack[-1]) & accepted(other.stack[-1])
        return {self._kinds[terminal]: terminal for terminal in reversed(bits(both))}.values()

    # --- telling it ---

    def _told(
        self, path: tuple[int, ...], one: _Half, other: _Half, following: int | None
    ) -> Ambiguity | None:
        """Complete the sentence, and write both derivations."""
        rest = self._completion(one.stack, following)
        if rest is None:
            return None
        texts = []
        sentence: tuple[str, ...] = ()
        for half in (one, other):
            told = self._replayed(path, [*_listed(half.actions), *rest])
            if told is None:
                return None
            sentence, text = told
            texts.append(text)
        return Ambiguity(sentence, (texts[0], texts[1]))

    def _completion(self, stack: _Stack, following: int | None) -> list[tuple[str, int]] | None:
        """Return the actions that end a parse most cheaply, from a stack on.

        Args:
            stack: The stack.
            following: The terminal that must come next; None for any.
        """
        begun = [_Half(stack, None)]
        ends = following == self._automaton.end
        if following is not None and not ends:
            begun = self._continued(begun[0], following)[1]
        queue = [(0, i, half) for i, half in enumerate(begun)]
        counter = len(queue)
        seen: set[_Stack] = set()
        starts = {
            (s, self._automaton.gotos[s][self._automaton.productions[s][1][0]])
            for s in (self._automaton.starts)
        }
        while queue and len(seen) < 500 and self._in_time:
            cost, _, half = heapq.heappop(queue)
            if half.stack in seen:
                continue
            seen.add(half.stack)
            if half.stack in starts:
                return _listed(half.actions)
            for extra, after in self._finished(half, ends=ends):
                counter += 1
                heapq.heappush(queue, (cost + extra, counter, after))
        return None

    def _finished(self, half: _Half, *, ends: bool) -> list[tuple[int, _Half]]:
        """Return a parser after each production that its top state can finish, and the cost."""
        automaton = self._automaton
        found = []
        top = half.stack[-1]
        items = [*automaton.kernels[top]]
        items += [(p, 0) for p in automaton.reductions[top] if not automaton.productions[p][1]]
        for production, dot in items:
            body = automaton.productions[production][1]
            if automaton.sources[production] is None:
                continue
            extra = 0
            after: _Half | None = half
            for symbol in body[dot:]:
                if after is None:
                    break
                length = self._yields.length(automaton.names[symbol])
                extra += length or 0
                target = automaton.gotos[after.stack[-1]][symbol]
                after = _Half((*after.stack, target), (("derive", symbol), after.actions))
            if after is not None and not (ends and extra):
                done = self._reduced(after, production)
                if done is not None:
                    found.append((extra, done))
        return found

    def _replayed(
        self, path: tuple[int, ...], actions: list[tuple[str, int]]
    ) -> tuple[tuple[str, ...], str] | None:
        """Return the sentence and the derivation, as text, that actions build."""
        automaton = self._automaton
        trees = [self._shortest_tree(symbol) for symbol in path]
        for kind, value in actions:
            if kind == "shift":
                name = automaton.names[value]
                trees.append(((name,), self._grammar.label(name)))
            elif kind == "derive":
                trees.append(self._shortest_tree(value))
            else:
                head, body = automaton.productions[value]
                name = automaton.names[head]
                parts = trees[len(trees) - len(body) :] if body else []
                del trees[len(trees) - len(body) :]
                words = tuple(word for part in parts for word in part[0])
                inside = " ".join(part[1] for part in parts)
                shown = f"[{inside}]" if name in self._grammar.owners else f"{name}({inside})"
                trees.append((words, shown))
        return trees[0] if len(trees) == 1 else None

    def _shortest_tree(self, symbol: int) -> tuple[tuple[str, ...], str]:
        """Return a symbol's shortest sentence, and the symbol with it as text."""
        name = self._automaton.names[symbol]
        words = self._yields.sentence([name]) or ()
        if words == (name,):
            return words, self._grammar.label(name)
        inside = " ".join(map(self._grammar.label, words))
        return words, f"[{inside}]" if name in self._grammar.owners else f"{name}({inside})"


def _met(left: list[_Half], right: list[_Half]) -> tuple[_Half, _Half] | None:
    """Return a parser of either side, their stacks being equal."""
    stacks = {half.stack: half for half in left}
    for half in right:
        other = stacks.get(half.stack)
        if other is not None:
            return other, half
    return None


def _listed(actions: tuple[object, ...] | None) -> list[tuple[str, int]]:
    """Return actions in the order in which they were taken."""
    found: list[tuple[str, int]] = []
    while actions is not None:
        found.append(actions[0])  # type: ignore[arg-type]
        actions = actions[1]  # type: ignore[assignment]
    return found[::-1]
