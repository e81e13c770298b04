"""Schemas of pydantic's types that say what its validation checks.

pydantic's own schemas say less than it validates: any string for a `Decimal`, any URI for an
`HttpUrl`. `ExactSchema` writes the same schemas, narrowed where a JSON Schema can say more, so that
what a mask lets through is read. It decides by pydantic's core schemas, and what a user says of a
schema (`WithJsonSchema`, `json_schema_extra`, `__get_pydantic_json_schema__`) still comes after.

What no schema can say is marked with the keyword `x-unenforced`, which stops compiling unless what
cannot be enforced may be left out. Where this differs from pydantic stands in
docs/reference/json-schema-inputs.md.
"""

from __future__ import annotations

import json
import math
from collections.abc import Hashable
from typing import Any

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import SchemaError, SchemaValidator, ValidationError

from formgate.plugins.json_schema import _types_pydantic_numbers as numbers
from formgate.plugins.json_schema import _types_pydantic_own as own
from formgate.plugins.json_schema import _types_pydantic_texts as texts
from formgate.plugins.json_schema import _types_pydantic_times as times
from formgate.plugins.json_schema._types_pydantic_decimals import (
    decimal_number,
    decimal_texts,
    fraction,
)
from formgate.plugins.json_schema._types_pydantic_fields import hidden_names, paths, with_paths
from formgate.plugins.json_schema._types_pydantic_inner import inner_json
from formgate.plugins.json_schema._types_pydantic_keys import names_of
from formgate.plugins.json_schema._types_pydantic_patterns import read_alike
from formgate.plugins.json_schema._types_pydantic_written import (
    NEVER,
    also,
    matching,
    never,
    strings,
    unenforced,
    unlike,
)

__all__ = ["ExactSchema"]

_UNHASHABLE = ("list", "dict", "set", "any", "typed-dict", "counter", "ordered-dict", "deque")
_SCALARS = {"type": ["string", "number", "boolean", "null"]}
_STEADY = 2**53  # up to which floats tell integers apart
# What a URL has a default for must have a host.
_WITH_HOST = ("host_required", "default_host", "default_port", "default_path")
_FINITE = {"minimum": -numbers.LARGEST, "maximum": numbers.LARGEST}
_CONFIGURED = (("str_min_length", "minLength"), ("str_max_length", "maxLength"))
# White space that pydantic cuts off before it checks lengths and patterns.
_STRIPPED = r"^(?:[^\s\u0085](?:[\s\S]*[^\s\u0085])?)?$"


