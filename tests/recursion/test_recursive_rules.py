"""Recursive rules: languages, masks and viable prefixes against an Earley recogniser."""

from __future__ import annotations

import itertools

import pytest
from earley import Earley
from hypothesis import event, example, given, settings
from hypothesis import strategies as st
from random_rules import NAMES, grammar_of, grammar_of_shared_nodes, rule_sets

import formgate
from formgate.core.errors import EmptyLanguageError, LimitError, UnsupportedConstraint
from formgate.core.grammar import GrammarBuilder, Limits


def check(rules, vocabulary, letters, most_bytes, write=grammar_of):
    """Compare ends and masks after every viable sequence of tokens."""
    judge = Earley(rules, "S")
    tokens = [vocabulary.token_bytes(i) for i in range(len(vocabulary))]
    stop = set(vocabulary.stop_ids)
    try:
        engine = write(rules).compile(vocabulary)
    except EmptyLanguageError:
        assert "S" not in judge.rules
        return
    assert "S" in judge.rules
    keys = {}
    pending = [(b"", engine.start())]
    while pending:
        text, state = pending.pop()
        spelled = text.decode()
        accepting = judge.accepts(spelled)
        assert engine.is_accepting(state) == accepting, spelled
        assert keys.setdefault(text, state.key) == state.key, spelled
        allowed = set(engine.allowed_tokens(state).to_list())
        for token, own in enumerate(tokens):
            if own is None:
                assert (token in allowed) == (token in stop and accepting)
                continue
            assert (token in allowed) == judge.viable((text + own).decode()), (spelled, own)
            if token in allowed and len(text) + len(own) <= most_bytes:
                pending.append((text + own, engine.advance(state, token)))
    for length in range(most_bytes):
        for word in itertools.product(letters, repeat=length):
            assert engine.accepts("".join(word)) == judge.accepts("".join(word))


LETTERS = [b"a", b"b", None]


@settings(max_examples=100, deadline=None)
@given(rule_sets(most_rules=3), st.lists(st.booleans(), min_size=30, max_size=30))
def test_long_texts_of_random_grammars(rules, choices):
    """Stacks that are united or dropped get long only after some letters."""
    vocabulary = formgate.Vocabulary(LETTERS, stop_ids=[2])
    try:
        engine = grammar_of(rules).compile(vocabulary, limits=Limits(max_growth=1_000_000))
    except EmptyLanguageError:
        return
    try:
        follow(engine, Earley(rules, "S"), choices)
    except LimitError:
        event("read in too many ways")


def follow(engine, judge, choices):
    """Compare ends and masks along a text."""
    state = engine.start()
    text = ""
    for choice in choices:
        assert engine.is_accepting(state) == judge.accepts(text), text
        allowed = [t for t in engine.allowed_tokens(state).to_list() if t < 2]
        assert allowed == [t for t in range(2) if judge.viable(text + "ab"[t])], text
        if not allowed:
            break
        token = allowed[-1] if choice else allowed[0]
        state = engine.advance(state, token)
        text += "ab"[token]


@settings(max_examples=400, deadline=None)
@given(rule_sets())
def test_masks_of_random_grammars(rules):
    check(rules, formgate.Vocabulary(LETTERS, stop_ids=[2]), "ab", 5)


@settings(max_examples=500, deadline=None)
@given(rule_sets(most=2), st.permutations(NAMES), st.lists(st.booleans(), min_size=12, max_size=12))
@example({"S": [("B", "B")], "A": [()], "B": [(), ("S", "B")]}, ["A", "B", "S", "C"], [True])
def test_rules_that_share_nodes(rules, names, in_place):
    def write(rules):
        return grammar_of_shared_nodes(rules, [one for one in names if one in rules], in_place)

    check(rules, formgate.Vocabulary(LETTERS, stop_ids=[2]), "ab", 4, write)


@settings(max_examples=150, deadline=None)
@given(
    rule_sets(most_rules=3),
    st.lists(st.text("ab", min_size=2, max_size=4).map(str.encode), max_size=6),
)
def test_masks_of_longer_tokens(rules, more):
    check(rules, formgate.Vocabulary([*LETTERS, *more], stop_ids=[2]), "ab", 5)


