"""Random schemas, most of them plain: kinds, members, items, scalars, lists of values, references.

Names and definitions are few, so that schemas are met again, inside themselves and by several ways.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from hypothesis import strategies as st
from random_schemas import KINDS, NAMES, counts

_TARGETS = ("#/$defs/x", "#/$defs/y", "#/$defs/z", "#")
_WORDS = ("", "a", "b", "ab", "é", "😀")

_kinds = st.one_of(
    st.sampled_from(KINDS), st.lists(st.sampled_from(KINDS), min_size=1, max_size=4, unique=True)
)
_values = st.one_of(
    st.sampled_from(_WORDS), st.sampled_from((None, True, False, 1, 1.5, 1.0, -2, 10**20))
)
_bounds = st.sampled_from((0, 1, 1.5, -2, 7, 2.0, 100))
_numbers = st.fixed_dictionaries(
    {"type": st.sampled_from(("number", "integer", ["integer", "string"], "string"))},
    optional={
        "minimum": _bounds,
        "maximum": _bounds,
        # Truth values are of draft 4, numbers of the others.
        "exclusiveMinimum": st.one_of(_bounds, st.booleans()),
        "exclusiveMaximum": st.one_of(_bounds, st.booleans()),
        "multipleOf": st.sampled_from((1, 2, 0.5, 5, 3)),
    },
)
_texts = st.fixed_dictionaries(
    {"type": st.sampled_from(("string", "string", ["null", "string"], "integer"))},
    optional={
        "minLength": counts,
        "maxLength": st.integers(1, 12),
        "pattern": st.sampled_from(("^a", "b$", "^[ab]*$", "^é?$", "", "a{3}", r"(a)\1", "(")),
        "format": st.sampled_from(("date", "uuid", "ipv4", "int32", "hostname", "date-time")),
    },
)
_leaves = st.one_of(
    st.builds(lambda kind: {"type": kind}, _kinds),
    st.builds(lambda values: {"enum": values}, st.lists(_values, min_size=1, max_size=4)),
    st.builds(lambda value: {"const": value}, _values),
    st.builds(lambda target: {"$ref": target}, st.sampled_from(_TARGETS)),
    st.builds(
        lambda low, more: {"type": "string", "minLength": low, "maxLength": low + more},
        counts,
        counts,
    ),
    _numbers,
    _texts,
    st.sampled_from(({}, True, False, {"title": "a"}, {"minLength": 1}, {"not": {}})),
    st.sampled_from(({"pattern": "^a"}, {"minimum": 2}, {"format": "date"}, {"multipleOf": 3})),
    # These take the automaton.
    st.sampled_from(
        (
            {"type": "object", "minProperties": 1},
            {"type": "object", "patternProperties": {"^a": {"type": "null"}}},
            {"anyOf": [{"type": "null"}, {"$ref": "#/$defs/x"}]},
        )
    ),
)


@cache  # hypothesis looks through all of it once, not for each example
def plain_schemas() -> st.SearchStrategy[Any]:
    """Return random documents with definitions that they refer to."""
    inner = st.recursive(_leaves, _composite, max_leaves=8)
    return st.builds(_document, inner, inner, inner, inner)


def _composite(parts: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    named = st.dictionaries(st.sampled_from(NAMES), parts, max_size=3)
    required = st.lists(st.sampled_from(NAMES), max_size=2, unique=True)
    objects = st.fixed_dictionaries(
        {"properties": named},
        optional={
            "type": st.sampled_from(("object", ["object", "null"])),
            "required": required,
            "additionalProperties": st.one_of(st.booleans(), parts),
        },
    )
    arrays = st.fixed_dictionaries(
        {"type": st.sampled_from(("array", ["string", "array"]))},
        optional={
            "items": parts,
            "minItems": counts,
            "maxItems": counts,
            "uniqueItems": st.just(False),
        },
    )
    choices = st.builds(
        lambda keyword, several, null: {
            keyword: [*several, {"type": "null"}][: None if null else -1]
        },
        st.sampled_from(("anyOf", "oneOf", "allOf")),
        st.lists(parts, min_size=1, max_size=2),
        st.booleans(),
    )
    return st.one_of(
        objects,
        objects,
        arrays,
        choices,
        choices,
        _told_apart(named, parts),
        _told_apart(named, parts),
        _inherited(named, required),
        _inherited(named, required),
        _lists_apart(parts),
        _in_cases(named, required),
        _in_cases(named, required),
        _one_member_each(named, parts),
        _with_patterns(named, parts),
    )


def _inherited(
    named: st.SearchStrategy[dict[str, Any]], required: st.SearchStrategy[list[str]]
) -> st.SearchStrategy[Any]:
    """Return objects that take what others say, by ``allOf`` and references."""
    own = {
        "type": st.sampled_from(("object", "object", ["object", "null"], ["array", "object"])),
        "properties": named,
        "required": required,
        "additionalProperties": st.booleans(),
    }
    target = st.sampled_from(_TARGETS)
    base = st.one_of(
        st.fixed_dictionaries({}, optional=own),
        st.builds(lambda target: {"$ref": target}, target),
        st.fixed_dictionaries({"properties": named, "$ref": target}),
    )
    bases = st.lists(base, min_size=1, max_size=3)
    further = st.builds(lambda several: {"allOf": several}, bases)
    schemas = st.fixed_dictionaries(
        {"allOf": st.lists(st.one_of(base, base, further), min_size=1, max_size=3)},
        optional={**own, "$ref": target},
    )
    return st.builds(
        lambda schema, order: {key: schema[key] for key in sorted(schema, key=order.index)},
        schemas,
        st.permutations(("allOf", "$ref", *own)),
    )


def _lists_apart(parts: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Return alternatives of arrays, some of which share no value."""
    branch = st.fixed_dictionaries(
        {"type": st.sampled_from(("array", "array", ["array", "null"]))},
        optional={
            "items": st.one_of(st.builds(lambda kind: {"type": kind}, _kinds), parts),
            "minItems": st.sampled_from((0, 1, 1, 2)),
        },
    )
    return st.builds(
        lambda keyword, several: {keyword: several},
        st.sampled_from(("oneOf", "oneOf", "anyOf")),
        st.lists(branch, min_size=2, max_size=3),
    )


