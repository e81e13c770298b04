"""Patterns and texts for the tests of the regex format."""

from __future__ import annotations

import itertools
import re
import warnings

from hypothesis import strategies as st

# Python 3.11 brought atomic groups and possessive counts. Before 3.11.5 they match too much where
# what they hold goes back (CPython's issue 106052): such a Python is no judge of them.
JUDGES_ATOMIC = hasattr(re, "NOFLAG") and re.fullmatch("(?:ab?c)*+", "aca") is None

FLAGS = (
    re.NOFLAG if hasattr(re, "NOFLAG") else re.RegexFlag(0),
    re.IGNORECASE,
    re.MULTILINE,
    re.DOTALL,
    re.ASCII,
    re.VERBOSE,
    re.IGNORECASE | re.MULTILINE,
)

# Pieces that mean something to the parser, whole and broken, for strings that are mostly wrong.
PIECES = [
    *"ab10 .,-#&~!<>=:P_ixLut()[]{}|*+?^$\\\n",
    *("\u00e9", "\ud800", "(?", "(?:", "(?=", "(?!", "(?<", "(?<=", "(?<!", "(?P<n>", "(?P=n)"),
    *("(?#", "(?>", "(?i)", "(?x:", "(?-i:", "(?m-s:", "[^", "[]", "[^]", "--", "&&", "a-z"),
    *("{1,2}", "{,}", "{2}", "{,3}", "{2,1}", "*+", "*?", "??", "\\x4", "\\x41", "\\u00e9"),
    *("\\w", "\\W", "\\d", "\\b", "\\B", "\\A", "\\Z", "\\z", "\\N{BULLET}", "\\N{", "\\0", "\\07"),
    *("\\1", "\\101", "\\777", "\\8", "\\ ", "\\\n", "\\_", "\\q", "\\ud800", "\\U0001F600"),
]

ALPHABET = "aA1 \n"


def texts(longest=4):
    """Every text over the alphabet up to a length, and longer ones over two letters."""
    short = ["".join(t) for n in range(longest + 1) for t in itertools.product(ALPHABET, repeat=n)]
    return short + ["".join(t) for n in (5, 6) for t in itertools.product("ab", repeat=n)]


def broken_patterns():
    """Strings of pieces, of which about a third are patterns."""
    return st.lists(st.sampled_from(PIECES), max_size=9).map("".join)


def patterns():
    """Well-formed patterns, save for look-behinds of several widths, which are kept rare."""
    fixed = st.sampled_from(
        ["a", "b", "A", "1", " ", ".", r"\w", r"\W", "[ab]", "[^a]", r"\n", r"\d", r"[\W_]", "ab"]
    )
    anchors = st.sampled_from([r"\b", r"\B", "^", "$", r"\A", r"\Z"])
    counts = ["*", "+", "?", "{2}", "{1,2}", "{,2}", "*?", "+?", "??", "{2,}", "{0}", "{0,1}"]
    behinds = st.lists(st.one_of(fixed, fixed, anchors), max_size=3).map("".join)
    leaves = st.one_of(
        fixed,
        fixed,
        anchors,
        st.tuples(st.sampled_from(["(?<=", "(?<!"]), behinds).map(lambda t: t[0] + t[1] + ")"),
    )

    def grow(inner):
        group = inner.map(lambda body: f"(?:{body})")
        return st.one_of(
            st.lists(inner, min_size=2, max_size=3).map("".join),
            st.lists(inner, min_size=2, max_size=3).map(lambda parts: f"(?:{'|'.join(parts)})"),
            st.tuples(group, st.sampled_from(counts)).map("".join),
            st.tuples(st.sampled_from(["(?=", "(?!"]), inner).map(lambda t: t[0] + t[1] + ")"),
            st.tuples(st.sampled_from(["(", "(?i:", "(?m:", "(?s:", "(?-i:", "(?a:"]), inner).map(
                lambda t: t[0] + t[1] + ")"
            ),
        )

    return st.recursive(leaves, grow, max_leaves=8)


def compiled_by_re(pattern, flags=0):
    """What ``re`` makes of a pattern, or the error it refuses it with; warnings are none of it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return re.compile(pattern, flags)
        except (re.error, ValueError, OverflowError, RecursionError) as error:
            return error
