"""Masks inside lexemes that count their characters: a string of at most so many, say.

States in such text are what the one before becomes by a character, and one chain of them serves all
masks along it. What counts may be a class, or a choice of a class and longer spellings, which a
character of the class may or may not begin, too.
"""

from __future__ import annotations

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from lexed_cases import written
from lexer_judge import Lexeme
from mask_switches import LETTERS, check_tables, long_words

import formgate
from formgate.core.errors import GrammarError, LimitError
from formgate.core.grammar import Limits

UNITS = [
    "[a-e]",
    "[a-dé€]",
    "([a-d]|e[ab])",
    "([a-d]|ef?)",
    "([a-d]|a[ef])",
    "([a-d]|éa|é€|f)",
    "([a-d]|)",
    "([a-d]|[c-f])",
    "([b-d][ef]|a)",
]
TAILS = ['"', "", "f", "[ef]", "a", "[a-f]", "(ef)?", "€+", '(a|")']
# Without an end mark of their own: where such text ends is known by what follows it.
OPEN_UNITS = [
    "[^f]",
    "([^ef]|e[^e])",
    "([^ef]|ef?)",
    '([^e"]|e[\\s\\S])',
    "(?:(?!ef)[\\s\\S])",
    "[ab]",
]
OTHERS = ["f", "e+", '"[^"]*"', "(a?f)+", "[^a]+", '"([^"]|""){0,6}"', 'a(["b]|""){1,9}"']
CHOICES = st.lists(st.floats(0, 1, exclude_max=True), min_size=2, max_size=10)


@st.composite
def counted_patterns(draw):
    """Draw a pattern of one or two parts that count, between others."""
    parts = [draw(st.sampled_from(["", '"', "f", "[ab]?"]))]
    for _ in range(draw(st.integers(1, 2))):
        low = draw(st.sampled_from([0, 1, 2, 5]))
        high = draw(st.sampled_from(["", low, low + 1, low + 4, low + 9, low + 25, low + 60]))
        parts += [draw(st.sampled_from(UNITS)), f"{{{low},{high}}}", draw(st.sampled_from(TAILS))]
    return "".join(map(str, parts))


@st.composite
def counted_grammars(draw):
    terminals = [Lexeme("x", draw(counted_patterns()))]
    if draw(st.booleans()):
        other = st.one_of(counted_patterns(), st.sampled_from(["a", "[a-f]+", '"', "ab|ef"]))
        terminals.append(Lexeme("y", draw(other)))
    letters = [terminal.letter for terminal in terminals]
    bodies = st.lists(st.sampled_from([*letters, "S"]), min_size=1, max_size=3).map(tuple)
    rules = {"S": [(draw(st.sampled_from(letters)),), *draw(st.lists(bodies, max_size=2))]}
    if draw(st.booleans()):
        terminals.append(Lexeme("w", draw(st.sampled_from(["f", "€+"])), True))
    return rules, draw(st.permutations(terminals))


@st.composite
def open_patterns(draw):
    """Draw a pattern that counts up to its end: parts of one another, or one that begins others."""
    few = st.sampled_from(["", "{0,4}", "{1,3}", "{3}", "+"])
    counts = st.one_of(few, st.sampled_from(["{1,12}", "{2,9}", "{8}"]))
    unit = st.tuples(st.sampled_from(OPEN_UNITS), counts).map("".join)
    inner = st.tuples(st.sampled_from(["f", "e", '"f']), st.sampled_from(OPEN_UNITS), few)
    nested = st.tuples(inner.map("".join), few).map(lambda pair: f"(?:{pair[0]}){pair[1]}")
    first = draw(st.sampled_from(["", "[ab]", "[a-d]+", "f"]))
    return first + "".join(draw(st.lists(st.one_of(unit, nested), min_size=1, max_size=2)))


@st.composite
def open_grammars(draw):
    """Draw lines of such texts, some of which comments of any length may stand behind."""
    terminals = [Lexeme("x", draw(open_patterns()))]
    others = st.one_of(open_patterns(), st.sampled_from(OTHERS))
    terminals.append(Lexeme("y", draw(others)))
    bodies = st.lists(st.sampled_from(["x", "y", "S"]), min_size=1, max_size=3).map(tuple)
    rules = {"S": [draw(st.sampled_from([("x",), ("y",), ("x", "y"), ("y", "x")]))]}
    rules["S"] += draw(st.lists(bodies, max_size=2))
    if draw(st.booleans()):
        terminals.append(Lexeme("w", draw(st.sampled_from(["f", "e[^f]*", 'f[^"]*'])), True))
    return rules, draw(st.permutations(terminals))


