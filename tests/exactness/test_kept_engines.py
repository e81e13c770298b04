"""An engine that is kept moves on to a fresh pool, and nothing but memory shows it."""

from __future__ import annotations

import copy
import gc
import json
import random
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import formgate
from formgate.core import _native
from formgate.decoding import AfterMarker, Prefixed, WithinBudget

DEFAULT_MASK_BUDGET = 128 << 20
DEFAULT_POOL_BUDGET = 256 << 20
POOL_BUDGET = 2 << 20
MASK_BUDGET = 1 << 20

UNIQUE = {"type": "array", "uniqueItems": True, "items": {"type": "integer"}}
LARK = """
start: expr
?expr: expr "+" term | term
?term: NAME | NUMBER | "(" expr ")"
NAME: /[a-z]+/
NUMBER: /[0-9]+/
%ignore " "
"""
SOURCES = (
    (UNIQUE, "json_schema"),
    ({"type": "object"}, "json_schema"),
    (r"(?=.*[0-9])(?=.*[A-Z])[0-9A-Za-z]{3,40}", "regex"),
    (r"(?:(?!-->).)*-->", "regex"),
    (LARK, "lark"),
    ('root ::= "[" (root ("," root)*)? "]" | [0-9]+', "gbnf"),
    (["yes", "no", "maybe"], "choice"),
)


def make_vocabulary():
    rng = random.Random(5)
    letters = [*'abzAZ019 {}[](),:+"\\->', "é", "-->", '": ', "true"]
    texts = {"".join(rng.choice(letters) for _ in range(rng.randint(1, 3))) for _ in range(600)}
    tokens = [None, *(text.encode() for text in sorted(texts))]
    tokens += [bytes([byte]) for byte in range(256)]
    return formgate.Vocabulary(tokens, stop_ids=[0])


VOCABULARY = make_vocabulary()
SINGLE = {bytes([b]): len(VOCABULARY) - 256 + b for b in range(256)}


@pytest.fixture
def budgets():
    """Budgets that outputs soon exceed; the defaults again afterwards."""
    _native.set_mask_budget(MASK_BUDGET)
    _native.set_pool_budget(POOL_BUDGET)
    yield
    _native.set_mask_budget(DEFAULT_MASK_BUDGET)
    _native.set_pool_budget(DEFAULT_POOL_BUDGET)


def write(engine, text):
    """Write a text byte by byte, with a mask before each."""
    state = engine.start()
    for byte in text.encode():
        engine.allowed_tokens(state)
        state = engine.advance(state, SINGLE[bytes([byte])])
    return state


def numbers(rng, count=8):
    return json.dumps(rng.sample(range(10**6), count))


def outgrow(engine, rng):
    """Write outputs until the engine has moved on."""
    before = engine.pool_number
    for _ in range(2_000):
        write(engine, numbers(rng))
        if engine.pool_number != before:
            return
    pytest.fail("the engine never left its pool")


def walk(engine, state, choices):
    """Masks and keys along a walk that depends on masks and choices alone."""
    seen = []
    for choice in choices:
        ids = engine.allowed_tokens(state).to_list()
        seen.append((state.key, ids, engine.is_accepting(state), engine.is_terminal(state)))
        if not ids:
            break
        state = engine.advance(state, ids[choice % len(ids)])
    return seen


@pytest.mark.usefixtures("budgets")
def test_memory_of_a_kept_engine_is_bounded():
    engine, rng = formgate.compile(UNIQUE, VOCABULARY), random.Random(1)
    most = 0
    for _ in range(1_500):
        write(engine, numbers(rng))
        used = engine.memory_usage()
        most = max(most, used["pool"] + used["masks"])
    # What one output takes comes on top.
    assert most < (POOL_BUDGET + MASK_BUDGET) * 1.25


@pytest.mark.usefixtures("budgets")
def test_a_pool_goes_with_its_last_state():
    engine, rng = formgate.compile(UNIQUE, VOCABULARY), random.Random(1)
    gc.collect()
    before = _native.pools_alive()
    states, pools = [write(engine, "[1, 2")], {engine.pool_number}
    for _ in range(3):
        outgrow(engine, rng)
        pools.add(engine.pool_number)
        states.append(write(engine, "[1, 2"))
    assert len(pools) == 4
    # Pools of engines that other tests keep may go meanwhile.
    assert alive(most=before + 3) <= before + 3
    for count in (2, 1, 0):
        assert engine.is_allowed(states[0], SINGLE[b"]"])
        del states[0]
        assert alive(most=before + count) <= before + count


