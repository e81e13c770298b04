"""Lists without repetition: masks against languages written out in full.

Keys and values are drawn from few short texts, so a language is a set of texts that plain Python
writes out. A prefix may go on with a token exactly where some text of the set begins with both.
"""

from __future__ import annotations

import itertools
import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import formgate
from formgate.core.errors import EmptyLanguageError, GrammarError, UnsupportedConstraint
from formgate.core.grammar import Cell, Entry, GrammarBuilder, MaskOptions, Some

KEYS = ["", "a", "b", "ab", "ba", "aa", "aab"]
VALUES = ["0", "1", "[]", '"a"', '{"a":0}']
MOST_TEXTS = 4000
OPTIONS = [
    MaskOptions(),
    MaskOptions(class_tables=False),
    MaskOptions(cut_subtrees=False),
    MaskOptions(split_parts=False),
    MaskOptions(prefix_uses=1),
    MaskOptions(automaton_walk=False, keep_masks=False),
]
value_sets = st.lists(st.sampled_from(VALUES), max_size=2, unique=True)


@st.composite
def objects(draw):
    """An object: entries, cells, order, least and most members."""
    names = draw(st.lists(st.sampled_from(KEYS), min_size=1, max_size=5, unique=True))
    cut = draw(st.integers(0, min(3, len(names))))
    entries = [(name, draw(value_sets), draw(st.booleans())) for name in names[:cut]]
    free = names[cut:]
    middle = draw(st.integers(0, len(free)))
    sets = [keys for keys in (free[:middle], free[middle:]) if keys]
    if sets and draw(st.booleans()):  # keys of entries are no keys of cells
        sets[0] = sorted({*sets[0], *names[:cut]})
    cells = []
    for keys in sets:
        values = draw(value_sets)
        meets = st.lists(st.integers(0, 2), min_size=1, max_size=3, unique=True)
        some = st.lists(st.tuples(st.sampled_from(values or ["0"]), meets), max_size=3)
        cells.append((keys, values, draw(some)))
    least = draw(st.integers(0, 3))
    most = draw(st.one_of(st.none(), st.integers(least, 4)))
    return entries, cells, draw(st.booleans()), least, most


def texts_of(entries, cells, ordered, least, most):
    """Yield all texts of an object."""
    known = {name for name, _, _ in entries}
    ways = [(name, values, False) for name, values, _ in entries if values]
    ways += [(key, values, True) for keys, values, _ in cells for key in keys if key not in known]
    ways = [way for way in ways if way[1]]
    required = {name for name, _, wanted in entries if wanted}
    place = {name: i for i, (name, _, _) in enumerate(entries)}
    for count in range(least, len(ways) + 1 if most is None else min(most, len(ways)) + 1):
        for chosen in itertools.permutations(ways, count):
            if not required <= {key for key, _, _ in chosen}:
                continue
            places = [len(place) if free else place[key] for key, _, free in chosen]
            if ordered and places != sorted(places):
                continue
            for values in itertools.product(*(values for _, values, _ in chosen)):
                pairs = list(zip((key for key, _, _ in chosen), values, strict=True))
                # Of the conditions that several say of a value, those of one count.
                met = [
                    [
                        meets
                        for keys, _, some in cells
                        for one, meets in some
                        if key in keys and key not in known and one == value
                    ]
                    for key, value in pairs
                ]
                wanted = {i for _, _, some in cells for _, meets in some for i in meets}
                if not any(
                    wanted <= {i for meets in each for i in meets}
                    for each in itertools.product(*(one or [[]] for one in met))
                ):
                    continue
                yield "{" + ",".join(f'"{key}":{value}' for key, value in pairs) + "}"


