"""Random grammars with every operator of the builder, against the exact judge."""

from __future__ import annotations

import pytest
from hypothesis import given, note
from hypothesis import strategies as st
from oracle.native import check_everything, grammar_of, try_compile, try_oracle
from oracle.strategies import ALPHABETS, TinyVocabulary, examples, trees, vocabularies
from oracle.tree import ANY_TEXT, EMPTY, NOTHING

import formgate

AB = TinyVocabulary((b"a", b"b", b"ab", b"ba", b"aa", None), stop_ids=(5,))


@examples(250)
@given(st.data())
def test_masks(data):
    alphabet = data.draw(st.sampled_from(ALPHABETS))
    tree = data.draw(trees(alphabet))
    tiny = data.draw(vocabularies(alphabet))
    oracle = try_oracle(tree, tiny)
    if oracle is None:
        return
    label = f"{tree!r} with {tiny}"
    note(label)
    engine = try_compile(grammar_of(tree), tiny)
    assert not isinstance(engine, formgate.UnsupportedConstraint), f"refused: {label}: {engine}"
    check_everything(engine, oracle, tiny, label)


A, B = ("lit", b"a"), ("lit", b"b")
AB_STAR = ("repeat", ("seq", A, B), 0, None)


@pytest.mark.parametrize(
    "tree",
    [
        NOTHING,
        EMPTY,
        ANY_TEXT,
        ("and", AB_STAR, ("repeat", ("chars", ((97, 98),)), 3, 4)),
        ("and", AB_STAR, ("repeat", ("chars", ((97, 98),)), 3, 3)),
        ("not", ANY_TEXT),
        ("not", ("seq", ANY_TEXT, ("lit", b"ab"), ANY_TEXT)),
        ("not", ("not", ("strings", (b"", b"ab", b"abb")))),
        ("seq", ("not", A), B),
        ("seq", ("not", EMPTY), ("and", ("not", A), ("not", B), ("repeat", A, 1, 3))),
        ("repeat", ("and", ("strings", (b"a", b"ab", b"aba")), ("not", A)), 2, 3),
        ("scope", ("seq", A, ("ahead", EMPTY, False))),
        ("seq", ("scope", ("seq", A, ("ahead", EMPTY, False))), B),
        ("seq", A, ("ahead", EMPTY, False), B),
        ("seq", A, ("scope", ("seq", ("behind", EMPTY, False), B)), A),
        ("seq", A, ("scope", ("seq", ("behind", EMPTY, True), B)), A),
        ("repeat", ("scope", ("seq", ("ahead", ("lit", b"ab"), False), A, B)), 1, 3),
        (
            "seq",
            ANY_TEXT,
            ("behind", ("seq", ANY_TEXT, A), False),
            ("behind", ("not", AB_STAR), False),
            B,
        ),
        ("bytes", ((0x61, 0x62),)),
        ("repeat", ("choice", ("bytes", ((0x61, 0x61),)), B), 2, None),
    ],
    ids=str,
)
def test_chosen_trees(tree):
    oracle = try_oracle(tree, AB)
    check_everything(try_compile(grammar_of(tree), AB), oracle, AB, repr(tree))


def test_raw_bytes_that_are_no_text():
    tree = (
        "seq",
        ("bytes", ((0x80, 0xFF),)),
        ("lit", b"\xff\xfe"),
        ("repeat", ("lit", b"a"), 0, 2),
    )
    tiny = TinyVocabulary((b"\x80", b"\xff", b"\xff\xff", b"\xfe", b"\xfea", b"a", None), (6,))
    check_everything(try_compile(grammar_of(tree), tiny), try_oracle(tree, tiny), tiny, repr(tree))


@pytest.mark.parametrize("negative", [False, True])
@pytest.mark.parametrize("after", [("lit", b"a"), ANY_TEXT], ids=str)
@pytest.mark.parametrize(
    "around",
    [
        lambda look: ("not", look),
        lambda look: ("and", ("seq", A, look), ANY_TEXT),
        lambda look: ("repeat", ("not", look), 2, 2),
    ],
)
def test_parts_of_boolean_operators_are_scopes(around, after, negative):
    """A look-ahead in them ends with the part, whatever comes after it."""
    for look in (("ahead", A, negative), ("behind", EMPTY, negative)):
        tree = ("seq", B, around(look), after)
        check_everything(try_compile(grammar_of(tree), AB), try_oracle(tree, AB), AB, repr(tree))


@pytest.mark.parametrize("negative", [False, True])
@pytest.mark.parametrize("body", [("seq", A, ("ahead", B, False)), ("ahead", EMPTY, True)], ids=str)
def test_what_stands_before_ends_at_the_look_behind(body, negative):
    """Without saying so, the language of a look-behind is a scope, also for a look-ahead in it."""
    free = ("seq", ANY_TEXT, ("behind", body, negative), B)
    scoped = ("seq", ANY_TEXT, ("behind", ("scope", body), negative), B)
    engine = try_compile(grammar_of(free), AB)
    check_everything(engine, try_oracle(scoped, AB), AB, repr(free))
