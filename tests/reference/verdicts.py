"""Compare a checker with enumeration: soundness by witnesses, completeness by short texts.

Sound: for every token a mask allows, some complete text that begins so is produced, and the naive
judge, not the checker, says that it is in the language. Complete: every token on a way to spell a
text of the enumerated language is allowed. Ends: a stop id is allowed exactly where the text so far
is in the language. Path independence: all spellings of a text lead to one state.
"""

from __future__ import annotations

import heapq
from collections import Counter

from reference.naive import completable

MAX_SEARCH = 20_000


class Verdict:
    """One checker, the enumerated language up to `length` bytes, and a judge of longer texts."""

    def __init__(self, checker, language, judge, *, length, label):
        self.checker = checker
        self.language = language
        self.judge = judge
        self.length = length
        self.label = label
        vocabulary = checker.vocabulary
        self.stop = vocabulary.stop_ids[0]
        self.tokens = {
            token: data
            for token in range(len(vocabulary))
            if (data := vocabulary.token_bytes(token))
        }
        self.must = completable(language, set(self.tokens.values()))
        self.witnesses = {}
        self.gave_up = False  # the last search for a witness met its limit
        self.counts = Counter()

    def check(self, depth):
        """Visit every text of up to `depth` bytes that allowed tokens spell."""
        checker = self.checker
        start = checker.start()
        spelled_empty = not self.must and b"" not in self.language
        if not start:
            assert spelled_empty, f"wrongly empty: {self.label}"
            self.counts["empty"] += 1
            return self.counts
        states = {b"": start}
        queue = [b""]
        for text in queue:
            state = states[text]
            self.check_state(text, state)
            for token, data in self.tokens.items():
                after = text + data
                if token not in checker.mask(state):
                    assert not checker.step(state, token), f"{self.label}: {text} takes {data}"
                elif len(after) <= depth:
                    reached = checker.step(state, token)
                    assert reached, f"{self.label}: {text} refuses the allowed {data}"
                    if after not in states:
                        queue.append(after)
                    known = states.setdefault(after, reached)
                    assert known == reached, f"{self.label}: two states for {after}"
        return self.counts

    def check_state(self, text, state):
        mask = self.checker.mask(state)
        assert mask, f"{self.label}: nothing is allowed after {text}"
        ends = self.stop in mask
        assert ends == (text in self.language), f"{self.label}: end after {text} is {ends}"
        must = self.must.get(text, set())
        for token, data in self.tokens.items():
            allowed = token in mask
            self.counts["bits"] += 1
            if data in must:
                assert allowed, f"{self.label}: {text} refuses {data}"
            elif allowed:
                self.check_witness(text + data, self.checker.step(state, token))
        self.counts["states"] += 1

    def check_witness(self, text, state):
        """Produce a complete text that begins with `text`, and have it judged."""
        rest = self.completion(state)
        if rest is None and self.gave_up:
            self.counts["unsettled"] += 1  # the search ended at its limit, which proves nothing
            return
        assert rest is not None, f"{self.label}: no completion of {text} exists"
        assert self.judge(text + rest), f"{self.label}: {text + rest} is no text of the language"
        self.counts["witnesses"] += 1

    def completion(self, state):
        """Follow masks from a state to an end, those with little left to match first."""
        if state in self.witnesses:
            return self.witnesses[state]
        queue = [(0, 0, b"", state)]
        seen = {state}
        while queue and len(seen) < MAX_SEARCH:
            _, _, text, current = heapq.heappop(queue)
            mask = self.checker.mask(current)
            if self.stop in mask:
                self.witnesses[state] = text
                return text
            for token in mask:
                after = self.checker.step(current, token)
                if after not in seen:
                    seen.add(after)
                    depth = min((len(stack) for _, _, stack in after), default=0)
                    more = text + self.tokens[token]
                    heapq.heappush(queue, (depth + len(more), len(seen), more, after))
        self.gave_up = bool(queue)
        return None