@settings(max_examples=60, deadline=None)
@given(counted_grammars(), st.sampled_from(["longest", "first"]), st.booleans(), CHOICES)
@example(({"S": [("x",)]}, [Lexeme("x", '[a-e]{0,}[ef][a-e]{1,1}"')]), "longest", True, [0.0, 0.0])
def test_tables_are_steps_byte_by_byte(grammar, mode, contextual, choices):
    try:
        check_tables(grammar, mode, contextual, choices, words=long_words())
    except (GrammarError, LimitError):  # it may match nothing; counts in one another, read as any
        assume(False)


@settings(max_examples=60, deadline=None)
@given(open_grammars(), st.sampled_from(["longest", "first"]), st.booleans(), CHOICES)
@example(
    ({"S": [("x", "y")]}, [Lexeme("x", "[^f](?:f[^f]{1,3}){0,4}"), Lexeme("y", "[^f]")]),
    "first",
    True,
    [0.0, 0.0],
)
def test_tables_are_steps_where_text_ends_by_what_follows(grammar, mode, contextual, choices):
    try:
        check_tables(grammar, mode, contextual, choices, words=long_words())
    except (GrammarError, LimitError):
        assume(False)


@pytest.mark.parametrize("contextual", [False, True])
@pytest.mark.parametrize(
    ("rules", "patterns"),
    [
        ([("x", "y")], ("[a-d]+([^ef]|e[^e]){30}", "[^f]{1,40}")),
        (
            [("y",), ("x", "x")],
            (
                r"[^ef]*(?:a|bc|e)(?:[^e\"]|e[\s\S]){27,38}",
                "(?:[^ef]|e[^e])(?:a|bc|e)+",
            ),
        ),
        (
            [("x", "y", "x"), ()],
            (
                r"(?:[\s\S](?:[^e\"]|e[\s\S]){5,6})",
                r"(?:[\s\S][\s\S]{4}){9,36}f{13}[^f]*",
            ),
        ),
    ],
)
def test_ends_behind_many_rounds_are_found(rules, patterns, contextual):
    terminals = [Lexeme(letter, text) for letter, text in zip("xy", patterns, strict=True)]
    check_tables(({"S": rules}, terminals), "longest", contextual, [0.5, 0.0], words=long_words())


def test_one_chain_serves_all_states_along_a_string():
    source = 'start: TEXT\nTEXT: /"([^"\\\\\\n]|\\\\["n])%s"/\n'
    words = long_words()
    for bounds in ("{0,30}", "{12,}", "{20,26}", "{3,3}"):
        engine = formgate.compile(source % bounds, words, format="lark")
        state = engine.start()
        text = '"' + "abcd" * 9
        known = {LETTERS[token]: token for token in range(len(LETTERS))}
        for character in text:
            mask = engine.allowed_tokens(state).to_list()
            assert mask == [t for t in range(len(words)) if engine.is_allowed(state, t)]
            if known[character] not in mask:
                break
            state = engine.advance(state, known[character])


def test_guards_of_very_many_states_are_refused():
    # Exploring what may come between the two took gigabytes.
    patterns = (
        "(?:(?:a|bc|e)[^f]{2,3})+[^f]{33}(?:ab?|c)+",
        "(?:a|bc|e){33,37}(?:(?:[^ef]|e[^e])(?:ab?|c){1,6}){1,27}(?:f[^f]{1,5}){1,2}",
    )
    terminals = [Lexeme(letter, text) for letter, text in zip("xy", patterns, strict=True)]
    grammar = written({"S": [("x", "y")]}, terminals, "longest", contextual=True)
    with pytest.raises(LimitError, match="takes more than 2000 states"):
        grammar.compile(long_words(), limits=Limits(max_states=2000))


@pytest.mark.parametrize(
    ("grammar", "text"),
    [
        (
            'start: C (B ";")?\nB: /\\w{1,200}[^a]/\nC: /b[^a]{2}\\b/\n',
            "b  ab!;",
        ),
        ('start: C (B "!")*\nB: /\\w{1,200}(?![a-z])/\nC: /b[^a]{2}\\b/\n', "b  ab!"),
        ('start: C B ";" | C\nB: /\\w{1,200}[^a]/s\nC: /b(?:[^a]|aa){2,5}\\b/\n', "b  ab!;"),
    ],
)
def test_ends_beside_long_words_are_found(grammar, text):
    words = formgate.Vocabulary([*(bytes([i]) for i in range(256)), None], stop_ids=[256])
    engine = formgate.compile(grammar, words, format="lark")
    state = engine.start()
    for byte in text.encode():
        assert byte in engine.allowed_tokens(state).to_list()
        state = engine.advance(state, byte)
    assert engine.is_accepting(state)
