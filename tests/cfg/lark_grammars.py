"""Random Lark grammars, and lark itself as the judge of texts."""

from __future__ import annotations

import itertools
from functools import cache
from unittest import mock

import lark
from hypothesis import assume
from hypothesis import strategies as st
from lark.exceptions import GrammarError, LarkError
from lark.parsers.lalr_analysis import LALR_Analyzer

STRINGS = ['"a"', '"b"', '"ab"', '"ba"', '"aab"', '"a" "b"', '"b"~2', '"a".."b"']
PATTERNS = [
    "/a+/",
    "/[ab]+/",
    "/b[ab]*/",
    "/a|ab/",
    "/ab?/",
    "/a*?b/",
    "/(?:ab)+/",
    "/a{2,3}/",
    '"a"+ | "ba"',
    '("a" | "ab") "b"?',
]
LOOKING = ["/a(?=b)/", "/b(?!a)/", "/b(?= )/", "/a+(?!b)/", r"/a\b/", "/b$/"]
IGNORED = ["", "", '%ignore " "\n', "%ignore / +/\n", "WS: / +/\n%ignore WS\n", "%ignore /b/\n"]
NAMES = ("start", "x", "y")
TERMINALS = ("A", "B", "C")
MOST_COUNTS = 2
MOST_RULES = 400  # that lark makes of them


@cache  # hypothesis looks through all of it once, not for each example
def bodies(names, terminals, flags):
    """Draw the alternatives of a rule."""
    literal = st.builds("".join, st.tuples(st.sampled_from(STRINGS[:5]), st.sampled_from(flags)))
    symbol = st.one_of(st.sampled_from([*names, *terminals, *terminals]), literal)

    def item(inner):
        return st.one_of(
            symbol,
            symbol,
            st.builds("({}){}".format, inner, st.sampled_from(["", "?", "*", "+", "~2", "~0..2"])),
            st.builds("[{}]".format, inner),
        )

    return st.recursive(
        symbol,
        lambda inner: st.one_of(
            st.lists(item(inner), min_size=1, max_size=3).map(" ".join),
            st.lists(item(inner), min_size=2, max_size=3).map(" | ".join),
        ),
        max_leaves=6,
    )


@st.composite
def grammars(draw, patterns=(*STRINGS, *PATTERNS), ignored=IGNORED, flags=("", "i")):
    """Draw a grammar over the letters a and b, and the blank."""
    names = NAMES[: draw(st.integers(1, 3))]
    terminals = TERMINALS[: draw(st.integers(1, 3))]
    body = bodies(names, terminals, flags)
    lines = [f"{name}: {draw(body)}\n" for name in names]
    # Lark writes counts out: each squares the alternatives of what it repeats.
    assume("".join(lines).count("~") <= MOST_COUNTS)
    for name in terminals:
        priority = draw(st.sampled_from(["", "", "", ".1", ".2"]))
        lines.append(f"{name}{priority}: {draw(st.sampled_from(patterns))}\n")
    return "".join(lines) + draw(st.sampled_from(ignored))


def texts(letters="ab ", longest=4):
    """Return all texts of a few letters, shortest first."""
    for length in range(longest + 1):
        for word in itertools.product(letters, repeat=length):
            yield "".join(word)


def count_rules(source, start):
    """Return how many rules lark makes of a grammar."""
    grammar, _ = lark.load_grammar.load_grammar(source, "", [], False)
    return len(grammar.compile([start], set())[1])


def judge(source, **options):
    """Return lark's parser for a grammar; None if lark refuses it, or takes too long."""
    if options.get("parser") == "earley":
        options["ambiguity"] = "forest"  # trees may be exponential
    try:
        # Tables of optional parts in counts take minutes.
        lalr = options.get("parser") == "lalr"
        if lalr and count_rules(source, options.get("start", "start")) > MOST_RULES:
            return None
        try:
            return lark.Lark(source, **options)
        except AttributeError:  # interegular, which lark asks for collisions, at look-around
            with mock.patch.object(lark.lexer, "has_interegular", False):
                return lark.Lark(source, **options)
    except (LarkError, AssertionError):
        return None


def accepts(parser, text) -> bool:
    """Say whether lark parses a text."""
    try:
        parser.parse(text)
    except LarkError:
        return False
    except RuntimeError as error:  # a fault of its Earley parser, met once it has found parses
        if "multiple start symbol items" not in str(error):
            raise
    return True


def has_conflicts(parser) -> bool:
    """Say whether lark resolves a conflict in silence."""
    try:
        LALR_Analyzer(parser.parser.parser_conf, strict=True).compute_lalr()
    except GrammarError:
        return True
    return False
