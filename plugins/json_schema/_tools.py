"""Tool definitions and response formats, as the interfaces of model servers write them.

A single tool stands for its arguments; a list of tools for a call of one of them,
`{"name": ..., "arguments": {...}}`. The schemas inside are taken as they are: each becomes a
resource of its own in the whole, so that references in it keep their meaning.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from formgate.core.errors import GrammarError
from formgate.plugins.json_schema._drafts import draft_of
from formgate.plugins.json_schema._holding import AROUND_TOOLS, HOLDERS, holding
from formgate.plugins.json_schema._response_formats import is_format, response_format
from formgate.plugins.json_schema._tools_choice import wanted_tools
from formgate.plugins.json_schema._tools_definitions import is_tool, tool_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from formgate.plugins.json_schema._tools_definitions import Tool

__all__ = ["chosen_tools", "is_request", "origins_of", "schema_of_request"]

_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def is_request(source: object) -> bool:
    """Say whether a source is a tool, a list of tools or a response format. Never raises."""
    if isinstance(source, dict):
        return is_tool(source) or is_format(source) or holding(source) is not None
    if not isinstance(source, (list, tuple)) or not source:
        return False
    from formgate.plugins.json_schema._types import is_type  # noqa: PLC0415 (in a circle)

    # Where one is a tool, those that are none are refused by name later.
    return any(
        is_tool(tool) or _is_around(tool) if isinstance(tool, dict) else is_type(tool)
        for tool in source
    )


def _is_around(item: Mapping[Any, Any]) -> bool:
    """Say whether an item of a list is no tool, but an object around one or around a schema."""
    held = HOLDERS & item.keys()
    return (
        bool(held)
        and item.keys() - held <= {"description", "strict", "title"}
        and all(isinstance(item[key], (dict, list)) for key in held)
    )


def schema_of_request(source: Any, options: Mapping[str, object]) -> dict[str, object] | bool:
    """Return the schema of what a request asks for.

    Raises:
        GrammarError: The request is malformed.
        UnsupportedConstraint: It asks for something other than JSON.
    """
    if not isinstance(source, dict):
        return _calls(chosen_tools(source, options.get("tool_choice")))
    if is_format(source):
        schema = response_format(source)
        return _alone(schema) if source.get("type") == "json_object" else schema
    if not is_tool(source):
        raise _no_request(source)
    return _alone(tool_of(source, "the tool").schema)


def _no_request(source: Mapping[Any, Any]) -> GrammarError:
    """Return the error about an object that says nothing by itself, but holds something."""
    known = HOLDERS & source.keys()
    key = min(known) if known else holding(source)
    if not known:
        hint = (
            "of a request, give the tools or the schema alone; members of an object stand under "
            "'properties'"
        )
    elif key in AROUND_TOOLS:
        hint = f"give what stands under {key!r}"
    else:
        hint = f"give what stands under {key!r}, or add the type and the name that are missing"
    return GrammarError(
        f"no JSON Schema, tool or response format: an object with {key!r:.60}, which as a schema "
        "would allow any value",
        hint=hint,
    )


def origins_of(source: Any, options: Mapping[str, object]) -> dict[str, str]:
    """Return where schemas that were given stand in that of a request, with what to call them.

    Raises:
        As ``schema_of_request``.
    """
    found = {}
    for start, schema, name in _parts(source, options):
        inner = "" if _object(schema) is schema else "/allOf/0"
        found[start] = found[start + inner] = f"{name}: #"
    return found


def _parts(
    source: Any, options: Mapping[str, object]
) -> list[tuple[str, dict[str, object] | bool, str]]:
    """Return the schemas of objects in a request: where each stands, itself, and its name."""
    if isinstance(source, dict) and is_format(source):
        # Of the other formats, the schema is all there is.
        is_part = source.get("type") == "json_object" and "schema" in source
        return [("#", response_format(source), "schema")] if is_part else []
    if isinstance(source, dict):
        starts, tools = ["#"], [tool_of(source, "the tool")]
    else:
        tools = chosen_tools(source, options.get("tool_choice"))
        calls = [f"#/anyOf/{place}" for place in range(len(tools))] if len(tools) > 1 else ["#"]
        starts = [f"{call}/properties/arguments" for call in calls]
    return [
        (start, tool.schema, f"tool {tool.name!r:.60}")
        for start, tool in zip(starts, tools, strict=True)
    ]


def chosen_tools(source: Sequence[object], choice: object, *, reads: bool = False) -> list[Tool]:
    """Return the tools that may be called.

    Args:
        source: Definitions, functions or types.
        choice: `None`, `"required"`, `"any"`, the name of a tool, or one of the objects that
            servers take as `tool_choice`.
        reads: Arguments are only read: tools of types and functions have no schema.

    Raises:
        GrammarError: A definition is malformed, or the choice names no tool.
        UnsupportedConstraint: The choice allows an answer without a call.
    """
    tools = [tool_of(item, f"tool {number}", reads=reads) for number, item in enumerate(source)]
    names = [tool.name for tool in tools]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise GrammarError(f"two tools are called {twice!r:.60}", hint="give each its own name")
    wanted = wanted_tools(choice)
    if wanted is None:
        return tools
    for name in wanted:
        if name not in names:
            raise GrammarError(
                f"tool_choice names {name!r}, which is none of the tools",
                hint="the tools are " + ", ".join(names),
            )
    return [tool for tool in tools if tool.name in wanted]


def _calls(tools: Sequence[Tool]) -> dict[str, object]:
    """Return the schema of a call of one of the tools."""
    calls: list[dict[str, object]] = [
        {
            "type": "object",
            "properties": {
                "name": {"const": tool.name},
                "arguments": _object(_resource(tool.schema, number)),
            },
            "required": ["name", "arguments"],
            "additionalProperties": False,
        }
        for number, tool in enumerate(tools)
    ]
    return {"$schema": _DIALECT, **({"anyOf": calls} if len(calls) > 1 else calls[0])}


def _alone(schema: dict[str, object] | bool) -> dict[str, object] | bool:
    """Return a schema of objects as a whole by itself."""
    if isinstance(schema, bool) or schema.get("type") == "object":
        return _object(schema)
    return {"$schema": _DIALECT, **cast("dict[str, object]", _object(_resource(schema, 0)))}


def _resource(schema: dict[str, object] | bool, number: int) -> dict[str, object] | bool:
    """Return a schema with an address of its own, so that "#/..." in it means itself."""
    if isinstance(schema, bool) or not ("$schema" in schema or _has_reference(schema)):
        return schema
    draft = draft_of(schema.get("$schema"))
    keyword = draft.id_keyword if draft else "$id"
    if keyword in schema:
        return schema
    return {keyword: f"urn:formgate:tool:{number}", **schema}


def _object(schema: dict[str, object] | bool) -> dict[str, object] | bool:
    """Return a schema of arguments, which are an object even where it does not say so."""
    if schema is True:
        return {"type": "object"}
    if schema is False or schema.get("type") == "object":
        return schema
    return {"type": "object", "allOf": [schema]}


def _has_reference(schema: object) -> bool:
    """Say whether a schema may hold a reference; one in an enum counts, too."""
    pending = [schema]
    seen: set[int] = set()  # a schema made in Python may hold itself
    while pending:
        part = pending.pop()
        if not isinstance(part, (dict, list)) or id(part) in seen:
            continue
        seen.add(id(part))
        if isinstance(part, dict):
            if not {"$ref", "$dynamicRef", "$recursiveRef"}.isdisjoint(part):
                return True
            pending += part.values()
        else:
            pending += part
    return False
