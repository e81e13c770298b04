"""Objects that say nothing as a schema, but are a part of a request, or a tool, with one in it.

As a schema such an object would allow any value, as `{"tools": [...]}` or `{"name": "f",
"inputschema": {...}}`. With other names, a schema of nothing but members that no draft knows is
what the standard says: it allows any value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from formgate.plugins.json_schema._drafts import CONSTRAINING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "AROUND_TOOLS",
    "HOLDERS",
    "SCHEMA_KEYS",
    "SCHEMA_WORDS",
    "holding",
    "is_silent",
    "looks_like_schema",
]

# Where the definitions of tools have the schema of their arguments.
SCHEMA_KEYS = frozenset(
    [
        *("parameters", "input_schema", "inputSchema"),
        *("parametersJsonSchema", "parameters_json_schema"),
    ]
)
# What holds whole tools, or lists of them.
AROUND_TOOLS = frozenset(
    ["tools", "toolSpec", "toolConfig", "functionDeclarations", "function_declarations"]
)
# What holds a schema in a request. As a schema, it would allow any value.
HOLDERS = SCHEMA_KEYS | AROUND_TOOLS | {"schema", "json_schema", "response_format", "function"}

# More of them, as servers and libraries have them, in lower case and without lines and dashes.
_WORDS = frozenset(word.lower().replace("_", "") for word in HOLDERS) | {
    *("args", "argsschema", "arguments", "argumentsschema", "params", "paramsschema"),
    *("parametersschema", "parameterdefinitions", "toolschema", "functions", "toolchoice"),
    *("responseschema", "responsejsonschema", "outputschema", "outputformat", "format"),
    *("generationconfig", "structuredoutputs", "guidedjson", "text"),
}
# One of these is in a schema of arguments, or one of these types.
SCHEMA_WORDS = {
    *("properties", "required", "additionalProperties", "patternProperties", "$ref", "$schema"),
    *("anyOf", "oneOf", "allOf"),
}
_TYPES = ("object", "array", "string", "number", "integer", "boolean", "null")


def is_silent(source: Mapping[Any, Any]) -> bool:
    """Say whether an object has no keyword of any draft that constrains values."""
    return CONSTRAINING.isdisjoint(source)


def holding(source: Mapping[Any, Any], *, within: bool = False) -> str | None:
    """Return the member of an object that was meant to constrain, where nothing does.

    None for what is a schema by itself: it has a keyword, or one of the standard's own names, or
    nothing of a request in it. Costs a look at each member.

    Args:
        source: The object.
        within: It stands in a request, where members of no meaning are mistakes.
    """
    if not is_silent(source) or any(str(key).startswith("$") for key in source):
        return None
    named = within or isinstance(source.get("name"), str)
    for key, value in source.items():
        is_word = isinstance(key, str) and key.lower().replace("_", "").replace("-", "") in _WORDS
        if is_word and isinstance(value, (dict, list)):
            return str(key)
        if named and looks_like_schema(value, 3):
            return str(key)
    return None


def looks_like_schema(value: object, depth: int) -> bool:
    """Say whether a value is a schema, or has one in it no deeper than so."""
    if not isinstance(value, dict) or depth == 0:
        return False
    kind = value.get("type")
    if not SCHEMA_WORDS.isdisjoint(value) or (isinstance(kind, str) and kind in _TYPES):
        return True
    return any(looks_like_schema(part, depth - 1) for part in value.values())
