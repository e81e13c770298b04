"""Where a constraint begins and ends: healing, markers and budgets, against brute force.

The judge knows a language as a list of texts and a vocabulary as a list of byte strings, and asks
of every token whether some text is still spellable after it.
"""

from __future__ import annotations

import random
from functools import lru_cache

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from toy_engine import Automaton, ToyEngine, ToyVocabulary

import formgate
from formgate.core.decoding import (
    AfterMarker,
    BudgetError,
    CallableModel,
    Greedy,
    Multinomial,
    Prefixed,
    WithinBudget,
    bounded,
    constrained_decode,
    heal,
    inner_text,
)

LETTERS = "abc"
texts = st.text(LETTERS, min_size=1, max_size=4)
languages = st.lists(texts, min_size=1, max_size=5, unique=True)
pieces = st.lists(st.text(LETTERS, min_size=2, max_size=3), max_size=6)


def vocabulary_of(pieces, letters=LETTERS):
    """Return single letters, pieces, a special token and two stop ids."""
    tokens = [*(letter.encode() for letter in letters), *(p.encode() for p in pieces)]
    count = len(tokens)
    return formgate.Vocabulary(
        [*tokens, None, None, None],
        stop_ids=[count + 1, count + 2],
        special={"<mark>": count},
    )


def token_list(vocabulary):
    return [vocabulary.token_bytes(i) for i in range(len(vocabulary))]


def fewest(text, tokens):
    """Return how few tokens spell a text; infinity if none do."""
    usable = {token for token in tokens if token}

    @lru_cache(None)
    def least(rest):
        if not rest:
            return 0
        found = [least(rest[len(t) :]) + 1 for t in usable if rest.startswith(t)]
        return min(found, default=float("inf"))

    return least(text)


def needed(written, language, tokens):
    """Return how few tokens complete what is written to a text of a language."""
    return min(
        (
            fewest(text[len(written) :], tokens)
            for text in (each.encode() for each in language)
            if text.startswith(written)
        ),
        default=float("inf"),
    )


def judged(written, language, vocabulary):
    """Return the tokens that may follow in a language, and whether it may end."""
    tokens = token_list(vocabulary)
    return {
        i
        for i, token in enumerate(tokens)
        if token and needed(written + token, language, tokens) < float("inf")
    } | (set(vocabulary.stop_ids) if written.decode() in language else set())


def walk(engine, vocabulary, seed, check, steps=12):
    """Take random allowed steps, checking every mask; return the state and the bytes."""
    rng = random.Random(seed)
    state, written, tokens = engine.start(), b"", []
    for _ in range(steps):
        allowed = engine.allowed_tokens(state).to_list()
        check(state, written, tokens, set(allowed))
        going = [i for i in allowed if i not in vocabulary.stop_ids]
        refused = set(range(len(vocabulary))) - set(allowed)
        for token in sorted(refused)[:3]:
            with pytest.raises(ValueError, match="not allowed"):
                engine.advance(state, token)
        if not going:
            break
        token = rng.choice(going)
        state = engine.advance(state, token)
        tokens.append(token)
        written += vocabulary.token_bytes(token) or b""
    return state, written, tokens


@settings(deadline=None)
@given(languages, pieces, st.text(LETTERS, max_size=3), st.integers(0, 99))
def test_prefixed_masks_are_exact(language, pieces, prefix, seed):
    vocabulary = vocabulary_of(pieces)
    engine = Prefixed(formgate.compile(language, vocabulary), prefix)
    whole = [prefix + text for text in language]

    def check(state, written, tokens, allowed):
        assert allowed == judged(written, whole, vocabulary)
        assert engine.is_accepting(state) == (written.decode() in whole)
        if written.decode() in whole:
            assert inner_text(engine, tokens)[1] == written[len(prefix) :]

    walk(engine, vocabulary, seed, check)


@settings(deadline=None)
@given(languages, pieces, st.text(LETTERS, min_size=1, max_size=3), st.integers(0, 99))
def test_prefixed_without_all_letters_is_sound_and_never_stuck(language, pieces, prefix, seed):
    vocabulary = vocabulary_of(pieces, letters="ab")
    try:
        engine = Prefixed(formgate.compile(language, vocabulary), prefix)
    except formgate.EmptyLanguageError:
        return
    whole = [prefix + text for text in language]

    def check(state, written, _tokens, allowed):
        assert allowed <= judged(written, whole, vocabulary)
        assert allowed or engine.is_terminal(state)

    walk(engine, vocabulary, seed, check)