@pytest.mark.usefixtures("budgets")
def test_idle_engines_leave_the_pool_too():
    idle = [formgate.compile(rf"[a-f]{{{n},50}}x", VOCABULARY) for n in range(1, 20)]
    engine, rng = formgate.compile(UNIQUE, VOCABULARY), random.Random(1)
    assert {each.pool_number for each in idle} == {engine.pool_number}
    outgrow(engine, rng)
    assert {each.pool_number for each in idle} == {0}
    assert {each.memory_usage()["pool"] for each in idle} == {0}
    for n, each in enumerate(idle, 1):
        assert each.accepts("a" * n + "x")
        assert not each.accepts("a" * (n - 1) + "x")
        assert each.pool_number == engine.pool_number


@pytest.mark.usefixtures("budgets")
def test_compiling_beyond_the_budget_leaves_idle_engines_where_they_are_of_use():
    """What is kept may take more than the budget: moving it would be of no use."""
    choices = [[f"{n}-{m * 7919}" for m in range(2_000)] for n in range(120)]
    kept = [formgate.compile(each, VOCABULARY) for each in choices]
    pools = [each.pool_number for each in kept]
    assert len(set(pools)) > 1
    for _ in range(3):
        for each in kept:
            each.allowed_tokens(each.start())
    assert [each.pool_number for each in kept] == pools


@pytest.mark.usefixtures("budgets")
def test_an_engine_that_is_larger_than_the_budget_stays():
    schema = {
        "type": "object",
        "properties": {f"name{n}": {"pattern": f"^[a-z]{{{n + 1}}}[0-9]+$"} for n in range(3_000)},
    }
    engine = formgate.compile(schema, VOCABULARY)
    assert engine.memory_usage()["pool"] > POOL_BUDGET
    before = engine.pool_number
    for _ in range(100):
        write(engine, '{"name1": "ab12"')
    assert engine.pool_number == before


@pytest.mark.usefixtures("budgets")
@pytest.mark.parametrize(("source", "name"), SOURCES)
@settings(max_examples=15, deadline=None)
@given(choices=st.lists(st.integers(0, 10_000), min_size=4, max_size=30))
def test_nothing_but_the_pool_changes(source, name, choices):
    _native.set_pool_budget(1_000)
    engine = formgate.compile(source, VOCABULARY, format=name)
    first = engine.start()
    old = walk(engine, first, choices)
    half = len(old) // 2
    midway = engine.advance_many(first, tokens_of(old, choices[:half]))
    second = engine.start()
    assert second == first
    assert hash(second) == hash(first)
    assert copy.copy(first) is first
    assert copy.deepcopy(second) is second
    assert walk(engine, second, choices) == old
    fresh = formgate.compile(source, VOCABULARY, format=name)
    assert walk(fresh, fresh.start(), choices) == old
    # States of before go on in their own pool.
    del second
    gc.collect()
    assert walk(engine, first, choices) == old
    assert walk(engine, midway, choices[half:]) == old[half:]


def tokens_of(seen, choices):
    return [ids[choice % len(ids)] for (_, ids, _, _), choice in zip(seen, choices, strict=False)]


@pytest.mark.usefixtures("budgets")
@pytest.mark.parametrize("threads", [1, 2])
def test_a_batch_of_states_of_several_pools(threads):
    engine, rng = formgate.compile(UNIQUE, VOCABULARY), random.Random(1)
    texts = ["", "[", "[1", "[1, ", "[1, 2", "[1, 1", "[12, 1", "[3]"]
    states, pools = [], set()
    for _ in range(3):
        states += [write(engine, text) for text in texts]
        pools.add(engine.pool_number)
        outgrow(engine, rng)
    assert len(pools) == 3
    states = states * 6
    rng.shuffle(states)
    ended = engine.advance(write(engine, "[3]"), 0)
    states[7] = states[70] = ended
    words = (len(VOCABULARY) + 31) // 32
    rows = np.zeros((len(states), words), dtype=np.int32)
    engine.fill_masks(states, rows, threads=threads)
    alone = np.zeros(words, dtype=np.int32)
    fresh = formgate.compile(UNIQUE, VOCABULARY)
    known = {write(fresh, text).key: write(fresh, text) for text in texts}
    for state, row in zip(states, rows, strict=True):
        engine.fill_mask(state, alone)
        assert (alone == row).all()
        if state != ended:
            fresh.fill_mask(known[state.key], alone)
            assert (alone == row).all()
    assert len(set(states)) == len(texts) + 1


