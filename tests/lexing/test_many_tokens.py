"""Masks over thousands of tokens against walks by single bytes.

Tables of lexer states, trees of what follows lexemes and limits by length only come into play with
many tokens below a node of the vocabulary's trie.
"""

from __future__ import annotations

import random

import pytest

pytest.importorskip("lark")

import formgate
from formgate.core.errors import FormgateError

QUERY = r"""
start: "select" list "from" NAME ("where" test)? ";"
list: item ("," item)* | "*"
item: value ("as" NAME)?
?value: value ("+" | "-" | "||") value | "(" value ")" | NAME ("." NAME)? | NUMBER | STRING
test: value ("=" | "<=" | "<>") value | value "in" "(" list ")" | "not" test
NAME: /[a-z_][a-z0-9_]*/
NUMBER: /[0-9]+(\.[0-9]+)?/
STRING: /'([^'\n]|''){0,12}'/
COMMENT: /--[^\n]*/
%ignore COMMENT
%ignore /[ \n]+/
"""
PROGRAM = r"""
start: statement*
statement: "if" test block ("else" block)? | NAME "=" test ";" | "return" test? ";" | block
block: "{" statement* "}"
test: test ("==" | "=" "=" | "&" "&"?) test | "!" test | NAME call? | NUMBER (".." NUMBER)? | TEXT
    | "-" test | "(" test ")"
call: "(" (test ("," test)*)? ")"
NAME: /[^\W\d]\w*/
NUMBER: /[0-9]+(\.[0-9]+)?/
TEXT: /"(\\.|[^"\\\n])*"/
%ignore /\s+/
%ignore /\/\*.*?\*\//s
"""
TEXTS = {
    QUERY: [
        "select * from t;",
        "select a.b, 12.5 + c as d from t_1 where not a <= 'it''s' -- why\n;",
        "select (selected || 'x') as asc, inner_ from fromage where c in (a, 'b', 3);",
    ],
    PROGRAM: [
        'if x == 12 { return f(a, "b\\"c"); } else { y = !g(1..2, 0.5..12) & h; }',
        "iffy = returned; /* no\n end */ {} return;",
        'été = "été" && -1; if(ifs){elsewhere=else_();}else{}',
    ],
}


def vocabulary_of(texts, rng):
    pieces = set()
    for text in texts:
        data = text.encode()
        pieces.update(data[i : i + n] for n in range(2, 14) for i in range(len(data) - n + 1))
    letters = sorted({byte for text in texts for byte in text.encode()})
    stems = sorted(pieces)
    while len(pieces) < 9000:
        left, right = rng.choice(stems), rng.choice(stems)
        pieces.add((left + bytes(rng.choices(letters, k=rng.randint(0, 3))) + right)[:16])
    tokens = [bytes([byte]) for byte in range(256)] + sorted(pieces)
    return formgate.Vocabulary([*tokens, None], stop_ids=[len(tokens)]), tokens


@pytest.mark.parametrize("lexing", ["lark", "longest"])
@pytest.mark.parametrize("source", [QUERY, PROGRAM], ids=["query", "program"])
def test_masks_are_byte_walks(byte_vocabulary, source, lexing):
    rng = random.Random(5)
    vocabulary, tokens = vocabulary_of(TEXTS[source], rng)
    index = {token: number for number, token in enumerate(tokens)}
    given = source if lexing == "lark" else source.replace(".*?", "[^*]*")
    engine, by_bytes = (
        formgate.compile(given, each, format="lark", lexing=lexing)
        for each in (vocabulary, byte_vocabulary)
    )
    for text in TEXTS[source]:
        state, alone = engine.start(), by_bytes.start()
        data = text.encode()
        at = 0
        while at < len(data):
            check(engine.allowed_tokens(state).to_list(), tokens, by_bytes, alone, rng)
            piece = data[at : at + rng.randint(1, 5)]
            state = engine.advance(state, index[piece])
            for byte in piece:
                alone = by_bytes.advance(alone, byte)
            at += len(piece)
        assert engine.is_accepting(state)


def check(allowed, tokens, by_bytes, state, rng):
    """Compare tokens, all that are allowed and some others, with what single bytes lead to."""
    allowed = {number for number in allowed if number < len(tokens)}
    known = {b"": state}

    def walk(text):
        if text not in known:
            before = walk(text[:-1])
            try:
                known[text] = before and by_bytes.advance(before, text[-1])
            except FormgateError:
                known[text] = None
        return known[text]

    chosen = allowed if len(allowed) < 1500 else set(rng.sample(sorted(allowed), 1500))
    for number in chosen | set(rng.sample(range(len(tokens)), 1500)):
        assert (walk(tokens[number]) is not None) == (number in allowed), tokens[number]
