"""``max_ignored``: a bound on the ignored text between two terminals, and no other difference."""

from __future__ import annotations

import itertools
import re

import pytest

pytest.importorskip("lark")

from hypothesis import assume, given, settings
from hypothesis import strategies as st

import formgate
from formgate.core.errors import EmptyLanguageError, GrammarError, UnsupportedConstraint

TEXTS = tuple("".join(text) for n in range(7) for text in itertools.product("ab #", repeat=n))
TERMINALS = ('"a"', '"b"', '"ab"', "/a+/", "/[ab]+/", "/b(a|b)?/", '"ba"')
IGNORED = (
    ('" "',),
    ("/ +/",),
    ('"  "', '" "'),
    ("/( | {3})/",),
    ("/ +/", '"#"'),
    ('" "', "/##?#?a*/"),
    ("/[ #]/",),
)


@st.composite
def grammars(draw):
    """Return a grammar of terminals without blanks, and what it ignores."""
    terminal = st.sampled_from(TERMINALS)
    body = st.lists(st.one_of(terminal, st.just("x"), st.just("y?")), min_size=1, max_size=3)
    rules = [f"start: ({' '.join(draw(body))})" + draw(st.sampled_from(["", "*", " |"]))]
    rules += [f"{name}: {' '.join(draw(st.lists(terminal, max_size=2)))} | /a/" for name in "xy"]
    ignored = draw(st.sampled_from(IGNORED))
    return "\n".join([*rules, *(f"%ignore {each}" for each in ignored)]), ignored


def gaps(text):
    """Return the runs of ignored characters of a text."""
    return re.findall("[ #]+", text)


def compiled(source, vocabulary, **options):
    """Return what says whether a text is in the language."""
    try:
        return formgate.compile(source, vocabulary, format="lark", **options).accepts
    except EmptyLanguageError:
        return lambda text: False


@settings(max_examples=25, deadline=None)
@given(grammars(), st.integers(1, 3), st.sampled_from(["contextual", "basic"]))
def test_with_a_lexer(byte_vocabulary, grammar, bound, lexer):
    source, ignored = grammar
    options = {"lexing": "longest", "lexer": lexer}
    free = compiled(source, byte_vocabulary, **options)
    bounded = compiled(source, byte_vocabulary, **options, max_ignored=bound)
    # A comment with an "a" in it is no blank; "#" alone is one.
    blanks = " +" if ignored[-1] == "/##?#?a*/" else "[ #]+"
    for text in TEXTS:
        short = all(len(run) <= bound for run in re.findall(blanks, text))
        assert bounded(text) == (free(text) and short), (source, text)


@settings(max_examples=25, deadline=None)
@given(grammars(), st.integers(1, 3))
def test_without_a_lexer(byte_vocabulary, grammar, bound):
    source, ignored = grammar
    assume("a" not in "".join(ignored))
    free = compiled(source, byte_vocabulary, lexing="any")
    bounded = compiled(source, byte_vocabulary, lexing="any", max_ignored=bound)
    for text in TEXTS:
        short = all(len(gap) <= bound for gap in gaps(text))
        assert bounded(text) == (free(text) and short), (source, text)


def test_what_only_looks_ignored(byte_vocabulary):
    source = 'start: STRING+\nSTRING: /"[^"]*"/\n%ignore /\\s/\n%ignore /#.*/'
    engine = formgate.compile(
        source, byte_vocabulary, format="lark", lexing="longest", max_ignored=2
    )
    assert engine.accepts('"a      b"\n\t"#     "# to the end      of the line\n"c"')
    assert not engine.accepts('"a"   "b"')
    state = engine.start()
    for byte in b'"a"  ':
        state = engine.advance(state, byte)
    assert engine.allowed_tokens(state).to_list() == [*b'"#', 256]


def test_nothing_is_ignored(byte_vocabulary):
    for lexing in ("any", "longest"):
        engine = formgate.compile(
            'start: "a"+', byte_vocabulary, format="lark", lexing=lexing, max_ignored=1
        )
        assert engine.accepts("aa")


@pytest.mark.parametrize(
    ("source", "options", "reason"),
    [
        ('start: "a"\n%ignore " "', {}, "no meaning for lark's own lexers"),
        (
            'start: "a" NL\nNL: /\\s+;/\n%ignore /\\s/',
            {"lexing": "longest"},
            "terminal NL can begin",
        ),
        ('start: "a"\n%ignore /\\/\\/.*/', {"lexing": "longest"}, "no ignored terminal is made of"),
        ('start: "a"\n%ignore "ab"', {"lexing": "longest"}, "no ignored terminal is made of"),
        ('start: %regex /a/\n%ignore " "', {"lexing": "longest"}, "cannot be read beside"),
        ('start: /(?= ). a/\n%ignore " "', {"lexing": "longest"}, "can begin with ' '"),
    ],
)
def test_what_is_refused(byte_vocabulary, source, options, reason):
    with pytest.raises(UnsupportedConstraint, match=reason) as caught:
        formgate.compile(source, byte_vocabulary, format="lark", max_ignored=4, **options)
    assert "lexing='any'" in caught.value.hint
    if options:
        formgate.compile(source, byte_vocabulary, format="lark", max_ignored=4, lexing="any")


@pytest.mark.parametrize("bound", [0, -1, True, "3", 2.5, 2**40])
def test_a_bound_is_a_count(byte_vocabulary, bound):
    with pytest.raises(GrammarError, match="max_ignored is a number of characters"):
        formgate.compile(
            'start: "a"', byte_vocabulary, format="lark", lexing="any", max_ignored=bound
        )
