"""Rules that refer to themselves alone are lowered once: that must never be seen."""

from __future__ import annotations

import itertools

import pytest
from earley import Earley
from hypothesis import given, settings
from hypothesis import strategies as st
from random_rules import NAMES

from formgate.core.errors import EmptyLanguageError, LimitError, UnsupportedConstraint
from formgate.core.grammar import Cell, Entry, GrammarBuilder, Limits

_fresh = itertools.count(200_001)  # limits of their own share no rules


@st.composite
def rules_alone(draw):
    """Draw rules that refer to themselves and, the first one, to the others."""
    names = NAMES[: draw(st.integers(2, 4))]
    found = {}
    for name in names:
        symbols = st.sampled_from(["a", "b", name, *(names if name == "S" else ())])
        bodies = st.lists(symbols, max_size=4).map(tuple)
        found[name] = draw(st.lists(bodies, min_size=1, max_size=4))
    return found


def written(rules):
    """Return rules as a grammar; the start stands for the first rule's body."""
    builder = GrammarBuilder()

    def body(name):
        return builder.choice(
            *(
                builder.seq(*(builder.rule(s) if s in rules else builder.literal(s) for s in one))
                for one in rules[name]
            )
        )

    for name in rules:
        builder.define(name, body(name))
    builder.start(body("S"))
    return builder.build()


@settings(max_examples=200, deadline=None)
@given(rules_alone())
def test_known_rules_mean_the_same(byte_vocabulary, rules):
    judge = Earley(rules, "S")
    keys = set()
    for limits in (None, Limits(max_states=next(_fresh)), None):
        try:
            engine = written(rules).compile(byte_vocabulary, limits=limits)
        except EmptyLanguageError:
            assert "S" not in judge.rules
            return
        keys.add(engine.start().key)
    assert len(keys) == 1
    for length in range(5):
        for word in itertools.product("ab", repeat=length):
            assert engine.accepts("".join(word)) == judge.accepts("".join(word))


def nested(builder, inner, *, opened="[", low=0, high=None):
    """Return a rule of brackets around itself or something else."""
    own = builder.rule("nested")
    many = builder.repeat(builder.choice(own, inner), low, high)
    builder.define("nested", builder.seq(builder.literal(opened), many, builder.literal("]")))
    return own


def members(builder, name="k", *, required=False, ordered=False, low=0, free=False):
    """Return a rule of objects that hold themselves."""
    own = builder.rule("object")
    value = builder.choice(own, builder.literal("0"))
    cells = [Cell(builder.any_text(), value)] if free else []
    inside = builder.members(
        [Entry(name, value, required), Entry("z", value, False)],
        cells,
        colon=builder.literal(":"),
        comma=builder.literal(","),
        ordered=ordered,
        min=low,
    )
    builder.define("object", builder.seq(builder.literal("{"), inside, builder.literal("}")))
    return own


def quoted(builder, *, escapes):
    """Return a rule of lists of strings, spelled in one way or in any."""
    text = builder.json_text(builder.literal("é"), escapes=escapes)
    return nested(builder, builder.seq(builder.literal('"'), text, builder.literal('"')))


