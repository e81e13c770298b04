"""Sets of member names, as schemas speak of them: these names, those patterns, or all others."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from formgate.plugins.json_schema._strings import StringSet

__all__ = ["EVERY_KEY", "NO_KEY", "Keys"]


class Keys:
    """Some names and all that match some patterns, or all names but these.

    Attributes:
        names: The names.
        patterns: The patterns.
        inside: Whether the set is these; otherwise it is all others.
    """

    __slots__ = ("_hash", "_matched", "inside", "names", "patterns")

    def __init__(
        self, names: frozenset[str], patterns: tuple[StringSet, ...], *, inside: bool
    ) -> None:
        self.names = names
        self.patterns = patterns
        self.inside = inside
        self._hash = hash((names, patterns, inside))
        self._matched: dict[str, bool] = {}  # whether a name matches a pattern, once it is asked

    def __eq__(self, other: object) -> bool:
        return self is other or (
            isinstance(other, Keys)
            and self._hash == other._hash
            and self.inside == other.inside
            and self.names == other.names
            and self.patterns == other.patterns
        )

    def __hash__(self) -> int:
        return self._hash

    def contains(self, name: str) -> bool:
        """Say whether a name belongs."""
        if name in self.names:
            return self.inside
        return self._matches(name) is self.inside if self.patterns else not self.inside

    def among(self, names: Iterable[str]) -> list[str]:
        """Return which of some names belong."""
        named, inside = self.names, self.inside
        if not self.patterns:
            return [name for name in names if (name in named) is inside]
        matched, matches = self._matched, self._matches
        return [
            name
            for name in names
            if (name in named or (matched[name] if name in matched else matches(name))) is inside
        ]

    def _matches(self, name: str) -> bool:
        """Say whether a name matches a pattern."""
        found = self._matched.get(name)
        if found is None:
            found = self._matched[name] = any(_matches(one, name) for one in self.patterns)
        return found

    def opposite(self) -> Keys:
        """Return all other names."""
        return Keys(self.names, self.patterns, inside=not self.inside)

    def union(self, other: Keys) -> Keys:
        """Return the names of either; both are ``inside``, or one is everything."""
        if EVERY_KEY in (self, other):
            return EVERY_KEY
        patterns = dict.fromkeys((*self.patterns, *other.patterns))
        return Keys(self.names | other.names, tuple(patterns), inside=True)


@lru_cache(maxsize=4096)
def _matches(pattern: StringSet, name: str) -> bool:
    """Say whether a name matches a pattern; schemas ask the same again and again."""
    return pattern.contains(name)


NO_KEY = Keys(frozenset(), (), inside=True)
EVERY_KEY = Keys(frozenset(), (), inside=False)
