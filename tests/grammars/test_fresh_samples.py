"""Members of grammars that no part of formgate made: all are taken, at every token.

GBNF grammars are read and drawn from by ``gbnf_texts``, Lark grammars by lark and hypothesis. Texts
of the shipped grammars must be known to an independent judge, too; of the grammars of others, that
for C is a Lark grammar with a lexer, where lark itself says which of the texts are members.
"""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import pytest
from gbnf_texts import GbnfTexts
from hypothesis import HealthCheck, Phase, given, settings
from shipped_judges import JUDGES

import formgate
from formgate.plugins.cfg import shipped, shipped_path
from formgate.plugins.cfg._shipped import shipped_grammar
from formgate.plugins.cfg._testing_oracles import find_oracle

GBNF = [name for name in shipped() if shipped_path(name).suffix == ".gbnf"]
LARK = [name for name in shipped() if shipped_path(name).suffix == ".lark"]
OTHERS = Path(__file__).resolve().parents[3] / "shared/data/grammars-and-programs/grammars"


def judge_of(name):
    if name == "markdown-table":
        pytest.importorskip("markdown_it")
    return find_oracle(JUDGES.get(name) or shipped_grammar(name).oracle or name)


def spelled(vocabulary, raw, chance):
    """Spell bytes with tokens of a vocabulary, long ones mostly."""
    tokens = []
    place = 0
    while place < len(raw):
        length = min(chance.choice([1, 2, 3, 5, 8, 16]), len(raw) - place)
        while (token := vocabulary.get(raw[place : place + length])) is None:
            length -= 1
        tokens.append(token)
        place += length
    return tokens


@pytest.fixture(scope="module")
def spellings(tekken_vocabulary):
    tokens = range(len(tekken_vocabulary))
    return {text: token for token in tokens if (text := tekken_vocabulary.token_bytes(token))}


def check(engine, spellings, judge, text, chance):
    raw = text.encode()
    state = engine.start()
    for token in spelled(spellings, raw, chance):
        assert token in engine.allowed_tokens(state), text
        state = engine.advance(state, token)
    assert engine.is_accepting(state), text
    verdict, reason = judge.verdict(raw)[:2]
    assert verdict is not False, (text, reason)


def compare_gbnf(name, vocabulary, spellings, seed, count):
    engine = formgate.compile(name, vocabulary, format="grammar")
    chance = Random(seed)
    texts = GbnfTexts(shipped_path(name).read_text(encoding="utf-8"), chance)
    judge = judge_of(name)
    drawn = set()
    for number in range(count):
        text = texts.draw((5, 20, 60, 200, 500)[number % 5])
        drawn.add(text)
        if len(text) <= 2000:
            check(engine, spellings, judge, text, chance)
    assert len(drawn) > 1


@pytest.mark.parametrize("name", GBNF)
def test_gbnf(name, tekken_vocabulary, spellings):
    compare_gbnf(name, tekken_vocabulary, spellings, 1, 40)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 5))
@pytest.mark.parametrize("name", GBNF)
def test_more_gbnf(name, seed, tekken_vocabulary, spellings):
    compare_gbnf(name, tekken_vocabulary, spellings, seed, 600)


def compare_lark(name, vocabulary, spellings, count):
    lark = pytest.importorskip("lark")
    found = shipped_grammar(name)
    engine = formgate.compile(name, vocabulary, format="grammar")
    judge = judge_of(name)
    flags = re.ASCII if found.options.get("g_regex_flags") == "a" else 0
    parser = lark.Lark(found.source, parser="earley", lexer="dynamic_complete", g_regex_flags=flags)

    def compare(text):
        check(engine, spellings, judge, text, Random(len(text)))

    draw(parser, count, compare)


def draw(parser, count, compare):
    from_lark = pytest.importorskip("hypothesis.extra.lark").from_lark

    @settings(
        max_examples=count,
        deadline=None,
        database=None,
        derandomize=count < 100,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(text=from_lark(parser))
    def each(text):
        if not any("\ud800" <= letter <= "\udfff" for letter in text):
            compare(text)  # a lone surrogate is no character of a text

    each()


@pytest.mark.parametrize("name", LARK)
def test_lark(name, tekken_vocabulary, spellings):
    compare_lark(name, tekken_vocabulary, spellings, 40)


@pytest.mark.slow
@pytest.mark.parametrize("name", LARK)
def test_more_lark(name, tekken_vocabulary, spellings):
    compare_lark(name, tekken_vocabulary, spellings, 1000)


@pytest.mark.skipif(not OTHERS.is_dir(), reason="the shared grammars are not here")
def test_grammars_of_others(byte_vocabulary):
    """GBNF of llama.cpp (MIT), and EBNF of transformers-cfg (MIT), whose notation is the same."""
    paths = sorted([*OTHERS.rglob("*.gbnf"), *OTHERS.rglob("*.ebnf")])
    assert {"c.gbnf", "c.ebnf"} <= {path.name for path in paths}
    for path in paths:
        source = path.read_text(encoding="utf-8")
        engine = formgate.compile(source, byte_vocabulary, format="gbnf")
        texts = GbnfTexts(source, Random(1))
        for number in range(20):
            raw = texts.draw((5, 20, 60, 200)[number % 4]).encode()
            assert engine.validate(engine.start(), list(raw)) == len(raw), (path.name, raw)
            assert engine.accepts(raw), (path.name, raw)


@pytest.mark.skipif(not OTHERS.is_dir(), reason="the shared grammars are not here")
def test_c_with_a_lexer(tekken_vocabulary, spellings):
    """The grammar of syncode (MIT) for C."""
    lark = pytest.importorskip("lark")
    path = OTHERS / "lark/syncode/c.lark"
    engine = formgate.compile(path, tekken_vocabulary, format="lark")
    parser = lark.Lark(path.read_text(encoding="utf-8"), parser="lalr", source_path=str(path))
    taken = []

    def compare(text):
        try:
            parser.parse(text)
        except lark.exceptions.LarkError:
            return
        taken.append(text)
        chance = Random(len(text))
        state = engine.start()
        for token in spelled(spellings, text.encode(), chance):
            assert token in engine.allowed_tokens(state), text
            state = engine.advance(state, token)
        assert engine.is_accepting(state), text

    draw(parser, 60, compare)
    assert len(taken) > 10