@settings(max_examples=100, deadline=None)
@given(rule_sets())
def test_letters_that_no_token_has_are_left_out(rules):
    vocabulary = formgate.Vocabulary([b"a", b"aa", None], stop_ids=[2])
    spelled = {n: [b for b in bodies if "b" not in b] for n, bodies in rules.items()}
    judge = Earley(spelled, "S")
    try:
        engine = grammar_of(rules).compile(vocabulary)
    except EmptyLanguageError:
        assert "S" not in judge.rules
        return
    state = engine.start()
    for length in range(6):
        allowed = set(engine.allowed_tokens(state).to_list())
        assert allowed == {
            token
            for token, ok in enumerate(
                [
                    judge.viable("a" * (length + 1)),
                    judge.viable("a" * (length + 2)),
                    judge.accepts("a" * length),
                ]
            )
            if ok
        }
        if 0 not in allowed:
            break
        state = engine.advance(state, 0)


NAMED = {
    "left": {"S": [("S", "a"), ("b",)]},
    "right": {"S": [("a", "S"), ("b",)]},
    "both": {"S": [("S", "S"), ("a",)]},
    "hidden": {"S": [("A", "S", "a"), ("b",)], "A": [(), ("b",)]},
    "indirect": {"S": [("A", "a"), ("b",)], "A": [("B", "b")], "B": [("S", "a"), ("a",)]},
    "cycle": {"S": [("A",), ("a",)], "A": [("S",), ("b", "S")]},
    "cycle of all": {"S": [("S",), ("S", "S"), (), ("a",)]},
    "two closures": {"S": [("S", "S"), ("A",)], "A": [("S", "b"), ("A", "A", "a"), ("a",)]},
    "nullable tails": {"S": [("a", "S", "A", "A"), ()], "A": [("b",), ()]},
    "palindromes": {"S": [("a", "S", "a"), ("b", "S", "b"), ("a",), ("b",), ()]},
    "equal numbers": {"S": [("a", "S", "b", "S"), ("b", "S", "a", "S"), ()]},
    "one is dead": {"S": [("A", "a"), ("b", "S"), ("a",)], "A": [("A", "b")]},
    "only the empty text": {"S": [("A", "a"), ("b",)], "A": [("A", "A"), ()]},
    "union of stacks": {"S": [("A",), ("B",)], "A": [("a", "A", "b"), ()],
                        "B": [("a", "B", "b", "b"), ()]},
    "not two": {"S": [("a", "S", "A"), ("b",)], "A": [("b", "A"), ("a",), ()]},
}  # fmt: skip


@pytest.mark.parametrize("name", NAMED)
def test_named_grammars(name):
    vocabulary = formgate.Vocabulary([b"a", b"b", b"ab", b"ba", b"aab", None], stop_ids=[5])
    check(NAMED[name], vocabulary, "ab", 7)


@pytest.mark.parametrize(
    ("rules", "loop"),
    [
        ({"S": [("S", "S"), ("a",)]}, "a"),
        ({"S": [("a", "S"), ()]}, "a"),
        ({"S": [("S", "a"), ("a",)]}, "a"),
        ({"S": [("S", "+", "S"), ("S", "*", "S"), ("n",), ("(", "S", ")")]}, "n+n*"),
        (
            {
                "S": [("S", "+", "T"), ("T",)],
                "T": [("T", "*", "F"), ("F",)],
                "F": [("n",), ("(", "S", ")")],
            },
            "n+n*",
        ),
        ({"S": [("S", "S"), ("A",)], "A": [("S", "x"), ("a",)]}, "ax"),
        ({"S": [("(", "S", ")", "S"), ()]}, "()"),
        # What stacks hold again and again is within a repetition that they hold already.
        ({"S": [("S", "S", "S"), ("S", "a"), ("a",)]}, "a"),
        ({"S": [("S", "S", "S"), ("S", "a"), ("S", "b"), ("a",)]}, "aab"),
        ({"S": [("S", "S", "S", "S"), ("S", "S", "a"), ("S", "a"), ("a",)]}, "a"),
        ({"S": [("S", "S", "S"), ("a", "S"), ("a",)]}, "a"),
        ({"S": [("S", "S", "S"), ("S", "a"), ("S", "b"), ("c",)]}, "cacbc"),
        ({"S": [("S", "A"), ("a",)], "A": [("S", "S"), ("b",)]}, "aab"),
        ({"S": [("A", "S", "A"), ("a",)], "A": [("b",), (), ("S",)]}, "aabab"),
        ({"S": [("A",)], "A": [("A", "A", "A"), ("A", "a"), ("a",), ("[", "A", "]", "A")]}, "[a]a"),
    ],
)
def test_states_come_back(byte_vocabulary, rules, loop):
    """Repeating a text without nesting adds no states: time a token does not grow."""
    engine = grammar_of(rules).compile(byte_vocabulary)
    state = engine.start()
    keys = []
    for _ in range(50):
        for letter in loop.encode():
            state = engine.advance(state, letter)
        keys.append(state.key)
    assert len(set(keys)) <= 3


