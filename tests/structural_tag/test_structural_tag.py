"""The format ``structural_tag`` against a judge that follows the text."""

from __future__ import annotations

import itertools
import json

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from tag_judge import accepts

import formgate
from formgate.core.errors import EmptyLanguageError, GrammarError, UnsupportedConstraint
from formgate.core.registry import Registry

LETTERS = "<>a"
VOCABULARY = formgate.Vocabulary(
    [*(bytes([byte]) for byte in range(256)), b"<a", b">a<", None, None],
    stop_ids=[258],
    special={"<|tool|>": 259},
)
TEXTS = ["".join(text) for n in range(7) for text in itertools.product(LETTERS, repeat=n)]
STRINGS = ("<", ">", "a", "<a", "a>", "<<", "><", "a<a")

texts = st.sampled_from(STRINGS)
basics = st.one_of(
    st.builds(lambda v: {"type": "const_string", "value": v}, texts),
    st.sampled_from(["a*", "<?a", "[<>]{1,2}", "(<a|a)+"]).map(
        lambda p: {"type": "regex", "pattern": p}
    ),
    st.builds(
        lambda e, m: (
            {"type": "any_text"}
            | ({"excludes": e} if e else {})
            | ({} if m is None else {"max_chars": m})
        ),
        st.lists(texts, max_size=1),
        st.none() | st.integers(0, 3),
    ),
)


def tags(inner):
    ends = st.one_of(texts, st.lists(texts, min_size=1, max_size=2, unique=True), st.just(""))
    return st.builds(
        lambda b, c, e: {"type": "tag", "begin": b, "content": c, "end": e}, texts, inner, ends
    )


def extended(inner):
    lists = st.lists(inner, min_size=1, max_size=2)
    flags = st.fixed_dictionaries(
        {"at_least_one": st.booleans(), "stop_after_first": st.booleans()}
    )
    tag_lists = st.lists(tags(inner), min_size=1, max_size=2)
    return st.one_of(
        lists.map(lambda e: {"type": "sequence", "elements": e}),
        lists.map(lambda e: {"type": "or", "elements": e}),
        st.builds(
            lambda k, c: {"type": k, "content": c},
            st.sampled_from(["optional", "star", "plus"]),
            inner,
        ),
        st.builds(
            lambda low, more, c: {"type": "repeat", "min": low, "max": more, "content": c},
            st.integers(0, 2),
            st.integers(2, 3) | st.just(-1),
            inner,
        ),
        tags(inner),
        st.builds(
            lambda t, s, f: {"type": "tags_with_separator", "tags": t, "separator": s, **f},
            tag_lists,
            texts,
            flags,
        ),
        st.builds(
            lambda t, x, f: {
                "type": "triggered_tags",
                "triggers": x,
                "tags": t,
                **f,
            },
            tag_lists,
            st.lists(texts, min_size=1, max_size=2, unique=True),
            flags,
        ),
        st.builds(
            lambda r, loop: {"type": "dispatch", "rules": r, "loop": loop},
            st.lists(st.tuples(texts, inner).map(list), min_size=1, max_size=2),
            st.booleans(),
        ),
    )


formats = st.recursive(basics, extended, max_leaves=5)


def compiled(form):
    source = json.dumps({"type": "structural_tag", "format": form})
    return formgate.compile(source, VOCABULARY, format="structural_tag")


def check(form):
    """Every short text against the judge; a source may be refused, if its place is named."""
    try:
        engine = compiled(form)
    except EmptyLanguageError:
        assert not any(accepts(form, text) for text in TEXTS)
        return False
    except GrammarError as error:
        if "structural tag, at " not in error.reason:
            raise
        return False
    for text in TEXTS:
        assert engine.accepts(text) == accepts(form, text), text
    return True


@given(formats)
@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
def test_random_formats(form):
    assume(check(form))


