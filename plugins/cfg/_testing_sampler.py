"""Texts of a grammar at random: from its rules, by a walk over masks, and by changing samples.

``RuleSampler`` expands the rules from the left. Alternatives that were rarely taken are preferred,
so that a few draws reach most of a grammar; once a draw is as long as it was meant to be, each rule
takes its cheapest alternative, which ends every derivation (Knuth, "A generalization of Dijkstra's
algorithm", IPL 6(1), 1977, for the costs). What look-around leaves out of a grammar is not seen
here: the caller puts each text to the engine.

``walk`` draws tokens from an engine's masks. When the text is long enough, it goes on byte by byte,
each time to where ``min_tokens`` says that the end is nearest.
"""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING, Any

from formgate.core.errors import LimitError

if TYPE_CHECKING:
    import random

    from formgate.core._native import Engine, State
    from formgate.plugins.cfg._testing_symbols import Symbols

__all__ = ["ByteWalker", "RuleSampler", "mutant", "walk"]

_MOST_STEPS = 20_000
_LONGEST_END = 500
_SEARCH = 2_000
_MOST_SEARCHES = 1_500
_NEVER = float("inf")
_PRINTABLE = range(0x20, 0x7F)


class RuleSampler:
    """Draws texts from the rules of a grammar.

    Args:
        symbols: The grammar.
        chance: Where randomness comes from.
    """

    def __init__(self, symbols: Symbols, chance: random.Random) -> None:
        self._symbols = symbols
        self._chance = chance
        self._costs = _costs(symbols)
        self._taken: dict[tuple[int, int], int] = {}
        self._walkers: dict[int, ByteWalker] = {}

    def draw(self, size: int) -> bytes | None:
        """Return a text that takes some ``size`` expansions; None where it grows out of bounds."""
        symbols = self._symbols
        if self._costs.get(symbols.start, _NEVER) == _NEVER:
            return None
        output: list[bytes] = []
        stack = [symbols.start]
        for _ in range(_MOST_STEPS):
            if not stack:
                return b"".join(output)
            symbol = stack.pop()
            if symbol in symbols.pieces:
                output.append(self._text(symbol))
            elif symbol in symbols.repeats:
                self._repeat(symbol, stack, size)
            else:
                size -= 1
                stack += reversed(self._choose(symbol, size))
        return None

    def _choose(self, symbol: int, size: int) -> tuple[int, ...]:
        """Return the production to go on with."""
        bodies = self._symbols.productions[symbol]
        costs = [self._cost(body) for body in bodies]
        if size <= 0:
            least = min(costs)
            usable = [index for index, cost in enumerate(costs) if cost == least]
        else:
            usable = [index for index, cost in enumerate(costs) if cost < _NEVER]
        weights = [1 / (1 + self._taken.get((symbol, index), 0)) for index in usable]
        index = self._chance.choices(usable, weights)[0]
        self._taken[symbol, index] = self._taken.get((symbol, index), 0) + 1
        return bodies[index]

    def _repeat(self, symbol: int, stack: list[int], size: int) -> None:
        """Put some repetitions on the stack."""
        body, least, most = self._symbols.repeats[symbol]
        if self._cost(body) == _NEVER:
            return  # the cost of the whole said that none are needed
        count = least
        if size > 0:
            while (
                (most is None or count < most) and count < least + 8 and self._chance.random() < 0.5
            ):
                count += 1
        for _ in range(min(count, _MOST_STEPS)):
            stack += reversed(body)

    def _cost(self, body: tuple[int, ...]) -> float:
        return sum(self._costs.get(part, _NEVER) for part in body)

    def _text(self, symbol: int) -> bytes:
        """Return a text of a terminal."""
        piece = self._symbols.pieces[symbol]
        if piece.literal is not None:
            return piece.literal
        engine = self._symbols.piece_engine(symbol)
        assert engine is not None  # noqa: S101 (its cost would be infinite)
        if symbol not in self._walkers:
            self._walkers[symbol] = ByteWalker(engine, self._chance)
        size = self._chance.choice((1, 2, 4, 8))
        return self._walkers[symbol].finish(engine.start(), size) or b""


