"""Sets of strings: lengths, patterns, formats, constants, and what Boolean operators make of them.

A set is an expression over atoms, kept in a form that decides most questions by looking:

- finite sets and their complements, and sets of lengths, are computed with at once; a set that has
  a finite part is finite, since what belongs to the part and the rest is tried one by one;
- a conjunction of an atom and its opposite is empty, as is one of a pattern and lengths that none
  of its texts has; what a conjunction implies anyway is dropped from it;
- negation goes down to the atoms.

Whether patterns overlap is left to the engine. Expressions are nested tuples, compared by value.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, cast

from formgate.core.errors import GrammarError, LimitError, UnsupportedConstraint
from formgate.plugins.json_schema._notes import notes_of
from formgate.plugins.json_schema._strings_keys import (
    ALL,
    NONE,
    conjunction,
    contains,
    described,
    extent,
    members,
    opposite,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from formgate.core.grammar import GrammarBuilder, Node
    from formgate.plugins.json_schema._ecma_search import Search
    from formgate.plugins.json_schema._notes import Notes
    from formgate.plugins.json_schema._strings_keys import Key

__all__ = ["FEW_NAMES", "StringSet", "exclude", "is_text"]

FEW_NAMES = 64  # of a pattern: as many are treated one by one

# A language of a pattern that is no larger than this is a finite set from the start.
_FEW = 64
_MAX_LENGTH = 2**31 - 1
# What the writer of patterns may refuse stands in look-behind, or is a count like this.
_HUGE_COUNT = re.compile(r"[{,][0-9]{10}")


class StringSet:
    """An immutable set of texts, by code points.

    Example:
        >>> from formgate.plugins.json_schema._strings import StringSet
        >>> short = StringSet.pattern("^[ab]+$") & StringSet.length(0, 2)
        >>> short.contains("ab"), short.contains("aba")
        (True, False)
        >>> (StringSet.of(["a", "b", "c"]) & ~StringSet.of(["b"])).values == {"a", "c"}
        True
    """

    __slots__ = ("__weakref__", "_hash", "key")

    ALL: StringSet
    NONE: StringSet

    def __init__(self, key: Key) -> None:
        self.key = key
        self._hash = hash(key)

    # -- how sets come about

    @staticmethod
    def of(values: Iterable[str]) -> StringSet:
        """Return the set of some texts; a lone surrogate is in no text, so it drops out."""
        found = frozenset(values)
        if not "".join(found).isascii():
            found = frozenset([value for value in found if is_text(value)])
        return StringSet(("values", found, True)) if found else StringSet.NONE

    @staticmethod
    def length(min: int = 0, max: int | None = None) -> StringSet:  # noqa: A002
        """Return the texts of so many code points; from 2**31 on, there is no upper limit.

        Raises:
            UnsupportedConstraint: No text is as long as the least length asks.
        """
        if min > _MAX_LENGTH:
            raise UnsupportedConstraint(
                f"a length of {min} is above the largest, {_MAX_LENGTH}",
                hint="no model writes a text that long",
            )
        if max is not None and max > _MAX_LENGTH:
            max = None  # noqa: A001
        if max is not None and max < min:
            return StringSet.NONE
        return StringSet(("lengths", ((min, max),)))

    @staticmethod
    def pattern(source: str, pointer: str | None = None) -> StringSet:
        """Return the texts in which an ECMAScript pattern is found.

        Args:
            source: The pattern.
            pointer: Where it stands, for messages.

        Raises:
            GrammarError: It is no pattern.
            UnsupportedConstraint: It cannot be enforced exactly.
            LimitError: It is nested too deep.
        """
        try:
            return _pattern(source)
        except (GrammarError, LimitError) as error:
            if pointer is None:
                raise
            raise _placed(error, pointer) from None

    @staticmethod
    def format(name: str) -> StringSet:
        """Return the texts of a format; all texts for a format that is not known."""
        from formgate.plugins.json_schema._formats import KNOWN  # noqa: PLC0415

        return StringSet(("format", name, True)) if name in KNOWN else StringSet.ALL

    @staticmethod
    def knows_format(name: str) -> bool:
        """Say whether a format has a meaning; one that has none is an annotation."""
        from formgate.plugins.json_schema._formats import KNOWN  # noqa: PLC0415

        return name in KNOWN

    # -- Boolean operations

    def __and__(self, other: StringSet) -> StringSet:
        if other.key in (self.key, ALL):
            return self
        if self.key == ALL:
            return other
        return StringSet(conjunction([self.key, other.key]))

    def __or__(self, other: StringSet) -> StringSet:
        return ~(~self & ~other)

    def __invert__(self) -> StringSet:
        return StringSet(opposite(self.key))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, StringSet):
            return NotImplemented
        return self.key == other.key

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        return f"<StringSet {described(self.key)}>"

    # -- questions

    @property
    def values(self) -> frozenset[str] | None:
        """The members, where the set is finite by construction, else None."""
        key = self.key
        if key[0] == "values" and key[2]:
            return cast("frozenset[str]", key[1])
        return frozenset() if key == NONE else None

    def contains(self, text: str) -> bool:
        """Say whether a text belongs to the set."""
        return contains(self.key, text)

    def is_empty(self) -> bool:
        """Say whether the set is surely empty; False where only the engine could tell."""
        return self.key == NONE

    def finite(self, limit: int) -> list[str] | None:
        """Return the members in order if they are known to be no more than a limit, else None."""
        found = members(self.key, limit)
        return None if found is None or len(found) > limit else sorted(found)

    def extent(self) -> tuple[int, int | None]:
        """Return lengths that no member is below or above; None for no limit."""
        return extent(self.key)

    # -- spellings

    def node(self, builder: GrammarBuilder, *, notes: Notes | None = None) -> Node:
        """Return the node over characters, written once for each builder and part.

        Args:
            builder: Where to write.
            notes: The notes on the builder, where they are at hand.

        Raises:
            UnsupportedConstraint: A pattern cannot be enforced exactly.
        """
        known = (notes or notes_of(builder)).strings
        node = known.get(self.key)
        if node is None:
            from formgate.plugins.json_schema._strings_write import write_strings  # noqa: PLC0415

            node = write_strings(self.key, builder, known)
        return node


StringSet.ALL = StringSet(ALL)
StringSet.NONE = StringSet(NONE)


@lru_cache(maxsize=1024)
def _pattern(source: str) -> StringSet:
    """Return the set of a pattern."""
    from formgate.plugins.json_schema._ecma_search import search  # noqa: PLC0415
    from formgate.plugins.json_schema._ecma_trees import enumerate_tree  # noqa: PLC0415

    found = search(source)
    if "(?<" in source or _HUGE_COUNT.search(source):
        _check_writing(found)
    if found.everything:
        return StringSet.ALL
    if found.high is not None:
        texts = enumerate_tree(found.tree, _FEW)
        if texts is not None:
            return StringSet.of(texts)
    return StringSet(("pattern", source, True))


@lru_cache(maxsize=4096)
def exclude(one: StringSet, other: StringSet) -> bool:
    """Say whether two sets surely have no text in common."""
    return (one & other).is_empty()


def is_text(value: str) -> bool:
    """Say whether a string has no lone surrogate."""
    return not any("\ud800" <= character <= "\udfff" for character in value)


def _placed(error: GrammarError | LimitError, pointer: str) -> GrammarError | LimitError:
    """Return an error that says where the pattern stands."""
    if not isinstance(error, GrammarError):
        return LimitError(f"pattern at {pointer}: {error}")
    return type(error)(
        f"pattern at {pointer}: {error.reason}",
        source=error.source,
        offset=error.offset,
        end=error.end,
        hint=error.hint,
    )


def _check_writing(found: Search) -> None:
    """Let the writer refuse now what it would refuse later."""
    from formgate.core.grammar import GrammarBuilder  # noqa: PLC0415
    from formgate.plugins.json_schema._ecma_search import write_search  # noqa: PLC0415

    write_search(found, GrammarBuilder())
