"""Why no value is valid under a schema: called when that is known, to name the place.

The schema is reduced while still no value is valid: keywords are dropped and subschemas replaced by
``true`` as long as that can only allow more, many at once where that will do (after Zeller and
Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", IEEE Transactions on Software
Engineering 28(2), 2002). What is left cannot be done without. Where it does nothing but ask for one
value within, the place is that of the value; the keywords left there exclude each other.
"""

from __future__ import annotations

from copy import copy, deepcopy
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

from formgate.core.errors import EmptyLanguageError, FormgateError
from formgate.core.grammar import GrammarBuilder
from formgate.core.vocabulary import byte_vocabulary

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from formgate.core.grammar import Node
    from formgate.plugins.json_schema._values import Json

    Write = Callable[[Json, GrammarBuilder], Node]

__all__ = ["Contradiction", "contradiction", "value_at", "without_value"]

_PATIENCE_S = 1.0  # for all attempts
_SHOWN = 4  # keywords that a message names
_GONE = object()

# Where subschemas stand that let the whole allow more if they do.
_BY_NAME = ("properties", "patternProperties", "dependentSchemas", "$defs", "definitions")
_LISTS = ("allOf", "prefixItems", "items", "anyOf", "oneOf")
_ALONE = (
    *("items", "additionalItems", "unevaluatedItems", "contains"),
    *("additionalProperties", "unevaluatedProperties", "propertyNames", "then", "else"),
)
_DEFINITIONS = frozenset(["$defs", "definitions"])
_KEPT = frozenset(["$schema", "$id", "id", "$anchor", "$dynamicAnchor", "$recursiveAnchor"])
# What holds for what a keyword says nothing of: while it stays, so must the keyword.
_LEFTOVERS = {
    "properties": ("additionalProperties",),
    "patternProperties": ("additionalProperties",),
    "prefixItems": ("items",),
    "items": ("additionalItems",),
    "minContains": ("contains",),
    "minimum": ("exclusiveMinimum",),
    "maximum": ("exclusiveMaximum",),
    "contentEncoding": ("contentMediaType",),
}
_UNEVALUATED = frozenset(["unevaluatedProperties", "unevaluatedItems"])
_EVALUATING = frozenset(
    [
        *("properties", "patternProperties", "additionalProperties", "dependentSchemas"),
        *("prefixItems", "items", "additionalItems", "contains"),
        *("$ref", "$dynamicRef", "$recursiveRef"),
        *("allOf", "anyOf", "oneOf", "not", "if", "then", "else"),
    ]
)
# What applies to the very value that the schema around it applies to, whose type counts, too.
_BESIDE = frozenset(["dependentSchemas", "allOf", "anyOf", "oneOf", "then", "else"])
# What says of a value that something is within, and no more.
_ASKING = frozenset(["required", "minItems", "minProperties", "minContains"])


class Contradiction(NamedTuple):
    """What of a schema lets no value be valid.

    Attributes:
        place: The pointer of the subschema.
        reason: What is wrong with it.
        asked: The pointer of what asks for a value there, None if nothing needs to.
        names: The keywords that exclude each other, as ways from the place.
    """

    place: str
    reason: str
    asked: str | None
    names: tuple[str, ...] = ()


def contradiction(schema: Json, write: Write, *, engine: bool) -> Contradiction | None:
    """Return why no value is valid under a schema; None if one is, or that takes too long to tell.

    Args:
        schema: The schema, as JSON values.
        write: Writes a schema to a builder; raises ``EmptyLanguageError`` if it sees that no value
            is valid.
        engine: Whether it takes an engine to see it.
    """
    try:
        search = _Search(deepcopy(schema), write, engine=engine)
        if not search.is_empty():
            return None
        search.reduce()
        return _told(search.root)
    except RecursionError:
        return None


