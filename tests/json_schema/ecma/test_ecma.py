"""Patterns against ECMA-262: chosen ones by its rules, random ones by what Node.js does."""

from __future__ import annotations

import random
from itertools import product

import pytest
from compiled import acceptor
from hypothesis import given, settings
from hypothesis import strategies as st
from node_oracle import NodeOracle

from formgate.core.errors import GrammarError, LimitError, UnsupportedConstraint
from formgate.plugins.json_schema._ecma import is_strict_pattern
from formgate.plugins.json_schema._ecma_match import matches
from formgate.plugins.json_schema._strings import StringSet
from formgate.plugins.json_schema._strings_record import Recorder

TEXTS = [
    "", "a", "b", "ab", "aa", "aab", "1", "a1", "_", " ", "a b", "é", "aé1", "\n", "a\n", "-",
    "a-", "😀", "a😀b", "😁", "\x01", "\\c", "c", "A", "x4", "{", "}", "]", "a]", "{,5}", "{a}",
    "{5", "k", "π", "Σ1", "\x08", "٣", "aaaa", "ba", "  a", "\u2028", "e", "\\", "\x11", "ababab",
    "😀😀", "[",
]  # fmt: skip
PLANE_0 = [text for text in TEXTS if max(text, default="") < "\U00010000"]

ATOMS = [
    *"aab1_ é-/😀",
    ".", "\\d", "\\w", "\\s", "\\D", "\\W", "\\S", "\\b", "\\B", "^", "$", "[ab]", "[^a]", "[]",
    "[^]", "[a-c\\d]", "[\\w-]", "[\\w-a]", "[a-\\d]", "\\n", "\\t", "\\x41", "\\x4", "\\u0061",
    "\\u{61}", "\\u{1F600}", "\\uD83D\\uDE00", "\\cA", "\\c", "\\c1", "[\\c1]", "[\\b]", "\\-",
    "\\_", "\\/", "\\.", "\\0", "\\01", "\\12", "\\8", "]", "}", "{", "{,5}", "{a}", "\\p{L}",
    "\\P{Lu}", "\\p{Script=Greek}", "[\\p{Nd}x]", "\\k", "\\1", "(?<n>a)", "\\ud83d", "[😀-😂]",
    "[^\\ud83d]", "\\v", "\\e", "\\A", "\\p", "[\\]a]", "[[]", "[a", "[b-a]", "[--a]", "[a-]",
]  # fmt: skip
QUANTIFIERS = ["*", "+", "?", "{2}", "{1,}", "{0,2}", "*?", "+?", "{2,1}", "{1,2}?", "**", "{0}"]
GROUPS = ["(", "(?:", "(?=", "(?!", "(?<=", "(?<!", "(?i:"]
# Where Annex B and this dialect differ: they read these on their own, whatever else there is.
OWN_READING = ("\\p", "\\P", "\\u{", "\\ud83d", "\\uD83D", "😀", "\\x")

terms = st.one_of(
    st.sampled_from(ATOMS),
    st.builds("".join, st.tuples(st.sampled_from(ATOMS), st.sampled_from(QUANTIFIERS))),
)
patterns = st.recursive(
    st.lists(terms, max_size=4).map("".join),
    lambda inner: st.one_of(
        st.builds(lambda a, b: f"{a}|{b}", inner, inner),
        st.builds("".join, st.tuples(inner, inner)),
        st.builds(
            lambda group, body, count: f"{group}{body}){count}",
            st.sampled_from(GROUPS),
            inner,
            st.sampled_from(["", "", *QUANTIFIERS]),
        ),
    ),
    max_leaves=5,
)


@pytest.fixture(scope="module")
def node():
    """A Node.js process to ask."""
    if not NodeOracle.is_installed():
        pytest.skip("Node.js, the judge of ECMAScript patterns, is not installed")
    oracle = NodeOracle()
    yield oracle
    oracle.close()


def parsed(pattern):
    """Return the set of a pattern, or the error that refuses it."""
    try:
        return StringSet.pattern(pattern)
    except GrammarError as error:
        return error


