"""Names of members that spell the keys of a mapping, by pydantic's core schema of the keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from formgate.plugins.json_schema import _types_pydantic_numbers as numbers
from formgate.plugins.json_schema._types_pydantic_texts import whole
from formgate.plugins.json_schema._types_pydantic_written import (
    Written,
    also,
    never,
    unenforced,
    unlike,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from formgate.plugins.json_schema._types_pydantic_exact import ExactSchema

__all__ = ["names_of"]

_FLOAT = whole(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,3})?")
# Numbers that are surely no infinity; such as are larger and written with an exponent are left out.
_FINITE = whole(r"-?(?:0|[1-9][0-9]{0,199})(?:\.[0-9]+)?(?:[eE](?:-[0-9]{1,3}|\+?[0-9]{1,2}))?")
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


def names_of(generator: ExactSchema, core: Any) -> Written | None:
    """Return the schema of the names that are read as keys; None for all names."""
    kind = core["type"]
    if kind in _AROUND or kind == "definition-ref":
        refers = kind == "definition-ref"
        inner = generator.core_definitions[core["schema_ref"]] if refers else core["schema"]
        return names_of(generator, inner)
    own = _NAMES.get(kind)
    if own is not None:
        return own(generator, core)
    if kind not in _STRINGS:
        return never()  # pydantic reads no such key
    found = unlike(generator.generate_inner(core), "title")
    if found.get("type", "string") != "string":
        return None  # a type of the user's, of which JSON Schema says nothing here
    return found if len(found) > 1 else None


def _of_any(generator: ExactSchema, core: Any) -> Written | None:
    """Return the names of a union."""
    found = []
    for choice in core["choices"]:
        names = names_of(generator, choice[0] if isinstance(choice, tuple) else choice)
        if names is None:
            return None
        found.append(names)
    return {"anyOf": found}


def _of_literal(generator: ExactSchema, core: Any) -> Written:
    made = generator.generate_inner(core)
    values = made.get("enum", [made["const"]] if "const" in made else [])
    return _among([value for value in values if isinstance(value, str)])


def _of_enum(generator: ExactSchema, core: Any) -> Written:
    """Return the names of an Enum: strings, and numbers where all its values are."""
    del generator
    values = [member.value for member in core["members"]]
    number = {"int": int, "float": float}.get(core.get("sub_type", ""))
    if number is not None:
        return _among([repr(number(value)) for value in values])
    return _among([str.__str__(value) for value in values if isinstance(value, str)])


def _among(names: list[str]) -> Written:
    return {"enum": names} if names else never()


def _after(generator: ExactSchema, core: Any) -> Written | None:
    """Return the names before a validator, if its schema is not one of strings already."""
    found = generator.generate_inner(core)
    if found.get("type") == "string" or "enum" in found or "not" in found:
        return unlike(found, "title")
    return names_of(generator, core["schema"])


def _any(generator: ExactSchema, core: Any) -> None:
    """Return nothing: all names will do."""
    del generator, core


# --- types that are no strings in JSON ---


def _bool(generator: ExactSchema, core: Any) -> Written:
    del generator, core
    return {"enum": ["true", "false"]}


def _uuid(generator: ExactSchema, core: Any) -> Written:
    """Return lower case alone: another spelling would be the same key again."""
    return {**generator.generate_inner(core), "allOf": [{"pattern": "^[^A-F]*$"}]}


def _int(generator: ExactSchema, core: Any) -> Written:
    del generator
    bounds = numbers.text_bounds(core)
    if bounds is None or core.get("multiple_of") is not None:
        return unenforced("a multiple, or a long bound, of keys", {})
    return also({}, [numbers.INTEGER, *bounds])


def _float(generator: ExactSchema, core: Any) -> Written:
    if any(core.get(name) is not None for name in _BOUNDS):
        return unenforced("bounds of floats as keys", {})
    finite = generator.setting("allow_inf_nan", core) is False
    return {"pattern": _FINITE if finite else _FLOAT}


def _decimal(generator: ExactSchema, core: Any) -> Written:
    patterns = generator.decimal_patterns(core)
    return unenforced("bounds of decimals as keys", {}) if patterns is None else also({}, patterns)


_NAMES: dict[str, Callable[[ExactSchema, Any], Written | None]] = {
    "any": _any,
    "union": _of_any,
    "literal": _of_literal,
    "enum": _of_enum,
    "function-after": _after,
    "bool": _bool,
    "uuid": _uuid,
    "int": _int,
    "float": _float,
    "decimal": _decimal,
}
