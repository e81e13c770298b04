"""Find installed plugins: entry points of the group ``formgate``, in a fixed order.

Where formgate alone has any, which is seen at a glance, these are they (``installed``). Otherwise
``importlib.metadata.entry_points(group=...)`` is used, rather than pluggy's own loader, which scans
every distribution, takes about five times as long and stops at the first broken plugin. Built-ins
are loaded by the same path as a stranger's plugins; they only come first.
"""

from __future__ import annotations

import os
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

from formgate.core.errors import PluginError
from formgate.core.registry.installed import GROUP, only_formgate
from formgate.core.registry.table import Origin, normalized

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

__all__ = ["Candidate", "Settings", "candidates"]


class Settings(NamedTuple):
    """What the environment says about loading plugins.

    Args:
        strict: A broken plugin is an error rather than a warning.
        builtin_only: Load nothing that does not ship with formgate.
        disabled: Plugins, distributions or ``distribution:plugin`` to leave out.
    """

    strict: bool = False
    builtin_only: bool = False
    disabled: tuple[str, ...] = ()

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> Settings:
        """Read ``FORMGATE_STRICT_PLUGINS``, ``FORMGATE_PLUGINS`` and ``FORMGATE_DISABLE_PLUGINS``.

        Raises:
            PluginError: A variable holds a value that has no meaning.
        """
        strict = _choice(environment, "FORMGATE_STRICT_PLUGINS", {"": False, "0": False, "1": True})
        builtin_only = _choice(
            environment, "FORMGATE_PLUGINS", {"": False, "all": False, "none": True}
        )
        disabled = environment.get("FORMGATE_DISABLE_PLUGINS", "").split(",")
        return cls(strict, builtin_only, tuple(name.strip() for name in disabled if name.strip()))


class Candidate(NamedTuple):
    """What imports a plugin, and where it comes from; nothing is imported yet."""

    load: Callable[[], object]
    origin: Origin


def candidates(settings: Settings) -> tuple[list[Candidate], list[str]]:
    """Return the plugins to load, built-ins first, then by distribution and name; and warnings.

    The warnings name those of ``settings.disabled`` that nothing installed answers to.
    """
    found = list(_found())
    found.sort(key=lambda item: (not item.origin.builtin, _identity(item.origin)))

    # A distribution that is on the path twice (an editable install beside a built one) counts once.
    unique = list({_identity(item.origin): item for item in reversed(found)}.values())[::-1]
    unknown = [
        f"FORMGATE_DISABLE_PLUGINS names {name!r}, which no installed plugin answers to"
        for name in settings.disabled
        if not any(_answers_to(item.origin, name) for item in unique)
    ]
    kept = [
        item
        for item in unique
        if (item.origin.builtin or not settings.builtin_only)
        and not any(_answers_to(item.origin, name) for name in settings.disabled)
    ]
    return kept, unknown


def _found() -> Iterator[Candidate]:
    """Yield what is installed, in any order."""
    alone = only_formgate()
    if alone is not None:
        for plugin, module in alone.plugins:
            origin = Origin(plugin, "formgate", alone.version, builtin=True)
            yield Candidate(partial(import_module, module), origin)
        return
    from importlib import metadata  # noqa: PLC0415 (30 ms that few need)

    named: dict[int, tuple[str | None, str | None]] = {}  # each look parses the metadata anew
    for entry_point in metadata.entry_points(group=GROUP):
        dist = entry_point.dist
        if id(dist) not in named:
            parsed = None if dist is None else dist.metadata
            named[id(dist)] = (
                (None, None) if parsed is None else (parsed["Name"], parsed["Version"])
            )
        name, version = named[id(dist)]
        builtin = name is not None and normalized(name) == "formgate"
        yield Candidate(entry_point.load, Origin(entry_point.name, name, version, builtin))


def _identity(origin: Origin) -> tuple[str, str]:
    """Return the key plugins are ordered and told apart by."""
    return origin.qualifier, origin.plugin


def _answers_to(origin: Origin, name: str) -> bool:
    """Say whether a name given by the user means this plugin."""
    qualifier, colon, bare = name.rpartition(":")
    if colon:
        return bare == origin.plugin and normalized(qualifier) == origin.qualifier
    return bare == origin.plugin or normalized(bare) == origin.qualifier


def _choice(environment: Mapping[str, str], variable: str, meanings: Mapping[str, bool]) -> bool:
    """Return what a variable means, refusing values without a meaning."""
    value = environment.get(variable, "").strip().lower()
    if value not in meanings:
        known = ", ".join(repr(meaning) for meaning in meanings if meaning)
        raise PluginError(f"{variable}={value!r} is not understood; use one of {known}")
    return meanings[value]
