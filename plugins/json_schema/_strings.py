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

from typing import TYPE_CHECKING, cast

from formgate.core.errors import GrammarError, LimitError
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from collections.abc import Iterable

    from formgate.core.grammar import GrammarBuilder, Node
    from formgate.plugins.json_schema._ecma_search import Search

__all__ = ["StringSet"]

# A language of a pattern that is no larger than this is a finite set from the start.
_FEW = 64
_MAX_PARTS = 2000

Lengths = tuple[tuple[int, "int | None"], ...]

# Tagged tuples: ("values", frozenset, belong), ("lengths", Lengths), ("pattern", source, belong),
# ("format", name, belong), ("and", frozenset of the others), ("or", frozenset of the others).
Key = tuple[object, ...]

_EVERY: Lengths = ((0, None),)
_ALL: Key = ("lengths", _EVERY)
_NONE: Key = ("lengths", ())


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
        found = frozenset([value for value in values if value.isascii() or _is_text(value)])
        return StringSet(("values", found, True)) if found else StringSet.NONE

    @staticmethod
    def length(min: int = 0, max: int | None = None) -> StringSet:  # noqa: A002
        """Return the texts of so many code points."""
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
        from formgate.plugins.json_schema import _ecma_search  # noqa: PLC0415

        try:
            found = _ecma_search.search(source)
            if "(?<" in source or "{" in source:
                _check_writing(found)
        except (GrammarError, LimitError) as error:
            if pointer is None:
                raise
            raise _placed(error, pointer) from None
        if found.everything:
            return StringSet.ALL
        if found.high is not None:
            texts = _ecma_search.enumerate_tree(found.tree, _FEW)
            if texts is not None:
                return StringSet.of(texts)
        return StringSet(("pattern", source, True))

    @staticmethod
    def format(name: str) -> StringSet:
        """Return the texts of a format; all texts for a format that is not known.

        Raises:
            UnsupportedConstraint: The format is known, and cannot be enforced exactly.
        """
        from formgate.plugins.json_schema._formats import check_format  # noqa: PLC0415

        return StringSet(("format", name, True)) if check_format(name) else StringSet.ALL

    @staticmethod
    def knows_format(name: str) -> bool:
        """Say whether a format has a meaning; one that has none is an annotation."""
        from formgate.plugins.json_schema._formats import KNOWN  # noqa: PLC0415

        return name in KNOWN

    # -- Boolean operations

    def __and__(self, other: StringSet) -> StringSet:
        if self.key == other.key or other.key == _ALL:
            return self
        if self.key == _ALL:
            return other
        return StringSet(_conjunction([self.key, other.key]))

    def __or__(self, other: StringSet) -> StringSet:
        return ~(~self & ~other)

    def __invert__(self) -> StringSet:
        return StringSet(_opposite(self.key))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, StringSet):
            return NotImplemented
        return self.key == other.key

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        return f"<StringSet {_described(self.key)}>"

    # -- questions

    @property
    def values(self) -> frozenset[str] | None:
        """The members, where the set is finite by construction, else None."""
        key = self.key
        if key[0] == "values" and key[2]:
            return cast("frozenset[str]", key[1])
        return frozenset() if key == _NONE else None

    def contains(self, text: str) -> bool:
        """Say whether a text belongs to the set."""
        return _contains(self.key, text)

    def is_empty(self) -> bool:
        """Say whether the set is surely empty; False where only the engine could tell."""
        return self.key == _NONE

    def finite(self, limit: int) -> list[str] | None:
        """Return the members in order if they are known to be no more than a limit, else None."""
        found = _members(self.key, limit)
        return None if found is None or len(found) > limit else sorted(found)

    # -- spellings

    def node(self, builder: GrammarBuilder) -> Node:
        """Return the node over characters, written once for each builder and part.

        Raises:
            UnsupportedConstraint: A pattern cannot be enforced exactly.
        """
        known = _written.get(builder)
        if known is None:
            known = _written[builder] = {}
        return _write(self.key, builder, known)


StringSet.ALL = StringSet(_ALL)
StringSet.NONE = StringSet(_NONE)
_written: WeakKeyDictionary[GrammarBuilder, dict[Key, Node]] = WeakKeyDictionary()


def _is_text(value: str) -> bool:
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


# -- lengths


def _common(left: Lengths, right: Lengths) -> Lengths:
    """Return the lengths in both."""
    found: list[tuple[int, int | None]] = []
    for low, high in left:
        for other_low, other_high in right:
            least = max(low, other_low)
            most = high if other_high is None else other_high
            if high is not None and other_high is not None:
                most = min(high, other_high)
            if most is None or least <= most:
                found.append((least, most))
    return tuple(sorted(found, key=lambda span: span[0]))


