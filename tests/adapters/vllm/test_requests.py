"""From what a request says to a constraint: kinds, notations, options, and errors for clients."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest

from formgate.adapters._serving import ServingOptions, constraint, grammar_format
from formgate.adapters._serving_check import check_constraint
from formgate.core.errors import (
    EmptyLanguageError,
    FormgateError,
    GrammarError,
    PluginError,
    UnsupportedConstraint,
)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ('start: "a"', "lark"),
        ('start: "a"  // not ::= here', "lark"),
        ('root ::= "a"', "gbnf"),
        ('x ::= "a"\n  root ::= x', "gbnf"),
        ('list ::= "a"', "ebnf"),
        ('# formgate: ebnf\nroot ::= "a"', "ebnf"),
        ('// formgate: lark\nstart: "::="', "lark"),
        ("(* formgate: ebnf *)\nx = 'a';", "ebnf"),
        ("; formgate: abnf\nx = %x61", "abnf"),
    ],
)
def test_notations(text, name):
    assert grammar_format(text) == name
    check_constraint("grammar", text, ServingOptions())


def test_unknown_notations():
    with pytest.raises(GrammarError, match="'yacc' is none of lark"):
        grammar_format("# formgate: yacc\nx: y")


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ("", ServingOptions()),
        ('{"timeout_s": null}', ServingOptions(timeout_s=None)),
        ('{"timeout_s": 0.5, "max_engines": 1}', ServingOptions(timeout_s=0.5, max_engines=1)),
        ('{"warm_up": false}', ServingOptions(warm_up=False)),
        ('{"lark": {"lexer": "basic"}}', ServingOptions(formats={"lark": {"lexer": "basic"}})),
    ],
)
def test_options(environment, expected):
    given = {"FORMGATE_SERVING_OPTIONS": environment}
    assert ServingOptions.from_environment(given) == expected


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[]",
        '{"timeout_s": 0}',
        '{"timeout_s": true}',
        '{"max_engines": 1.5}',
        '{"max_engines": null}',
        '{"choice": {}}',
        '{"lark": 1}',
        '{"json_schema": {"timeout_s": 3}}',
        '{"json_schema": {"warm_up": false}}',
        '{"warm_up": 1}',
        '{"warm_up": false, "warm_up": true}',
        '{"warm_up": null}',
    ],
)
def test_wrong_options(text):
    with pytest.raises(PluginError, match="FORMGATE_SERVING_OPTIONS"):
        ServingOptions.from_environment({"FORMGATE_SERVING_OPTIONS": text})


@pytest.mark.parametrize(
    ("kind", "text", "error"),
    [
        ("json", '{"type": 3}', GrammarError),
        ("json", "not json", GrammarError),
        ("json", '{"allOf": [{"type": "string"}, {"type": "null"}]}', EmptyLanguageError),
        ("regex", r"(a)\1", UnsupportedConstraint),
        ("regex", "a(?!.*)b", EmptyLanguageError),
        ("choice", "[]", EmptyLanguageError),
        ("choice", "[1]", GrammarError),
        ("choice", "red", GrammarError),
        ("choice", '"red"', GrammarError),
        ("choice", "[" * 100_000, GrammarError),
        ("grammar", "root ::= root", EmptyLanguageError),
        ("grammar", "start: nowhere", GrammarError),
        ("structural_tag", "{}", GrammarError),
        ("typescript", "x", GrammarError),
    ],
)
def test_bad_constraints(kind, text, error):
    with pytest.raises(error) as caught:
        check_constraint(kind, text, ServingOptions())
    assert type(caught.value) is error


def test_special_tokens_are_left_to_the_vocabulary():
    token = {"type": "structural_tag", "format": {"type": "token", "token": "<|tool|>"}}
    check_constraint("structural_tag", json.dumps(token), ServingOptions())


def test_options_reach_the_formats():
    formats = {
        "json_schema": {"whitespace": "compact"},
        "structural_tag": {"grammar_format": "lark"},
    }
    assert constraint("json", "{}", formats).options == {"whitespace": "compact"}
    assert constraint("structural_tag", "{}", formats).options == {
        "json_schema": {"whitespace": "compact"},
        "grammar_format": "lark",
    }


@pytest.fixture
def validate(fake_vllm):
    import fakes

    from formgate.adapters._vllm_backend import validate

    def call(**given):
        return validate(fakes.SamplingParams(fakes.StructuredOutputsParams(**given)))

    return call


GOOD = [
    {"regex": "a+"},
    {"json": {"type": "object"}},
    {"json": '{"type": "object"}'},
    {"json_object": True},
    {"choice": ["a", "b"]},
    {"grammar": 'root ::= "a"'},
    {"structural_tag": '{"format": {"type": "any_text"}}'},
]


@pytest.mark.parametrize("given", GOOD)
def test_good_requests_pass(validate, given):
    validate(**given)
    validate(**given)


@pytest.mark.parametrize(
    ("given", "said", "parameter"),
    [
        ({"regex": "(a"}, "unterminated", "structured_outputs.regex"),
        ({"json": {"type": "strin"}}, "#/type", "structured_outputs.json"),
        ({"choice": []}, "nothing to choose", "structured_outputs.choice"),
        ({"grammar": "root ::= x"}, "'x' is used but not defined", "structured_outputs.grammar"),
        (
            {"json": {}, "disable_any_whitespace": True},
            "FORMGATE_SERVING_OPTIONS",
            "structured_outputs.disable_any_whitespace",
        ),
        (
            {"json": {}, "whitespace_pattern": " *"},
            "no whitespace_pattern",
            "structured_outputs.whitespace_pattern",
        ),
        ({"json": {"const": {1, 2}}}, "cannot be written as JSON", None),
        ({}, "cannot be written", None),
    ],
)
def test_bad_requests_are_the_clients_errors(validate, given, said, parameter):
    import fakes

    for _ in range(2):  # a bad one is not remembered as good
        with pytest.raises(fakes.VLLMValidationError, match=said) as caught:
            validate(**given)
        assert caught.value.parameter == parameter


def test_free_requests_pass(fake_vllm):
    import fakes

    from formgate.adapters._vllm_backend import validate

    validate(fakes.SamplingParams())


def test_any_other_error_is_one_of_the_client_too(validate, monkeypatch, caplog):
    import fakes

    from formgate.adapters import _vllm_backend

    def fail(*args):
        raise RuntimeError("boom")

    monkeypatch.setattr(_vllm_backend, "check_constraint", fail)
    with pytest.raises(fakes.VLLMValidationError, match="RuntimeError: boom"):
        validate(regex="never seen before")
    assert "could not be read" in caplog.text


@pytest.mark.parametrize("text", ["(" * 5_000, "a{1,9999999}" * 50, "[" * 1_000, "(a|b|ab)*" * 200])
@pytest.mark.parametrize("kind", ["regex", "grammar", "json", "structural_tag", "choice"])
def test_hostile_texts_end_in_an_error_or_not_at_all(kind, text):
    with suppress(FormgateError):
        check_constraint(kind, text, ServingOptions(timeout_s=5))
