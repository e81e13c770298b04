"""Sets of characters equal those of the running Python's ``re``, code point by code point."""

from __future__ import annotations

import re

import pytest

from formgate.plugins.regex import parse
from formgate.plugins.regex._casing import literal_variants
from formgate.plugins.regex._syntax import CharClass, Literal

FLAGS = (0, re.IGNORECASE, re.ASCII, re.IGNORECASE | re.ASCII)
EVERY = "".join(map(chr, [*range(0xD800), *range(0xE000, 0x110000)]))


def set_of(pattern, flags):
    tree = parse(pattern, int(flags)).tree
    if isinstance(tree, Literal):
        return [(ord(tree.text), ord(tree.text))]
    assert isinstance(tree, CharClass)
    return list(tree.ranges)


def set_by_re(pattern, flags):
    """The set as ranges: in a text of all code points a run of matches is a range."""
    runs = []
    for run in re.compile(f"(?:{pattern})+", flags).finditer(EVERY):
        first, last = ord(EVERY[run.start()]), ord(EVERY[run.end() - 1])
        runs += [(first, 0xD7FF), (0xE000, last)] if first < 0xD800 < last else [(first, last)]
    return runs


@pytest.mark.parametrize(
    "pattern",
    [
        ".", r"\w", r"\W", r"\d", r"\D", r"\s", r"\S", "[a-z]", "[^a-z]", "[^k]", "[sk]",
        r"[^sk\d]",
        r"[^\w]", r"[\W_]", r"[^\W\d_]", "[a-zß]", "[À-ÿ]", "[α-ω]", "[Α-Ω]", r"[\x00-\uffff]",
        r"[\u0100-\u024f]", r"[\u1e00-\u1fff]", r"[^\u2c00-\ua7ff]", r"[\U00010400-\U00010410]",
        r"[\uffff-\U00010410]", r"[\u02bc-\U00010400]", r"[^\u0300-\U00010400]",
        r"[\U00010400b]", r"[\U00010428b]", r"[^\U00010400]", r"[\U00010400-\U00010400]", "[ſa]",
        "[İı]", "[I-K]", r"[\u0345x]", "[ﬅ-ﬆ]", "[Ⅰ-Ⅲ]", "[ⓐ-ⓒ]", r"[\ud800-\udfffa]", r"[^\ud800]",
        r"[\w\-.]", r"[^\x00-\x7f]", r"[S-\U00010000]", r"[\U0001E900-\U0001E943x]", r"[\W\w]",
    ],
)  # fmt: skip
@pytest.mark.parametrize("flags", FLAGS)
def test_classes(pattern, flags):
    assert set_of(pattern, flags) == set_by_re(pattern, flags)


def test_nothing_is_left_of_a_class_of_surrogates():
    assert set_of(r"[\ud800-\udfff]", 0) == []
    assert set_of(r"[^\W\w]", 0) == []


@pytest.mark.parametrize("ascii_only", [False, True])
def test_case_of_every_code_point(ascii_only):
    """A literal under IGNORECASE; caseless code points are asked about together."""
    flags = re.IGNORECASE | (re.ASCII if ascii_only else 0)
    cased = "".join(c for c in EVERY if c.lower() != c or c.upper() != c)
    for character in cased:
        expected = re.findall(re.escape(character), cased, flags)
        variants = literal_variants(character, ascii_only)
        if variants is None:
            assert expected == [character]
        else:
            found = [chr(code) for a, b in variants for code in range(a, b + 1)]
            assert found == expected, hex(ord(character))
    if not ascii_only:
        caseless = set(EVERY) - set(cased)
        assert all(literal_variants(character, ascii_only) is None for character in caseless)


@pytest.mark.parametrize("character", "aéßſKΣσςµİıﬅ1_")
def test_literals(character):
    for flags in FLAGS:
        assert set_of(re.escape(character), flags) == set_by_re(re.escape(character), flags)
