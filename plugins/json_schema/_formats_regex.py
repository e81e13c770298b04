r"""``regex``: patterns of ECMAScript with the ``u`` flag.

Groups nest, so the patterns are no regular language, and names of groups and numbers of counts are
compared with each other. What is written is a set of patterns that surely are patterns: groups six
deep, look-around over what has no groups, counts and ranges in order as far as one digit or one
alphabet tells, one name at the most; no back-references, no properties. Constants are parsed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from formgate.plugins.json_schema._strings import StringSet

if TYPE_CHECKING:
    from formgate.core.grammar import GrammarBuilder, Node

__all__ = ["any_text", "write_regex"]

_DEPTH = 6

_HEX = "[0-9A-Fa-f]"
_ESCAPE = (
    rf"\\(?:[dDsSwWfnrtv^$\\.*+?()[\]{{}}|/]|c[A-Za-z]|x{_HEX}{{2}}|u{_HEX}{{4}}"
    rf"|u\{{0*(?:10{_HEX}{{4}}|{_HEX}{{1,5}})\}})"
)
_ALPHABETS = ("0123456789", "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ")


def _character_class() -> str:
    """Return classes; a hyphen stands between two letters or digits in order, first, or last."""
    spans = "|".join(
        f"{letter}-[{letter}-{alphabet[-1]}]" for alphabet in _ALPHABETS for letter in alphabet
    )
    return rf"\[\^?-?(?:[^\\\]\-^]|{spans}|{_ESCAPE}|\\-)*-?\]"


def _count() -> str:
    """Return quantifiers, or nothing."""
    pairs = "|".join(f"{low},[{low}-9]" for low in range(10))
    return rf"(?:(?:[*+?]|\{{(?:\d+,?|{pairs}|\d,[1-9]\d+)\}})\??)?"


def write_regex(builder: GrammarBuilder) -> Node:
    """Write patterns that surely are patterns."""

    def written(pattern: str) -> Node:
        """Write what a pattern matches in full."""
        return StringSet.pattern(f"^(?:{pattern})$").node(builder)

    count = written(_count())
    atom = written(rf"[^\\^$.*+?()[\]{{}}|]|\.|{_ESCAPE}|{_character_class()}")
    single = builder.choice(builder.seq(atom, count), written(r"[$^]|\\[bB]"))
    opening, closing = written(r"\((?:\?:)?"), builder.literal(")")
    bar = builder.literal("|")

    def alternatives(*terms: Node) -> Node:
        """Write alternatives of sequences of terms."""
        return builder.repeat(builder.choice(single, bar, *terms))

    flat = alternatives()
    look = builder.seq(written(r"\(\?<?[=!]"), flat, closing)
    body = flat
    for _ in range(_DEPTH):
        body = alternatives(look, builder.seq(opening, body, closing, count))
    # One group may have a name: two could have the same.
    named = builder.seq(written(r"\(\?<[A-Za-z_$][A-Za-z0-9_$]*>"), body, closing, count, body)
    return builder.seq(body, builder.optional(named))


def any_text() -> StringSet:
    """Return all that may be patterns."""
    return StringSet.ALL