@pytest.mark.usefixtures("budgets")
def test_states_of_other_engines_are_still_refused():
    engine, rng = formgate.compile(UNIQUE, VOCABULARY), random.Random(1)
    other = formgate.compile(UNIQUE, VOCABULARY)
    state = engine.start()
    outgrow(engine, rng)
    for each in (state, engine.start()):
        with pytest.raises(formgate.StateError):
            other.allowed_tokens(each)
        with pytest.raises(formgate.StateError):
            other.fill_masks([other.start(), each], np.zeros((2, 64), dtype=np.int32))


@pytest.mark.usefixtures("budgets")
def test_limits_of_the_compilation_hold_in_later_pools():
    limits = formgate.Limits(max_search=3)
    grammar = formgate.compile(r"[a-z]{40}", VOCABULARY).grammar
    engine = formgate.compile(grammar, VOCABULARY, limits=limits)
    other, rng = formgate.compile(UNIQUE, VOCABULARY), random.Random(1)
    outgrow(other, rng)
    assert engine.pool_number == 0
    with pytest.raises(formgate.LimitError):
        engine.min_tokens(engine.start())


@pytest.mark.usefixtures("budgets")
def test_a_grammar_written_to_later_does_not_reach_the_engine():
    core = _native.GrammarCore()
    core.start(core.choice([core.rule("word"), core.literal("cd")]))
    with pytest.raises(formgate.GrammarError):
        core.compile(VOCABULARY)
    core.define("word", core.literal("ab"))
    engine = core.compile(VOCABULARY)
    core.define("other", core.literal("ef"))
    assert core.rule_names == ["word", "other"]
    outgrow(formgate.compile(UNIQUE, VOCABULARY), random.Random(1))
    assert engine.pool_number == 0
    assert [engine.accepts(text) for text in ("ab", "cd", "ef")] == [True, True, False]


@pytest.mark.usefixtures("budgets")
def test_threads_start_outputs_while_others_write():
    rng = random.Random(3)
    texts = [numbers(rng, 4) for _ in range(40)]
    engines = [formgate.compile(UNIQUE, VOCABULARY) for _ in range(2)]
    expected = {}
    for text in texts:
        state, masks = engines[0].start(), []
        for byte in text.encode():
            masks.append(engines[0].allowed_tokens(state).ids().tobytes())
            state = engines[0].advance(state, SINGLE[bytes([byte])])
        expected[text] = masks
    _native.set_pool_budget(200_000)
    pools = set()
    barrier = threading.Barrier(4)

    def work(seed):
        own = random.Random(seed)
        barrier.wait(timeout=60)
        for _ in range(60):
            engine, text = own.choice(engines), own.choice(texts)
            state = engine.start()
            row = np.zeros((1, (len(VOCABULARY) + 31) // 32), dtype=np.int32)
            for byte, mask in zip(text.encode(), expected[text], strict=True):
                if engine.allowed_tokens(state).ids().tobytes() != mask:
                    return text
                engine.fill_masks([state], row)
                state = engine.advance(state, SINGLE[bytes([byte])])
            pools.add(engine.pool_number)
        return None

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(work, range(4))) == [None] * 4
    assert len(pools) > 2


@pytest.mark.usefixtures("budgets")
@pytest.mark.parametrize(
    "wrap",
    [
        lambda engine: engine,
        lambda engine: Prefixed(engine, ""),
        lambda engine: Prefixed(engine, "["),
        lambda engine: AfterMarker(engine, "#"),
        lambda engine: WithinBudget(engine, 500),
    ],
)
def test_nothing_that_wraps_an_engine_keeps_its_old_pools(wrap):
    engine, rng = formgate.compile(UNIQUE, VOCABULARY), random.Random(1)
    matcher = formgate.Matcher(wrap(engine))
    gc.collect()
    before = _native.pools_alive()
    for _ in range(3):
        outgrow(engine, rng)
        matcher.reset()
        for byte in b"#[":
            matcher.accept(SINGLE[bytes([byte])])
        matcher.allowed_tokens()
    assert alive(most=before) <= before


def alive(most):
    """Count the pools, large ones being freed by a thread of their own."""
    gc.collect()
    for _ in range(200):
        if _native.pools_alive() <= most:
            break
        time.sleep(0.01)
    return _native.pools_alive()
