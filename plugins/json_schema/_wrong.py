"""Schemas that are none, and words for them: those of jsonschema's best match."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from formgate.core.errors import GrammarError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from formgate.plugins.json_schema._resolve import Env, Where
    from formgate.plugins.json_schema._values import Json

__all__ = ["WrongSchemaError", "explain"]

_VALIDATORS = {
    "4": "Draft4Validator",
    "6": "Draft6Validator",
    "7": "Draft7Validator",
    "2019-09": "Draft201909Validator",
    "2020-12": "Draft202012Validator",
}
_NAME_THE_DRAFT = "; name the draft by $schema, or with draft=..."
# What other drafts have: the type of the value, and what to say.
_OLD_WAYS: dict[str, tuple[type, str]] = {
    "items": (
        list,
        "draft 2020-12 has prefixItems for what items with a list was before" + _NAME_THE_DRAFT,
    ),
    "exclusiveMinimum": (bool, "only draft 4 has exclusiveMinimum: true" + _NAME_THE_DRAFT),
    "exclusiveMaximum": (bool, "only draft 4 has exclusiveMaximum: true" + _NAME_THE_DRAFT),
    "required": (
        bool,
        (
            "required is a list of names beside properties; only draft 3, which is not supported, "
            "had required: true"
        ),
    ),
}


class WrongSchemaError(Exception):
    """A schema breaks the rules of its draft."""

    def __init__(self, env: Env, where: Where, reason: str) -> None:
        super().__init__(reason)
        self.env = env
        self.where = where
        self.reason = reason


def explain(error: WrongSchemaError) -> GrammarError:
    """Return the error for the user: the place, and the reason in jsonschema's words if any.

    jsonschema looks at the whole schema, and would name first what lies nearest to its root, be it
    in a part that is never reached or in an annotation. Only what it says of the place counts.
    """
    from formgate.plugins.json_schema._resolve import pointer  # noqa: PLC0415 (rarely needed)

    resource = error.env.resource
    draft = resource.draft.name
    steps = _steps(error.where)[len(_steps(resource.where)) :]
    place, reason = pointer(error.where), error.reason
    try:
        import jsonschema  # noqa: PLC0415 (only when a schema is wrong)
        from jsonschema.exceptions import best_match  # noqa: PLC0415
    except ImportError:
        found = None
    else:
        validator: Any = getattr(jsonschema, _VALIDATORS[draft])
        try:
            errors = validator(validator.META_SCHEMA).iter_errors(resource.root)
            found = best_match(_at(errors, steps))
        except Exception:  # noqa: BLE001 (deep or odd schemas end it in many ways; it only adds words)
            found = None
    # "... is not valid under any of the given schemas" says less than what was met when reading.
    if found is not None and found.validator not in ("anyOf", "oneOf"):
        where: Where = resource.where
        for step in found.absolute_path:
            where = (where, str(step))
        place, reason = pointer(where), found.message
    kind, hint = _OLD_WAYS.get(steps[-1] if steps else "", (None, None))
    if kind is None or not isinstance(_value(resource.root, steps), kind):
        hint = None
    if len(reason) > 300:
        reason = reason[:300] + "..."
    return GrammarError(f"{place}: this is no JSON Schema of draft {draft}: {reason}", hint=hint)


def _steps(where: Where) -> list[str]:
    """Return a way from its document's root."""
    steps = []
    parent, step = where
    while parent is not None:
        steps.append(step)
        parent, step = parent
    return steps[::-1]


def _at(errors: Iterable[Any], steps: list[str]) -> list[Any]:
    """Return the errors at a place or below it, those inside of others included."""
    pending = list(errors)
    found = []
    while pending:
        error = pending.pop()
        way = [str(step) for step in error.absolute_path]
        if way[: len(steps)] == steps:
            found.append(error)
        elif steps[: len(way)] == way:
            pending += error.context
    return found


def _value(root: Json, steps: list[str]) -> Json:
    """Return what stands at a place, None if the way ends before."""
    for step in steps:
        if isinstance(root, dict):
            root = root.get(step)
        elif isinstance(root, list) and step.isdecimal() and int(step) < len(root):
            root = root[int(step)]
        else:
            return None
    return root
