"""States of a lexer that reach an end only by many bytes: masks, steps and verdicts agree.

Whether such a state has any text at all is found by a search. The grammars below once led it into
scripts with thousands of letters, or into guards that pile up for ever, before it came to an end.
"""

import pytest

import formgate
from formgate.core.compiler import build_grammar
from formgate.core.grammar import MaskOptions

VOCABULARY = formgate.Vocabulary([*(bytes([byte]) for byte in range(256)), None], stop_ids=[256])

SCRIPTS = r"""
start: T3 T2 start | T1
T1: /b/
T2: /a(|.)/
T3: /(|\w)b\w/
"""
GUARDS = r"""
start: T2 start r1 |
r1: T0
T0: /b+d/
T2: /./
"""
BOTH = r"""
start: T1 | r1 r1 T0 | start start r1
r1: T0 | r1 | T2
T0: /(?:(?:\w| )a[a-z])+/
T1: "1a"
T2: /(?:(?:\d|[ab]))*a/
"""


@pytest.mark.parametrize("class_tables", [True, False])
@pytest.mark.parametrize(
    ("source", "lexer", "text"),
    [
        (SCRIPTS, "contextual", b"baabb"),
        (GUARDS, "basic", b"ababdbdbd"),
        (BOTH, "contextual", b"1a ab1a aba"),
    ],
)
def test_masks_hold_the_way_to_an_end(
    source: str, lexer: str, text: bytes, class_tables: bool
) -> None:
    grammar = build_grammar(source, format="lark", lexing="longest", lexer=lexer)
    engine = grammar.compile(VOCABULARY, options=MaskOptions(class_tables=class_tables))
    assert formgate.compile(
        source, VOCABULARY, format="lark", lexing="longest", lexer=lexer
    ).accepts(text)
    state = engine.start()
    for place, byte in enumerate(text):
        assert byte in engine.allowed_tokens(state).to_list(), text[: place + 1]
        assert engine.is_allowed(state, byte)
        assert engine.is_prefix(text[: place + 1])
        state = engine.advance(state, byte)
    assert engine.is_accepting(state)
