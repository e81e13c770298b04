"""Words for schemas that are none: those of jsonschema's best match against the meta-schema."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from formgate.core.errors import GrammarError
from formgate.plugins.json_schema._resolve import pointer

if TYPE_CHECKING:
    from formgate.plugins.json_schema._read import WrongSchemaError
    from formgate.plugins.json_schema._resolve import Where

__all__ = ["explain"]

_VALIDATORS = {
    "4": "Draft4Validator",
    "6": "Draft6Validator",
    "7": "Draft7Validator",
    "2019-09": "Draft201909Validator",
    "2020-12": "Draft202012Validator",
}
_OLD_WAYS = {
    "items": "draft 2020-12 has prefixItems for what items with a list was before",
    "exclusiveMinimum": "only draft 4 has exclusiveMinimum: true",
    "exclusiveMaximum": "only draft 4 has exclusiveMaximum: true",
    "required": "required is a list of names beside properties; only draft 3 had required: true",
}


def explain(error: WrongSchemaError) -> GrammarError:
    """Return the error for the user: the place, and the reason in jsonschema's words if any."""
    resource = error.env.resource
    draft = resource.draft.name
    place, reason = pointer(error.where), error.reason
    try:
        import jsonschema  # noqa: PLC0415 (only when a schema is wrong)
        from jsonschema.exceptions import best_match  # noqa: PLC0415
    except ImportError:
        found = None
    else:
        validator: Any = getattr(jsonschema, _VALIDATORS[draft])
        try:
            found = best_match(validator(validator.META_SCHEMA).iter_errors(resource.root))
        except Exception:  # noqa: BLE001 (deep or odd schemas end it in many ways; it only adds words)
            found = None
    if found is not None:
        where: Where = resource.where
        for step in found.absolute_path:
            where = (where, str(step))
        place, reason = pointer(where), found.message
    hint = None
    keyword = error.where[1]
    if keyword in _OLD_WAYS and draft != "4":
        hint = f"{_OLD_WAYS[keyword]}; name the draft by $schema, or with draft=..."
    if len(reason) > 300:
        reason = reason[:300] + "..."
    return GrammarError(f"{place}: this is no JSON Schema of draft {draft}: {reason}", hint=hint)
