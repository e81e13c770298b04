"""Ways to complete an output, found by search over any engine.

A plan is a sequence of tokens after which the output may end. Two searches find plans, both over
the smallest set of tokens that spells everything, one byte at a time where possible. The first goes
deep, closing what is open before it opens more: it needs some ten steps, but may find a long plan.
The second, run where that plan is longer than it may be, is uniform-cost search (Dijkstra 1959), in
which bytes that close something cost less than others: inside a name or a string, every byte may
lead to another state, and only few lead out. The path found is then written with as few tokens as
spell it. So a plan is an upper bound of what is needed, and not always the shortest.

Where nearly every byte leads to a state of its own (in the names of an object, and in the bytes of
one character there), only some branches are followed, and of the states behind these, two of each
cost that go on with the same bytes.

Where many states are asked about at once, a plan found for one is tried on the others first, which
takes a few steps each (in the names of an object every token leads to another state, and all may
go on with ``": 0}``); and the searches together may take a bounded number of steps.

Cost: some 100 microseconds for a state in which any character may come, ten for others; a state
that was met before costs a look into a dictionary.
"""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from heapq import heappop, heappush
from typing import TYPE_CHECKING, Generic, TypeVar

import numpy as np

from formgate.core.decoding._successors import Successors
from formgate.core.decoding._token_table import mark, token_table

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from numpy.typing import NDArray

    from formgate.core._native import TokenMask
    from formgate.core.decoding.loop import TokenTexts
    from formgate.core.protocol import MaskEngine

__all__ = ["Allowance", "Plan", "Plans"]

S = TypeVar("S", bound="Hashable")

# How soon a byte promises to bring the end. Few may be cheap in a search: where the text is free,
# all sequences of cheap ones are looked at first.
_RANKS = {
    **dict.fromkeys('"}]', 4),
    **dict.fromkeys("')>;.\n", 3),
    **dict.fromkeys(":,", 2),
    **dict.fromkeys("{[(<", 0),
}
_RANK_OF = np.array([_RANKS.get(chr(byte), 1) for byte in range(0x100)], np.int8)
_FIRST_MARK = mark(0)
_BLANKS = frozenset(" \t\n\r")  # dives avoid one after another: a format may allow many in a row
_FIRST = ('"', "}", "\n")  # what dives prefer, one after the other
_WEIGHTS = (4, 4, 2, 4, 1)  # by rank: what a step costs
_BRANCHES = 32  # states that one state leads to before only the most promising are followed
_UNPROMISING = 8  # of these, how many are followed all the same
_ALIKE = 2  # of the states behind these at one cost, how many are followed that go on with the same
_STEPS_PER_STATE = 50  # ``fewest``: tokens looked at for each state that may be
_WALK = 5_000  # ``fewest``: what the tokens of a large mask count


class Plan:
    """The tokens after which an output may end, as a linked list.

    Attributes:
        length: How many tokens.
        token: The first of them; -1 where there is none.
        rest: The others.
    """

    __slots__ = ("length", "rest", "token")

    def __init__(self, token: int = -1, rest: Plan | None = None) -> None:
        self.token = token
        self.rest = rest
        self.length: int = 0 if rest is None else rest.length + 1

    def __iter__(self) -> Iterator[int]:
        plan = self
        while plan.rest is not None:
            yield plan.token
            plan = plan.rest


NOTHING = Plan()


class Allowance:
    """How many steps of the engine searches may still take together.

    Attributes:
        left: Steps that are left; below zero where a search was cut short or left out.
    """

    __slots__ = ("left",)

    def __init__(self, steps: int) -> None:
        self.left = steps


