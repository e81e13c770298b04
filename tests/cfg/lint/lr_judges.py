"""Slow, obvious counterparts of the automata and searches of ``formgate lint``."""

from __future__ import annotations

from formgate.plugins.cfg._lint_grammar import (
    END,
    LexicalTerminal,
    Production,
    SymbolGrammar,
)


def symbol_grammar(rules, patterns=None, *, ignored=(), keywords=None) -> SymbolGrammar:
    """Return rules as a grammar; names without rules are terminals, named as they match."""
    productions = tuple(
        Production(head, body) for head, bodies in rules.items() for body in dict.fromkeys(bodies)
    )
    names = dict.fromkeys(s for p in productions for s in p.body if s not in rules)
    if patterns is None:
        patterns = {name: name for name in names}
    terminals = {name: LexicalTerminal(name, pattern) for name, pattern in patterns.items()}
    return SymbolGrammar(
        (next(iter(rules)),), productions, terminals, tuple(ignored), keywords=keywords or {}
    )


def nullable_and_first(productions):
    """Return the nullable rules, and what each rule may begin with."""
    heads = {p.head for p in productions}
    nullable, first = set(), {head: set() for head in heads}
    changed = True
    while changed:
        before = len(nullable), sum(map(len, first.values()))
        for p in productions:
            if all(s in nullable for s in p.body):
                nullable.add(p.head)
            for symbol in p.body:
                first[p.head] |= first[symbol] if symbol in heads else {symbol}
                if symbol not in nullable:
                    break
        changed = before != (len(nullable), sum(map(len, first.values())))
    return nullable, first


class _Closing:
    """Adds to items of LR(1) those that they may begin with."""

    def __init__(self, grammar):
        self.starts = grammar.starts
        self.productions = [None, *grammar.productions]
        self.heads = {p.head for p in grammar.productions}
        self.nullable, self.first = nullable_and_first(grammar.productions)

    def body(self, number):
        return self.productions[number].body if number else self.starts

    def follow(self, rest, after):
        """Return what may come after the first symbol of the rest of a body."""
        found = set()
        for symbol in rest[1:]:
            found |= self.first[symbol] if symbol in self.heads else {symbol}
            if symbol not in self.nullable:
                return found
        return found | {after}

    def closed(self, kernel):
        found = dict.fromkeys(kernel)
        queue = list(found)
        for number, dot, after in queue:
            rest = self.body(number)[dot:]
            if rest and rest[0] in self.heads:
                fresh = [
                    (other, 0, lookahead)
                    for other, production in enumerate(self.productions[1:], 1)
                    if production.head == rest[0]
                    for lookahead in self.follow(rest, after)
                    if (other, 0, lookahead) not in found
                ]
                found.update(dict.fromkeys(fresh))
                queue += fresh
        return frozenset(found)


def canonical_lr1(grammar):
    """Return the states of Knuth's automaton: {frozenset of (production, dot, terminal)}.

    With each state its closure and its transitions, and the symbols that lead to it. Production 0
    is that of the start, the others are those of the grammar.
    """
    closing = _Closing(grammar)
    start = frozenset({(0, 0, END)})
    states, queue = {}, [start]
    access = {start: None}
    for kernel in queue:
        closure = closing.closed(kernel)
        moves = {}
        for number, dot, after in closure:
            body = closing.body(number)
            if dot < len(body):
                moves.setdefault(body[dot], set()).add((number, dot + 1, after))
        states[kernel] = closure, {s: frozenset(items) for s, items in moves.items()}
        for symbol, target in states[kernel][1].items():
            if target not in access:
                access[target] = symbol
                queue.append(target)
    return states, access


def count_derivations(grammar, sentence) -> int:
    """Return how many derivations a sentence has: 0, 1, or 2 for more than one.

    The least solution of the equations of all parts of the sentence, in numbers that end at 2.
    """
    rules = grammar.rules()
    n = len(sentence)
    count = {(head, i, j): 0 for head in rules for i in range(n + 1) for j in range(i, n + 1)}

    def ways(symbols, i, j):
        if not symbols:
            return int(i == j)
        total = 0
        for k in range(i, j + 1):
            if symbols[0] in rules:
                here = count[symbols[0], i, k]
            else:
                here = int(k == i + 1 and sentence[i] == symbols[0])
            if here:
                total += here * ways(symbols[1:], k, j)
        return min(total, 2)

    while True:
        after = {
            (head, i, j): min(2, sum(ways(p.body, i, j) for p in rules[head]))
            for head, i, j in count
        }
        if after == count:
            return count[grammar.starts[0], 0, n]
        count = after