@settings(max_examples=700, deadline=None)
@given(patterns)
def test_random_patterns_against_node(node, pattern):
    verdict = node.ask(pattern, TEXTS)
    ours = parsed(pattern)
    assert is_strict_pattern(pattern) == (verdict.strict is not None)
    own = any(mark in pattern for mark in OWN_READING)
    if isinstance(ours, UnsupportedConstraint):
        return
    if isinstance(ours, GrammarError):
        assert verdict.strict is None
        assert verdict.lenient is None or own
        return
    if verdict.strict is not None:
        expected = dict(zip(TEXTS, verdict.strict, strict=True))
    elif own:
        return
    else:
        assert verdict.lenient is not None
        expected = dict(zip(TEXTS, verdict.lenient, strict=True))
        expected = {text: found for text, found in expected.items() if text in PLANE_0}
    if "\\b" in pattern.lower():  # V8 looks between the halves of a surrogate pair
        expected = {text: found for text, found in expected.items() if text in PLANE_0}
    try:
        accepts = acceptor(ours)
    except UnsupportedConstraint as error:
        assert "look-behind" in error.reason  # noqa: PT017 (refused only when written)
        return
    for text, found in expected.items():
        assert ours.contains(text) == found, text
        assert accepts(text) == found, text


@settings(max_examples=120, deadline=None)
@given(patterns, patterns)
def test_random_combinations(left, right):
    one, two = parsed(left), parsed(right)
    if isinstance(one, GrammarError) or isinstance(two, GrammarError):
        return
    for combined in (one & two, one | two, one & ~two, ~(one | two)):
        accepts = acceptor(combined)
        for text in TEXTS:
            assert accepts(text) == combined.contains(text), text
    for text in TEXTS:
        assert (one & ~two).contains(text) == (one.contains(text) and not two.contains(text))


pieces = st.sampled_from(
    ["a", "b", "[ab]", "ab", "(?:a|bb)", "(?:ab|b|)", "(?!b)", "\\b", "-", "[a-]", "[^a]"]
)
counts = st.sampled_from(["", "", "*", "+", "?", "{2}", "{1,3}", "{0,4}"])
runs = st.lists(st.builds("".join, st.tuples(pieces, counts)), max_size=4).map("".join)
groups = st.builds(lambda a, b, count: f"(?:{a}|{b}){count}", runs, runs, counts)
SHORT = ["".join(text) for size in range(6) for text in product("ab-", repeat=size)]


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.one_of(runs, groups), min_size=1, max_size=3).map("".join),
    st.sampled_from(["^", ""]),
    st.sampled_from(["$", ""]),
    st.integers(0, 4),
    st.one_of(st.none(), st.integers(0, 2)),
)
def test_patterns_of_some_lengths(body, start, end, low, more):
    pattern = parsed(f"{start}(?:{body}){end}")
    if isinstance(pattern, GrammarError):
        return
    high = None if more is None else low + more
    narrowed = pattern & StringSet.length(low, high)
    accepts = acceptor(narrowed)
    for text in SHORT:
        fits = low <= len(text) and (high is None or len(text) <= high)
        assert accepts(text) == (fits and pattern.contains(text)), text


@pytest.mark.parametrize(
    ("pattern", "low", "high"),
    [
        ("^data:image/(?:jpg|svg);base64,[0-9a-z]*$", 0, 32_767),
        ("^([Hh][Tt][Tt][Pp][Ss]?)://.+$", 0, 2000),
        ("^[a-z][a-z0-9]{0,200}$", 10, 150),
        ("^((?!x).)*$", 0, 5000),
        ("^(?:ab){3,}(?:-c)?$", 0, 100),
    ],
)
def test_one_part_of_varying_length_is_no_intersection(pattern, low, high):
    """A recorder has all calls: those of an intersection would be among them."""
    recorder = Recorder()
    try:
        (StringSet.pattern(pattern) & StringSet.length(low, high)).node(recorder)
    except AttributeError as missing:
        assert "look_" in str(missing)  # noqa: PT017 (recorders know no conditions)
    assert "intersection" not in {call[0] for call in recorder.calls()}