class Plans(Generic[S]):
    """Finds plans, and remembers those of the states met.

    Args:
        engine: Its states must be hashable, and equal where their futures are.
        vocabulary: Bytes of tokens and stop ids.
        max_states: How many states one search may look at.
        max_known: How many plans are remembered; later ones are found anew each time.
    """

    def __init__(
        self,
        engine: MaskEngine[S],
        vocabulary: TokenTexts,
        *,
        max_states: int,
        max_known: int = 200_000,
    ) -> None:
        self.engine = engine
        self.table = token_table(vocabulary, engine.allowed_tokens(engine.start()).size)
        self._max_states = max_states
        self._max_known = max_known
        self._known: dict[S, Plan] = {}
        # States from which the one and the other search have started.
        self._dived: set[S] = set()
        self._searched: set[S] = set()

    def of(
        self, state: S, enough: int, allowance: Allowance | None = None, *, is_wide: bool = False
    ) -> Plan | None:
        """Return a plan for a state; None if the searches found none.

        Args:
            state: The engine's state.
            enough: A plan that is not longer will do.
            allowance: Steps that the searches may take; any number when left out.
            is_wide: Nearly every token before this state led to a state of its own.
        """
        behind = {state} if is_wide else set()
        if self.engine.is_accepting(state):
            return NOTHING
        known = self._known.get(state)
        if known is None and state not in self._dived:
            for first in _FIRST:
                known = self._keep(self._dive(state, first, set(behind), allowance))
                if known is not None:
                    break
            self._note(self._dived, state, allowance)
        if (known is None or known.length > enough) and state not in self._searched:
            found = self._keep(self._search(state, behind, allowance))
            self._note(self._searched, state, allowance)
            if found is not None and (known is None or found.length < known.length):
                known = found
        return known

    def known(self, state: S) -> Plan | None:
        """Return the plan for a state as far as it was found before."""
        return NOTHING if self.engine.is_accepting(state) else self._known.get(state)

    def ends(self, state: S, plan: Plan) -> bool:
        """Say whether a plan that was found for another state serves this one too."""
        for token in plan:
            try:
                state = self.engine.advance(state, token)
            except (ValueError, LookupError):
                return False
        return self.engine.is_accepting(state)

    def _note(self, done: set[S], state: S, allowance: Allowance | None) -> None:
        """Remember that a search from a state need not be made again, unless it was cut short."""
        if (allowance is None or allowance.left >= 0) and not self.is_full:
            done.add(state)

    @property
    def is_full(self) -> bool:
        """Whether no more is remembered."""
        return max(len(self._known), len(self._dived)) >= self._max_known

    def fewest(self, state: S, limit: int) -> Plan | None:
        """Return a plan of fewest tokens if one has at most ``limit`` tokens; None if none has.

        Breadth first over all tokens: slow, for the one case that needs certainty.

        Raises:
            LookupError: Too many states were looked at to tell.
        """
        paths: dict[S, tuple[S, int] | None] = {state: None}
        successors: Successors[S] = Successors(self.engine, self.table)
        level = [state]
        looked_at = 0
        for _ in range(limit):
            following: list[S] = []
            for at in level:
                mask = self.engine.allowed_tokens(at) - self.table.stops
                # A mask of all tokens is walked at once, which costs as much as some 5,000 of them.
                looked_at += min(len(mask), _WALK)
                if looked_at > _STEPS_PER_STATE * self._max_states:
                    raise LookupError
                states, where = successors.of(at, mask)
                numbers, first = np.unique(where, return_index=True)
                ids = mask.ids()
                for number, token in zip(numbers.tolist(), ids[first].tolist(), strict=True):
                    target = states[number]
                    if target is None or target in paths:
                        continue
                    paths[target] = (at, token)
                    if self.engine.is_accepting(target):
                        return _walked_back(paths, target)
                    following.append(target)
                if len(paths) > self._max_states:
                    raise LookupError
            level = following
        return None

    def _steps(self, state: S) -> TokenMask:
        """Return tokens that lead on from a state, and spell whatever may come."""
        return self.engine.allowed_tokens(state) & self.table.alphabet

    def _comes_often(self, alike: Counter[tuple[int, ...]], cost: int, state: S) -> bool:
        """Count a state, and say whether enough came at this cost that go on with the same."""
        key = cost, *self._steps(state).to_list()
        alike[key] += 1
        return alike[key] > _ALIKE

    def _branches(self, state: S, wide: set[S], allowance: Allowance | None) -> list[tuple[S, int]]:
        """Return the states that a state leads to, each with the most promising token for it.

        Where text is both free and remembered (the name of a member, which must not come twice),
        every byte leads to another state; only some are followed then.

        Args:
            state: Where they begin.
            wide: The states of this search that lie behind such a state; added to.
            allowance: As for ``of``.
        """
        advance, rank = self.engine.advance, self._ranks.__getitem__
        found: dict[S, int] = {}
        steps = self._steps(state).to_list()
        if state in wide and len(steps) > _BRANCHES:
            few = [token for token in steps if rank(token) <= 1][:_UNPROMISING]
            found = {advance(state, token): token for token in few}
            if len(found) == len(few):
                steps = [token for token in steps if rank(token) > 1]
        if allowance is not None:
            allowance.left -= len(steps) + len(found)
        for token in steps:
            target = advance(state, token)
            known = found.get(target)
            if known is None or rank(token) > rank(known):
                found[target] = token
        branches = list(found.items())
        if len(branches) > _BRANCHES:
            promising = [branch for branch in branches if rank(branch[1]) > 1]
            others = [branch for branch in branches if rank(branch[1]) <= 1]
            branches = promising + others[:_UNPROMISING]
            wide.update(found)
        elif state in wide:
            wide.update(found)
        return branches

    def _search(
        self, start: S, wide: set[S], allowance: Allowance | None
    ) -> tuple[list[S], list[int], Plan] | None:
        """Return the states and tokens of a short path, and the plan at its end."""
        engine, known = self.engine, self._known
        came: dict[S, tuple[S, int] | None] = {start: None}
        # Cost of the path and, where it is to end here, of the plan known from there.
        heap: list[tuple[int, bool, int, S]] = [(0, False, 0, start)]
        best: dict[S, int] = {start: 0}
        alike: Counter[tuple[int, ...]] = Counter()  # by cost, and tokens that go on
        pushed = 0
        while heap:
            cost, is_end, _, state = heappop(heap)
            if is_end:
                return self._path(came, state)
            if cost > best[state] or (state in wide and self._comes_often(alike, cost, state)):
                continue  # a cheaper way here was found since, or those alike go on
            if len(came) > self._max_states or (allowance is not None and allowance.left < 0):
                return None
            for target, token in self._branches(state, wide, allowance):
                reached = cost + _WEIGHTS[self._ranks[token]]
                if reached >= best.get(target, reached + 1):
                    continue
                best[target] = reached
                came[target] = (state, token)
                pushed += 1
                if engine.is_accepting(target):
                    heappush(heap, (reached, True, pushed, target))
                    continue
                plan = known.get(target)
                if plan is not None:
                    heappush(heap, (reached + plan.length, True, pushed, target))
                if plan is None or target not in self._searched:
                    heappush(heap, (reached, False, pushed, target))
        return None

    def _dive(
        self, start: S, first: str, wide: set[S], allowance: Allowance | None
    ) -> tuple[list[S], list[int], Plan] | None:
        """Return what ``_search`` does, for a path that closes what it can at every step."""
        engine, known, texts, ranks = self.engine, self._known, self.table.texts, self._ranks
        came: dict[S, tuple[S, int] | None] = {start: None}
        stack = [start]
        seen: set[S] = set()
        while stack and len(came) <= self._max_states:
            if allowance is not None and allowance.left < 0:
                return None
            state = stack.pop()
            if engine.is_accepting(state) or state in known:
                return self._path(came, state)
            if state in seen:
                continue
            seen.add(state)
            before = came[state]
            is_blank = before is not None and texts[before[1]] in _BLANKS

            def promise(branch: tuple[S, int], *, is_blank: bool = is_blank) -> tuple[bool, int]:
                text = texts[branch[1]]
                return text == first, -1 if is_blank and text in _BLANKS else ranks[branch[1]]

            branches = self._branches(state, wide, allowance)
            # The last one put on the stack is the first one tried, also where it was there already.
            branches.sort(key=promise)
            for target, token in branches:
                if target not in seen:
                    came.setdefault(target, (state, token))  # the first way is the shorter one
                    stack.append(target)
        return None

    @cached_property
    def _ranks(self) -> dict[int, int]:
        """How soon each token of a search promises to bring the end, by its first character."""
        texts = self.table.texts
        return {t: _RANKS.get((texts[t] or " ")[0], 1) for t in self.table.alphabet.to_list()}

    @cached_property
    def promises(self) -> NDArray[np.int8]:
        """How near the end each token promises to leave the output, by its last character."""
        return _RANK_OF[self.table.last_bytes]

    def text(self, plan: Plan) -> bytes | None:
        """Return what a plan spells; None where it holds special tokens."""
        texts = [self.table.texts[token] or "" for token in plan]
        spelled = "".join(texts)
        return spelled.encode("latin-1") if max(spelled, default="") < _FIRST_MARK else None

    def _path(self, came: dict[S, tuple[S, int] | None], end: S) -> tuple[list[S], list[int], Plan]:
        """Return a path from its end, and the plan that goes on from there."""
        plan = NOTHING if self.engine.is_accepting(end) else self._known[end]
        states, tokens = [end], []
        while (step := came[states[-1]]) is not None:
            states.append(step[0])
            tokens.append(step[1])
        return states[::-1], tokens[::-1], plan

    def _keep(self, path: tuple[list[S], list[int], Plan] | None) -> Plan | None:
        """Remember the plan of each state on a path, written with as few tokens as possible."""
        if path is None:
            return None
        states, tokens, end = path
        table = self.table
        plans: list[Plan] = [end]  # from the end of the path to its beginning
        for first in range(len(tokens) - 1, -1, -1):
            best = Plan(tokens[first], plans[-1])
            text = ""
            for last in range(first, len(tokens)):
                text += table.texts[tokens[last]] or ""
                if len(text) > table.longest:
                    break
                rest = plans[len(tokens) - 1 - last]
                token = table[text]
                if token is not None and rest.length + 1 < best.length:
                    best = Plan(token, rest)
            state = states[first]
            known = self._known.get(state)
            if known is not None and known.length < best.length:
                best = known
            if not self.is_full:
                self._known[state] = best
            plans.append(best)
        return plans[-1]


def _walked_back(paths: dict[S, tuple[S, int] | None], end: S) -> Plan:
    """Return the plan that leads to a state."""
    plan = NOTHING
    while (step := paths[end]) is not None:
        end, token = step
        plan = Plan(token, plan)
    return plan
