"""All small patterns and trees over two letters, and vocabularies to try each of them on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oracle.strategies import TinyVocabulary
from oracle.tree import ANY_TEXT, EMPTY

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oracle.tree import Tree

_UNARY = (
    "(?:{})*",
    "(?:{})?",
    "(?:{}){{2}}",
    "(?:{}){{1,3}}",
    "(?={})",
    "(?!{})",
    r"(?={}\Z)",
    r"(?!{}\Z)",
)
_BINARY = ("{}{}", "(?:{}|{})")

VOCABULARIES = tuple(
    TinyVocabulary((*texts, None), stop_ids=(len(texts),))
    for texts in (
        (b"a", b"b"),
        (b"a", b"b", b"ab", b"ba"),
        (b"aa", b"b"),
        (b"aaa", b"ab", b"b"),
        (b"aaaa", b"b", b"ba"),
        (b"a", b"aa", b"ab", b"ba", b"bb", b"aab", b"abab", b"ab"),
        (b"b", b"abb"),
    )
)


def patterns_of_size(size: int) -> Iterator[str]:
    """Every pattern with exactly `size` letters and operators."""
    if size == 1:
        yield from ("a", "b", ".", "(?<=a)", "(?<!b)")
        return
    for body in patterns_of_size(size - 1):
        for shape in _UNARY:
            yield shape.format(body)
    for left_size in range(1, size - 1):
        rights = list(patterns_of_size(size - 1 - left_size))
        for left in patterns_of_size(left_size):
            for right in rights:
                for shape in _BINARY:
                    yield shape.format(left, right)


def trees_of_size(size: int) -> Iterator[Tree]:
    """Every tree with exactly `size` operators, of all that the builder has."""
    if size == 1:
        yield from (("lit", b"a"), ("lit", b"b"), ANY_TEXT, EMPTY)
        return
    for body in trees_of_size(size - 1):
        yield ("not", body)
        yield ("scope", body)
        yield from (("repeat", body, *counts) for counts in ((0, None), (0, 1), (2, 2)))
        yield from (("ahead", body, negative) for negative in (False, True))
        yield from (("behind", ("scope", body), negative) for negative in (False, True))
    for left_size in range(1, size - 1):
        rights = list(trees_of_size(size - 1 - left_size))
        for left in trees_of_size(left_size):
            for right in rights:
                yield from ((kind, left, right) for kind in ("seq", "choice", "and"))