@settings(deadline=None)
@given(languages, pieces, st.text(LETTERS, min_size=1, max_size=3), st.integers(0, 99))
def test_masks_after_a_marker_are_exact(language, pieces, marker, seed):
    vocabulary = vocabulary_of(pieces)
    inner = formgate.compile(language, vocabulary)
    engine = AfterMarker(inner, marker)
    special = vocabulary.special["<mark>"]

    def check(state, _written, tokens, allowed):
        # The special token stands between texts: it is no letter of a marker.
        def joined(ids):
            return "".join("?" if i == special else vocabulary.token_bytes(i).decode() for i in ids)

        _, found, rest = joined(tokens).partition(marker)
        if found:
            assert allowed == judged(rest.encode(), language, vocabulary)
            assert inner_text(engine, tokens) == (inner, rest.encode())
            assert engine.is_accepting(state) == (rest in language)
            return
        assert not engine.is_accepting(state)
        assert not engine.is_terminal(state)
        for i in range(len(vocabulary)):
            if i in vocabulary.stop_ids:
                assert i not in allowed
                continue
            _, found, rest = joined([*tokens, i]).partition(marker)
            going = not found or needed(rest.encode(), language, token_list(vocabulary)) < 99
            assert (i in allowed) == going

    walk(engine, vocabulary, seed, check)


@settings(deadline=None)
@given(languages, pieces, st.integers(0, 99))
def test_a_special_token_as_marker(language, pieces, seed):
    vocabulary = vocabulary_of(pieces)
    engine = AfterMarker(formgate.compile(language, vocabulary), "<mark>")
    special = vocabulary.special["<mark>"]
    free = set(range(len(vocabulary))) - set(vocabulary.stop_ids)

    def check(_state, _written, tokens, allowed):
        if special not in tokens:
            assert allowed == free
            return
        rest = tokens[tokens.index(special) + 1 :]
        text = b"".join(vocabulary.token_bytes(i) for i in rest)
        assert allowed == judged(text, language, vocabulary)
        assert inner_text(engine, tokens)[1] == text

    walk(engine, vocabulary, seed, check)


def test_a_marker_of_several_parts():
    vocabulary = vocabulary_of(["ab"])
    special = vocabulary.special["<mark>"]
    engine = AfterMarker(formgate.compile(["c"], vocabulary), ["<mark>", "ab", special])
    state = engine.start()
    for token in (special, special, 0, 1):
        state = engine.advance(state, token)
    assert set(engine.allowed_tokens(state).to_list()) == {0, 1, 2, 3, special}
    state = engine.advance(state, special)
    assert engine.allowed_tokens(state).to_list() == [2]
    assert inner_text(engine, [special, 3, special, 2])[1] == b"c"


def test_markers_that_cannot_be():
    vocabulary = vocabulary_of([])
    engine = formgate.compile(["a"], vocabulary)
    with pytest.raises(formgate.EmptyLanguageError, match="no tokens of the vocabulary spell"):
        AfterMarker(engine, "x")
    with pytest.raises(formgate.EmptyLanguageError, match="no tokens of the vocabulary spell"):
        Prefixed(engine, "ax")
    with pytest.raises(TypeError, match="is text, not 3"):
        Prefixed(engine, 3)
    with pytest.raises(ValueError, match="the marker is empty"):
        AfterMarker(engine, "")
    for wrong in (-1, 99):
        with pytest.raises(ValueError, match=f"holds the id {wrong}, which is outside"):
            AfterMarker(engine, wrong)
    named = formgate.Vocabulary([b"a", None], stop_ids=[1], special={"<end>": 1})
    for stop in (1, "<end>", ["a", "<end>"]):
        with pytest.raises(
            ValueError, match=r"token 1 \('<end>'\), which ends .* with stop_ids that leave 1 out"
        ):
            AfterMarker(formgate.compile(["a"], named), stop)


