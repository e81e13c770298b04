"""From a schema as written to its facts: one pass over its keywords, each checked as it is read.

Only schemas that are reached are read. A keyword that the draft does not know is an annotation. A
keyword of the wrong form stops everything with ``WrongSchemaError``; the words of the message
to the user are chosen elsewhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from formgate.core.errors import UnsupportedConstraint
from formgate.plugins.json_schema._drafts import CONTENT, UNENFORCED
from formgate.plugins.json_schema._facts import (
    ARRAY,
    NUMBER,
    OBJECT,
    STRING,
    TRUE,
    ArrayFacts,
    Facts,
    ObjectFacts,
    Op,
)
from formgate.plugins.json_schema._numbers import NumberSet
from formgate.plugins.json_schema._read_scalars import (
    MAX_COUNT,
    ScalarReader,
)
from formgate.plugins.json_schema._spelled import Numerals
from formgate.plugins.json_schema._wrong import WrongSchemaError

if TYPE_CHECKING:
    from formgate.plugins.json_schema._resolve import Env, Where
    from formgate.plugins.json_schema._states import Schemas
    from formgate.plugins.json_schema._values import Json

__all__ = ["BESIDE_REF", "BESIDE_TYPE", "beside", "read"]

# Keywords that a meta-schema of one's own may leave out.
_VALIDATION = frozenset(
    [
        "type",
        "enum",
        "const",
        "multipleOf",
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "minLength",
        "maxLength",
        "pattern",
        "minItems",
        "maxItems",
        "uniqueItems",
        "minContains",
        "maxContains",
        "minProperties",
        "maxProperties",
        "required",
        "dependentRequired",
    ]
)


def read(schema: dict[str, Json], env: Env, where: Where, world: Schemas) -> Facts:
    """Return what a schema says.

    Raises:
        WrongSchemaError: A keyword has a value that its draft does not allow.
        GrammarError: A reference leads nowhere, a pattern is no pattern.
        UnsupportedConstraint: A pattern or a number cannot be enforced.
    """
    reader = _Reader(schema, env, where, world)
    draft = env.resource.draft
    keywords = _TABLES[world.options.content][draft.rank]
    if draft.lone_ref and "$ref" in schema:
        reader.ref(schema["$ref"])
    else:
        if not env.resource.asserting:
            keywords = {name: keywords[name] for name in keywords.keys() - _VALIDATION}
        for keyword, value in schema.items():
            handler = keywords.get(keyword)
            if handler is not None:
                handler(reader, value)
            elif not isinstance(keyword, str):
                raise WrongSchemaError(env, where, f"{keyword!r:.60} is a key that is no string")
        reader.finish()
    return reader.facts


class _Reader(ScalarReader):
    """Reads one schema; a method for each keyword."""

    __slots__ = ()

    # --- objects ---

    def objects(self) -> ObjectFacts:
        """Return what is said of objects, for more to be said."""
        found = self.facts.objects
        if found is None:
            found = self.facts.objects = ObjectFacts()
        return found

    def properties(self, value: Json) -> None:
        """``properties``: schemas by name."""
        members = self.named("properties", value)
        if members:
            self.objects().props = members
            self.facts.ops.append((Op.BASE,))

    def pattern_properties(self, value: Json) -> None:
        """``patternProperties``: schemas by patterns of names."""
        patterns = self.named("patternProperties", value)
        if patterns:
            way = (self.where, "patternProperties")
            self.objects().patterns = [
                (self.matching(source, (way, source)), lit) for source, lit in patterns.items()
            ]

    def additional_properties(self, value: Json) -> None:
        """``additionalProperties``: of all names that the two above do not speak of."""
        self.objects().additional = self.lit(value, "additionalProperties")
        self.objects().evaluates = True

    def property_names(self, value: Json) -> None:
        """``propertyNames``: of the names themselves."""
        self.objects().names = self.lit(value, "propertyNames")

    def required(self, value: Json) -> None:
        """``required``: names that must be there."""
        if value:
            self.objects().required = self.names("required", value)
            if not self.schema.get("properties"):
                self.facts.ops.append((Op.BASE,))
        elif not isinstance(value, list):
            raise self.wrong("required", "required is a list of names")

    def min_properties(self, value: Json) -> None:
        """``minProperties``."""
        self.objects().low = self.count("minProperties", value)

    def max_properties(self, value: Json) -> None:
        """``maxProperties``."""
        self.objects().high = self.most("maxProperties", value)

    def dependent_required(self, value: Json) -> None:
        """``dependentRequired``: names that ask for others."""
        self._dependent("dependentRequired", value, schemas=False)

    def dependent_schemas(self, value: Json) -> None:
        """``dependentSchemas``: names that ask for a schema."""
        for name, lit in self.named("dependentSchemas", value).items():
            self.facts.ops.append((Op.DEPENDENT, name, lit))

    def dependencies(self, value: Json) -> None:
        """``dependencies``: both at once, as drafts up to 7 have it."""
        self._dependent("dependencies", value, schemas=True)

    def _dependent(self, keyword: str, value: Json, *, schemas: bool) -> None:
        if not isinstance(value, dict):
            raise self.wrong(keyword, f"{keyword} is an object")
        self.texts(keyword, value)
        for name, asked in value.items():
            way = ((self.where, keyword), name)
            if isinstance(asked, list):
                self.facts.ops.append((Op.REQUIRED, name, self.names(keyword, asked)))
            elif schemas:
                self.facts.ops.append((Op.DEPENDENT, name, self.world.lit(asked, self.env, way)))
            else:
                raise self.wrong(keyword, f"{keyword} has lists of names")

    def unevaluated_properties(self, value: Json) -> None:
        """``unevaluatedProperties``: of all names that nothing else here speaks of."""
        self.facts.rest_members = self.lit(value, "unevaluatedProperties")

    # --- arrays ---

    def arrays(self) -> ArrayFacts:
        """Return what is said of arrays, for more to be said."""
        found = self.facts.arrays
        if found is None:
            found = self.facts.arrays = ArrayFacts()
        return found

    def items(self, value: Json) -> None:
        """``items``: of all items, or of those beyond ``prefixItems``; a list up to 2019-09."""
        arrays = self.arrays()
        if isinstance(value, list) and self.env.resource.draft.rank < 2020:
            arrays.prefix = self.several("items", value)
        else:
            arrays.rest = self.lit(value, "items")
            arrays.evaluates = True

    def prefix_items(self, value: Json) -> None:
        """``prefixItems``: of the first items."""
        self.arrays().prefix = self.several("prefixItems", value)

    def min_items(self, value: Json) -> None:
        """``minItems``."""
        self.arrays().low = self.count("minItems", value)

    def max_items(self, value: Json) -> None:
        """``maxItems``."""
        self.arrays().high = self.most("maxItems", value)

    def unique_items(self, value: Json) -> None:
        """``uniqueItems``."""
        if not isinstance(value, bool):
            raise self.wrong("uniqueItems", "uniqueItems is true or false")
        if value:
            self.arrays().unique = True

    def contains(self, value: Json) -> None:
        """``contains``: of some item."""
        self.arrays().contains = self.lit(value, "contains")

    def min_contains(self, value: Json) -> None:
        """``minContains``: of how many items at least."""
        self.arrays().least = self.count("minContains", value)

    def max_contains(self, value: Json) -> None:
        """``maxContains``: of how many items at most."""
        self.arrays().most = self.most("maxContains", value)

    def unevaluated_items(self, value: Json) -> None:
        """``unevaluatedItems``: of all items that nothing else here speaks of."""
        self.facts.rest_items = self.lit(value, "unevaluatedItems")

    # --- other schemas ---

    def ref(self, value: Json) -> None:
        """``$ref``: the schema at an address."""
        if not isinstance(value, str):
            raise self.wrong("$ref", "$ref is a string")
        where = (self.where, "$ref")
        target, env, way = self.world.library.resolve(value, self.env, where)
        self.facts.ops.append((Op.REF, self.world.target(target, env, way, where)))

    def dynamic_ref(self, value: Json) -> None:
        """``$dynamicRef``: the schema at an address, or what took its place."""
        if not isinstance(value, str):
            raise self.wrong("$dynamicRef", "$dynamicRef is a string")
        where = (self.where, "$dynamicRef")
        target, env, way = self.world.library.resolve_dynamic(value, self.env, where)
        self.facts.ops.append((Op.REF, self.world.target(target, env, way, where)))

    def recursive_ref(self, value: Json) -> None:
        """``$recursiveRef``: this document, or the one that took its place."""
        if value != "#":
            raise self.wrong("$recursiveRef", "$recursiveRef is '#'")
        where = (self.where, "$recursiveRef")
        target, env, way = self.world.library.resolve_recursive(self.env)
        self.facts.ops.append((Op.REF, self.world.target(target, env, way, where)))

    def all_of(self, value: Json) -> None:
        """``allOf``."""
        self.facts.ops.append((Op.ALL, *self.several("allOf", value, least=1)))

    def any_of(self, value: Json) -> None:
        """``anyOf``."""
        self.facts.ops.append((Op.ANY, *self.several("anyOf", value, least=1)))

    def one_of(self, value: Json) -> None:
        """``oneOf``."""
        self.facts.ops.append((Op.ONE, *self.several("oneOf", value, least=1)))

    def not_(self, value: Json) -> None:
        """``not``."""
        self.facts.ops.append((Op.NOT, self.lit(value, "not")))

    def if_(self, value: Json) -> None:
        """``if``, with ``then`` and ``else``, which mean nothing without it."""
        test = self.lit(value, "if")
        then, other = (
            self.lit(self.schema[keyword], keyword) if keyword in self.schema else TRUE
            for keyword in ("then", "else")
        )
        # Without the two it constrains nothing, but what it evaluates counts.
        self.facts.ops.append((Op.IF, test, then, other))

    # --- the end ---

    def unenforced(self, value: Json) -> None:
        """What a type asks for and no schema can say, in words."""
        self.world.left_out(
            UnsupportedConstraint(
                f"{value} cannot be enforced",
                hint="give another type, or a schema of its own (of pydantic: WithJsonSchema), or "
                'compile with on_unsupported="relax" and check the result',
            ),
            self.where,
        )

    def finish(self) -> None:
        """Bring together what several keywords say."""
        facts = self.facts
        if len(facts.ops) == 1 and facts.ops[0][0] == Op.BASE:
            facts.ops.clear()
        if facts.objects is not None and facts.objects.low > MAX_COUNT:
            facts.kinds &= ~OBJECT
        if facts.arrays is not None:
            self._arrays(facts.arrays)
        if (self.numbers or self.integer) and facts.kinds & NUMBER:
            facts.number = self._number_set()
            if self.integer and self.env.resource.draft.rank == 4:
                facts.number = Numerals(facts.number, NumberSet.NONE)
        said = self.strings or self.shortest or self.longest is not None
        if said and facts.kinds & STRING:
            facts.string = self._string_set()
        elif said:
            self._check_patterns()
        if self.values:
            self._values()

    def _arrays(self, arrays: ArrayFacts) -> None:
        """Take in ``additionalItems``, and drop what has no meaning alone."""
        draft, schema = self.env.resource.draft, self.schema
        listed = draft.rank < 2020 and isinstance(schema.get("items"), list)
        if listed and "additionalItems" in schema:
            arrays.rest = self.lit(schema["additionalItems"], "additionalItems")
            arrays.evaluates = True
        arrays.marks = draft.rank >= 2020
        special = 0 if arrays.contains is None else arrays.least
        if max(arrays.low, special) > MAX_COUNT:
            self.facts.kinds &= ~ARRAY


def _table(rank: int) -> dict[str, Any]:
    """Return what reads each keyword of a draft."""
    table = {
        "type": _Reader.type,
        "enum": _Reader.enum,
        "multipleOf": _Reader.multiple_of,
        "minimum": _Reader.minimum,
        "maximum": _Reader.maximum,
        "exclusiveMinimum": _Reader.exclusive_minimum,
        "exclusiveMaximum": _Reader.exclusive_maximum,
        "minLength": _Reader.min_length,
        "maxLength": _Reader.max_length,
        "pattern": _Reader.pattern,
        "format": _Reader.format,
        "properties": _Reader.properties,
        "patternProperties": _Reader.pattern_properties,
        "additionalProperties": _Reader.additional_properties,
        "required": _Reader.required,
        "minProperties": _Reader.min_properties,
        "maxProperties": _Reader.max_properties,
        "dependencies": _Reader.dependencies,
        "items": _Reader.items,
        "minItems": _Reader.min_items,
        "maxItems": _Reader.max_items,
        "uniqueItems": _Reader.unique_items,
        "allOf": _Reader.all_of,
        "anyOf": _Reader.any_of,
        "oneOf": _Reader.one_of,
        "not": _Reader.not_,
        "$ref": _Reader.ref,
    }
    if rank >= 6:
        table |= {
            "const": _Reader.const,
            "contains": _Reader.contains,
            "propertyNames": _Reader.property_names,
        }
    if rank >= 7:
        table["if"] = _Reader.if_
    if rank >= 2019:
        table |= {
            "dependentRequired": _Reader.dependent_required,
            "dependentSchemas": _Reader.dependent_schemas,
            "minContains": _Reader.min_contains,
            "maxContains": _Reader.max_contains,
            "unevaluatedItems": _Reader.unevaluated_items,
            "unevaluatedProperties": _Reader.unevaluated_properties,
        }
    if rank == 2019:
        table["$recursiveRef"] = _Reader.recursive_ref
    if rank >= 2020:
        table |= {"prefixItems": _Reader.prefix_items, "$dynamicRef": _Reader.dynamic_ref}
        table[UNENFORCED] = _Reader.unenforced
    return table


# What reads each keyword, by the drafts' ranks.
_KEYWORDS = {rank: _table(rank) for rank in (4, 6, 7, 2019, 2020)}
_CONTENT = {
    "contentEncoding": _Reader.content_encoding,
    "contentMediaType": _Reader.content_media_type,
}
# The same by the option ``content``.
_TABLES = {
    "annotate": _KEYWORDS,
    "assert": {rank: table | _CONTENT if rank >= 7 else table for rank, table in _KEYWORDS.items()},
}
# Keywords that say something beside a type, and beside a reference.
BESIDE_TYPE = {rank: frozenset(table) - {"type"} for rank, table in _KEYWORDS.items()}
BESIDE_REF = {rank: frozenset(table) - {"$ref"} for rank, table in _KEYWORDS.items()}


def beside(content: str) -> tuple[dict[int, frozenset[str]], dict[int, frozenset[str]]]:
    """Return the same two for a value of the option ``content``."""
    if content == "annotate":
        return BESIDE_TYPE, BESIDE_REF
    more = {rank: CONTENT if rank >= 7 else frozenset() for rank in _KEYWORDS}
    return (
        {rank: words | more[rank] for rank, words in BESIDE_TYPE.items()},
        {rank: words | more[rank] for rank, words in BESIDE_REF.items()},
    )
