"""From Python types to shapes: dataclasses, TypedDict, NamedTuple, Enum, Literal, containers.

Classes become definitions with names, so recursive types and types used in several places cost one
definition each. Where a type belongs to pydantic, pydantic describes and reads it; all others are
read here, whether pydantic is installed or not.

Recursion follows the nesting of annotations, not that of data, and is bounded.
"""

from __future__ import annotations

import collections
import collections.abc as abstract
import dataclasses
import enum
import inspect
import math
import re
import sys
import types
import typing
from typing import TYPE_CHECKING, Annotated, Any, ForwardRef, Literal, TypeVar, Union, cast

from formgate.core.errors import GrammarError, LimitError, UnsupportedConstraint
from formgate.plugins.json_schema._types_generics import (
    Bindings,
    bindings,
    expanded,
    of_members,
    substituted,
    value_of,
)
from formgate.plugins.json_schema._types_metadata import constraints
from formgate.plugins.json_schema._types_narrowed import narrowed
from formgate.plugins.json_schema._types_places import below
from formgate.plugins.json_schema._types_scalars import INTEGER_KEY, scalars
from formgate.plugins.json_schema._types_shapes import (
    Anything,
    Constrained,
    Definition,
    Enumeration,
    Lookup,
    OneOf,
    Record,
    Row,
    Scalar,
    Sequence,
    Shape,
    is_unhashable,
)
from formgate.plugins.json_schema._types_tuples import flattened

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

__all__ = ["Converter", "is_named_tuple", "is_pydantic", "is_typed_dict"]

_MAX_DEPTH = 100
_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_LISTS = (list, abstract.Sequence, abstract.MutableSequence, abstract.Collection, abstract.Iterable)
_SETS = (set, abstract.Set, abstract.MutableSet)
_MAPPINGS = (dict, abstract.Mapping, abstract.MutableMapping)
_UNIONS = (Union, types.UnionType)
# What wraps an annotation without changing the values: typing's, and those of typing_extensions.
_WRAPPERS = ("Required", "NotRequired", "ReadOnly", "Final", "ClassVar")

Made = TypeVar("Made")


