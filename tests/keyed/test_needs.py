"""Entries that need others: masks against the texts that plain Python writes out."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from list_masks import check_masks

import formgate
from formgate.core.errors import GrammarError, UnsupportedConstraint
from formgate.core.grammar import Cell, Entry, GrammarBuilder

NAMES = ["a", "b", "ab", "ba", ""]
TOKENS = [*'{}":,0ab', '":0', '"a":0', ',"b"', '":0,"', '0,"a', 'b":0}', '{"', '":0}', '","']
VOCABULARY = formgate.Vocabulary([t.encode() for t in TOKENS] + [None], stop_ids=[len(TOKENS)])
BYTES = formgate.Vocabulary([bytes([i]) for i in range(256)] + [None], stop_ids=[256])


@st.composite
def objects(draw):
    """Entries (name, alive, required), what needs what, other keys, order, least and most."""
    names = draw(st.lists(st.sampled_from(NAMES), min_size=2, max_size=5, unique=True))
    alive = st.sampled_from([True, True, True, True, False])
    rarely = st.sampled_from([False, False, False, True])
    entries = [(name, draw(alive), draw(rarely)) for name in names]
    needs = draw(
        st.dictionaries(
            st.sampled_from(names), st.lists(st.sampled_from(names), max_size=2), max_size=4
        )
    )
    free = draw(st.sampled_from([[], [], ["bb"], ["aa", "bb"]]))
    least = draw(st.integers(0, 4))
    most = draw(st.one_of(st.none(), st.integers(least, 5)))
    return entries, needs, free, draw(st.booleans()), least, most


def texts_of(entries, needs, free, *bounds):
    """Return all texts of an object."""
    ordered, least, most = bounds
    known = [name for name, alive, _ in entries if alive]
    required = {name for name, _, wanted in entries if wanted}
    found = set()
    for count in range(least, len(known + free) + 1 if most is None else most + 1):
        for chosen in itertools.permutations([*known, *free], count):
            there = set(chosen)
            if not required <= there:
                continue
            if any(key in there and not there.issuperset(asked) for key, asked in needs.items()):
                continue
            places = [known.index(key) if key in known else len(known) for key in chosen]
            if not ordered or places == sorted(places):
                found.add("{" + ",".join(f'"{key}":0' for key in chosen) + "}")
    return found


def grammar_of(entries, needs, free, *bounds):
    ordered, least, most = bounds
    builder = GrammarBuilder()
    zero = builder.literal("0")
    members = builder.members(
        [
            Entry(name, zero if alive else builder.nothing(), wanted)
            for name, alive, wanted in entries
        ],
        [Cell(builder.strings(free), zero)] if free else [],
        colon=builder.literal(":"),
        comma=builder.literal(","),
        ordered=ordered,
        min=least,
        max=most,
        escapes=False,
        needs=needs,
    )
    builder.start(builder.seq(builder.literal("{"), members, builder.literal("}")))
    return builder.build()


def circular(needs):
    """Say whether some need each other."""
    reached = {(one, other) for one, asked in needs.items() for other in asked if one != other}
    for _ in NAMES:
        reached |= {(a, d) for a, b in reached for c, d in reached if b == c}
    return any(one == other for one, other in reached)


@settings(max_examples=500, deadline=None, suppress_health_check=list(HealthCheck))
@given(objects())
def test_members_are_those_written_out(given_):
    entries, needs, free, _, least, most = given_
    texts = texts_of(*given_)
    try:
        grammar = grammar_of(*given_)
    except UnsupportedConstraint:
        assert circular(needs)
        assert least > 1
        assert most < len(entries) or free
        return
    check_masks(grammar, texts, VOCABULARY, TOKENS)


@pytest.mark.parametrize("ordered", [False, True])
def test_states_are_those_of_what_is_owed(ordered):
    """A chain of a hundred names: nothing is written out."""
    names = [f"n{place:03}" for place in range(100)]
    needs = {name: [other] for name, other in itertools.pairwise(names)}
    grammar = grammar_of([(name, True, False) for name in names], needs, [], ordered, 0, None)
    engine = grammar.compile(BYTES)
    for first in (0, 50, 99):
        whole = "{" + ",".join(f'"{name}":0' for name in names[first:]) + "}"
        assert engine.accepts(whole)
        assert not engine.is_prefix(whole[:-6] + "}") or first == 99
    assert engine.accepts("{}")
    assert engine.accepts('{"n099":0,"n098":0}') is not ordered
    assert not engine.accepts('{"n099":0,"n097":0}')


def test_forgotten_names_make_no_states():
    """In order, what came is forgotten where nothing to come needs it."""
    names = [f"n{place}" for place in range(40)]
    needs = {names[39]: [names[0]]}
    grammar = grammar_of([(name, True, False) for name in names], needs, [], True, 0, None)
    engine = grammar.compile(BYTES)
    keys = set()
    for text in ('{"n0":0,"n7":0,', '{"n0":0,"n3":0,"n7":0,', '{"n0":0,"n1":0,"n2":0,"n7":0,'):
        state = engine.start()
        for byte in text.encode():
            state = engine.advance(state, byte)
        keys.add(state.key)
    assert len(keys) == 1


def test_wrong_needs():
    with pytest.raises(GrammarError, match="'c' needs another or is needed"):
        grammar_of([("a", True, False)], {"a": ["c"]}, [], True, 0, None)
    entries = [(name, True, False) for name in ("a", "b", "ab")]
    with pytest.raises(UnsupportedConstraint, match="entries that need each other"):
        grammar_of(entries, {"a": ["b"], "b": ["a"]}, [], True, 2, 2)
