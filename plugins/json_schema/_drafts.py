"""What the drafts differ in, and which keywords hold schemas.

A draft is one object: its name, the address of its meta-schema, and where its keywords differ.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from formgate.plugins.json_schema._values import Json

__all__ = [
    "BY_NAME",
    "CONSTRAINING",
    "CONTENT",
    "VOCABULARIES",
    "Draft",
    "draft_of",
    "keywords_of",
    "subschemas",
]

# The last steps of the addresses of all vocabularies of drafts 2019-09 and 2020-12.
VOCABULARIES = frozenset(
    {
        "applicator",
        "content",
        "core",
        "format",
        "format-annotation",
        "format-assertion",
        "meta-data",
        "unevaluated",
        "validation",
    }
)


class Draft(NamedTuple):
    """One draft of the standard.

    Attributes:
        name: As in the option ``draft``.
        rank: Its place in the order of publication.
        uri: The address of its meta-schema, without a fragment at the end.
        id_keyword: The keyword that names a schema.
    """

    name: str
    rank: int
    uri: str
    id_keyword: str = "$id"

    @property
    def lone_ref(self) -> bool:
        """Whether ``$ref`` makes every keyword beside it meaningless."""
        return self.rank < 2019


BY_NAME = {
    draft.name: draft
    for draft in (
        Draft("4", 4, "http://json-schema.org/draft-04/schema", "id"),
        Draft("6", 6, "http://json-schema.org/draft-06/schema"),
        Draft("7", 7, "http://json-schema.org/draft-07/schema"),
        Draft("2019-09", 2019, "https://json-schema.org/draft/2019-09/schema"),
        Draft("2020-12", 2020, "https://json-schema.org/draft/2020-12/schema"),
    )
}
_BY_URI = {draft.uri.partition("://")[2]: draft for draft in BY_NAME.values()}
_BY_URI["json-schema.org/schema"] = BY_NAME["2020-12"]
# Draft 5 is an edition of draft 4 with clearer words and the same keywords.
_BY_URI["json-schema.org/draft-05/schema"] = BY_NAME["4"]
# Hyper-schemas add links, which are annotations.
_BY_URI.update({uri.replace("/schema", "/hyper-schema"): _BY_URI[uri] for uri in list(_BY_URI)})

# No keyword of the standard: what a type checks that no schema can say, told in words.
UNENFORCED = "x-unenforced"

# Keywords that hold one schema, a list of them, or schemas by name.
_ONE = frozenset(
    [
        "additionalItems",
        "additionalProperties",
        "contains",
        "contentSchema",
        "else",
        "if",
        "items",
        "not",
        "propertyNames",
        "then",
        "unevaluatedItems",
        "unevaluatedProperties",
    ]
)
_LIST = frozenset(["allOf", "anyOf", "oneOf", "prefixItems", "items"])
_NAMED = frozenset(
    ["$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"]
)
_SINCE = {
    "contains": 6,
    "propertyNames": 6,
    "if": 7,
    "then": 7,
    "else": 7,
    "$defs": 2019,
    "contentSchema": 2019,
    "dependentSchemas": 2019,
    "unevaluatedItems": 2019,
    "unevaluatedProperties": 2019,
    "prefixItems": 2020,
}


_ALL = frozenset([4, 6, 7, 2019, 2020])
_SIX, _SEVEN, _NEW = _ALL - {4}, _ALL - {4, 6}, frozenset([2019, 2020])
# The ranks of the drafts that know a keyword.
_KEYWORDS = {
    **dict.fromkeys(["type", "enum", "allOf", "anyOf", "oneOf", "not", "$ref"], _ALL),
    **dict.fromkeys(["multipleOf", "minimum", "maximum"], _ALL),
    **dict.fromkeys(["exclusiveMinimum", "exclusiveMaximum"], _ALL),
    **dict.fromkeys(["minLength", "maxLength", "pattern", "format"], _ALL),
    **dict.fromkeys(["properties", "patternProperties", "additionalProperties"], _ALL),
    **dict.fromkeys(["required", "minProperties", "maxProperties", "dependencies"], _ALL),
    **dict.fromkeys(["items", "minItems", "maxItems", "uniqueItems"], _ALL),
    **dict.fromkeys(["const", "contains", "propertyNames"], _SIX),
    "if": _SEVEN,
    **dict.fromkeys(["dependentRequired", "dependentSchemas"], _NEW),
    **dict.fromkeys(["minContains", "maxContains"], _NEW),
    **dict.fromkeys(["unevaluatedItems", "unevaluatedProperties"], _NEW),
    "$recursiveRef": frozenset([2019]),
    **dict.fromkeys(["prefixItems", "$dynamicRef", UNENFORCED], frozenset([2020])),
}
# Those that constrain from draft 7 on where contents are asserted.
CONTENT = frozenset(["contentEncoding", "contentMediaType"])
# Those of any draft, with those that mean something beside others alone.
CONSTRAINING = frozenset([*_KEYWORDS, "then", "else", "additionalItems"])


def draft_of(uri: object) -> Draft | None:
    """Return the draft whose meta-schema has an address; None when it is none of them."""
    if not isinstance(uri, str):
        return None
    return _BY_URI.get(uri.rstrip("#/").partition("://")[2])


def keywords_of(draft: Draft, *, content: bool = False) -> frozenset[str]:
    """Return the keywords that constrain values by themselves; all others say nothing alone.

    Args:
        draft: The draft.
        content: Whether contents are asserted.
    """
    found = frozenset(word for word, since in _KEYWORDS.items() if draft.rank in since)
    return found | CONTENT if content and draft.rank in _SEVEN else found


def subschemas(  # noqa: C901 (three forms of keywords)
    schema: dict[str, Json], draft: Draft
) -> Iterator[tuple[tuple[str, ...], Json]]:
    """Return the subschemas that a schema's own keywords hold, each with the way to it."""
    for keyword, value in schema.items():
        if _SINCE.get(keyword, 0) > draft.rank:
            continue
        if isinstance(value, dict):
            if keyword in _ONE:
                yield (keyword,), value
            elif keyword in _NAMED:
                for name, inner in value.items():
                    if isinstance(inner, dict):
                        yield (keyword, name), inner
        elif isinstance(value, list) and keyword in _LIST:
            for place, inner in enumerate(value):
                if isinstance(inner, dict):
                    yield (keyword, str(place)), inner
