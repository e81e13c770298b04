"""Bringing a table to the model's size, stop ids, and the byte-level alphabet."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from formgate.core.errors import VocabularyError
from formgate.core.vocabulary._byte_level import ALPHABET, byte_level
from formgate.core.vocabulary._table import MAX_IDS, TokenTable, fit, is_a, place


def table(tokens, stop_ids=(), special=None):
    return TokenTable(tokens, tuple(stop_ids), special or {}, "some source")


def test_padding_and_special_tokens_beyond_the_size():
    fitted = fit(table([b"a", None], [0], {"<x>": 1}), 4, None)
    assert fitted.tokens == [b"a", None, None, None]
    assert fitted.special == {"<x>": 1}
    cut = fit(table([b"a", b"b", None], [0], {"<x>": 2}), 2, None)
    assert cut.tokens == [b"a", b"b"]
    assert cut.special == {}


def test_a_size_that_leaves_out_text_names_both_numbers():
    with pytest.raises(VocabularyError, match=r"size=1 leaves out id 2, which has the text b'c'"):
        fit(table([b"a", b"b", b"c"], [0]), 1, None)


@pytest.mark.parametrize("size", [0, -1, MAX_IDS + 1, True, 2.0, "3"])
def test_a_size_that_is_none(size):
    with pytest.raises(VocabularyError, match="is not a number of ids"):
        fit(table([b"a"], [0]), size, None)


def test_stop_ids():
    assert fit(table([b"a", b"b"], [1]), None, None).stop_ids == (1,)
    assert fit(table([b"a", b"b"], [1]), None, [0, 1, 0]).stop_ids == (0, 1)
    assert fit(table([b"a", b"b"], [1]), None, []).stop_ids == ()
    assert fit(table([b"a"]), 8, [7]).stop_ids == (7,)
    with pytest.raises(VocabularyError, match=r"stop id 5 is outside the vocabulary of 2 ids"):
        fit(table([b"a", b"b"], [5]), None, None)
    with pytest.raises(VocabularyError, match=r"stop id -1 is outside"):
        fit(table([b"a"]), None, [-1])
    with pytest.raises(VocabularyError, match="stop_ids holds '</s>'"):
        fit(table([b"a"]), None, ["</s>"])


def test_unknown_stop_ids_are_asked_for_with_the_candidates():
    special = {f"<{i}>": i for i in range(20)}
    with pytest.raises(VocabularyError) as caught:
        fit(table([None] * 20, special=special), None, None)
    assert "pass stop_ids=[...]" in str(caught.value)
    assert "'<0>' = 0" in str(caught.value)
    assert str(caught.value).endswith(", ...)")


def test_place_fills_gaps_and_drops_empty_texts():
    assert place({0: b"a", 3: b"", 5: b"b"}, "x") == [b"a", None, None, None, None, b"b"]
    with pytest.raises(VocabularyError, match="no tokens"):
        place({}, "x")
    with pytest.raises(VocabularyError, match="token id -1"):
        place({-1: b"a"}, "x")
    with pytest.raises(VocabularyError, match=r"token id 1000000000000 is not within"):
        place({10**12: b"a"}, "x")


def test_is_a_goes_by_name_and_package():
    class Tokenizer: ...

    assert not is_a(Tokenizer(), "tokenizers", "Tokenizer")
    Tokenizer.__module__ = "tokenizers.fake"

    class Derived(Tokenizer): ...

    assert is_a(Derived(), "tokenizers", "Tokenizer")
    assert not is_a(Derived(), "tokenizers", "Encoding")


@settings(deadline=None)
@given(st.binary())
def test_the_byte_level_alphabet_round_trips(data):
    assert byte_level("".join(ALPHABET[byte] for byte in data)) == data


def test_the_byte_level_alphabet_is_the_library_s():
    tokenizers = pytest.importorskip("tokenizers")
    assert sorted(ALPHABET) == sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet())


@pytest.mark.parametrize("text", ["a b", "\x00", "\xa0", "\xad", "\u0144", "→", "\ud800"])
def test_other_characters_are_not_in_the_alphabet(text):
    assert byte_level(text) is None
