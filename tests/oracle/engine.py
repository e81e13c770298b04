"""The exact judge dressed as a mask engine: what the protocol looks like in plain Python.

It tries out the comparison before the engines are compared, and takes part in the corpus.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from oracle.tokens import TokenOracle

_ENDED = -1


@dataclass(frozen=True)
class OracleState:
    """A state of the judge; `ENDED` after a stop id."""

    number: int

    @property
    def key(self) -> bytes:
        return hashlib.sha256(str(self.number).encode()).digest()[:16]


class OracleMask:
    """A set of token ids with the reading half of TokenMask."""

    def __init__(self, ids: set[int]) -> None:
        self._ids = ids

    def ids(self) -> np.ndarray:
        return np.array(sorted(self._ids), dtype=np.int32)

    def __len__(self) -> int:
        return len(self._ids)

    def __contains__(self, token: int) -> bool:
        return token in self._ids


class OracleEngine:
    """The protocol, answered by the judge."""

    def __init__(self, oracle: TokenOracle) -> None:
        self.oracle = oracle

    def start(self) -> OracleState:
        return OracleState(self.oracle.start)

    def allowed_tokens(self, state: OracleState) -> OracleMask:
        ended = state.number == _ENDED
        return OracleMask(set() if ended else self.oracle.mask(state.number))

    def advance(self, state: OracleState, token: int) -> OracleState:
        if token not in self.allowed_tokens(state):
            raise ValueError(f"token {token} is not allowed here")
        if token in self.oracle.stop_ids:
            return OracleState(_ENDED)
        return OracleState(self.oracle.advance(state.number, token))

    def is_accepting(self, state: OracleState) -> bool:
        return state.number == _ENDED or self.oracle.accepts_here(state.number)

    def is_terminal(self, state: OracleState) -> bool:
        return state.number == _ENDED or not self.oracle.text_tokens(state.number)