def grammar_of(entries, cells, ordered, least, most, *, escapes=False, boolean=False):
    builder = GrammarBuilder()
    either = builder.strings

    def keys_of(keys):
        wide = either([*keys, "x"])
        narrow = builder.complement(builder.literal("x"))
        return builder.intersection(wide, narrow) if boolean else either(keys)

    builder.start(
        builder.seq(
            builder.literal("{"),
            builder.members(
                [Entry(name, either(values), wanted) for name, values, wanted in entries],
                [
                    Cell(
                        keys_of(keys),
                        either(values),
                        [Some(builder.literal(value), meets) for value, meets in some],
                    )
                    for keys, values, some in cells
                ],
                colon=builder.literal(":"),
                comma=builder.literal(","),
                ordered=ordered,
                min=least,
                max=most,
                escapes=escapes,
            ),
            builder.literal("}"),
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


@settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))
@given(objects(), st.data())
def test_members_are_those_written_out(object_, data):
    texts = set(itertools.islice(texts_of(*object_), MOST_TEXTS + 1))
    if len(texts) > MOST_TEXTS:
        return
    longer = data.draw(st.lists(st.text('"ab:,{}0', min_size=2, max_size=9), max_size=6))
    if texts:
        cuts = st.tuples(st.sampled_from(sorted(texts)), st.integers(0, 20), st.integers(2, 14))
        longer += [t[i : i + n] for t, i, n in data.draw(st.lists(cuts, max_size=8))]
    single = sorted(set("".join(texts)) | set('{}":,'))
    tokens = [*single, *dict.fromkeys(t for t in longer if len(t) > 1)]
    vocabulary = formgate.Vocabulary([t.encode() for t in tokens] + [None], stop_ids=[len(tokens)])
    grammar = grammar_of(*object_, boolean=data.draw(st.booleans()))
    if not texts:
        with pytest.raises(EmptyLanguageError):
            grammar.compile(vocabulary)
        return
    choices = data.draw(st.lists(st.integers(0, 10**6), min_size=15, max_size=25))
    for options in OPTIONS:
        check(grammar.compile(vocabulary, options=options), texts, tokens, choices)


def test_the_last_place_is_kept_for_what_must_come():
    cells = [(["b"], ["0"], [("0", [0])]), (["ab", "ba"], ["0"], [])]
    engine = grammar_of([], cells, False, 0, 2).compile(BYTES)
    state = engine.start()
    for byte in b'{"ba":0,"':
        state = engine.advance(state, byte)
    assert engine.allowed_tokens(state).to_list() == [ord("b")]
    assert not engine.is_allowed(state, ord("a"))


def test_the_empty_key_runs_out_like_others():
    engine = grammar_of([], [([""], ["0", "1"], [("0", [0])])], False, 0, None).compile(BYTES)
    state = engine.start()
    for byte in b'{"":':
        state = engine.advance(state, byte)
    assert engine.allowed_tokens(state).to_list() == [ord("0")]


@settings(max_examples=200, deadline=None)
@given(objects(), st.data())
def test_keys_are_texts_however_they_are_spelled(object_, data):
    texts = set(itertools.islice(texts_of(*object_), 500))
    if not texts:
        return
    boolean = data.draw(st.booleans())
    engine = grammar_of(*object_, escapes=True, boolean=boolean).compile(BYTES)
    keys = st.one_of(st.sampled_from(KEYS), st.text("ab", max_size=3))
    pairs = data.draw(st.lists(st.tuples(keys, st.sampled_from(VALUES)), max_size=4))
    plain = "{" + ",".join(f'"{key}":{value}' for key, value in pairs) + "}"
    spelled = [
        "".join(
            data.draw(st.sampled_from([c, f"\\u{ord(c):04x}", f"\\u{ord(c):04X}"])) for c in key
        )
        for key, _ in pairs
    ]
    mixed = zip(spelled, pairs, strict=True)
    other = "{" + ",".join(f'"{key}":{value}' for key, (_, value) in mixed) + "}"
    if len(texts) < 500:
        assert engine.accepts(plain) == (plain in texts)
    assert engine.accepts(other) == engine.accepts(plain)
    state = engine.start()
    for byte in other.encode():
        if not engine.is_allowed(state, byte):
            break
        state = engine.advance(state, byte)
    else:
        assert engine.is_accepting(state) == engine.accepts(plain)
        return
    assert not engine.accepts(plain)


BYTES = formgate.Vocabulary([bytes([i]) for i in range(256)] + [None], stop_ids=[256])