ALIKE = [
    (lambda b: nested(b, b.literal("a")), ["[]", "[a]", "[[a]a]"], ["a", "[b]", "(a]"]),
    (lambda b: nested(b, b.literal("b")), ["[]", "[b]", "[[b]b]"], ["b", "[a]", "(a]"]),
    (lambda b: nested(b, b.literal("a"), opened="("), ["(]", "(a]", "((]a]"], ["[a]"]),
    (lambda b: nested(b, b.literal("a"), low=1), ["[a]", "[[a]]", "[aa]"], ["[]", "[[]]"]),
    (lambda b: nested(b, b.literal("a"), high=1), ["[a]", "[[a]]", "[]"], ["[aa]", "[a[]]"]),
    (lambda b: nested(b, b.char_class([(97, 99)])), ["[abc]", "[[c]]"], ["[d]"]),
    (lambda b: nested(b, b.char_class([(97, 98)])), ["[ab]", "[[b]]"], ["[c]"]),
    (lambda b: quoted(b, escapes=True), ['["é"]', '["\\u00e9"]'], ['["e"]']),
    (lambda b: quoted(b, escapes=False), ['["é"]'], ['["\\u00e9"]']),
    (members, ['{"k":{},"z":0}', '{"z":0,"k":0}', "{}"], ['{"q":0}', '{"k":1}']),
    (lambda b: members(b, "q"), ['{"q":{},"z":0}', "{}"], ['{"k":0}']),
    (lambda b: members(b, required=True), ['{"z":0,"k":0}'], ["{}", '{"k":{}}']),
    (lambda b: members(b, ordered=True), ['{"k":{},"z":0}', "{}"], ['{"z":0,"k":0}']),
    (lambda b: members(b, low=1), ['{"k":0}', '{"z":0}'], ["{}", '{"k":{}}']),
    (lambda b: members(b, free=True), ['{"x":{"k":0,"y":0}}', "{}"], ['{"x":0,"x":0}']),
]


@pytest.mark.parametrize("times", [1, 2])
@pytest.mark.parametrize(("write", "good", "bad"), ALIKE)
def test_rules_that_are_nearly_the_same(byte_vocabulary, write, good, bad, times):
    for _ in range(times):
        builder = GrammarBuilder()
        builder.start(builder.seq(write(builder), builder.optional(builder.literal("!"))))
        engine = builder.build().compile(byte_vocabulary)
        for text in good:
            assert engine.accepts(text), text
            assert engine.accepts(text + "!"), text
        for text in bad:
            assert not engine.accepts(text), text


MISUSED = [
    lambda b, own: b.intersection(own, b.any_text()),
    lambda b, own: b.complement(own),
    lambda b, own: b.json_text(own),
    lambda b, own: b.seq(b.any_text(), b.look_behind(own)),
    lambda b, own: b.members(
        [], [Cell(own, b.literal("0"))], colon=b.literal(":"), comma=b.literal(",")
    ),
    lambda b, own: b.members([Entry("a", b.literal("0"))], colon=own, comma=b.literal(",")),
]


@pytest.mark.parametrize("write", MISUSED)
def test_known_rules_are_refused_where_others_are(byte_vocabulary, write):
    words = set()
    for limits in (None, Limits(max_states=next(_fresh)), None):
        builder = GrammarBuilder()
        own = nested(builder, builder.literal("x"))
        builder.start(builder.choice(own, write(builder, own)))
        with pytest.raises(UnsupportedConstraint) as caught:
            builder.build().compile(byte_vocabulary, limits=limits)
        words.add(str(caught.value))
        ready = GrammarBuilder()
        ready.start(nested(ready, ready.literal("x")))
        ready.build().compile(byte_vocabulary)  # the pool knows the rule from now on
    assert len(words) == 1


def test_limits_hold_for_known_rules(byte_vocabulary):
    def grammar():
        builder = GrammarBuilder()
        inner = builder.literal("x")
        for _ in range(40):
            inner = builder.repeat(builder.seq(builder.literal("<"), inner), 1, 2)
        builder.start(nested(builder, inner))
        return builder.build()

    assert grammar().compile(byte_vocabulary).accepts("[" + "<" * 40 + "x]")
    with pytest.raises(LimitError, match="max_depth"):
        grammar().compile(byte_vocabulary, limits=Limits(max_depth=20))


def test_beside_parts_that_may_be_empty(byte_vocabulary):
    """What has an intersection beside a known rule is looked at as ever."""
    for _ in range(2):
        builder = GrammarBuilder()
        own = nested(builder, builder.literal("x"))
        never = builder.intersection(builder.literal("p"), builder.literal("q"))
        builder.start(builder.choice(builder.seq(own, never), builder.seq(own, builder.empty())))
        engine = builder.build().compile(byte_vocabulary)
        assert engine.accepts("[x]")
        state = engine.start()
        for byte in b"[x]":
            state = engine.advance(state, byte)
        assert engine.is_terminal(state)