class _Search:
    """A schema that is reduced.

    Args:
        root: The schema; it is changed.
        write: As above.
        engine: As above.
    """

    def __init__(self, root: Json, write: Write, *, engine: bool) -> None:
        self.root = root
        self._write = write
        self._end = perf_counter() + _PATIENCE_S
        self._engine = engine

    def is_empty(self) -> bool:
        """Say whether surely no value is valid under what is left."""
        if perf_counter() >= self._end:
            return False
        builder = GrammarBuilder(deadline=self._end)
        try:
            node = self._write(self.root, builder)
            if self._engine:
                builder.start(node)
                left = self._end - perf_counter()
                if left <= 0:
                    return False
                builder.build().compile(byte_vocabulary(), timeout_s=left)
        except EmptyLanguageError:
            return True
        except FormgateError:
            return False
        return False

    def reduce(self) -> None:
        """Drop what can be dropped, outer parts first."""
        work = [self.root]
        for schema in work:
            if not isinstance(schema, dict):
                continue
            self._keywords(schema)
            self._keywords(schema)  # some can go now that others are gone
            self._parts(schema)
            work.extend(child for _, child in _children(schema))

    def _keywords(self, schema: dict[str, Json]) -> None:
        """Drop keywords that can only allow more when they are gone."""
        kept = _KEPT
        if any(not _UNEVALUATED.isdisjoint(one) for one in _everywhere(self.root)):
            kept |= _EVALUATING
        self._settle(
            [
                (schema, key, _GONE)
                for key in schema
                if key not in kept and not any(other in schema for other in _LEFTOVERS.get(key, ()))
            ]
        )

    def _parts(self, schema: dict[str, Json]) -> None:
        """Replace subschemas by ``true``, and drop names that are required."""
        required = schema.get("required")
        if isinstance(required, list):
            self._settle([(required, name, _GONE) for name in required])
        if any(not _UNEVALUATED.isdisjoint(one) for one in _everywhere(self.root)):
            return
        for key in (*_BY_NAME, "allOf", "prefixItems", "items"):
            parts = schema.get(key)
            if isinstance(parts, dict) and key in _BY_NAME:
                self._settle([(parts, name, True) for name in parts])
            elif isinstance(parts, list) and key not in _BY_NAME:
                self._settle([(parts, place, True) for place in range(len(parts))])

    def _settle(self, edits: list[tuple[Any, Any, object]]) -> None:
        """Make as many changes as can be made, halves at once."""
        if not edits or self._made(edits) or len(edits) == 1:
            return
        half = len(edits) // 2
        self._settle(edits[:half])
        self._settle(edits[half:])

    def _made(self, edits: list[tuple[Any, Any, object]]) -> bool:
        """Make changes to one dict or list, unless a value is valid then."""
        holder = edits[0][0]
        before = copy(holder)
        for _, key, new in edits:
            if new is not _GONE:
                holder[key] = new
            elif isinstance(holder, dict):
                del holder[key]
            else:
                holder.remove(key)
        if self.is_empty():
            return True
        if isinstance(holder, dict):
            holder.clear()
            holder.update(before)
        else:
            holder[:] = before
        return False


def _children(schema: dict[str, Json]) -> Iterator[tuple[tuple[str, ...], Json]]:
    """Yield the ways to subschemas that let a schema allow more if they do, and these."""
    for key in _BY_NAME:
        entries = schema.get(key)
        if isinstance(entries, dict):
            for name, child in entries.items():
                yield (key, name), child
    for key in _LISTS:
        parts = schema.get(key)
        if isinstance(parts, list) and (key != "oneOf" or len(parts) == 1):
            for place, child in enumerate(parts):
                yield (key, str(place)), child
    for key in _ALONE:
        child = schema.get(key)
        if isinstance(child, (dict, bool)) and (key != "contains" or "maxContains" not in schema):
            yield (key,), child


def _everywhere(root: Json) -> Iterator[dict[str, Json]]:
    """Yield the objects within a JSON value."""
    work = [root]
    while work:
        value = work.pop()
        if isinstance(value, dict):
            yield value
            work.extend(value.values())
        elif isinstance(value, list):
            work.extend(value)


