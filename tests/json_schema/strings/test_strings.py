"""Sets of strings: what Boolean operators make of them, for Python and for the engine."""

from __future__ import annotations

import re

import pytest
from compiled import acceptor, compiled
from hypothesis import given, settings
from hypothesis import strategies as st

from formgate.core.errors import UnsupportedConstraint
from formgate.core.grammar import GrammarBuilder
from formgate.plugins.json_schema._numbers import NumberSet
from formgate.plugins.json_schema._scalars import told
from formgate.plugins.json_schema._strings import StringSet

TEXTS = [
    "", "a", "b", "ab", "ba", "abc", "x-", "x-a", "x-ab", "é", "aé", "é€😀", "😀😀😀", "a\nb", "1",
    "12", "123", "1234", "2020-02-29", "2021-02-29", "ab1", "aaaa", "aaaaa", " ", "A",
]  # fmt: skip
# On these Python's re and ECMAScript agree, for these texts.
PATTERNS = [
    "a", "^a", "b$", "^x-", "^[a-z]+$", "^[ab]{2,3}$", r"^\d+$", "^(?:a|é)", "^$", "a.*b", "^.{3}$",
    "(?=.*a)b", "^(?!x-)", r"\bab\b", "^(?:ab|ba|1)$", "[^a]$",
]  # fmt: skip


class Judged:
    """A set and the predicate it should be."""

    def __init__(self, strings, predicate):
        self.strings = strings
        self.predicate = predicate


def pattern(source):
    searched = re.compile(source.replace("$", r"\Z"), re.ASCII)
    return Judged(StringSet.pattern(source), lambda text: searched.search(text) is not None)


def length(low, more):
    high = None if more is None else low + more
    return Judged(
        StringSet.length(low, high),
        lambda text: low <= len(text) and (high is None or len(text) <= high),
    )


def chosen(values):
    return Judged(StringSet.of(values), lambda text: text in values)


def date():
    return Judged(StringSet.format("date"), lambda text: text == "2020-02-29")


def both(left, right):
    return Judged(
        left.strings & right.strings, lambda text: left.predicate(text) and right.predicate(text)
    )


def either(left, right):
    return Judged(
        left.strings | right.strings, lambda text: left.predicate(text) or right.predicate(text)
    )


def other(one):
    return Judged(~one.strings, lambda text: not one.predicate(text))


sets = st.recursive(
    st.one_of(
        st.builds(pattern, st.sampled_from(PATTERNS)),
        st.builds(length, st.integers(0, 4), st.one_of(st.none(), st.integers(0, 3))),
        st.builds(chosen, st.lists(st.sampled_from(TEXTS), max_size=5)),
        st.builds(date),
    ),
    lambda inner: st.one_of(
        st.builds(both, inner, inner), st.builds(either, inner, inner), st.builds(other, inner)
    ),
    max_leaves=7,
)


@settings(max_examples=300, deadline=None)
@given(sets)
def test_random_sets(judged):
    strings = judged.strings
    engine = compiled(strings)
    for text in TEXTS:
        assert strings.contains(text) == judged.predicate(text), text
        assert (engine is not None and engine.accepts(text)) == judged.predicate(text), text
    if strings.is_empty():
        assert engine is None
    low, high = strings.extent()
    for text in filter(judged.predicate, TEXTS):
        assert low <= len(text)
        assert high is None or len(text) <= high
    members = strings.finite(30)
    if members is not None:
        assert all(map(judged.predicate, members))
        assert {text for text in TEXTS if judged.predicate(text)} <= set(members)
        assert members == sorted(set(members))
        assert strings.is_empty() or members
    if strings.values is not None:
        assert strings.finite(len(strings.values)) == sorted(strings.values)


@settings(max_examples=200, deadline=None)
@given(sets, sets)
def test_laws(left, right):
    a, b = left.strings, right.strings
    assert a & a == a
    assert a & b == b & a
    assert hash(a & b) == hash(b & a)
    assert a | b == b | a
    assert (a & StringSet.ALL, a | StringSet.NONE) == (a, a)
    assert a & StringSet.NONE == StringSet.NONE
    assert a | StringSet.ALL == StringSet.ALL
    for text in TEXTS:
        assert (~~a).contains(text) == a.contains(text)


