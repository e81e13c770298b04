"""Terminals that lark never reads, against lark's own lexers on all short texts."""

from __future__ import annotations

import itertools
import re
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).resolve().parent))
from random_rules import rule_sets

import formgate
from formgate.core.errors import EmptyLanguageError
from formgate.plugins.cfg import lint

lark = pytest.importorskip("lark")

TEXTS = ["".join(letters) for n in range(1, 5) for letters in itertools.product("ab ", repeat=n)]
PATTERNS = [
    *('"a"', '"b"', '"ab"', '"ab"i', '"aa"', '"ba"', '"bab"'),
    *("/a/", "/b/", "/ab/", "/a+/", "/b+/", "/[ab]+/", "/ab?/", "/a?b/", "/a[ab]/", "/[ab]b/"),
    *("/a+?/", "/a(?!b)/", "/a(?=b)/", "/a(?= )/", "/b(?![ab])/", "/[ab]{2}/", "/[ab]{1,2}/"),
    *("/(?<=b)a/", "/(?<!a)b/", "/\\bab/", "/ab$/"),
]
NAMES = ("W", "X", "Y", "Z")


@st.composite
def grammars(draw):
    rules = draw(rule_sets(letters=NAMES, most_rules=3))
    lines = []
    for name, bodies in rules.items():
        written = sorted(
            {" ".join(s if s in NAMES else s.lower() for s in body) for body in bodies}
        )
        lines.append(f"{name.lower()}: {' | '.join(written)}")
    for name in NAMES:
        priority = draw(st.sampled_from(["", "", "", ".1", ".2"]))
        lines.append(f"{name}{priority}: {draw(st.sampled_from(PATTERNS))}")
    if draw(st.booleans()):
        lines.append('%ignore " "')
    return "\n".join(lines)


def places(parser):
    """Return the lexers that lark asks for a terminal, each with what its parser looks for."""
    table = parser.parser.parser._parse_table
    shift = lark.parsers.lalr_analysis.Shift
    reached = set(table.start_states.values()) | {
        target
        for actions in table.states.values()
        for symbol, (action, target) in actions.items()
        if action is shift and symbol.isupper()
    }
    return [(parser.parser.lexer.lexers[state], set(table.states[state])) for state in reached]


def shadowed(source, **options):
    report = lint(source, format="lark", options=options)
    return report, {
        each.subject
        for each in report.findings
        if each.check == "terminal-shadowed" and "is never read: " in each.message
    }


def told_of(report, source):
    """Return the terminals of the rules that are reached; lark keeps others that use each other."""
    unreached = {each.subject for each in report.findings if each.check == "unreachable-rule"}
    rules = [line.partition(":") for line in source.splitlines() if line[0].islower()]
    return {name for head, _, body in rules if head not in unreached for name in body.split()}


def tokens(parser, text):
    """Yield the names of the terminals that lark reads before it gives up."""
    with suppress(lark.exceptions.LarkError):
        for token in parser.parse_interactive(text).iter_parse():
            yield token.type


def first(lexer, text):
    """Return the name of the terminal that one lexer reads at the beginning of a text."""
    with suppress(lark.exceptions.LarkError, EOFError):
        return lexer.next_token(lark.lexer.LexerState(lark.utils.TextSlice.cast_from(text))).type
    return None


@settings(max_examples=120, deadline=None)
@given(grammars(), st.sampled_from(["contextual", "basic"]))
@example('s: Y\na: b\nb:  | a Z\nW: "a"\nX: "a"\nY: /a/\nZ: /[ab]{1,2}/', "basic")  # Z is kept
def test_what_is_told_is_what_lark_never_reads(source, lexer):
    try:
        parser = lark.Lark(source, start="s", parser="lalr", lexer=lexer)
    except (lark.exceptions.GrammarError, AttributeError):
        assume(False)  # it conflicts, or interegular, which lark asks, fails at look-around
    report, found = shadowed(source, start="s", lexer=lexer)
    for text in TEXTS:
        assert found.isdisjoint(tokens(parser, text)), (source, text)
    if any(each.check == "unproductive-rule" for each in report.findings):
        return
    if lexer == "basic":
        competing = [(parser.parser.lexer, {each.name for each in parser.terminals})]
    else:
        competing = places(parser)
    read = {first(one, text) for one, _ in competing for text in TEXTS}
    assert found.isdisjoint(read), source
    looked_for = {name for _, names in competing for name in names if name in NAMES}
    # Regexes that are never read for their own keywords are not told, nor those without texts.
    replaced = {name for one, _ in competing for name in one.callback}
    others = {each.subject for each in report.findings if each.check == "empty-terminal"}
    others |= set(NAMES) - told_of(report, source)
    if re.search(r"[(]|\\b|[$]|\"i", source) is None:
        assert looked_for <= found | read | replaced | others, source


