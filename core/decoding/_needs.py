"""How many tokens must follow each token of a mask, found for many tokens at once.

A plan (see ``_plans``) found for one token is tried on all others in one question to the engine,
``completed_by``, where it can answer: a few milliseconds for 50,000 tokens. Plans that served the
masks before are tried first. What no plan serves, few tokens in general, is asked about state by
state (see ``_successors``).

Near the end the plans found are longer than they may be, and each token has to be searched from.
Where nearly every token leads to a state of its own, as in the names of an object that is open to
any, that would be a search for each of 50,000 tokens. There, tokens that are completed by the same
text are taken for alike, and some of them are searched from: if none of these has a plan that fits,
all are left out. So a token may be forbidden that an unlikely completion would fit, never allowed
that none fits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar, cast

import numpy as np

from formgate.core._native import TokenMask
from formgate.core.decoding._plans import Allowance
from formgate.core.decoding._successors import Successors

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from numpy.typing import NDArray

    from formgate.core.decoding._plans import Plan, Plans

__all__ = ["FAR", "Needs"]

S = TypeVar("S", bound="Hashable")

FAR = np.iinfo(np.int32).max
_LENT = 16  # plans that are tried on other states
_FEW = 4  # tokens that are asked about state by state
_SHOWN = 64  # tokens that show whether all lead to states of their own
_ROUNDS = 64  # plans that are looked for to be tried on all tokens of one mask
_SAMPLE = 6  # tokens that stand for others
_SAMPLE_STEPS = 2_000  # steps that the search from one of these may take
_MOST_SINGLE = 1_000  # tokens with states of their own that are asked about one by one


class Needs(Generic[S]):
    """Finds how many tokens must follow those of masks.

    Args:
        plans: Finds plans.
        max_steps: How many steps the searches for one mask may take.
        lend: Called with each plan that serves tokens of a mask, and the mask's state.
    """

    def __init__(self, plans: Plans[S], max_steps: int, lend: Callable[[S, Plan], None]) -> None:
        self.plans = plans
        self.max_steps = max_steps
        self.lend = lend
        self.successors: Successors[S] = Successors(plans.engine, plans.table)
        # The plans that served last, the very last at the end: how many tokens of one mask.
        self.recent: dict[Plan, int] = {}

    def of(self, state: S, mask: TokenMask, enough: int) -> tuple[NDArray[np.int32], bool]:
        """Return the needs of the tokens of a mask, and whether no steps were wanting.

        A number above ``enough`` is the least that could be found, others may be more than needed.
        """
        search = _Search(self, state, mask, enough)
        search.run()
        return search.needs, search.allowance.left >= 0

    def note(self, plan: Plan, served: int = 1) -> None:
        """Remember a plan as the one that served last, and how many tokens of a mask it served."""
        self.recent.pop(plan, None)
        self.recent[plan] = served
        if len(self.recent) > _LENT:
            del self.recent[next(iter(self.recent))]


class _Search(Generic[S]):
    """The search for one mask.

    Attributes:
        needs: The needs of its tokens, those of the stop ids 0.
        allowance: Steps that are left.
    """

    def __init__(self, owner: Needs[S], state: S, mask: TokenMask, enough: int) -> None:
        self._owner, self._plans = owner, owner.plans
        self._state, self._enough = state, enough
        self._ids = mask.ids()
        self._left = mask - owner.plans.table.stops  # tokens that are not settled
        self._ask = getattr(owner.plans.engine, "completed_by", None)
        self.needs = np.zeros(len(self._ids), np.int32)
        self.allowance = Allowance(owner.max_steps)
        self._wide: bool | None = None  # whether most tokens lead to states of their own
        self._found: list[Plan] = []  # that serve tokens of this mask

    def run(self) -> None:
        """Fill in the needs."""
        if self._ask is not None and len(self._left) > _FEW:
            self._share()
        if self._left:
            self._take_singly()

    def _share(self) -> None:
        """Try plans on all tokens, as long as many are left."""
        # Those that serve many first: a question costs what is left to be served.
        by_served = sorted(self._owner.recent.items(), key=lambda entry: -entry[1])
        for recent, _ in by_served:
            if len(self._left) > _FEW and recent.length <= self._enough:
                self._serve(recent)
        for _ in range(_ROUNDS):
            if len(self._left) <= _FEW or self.allowance.left < 0:
                return
            token = self._most_promising(1)[0]
            plan = self._plan_after(token)
            if plan is not None and plan.length <= self._enough:
                self._serve(plan)
                if token in self._left:  # it is not known of others
                    self._lend(plan)
                    self._settle(self._mask([token]), plan.length)
                continue
            if not self._is_wide():
                return
            self._leave_out(token, plan)

    def _serve(self, plan: Plan) -> None:
        """Settle the tokens that a plan serves, which is not too long."""
        served = self._served(plan)
        if served:
            self._lend(plan, len(served))
            self._settle(served, plan.length)

    def _leave_out(self, token: int, plan: Plan | None) -> None:
        """Settle a token and those like it, which need more than there is.

        Those like it are completed by the same text, and so are some of them that are searched
        from.
        """
        if plan is not None:
            ids = self._served(plan).ids()
            for other in ids[:: len(ids) // _SAMPLE + 1].tolist():
                better = self._plan_after(other, _SAMPLE_STEPS)
                if better is not None and better.length <= self._enough:
                    self._serve(better)
            self._owner.lend(self._state, plan)  # for when more are left
            self._settle(self._served(plan), plan.length)
        if token in self._left:
            self._settle(self._mask([token]), FAR if plan is None else plan.length)

    def _served(self, plan: Plan) -> TokenMask:
        """Return the tokens that are left and known to be completed by a plan."""
        text = self._plans.text(plan)
        served = None
        if text is not None and self._ask is not None:
            served = self._ask(self._state, text, self._left)
        return self._mask([]) if served is None else served

    def _mask(self, tokens: list[int]) -> TokenMask:
        return TokenMask.from_ids(self._left.size, tokens)

    def _settle(self, tokens: TokenMask, need: int) -> None:
        """Enter the needs of tokens."""
        self.needs[np.searchsorted(self._ids, tokens.ids())] = need
        self._left -= tokens

    def _plan_after(self, token: int, max_steps: int = FAR) -> Plan | None:
        """Return a plan for the state after a token, found within so many steps."""
        target = self._plans.engine.advance(self._state, token)
        given = min(self.allowance.left, max_steps)
        own = Allowance(given)
        found = self._plans.of(target, self._enough, own, is_wide=self._wide is True)
        self.allowance.left -= given - own.left
        return found

    def _most_promising(self, count: int) -> list[int]:
        """Return tokens that leave the output near its end, by the look of them."""
        ids = self._left.ids()
        order = np.argsort(-self._plans.promises[ids], kind="stable")
        return [int(token) for token in ids[order[:count]]]

    def _is_wide(self) -> bool:
        """Say whether most of many tokens lead to states of their own, as far as some show."""
        if self._wide is None:
            self._wide = len(self._ids) > _MOST_SINGLE and self._seems_wide()
        return self._wide

    def _seems_wide(self) -> bool:
        """Say whether most of some tokens lead to states of their own."""
        ids = self._left.ids()
        sample = ids[:: len(ids) // _SHOWN + 1].tolist()
        states = {self._plans.engine.advance(self._state, token) for token in sample}
        return 2 * len(states) > len(sample)

    def _take_singly(self) -> None:
        """Ask about the tokens that are left state by state."""
        if len(self._left) > _MOST_SINGLE and self._ask is not None and self._is_wide():
            few = self._mask(self._most_promising(_MOST_SINGLE))
            self._settle(self._left - few, FAR)
            self.allowance.left = -1
        states, where = self._owner.successors.of(self._state, self._left)
        lengths = np.zeros(len(states), np.int32)
        numbers, first = np.unique(where, return_index=True)
        tokens = self._left.ids()
        promises = self._plans.promises[tokens[first]]
        for place in np.argsort(-promises, kind="stable").tolist():
            plan = self._plan_of(cast("S", states[numbers[place]]))  # only a stop id's is None
            lengths[numbers[place]] = FAR if plan is None else plan.length
        # What was found later may serve those that were looked at before.
        for number in numbers[lengths[numbers] > self._enough].tolist():
            for plan in dict.fromkeys(self._found):
                if self.allowance.left < 0:
                    break
                self.allowance.left -= 1
                is_short = plan.length <= self._enough
                if is_short and self._plans.ends(cast("S", states[number]), plan):
                    self._owner.lend(self._state, plan)
                    lengths[number] = plan.length
                    break
        self.needs[np.searchsorted(self._ids, tokens)] = lengths[where]

    def _plan_of(self, target: S) -> Plan | None:
        """Return a plan of one of many states that follow, at little cost if possible."""
        known = self._plans.known(target)
        if known is not None and known.length <= self._enough:
            return known
        for plan in list(reversed(self._owner.recent)):
            if self.allowance.left < 0:
                return known
            if plan.length > self._enough:
                continue
            if self._plans.ends(target, plan):
                self._lend(plan)
                return plan
            self.allowance.left -= 1
        if self.allowance.left < 0:
            return known
        found = self._plans.of(target, self._enough, self.allowance, is_wide=self._wide is True)
        if found is not None and found.length:
            self._owner.note(found)
            self._found.append(found)
        return found

    def _lend(self, plan: Plan, served: int = 1) -> None:
        """Remember that a plan serves tokens of this mask."""
        self._owner.lend(self._state, plan)
        self._owner.note(plan, served)
        self._found.append(plan)
