"""Names and what they stand for, where several plugins may want the same name.

A name is resolved when it is asked for, so the outcome does not depend on the order of loading:
a built-in wins; otherwise a single claim wins; otherwise the name is ambiguous and the caller must
say ``distribution:name``. There is no "last one wins". Cost: a dictionary look-up.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from formgate.core.errors import AmbiguousPluginError, PluginError
from formgate.core.record import Record
from formgate.core.registry.specs import AdapterSpec, Format, ToolSpec

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Origin", "Registered", "Table", "normalized"]

T = TypeVar("T", Format, AdapterSpec, ToolSpec)


class Origin(NamedTuple):
    """Where a registration comes from.

    Args:
        plugin: Name of the plugin: its entry point's, or the one given when registering.
        distribution: Distribution it came in; None when an object was registered directly.
        version: Version of that distribution.
        builtin: Whether it ships with formgate itself.
    """

    plugin: str
    distribution: str | None = None
    version: str | None = None
    builtin: bool = False

    @property
    def qualifier(self) -> str:
        """What stands before the colon in ``distribution:name``."""
        return normalized(self.distribution or self.plugin)

    def __str__(self) -> str:
        """Return the plugin as messages name it."""
        if self.distribution is None:
            return f"plugin {self.plugin!r}"
        return f"plugin {self.plugin!r} ({self.distribution} {self.version or 'unknown version'})"


class Registered(Record, Generic[T]):
    """A format, an adapter or a tool together with the plugin that offers it."""

    spec: T
    origin: Origin

    def __init__(self, spec: T, origin: Origin) -> None:
        self._set(spec=spec, origin=origin)

    @property
    def names(self) -> tuple[str, ...]:
        """All bare names it answers to, its own first."""
        aliases: tuple[str, ...] = getattr(self.spec, "aliases", ())
        return (self.spec.name, *aliases)

    @property
    def qualified_name(self) -> str:
        """The name that is unique among everything installed."""
        return f"{self.origin.qualifier}:{self.spec.name}"


class Table(Generic[T]):
    """All registrations of one kind.

    Args:
        kind: What they are, for messages: "format", "adapter" or "tool".
    """

    def __init__(self, kind: str) -> None:
        self._kind = kind
        # Invariant: every entry stands under each of its names, in order of registration.
        self._entries: dict[str, list[Registered[T]]] = {}

    def __iter__(self) -> Iterator[Registered[T]]:
        """Yield each registration once, built-ins first, then by qualified name."""
        found = {id(entry): entry for entries in self._entries.values() for entry in entries}
        order = sorted(
            found.values(), key=lambda entry: (not entry.origin.builtin, entry.qualified_name)
        )
        return iter(order)

    def add(self, entry: Registered[T]) -> str | None:
        """Add a registration; return a warning when a built-in takes one of its names.

        Raises:
            PluginError: The same distribution already offers the name.
        """
        names = entry.names
        twice = [name for name in names if names.count(name) > 1]
        for name in names:
            same = [
                other
                for other in self._entries.get(name, ())
                if other.origin.qualifier == entry.origin.qualifier
            ]
            if same or twice:
                taken = twice[0] if twice else name
                raise PluginError(
                    f"{self._kind} name {taken!r} is registered twice by {entry.origin.qualifier}"
                )
        shadowed = [name for name in names if self._builtin(name) is not None]
        for name in names:
            self._entries.setdefault(name, []).append(entry)
        if not shadowed or entry.origin.builtin:
            return None
        return (
            f"{self._kind} name {shadowed[0]!r} of {entry.origin} belongs to formgate itself; "
            f"ask for {entry.qualified_name!r} to use the plugin's"
        )

    def find(self, name: str) -> Registered[T] | None:
        """Return what a name, bare or ``distribution:name``, stands for; None when unknown.

        Raises:
            AmbiguousPluginError: Several plugins offer the bare name, and none is built in.
        """
        alone = self._entries.get(name)
        if alone is not None and len(alone) == 1:  # names have no colons
            return alone[0]
        qualifier, colon, bare = name.rpartition(":")
        entries = self._entries.get(bare, [])
        if colon:
            wanted = normalized(qualifier)
            return next((entry for entry in entries if entry.origin.qualifier == wanted), None)
        if len(entries) > 1 and self._builtin(bare) is None:
            choices = tuple(sorted(f"{entry.origin.qualifier}:{bare}" for entry in entries))
            raise AmbiguousPluginError(
                f"{self._kind} name {bare!r} is offered by {len(entries)} plugins; say which: "
                + " or ".join(f"{self._kind}={choice!r}" for choice in choices),
                candidates=choices,
            )
        return self._builtin(bare) or (entries[0] if entries else None)

    def similar(self, name: str) -> str | None:
        """Return the known name most like this one, or None when none is close."""
        import difflib  # noqa: PLC0415 (errors only)

        return next(iter(difflib.get_close_matches(name, self._entries, n=1)), None)

    def snapshot(self) -> dict[str, list[Registered[T]]]:
        """Return a copy of the contents for ``restore``."""
        return {name: list(entries) for name, entries in self._entries.items()}

    def restore(self, snapshot: dict[str, list[Registered[T]]]) -> None:
        """Go back to the contents of a snapshot."""
        self._entries = snapshot

    def _builtin(self, name: str) -> Registered[T] | None:
        """Return the built-in registration of a bare name."""
        return next((entry for entry in self._entries.get(name, ()) if entry.origin.builtin), None)


def normalized(distribution: str) -> str:
    """Return a distribution's name as package indexes compare it: case and punctuation folded."""
    return re.sub(r"[-_.]+", "-", distribution).lower()