BLOCKS = """
start: "{" stmt* END
stmt: NAME ";"
NAME.1: /[a-z]+/
END: "end"
%ignore " "
"""


@pytest.mark.parametrize(
    "source",
    [
        BLOCKS,
        BLOCKS.replace('"end"', "/end/"),
        BLOCKS.replace('"end"', "/end/").replace("NAME.1", "NAME"),
        BLOCKS.replace('";"', '";" | start'),
        BLOCKS.replace('"end"', "/end(?=[ }]|$)/"),
        BLOCKS.replace('"end"', "/end[0-9]+/"),
    ],
)
def test_a_keyword_whose_texts_a_name_takes(source):
    report, found = shadowed(source)
    assert found == {"END"}
    (finding,) = [each for each in report.findings if each.check == "terminal-shadowed"]
    assert "lark reads 'NAME', which is tried before it" in finding.message
    assert "(END.2: ...)" in finding.hint
    assert finding.line == source[: source.index("END:")].count("\n") + 1
    assert report.failed(strict=True)
    fixed = source.replace("END:", "END.2:")
    assert shadowed(fixed)[1] == set()


@pytest.mark.parametrize(
    "source",
    [
        BLOCKS.replace("NAME.1", "NAME"),  # lark looks for "end" among names
        BLOCKS.replace('"end"', '"end"i'),
        BLOCKS.replace('"end"', "/end|[0-9]/"),
        BLOCKS.replace("[a-z]+", "[a-z]+(?=;)"),
        BLOCKS.replace("[a-z]+", "(?<! )[a-z]+"),
        'start: "a" NAME | "b" END\nNAME.1: /[a-z]+/\nEND: "end"\n%ignore " "',
    ],
)
def test_a_keyword_that_some_text_has(source):
    assert shadowed(source)[1] == set()


def test_lexers_that_look_for_more_or_take_the_longest_match():
    source = 'start: "a" NAME | "b" END\nNAME.1: /[a-z]+/\nEND: "end"\n%ignore " "'
    assert shadowed(source, lexer="basic")[1] == {'"a"', '"b"', "END"}
    # By the longest match, the order of preference counts only among equals.
    assert shadowed(source.replace('"end"', "/end[0-9]/"), lexing="longest")[1] == set()


def test_several_terminals_may_take_all_texts_together():
    source = 'start: (A | B | ANY)+\nA.1: "a"\nB.2: "b"\nANY: /[ab]+/\n%ignore " "'
    report, found = shadowed(source)
    assert found == {"ANY"}
    assert "'A'" in report.findings[0].message
    assert "'B'" in report.findings[0].message
    assert "(ANY.3: ...)" in report.findings[0].hint


def test_one_string_under_two_names():
    assert shadowed('start: (A | B)+\nA: "x"\nB: "x"')[1] == {"B"}


def test_an_empty_language_is_told_by_such_a_terminal(byte_vocabulary):
    with pytest.raises(EmptyLanguageError) as caught:
        formgate.compile(BLOCKS, byte_vocabulary, format="lark")
    assert "terminal 'END' is never read" in caught.value.reason
    assert (caught.value.source, caught.value.offset) == (BLOCKS, BLOCKS.index("END:"))


def test_so_is_one_where_the_search_for_an_end_meets_its_limit(byte_vocabulary):
    source = """
        start: "{" stmt* END
        stmt: NAME ";" | start
        NAME.1: /[a-z]+/
        END: "end"
        %ignore " "
    """
    with pytest.raises(EmptyLanguageError, match="'END' is never read") as caught:
        formgate.compile(source, byte_vocabulary, format="lark")
    assert (caught.value.source, caught.value.offset) == (source, source.index("END:"))
