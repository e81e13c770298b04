"""Sources that are not JSON Schemas themselves: types, functions, tools, response formats.

`claims` says whether a source is one of these, and `schema_source` turns it into a schema. A plain
schema passes through at the cost of a few comparisons; what turns types into schemas is imported
when the first type comes.
"""

from __future__ import annotations

import enum
import sys
import types
import typing
from typing import TYPE_CHECKING, Any

from formgate.core.errors import GrammarError
from formgate.plugins.json_schema._load import as_path

if TYPE_CHECKING:
    from collections.abc import Mapping

    from formgate.plugins.json_schema._types_shapes import Shape

__all__ = ["claims", "is_type", "schema_of", "schema_source", "shape_of"]


def claims(source: object) -> bool:
    """Say whether a source is surely JSON: a type, a function, a tool, a response format, a file.

    Enum classes and `Literal` are left to the format `choice`, which writes their texts without
    quotes; so are lists of scalars.
    """
    if isinstance(source, (str, bytes, int, float)) or source is None:
        return False
    if isinstance(source, (dict, list, tuple)):
        from formgate.plugins.json_schema._tools import is_request  # noqa: PLC0415 (on demand)

        return is_request(source)
    path = as_path(source)
    if path is not None:
        return path.suffix.lower() == ".json"
    if isinstance(source, enum.EnumMeta) or typing.get_origin(source) is typing.Literal:
        return False
    return is_type(source)


def is_type(source: object) -> bool:
    """Say whether a source is a type or a function, or an object that is called like one."""
    if isinstance(source, (type, types.GenericAlias, types.UnionType, types.FunctionType)):
        return True
    if typing.get_origin(source) is not None or isinstance(source, types.MethodType):
        return True
    module = type(source).__module__
    if module in ("typing", "typing_extensions"):
        return type(source).__name__ in ("NewType", "TypeAliasType")
    return module == "pydantic.type_adapter" or callable(source)


def schema_source(source: object, options: Mapping[str, object]) -> object:
    """Return the schema that a source stands for; what is none of ours comes back as it is.

    Args:
        source: A type, a function, a tool definition or a list of them, a response format; or
            a schema in any form.
        options: `tool_choice` is read where the source is a list of tools.

    Raises:
        GrammarError: The source is wrong.
        UnsupportedConstraint: A part of it has no JSON form that can be enforced.
    """
    if isinstance(source, str):
        return source
    if isinstance(source, (dict, list, tuple)):
        from formgate.plugins.json_schema import _tools  # noqa: PLC0415 (on demand)

        return _tools.schema_of_request(source, options) if _tools.is_request(source) else source
    return schema_of(source) if is_type(source) else source


def schema_of(source: object) -> dict[str, object] | bool:
    """Return the JSON Schema (2020-12) of the values of a type, or of a function's arguments.

    Raises:
        GrammarError: It is no type, or one without a JSON form.
        UnsupportedConstraint: It asks for what a schema cannot say.

    Example:
        >>> from formgate.plugins.json_schema import schema_of
        >>> schema_of(list[int])["items"]
        {'type': 'integer'}
    """
    return _described(source, reads=False)[0]


# Types and functions that values were read by last, with what reads them, by identity: equal types
# need not be the same. A type whose members change later is made anew after others.
_KEPT_SHAPES = 64
_shapes: dict[int, tuple[object, Shape]] = {}


def shape_of(source: object) -> Shape:
    """Return what reads values of a type, or the arguments of a function; some are kept."""
    kept = _shapes.get(id(source))
    if kept is not None and kept[0] is source:
        return kept[1]
    shape = _described(source, reads=True)[1]
    if len(_shapes) >= _KEPT_SHAPES:
        _shapes.clear()
    _shapes[id(source)] = source, shape
    return shape


def _described(source: Any, *, reads: bool) -> tuple[dict[str, object] | bool, Shape]:
    """Return the schema of a type or a function, empty where it only `reads`, and its shape."""
    from formgate.plugins.json_schema._types_convert import (  # noqa: PLC0415 (on demand)
        Converter,
        is_pydantic,
    )
    from formgate.plugins.json_schema._types_signature import (  # noqa: PLC0415
        is_function,
        signature_shape,
    )

    if is_pydantic(source):
        from formgate.plugins.json_schema._types_pydantic import (  # noqa: PLC0415 (optional)
            foreign_shape,
        )

        foreign, definitions = foreign_shape(source, "", reads=reads)
        schema = foreign.schema()
        return ({**schema, "$defs": definitions} if definitions else schema), foreign
    _refuse_old_models(source)
    convert = Converter(reads=reads)
    if is_function(source):
        shape = signature_shape(source, convert)
    else:
        name = getattr(source, "__qualname__", None) or f"{source!r:.60}"
        shape = convert.shape(source, name)
    return ({} if reads else convert.document(shape)), shape


def _refuse_old_models(source: object) -> None:
    """Refuse models of pydantic 1, which would otherwise be classes like any other."""
    if (
        "pydantic" in sys.modules
        and isinstance(source, type)
        and hasattr(source, "__fields__")
        and not hasattr(source, "__dataclass_fields__")
        and any("pydantic" in base.__module__ for base in source.__mro__)
    ):
        raise GrammarError(
            f"{source.__name__} is a model of pydantic 1",
            hint="use pydantic 2, or give the schema: " + f"{source.__name__}.schema()",
        )
