"""What ``re.match`` takes, by the mock and by the engine; patterns to ask it of."""

from __future__ import annotations

import itertools
import re

from hypothesis import strategies as st
from regex_mock import Matcher, MockBuilder

import formgate
from formgate.core.errors import EmptyLanguageError
from formgate.plugins.regex import compile_first_match, compile_lexeme

COUNTS = ["*", "+", "?", "{2}", "{1,2}", "{,2}", "{2,}", "{,3}", "{1,3}", "{0}", "{3}"]


def words(alphabet, longest):
    """Every text over an alphabet up to a length, the shortest first."""
    return ["".join(t) for n in range(longest + 1) for t in itertools.product(alphabet, repeat=n)]


def disagreement(pattern, texts, flags=0, before=""):
    """A text of which ``re`` and the mock take different matches, or None."""
    compiled = re.compile(pattern, flags)
    builder = MockBuilder()
    node = compile_first_match(pattern, builder, flags=int(flags))
    for text in texts:
        found = compiled.match(before + text, len(before))
        ends = Matcher(builder, before + text).ends(node, len(before))
        if ends != ({found.end()} if found else set()):
            return text
    return None


def looks_around(builder, node):
    """Whether a text is looked around in; not in what is repeated no times."""
    kind, *rest = builder.nodes[node]
    if kind in {"ahead", "behind"}:
        return True
    if kind == "repeat" and rest[2] == 0:
        return False
    parts = {"seq": rest[0], "choice": rest[0], "repeat": rest[:1], "scope": rest[:1]}
    return any(looks_around(builder, part) for part in parts.get(kind, ()))


def lexeme_disagreement(pattern, texts, flags=0):
    """A text of which ``re`` takes another match than the lexemes written for it say, or None."""
    compiled = re.compile(pattern, flags)
    builder = MockBuilder()
    node, longest = compile_lexeme(pattern, builder, flags=int(flags))
    looks = longest and looks_around(builder, node)
    assert not looks, f"{pattern} looks around, so a lexer cannot take the longest"
    for text in texts:
        found = compiled.match(text)
        ends = Matcher(builder, text).ends(node, 0)
        if longest:
            ends = {max(ends)} if ends else ends
        if ends != ({found.end()} if found else set()):
            return text
    return None


def engine_disagreement(vocabulary, pattern, texts, longest, *, flags=0, before=""):
    """A split of a text that ``re`` and the engine judge differently, or None.

    One engine for each text that may follow the match, of the texts up to a length.
    """
    compiled = re.compile(pattern, flags)
    ends = {text: compiled.match(before + text, len(before)) for text in texts}
    for follow in texts:
        if len(follow) > longest:
            continue
        builder = formgate.GrammarBuilder()
        node = compile_first_match(pattern, builder, flags=int(flags))
        parts = [builder.literal(before), node, builder.literal(follow)]
        builder.start(builder.scope(builder.seq(*parts)))
        try:
            engine = builder.build().compile(vocabulary)
        except EmptyLanguageError:
            engine = None
        for text, found in ends.items():
            if not text.endswith(follow):
                continue
            taken = len(before) + len(text) - len(follow)
            accepted = engine is not None and engine.accepts(before + text)
            if accepted != (found is not None and found.end() == taken):
                return text, follow
    return None


def small_patterns(size, leaves=("a", "b", ""), counts=("*", "*?", "?", "??", "{1,2}", "{2}")):
    """Every pattern with so many leaves and operators."""
    if size == 1:
        yield from leaves
        return
    for inner in small_patterns(size - 1, leaves, counts):
        for count in counts:
            yield f"(?:{inner}){count}"
    for left in range(1, size - 1):
        for first in small_patterns(left, leaves, counts):
            for second in small_patterns(size - 1 - left, leaves, counts):
                yield first + second
                yield f"(?:{first}|{second})"


def patterns(*, atomic):
    """Patterns of which most may stand anywhere in a text."""
    leaves = ["a", "b", "a", "b", "[ab]", "ab", "ba", ".", "", "a", "b"]
    leaves += [
        "(?!a)",
        "(?=b)",
        "(?!ab)",
        "(?<=a)",
        "(?<!b)",
        "(?<!ab)",
        r"\Z",
        "$",
        r"\b",
        "(?=a*?b)",
    ]
    counts = [count + mode for count in COUNTS for mode in ("", "?")]
    groups = ["(?:", "(?=", "("]
    if atomic:
        counts += [count + "+" for count in COUNTS]
        groups.append("(?>")

    def grow(inner):
        group = inner.map(lambda body: f"(?:{body})")
        return st.one_of(
            st.lists(inner, min_size=2, max_size=3).map("".join),
            st.lists(inner, min_size=2, max_size=3).map(lambda parts: f"(?:{'|'.join(parts)})"),
            st.tuples(group, st.sampled_from(counts)).map("".join),
            st.tuples(st.sampled_from(groups), inner).map(lambda t: t[0] + t[1] + ")"),
        )

    body = st.recursive(st.sampled_from(leaves), grow, max_leaves=7)
    return st.tuples(st.sampled_from(["", "", "a", "[ab]"]), body).map("".join)
