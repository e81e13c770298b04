"""Rules in rules, thousands deep: chains, nests, and ladders of precedence levels."""

from __future__ import annotations

import threading

import pytest

import formgate


def compiled(source, vocabulary):
    return formgate.compile(source, vocabulary, format="gbnf")


def mask(engine, text):
    """Return the characters that may come after a text, and whether it may end there."""
    state = engine.start()
    for byte in text.encode():
        state = engine.advance(state, byte)
    allowed = {chr(token) for token in engine.allowed_tokens(state).ids() if token < 256}
    return allowed, engine.is_accepting(state)


@pytest.mark.parametrize("depth", [600, 2_000])
def test_nests(byte_vocabulary, depth):
    rules = [f'r{i} ::= "(" r{i + 1}? ")"' for i in range(depth)]
    source = "root ::= r0\n" + "\n".join(rules) + f'\nr{depth} ::= "x"'
    engine = compiled(source, byte_vocabulary)
    for n in (1, 2, depth // 2, depth):
        assert engine.accepts("(" * n + ")" * n)
        assert not engine.accepts("(" * n + ")" * (n - 1))
        assert not engine.accepts("(" * n + ")" * (n + 1))
        assert mask(engine, "(" * n) == ({"(" if n < depth else "x", ")"}, False)
        assert mask(engine, "(" * n + ")" * n) == (set(), True)
    assert engine.accepts("(" * depth + "x" + ")" * depth)
    assert not engine.is_prefix("(" * (depth + 1))


def test_nests_of_different_letters(byte_vocabulary):
    """A level that is mistaken for another shows."""
    depth = 700
    letters = "abcdefghijklmnopqrstuvwxyz"
    first = [letters[i * 7 % 26] for i in range(depth)]
    last = [letters[i * 5 % 26].upper() for i in range(depth)]
    rules = [f'r{i} ::= "{first[i]}" r{i + 1}? "{last[i]}"' for i in range(depth)]
    engine = compiled("root ::= r0\n" + "\n".join(rules) + f"\nr{depth} ::= [0-9]", byte_vocabulary)
    for n in (2, 99, 100, 101, 350, depth):
        text = "".join(first[:n])
        after = set("0123456789") if n == depth else {first[n]}
        assert mask(engine, text) == (after | {last[n - 1]}, False)
        for k in range(n - 1, 0, -1):
            text += last[k]
        assert mask(engine, text) == ({last[0]}, False)
        assert engine.accepts(text + last[0])


@pytest.mark.parametrize("levels", [600, 2_000])
@pytest.mark.parametrize("recursive", [False, True])
def test_ladders_of_precedence(byte_vocabulary, levels, recursive):
    """Operator i binds tighter than those before it; each stands once in this order at most."""
    rules = [f'e{i} ::= e{i + 1} ("{"+-*/"[i % 4]}" e{i + 1})?' for i in range(levels)]
    inner = ' | "(" e0 ")"' if recursive else ""
    source = "root ::= e0\n" + "\n".join(rules) + f"\ne{levels} ::= [0-9]{inner}"
    engine = compiled(source, byte_vocabulary)
    begin = set("0123456789") | ({"("} if recursive else set())
    assert mask(engine, "") == (begin, False)
    assert mask(engine, "1") == (set("+-*/"), True)
    assert mask(engine, "1+") == (begin, False)
    assert engine.accepts("1+2*3/4-5")
    assert engine.accepts("(1+2)*3") == recursive


@pytest.mark.parametrize("tail", ['"x"', '"x" | "(" root ")"'])
def test_chains(byte_vocabulary, tail):
    count = 5_000
    for body in ("r{}", 'r{} | "y"', 'r{} "z"?'):
        rules = [f"r{i} ::= " + body.format(i + 1) for i in range(count)]
        source = "root ::= r0\n" + "\n".join(rules) + f"\nr{count} ::= {tail}"
        engine = compiled(source, byte_vocabulary)
        assert engine.accepts("x")
        assert engine.accepts("xzz") == ("z" in body)
        assert engine.accepts("y") == ("y" in body)
        assert engine.accepts("(x)") == ("root" in tail)
        assert not engine.is_prefix("zx")


def test_a_small_stack_is_enough(byte_vocabulary):
    """Threads of servers have less stack than the first one."""
    rules = [f'e{i} ::= e{i + 1} ("+" e{i + 1})?' for i in range(1_000)]
    source = "root ::= e0\n" + "\n".join(rules) + '\ne1000 ::= [0-9] | "(" e0 ")"'
    found = []

    def work():
        engine = compiled(source, byte_vocabulary)
        found.append(engine.accepts("(1+2)+3"))

    before = threading.stack_size(512 * 1024)
    try:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    finally:
        threading.stack_size(before)
    assert found == [True]