FREE_TOKENS = [
    *'"{}:,ab0\\u612',
    *('a"', '":', '":0', '":0}', '":0,', '0,"', '","', ',"a":0', '":0,"a', '":0,"b":0', "aa", "bb"),
    *('ab"', 'ba":', ',"ab":0,"b"', '"a":0,"a"', "\\u0061", 'b":0,"b":0'),
]


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.sampled_from(["a", "b", "ab"]), max_size=2, unique=True),
    st.booleans(),
    st.integers(0, 3),
    st.lists(st.integers(0, 10**6), min_size=1, max_size=30),
    st.sampled_from(["star", "prefix", "short"]),
)
def test_other_keys_do_not_come_twice(names, ordered, least, choices, kind):
    """Keys without end: what the tokens spell is read by another reader, in plain Python."""
    builder = GrammarBuilder()
    letter = builder.char_class([(ord("a"), ord("b"))])
    keys = {
        "star": builder.star(letter),
        "prefix": builder.seq(builder.literal("a"), builder.star(letter)),
        "short": builder.repeat(letter, 1, 2),
    }[kind]
    zero = builder.literal("0")
    builder.start(
        builder.seq(
            builder.literal("{"),
            builder.members(
                [Entry(name, zero, True) for name in names],
                [Cell(keys, zero)],
                colon=builder.literal(":"),
                comma=builder.literal(","),
                ordered=ordered,
                min=least,
            ),
            builder.literal("}"),
        )
    )
    vocabulary = formgate.Vocabulary(
        [t.encode() for t in FREE_TOKENS] + [None], stop_ids=[len(FREE_TOKENS)]
    )
    engine = builder.build().compile(vocabulary)
    state, text = engine.start(), ""
    for choice in choices:
        allowed = set(engine.allowed_tokens(state).to_list())
        assert allowed == {i for i in range(len(FREE_TOKENS) + 1) if engine.is_allowed(state, i)}
        for i, token in enumerate(FREE_TOKENS):
            assert (i in allowed) == viable(text + token, names, ordered, least, kind), text + token
        onward = sorted(allowed - {len(FREE_TOKENS)})
        if not onward:
            break
        token = onward[choice % len(onward)]
        state, text = engine.advance(state, token), text + FREE_TOKENS[token]


def is_other(key, kind):
    if set(key) - set("ab"):
        return False
    return {"star": True, "prefix": key[:1] == "a", "short": 1 <= len(key) <= 2}[kind]


def viable(text, names, ordered, least, kind):
    """Whether a text begins an object: by trying what could finish it."""
    finishes = ["", "}", "0}", ":0}", '":0}']
    pieces = ["", "a", "b", "aa", "ab", "ba", "bb", "abbb", "aabb", "aaab", "bbbb"]
    escape = ["", "u0061", "u0062", "0061", "0062", "061", "062", "61", "62", "1", "2"]
    stems = [text]
    if text.count('"') % 2:
        stems = [text + e + p + '":0' for e in escape for p in pieces]
    elif text.endswith(("{", ",")):
        stems = [f'{text}"{p}":0' for p in pieces] + ([text] if text == "{" else [])
    elif not text:
        return True
    if text.endswith("}") and text.count('"') % 2 == 0:
        keys = [
            key for key, _ in (json.loads(text, object_pairs_hook=list) if is_json(text) else [])
        ]
        whole = is_json(text) and len(keys) >= least and set(names) <= set(keys)
        return whole and complete(text, names, ordered, least, kind)
    for stem in stems:
        for finish in finishes:
            whole = stem + finish
            if complete(whole, names, ordered, least, kind):
                return True
    return False


def is_json(text):
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def complete(text, names, ordered, least, kind):
    """Whether the members so far could be part of an object that is valid."""
    members = text.startswith("{") and is_json(text)
    pairs = json.loads(text, object_pairs_hook=list) if members else [("", 1)]
    if any(value != 0 for _, value in pairs):
        return False
    if " " in text or "00" in text.replace("u00", "") or "-" in text or "e" in text:
        return False
    keys = [key for key, _ in pairs]
    if len(set(keys)) < len(keys):
        return False
    if any(key not in names and not is_other(key, kind) for key in keys):
        return False
    places = [names.index(key) if key in names else len(names) for key in keys]
    if ordered:
        missing = [name for i, name in enumerate(names) if i <= max(places, default=-1)]
        if places != sorted(places) or any(name not in keys for name in missing):
            return False
    return True


