"""What pydantic's own functions stand for: validators, encoders, and those that write schemas.

Some of its types hide what they are behind a function: addresses, encoded bytes, e-mail. They are
known by that function, so what a user writes in its place is left alone.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from pydantic import ByteSize, EncodedBytes, EncodedStr
from pydantic.types import Base64Encoder, Base64UrlEncoder

from formgate.plugins.json_schema import _types_pydantic_texts as texts
from formgate.plugins.json_schema._types_pydantic_numbers import DIGITS_ALONE
from formgate.plugins.json_schema._types_pydantic_pushed import bounds_of, own_validator, pushed
from formgate.plugins.json_schema._types_pydantic_written import (
    NEVER,
    Written,
    also,
    matching,
    never,
    strings,
    unenforced,
)

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["after", "is_own", "sized", "told"]

_MODULES = ("pydantic._internal.", "pydantic.networks")
_FUNCTIONS = ("pydantic_js_functions", "pydantic_js_annotation_functions")
# What pydantic notes of a constraint that a validator checks; not all of it are keywords.
_UPDATES = frozenset(
    ["minLength", "maxLength", "minItems", "maxItems", "gt", "ge", "lt", "le", "multiple_of"]
)


@functools.cache
def _zones() -> list[str]:
    """Return the names of the time zones that are installed."""
    import zoneinfo  # noqa: PLC0415 (rarely needed)

    return sorted(zoneinfo.available_timezones())


_FORMATS: dict[str, Callable[[], Written]] = {
    "ipv4network": lambda: matching(texts.ipv4_network()),
    "ipv6network": lambda: matching(texts.ipv6_network()),
    "ipv4interface": lambda: matching(texts.IPV4_INTERFACE),
    "ipv6interface": lambda: matching(texts.IPV6_INTERFACE),
    "ipvanyaddress": lambda: matching(texts.IPV4, texts.IPV6),
    "ipvanyinterface": lambda: matching(texts.IPV4_INTERFACE, texts.IPV6_INTERFACE),
    "ipvanynetwork": lambda: matching(texts.ipv4_network(), texts.ipv6_network()),
    "email": lambda: {"pattern": texts.EMAIL, "maxLength": 254},
    "name-email": lambda: {"pattern": texts.EMAIL, "maxLength": 254},
    "fraction": lambda: {"pattern": texts.FRACTION},
    "regex": lambda: {"pattern": texts.PYTHON_PATTERN},
    "zoneinfo": lambda: {"enum": _zones()},
}
# Written with an exponent or a fraction, more is a float that pydantic takes for no integer.
_MOST_BYTES = 2**63 - 1024
_BITS = ("bit", "kbit", "mbit", "gbit", "tbit")
_INNER = ("lax_schema", "json_schema", "schema")
_WITH_FUNCTIONS = ("function-after", "function-before", "function-wrap", "function-plain")
_LENGTHS = {
    "string": {"min_length": "minLength", "max_length": "maxLength"},
    "array": {"min_length": "minItems", "max_length": "maxItems"},
    "object": {"min_length": "minProperties", "max_length": "maxProperties"},
}


@functools.cache
def _byte_size() -> str:
    """Return the pattern of sizes with their units."""
    names = [*getattr(ByteSize, "byte_sizes", ()), *_BITS]
    spelled = {
        word + last
        for name in names
        for word in (name[:-1], name[:-1].upper(), name[:-1].capitalize())
        for last in (name[-1], name[-1].upper())
    }
    return texts.whole(f"{texts.BYTE_SIZE} ?(?:{'|'.join(sorted(spelled))})?")


def is_own(function: object) -> bool:
    """Say whether a function is pydantic's, of those that write schemas or apply constraints."""
    return str(getattr(function, "__module__", "")).startswith(_MODULES)