def _other_lengths(lengths: Lengths) -> Lengths:
    """Return the lengths that are not among these; adjacent spans are one."""
    found: list[tuple[int, int | None]] = []
    start: int | None = 0
    for low, high in lengths:
        if start is not None and start < low:
            found.append((start, low - 1))
        start = None if high is None else high + 1
    if start is not None:
        found.append((start, None))
    return tuple(found)


def _has_length(lengths: Lengths, length: int) -> bool:
    """Say whether a length is among some."""
    return any(low <= length and (high is None or length <= high) for low, high in lengths)


# -- expressions


def _opposite(key: Key) -> Key:
    """Return the complement of an expression."""
    tag = key[0]
    if tag == "lengths":
        return ("lengths", _other_lengths(cast("Lengths", key[1])))
    if tag in ("and", "or"):
        parts = [_opposite(part) for part in cast("frozenset[Key]", key[1])]
        if tag == "or":
            return _conjunction(parts)
        return ("or", frozenset(parts))
    return (tag, key[1], not key[2])


def _conjunction(keys: list[Key]) -> Key:
    """Return the expression of what belongs to all of some."""
    parts: set[Key] = set()
    lengths = _EVERY
    values: frozenset[str] | None = None
    excluded: frozenset[str] = frozenset()
    stack = list(keys)
    while stack:
        key = stack.pop()
        tag, content = key[0], key[1]
        if tag == "and":
            stack += cast("frozenset[Key]", content)
        elif tag == "lengths":
            lengths = _common(lengths, cast("Lengths", content))
        elif tag == "values":
            given = cast("frozenset[str]", content)
            if key[2]:
                values = given if values is None else values & given
            else:
                excluded |= given
        else:
            parts.add(key)
    if not lengths or any(_opposite(part) in parts for part in parts if part[0] != "or"):
        return _NONE
    if lengths == ((0, 0),) and values is None:
        values = frozenset([""])
    if values is not None:
        return _chosen(values - excluded, lengths, parts)
    return _joined(lengths, excluded, parts)


def _chosen(values: frozenset[str], lengths: Lengths, parts: set[Key]) -> Key:
    """Return those of some texts that belong to the rest of a conjunction."""
    found = frozenset(
        [
            value
            for value in values
            if _has_length(lengths, len(value)) and all(_contains(part, value) for part in parts)
        ]
    )
    return ("values", found, True) if found else _NONE


def _joined(lengths: Lengths, excluded: frozenset[str], parts: set[Key]) -> Key:
    """Return a conjunction that has no finite part."""
    for part in list(parts):
        if part[0] == "or" and not parts.isdisjoint(cast("frozenset[Key]", part[1])):
            parts.discard(part)  # x and (x or y)
            continue
        low, high = _extent(part)
        if low == 0 and high is None:
            continue
        met = _common(lengths, ((low, high),))
        if not met:
            return _NONE
        if met == ((low, high),):
            lengths = _EVERY
    kept = frozenset(
        [
            value
            for value in excluded
            if _has_length(lengths, len(value)) and all(_contains(part, value) for part in parts)
        ]
    )
    if len(parts) > _MAX_PARTS:
        raise LimitError(f"more than {_MAX_PARTS} patterns and formats are combined in one string")
    if lengths != _EVERY:
        parts.add(("lengths", lengths))
    if kept:
        parts.add(("values", kept, False))
    if not parts:
        return _ALL
    return parts.pop() if len(parts) == 1 else ("and", frozenset(parts))


def _extent(key: Key) -> tuple[int, int | None]:
    """Return how long the texts of an atom are at least and at most."""
    if key[0] == "pattern" and key[2]:
        from formgate.plugins.json_schema._ecma_search import search  # noqa: PLC0415

        found = search(cast("str", key[1]))
        return found.low, found.high
    if key[0] == "format" and key[2]:
        from formgate.plugins.json_schema._formats import format_extent  # noqa: PLC0415

        return format_extent(cast("str", key[1]))
    return 0, None


def _contains(key: Key, text: str) -> bool:
    """Say whether a text belongs to an expression."""
    tag, content = key[0], key[1]
    if tag == "lengths":
        return _has_length(cast("Lengths", content), len(text))
    if tag == "values":
        return (text in cast("frozenset[str]", content)) is key[2]
    if tag == "and":
        return all(_contains(part, text) for part in cast("frozenset[Key]", content))
    if tag == "or":
        return any(_contains(part, text) for part in cast("frozenset[Key]", content))
    if tag == "pattern":
        from formgate.plugins.json_schema._ecma_match import matches  # noqa: PLC0415

        return matches(cast("str", content), text) is key[2]
    from formgate.plugins.json_schema._formats import format_set  # noqa: PLC0415

    return format_set(cast("str", content)).contains(text) is key[2]