def test_what_looking_tells():
    letters = StringSet.pattern("^[a-z]{3}$")
    assert (letters & StringSet.length(4)).is_empty()
    assert letters & StringSet.length(1, 10) == letters
    assert (letters & ~letters).is_empty()
    assert (StringSet.of(["abc", "x"]) & letters).values == {"abc"}
    assert (~StringSet.of(["abc", "x"]) & letters) == ~StringSet.of(["abc"]) & letters
    assert StringSet.length(0, 0).values is None
    assert (StringSet.length(0, 0) & StringSet.pattern("^a*$")).values == {""}
    assert StringSet.length(3, 2).is_empty()
    assert ~StringSet.length(2, 3) == StringSet.length(0, 1) | StringSet.length(4)
    assert StringSet.of([]).is_empty()
    assert letters | (letters & StringSet.pattern("x")) != StringSet.NONE


@given(st.lists(st.sampled_from(PATTERNS), min_size=2, max_size=4, unique=True), sets)
def test_alternatives_that_others_rule_out_are_none(sources, wanted):
    one, *rest = [StringSet.pattern(source) for source in sources]
    alternatives = ~one
    for strings in rest:
        alternatives |= strings
    judged = one & alternatives & wanted.strings
    for text in TEXTS:
        some = any(strings.contains(text) for strings in rest)
        assert judged.contains(text) is (one.contains(text) and some and wanted.predicate(text))
    assert "not pattern 'a'" not in repr(
        StringSet.pattern("a") & (~StringSet.pattern("a") | StringSet.pattern("b"))
    )
    long = StringSet.length(3)
    last = ~StringSet.pattern("b")
    # One alternative left is required, and may rule out others in turn.
    found = StringSet.pattern("a") & (~StringSet.pattern("a") | last) & (~last | long)
    assert found == StringSet.pattern("a") & last & long
    assert (StringSet.pattern("a") & (~StringSet.pattern("a") | last) & ~last).is_empty()


@settings(max_examples=100, deadline=None)
@given(st.frozensets(st.sampled_from("abcé"), max_size=3), sets, st.booleans())
def test_what_is_told_of_tags_is_so(listed, other, denied):
    tag = (0, NumberSet.NONE, StringSet.of(listed))
    strings = ~other.strings if denied else other.strings
    found = told(tag, (7, NumberSet.ALL, strings))
    within = {strings.contains(value) for value in listed}
    assert found is None or within == {found}
    assert told(None, tag) is None
    if strings.values and len(within) == 1:
        assert found is not None
    assert told((1, *tag[1:]), (7, NumberSet.ALL, strings)) is None  # not a tag


def test_lengths_are_of_code_points():
    accepts = acceptor(StringSet.length(2, 2))
    assert accepts("😀é")
    assert not accepts("é")
    assert not accepts("e\u0301!")


def test_a_class_and_a_length_are_one_repeat():
    builder = GrammarBuilder()
    name = StringSet.pattern("^[a-z]+$") & StringSet.length(0, 60)
    builder.start(name.node(builder))
    grammar = builder.build()
    accepts = acceptor(name)
    assert (accepts(""), accepts("a" * 60), accepts("a" * 61)) == (False, True, False)
    assert "intersection" not in repr(grammar)


def test_lone_surrogates_are_in_no_text():
    assert StringSet.of(["\ud800", "a"]).values == {"a"}
    assert StringSet.of(["\ud800"]).is_empty()


def test_lengths_beyond_all_texts():
    assert StringSet.length(0, 2**40) == StringSet.ALL
    assert StringSet.length(3, 10**9).contains("abc")
    with pytest.raises(UnsupportedConstraint, match="a length of 2147483648 is above the largest"):
        StringSet.length(2**31)


def test_each_set_is_written_once_for_a_builder():
    builder = GrammarBuilder()
    one = StringSet.pattern("^a") & StringSet.length(2)
    two = StringSet.length(2) & StringSet.pattern("^a")
    assert one.node(builder) == two.node(builder)


def test_sets_can_be_told_apart_when_printed():
    strings = StringSet.pattern("^a") & ~StringSet.of(["ab"])
    assert repr(strings) == "<StringSet (not values ['ab'] and pattern '^a')>"
