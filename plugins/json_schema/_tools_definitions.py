"""Definitions of tools: what is one, and its name and the schema of its arguments.

Known are the tools of OpenAI's two interfaces, of Anthropic's, of the Model Context Protocol, of
Bedrock's and of Gemini's, and functions, dataclasses and pydantic models. What stands where no
interface reads it is refused, since it would constrain nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from formgate.core.errors import GrammarError, UnsupportedConstraint
from formgate.plugins.json_schema._holding import (
    AROUND_TOOLS,
    SCHEMA_KEYS,
    SCHEMA_WORDS,
    holding,
    is_silent,
    looks_like_schema,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from formgate.plugins.json_schema._types_shapes import Shape

__all__ = ["Tool", "is_tool", "shape_of_tool", "tool_of"]

# What may hold a schema, or examples of one, beside that of the arguments.
_KNOWN = {
    *SCHEMA_KEYS,
    *("function", "custom", "annotations", "_meta", "metadata", "examples", "input_examples"),
    *("outputSchema", "output_schema", "returns"),
    *("response", "responseJsonSchema", "response_json_schema"),
}
# Without these a tool takes no arguments; the others have to be there, if only as {}.
_MAY_BE_NULL = ("parameters", "parametersJsonSchema", "parameters_json_schema")
_NO_ARGUMENTS = {"type": "object", "additionalProperties": False}
# Types of tools that servers bring, as they are named where the tool stands alone.
_SERVERS_OWN = re.compile(
    "web_search|web_search_preview|file_search|code_interpreter|computer_use_preview"
    "|image_generation|local_shell|apply_patch|mcp"
    r"|[a-z_]+_20\d\d_?[01]\d_?[0-3]\d"
)


@dataclass
class Tool:
    """A tool: its name, the schema of its arguments, and the type or function it came from."""

    name: str
    schema: dict[str, object] | bool
    source: object = None


def is_tool(source: Mapping[Any, Any]) -> bool:
    """Say whether an object is a tool. Never raises."""
    kind = source.get("type")
    if isinstance(kind, str):
        return kind in ("function", "custom") or _SERVERS_OWN.fullmatch(kind) is not None
    if _is_wrapped(source):
        return True
    # A tool without a type; a schema with such members has keywords.
    return (
        kind is None
        and isinstance(source.get("name"), str)
        and not SCHEMA_KEYS.isdisjoint(source)
        and is_silent({key: source[key] for key in source if key != "type"})
    )


def _is_wrapped(source: Mapping[Any, Any]) -> bool:
    """Say whether an object is Bedrock's, around a tool."""
    return source.keys() == {"toolSpec"} and isinstance(source["toolSpec"], dict)


def tool_of(source: Any, where: str, *, reads: bool = False) -> Tool:
    """Return a tool from its definition, or from a function or type that describes it.

    Args:
        source: The definition, function or type.
        where: What errors call it.
        reads: Only its name is wanted, and what reads its arguments.

    Raises:
        GrammarError: It is malformed.
        UnsupportedConstraint: Its arguments are no JSON, or known to a server only.
    """
    if not isinstance(source, dict):
        return _typed_tool(source, where, reads=reads)
    if _is_wrapped(source):
        source = source["toolSpec"]
    kind = source.get("type")
    if kind not in (None, "function", "custom"):
        raise UnsupportedConstraint(
            f"{where} is of type {kind!r:.60}, whose arguments are the server's own",
            hint="leave it out, or describe it as a function",
        )
    # A custom tool of the chat interface has its name in an object of its own.
    inner = source.get("function", source.get("custom", source) if kind == "custom" else source)
    if not isinstance(inner, dict) or not isinstance(inner.get("name"), str) or not inner["name"]:
        raise _without_name(source, where)
    name: str = inner["name"]
    if kind == "custom" and "input_schema" not in inner:
        raise UnsupportedConstraint(
            f"{where} ({name}) is a custom tool, whose input is no JSON",
            hint="compile the grammar in its format instead",
        )
    if not _is_text(name):
        raise GrammarError(f"{where}: its name has half of a surrogate pair in it")
    where = f"{where} ({name})"
    if inner is not source:
        _check_beside(source, name, where)
    strict = inner.get("strict")
    if strict is not None and not isinstance(strict, bool):
        raise GrammarError(f"{where}: strict is true or false, not {strict!r:.60}")
    schema = _schema_in(inner, where)
    alone = all(inner.get(key) is None for key in SCHEMA_KEYS)
    _check_misnamed(source, where, alone=alone)
    _check_misnamed(inner, where, alone=alone)
    return Tool(name, schema)


