"""An output of at most n tokens that is never cut off in the middle of its structure.

Beside the engine's state goes a plan: tokens after which the output may end, never more than are
left. A token stays allowed if a plan that fits is known for the state it leads to. The plan's own
next token always is, so there is always a way on, and at the end of the budget the output is whole.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, TypeVar

from formgate.core._native import TokenMask
from formgate.core.decoding._needs import FAR, Needs
from formgate.core.decoding._plans import NOTHING, Plan, Plans
from formgate.core.decoding.errors import BudgetError
from formgate.core.errors import LimitError, TokenError

if TYPE_CHECKING:
    from collections.abc import Hashable

    import numpy as np
    from numpy.typing import NDArray

    from formgate.core.decoding.loop import TokenTexts
    from formgate.core.protocol import MaskEngine

__all__ = ["Budgeted", "WithinBudget"]

S = TypeVar("S", bound="Hashable")

_REMEMBERED = 64  # states whose tokens' needs are kept: 8 bytes a token
_STEPS_PER_STATE = 20  # steps that the searches for one mask may take, for each of ``max_states``
_LENT_STATES = 4_096  # states of which it is remembered what was lent to those that follow


@dataclass(frozen=True)
class Budgeted(Generic[S]):
    """A state of an engine, and the tokens that are left.

    Attributes:
        state: The engine's state.
        left: How many tokens may follow, stop tokens not counted.
        plan: Tokens after which the output may end; at most ``left``.
        lookout: Where plans are found; the same for a whole output, so that what was allowed is.
    """

    state: S
    left: int
    plan: Plan = field(compare=False, repr=False)
    lookout: Lookout[S] = field(compare=False, repr=False)


class Lookout(Generic[S]):
    """What is known of the ways on from the states of an engine.

    Args:
        plans: Finds plans.
        max_steps: How many steps the searches for one mask may take.
        pool: Of which pool the states are; None where the engine has none.
    """

    def __init__(self, plans: Plans[S], max_steps: int, pool: int | None) -> None:
        self.plans = plans
        self.pool = pool
        self.table = plans.table
        self._finder: Needs[S] = Needs(plans, max_steps, self._lend)
        # What was enough when they were found, the same if that must be asked for again (else the
        # highest number there is), and the needs of the tokens allowed.
        self._needs: OrderedDict[S, tuple[int, int, NDArray[np.int32]]] = OrderedDict()
        # By state: the plans that were found to serve the states that follow.
        self._lent: OrderedDict[S, list[Plan]] = OrderedDict()
        self._most: dict[S, int] = {}

    def most(self, state: S) -> int:
        """Return how many tokens must follow whatever is allowed, where that is known."""
        return self._most.get(state, FAR)

    def needs_of(self, state: S, mask: TokenMask, enough: int) -> NDArray[np.int32]:
        """Return, for each token of a mask, how many tokens must follow it.

        A number above ``enough`` is the least that could be found, others may be more than needed.
        """
        before = self._needs.pop(state, None)
        if before is None or not before[0] <= enough <= before[1]:
            found, is_final = self._finder.of(state, mask, enough)
            # Where steps were wanting, more tokens may be found under another budget.
            before = enough, FAR if is_final else enough, found
        self._needs[state] = before
        needs = before[2]
        if len(self._needs) > _REMEMBERED:
            self._needs.popitem(last=False)
        if len(self._most) > _REMEMBERED << 8:
            self._most.clear()
        self._most[state] = int(needs.max(initial=0))
        return needs

    def lent(self, before: S, after: S, enough: int) -> Plan | None:
        """Return what a mask of one state took for the plan of a state that follows it."""
        for plan in self._lent.get(before, ()):
            if plan.length <= enough and self.plans.ends(after, plan):
                return plan
        return None

    def _lend(self, before: S, plan: Plan) -> None:
        """Remember that a plan served a state that follows another."""
        lent = self._lent.get(before)
        if lent is None:
            lent = self._lent[before] = []
            if len(self._lent) > _LENT_STATES:
                self._lent.popitem(last=False)
        if plan not in lent:
            lent.append(plan)


class WithinBudget(Generic[S]):
    """An engine whose outputs are complete within a number of tokens.

    Sound: whatever is chosen, the output satisfies the constraint after at most ``max_tokens``
    tokens, a stop token not counted. Not always complete: a token may be forbidden near the end
    though some completion that the search did not find would have fitted. Far from the end every
    token of the engine stays.

    Cost: where few tokens are allowed, a search for those states not met before (see ``_plans``).
    Where many are, ``allowed_tokens`` tries what it finds for one of them on all (see ``_needs``),
    some ten milliseconds for 50,000 tokens, unless the state was met before; some fifty where
    nearly every token leads to a state of its own (in the names of an object that is open to any)
    and few tokens are left. The searches for one mask may take 20 steps for each of ``max_states``;
    what they leave open is forbidden. ``candidates`` and ``is_allowed`` ask only about the token
    chosen, and are what ``constrained_decode`` uses where the sampler permits it.

    Args:
        engine: Any engine whose states are hashable, and equal where their futures are.
        max_tokens: Longest output in tokens.
        vocabulary: Bytes of tokens and stop ids; ``engine.vocabulary`` when left out.
        max_states: How many states one search for a completion may look at.

    Attributes:
        engine: The engine.
        vocabulary: The tokens.
        max_tokens: Longest output in tokens.

    Raises:
        BudgetError: No text of the constraint has so few tokens.
        LimitError: None was found within ``max_states``, which does not say that there is none.
        ValueError: ``max_tokens`` is negative.
    """

    def __init__(
        self,
        engine: MaskEngine[S],
        max_tokens: int,
        *,
        vocabulary: TokenTexts | None = None,
        max_states: int = 5_000,
    ) -> None:
        self.engine = engine
        self.vocabulary: TokenTexts = vocabulary or engine.vocabulary  # type: ignore[attr-defined]
        self._max_states = max_states
        self._lookout = self._look_out()
        self._set(max_tokens)

    def with_budget(self, max_tokens: int) -> WithinBudget[S]:
        """Return the same for another number of tokens; it shares what was found so far.

        Raises:
            BudgetError: No text of the constraint has so few tokens.
            LimitError: None was found.
            ValueError: ``max_tokens`` is negative.
        """
        other: WithinBudget[S] = WithinBudget.__new__(WithinBudget)
        other.__dict__.update(self.__dict__)
        other._set(max_tokens)
        return other

    def start(self) -> Budgeted[S]:
        """Return the state of the empty output."""
        state = self.engine.start()
        # Outputs under way keep what they have. States that are remembered would keep the pool that
        # the engine has left.
        if self._lookout.plans.is_full or self._lookout.pool != _pool_of(self.engine):
            self._lookout = self._look_out()
        return Budgeted(state, self.max_tokens, self._plan, self._lookout)

    def allowed_tokens(self, state: Budgeted[S]) -> TokenMask:
        """Return the tokens after which the output can be completed within what is left."""
        mask = self.candidates(state)
        inner, left = state.state, state.left - 1
        if left < 0 or state.lookout.most(inner) <= left:
            return mask
        ids, needs = mask.ids(), state.lookout.needs_of(inner, mask, left)
        fits = needs <= left
        # Its own plan may be better than what is found anew.
        fits |= ids == state.plan.token
        return mask if fits.all() else TokenMask.from_ids(mask.size, ids[fits].tolist())

    def candidates(self, state: Budgeted[S]) -> TokenMask:
        """Return at least what ``allowed_tokens`` does, at no cost of its own."""
        mask = self.engine.allowed_tokens(state.state)
        return mask if state.left else mask & state.lookout.table.stops

    def is_allowed(self, state: Budgeted[S], token: int) -> bool:
        """Say whether one token is allowed, which costs a step and at most one search."""
        return self._next(state, token) is not None

    def advance(self, state: Budgeted[S], token: int) -> Budgeted[S]:
        """Return the state after one more token.

        Raises:
            TokenError: The token is not allowed.
        """
        following = self._next(state, token)
        if following is None:
            raise TokenError(
                f"token {token} is not allowed here with {state.left} tokens left of a budget of "
                f"{self.max_tokens}"
            )
        return following

    def is_accepting(self, state: Budgeted[S]) -> bool:
        """Say whether the output may end here."""
        return self.engine.is_accepting(state.state)

    def is_terminal(self, state: Budgeted[S]) -> bool:
        """Say whether the engine or the end of the budget ends the output here, or it has ended.

        Not said where tokens are left, but too few for any other text: the mask has stop ids alone.
        """
        return state.left == 0 or self.engine.is_terminal(state.state)

    def forced_text(self, state: Budgeted[S], max_bytes: int = 4096) -> bytes:
        """Return bytes that every accepted continuation begins with; none if the engine cannot.

        The budget may leave only some of their spellings.
        """
        forced = getattr(self.engine, "forced_text", None)
        return b"" if forced is None else bytes(forced(state.state, max_bytes))

    def inner_text(self, text: str) -> str:
        """Return the part of an output that the engine constrains: all of it."""
        return text

    def _set(self, max_tokens: int) -> None:
        """Set the budget, if some text fits into it."""
        if max_tokens < 0:
            raise ValueError(f"max_tokens must not be negative, not {max_tokens}")
        self.max_tokens = max_tokens
        start = self.engine.start()
        plan = self._lookout.plans.of(start, max_tokens)
        if plan is None or plan.length > max_tokens:
            plan = self._tightest(start, plan, max_tokens)
        self._plan = plan

    def _look_out(self) -> Lookout[S]:
        """Return a lookout that knows nothing yet."""
        plans = Plans(self.engine, self.vocabulary, max_states=self._max_states)
        return Lookout(plans, _STEPS_PER_STATE * self._max_states, _pool_of(self.engine))

    def _tightest(self, start: S, found: Plan | None, max_tokens: int) -> Plan:
        """Return a plan that fits into the budget.

        Raises:
            BudgetError: There is none.
            LimitError: None was found.
        """
        try:
            plan = self._lookout.plans.fewest(start, max_tokens)
        except LookupError:
            known = "" if found is None else f"; the shortest one found has {found.length} tokens"
            raise LimitError(
                f"no text of at most {max_tokens} tokens was found among {self._max_states} "
                f"states{known}: raise max_tokens, or max_states"
            ) from None
        if plan is not None:
            return plan
        needed = max_tokens + 1 if found is None else found.length
        enough = "more are needed" if found is None else f"{needed} would do"
        raise BudgetError(
            f"no text of the constraint has at most {max_tokens} tokens, {enough}: raise "
            "max_tokens",
            budget=max_tokens,
            needed=needed,
        )

    def _next(self, state: Budgeted[S], token: int) -> Budgeted[S] | None:
        """Return the state after a token, None if that is not allowed."""
        try:
            inner = self.engine.advance(state.state, token)
        except (ValueError, LookupError):
            return None
        if token in state.lookout.table.stop_ids:
            return Budgeted(inner, state.left, NOTHING, state.lookout)
        left = state.left - 1
        if left < 0:
            return None
        plans = state.lookout.plans
        plan = plans.known(inner)
        if plan is None or plan.length > left:
            if token == state.plan.token:
                plan = state.plan.rest
            else:
                plan = state.lookout.lent(state.state, inner, left) or plans.of(inner, left)
        if plan is None or plan.length > left:
            return None
        return Budgeted(inner, left, plan, state.lookout)


def _pool_of(engine: object) -> int | None:
    """Return the number of the pool that an engine starts outputs in, where it has one."""
    number: int | None = getattr(engine, "pool_number", None)
    return number
