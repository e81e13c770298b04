"""The text policy: what stands between the tokens of a JSON text."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from formgate.core.grammar import GrammarBuilder, Node
    from formgate.plugins.json_schema._options import Options

__all__ = ["Style", "style"]

_BLANKS = [(0x20, 0x20), (0x09, 0x09)]


class Style(NamedTuple):
    """What stands between tokens, in arrays and objects at one level of nesting.

    Attributes:
        opened: After the bracket that opens one that is not empty.
        closing: Before the bracket that closes it.
        hollow: Between the brackets of an empty one.
        comma: Between members or items.
        colon: Between a name and its member.
    """

    opened: Node
    closing: Node
    hollow: Node
    comma: Node
    colon: Node


def style(options: Options, builder: GrammarBuilder, level: int) -> Style:
    """Return what stands between tokens at a level of nesting, from 0."""
    comma, colon = options.separators or (",", ":")
    if options.indent is not None:
        # As json.dumps does, which leaves no blank after a comma at the end of a line.
        comma, colon = options.separators or (",", ": ")
        inner = "\n" + " " * (options.indent * (level + 1))
        return Style(
            builder.literal(inner),
            builder.literal("\n" + " " * (options.indent * level)),
            builder.empty(),
            builder.literal(comma + inner),
            builder.literal(colon),
        )
    if options.separators is not None or options.whitespace == "compact":
        nothing = builder.empty()
        return Style(nothing, nothing, nothing, builder.literal(comma), builder.literal(colon))
    blanks = builder.repeat(builder.char_class(_BLANKS), 0, options.max_blanks)
    newline = builder.choice(builder.literal("\n"), builder.literal("\r\n"))
    gap = builder.seq(blanks, builder.optional(builder.seq(newline, blanks)))
    return Style(
        gap,
        gap,
        gap,
        builder.seq(gap, builder.literal(","), gap),
        builder.seq(gap, builder.literal(":"), gap),
    )
