"""Operators that comments begin with: each text is read as lark reads it, whatever may follow."""

import itertools

import lark
import pytest

import formgate

GRAMMAR = r"""
start: (expr ";")*
?expr: unary | expr "/" unary | expr "*" unary
?unary: NAME | "*" unary
NAME: "x"
COMMENT: "/*" /(.|\n)*?/ "*/"
LINE: "//" /[^\n]*/
%ignore COMMENT
%ignore LINE
%ignore /\s+/
"""
LETTERS = "x/*;\n"
LONGEST = 3
LONGEST_REST = 4  # any prefix of a text is the beginning of one with so many characters more


@pytest.fixture(scope="module")
def accepted():
    parser = lark.Lark(GRAMMAR, parser="lalr")
    found = set()
    for length in range(LONGEST + LONGEST_REST + 1):
        for letters in itertools.product(LETTERS, repeat=length):
            text = "".join(letters)
            try:
                parser.parse(text)
            except lark.exceptions.UnexpectedInput:
                continue
            found.add(text)
    return found


def test_texts_and_their_beginnings_are_as_lark_reads_them(accepted):
    bytes_alone = [*(bytes([i]) for i in range(256)), None]
    engine = formgate.compile(
        GRAMMAR, formgate.Vocabulary(bytes_alone, stop_ids=[256]), format="lark"
    )
    beginnings = {text[:length] for text in accepted for length in range(len(text) + 1)}
    for length in range(LONGEST + 1):
        for letters in itertools.product(LETTERS, repeat=length):
            text = "".join(letters)
            assert engine.accepts(text) == (text in accepted), text
            assert engine.is_prefix(text) == (text in beginnings), text


# Where operators are many, it takes long to find a way to the end of a text.
MANY_OPERATORS = r"""
start: (stmt ";")*
stmt: expr | expr "=" expr
?expr: unary | expr "/" unary | expr "*" unary | expr "+" unary
?unary: atom | "*" unary | "-" unary
?atom: NAME | NUMBER | "(" expr ")" | atom "(" [expr ("," expr)*] ")" | atom "." NAME
NAME: /[a-z]\w*/
NUMBER: /\d+/ | /\d+\.\d*/
COMMENT: "/*" /(.|\n)*?/ "*/"
LINE: "//" /[^\n]*/
%ignore COMMENT
%ignore LINE
%ignore /\s+/
"""
MOST_BYTES = 220_000  # of the pool: 330 kB where each state is searched for a way


def test_a_reading_that_goes_on_is_enough():
    tokens = [*(bytes([i]) for i in range(256)), b"/" + b"*" * 60, b"*" * 64, b"/*", b"//", None]
    vocabulary = formgate.Vocabulary(tokens, stop_ids=[len(tokens) - 1])
    engine = formgate.compile(MANY_OPERATORS, vocabulary, format="lark")
    state = engine.start()
    for byte in b"x ":
        state = engine.advance(state, byte)
    assert {256, 257, 258, 259} <= set(engine.allowed_tokens(state).to_list())
    before = engine.memory_usage()["pool"]
    for byte in b"/" + b"*" * 20:
        state = engine.advance(state, byte)
        assert 257 in engine.allowed_tokens(state)
    assert engine.memory_usage()["pool"] - before < MOST_BYTES
