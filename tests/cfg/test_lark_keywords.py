"""Keywords where the reading that lark's parser drops lets them compete without their regex."""

from __future__ import annotations

import pytest

pytest.importorskip("lark")

import formgate
from formgate.core.errors import EmptyLanguageError

# lark's parser ends p, which then leads nowhere. In its states K and R compete together; in the
# other reading K is alone with what is ignored, which takes the beginning of each K.
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


def test_a_keyword_that_what_is_ignored_takes(byte_vocabulary):
    source = 'start: p u nothing | q u K | "f" u R' + DROPPED
    engine = formgate.compile(source, byte_vocabulary, format="lark")
    assert bytes(engine.allowed_tokens(engine.start()).to_list()) == b"af"
    assert engine.accepts("fxaab")
    assert not engine.is_prefix("ex")


def test_no_text_is_left_without_the_other_reading(byte_vocabulary):
    source = "start: p u nothing | q u K | q u nothing R" + DROPPED
    with pytest.raises(EmptyLanguageError):
        formgate.compile(source, byte_vocabulary, format="lark")


def test_a_keyword_that_what_is_ignored_leaves(byte_vocabulary):
    source = 'start: p u nothing | q u K | "f" u R' + DROPPED.replace("/a|ab/", "/b|ba/")
    engine = formgate.compile(source, byte_vocabulary, format="lark")
    assert engine.accepts("exab")
    assert engine.accepts("exbab")
