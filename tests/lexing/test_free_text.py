"""Terminals of free text, as all up to some character: one state reads it, or states that count.

Lexemes may end anywhere in such text, or from some length on, but not before more of it, so no two
of one kind stand side by side, though rules may ask for it.
"""

from __future__ import annotations

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from lexed_cases import check
from lexer_judge import Lexeme
from mask_switches import CHOICES, check_tables, long_words

import formgate
from formgate.core.errors import EmptyLanguageError, GrammarError, LimitError
from formgate.plugins.regex import compile_lexeme, compile_regex

COUNTS = ["+", "+", "{2,}", "{1,2}", "{1,5}", "{3,7}", "{4,}", "{1}", "{3}"]


@st.composite
def free_grammars(draw, units, others, counts):
    """Draw rules over text, what may stand beside it, and perhaps what is ignored.

    They recur from the right: of others, ends are far to seek.
    """
    terminals = [Lexeme("x", draw(st.sampled_from(units)) + draw(st.sampled_from(counts)))]
    terminals.append(Lexeme("y", draw(st.sampled_from(others))))
    if draw(st.booleans()):
        more = st.sampled_from([*others, *(unit + "+" for unit in units)])
        terminals.append(Lexeme("z", draw(more)))
    letters = [terminal.letter for terminal in terminals]
    read = st.lists(st.sampled_from(letters), min_size=1, max_size=3)
    bodies = st.builds(lambda first, last: (*first, *last), read, st.sampled_from(["", "S", "A"]))
    rules = {
        "S": [("x",), *draw(st.lists(bodies, min_size=1, max_size=3))],
        "A": draw(st.lists(bodies, min_size=1, max_size=2)),
    }
    if draw(st.booleans()):
        terminals.append(Lexeme("w", draw(st.sampled_from(others)), True))
    return rules, draw(st.permutations(terminals))


@settings(max_examples=80, deadline=None)
@given(
    free_grammars(
        ["[^ ]", "[^b]", "[^ab]", r"(?:.|\n)", "[ab]", "[^a]"],
        [" ", "b", "a", "ab", "b+", " a", "[^ab][^b]*", r"[^ ](?:.|\n)*", "[^a ][^a]+"],
        COUNTS,
    ),
    st.sampled_from(["longest", "first"]),
    st.booleans(),
)
def test_languages_and_masks(grammar, mode, contextual):
    rules, terminals = grammar
    write = compile_regex if mode == "longest" else compile_lexeme
    check(rules, terminals, mode, contextual=contextual, write=write, most=5)


@settings(max_examples=60, deadline=None)
@given(
    free_grammars(
        ['[^"]', "[^f]", "[^é]", "[^a-c]", r"(?:.|\n)", '(?:[^"a]|a[bc])', "[a-f]"],
        ['"', "f", "é", "a", "ab", '"+', "[a-f]+", "€", '[^f"][^"]*', "[^a-e][^a]*", "[^fb][^f]+"],
        [*COUNTS, "{1,19}"],
    ),
    st.sampled_from(["longest", "first"]),
    st.booleans(),
    CHOICES,
)
@example(({"S": [("x",), ("x", "S")]}, [Lexeme("x", '[^"]{1,5}')]), "first", True, [0.9, 0.5, 0.0])
@example(({"S": [("x",)]}, [Lexeme("x", '[^"]{1,19}')]), "first", True, [0.99, 0.0])
@example(({"S": [("x", "y")]}, [Lexeme("x", '[^ab"][^"]*'), Lexeme("y", '"')]), "first", True,
         [0.3, 0.99, 0.0])  # fmt: skip
@example(({"S": [("x", "y"), ("x", "y", "S")]}, [Lexeme("x", "[^f]+"), Lexeme("y", "f")]), "first",
         True, [0.9, 0.99, 0.0])  # fmt: skip
def test_tables_are_steps_byte_by_byte(grammar, mode, contextual, choices):
    try:
        check_tables(grammar, mode, contextual, choices, words=long_words())
    except (GrammarError, LimitError):
        assume(False)


@pytest.mark.parametrize(
    "source",
    [
        'start: (TEXT | "{{" NAME "}}")+\nTEXT: /[^{}]+/\nNAME: /[a-z]+/\n',
        'start: "<" NAME ">" (start | TEXT)* "</" NAME ">"\nTEXT: /[^<>]+/\nNAME: /[a-z]+/\n',
        'start: "x" start "y" | TEXT rest\nrest: TEXT | "," rest\nTEXT: /[^,xy]+/\n',
    ],
)
def test_rules_that_let_text_stand_behind_text(source):
    letters = '{}<>/ab, xy"'
    words = formgate.Vocabulary([*(c.encode() for c in letters), None], stop_ids=[len(letters)])
    engine = formgate.compile(source, words, format="lark")
    state = engine.start()
    pending, seen = [(state, "")], {state.key}
    for at, text in pending:
        allowed = engine.allowed_tokens(at).to_list()
        assert allowed, text
        for token in allowed:
            if token == len(letters) or len(text) == 4:
                continue
            after = engine.advance(at, token)
            if after.key not in seen:
                seen.add(after.key)
                pending.append((after, text + letters[token]))


@pytest.mark.parametrize("lexing", ["lark", "longest"])
@pytest.mark.parametrize("lexer", ["contextual", "basic"])
@pytest.mark.parametrize(
    ("source", "first"),
    [
        ('start: T Z | W Z?\nT: /a;*/\nW: /b;*/\nZ: ";x"\n', "b"),
        ('start: T Z | W Z?\nW: /a[^{}]*/\nT: /b[^{}]*/\nZ: ";x"\n', "a"),
        ('start: "a" T Z | "b" W Z? | "c"\nT: /;+/\nW: /:;*/\nZ: ";x"\n', "bc"),
        ('start: ["a" T] ";"+\nT: /;+/\n', ";"),
    ],
)
def test_terminals_that_end_alike_have_neighbours_of_their_own(source, first, lexing, lexer):
    words = formgate.Vocabulary([*(bytes([byte]) for byte in range(256)), None], stop_ids=[256])
    engine = formgate.compile(source, words, format="lark", lexing=lexing, lexer=lexer)
    allowed = {chr(token) for token in engine.allowed_tokens(engine.start()).to_list()}
    assert allowed == set(first)
    for character in first:
        engine.min_tokens(engine.advance(engine.start(), ord(character)))  # there is an end


def test_text_that_needs_text_behind_it_is_empty():
    words = formgate.Vocabulary([b"a", b"b", None], stop_ids=[2])
    with pytest.raises(EmptyLanguageError):
        formgate.compile('start: "b"* TEXT TEXT\nTEXT: /[^b]+/\n', words, format="lark")