class Converter:
    """Turns annotations into shapes; one for all annotations of a source.

    Args:
        reads: The shapes only read values: what pydantic describes has no schema.
    """

    def __init__(self, *, reads: bool = False) -> None:
        self._reads = reads
        self.definitions: dict[str, Definition] = {}
        self.foreign: dict[str, object] = {}  # definitions that pydantic wrote
        self._classes: dict[Hashable, Definition] = {}
        self._bound: Bindings = {}
        self._depth = 0

    def document(self, shape: Shape) -> dict[str, object] | bool:
        """Return a shape's schema as a document of its own, with all definitions."""
        # Writing a definition cannot add one: all are known once the shape is.
        schema = shape.schema()
        if isinstance(schema, bool):
            return schema
        document = {"$schema": _DIALECT, **schema}
        definitions = {
            name: cast("Shape", known.inner).schema() for name, known in self.definitions.items()
        }
        if definitions or self.foreign:
            document["$defs"] = {**definitions, **self.foreign}
        return document

    def shape(self, annotation: Any, place: str) -> Shape:
        """Return the shape of an annotation; `place` says in errors where it stands.

        Raises:
            GrammarError: It is no type, or names what is not defined.
            UnsupportedConstraint: Its values have no JSON form that can be enforced.
            LimitError: It is nested too deep.
        """
        self._depth += 1
        try:
            if self._depth > _MAX_DEPTH:
                raise LimitError(
                    f"{place}: types are nested more than {_MAX_DEPTH} deep; name a part of it, "
                    "as a dataclass or a TypedDict"
                )
            return self._shape(annotation, place)
        finally:
            self._depth -= 1

    def _shape(self, annotation: Any, place: str) -> Shape:
        leaf = _leaf(annotation)
        if leaf is not None:
            return leaf
        if is_pydantic(annotation):
            return self._pydantic(annotation)
        origin = typing.get_origin(annotation)
        if origin is not None:
            return self._special(annotation, origin, typing.get_args(annotation), place)
        if isinstance(annotation, type):
            return self._class(annotation, (), place)
        return self._indirect(annotation, place)

    def _indirect(self, annotation: Any, place: str) -> Shape:
        """Return the shape of what only stands for another type."""
        if isinstance(annotation, TypeVar):
            return self.shape(value_of(annotation, self._bound), place)
        if isinstance(annotation, (str, ForwardRef)):
            name = annotation if isinstance(annotation, str) else annotation.__forward_arg__
            raise GrammarError(
                f"{place}: the name {name!r} is not resolved",
                hint="give the class itself, or a dataclass or TypedDict that has the annotation",
            )
        if isinstance(annotation, dataclasses.InitVar):
            return self.shape(annotation.type, place)
        if hasattr(annotation, "__supertype__"):  # NewType
            return self.shape(annotation.__supertype__, place)
        if hasattr(annotation, "__value__"):  # type X = ...
            return self._alias(annotation, place)
        return _refuse(annotation, place)

    def _special(self, annotation: Any, origin: Any, given: tuple[Any, ...], place: str) -> Shape:
        """Return the shape of a subscripted form."""
        if origin is Annotated:
            return self._annotated(annotation, given[0], annotation.__metadata__, place)
        if origin in _UNIONS:
            return OneOf(tuple(self.shape(part, place) for part in given))
        if origin is Literal:
            return _enumeration([(_literal(value), value) for value in given], f"{place}: Literal")
        if isinstance(origin, type):
            # tuple[()] has no arguments, as typing.Tuple, which has not even an empty list of them
            none = not given and hasattr(annotation, "__args__")
            return self._class(origin, ((),) if none else given, place)
        if hasattr(origin, "__value__"):  # a generic alias: type Pair[T] = ...
            bound = bindings(origin.__type_params__, expanded(given, self._bound))
            return self._with(bound, lambda: self.shape(origin, place))
        wrapped = getattr(origin, "_name", None) in _WRAPPERS
        return self.shape(given[0], place) if wrapped else _refuse(annotation, place)

    def _class(self, cls: type, given: tuple[Any, ...], place: str) -> Shape:
        """Return the shape of a class, with arguments where it is generic."""
        container = self._container(cls, given, place)
        if container is not None:
            return container
        if issubclass(cls, enum.Enum):
            return self._named(cls, given, lambda: _enum(cls, place))
        if dataclasses.is_dataclass(cls):
            return self._named(cls, given, lambda: self._dataclass(cls))
        if is_typed_dict(cls):
            return self._named(cls, given, lambda: self.typed_dict(cls))
        if is_named_tuple(cls):
            return self._named(cls, given, lambda: self._named_tuple(cls))
        return _refuse(cls, place)

    def _container(self, cls: Any, given: tuple[Any, ...], place: str) -> Shape | None:
        """Return the shape of a collection of the standard library, None for other classes."""
        item = given[0] if given else Any
        if cls in _LISTS:
            return Sequence(self.shape(item, below(place, "items")), list)
        if cls is collections.deque:
            return Sequence(self.shape(item, below(place, "items")), collections.deque)
        if cls in _SETS or cls is frozenset:
            shape = self.shape(item, below(place, "items"))
            if is_unhashable(shape) or getattr(item, "__hash__", None) is None:
                raise GrammarError(
                    f"{place}: a set cannot hold what is not hashable",
                    hint="use a list, or a frozen class for its items",
                )
            if isinstance(shape, Anything):
                shape = Anything(never=shape.never, scalar=not shape.never)
            return Sequence(shape, frozenset if cls is frozenset else set, unique=True)
        if cls is tuple:
            return self._tuple(given, place)
        if cls in _MAPPINGS or cls is collections.OrderedDict:
            key, value = given if len(given) == 2 else (Any, Any)
            return Lookup(
                None if key is Any else self._key(key, place),
                self.shape(value, below(place, "values")),
                collections.OrderedDict if cls is collections.OrderedDict else dict,
            )
        return None

    def _tuple(self, given: tuple[Any, ...], place: str) -> Shape:
        if not given:
            return Sequence(Anything(), tuple)
        first, others = flattened(expanded(given, self._bound), place)
        rest = None if others is None else self.shape(others, below(place, "items"))
        if rest is not None and not first:
            return Sequence(rest, tuple)
        items = tuple(self.shape(part, below(place, f"item {at}")) for at, part in enumerate(first))
        return Row(items, tuple, len(items), rest)

    def _key(self, key: Any, place: str) -> Shape | None:
        """Return the shape of the names of a mapping; None where any name will do."""
        if key is str:
            return None
        if key is int:
            return INTEGER_KEY
        shape = self.shape(key, below(place, "keys"))
        inner = shape
        while isinstance(inner, (Definition, Constrained)):
            inner = cast("Shape", inner.inner)
        texts = isinstance(inner, Scalar) and inner.keywords.get("type") == "string"
        names = isinstance(inner, Enumeration) and all(isinstance(v, str) for v, _ in inner.members)
        if not (texts or names):
            raise GrammarError(
                f"{place}: the keys of a mapping are {_name(key)}, whose values are no strings in "
                "JSON",
                hint="use str, int, an Enum or Literal of strings, or a date, time or UUID",
            )
        return shape

    def _annotated(self, whole: Any, inner: Any, metadata: tuple[Any, ...], place: str) -> Shape:
        found = constraints(metadata, place)
        if found is None:
            return self._pydantic(whole)
        return narrowed(self.shape(inner, place), found, place)

    # --- classes with members ---

    def _named(self, cls: type, given: tuple[Any, ...], make: Callable[[], Shape]) -> Shape:
        """Return the definition of a class, made when it is first met."""
        given = expanded(given, self._bound)
        key: Hashable = (cls, given)
        if key not in self._classes:
            definition = self._define(cls.__name__, key)
            bound = bindings(getattr(cls, "__parameters__", ()), given)
            self._with(bound, lambda: setattr(definition, "inner", make()))
        return self._classes[key]

    def _alias(self, alias: Any, place: str) -> Shape:
        """Return the definition of a type alias, which may refer to itself."""
        key: Hashable = (alias, tuple(value_of(one, self._bound) for one in alias.__type_params__))
        if key not in self._classes:
            definition = self._define(alias.__name__, key)
            definition.inner = self.shape(_stands_for(alias), place)
        return self._classes[key]

    def _define(self, name: str, key: Hashable) -> Definition:
        name = re.sub(r"[^A-Za-z0-9_.-]", "_", name)
        unique, number = name, 1
        while unique in self.definitions:
            number += 1
            unique = f"{name}.{number}"
        definition = self.definitions[unique] = self._classes[key] = Definition(unique)
        return definition

    def _with(self, bound: Bindings, run: Callable[[], Made]) -> Made:
        """Run with type variables standing for what they are bound to."""
        before = self._bound
        self._bound = bound
        try:
            return run()
        finally:
            self._bound = before

    def _members(self, cls: Any) -> Callable[[str, Any, str], Shape]:
        """Return a function from a member's name, annotation and place to its shape."""
        bound = of_members(cls, self._bound)
        return lambda name, hint, place: self._with(
            bound(name, hint), lambda: self.shape(hint, place)
        )

    def _dataclass(self, cls: type) -> Shape:
        hints, member = resolved(cls), self._members(cls)
        record = Record(cls)
        required = []
        # Pseudo-fields (InitVar) are arguments of the constructor, too; class variables are not.
        for field in cls.__dataclass_fields__.values():  # type: ignore[attr-defined]
            kind = field._field_type.name  # noqa: SLF001 (fields() leaves InitVar out)
            if kind == "_FIELD_CLASSVAR" or not field.init:
                continue
            record.members[field.name] = member(
                field.name, hints.get(field.name, field.type), f"{cls.__name__}.{field.name}"
            )
            missing = dataclasses.MISSING
            if field.default is missing and field.default_factory is missing:
                required.append(field.name)
        record.required = tuple(required)
        _check_constructor(cls, record)
        return record

    def typed_dict(self, cls: Any) -> Record:
        """Return the shape of a TypedDict, with arguments where it is generic."""
        origin = typing.get_origin(cls)
        if origin is not None:
            bound = bindings(origin.__parameters__, expanded(typing.get_args(cls), self._bound))
            return self._with(bound, lambda: self.typed_dict(origin))
        record, member = Record(dict), self._members(cls)
        required = []
        for name, hint in resolved(cls).items():
            record.members[name] = member(name, hint, f"{cls.__name__}[{name!r}]")
            # Written as text, as in a module with postponed annotations, Required and NotRequired
            # are not seen by the class itself.
            if _required(hint, needed=name in cls.__required_keys__):
                required.append(name)
        record.required = tuple(required)
        others = getattr(cls, "__extra_items__", None)  # PEP 728
        if others is not None and "NoExtraItems" not in type(others).__name__:
            shape = self.shape(others, f"{cls.__name__}, extra items")
            never = isinstance(shape, Anything) and shape.never
            record.others = None if never else shape
        return record

    def _named_tuple(self, cls: Any) -> Shape:
        hints, member = resolved(cls), self._members(cls)
        items = tuple(
            member(name, hints.get(name, Any), f"{cls.__name__}.{name}") for name in cls._fields
        )
        return Row(items, lambda values: cls(*values), len(items) - len(cls._field_defaults))

    def _pydantic(self, annotation: Any) -> Shape:
        from formgate.plugins.json_schema._types_pydantic import (  # noqa: PLC0415 (optional)
            foreign_shape,
        )

        prefix = f"pydantic{len(self.foreign)}."
        shape, definitions = foreign_shape(
            substituted(annotation, self._bound), prefix, reads=self._reads
        )
        self.foreign.update(definitions)
        return shape