def told(schema: Any, metadata: Any) -> Any:
    """Return a core schema whose functions say what the formats that they name stand for."""
    changed: dict[str, Any] = {}
    for name in _FUNCTIONS:
        functions = metadata.get(name)
        if functions and any(map(is_own, functions)):
            changed[name] = [
                functools.partial(_narrowed, each) if is_own(each) else each for each in functions
            ]
    updates = metadata.get("pydantic_js_updates")
    if updates and schema["type"] == "function-after" and _is_said(schema):
        changed["pydantic_js_updates"] = {
            name: part for name, part in updates.items() if name not in _UPDATES
        }
    return {**schema, "metadata": {**metadata, **changed}} if changed else schema


def _is_said(schema: Any) -> bool:
    """Say whether the constraint of a validator is in the schema of what it validates."""
    bounds, inner = bounds_of(schema)
    return bool(bounds) and (_encoder(inner) is not None or pushed(inner, bounds) is not None)


def _narrowed(function: Callable[[Any, Any], Written], schema: Any, handler: Any) -> Written:
    """Return what a function of pydantic's says of a type, and what its format stands for."""
    found = function(schema, handler)
    if "pattern" in found or found.get("format") not in _FORMATS:
        return found
    if schema.get("function", {}).get("function") is own_validator("pattern_bytes_validator"):
        return {**found, **NEVER}
    return {**found, **_FORMATS[found["format"]]()}


def after(schema: Any, write: Callable[[Any], Written]) -> Written | None:
    """Return what is validated before a validator of pydantic's own; None for others.

    Args:
        schema: The core schema of the validator.
        write: What writes the schema of a core schema.
    """
    bounds, inner = bounds_of(schema)
    encoder = _encoder(inner)
    if encoder is not None:
        return _encoded(encoder, bounds.get("min_length", 0), bounds.get("max_length"))
    narrowed = pushed(inner, bounds) if bounds else None
    if narrowed is not None:
        return write(narrowed) if narrowed else never()
    owner = getattr(schema["function"]["function"], "__self__", None)
    if isinstance(owner, type) and issubclass(owner, ByteSize):
        spelled = [{"maximum": _MOST_BYTES}, {"allOf": [DIGITS_ALONE]}]
        integers = {"type": "integer", "minimum": 0, "anyOf": spelled}
        return {"anyOf": [strings([_byte_size()]), integers]}
    return None


def sized(found: Written, schema: Any) -> Written:
    """Return the schema of a type under constraints that are not said in it, if there are any."""
    bounds, inner = bounds_of(schema)
    if not bounds or inner["type"] in _WITH_FUNCTIONS:
        return found  # a function of the user may have changed the value
    words = _LENGTHS.get(str(found.get("type")), {})
    if not bounds.keys() <= words.keys():
        named = ", ".join(f"{name}={value!r:.30}" for name, value in bounds.items())
        return unenforced(f"{named} on a value of this type", found)
    made = {**found, **{words[name]: value for name, value in bounds.items()}}
    return also(made, [texts.ASCII]) if "max_length" in bounds and _is_bytes(inner) else made


def _is_bytes(core: Any) -> bool:
    """Say whether a type is one of bytes, whose length is not that of the text."""
    while core is not None and core["type"] != "bytes":
        core = next((core[name] for name in _INNER if name in core), None)
    return core is not None


def _encoder(schema: Any) -> EncodedBytes | EncodedStr | None:
    """Return what decodes a text for a core schema, if it is pydantic's; None for others."""
    if schema["type"] != "function-after":
        return None
    owner = getattr(schema["function"]["function"], "__self__", None)
    if not isinstance(owner, (EncodedBytes, EncodedStr)):
        return None
    return owner if owner.encoder in (Base64Encoder, Base64UrlEncoder) else None


def _encoded(owner: EncodedBytes | EncodedStr, least: int, most: int | None) -> Written:
    """Return the schema of what an encoder decodes to at least and at most so many bytes."""
    classic = owner.encoder is Base64Encoder
    counted = texts.whole(*texts.base64_bytes(least, most, classic=classic))
    if not isinstance(owner, EncodedStr):  # in older versions one is a subclass of the other
        return strings([counted])
    ascii_alone = texts.BASE64 if classic else texts.BASE64_URL
    return strings([ascii_alone] if not least and most is None else [ascii_alone, counted])
