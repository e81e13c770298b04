"""Several patterns with a least and a greatest length, against all texts of two letters."""

from __future__ import annotations

import itertools
import random
import re

import hypothesis
from bytewise import vocabularies
from hypothesis import strategies as st

import formgate
from formgate.core.errors import EmptyLanguageError

SETTINGS = hypothesis.settings(
    max_examples=60, deadline=None, suppress_health_check=list(hypothesis.HealthCheck)
)
MOST = 11
TEXTS = ["".join(letters) for n in range(MOST + 1) for letters in itertools.product("ab", repeat=n)]
PIECES = ["a", "b", "[ab]", "ab", "(?:aa|b)", "(?:(?:ab){2})", "(?:[ab]b)", "(?:a{3})"]
COUNTS = ["", "", "*", "+", "{2}", "{2,}", "{1,4}", "{8,}", "{0,9}"]


def pattern(chance: random.Random) -> str:
    parts = [chance.choice(PIECES) + chance.choice(COUNTS) for _ in range(chance.randrange(1, 4))]
    return chance.choice(["^", ""]) + "".join(parts) + chance.choice(["$", ""])


@SETTINGS
@hypothesis.given(seed=st.integers(0, 2**32))
def test_prefixes_are_those_of_the_texts(seed: int) -> None:
    chance = random.Random(seed)
    least = chance.choice([0, 0, 3, 8, 9, MOST])
    most = chance.choice([8, 9, 10, MOST])
    said = [pattern(chance) for _ in range(chance.randrange(1, 4))]
    denied = [pattern(chance) for _ in range(chance.randrange(3))]
    schema = {
        "type": "string",
        "minLength": least,
        "maxLength": most,
        "allOf": [
            {"pattern": "^[ab]*$"},
            *({"pattern": one} for one in said),
            *({"not": {"pattern": one}} for one in denied),
        ],
    }
    texts = {
        text
        for text in TEXTS
        if least <= len(text) <= most
        and all(re.search(one, text) for one in said)
        and not any(re.search(one, text) for one in denied)
    }
    try:
        engine = formgate.compile(schema, vocabularies([])[0], format="json_schema")
    except EmptyLanguageError:
        assert not texts, schema
        return
    begun = {text[:length] for text in texts for length in range(len(text) + 1)}
    for text in TEXTS:
        assert engine.accepts(f'"{text}"') == (text in texts), (schema, text)
        assert engine.is_prefix(f'"{text}') == (text in begun), (schema, text)


SHORT = ["".join(letters) for n in range(6) for letters in itertools.product("ab0", repeat=n)]
WAYS = [*PIECES, "(?:ab|bba|b)", "(?:a|0*)", "[^a]", ".", "(?:a?b|0{2,})", "(?:^|b)", "(?:$|a)"]


@SETTINGS
@hypothesis.given(seed=st.integers(0, 2**32))
def test_one_pattern_in_as_few_characters_as_it_has(seed: int) -> None:
    """As a currency of three letters anywhere in three characters."""
    chance = random.Random(seed)
    parts = [chance.choice(WAYS) + chance.choice(COUNTS) for _ in range(chance.randrange(1, 4))]
    ways = ["".join(parts), *(chance.choice(WAYS) for _ in range(chance.randrange(3)))]
    said = chance.choice(["^{}$", "{}", "^{}", "{}$"]).format("(?:" + "|".join(ways) + ")")
    fits = [text for text in SHORT if re.search(said, text)]
    most = chance.choice([len(min(fits, key=len, default="")), chance.randrange(6)])
    least = chance.randrange(most + 1)
    schema = {"type": "string", "pattern": said, "minLength": least, "maxLength": most}
    texts = {text for text in fits if least <= len(text) <= most}
    begun = {text[:length] for text in texts for length in range(len(text) + 1)}
    try:
        engine = formgate.compile(schema, vocabularies([])[0], format="json_schema")
    except EmptyLanguageError:
        assert not [text for text in fits if least <= len(text) <= most], schema
        return
    for text in SHORT:
        assert engine.accepts(f'"{text}"') == (text in texts), (schema, text)
        # Other characters may come besides, where the pattern says nothing of them.
        assert engine.is_prefix(f'"{text}') or text not in begun, (schema, text)


def test_many_counts_take_no_states() -> None:
    """Alone, the patterns have some states; counted down one by one, these would be millions."""
    schema = {
        "type": "string",
        "allOf": [{"pattern": "abc.*xyz"}, {"pattern": "[0-9]{3}"}, {"not": {"pattern": "qq"}}],
        "minLength": 20_000,
        "maxLength": 30_000,
    }
    engine = formgate.compile(schema, vocabularies([])[0], format="json_schema")
    assert engine.accepts(f'"{"-" * 20_000}abc123xyz"')
    assert not engine.accepts('"abc123xyz"')
    assert engine.is_prefix(f'"{"-" * 29_991}')
    assert not engine.is_prefix(f'"{"-" * 29_992}')
