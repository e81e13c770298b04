"""Tools of a list that can never be called: no arguments are valid under their schemas.

Beside others such a tool would just be missing from the language, and a model that is told of it
would never get to call it. Most schemas of arguments have values as anybody sees, by a rule that
asks for little; only the others are compiled once more, each by itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from formgate.core.errors import EmptyLanguageError, FormgateError
from formgate.core.grammar import GrammarBuilder
from formgate.core.vocabulary import byte_vocabulary
from formgate.plugins.json_schema._blame import tell_why
from formgate.plugins.json_schema._deadline import Deadline
from formgate.plugins.json_schema._tools import origins_of, schema_of_request
from formgate.plugins.json_schema._write import Prepared, written

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from formgate.plugins.json_schema._options import Options
    from formgate.plugins.json_schema._tools_definitions import Tool

__all__ = ["check_callable", "surely_valid"]

_PATIENCE_S = 0.5  # for the engine, with one tool
_NOTES = frozenset(
    ["$schema", "$comment", "title", "description", "default", "examples", "deprecated"]
)
# Keywords that leave some values of a type, whatever they say.
_HARMLESS: dict[object, list[set[str]]] = {
    "null": [set()],
    "boolean": [set()],
    "integer": [{"minimum"}, {"maximum"}],
    "number": [{"minimum"}, {"maximum"}],
    "string": [{"maxLength"}],
    "array": [{"items", "maxItems", "uniqueItems"}],
    "object": [{"properties", "required", "additionalProperties"}],
}
# Bounds that leave some values if one is not beyond the other, and both are whole numbers.
_BOUNDS: dict[object, tuple[str, str]] = {
    "integer": ("minimum", "maximum"),
    "number": ("minimum", "maximum"),
    "string": ("minLength", "maxLength"),
}
_MOST = 1_000_000  # as a least length
_MAX_DEPTH = 50


def check_callable(tools: Sequence[Tool], options: Options, builder: GrammarBuilder) -> None:
    """Refuse tools without any valid arguments.

    What the engine cannot decide in half a second counts as valid.

    Args:
        tools: The tools that may be called.
        options: Those of the format.
        builder: Its deadline holds.

    Raises:
        EmptyLanguageError: A tool has none; the message has its name and the place.
    """
    for tool in tools:
        if surely_valid(tool.schema):
            continue
        request = {"type": "function", "name": tool.name, "parameters": tool.schema}
        given = Prepared(schema_of_request(request, {}), options, origins_of(request, {}))
        alone = GrammarBuilder()
        engine = False
        try:
            with Deadline(builder):
                alone.start(written(given.schema, options, alone, plain=True)[1])
            engine = True
            alone.build().compile(byte_vocabulary(), timeout_s=_PATIENCE_S)
        except EmptyLanguageError as error:
            tell_why(error, given, engine=engine)
            error.hint = f"{error.hint or 'change its parameters'}; or leave the tool out"
            raise
        except FormgateError:
            builder.check_time()


def surely_valid(schema: object, depth: int = 0) -> bool:
    """Say whether a schema surely has a value, at depth 0 an object; False where it may not."""
    if not isinstance(schema, dict) or depth > _MAX_DEPTH:
        return schema is True
    keywords = schema.keys() - _NOTES - {"type"}
    kind = schema.get("type", "object")
    if depth == 0 and (kind != "object" or not keywords <= _HARMLESS["object"][0]):
        return False
    if keywords in ({"enum"}, {"const"}):
        values = schema["enum"] if "enum" in schema else [schema["const"]]
        texts = isinstance(values, list) and all(isinstance(one, str) for one in values)
        return texts and schema.get("type", "string") == "string" and any(map(str.isascii, values))
    if keywords == {"anyOf"} and "type" not in schema:
        branches = schema["anyOf"]
        return isinstance(branches, list) and any(
            surely_valid(branch, depth + 1) for branch in branches
        )
    if isinstance(kind, list):
        return not keywords and bool(kind) and all(one in list(_HARMLESS) for one in kind)
    if isinstance(kind, str) and kind in _BOUNDS and _within(schema, *_BOUNDS[kind]):
        keywords = keywords.difference(_BOUNDS[kind])
    required, members = schema.get("required", []), schema.get("properties", {})
    harmless = _HARMLESS.get(kind, []) if isinstance(kind, str) else []
    return (
        any(keywords <= allowed for allowed in harmless)
        and isinstance(required, list)
        and isinstance(members, dict)
        and all(
            isinstance(name, str) and surely_valid(members.get(name), depth + 1)
            for name in required
        )
    )


def _within(schema: Mapping[str, object], low: str, high: str) -> bool:
    """Say whether two bounds leave values between them."""
    least, most = schema.get(low, 0), schema.get(high, _MOST)
    return type(least) is int and type(most) is int and least <= min(most, _MOST)
