r"""What a match asks of the text before it, which must be nothing.

A look-behind of width n asks nothing of it where the pattern has surely consumed n characters by
then, ``\b``, ``\B`` and ``^`` where it has consumed one. Where that is not sure the pattern is
refused, since the same text would be matched or not by what stands before it.

One walk from the root, with a stack of its own; cost is linear. It also finds how deep the pattern
is nested, which bounds the recursion of everything that comes after.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from formgate.core.errors import LimitError, UnsupportedConstraint
from formgate.plugins.regex._measure import children
from formgate.plugins.regex._syntax import (
    Anchor,
    AnchorKind,
    Atomic,
    CharClass,
    Literal,
    Look,
    Repeat,
    RepeatMode,
    Syntax,
)
from formgate.plugins.regex._write import flatten

if TYPE_CHECKING:
    from collections.abc import Callable

    from formgate.plugins.regex._first_match_facts import Facts

__all__ = ["check_place"]

# Writing takes some eight frames of the interpreter's stack for a level, twenty for an atomic one,
# which counts as two.
_MAX_NESTING = 50

_SEES_BEFORE = {
    AnchorKind.TEXT_START: "an anchor",
    AnchorKind.LINE_START: "an anchor",
    AnchorKind.BOUNDARY: "a word boundary",
    AnchorKind.NOT_BOUNDARY: "a word boundary",
}


def check_place(
    pattern: str, tree: Syntax, facts: Facts, found_anchor: Callable[[list[Syntax], int], None]
) -> None:
    """Return if the text before a match is no matter.

    Args:
        pattern: The pattern.
        tree: Its syntax tree.
        facts: What is known of its parts.
        found_anchor: Told of each anchor outside of look-behinds: the items it stands among, and
            its index.

    Raises:
        UnsupportedConstraint: A condition can see that text.
        LimitError: The pattern is nested too deeply.
    """
    stack: list[tuple[Syntax, int, int, bool]] = [(tree, 0, 0, False)]
    while stack:
        node, before, depth, behind = stack.pop()
        if depth > _MAX_NESTING:
            raise LimitError(
                f"the pattern is nested more than {_MAX_NESTING} deep at offset {node.start}; "
                "nest it less to have its first match written"
            )
        items = flatten(node)
        for index, item in enumerate(items):
            if isinstance(item, Literal | CharClass):
                before += len(item.text) if isinstance(item, Literal) else 1
                continue
            if isinstance(item, Anchor):
                if item.kind in _SEES_BEFORE and not before:
                    raise _refusal(_SEES_BEFORE[item.kind], 1, pattern, item)
                if not behind:
                    found_anchor(items, index)
                continue
            inner, inside = before, behind
            if isinstance(item, Look) and item.behind:
                width = facts.of(item.body).low
                if width > before:
                    raise _refusal("a look-behind", width, pattern, item)
                inner, inside = before - width, True
            level = depth + (2 if _is_atomic(item) else 1)
            stack += [(part, inner, level, inside) for part in children(item)]
            before += facts.of(item).low


def _is_atomic(item: Syntax) -> bool:
    """Say whether an item is an atomic group or a possessive repeat."""
    if isinstance(item, Repeat):
        return item.mode is RepeatMode.POSSESSIVE
    return isinstance(item, Atomic)


def _refusal(what: str, width: int, pattern: str, item: Syntax) -> UnsupportedConstraint:
    """Return the refusal of an item that can see the text before the match."""
    count = "one character" if width == 1 else f"{width} characters"
    return UnsupportedConstraint(
        f"{what} that can see the text before the match cannot be enforced",
        source=pattern,
        offset=item.start,
        end=item.end,
        hint=f"leave it out, or let the pattern match at least {count} before it",
    )
