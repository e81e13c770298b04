"""Hypothesis strategies: patterns, trees, and the vocabularies to try them on."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from oracle.tree import ANY_TEXT, EMPTY, NOTHING, Tree, negated

if TYPE_CHECKING:
    from collections.abc import Callable

# letters that differ in case, word-ness, line end, and length in UTF-8
ALPHABETS = ("ab", "ab\n", "aB-", "a é", "é語", "a😀", "1a_")

# the same examples in every run; a factor asks for that many times more, and new ones each time
_FACTOR = int(os.environ.get("FORMGATE_EXAMPLES", "1"))


def examples(count: int) -> settings:
    """Settings of a test whose examples cost more than hypothesis expects."""
    return settings(
        max_examples=count * _FACTOR,
        derandomize=_FACTOR == 1,
        database=None,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
    )


@dataclass(frozen=True)
class TinyVocabulary:
    """The arguments of a Vocabulary."""

    tokens: tuple[bytes | None, ...]
    stop_ids: tuple[int, ...]
    special: dict[str, int] = field(default_factory=dict)

    @property
    def texts(self) -> list[bytes]:
        never = {*self.stop_ids, *self.special.values()}
        return [t for i, t in enumerate(self.tokens) if t is not None and i not in never]


# Strategies are kept: hypothesis looks through each of them once, not for each example.
@cache
def _texts(alphabet: str) -> st.SearchStrategy[list[bytes]]:
    words = st.text(alphabet, min_size=1, max_size=3).map(str.encode)
    pieces = words.flatmap(
        lambda word: st.tuples(st.just(word), st.integers(0, len(word) - 1), st.integers(1, 4)).map(
            lambda cut: cut[0][cut[1] : cut[1] + cut[2]]
        )
    )
    noise = st.sampled_from([b"\xff", b"\xf0", b"\xc3", b"\x80", b" \xf0", b"z", b"a\n"])
    return st.lists(st.one_of(pieces, pieces, pieces, noise), min_size=1, max_size=9)


@st.composite
def vocabularies(draw: st.DrawFn, alphabet: str) -> TinyVocabulary:
    """Pieces of 1 to 4 bytes: overlapping, duplicate, cut inside characters, some bytes missing."""
    texts: list[bytes | None] = [*draw(_texts(alphabet))]
    if draw(st.integers(0, 3)):
        texts += [bytes([byte]) for byte in sorted(set(alphabet.encode()))]
    if draw(st.booleans()):
        texts.append(draw(st.sampled_from(texts)))
    kinds: list[bytes | int | None] = [*texts]
    stops = draw(st.integers(1, 3))
    specials = draw(st.integers(0, 2))
    gaps = draw(st.integers(0, 2))
    kinds += [None] * gaps + [-1] * stops + [-2] * specials
    kinds = draw(st.permutations(kinds))
    special_ids = [i for i, kind in enumerate(kinds) if kind == -2]
    return TinyVocabulary(
        tokens=tuple(kind if isinstance(kind, bytes) else None for kind in kinds),
        stop_ids=tuple(i for i, kind in enumerate(kinds) if kind == -1),
        special={f"<s{number}>": i for number, i in enumerate(special_ids)},
    )


@st.composite
def wide_vocabularies(draw: st.DrawFn, alphabet: str) -> TinyVocabulary:
    """Dozens of words of up to a dozen letters, pieces of them, and every byte of the letters."""
    words = draw(st.lists(st.text(alphabet, min_size=1, max_size=12), min_size=8, max_size=40))
    cuts = draw(st.lists(st.integers(0, 6), min_size=len(words), max_size=len(words)))
    pieces = {word.encode()[cut:] for word, cut in zip(words, cuts, strict=True)} - {b""}
    singles = {bytes([byte]) for byte in alphabet.encode()}
    return TinyVocabulary((None, *sorted(pieces | singles)), stop_ids=(0,))


def every_byte_too(vocabulary: TinyVocabulary) -> TinyVocabulary:
    """The vocabulary with all single bytes added."""
    singles = tuple(bytes([byte]) for byte in range(256))
    return TinyVocabulary(vocabulary.tokens + singles, vocabulary.stop_ids, vocabulary.special)


# patterns


def _leaves(alphabet: str) -> st.SearchStrategy[str]:
    letter = st.sampled_from(alphabet)
    escaped = letter.map(re.escape)
    members = st.lists(escaped, min_size=1, max_size=2).map("".join)
    classes = st.builds("[{}{}]".format, st.sampled_from(["", "^"]), members)
    common = st.sampled_from([".", r"\w", r"\W", r"\d", r"\s", r"\S", r"[^\W\d]", "[a-z]", ""])
    anchors = st.sampled_from(["^", "$", r"\A", r"\Z", r"\b", r"\B"])
    return st.one_of(escaped, escaped, escaped, classes, common, anchors)


def _fixed_width(alphabet: str) -> st.SearchStrategy[str]:
    letter = st.one_of(st.sampled_from(alphabet).map(re.escape), st.sampled_from([".", r"\w"]))

    def of_width(width: int) -> st.SearchStrategy[str]:
        word = st.lists(letter, min_size=width, max_size=width).map("".join)
        return st.lists(word, min_size=1, max_size=2).map("|".join)

    edge = st.sampled_from(["", "", "", "^", r"\b"])
    body = st.integers(0, 2).flatmap(of_width)
    return st.builds("{}(?:{})".format, edge, body)


_COUNTS = ("*", "+", "?", "{2}", "{1,2}", "{2,3}", "{0,3}", "{2,}", "{3,5}")


@cache
def patterns(alphabet: str, size: int = 8) -> st.SearchStrategy[str]:
    """Patterns of Python's `re` with every operator that has a meaning independent of search."""

    def extend(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        pair = st.lists(inner, min_size=2, max_size=3)
        return st.one_of(
            pair.map("".join),
            pair.map("".join),
            pair.map(lambda parts: "(?:" + "|".join(parts) + ")"),
            st.builds(
                "(?:{}){}{}".format, inner, st.sampled_from(_COUNTS), st.sampled_from(["", "?"])
            ),
            st.builds("(?{}{})".format, st.sampled_from(["=", "!"]), inner),
            st.builds("(?{}{})".format, st.sampled_from(["<=", "<!"]), _fixed_width(alphabet)),
            st.builds("(?{}:{})".format, st.sampled_from(["i", "s", "m", "a", "-i"]), inner),
            inner.map("({})".format),
        )

    body = st.recursive(_leaves(alphabet), extend, max_leaves=size)
    flags = st.sampled_from(["", "", "", "(?i)", "(?s)", "(?m)", "(?ms)"])
    # a bare alternative at the top is wrapped, so that a prefix of flags is all that precedes it
    return st.builds("{}{}".format, flags, body).filter(_is_pattern)


@cache
def loops(alphabet: str) -> st.SearchStrategy[str]:
    """Repeated classes with counts and what follows them: what engines take short cuts for."""
    letters = st.text(alphabet, min_size=1, max_size=3).map(re.escape)
    classes = st.one_of(
        letters.map("[{}]".format),
        letters.map("[^{}]".format),
        st.sampled_from([".", r"\w", r"[^\n]", r"\S", r"(?:.|\n)", "[🌀-🗿]", "[a-c]", "[^b]"]),
    )
    counts = st.one_of(
        st.sampled_from(["*", "+", "*?", "{3,}"]),
        st.integers(0, 9).map("{{{}}}".format),
        st.tuples(st.integers(0, 6), st.integers(6, 25)).map(
            lambda both: f"{{{both[0]},{both[1]}}}"
        ),
    )
    loop = st.builds("{}{}".format, classes, counts)
    either = st.builds("(?:{}|{}){}".format, st.one_of(classes, loop), letters, counts)
    step = st.one_of(loop, loop, letters, either)
    body = st.lists(step, min_size=1, max_size=4).map("".join)
    again = st.builds("(?:{}){}".format, body, st.sampled_from(["", "", "*", "{2}", "{0,3}", "?"]))
    guard = st.builds("(?{}{})".format, st.sampled_from(["=", "!", "="]), body)
    guards = st.one_of(st.just(""), st.just(""), guard)
    return st.builds("{}{}{}".format, guards, again, st.one_of(st.just(""), letters, loop))


def _is_pattern(pattern: str) -> bool:
    try:
        re.compile(pattern)
    except re.error:
        return False
    return True


# trees


@cache
def trees(alphabet: str, size: int = 7) -> st.SearchStrategy[Tree]:
    """Grammars with every operator of the builder, nested freely."""
    letter = st.sampled_from(alphabet)
    words = st.text(alphabet, max_size=3).map(str.encode)
    code_points = [ord(character) for character in alphabet]
    single = letter.map(lambda character: ((ord(character), ord(character)),))
    span = st.just(((min(code_points), max(code_points)),))
    ranges = st.one_of(single, span, single.map(negated))
    leaves = st.one_of(
        words.map(lambda word: ("lit", word)),
        words.map(lambda word: ("lit", word)),
        ranges.map(lambda some: ("chars", some)),
        st.sets(words, min_size=1, max_size=4).map(lambda some: ("strings", tuple(sorted(some)))),
        st.sampled_from([ANY_TEXT, EMPTY, NOTHING]),
    )
    return st.recursive(leaves, _extend_tree, max_leaves=size)


def _extend_tree(inner: st.SearchStrategy[Tree]) -> st.SearchStrategy[Tree]:
    several = st.lists(inner, min_size=2, max_size=3)

    def of(kind: str) -> Callable[[list[Tree]], Tree]:
        return lambda parts: (kind, *parts)

    counts = st.sampled_from([(0, None), (1, None), (0, 1), (2, 2), (1, 3), (2, None)])
    # what stands before ends here, also for a look-ahead in it
    past = inner.map(lambda part: ("scope", part))
    return st.one_of(
        several.map(of("seq")),
        several.map(of("seq")),
        several.map(of("choice")),
        several.map(of("and")),
        inner.map(lambda part: ("not", part)),
        st.tuples(inner, counts).map(lambda both: ("repeat", both[0], *both[1])),
        st.tuples(st.just("ahead"), inner, st.booleans()),
        st.tuples(st.just("behind"), past, st.booleans()),
        inner.map(lambda part: ("scope", part)),
    )


# vocabularies large enough for what engines do to large subtrees


def _all_texts(alphabet: str, longest: int) -> list[bytes]:
    layers = [[""]]
    for _ in range(longest):
        layers.append([text + letter for text in layers[-1] for letter in alphabet])
    return [text.encode() for layer in layers[1:] for text in layer]


def _large(texts: list[bytes]) -> TinyVocabulary:
    return TinyVocabulary((None, *dict.fromkeys(texts)), stop_ids=(0,))


LARGE_VOCABULARIES = {
    "abc": _large(_all_texts("abc", 6)),
    "a1 ": _large(_all_texts("a1 ", 5) + [b"a" * length for length in range(6, 40)]),
    "a😀é": _large(
        [chr(0x1F300 + number).encode() for number in range(768)]
        + _all_texts("a😀é", 5)
        + [bytes([byte]) for byte in range(256)]
    ),
}
