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

import functools
import json
import zoneinfo
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any, cast

from pydantic import ByteSize, EncodedBytes, EncodedStr
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic.types import Base64Encoder, Base64UrlEncoder
from pydantic_core import SchemaError, SchemaValidator, ValidationError

from formgate.plugins.json_schema import _types_pydantic_numbers as numbers
from formgate.plugins.json_schema import _types_pydantic_texts as texts
from formgate.plugins.json_schema import _types_pydantic_times as times
from formgate.plugins.json_schema._drafts import UNENFORCED
from formgate.plugins.json_schema._types_pydantic_fields import (
    hidden_names,
    paths,
    with_paths,
)
from formgate.plugins.json_schema._types_pydantic_keys import names_of
from formgate.plugins.json_schema._types_pydantic_patterns import read_alike
from formgate.plugins.json_schema._types_pydantic_pushed import bounds_of, own_validator, pushed

__all__ = ["NEVER", "ExactSchema", "unenforced"]

Core = dict[str, Any]

NEVER: dict[str, Any] = {"not": {}}
# Formats of pydantic's own, of types that hide their core schema, and what they stand for.
_OWN_FORMATS: dict[str, Callable[[], JsonSchemaValue]] = {
    "ipv4network": lambda: _matching(texts.ipv4_network()),
    "ipv6network": lambda: _matching(texts.ipv6_network()),
    "ipv4interface": lambda: _matching(texts.IPV4_INTERFACE),
    "ipv6interface": lambda: _matching(texts.IPV6_INTERFACE),
    "ipvanyaddress": lambda: _matching(texts.IPV4, texts.IPV6),
    "ipvanyinterface": lambda: _matching(texts.IPV4_INTERFACE, texts.IPV6_INTERFACE),
    "ipvanynetwork": lambda: _matching(texts.ipv4_network(), texts.ipv6_network()),
    "email": lambda: {"pattern": texts.EMAIL, "maxLength": 254},
    "name-email": lambda: {"pattern": texts.EMAIL, "maxLength": 254},
    "regex": lambda: {"pattern": texts.PYTHON_PATTERN},
    "zoneinfo": lambda: {"enum": _zones()},
}
_OWN_MODULES = ("pydantic._internal.", "pydantic.networks")
_FUNCTIONS = ("pydantic_js_functions", "pydantic_js_annotation_functions")
_UNHASHABLE = ("list", "dict", "set", "any", "typed-dict", "counter", "ordered-dict", "deque")
# Draft 4 knows integers by how they are written; `oneOf` keeps it a schema of its own.
_DIGITS_ALONE = {
    "$schema": "http://json-schema.org/draft-04/schema#",
    "id": "urn:formgate:digits",
    "oneOf": [{"type": "integer"}],
}
_UNITS = "|".join(
    sorted({unit for name in (*ByteSize.byte_sizes, "bit", "kbit", "mbit", "gbit", "tbit") for unit in (name, name.upper(), name.replace("b", "B"), name.capitalize())}, key=len)
)


def unenforced(reason: str, **keywords: object) -> JsonSchemaValue:
    """Return a schema with a note of what it leaves out."""
    return {**keywords, UNENFORCED: reason}


def _matching(*ways: str) -> JsonSchemaValue:
    return {"pattern": texts.whole(*ways)}


@functools.cache
def _zones() -> list[str]:
    """Return the names of the time zones that are installed."""
    return sorted(zoneinfo.available_timezones())