@pytest.mark.parametrize("ordered", [True, False])
def test_many_optional_names(ordered):
    names = [f"key_{i}" for i in range(160)]
    entries = [(name, ["0"], False) for name in names]
    engine = grammar_of(entries, [], ordered, 0, None).compile(BYTES)
    some = names[::7] if ordered else names[::-7]
    assert engine.accepts("{" + ",".join(f'"{name}":0' for name in some) + "}")
    assert engine.accepts("{" + ",".join(f'"{name}":0' for name in reversed(some)) + "}") != ordered
    assert not engine.accepts("{" + ",".join(f'"{name}":0' for name in [*some, some[0]]) + "}")


def test_distinct_items():
    builder = GrammarBuilder()
    number = builder.seq(
        builder.optional(builder.literal("-")),
        builder.plus(builder.char_class([(48, 57)])),
        builder.optional(
            builder.seq(builder.literal("."), builder.plus(builder.char_class([(48, 57)])))
        ),
        builder.optional(
            builder.seq(builder.literal("e"), builder.plus(builder.char_class([(48, 57)])))
        ),
    )
    builder.start(
        builder.seq(
            builder.literal("["),
            builder.distinct(
                [builder.literal("null"), builder.literal("true")],
                strings=[builder.star(builder.any_char())],
                values=[number],
                comma=builder.literal(","),
                max=5,
            ),
            builder.literal("]"),
        )
    )
    engine = builder.build().compile(BYTES)
    good = [
        "[]",
        "[null]",
        "[null,true]",
        '["a","b"]',
        '["1",1]',
        "[1,2,10]",
        "[1,10,100,1000,0.1]",
        '["",null,0]',
    ]
    bad = [
        "[null,null]",
        '["a","\\u0061"]',
        "[1,1.0]",
        "[10,1e1]",
        "[0,-0]",
        "[1,2,3,4,5,6]",
        "[0,0e5]",
        "[100e1,1000.00]",
        "[1,]",
    ]
    for text in good:
        assert engine.accepts(text), text
    for text in bad:
        assert not engine.accepts(text), text


def test_recursive_values():
    builder = GrammarBuilder()
    builder.define(
        "tree",
        builder.seq(
            builder.literal("{"),
            builder.members(
                [Entry("l", builder.rule("tree")), Entry("r", builder.rule("tree"))],
                [Cell(builder.plus(builder.literal("x")), builder.rule("tree"))],
                colon=builder.literal(":"),
                comma=builder.literal(","),
            ),
            builder.literal("}"),
        ),
    )
    builder.start(builder.rule("tree"))
    engine = builder.build().compile(BYTES)
    assert engine.accepts('{"l":{"l":{},"x":{}},"r":{"r":{"xx":{}},"l":{}}}')
    assert not engine.accepts('{"l":{"l":{},"l":{}}}')
    assert not engine.accepts('{"x":{},"r":{},"\\u0078":{}}')


def test_a_rule_that_never_ends_is_no_value():
    builder = GrammarBuilder()
    members = builder.members(
        [Entry("a", builder.rule("endless"), False), Entry("b", builder.literal("0"))],
        colon=builder.literal(":"),
        comma=builder.literal(","),
    )
    builder.define("endless", builder.seq(builder.literal("["), builder.rule("endless")))
    builder.start(members)
    engine = builder.build().compile(BYTES)
    assert engine.accepts('"b":0')
    assert engine.accepts("")
    assert not engine.is_prefix('"a')


def test_unordered_parts():
    builder = GrammarBuilder()
    builder.start(builder.unordered(*(builder.literal(t) for t in ("one ", "two ", "tree "))))
    engine = builder.build().compile(BYTES)
    for count in range(4):
        for parts in itertools.permutations(["one ", "two ", "tree "], count):
            assert engine.accepts("".join(parts))
    assert not engine.accepts("one one ")


def test_unordered_parts_that_can_be_mistaken_are_refused():
    builder = GrammarBuilder()
    builder.start(builder.unordered(builder.literal("a"), builder.literal("ab")))
    with pytest.raises(UnsupportedConstraint, match="parts 1 and 2"):
        builder.build().compile(BYTES)


def test_bounds_must_be_in_order():
    builder = GrammarBuilder()
    nothing = builder.empty()
    with pytest.raises(GrammarError, match="min"):
        builder.members([], colon=nothing, comma=nothing, min=3, max=2)
    with pytest.raises(GrammarError, match="twice"):
        builder.members([Entry("a", nothing), Entry("a", nothing)], colon=nothing, comma=nothing)
