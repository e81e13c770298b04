"""Lists of JSON values without repetition: masks against languages written out in full.

Two texts are one value where ``json.loads`` reads them so, with numbers as fractions. A list of
items is in the language exactly where no two of its values are equal.
"""

from __future__ import annotations

import functools
import itertools
import json
import re
import subprocess
import sys
from fractions import Fraction

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import formgate
from formgate.core.errors import (
    EmptyLanguageError,
    GrammarError,
    LimitError,
    UnsupportedConstraint,
)
from formgate.core.grammar import Cell, Entry, GrammarBuilder, MaskOptions

MOST_TEXTS = 3000
OPTIONS = [
    MaskOptions(),
    MaskOptions(prefix_uses=1),
    MaskOptions(class_tables=False),
    MaskOptions(cut_subtrees=False, keep_masks=False),
]
BYTES = formgate.Vocabulary([bytes([i]) for i in range(256)] + [None], stop_ids=[256])
TEXTS = [
    *("0", "-0", "1", "1.0", "1.00", "10e-1", "1e0", "1E+00", "0.1", "1e-1", "0e5", "10", "-1"),
    *("true", "false", "null", '"a"', '"\\u0061"', '"b"', '""', '"\\n"', '"\\u000A"', '"1"'),
    *("[]", "[ ]", "[1]", "[1.0]", "[ 1]", "[1,2]", "[1, 2]", "[2,1]", "[[]]", '["a"]', "[[1],0]"),
    *("{}", "{ }", '{"a":1}', '{"a":1.0}', '{"a" : 1}', '{"\\u0061":1}', '{"a":[1]}', '{"b":1}'),
    *('{"a":1,"b":2}', '{"b":2,"a":1}', '{"b":2, "a":1.0}', '{"a":2,"b":1}', '{"a":{"b":[1]}}'),
    *('{"a":"b"}', '{"a":1,"ab":2}', '{"ab":2,"a":1}', '{"a":{"c":1,"b":2}}', '"\\""', '"\\\\"'),
    *('{"a":{"b":2,"c":1}}', '{"a,":1}', '{"a,":1,"a":2}', '{"a":2,"a,":1}', '[{"a":1}]'),
]


def number_of(text):
    """Return the value of a number; powers of ten of zero are not worked out."""
    return Fraction(text if text.lower().split("e")[0].strip("-0.") else 0)


@functools.cache
def value_of(text):
    """Return what two texts share exactly if they are one value."""

    def plain(value):
        if isinstance(value, dict):
            return ("o", frozenset((key, plain(item)) for key, item in value.items()))
        if isinstance(value, list):
            return ("a", *map(plain, value))
        return (type(value).__name__, value)

    return plain(json.loads(text, parse_float=number_of, parse_int=number_of))


def lists(places, rest, least, most):
    """Yield all lists: items of a set for each of the first places, then of another."""
    top = len(places) if not rest else most
    top = top if most is None else min(top, most)

    def further(items, values):
        if len(items) >= least:
            yield "[" + ",".join(items) + "]"
        if len(items) == top:
            return
        for item in places[len(items)] if len(items) < len(places) else rest:
            if value_of(item) not in values:
                yield from further([*items, item], {*values, value_of(item)})

    yield from further([], set())


def grammar_of(nodes, rest, least, most, **options):
    """Return the grammar of lists, from functions that write the sets."""
    builder = GrammarBuilder()
    builder.start(
        builder.seq(
            builder.literal("["),
            builder.distinct(
                first=[node(builder) for node in nodes],
                values=[node(builder) for node in rest],
                comma=builder.literal(","),
                min=least,
                max=most,
                **options,
            ),
            builder.literal("]"),
        )
    )
    return builder.build()