@pytest.mark.parametrize(
    ("rules", "loop"),
    [
        ({"S": [("S", "S", "A"), ("x",)], "A": [("+",), ()]}, "xxx+"),
        ({"S": [("a", "S", "S", "S"), ("a", "S"), ("a",)]}, "a"),
        ({"S": [("S", "S", "S"), ("S", "S", "a"), ("b",)]}, "bba"),
        ({"S": [("S", "S", "S"), ("S", "a"), ("a",), ("(", "S", ")")]}, "a((a)a"),
        ({"S": [("i", "S"), ("i", "S", "e", "S"), ("x",)]}, "i"),
    ],
)
def test_new_states_take_as_much_as_the_first(byte_vocabulary, rules, loop):
    """Where a text leads to new states, what each adds does not grow with what came before."""
    engine = grammar_of(rules).compile(byte_vocabulary)
    state = engine.start()
    added = []
    for _ in range(120):
        before = engine.pool_nodes
        for letter in loop.encode():
            assert letter in engine.allowed_tokens(state)
            state = engine.advance(state, letter)
        added.append(engine.pool_nodes - before)
    assert max(added[60:]) <= 2 * max(added[10:40]) + 4


def test_ambiguous_stacks_are_not_multiplied_out(byte_vocabulary):
    """Stacks share parts: neither steps nor masks may visit a part once for each way to it."""
    engine = grammar_of({"S": [("a", "S", "S", "b"), ("a",), ()]}).compile(byte_vocabulary)
    state = engine.start()
    for _ in range(100):
        state = engine.advance(state, ord("a"))
    rules = {"S": [("S", "a", "S", "b", "S"), ("S", "S"), ("a",), ()]}
    engine = grammar_of(rules).compile(byte_vocabulary)
    before = engine.pool_nodes
    state = engine.start()
    for _ in range(40):
        assert ord("a") in engine.allowed_tokens(state)
        state = engine.advance(state, ord("a"))
    assert engine.pool_nodes - before < 50_000


def test_deep_nesting(byte_vocabulary):
    builder = GrammarBuilder()
    rule = builder.rule("S")
    word = builder.intersection(
        builder.plus(builder.char_class([(ord("a"), ord("z"))])),
        builder.complement(builder.literal("if")),
    )
    builder.define(
        "S",
        builder.choice(
            builder.seq(builder.literal("("), rule, builder.literal(")")),
            builder.seq(builder.literal("["), rule, builder.literal("]")),
            word,
        ),
    )
    builder.start(rule)
    engine = builder.build().compile(byte_vocabulary)
    depth = 20_000
    state = engine.start()
    for _ in range(depth):
        state = engine.advance(engine.advance(state, ord("(")), ord("["))
    assert len(engine.explain(state)) < 1000
    state = engine.advance(state, ord("x"))
    for _ in range(depth):
        state = engine.advance(engine.advance(state, ord("]")), ord(")"))
    assert engine.is_terminal(state)
    assert not engine.accepts("(" * depth + "if" + ")" * depth)


def test_a_rule_that_a_boolean_operator_empties(byte_vocabulary):
    builder = GrammarBuilder()
    rule = builder.rule("S")
    nothing = builder.intersection(builder.literal("x"), builder.literal("y"))
    builder.define("S", builder.choice(builder.seq(builder.literal("a"), rule), nothing))
    builder.start(rule)
    with pytest.raises(EmptyLanguageError):
        builder.build().compile(byte_vocabulary)


def test_equal_rules_have_equal_keys_in_other_grammars(byte_vocabulary):
    def engine(more):
        builder = GrammarBuilder()
        rule = builder.rule("list")
        builder.define(
            "list",
            builder.choice(
                builder.seq(builder.literal("("), rule, builder.literal(")")), builder.empty()
            ),
        )
        builder.define("other", builder.choice(builder.literal("y"), builder.rule("other")))
        start = builder.seq(builder.literal("x"), rule)
        builder.start(builder.choice(start, builder.rule("other")) if more else start)
        return builder.build().compile(byte_vocabulary)

    first, second = (e.advance(e.start(), ord("x")) for e in (engine(False), engine(True)))
    assert first.key == second.key


