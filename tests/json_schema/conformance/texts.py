"""Instances as texts: exact numbers, members as they are or in the order that a schema has.

The order under `property_order="schema"` is that of first mention: a walk through the schemas that
apply to an object in place, in the order in which they stand, then names that are only required.
All other members follow as they are.
"""

from __future__ import annotations

import json
import re
from decimal import Decimal
from typing import Any
from urllib.parse import unquote

_IN_PLACE = ("allOf", "anyOf", "oneOf", "if", "then", "else", "not", "dependentSchemas")
_MOST_STEPS = 2_000  # schemas looked at for one object


def written(value: Any) -> str:
    """Return an instance as JSON text, with its numbers as they were read."""
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, list):
        return f"[{', '.join(map(written, value))}]"
    if isinstance(value, dict):
        members = (f"{written(name)}: {written(part)}" for name, part in value.items())
        return f"{{{', '.join(members)}}}"
    return json.dumps(value, ensure_ascii=False)


def reordered(value: Any, schema: Any) -> Any:
    """Return an instance with the members of its objects in the order of a schema."""
    return _Order(schema).value(value, [schema])


class _Order:
    """The walk; references are followed within the document."""

    def __init__(self, document: Any) -> None:
        self._document = document
        self._anchors: dict[str, Any] = {}

    def value(self, value: Any, schemas: list[Any]) -> Any:
        """Return a part of the instance that these schemas apply to."""
        if isinstance(value, dict):
            applied = self._applied(schemas)
            names = [name for name in _mentioned(applied) if name in value]
            rest = [name for name in value if name not in set(names)]
            return {
                name: self.value(value[name], _below(applied, name)) for name in [*names, *rest]
            }
        if isinstance(value, list):
            applied = self._applied(schemas)
            return [self.value(part, _items(applied, at)) for at, part in enumerate(value)]
        return value

    def _applied(self, schemas: list[Any]) -> list[dict[str, Any]]:
        """Return all schemas that apply in place, each once, in the order of the text."""
        found: list[dict[str, Any]] = []
        seen: set[int] = set()
        pending = list(reversed(schemas))
        while pending and len(found) < _MOST_STEPS:
            schema = pending.pop()
            if not isinstance(schema, dict) or id(schema) in seen:
                continue
            seen.add(id(schema))
            found.append(schema)
            inner: list[Any] = []
            for keyword, part in schema.items():
                if keyword in ("$ref", "$dynamicRef", "$recursiveRef"):
                    inner.append(self._target(part))
                elif keyword in ("dependentSchemas", "dependencies") and isinstance(part, dict):
                    inner += part.values()
                elif keyword in _IN_PLACE:
                    inner += part if isinstance(part, list) else [part]
            pending += reversed(inner)
        return found

    def _target(self, reference: Any) -> Any:
        if not isinstance(reference, str) or not reference.startswith("#"):
            return None
        target = self._document
        for part in unquote(reference[1:]).split("/")[1:]:
            step = part.replace("~1", "/").replace("~0", "~")
            try:
                target = target[int(step)] if isinstance(target, list) else target[step]
            except (KeyError, IndexError, ValueError, TypeError):
                return None
        return target


def _mentioned(schemas: list[dict[str, Any]]) -> list[str]:
    """Return the names of properties in order of mention, then those that are only required."""
    names: dict[str, None] = {}
    for schema in schemas:
        properties = schema.get("properties")
        if isinstance(properties, dict):
            names |= dict.fromkeys(properties)
    for schema in schemas:
        required = schema.get("required")
        if isinstance(required, list):
            names |= {name: None for name in required if isinstance(name, str)}
    return list(names)


def _below(schemas: list[dict[str, Any]], name: str) -> list[Any]:
    """Return the schemas of a member."""
    found = []
    for schema in schemas:
        known = False
        properties = schema.get("properties")
        if isinstance(properties, dict) and name in properties:
            found.append(properties[name])
            known = True
        patterns = schema.get("patternProperties")
        for pattern, part in (patterns if isinstance(patterns, dict) else {}).items():
            if _search(pattern, name):
                found.append(part)
                known = True
        if not known:
            found += [schema.get("additionalProperties"), schema.get("unevaluatedProperties")]
    return found


def _items(schemas: list[dict[str, Any]], at: int) -> list[Any]:
    """Return the schemas of an item."""
    found = []
    for schema in schemas:
        items = schema.get("items")
        row = schema.get("prefixItems", items if isinstance(items, list) else [])
        if isinstance(row, list) and at < len(row):
            found.append(row[at])
        else:
            found += [None if isinstance(items, list) else items, schema.get("additionalItems")]
        found += [schema.get("contains"), schema.get("unevaluatedItems")]
    return found


def _search(pattern: str, name: str) -> bool:
    try:
        return re.search(pattern, name) is not None
    except re.error:
        return False
