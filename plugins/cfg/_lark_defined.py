"""Definitions of a Lark grammar, and what terminals that are made of terminals match."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formgate.core.errors import LimitError
from formgate.plugins.cfg._lark_patterns import tree_pattern
from formgate.plugins.cfg._lark_syntax import Unusual
from formgate.plugins.cfg._lark_tree import Symbol, ordered

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from formgate.plugins.cfg._lark_patterns import Pattern
    from formgate.plugins.cfg._lark_syntax import Statement

__all__ = ["Definition", "check_terminals", "pattern_of"]

# Characters of a terminal's regex, with those of the terminals that it is made of.
_LONGEST_PATTERN = 1_000_000


class Definition:
    """A rule or terminal, in the names of the text that it stands in.

    Args:
        statement: What is written.
        mangle: Returns the name by which the grammar knows a name of that text.
        scope: What that text knows, by those names.
    """

    __slots__ = ("has_templates", "is_terminal", "mangle", "pattern", "scope", "tree", "written")

    def __init__(
        self,
        written: Statement,
        mangle: Callable[[str], str],
        scope: Mapping[str, Definition],
    ) -> None:
        self.written = written
        self.tree = written.tree  # None if it is only declared
        self.is_terminal = written.kind in ("term", "ignore") or written.name.isupper()
        self.mangle = mangle
        self.scope = scope
        self.pattern: Pattern | None = None
        self.has_templates = False

    def part(self, name: str) -> Pattern:
        """Return what a terminal matches that this one is made of."""
        found = self.scope[self.mangle(name)].pattern
        assert found is not None  # noqa: S101 (parts are made first)
        return found

    def parts_length(self) -> int:
        """Return how long the regexes of the terminals are that this one is made of, in all."""
        assert self.tree is not None  # noqa: S101 (was checked)
        return sum(
            len(self.part(child.name).value)
            for node in ordered(self.tree)
            for child in node.children
            if type(child) is Symbol
        )

    def symbols(self) -> set[str]:
        """Return the names that it uses."""
        if self.tree is None:
            return set()
        return {
            self.mangle(child.name)
            for node in ordered(self.tree)
            for child in node.children
            if type(child) is Symbol
        }


def check_terminals(definitions: Sequence[Definition]) -> None:
    """Leave to lark terminals that are empty, or made of what is none, or of themselves."""
    done: set[int] = set()
    under_way: set[int] = set()
    for first in definitions:
        work = [first]
        while work:
            each = work[-1]
            if id(each) in done:
                work.pop()
                continue
            if id(each) in under_way:  # all that it is made of is done
                under_way.discard(id(each))
                done.add(id(each))
                continue
            under_way.add(id(each))
            used = _parts_of_terminal(each)
            if any(id(part) in under_way for part in used):
                raise Unusual
            work += used


def _parts_of_terminal(definition: Definition) -> list[Definition]:
    """Return the terminals that one is made of."""
    if definition.tree is None:
        return []
    parts = [node for node in ordered(definition.tree) if node.kind == "expansion"]
    if len(parts) == 1 and not parts[0].children:
        raise Unusual
    found = []
    for name in definition.symbols():
        used = definition.scope.get(name)
        if used is None or not used.is_terminal or used.tree is None:
            raise Unusual
        found.append(used)
    return found


def pattern_of(definition: Definition) -> Pattern:
    """Return what a terminal matches."""
    work = [definition]
    while work:
        each = work[-1]
        assert each.tree is not None  # noqa: S101 (was checked)
        waiting = [] if each.pattern else [each.scope[name] for name in each.symbols()]
        waiting = [part for part in waiting if part.pattern is None]
        work += waiting
        if waiting:
            continue
        if each.pattern is None:
            if each.parts_length() > _LONGEST_PATTERN:
                raise LimitError(
                    f"terminal {each.written.name} comes to more than {_LONGEST_PATTERN:,} "
                    "characters with the terminals that it is made of; make it a rule"
                )
            each.pattern = tree_pattern(each.tree, each.part)
        work.pop()
    assert definition.pattern is not None  # noqa: S101 (made above)
    return definition.pattern