class ExactSchema(GenerateJsonSchema):
    """pydantic's generator, where what it writes is what pydantic validates."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.core_definitions: dict[str, Any] = {}  # by their references

    # --- what is said beside core schemas ---

    def sort(self, value: Any, parent_key: str | None = None) -> Any:
        """Keywords in any order: nobody reads these schemas."""
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
            schema = _unhidden(schema, metadata)
        return super().generate_inner(schema)

    def setting(self, name: str, schema: Any) -> Any:
        """Return what a core schema says, or the configuration around it."""
        found = schema.get(name)
        return self._config.config_dict.get(name) if found is None else found

    # --- numbers ---

    def int_schema(self, schema: Any) -> JsonSchemaValue:
        """Integers; strict ones are written with digits alone."""
        found = super().int_schema(schema)
        return {**found, "allOf": [_DIGITS_ALONE]} if self.setting("strict", schema) else found

    def float_schema(self, schema: Any) -> JsonSchemaValue:
        """Floats, whose texts are rounded before bounds are checked."""
        finite = self.setting("allow_inf_nan", schema) is False
        found = {"type": "number", **numbers.rounded_bounds(schema, finite=finite)}
        if schema.get("multiple_of") is not None:
            found = {**found, **_FINITE, **found, "multipleOf": schema["multiple_of"]}
        return found

    def decimal_schema(self, schema: Any) -> JsonSchemaValue:
        """Decimals: numbers, or strings of digits."""
        found = [
            part for part in (_decimal_number(schema), self._decimal_text(schema)) if part is not None
        ]
        return {"anyOf": found} if found else dict(NEVER)

    def _decimal_text(self, schema: Any) -> JsonSchemaValue | None:
        patterns = self.decimal_patterns(schema)
        return None if patterns is None else _strings(patterns)

    def decimal_patterns(self, schema: Any) -> list[str] | None:
        """Return patterns of strings that are read as decimals; None for no string."""
        places, step = schema.get("decimal_places"), schema.get("multiple_of")
        if step is not None:
            _, digits, exponent = Decimal(step).normalize().as_tuple()
            if digits != (1,) or cast("int", exponent) > 0:
                return None
            places = min(-cast("int", exponent), 10 if places is None else places)
        bounds = numbers.text_bounds(schema)
        if bounds is None:
            return None
        most = schema.get("max_digits")
        if step is not None and (most is None or most > _STEADY):
            most = _STEADY
        shape = numbers.digits_pattern(most, places)
        if shape is not None or bounds:
            return [shape or numbers.DECIMAL, *bounds]
        more = ["-?0[eE][+-]?[0-9]{1,9}", rf"{numbers.DECIMAL[1:-1]}[eE][+-]?[0-9]{{1,9}}"]
        if self.setting("allow_inf_nan", schema):
            more += ["-?Infinity", "NaN"]
        return [texts.whole(numbers.DECIMAL[1:-1], *more)]

    def fraction_schema(self, schema: Any) -> JsonSchemaValue:
        """Fractions: numbers, or strings of two integers."""
        bounds = numbers.decimal_bounds(
            {name: _as_decimal(schema.get(name)) for name in ("gt", "ge", "lt", "le")}
        )
        number = None if bounds is None else {"type": "number", **bounds}
        if any(schema.get(name) is not None for name in ("gt", "ge", "lt", "le")):
            return number or dict(NEVER)
        if schema.get("multiple_of") is not None:
            return unenforced("multiples of a fraction", **(number or {}))
        return {"anyOf": [number, {"type": "string", "format": "fraction", "pattern": texts.FRACTION}]}

    def complex_schema(self, schema: Any) -> JsonSchemaValue:
        """Complex numbers, as Python writes them."""
        del schema
        return {"type": "string", "pattern": texts.COMPLEX}

    # --- strings ---

    def str_schema(self, schema: Any) -> JsonSchemaValue:
        """Strings, with patterns as pydantic's engine reads them."""
        found = super().str_schema(schema)
        more = []
        if "pattern" in found:
            engine = self.setting("regex_engine", schema)
            alike = read_alike(schema["pattern"], rust=engine != "python-re")
            if alike is None:
                found[UNENFORCED] = f"the pattern {found.pop('pattern')!r:.60}"
            else:
                found["pattern"] = alike
        stripped = self.setting("str_strip_whitespace", {}) or schema.get("strip_whitespace")
        if stripped and ("pattern" in found or "minLength" in found):
            more.append(_STRIPPED)
        if schema.get("ascii_only"):
            more.append(texts.ASCII)
        return _also(found, more)

    def bytes_schema(self, schema: Any) -> JsonSchemaValue:
        """Bytes in the encoding that the configuration names."""
        found = super().bytes_schema(schema)
        encoding = self._config.config_dict.get("val_json_bytes", "utf8")
        least, most = schema.get("min_length") or 0, schema.get("max_length")
        if encoding == "utf8":
            return found if most is None else {**found, "pattern": texts.ASCII}
        for name in ("minLength", "maxLength"):
            found.pop(name, None)
        if encoding == "hex":
            counted = f"(?:{texts.HEX}){{{least},{'' if most is None else most}}}"
            return {**found, "pattern": texts.whole(counted)}
        ways = [
            way
            for classic in (True, False)
            for way in texts.base64_bytes(least, most, classic=classic)
        ]
        return {**found, "pattern": texts.whole(*ways)}

    def url_schema(self, schema: Any) -> JsonSchemaValue:
        """URLs of the schemes allowed, with a host."""
        return self._url(super().url_schema(schema), schema, several=False)

    def multi_host_url_schema(self, schema: Any) -> JsonSchemaValue:
        """URLs with one host or more."""
        return self._url(super().multi_host_url_schema(schema), schema, several=True)

    def _url(self, found: JsonSchemaValue, schema: Any, *, several: bool) -> JsonSchemaValue:
        schemes = schema.get("allowed_schemes")
        # what has a default for a part of the authority must have one
        host = any(schema.get(name) for name in ("host_required", *_DEFAULTS))
        pattern = texts.url(None if schemes is None else tuple(schemes), host=host, several=several)
        found.pop("minLength", None)  # the pattern says more
        return {**found, "pattern": pattern}

    def uuid_schema(self, schema: Any) -> JsonSchemaValue:
        """UUIDs, of a version if one is asked for."""
        found = super().uuid_schema(schema)
        version = schema.get("version")
        return found if version is None else {**found, "pattern": texts.uuid(version)}

    def json_schema(self, schema: Any) -> JsonSchemaValue:
        """JSON inside a string, which is no regular language."""
        return {**super().json_schema(schema), UNENFORCED: "JSON text inside a string"}

    # --- dates and times ---

    def date_schema(self, schema: Any) -> JsonSchemaValue:
        """Dates, of years that Python has."""
        return _strings(times.date_patterns(schema), format="date")

    def datetime_schema(self, schema: Any) -> JsonSchemaValue:
        """Dates with times, with or without an offset."""
        return _strings(times.date_time_patterns(schema))

    def time_schema(self, schema: Any) -> JsonSchemaValue:
        """Times, with or without an offset."""
        return _strings(times.time_patterns(schema))

    def timedelta_schema(self, schema: Any) -> JsonSchemaValue:
        """Durations that a timedelta can hold."""
        return _strings(times.duration_patterns(schema))

    # --- values given one by one ---

    def literal_schema(self, schema: Any) -> JsonSchemaValue:
        """The values that JSON can write."""
        found = super().literal_schema(schema)
        if all(type(value) in _JSON_TYPES for value in schema["expected"]):
            return found
        return _only_read(found, schema)

    def enum_schema(self, schema: Any) -> JsonSchemaValue:
        """The values that JSON can write."""
        found = super().enum_schema(schema)
        if all(type(member.value) in _JSON_TYPES for member in schema["members"]):
            return found
        return _only_read(found, {name: part for name, part in schema.items() if name != "ref"})

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
        made = {} if values is None else self.generate_inner(values)
        made = {name: part for name, part in made.items() if name != "title"}
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
        return {**found, UNENFORCED: "items after a part of any length"}

    # --- functions ---

    def function_after_schema(self, schema: Any) -> JsonSchemaValue:
        """What a validator is given; pydantic's own validators are known."""
        bounds, inner = bounds_of(schema)
        encoder = _encoder(inner)
        if encoder is not None:
            return _encoded(encoder, bounds.get("min_length", 0), bounds.get("max_length"))
        narrowed = pushed(inner, bounds) if bounds else None
        if narrowed is not None:
            return self.generate_inner(narrowed) if narrowed else dict(NEVER)
        owner = getattr(schema["function"]["function"], "__self__", None)
        if isinstance(owner, type) and issubclass(owner, ByteSize):
            return dict(_BYTE_SIZE)
        found = super().function_after_schema(schema)
        return _sized(found, bounds, inner) if bounds else found

    def chain_schema(self, schema: Any) -> JsonSchemaValue:
        """What the first step is given, and constraints of strings that pydantic checks later."""
        found = super().chain_schema(schema)
        more = [
            self.generate_inner(step["schema"])
            for step in schema["steps"][1:]
            if step["type"] == "function-wrap" and _is_own(step["function"]["function"])
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
            if field.get("init") is False or field.get("init_only") is False:
                _forbid(found, self._get_alias_name(field, name), field)
        return found

    def _members(self, found: JsonSchemaValue, fields: Any) -> JsonSchemaValue:
        """Return an object whose members stand where pydantic looks for them."""
        config = self._config.config_dict
        by_name = bool(config.get("validate_by_name") or config.get("populate_by_name"))
        if not by_name and all("validation_alias" not in field for _, field in fields):
            return found
        for name, field in fields:
            alias = field.get("validation_alias")
            if alias is None:
                continue
            used = self._get_alias_name(field, name)
            ways = paths(alias)
            if [used] not in ways and not by_name:
                found = with_paths(found, used, ways[0])
            for hidden in hidden_names(ways, used, name if by_name else None):
                found["properties"].setdefault(hidden, False)
        return found


_DEFAULTS = ("default_host", "default_port", "default_path")
_FINITE = {"minimum": -numbers.LARGEST, "maximum": numbers.LARGEST}
_STEADY = 15  # digits that a float keeps
# Rust's white space, which is cut off before lengths and patterns are checked.
_STRIPPED = (
    r"^(?!\s|\u0085)(?:[^\u0000]|\u0000)*$(?<!\s|\u0085)"
)
_JSON_TYPES = (str, int, float, bool, type(None))
_BYTE_SIZE = {
    "anyOf": [
        {"type": "string", "pattern": texts.whole(f"{texts.BYTE_SIZE} ?(?:{_UNITS})?")},
        {"type": "integer", "minimum": 0},
    ]
}


def _as_decimal(value: Any) -> Decimal | None:
    """Return a bound of fractions as a decimal, rounded."""
    return None if value is None else Decimal(repr(float(value)))


def _decimal_number(schema: Core) -> JsonSchemaValue | None:
    """Return the schema of numbers that are read as decimals; None for no number."""
    most, places, step = (schema.get(name) for name in ("max_digits", "decimal_places", "multiple_of"))
    if most is None and places is None and step is None:
        bounds = numbers.decimal_bounds(schema)
        return None if bounds is None else {"type": "number", **bounds}
    if most is not None and places is not None and most <= places:
        return None  # zero is refused, as a digit before the point
    if most is not None and places is None and step is None:
        # Some digits of a number may stand after the point: two, as of money.
        whole = _decimal_number({**schema, "decimal_places": 0})
        parts = _decimal_number({**schema, "decimal_places": 2}) if most > 2 else None
        return whole if parts is None else {"anyOf": [whole, parts]}
    found: list[Decimal] = []
    limits = {name: [schema[name]] if schema.get(name) is not None else [] for name in _SIDES}
    digits = most if most is not None else _STEADY
    if step is not None:
        found.append(Decimal(step))
        digits = min(digits, _STEADY)
    kept = 0 if places is None else places
    if step is not None:
        kept = max(kept, -min(0, cast("int", Decimal(step).normalize().as_tuple().exponent)))
    if places is not None:
        found.append(Decimal((0, (1,), -places)))
    if most is not None or step is not None:
        size = Decimal(10) ** max(digits - kept, 0)
        limits["lt"].append(size)
        limits["gt"].append(-size)
    closest = {
        name: (max if name in ("gt", "ge") else min)(map(Decimal, given))
        for name, given in limits.items()
        if given
    }
    bounds = numbers.decimal_bounds(closest)
    if bounds is None:
        return None
    made: JsonSchemaValue = {"type": "number", **bounds, "multipleOf": found[0]}
    return made if len(found) == 1 else {**made, "allOf": [{"multipleOf": found[1]}]}


_SIDES = ("gt", "ge", "lt", "le")


def _unhidden(schema: Any, metadata: Any) -> Any:
    """Return a core schema whose metadata hides nothing: what pydantic itself put there is known."""
    changed = {}
    for name in _FUNCTIONS:
        functions = metadata.get(name)
        if functions and any(_is_own(function) for function in functions):
            changed[name] = [
                functools.partial(_told, function) if _is_own(function) else function
                for function in functions
            ]
    updates = metadata.get("pydantic_js_updates")
    if updates and schema["type"] == "function-after":
        bounds, inner = bounds_of(schema)
        if bounds and (_encoder(inner) is not None or pushed(inner, bounds) is not None):
            changed["pydantic_js_updates"] = {
                name: part for name, part in updates.items() if name not in _UPDATES
            }
    return {**schema, "metadata": {**metadata, **changed}} if changed else schema


_UPDATES = ("minLength", "maxLength", "minItems", "maxItems", *_SIDES, "multiple_of")


def _is_own(function: Any) -> bool:
    return str(getattr(function, "__module__", "")).startswith(_OWN_MODULES)


def _told(function: Any, schema: Any, handler: Any) -> JsonSchemaValue:
    """Return what a function of pydantic's own says of a type, and what its format stands for."""
    found = function(schema, handler)
    made = _OWN_FORMATS.get(found.get("format")) if "pattern" not in found else None
    if made is None:
        return found
    if schema.get("function", {}).get("function") is own_validator("pattern_bytes_validator"):
        return {**found, **NEVER}
    return {**found, **made()}


def _sized(found: JsonSchemaValue, bounds: Mapping[str, Any], inner: Any) -> JsonSchemaValue:
    """Return the schema of a type under constraints that it does not take itself."""
    if inner["type"] in _FUNCTION_KINDS:
        return found  # a function of the user may have changed the value
    words = _LENGTHS.get(str(found.get("type")))
    if words is None or not bounds.keys() <= words.keys():
        named = ", ".join(f"{name}={value!r:.30}" for name, value in bounds.items())
        return {**found, UNENFORCED: f"{named} on a value of this type"}
    found = {**found, **{words[name]: value for name, value in bounds.items()}}
    bytewise = "max_length" in bounds and _holds_bytes(inner)
    return _also(found, [texts.ASCII]) if bytewise else found


def _holds_bytes(core: Any) -> bool:
    """Say whether a type is one of bytes, whose length is not that of the text."""
    while core is not None and core["type"] != "bytes":
        core = next((core[name] for name in _INNER if name in core), None)
    return core is not None


_INNER = ("lax_schema", "json_schema", "schema")
_FUNCTION_KINDS = ("function-after", "function-before", "function-wrap", "function-plain")
_LENGTHS = {
    "string": {"min_length": "minLength", "max_length": "maxLength"},
    "array": {"min_length": "minItems", "max_length": "maxItems"},
    "object": {"min_length": "minProperties", "max_length": "maxProperties"},
}


def _encoder(schema: Any) -> EncodedBytes | EncodedStr | None:
    """Return what decodes a text for a core schema, if it is pydantic's; None for others."""
    if schema["type"] != "function-after":
        return None
    owner = getattr(schema["function"]["function"], "__self__", None)
    known = isinstance(owner, (EncodedBytes, EncodedStr))
    return owner if known and owner.encoder in (Base64Encoder, Base64UrlEncoder) else None


def _encoded(owner: EncodedBytes | EncodedStr, least: int, most: int | None) -> JsonSchemaValue:
    """Return the schema of what an encoder decodes to at least and at most so many bytes."""
    classic = owner.encoder is Base64Encoder
    counted = texts.whole(*texts.base64_bytes(least, most, classic=classic))
    if not isinstance(owner, EncodedStr):  # in older versions one is a subclass of the other
        return _strings([counted])
    ascii_alone = texts.BASE64 if classic else texts.BASE64_URL
    return _strings([ascii_alone] if not least and most is None else [ascii_alone, counted])


def _strings(patterns: list[str], **keywords: str) -> JsonSchemaValue:
    """Return the schema of strings that match all of some patterns."""
    return _also({"type": "string", **keywords, "pattern": patterns[0]}, patterns[1:])


def _also(schema: JsonSchemaValue, patterns: list[str]) -> JsonSchemaValue:
    """Return a schema with further patterns."""
    if not patterns:
        return schema
    if "pattern" not in schema:
        schema["pattern"], *patterns = patterns
    if patterns:
        schema["allOf"] = [{"pattern": pattern} for pattern in patterns]
    return schema


def _only_read(found: JsonSchemaValue, schema: Any) -> JsonSchemaValue:
    """Return an enumeration without the values that pydantic does not read from JSON."""
    try:
        validator = SchemaValidator(schema)
    except SchemaError:
        return found
    given = found.pop("enum", None) or [found.pop("const")]
    kept = []
    for value in given:
        try:
            validator.validate_json(json.dumps(value))
        except ValidationError:
            continue
        kept.append(value)
    if not kept:
        return {**{name: part for name, part in found.items() if name != "type"}, **NEVER}
    return {**found, "enum": kept}


def _hashable(found: JsonSchemaValue, schema: Any) -> JsonSchemaValue:
    """Return the schema of a set, whose items are such that have hashes."""
    items = schema.get("items_schema") or {"type": "any"}
    kind = items["type"]
    unhashable = kind in _UNHASHABLE
    if kind in ("model", "dataclass"):
        unhashable = items["cls"].__hash__ is None
    if not unhashable:
        return found
    if kind == "any" and not items.get("metadata"):
        return {**found, "items": {"type": ["string", "number", "boolean", "null"]}}
    return {**found, "items": False}


def _forbid(found: JsonSchemaValue, name: str, field: Any) -> None:
    """Let an object not have a member that is no argument."""
    del field
    if name in found.get("properties", {}):
        found["properties"][name] = False
    if name in found.get("required", ()):
        found["required"] = [one for one in found["required"] if one != name]
