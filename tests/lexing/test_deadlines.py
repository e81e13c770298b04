"""A compilation that runs out of time leaves the next ones right."""

import json
import os
import subprocess
import sys
import time

import pytest

import formgate
from formgate.core.grammar import GrammarBuilder

NESTED = r"""
start: T ("," T)*
T: /c+a(?:(?:b*[^a]+|aac{0,3}){1,2}?c[^cc]|[b]){2,3}/
"""
KEYWORDS = r"""
start: (statement ";")*
statement: "if" NAME "then" statement | NAME "=" value | "return" value?
value: NAME | /[0-9]+(\.[0-9]+)?/ | "(" value ")" | TEXT
NAME: /[a-z_][a-z_0-9]*/
TEXT: /"([^"\\]|\\.)*"/
COMMENT: /#[^\n]*/
%import common.WS
%ignore WS
%ignore COMMENT
"""
GUARDS = r"""
start: T1 | r1 r1 T0 | start start r1
r1: T0 | r1 | T2
T0: /(?:(?:\w| )a[a-z])+/
T1: "1a"
T2: /(?:(?:\d|[ab]))*a/
"""

# Prints how often time ran out, and of some texts whether they are accepted, with each mask before.
SCRIPT = """
import itertools, json, sys
import formgate

source, lexing, letters, texts, interrupted = json.load(sys.stdin)
vocabulary = formgate.Vocabulary([*(bytes([b]) for b in range(256)), None], stop_ids=[256])
deadline, failures, engine = 0.0002, 0, None
while engine is None:
    try:
        engine = formgate.compile(
            source,
            vocabulary,
            format="lark",
            lexing=lexing,
            timeout_s=deadline if interrupted else None,
        )
    except formgate.CompileTimeout:
        failures += 1
        deadline *= 1.3
found = []
for text in [*map("".join, itertools.product(letters, repeat=5)), *texts]:
    state, masks = engine.start(), []
    for byte in text.encode():
        masks.append(engine.allowed_tokens(state).to_list())
        if not engine.is_allowed(state, byte):
            break
        state = engine.advance(state, byte)
    found.append([text, engine.accepts(text), hash(str(masks))])
json.dump([failures, found], sys.stdout)
"""


def run(*given: object) -> tuple[int, list[list[object]]]:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        input=json.dumps(given),
        env={**os.environ, "PYTHONHASHSEED": "0"},
        check=True,
        timeout=300,
        stdout=subprocess.PIPE,
        text=True,
    )
    failures, found = json.loads(done.stdout)
    return failures, found


@pytest.mark.parametrize(
    ("source", "lexing", "letters", "texts"),
    [
        (NESTED, "lark", "abc,", ["cabb", "cabcxbcy", "ccaaaccxaacbcb,cabb"]),
        (
            KEYWORDS,
            "lark",
            "ifa=;",
            ['if a then b = "x\\"y"; return 1.5;', "#x\nreturn(a);", "iff=0;"],
        ),
        (GUARDS, "longest", "1ab ", ["1a ab1a aba"]),
    ],
    ids=["nested", "keywords", "guards"],
)
def test_after_deadlines_all_is_as_without(
    source: str, lexing: str, letters: str, texts: list[str]
) -> None:
    failures, found = run(source, lexing, letters, texts, True)
    none, right = run(source, lexing, letters, texts, False)
    assert none == 0
    assert failures > 0
    assert found == right


def test_what_is_asked_of_a_terminal_beforehand_has_the_same_deadline():
    """Whether its first match takes a string that is another terminal is asked of an engine."""
    vocabulary = formgate.Vocabulary([*(bytes([b]) for b in range(256)), None], stop_ids=[256])
    source = 'start: A B\nA: /(?:[^;]{1,20}){0,4}a/\nB: "b"\n'
    with pytest.raises(formgate.CompileTimeout):
        formgate.compile(source, vocabulary, format="lark", timeout_s=0.3)


def test_builders_beside_one_another_share_a_deadline():
    late = GrammarBuilder(deadline=time.perf_counter() - 1)
    beside = late.beside()
    beside.start(beside.literal("a"))
    with pytest.raises(formgate.CompileTimeout):
        beside.try_out(formgate.Vocabulary([b"a", None], stop_ids=[1]))


def test_a_limit_that_a_terminal_meets_names_it():
    vocabulary = formgate.Vocabulary([*(bytes([b]) for b in range(256)), None], stop_ids=[256])
    source = 'start: A SLOW\nA: "a"\nSLOW: /(?:[^;]{1,20}){0,4}a/\n'
    limits = formgate.Limits(max_states=200)
    with pytest.raises(formgate.LimitError, match='terminal "SLOW"'):
        formgate.compile(source, vocabulary, format="lark", limits=limits)