def check(engine, texts, tokens, choices):
    """Walk from the start by drawn choices; at every state the mask is what the texts say."""
    prefixes = {text[:i] for text in texts for i in range(len(text) + 1)}
    state, prefix = engine.start(), ""
    for choice in choices:
        allowed = set(engine.allowed_tokens(state).to_list())
        expected = {i for i, token in enumerate(tokens) if prefix + token in prefixes}
        if prefix in texts:
            expected.add(len(tokens))
        assert allowed == expected, (prefix, sorted(allowed ^ expected))
        assert allowed == {i for i in range(len(tokens) + 1) if engine.is_allowed(state, i)}
        onward = sorted(allowed - {len(tokens)})
        if not onward:
            return
        token = onward[choice % len(onward)]
        state, prefix = engine.advance(state, token), prefix + tokens[token]


def vocabulary_of(data, texts):
    """Return tokens, and the vocabulary of them: all characters, and cuts of the texts."""
    longer = data.draw(st.lists(st.text('"ab:,{}[]1', min_size=2, max_size=6), max_size=4))
    if texts:
        cuts = st.tuples(st.sampled_from(sorted(texts)), st.integers(0, 20), st.integers(2, 14))
        longer += [t[i : i + n] for t, i, n in data.draw(st.lists(cuts, max_size=10))]
    single = sorted(set("".join(texts)) | set('[]{}":,'))
    tokens = [*single, *dict.fromkeys(t for t in longer if len(t) > 1)]
    return tokens, formgate.Vocabulary(
        [t.encode() for t in tokens] + [None], stop_ids=[len(tokens)]
    )


def check_lists(data, grammar, texts):
    tokens, vocabulary = vocabulary_of(data, texts)
    if not texts:
        with pytest.raises(EmptyLanguageError):
            grammar.compile(vocabulary)
        return
    choices = data.draw(st.lists(st.integers(0, 10**6), min_size=15, max_size=30))
    for options in OPTIONS:
        check(grammar.compile(vocabulary, options=options), texts, tokens, choices)


sets = st.lists(st.sampled_from(TEXTS), min_size=1, max_size=7, unique=True)


def listed(texts):
    return lambda builder: builder.strings(texts)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(sets, st.integers(0, 4), st.integers(0, 3), st.data())
def test_values_are_those_written_out(items, least, more, data):
    texts = set(itertools.islice(lists([], items, least, least + more), MOST_TEXTS + 1))
    if len(texts) > MOST_TEXTS:
        return
    check_lists(data, grammar_of([], [listed(items)], least, least + more), texts)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.lists(sets, min_size=1, max_size=3),
    st.one_of(st.just([]), sets),
    st.integers(0, 4),
    st.integers(0, 2),
    st.data(),
)
def test_first_items_are_those_written_out(places, rest, least, more, data):
    texts = set(itertools.islice(lists(places, rest, least, least + more), MOST_TEXTS + 1))
    if len(texts) > MOST_TEXTS:
        return
    nodes = [listed(place) for place in places]
    check_lists(data, grammar_of(nodes, [listed(rest)] if rest else [], least, least + more), texts)


@st.composite
def structures(draw, depth=2):
    """Some texts, and a function that writes them as a node with structure of its own."""
    kind = draw(st.sampled_from(["set", "list", "object", "unique"] if depth else ["set"]))
    if kind == "set":
        texts = draw(st.lists(st.sampled_from(TEXTS), min_size=1, max_size=3, unique=True))
        return texts, listed(texts)
    if kind == "list":
        texts, node = draw(structures(depth=depth - 1))
        return ["[]", *(f"[{text}]" for text in texts)], lambda b: b.seq(
            b.literal("["), b.optional(node(b)), b.literal("]")
        )
    if kind == "unique":
        texts, node = draw(structures(depth=depth - 1))
        inside = set(itertools.islice(lists([], texts, 1, 2), 12))
        inside = list(lists([], texts, 1, 2)) if len(inside) < 12 else []
        if inside:
            return inside, lambda b: b.seq(
                b.literal("["),
                b.distinct(values=[node(b)], comma=b.literal(","), min=1, max=2),
                b.literal("]"),
            )
    texts, node = draw(structures(depth=depth - 1))
    others = draw(st.lists(st.sampled_from(TEXTS), min_size=1, max_size=2, unique=True))
    free, ordered = draw(st.booleans()), draw(st.booleans())
    whole = []
    for a, b in itertools.product(["", *(f'"a":{text}' for text in texts)], ["", *others]):
        second = b and f'"b":{b}'
        parts = [part for part in (a, second) if part]
        orders = [parts] if ordered else itertools.permutations(parts)
        whole += ["{" + ",".join(order) + "}" for order in orders]
    return list(dict.fromkeys(whole)), lambda b: b.seq(
        b.literal("{"),
        b.members(
            [Entry("a", node(b)), *([] if free else [Entry("b", b.strings(others))])],
            [Cell(b.literal("b"), b.strings(others))] if free else [],
            colon=b.literal(":"),
            comma=b.literal(","),
            ordered=ordered,
            escapes=False,
        ),
        b.literal("}"),
    )


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(structures(), st.integers(0, 3), st.data())
def test_values_with_structure_are_those_written_out(structure, least, data):
    items, node = structure
    texts = set(itertools.islice(lists([], items, least, 3), MOST_TEXTS + 1))
    if len(texts) > MOST_TEXTS:
        return
    check_lists(data, grammar_of([], [node], least, 3), texts)


