"""The comparison finds what it is there to find: engines with one planted fault each."""

from __future__ import annotations

import pytest
from oracle.compare import Comparison
from oracle.engine import OracleEngine, OracleMask, OracleState
from oracle.from_re import tree_of_pattern
from oracle.tokens import TokenOracle

TOKENS = (b"a", b"b", b"ab", b"aaaa", b"c", None, None)
STOPS = (5, 6)


def comparison_of(kind: type[OracleEngine], pattern: str = r"(aa)?(aaa)?b|c+") -> Comparison:
    oracle = TokenOracle(tree_of_pattern(pattern), TOKENS, STOPS)
    return Comparison(kind(oracle), oracle, len(TOKENS), f"{kind.__name__} {pattern}")


def run(comparison: Comparison) -> None:
    comparison.check_protocol(comparison.explore())


class DropsOne(OracleEngine):
    def allowed_tokens(self, state):
        mask = super().allowed_tokens(state)
        return OracleMask({token for token in mask.ids().tolist() if token != 2})


class AllowsDeadEnd(OracleEngine):
    def allowed_tokens(self, state):
        mask = super().allowed_tokens(state)
        return OracleMask({*mask.ids().tolist(), 3} if len(mask) > 2 else {*mask.ids().tolist()})


class StopsEarly(OracleEngine):
    def allowed_tokens(self, state):
        mask = super().allowed_tokens(state)
        return OracleMask({*mask.ids().tolist(), 5} if 1 in mask else {*mask.ids().tolist()})


class ForgetsOneStop(OracleEngine):
    def allowed_tokens(self, state):
        return OracleMask(set(super().allowed_tokens(state).ids().tolist()) - {6})


class TakesAnything(OracleEngine):
    def advance(self, state, token):
        try:
            return super().advance(state, token)
        except ValueError:
            return state


class RemembersHistory(OracleEngine):
    def advance(self, state, token):
        after = super().advance(state, token)
        return OracleState(after.number) if token != 2 else Tagged(after.number)


class Tagged(OracleState):
    @property
    def key(self):
        return b"another" + super().key[:9]


class ChangesItsMind(OracleEngine):
    asked = 0

    def allowed_tokens(self, state):
        self.asked += 1
        mask = super().allowed_tokens(state)
        return mask if self.asked < 40 else OracleMask(set(mask.ids().tolist()[:-1]))


class NeverTerminal(OracleEngine):
    def is_terminal(self, state):
        return False


def test_a_faultless_engine_passes():
    run(comparison_of(OracleEngine))


@pytest.mark.parametrize(
    ("fault", "claim"),
    [
        (DropsOne, "complete"),
        (AllowsDeadEnd, "sound"),
        (StopsEarly, "EOS"),
        (ForgetsOneStop, "EOS"),
        (TakesAnything, "forbidden"),
        (RemembersHistory, "path independence"),
        (ChangesItsMind, "complete|changed|EOS"),
        (NeverTerminal, "is_terminal"),
    ],
)
def test_a_planted_fault_is_found(fault, claim):
    with pytest.raises(AssertionError, match=claim):
        run(comparison_of(fault))


def test_liveness_is_a_matter_of_tokens():
    oracle = TokenOracle(tree_of_pattern(r"(aa)?(aaa)?b"), (b"aaaa", b"b", None), (2,))
    assert oracle.mask(oracle.start) == {1}
    assert oracle.min_tokens(oracle.start) == 1
    assert TokenOracle(tree_of_pattern("a{3}b"), (b"aaaa", b"b", None), (2,)).is_empty
