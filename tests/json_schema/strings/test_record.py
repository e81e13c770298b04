"""Recorded calls, shortened and made again, describe what the calls themselves do."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import formgate
from formgate import EmptyLanguageError
from formgate.core.grammar import GrammarBuilder
from formgate.plugins.json_schema._strings_record import Recorder

if TYPE_CHECKING:
    from formgate import Vocabulary

TEXTS = ["".join(letters) for size in range(5) for letters in product("ab", repeat=size)]

# A call: a method, which of the nodes so far it takes (by their places from the end), the rest.
LEAVES = st.one_of(
    st.tuples(st.just("literal"), st.just(()), st.tuples(st.sampled_from(["", "a", "ab"]))),
    st.tuples(st.just("char_class"), st.just(()), st.just((((97, 98),),))),
    st.tuples(st.just("strings"), st.just(()), st.just((("a", "bb"),))),
    st.tuples(st.sampled_from(["empty", "nothing", "any_char"]), st.just(()), st.just(())),
)
PLACES = st.integers(0, 4)
LISTS = st.tuples(
    st.sampled_from(["seq", "choice"]), st.lists(PLACES, max_size=3).map(tuple), st.just(())
)
INNER = st.one_of(
    st.tuples(st.sampled_from(["optional", "star"]), st.tuples(PLACES), st.just(())),
    st.tuples(st.just("repeat"), st.tuples(PLACES), st.sampled_from([(0, 2), (1, None), (2, 2)])),
    st.tuples(st.just("intersection"), st.tuples(PLACES, PLACES), st.just(())),
    st.tuples(st.just("complement"), st.tuples(PLACES), st.just(())),
)


def written(calls: list[tuple[str, tuple[int, ...], tuple[Any, ...]]], builder: Any) -> Any:
    """Make calls and return the last node."""
    nodes: list[Any] = []
    for method, places, values in calls:
        parts = [nodes[-1 - place % len(nodes)] for place in places]
        nodes.append(getattr(builder, method)(*parts, *values))
    return nodes[-1]


def language(node: Any, builder: GrammarBuilder, vocabulary: Vocabulary) -> set[str]:
    """Return the short texts that a node matches."""
    builder.start(node)
    try:
        engine = builder.build().compile(vocabulary)
    except EmptyLanguageError:
        return set()
    return {text for text in TEXTS if engine.accepts(text)}


@settings(max_examples=150, deadline=None)
@given(first=LEAVES, calls=st.lists(LEAVES | LISTS | LISTS | INNER, min_size=4, max_size=12))
def test_shortened_calls_describe_the_same(
    byte_vocabulary: Vocabulary, first: Any, calls: list[Any]
) -> None:
    calls = [first, *calls]
    plain = GrammarBuilder()
    expected = language(written(calls, plain), plain, byte_vocabulary)
    recorder = Recorder()
    program = recorder.program(written(calls, recorder))
    assert len(program) <= len(calls)
    again = GrammarBuilder()
    assert language(program.write(again), again, byte_vocabulary) == expected


def test_rules_are_written_with_what_defines_them(byte_vocabulary: Vocabulary) -> None:
    recorder = Recorder()
    builder = cast("GrammarBuilder", recorder)
    rest = builder.rule("rest")
    builder.define("rest", builder.choice(builder.empty(), builder.seq(builder.literal("a"), rest)))
    program = recorder.program(builder.seq(builder.literal("b"), rest))
    again = GrammarBuilder()
    assert language(program.write(again), again, byte_vocabulary) == {"b", "ba", "baa", "baaa"}


@pytest.mark.parametrize("method", ["seq", "choice"])
def test_lists_within_lists_are_one_unless_used_twice(method: str) -> None:
    recorder = Recorder()
    parts = [recorder.literal(letter) for letter in "abcd"]
    make = getattr(recorder, method)
    inner = make(parts[0], parts[1])
    assert len(recorder.program(make(inner, make(parts[2], parts[3])))) == 5
    assert len(recorder.program(make(make(inner, parts[2]), recorder.star(inner)))) == 6


@pytest.mark.parametrize(
    ("pattern", "good", "bad"),
    [
        ("(?:^|x){}(?:$|y)", ["-", "x-y", "ax-ya"], ["a-", "-a"]),
        ("^{}$|a^b", ["-"], ["ab", "a-"]),
        (r"^{}[$^]\$$", ["-$$", "-^$"], ["-$", "-a$"]),
    ],
)
def test_anchors_within_long_patterns(
    pattern: str, good: list[str], bad: list[str], byte_vocabulary: Vocabulary
) -> None:
    filling = "-" * 150
    schema = {"type": "string", "pattern": pattern.replace("{}", filling)}
    engine = formgate.compile(schema, byte_vocabulary, format="json_schema")
    for texts, accepted in ((good, True), (bad, False)):
        for text in texts:
            assert engine.accepts(f'"{text.replace("-", filling)}"') is accepted
