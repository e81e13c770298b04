"""Parts of a pattern as they stand, for conditions and where the order of trying is no matter.

What ``_write`` writes, except for atomic parts: those are written out here as their first match, so
none is refused. A possessive repeat is an atomic repeat of atomic rounds, as ``re`` runs it. In
look-behinds, whose parts have one width each, atomicity changes nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from formgate.plugins.regex._syntax import Atomic, Repeat, RepeatMode, Syntax
from formgate.plugins.regex._write import INSIDE, Place, Writer

if TYPE_CHECKING:
    from collections.abc import Callable

    from formgate.core.grammar import GrammarBuilder, Node
    from formgate.plugins.regex._parser import Parsed

__all__ = ["PlainWriter"]


class PlainWriter(Writer):
    """Writes parts of one pattern, each once.

    Args:
        pattern: The pattern.
        parsed: Its syntax tree.
        builder: Where to write.
        first_match: Writes the first match of a node, whatever follows it.
    """

    def __init__(
        self,
        pattern: str,
        parsed: Parsed,
        builder: GrammarBuilder,
        first_match: Callable[[Syntax], Node],
    ) -> None:
        super().__init__(pattern, parsed, builder)
        self._first_match = first_match
        # By identity; the part is kept with its node so that no other can take its id.
        self._parts: dict[int, tuple[Syntax, Node]] = {}

    def part(self, node: Syntax) -> Node:
        """Return the node of a part; look-around sees the text around it."""
        known = self._parts.get(id(node))
        if known is not None:
            return known[1]
        written = self._leaf(node)
        if written is None:
            written = self._composite(node)
        self._parts[id(node)] = node, written
        return written

    def _composite(self, node: Syntax) -> Node:
        """Return the node of a part that is no leaf."""
        tasks = self._tasks
        base = len(tasks)
        self._visit(node, INSIDE)
        while len(tasks) > base:
            tasks.pop()()
        return self._values.pop()

    def anchor(self, items: list[Syntax], index: int) -> None:
        """Write an anchor, by what its neighbours in the pattern are known to be."""
        item = items[index]
        node = self._anchor(items, index, INSIDE)
        self._parts[id(item)] = item, self._builder.empty() if node is None else node

    def any_text(self) -> Node:
        """Return the node of any text."""
        return self._any_text()

    def _leaf(self, item: Syntax) -> Node | None:
        """Return the node of an item without inner structure, or None for other items."""
        if isinstance(item, Repeat) and item.mode is RepeatMode.POSSESSIVE:
            return None
        return super()._leaf(item)

    def _visit_composite(self, item: Syntax, place: Place) -> None:
        """Put the value of an item that is no leaf on the stack."""
        body = None
        if place.left is None:
            if isinstance(item, Atomic):
                body = item.body
            elif isinstance(item, Repeat) and item.mode is RepeatMode.POSSESSIVE:
                measure = self._measures.of(item.body)
                once = item.body
                if measure.low != measure.high:
                    once = Atomic(once, item.start, item.end)
                body = item._replace(body=once, mode=RepeatMode.GREEDY)
        if body is None:
            super()._visit_composite(item, place)
        else:
            self._values.append(self._first_match(body))