def digit(b, digits):
    return b.choice(*map(b.literal, digits))


def zeros(b):
    return b.star(b.literal("0"))


def dotted(b):
    point = b.seq(b.literal("."), b.plus(b.literal("0")))
    return b.seq(digit(b, "12"), b.optional(point))


def bracketed(b):
    blanks = b.star(b.literal(" "))
    return b.seq(b.literal("["), blanks, b.optional(digit(b, "01")), blanks, b.literal("]"))


def spelled(b):
    one = b.choice(b.literal("1"), b.literal("\\u0031"))
    return b.seq(b.literal('"'), b.star(one), b.literal('"'))


# Languages with endless texts: regular expression, node, and texts of more values than are asked
# for, of which the ends finish any text that can be finished.
ENDLESS = {
    "zeros": (r"[12](\.0+)?", dotted, ["1.0", "2.0"]),
    "late": (
        r"0\.0*5",
        lambda b: b.seq(b.literal("0."), zeros(b), b.literal("5")),
        ["0.5", "0.05", "0.005", "0.0005", "0.00005", "0.000005"],
    ),
    "exponents": (
        r"[01]e0*[01]",
        lambda b: b.seq(digit(b, "01"), b.literal("e"), zeros(b), digit(b, "01")),
        ["0e0", "0e1", "1e0", "1e1"],
    ),
    "integers": (
        r"1[01]*",
        lambda b: b.seq(b.literal("1"), b.star(digit(b, "01"))),
        ["1", "10", "11", "111", "1111", "11111"],
    ),
    "of zero": (
        r"0e[01]*1",
        lambda b: b.seq(b.literal("0e"), b.star(digit(b, "01")), b.literal("1")),
        ["0e1"],
    ),
    "space": (r"\[ *[01]? *\]", bracketed, ["[]", "[0]", "[1]"]),
    "strings": (
        r'"(1|\\u0031)*"',
        spelled,
        ['"' + "1" * n + '"' for n in range(6)] + ['"\\u0031' + "1" * n + '"' for n in range(5)],
    ),
}


@functools.cache
def viable(text, name, most):
    """Whether a text begins a list, by trying what could finish it."""
    samples = ENDLESS[name][2]
    ends = {sample[i:] for sample in samples for i in range(len(sample) + 1)}
    return any(
        complete(text + end + further + "]", name, most)
        for end in ends
        for further in ("", *(f",{sample}" for sample in samples if text.endswith(",")))
    ) or complete(text, name, most)