def _check_constructor(cls: type, record: Record) -> None:
    """Refuse a dataclass whose own constructor does not take its fields by name."""
    try:
        parameters = inspect.signature(cls).parameters.values()
    except (ValueError, TypeError):
        return  # not known to Python; it says so itself when it is called
    named = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    taken = {each.name for each in parameters if each.kind in named}
    if any(each.kind is each.VAR_KEYWORD for each in parameters):
        taken |= record.members.keys()
    single = (*named, inspect.Parameter.POSITIONAL_ONLY)
    needed = {
        each.name for each in parameters if each.kind in single and each.default is each.empty
    }
    wrong = [name for name in record.members if name not in taken]
    wrong += sorted(needed - set(record.required))
    if wrong:
        raise UnsupportedConstraint(
            f"{cls.__name__}: its constructor does not take its fields: {wrong[0]!r}",
            hint="let dataclass write the constructor, or give a TypedDict with the fields",
        )


def is_pydantic(source: object) -> bool:
    """Say whether a type is described by pydantic, without importing it."""
    if "pydantic" not in sys.modules:
        return False
    return (
        "__pydantic_core_schema__" in getattr(source, "__dict__", ())
        or hasattr(source, "__get_pydantic_core_schema__")
        or type(source).__module__ == "pydantic.type_adapter"
    )


