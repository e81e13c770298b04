"""Small languages with small vocabularies, each chosen for what careless engines get wrong in it.

A sample defines its language by a membership test and nothing else, so that all that an engine must
answer follows by enumeration.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from formgate.core.vocabulary import Vocabulary

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

__all__ = ["NESTED_SAMPLES", "SAMPLES", "Sample"]


def begins_text(data: bytes) -> bool:
    """Say whether some well-formed UTF-8 begins with ``data``."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(data)
    except UnicodeDecodeError:
        return False
    return True


@dataclass(frozen=True, eq=False)
class Sample:
    """A language and a vocabulary.

    Args:
        name: What messages call it.
        source: What the engine is to be made from: a pattern, rules, whatever its maker reads.
        accepts: Says whether a byte string is a text of the language. This is the definition that
            everything is judged by.
        tokens: The bytes of each id; None for an id that never matches text.
        stop_ids: The ids that end an output.
        special: Names of special tokens; they never match text.
        reach: Whatever the tokens can complete at all, they complete within so many bytes.
            Enumeration stops there, so a number too small makes a good engine look wrong.
        depth: Masks are looked at after up to so many tokens.
        texts: All texts of the language where it is finite, for engines that take lists.
        may_begin: Says whether a text of the language may begin with a byte string. Enumeration
            leaves out what may not, so a sharp test makes it fast; it must never say no wrongly.
            By default whatever begins well-formed UTF-8 may.
    """

    name: str
    source: object
    accepts: Callable[[bytes], bool]
    tokens: Sequence[bytes | None]
    stop_ids: Sequence[int]
    special: Mapping[str, int] = field(default_factory=dict)
    reach: int = 8
    depth: int = 5
    texts: tuple[str, ...] | None = None
    may_begin: Callable[[bytes], bool] = begins_text

    @property
    def vocabulary(self) -> Vocabulary:
        """The tokens as formgate has them."""
        return Vocabulary(list(self.tokens), stop_ids=self.stop_ids, special=self.special)

    @property
    def text_of(self) -> dict[int, bytes]:
        """The bytes of the ids that match text."""
        never = {*self.stop_ids, *self.special.values()}
        return {
            token: text
            for token, text in enumerate(self.tokens)
            if text is not None and token not in never
        }

    @classmethod
    def of_pattern(
        cls, name: str, pattern: str, tokens: Iterable[str | bytes], *, reach: int = 8
    ) -> Sample:
        """Return the sample of what ``re.fullmatch`` accepts, with one stop id after the tokens.

        Raises:
            re.error: The pattern is malformed.
        """
        texts = [*map(_encoded, tokens), None]
        return cls(name, pattern, pattern_membership(pattern), texts, [len(texts) - 1], reach=reach)

    @classmethod
    def of_texts(cls, name: str, texts: Iterable[str], tokens: Iterable[str | bytes]) -> Sample:
        """Return the sample of some texts, with one stop id after the tokens.

        Its source is a pattern; an engine that takes lists finds them as ``texts``.
        """
        members = tuple(texts)
        known = {text.encode() for text in members}
        pieces = [*map(_encoded, tokens), None]
        return cls(
            name,
            "|".join(map(re.escape, members)),
            known.__contains__,
            pieces,
            [len(pieces) - 1],
            reach=max((len(text) for text in known), default=0),
            texts=members,
            may_begin=lambda data: any(text.startswith(data) for text in known),
        )


def pattern_membership(pattern: str) -> Callable[[bytes], bool]:
    """Return the membership test of a pattern: well-formed UTF-8 that matches as a whole."""
    compiled = re.compile(pattern)

    def accepts(text: bytes) -> bool:
        try:
            return compiled.fullmatch(text.decode()) is not None
        except UnicodeDecodeError:
            return False

    return accepts


def _encoded(text: str | bytes) -> bytes:
    return text.encode() if isinstance(text, str) else text


def _is_balanced(text: bytes) -> bool:
    depth = 0
    for byte in text:
        depth += {40: 1, 41: -1}.get(byte, -1_000_000)
        if depth < 0:
            return False
    return depth == 0


