"""From an expression of a set of strings to its node.

Parts are written once for each builder. A pattern of which one part varies in length, and lengths,
are a narrower pattern; other conjunctions are intersections, and negated atoms complements.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from formgate.core.grammar import GrammarBuilder, Node
    from formgate.plugins.json_schema._strings_keys import Content, Key, Lengths
    from formgate.plugins.json_schema._strings_record import Program

__all__ = ["write_strings"]

_FEW = 16  # characters that a text must have: each makes states of its own in an intersection
_LONG = 120  # characters of a pattern that is worth keeping
_AROUND = ("(?=", "(?!", "(?<", "\\b", "\\B")
_OPAQUE = re.compile(r"\\.|\[(?:\\.|[^\]\\])*\]", re.DOTALL)  # where an anchor is a character


def write_strings(key: Key, builder: GrammarBuilder, known: dict[Key, Node]) -> Node:
    """Return the node of an expression; parts are not nested deep."""
    node = known.get(key)
    if node is None:
        node = known[key] = _write_new(key, builder, known)
    return node


def _write_new(  # noqa: PLR0911 (one return for each kind of expression)
    key: Key, builder: GrammarBuilder, known: dict[Key, Node]
) -> Node:
    """Return the node of an expression that is not written yet."""
    tag, content = key[0], key[1]
    if tag == "lengths":
        return _write_lengths(cast("Lengths", content), builder)
    if tag == "or":
        parts = [write_strings(part, builder, known) for part in cast("frozenset[Key]", content)]
        return builder.choice(*parts)
    if tag == "and":
        return _write_conjunction(cast("frozenset[Key]", content), builder, known)
    if tag == "format":
        return _write_format(cast("str", content), key[2] is False, builder)
    if key[2] is False:
        return builder.complement(write_strings((tag, content, True), builder, known))
    if tag == "values":
        texts = list(cast("frozenset[str]", content))
        return builder.literal(texts[0]) if len(texts) == 1 else builder.strings(texts)
    if tag == "pattern":
        return _write_pattern(cast("str", content), None, builder)
    if tag == "content":
        from formgate.plugins.json_schema._contents import unwritten  # noqa: PLC0415

        raise unwritten(*cast("Content", content))
    raise AssertionError(tag)


def _write_pattern(
    source: str, lengths: tuple[int, int | None] | None, builder: GrammarBuilder
) -> Node:
    """Return the texts that a pattern finds, of some lengths if it is narrowed.

    Long patterns are kept as calls: those of types come with every schema that names the type.
    """
    if len(source) < _LONG or _looks_around(source):
        return _write_read(source, lengths, builder)
    return _recorded_pattern(source, lengths).write(builder)


@lru_cache(maxsize=64)
def _looks_around(source: str) -> bool:
    """Say whether a pattern may look at what is around a place: calls for that are not kept.

    So does an anchor that is not at an end of the pattern.
    """
    if any(mark in source for mark in _AROUND):
        return True
    bare = _OPAQUE.sub(".", source)
    return "^" in bare[1:] or "$" in bare[:-1]


@lru_cache(maxsize=64)
def _recorded_pattern(source: str, lengths: tuple[int, int | None] | None) -> Program:
    """Return the calls that write a pattern; to read it again would take milliseconds."""
    from formgate.plugins.json_schema._strings_record import Recorder  # noqa: PLC0415

    recorder = Recorder()
    return recorder.program(_write_read(source, lengths, cast("GrammarBuilder", recorder)))


def _write_read(
    source: str, lengths: tuple[int, int | None] | None, builder: GrammarBuilder
) -> Node:
    """Read a pattern and write it."""
    from formgate.plugins.json_schema._ecma_search import search, write_search  # noqa: PLC0415

    found = search(source)
    if lengths is not None:
        tree = _narrower(source, lengths)
        if tree is None:
            raise AssertionError(source)
        found = found._replace(tree=tree)
    return write_search(found, builder)


def _write_format(name: str, negated: bool, builder: GrammarBuilder) -> Node:
    """Return the texts that surely have a format, or that surely have not."""
    from formgate.plugins.json_schema._formats import recorded_format  # noqa: PLC0415

    node = recorded_format(name, loose=negated).write(builder)
    return builder.complement(node) if negated else node


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
    """Return the node of a conjunction."""
    ordered = sorted(parts, key=_order)
    lengths = next((part for part in parts if part[0] == "lengths"), None)
    nodes: list[Node] = []
    for part in ordered:
        node = None
        if lengths is not None and part[0] == "pattern" and part[2]:
            pattern, spans = cast("str", part[1]), cast("Lengths", lengths[1])
            node = _write_narrowed(pattern, spans, builder)
        if node is not None:
            nodes.append(node)
            ordered = [other for other in ordered if other not in (part, lengths)]
            break
    nodes += [write_strings(part, builder, known) for part in ordered]
    return nodes[0] if len(nodes) == 1 else builder.intersection(*nodes)


def _order(part: Key) -> tuple[bool, bool, str]:
    """Return what sorts patterns to the front, first those of the whole text: these narrow best."""
    if part[0] != "pattern":
        return True, True, ""
    source = cast("str", part[1])
    return False, not (source.startswith("^") and source.endswith("$")), source


def _write_narrowed(pattern: str, lengths: Lengths, builder: GrammarBuilder) -> Node | None:
    """Return the texts of some lengths that a pattern finds, where that is a pattern, or None."""
    if len(lengths) != 1 or _narrower(pattern, lengths[0]) is None:
        return None
    from formgate.plugins.json_schema._ecma_search import begins_anywhere  # noqa: PLC0415

    # With text before it counted, each place where what is found may begin would be a state of its
    # own; an intersection has the states of the search, and a bound beside them.
    least, most = lengths[0]
    if most is not None and least <= _FEW and begins_anywhere(pattern):
        return None
    return _write_pattern(pattern, lengths[0], builder)


@lru_cache(maxsize=64)
def _narrower(pattern: str, lengths: tuple[int, int | None]) -> Any:
    """Return the tree of the texts of some lengths that a pattern finds, or None."""
    from formgate.plugins.json_schema._ecma_search import search  # noqa: PLC0415
    from formgate.plugins.json_schema._ecma_trees import within  # noqa: PLC0415
    from formgate.plugins.regex._measure import Measures  # noqa: PLC0415

    return within(search(pattern).tree, *lengths, Measures())
