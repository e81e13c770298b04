"""A counted class before rules, as in indentation: masks against single bytes."""

from __future__ import annotations

import functools
import itertools
import random

import hypothesis
from bytewise import Pair, vocabularies
from hypothesis import strategies as st

import formgate

_WORDS = ["".join(word) for n in (1, 2, 3, 4) for word in itertools.product("ab(1)", repeat=n)]
# So many that what follows some numbers of blanks is a bitmap, and what follows others a list.
TOKENS = [
    *(word.encode() for word in _WORDS if len(word) > 1),
    *((" " * n + word).encode() for n in range(1, 7) for word in _WORDS if n < 4 or len(word) < 3),
    *(("\t" * n + word).encode() for n in (1, 2) for word in _WORDS if len(word) < 3),
    *(b" " * n for n in range(2, 9)),
    *(b"\n" + b" " * n + word for n in range(5) for word in (b"", b"a", b"(b", b"1)")),
]

RULES = {
    "word": 'item ::= [a-z1]+ | "(" item ")"',
    "statement": 'item ::= "a" item? "b" | "(" item (" " item)* ")" | [1b]+ item?',
    "nested": 'item ::= "(" item? ")" item? | "ab" | "1" " "? item',
    "text": 'item ::= [ab]{2,5} | [^ \\n]+ | "1" item',
}


@functools.cache
def both() -> tuple[formgate.Vocabulary, formgate.Vocabulary]:
    return vocabularies(list(dict.fromkeys(TOKENS)))


@hypothesis.settings(max_examples=40, deadline=None)
@hypothesis.given(
    rule=st.sampled_from(sorted(RULES)),
    blanks=st.sampled_from(["[ ]", "[ \\t]", '(" " | "\\t")']),
    fewest=st.integers(0, 4),
    more=st.one_of(st.integers(0, 5), st.none()),
    seed=st.integers(0, 999),
)
def test_blanks_before_rules(
    rule: str, blanks: str, fewest: int, more: int | None, seed: int
) -> None:
    count = f"{{{fewest},{'' if more is None else fewest + more}}}"
    grammar = f'root ::= line ("\\n" line)*\nline ::= {blanks}{count} item\n{RULES[rule]}\n'
    pieces = list(dict.fromkeys(TOKENS))
    pair = Pair(
        *(formgate.compile(grammar, vocabulary, format="gbnf") for vocabulary in both()), pieces
    )
    chance = random.Random(seed)
    for _ in range(7):
        singles, longer = pair.check()
        if not singles and not longer:
            return
        takes_longer = longer and (not singles or chance.random() < 0.6)
        pair.advance(chance.choice(longer if takes_longer else singles))
