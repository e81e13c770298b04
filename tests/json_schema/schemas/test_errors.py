"""What is wrong with a schema is said, with the place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from acceptor import Acceptor
from refused_schemas import deep, refused

import formgate
from formgate.core.errors import (
    CompileTimeout,
    EmptyLanguageError,
    GrammarError,
    LimitError,
    UnsupportedConstraint,
)
from formgate.core.grammar import GrammarBuilder, Limits
from formgate.plugins.json_schema import compile_json_schema, inspect
from formgate.plugins.json_schema._write import UnenforcedWarning


@pytest.mark.parametrize(
    ("schema", "options", "words"),
    [
        (
            {"type": "strin"},
            {},
            "#/type: this is no JSON Schema of draft 2020-12: 'strin' is not the name of a type",
        ),
        ({"properties": {"a/b": {"minimum": "1"}}}, {}, "#/properties/a~1b/minimum: "),
        ({"properties": []}, {}, "#/properties: "),
        ({"required": "a"}, {}, "#/required: "),
        ({"allOf": []}, {}, "#/allOf: "),
        ({"items": [{}]}, {}, "#/items: "),
        ({"enum": 1}, {}, "#/enum: "),
        ({"minLength": -1}, {}, "#/minLength: "),
        ({"minItems": 1.5}, {}, "#/minItems: "),
        ({"multipleOf": 0}, {}, "#/multipleOf: "),
        ({"uniqueItems": 1}, {}, "#/uniqueItems: "),
        ({"pattern": 1}, {}, "#/pattern: "),
        ({"additionalProperties": 1}, {}, "#/additionalProperties: "),
        ({"dependentRequired": {"a": 1}}, {}, "#/dependentRequired/a: "),
        ({"exclusiveMinimum": True}, {}, "only draft 4 has exclusiveMinimum: true"),
        ({"exclusiveMinimum": 1}, {"draft": "4"}, "this is no JSON Schema of draft 4: "),
        ({"$ref": 1}, {}, "#/$ref: "),
        ({"pattern": "("}, {}, "#/pattern"),
        ({"const": float("nan")}, {}, "nan is no JSON value"),
        ({"enum": [{1: 2}]}, {}, "no JSON value"),
    ],
)
def test_what_is_no_schema(schema: Any, options: Any, words: str) -> None:
    error = refused(schema, **options)
    assert isinstance(error, GrammarError)
    assert words in str(error)


@pytest.mark.parametrize(
    ("schema", "place"),
    [
        ({"title": 3, "properties": {"a": {"minLength": -1}}}, "#/properties/a/minLength"),
        ({"$defs": {"unused": {"type": 1}}, "items": {"required": "x"}}, "#/items/required"),
        ({"anyOf": [{"type": "x"}], "$id": 3}, "#/anyOf/0/type"),
        (
            {
                "$schema": "http://json-schema.org/draft-04/schema#",
                "required": [],
                "additionalProperties": {"items": {"minimum": "1"}},
            },
            "#/additionalProperties/items/minimum",
        ),
    ],
)
def test_the_place_is_that_of_what_is_wrong(schema: Any, place: str) -> None:
    assert str(refused(schema)).startswith(f"{place}: this is no JSON Schema")


@pytest.mark.parametrize(
    ("schema", "hint"),
    [
        ({"items": [{}]}, "prefixItems"),
        ({"items": 3}, None),
        ({"properties": {"a": {"required": True}}}, "only draft 3, which is not supported"),
        ({"required": ["a", "a"]}, None),
        ({"exclusiveMaximum": "1"}, None),
        (
            {"$schema": "http://json-schema.org/draft-04/schema#", "required": False},
            "list of names beside properties",
        ),
        ({"title": 3, "items": {"exclusiveMinimum": True}}, "only draft 4"),
    ],
)
def test_hints_at_other_drafts(schema: Any, hint: str | None) -> None:
    found = refused(schema).hint
    assert (hint in found) if hint else found is None


def test_only_what_is_reached_is_looked_at() -> None:
    wrong = {"$defs": {"a": {"type": 1}}, "not_a_keyword": {"type": 1}, "type": "null"}
    compile_json_schema(wrong, GrammarBuilder())


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        (
            {"$ref": "#/$defs/a"},
            "#/$ref: the reference '#/$defs/a' leads nowhere: there is no #/$defs",
        ),
        ({"$ref": "#a"}, "there is no anchor 'a'"),
        ({"$ref": "other.json"}, "no document is known as 'other.json'"),
        ({"$ref": "http://example.com/x#/a"}, "nothing is fetched"),
        ({"$ref": "#/type", "type": "null"}, "which is no schema"),
        ({"items": {"$ref": "#/$defs/x"}, "$defs": {"y": {}}}, "#/items/$ref: the reference"),
    ],
)
def test_references_that_lead_nowhere(schema: Any, words: str) -> None:
    assert words in str(refused(schema))


def test_pointers_of_an_embedded_draft_4_that_count_from_the_outside() -> None:
    """The draft around it does not know its `id`: both may have been meant as one document."""
    part = {
        "$schema": "http://json-schema.org/draft-04/schema",
        "id": "schema/part",
        "definitions": {"flag": {"type": "boolean"}, "count": {"type": "integer"}},
        "properties": {
            "outside": {"$ref": "#/definitions/part/definitions/flag"},
            "inside": {"$ref": "#/definitions/count"},
        },
        "additionalProperties": False,
    }
    schema = {"$ref": "#/definitions/part", "definitions": {"part": part}}
    acceptor = Acceptor(schema)
    for value, valid in (
        ({"outside": True, "inside": 1}, True),
        ({"outside": 1}, False),
        ({"inside": True}, False),
    ):
        assert acceptor.accepts(value) is valid, value
    part["properties"]["outside"] = {"$ref": "#/definitions/part/definitions/nothing"}
    assert "there is no #/definitions/part/definitions/part" in str(refused(schema))


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#"},
        {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}},
        {"not": {"$ref": "#"}},
        {"anyOf": [{"type": "string"}, {"$ref": "#"}]},
        {"type": "object", "allOf": [{"$ref": "#"}]},
        {"type": "array", "oneOf": [{"items": {}}, {"$ref": "#"}]},
        {"if": {"$ref": "#"}, "then": False},
    ],
)
def test_schemas_that_are_defined_by_themselves(schema: Any) -> None:
    assert "refers to itself" in refused(schema).args[0]


def test_documents_given_by_address() -> None:
    schema = {"$ref": "http://example.com/a#/$defs/x"}
    given = {"http://example.com/a": {"$defs": {"x": {"type": "integer"}}}}
    acceptor = Acceptor(schema, resources=given)
    assert acceptor.accepts(1)
    assert not acceptor.accepts("1")
    assert Acceptor({"$ref": "http://json-schema.org/draft-07/schema#"}).accepts({"type": "null"})


# --- sources ---


def test_sources(tmp_path: Path, byte_vocabulary: formgate.Vocabulary) -> None:
    path = tmp_path / "schema.json"
    path.write_text(
        '\ufeff{"type": "integer", "minimum": 10000000000000000000001}', encoding="utf-8"
    )
    for source in (path, path.read_text(encoding="utf-8-sig")):
        engine = formgate.compile(source, byte_vocabulary, format="json_schema")
        assert engine.accepts("10000000000000000000001")
        assert not engine.accepts("10000000000000000000000")
    assert formgate.compile({"type": "null"}, byte_vocabulary).accepts("null")
    assert formgate.compile(True, byte_vocabulary).accepts("[{}]")


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ('{"a": 1', "the schema is not JSON"),
        ("schema.json", "a file is given as pathlib.Path"),
        ('{"type": "null", "type": "string"}', '#: an object has the key "type" twice'),
        (
            '{"a": {}, "b/c": [1, {"d": "a"}, {"a": 1e9, "b": ["a"],\n  "\\u0061": 2}], "a": 3}',
            '#/b~1c/2: an object has the key "a" twice\n  line 2, column 3',
        ),
        ('{"minimum": NaN}', "#/minimum: NaN is not JSON"),
        ('{"a": ["1e99999999999999999999", 1e99999999999999999999]}', "#/a/1: the number 1e9999"),
        ("[]", "a schema is an object or a truth value"),
        ("12", "a schema is an object or a truth value"),
        (b"{}", "takes a schema as a dict"),
        (Path("/nowhere/at/all"), "cannot read the schema file"),
        ("[" * 100_000, "nested too deeply"),
        ('{"a": {"minimum": 1' + "0" * 5_000 + "}}", "#/a/minimum: a number has more than 4000"),
    ],
)
def test_what_holds_no_schema(source: Any, words: str) -> None:
    assert words in str(refused(source))


def test_drafts() -> None:
    assert "draft that is not supported" in str(
        refused({"$schema": "http://json-schema.org/draft-03/schema#"})
    )
    old = {"$schema": "http://json-schema.org/draft-04/schema#", "minimum": 1}
    assert not Acceptor({**old, "exclusiveMinimum": True}).accepts(1)
    assert Acceptor({"const": 1}, draft="draft4").accepts(2)
    assert not Acceptor({"const": 1}, draft=6).accepts(2)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"drafts": "4"}, "has no option 'drafts'"),
        ({"draft": "3"}, "draft is '4', '6'"),
        ({"draft": True}, "draft is"),
        ({"whitespace": "none"}, "whitespace is 'flexible' or 'compact'"),
        ({"max_blanks": -1}, "max_blanks is a whole number from 0, not -1"),
        ({"max_blanks": 10**12}, "max_blanks is a whole number from 0 to 2147483647, not 1"),
        ({"max_states": 0}, "max_states is a whole number from 1"),
        ({"max_clauses": 10**9999}, "not a number of 33216 bits"),
        ({"indent": 65}, "indent is a whole number from 0 to 64, not 65"),
        ({"indent": 2, "max_levels": 1_000}, "max_levels is a whole number from 0 to 256"),
        ({"max_nested": 0}, "max_nested is a whole number from 1"),
        ({"max_nested": 65}, "max_nested is a whole number from 1 to 64, not 65"),
        ({"separators": (",", "=")}, "separators are a comma and a colon"),
        ({"indent": 2, "whitespace": "compact"}, "indent fixes the white space"),
        ({"resources": [1]}, "resources is"),
        ({"escapes": "all"}, "escapes is"),
        ({"content": True}, "content is 'annotate' or 'assert', not True"),
    ],
)
def test_options(options: Any, words: str) -> None:
    assert words in str(refused({}, **options))


# --- what cannot be enforced ---

UNSUPPORTED = [
    (
        {
            "properties": {
                "a": {"uniqueItems": True, "contains": {"type": "string"}, "maxContains": 1}
            }
        },
        "#/properties/a/uniqueItems: uniqueItems",
    ),
    (
        {"items": {"type": "array", "uniqueItems": True, "items": {"$ref": "#/items"}}},
        "#/items: uniqueItems cannot be enforced",
    ),
    (
        {
            "properties": {
                "a": {
                    "type": "array",
                    "uniqueItems": True,
                    "items": {"anyOf": [{"enum": [1, 2]}, {"$ref": "#/properties/a"}]},
                }
            }
        },
        "uniqueItems cannot be enforced",
    ),
    ({"not": {"uniqueItems": True}}, "#/not/uniqueItems: that two items must be equal"),
    ({"pattern": r"(a)\1"}, "#/pattern"),
    ({"patternProperties": {r"(a)\1": False}}, "#/patternProperties/(a)\\1"),
]


@pytest.mark.parametrize(("schema", "words"), UNSUPPORTED)
def test_what_cannot_be_enforced(schema: Any, words: str) -> None:
    error = refused(schema)
    assert isinstance(error, UnsupportedConstraint)
    assert words in str(error)


@pytest.mark.parametrize(("schema", "words"), UNSUPPORTED)
def test_what_cannot_be_enforced_is_left_out_when_asked(schema: Any, words: str) -> None:
    with pytest.warns(UnenforcedWarning):
        compile_json_schema(schema, GrammarBuilder(), on_unsupported="relax")
    report = inspect(schema)
    assert report.unenforced
    place = words.partition(":")[0]
    if place.startswith("#"):
        assert place in report.unenforced


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"pattern": r"(a)\1"}, "b"),
        ({"not": {"pattern": r"(a)\1"}}, "b"),
        ({"not": {"pattern": r"(a)\1"}}, "aa"),
        ({"oneOf": [{"pattern": r"(a)\1"}, {"const": "b"}]}, "b"),
        ({"if": {"pattern": r"(a)\1"}, "then": {"const": "aa"}, "else": {"const": "b"}}, "b"),
        (
            {"patternProperties": {r"(a)\1": {"type": "null"}}, "additionalProperties": False},
            {"aa": None},
        ),
        ({"not": {"patternProperties": {r"(a)\1": {"type": "null"}}}}, {"aa": 1}),
    ],
)
def test_what_is_left_out_only_allows_more(schema: Any, value: Any) -> None:
    assert Acceptor(schema, on_unsupported="relax").accepts(value)


def test_exact_schemas_have_nothing_left_out() -> None:
    report = inspect({"$schema": "http://json-schema.org/draft-07/schema#", "format": "no-such"})
    assert report.draft == "7"
    assert report.unenforced == {}
    assert report.unknown_formats == {"no-such": "#/format"}
    assert report.unknown_drafts == {}


@pytest.mark.parametrize(
    ("uri", "draft"),
    [
        ("http://json-schema.org/draft-04/hyper-schema#", "4"),
        ("http://json-schema.org/draft-05/schema#", "4"),
        ("http://json-schema.org/draft-06/hyper-schema", "6"),
        ("https://json-schema.org/draft-07/schema#/", "7"),
        ("https://json-schema.org/draft/2019-09/hyper-schema", "2019-09"),
    ],
)
def test_addresses_of_drafts(uri: str, draft: str) -> None:
    report = inspect({"$schema": uri})
    assert (report.draft, report.unknown_drafts) == (draft, {})


def test_an_address_of_no_draft_is_a_remark() -> None:
    inner = {"$id": "http://example.org/inner", "$schema": "http://example.org/none"}
    report = inspect({"$schema": "http://example.org/meta#", "items": inner}, draft="6")
    assert report.draft == "6"
    assert report.unknown_drafts == {
        "http://example.org/meta#": "#/$schema",
        "http://example.org/none": "#/items/$schema",
    }
    meta = {"http://example.org/meta": {"$schema": "http://json-schema.org/draft-07/schema#"}}
    report = inspect({"$schema": "http://example.org/meta#"}, resources=meta)
    assert (report.draft, report.unknown_drafts) == ("7", {})


# --- nothing is valid ---


@pytest.mark.parametrize(
    "schema",
    [
        False,
        {"not": {}},
        {"enum": []},
        {"type": "string", "enum": [1, 2]},
        {"allOf": [{"type": "string"}, {"type": "null"}]},
        {"type": "object", "required": ["a"], "properties": {"a": False}},
        {"type": "object", "required": ["a"], "additionalProperties": False},
        {"type": "array", "minItems": 2, "maxItems": 1},
        {"type": "array", "contains": False},
        {
            "type": "object",
            "minProperties": 2,
            "properties": {"a": {}},
            "additionalProperties": False,
        },
        {"oneOf": [{"type": "integer"}, {"type": "integer"}]},
        {"type": "object", "properties": {"a": {"$ref": "#"}}, "required": ["a"]},
        {"type": "array", "items": {"$ref": "#"}, "minItems": 1},
    ],
)
def test_schemas_without_a_value(schema: Any, byte_vocabulary: formgate.Vocabulary) -> None:
    with pytest.raises(EmptyLanguageError):
        formgate.compile(schema, byte_vocabulary, format="json_schema")


def test_errors_of_the_engine_name_a_place(byte_vocabulary: formgate.Vocabulary) -> None:
    empty = {"type": "object", "properties": {"a": {"$ref": "#"}}, "required": ["a"]}
    with pytest.raises(EmptyLanguageError) as nothing:
        formgate.compile(empty, byte_vocabulary, format="json_schema")
    assert nothing.value.reason.startswith("#: ")
    assert str(nothing.value).startswith("#: ")
    hard = "".join(f"(?=.*{letter}.{{9}}{letter})" for letter in "abcdef")
    easy = {"type": "string", "pattern": "^(?=x)[a-z]+"}
    parameters = {"type": "object", "properties": {"a": easy, "b": {"pattern": hard}}}
    tool = {"name": "f", "parameters": parameters}
    for source, place in ((parameters, "#/properties/b: "), (tool, "tool 'f': #/properties/b: ")):
        with pytest.raises(LimitError) as limited:
            formgate.compile(
                source, byte_vocabulary, format="json_schema", limits=Limits(max_states=3_000)
            )
        assert str(limited.value).startswith(place)
    formgate.compile(deep(2_000, lambda inner: {"properties": {"a": inner}}), byte_vocabulary)
    compared = deep(30, lambda inner: {"type": "array", "items": inner, "uniqueItems": True})
    with pytest.raises(LimitError, match=r"^#: .*max_depth"):
        formgate.compile(compared, byte_vocabulary, limits=Limits(max_depth=20))


# --- what is read without a site of its own ---


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"properties": {"a": {"type": "string", 1: 2}}}, "#/properties/a: "),
        ({"properties": {"a": {"type": "string", "minLength": -1}}}, "#/properties/a/minLength: "),
        ({"properties": {"a": {"type": "sting", "title": ""}}}, "#/properties/a/type: "),
        ({"properties": {"a": {"$ref": "#/type", "title": ""}}, "type": "object"}, "no schema"),
        ({"properties": {"a": {"$ref": "#/no", "title": ""}}}, "#/properties/a/$ref: "),
    ],
)
def test_short_schemas_are_checked_as_others_are(schema: Any, words: str) -> None:
    assert words in str(refused(schema))


@pytest.mark.parametrize(
    ("schema", "value", "valid"),
    [
        ({"$ref": "#/$defs/a", "minimum": 3}, 2, False),
        (
            {"$schema": "http://json-schema.org/draft-07/schema#", "$ref": "#/a", "minimum": 3},
            2,
            True,
        ),
        ({"$ref": "#/$defs/a", "title": "x"}, 2, True),
        ({"$ref": "#/$defs/a", "$comment": "x"}, "2", False),
        ({"type": "integer", "$comment": "x"}, 2, True),
        ({"$schema": "http://json-schema.org/draft-04/schema#", "type": "integer"}, 2.0, False),
        ({"type": "integer", "title": "x"}, 2.0, True),
        ({"type": "null", "description": "x", "const": 1}, None, False),
    ],
)
def test_short_schemas_mean_what_they_say(schema: Any, value: Any, valid: bool) -> None:
    parts = {"$defs": {"a": {"type": "integer"}}, "a": {"type": "integer"}}
    whole = {**schema, **parts}
    inside = {**parts, "items": {name: part for name, part in schema.items() if name != "$schema"}}
    if "$schema" in schema:
        inside["$schema"] = schema["$schema"]
    assert Acceptor(whole).accepts(value) is valid
    assert Acceptor(inside).accepts([value, value]) is valid


def test_short_schemas_of_another_draft_mean_what_that_says() -> None:
    part = {"$schema": "http://json-schema.org/draft-04/schema#", "id": "urn:x", "type": "integer"}
    for whole in ({"anyOf": [part, {"type": "string"}]}, {"allOf": [part]}, {"oneOf": [part]}):
        assert Acceptor(whole).accepts(2)
        assert not Acceptor(whole).accepts(2.0)
    assert Acceptor({"not": part}).accepts(2.0)
    assert not Acceptor({"items": part}).accepts([2.0])


@pytest.mark.parametrize("kind", ["integer", ["null", "array"], "string"])
def test_a_bad_pattern_is_refused_whatever_may_come(kind: Any) -> None:
    for schema in ({"pattern": "("}, {"pattern": "("} | {"enum": [1, "a"]}):
        error = refused({"properties": {"a": {"type": kind} | schema}})
        assert str(error).startswith("pattern at #/properties/a/pattern: "), error
    # What cannot be enforced need not be where it says nothing.
    if kind != "string":
        compile_json_schema({"type": kind, "pattern": r"(a)\1"}, GrammarBuilder())


@pytest.mark.parametrize(
    "values",
    [["x" * 1_000_000, "y" * 1_000_000], [f"{number:05}" * 1000 for number in range(2000)]],
)
def test_a_deadline_interrupts_long_strings(values: list[str]) -> None:
    vocabulary = formgate.Vocabulary(
        [*(bytes([byte]) for byte in range(256)), None], stop_ids=[256]
    )
    with pytest.raises(CompileTimeout):
        formgate.compile({"enum": values}, vocabulary, format="json_schema", timeout_s=0.2)


def test_every_place_that_cannot_be_enforced_is_told() -> None:
    part = {"type": "object", "properties": {"n": {"pattern": r"(a)\1"}}, "required": ["n"]}
    report = inspect(json.dumps({"properties": {"a": part, "b": part}, "items": part}))
    assert set(report.unenforced) == {
        f"#/{way}/properties/n/pattern" for way in ("properties/a", "properties/b", "items")
    }


@pytest.mark.parametrize("base", ["http://e/", "http://[x", ""])
@pytest.mark.parametrize("address", ["http://[::1", "//[", "http://\u2100/x"])
def test_addresses_that_are_none(base: str, address: str) -> None:
    own = {"$id": base} if base else {}
    for keyword in ("$ref", "$dynamicRef"):
        schema = {**own, "properties": {"a": {keyword: address}}}
        with pytest.raises(GrammarError, match="leads nowhere: no document is known") as caught:
            compile_json_schema(schema, GrammarBuilder())
        assert f"#/properties/a/{keyword}: " in str(caught.value)
    named = {**own, "properties": {"a": {"$id": address, "type": "null"}}}
    compile_json_schema(named, GrammarBuilder())


def test_half_a_surrogate_pair_in_a_pointer_can_be_printed() -> None:
    for schema in (
        {"properties": {"\ud800": {"type": 5}}},
        {"properties": {"\ud800": {"$ref": "#/x"}}},
        {"$ref": "#/\ud800"},
    ):
        with pytest.raises(GrammarError, match=r"\\ud800") as caught:
            compile_json_schema(schema, GrammarBuilder())
        str(caught.value).encode()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"type":"integr"}', "#/type: this is no JSON Schema"),
        ('{"type":', "the schema is not JSON"),
        ('{"$ref":"other.json"}', "#/$ref: the reference 'other.json' leads nowhere"),
        ('{"type":"integer","minimum":2,"maximum":1}', "#: no value satisfies"),
        ('{"allOf":[{"pattern":"^a+$"},{"pattern":"^b+$"}],"type":"string"}', "#: no "),
    ],
)
def test_errors_name_the_file(tmp_path, text, words):
    path = tmp_path / "my.schema.json"
    path.write_text(text)
    vocabulary = formgate.Vocabulary([*(bytes([i]) for i in range(256)), None], stop_ids=[256])
    for options in ({}, {"format": "json_schema"}):
        with pytest.raises(formgate.FormgateError) as caught:
            formgate.compile(path, vocabulary, **options)
        assert str(caught.value).startswith(f"{path}: {words}")


def test_a_missing_file_is_named_once(tmp_path):
    path = tmp_path / "none.json"
    with pytest.raises(GrammarError) as caught:
        compile_json_schema(path, GrammarBuilder())
    assert str(caught.value).count(str(path)) == 2  # by us and by the system


def test_many_multiples_between_far_bounds() -> None:
    vocabulary = formgate.Vocabulary([*(bytes([i]) for i in range(256)), None], stop_ids=[256])
    for source in (
        {"type": "integer", "minimum": 1, "maximum": 10**400, "multipleOf": 7},
        '{"minimum": 0, "maximum": 1e400, "multipleOf": 7}',
    ):
        engine = formgate.compile(source, vocabulary, format="json_schema")
        assert engine.accepts("14")
        assert not engine.accepts("15")
        assert engine.accepts(str(7 * 10**398))


def test_values_that_are_nested_too_deep_are_named() -> None:
    vocabulary = formgate.Vocabulary([*(bytes([i]) for i in range(256)), None], stop_ids=[256])
    value: Any = 1
    for _ in range(600):
        value = {"a": [value]}
    for schema, place in (
        ({"const": value}, "#/const"),
        ({"properties": {"a/b": {"enum": [1, value]}}}, "#/properties/a~1b/enum"),
    ):
        with pytest.raises(LimitError, match=f"^{place}: the value there is nested too deeply"):
            formgate.compile(schema, vocabulary, format="json_schema")


@pytest.mark.parametrize(
    "schema",
    [
        {"const": "\ud800"},
        {"enum": ["a\udc00", "\ud801"]},
        {"const": {"a\ud800": 1}},
        {"type": "object", "required": ["\ud800"]},
        {"type": "array", "minItems": 1, "items": {"const": "\ud800"}},
    ],
)
def test_halves_of_surrogate_pairs_are_told(schema: dict[str, Any]) -> None:
    vocabulary = formgate.Vocabulary([*(bytes([i]) for i in range(256)), None], stop_ids=[256])
    with pytest.raises(EmptyLanguageError) as caught:
        formgate.compile(schema, vocabulary, format="json_schema")
    assert str(caught.value.hint).startswith("half of a surrogate pair is in no text")
