"""Types that pydantic describes: models, `TypeAdapter`, its dataclasses and annotated types.

Imported only when such a type is met, so pydantic is there; only version 2 is known here. The
schema is pydantic's own for validation, as `TypeAdapter.json_schema` gives it, and texts are read
by `TypeAdapter.validate_json`. Where the two disagree stands in
docs/reference/json-schema-inputs.md.
"""

from __future__ import annotations

import inspect
import json
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Annotated, Any, cast

import pydantic
import pydantic.fields
from pydantic.errors import (
    PydanticInvalidForJsonSchema,
    PydanticSchemaGenerationError,
    PydanticUserError,
)

from formgate.core.errors import FormgateError, GrammarError, UnsupportedConstraint
from formgate.plugins.json_schema._types_pydantic_exact import ExactSchema
from formgate.plugins.json_schema._types_shapes import Mismatch, Shape

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["PydanticShape", "adapter_of", "foreign_shape", "parameter_of"]


@dataclass
class PydanticShape(Shape):
    """A part that pydantic describes and reads."""

    adapter: pydantic.TypeAdapter[Any]
    described: Callable[[], dict[str, object]]

    def schema(self) -> dict[str, object]:
        """Return pydantic's schema; its definitions were renamed."""
        return dict(self.described())

    def read(self, value: object, *, decimals: bool) -> object:
        """Return the validated value."""
        del decimals
        return self.read_text(written(value))

    def read_text(self, text: str) -> object:
        """Return the validated value of a JSON text.

        Raises:
            Mismatch: pydantic or a validator refuses it; that error is the cause.
        """
        try:
            return self.adapter.validate_json(text)
        except pydantic.ValidationError as error:
            first = error.errors(include_url=False, include_context=False, include_input=False)[0]
            mismatch = Mismatch(f"pydantic says: {first['msg']}")
            mismatch.path.extend(first["loc"])
            raise mismatch from error
        except RecursionError:
            raise
        except Exception as error:  # of a validator: pydantic takes in ValueError alone
            raise Mismatch(f"a validator says {type(error).__name__}: {error}") from error


def foreign_shape(
    annotation: object, prefix: str, *, reads: bool = False
) -> tuple[PydanticShape, dict[str, object]]:
    """Return the shape of a type, and its definitions under names that begin with `prefix`.

    Args:
        annotation: The type.
        prefix: Of its definitions' names.
        reads: It is only read by, so no schema is wanted, which takes milliseconds.

    Raises:
        GrammarError: pydantic cannot make sense of the type.
        UnsupportedConstraint: The type has no JSON Schema.
    """
    with _explained(annotation):
        adapter = adapter_of(annotation)
    if reads:
        return PydanticShape(adapter, lambda: _described(annotation, adapter, prefix)[0]), {}
    schema, definitions = _described(annotation, adapter, prefix)
    return PydanticShape(adapter, lambda: schema), definitions


def _described(
    annotation: object, adapter: pydantic.TypeAdapter[Any], prefix: str
) -> tuple[dict[str, object], dict[str, object]]:
    """Return the schema of an adapter, and its definitions under names that begin with `prefix`."""
    with _explained(annotation):
        schema = adapter.json_schema(
            ref_template=f"#/$defs/{prefix}{{model}}",
            # called as the class is, with the configuration that no core schema holds
            schema_generator=cast(
                "Any", partial(ExactSchema, config=getattr(adapter, "_config", None))
            ),
        )
    definitions = cast("dict[str, object]", schema.pop("$defs", {}))
    return schema, {f"{prefix}{key}": part for key, part in definitions.items()}


@contextmanager
def _explained(annotation: object) -> Iterator[None]:
    """Turn what pydantic raises about a type into errors that name the type and the remedy."""
    name = getattr(annotation, "__name__", None) or f"{annotation!r:.60}"
    try:
        yield
    except FormgateError:
        raise
    except PydanticInvalidForJsonSchema as error:
        raise UnsupportedConstraint(
            f"{name}: pydantic has no JSON Schema for it: {error.message}",
            hint="leave the part out, or give it a type that JSON has",
        ) from error
    except (PydanticSchemaGenerationError, PydanticUserError, NameError) as error:
        raise GrammarError(
            f"{name}: pydantic cannot use it: {str(error).splitlines()[0]}",
            hint="define what it refers to, or give it a type that pydantic knows",
        ) from error
    except ImportError as error:  # as of EmailStr
        raise GrammarError(
            f"{name}: pydantic cannot use it: {error}", hint="install what it asks for"
        ) from error
    except RecursionError:
        raise
    except Exception as error:  # of a function of the type that writes its schemas
        raise GrammarError(
            f"{name}: writing its schema failed: {type(error).__name__}: {error}",
            hint="look at what the type has of __get_pydantic_core_schema__ and "
            "__get_pydantic_json_schema__",
        ) from error


def parameter_of(annotation: Any, default: object, name: str, place: str) -> tuple[Any, str, bool]:
    """Return what `validate_call` makes of a parameter with `Field(...)`.

    Args:
        annotation: That of the parameter.
        default: The field, or the default beside one in the annotation.
        name: That of the parameter.
        place: Where it stands, for errors.

    Returns:
        The annotation with the constraints of both, the name to give it by, whether it is required.

    Raises:
        UnsupportedConstraint: It may be given by several names, or by a path.
    """
    if isinstance(default, pydantic.fields.FieldInfo):
        field = pydantic.fields.FieldInfo.from_annotated_attribute(annotation, default)
        required = field.is_required()
    else:
        field = pydantic.fields.FieldInfo.from_annotation(annotation)
        required = default is inspect.Parameter.empty
    alias = name if field.validation_alias is None else field.validation_alias
    if not isinstance(alias, str):
        raise UnsupportedConstraint(
            f"{place}: {alias!r:.80} is not one name",
            hint="give the parameter an alias that is a string",
        )
    inner = field.annotation
    narrow = Annotated[(inner, *field.metadata)] if field.metadata else inner
    return narrow, alias, required


@lru_cache(maxsize=64)
def _cached_adapter(annotation: Any) -> pydantic.TypeAdapter[Any]:
    return pydantic.TypeAdapter(annotation)


def adapter_of(annotation: Any) -> pydantic.TypeAdapter[Any]:
    """Return the adapter of a type; making one costs a millisecond, so some are kept."""
    if isinstance(annotation, pydantic.TypeAdapter):
        return annotation
    try:
        return _cached_adapter(annotation)
    except TypeError:  # not hashable
        return pydantic.TypeAdapter(annotation)


def written(value: object) -> str:
    """Return a JSON value as text, with its decimals as they are."""
    if isinstance(value, Decimal):
        return str(value).replace("E", "e")
    if isinstance(value, list):
        return f"[{','.join(map(written, value))}]"
    if isinstance(value, dict):
        members = (f"{json.dumps(name)}:{written(part)}" for name, part in value.items())
        return f"{{{','.join(members)}}}"
    return json.dumps(value)
