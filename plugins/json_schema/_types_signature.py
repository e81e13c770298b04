"""Functions: the object of the arguments to call one with.

Each parameter becomes a property; those without a default are required. What cannot be given by
name in a JSON object is refused with the parameter's name.
"""

from __future__ import annotations

import functools
import inspect
import sys
import types
import typing
from typing import TYPE_CHECKING, Any

from formgate.core.errors import GrammarError, UnsupportedConstraint
from formgate.plugins.json_schema._types_convert import is_typed_dict, resolved
from formgate.plugins.json_schema._types_shapes import Record, Shape
from formgate.plugins.json_schema._types_tuples import is_unpacked

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from formgate.plugins.json_schema._types_convert import Converter

__all__ = ["function_name", "is_function", "signature_shape"]

_FUNCTIONS = (types.FunctionType, types.MethodType)


def is_function(source: object) -> bool:
    """Say whether a source is a function, a method, a part of one, or called like one."""
    if isinstance(source, (*_FUNCTIONS, functools.partial)):
        return True
    if isinstance(source, (type, types.GenericAlias)) or not callable(source):
        return False
    # What typing makes of its names can be called, and says so, but is no function.
    return type(source).__module__ not in ("typing", "typing_extensions", "types")


def function_name(function: Any) -> str:
    """Return the name of a function; an object that is called like one has that of its class."""
    while isinstance(function, functools.partial):
        function = function.func
    return getattr(function, "__name__", None) or type(function).__name__


def signature_shape(function: Any, convert: Converter) -> Shape:
    """Return the shape of the arguments of a function; they are read as a dictionary.

    A parameter without an annotation takes any JSON value. Defaults are not written. A default
    that is a field of pydantic narrows the parameter, and may rename it.

    Raises:
        UnsupportedConstraint: A parameter cannot be given by name.
        GrammarError: An annotation is no type that JSON can write, the parameters are not known, or
            it is a method without its object.
    """
    inner = function
    bound: set[str] = set()
    given = 0
    while isinstance(inner, functools.partial):
        bound |= set(inner.keywords)
        given += len(inner.args)
        inner = inner.func
    name = function_name(inner)
    if not given:
        _refuse_unbound(inner, name)
    called = inner
    if isinstance(vars(type(inner)).get("__call__"), types.FunctionType):
        called = inner.__call__  # the annotations of an object that is called stand there
    hints = resolved(called)
    record = Record(dict)
    required = []
    try:
        signature = inspect.signature(function)
    except (ValueError, TypeError) as error:
        if function is inner:
            raise GrammarError(
                f"{name}: which parameters it has is not known to Python: {error}",
                hint=f"write a function with the parameters wanted that calls {name}",
            ) from error
        # Of a partial: more arguments than the function takes, or such as it does not know.
        raise GrammarError(
            f"{name} cannot be called with what is given already: {error}",
            hint="give functools.partial arguments that the function has",
        ) from error
    for parameter in signature.parameters.values():
        if parameter.name in bound:
            continue  # given already; calling with it again would replace what was given
        annotation = hints.get(parameter.name, Any)
        if parameter.kind is parameter.VAR_KEYWORD and is_unpacked(annotation):
            place = f"{name}(**{parameter.name})"
            required += _add_keywords(record, annotation, convert, place, bound)
            continue
        _check(parameter, name)
        place = f"{name}({parameter.name})"
        annotation, key, needed = _declared(
            parameter, annotation, place, validated=hasattr(inner, "raw_function")
        )
        _refuse_twice(record, {key}, place)
        record.members[key] = convert.shape(annotation, place)
        if needed:
            required.append(key)
    record.required = tuple(required)
    return record


def _refuse_unbound(function: Any, name: str) -> None:
    """Refuse a method of a class, whose first parameter is the object: no text can be that."""
    steps = getattr(function, "__qualname__", "").split(".")
    if not isinstance(function, types.FunctionType) or len(steps) < 2 or steps[-2] == "<locals>":
        return
    parameter = next(iter(inspect.signature(function).parameters), None)
    if parameter is None:
        return
    owner: Any = sys.modules.get(function.__module__)
    for step in steps[:-1]:
        owner = getattr(owner, step, None)
    if isinstance(owner, type):
        found = inspect.getattr_static(owner, steps[-1], None)
        method = isinstance(found, types.FunctionType)
    else:
        method = parameter == "self"  # a class within a function is not to be found
    if method:
        raise GrammarError(
            f"{'.'.join(steps[-2:])}({parameter}): a method without its object, which would be an "
            "argument like the others",
            hint=f"give the bound method: {steps[-2]}(...).{name}",
        )


def _add_keywords(
    record: Record, annotation: Any, convert: Converter, place: str, bound: set[str]
) -> list[str]:
    """Add the arguments that a TypedDict declares (PEP 692), and return those without a default.

    Those that are bound are given already.
    """
    (declared,) = typing.get_args(annotation)
    if not is_typed_dict(typing.get_origin(declared) or declared):
        raise GrammarError(
            f"{place}: {declared!r:.60} is no TypedDict, so it declares no arguments",
            hint="write Unpack[...] of a TypedDict",
        )
    found = convert.typed_dict(declared)
    _refuse_twice(record, found.members.keys(), place)
    free = {name: shape for name, shape in found.members.items() if name not in bound}
    record.members.update(free)
    record.others = found.others
    return [name for name in found.required if name in free]


def _refuse_twice(record: Record, names: AbstractSet[str], place: str) -> None:
    twice = record.members.keys() & names
    if twice:
        raise GrammarError(
            f"{place}: the argument {min(twice)!r} is declared twice",
            hint="give one of the two another name",
        )


def _declared(
    parameter: inspect.Parameter, annotation: Any, place: str, *, validated: bool
) -> tuple[Any, str, bool]:
    """Return the annotation of a parameter, the name to give it by, and whether it is required.

    A default may be a field of pydantic, whose constraints and alias `validate_call` goes by; where
    that has `validated` the call, it goes by a field in the annotation, too.
    """
    default = parameter.default
    fields = sys.modules.get("pydantic.fields")
    if fields is not None and (
        isinstance(default, fields.FieldInfo)
        or (validated and fields.FieldInfo.from_annotation(annotation).validation_alias is not None)
    ):
        from formgate.plugins.json_schema._types_pydantic import (  # noqa: PLC0415 (optional)
            parameter_of,
        )

        return parameter_of(annotation, default, parameter.name, place)
    return annotation, parameter.name, default is inspect.Parameter.empty


def _check(parameter: inspect.Parameter, name: str) -> None:
    """Refuse parameters that a member of a JSON object cannot be."""
    if parameter.kind is parameter.VAR_POSITIONAL:
        raise UnsupportedConstraint(
            f"{name}(*{parameter.name}): an object of arguments has no place for it",
            hint=f"take a list: {parameter.name}: list[...]",
        )
    if parameter.kind is parameter.VAR_KEYWORD:
        raise UnsupportedConstraint(
            f"{name}(**{parameter.name}): which arguments it takes is not declared",
            hint=f"declare them, or take a dictionary: {parameter.name}: dict[str, ...]",
        )
    if parameter.kind is parameter.POSITIONAL_ONLY:
        raise GrammarError(
            f"{name}({parameter.name}, /): the parameter cannot be given by name",
            hint="remove the slash from the signature",
        )
