"""Hold an engine against the exact judge on every state that tokens reach.

`check_protocol` needs nothing but the five methods of the protocol; `check_native` adds what the
native engine offers beyond it. Each property is a separate assertion with the case spelled out.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oracle.tokens import TokenOracle


@dataclass(frozen=True)
class Visit:
    """A state of the engine, how it was reached, and the judge's state for the same text."""

    tokens: tuple[int, ...]
    text: bytes
    state: Any
    judged: int


@dataclass
class Comparison:
    """An engine and the judge of the same language and vocabulary.

    Attributes:
        size: Number of token ids.
        label: What to call the case in messages.
    """

    engine: Any
    oracle: TokenOracle
    size: int
    label: str

    def expect(self, holds: bool, claim: str, visit: Visit | None = None, **facts: object) -> None:
        """Raise with the whole case unless `holds`."""
        if holds:
            return
        lines = [claim, f"case: {self.label}"]
        if visit is not None:
            lines.append(f"after tokens {list(visit.tokens)} = {visit.text!r}")
        lines += [f"{name}: {value!r}" for name, value in facts.items()]
        raise AssertionError("\n".join(lines))

    def explore(self, limit: int = 60, repeats: int = 2) -> list[Visit]:
        """Walk the allowed tokens breadth first; checks path independence on the way."""
        engine, oracle = self.engine, self.oracle
        first = Visit((), b"", engine.start(), oracle.start)
        keys = {b"": first.state.key}
        seen: dict[tuple[bytes, int], int] = {}
        visits, queue = [], deque([first])
        while queue and len(visits) < limit:
            visit = queue.popleft()
            pair = (visit.state.key, visit.judged)
            seen[pair] = seen.get(pair, 0) + 1
            if seen[pair] > repeats:
                continue
            visits.append(visit)
            allowed = allowed_ids(engine, visit.state)
            for token in sorted(allowed & oracle.text_tokens(visit.judged)):
                text = visit.text + oracle.text_of[token]
                state = engine.advance(visit.state, token)
                known = keys.setdefault(text, state.key)
                after = Visit(
                    (*visit.tokens, token), text, state, oracle.advance(visit.judged, token)
                )
                self.expect(
                    known == state.key, "path independence: one text, two keys", after, text=text
                )
                queue.append(after)
        return visits

    # the protocol

    def check_protocol(self, visits: Sequence[Visit]) -> None:
        for visit in visits:
            self.check_mask(visit)
            self.check_ends(visit)
            self.check_forbidden(visit)
        for visit in reversed(visits):
            self.check_mask(visit)  # nothing that was asked in between has changed it

    def check_mask(self, visit: Visit) -> None:
        allowed = allowed_ids(self.engine, visit.state)
        expected = self.oracle.mask(visit.judged)
        stops = self.oracle.stop_ids
        extra, missing = allowed - expected, expected - allowed
        self.expect(not extra - stops, "sound: dead ends allowed", visit, extra=extra - stops)
        self.expect(not missing - stops, "complete: tokens missing", visit, missing=missing - stops)
        self.expect(
            not (extra | missing) & stops,
            "EOS: stop ids differ",
            visit,
            extra=extra & stops,
            missing=missing & stops,
        )
        self.expect(bool(allowed), "no mask is empty before the end", visit)

    def check_ends(self, visit: Visit) -> None:
        engine, oracle = self.engine, self.oracle
        accepting = oracle.accepts_here(visit.judged)
        self.expect(engine.is_accepting(visit.state) is accepting, "is_accepting", visit)
        terminal = not oracle.text_tokens(visit.judged)
        self.expect(engine.is_terminal(visit.state) is terminal, "is_terminal", visit)
        if not accepting:
            return
        ended = [engine.advance(visit.state, stop) for stop in sorted(oracle.stop_ids)]
        for state in ended:
            self.expect(not allowed_ids(engine, state), "the mask after a stop id is empty", visit)
            self.expect(engine.is_terminal(state), "a stop id ends the output", visit)
            self.expect(engine.is_accepting(state), "an ended output is complete", visit)
            for token in range(self.size):
                self.expect_forbidden(visit, state, token)

    def check_forbidden(self, visit: Visit) -> None:
        allowed = allowed_ids(self.engine, visit.state)
        key = visit.state.key
        for token in range(self.size):
            if token in allowed:
                self.engine.advance(visit.state, token)
            else:
                self.expect_forbidden(visit, visit.state, token)
        self.expect(visit.state.key == key, "a state changed", visit)
        self.expect(allowed_ids(self.engine, visit.state) == allowed, "a mask changed", visit)

    def expect_forbidden(self, visit: Visit, state: Any, token: int) -> None:
        try:
            self.engine.advance(state, token)
        except ValueError:
            return
        self.expect(False, "advance took a forbidden token", visit, token=token)

    # beyond the protocol

    def check_native(self, visits: Sequence[Visit], *, all_bytes: bool) -> None:
        for visit in visits:
            self.check_queries(visit)
            self.check_lookahead(visit, all_bytes=all_bytes)
        self.check_batch(visits)
        self.check_texts(visits)
        self.check_validate(visits)

    def check_queries(self, visit: Visit) -> None:
        engine, state = self.engine, visit.state
        mask = engine.allowed_tokens(state)
        allowed = allowed_ids(engine, state)
        self.expect(len(mask) == len(allowed), "len(mask)", visit)
        self.expect(mask.size == self.size, "mask.size", visit, got=mask.size)
        self.expect(sorted(allowed) == mask.to_list(), "mask.to_list", visit)
        for token in range(self.size):
            inside = token in allowed
            self.expect((token in mask) is inside, "in mask", visit, token=token)
            self.expect(engine.is_allowed(state, token) is inside, "is_allowed", visit, token=token)
            count = engine.validate(state, [token])
            self.expect(count == int(inside), "validate of one", visit, token=token, got=count)
        words = (self.size + 31) // 32
        bits = np.zeros(words * 32, dtype=bool)
        bits[sorted(allowed)] = True
        expected = np.packbits(bits, bitorder="little").view("<u4")
        self.expect(np.array_equal(mask.words, expected), "mask.words", visit)
        row = np.full((2, words), -1, dtype=np.int32)
        engine.fill_mask(state, row, 1)
        self.expect(np.array_equal(row[1].view(np.uint32), expected), "fill_mask", visit)
        self.expect(bool((row[0] == -1).all()), "fill_mask wrote another row", visit)

    def check_lookahead(self, visit: Visit, *, all_bytes: bool) -> None:
        engine, oracle = self.engine, self.oracle
        forced = engine.forced_text(visit.state)
        self.expect(oracle.keeps_forced(visit.judged, forced), "forced_text", visit, got=forced)
        if all_bytes:
            longest = oracle.forced(visit.judged)
            self.expect(
                forced[: len(longest)] == longest,
                "forced_text is maximal",
                visit,
                got=forced,
                longest=longest,
            )
        least = engine.min_tokens(visit.state)
        expected = oracle.min_tokens(visit.judged)
        self.expect(least == expected, "min_tokens", visit, got=least, expected=expected)
        self.expect(isinstance(engine.explain(visit.state), str), "explain", visit)

    def check_batch(self, visits: Sequence[Visit]) -> None:
        words = (self.size + 31) // 32
        expected = np.stack([self.engine.allowed_tokens(visit.state).words for visit in visits])
        for threads in (1, 2):
            out = np.full((len(visits), words), -1, dtype=np.int32)
            self.engine.fill_masks([visit.state for visit in visits], out, threads)
            same = np.array_equal(out.view(np.uint32), expected)
            self.expect(same, "fill_masks", threads=threads)

    def check_texts(self, visits: Sequence[Visit]) -> None:
        engine, machine = self.engine, self.oracle.machine
        for visit in visits:
            for text in (visit.text, visit.text + b"a", visit.text[:-1], visit.text + b"\xff"):
                accepted = machine.accepts(text)
                self.expect(
                    engine.accepts(text) is accepted, "accepts", visit, asked=text, want=accepted
                )
            self.expect(engine.is_prefix(visit.text), "is_prefix", visit)

    def check_validate(self, visits: Sequence[Visit]) -> None:
        engine, start = self.engine, self.engine.start()
        for visit in visits:
            tokens = list(visit.tokens)
            count = engine.validate(start, tokens)
            self.expect(count == len(tokens), "validate of a legal path", visit, got=count)
            key = engine.advance_many(start, tokens).key
            self.expect(key == visit.state.key, "advance_many", visit)
            allowed = allowed_ids(engine, visit.state)
            for token in set(range(self.size)) - allowed:
                count = engine.validate(start, [*tokens, token, token])
                self.expect(count == len(tokens), "validate stops", visit, token=token, got=count)


def allowed_ids(engine: Any, state: Any) -> set[int]:
    """The mask as a set."""
    return {int(token) for token in engine.allowed_tokens(state).ids()}


def masks_by_text(engine: Any, visits: Sequence[Visit]) -> dict[bytes, list[int]]:
    """Masks reached by tokens on an engine, in the order given."""
    result = {}
    for visit in visits:
        state = engine.start()
        for token in visit.tokens:
            state = engine.advance(state, token)
        result[visit.text] = sorted(allowed_ids(engine, state))
    return result
