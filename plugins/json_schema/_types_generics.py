"""Generic classes: what the type variables of a member's annotation stand for.

A member that comes from a base class has that class's variables: in `class Named(Box[str],
Generic[T])`, the `T` of `Box` is `str`, whatever `Named` is given for its own (PEP 484, PEP 646 and
PEP 696 say which variables are bound to what).
"""

from __future__ import annotations

import importlib
import inspect
import typing
from typing import TYPE_CHECKING, Any, TypeVar, Union

from formgate.core.errors import UnsupportedConstraint
from formgate.plugins.json_schema._types_tuples import is_type_variable_tuple, is_unpacked

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["Bindings", "bindings", "expanded", "of_members", "substituted", "value_of"]

# Of a TypeVar, a type; of a TypeVarTuple, a tuple of types.
Bindings = dict[Any, Any]


def bindings(parameters: tuple[Any, ...], given: tuple[Any, ...]) -> Bindings:
    """Return what the variables of a class are bound to.

    Args:
        parameters: The variables, at most one of them a TypeVarTuple.
        given: The arguments; `()` for a class without any, `((),)` where they are none.
    """
    many = next((at for at, one in enumerate(parameters) if is_type_variable_tuple(one)), None)
    if many is None:
        return dict(zip(parameters, given, strict=False))
    if not given:
        return {} if _has_default(parameters[many]) else {parameters[many]: (_any_items(),)}
    given = () if given == ((),) else given
    end = max(many, len(given) - (len(parameters) - many - 1))
    found = dict(zip(parameters[:many], given[:many], strict=False))
    found[parameters[many]] = given[many:end]
    found.update(zip(parameters[many + 1 :], given[end:], strict=False))
    return found


def value_of(variable: Any, bound: Bindings) -> Any:
    """Return what a type variable stands for: what was given, else all that it may be."""
    if variable in bound:
        return bound[variable]
    if _has_default(variable):
        return substituted(variable.__default__, bound)
    if getattr(variable, "__constraints__", ()):
        return Union[variable.__constraints__]  # noqa: UP007 (of a tuple)
    limit = getattr(variable, "__bound__", None)
    return Any if limit is None else limit


def substituted(annotation: Any, bound: Bindings) -> Any:
    """Return an annotation without type variables."""
    if isinstance(annotation, TypeVar):
        return value_of(annotation, bound)
    parameters = _free(annotation, bound)
    if not parameters:
        return annotation
    found: list[Any] = []
    for variable in parameters:
        if is_type_variable_tuple(variable):
            found += bound.get(variable, (_any_items(),))
        elif type(variable).__name__ == "ParamSpec":
            found.append(bound.get(variable, ...))
        else:
            found.append(value_of(variable, bound))
    return annotation[tuple(found)]


def expanded(given: tuple[Any, ...], bound: Bindings) -> tuple[Any, ...]:
    """Return the arguments of a form without type variables, and those of bound tuples in place."""
    found: list[Any] = []
    for part in given:
        inner = typing.get_args(part)[0] if is_unpacked(part) else None
        if is_type_variable_tuple(inner) and inner in bound:
            found += bound[inner]
        elif is_type_variable_tuple(inner):
            found.append(part)
        else:
            found.append(substituted(part, bound))
    return tuple(found)


def of_members(cls: type, own: Bindings) -> Callable[[str, Any], Bindings]:
    """Return a function from a member's name and annotation to the bindings of that.

    Args:
        cls: A class with annotations: a dataclass, TypedDict or NamedTuple.
        own: What the variables of the class itself are bound to.

    Raises:
        UnsupportedConstraint: (the function) The class of a member is not known.
    """
    if hasattr(cls, "__total__"):
        return lambda name, hint: _of_declared(cls, own, name, hint)
    known = {cls: own}
    work = [cls]
    while work:
        below = work.pop()
        for base, bound in _bases(below, known[below]):
            if base not in known:
                known[base] = bound
                work.append(base)

    def find(name: str, _: Any) -> Bindings:
        for owner in cls.__mro__:
            if name in inspect.get_annotations(owner):
                return known.get(owner, {})
        return own

    return find


def _of_declared(cls: type, own: Bindings, name: str, hint: Any) -> Bindings:
    """Return the bindings of a member of a TypedDict, which keeps no class of its bases."""
    parts = (hint,) if isinstance(hint, TypeVar) else _parameters(hint)
    if "__orig_bases__" not in cls.__dict__ and not set(parts) <= set(_parameters(cls)):
        # typing.TypedDict before Python 3.12
        raise UnsupportedConstraint(
            f"{cls.__name__}[{name!r}]: Python does not tell what {hint!r:.60} stands for in "
            "a TypedDict derived twice from a generic one",
            hint="derive it from typing_extensions.TypedDict",
        )
    for base, bound in _bases(cls, own):
        declared = getattr(base, "__annotations__", {})
        if name in declared and declared[name] == cls.__annotations__.get(name):
            return _of_declared(base, bound, name, hint)
    return own


def _bases(cls: type, own: Bindings) -> Iterator[tuple[type, Bindings]]:
    """Yield the bases of a class, and what their variables are bound to."""
    for base in cls.__dict__.get("__orig_bases__", cls.__bases__):
        origin = typing.get_origin(base) or base
        if isinstance(origin, type) and origin is not typing.Generic:
            given = expanded(typing.get_args(base), own)
            empty = origin is not base and not given
            yield origin, bindings(_parameters(origin), ((),) if empty else given)


def _free(annotation: Any, bound: Bindings) -> tuple[Any, ...]:
    """Return the type variables that are to be replaced."""
    parameters = _parameters(annotation)
    if hasattr(annotation, "__pydantic_generic_metadata__"):
        # To pydantic, a model is the same with its own variables as arguments and without any.
        return parameters if any(variable in bound for variable in parameters) else ()
    bare = isinstance(annotation, type) and typing.get_origin(annotation) is None
    return () if bare else parameters


def _parameters(annotation: Any) -> tuple[Any, ...]:
    """Return the type variables of a class or of a form."""
    pydantic = getattr(annotation, "__pydantic_generic_metadata__", None)
    if pydantic is not None:
        return tuple(pydantic["parameters"])
    return tuple(getattr(annotation, "__parameters__", ()))


def _has_default(variable: Any) -> bool:
    asked = getattr(variable, "has_default", None)  # PEP 696
    return asked is not None and bool(asked())


def _any_items() -> Any:
    """Return a tuple of any length, with a star."""
    module = typing if hasattr(typing, "Unpack") else importlib.import_module("typing_extensions")
    return module.Unpack[tuple[Any, ...]]
