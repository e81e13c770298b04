"""Patterns of strings whose object may go on with anything, against single bytes.

What comes after the quote has all bytes, so masks of the string must not look for those in it. Many
tokens begin with a blank and with a letter, as in real vocabularies: what is below these in the
tree of tokens is found apart.
"""

from __future__ import annotations

import functools
import itertools
import json
import random
import string
from typing import TYPE_CHECKING

import hypothesis
import pytest
from bytewise import Pair, vocabularies
from hypothesis import strategies as st

from formgate.core.compiler import build_grammar
from formgate.core.errors import EmptyLanguageError
from formgate.core.grammar import MaskOptions

if TYPE_CHECKING:
    import formgate


@functools.cache
def both() -> tuple[formgate.Vocabulary, formgate.Vocabulary]:
    """Return the bytes alone, and with the tokens."""
    return vocabularies(tokens())


@functools.cache
def tokens() -> list[bytes]:
    """Over 512 behind a blank and behind `a`, and some of each kind that leaves a string."""
    letters = string.ascii_lowercase
    pairs = ["".join(pair) for pair in itertools.product(letters, repeat=2)]
    texts = [*pairs, *(f" {pair}" for pair in pairs), *(f"a{pair}" for pair in pairs)]
    chance = random.Random(7)
    signs = [*"abcxyzABZ019-._/@#? ,:é中\u2028", '"', "\\", '\\"', "\\n", "\\u00e9", '": ', '",']
    while len(texts) < 3400:
        size = chance.randint(2, 7)
        texts.append(chance.choice(["", " ", "a"]) + "".join(chance.choices(signs, k=size)))
    return [text.encode() for text in dict.fromkeys(texts)] + [b"a\xc3", b" \xe4\xb8", b"\xa9b"]


PATTERNS = [
    # loops whose characters may begin what comes next
    "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$",
    r"^[^\s@]+@[^\s@]+\.[^\s@]+$",
    r"^\S+@\S+$",
    r"^\S(.*\S)?$",
    r"^/([^/\s]+/)*[^/\s]*$",
    "^[a-zé]([a-zé.]*[a-z])?$",
    r"^\s*\S+(?:\s+\S+){0,3}\s*$",
    "^([a-z,]|(pi)|(xy)){2,40}$",
    # one character, or two, before any
    r"^[^\s/$.?#].[^\s]*$",
    "^[^a].*$",
    "^[^é][^-][^_]*$",
    "^[^a-c].(x|[^x]){0,9}$",
    "^[^0-9]{2}[^z]*z?$",
    r"^(?!\s*$).+",
    "^(?!a|[^a]b).*$",
    # words behind blanks and letters
    "^[A-Za-z]+(?:(?:\\s+|-)[A-Za-z]+)*$",
    "^([a-z ]+,)*[a-z ]+$",
    "^a[b-zé]+( a[a-z]+)?$",
    "^( [^ ,]+)*$",
    r"^(a[\w-]+)?( [\w.]{1,5})*$",
    # as many characters as there must be
    "[a-z]{3}",
    "(ab|[0-9]{2}|é)x?",
]
LENGTHS = [{}, {"maxLength": 3}, {"minLength": 3, "maxLength": 3}, {"maxLength": 2}]
SWITCHES = [
    MaskOptions(),
    MaskOptions(prefix_uses=1),
    MaskOptions(keep_masks=False),
    MaskOptions(cut_subtrees=False),
    MaskOptions(split_parts=False),
]


def schema_of(pattern: str, lengths: dict[str, int], others: bool) -> str:
    """Return that of an object with a string, which may have other members."""
    value = {"type": "string", "pattern": pattern, **lengths}
    schema: dict[str, object] = {"type": "object", "properties": {"n": value}, "required": ["n"]}
    return json.dumps(schema if others else {**schema, "additionalProperties": False})


def compare(schema: str, options: MaskOptions, seed: int) -> None:
    """Compare masks along a random way through the string with what single bytes allow."""
    chance = random.Random(seed)
    grammar = build_grammar(schema, format="json_schema", whitespace="compact")
    by_byte, by_token = (grammar.compile(vocabulary, options=options) for vocabulary in both())
    pair = Pair(by_byte, by_token, tokens())
    for byte in b'{"n":':
        pair.advance(byte)
    for _ in range(5):
        singles, right = pair.check()
        ways = [byte for byte in singles if byte != 0x22 or chance.random() < 0.3]
        choice = chance.choice([ways, right]) or singles or right
        if not choice:
            return
        pair.advance(chance.choice(choice))


@pytest.mark.parametrize("pattern", PATTERNS)
def test_masks_are_what_single_bytes_allow(pattern: str) -> None:
    for seed in range(2):
        compare(schema_of(pattern, {}, True), MaskOptions(), seed)


@hypothesis.settings(
    max_examples=40, deadline=None, suppress_health_check=list(hypothesis.HealthCheck)
)
@hypothesis.given(
    pattern=st.sampled_from(PATTERNS),
    lengths=st.sampled_from(LENGTHS),
    others=st.booleans(),
    options=st.sampled_from(SWITCHES),
    seed=st.integers(0, 2**32),
)
def test_masks_with_bounds_and_every_switch(
    pattern: str, lengths: dict[str, int], others: bool, options: MaskOptions, seed: int
) -> None:
    try:
        compare(schema_of(pattern, lengths, others), options, seed)
    except EmptyLanguageError:
        hypothesis.reject()
