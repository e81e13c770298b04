"""The LR(0) automaton of a grammar and its LALR(1) look-ahead sets.

Look-ahead sets are those of DeRemer and Pennello, "Efficient Computation of LALR(1) Look-Ahead
Sets" (1982): the relations *reads*, *includes* and *lookback* over the transitions on rules, closed
by Tarjan's algorithm, here with a stack of its own. Symbols are numbers, sets of terminals are the
bits of an integer. Cost: linear in the sizes of the relations; a grammar of 500 productions takes
some 50 ms.

Lark's sets are larger than that: it takes items in the middle of a production, too, for beginnings
of it where a state has a transition on their rule. ``as_lark`` does the same, since what matters is
which conflicts lark finds and which terminals its lexer looks for.

The look-ahead sets of LALR(1) are unions over all stacks that end in a state. ``certain`` holds
what *every* one of them has, as far as a fixed point over single states can tell: the look-ahead
at a transition is what its target reads and, for one item at least, what is certain at each
transition that *includes* may lead back to.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from formgate.core.errors import LimitError
from formgate.plugins.cfg._lint_grammar import END, Production

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from formgate.plugins.cfg._lint_grammar import SymbolGrammar

__all__ = ["MAX_ITEMS", "MAX_STATES", "Automaton", "Conflict", "bits"]

MAX_STATES = 20_000
"""Most states of an automaton; some grammars have exponentially many."""

MAX_ITEMS = 2_000_000
"""Most items in all states of an automaton."""


class Conflict(NamedTuple):
    """A state in which one terminal allows several actions.

    Attributes:
        state: The state.
        terminal: The terminal, or ``END``.
        reductions: Numbers of the productions that may be reduced, the preferred first.
        shifts: Whether the terminal may be shifted, too.
        resolved: Whether priorities of rules decide among the reductions.
    """

    state: int
    terminal: str
    reductions: tuple[int, ...]
    shifts: bool
    resolved: bool = False


def bits(mask: int) -> list[int]:
    """Return the places of the ones of a number, lowest first."""
    found = []
    while mask:
        low = mask & -mask
        found.append(low.bit_length() - 1)
        mask ^= low
    return found


class Automaton:
    """The automaton of a grammar without useless rules.

    Args:
        grammar: What ``SymbolGrammar.useful`` returns.
        as_lark: Whether to have lark's look-ahead sets; the default for grammars with a lexer.

    Raises:
        LimitError: It has more than ``MAX_STATES`` states, or ``MAX_ITEMS`` items.

    Attributes:
        names: Name of each symbol by its number; terminals come first, ``END`` is the last of them.
        terminal_count: How many of the symbols are terminals.
        productions: Head and body of each production, as numbers; the first ones are those that
            lead from a state of beginning to a start.
        sources: The same as written, None for the first ones.
        gotos: For each state its transitions, symbol to state.
        kernels: For each state its items (production, dot) but for those that closing adds.
        reductions: For each state the productions that end there.
        starts: The states of beginning, one for each start.
    """

    def __init__(self, grammar: SymbolGrammar, *, as_lark: bool | None = None) -> None:
        self._as_lark = grammar.has_lexer if as_lark is None else as_lark
        rules = grammar.rules()
        used = dict.fromkeys(s for p in grammar.productions for s in p.body if s not in rules)
        self.names: list[str] = [*used, END, *rules, *(f"$root_{s}" for s in grammar.starts)]
        self.terminal_count = len(used) + 1
        self.end = len(used)
        self.number = {name: i for i, name in enumerate(self.names)}
        roots = [Production(f"$root_{start}", (start,)) for start in grammar.starts]
        given = [*roots, *grammar.productions]
        self.sources: list[Production | None] = [None] * len(roots) + list(grammar.productions)
        self.productions = [
            (self.number[p.head], tuple(self.number[s] for s in p.body)) for p in given
        ]
        self.by_head: dict[int, list[int]] = {}
        for index, (head, _) in enumerate(self.productions):
            self.by_head.setdefault(head, []).append(index)
        self._roots = len(roots)
        self._items = 0
        self._closures: dict[int, dict[int, None]] = {}
        self._build()

    # --- LR(0) ---

    def _build(self) -> None:
        """Number all states, breadth first."""
        self.starts = list(range(self._roots))
        self.kernels: list[tuple[tuple[int, int], ...]] = [((i, 0),) for i in range(self._roots)]
        self.gotos: list[dict[int, int]] = []
        self.reductions: list[list[int]] = []
        self.access: list[int | None] = [None] * self._roots
        known = {kernel: i for i, kernel in enumerate(self.kernels)}
        for state_kernel in self.kernels:  # grows while it is read
            moves, ended = self._moves(state_kernel)
            row: dict[int, int] = {}
            for symbol, items in moves.items():
                kernel = tuple(sorted(set(items)))
                target = known.get(kernel)
                if target is None:
                    target = known[kernel] = len(self.kernels)
                    self.kernels.append(kernel)
                    self.access.append(symbol)
                row[symbol] = target
            self.gotos.append(row)
            self.reductions.append(sorted(ended))
            if self._items > MAX_ITEMS:
                raise LimitError(f"its automaton has over {MAX_ITEMS} items (MAX_ITEMS)")
            if len(self.kernels) > MAX_STATES:
                raise LimitError(f"its automaton has over {MAX_STATES} states (MAX_STATES)")

    def _moves(
        self, kernel: tuple[tuple[int, int], ...]
    ) -> tuple[dict[int, list[tuple[int, int]]], set[int]]:
        """Return the items that each symbol leads to, and the productions that end in a state."""
        moves: dict[int, list[tuple[int, int]]] = {}
        ended: set[int] = set()
        heads: dict[int, None] = {}
        for production, dot in kernel:
            body = self.productions[production][1]
            if dot == len(body):
                ended.add(production)
                continue
            moves.setdefault(body[dot], []).append((production, dot + 1))
            if body[dot] >= self.terminal_count:
                heads.update(self._closure(body[dot]))
        for head in heads:
            self._items += len(self.by_head[head])
            for production in self.by_head[head]:
                body = self.productions[production][1]
                if body:
                    moves.setdefault(body[0], []).append((production, 1))
                else:
                    ended.add(production)
        return moves, ended

    def _closure(self, head: int) -> dict[int, None]:
        """Return the rules that a text of a rule may begin with, itself included."""
        known = self._closures.get(head)
        if known is None:
            known = {head: None}
            queue = [head]
            for name in queue:  # grows while it is read
                for production in self.by_head[name]:
                    body = self.productions[production][1]
                    if body and body[0] >= self.terminal_count and body[0] not in known:
                        known[body[0]] = None
                        queue.append(body[0])
            self._closures[head] = known
        return known

    @cached_property
    def nullable(self) -> frozenset[int]:
        """The rules that derive the empty text."""
        users: dict[int, list[int]] = {}
        for index, (_, body) in enumerate(self.productions):
            for symbol in set(body):
                users.setdefault(symbol, []).append(index)
        found: set[int] = set()
        pending = [index for index, (_, body) in enumerate(self.productions) if not body]
        for index in pending:  # grows while it is read, by each production at most once a symbol
            head, body = self.productions[index]
            if head not in found and found.issuperset(body):
                found.add(head)
                pending += users.get(head, ())
        return frozenset(found)

    # --- LALR(1) ---

    @cached_property
    def transitions(self) -> dict[tuple[int, int], int]:
        """The transitions on rules, (state, rule), numbered."""
        count = self.terminal_count
        pairs = [
            (p, symbol) for p, row in enumerate(self.gotos) for symbol in row if symbol >= count
        ]
        return {pair: i for i, pair in enumerate(pairs)}

    @cached_property
    def reads(self) -> list[int]:
        """For each transition the terminals that may be read next, without looking below it."""
        count, nullable, number = self.terminal_count, self.nullable, self.transitions
        direct: list[int] = []
        relation: list[list[int]] = []
        for state, symbol in number:
            target = self.gotos[state][symbol]
            mask = 0
            more = []
            for after in self.gotos[target]:
                if after < count:
                    mask |= 1 << after
                elif after in nullable:
                    more.append(number[target, after])
            direct.append(mask)
            relation.append(more)
        for state in self.starts:
            direct[number[state, self.productions[state][1][0]]] |= 1 << self.end
        return _closed(direct, relation)

    @cached_property
    def _relations(
        self,
    ) -> tuple[list[dict[tuple[int, int], list[int]]], dict[tuple[int, int], list[int]]]:
        """*includes*, by the item that gives it, and *lookback*, by state and production."""
        count, nullable, number = self.terminal_count, self.nullable, self.transitions
        includes: list[dict[tuple[int, int], list[int]]] = [{} for _ in number]
        lookback: dict[tuple[int, int], list[int]] = {}
        tails = []
        for _, body in self.productions:
            tail = len(body)
            while tail and body[tail - 1] in nullable:
                tail -= 1
            tails.append(tail)  # from here on, all is nullable
        for (state, head), transition in number.items():
            for production in self.by_head[head]:
                body = self.productions[production][1]
                tail = tails[production] - 1
                at = state
                for dot, symbol in enumerate(body):
                    if dot >= tail and symbol >= count:
                        item = (production, dot)
                        includes[number[at, symbol]].setdefault(item, []).append(transition)
                    at = self.gotos[at][symbol]
                lookback.setdefault((at, production), []).append(transition)
        return includes, lookback

    @cached_property
    def follow(self) -> list[int]:
        """For each transition the terminals that may come after it, over all stacks."""
        relation = [[t for after in items.values() for t in after] for items in self._relations[0]]
        if self._as_lark:
            for transition, more in self._larks_includes():
                relation[transition].append(more)
        return _closed(list(self.reads), relation)

    def _larks_includes(self) -> Iterator[tuple[int, int]]:
        """Yield the pairs that lark adds to *includes*."""
        count, nullable, number = self.terminal_count, self.nullable, self.transitions
        for state, kernel in enumerate(self.kernels):
            for production, dot in kernel:
                head, body = self.productions[production]
                source = number.get((state, head))
                if source is None:
                    continue
                at = state
                for place, symbol in enumerate(body[dot:], dot):
                    if symbol >= count and nullable.issuperset(body[place + 1 :]):
                        yield number[at, symbol], source
                    at = self.gotos[at][symbol]

    @cached_property
    def lookaheads(self) -> dict[tuple[int, int], int]:
        """For each (state, production that ends there) its LALR(1) look-ahead set."""
        return self._united(self.follow)

    def _united(self, sets: Sequence[int]) -> dict[tuple[int, int], int]:
        found: dict[tuple[int, int], int] = {}
        for key, transitions in self._relations[1].items():
            mask = 0
            for transition in transitions:
                mask |= sets[transition]
            found[key] = mask
        return found

    @cached_property
    def certain(self) -> dict[tuple[int, int], int]:
        """For each (state, production that ends there) terminals in every LR(1) look-ahead set."""
        includes, lookback = self._relations
        sets = list(self.reads)
        users: list[list[int]] = [[] for _ in sets]
        for transition, items in enumerate(includes):
            for sources in items.values():
                for source in sources:
                    users[source].append(transition)
        pending = dict.fromkeys(range(len(sets)))
        while pending:  # each set grows at most once for each terminal
            transition, _ = pending.popitem()
            mask = sets[transition]
            for sources in includes[transition].values():
                mask |= _common(sets, sources)
            if mask != sets[transition]:
                sets[transition] = mask
                pending.update(dict.fromkeys(users[transition]))
        return {key: _common(sets, transitions) for key, transitions in lookback.items()}

    def shiftable(self, state: int) -> int:
        """Return the set of terminals that a state can shift."""
        mask = 0
        for symbol in self.gotos[state]:
            if symbol < self.terminal_count:
                mask |= 1 << symbol
        return mask

    def accepted(self, state: int) -> int:
        """Return the set of terminals with an action in a state: what lark's lexer looks for."""
        mask = self.shiftable(state)
        for production in self.reductions[state]:
            mask |= self.lookaheads.get((state, production), 0)
        return mask

    def conflicts(self) -> list[Conflict]:
        """Return all conflicts, by state and terminal."""
        found = []
        for state, productions in enumerate(self.reductions):
            if not productions:
                continue
            shifts = self.shiftable(state)
            masks = [self.lookaheads.get((state, production), 0) for production in productions]
            seen = shifts
            clash = 0
            for mask in masks:
                clash |= seen & mask
                seen |= mask
            for terminal in bits(clash):
                able = [
                    p for p, mask in zip(productions, masks, strict=True) if mask >> terminal & 1
                ]
                found.append(
                    self._conflict(state, terminal, able, shifts=bool(shifts >> terminal & 1))
                )
        return found

    def _conflict(self, state: int, terminal: int, able: list[int], *, shifts: bool) -> Conflict:
        def priority(production: int) -> int:
            source = self.sources[production]
            return 0 if source is None else source.priority

        able = sorted(able, key=lambda p: (-priority(p), p))
        resolved = len(able) > 1 and priority(able[0]) > priority(able[1])
        return Conflict(state, self.names[terminal], tuple(able), shifts, resolved)


def _common(sets: Sequence[int], members: Iterable[int]) -> int:
    """Return what some of the sets have in common."""
    common = -1
    for member in members:
        common &= sets[member]
    return common


def _closed(sets: list[int], relation: Sequence[Sequence[int]]) -> list[int]:
    """Add to each set those of all that the relation leads to: Tarjan's components, iterative."""
    index = [0] * len(sets)
    low = [0] * len(sets)
    done = len(sets) + 1
    stack: list[int] = []
    counter = 0
    for root in range(len(sets)):
        if index[root]:
            continue
        work = [(root, 0)]
        while work:
            node, position = work.pop()
            if position == 0:
                counter += 1
                index[node] = low[node] = counter
                stack.append(node)
            else:
                child = relation[node][position - 1]
                low[node] = min(low[node], low[child])
                sets[node] |= sets[child]
            after = relation[node]
            while position < len(after) and index[after[position]]:
                child = after[position]
                low[node] = min(low[node], low[child])
                sets[node] |= sets[child]
                position += 1
            if position < len(after):
                work += [(node, position + 1), (after[position], 0)]
            elif low[node] == index[node]:
                while True:
                    member = stack.pop()
                    low[member] = done
                    sets[member] = sets[node]
                    if member == node:
                        break
    return sets
