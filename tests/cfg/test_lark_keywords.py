"""Keywords where the reading that lark's parser drops lets them compete without their regex."""

from __future__ import annotations

import pytest

pytest.importorskip("lark")

import formgate
from formgate.core.errors import EmptyLanguageError

# lark's parser ends p, which then leads nowhere. In its states K and R compete together; in the
# other reading just K can come next, and what is ignored would take the beginning of each K: so R
# competes in vain beside it.
DROPPED = """
p.2: "e"
q: "e"
u: "x"
nothing: nothing "x"
R: /[ab]+/
K: "ab"
IGNORED: /a|ab/
%ignore IGNORED
"""


def test_a_keyword_competes_with_its_regex(byte_vocabulary):
    source = 'start: p u nothing | q u K | "f" u R' + DROPPED
    engine = formgate.compile(source, byte_vocabulary, format="lark")
    assert bytes(engine.allowed_tokens(engine.start()).to_list()) == b"aef"
    assert engine.accepts("fxaab")
    assert engine.accepts("exab")
    assert not engine.is_prefix("exaa")
    assert not engine.is_prefix("exb")


def test_no_regex_is_left_that_takes_the_keyword(byte_vocabulary):
    source = "start: p u nothing | q u K | q u nothing R" + DROPPED
    engine = formgate.compile(source, byte_vocabulary, format="lark")
    assert engine.accepts("exab")


def test_a_keyword_that_its_regex_always_takes_further(byte_vocabulary):
    source = 'start: p u nothing | q u K "a" | "f" u R' + DROPPED
    engine = formgate.compile(source, byte_vocabulary, format="lark")
    assert not engine.is_prefix("e")
    with pytest.raises(EmptyLanguageError):
        formgate.compile(source.replace('| "f" u R', ""), byte_vocabulary, format="lark")


def test_a_keyword_that_what_is_ignored_leaves(byte_vocabulary):
    source = 'start: p u nothing | q u K | "f" u R' + DROPPED.replace("/a|ab/", "/b|ba/")
    engine = formgate.compile(source, byte_vocabulary, format="lark")
    assert engine.accepts("exab")
    assert not engine.is_prefix("exba")
