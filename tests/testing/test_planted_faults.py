"""The conformance tests find what they are there to find: engines with one planted fault each.

Each fault must be named by the promise it breaks. It may break others too, where the fault is such
that they follow.
"""

from __future__ import annotations

import threading
import time

import pytest

import formgate
from formgate.testing import (
    OFFERED,
    PROMISES,
    SAMPLES,
    EngineConformance,
    engine_violations,
)


class Wrapped:
    """The native engine, as a class to plant faults in; a state is the engine's own."""

    def __init__(self, sample):
        self.sample = sample
        self.inner = formgate.compile(sample.source, sample.vocabulary, format="regex")

    def __getattr__(self, name):
        return getattr(self.inner, name)

    def start(self):
        return self.inner.start()

    def allowed_tokens(self, state):
        return self.inner.allowed_tokens(state)

    def advance(self, state, token):
        return self.inner.advance(state, token)

    def is_accepting(self, state):
        return self.inner.is_accepting(state)

    def is_terminal(self, state):
        return self.inner.is_terminal(state)

    def changed(self, state, more=(), less=()):
        mask = self.inner.allowed_tokens(state)
        ids = {*mask.to_list(), *more} - {*less}
        return formgate.TokenMask.from_ids(mask.size, sorted(ids))


class DropsAToken(Wrapped):
    def allowed_tokens(self, state):
        allowed = super().allowed_tokens(state)
        texts = [token for token in self.sample.text_of if token in allowed]
        return self.changed(state, less=texts[1:2])


class RefusesWhatItAllows(Wrapped):
    def advance(self, state, token):
        if token == 0:
            raise formgate.TokenError("not this one")
        return super().advance(state, token)


class BytesInsteadOfTokens(Wrapped):
    """Liveness of bytes, not of tokens: what follows from a byte-level automaton alone."""

    def allowed_tokens(self, state):
        mask = super().allowed_tokens(state)
        if not mask or self.is_terminal(state):
            return mask
        text = self.texts[state.key]
        live = {
            token
            for token, piece in self.sample.text_of.items()
            if self.inner.is_prefix(text + piece)
        }
        return self.changed(state, more=live)

    def start(self):
        state = super().start()
        self.texts = {state.key: b""}
        return state

    def advance(self, state, token):
        after = super().advance(state, token)
        self.texts[after.key] = self.texts[state.key] + self.sample.text_of.get(token, b"")
        return after


class DeadEnd(BytesInsteadOfTokens):
    """As before, and follows the token into a state whose mask is empty."""

    def advance(self, state, token):
        try:
            return super().advance(state, token)
        except formgate.TokenError:
            if token in self.allowed_tokens(state):
                return None
            raise

    def allowed_tokens(self, state):
        if state is None:
            return formgate.TokenMask.from_ids(len(self.sample.tokens), [])
        return super().allowed_tokens(state)


class StopsTooEarly(Wrapped):
    def allowed_tokens(self, state):
        if self.is_terminal(state):
            return super().allowed_tokens(state)
        return self.changed(state, more=self.sample.stop_ids)


class ForgetsAStopId(Wrapped):
    def allowed_tokens(self, state):
        return self.changed(state, less=self.sample.stop_ids[1:])


class AcceptsEverywhere(Wrapped):
    def is_accepting(self, state):
        return True


class NeverTerminal(Wrapped):
    def is_terminal(self, state):
        return False


class GoesOnAfterTheEnd(Wrapped):
    def advance(self, state, token):
        return state if token in self.sample.stop_ids else super().advance(state, token)


class TakesAnything(Wrapped):
    def advance(self, state, token):
        try:
            return super().advance(state, token)
        except ValueError:
            return state


class RaisesTheWrongError(Wrapped):
    def advance(self, state, token):
        try:
            return super().advance(state, token)
        except ValueError as error:
            raise RuntimeError("forbidden") from error


class SpoilsItsStates(Wrapped):
    """A mutable state: a refused token leaves it broken."""

    broken = False

    def advance(self, state, token):
        try:
            return super().advance(state, token)
        except ValueError:
            self.broken = True
            raise

    def is_accepting(self, state):
        return super().is_accepting(state) is not self.broken


class _Keyed:
    def __init__(self, inner, key):
        self.inner = inner
        self.key = key


class KeyOfTheTokens(Wrapped):
    def start(self):
        return _Keyed(super().start(), b"")

    def advance(self, state, token):
        return _Keyed(super().advance(state.inner, token), state.key + bytes([token]))

    def allowed_tokens(self, state):
        return super().allowed_tokens(state.inner)

    def is_accepting(self, state):
        return super().is_accepting(state.inner)

    def is_terminal(self, state):
        return super().is_terminal(state.inner)

    def __getattr__(self, name):
        raise AttributeError(name)


class OneKeyForAll(KeyOfTheTokens):
    def advance(self, state, token):
        return _Keyed(super().advance(state, token).inner, b"")


class StaleAfterRollback(Wrapped):
    """The last mask is kept by depth, not by state; a rival's cache did so."""

    def start(self):
        self.depth = {}
        self.kept = {}
        state = super().start()
        self.depth[state.key] = 0
        return state

    def advance(self, state, token):
        after = super().advance(state, token)
        self.depth[after.key] = self.depth[state.key] + 1
        return after

    def allowed_tokens(self, state):
        depth = self.depth.get(state.key, 0)
        if depth != 1:
            return super().allowed_tokens(state)
        return self.kept.setdefault(depth, super().allowed_tokens(state))


