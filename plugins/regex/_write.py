r"""From a syntax tree to nodes of a grammar.

Each part becomes the node of the same meaning; under full match a lazy quantifier is a greedy one.
What needs thought is look-around, since a grammar's look-around speaks of the whole text before or
after a place:

- ``(?=A)`` is "the rest is A, then any text"; ``(?<=A)`` is "what came before is any text, then A".
- ``^`` and ``$`` at the very ends of a pattern always hold under full match and are dropped, so
  that ``^...$`` costs nothing. In look-around bodies too: ``(?=.*\d\Z)`` is "the rest is .*\d".
- A look-ahead inside a look-behind must be decided by the characters that the look-behind still has
  to go. One at its very end is moved out behind it (``(?<=foo\b)`` is ``(?<=foo)\b``); any
  other that sees further is refused.

Walking is done with a stack of tasks, so depth is no matter; cost is linear in the tree.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from formgate.core.errors import UnsupportedConstraint
from formgate.plugins.regex._ranges import ANY, Ranges, normalise
from formgate.plugins.regex._syntax import (
    Alternation,
    Anchor,
    AnchorKind,
    Atomic,
    CharClass,
    Literal,
    Look,
    Repeat,
    Sequence,
    Syntax,
)
from formgate.plugins.regex._words import Side, WordBoundaries, side_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from formgate.core.grammar import GrammarBuilder, Node
    from formgate.plugins.regex._parser import Parsed

__all__ = ["INSIDE", "Place", "Writer", "flatten"]

# More plain alternatives than this become one automaton.
_FEW_STRINGS = 4
_MAX_COUNT = 2**31 - 1

_CONDITIONS = (Anchor, Look)
_CHARACTERS = (Literal, CharClass)


class Place(NamedTuple):
    """What is known of where a node stands.

    Args:
        at_start: Nothing of the text comes before it.
        at_end: Nothing of the text comes after it.
        left: Inside a look-behind, how many characters of it follow the node at least.
    """

    at_start: bool
    at_end: bool
    left: int | None


_WHOLE = Place(at_start=True, at_end=True, left=None)
INSIDE = Place(at_start=False, at_end=False, left=None)


class Writer:
    """Writes one pattern to a builder."""

    def __init__(self, pattern: str, parsed: Parsed, builder: GrammarBuilder) -> None:
        self._pattern = pattern
        self._tree = parsed.tree
        self._measures = parsed.measures
        self._builder = builder
        self._classes: dict[int, Node] = {}
        self._boundaries: dict[bool, WordBoundaries] = {}
        self._any: Node | None = None
        self._looks = False
        self._tasks: list[Callable[[], None]] = []
        self._values: list[Node] = []

    def write(self) -> Node:
        """Return the node of the whole pattern."""
        self._visit(self._tree, _WHOLE)
        tasks = self._tasks
        while tasks:
            tasks.pop()()
        (node,) = self._values
        return self._builder.scope(node) if self._looks else node

    # -- leaves

    def _leaf(self, item: Syntax) -> Node | None:
        """Return the node of an item without inner structure, or None for other items."""
        if isinstance(item, Literal):
            return self._builder.literal(item.text)
        if isinstance(item, CharClass):
            return self._class(item.ranges)
        if isinstance(item, Repeat):
            body = item.body
            if isinstance(body, CharClass):
                return self._repeat(item, self._class(body.ranges))
            if isinstance(body, Literal):
                return self._repeat(item, self._builder.literal(body.text))
        return None

    def _class(self, ranges: Ranges) -> Node:
        """Return the node of a set; equal sets that are one object share it."""
        node = self._classes.get(id(ranges))
        if node is None:
            builder = self._builder
            node = builder.any_char() if ranges is ANY else builder.char_class(ranges)
            self._classes[id(ranges)] = node
        return node

    def _repeat(self, item: Repeat, body: Node) -> Node:
        """Return the node of a repeated node."""
        most = item.minimum if item.maximum is None else item.maximum
        if most > _MAX_COUNT:
            raise UnsupportedConstraint(
                f"a count of {most} is above the largest, {_MAX_COUNT}",
                source=self._pattern,
                offset=item.start,
                end=item.end,
                hint="leave the upper bound out, as in {5,}, or repeat a repeated group",
            )
        return self._builder.repeat(body, item.minimum, item.maximum)

    def _any_text(self) -> Node:
        """Return the node of any text, made once."""
        if self._any is None:
            self._any = self._builder.any_text()
        return self._any

    # -- sequences

    def _visit(self, node: Syntax, place: Place) -> None:
        """Put the node's value on the stack of values, now or by tasks."""
        items = flatten(node)
        parts = [self._leaf(item) for item in items]
        holes = [index for index, part in enumerate(parts) if part is None]
        if not holes:
            self._values.append(self._sequence(parts))
            return
        places = self._places(items, holes, place)
        inner: list[int] = []
        for index in holes:
            if isinstance(items[index], Anchor):
                parts[index] = self._anchor(items, index, places[index])
            else:
                inner.append(index)
        self._tasks.append(lambda: self._join(parts, inner))
        for index in reversed(inner):
            self._later(items[index], places[index], self._visit_composite)

    def _later(
        self, node: Syntax, place: Place, visit: Callable[[Syntax, Place], None] | None = None
    ) -> None:
        """Visit a node once the tasks put after this one are done."""
        self._tasks.append(lambda: (visit or self._visit)(node, place))

    def _sequence(self, parts: list[Node | None]) -> Node:
        """Return the node of parts, of which those that always hold are None."""
        needed = [part for part in parts if part is not None]
        if len(needed) == 1:
            return needed[0]
        return self._builder.seq(*needed) if needed else self._builder.empty()

    def _join(self, parts: list[Node | None], holes: list[int]) -> None:
        """Fill the holes of a sequence with the latest values."""
        values = self._values
        for index in reversed(holes):
            parts[index] = values.pop()
        values.append(self._sequence(parts))

    def _places(self, items: list[Syntax], holes: list[int], place: Place) -> dict[int, Place]:
        """Return where the items at these indices stand."""
        prefix = suffix = 0
        if place.at_start:
            while prefix < len(items) and isinstance(items[prefix], _CONDITIONS):
                prefix += 1
        if place.at_end:
            while suffix < len(items) and isinstance(items[-1 - suffix], _CONDITIONS):
                suffix += 1
        left: list[int] | None = None
        if place.left is not None:
            left = [place.left] * len(items)
            for index in range(len(items) - 1, 0, -1):
                left[index - 1] = left[index] + self._measures.of(items[index]).low
        if not (left or place.at_start or place.at_end):
            return dict.fromkeys(holes, INSIDE)
        return {
            index: Place(
                at_start=place.at_start and index <= prefix,
                at_end=place.at_end and index >= len(items) - 1 - suffix,
                left=left[index] if left else None,
            )
            for index in holes
        }

    # -- composites

    def _visit_composite(self, item: Syntax, place: Place) -> None:
        """Put the value of an item that is no sequence, no leaf and no anchor on the stack."""
        if isinstance(item, Alternation):
            self._visit_alternation(item, place)
        elif isinstance(item, Look):
            self._visit_look(item, place)
        elif isinstance(item, Repeat):
            self._visit_repeat(item, place)
        else:
            self._later(item.body if isinstance(item, Atomic) else item, place)

    def _visit_repeat(self, item: Repeat, place: Place) -> None:
        """Put the value of a repeat on the stack."""
        values = self._values
        self._tasks.append(lambda: values.append(self._repeat(item, values.pop())))
        if item.maximum != 1:
            place = Place(at_start=False, at_end=False, left=place.left)
        self._later(item.body, place)

    def _visit_alternation(self, item: Alternation, place: Place) -> None:
        """Put the value of an alternation on the stack."""
        merged = self._merged(item.branches)
        if merged is not None:
            self._values.append(merged)
            return
        count = len(item.branches)

        def choose() -> None:
            values = self._values
            branches = values[-count:]
            del values[-count:]
            values.append(self._builder.choice(*branches))

        self._tasks.append(choose)
        for branch in reversed(item.branches):
            self._later(branch, place)

    def _merged(self, branches: list[Syntax]) -> Node | None:
        """Return one class for branches of one character, one automaton for many plain texts."""
        plain: list[Syntax] = []
        for branch in branches:
            flat = flatten(branch) if isinstance(branch, Sequence) else [branch]
            if len(flat) > 1 or (flat and not isinstance(flat[0], _CHARACTERS)):
                return None
            plain += flat or [Literal("", 0, 0)]
        texts = [item.text for item in plain if isinstance(item, Literal)]
        if all(len(text) == 1 for text in texts):
            sets = [item.ranges for item in plain if isinstance(item, CharClass)]
            codes = [(ord(text), ord(text)) for text in texts]
            return self._builder.char_class(
                normalise(codes + [span for ranges in sets for span in ranges])
            )
        if len(texts) == len(plain) > _FEW_STRINGS:
            return self._builder.strings(texts)
        return None

    # -- look-around

    def _visit_look(self, look: Look, place: Place) -> None:
        """Put the value of a look-ahead or look-behind on the stack."""
        if look.behind:
            moved = self._without_tails(look)
            if moved is not None:
                self._later(moved, place)
                return
        else:
            self._check_decided(look, place)
        self._looks = True
        items = flatten(look.body)
        edge = items[0 if look.behind else -1] if items else None
        margin: Node | None
        if isinstance(edge, Anchor) and edge.kind in _EDGES[look.behind]:
            items = items[1:] if look.behind else items[:-1]
            margin = self._margin(edge.kind)
        else:
            margin = self._any_text()
        self._tasks.append(lambda: self._finish_look(look, margin))
        inner = Place(
            at_start=margin is None if look.behind else place.at_start,
            at_end=margin is None and not look.behind,
            left=0 if look.behind else None,
        )
        self._later(Sequence(items, look.start, look.end), inner)

    def _finish_look(self, look: Look, margin: Node | None) -> None:
        """Make a look-around of the latest value and what may stand beyond it."""
        builder = self._builder
        body = self._values.pop()
        if look.behind:
            before = body if margin is None else builder.seq(margin, body)
            node = builder.look_behind(before, negative=look.negative)
        else:
            rest = body if margin is None else builder.seq(body, margin)
            node = builder.look_ahead(rest, negative=look.negative)
        self._values.append(node)

    def _margin(self, kind: AnchorKind) -> Node | None:
        """Return what may stand between an anchor and the end of the text; None for nothing."""
        builder = self._builder
        if kind is AnchorKind.LAST_LINE_END:
            return builder.optional(builder.literal("\n"))
        if kind is AnchorKind.LINE_END:
            return builder.optional(builder.seq(builder.literal("\n"), self._any_text()))
        if kind is AnchorKind.LINE_START:
            return builder.optional(builder.seq(self._any_text(), builder.literal("\n")))
        return None

    def _anchor(self, items: list[Syntax], index: int, place: Place) -> Node | None:
        """Return the condition of the anchor at this index, or None if it always holds."""
        anchor = items[index]
        assert isinstance(anchor, Anchor)  # noqa: S101 (tells the type checker)
        self._check_decided(anchor, place)
        kind, builder = anchor.kind, self._builder
        if kind in (AnchorKind.BOUNDARY, AnchorKind.NOT_BOUNDARY):
            return self._word_boundary(items, index, place)
        behind = kind in _EDGES[True]
        if (place.at_start if behind else place.at_end) or _beside_newline(items, index, kind):
            return None
        self._looks = True
        margin = self._margin(kind)
        language = builder.empty() if margin is None else margin
        return builder.look_behind(language) if behind else builder.look_ahead(language)

    def _word_boundary(self, items: list[Syntax], index: int, place: Place) -> Node | None:
        """Return the condition of a word boundary, by what its neighbours are known to be."""
        anchor = items[index]
        assert isinstance(anchor, Anchor)  # noqa: S101 (tells the type checker)
        ascii_only = anchor.ascii_only
        words = self._boundaries.get(ascii_only)
        if words is None:
            words = WordBoundaries(self._builder, self._any_text(), ascii_only=ascii_only)
            self._boundaries[ascii_only] = words
        before = after = Side.NONE
        if not place.at_start:
            neighbour = _neighbour(items, range(index - 1, max(-1, index - _NEAR), -1))
            before = side_of(neighbour, last=True, ascii_only=ascii_only)
        if not place.at_end:
            neighbour = _neighbour(items, range(index + 1, min(len(items), index + _NEAR)))
            after = side_of(neighbour, last=False, ascii_only=ascii_only)
        self._looks = self._looks or Side.UNKNOWN in (before, after)
        return words.node(before, after, negated=anchor.kind is AnchorKind.NOT_BOUNDARY)

    def _check_decided(self, item: Look | Anchor, place: Place) -> None:
        """Refuse a look-ahead inside a look-behind that sees past its end."""
        if place.left is None or self._measures.of(item).reach <= place.left:
            return
        raise UnsupportedConstraint(
            "a look-ahead inside a look-behind cannot see past the look-behind's end",
            source=self._pattern,
            offset=item.start,
            end=item.end,
            hint="move it to the end of the look-behind, or behind it: (?<=ab)(?=c) for "
            "(?<=a(?=bc)b)",
        )

    def _without_tails(self, look: Look) -> Syntax | None:
        r"""Return a look-behind with the conditions at its very end moved out, if it needs that.

        ``(?<=a\b|c)`` is ``(?<=a)\b|(?<=c)``, and ``(?<!a\b|c)`` is ``((?<!a)|\B)(?<!c)``.
        """
        if not self._measures.of(look).reach:
            return None
        flat = flatten(look.body)
        body = flat[0] if len(flat) == 1 else look.body
        branches = [
            flatten(branch)
            for branch in (body.branches if isinstance(body, Alternation) else [body])
        ]
        span = look.start, look.end
        moved: list[Syntax] = []
        found = False
        for branch in branches:
            cut = len(branch)
            while cut and isinstance(branch[cut - 1], _CONDITIONS):
                cut -= 1
            found = found or cut < len(branch)
            core, tails = branch[:cut], branch[cut:]
            parts: list[Syntax] = []
            if core or not tails:
                parts.append(Look(Sequence(core, *span), True, look.negative, *span))
            if look.negative:
                parts += [_negated(tail) for tail in tails]
                moved.append(Alternation(parts, *span))
            else:
                moved.append(Sequence(parts + tails, *span))
        if not found:
            return None
        return Sequence(moved, *span) if look.negative else Alternation(moved, *span)


