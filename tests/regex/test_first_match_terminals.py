"""Terminals of real grammars: what ``re.match``, by which lark reads them, takes of a text."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from first_match_patterns import disagreement, engine_disagreement, words

lark = pytest.importorskip("lark")

SHARED = Path(__file__).resolve().parents[3] / "shared/data/grammars-and-programs/grammars/lark"

# By the module of the lark package that they are imported from.
CHOSEN = {
    "common": [
        "ESCAPED_STRING", "C_COMMENT", "CPP_COMMENT", "SQL_COMMENT", "SIGNED_NUMBER", "CNAME", "WS",
    ],
    "lark": ["REGEXP", "STRING", "OP", "RULE", "NUMBER", "_NL", "COMMENT"],
    "python": [
        "STRING", "LONG_STRING", "DEC_NUMBER", "HEX_NUMBER", "OCT_NUMBER", "FLOAT_NUMBER",
        "IMAG_NUMBER", "NAME", "COMMENT",
    ],
}  # fmt: skip
TERMINALS = [(module, name) for module, names in CHOSEN.items() for name in names]

ALPHABETS = {"ESCAPED_STRING": '"\\a', "REGEXP": "/\\i", "C_COMMENT": "/*\n", "OP": "?+a"}
ALPHABETS |= {"STRING": "\"'\\", "LONG_STRING": '"\\', "DEC_NUMBER": "01_", "FLOAT_NUMBER": "1.e"}
ALPHABETS |= {"IMAG_NUMBER": "1.j", "HEX_NUMBER": "0xa", "OCT_NUMBER": "0o7", "_NL": "\r\n "}
ALPHABETS |= {"SIGNED_NUMBER": "-1.e", "NAME": "a1\u00e9", "RULE": "!_a", "COMMENT": "#/\n "}

MORE = {
    r"'(?:[^']|'')*'": "'a",
    r"'(?:''|[^'])*'": "'a",
    r'"(?:[^"\\]|\\.)*"': '"\\a',
    r"/\*[^*]*\*+(?:[^/*][^*]*\*+)*/": "/*a",
    r"/\*(?:.|\n)*?\*/": "/*\n",
    r"\$\$.*?\$\$": "$a",
    r"(?:<<=|<=|<<|<>|<|=)": "<=>",
    r"0|[1-9]\d*": "01a",
    r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?": "0.e-",
    r"[a-z](?:[a-z0-9-]{0,3}[a-z0-9])?": "a-.",
    r"if\b|in\b|[a-z]+": "ifn ",
    r"(?:in|int|integer|interval)(?!\w)|i\w*": "integr",
}


def regex_of(module, name):
    """The pattern that lark makes of a terminal."""
    grammar = f"start: {name}\n%import {module}.{name}\n"
    (terminal,) = lark.Lark(grammar, lexer="dynamic", keep_all_tokens=True).terminals
    return terminal.pattern.to_regexp()


@pytest.mark.parametrize(("module", "name"), TERMINALS)
def test_terminals_of_lark(byte_vocabulary, module, name):
    pattern = regex_of(module, name)
    alphabet = ALPHABETS.get(name, "a-/ ")
    assert disagreement(pattern, words(alphabet, 6 if len(alphabet) < 4 else 5)) is None
    assert engine_disagreement(byte_vocabulary, pattern, words(alphabet, 4), 2) is None


@pytest.mark.parametrize("pattern", MORE)
def test_more_terminals(byte_vocabulary, pattern):
    alphabet = MORE[pattern]
    assert disagreement(pattern, words(alphabet, 6 if len(alphabet) < 4 else 4)) is None
    assert engine_disagreement(byte_vocabulary, pattern, words(alphabet, 4)[:200], 2) is None


@pytest.mark.parametrize(
    ("name", "text", "follow"),
    [
        ("ESCAPED_STRING", r'"a\"b\\"', r'"\"'),
        ("STRING", r"rb'a\'\\'", "''"),
        ("LONG_STRING", '"""a""\\""""', '""'),
        ("IMAG_NUMBER", "1_000.5e-3J", ".5j"),
        ("FLOAT_NUMBER", "1.", "e5"),
        ("REGEXP", r"/[a]\/b/imsx", "y/"),
        ("C_COMMENT", "/* a\n * b **/", "*/"),
    ],
)
def test_long_texts(byte_vocabulary, name, text, follow):
    module = next(module for module, names in CHOSEN.items() if name in names)
    pattern = regex_of(module, name)
    texts = {
        text[:cut] + text[cut + skip :] + follow for cut in range(len(text)) for skip in (0, 1, 2)
    }
    texts |= {follow, follow[1:], ""}
    assert disagreement(pattern, sorted(texts)) is None
    assert engine_disagreement(byte_vocabulary, pattern, sorted(texts), len(follow)) is None


@pytest.mark.parametrize("name", ["c", "go", "java", "python", "sql"])
def test_every_terminal_of_a_language(name):
    path = SHARED / "syncode" / f"{name}.lark"
    if not path.exists():
        pytest.skip(f"the grammars of {SHARED} are not here")
    text = path.read_text(encoding="utf-8")
    start = "file_input" if re.search("^file_input", text, re.MULTILINE) else "start"
    terminals = lark.Lark(text, lexer="dynamic", start=start).terminals
    assert len(terminals) > 20
    chance = random.Random(name)
    for terminal in terminals:
        pattern = terminal.pattern.to_regexp()
        letters = sorted({*re.sub(r"\\\w|\(\?\w*:?", "", pattern), *"a0 \n\"'\\/"})
        texts = ["".join(chance.choices(letters, k=chance.randrange(8))) for _ in range(40)]
        assert disagreement(pattern, texts) is None, terminal
