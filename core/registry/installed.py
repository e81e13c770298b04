"""What formgate itself offers, read without ``importlib.metadata`` where it alone offers anything.

``importlib.metadata`` takes some 30 ms to import and as long again to look at a hundred
distributions: most of what a first compilation would take, and nearly always it finds formgate
alone. A distribution offers plugins only if its ``entry_points.txt`` has the bytes ``formgate]``,
the end of the line that names the group; so the metadata folders on the path are searched for
these. Where one of another distribution has them, or anything is out of the ordinary, nothing is
said here, and ``importlib.metadata`` is asked. Cost: a few milliseconds for a hundred folders.
"""

from __future__ import annotations

import os
import sys
from importlib.machinery import PathFinder
from typing import NamedTuple

__all__ = ["GROUP", "Installed", "only_formgate"]

GROUP = "formgate"

_INFOS = (".dist-info", ".egg-info")
_MARK = f"{GROUP}]".encode()


class Installed(NamedTuple):
    """The distribution ``formgate``.

    Args:
        version: Its version.
        plugins: Name and module of each of its plugins.
    """

    version: str
    plugins: tuple[tuple[str, str], ...]


def only_formgate() -> Installed | None:
    """Return the distribution formgate where it surely is the only one with plugins, or None."""
    finders = [one for one in sys.meta_path if getattr(one, "find_distributions", None) is not None]
    if finders != [PathFinder]:
        return None
    try:
        info = _only_declaring()
        if info is None:
            return None
        version = _version(info)
        plugins = _plugins(_entry_points(info))
    except OSError:
        return None
    return None if version is None or plugins is None else Installed(version, plugins)


def _only_declaring() -> str | None:
    """Return the metadata folder of formgate if it alone may have plugins, and is the only such.

    Of two distributions with one name the first on the path counts, so none may have this name
    without plugins.

    Raises:
        OSError: As for ``_infos``.
    """
    infos = _infos() or []
    found = [(info, name) for info, name in infos if name == GROUP or _MARK in _entry_points(info)]
    if len(found) != 1 or found[0][1] != GROUP:
        return None
    return found[0][0]


def _infos() -> list[tuple[str, str]] | None:
    """Return the metadata folders on the path with the names of their distributions.

    None where there is more on the path than ``os.listdir`` shows, or a distribution's name is
    found in its metadata alone.

    Raises:
        OSError: What is on the path cannot be listed: a zip file, say.
    """
    found = []
    seen = set()
    for root in sys.path:
        if type(root) is not str or root.rstrip("/\\").lower().endswith(".egg"):
            return None
        folder = root or "."
        try:
            status = os.stat(folder)  # noqa: PTH116 (pathlib takes 7 ms to import)
        except FileNotFoundError:
            continue
        key = status.st_dev, status.st_ino
        if key in seen:
            continue
        seen.add(key)
        for child in os.listdir(folder):  # noqa: PTH208 (as above)
            low = child.lower()
            if low.endswith(_INFOS):
                name = low.rpartition(".")[0].partition("-")[0]
                if not name or not child.endswith(_INFOS):
                    return None
                found.append((f"{folder}/{child}", name))
    return found


def _entry_points(info: str) -> bytes:
    """Return the text that declares a distribution's entry points; nothing where there is none."""
    try:
        with open(f"{info}/entry_points.txt", "rb", buffering=0) as file:  # noqa: PTH123 (as above)
            return file.read()
    except (FileNotFoundError, NotADirectoryError):
        return b""


def _version(info: str) -> str | None:
    """Return the version of a distribution formgate; None where its metadata is not as expected."""
    name = None
    with open(f"{info}/METADATA", "rb") as file:  # noqa: PTH123 (as above)
        for line in file:
            key, colon, value = line.partition(b": ")
            if not colon or not key.replace(b"-", b"").isalpha() or not value.isascii():
                return None
            if key == b"Name":
                name = value.strip()
            elif key == b"Version":
                return value.strip().decode() if name == GROUP.encode() else None
    return None


def _plugins(text: bytes) -> tuple[tuple[str, str], ...] | None:
    """Return name and module of each plugin in the group; None for more than names and modules."""
    section = ""
    found = []
    if not text.isascii():
        return None
    for line in map(str.strip, text.decode().splitlines()):
        if line.startswith("[") and line.endswith("]"):
            section = line.strip("[]")
        elif line and not line.startswith("#") and section == GROUP:
            name, equals, module = line.partition(" = ")
            if not (equals and name.isidentifier() and module.replace(".", "_").isidentifier()):
                return None
            found.append((name, module))
    return tuple(found)
