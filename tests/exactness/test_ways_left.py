"""Text that is left in ways of which some let no tag follow: against single bytes and lark."""

from __future__ import annotations

import functools
import itertools
import random

import hypothesis
import lark
from bytewise import Pair, vocabularies
from hypothesis import strategies as st
from lark_judge import parses

from formgate.core.compiler import build_grammar
from formgate.core.errors import EmptyLanguageError, LimitError
from formgate.core.grammar import MaskOptions

_PIECES = ["{", "{{", "}}", "{{#", "{{/", "}", "a", "b ", "#", "/", "x}}", "{{a", " ", "{%", "%}"]


@functools.cache
def tokens() -> list[bytes]:
    texts = ["".join(pair) for n in (1, 2, 3) for pair in itertools.product(_PIECES, repeat=n)]
    return [text.encode() for text in dict.fromkeys(texts) if len(text) > 1]


TEXTS = [
    r"[^{]+|\{(?!\{)",
    r"[^{]|\{(?![{%])",
    r"([^{]|\{(?!\{))+",
    r"[^{}]+|\{(?!\{)|\}(?!\})",
    r"[^{%]+|\{(?![{%])|%",
    r"[^{]+",
    r"[^{#]+|\{(?!\{)|#+",
]
SHAPES = [
    "start: (TEXT | VAR | section)*\nsection: OPEN start CLOSE",
    "start: (TEXT | VAR)* section?\nsection: OPEN start CLOSE",
    "start: item+\nitem: TEXT | section | VAR\nsection: OPEN item* CLOSE | OPEN CLOSE",
    "start: section\nsection: OPEN (TEXT | VAR | section)* CLOSE TEXT?",
    "start: (TEXT section)* TEXT?\nsection: OPEN VAR? start CLOSE",
]
TAGS = r"""
OPEN: /\{\{#[a-z]+\}\}/
CLOSE: /\{\{\/[a-z]*\}\}/
VAR: /\{\{[a-z]+\}\}/
"""


def written(chance: random.Random, depth: int) -> str:
    """Write something that is mostly a template."""
    parts = ["a", "b {", "{", "{{a}}", "}", "x } ", "%", "{%", "#", ""]
    out = ""
    for _ in range(chance.randint(0, 4)):
        if depth and chance.random() < 0.4:
            out += "{{#a}}" + written(chance, depth - 1) + chance.choice(["{{/a}}", "{{/}}"])
        else:
            out += chance.choice(parts)
    return out


@hypothesis.settings(
    max_examples=80, deadline=None, suppress_health_check=list(hypothesis.HealthCheck)
)
@hypothesis.given(
    text=st.sampled_from(TEXTS),
    shape=st.sampled_from(SHAPES),
    walked=st.sampled_from([0, 40, 2048]),
    seed=st.integers(0, 1 << 20),
)
def test_templates(text: str, shape: str, walked: int, seed: int) -> None:
    source = f"{shape}{TAGS}TEXT: /{text}/\n"
    grammar = build_grammar(source, format="lark")
    options = MaskOptions(walked_tokens=walked)
    try:
        engines = [grammar.compile(one, options=options) for one in vocabularies(tokens())]
    except (EmptyLanguageError, LimitError):
        hypothesis.assume(False)
    parser = lark.Lark(source, parser="lalr")
    chance = random.Random(seed)
    for _ in range(12):
        whole = written(chance, 2)
        assert engines[0].accepts(whole) == parses(parser, whole), (source, whole)
    pair = Pair(engines[0], engines[1], tokens())
    for _ in range(14):
        singles, longer = pair.check()
        ends = engines[0].is_accepting(pair.state)
        assert singles or ends, (source, pair.before)
        try:
            whole = pair.before.decode()
            assert ends == parses(parser, whole), (source, whole)
        except UnicodeDecodeError:
            pass
        spelled = [byte for byte in singles if chr(byte) in "{}#/%abx "]
        choices = longer if longer and chance.random() < 0.7 else (spelled or singles)
        if not choices:
            return
        pair.advance(chance.choice(choices))
