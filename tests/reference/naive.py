"""Judges that decide by enumeration: nothing here is shared with the reference.

A language is a set of short texts; a lexeme is whatever ``re.fullmatch`` says; a sentence is
whatever the rules derive, found by applying them until nothing is new.
"""

from __future__ import annotations

import functools
import itertools
import re


@functools.cache
def matches(pattern, text):
    """Whether a pattern matches a text as a whole, by Python's own engine."""
    return re.fullmatch(pattern.encode(), text) is not None


def all_words(letters, length):
    """All words of up to `length` letters, the empty one included, shortest first."""
    for size in range(length + 1):
        yield from itertools.product(letters, repeat=size)


def all_texts(letters, length):
    """All texts over some bytes."""
    for word in all_words(letters, length):
        yield bytes(word)


def sentences(start, rules, terminals, length):
    """All sentences of up to `length` terminals: the least fixed point, cut at the length.

    `terminals` gives each terminal's words, as tuples; mostly the terminal itself.
    """
    found = {
        name: {word for word in words if len(word) <= length} for name, words in terminals.items()
    }
    found.update({name: set() for name in rules})
    while True:
        before = sum(map(len, found.values()))
        for head, bodies in rules.items():
            for body in bodies:
                partial = {()}
                for symbol in body:
                    by_length = {}
                    for word in found[symbol]:
                        by_length.setdefault(len(word), []).append(word)
                    partial = {
                        left + right
                        for left in partial
                        for size, rights in by_length.items()
                        if len(left) + size <= length
                        for right in rights
                    }
                found[head] |= partial
        if sum(map(len, found.values())) == before:
            return found[start]


def derives(start, rules, word):
    """Whether the rules derive a word of any length: all spans of all symbols, to a fixed point."""
    size = len(word)
    spans = {(symbol, i, i + 1) for i, symbol in enumerate(word) if symbol not in rules}
    while True:
        before = len(spans)
        for head, bodies in rules.items():
            for body in bodies:
                for begin in range(size + 1):
                    ends = {begin}
                    for symbol in body:
                        ends = {
                            j for i in ends for j in range(i, size + 1) if (symbol, i, j) in spans
                        }
                    spans |= {(head, begin, end) for end in ends}
        if len(spans) == before:
            return (start, 0, size) in spans


def munch(terminals, text):
    """The terminals of a text by longest match, earlier terminals first; None if it has none."""
    found, at = [], 0
    while at < len(text):
        for end in range(len(text), at, -1):
            names = [n for n, p in terminals.items() if matches(p, text[at:end])]
            if names:
                found.append(names[0])
                at = end
                break
        else:
            return None
    return tuple(found)


def splits(terminals, text):
    """All sequences of terminals that a text can be cut into."""
    if not text:
        return {()}
    return {
        (name, *rest)
        for end in range(1, len(text) + 1)
        for name, pattern in terminals.items()
        if matches(pattern, text[:end])
        for rest in splits(terminals, text[end:])
    }


def language(start, rules, terminals, letters, length, *, lexing, ignored=()):
    """All texts of up to `length` bytes in the language of a grammar over terminals."""
    names = {name: {(name,)} for name in terminals}
    allowed = sentences(start, rules, names, length)
    found = set()
    for text in all_texts(letters, length):
        lexed = {munch(terminals, text)} if lexing == "longest" else splits(terminals, text)
        if any(
            tuple(name for name in sequence if name not in ignored) in allowed
            for sequence in lexed
            if sequence is not None
        ):
            found.add(text)
    return found


def is_text(start, rules, terminals, text, *, lexing, ignored=()):
    """Whether a text of any length is in the language of a grammar over terminals."""
    lexed = {munch(terminals, text)} if lexing == "longest" else splits(terminals, text)
    return any(
        derives(start, rules, tuple(name for name in names if name not in ignored))
        for names in lexed
        if names is not None
    )


def completable(texts, tokens):
    """Prefixes of texts with what must be allowed after them: {prefix: set of tokens}.

    Only what short texts show: each token that lies on a way to spell one of `texts`. A prefix that
    tokens do not spell is left out.
    """
    must = {}
    for text in texts:
        size = len(text)
        ends = [True] * (size + 1)
        for at in range(size - 1, -1, -1):
            ends[at] = any(text.startswith(t, at) and ends[at + len(t)] for t in tokens)
        starts = [True] + [False] * size
        for at in range(size):
            if starts[at] and ends[at]:
                for token in tokens:
                    if text.startswith(token, at) and ends[at + len(token)]:
                        starts[at + len(token)] = True
                        must.setdefault(text[:at], set()).add(token)
    return must