@pytest.mark.parametrize(
    "write",
    [
        lambda b, rule: b.intersection(rule, b.any_text()),
        lambda b, rule: b.complement(rule),
        lambda b, rule: b.look_ahead(rule),
        lambda b, rule: b.look_behind(rule),
        lambda b, rule: b.seq(rule, b.look_ahead(b.literal("a"))),
        lambda b, rule: b.unordered(rule, b.literal("b")),
    ],
)
def test_what_recursion_cannot_be_part_of(byte_vocabulary, write):
    builder = GrammarBuilder()
    rule = builder.rule("nested")
    builder.define(
        "nested",
        builder.choice(
            builder.seq(builder.literal("("), rule, builder.literal(")")), builder.literal("x")
        ),
    )
    builder.start(write(builder, rule))
    with pytest.raises(UnsupportedConstraint):
        builder.build().compile(byte_vocabulary)


def test_look_around_within_a_terminal(byte_vocabulary):
    builder = GrammarBuilder()
    rule = builder.rule("S")
    # A word that is not "no", written with look-ahead.
    word = builder.scope(
        builder.seq(
            builder.look_ahead(builder.literal("no"), negative=True),
            builder.plus(builder.char_class([(ord("a"), ord("z"))])),
        )
    )
    builder.define(
        "S", builder.choice(builder.seq(builder.literal("("), rule, builder.literal(")")), word)
    )
    builder.start(rule)
    engine = builder.build().compile(byte_vocabulary)
    assert engine.accepts("((nor))")
    assert engine.accepts("((n))")
    assert not engine.accepts("((no))")


def test_many_rules_that_begin_with_one_another(byte_vocabulary):
    def chain(length):
        builder = GrammarBuilder()
        builder.define(
            "0",
            builder.choice(
                builder.seq(builder.rule(f"{length}"), builder.literal("a")), builder.literal("b")
            ),
        )
        for i in range(1, length + 1):
            builder.define(f"{i}", builder.choice(builder.rule(f"{i - 1}"), builder.literal("c")))
        # The same without left recursion: calls nest at the left edge.
        builder.define("r0", builder.seq(builder.literal("("), builder.rule(f"r{length}")))
        for i in range(1, length + 1):
            builder.define(f"r{i}", builder.choice(builder.rule(f"r{i - 1}"), builder.literal(")")))
        builder.start(builder.choice(builder.rule("0"), builder.rule(f"r{length}")))
        return builder.build()

    # Chains of calls are no nesting: they may be longer than that.
    for limits in (Limits(), Limits(max_depth=10)):
        engine = chain(60).compile(byte_vocabulary, limits=limits)
        assert engine.accepts("baaa")
        assert engine.accepts("((((()")
        assert not engine.accepts("((((a")


def test_parts_that_rules_share_are_derived_once():
    # Each rule has the one before in it three times: without keeping what was derived, a step would
    # take time exponential in their number, and this test would not end.
    builder = GrammarBuilder()
    inner = builder.optional(builder.rule("r"))
    builder.define("r", builder.seq(builder.literal("("), inner, builder.literal(")")))
    node = builder.choice(builder.literal("a"), builder.rule("r"))
    for i in range(60):
        ways = [builder.seq(node, builder.literal(letter)) for letter in "bc"]
        builder.define(f"x{i}", builder.choice(*ways, node))
        node = builder.rule(f"x{i}")
    builder.start(node)
    vocabulary = formgate.Vocabulary([*(bytes([b]) for b in range(256)), None], stop_ids=[256])
    engine = builder.build().compile(vocabulary)
    assert engine.accepts("a" + "bc" * 30)
    assert engine.accepts("(())cb")
    assert not engine.accepts("a" + "b" * 61)


def test_counts_of_what_is_open_matter_where_tokens_reach_them():
    """Open alternatives become a count, which masks look at only near its end."""
    tokens = [b"i", b"x", *(b"ex" * n for n in range(1, 9)), b"ei", None]
    vocabulary = formgate.Vocabulary(tokens, stop_ids=[len(tokens) - 1])
    rules = {"S": [("i", "S"), ("i", "S", "e", "S"), ("x",)]}
    engine = grammar_of(rules).compile(vocabulary)
    for depth in range(45):
        state = engine.start()
        for _ in range(depth):
            state = engine.advance(state, 0)
        state = engine.advance(state, 1)
        for closed in range(depth + 1):
            left = depth - closed
            expected = {1 + n for n in range(1, 9) if n <= left} | {len(tokens) - 1}
            if left > 0:
                expected.add(len(tokens) - 2)
            assert set(engine.allowed_tokens(state).to_list()) == expected
            if left > 0:
                state = engine.advance(state, 2)
