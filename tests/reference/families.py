"""All small regular expressions and grammars, and vocabularies to try each of them on."""

from __future__ import annotations

import functools
import itertools

from formgate.core.reference import Vocabulary

TOKEN_SETS = (
    (b"a", b"b"),
    (b"a", b"b", b"ab", b"ba"),
    (b"aa", b"b"),
    (b"aaa", b"ab", b"b"),
    (b"aaaa", b"b", b"ba"),
    (b"a", b"aa", b"ab", b"ba", b"bb", b"aab", b"abab", b"ab"),
    (b"b", b"abb"),
)
VOCABULARIES = tuple(map(Vocabulary.of, TOKEN_SETS))


@functools.cache
def patterns_and_words(size, length=8):
    """Every regular expression over a and b with exactly `size` letters and operators.

    With each comes the set of its words of up to `length` letters, put together from those of its
    parts: on nested repetitions the backtracking of ``re`` would take forever.
    """
    if size == 1:
        return [("a", frozenset([b"a"])), ("b", frozenset([b"b"]))]
    found = []
    for body, words in patterns_and_words(size - 1, length):
        found.append((f"(?:{body})*", repeated(words, length)))
        found.append((f"(?:{body})?", words | {b""}))
    for left_size in range(1, size - 1):
        for left, before in patterns_and_words(left_size, length):
            for right, after in patterns_and_words(size - 1 - left_size, length):
                found.append((f"{left}{right}", concatenated(before, after, length)))
                found.append((f"(?:{left}|{right})", before | after))
    return found


def concatenated(before, after, length):
    """All words of the first set followed by one of the second, up to a length."""
    by_length = {}
    for word in after:
        by_length.setdefault(len(word), []).append(word)
    return frozenset(
        left + right
        for left in before
        for size, rights in by_length.items()
        if len(left) + size <= length
        for right in rights
    )


def repeated(words, length):
    """All sequences of words of a set, up to a length."""
    result = frozenset([b""])
    while len(longer := result | concatenated(result, words, length)) > len(result):
        result = longer
    return result


def patterns(size):
    """Every regular expression over a and b with exactly `size` letters and operators."""
    return (pattern for pattern, _ in patterns_and_words(size))


def patterns_up_to(size):
    """Every regular expression of at most `size` letters and operators."""
    for exact in range(1, size + 1):
        yield from patterns(exact)


def bodies(symbols, length):
    """Every sequence of up to `length` symbols."""
    for size in range(length + 1):
        yield from itertools.product(symbols, repeat=size)


def grammars(heads, letters, rules, length):
    """Every grammar of exactly `rules` rules with bodies of up to `length` symbols.

    Heads are single names, the first of them the start. Left out are only grammars that differ
    from one listed by the order of rules, or that have no rule for the start.
    """
    productions = [(head, body) for head in heads for body in bodies(heads + letters, length)]
    for chosen in itertools.combinations(productions, rules):
        table = {head: [] for head in heads}
        for head, body in chosen:
            table[head].append(body)
        if table[heads[0]]:
            yield table


def is_useful(table, start):
    """Whether all heads with rules are in reach, and no rule uses a head that has none."""
    reached, queue = {start}, [start]
    for head in queue:
        for symbol in itertools.chain.from_iterable(table[head]):
            if symbol in table and symbol not in reached:
                reached.add(symbol)
                queue.append(symbol)
    used = {head for head, alternatives in table.items() if alternatives}
    return used == reached