def _told_apart(
    named: st.SearchStrategy[dict[str, Any]], parts: st.SearchStrategy[Any]
) -> st.SearchStrategy[Any]:
    """Return alternatives of objects, most of which one of two members tells apart."""
    words = st.sampled_from(_WORDS)
    tag = st.one_of(
        st.builds(lambda word: {"const": word}, words),
        st.builds(lambda some: {"enum": some}, st.lists(words, min_size=1, max_size=2)),
        st.builds(lambda word: {"type": "string", "enum": [word]}, words),
        st.builds(lambda word: {"type": "string", "pattern": f"^{word}$"}, words),
        st.builds(lambda kind: {"type": kind}, _kinds),
        st.sampled_from(({"enum": ["a", 1]}, {"const": 2}, {"enum": []}, {"$ref": "#/$defs/x"})),
    )
    branch = st.builds(
        lambda properties, one, other, required, extra: {
            "type": "object",
            "properties": {**properties, "t": one, **({"u": other} if other else {})},
            "required": required,
            **extra,
        },
        named,
        tag,
        st.one_of(st.none(), tag),
        st.sampled_from((["t"], ["t"], ["t", "u"], ["u", "t"], ["a", "t"], [])),
        st.sampled_from(({}, {}, {"additionalProperties": False}, {"type": ["object", "null"]})),
    )
    return st.builds(
        lambda keyword, several, other: {keyword: [*several, *other]},
        st.sampled_from(("anyOf", "oneOf", "oneOf")),
        st.lists(branch, min_size=2, max_size=4),
        st.lists(parts, max_size=1),
    )


def _in_cases(
    named: st.SearchStrategy[dict[str, Any]], required: st.SearchStrategy[list[str]]
) -> st.SearchStrategy[Any]:
    """Return objects of which alternatives say more, beside what is said of them all."""
    words = st.sampled_from(_WORDS)
    tag = st.one_of(
        st.builds(lambda word: {"const": word}, words),
        st.builds(lambda some: {"enum": some}, st.lists(words, min_size=1, max_size=2)),
        st.builds(lambda kind: {"type": kind}, _kinds),
    )
    requirement = st.builds(lambda names: {"required": names}, required)
    tagged = st.builds(
        lambda name, value, names, more: {
            "properties": {**more, name: value},
            "required": [name, *(other for other in names if other != name)],
        },
        st.sampled_from(("t", "t", "u")),
        tag,
        required,
        named,
    )
    plain = st.fixed_dictionaries(
        {"properties": named},
        optional={
            "required": required,
            "type": st.sampled_from(("object", "object", ["object", "null"], "string")),
            "additionalProperties": st.just(False),
        },
    )
    part = st.one_of(requirement, tagged, tagged, plain, st.sampled_from(({}, {"type": "null"})))
    inner = st.one_of(
        part,
        part,
        part,
        _either(part),
        st.builds(lambda target: {"$ref": target}, st.sampled_from(_TARGETS)),
    )
    both = st.lists(st.one_of(plain, tagged, _either(inner)), min_size=1, max_size=3)
    whole = st.fixed_dictionaries(
        {},
        optional={
            "type": st.sampled_from(("object", "object", "object", ["object", "null"])),
            "properties": st.builds(
                lambda some, value: {**some, **({"t": value} if value else {})},
                named,
                st.one_of(st.none(), tag),
            ),
            "required": required,
            "allOf": both,
            "additionalProperties": st.just(True),
        },
    )
    return st.builds(
        lambda schema, either, order: {
            key: {**schema, **either}[key] for key in sorted({**schema, **either}, key=order.index)
        },
        whole,
        _either(inner),
        st.permutations(
            ("type", "properties", "required", "allOf", "anyOf", "oneOf", "additionalProperties")
        ),
    )