@pytest.mark.parametrize(
    ("pattern", "found", "missed"),
    [
        ("es", ["expression"], ["", "e"]),
        ("^abc$", ["abc"], ["abc\n", "\nabc", "abcd"]),
        ("^foo", ["foobar"], ["xfoo"]),
        ("a|^b$", ["xax", "b"], ["bb"]),
        (r"^\cC$", ["\x03"], [r"\cC"]),
        (r"^\d$", ["0"], ["\u07c0", "৪"]),
        (r"^\w$", ["a", "_"], ["é"]),
        (r"^\s$", [" ", "\ufeff", "\u2029", "\u2003", "\v"], ["\x01", "\u2013"]),
        ("^.$", ["a", "\x85", "🐲"], ["\n", "\r", "\u2028", "\u2029"]),
        ("^🐲*$", ["", "🐲🐲"], ["🐉"]),
        ("^[^]$", ["\n", "🐲"], ["", "ab"]),
        ("[]", [], ["", "a"]),
        (r"^\p{Letter}+$", ["aé"], ["1"]),
        (r"^\p{digit}+$", ["42", "৪২"], ["-%#"]),
        (r"^[\p{Script=Greek}\P{L}]+$", ["αβ1"], ["a"]),
        (r"\Bx", ["ax"], ["x", "-x"]),
        (r"^\B$", [""], ["a"]),
        (r"(?<=a+)b", ["xaab"], ["b", "xb"]),
        (r"(?<!a)b", ["b", "cb"], ["ab"]),
        (r"^(?=.*\d)(?!.*x).{3,}$", ["ab1"], ["abc", "x12", "a1"]),
        (r"^\-\:\@$", ["-:@"], []),
        ("^{project}$", ["{project}"], ["project"]),
        ("^a{,5}$", ["a{,5}"], ["aaa"]),
        (r"^\uD83D\uDE00$", ["😀"], []),
        (r"^\ud83d$", [], ["😀", ""]),
        ("(?=a)*b", ["b"], ["a"]),
        (r"^x[a-]+\b[b-]*$", ["xa", "x-b", "xa-b"], ["x-", "xab", "x--"]),
    ],
)
def test_chosen_patterns(pattern, found, missed):
    strings = StringSet.pattern(pattern)
    accepts = acceptor(strings)
    for text in found:
        assert strings.contains(text), text
        assert accepts(text), text
    for text in missed:
        assert not strings.contains(text), text
        assert not accepts(text), text


@pytest.mark.parametrize(
    ("pattern", "reason", "span"),
    [
        ("(a", "this group is not closed", (0, 1)),
        ("a)", "this parenthesis closes nothing", (1, 2)),
        ("[a", "this class is not closed", (0, 1)),
        ("[b-a]", "the range b-a is not in order", (1, 4)),
        ("a**", "there is nothing to repeat here", (2, 3)),
        ("a{2,1}", "the numbers of this count are out of order", (1, 6)),
        ("(?P<n>a)", "no group of this kind is known", (0, 3)),
        ("(?<1>a)", "'1' is no name for a group", (3, 4)),
        ("a\\", "a backslash ends the pattern", (1, 2)),
        (r"\u{110000}", "no code point is that large", (0, 10)),
        (r"\p{Foo}", "Foo is no property that ECMAScript knows", (0, 7)),
        ("^*", "there is nothing to repeat here", (1, 2)),
        (r"(?<=a)*", "there is nothing to repeat here", (6, 7)),
    ],
)
def test_what_is_no_pattern(pattern, reason, span):
    with pytest.raises(GrammarError) as caught:
        StringSet.pattern(pattern, pointer="#/pattern")
    assert caught.value.reason == f"pattern at #/pattern: {reason}"
    assert caught.value.span == span
    assert not isinstance(caught.value, UnsupportedConstraint)


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        (r"(a)\1", "a back-reference"),
        (r"(?<n>a)\k<n>", "a back-reference"),
        (r"a\Z", r"\\Z means nothing in ECMAScript"),
        (r"\Aa", r"\\A means nothing in ECMAScript"),
        ("(?i)a", "flags within a pattern"),
        ("(?<n>a)|(?<n>b)", "two groups have the name 'n'"),
        (r"\p", r"\\p is not followed"),
        (r"(?<=(?=ab)a)c", "a look-ahead inside a look-behind"),
        ("a{4294967296}", "a count of 4294967296 is above the largest"),
    ],
)
def test_what_cannot_be_enforced(pattern, reason):
    with pytest.raises(UnsupportedConstraint, match=f"pattern at #/x: {reason}"):
        StringSet.pattern(pattern, pointer="#/x")


