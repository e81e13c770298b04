"""Response formats, as OpenAI's interfaces and the servers that speak like them write them.

The chat interface has the schema in an object of its own, the other one beside the type, and
several servers take a schema beside the type `json_object`. What stands where nothing would read
it is refused: it may have been meant to constrain.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from formgate.core.errors import GrammarError
from formgate.plugins.json_schema._holding import holding, is_silent

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["is_format", "response_format"]

_FORMATS = ("json_schema", "json_object", "text")
_NOTES = {"name", "strict", "description", "title"}


def is_format(source: Mapping[Any, Any]) -> bool:
    """Say whether an object is a response format. Never raises."""
    kind = source.get("type")
    if isinstance(kind, str):
        return kind in _FORMATS
    # What stands inside a format of the chat interface, given by itself.
    return (
        kind is None
        and isinstance(source.get("name"), str)
        and isinstance(source.get("schema"), dict)
        and is_silent(source)
    )


def response_format(source: Mapping[str, Any]) -> dict[str, object] | bool:
    """Return the schema of a response format; beside `json_object`, an object is meant, too.

    Raises:
        GrammarError: It is malformed, constrains nothing, or has what would have no effect.
    """
    kind = source.get("type") or "json_schema"
    if kind == "text":
        raise GrammarError(
            'response_format {"type": "text"} constrains nothing', hint="generate without it"
        )
    inner, place = source, "schema"
    if source.get("json_schema") is not None:
        _check_alone(source, kind)
        inner, place = source["json_schema"], "json_schema/schema"
    if not isinstance(inner, dict):
        raise GrammarError(
            "response_format: json_schema is an object with name and schema, "
            f"not {type(inner).__name__}"
        )
    if "schema" not in inner and kind == "json_schema":
        raise GrammarError(
            "response_format of type json_schema has no schema",
            hint='{"type": "json_schema", "json_schema": {"name": ..., "schema": {...}}}',
        )
    _check_members(source, {"type", "json_schema", "schema"}, f"response_format of type {kind}")
    if inner is not source:
        _check_members(inner, {"schema"}, "response_format: json_schema")
    schema = inner.get("schema", {"type": "object"})
    if not isinstance(schema, (dict, bool)):
        raise GrammarError(
            f"response_format: {place} is an object or a truth value, not {type(schema).__name__}"
        )
    if isinstance(schema, dict) and (key := holding(schema, within=True)) is not None:
        raise GrammarError(
            f"response_format: {place} has {key!r:.60}, but no keyword of JSON Schema, and would "
            "allow any value",
            hint="members of an object stand under 'properties'; true is the schema of any value",
        )
    return schema


def _check_alone(source: Mapping[str, Any], kind: str) -> None:
    """Refuse what would be ignored beside, or because of, an object with a schema."""
    if kind == "json_object":
        raise GrammarError(
            "response_format of type json_object has 'json_schema', which belongs to type "
            "json_schema",
            hint='change the type to json_schema, or give {"type": "json_object", "schema": {...}}',
        )
    if source.get("schema") is not None:
        raise GrammarError(
            "response_format has both 'json_schema' and 'schema'",
            hint="give one of them; what has to satisfy two schemas goes in one, under allOf",
        )


def _check_members(part: Mapping[str, Any], known: set[str], where: str) -> None:
    """Refuse members that nothing reads, and a `strict` that is no truth value."""
    name = part.get("name")
    if name is not None and not isinstance(name, str):
        raise GrammarError(f"response_format: name is a text, not {name!r:.60}")
    strict = part.get("strict")
    if strict is not None and not isinstance(strict, bool):
        raise GrammarError(f"response_format: strict is true or false, not {strict!r:.60}")
    for key, value in part.items():
        if key not in known | _NOTES and value is not None:
            raise GrammarError(
                f"{where} has {key!r:.60}, which would have no effect there",
                hint="what constrains the value goes in the schema; leave out what does not",
            )