def test_healing_lets_a_token_reach_over_the_end_of_the_prompt():
    vocabulary = formgate.Vocabulary(
        [b"http", b":", b"://", b"x", b"/", None, None], stop_ids=[5], special={"<s>": 6}
    )
    assert heal([6, 0, 1], vocabulary).tokens == (6, 0)
    assert heal([6, 0, 1], vocabulary).text == b":"
    engine = Prefixed(formgate.compile(["//x"], vocabulary), b":")
    assert engine.allowed_tokens(engine.start()).to_list() == [1, 2]
    # Nothing begins with an end of "x" and goes on; special tokens and the first token stay.
    assert heal([6, 0, 3], vocabulary).tokens == (6, 0, 3)
    assert heal([0, 1, 6], vocabulary).text == b""
    assert heal([1], vocabulary).tokens == (1,)
    assert heal([6, 0, 1], vocabulary, tokens=2).text == b"http:"
    assert heal([6, 0, 1], vocabulary, tokens=0).text == b""
    with pytest.raises(ValueError, match="negative"):
        heal([0], vocabulary, tokens=-1)


# ------------------------------------------------------------------------------------- budgets


def least_tokens(engine, state, vocabulary, limit=40):
    """Return how few tokens lead to an accepting state: breadth first, over every token."""
    level, seen = [state], {state}
    for count in range(limit):
        if any(map(engine.is_accepting, level)):
            return count
        following = []
        for at in level:
            for token in engine.allowed_tokens(at).to_list():
                target = engine.advance(at, token)
                if token not in vocabulary.stop_ids and target not in seen:
                    seen.add(target)
                    following.append(target)
        level = following
    return float("inf")


PATTERNS = [
    "a{3,9}(b|c{4})",
    "(a|bc)*b(abc)?",
    "a(b(a(b(a)?c)?c)?c)?c",
    "(ab|ba|cc){2,}c",
    "abcabcabc|b|c{12}",
]


@settings(deadline=None)
@given(st.sampled_from(PATTERNS), pieces, st.integers(0, 14), st.integers(0, 999))
def test_outputs_are_whole_within_the_budget(pattern, pieces, budget, seed):
    vocabulary = vocabulary_of(pieces)
    inner = formgate.compile(pattern, vocabulary)
    least = least_tokens(inner, inner.start(), vocabulary)
    if least > budget:
        with pytest.raises(BudgetError, match="no text of the constraint") as caught:
            WithinBudget(inner, budget)
        assert caught.value.budget == budget
        assert caught.value.needed > budget
        return
    engine = WithinBudget(inner, budget)

    def check(state, _written, tokens, allowed):
        assert len(tokens) <= budget
        exact = {
            token
            for token in inner.allowed_tokens(state.state).to_list()
            if token in vocabulary.stop_ids
            or least_tokens(inner, inner.advance(state.state, token), vocabulary)
            < budget - len(tokens)
        }
        assert allowed <= exact
        assert allowed <= set(engine.candidates(state).to_list())
        assert all(engine.is_allowed(state, token) for token in allowed)
        if budget - len(tokens) > 14:
            assert allowed == exact
        assert allowed or not inner.allowed_tokens(state.state)

    state, _, tokens = walk(engine, vocabulary, seed, check, steps=budget + 1)
    assert engine.is_accepting(state)
    assert set(engine.allowed_tokens(state).to_list()) <= set(vocabulary.stop_ids)
    assert len(tokens) <= budget


@settings(deadline=None)
@given(st.integers(1, 30), st.integers(0, 999))
def test_budgets_of_recursive_grammars(budget, seed):
    vocabulary = formgate.Vocabulary([b"(", b")", b"((", b"))", b"x", None], stop_ids=[5])
    grammar = 'start: "(" start ")" | "x"'
    inner = formgate.compile(grammar, vocabulary, format="lark")
    engine = WithinBudget(inner, budget)
    state, written, tokens = walk(engine, vocabulary, seed, lambda *_: None, steps=99)
    assert inner.accepts(written)
    assert engine.is_accepting(state)
    assert len(tokens) <= budget


@settings(deadline=None)
@given(st.sampled_from(PATTERNS), pieces, texts, st.integers(0, 9), st.integers(0, 99))
def test_a_budget_holds_for_reasoning_too(pattern, pieces, marker, spare, seed):
    vocabulary = vocabulary_of(pieces)
    inner = formgate.compile(pattern, vocabulary)
    budget = spare + 14 + len(marker)
    engine = bounded(inner, after=marker, between="a", healed=b"c", max_tokens=budget)
    state, _, tokens = walk(engine, vocabulary, seed, lambda *_: None, steps=99)
    assert engine.is_accepting(state)
    assert len(tokens) <= budget
    innermost, data = inner_text(engine, tokens)
    assert innermost is inner
    assert inner.accepts(data)