TAG = {"type": "tag", "begin": "<a", "content": {"type": "any_text"}, "end": "a>"}
INNER = {"type": "triggered_tags", "triggers": ["<"], "tags": [TAG]}
FIXED = [
    {"type": "triggered_tags", "triggers": ["<"], "tags": [TAG]},
    {"type": "triggered_tags", "triggers": ["<"], "tags": [TAG], "at_least_one": True},
    {"type": "triggered_tags", "triggers": ["<"], "tags": [TAG], "stop_after_first": True},
    {"type": "triggered_tags", "triggers": ["<"], "tags": [TAG], "excludes": ["aa"]},
    {"type": "tag", "begin": "a", "end": "aa", "content": INNER},
    {"type": "tags_with_separator", "tags": [TAG], "separator": "<"},
    {"type": "dispatch", "rules": [["<", {"type": "const_string", "value": "a"}]]},
    {"type": "dispatch", "rules": [["<", {"type": "any_text"}]], "loop": False},
    {"type": "tag", "begin": "", "content": {"type": "any_text"}, "end": ["<", "a<"]},
    {"type": "any_text", "max_chars": 2},
    {"type": "tag", "begin": "", "content": {"type": "any_text", "max_chars": 2}, "end": "<>"},
]


@pytest.mark.parametrize("form", FIXED)
def test_chosen_formats(form):
    assert check(form)


def test_the_judge_tells_texts_apart():
    allowed = sum(accepts(FIXED[0], text) for text in TEXTS)
    assert 0 < allowed < len(TEXTS)


OLDER = {
    "structures": [
        {"begin": "<f=x>", "schema": {"type": "integer"}, "end": "</f>"},
        {"begin": "<f=y>", "schema": '{"const": 1.0}', "end": "</f>"},
    ],
    "triggers": ["<f="],
}


@pytest.mark.parametrize(
    ("text", "allowed"),
    [
        ("", True),
        ("x < y", True),
        ("<f=x>12</f>", True),
        ("see <f=x>1</f> and <f=y>1</f>.", True),
        ("<f=y>1.0</f>", True),
        ("<f=y>2</f>", False),
        ("<f=z>", False),
        ("<f=x>12", False),
    ],
)
def test_older_form(text, allowed):
    for source in (OLDER, json.dumps(OLDER)):
        engine = formgate.compile(source, VOCABULARY, format="structural_tag")
        assert engine.accepts(text) == allowed


def test_every_token_of_an_allowed_text_is_allowed():
    engine = formgate.compile(OLDER, VOCABULARY, format="structural_tag")
    state = engine.start()
    for token in [256, ord(">"), *b"<f=x>1</f>"]:
        state = engine.advance(state, token)
    assert engine.is_accepting(state)
    state = engine.advance(engine.start(), ord("<"))
    assert not engine.is_allowed(engine.advance(engine.advance(state, ord("f")), ord("=")), 258)


def test_special_tokens():
    form = {"type": "sequence", "elements": [{"type": "token", "token": "<|tool|>"}, FIXED[9]]}
    engine = compiled(form)
    assert engine.allowed_tokens(engine.start()).to_list() == [259]
    tag = {
        "type": "tag",
        "begin": {"type": "token", "token": "<|tool|>"},
        "content": {"type": "any_text"},
        "end": {"type": "token", "token": "<|tool|>"},
    }
    engine = compiled(tag)
    state = engine.advance(engine.advance(engine.start(), 259), ord("a"))
    assert engine.is_allowed(state, 259)
    assert not engine.is_accepting(state)


def test_other_formats_and_options():
    form = {"type": "grammar", "grammar": 'root ::= "a" root | "b"'}
    assert compiled(form).accepts("aab")
    schema = {"properties": {"x": {"const": 1}, "y": {"const": 2}}, "required": ["x", "y"]}
    form = {"type": "json_schema", "json_schema": schema | {"additionalProperties": False}}
    assert not compiled(form).accepts('{"y":2,"x":1}')
    assert compiled(form | {"any_order": True}).accepts('{"y":2,"x":1}')
    assert not compiled(form | {"max_whitespace_cnt": 1}).accepts('{  "x":1,"y":2}')
    source = {"type": "structural_tag", "format": form}
    engine = formgate.compile(
        source, VOCABULARY, format="structural_tag", json_schema={"whitespace": "compact"}
    )
    assert not engine.accepts('{ "x":1,"y":2}')
    source = {"format": {"type": "grammar", "grammar": 'start: "a"+'}}
    engine = formgate.compile(source, VOCABULARY, format="structural_tag", grammar_format="lark")
    assert engine.accepts("aaa")