def _without_name(source: Mapping[Any, Any], where: str) -> GrammarError:
    """Return the error about a tool without a name; one that holds tools says so."""
    around = [key for key in source if key in AROUND_TOOLS]
    if around:
        return GrammarError(
            f"{where} is no tool, but an object around {around[0]!r}",
            hint=f"give what stands under {around[0]!r}",
        )
    return GrammarError(f"{where} has no name", hint='a tool is {"name": ..., "parameters": ...}')


def _check_beside(source: Mapping[Any, Any], name: str, where: str) -> None:
    """Refuse what stands beside the object with the definition, where nothing reads it."""
    holder = "function" if "function" in source else "custom"
    for key, same in [("name", name), *((key, None) for key in sorted(SCHEMA_KEYS))]:
        if source.get(key) not in (None, same):
            raise GrammarError(
                f"{where} has {key!r} beside {holder!r}, where it has no effect",
                hint=f"all of the definition belongs inside {holder!r}: "
                '{"type": "function", "function": {"name": ..., "parameters": ...}}',
            )


def _schema_in(inner: Mapping[Any, Any], where: str) -> dict[str, object] | bool:
    """Return the schema of the arguments in a definition."""
    given = [key for key in inner if key in SCHEMA_KEYS and inner[key] is not None]
    if len(given) > 1:
        raise GrammarError(f"{where} has both {given[0]!r} and {given[1]!r}")
    if not given:
        given = [key for key in inner if key in SCHEMA_KEYS and key not in _MAY_BE_NULL]
    if not given:
        return dict(_NO_ARGUMENTS)
    place, schema = given[0], inner[given[0]]
    # Bedrock has the schema one step deeper; as a schema, the object would allow anything.
    if place == "inputSchema" and isinstance(schema, dict) and schema.keys() == {"json"}:
        place, schema = "inputSchema/json", schema["json"]
    if not isinstance(schema, (dict, bool)):
        raise GrammarError(f"{where}: {place} is a schema, not {schema!r:.60}")
    if isinstance(schema, dict) and (key := holding(schema, within=True)) is not None:
        raise GrammarError(
            f"{where}: {place} has {key!r:.60}, but no keyword of JSON Schema, and would allow any "
            "arguments",
            hint="the arguments stand under 'properties'; {} is the schema of any",
        )
    return schema


def _check_misnamed(inner: Mapping[Any, Any], where: str, *, alone: bool) -> None:
    """Refuse a schema under a name that nothing reads.

    Args:
        inner: The object that holds it.
        where: What errors call the tool.
        alone: It has no schema of arguments: then one may be in the object itself, or lie deeper.
    """
    for key, value in inner.items():
        if key in _KNOWN or not (
            looks_like_schema(value, 3 if alone else 1) or (alone and key in SCHEMA_WORDS)
        ):
            continue
        without = "no parameters, but " if alone else ""
        raise GrammarError(
            f"{where} has {without}a schema under {key!r:.60}, where it has no effect",
            hint="the schema of the arguments belongs under 'parameters'",
        )


def _typed_tool(source: Any, where: str, *, reads: bool) -> Tool:
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
    return Tool(name, {} if reads else schema_of(source), source)


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