def complete(text, name, most):
    pattern = ENDLESS[name][0]
    if not re.fullmatch(rf"\[({pattern}(,{pattern})*)?\]", text):
        return False
    items = [found[0] for found in re.finditer(pattern, text[1:-1])]
    return len(items) <= most and len({value_of(item) for item in items}) == len(items)


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(sorted(ENDLESS)),
    st.integers(1, 4),
    st.lists(st.integers(0, 10**6), min_size=1, max_size=16),
    st.booleans(),
)
def test_values_of_endless_texts(name, most, choices, by_place):
    node = ENDLESS[name][1]
    tokens = [*'[],01"\\u3 2.5e', "1,", "0,", "],", '",', ",1", '","', ",0", '1",', "],[", "1.0"]
    tokens += ["00", "11", "e0", "0]", "1]", '1"', "[1", "1,1", "0031", "[1],[1", "2.0,", "0.5,"]
    vocabulary = formgate.Vocabulary([t.encode() for t in tokens] + [None], stop_ids=[len(tokens)])
    engine = grammar_of([node] if by_place else [], [node], 0, most).compile(vocabulary)
    state, text = engine.start(), ""
    for choice in choices:
        allowed = set(engine.allowed_tokens(state).to_list())
        assert allowed == {i for i in range(len(tokens) + 1) if engine.is_allowed(state, i)}
        assert (len(tokens) in allowed) == complete(text, name, most)
        for i, token in enumerate(tokens):
            assert (i in allowed) == viable(text + token, name, most), text + token
        onward = sorted(allowed - {len(tokens)})
        if not onward:
            break
        token = onward[choice % len(onward)]
        state, text = engine.advance(state, token), text + tokens[token]


def test_two_numbers_do_not_hide_strings():
    builder = GrammarBuilder()
    builder.start(
        builder.distinct(
            strings=[builder.literal("1e0")],
            values=[builder.strings(["1", "1.0", "\xff"])],
            comma=builder.literal(","),
        )
    )
    engine = builder.build().compile(BYTES)
    assert engine.accepts('"1e0",1')
    assert engine.accepts('1.0,"1e0"')
    assert not engine.accepts("1,1.0")


def test_recursive_items():
    builder = GrammarBuilder()
    comma, item = builder.literal(","), builder.rule("any")
    any_list = builder.seq(
        builder.literal("["),
        builder.optional(builder.seq(item, builder.star(builder.seq(comma, item)))),
        builder.literal("]"),
    )
    builder.define("any", builder.choice(any_list, builder.literal("0")))
    items = builder.distinct(values=[item], comma=comma, min=2)
    builder.start(builder.seq(builder.literal("<"), items, builder.literal(">")))
    engine = builder.build().compile(BYTES)
    assert engine.accepts("<0,[0]>")
    assert engine.accepts("<[[0],[0]],[[0]],[],0>")
    assert not engine.accepts("<0,0>")
    assert not engine.accepts("<[[0],[0]],0,[[0],[0]]>")
    assert not engine.accepts("<0>")


def test_items_that_hold_their_own_list_are_refused():
    builder = GrammarBuilder()
    items = builder.distinct(values=[builder.rule("tree")], comma=builder.literal(","))
    builder.define("tree", builder.seq(builder.literal("["), items, builder.literal("]")))
    builder.start(builder.rule("tree"))
    with pytest.raises(UnsupportedConstraint, match="whose items hold such a list"):
        builder.build().compile(BYTES)


def test_more_items_than_recursive_ones_have_values_are_refused():
    builder = GrammarBuilder()
    further = builder.optional(builder.rule("zeros"))
    builder.define("zeros", builder.seq(builder.literal("0"), further))
    one = builder.seq(builder.literal("1."), builder.rule("zeros"))
    builder.start(builder.distinct(values=[one], comma=builder.literal(","), min=2))
    with pytest.raises(UnsupportedConstraint, match="more than its items, which recurse"):
        builder.build().compile(BYTES)


def test_members_in_any_order_do_not_multiply():
    builder = GrammarBuilder()
    names = [f"n{i}" for i in range(24)]
    quote = builder.literal('"')
    text = builder.seq(quote, builder.json_text(builder.star(builder.any_char())), quote)
    members = builder.members(
        [Entry(name, builder.literal("0"), True) for name in names] + [Entry("s", text, True)],
        colon=builder.literal(":"),
        comma=builder.literal(","),
        escapes=False,
    )
    one = builder.seq(builder.literal("{"), members, builder.literal("}"))
    builder.start(builder.distinct(values=[one], comma=builder.literal(",")))
    engine = builder.build().compile(BYTES)
    first = "{" + ",".join(f'"{name}":0' for name in names) + ',"s":"x"}'
    state = engine.start()
    for byte in (first + ',{"s":"x').encode():
        state = engine.advance(state, byte)
    assert not engine.is_allowed(state, ord('"'))
    assert engine.accepts(first + ',{"s":"xy",' + ",".join(f'"{name}":0' for name in names) + "}")


