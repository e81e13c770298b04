"""Tool definitions and response formats, as the interfaces of model servers write them.

A single tool stands for its arguments; a list of tools for a call of one of them,
`{"name": ..., "arguments": {...}}`. The schemas inside are taken as they are: each becomes a
resource of its own in the whole, so that references in it keep their meaning.

Known are the tools of OpenAI's two interfaces, of Anthropic's and of the Model Context Protocol,
and functions, dataclasses and pydantic models in a list of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from formgate.core.errors import GrammarError, UnsupportedConstraint
from formgate.plugins.json_schema._drafts import draft_of
from formgate.plugins.json_schema._load import HOLDERS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from formgate.plugins.json_schema._types_shapes import Shape

__all__ = ["Tool", "chosen_tools", "is_request", "origins_of", "schema_of_request"]

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_SCHEMA_KEYS = ("parameters", "input_schema", "inputSchema")
# What may stand beside a tool's name. An object with another key is a schema, not a tool.
_TOOL_KEYS = {
    *_SCHEMA_KEYS,
    *("name", "description", "title", "type", "strict", "annotations", "_meta", "icons"),
    *("outputSchema", "cache_control", "defer_loading", "input_examples", "allowed_callers"),
}
_FORMATS = ("json_schema", "json_object", "text")
_FORMAT_KEYS = {"name", "schema", "strict", "description"}
_NO_ARGUMENTS = {"type": "object", "additionalProperties": False}


@dataclass
class Tool:
    """A tool: its name, the schema of its arguments, and the type or function it came from."""

    name: str
    schema: dict[str, object] | bool
    source: object = None


def is_request(source: object) -> bool:
    """Say whether a source is a tool, a list of tools or a response format. Never raises."""
    if isinstance(source, dict):
        return _is_tool(source) or _is_format(source) or _holds_schema(source)
    if not isinstance(source, (list, tuple)) or not source:
        return False
    from formgate.plugins.json_schema._types import is_type  # noqa: PLC0415 (in a circle)

    # Where one is a tool, those that are none are refused by name later.
    return any(_is_tool(tool) if isinstance(tool, dict) else is_type(tool) for tool in source)


def _is_tool(source: Mapping[Any, Any]) -> bool:
    kind = source.get("type")
    if isinstance(kind, str) and kind in ("function", "custom"):
        return True
    # A tool without a type; a schema with such members has others that say more.
    return (
        kind is None
        and isinstance(source.get("name"), str)
        and any(isinstance(source.get(key), dict) for key in _SCHEMA_KEYS)
        and _TOOL_KEYS.issuperset(source)
    )


def _is_format(source: Mapping[Any, Any]) -> bool:
    kind = source.get("type")
    if isinstance(kind, str):
        return kind in _FORMATS
    # What stands inside a format of the chat interface, given by itself.
    return (
        kind is None
        and isinstance(source.get("name"), str)
        and isinstance(source.get("schema"), dict)
        and _FORMAT_KEYS.issuperset(source)
    )


def _holds_schema(source: Mapping[Any, Any]) -> bool:
    """Say whether an object is none of those known, and no schema, but holds one."""
    held = HOLDERS & source.keys()
    return bool(held) and (
        source.keys() - held <= {"description", "strict", "title"}
        and all(isinstance(source[key], (dict, list)) for key in held)
    )


def schema_of_request(source: Any, options: Mapping[str, object]) -> dict[str, object] | bool:
    """Return the schema of what a request asks for.

    Raises:
        GrammarError: The request is malformed.
        UnsupportedConstraint: It asks for something other than JSON.
    """
    if not isinstance(source, dict):
        return _calls(chosen_tools(source, options.get("tool_choice")))
    if _is_format(source):
        return _response_format(source)
    if not _is_tool(source):
        key = min(HOLDERS & source.keys())
        raise GrammarError(
            f"no JSON Schema, tool or response format: an object with {key!r}, which as a schema "
            "would allow any value",
            hint=f"give what stands under {key!r}, or add the type and the name that are missing",
        )
    schema = _tool(source, "the tool").schema
    if isinstance(schema, bool) or schema.get("type") == "object":
        return _object(schema)
    return {"$schema": _DIALECT, **cast("dict[str, object]", _object(_resource(schema, 0)))}


def origins_of(source: Any, options: Mapping[str, object]) -> dict[str, str]:
    """Return where the tools' schemas stand in the schema of a request, with what to call them.

    Raises:
        As ``schema_of_request``.
    """
    if isinstance(source, dict):
        if _is_format(source):
            return {}
        tools = [("#", _tool(source, "the tool"))]
    else:
        chosen = chosen_tools(source, options.get("tool_choice"))
        starts = [f"#/anyOf/{place}" for place in range(len(chosen))] if len(chosen) > 1 else ["#"]
        tools = [
            (f"{start}/properties/arguments", tool)
            for start, tool in zip(starts, chosen, strict=True)
        ]
    found = {}
    for start, tool in tools:
        inner = "" if _object(tool.schema) is tool.schema else "/allOf/0"
        found[start] = found[start + inner] = f"tool {tool.name!r:.60}: #"
    return found


def chosen_tools(source: Sequence[object], choice: object) -> list[Tool]:
    """Return the tools that may be called.

    Args:
        source: Definitions, functions or types.
        choice: `None`, `"required"`, `"any"`, the name of a tool, or one of the objects that
            servers take as `tool_choice`.

    Raises:
        GrammarError: A definition is malformed, or the choice names no tool.
        UnsupportedConstraint: The choice allows an answer without a call.
    """
    tools = [_tool(item, f"tool {number}") for number, item in enumerate(source)]
    names = [tool.name for tool in tools]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise GrammarError(f"two tools are called {twice!r:.60}", hint="give each its own name")
    wanted = _wanted(choice)
    if wanted is None:
        return tools
    for name in wanted:
        if name not in names:
            raise GrammarError(
                f"tool_choice names {name!r}, which is none of the tools",
                hint="the tools are " + ", ".join(names),
            )
    return [tool for tool in tools if tool.name in wanted]


def _wanted(choice: object) -> list[str] | None:
    """Return the names that a choice allows, None for all."""
    kind = choice.get("type") if isinstance(choice, dict) else choice
    if kind in (None, "required", "any"):
        return None
    if kind in ("auto", "none"):
        raise UnsupportedConstraint(
            f"tool_choice {kind!r} allows an answer that is no call, which is no JSON",
            hint='use tool_choice="required", or decide before whether a tool is called',
        )
    if isinstance(choice, str):
        return [choice]
    if isinstance(choice, dict) and kind in ("function", "tool", "custom"):
        inner = choice.get("function", choice)
        name = inner.get("name") if isinstance(inner, dict) else None
        if isinstance(name, str):
            return [name]
    if isinstance(choice, dict) and kind == "allowed_tools":
        inner = choice.get("allowed_tools", choice)
        if isinstance(inner, dict) and isinstance(inner.get("tools"), list) and inner["tools"]:
            if inner.get("mode", "required") != "required":
                return _wanted(inner.get("mode"))
            return [name for tool in inner["tools"] for name in _wanted(tool) or ()]
    raise GrammarError(
        f"tool_choice {choice!r:.80} is not understood",
        hint='use "required", the name of a tool, or {"type": "function", "function": '
        '{"name": ...}}',
    )


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


def _typed_tool(source: Any, where: str) -> Tool:
    """Return a tool from a function or a type."""
    from formgate.plugins.json_schema._types import (  # noqa: PLC0415 (in a circle)
        is_type,
        schema_of,
    )
    from formgate.plugins.json_schema._types_signature import (  # noqa: PLC0415 (on demand)
        function_name,
        is_function,
    )

    name = function_name(source) if is_function(source) else getattr(source, "__name__", None)
    if _is_scalar(source) or not is_type(source):
        raise GrammarError(
            f"{where} is {name or repr(source):.60}, which has no arguments",
            hint="a tool is a definition, a function, or a class with fields; "
            "for a value of one of several types, give A | B",
        )
    if name is None:
        raise GrammarError(f"{where} has no name", hint="give a function or a class")
    return Tool(name, schema_of(source), source)


def _tool(source: Any, where: str) -> Tool:
    """Return a tool from its definition, or from a function or type that describes it."""
    if not isinstance(source, dict):
        return _typed_tool(source, where)
    kind = source.get("type")
    if kind not in (None, "function", "custom"):
        raise UnsupportedConstraint(
            f"{where} is of type {kind!r:.60}, whose arguments are the server's own",
            hint="leave it out of the list, or describe it as a function",
        )
    # A custom tool of the chat interface has its name in an object of its own.
    inner = source.get("function", source.get("custom", source) if kind == "custom" else source)
    if not isinstance(inner, dict) or not isinstance(inner.get("name"), str) or not inner["name"]:
        raise GrammarError(
            f"{where} has no name", hint='a tool is {"name": ..., "parameters": ...}'
        )
    if kind == "custom" and "input_schema" not in inner:
        raise UnsupportedConstraint(
            f"{where} ({inner['name']}) is a custom tool, whose input is no JSON",
            hint="compile the grammar in its format instead",
        )
    if not _is_text(inner["name"]):
        raise GrammarError(f"{where}: its name has half of a surrogate pair in it")
    strict = inner.get("strict")
    if strict is not None and not isinstance(strict, bool):
        raise GrammarError(
            f"{where} ({inner['name']}): strict is true or false, not {strict!r:.60}"
        )
    given = [key for key in _SCHEMA_KEYS if inner.get(key) is not None]
    if len(given) > 1:
        raise GrammarError(f"{where} ({inner['name']}) has both {given[0]!r} and {given[1]!r}")
    schema = inner[given[0]] if given else dict(_NO_ARGUMENTS)
    if not isinstance(schema, (dict, bool)):
        raise GrammarError(f"{where} ({inner['name']}): {given[0]} is a schema, not {schema!r:.60}")
    return Tool(inner["name"], schema)


def _response_format(source: Mapping[str, Any]) -> dict[str, object] | bool:
    """Return the schema of a response format: OpenAI's, in the form of either interface."""
    kind = source.get("type")
    if kind == "text":
        raise GrammarError(
            'response_format {"type": "text"} constrains nothing', hint="generate without it"
        )
    if kind == "json_object":
        return {"type": "object"}
    inner = source.get("json_schema", source)
    if not isinstance(inner, dict):
        raise GrammarError(
            "response_format: json_schema is an object with name and schema, "
            f"not {type(inner).__name__}"
        )
    strict = inner.get("strict")
    if strict is not None and not isinstance(strict, bool):
        raise GrammarError(f"response_format: strict is true or false, not {strict!r:.60}")
    if "schema" not in inner:
        raise GrammarError(
            "response_format of type json_schema has no schema",
            hint='{"type": "json_schema", "json_schema": {"name": ..., "schema": {...}}}',
        )
    schema = inner["schema"]
    if not isinstance(schema, (dict, bool)):
        raise GrammarError(f"response_format: the schema is a {type(schema).__name__}")
    return schema


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _is_scalar(source: object) -> bool:
    return source in (str, int, float, bool, bytes, type(None), object)


def shape_of_tool(tool: Tool) -> Shape | None:
    """Return what reads a tool's arguments, where it came from a type or a function."""
    if tool.source is None:
        return None
    from formgate.plugins.json_schema._types import shape_of  # noqa: PLC0415 (in a circle)

    return shape_of(tool.source)
