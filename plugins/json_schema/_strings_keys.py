"""Expressions of sets of strings: how they are combined, and what is easily known of them.

An expression is a tagged tuple: ``("values", texts, belong)``, ``("lengths", spans)``,
``("pattern", source, belong)``, ``("format", name, belong)``, ``("content", (encoding, media),
belong)``, ``("and", parts)`` or ``("or", parts)``; ``belong`` is False for the complement. See
``_strings`` for the form they are kept in.
"""

from __future__ import annotations

from typing import cast

from formgate.core.errors import LimitError

__all__ = [
    "ALL",
    "EVERY",
    "NONE",
    "Content",
    "Key",
    "Lengths",
    "common_lengths",
    "conjunction",
    "contains",
    "described",
    "extent",
    "members",
    "opposite",
]

_MAX_PARTS = 2000
_JOINED = frozenset(["and", "or"])

Lengths = tuple[tuple[int, "int | None"], ...]
Key = tuple[object, ...]
Content = tuple[str, str]  # an encoding and what is encoded, as ``_contents`` names them

EVERY: Lengths = ((0, None),)
ALL: Key = ("lengths", EVERY)
NONE: Key = ("lengths", ())


# -- lengths


def common_lengths(left: Lengths, right: Lengths) -> Lengths:
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


def opposite(key: Key) -> Key:
    """Return the complement of an expression."""
    tag = key[0]
    if tag == "lengths":
        return ("lengths", _other_lengths(cast("Lengths", key[1])))
    if tag in ("and", "or"):
        parts = [opposite(part) for part in cast("frozenset[Key]", key[1])]
        if tag == "or":
            return conjunction(parts)
        return ("or", frozenset(parts))
    return (tag, key[1], not key[2])


def conjunction(keys: list[Key]) -> Key:
    """Return the expression of what belongs to all of some."""
    parts: set[Key] = set()
    lengths = EVERY
    values: frozenset[str] | None = None
    excluded: frozenset[str] = frozenset()
    stack = list(keys)
    while stack:
        key = stack.pop()
        tag, content = key[0], key[1]
        if tag == "and":
            stack += cast("frozenset[Key]", content)
        elif tag == "lengths":
            lengths = common_lengths(lengths, cast("Lengths", content))
        elif tag == "values":
            given = cast("frozenset[str]", content)
            if key[2]:
                values = given if values is None else values & given
            else:
                excluded |= given
        else:
            parts.add(key)
    if not lengths or any(opposite(part) in parts for part in parts if part[0] != "or"):
        return NONE
    if lengths == ((0, 0),) and values is None:
        values = frozenset([""])
    if values is not None:
        return _chosen(values - excluded, lengths, parts)
    return _infinite(lengths, excluded, parts)


def _infinite(lengths: Lengths, excluded: frozenset[str], parts: set[Key]) -> Key:
    """Return a conjunction that has no finite part."""
    if not (_sorted_formats(parts) and _sorted_patterns(parts)):
        return NONE
    resolved = _resolved(parts)
    if resolved is None:
        return _joined(lengths, excluded, parts)
    return conjunction([("lengths", lengths), ("values", excluded, False), *resolved])


def _resolved(parts: set[Key]) -> list[Key] | None:
    """Return parts without alternatives that others rule out, or None if there are no such.

    That is unit resolution: x and (not x or y) is x and y. The engine would look at each state of
    both to find that out.
    """
    found: list[Key] = []
    changed = False
    for choice in parts:
        if choice[0] != "or":
            found.append(choice)
            continue
        given = cast("frozenset[Key]", choice[1])
        left = [part for part in given if part[0] in _JOINED or opposite(part) not in parts]
        changed = changed or len(left) < len(given)
        found.append(("or", frozenset(left)) if len(left) > 1 else left[0] if left else NONE)
    return found if changed else None


def _chosen(values: frozenset[str], lengths: Lengths, parts: set[Key]) -> Key:
    """Return those of some texts that belong to the rest of a conjunction."""
    found = frozenset(
        [
            value
            for value in values
            if _has_length(lengths, len(value)) and all(contains(part, value) for part in parts)
        ]
    )
    return ("values", found, True) if found else NONE


def _joined(lengths: Lengths, excluded: frozenset[str], parts: set[Key]) -> Key:
    """Return a conjunction whose parts say nothing of each other, but for lengths."""
    for part in list(parts):
        if part[0] == "or" and not parts.isdisjoint(cast("frozenset[Key]", part[1])):
            parts.discard(part)  # x and (x or y)
            continue
        low, high = extent(part)
        if low == 0 and high is None:
            continue
        met = common_lengths(lengths, ((low, high),))
        if not met:
            return NONE
        if met == ((low, high),):
            lengths = EVERY
    kept = frozenset(
        [
            value
            for value in excluded
            if _has_length(lengths, len(value)) and all(contains(part, value) for part in parts)
        ]
    )
    if len(parts) > _MAX_PARTS:
        raise LimitError(f"more than {_MAX_PARTS} patterns and formats are combined in one string")
    if lengths != EVERY:
        parts.add(("lengths", lengths))
    if kept:
        parts.add(("values", kept, False))
    if not parts:
        return ALL
    return parts.pop() if len(parts) == 1 else ("and", frozenset(parts))