class ExactSchema(GenerateJsonSchema):
    """pydantic's generator, where what it writes is what pydantic validates.

    Args:
        config: The configuration of the `TypeAdapter`, of which a core schema knows nothing.
        *args: Those of pydantic's generator.
        **options: Those of pydantic's generator.
    """

    def __init__(self, *args: Any, config: Any = None, **options: Any) -> None:
        super().__init__(*args, **options)
        self.core_definitions: dict[str, Any] = {}  # by their references
        self._outer_config = config

    # --- what is said beside core schemas ---

    def generate(self, schema: Any, mode: Any = "validation") -> JsonSchemaValue:
        """Return the schema of a core schema, under the configuration given."""
        with self._config_wrapper_stack.push(self._outer_config):
            return super().generate(schema, mode)

    def sort(self, value: Any, parent_key: str | None = None) -> Any:
        """Return keywords in the order that they were written in: sorting takes time."""
        del parent_key
        return value

    def definitions_schema(self, schema: Any) -> JsonSchemaValue:
        """What refers to definitions, which are kept for keys that do."""
        for definition in schema["definitions"]:
            self.core_definitions[definition["ref"]] = definition
        return super().definitions_schema(schema)

    def generate_inner(self, schema: Any) -> JsonSchemaValue:
        """Return the schema of a core schema; what pydantic's own functions hide is added."""
        metadata = schema.get("metadata")
        if metadata:
            schema = own.told(schema, metadata)
        return super().generate_inner(schema)

    def setting(self, name: str, schema: Any) -> Any:
        """Return what a core schema says, or the configuration around it."""
        found = schema.get(name)
        return self._config.config_dict.get(name) if found is None else found

    # --- numbers ---

    def int_schema(self, schema: Any) -> JsonSchemaValue:
        """Integers; strict ones, and those whose last digits count, are digits alone."""
        found = super().int_schema(schema)
        if len(schema) == 1 and not self._config.config_dict:
            return found
        digits = self.setting("strict", schema) or _counts_digits(schema)
        return {**found, "allOf": [numbers.DIGITS_ALONE]} if digits else found

    def float_schema(self, schema: Any) -> JsonSchemaValue:
        """Floats, whose texts are rounded before bounds are checked."""
        finite = self.setting("allow_inf_nan", schema) is False
        found = {"type": "number", **numbers.rounded_bounds(schema, finite=finite)}
        if schema.get("multiple_of") is not None:
            found = {**_FINITE, **found, "multipleOf": schema["multiple_of"]}
        return found

    def decimal_schema(self, schema: Any) -> JsonSchemaValue:
        """Decimals: numbers, or strings of digits."""
        number, patterns = decimal_number(schema), self.decimal_patterns(schema)
        found = [] if number is None else [number]
        found += [] if patterns is None else [strings(patterns)]
        return {"anyOf": found} if found else never()

    def decimal_patterns(self, schema: Any) -> list[str] | None:
        """Return patterns of strings that are read as decimals; None for no string."""
        return decimal_texts(schema, infinite=bool(self.setting("allow_inf_nan", schema)))

    def fraction_schema(self, schema: Any) -> JsonSchemaValue:
        """Fractions: numbers, or strings of two integers."""
        return fraction(schema)

    def complex_schema(self, schema: Any) -> JsonSchemaValue:
        """Complex numbers, as Python writes them."""
        del schema
        return {"type": "string", "pattern": texts.COMPLEX}

    # --- strings ---

    def str_schema(self, schema: Any) -> JsonSchemaValue:
        """Strings, with patterns as pydantic's engine reads them."""
        found = super().str_schema(schema)
        if len(schema) == 1 and not self._config.config_dict:
            return found
        for name, keyword in _CONFIGURED:  # older versions leave them out
            length = self.setting(name, {})
            if length:
                found.setdefault(keyword, length)
        if "pattern" in found:
            rust = self.setting("regex_engine", schema) != "python-re"
            alike = read_alike(schema["pattern"], rust=rust)
            if alike is None:
                reason = f"the pattern {found['pattern']!r:.60}"
                found = unenforced(reason, unlike(found, "pattern"))
            else:
                found["pattern"] = alike
        stripped = schema.get("strip_whitespace") or self.setting("str_strip_whitespace", {})
        more = [_STRIPPED] if stripped and ("pattern" in found or "minLength" in found) else []
        return also(found, [*more, texts.ASCII] if schema.get("ascii_only") else more)

    def bytes_schema(self, schema: Any) -> JsonSchemaValue:
        """Bytes in the encoding that the configuration names."""
        found = super().bytes_schema(schema)
        encoding = self._config.config_dict.get("val_json_bytes", "utf8")
        least, most = schema.get("min_length") or 0, schema.get("max_length")
        if encoding == "utf8":
            return found if most is None else {**found, "pattern": texts.ASCII}
        found = unlike(found, "minLength", "maxLength")  # of the text; these are of the bytes
        if encoding == "hex":
            return {
                **found,
                **matching(f"(?:{texts.HEX}){{{least},{'' if most is None else most}}}"),
            }
        return {
            **found,
            **matching(
                *texts.base64_bytes(least, most, classic=True),
                *texts.base64_bytes(least, most, classic=False),
            ),
        }

    def url_schema(self, schema: Any) -> JsonSchemaValue:
        """URLs of the schemes allowed, with a host."""
        return self._url(super().url_schema(schema), schema, several=False)

    def multi_host_url_schema(self, schema: Any) -> JsonSchemaValue:
        """URLs with one host or more."""
        return self._url(super().multi_host_url_schema(schema), schema, several=True)

    def _url(self, found: JsonSchemaValue, schema: Any, *, several: bool) -> JsonSchemaValue:
        schemes = schema.get("allowed_schemes")
        host = any(schema.get(name) for name in _WITH_HOST)
        pattern = texts.url(None if schemes is None else tuple(schemes), host=host, several=several)
        return {**unlike(found, "minLength"), "pattern": pattern}

    def uuid_schema(self, schema: Any) -> JsonSchemaValue:
        """UUIDs, of a version if one is asked for."""
        found = super().uuid_schema(schema)
        version = schema.get("version")
        return found if version is None else {**found, "pattern": texts.uuid(version)}

    def json_schema(self, schema: Any) -> JsonSchemaValue:
        """JSON inside a string, which is a regular language of few types."""
        found = super().json_schema(schema)
        inner = inner_json(found["contentSchema"]) if "schema" in schema else None
        if inner is None:
            return unenforced("JSON text inside a string", found)
        return {**found, **matching(inner)}

    # --- dates and times ---

    def date_schema(self, schema: Any) -> JsonSchemaValue:
        """Dates, of years that Python has."""
        return strings(times.date_patterns(schema), format="date")

    def datetime_schema(self, schema: Any) -> JsonSchemaValue:
        """Dates with times, with or without an offset."""
        return strings(times.date_time_patterns(schema))

    def time_schema(self, schema: Any) -> JsonSchemaValue:
        """Times, with or without an offset."""
        return strings(times.time_patterns(schema))

    def timedelta_schema(self, schema: Any) -> JsonSchemaValue:
        """Durations that a timedelta can hold."""
        return strings(times.duration_patterns(schema))

    # --- values given one by one ---

    def literal_schema(self, schema: Any) -> JsonSchemaValue:
        """The values that JSON can write."""
        found = super().literal_schema(schema)
        if not all(map(_is_plain, schema["expected"])):
            found = _only_read(found, schema)
        return _told_apart(found)

    def enum_schema(self, schema: Any) -> JsonSchemaValue:
        """The values that JSON can write."""
        found = super().enum_schema(schema)
        if not all(_is_plain(member.value) for member in schema["members"]):
            found = _only_read(found, unlike(schema, "ref"))
        return _told_apart(found)

    def is_subclass_schema(self, schema: Any) -> JsonSchemaValue:
        """Classes, which pydantic reads from no JSON."""
        del schema
        return never()

    # --- collections ---

    def set_schema(self, schema: Any) -> JsonSchemaValue:
        """Sets, whose items have hashes."""
        return _hashable(super().set_schema(schema), schema)

    def frozenset_schema(self, schema: Any) -> JsonSchemaValue:
        """Sets, whose items have hashes."""
        return _hashable(super().frozenset_schema(schema), schema)

    def dict_schema(self, schema: Any) -> JsonSchemaValue:
        """Mappings, whose names spell their keys."""
        values = schema.get("values_schema")
        made = {} if values is None else unlike(self.generate_inner(values), "title")
        found: JsonSchemaValue = {"type": "object", "additionalProperties": made or True}
        keys = schema.get("keys_schema")
        names = None if keys is None else names_of(self, keys)
        if names is not None:
            found["propertyNames"] = names
        self.update_with_validations(found, schema, self.ValidationsMapping.object)
        return found

    frozendict_schema = ordered_dict_schema = counter_schema = dict_schema

    def tuple_schema(self, schema: Any) -> JsonSchemaValue:
        """Tuples; items after a part of any length are counted from the end, as no keyword does."""
        found = super().tuple_schema(schema)
        at = schema.get("variadic_item_index")
        if at is None or at + 1 == len(schema["items_schema"]):
            return found
        return unenforced("items after a part of any length", found)

    # --- functions ---

    def function_after_schema(self, schema: Any) -> JsonSchemaValue:
        """What a validator is given; pydantic's own validators are known."""
        found = own.after(schema, self.generate_inner)
        return own.sized(super().function_after_schema(schema), schema) if found is None else found

    def chain_schema(self, schema: Any) -> JsonSchemaValue:
        """What the first step is given, and constraints of strings that pydantic checks later."""
        found = super().chain_schema(schema)
        if any(step.get("cls") is Hashable for step in schema["steps"]):
            return {**found, **_SCALARS}
        more = [
            self.generate_inner(step["schema"])
            for step in schema["steps"][1:]
            if step["type"] == "function-wrap" and own.is_own(step["function"]["function"])
        ]
        return {"allOf": [found, *more]} if more else found

    # --- members ---

    def tagged_union_schema(self, schema: Any) -> JsonSchemaValue:
        """Unions by a tag, which must be written even where it has a default."""
        found = super().tagged_union_schema(schema)
        tag = found.get("discriminator", {}).get("propertyName")
        return found if tag is None else {**found, "required": [tag]}

    def model_fields_schema(self, schema: Any) -> JsonSchemaValue:
        """Members of a model, by the names that pydantic looks for."""
        return self._members(super().model_fields_schema(schema), schema["fields"].items())

    def typed_dict_schema(self, schema: Any) -> JsonSchemaValue:
        """Members of a TypedDict, by the names that pydantic looks for."""
        return self._members(super().typed_dict_schema(schema), schema["fields"].items())

    def dataclass_args_schema(self, schema: Any) -> JsonSchemaValue:
        """Arguments of a dataclass, by the names that pydantic looks for."""
        fields = [(field["name"], field) for field in schema["fields"]]
        found = self._members(super().dataclass_args_schema(schema), fields)
        for name, field in fields:
            if field.get("init") is False:
                self._leave_out(found, self._get_alias_name(field, name))
        return found

    @staticmethod
    def _leave_out(found: JsonSchemaValue, name: str) -> None:
        """Let an object not have a member that is no argument."""
        found["properties"][name] = False
        if name in found.get("required", ()):
            found["required"] = [one for one in found["required"] if one != name]

    def _members(self, found: JsonSchemaValue, fields: Any) -> JsonSchemaValue:
        """Return an object whose members stand where pydantic looks for them."""
        config = self._config.config_dict
        by_name = bool(config.get("validate_by_name") or config.get("populate_by_name"))
        for name, field in fields:
            alias = field.get("validation_alias")
            if alias is None:
                continue
            used, ways = self._get_alias_name(field, name), paths(alias)
            if [used] not in ways and not by_name:
                found = with_paths(found, used, ways[0])
            for hidden in hidden_names(ways, used, name if by_name else None):
                found["properties"].setdefault(hidden, False)
        return found