def _told(root: Json) -> Contradiction:
    """Return what is to be said of a schema that was reduced."""
    way: tuple[str, ...] = ()
    asked = None
    seen = set()
    schema = root
    while isinstance(schema, dict):
        if way in seen:
            reason = "each value would have another one within, without end"
            return Contradiction(_pointer(way), reason, asked)
        seen.add(way)
        step = _only_step(schema)
        after = _target(str(schema["$ref"])) if step == ("$ref",) else (*way, *(step or ()))
        if step is None or value_at(root, after) is None:
            break
        asking = [key for key in schema if key in _ASKING or key == step[0] == "contains"]
        asked = _pointer((*way, asking[0])) if asking else asked
        way = after
        schema = value_at(root, way)
    if not isinstance(schema, dict):
        return Contradiction(_pointer(way), "the schema false allows no value", asked)
    names = tuple(_keywords_of(schema))
    return Contradiction(_pointer(way), without_value("value", names), asked, names)


def without_value(kind: str, names: Sequence[str]) -> str:
    """Say that no value of a kind is valid under keywords."""
    if len(names) <= 1:
        return f"no {kind} is valid under {names[0] if names else 'the schema'}"
    shown = names if len(names) <= _SHOWN else [*names[: _SHOWN - 1], f"{len(names) - 3} more"]
    words = ", ".join(shown[:-1]) + " and " + shown[-1]
    return f"no {kind} satisfies {words} together"


def _only_step(schema: dict[str, Json]) -> tuple[str, ...] | None:
    """Return the way to the one value that a schema asks for, if it does nothing else."""
    said = schema.keys() - _KEPT - _DEFINITIONS
    ways = [
        way
        for way, child in _children(schema)
        if way[0] not in _DEFINITIONS
        and way[0] != "propertyNames"
        and child not in (True, {})
        and (child is not False or len(way) > 1)
    ]
    if "$ref" in said:
        within = str(schema["$ref"]) == "#" or str(schema["$ref"])[:2] == "#/"
        return ("$ref",) if within and said == {"$ref"} else None
    if len(ways) != 1:
        return None
    way = ways[0]
    # A type that is left excludes something beside it, unless what is asked for lies within.
    if way[0] in _BESIDE and "type" in said and not _asks_within(value_at(schema, way)):
        return None
    return way if said <= _ASKING | {"type", way[0]} else None


def _asks_within(schema: Json) -> bool:
    """Say whether a schema does nothing but ask for one value within."""
    step = _only_step(schema) if isinstance(schema, dict) else None
    if step is None or step[0] == "$ref":
        return False
    return step[0] not in _BESIDE or _asks_within(value_at(schema, step))


def _target(reference: str) -> tuple[str, ...]:
    """Return the way that a reference within the schema says."""
    from urllib.parse import unquote  # noqa: PLC0415 (rarely needed)

    steps = unquote(reference)[1:].split("/")[1:]
    return tuple(step.replace("~1", "/").replace("~0", "~") for step in steps)


def value_at(value: Json, way: tuple[str, ...]) -> Json:
    """Return what stands at the end of a way, None if nothing does."""
    for step in way:
        if isinstance(value, dict):
            value = value.get(step)
        elif isinstance(value, list) and step.isdigit() and int(step) < len(value):
            value = value[int(step)]
        else:
            return None
    return value


def _keywords_of(schema: dict[str, Json]) -> Iterator[str]:
    """Yield the keywords of a schema and of what applies beside it, as ways from it."""
    for key, said in schema.items():
        if key in _KEPT or key in _DEFINITIONS:
            continue
        within = [
            (way, child)
            for way, child in _children({key: said})
            if isinstance(child, dict) and child
        ]
        if not within:
            yield key
        for way, child in within:
            for name in _keywords_of(child):
                yield "/".join((*way, name))


def _pointer(way: tuple[str, ...]) -> str:
    """Return a way as a pointer."""
    return "#" + "".join(f"/{step.replace('~', '~0').replace('/', '~1')}" for step in way)
