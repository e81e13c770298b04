"""Pushdown automata: Propositions 3.1 and 3.2, symbolic runs, saturation, parsers of grammars."""

from __future__ import annotations

import itertools
import random

import pytest
from reference.counting import record
from reference.families import grammars, is_useful
from reference.naive import all_words, derives, sentences

from formgate.core.errors import EmptyLanguageError, GrammarError
from formgate.core.reference import (
    EOS,
    PDA,
    Grammar,
    Marker,
    ParserConfiguration,
    Rule,
    Transition,
    pre_star,
)
from formgate.core.reference.assumptions import parser_pruned
from formgate.core.reference.pruning import dead_configuration, live_configurations

LETTERS = {"a": {("a",)}, "b": {("b",)}}


def small_parsers():
    """Every parser of one control state, one stack symbol, and up to two moves on each of a and b,
    with pops and pushes of up to two symbols."""
    moves = [Transition(("X",) * pop, ("X",) * push, "p") for pop in range(3) for push in range(3)]
    choices = [
        frozenset(chosen) for size in range(3) for chosen in itertools.combinations(moves, size)
    ]
    for on_a, on_b in itertools.product(choices, repeat=2):
        edges = {("p", t): found for t, found in (("a", on_a), ("b", on_b)) if found}
        yield PDA("p", frozenset(["p"]), edges)


def random_parser(rng):
    """A parser of two or three control states and two stack symbols."""
    states = "pqr"[: rng.randint(2, 3)]

    def stack():
        return tuple(rng.choice("XY") for _ in range(rng.choice([0, 0, 1, 1, 2])))

    edges = {
        (state, terminal): frozenset(
            Transition(stack(), stack(), rng.choice(states)) for _ in range(rng.randint(1, 2))
        )
        for state in states
        for terminal in "ab"
        if rng.random() < 0.8
    }
    return PDA("p", frozenset(rng.sample(states, rng.randint(1, 2))), edges)


def check_propositions(parser, words, symbols, height):
    """Propositions 3.1 and 3.2 and ``summaries``, on words and on all stacks up to a height."""
    stacks = [
        stack for size in range(height + 1) for stack in itertools.product(symbols, repeat=size)
    ]
    checked = 0
    for word in words:
        for state in sorted(parser.states):
            summaries = parser.summaries(state, word)
            for stack in stacks:
                start = ParserConfiguration(state, stack)
                reached = parser.run([start], word)
                applied = {summary.apply(stack) for summary in summaries} - {None}
                assert reached == applied, (parser, word, start)
                assert parser.overApproximation(start, word), (parser, word, start)
                for below in stacks:
                    assert parser.stackInvariance(start, word, below), (parser, word, start)
                    checked += 1
    record("parser, word, stack, stack below: Propositions 3.1 and 3.2", checked)


def test_propositions_on_all_small_parsers():
    words = list(all_words("ab", 3))
    for parser in small_parsers():
        check_propositions(parser, words, "X", 2)


def test_propositions_on_random_parsers():
    rng = random.Random(1)
    words = list(all_words("ab", 4))
    for _ in range(60):
        check_propositions(random_parser(rng), words, "XY", 2)


def reachable(rules, control, stack, *, height, limit=4_000):
    """All configurations reached without a stack higher than `height`; whether none was cut."""
    seen = {(control, stack)}
    queue = [(control, stack)]
    whole = True
    for state, current in queue:
        for rule in rules:
            if rule.source == state and current[: len(rule.pop)] == rule.pop:
                after = (rule.target, rule.push + current[len(rule.pop) :])
                if len(after[1]) > height or len(seen) >= limit:
                    whole = False
                elif after not in seen:
                    seen.add(after)
                    queue.append(after)
    return {state for state, _ in seen}, whole


def check_saturation(rules, goal, controls, symbols, height):
    """``pre_star`` against a search of the configurations; returns how many were decided."""
    automaton = pre_star(rules, [goal])
    decided = 0
    for control in controls:
        for size in range(height + 1):
            for stack in itertools.product(symbols, repeat=size):
                found, whole = reachable(rules, control, stack, height=height + 5)
                claimed = automaton.accepts(control, stack)
                assert (control in automaton.states_of(stack)) == claimed
                if goal in found:
                    assert claimed, (rules, control, stack)
                    decided += 1
                elif whole:
                    assert not claimed, (rules, control, stack)
                    decided += 1
    return decided


def test_saturation_finds_what_can_reach_the_goal():
    rng = random.Random(2)
    decided = 0
    for _ in range(150):
        parser = random_parser(rng)
        rules = [
            Rule(state, move.pop, move.push, move.state)
            for (state, _), moves in parser.edges.items()
            for move in sorted(moves)
            if rng.random() < 0.7
        ]
        rules += [Rule(rng.choice("pq"), tuple(rng.choices("XY", k=rng.randint(0, 3))), (), "goal")]
        decided += check_saturation(rules, "goal", "pq", "XY", 2)
    assert decided > 1_500
    record("configurations: saturation against search", decided)


def check_grammar(table, length):
    """The parser's language, its being pruned, and its prefixes; False where nothing is derived."""
    expected = sentences("S", table, LETTERS, length)
    try:
        parser = Grammar("S", table).parser()
    except EmptyLanguageError:
        assert not expected, table
        return False
    begun = {word[:i] for word in expected for i in range(len(word) + 1)}
    configurations = {(): frozenset([parser.initial])}
    for word in all_words("ab", length):
        if word:
            before = configurations.get(word[:-1], frozenset())
            configurations[word] = parser.step(before, word[-1])
        accepted = any(c.state in parser.accepting for c in configurations[word])
        assert accepted == (word in expected), (table, word)
        if not configurations[word]:
            assert word not in begun, (table, word)
        record("grammar and word: parser against derivation", 1)
    assert parser_pruned(parser), table
    return True


