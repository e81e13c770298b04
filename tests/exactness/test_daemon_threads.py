"""A process may end while daemon threads of it are inside native code."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROGRAM = """
import sys, threading, time
import formgate

V = formgate.Vocabulary([*(bytes([i]) for i in range(256)), None], stop_ids=[256])
AMBIGUOUS = 'root ::= "c" | "c" n | "b" n\\nn ::= root root | n "c"'
TEXT = b"bbccbbccbbcccbbbcbbbbcbccccccbcbbbcbcccccccbcbcbcbbccbbccbcb"


def compiling(number):
    pattern = f"^(a|b)*{number}.{{3,9}}$"
    formgate.compile({"type": "string", "pattern": pattern}, V)


def many_tokens(number):
    engine = formgate.compile("(?:[ab]*a){3,}" + str(number), V, format="regex")
    engine.advance_many(engine.start(), b"ab" * 5_000)


def long_steps(number):
    engine = formgate.compile(AMBIGUOUS, V, format="gbnf")
    state = engine.start()
    for byte in TEXT:
        state = engine.advance(state, byte)
        engine.allowed_tokens(state)


def work():
    number = 0
    while True:
        number += 1
        globals()[sys.argv[1]](number)


begun = [threading.Thread(target=work, daemon=True) for _ in range(2)]
for thread in begun:
    thread.start()
time.sleep(0.3)
"""


@pytest.mark.parametrize("kind", ["compiling", "many_tokens", "long_steps"])
def test_the_process_ends_quietly(kind):
    for _ in range(3):
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, kind],
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, "")