ANY = {"type": "any_text"}


@pytest.mark.parametrize(
    ("form", "kind", "said"),
    [
        ({"type": "any_tokens"}, UnsupportedConstraint, "/format/type: 'any_tokens'"),
        ({"type": "any_text", "max_tokens": 3}, UnsupportedConstraint, "/format/max_tokens"),
        ({"type": "token", "token": 5}, UnsupportedConstraint, "/format/token"),
        (
            {"type": "json_schema", "json_schema": {}, "style": "qwen_xml"},
            UnsupportedConstraint,
            "/format/style",
        ),
        ({"type": "qwen_xml_parameter", "json_schema": {}}, UnsupportedConstraint, "/format/type"),
        (
            {"type": "json_schema", "json_schema": {}, "excludes": ["x"]},
            UnsupportedConstraint,
            "/format/excludes",
        ),
        (
            {"type": "tag", "begin": "<", "content": {"type": "star", "content": ANY}, "end": ">"},
            UnsupportedConstraint,
            "/format/content/content",
        ),
        (
            {"type": "dispatch", "rules": [["<", ANY]]},
            UnsupportedConstraint,
            "/format/rules/0/1",
        ),
        ({"type": "nonsense"}, GrammarError, "none of any_text"),
        ({"type": "__init__"}, GrammarError, "none of"),
        ({"type": "const_string"}, GrammarError, "'value' is missing"),
        ({"type": "const_string", "value": "a", "more": 1}, GrammarError, "'more' has no meaning"),
        ({"type": "or", "elements": []}, GrammarError, "nothing to choose"),
        ({"type": "repeat", "min": 3, "max": 2, "content": ANY}, GrammarError, "less than min"),
        ({"type": "repeat", "min": -1, "max": 2, "content": ANY}, GrammarError, "/format/min"),
        (FIXED[0] | {"triggers": ["<", "<a"]}, GrammarError, "several of the triggers"),
        (FIXED[0] | {"triggers": [">"]}, GrammarError, "none of the triggers"),
        (FIXED[0] | {"triggers": []}, GrammarError, "at least one"),
        (FIXED[0] | {"triggers": ["<", "a<<"]}, GrammarError, "never be reached"),
        (FIXED[0] | {"excludes": ["<"]}, GrammarError, "contains the excluded"),
        (FIXED[0] | {"at_least_one": "yes"}, GrammarError, "true or false"),
        ({"type": "regex", "pattern": "("}, GrammarError, "/format/pattern: missing )"),
        ({"type": "json_schema", "json_schema": {"type": 1}}, GrammarError, "/format/json_schema"),
        (7, GrammarError, "a format is an object"),
    ],
)
def test_refusals_name_the_place(form, kind, said):
    with pytest.raises(kind) as caught:
        compiled(form)
    assert said in str(caught.value)
    assert type(caught.value) is kind


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("{", "cannot be read"),
        ('{"format": 1, "format": 2}', "twice"),
        ("[" * 100_000, "nests too deeply"),
        ("[]", "is an object"),
        ({"type": "x", "format": ANY}, "the type is"),
        ({"type": "structural_tag"}, "'format' is missing"),
        ({"structures": [], "triggers": ["a"]}, "at least one"),
    ],
)
def test_sources_that_are_none(source, said):
    with pytest.raises(GrammarError, match=said):
        formgate.compile(source, VOCABULARY, format="structural_tag")


def test_options_that_are_none():
    for options in ({"x": 1}, {"json_schema": 3}, {"grammar_format": 3}):
        with pytest.raises(GrammarError):
            formgate.compile({"format": ANY}, VOCABULARY, format="structural_tag", **options)


def test_deep_nesting_ends():
    form = ANY
    for _ in range(150):
        form = {"type": "optional", "content": form}
    with pytest.raises(GrammarError, match="nest more than 100 deep"):
        compiled(form)


def test_a_registry_made_after_the_first_use_compiles_too():
    compiled(ANY)
    registry = Registry(environment={"FORMGATE_PLUGINS": "none"})
    engine = formgate.compile(
        {"format": ANY}, VOCABULARY, format="structural_tag", registry=registry
    )
    assert engine.accepts("a")