def _sorted_formats(parts: set[Key]) -> bool:
    """Drop negated formats that others exclude anyway; False if two of them exclude each other."""
    formats = [part for part in parts if part[0] == "format"]
    if len(formats) < 2:
        return True
    from formgate.plugins.json_schema._formats import apart  # noqa: PLC0415

    for one in formats:
        for other in formats:
            if one[2] and apart(cast("str", one[1]), cast("str", other[1])):
                if other[2]:
                    return False
                parts.discard(other)
    return True


def _sorted_patterns(parts: set[Key]) -> bool:
    """Drop negated patterns that others exclude by how texts begin or end, as for formats."""
    patterns = [part for part in parts if part[0] == "pattern"]
    if len(patterns) < 2 or not any(part[2] for part in patterns):
        return True
    from formgate.plugins.json_schema._ecma_search import search  # noqa: PLC0415

    found = [(part, search(cast("str", part[1]))) for part in patterns]
    edges = [(part, one.begins, one.ends) for part, one in found if one.begins or one.ends]
    for one, begins, ends in edges:
        if not one[2]:
            continue
        for other, starts, stops in edges:
            if _may_begin(begins, starts) and _may_end(ends, stops):
                continue
            if other[2]:
                return False
            parts.discard(other)
    return True


def _may_begin(one: str, other: str) -> bool:
    """Say whether a text may begin with both of two."""
    return one.startswith(other) or other.startswith(one)


def _may_end(one: str, other: str) -> bool:
    """Say whether a text may end with both of two."""
    return one.endswith(other) or other.endswith(one)


def extent(key: Key) -> tuple[int, int | None]:
    """Return how long the texts of an expression are at least and at most."""
    tag, content = key[0], key[1]
    if tag == "lengths":
        spans = cast("Lengths", content)
        return (spans[0][0], spans[-1][1]) if spans else (0, 0)
    if tag in ("and", "or"):
        extents = [extent(part) for part in cast("frozenset[Key]", content)]
        pick = min if tag == "or" else max
        highs = [high for _, high in extents if high is not None]
        bounded = highs and (tag == "and" or len(highs) == len(extents))
        other = max if tag == "or" else min
        return pick(low for low, _ in extents), other(highs) if bounded else None
    if key[2] is not True or tag == "content":
        return 0, None
    if tag == "values":
        lengths = [len(value) for value in cast("frozenset[str]", content)]
        return min(lengths), max(lengths)
    if tag == "pattern":
        from formgate.plugins.json_schema._ecma_search import search  # noqa: PLC0415

        found = search(cast("str", content))
        return found.low, found.high
    from formgate.plugins.json_schema._formats import format_extent  # noqa: PLC0415

    return format_extent(cast("str", content))


def contains(key: Key, text: str) -> bool:
    """Say whether a text belongs to an expression."""
    tag, content = key[0], key[1]
    if tag == "lengths":
        return _has_length(cast("Lengths", content), len(text))
    if tag == "values":
        return (text in cast("frozenset[str]", content)) is key[2]
    if tag in _JOINED:
        met = (contains(part, text) for part in cast("frozenset[Key]", content))
        return all(met) if tag == "and" else any(met)
    if tag == "pattern":
        from formgate.plugins.json_schema._ecma_match import matches  # noqa: PLC0415

        return matches(cast("str", content), text) is key[2]
    if tag == "content":
        from formgate.plugins.json_schema._contents import has_content  # noqa: PLC0415

        return has_content(*cast("Content", content), text) is key[2]
    from formgate.plugins.json_schema._formats import has_format  # noqa: PLC0415

    belongs = key[2] is True
    return has_format(cast("str", content), text, loose=not belongs) is belongs


def members(  # noqa: PLR0911 (one return for each kind of expression)
    key: Key, limit: int
) -> set[str] | frozenset[str] | None:
    """Return the members of an expression that is known to have few, else None."""
    tag = key[0]
    if key == NONE:
        return set()
    if tag == "values" and key[2]:
        return cast("frozenset[str]", key[1])
    if tag == "or":
        found: set[str] = set()
        for part in cast("frozenset[Key]", key[1]):
            inner = members(part, limit)
            if inner is None:
                return None
            found |= inner
        return found
    if tag == "pattern" and key[2]:
        from formgate.plugins.json_schema._ecma_search import search  # noqa: PLC0415
        from formgate.plugins.json_schema._ecma_trees import enumerate_tree  # noqa: PLC0415

        wanted = search(cast("str", key[1]))
        return None if wanted.high is None else enumerate_tree(wanted.tree, limit)
    if tag == "and":
        parts = cast("frozenset[Key]", key[1])
        for part in parts:
            inner = members(part, 4 * limit)
            if inner is not None:
                return {text for text in inner if all(contains(other, text) for other in parts)}
    return None


def described(key: Key) -> str:
    """Return an expression for ``repr``."""
    tag, content = key[0], key[1]
    if tag in ("and", "or"):
        parts = sorted(described(part) for part in cast("frozenset[Key]", content))
        return "(" + f" {tag} ".join(parts) + ")"
    if tag == "values":
        content = sorted(cast("frozenset[str]", content))[:8]
    return f"{'not ' if key[-1] is False else ''}{tag} {content!r}"
