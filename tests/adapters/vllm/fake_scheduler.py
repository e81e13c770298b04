"""A scheduler that plays vLLM's documented calls on grammar objects, with a random model.

Per request and step: drafts are validated and cut (or padded with -1), then for each position a row
is filled and the draft accepted, and all of it is rolled back; the "model" samples a token in each
row, keeps those drafts that it would have sampled itself, and the new tokens are accepted at once.
Every filled row is compared with a mask found by replaying the tokens from the start.
"""

from __future__ import annotations

import random

import numpy as np

from formgate import Matcher


def row_ids(bitmask, row, size):
    words = bitmask[row].numpy().view(np.uint32)
    bits = np.unpackbits(words.view(np.uint8), bitorder="little")[:size]
    return set(np.nonzero(bits)[0].tolist())


class Request:
    def __init__(self, name, grammar, engine, stops):
        self.name, self.grammar, self.engine, self.stops = name, grammar, engine, stops
        self.output = []
        self.finished = False


class FakeScheduler:
    """Args: the backend, how many tokens are drafted, and a seed."""

    def __init__(self, backend, *, drafts, seed, size):
        self.backend, self.drafts, self.size = backend, drafts, size
        self.random = random.Random(seed)
        self.bitmask = backend.allocate_token_bitmask(8 * (1 + drafts))
        self.errors = []

    def expected(self, request, tokens):
        matcher = Matcher(request.engine)
        assert all(matcher.accept(token) for token in tokens)
        return set(matcher.allowed_tokens().to_list())

    def draft(self, request):
        """Tokens that are likely right, with junk now and then."""
        tokens, matcher = [], Matcher(request.engine)
        for token in request.output:
            matcher.accept(token)
        for _ in range(self.drafts):
            allowed = matcher.allowed_tokens().to_list()
            if not allowed or self.random.random() < 0.2:
                tokens.append(self.random.randrange(self.size))
                continue
            tokens.append(self.random.choice(allowed))
            matcher.accept(tokens[-1])
        return tokens

    def step(self, requests):
        live = [request for request in requests if not request.finished]
        plans = []
        for index, request in enumerate(live):
            given = self.draft(request) if self.drafts else []
            before = list(given)
            valid = request.grammar.validate_tokens(given)
            assert given == before
            assert valid == given[: len(valid)]
            padded = valid + [-1] * (self.drafts - len(valid))
            if padded and self.random.random() < 0.5:  # the scheduler may ask with padding, too
                assert request.grammar.validate_tokens(padded) == valid
            plans.append((request, index * (1 + self.drafts), valid, padded))
        for request, row, _, padded in plans:
            self.fill(request, row, padded)
        for request, row, valid, _ in plans:
            self.sample(request, row, valid)

    def fill(self, request, row, padded):
        """What ``StructuredOutputManager.grammar_bitmask`` does for one request."""
        grammar, advanced, tokens, seen_padding = request.grammar, 0, list(request.output), False
        for offset, token in enumerate([*padded, None]):
            if seen_padding or grammar.is_terminated():
                self.bitmask[row + offset].fill_(-1)
            else:
                grammar.fill_bitmask(self.bitmask, row + offset)
                assert row_ids(self.bitmask, row + offset, self.size) == self.expected(
                    request, tokens
                )
            if token is None:
                break
            seen_padding = seen_padding or token == -1
            if not seen_padding and not grammar.is_terminated():
                assert grammar.accept_tokens(request.name, [token])
                tokens.append(token)
                advanced += 1
        if advanced:
            grammar.rollback(advanced)

    def sample(self, request, row, valid):
        """Sample a row after the other for as long as the drafts are what was sampled."""
        new = []
        for offset in range(len(valid) + 1):
            allowed = sorted(row_ids(self.bitmask, row + offset, self.size))
            assert allowed, "a mask without a token"
            if offset < len(valid) and self.random.random() < 0.7:
                token = valid[offset]
            else:
                token = self.random.choice(allowed)
            new.append(token)
            if offset < len(valid) and token != valid[offset]:
                break
        # The engine hands over what follows an end, too, and drops it later.
        ok = request.grammar.accept_tokens(request.name, new)
        assert ok
        for token in new:
            request.output.append(token)
            if token in request.stops:
                request.finished = True
                assert request.grammar.is_terminated()
                return
        assert not request.grammar.is_terminated()

    def run(self, requests, steps):
        for _ in range(steps):
            if all(request.finished for request in requests):
                break
            self.step(requests)