@pytest.mark.parametrize("opening", ["(", "(?:", "(?=", "[(", "((("])
def test_deep_nesting(opening):
    with pytest.raises((LimitError, GrammarError)):
        StringSet.pattern(opening * 50_000)


@pytest.mark.parametrize(
    "pattern", ["(a+)+$", "(a|a)*b", "(?:a?){50}a{50}", "(?:(?:a{0,50}){0,50}){0,50}"]
)
def test_no_pattern_takes_long_on_a_constant(pattern):
    strings = StringSet.pattern(f"^{pattern}" if "$" in pattern else f"^{pattern}$")
    assert not strings.contains("a" * 200 + "!")


@pytest.mark.parametrize(
    "pattern", ["", ".*", "^", "$", "^.*", "(?:)", "x*", "[^]*", "([A-Z]+)?", "(^a)?"]
)
def test_what_finds_everything(pattern):
    assert StringSet.pattern(pattern) == StringSet.ALL


@pytest.mark.parametrize(
    ("pattern", "texts"),
    [
        ("^(a|b)$", {"a", "b"}),
        ("^$", {""}),
        ("^[0-3]x?$", {f"{digit}{rest}" for digit in "0123" for rest in ("", "x")}),
        ("^(?:ab){2}|^(?:)$", None),
        ("^(?:a{0,2}|cd)$", {"", "a", "aa", "cd"}),
        ("^a{2,}$", None),
        ("a", None),
    ],
)
def test_finite_patterns(pattern, texts):
    assert StringSet.pattern(pattern).values == texts


def test_tables_are_fresh():
    """The stored properties are those of Node.js, where it has the same Unicode version."""
    if not NodeOracle.is_installed():
        pytest.skip("Node.js, from which the tables are made, is not installed")
    from formgate.plugins.json_schema._ecma_properties import SCRIPTS, property_set
    from formgate.plugins.json_schema._ecma_tables import VERSION

    node = NodeOracle()
    try:
        if node.unicode_version() != VERSION:
            pytest.skip(f"Node.js has another Unicode version than {VERSION}")
        chance = random.Random(5)
        names = ["L", "Nd", "Emoji", "ID_Start", "White_Space", "Uppercase", "LC", "Any"]
        scripts = chance.sample(sorted(SCRIPTS), 6)
        names += [f"Script={name}" for name in scripts] + [f"scx={name}" for name in scripts]
        for name in names:
            ranges = property_set(name)
            edges = {code for span in ranges for end in span for code in (end - 1, end, end + 1)}
            codes = sorted(code for code in edges if 0 <= code < 0xD800 or 0xDFFF < code < 0x110000)
            found = node.ask(f"^\\p{{{name}}}$", [chr(code) for code in codes]).strict
            inside = [any(first <= code <= last for first, last in ranges) for code in codes]
            assert found == inside, name
    finally:
        node.close()


@pytest.mark.parametrize(
    ("pattern", "found", "missed"),
    [
        ("^(?:[^a]x|b)$", ("éx", "bx", "b", "\U0001f600x"), ("ax", "a")),
        ("^(?:é|b)$", ("é", "b"), ("ü", "a", "")),
        ("^(?:[é-ü]|b)$", ("é", "ü", "b"), ("þ", "a")),
        ("^(?:[à-þ]1|\\w2|)$", ("é1", "a2", ""), ("é2", "a1")),
        ("^(?:|a)b$", ("b", "ab"), ("a",)),
        ("^(?:(?=é)\\S|b)$", ("é", "b"), ("ü",)),
    ],
)
def test_alternatives_beyond_ascii(
    pattern: str, found: tuple[str, ...], missed: tuple[str, ...]
) -> None:
    for texts, expected in ((found, True), (missed, False)):
        for text in texts:
            assert matches(pattern, text) is expected, text


@pytest.mark.parametrize(
    "pattern", ["^[a-z]+$", "^foo", "bar$", "^(a|b)+$", "^x|y$", "^(x|y$)", "(^x|z)y", "^$|a"]
)
def test_common_anchored_forms_need_no_look_around(pattern):
    """The recorder knows no conditions."""
    StringSet.pattern(pattern).node(Recorder())