# At which edge of a body an anchor says where the text ends: look-aheads last, look-behinds first.
_EDGES = {
    False: (AnchorKind.TEXT_END, AnchorKind.LAST_LINE_END, AnchorKind.LINE_END),
    True: (AnchorKind.TEXT_START, AnchorKind.LINE_START),
}

# How many items away a neighbour is looked for; there may be conditions between, rarely many.
_NEAR = 8


def flatten(node: Syntax) -> list[Syntax]:
    """Return the items of a sequence, nested ones spread out and adjacent literals joined."""
    if not isinstance(node, Sequence):
        return [node]
    flat: list[Syntax] = []
    run: list[Literal] = []
    stack = node.items[::-1]
    while stack:
        item = stack.pop()
        if isinstance(item, Literal):
            run.append(item)
            continue
        if isinstance(item, Sequence):
            stack += item.items[::-1]
            continue
        if run:
            flat.append(_joined(run))
            run = []
        flat.append(item)
    if run:
        flat.append(_joined(run))
    return flat


def _joined(run: list[Literal]) -> Literal:
    """Return one literal for a run of them."""
    if len(run) == 1:
        return run[0]
    return Literal("".join([item.text for item in run]), run[0].start, run[-1].end)


def _neighbour(items: list[Syntax], indices: range) -> Syntax | None:
    """Return the first of these items that is no condition."""
    for index in indices:
        if not isinstance(items[index], _CONDITIONS):
            return items[index]
    return None


def _beside_newline(items: list[Syntax], index: int, kind: AnchorKind) -> bool:
    """Say whether a literal newline makes this anchor hold."""
    if kind is AnchorKind.LINE_START and index > 0:
        before = items[index - 1]
        return isinstance(before, Literal) and before.text.endswith("\n")
    if kind is AnchorKind.LINE_END and index + 1 < len(items):
        after = items[index + 1]
        return isinstance(after, Literal) and after.text.startswith("\n")
    return False


def _negated(condition: Syntax) -> Look:
    """Return the opposite of an item that consumes nothing."""
    if isinstance(condition, Look):
        return condition._replace(negative=not condition.negative)
    return Look(condition, False, True, condition.start, condition.end)
