"""Where members of pydantic's classes stand: aliases, paths to them, names that are left out."""

from __future__ import annotations

from typing import Any

__all__ = ["hidden_names", "paths", "with_paths"]

Path = list[Any]  # names and positions


def paths(alias: Any) -> list[Path]:
    """Return the ways to a member that a core schema gives."""
    if isinstance(alias, str):
        return [[alias]]
    if alias and not isinstance(alias[0], list):
        return [list(alias)]
    return [list(way) for way in alias]


def hidden_names(ways: list[Path], used: str, own: str | None) -> list[str]:
    """Return the names that pydantic reads, too, and that no text is to have.

    Args:
        ways: All ways to the member.
        used: The name that stands in the schema.
        own: The name of the field, where that is read beside aliases.
    """
    names = [str(way[0]) for way in ways[1:] if way[0] != ways[0][0]]
    names += [str(ways[0][0]), *([] if own is None else [own])]
    return [name for name in names if name != used and len(ways) + (own is not None) > 1]


def with_paths(found: dict[str, Any], name: str, path: Path) -> dict[str, Any]:
    """Return an object with a member moved to the end of a path, and in its place otherwise."""
    schema = found["properties"][name]
    for step in reversed(path[1:]):
        schema = _held(schema, step)
    first = path[0]
    properties: dict[str, Any] = {}
    for known, part in found["properties"].items():
        at = first if known == name else known
        made = schema if known == name else part
        properties[at] = {"allOf": [properties[at], made]} if at in properties else made
    required = [first if one == name else one for one in found.get("required", ())]
    return {**found, "properties": properties, "required": list(dict.fromkeys(required))}


def _held(schema: Any, step: str | int) -> dict[str, Any]:
    """Return what holds a value under a name or at a position."""
    if isinstance(step, str):
        return {"type": "object", "properties": {step: schema}, "required": [step]}
    if step < 0:  # no keyword counts from the end: all items are such
        return {"type": "array", "items": schema, "minItems": -step}
    return {
        "type": "array",
        "prefixItems": [*({} for _ in range(step)), schema],
        "minItems": step + 1,
    }
