"""What loading Lark grammars costs a process once."""

from __future__ import annotations

import subprocess
import sys

OWN_GRAMMAR = """
import lark.lexer
from lark import load_grammar

checked = []
lark.lexer._check_regex_collisions = lambda *given: checked.append(given)
made_by = load_grammar.LexerConf

import formgate

tokens = [*(bytes([byte]) for byte in range(256)), None]
vocabulary = formgate.Vocabulary(tokens, stop_ids=[256])
engine = formgate.compile('start: "a" B\\nB: /b+/', vocabulary, format="lark")
assert engine.accepts("abb") and not engine.accepts("a")
assert not checked and load_grammar.LexerConf is made_by
lark.Lark('start: "a" B\\nB: /b+/', parser="lalr")
assert checked, "the check of what others compile with lark is as it was"
"""


def test_lark_does_not_check_its_own_grammar() -> None:
    subprocess.run([sys.executable, "-c", OWN_GRAMMAR], check=True, timeout=60)