def is_typed_dict(source: object) -> bool:
    """Say whether a type is a TypedDict, of typing or of typing_extensions."""
    return isinstance(source, type) and issubclass(source, dict) and hasattr(source, "__total__")


def is_named_tuple(source: object) -> bool:
    """Say whether a type is a NamedTuple."""
    return isinstance(source, type) and issubclass(source, tuple) and hasattr(source, "_fields")


def resolved(source: Any) -> dict[str, Any]:
    """Return the annotations of a class or function, those written as text included.

    Raises:
        GrammarError: One names what is not defined.
    """
    try:
        return typing.get_type_hints(source, include_extras=True)
    except (NameError, AttributeError, TypeError, SyntaxError) as error:
        raise GrammarError(
            f"the annotations of {_name(source)} cannot be resolved: {error}",
            hint="define the names they use where the class or function is defined",
        ) from error


def _stands_for(alias: Any) -> Any:
    """Return what a type alias stands for; parts written as text mean what they do in its module.

    Raises:
        GrammarError: One names what is not defined.
    """
    module = sys.modules.get(alias.__module__)
    own = {parameter.__name__: parameter for parameter in alias.__type_params__}
    own[alias.__name__] = alias
    holder = type("holder", (), {"__annotations__": {"value": alias.__value__}})
    try:
        hints = typing.get_type_hints(
            holder, {} if module is None else vars(module), own, include_extras=True
        )
    except (NameError, AttributeError, TypeError, SyntaxError) as error:
        raise GrammarError(
            f"the type alias {alias.__name__} cannot be resolved: {error}",
            hint="define the names it uses in the module where it is defined",
        ) from error
    return hints["value"]