class ChangesItsMind(Wrapped):
    asked = 0

    def allowed_tokens(self, state):
        self.asked += 1
        return self.changed(state, less=[0] if self.asked > 150 else [])


class NotForThreads(Wrapped):
    """The state asked about stands in the engine between two steps."""

    def allowed_tokens(self, state):
        self.current = state
        if threading.current_thread() is not threading.main_thread():
            time.sleep(0)
            time.sleep(1e-5)
        return super().allowed_tokens(self.current)


class MaskTooShort(Wrapped):
    def allowed_tokens(self, state):
        ids = super().allowed_tokens(state).to_list()
        return formgate.TokenMask.from_ids(max(ids, default=0) + 1, ids)


class FillsAnotherRow(Wrapped):
    def fill_mask(self, state, out, row=0):
        self.inner.fill_mask(state, out, 0)


class FillsTheSameRow(Wrapped):
    def fill_masks(self, states, out, threads=1):
        self.inner.fill_masks([states[0]] * len(states), out, threads)


class CountsOneTooMany(Wrapped):
    def validate(self, state, tokens):
        return min(len(tokens), self.inner.validate(state, tokens) + 1)


class AdvancesByAll(Wrapped):
    def advance_many(self, state, tokens):
        return self.inner.advance_many(state, tokens[: self.inner.validate(state, tokens)])


class AllowsOneMore(Wrapped):
    def is_allowed(self, state, token):
        return token == 0 or self.inner.is_allowed(state, token)


class ForcesTooMuch(Wrapped):
    def forced_text(self, state):
        return self.inner.forced_text(state) + b"b"


class CountsBytes(Wrapped):
    def min_tokens(self, state):
        return self.inner.min_tokens(state) + 1


class AcceptsPrefixes(Wrapped):
    def accepts(self, text):
        return self.inner.is_prefix(text)


class DeniesPrefixes(Wrapped):
    def is_prefix(self, text):
        return self.inner.accepts(text)


class RefusesTheFinite(Wrapped):
    def __init__(self, sample):
        if sample.texts is not None:
            raise formgate.EmptyLanguageError("nothing")
        super().__init__(sample)


FAULTS = {
    DropsAToken: "complete",
    RefusesWhatItAllows: "complete",
    BytesInsteadOfTokens: "sound",
    DeadEnd: "no dead end",
    StopsTooEarly: "end",
    ForgetsAStopId: "end",
    AcceptsEverywhere: "end",
    NeverTerminal: "terminal",
    GoesOnAfterTheEnd: "ended",
    TakesAnything: "refusal",
    RaisesTheWrongError: "refusal",
    SpoilsItsStates: "refusal",
    KeyOfTheTokens: "path independence",
    OneKeyForAll: "keys",
    StaleAfterRollback: "no history",
    ChangesItsMind: "no history",
    NotForThreads: "threads",
    MaskTooShort: "masks",
    FillsAnotherRow: "fill_mask",
    FillsTheSameRow: "fill_masks",
    CountsOneTooMany: "validate",
    AdvancesByAll: "advance_many",
    AllowsOneMore: "is_allowed",
    ForcesTooMuch: "forced_text",
    CountsBytes: "min_tokens",
    AcceptsPrefixes: "accepts",
    DeniesPrefixes: "is_prefix",
    RefusesTheFinite: "empty language",
}


def test_without_a_fault_nothing_is_found():
    assert not list(engine_violations(Wrapped))


@pytest.mark.parametrize(
    ("fault", "promise"), FAULTS.items(), ids=[fault.__name__ for fault in FAULTS]
)
def test_a_planted_fault_is_named(fault, promise):
    found = list(engine_violations(fault, promises=[promise]))
    assert {violation.promise for violation in found} == {promise}

    class Suite(EngineConformance):
        def make_engine(self, sample):
            return fault(sample)

    with pytest.raises(AssertionError, match=f"(?m)^{promise}: "):
        getattr(Suite(), f"test_{promise.replace(' ', '_')}")()


def test_rollback_finds_a_stale_mask():
    found = engine_violations(StaleAfterRollback, promises=["rollback"])
    assert any(violation.promise == "rollback" for violation in found)


def test_every_promise_has_a_fault_that_breaks_it():
    tried = {*FAULTS.values(), "rollback"}
    assert tried == {*PROMISES, *OFFERED, "empty language"}


def test_an_engine_for_an_empty_language_is_a_fault():
    class NeverEmpty(Wrapped):
        def __init__(self, sample):
            self.sample = sample

    found = [v.sample for v in engine_violations(NeverEmpty, SAMPLES[2:4], promises=["sound"])]
    assert found == []
    found = [
        v.sample for v in engine_violations(NeverEmpty, SAMPLES[2:4], promises=["empty language"])
    ]
    assert found == [sample.name for sample in SAMPLES[2:4]]


def test_an_unknown_promise_is_an_error():
    with pytest.raises(KeyError):
        list(engine_violations(Wrapped, SAMPLES[:1], promises=["speed"]))
