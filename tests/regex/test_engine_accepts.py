"""The whole path: a pattern compiled to an engine accepts what ``re.fullmatch`` matches."""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from regex_patterns import FLAGS, compiled_by_re, patterns, texts

import formgate
from formgate.core.errors import EmptyLanguageError, GrammarError, UnsupportedConstraint

TEXTS = [*texts(), "é", "aé1", "\u00a0", "ſ\n", "\U0001f600", "ß a"]


def disagreement(vocabulary, pattern, flags, candidates):
    """A text that ``re`` and the engine disagree on, or None."""
    compiled = compiled_by_re(pattern, flags)
    try:
        engine = formgate.compile(pattern, vocabulary, format="regex", flags=flags)
    except EmptyLanguageError:
        return next((text for text in candidates if compiled.fullmatch(text)), None)
    except UnsupportedConstraint:
        assert isinstance(compiled, re.Pattern)
        return None
    except GrammarError:
        assert not isinstance(compiled, re.Pattern)
        return None
    for text in candidates:
        if engine.accepts(text) != (compiled.fullmatch(text) is not None):
            return text
    return None


@settings(max_examples=300, deadline=None)
@given(patterns(), st.sampled_from(FLAGS), st.randoms(use_true_random=False))
def test_random_patterns(byte_vocabulary, pattern, flags, chance):
    assert disagreement(byte_vocabulary, pattern, flags, chance.sample(TEXTS, 200)) is None


@pytest.mark.parametrize(
    "pattern",
    [
        r"\b", r"\B", "(?m)(^1?$\n?)*", r"(?s:.)*\b(?s:.)*", r"(?s:.)*\B(?s:.)*",
        r"(?:\b\w+\b\s?)*",
        "(?=.*1)(?=.*a).*", "(?:(?!1).)*", "(?:(?<=a)1|a)*", r"(?s:.)(?<!a\b|1)(?s:.)*",
        "(?!.*a$).*", "(?:a(?!bb)|b)*", "(?= [^a]) +(?!A)", r"(?:\w(?!ab)|[ab])+",
        # States nest without end unless what look-around demands is brought to one form.
        r"(?:\bé*)*", r"(?:é*\b)*", r"(?:٣+?\B)*?\b_", r"(?:\bı*){2,}|(?=σ)\b[^a]*\b",
        r"(?:é+\b)*", r"(?:\w+\b ?)+é?", r"(?:(?!ab)\w|(?!cd)\w)*",
        r"(?:(?<!ab)\w(?!é)|[ab]\b|ü\B)+", r"(?-i:A{1,2}\bk*+||\U00010410){2,}",
        r"(?!\b)[K]{1,2}?|ß(?s:.+|σ(?u:k*?|\Z\D|вa\b))+?|A",
        r"a(?<=(?<=a(?=1)))1", "(?i)a[^1]*", "aa|a1|1a|11|", "(?:^a|1$|\n)*", r"\w{2,3}\W?",
    ],
)  # fmt: skip
def test_chosen_patterns(byte_vocabulary, pattern):
    assert disagreement(byte_vocabulary, pattern, 0, TEXTS) is None


REALISTIC = {
    r"\d{4}-\d{2}-\d{2}": ["2024-09-17", "2024-9-17", "٢٠٢٤-09-17"],
    r"[a-zA-Z0-9._%+-]+@[a-zA-Z0-9.-]+\.[a-zA-Z]{2,}": ["a.b@c.de", "a@b", "a@b.c1"],
    r"(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?:25[0-5]|2[0-4]\d|1?\d?\d)){3}": [
        "1.2.3.255",
        "1.2.3.256",
    ],
    r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"': ['"a\\n"', '"a\n"', '"\\u00e9é"'],
    r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?": ["-0.5e+10", "01", "1."],
    r"(?=.*\d)(?=.*[a-z])(?!.*\s).{8,12}": ["abcdefg1", "abcdefgh", "abcd efg1", "1234567é"],
    r"\b(?:foo|bar)\b(?:,\s*\b(?:foo|bar)\b)*": ["foo", "foo, bar,foo", "foobar", "foo bar"],
    r"(?i)straße|grüße": ["STRASSE", "STRAẞE", "GRÜSSE", "Grüße"],
    r"(?x) \d+ (?: , \d{3} )* # grouped": ["1,234", "1, 234", "12,34"],
    r"(?s)<think>.*?</think>\w+": ["<think>a\nb</think>c", "<think></think>"],
}


@pytest.mark.parametrize("pattern", REALISTIC)
def test_realistic_patterns(byte_vocabulary, pattern):
    examples = REALISTIC[pattern]
    assert disagreement(byte_vocabulary, pattern, 0, examples) is None
    chance = random.Random(pattern)
    variants = [
        text[:cut] + chance.choice("a1 .\n\u00e9") * chance.randrange(2) + text[cut + 1 :]
        for text in examples
        for cut in range(len(text))
    ]
    assert disagreement(byte_vocabulary, pattern, 0, variants) is None


def test_an_empty_pattern_is_the_empty_text(byte_vocabulary):
    engine = formgate.compile("", byte_vocabulary, format="regex")
    assert engine.accepts("")
    assert engine.is_terminal(engine.start())


@pytest.mark.parametrize("pattern", [r"a\bb", "(?!)", "[^\\W\\w]", "a^b", r"[\ud800]", "(?=a)b"])
def test_patterns_that_match_nothing(byte_vocabulary, pattern):
    with pytest.raises(EmptyLanguageError):
        formgate.compile(pattern, byte_vocabulary, format="regex")


def test_embedded_pattern_sees_its_own_text(byte_vocabulary):
    """Anchors and look-around of an embedded pattern end where its match does."""
    from formgate.core.registry import default_registry

    builder = formgate.GrammarBuilder(
        embed=lambda name, source, inner, options: (
            default_registry().format(name).spec.compile(source, inner, options)
        )
    )
    word = builder.embed("regex", r"(?!.*b$)^\w+\b$")
    builder.start(builder.seq(builder.literal("-"), word, builder.literal("b-")))
    engine = builder.build().compile(byte_vocabulary)
    assert engine.accepts("-ab-")
    assert not engine.accepts("-abb-")
