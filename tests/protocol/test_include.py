"""``GrammarBuilder.include``: a grammar within others means what its parts mean there."""

from collections.abc import Callable

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import formgate
from formgate.core.errors import GrammarError, UnsupportedConstraint
from formgate.core.grammar import Grammar, GrammarBuilder, Node, Terminal

VOCABULARY = formgate.Vocabulary([*(bytes([byte]) for byte in range(256)), None], stop_ids=[256])
TEXTS = ["", "a", "b", "ab", "ba", "é", 'a"', "\\", "aab", "bé", '"é"', "abab"]

Part = Callable[[GrammarBuilder], Node]


def _leaf(text: str) -> Part:
    return lambda builder: builder.literal(text)


def _range(low: int, high: int) -> Part:
    return lambda builder: builder.char_class([(low, max(low, high))])


def _several(method: str) -> Callable[[list[Part]], Part]:
    def combine(parts: list[Part]) -> Part:
        def write(builder: GrammarBuilder) -> Node:
            return getattr(builder, method)(*(part(builder) for part in parts))

        return write

    return combine


def _repeated(part: Part, low: int, more: int) -> Part:
    return lambda builder: builder.repeat(part(builder), low, low + more)


def _complement(part: Part) -> Part:
    return lambda builder: builder.complement(part(builder))


def _strings(values: list[str]) -> Part:
    return lambda builder: builder.strings(values)


characters = st.sampled_from('ab"\\é')
parts = st.recursive(
    st.one_of(
        st.text(characters, max_size=2).map(_leaf),
        st.builds(_range, st.sampled_from([34, 92, 97]), st.sampled_from([97, 98, 233])),
        st.lists(st.text(characters, max_size=3), min_size=1, max_size=3).map(_strings),
    ),
    lambda inner: st.one_of(
        *(
            st.lists(inner, min_size=1, max_size=3).map(_several(method))
            for method in ("seq", "choice", "intersection")
        ),
        st.builds(_repeated, inner, st.integers(0, 2), st.integers(0, 2)),
        inner.map(_complement),
    ),
    max_leaves=6,
)


def _recursive(builder: GrammarBuilder, node: Node) -> Node:
    rule = builder.rule("list")
    builder.define("list", builder.choice(node, builder.seq(builder.literal("("), rule, node)))
    return rule


AROUND: dict[str, Callable[[GrammarBuilder, Node], Node]] = {
    "alone": lambda builder, node: node,
    "in a sequence": lambda builder, node: builder.seq(
        builder.literal("a"), builder.repeat(node, 0, 2), builder.literal("b")
    ),
    "beside text": lambda builder, node: builder.choice(node, builder.literal("ba")),
    "as JSON": lambda builder, node: builder.json_text(node),
    "as JSON without escapes": lambda builder, node: builder.json_text(node, escapes=False),
    "in a rule": _recursive,
}


def finished(part: Part) -> Grammar:
    """A grammar of a part."""
    builder = GrammarBuilder()
    builder.start(part(builder))
    return builder.build()


@pytest.mark.parametrize("around", AROUND)
@settings(max_examples=60)
@given(part=parts)
@example(part=_several("choice")([_leaf("a"), _several("choice")([_leaf("")])]))
def test_an_included_grammar_is_what_it_was_written_from(around: str, part: Part) -> None:
    engines = []
    included = finished(part)
    for write in (part, lambda builder: builder.include(included)):
        builder = GrammarBuilder()
        builder.start(AROUND[around](builder, write(builder)))
        try:
            engines.append(builder.build().compile(VOCABULARY))
        except formgate.EmptyLanguageError:
            engines.append(None)
    direct, other = engines
    assert (direct is None) == (other is None)
    if direct is not None and other is not None:
        assert direct.start().key == other.start().key
        for text in TEXTS:
            assert direct.accepts(text) == other.accepts(text)


def test_a_grammar_is_included_many_times_and_in_many() -> None:
    digits = finished(lambda builder: builder.repeat(builder.char_class([(48, 57)]), 1, 3))
    for count in (1, 2, 3):
        builder = GrammarBuilder()
        builder.start(builder.seq(*(builder.include(digits) for _ in range(count))))
        engine = builder.build().compile(VOCABULARY)
        assert [engine.accepts("1" * n) for n in range(11)] == [
            count <= n <= 3 * count for n in range(11)
        ]


def test_a_lexeme_includes_a_grammar() -> None:
    word = finished(lambda builder: builder.plus(builder.char_class([(97, 122)])))
    builder = GrammarBuilder()
    name = Terminal("NAME", builder.include(word))
    space = Terminal("SPACE", builder.literal(" "), ignored=True)
    builder.start(builder.lexed(builder.repeat(builder.terminal("NAME"), 2, 2), [name, space]))
    engine = builder.build().compile(VOCABULARY)
    assert engine.accepts("ab cd")
    assert not engine.accepts("abcd")


def test_what_depends_on_its_place_is_refused() -> None:
    def rule(builder: GrammarBuilder) -> Node:
        builder.define("a", builder.literal("a"))
        return builder.rule("a")

    def nested(builder: GrammarBuilder) -> Node:
        return builder.include(finished(_leaf("a")))

    def ahead(builder: GrammarBuilder) -> Node:
        return builder.look_ahead(builder.literal("a"))

    for part in (rule, nested, ahead, lambda builder: builder.special_token("<|x|>")):
        builder = GrammarBuilder()
        with pytest.raises(UnsupportedConstraint, match="a grammar to include has characters"):
            builder.include(finished(part))


def test_what_is_no_grammar_is_refused() -> None:
    builder = GrammarBuilder()
    with pytest.raises(TypeError, match="include takes a Grammar, not 'a'"):
        builder.include("a")  # type: ignore[arg-type]


def test_bytes_within_json_are_refused() -> None:
    part = finished(lambda builder: builder.byte_class([(0, 255)]))
    builder = GrammarBuilder()
    builder.start(builder.json_text(builder.include(part)))
    with pytest.raises(GrammarError, match="json_text"):
        builder.build().compile(VOCABULARY)