def _members(key: Key, limit: int) -> set[str] | frozenset[str] | None:
    """Return the members of an expression that is known to have few, else None."""
    tag = key[0]
    if key == _NONE:
        return set()
    if tag == "values" and key[2]:
        return cast("frozenset[str]", key[1])
    if tag == "or":
        found: set[str] = set()
        for part in cast("frozenset[Key]", key[1]):
            inner = _members(part, limit)
            if inner is None:
                return None
            found |= inner
        return found
    if tag == "pattern" and key[2]:
        from formgate.plugins.json_schema._ecma_search import (  # noqa: PLC0415
            enumerate_tree,
            search,
        )

        wanted = search(cast("str", key[1]))
        return None if wanted.high is None else enumerate_tree(wanted.tree, limit)
    if tag == "and":
        parts = cast("frozenset[Key]", key[1])
        for part in parts:
            inner = _members(part, 4 * limit)
            if inner is not None:
                return {text for text in inner if all(_contains(other, text) for other in parts)}
    return None


# -- nodes


def _write(key: Key, builder: GrammarBuilder, known: dict[Key, Node]) -> Node:
    """Return the node of an expression; parts are not nested deep."""
    node = known.get(key)
    if node is None:
        node = known[key] = _write_new(key, builder, known)
    return node


def _write_new(key: Key, builder: GrammarBuilder, known: dict[Key, Node]) -> Node:
    """Return the node of an expression that is not written yet."""
    tag, content = key[0], key[1]
    if tag == "lengths":
        return _write_lengths(cast("Lengths", content), builder)
    if tag == "or":
        parts = [_write(part, builder, known) for part in cast("frozenset[Key]", content)]
        return builder.choice(*parts)
    if tag == "and":
        return _write_conjunction(cast("frozenset[Key]", content), builder, known)
    if key[2] is False:
        return builder.complement(_write((tag, content, True), builder, known))
    if tag == "values":
        texts = list(cast("frozenset[str]", content))
        return builder.literal(texts[0]) if len(texts) == 1 else builder.strings(texts)
    if tag == "pattern":
        from formgate.plugins.json_schema._ecma_search import (  # noqa: PLC0415
            search,
            write_search,
        )

        return write_search(search(cast("str", content)), builder)
    from formgate.plugins.json_schema._formats import format_set  # noqa: PLC0415

    return _write(format_set(cast("str", content)).key, builder, known)


def _write_lengths(lengths: Lengths, builder: GrammarBuilder) -> Node:
    """Return the texts of some lengths."""
    parts = [
        builder.any_text() if span == (0, None) else builder.repeat(builder.any_char(), *span)
        for span in lengths
    ]
    return parts[0] if len(parts) == 1 else builder.choice(*parts)


def _write_conjunction(
    parts: frozenset[Key], builder: GrammarBuilder, known: dict[Key, Node]
) -> Node:
    """Return the node of a conjunction; a class repeated and a length are one repeat."""
    if len(parts) == 2:
        first, second = parts
        if first[0] == "lengths":
            first, second = second, first
        if second[0] == "lengths" and first[0] == "pattern" and first[2]:
            node = _write_repeat(cast("str", first[1]), cast("Lengths", second[1]), builder, known)
            if node is not None:
                return node
    ordered = sorted(parts, key=lambda part: part[0] != "pattern")
    return builder.intersection(*[_write(part, builder, known) for part in ordered])


def _write_repeat(
    pattern: str, lengths: Lengths, builder: GrammarBuilder, known: dict[Key, Node]
) -> Node | None:
    """Return a pattern that repeats one class so often as lengths allow, or None."""
    from formgate.plugins.json_schema._ecma_search import search  # noqa: PLC0415
    from formgate.plugins.regex._syntax import CharClass, Repeat  # noqa: PLC0415

    tree = search(pattern).tree
    if len(lengths) != 1 or not isinstance(tree, Repeat) or not isinstance(tree.body, CharClass):
        return None
    spans = _common(lengths, ((tree.minimum, tree.maximum),))
    ((low, high),) = spans
    return builder.repeat(builder.char_class(tree.body.ranges), low, high)


def _described(key: Key) -> str:
    """Return an expression for ``repr``."""
    tag, content = key[0], key[1]
    if tag in ("and", "or"):
        parts = sorted(_described(part) for part in cast("frozenset[Key]", content))
        return "(" + f" {tag} ".join(parts) + ")"
    if tag == "values":
        content = sorted(cast("frozenset[str]", content))[:8]
    return f"{'not ' if key[-1] is False else ''}{tag} {content!r}"