def _counts_digits(schema: Any) -> bool:
    """Say whether integers are told apart, or counted, that one float stands for.

    That is what pydantic makes of them where they have a fraction or an exponent.
    """
    low, high = (
        max((abs(schema[name]) for name in names if schema.get(name) is not None), default=None)
        for names in (("gt", "ge"), ("lt", "le"))
    )
    if schema.get("multiple_of") is not None and (low is None or high is None):
        return True
    return any(bound is not None and bound >= _STEADY for bound in (low, high))


def _told_apart(found: JsonSchemaValue) -> JsonSchemaValue:
    """Return an enumeration whose large integers are written with digits alone."""
    values = found.get("enum", [found.get("const")])
    if all(type(value) is not int or abs(value) <= _STEADY for value in values):
        return found
    return {**found, "anyOf": [numbers.DIGITS_ALONE, {"not": {"type": "integer"}}]}


def _is_plain(value: Any) -> bool:
    """Say whether JSON has a value, and pydantic reads it as that."""
    if type(value) is float:
        return math.isfinite(value)
    return value is None or type(value) in (str, int, bool)


def _only_read(found: JsonSchemaValue, schema: Any) -> JsonSchemaValue:
    """Return an enumeration without the values that pydantic does not read from JSON."""
    try:
        validator = SchemaValidator(schema)
    except SchemaError:
        return found
    kept = []
    for value in found["enum"] if "enum" in found else [found["const"]]:
        try:
            validator.validate_json(json.dumps(value))
        except ValidationError:
            continue
        kept.append(value)
    made = unlike(found, "enum", "const", "type")
    return {**made, "enum": kept} if kept else {**made, **NEVER}


def _hashable(found: JsonSchemaValue, schema: Any) -> JsonSchemaValue:
    """Return the schema of a set, whose items are such that have hashes."""
    items = schema.get("items_schema") or {"type": "any"}
    kind = items["type"]
    if kind in ("model", "dataclass"):
        return found if items["cls"].__hash__ is not None else {**found, "items": False}
    if kind not in _UNHASHABLE:
        return found
    return {**found, "items": _SCALARS if kind == "any" and not items.get("metadata") else False}