def _leaf(annotation: Any) -> Shape | None:
    """Return the shape of a type without parts, None for others."""
    if annotation is None:
        annotation = type(None)
    if annotation is Any or annotation is object:
        return Anything()
    if annotation is typing.NoReturn or annotation is getattr(typing, "Never", None):
        return Anything(never=True)
    if getattr(annotation, "_name", None) == "LiteralString":
        annotation = str
    try:
        return scalars().get(annotation)
    except TypeError:  # not hashable: Annotated with a list in it, or no type at all
        return None


def _enum(cls: type[enum.Enum], place: str) -> Shape:
    if issubclass(cls, enum.Flag):
        raise UnsupportedConstraint(
            f"{place}: {cls.__name__} is a Flag, whose values are combinations",
            hint="use a set of an Enum",
        )
    if not len(cls):
        raise GrammarError(f"{place}: the Enum {cls.__name__} has no members")
    return _enumeration([(member.value, member) for member in cls], f"the Enum {cls.__name__}")


def _literal(value: object) -> object:
    return value.value if isinstance(value, enum.Enum) else value


def _enumeration(members: list[tuple[object, object]], where: str) -> Enumeration:
    """Return the enumeration of scalars.

    Raises:
        GrammarError: A value is not a JSON scalar.
    """
    known = []
    for value, member in members:
        plain: object
        if value is None or isinstance(value, bool):
            plain = value
        elif isinstance(value, str):
            plain = str.__str__(value)
        elif isinstance(value, int):
            plain = int(value)
        elif isinstance(value, float) and math.isfinite(value):
            plain = float(value)
        else:
            raise GrammarError(
                f"{where}: {value!r:.60} is no string, finite number, boolean or None",
                hint="give the member a value that JSON has",
            )
        known.append((plain, member))
    return Enumeration(tuple(known))


def _required(hint: Any, *, needed: bool) -> bool:
    """Say whether a key of a TypedDict must be there: as marked, else as its class says."""
    name = getattr(typing.get_origin(hint), "_name", None)
    if name in ("Required", "NotRequired"):
        return bool(name == "Required")
    if name == "ReadOnly":
        return _required(typing.get_args(hint)[0], needed=needed)
    return needed


def _name(source: object) -> str:
    return getattr(source, "__qualname__", None) or f"{source!r:.60}"


def _refuse(annotation: object, place: str) -> Shape:
    if annotation in (bytes, bytearray, memoryview):
        raise UnsupportedConstraint(
            f"{place}: {_name(annotation)} has no JSON form",
            hint="use str, for example with base64 in it",
        )
    if inspect.isclass(annotation) or typing.get_origin(annotation) is not None:
        raise GrammarError(
            f"{place}: values of {_name(annotation)} have no JSON form known here",
            hint="use a dataclass, TypedDict, NamedTuple, Enum, Literal, a built-in type or a "
            "pydantic model",
        )
    raise GrammarError(f"{place}: {annotation!r:.60} is no type")
