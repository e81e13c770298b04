"""Pieces of the two dialects that pydantic reads patterns in, and patterns made of them."""

from __future__ import annotations

import warnings
from typing import Any

from hypothesis import strategies as st
from pydantic import ConfigDict, TypeAdapter
from pydantic_core import SchemaError
from pydantic_types import narrow

ENGINES = ("rust-regex", "python-re")

# Characters that patterns name here, or that engines differ about.
CHARS = "aAbkKsS1_ -]^[{},&~#\\\n\r\t\x07\x08\x85\u212a\u017f\u0130\u0131\u0661\u00e9\u00c9\u2028"
PLAIN_CHARS = "aAbB1_ -]^[{},&~#"

# What both engines read, and what one of them does; what neither does, no test sees.
CLASSES = [
    *("[]-a]", "[^]-a]", "[]a]", "[-a]", "[--a]", "[^-a]", "[a-]", "[a-b-1]", "[+--]", "[a&&b]"),
    *("[&&a]", "[^a&&b]", "[a--b]", "[a~~b]", "[~~a]", "[a[b1]]", "[[a]", "[!-[b]", "[[:alpha:]]"),
    *("[[:^alpha:]a]", "[[:punct:]_]", "[:alpha:]", r"[\b]", r"[\x61-b]", r"[\x{61}a]", r"[\101]"),
    *(
        r"[\u{61}]",
        r"[\-a]",
        r"[\^]",
        r"[^\W_]",
        r"[\d-]",
        "[a b]",
        "[a#]",
        "[^a]",
        "[^k]",
        "[K-S]",
    ),
    *("[^\u00e9]", "[\u00e9a]", r"[\p{Greek}a]", r"[^\p{L}]", r"[^\P{L}]", "[a-z-1]", r"[\]a]"),
]
ESCAPES = [
    *(r"\a", r"\x61", r"\x{61}", r"\u0061", r"\u{61}", r"\U00000061", r"\U{61}", r"\0", r"\101"),
    *(r"\07", r"\1", r"\z", r"\Z", r"\A", r"\h", r"\<", r"\-", r"\_", r"\ ", r"\#", r"\&", r"\{"),
    *(r"\b", r"\B", r"\b{start}", r"\d", r"\D", r"\w", r"\W", r"\s", r"\S", r"\p{L}", r"\pL"),
    *(r"\P{Lu}", r"\p{Greek}", r"\p{lu}", r"\p{scx=Greek}", r"\N{DIGIT ONE}", "\\\u00e9", r"\e"),
    *(r"\p{Letter}", r"\p{gc!=Lu}", r"\p{isGreek}", r"\P{Greek}", r"\cA", r"\G", r"\Q"),
]
ITEMS = [*"aAbkS1_-]}, #&.^$", "\u00e9"]
GROUPS = [
    *("({})", "(?:{})", "(?P<n>{})", "(?<n>{})", "(?P<a.b>{})", "(?i:{})", "(?s:{})", "(?m:{})"),
    *("(?x: {} )", "(?-u:{})", "(?u:{})", "(?a:{})", "(?i-s:{})", "(?={})", "(?!{})", "(?<={})"),
    *("(?<!{})", "(?>{})", "(?#c){}", "(?i){}", "(?x) {} # c\n", "(?R){}", "(?U){}", "(?s){}"),
    *("(?m){}", "(a)?(?(1){}|b)", "(a)(?P=n){}", "( ?:{})", "(?R:(?m:{}))", "(?s-i:{})"),
]
COUNTS = [
    *(
        "",
        "*",
        "+",
        "?",
        "{1, 2}",
        "{ 2 }",
        "{,3}",
        "{,}",
        "{1,}",
        "{}",
        "{a}",
        "{2}{2}",
        "++",
        "+*",
    ),
    *("??", "*?", "{2}+", "{2}?", " +", " ?", "{1,2}{,2}", "{2,1}", "{0}"),
]
STARTS = ["", "^", "(?i)", "(?x)", "(?s)", "(?m)", "(?a)", "(?ix)", "(?im)^"]

# Made once: hypothesis looks through each that it meets.
_SINGLE = st.sampled_from(ITEMS) | st.sampled_from(CLASSES) | st.sampled_from(ESCAPES)
_SIZES = st.integers(1, 3)
_GROUPS = st.sampled_from(GROUPS)
_COUNTS = st.sampled_from(COUNTS)
_JOINTS = st.sampled_from(["", "|"])
_STARTS = st.sampled_from(STARTS)
_ENDS = st.sampled_from(["", "$"])
_YES = st.booleans()


@st.composite
def patterns(draw: st.DrawFn, depth: int = 2) -> str:
    """Draw a text that may be a pattern in one dialect, or in both."""
    parts = []
    for _ in range(draw(_SIZES)):
        part = draw(_SINGLE)
        if depth and draw(_YES):
            inner = draw(patterns(depth=depth - 1))
            part = draw(_GROUPS).replace("{}", inner, 1)
        parts.append(part + (draw(_COUNTS) if draw(_YES) else ""))
    text = draw(_JOINTS).join(parts)
    if depth < 2:
        return text
    return draw(_STARTS) + text + draw(_ENDS)


def reader_of(pattern: Any, engine: str) -> TypeAdapter[Any]:
    """Return what judges texts of a pattern; an engine that does not know the pattern raises."""
    config = ConfigDict(regex_engine=engine)  # type: ignore[typeddict-item]
    return TypeAdapter(narrow(str, pattern=pattern), config=config)


def known(pattern: Any, engine: str) -> Any:
    """Return the judge of a pattern, or None where its engine does not know it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # `re` warns of sets in sets
        try:
            return reader_of(pattern, engine)
        except SchemaError:
            return None