class ByteWalker:
    """Draws texts byte by byte from an engine's masks.

    How far each state is from the end is remembered; once a number of searches are spent, ends are
    found by luck only, so that a large grammar costs time, but not without bound.

    Args:
        engine: Over single bytes, its stop id 256.
        chance: Where randomness comes from.
    """

    def __init__(self, engine: Engine, chance: random.Random) -> None:
        self.engine = engine
        self._chance = chance
        self._distances: dict[bytes, float] = {}
        self._searches = _MOST_SEARCHES

    def finish(self, state: State, size: int) -> bytes | None:
        """Return a text from a state to an end: ``size`` bytes at random, then the nearest way."""
        engine, chance = self.engine, self._chance
        output = bytearray()
        while len(output) < size + _LONGEST_END:
            if engine.is_accepting(state) and (len(output) >= size or chance.random() < 0.2):
                return bytes(output)
            allowed = [byte for byte in engine.allowed_tokens(state).to_list() if byte < 256]
            if not allowed:
                return bytes(output) if engine.is_accepting(state) else None
            plain = [byte for byte in allowed if byte in _PRINTABLE]
            usual = plain if plain and chance.random() < 0.9 else allowed
            byte = chance.choice(usual) if len(output) < size else self._nearest(state, allowed)
            output.append(byte)
            state = engine.advance(state, byte)
        return None

    def _nearest(self, state: State, allowed: list[int]) -> int:
        """Return a byte after which the text may end soonest, as far as a short search sees."""
        if len(allowed) == 1:
            return allowed[0]
        self._chance.shuffle(allowed)
        successors: dict[bytes, tuple[int, State]] = {}
        for byte in allowed:
            after = self.engine.advance(state, byte)
            successors.setdefault(after.key, (byte, after))
        found = [(self._distance(key, after), byte) for key, (byte, after) in successors.items()]
        least = min(distance for distance, _ in found)
        return next(byte for distance, byte in found if distance == least)

    def _distance(self, key: bytes, state: State) -> float:
        if key not in self._distances and self._searches > 0:
            self._searches -= 1
            try:
                self._distances[key] = self.engine.min_tokens(state, _SEARCH)
            except LimitError:
                self._distances[key] = _NEVER
        return self._distances.get(key, _NEVER)


def walk(engine: Engine, end: ByteWalker, chance: random.Random, size: int) -> bytes | None:
    """Return a text of some ``size`` tokens drawn from masks; None where no end was found.

    Args:
        engine: Compiled against the vocabulary under test.
        end: Leads the same grammar to an end.
        chance: Where randomness comes from.
        size: Tokens to draw before the end is looked for.
    """
    vocabulary = engine.vocabulary
    stops = set(vocabulary.stop_ids)
    state, output = engine.start(), b""
    for _ in range(size):
        ids: Any = engine.allowed_tokens(state).ids()
        if len(ids) == 0:
            break
        token = int(ids[chance.randrange(len(ids))])
        if token in stops:
            return output
        output += vocabulary.token_bytes(token) or b""
        state = engine.advance(state, token)
    rest = end.finish(end.engine.advance_many(end.engine.start(), list(output)), 0)
    return None if rest is None else output + rest


def mutant(texts: list[str], chance: random.Random) -> str:
    """Return one of some texts with a small change, made of what the texts are made of."""
    text = chance.choice(texts)
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        begin = chance.randint(0, len(text))
        end = min(len(text), begin + chance.choice((0, 1, 1, 2, 5)))
        other = chance.choice(texts)
        at = chance.randint(0, len(other))
        new = chance.choice(("", other[at : at + 1], other[at : at + chance.randint(1, 12)]))
        kind = chance.randrange(4)
        if kind == 0:
            text = text[:begin] + text[end:]
        elif kind == 1:
            text = text[:begin] + new + text[begin:]
        elif kind == 2:
            text = text[:begin] + new + text[end:]
        else:
            text = text[:begin] + text[begin:end] * 2 + text[end:]
    return text


def _costs(symbols: Symbols) -> dict[int, float]:
    """Return the fewest terminals that a symbol derives; symbols that derive nothing are left out.

    Terminals cost a little even where they match the empty text, and so does each rule, so that the
    cheapest derivation is never a circle.
    """
    costs: dict[int, float] = {}
    bodies = _bodies(symbols)
    users: dict[int, list[tuple[int, tuple[int, ...]]]] = {}
    for symbol, body in bodies:
        for part in set(body):
            users.setdefault(part, []).append((symbol, body))
    heap = [(1.0, symbol) for symbol, body in bodies if not body]
    heap += [
        (1.0, symbol)
        for symbol in symbols.pieces
        if symbol in users and symbols.piece_engine(symbol) is not None
    ]
    heapq.heapify(heap)
    while heap:
        cost, symbol = heapq.heappop(heap)
        if symbol in costs:
            continue
        costs[symbol] = cost
        for user, body in users.get(symbol, ()):
            if user not in costs and all(part in costs for part in body):
                heapq.heappush(heap, (1.0 + sum(costs[part] for part in body), user))
    return costs


def _bodies(symbols: Symbols) -> list[tuple[int, tuple[int, ...]]]:
    """Return all productions; of a repetition, the parts that are needed."""
    found: list[tuple[int, tuple[int, ...]]] = []
    for symbol, bodies in symbols.productions.items():
        repeat = symbols.repeats.get(symbol)
        if repeat is None:
            found += [(symbol, body) for body in bodies]
        else:
            found.append((symbol, repeat.body * min(repeat.least, 1)))
    return found
