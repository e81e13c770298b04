"""Random grammars, recursion of all kinds included, as trees that the minimiser can shrink.

("rules", (alternative, ...), ...)      the first rule is the start
alternative = (symbol, ...)             a symbol is a rule's number or a literal of bytes
"""

from __future__ import annotations

import random
import re
from typing import TYPE_CHECKING

from oracle.grammars import GrammarSource
from oracle.strategies import TinyVocabulary

from fuzz.cases import Case

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oracle.tree import Tree


def draw_grammar_case(seed: str) -> Case:
    """A grammar of up to three rules over a few letters, with every letter as a token."""
    rng = random.Random(seed)
    count = rng.randint(1, 3)

    def symbol() -> int | bytes:
        if rng.random() < 0.45:
            return rng.randrange(count)
        return rng.choice((b"a", b"b", b"c", b"ab"))

    rules = tuple(
        tuple(tuple(symbol() for _ in range(rng.randint(0, 3))) for _ in range(rng.randint(1, 3)))
        for _ in range(count)
    )
    words = ["".join(rng.choices("abc", k=rng.randint(2, 3))).encode() for _ in range(4)]
    tokens = (b"a", b"b", b"c", *words, None)
    return Case(("rules", *rules), TinyVocabulary(tokens, (len(tokens) - 1,)), rng.randrange(2**32))


def source_of(tree: Tree) -> GrammarSource:
    """The grammar in the form that engines and judges take."""
    literals = sorted(
        {s for rule in tree[1:] for body in rule for s in body if s.__class__ is bytes}
    )
    names = {text: f"T{number}" for number, text in enumerate(literals)}
    lines = [
        f"R{number}: "
        + " | ".join(
            " ".join(names[s] if isinstance(s, bytes) else f"R{s}" for s in body) for body in rule
        )
        for number, rule in enumerate(tree[1:])
    ]
    terminals = {name: re.escape(text.decode()) for text, name in names.items()}
    return GrammarSource("\n".join(lines), terminals)


def smaller_grammars(tree: Tree) -> Iterator[Tree]:
    """Without the last rule, an alternative or a symbol."""
    rules = tree[1:]
    if len(rules) > 1 and not any(len(rules) - 1 in body for rule in rules for body in rule):
        yield tree[:-1]
    for r, rule in enumerate(rules):
        for a, body in enumerate(rule):
            shorter = [body[:i] + body[i + 1 :] for i in range(len(body))]
            bodies = [rule[:a] + rule[a + 1 :]] if len(rule) > 1 else []
            bodies += [(*rule[:a], less, *rule[a + 1 :]) for less in shorter]
            for less_rule in bodies:
                yield ("rules", *rules[:r], less_rule, *rules[r + 1 :])
