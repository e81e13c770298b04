"""Conditions on entries: masks against the texts that plain Python writes out."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from list_masks import check_masks

import formgate
from formgate.core.errors import (
    EmptyLanguageError,
    GrammarError,
    LimitError,
    UnsupportedConstraint,
)
from formgate.core.grammar import Cell, Entry, GrammarBuilder, Limits

NAMES = ["a", "b", "ab", "ba", ""]
TOKENS = [*'{}":,012ab', '":0', '"a":0', ',"b"', '":1,"', '0,"a', 'b":0}', '{"', '":02}', '","']
VOCABULARY = formgate.Vocabulary([t.encode() for t in TOKENS] + [None], stop_ids=[len(TOKENS)])
BYTES = formgate.Vocabulary([bytes([i]) for i in range(256)] + [None], stop_ids=[256])
# The values of an entry by number: of some the text of one begins that of another, or is the same.
WAYS = [["0"], ["0", "1"], ["0", "1", "02"], ["0", "0"], ["0", None], [None, "1"], [None]]


@st.composite
def objects(draw):
    """Entries (name, ways, required), conditions, other keys, order, and the least number."""
    names = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=5, unique=True))
    rarely = st.sampled_from([False, False, False, True])
    entries = [(name, draw(st.sampled_from(WAYS)), draw(rarely)) for name in names]
    literals = [(name, way) for name, ways, _ in entries for way in [*range(len(ways)), None]]
    any_of = draw(st.lists(st.lists(st.sampled_from(literals), max_size=4), max_size=5))
    free = draw(st.sampled_from([[], [], ["bb"], ["aa", "bb"]]))
    return entries, any_of, free, draw(st.booleans()), draw(st.integers(0, 1))


def texts_of(entries, any_of, free, ordered, least):
    """Return all texts of an object."""
    number = {name: place for place, (name, _, _) in enumerate(entries)}
    required = {name for name, _, wanted in entries if wanted}
    choices = [
        [None, *(way for way, text in enumerate(ways) if text is not None)]
        for _, ways, _ in entries
    ]
    texts = {name: ways for name, ways, _ in entries}
    found = set()
    for ways in itertools.product(*choices):
        came = dict(zip(number, ways, strict=True))
        there = [name for name, way in came.items() if way is not None]
        if not required <= set(there):
            continue
        if not all(any(came[name] == way for name, way in one) for one in any_of):
            continue
        members = [f'"{name}":{texts[name][came[name]]}' for name in there]
        members += [f'"{key}":0' for key in free]
        place = {member: at for at, member in enumerate(members)}
        known = len(there)
        for count in range(known, len(members) + 1):
            for chosen in itertools.permutations(members, count):
                places = [min(place[one], known) for one in chosen]
                if len(chosen) < least or len(set(places) - {known}) < known:
                    continue
                if not ordered or places == sorted(places):
                    found.add("{" + ",".join(chosen) + "}")
    return found


def grammar_of(entries, any_of, free, ordered, least):
    builder = GrammarBuilder()

    def value(text):
        return builder.nothing() if text is None else builder.literal(text)

    members = builder.members(
        [
            Entry(name, value(first), wanted, [value(text) for text in others])
            for name, (first, *others), wanted in entries
        ],
        [Cell(builder.strings(free), value("0"))] if free else [],
        colon=builder.literal(":"),
        comma=builder.literal(","),
        ordered=ordered,
        min=least,
        escapes=False,
        any_of=any_of,
    )
    builder.start(builder.seq(builder.literal("{"), members, builder.literal("}")))
    return builder.build()


@settings(max_examples=700, deadline=None, suppress_health_check=list(HealthCheck))
@given(objects())
def test_members_are_those_written_out(given_):
    texts = texts_of(*given_)
    grammar = grammar_of(*given_)
    check_masks(grammar, texts, VOCABULARY, TOKENS)


@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize("apart", [False, True])
def test_independent_conditions_add_up(ordered, apart):
    """Forty pairs: 2^40 alternatives, of which none is written out."""
    count = 40
    pairs = [(f"k{i}", f"v{i}") for i in range(count)]
    names = [name for pair in pairs for name in pair]
    if apart:
        names = [k for k, _ in pairs] + [v for _, v in pairs]
    entries = [(name, ["0", "1"] if name[0] == "k" else ["0"], False) for name in names]
    any_of = [[(k, None), (k, 0), (v, 0)] for k, v in pairs]
    limits = Limits(max_states=2_000, max_nodes=20_000)
    engine = grammar_of(entries, any_of, [], ordered, 0).compile(BYTES, limits=limits)
    ones = ",".join(f'"{name}":{int(name[0] == "k")}' for name in names)
    assert engine.accepts("{" + ones + "}")
    assert engine.accepts("{}")
    assert engine.accepts('{"k3":0,"k7":0}')
    assert engine.accepts('{"k3":1,"k7":0,"v3":0}') is (apart or not ordered)
    assert not engine.accepts('{"k3":1,"k7":0}')
    assert not engine.accepts('{"k3":0,"k7":1,"v3":0}')
    assert engine.is_prefix('{"k3":1,"k7":1,') is (apart or not ordered)
    assert not engine.is_prefix('{"k3":1}')


def test_members_that_must_come_for_a_rule_to_end():
    """A rule that refers to itself in all ways to meet a condition matches nothing."""
    builder = GrammarBuilder()
    zero, own = builder.literal("0"), builder.rule("own")

    def members(any_of):
        return builder.members(
            [Entry("a", own, False, [zero]), Entry("b", own)],
            colon=builder.literal(":"),
            comma=builder.literal(","),
            any_of=any_of,
        )

    builder.define("own", builder.seq(builder.literal("{"), members([[("a", 0), ("b", 0)]])))
    builder.start(own)
    with pytest.raises(EmptyLanguageError):
        builder.build().compile(BYTES)
    builder = GrammarBuilder()
    zero, own = builder.literal("0"), builder.rule("own")
    inside = members([[("a", 1), ("b", 0)]])
    builder.define("own", builder.seq(builder.literal("{"), inside, builder.literal("}")))
    builder.start(own)
    engine = builder.build().compile(BYTES)
    assert engine.accepts('{"a":0}')
    assert engine.accepts('{"b":{"a":0}}')
    assert engine.accepts('{"a":{"a":0},"b":{"b":{"a":0}}}')
    assert not engine.accepts('{"a":{"a":0}}')
    assert not engine.is_prefix("{}")


def test_what_is_not_supported_is_refused():
    builder = GrammarBuilder()
    zero = builder.literal("0")
    marks = {"colon": builder.literal(":"), "comma": builder.literal(",")}
    entries = [Entry("a", zero), Entry("b", zero)]
    either = [[("a", 0), ("b", None)]]
    with pytest.raises(GrammarError, match="no such entry"):
        builder.members(entries, any_of=[[("c", 0)]], **marks)
    with pytest.raises(GrammarError, match="a value that there is not"):
        builder.members(entries, any_of=[[("a", 1)]], **marks)
    for bounds in ({"max": 1}, {"min": 2}, {"needs": {"a": ["b"]}}):
        with pytest.raises(UnsupportedConstraint, match="conditions on entries"):
            builder.members(entries, any_of=either, **bounds, **marks)
    with pytest.raises(LimitError, match="share entries"):
        builder.members(entries, any_of=either * 13, **marks)