def _is_wrapped(text: bytes) -> bool:
    half, odd = divmod(len(text), 2)
    return bool(odd) and text == b"a" * half + b"c" + b"b" * half


def _is_palindrome(text: bytes) -> bool:
    return text == text[::-1] and set(text) <= set(b"ab")


SAMPLES: tuple[Sample, ...] = (
    Sample.of_pattern(
        "liveness is a matter of tokens", "(aa)?(aaa)?b", ["aaaa", "a", "b"], reach=4
    ),
    Sample.of_pattern("a token that leads nowhere", "(aa)?(aaa)?b", ["aaaa", "b"]),
    Sample.of_pattern("lengths that tokens lack", "a{5}", ["aa", "aaaa"]),
    Sample.of_texts("nothing can be spelled", ["xyz", "abc"], ["a", "b", "x", "y"]),
    Sample.of_texts("one text begins another", ["foo", "foobar"], ["f", "o", "fo", "ob", "bar"]),
    Sample.of_texts("nothing at all is a text", ["", "a"], ["a", "b", "aa"]),
    Sample.of_texts("only the empty text", [""], ["a"]),
    Sample.of_texts(
        "a choice without a spelling", ["aba", "abb", "ac"], ["a", "b", "ab", "aba", "bb"]
    ),
    Sample.of_pattern(
        "out of acceptance and back", "1(-1)?", ["1", "-", "-1", "1-", "1-1"], reach=3
    ),
    Sample.of_pattern("equal tokens", "(ab)+", ["a", "b", "a", "ab", "ab", "ba", "abab"], reach=2),
    Sample.of_pattern(
        "a range or a fraction", r"1+(\.1+)?(\.\.1+)?", ["1", ".", "..", "1.", ".1", "..1"], reach=3
    ),
    Sample.of_pattern("counts that overlap", "(a{1,2}){2,3}b", ["a", "b", "aa", "aab"], reach=5),
    Sample.of_pattern("a count after a star", "[ab]*a[ab]{2}", ["a", "b", "ab", "bb"], reach=3),
    Sample.of_pattern(
        "shared beginnings", "(abc|abd){1,2}", ["a", "b", "c", "d", "bc", "da"], reach=4
    ),
    Sample.of_texts(
        "characters cut in two",
        ["é", "è", "e"],
        ["é", "e", b"\xc3", b"\xa9", b"\xa8", b"\xaa", b"e\xc3"],
    ),
    Sample.of_pattern(
        "half a character",
        ".{1,2}",
        [b"\xf0", b"\x9f\x98", b"\x80", b"\xed", b"\xa0", b"\xc0", "a", "\n", b" \xf0"],
        reach=4,
    ),
    Sample.of_pattern(
        "a byte that is missing", "[aé]b?", ["a", "b", b"\xc3", b"b\xc3", b"\xc3\xa9b"], reach=4
    ),
    Sample(
        "gaps, special tokens, several stop ids",
        "a?b",
        pattern_membership("a?b"),
        [b"a", None, None, b"ab", b"b", None, None],
        [1, 5],
        {"<a>": 2},
        reach=2,
    ),
)
"""Regular languages whose sources are patterns in a syntax that every regex engine reads."""

NESTED_SAMPLES: tuple[Sample, ...] = (
    Sample(
        "balanced brackets",
        'S: "(" S ")" S |',
        _is_balanced,
        [b"(", b")", b"((", b"))", b")(", b"())", None],
        [6],
        reach=10,
        depth=3,
    ),
    Sample(
        "as many after as before",
        'S: "a" S "b" | "c"',
        _is_wrapped,
        [b"a", b"b", b"c", b"ab", b"cb", b"bb", b"cbb", b"aa", None],
        [8],
        reach=7,
        depth=2,
    ),
    Sample(
        "palindromes",
        'S: "a" S "a" | "b" S "b" | "a" | "b" |',
        _is_palindrome,
        [b"a", b"b", b"ab", b"bb", None],
        [4],
        reach=5,
        depth=2,
    ),
)
"""Languages that need a stack; their sources are rules with quoted terminals, the first the start.
"""