def _with_patterns(
    named: st.SearchStrategy[dict[str, Any]], parts: st.SearchStrategy[Any]
) -> st.SearchStrategy[Any]:
    """Return objects with members by patterns of their names."""
    patterns = st.dictionaries(
        st.sampled_from(
            ("^a", "b$", "^[^a]*$", "", "^x-", "^ab?$", "^(?!a)", "x", "^\\d+$", "(", "$^")
        ),
        st.one_of(parts, parts, st.booleans()),
        min_size=1,
        max_size=2,
    )
    own = {
        "properties": named,
        "required": st.lists(st.sampled_from(("a", "ab", "x-", "7", "b")), max_size=2, unique=True),
        "additionalProperties": st.one_of(st.just(False), st.booleans(), parts),
    }
    kind = st.sampled_from(("object", "object", ["object", "null"]))
    return st.builds(
        lambda schema, patterns, order: {
            key: {**schema, "patternProperties": patterns}[key]
            for key in sorted({**schema, "patternProperties": patterns}, key=order.index)
        },
        st.fixed_dictionaries({"type": kind}, optional=own),
        patterns,
        st.permutations(("type", "patternProperties", *own)),
    )


def _one_member_each(
    named: st.SearchStrategy[dict[str, Any]], parts: st.SearchStrategy[Any]
) -> st.SearchStrategy[Any]:
    """Return objects that have exactly one of some members, or not such a one, beside others."""
    names = st.sampled_from(("a", "b", "ab", "t", "u"))
    some = st.lists(st.sampled_from(_WORDS), max_size=2)
    words = st.builds(lambda some: {"enum": some}, some)
    value = st.one_of(
        st.none(),
        st.builds(lambda kind: {"type": kind}, _kinds),
        words,
        words,
        st.builds(lambda some: {"not": some}, words),
        parts,
    )
    single = st.builds(
        lambda name, value, more, needed: {
            **more,
            **({} if value is None else {"properties": {name: value}}),
            **({"required": [name]} if needed else {}),
        },
        names,
        value,
        st.sampled_from(({}, {}, {}, {"type": "object"}, {"type": ["object", "null"]})),
        st.sampled_from((True, True, True, False)),
    )
    denied = st.builds(lambda said: {"not": said}, single)
    more = st.builds(
        lambda said, first, second: {**said, **first} if second else {**first, **said},
        single,
        denied,
        st.booleans(),
    )
    target = st.builds(lambda target: {"$ref": target}, st.sampled_from(_TARGETS))
    branch = st.one_of(single, single, single, single, target, denied, more)
    exclusive = st.builds(
        lambda several: {"oneOf": several}, st.lists(branch, min_size=2, max_size=4)
    )
    requirement = st.builds(
        lambda names: {"required": names}, st.lists(names, min_size=1, max_size=2, unique=True)
    )
    open_ones = st.builds(
        lambda first, several: {"anyOf": [first, *several]},
        st.one_of(exclusive, requirement),
        st.lists(st.one_of(requirement, single), min_size=1, max_size=5),
    )
    either = st.one_of(exclusive, exclusive, open_ones)
    kind = st.sampled_from(("object", "object", "object", ["object", "null"]))
    own = {
        "properties": named,
        "required": st.lists(names, max_size=1),
        "additionalProperties": st.booleans(),
    }
    said = st.fixed_dictionaries({"type": kind}, optional=own)
    applied = st.lists(st.one_of(said, either, target, denied), min_size=1, max_size=3)
    return st.one_of(
        st.builds(
            lambda schema, both, either, order: {
                key: {**schema, **both, **either}[key]
                for key in sorted({**schema, **both, **either}, key=order.index)
            },
            st.one_of(said, said, st.fixed_dictionaries({}, optional=own)),
            st.fixed_dictionaries({}, optional={"allOf": applied, "not": single}),
            st.one_of(either, either, denied),
            st.permutations(("type", "allOf", "anyOf", "oneOf", "not", *own)),
        ),
        st.builds(lambda several: {"allOf": several}, applied),
    )


def _either(parts: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Return one keyword with two or three alternatives."""
    return st.builds(
        lambda keyword, several: {keyword: several},
        st.sampled_from(("anyOf", "oneOf")),
        st.lists(parts, min_size=2, max_size=3),
    )


def _document(root: Any, x: Any, y: Any, z: Any) -> Any:
    if not isinstance(root, dict):
        root = {"type": "array", "items": root}
    return {**root, "$defs": {"x": x, "y": y, "z": z}}