@pytest.mark.parametrize("least", [0, 12, 23, 24])
def test_sets_of_members_do_not_multiply(least):
    builder = GrammarBuilder()
    names = [f"n{i}" for i in range(24)]
    members = builder.members(
        [Entry(name, builder.literal("0")) for name in names],
        colon=builder.literal(":"),
        comma=builder.literal(","),
        min=least,
        escapes=False,
    )
    one = builder.seq(builder.literal("{"), members, builder.literal("}"))
    builder.start(builder.distinct(values=[one], comma=builder.literal(",")))
    engine = builder.build().compile(BYTES)
    every = [f'"{name}":0' for name in names]
    state = engine.start()
    for byte in ("{" + ",".join(every) + "}").encode():
        state = engine.advance(state, byte)
    assert engine.is_allowed(state, ord(",")) == (least < len(names))
    if least < len(names):
        for byte in (",{" + ",".join(every[1:-1])).encode():
            state = engine.advance(state, byte)
        assert engine.is_allowed(state, ord("}")) == (least < len(names) - 1)
        for byte in b',"n0":0':
            state = engine.advance(state, byte)
        assert engine.allowed_tokens(state).to_list() == [ord("}")]
        assert not engine.accepts(",".join("{" + ",".join(e) + "}" for e in (every, every[::-1])))


def test_values_that_take_long_to_count_are_refused():
    builder = GrammarBuilder()
    quote = builder.literal('"')
    one = builder.seq(quote, builder.repeat(digit(builder, "0123456789"), 5, 5), quote)
    builder.start(builder.distinct(values=[one], comma=builder.literal(","), min=100_000))
    with pytest.raises(LimitError, match="how many different items"):
        builder.build().compile(BYTES)


def test_entries_have_no_places():
    builder = GrammarBuilder()
    zero = builder.literal("0")
    with pytest.raises(GrammarError, match="first items"):
        builder.distinct([zero], first=[zero], comma=builder.literal(","))


GROWING = {
    "objects": "[{'id': name, 'more': name} for name in names]",
    "members": "[dict.fromkeys(names, 1)]",
    "arrays": "[[name, 0] for name in names]",
    "strings": "names",
    "one string": "[''.join(names)]",
    "one array": "[names]",
}
# Expressions are shared by all engines of a process, so what others left there would count.
USED = """
import json
import formgate

vocabulary = formgate.Vocabulary([bytes([i]) for i in range(256)] + [None], stop_ids=[256])
if {lexer}:
    formgate.compile('start: "a" B\\nB: /b+/', vocabulary, format="lark")
schema = {{"type": "array", "uniqueItems": True, "items": {{}}}}
engine = formgate.compile(schema, vocabulary, whitespace="compact")
before = sum(engine.memory_usage().values())
state = engine.start()
names = [f"{count} {{i}}" for i in range({count})]
for byte in json.dumps({value}, separators=(",", ":")).encode():
    state = engine.advance(state, byte)
print(sum(engine.memory_usage().values()) - before)
"""


def used(kind, count, *, lexer=False):
    code = USED.format(count=count, value=GROWING[kind], lexer=lexer)
    command = [sys.executable, "-c", code]
    return int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


@pytest.mark.parametrize("kind", GROWING)
def test_states_keep_only_what_is_new_in_them(kind):
    """Twice the text takes about twice the memory, however much of it has been read."""
    assert used(kind, 400) < 2.6 * used(kind, 200)


def test_grammars_with_lexers_cost_others_nothing():
    assert used("objects", 50, lexer=True) < 1.1 * used("objects", 50)