def test_parsers_of_all_small_grammars():
    tables = itertools.chain(
        *(grammars("SA", "ab", rules, 2) for rules in (1, 2)), grammars("S", "ab", 3, 2)
    )
    checked = sum(check_grammar(table, 6) for table in tables if is_useful(table, "S"))
    assert checked > 300
    record("grammars: parser against derivation", checked)


@pytest.mark.slow
def test_parsers_of_larger_grammars():
    tables = itertools.chain(grammars("SA", "ab", 3, 2), grammars("SA", "ab", 2, 3))
    checked = sum(check_grammar(table, 8) for table in tables if is_useful(table, "S"))
    record("grammars: parser against derivation", checked)


def random_grammar(rng):
    heads = "SAB"
    table = {head: [] for head in heads}
    for head in heads:
        for _ in range(rng.randint(1, 3)):
            table[head].append(tuple(rng.choices(heads + "aabb", k=rng.randint(0, 3))))
    return table


def test_parsers_of_random_grammars():
    rng = random.Random(3)
    assert sum(check_grammar(random_grammar(rng), 6) for _ in range(120)) > 60


@pytest.mark.parametrize(
    ("rules", "text"),
    [
        ("S: S a | b", "left recursion"),
        ("S: A a | b\nA: S b", "indirect left recursion"),
        ("S: N S a | b\nN: | a", "hidden left recursion"),
        ("S: S S | a |", "ambiguity and the empty sentence"),
        ("S: A\nA: B\nB: A | a", "a cycle of units"),
    ],
)
def test_hard_shapes(rules, text):
    grammar = Grammar.of(rules)
    parser = grammar.parser()
    for word in all_words("ab", 6):
        assert parser.accepts(word) == derives("S", grammar.rules, word), text


def test_a_parser_that_can_be_stuck_for_good_is_found_out():
    # After a, an X lies on the stack that nothing takes off, and only the end pops.
    push = frozenset([Transition((), ("X",), "q")])
    stuck = PDA(
        "p",
        frozenset(["f"]),
        {("p", "a"): push, ("q", "b"): frozenset([Transition(("Y",), (), "f")])},
    )
    assert dead_configuration(stuck) == ()
    fine = PDA(
        "p",
        frozenset(["f"]),
        {("p", "a"): push, ("q", "b"): frozenset([Transition(("X",), (), "f")])},
    )
    assert dead_configuration(fine) is None
    assert live_configurations(fine).accepts("q", ("X",))
    assert not live_configurations(fine).accepts("q", ())
    # An even number of a is needed: after one a and then b, none of it can be completed.
    two = Transition(("X", "X"), (), "f")
    odd = PDA("p", frozenset(["f"]), {
        ("p", "a"): frozenset([Transition((), ("X",), "p")]),
        ("p", "b"): frozenset([Transition((), (), "q")]),
        ("q", "b"): frozenset([two]),
    })  # fmt: skip
    assert dead_configuration(odd) == ("b",)
    finding = parser_pruned(odd)
    assert not finding
    assert finding.where.startswith("after b the parser")


def dead_by_search(parser, length):
    """Whether some configuration after a word of up to `length` terminals is not live."""
    live = live_configurations(parser)
    return any(
        not live.accepts(*configuration)
        for word in all_words("ab", length)
        for configuration in parser.run([parser.initial], word)
    )


def test_pruning_is_decided_as_search_finds():
    rng = random.Random(4)
    found = 0
    for _ in range(150):
        parser = random_parser(rng)
        word = dead_configuration(parser)
        if word is None:
            assert not dead_by_search(parser, 5), parser
        else:
            assert dead_by_search(parser, len(word)), parser
            assert not dead_by_search(parser, len(word) - 1) or not word, parser
            found += 1
    assert 20 < found < 150


def test_the_end_marker():
    parser = Grammar.of("S: a S b |").parser().with_end_marker()
    assert parser.accepts(["a", "b", EOS])
    assert parser.accepts([EOS])
    assert not parser.accepts(["a", EOS])
    assert not parser.accepts([EOS, "a"])
    assert parser.accepting == {Marker.PARSER_END}
    with pytest.raises(GrammarError, match="end marker already"):
        parser.with_end_marker()


def test_ignored_terminals_are_no_ops():
    parser = Grammar.of("S: a S b |").parser().with_ignored(["ws"])
    assert parser.accepts(["ws", "a", "ws", "ws", "b"])
    assert not parser.accepts(["ws", "a"])
    with pytest.raises(GrammarError, match="'a' is ignored and yet"):
        parser.with_ignored(["a"])


@pytest.mark.parametrize(
    ("text", "error", "reason"),
    [
        ("", GrammarError, "at least one rule"),
        ("S a b", GrammarError, "no rule"),
        ("S: S a", EmptyLanguageError, "derives no sentence"),
    ],
)
def test_grammars_that_are_none_are_refused(text, error, reason):
    with pytest.raises(error, match=reason):
        Grammar.of(text).parser()


def test_a_start_without_rules_is_refused():
    with pytest.raises(GrammarError, match="'T' has no rules"):
        Grammar("T", {"S": [[]]})


def test_names_cannot_clash_with_what_the_constructions_add():
    grammar = Grammar.of("last: just last rest | just\njust: A | last B\nrest: C | last")
    words = sentences("last", grammar.rules, {name: {(name,)} for name in "ABC"}, 5)
    parser = grammar.parser()
    for word in all_words("ABC", 5):
        assert parser.accepts(word) == (word in words)
