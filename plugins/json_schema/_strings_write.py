"""From an expression of a set of strings to its node.

Parts are written once for each builder. A pattern that repeats one class, and a range of lengths,
are one repeat; other conjunctions are intersections, and negated atoms complements.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from formgate.plugins.json_schema._strings_keys import common_lengths

if TYPE_CHECKING:
    from formgate.core.grammar import GrammarBuilder, Node
    from formgate.plugins.json_schema._strings_keys import Key, Lengths

__all__ = ["write_strings"]


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
        from formgate.plugins.json_schema._ecma_search import (  # noqa: PLC0415
            search,
            write_search,
        )

        return write_search(search(cast("str", content)), builder)
    raise AssertionError(tag)


def _write_format(name: str, negated: bool, builder: GrammarBuilder) -> Node:
    """Return the texts that surely have a format, or that surely have not."""
    from formgate.plugins.json_schema._formats import recorded_format  # noqa: PLC0415

    recorder, wanted = recorded_format(name, loose=negated)
    node = recorder.replay(builder, wanted)
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
    """Return the node of a conjunction; a class repeated and a length are one repeat."""
    if len(parts) == 2:
        first, second = parts
        if first[0] == "lengths":
            first, second = second, first
        if second[0] == "lengths" and first[0] == "pattern" and first[2]:
            node = _write_repeat(cast("str", first[1]), cast("Lengths", second[1]), builder)
            if node is not None:
                return node
    ordered = sorted(parts, key=lambda part: part[0] != "pattern")
    return builder.intersection(*[write_strings(part, builder, known) for part in ordered])


def _write_repeat(pattern: str, lengths: Lengths, builder: GrammarBuilder) -> Node | None:
    """Return a pattern that repeats one class so often as lengths allow, or None."""
    from formgate.plugins.json_schema._ecma_search import search  # noqa: PLC0415
    from formgate.plugins.regex._syntax import CharClass, Repeat  # noqa: PLC0415

    tree = search(pattern).tree
    if len(lengths) != 1 or not isinstance(tree, Repeat) or not isinstance(tree.body, CharClass):
        return None
    spans = common_lengths(lengths, ((tree.minimum, tree.maximum),))
    ((low, high),) = spans
    return builder.repeat(builder.char_class(tree.body.ranges), low, high)