def schema(count, order):
    names = [f"name{i}" for i in range(count)]
    return (
        {
            "type": "object",
            "properties": {n: {"type": "string"} for n in names},
            "required": names,
            "additionalProperties": False,
        },
        {"property_order": order},
    )


@pytest.mark.parametrize("count", [3, 10])
@pytest.mark.parametrize("seed", range(2))
def test_objects_of_many_members_end_in_time(byte_vocabulary, count, seed):
    source, options = schema(count, "any")
    inner = formgate.compile(source, byte_vocabulary, format="json_schema", **options)
    least = 2 + count * len('"name0":"",') - 1 + max(count - 10, 0)
    engine = WithinBudget(inner, least + 9)
    rng = np.random.default_rng(seed)
    model = CallableModel(lambda _: rng.normal(0, 1, 257).astype(np.float32))
    result = constrained_decode(model, engine, [0], max_tokens=least + 9)
    assert result.complete
    assert inner.accepts(result.text)


def test_choosing_again_is_choosing_from_the_mask():
    """Without a cut, a draw that is made again where it is forbidden follows the masked odds."""
    vocabulary = vocabulary_of([])
    inner = formgate.compile("a{9}|b|c{2}", vocabulary)
    engine = WithinBudget(inner, 2)
    scores = np.array([3.0, 1.0, 0.0, 0.0, 0.0, 0.0], np.float32)
    model = CallableModel(lambda _: scores)
    assert constrained_decode(model, engine, [0], max_tokens=2, sampler=Greedy()).text == "b"
    drawn = [
        constrained_decode(model, engine, [0], max_tokens=2, sampler=Multinomial(seed=seed)).text
        for seed in range(600)
    ]
    assert set(drawn) == {"b", "cc"}
    share = np.exp(1) / (np.exp(1) + 1)
    assert abs(drawn.count("b") / 600 - share) < 0.08
    cut = Multinomial(top_k=1, seed=0)
    assert not cut.may_choose_again
    assert constrained_decode(model, engine, [0], max_tokens=2, sampler=cut).text == "b"


def test_one_search_serves_several_budgets():
    vocabulary = vocabulary_of([])
    engine = WithinBudget(formgate.compile("a{5}", vocabulary), 9)
    assert engine.with_budget(5).start().left == 5
    with pytest.raises(BudgetError, match="at most 4 tokens, 5 would do"):
        engine.with_budget(4)
    with pytest.raises(ValueError, match="must not be negative"):
        engine.with_budget(-1)


@pytest.mark.parametrize("budget", [0, 1, 2, 3, 4])
def test_a_budget_too_small_for_a_marker_is_named(smol_vocabulary, budget):
    """The tokens before a marker are nearly all there are, and still it is known."""
    inner = formgate.compile({"type": "object"}, smol_vocabulary)
    with pytest.raises(BudgetError, match=f"has at most {budget} tokens") as caught:
        bounded(inner, after="</think>", between="\n\n", max_tokens=budget)
    assert caught.value.budget == budget
    needed = caught.value.needed
    assert bounded(inner, after="</think>", between="\n\n", max_tokens=needed)


def test_a_search_that_ends_at_its_limit_says_so():
    vocabulary = vocabulary_of([])
    with pytest.raises(formgate.LimitError, match="raise max_tokens, or max_states"):
        WithinBudget(formgate.compile("(a|b|c){60}a", vocabulary), 61, max_states=10)


@settings(deadline=None)
@given(languages, st.integers(0, 9), st.integers(0, 99))
def test_an_engine_in_plain_python(language, budget, seed):
    assume(min(map(len, language)) <= budget)
    vocabulary = ToyVocabulary([b"a", b"b", b"c", b"ab", None], [4])
    inner = ToyEngine(Automaton.of_strings(language), vocabulary)
    engine = bounded(inner, after="b", max_tokens=budget + 1)
    state, _, tokens = walk(engine, vocabulary, seed, lambda *_: None)
    assert engine.is_accepting(state)
    assert len(tokens) <= budget + 1
    assert inner.accepts(inner_text(engine, tokens)[1].decode())


def test_nothing_asked_for_is_the_engine_itself():
    engine = formgate.compile(["a"], vocabulary_of([]))
    assert bounded(engine) is engine
