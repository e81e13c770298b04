"""Names of members that spell the keys of a mapping, by pydantic's core schema of the keys."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any

from formgate.plugins.json_schema import _types_pydantic_numbers as numbers
from formgate.plugins.json_schema._drafts import UNENFORCED
from formgate.plugins.json_schema._types_pydantic_texts import whole

if TYPE_CHECKING:
    from formgate.plugins.json_schema._types_pydantic_exact import ExactSchema

__all__ = ["names_of"]

_FLOAT = whole(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,3})?")
# Numbers that are surely no infinity; such as are larger and written with an exponent are left out.
_FINITE = whole(r"-?(?:0|[1-9][0-9]{0,199})(?:\.[0-9]+)?(?:[eE](?:-[0-9]{1,3}|\+?[0-9]{1,2}))?")
_NONE: dict[str, Any] = {"not": {}}
# Core schemas that hold the one of the values.
_AROUND = ("default", "nullable", "custom-error", "function-before", "function-wrap")
# Those whose schema speaks of strings.
_STRINGS = (
    "str",
    "bytes",
    "date",
    "time",
    "datetime",
    "timedelta",
    "url",
    "multi-host-url",
    "complex",
    "function-plain",
    "lax-or-strict",
    "json-or-python",
    "chain",
)
_BOUNDS = ("gt", "ge", "lt", "le", "multiple_of")


def names_of(generator: ExactSchema, core: Any) -> dict[str, Any] | None:
    """Return the schema of the names that are read as keys; None for all names."""
    kind = core["type"]
    if kind in _AROUND:
        return names_of(generator, core["schema"])
    if kind == "any" or (kind == "str" and len(core) == 1):
        made = generator.generate_inner(core)  # the configuration may have more to say
        return {**made} if len(made) > 1 else None
    if kind == "union":
        return _of_any(generator, core)
    if kind in ("literal", "enum"):
        return _of_values(generator, core)
    if kind == "definition-ref":
        return names_of(generator, generator.core_definitions[core["schema_ref"]])
    if kind == "function-after":
        return _after(generator, core)
    made = _spelled(generator, core) if kind not in _STRINGS else generator.generate_inner(core)
    return {name: part for name, part in made.items() if name != "title"}


def _of_any(generator: ExactSchema, core: Any) -> dict[str, Any] | None:
    found = []
    for choice in core["choices"]:
        names = names_of(generator, choice[0] if isinstance(choice, tuple) else choice)
        if names is None:
            return None
        found.append(names)
    return {"anyOf": found}


def _of_values(generator: ExactSchema, core: Any) -> dict[str, Any]:
    """Return the names of members of an enumeration: strings, and numbers of an Enum of such."""
    if core["type"] == "literal":
        made = generator.generate_inner(core)
        values = made.get("enum", [made["const"]] if "const" in made else [])
        return {"enum": [value for value in values if isinstance(value, str)]}
    values = [member.value for member in core["members"]]
    if core.get("sub_type") == "int":
        return {"enum": [str(int(value)) for value in values]}
    if core.get("sub_type") == "float":
        return {"enum": [repr(float(value)) for value in values]}
    return {"enum": [_plain(value) for value in values if isinstance(value, str)]}


def _plain(value: str) -> str:
    return str.__str__(value.value if isinstance(value, Enum) else value)


def _after(generator: ExactSchema, core: Any) -> dict[str, Any] | None:
    """Return the names before a validator, if its schema is not one of strings already."""
    made = generator.generate_inner(core)
    if made.get("type") == "string" or "enum" in made or "not" in made:
        return {name: part for name, part in made.items() if name != "title"}
    return names_of(generator, core["schema"])


def _spelled(generator: ExactSchema, core: Any) -> dict[str, Any]:
    """Return the names that spell a value of a type that is no string in JSON."""
    kind = core["type"]
    if kind == "bool":
        return {"enum": ["true", "false"]}
    if kind == "uuid":  # another spelling is the same key again
        made = generator.generate_inner(core)
        return {**made, "allOf": [{"pattern": "^[^A-F]*$"}]}
    if kind == "int":
        bounds = numbers.text_bounds(core)
        if bounds is None or core.get("multiple_of") is not None:
            return {UNENFORCED: "multiples among names"}
        return _patterns([numbers.INTEGER, *bounds])
    if kind == "decimal":
        patterns = generator.decimal_patterns(core)
        return {UNENFORCED: "bounds of decimals"} if patterns is None else _patterns(patterns)
    if kind == "float":
        if any(core.get(name) is not None for name in _BOUNDS):
            return {UNENFORCED: "bounds of floats among names"}
        finite = generator.setting("allow_inf_nan", core) is False
        return {"pattern": _FINITE if finite else _FLOAT}
    return _NONE


def _patterns(patterns: list[str]) -> dict[str, Any]:
    found: dict[str, Any] = {"pattern": patterns[0]}
    if patterns[1:]:
        found["allOf"] = [{"pattern": pattern} for pattern in patterns[1:]]
    return found
