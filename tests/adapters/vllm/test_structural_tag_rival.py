"""Structural tags read by formgate and by xgrammar, whose documentation defines them.

xgrammar comes with vLLM, so this runs by ``make test-vllm``. The two differ where the end of a tag
overlaps itself: for formgate the tag ends where the end is first complete.
"""

from __future__ import annotations

import itertools
import json

import pytest

import formgate

xgrammar = pytest.importorskip("xgrammar", reason="xgrammar is not installed: run make test-vllm")

TEXTS = ["".join(text) for n in range(7) for text in itertools.product("<>a", repeat=n)]
ANY, A = {"type": "any_text"}, {"type": "const_string", "value": "a"}


def tag(begin, content, end):
    return {"type": "tag", "begin": begin, "content": content, "end": end}


def triggered(**more):
    return {"type": "triggered_tags", "triggers": ["<"], "tags": [tag("<a", A, ">")], **more}


def separated(**more):
    return {"type": "tags_with_separator", "tags": [tag("<", A, ">")], "separator": "a", **more}


FORMATS = {
    "text": ANY,
    "excludes": {"type": "any_text", "excludes": ["aa", "<>"]},
    "characters": {"type": "any_text", "max_chars": 3},
    "characters in a tag": tag("", {"type": "any_text", "max_chars": 2}, "<>"),
    "text in a tag": tag("<", ANY, "a>"),
    "two ends": tag("<", ANY, [">", "a<"]),
    "triggered": triggered(),
    "at least one": triggered(at_least_one=True),
    "first only": triggered(stop_after_first=True),
    "just one": triggered(at_least_one=True, stop_after_first=True),
    "triggered, excludes": triggered(excludes=["aa"]),
    "triggered in a tag": tag("a", triggered(), "a>"),
    "long trigger": triggered() | {"triggers": ["<<"], "tags": [tag("<<a", A, ">")]},
    "separated": separated(),
    "separated, at least one": separated(at_least_one=True),
    "separated, first only": separated(stop_after_first=True),
    "dispatch": {"type": "dispatch", "rules": [["<", A]]},
    "dispatch once": {"type": "dispatch", "rules": [["<", A]], "loop": False},
    "repeat": {"type": "repeat", "min": 1, "max": 2, "content": A},
    "sequence": {
        "type": "sequence",
        "elements": [A, {"type": "optional", "content": A}, {"type": "star", "content": ANY}],
    },
}


@pytest.fixture(scope="module")
def compiler():
    tokens = [*(bytes([byte]) for byte in range(256)), b"</s>"]
    kind = xgrammar.VocabType.RAW
    info = xgrammar.TokenizerInfo(tokens, kind, vocab_size=257, stop_token_ids=[256])
    return xgrammar.GrammarCompiler(info)


@pytest.mark.parametrize("name", FORMATS)
def test_the_same_texts(byte_vocabulary, compiler, name):
    source = json.dumps({"type": "structural_tag", "format": FORMATS[name]})
    engine = formgate.compile(source, byte_vocabulary, format="structural_tag")
    compiled = compiler.compile_structural_tag(source)
    for text in TEXTS:
        matcher = xgrammar.GrammarMatcher(compiled)
        accepted = matcher.accept_string(text) and matcher.accept_token(256)
        assert engine.accepts(text) == accepted, text
