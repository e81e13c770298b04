"""llama.cpp's vocabulary, scores and memory, as the adapter shows them."""

from __future__ import annotations

import ctypes
import gc

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import formgate
from formgate.core.decoding import (
    DecodingError,
    ExtensibleModel,
    Multinomial,
    RewindableModel,
    UnconstrainedEngine,
    constrained_decode,
    jump_decode,
)

in_session = settings(
    deadline=None,
    max_examples=300,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


def test_the_vocabulary_is_that_of_the_file(llama, vocabulary, smol_path):
    from formgate.adapters.llama_cpp import vocabulary_of

    assert vocabulary == formgate.Vocabulary.from_file(smol_path)
    assert vocabulary_of(llama) is vocabulary
    # llama.cpp ends at more tokens than the one that the file names.
    assert vocabulary.stop_ids == (0, 2, 4)
    assert vocabulary.special["<|im_end|>"] == 2


@in_session
@given(data=st.data())
def test_bytes_are_those_of_llama_cpp_s_decoder(llama, vocabulary, data):
    text_ids = st.integers(0, len(vocabulary) - 1).filter(
        lambda token: vocabulary.token_bytes(token) is not None
    )
    tokens = data.draw(st.lists(text_ids, max_size=8))
    assert piece_of(llama, tokens) == b"".join(map(vocabulary.token_bytes, tokens))


def piece_of(llama, tokens):
    """Decode with llama.cpp; llama-cpp-python's ``detokenize`` leaves out what is over 32 bytes."""
    import llama_cpp

    text, room = b"", (ctypes.c_char * 1024)()
    for token in tokens:
        size = llama_cpp.llama_token_to_piece(llama._model.vocab, token, room, 1024, 0, False)
        assert size >= 0
        text += room[:size]
    return text


@in_session
@given(text=st.text(max_size=30))
def test_tokens_of_text_spell_it(llama, vocabulary, text):
    from formgate.adapters.llama_cpp import tokenize

    data = text.encode()
    tokens = tokenize(llama, vocabulary, data)
    assert b"".join(map(vocabulary.token_bytes, tokens)) in (data, b"")
    if not set(data) & set(vocabulary.missing_bytes):
        assert tokens or not data


def test_special_tokens_in_text_are_text(llama, vocabulary):
    from formgate.adapters.llama_cpp import tokenize

    tokens = tokenize(llama, vocabulary, b"<|im_end|>")
    assert len(tokens) > 1
    assert not set(tokens) & set(vocabulary.special.values())


def close(a, b):
    """Say whether scores are the same up to the order in which sums were taken."""
    return np.abs(np.asarray(a) - np.asarray(b)).max() < 1.0 and np.argmax(a) == np.argmax(b)


def test_scores_are_those_of_llama_cpp(llama, model, prompt, vocabulary):
    import llama_cpp

    tokens = prompt("Name a colour.")
    assert isinstance(model, ExtensibleModel)
    assert isinstance(model, RewindableModel)
    ours = model.start(tokens).copy()
    assert ours.shape == (len(vocabulary),) == (model.vocabulary_size,)
    llama.reset()
    llama.eval(tokens)
    pointer = llama_cpp.llama_get_logits_ith(llama.ctx, -1)
    assert close(np.ctypeslib.as_array(pointer, (len(vocabulary),)), ours)
    # The object was used otherwise: nothing that the model held is trusted.
    assert close(model.start(tokens), ours)
    assert model.tokens == tuple(tokens)


def test_rewinding_and_reading_ahead(model, prompt):
    tokens = prompt("Count to ten.")
    model.start(tokens)
    rows = [row.copy() for row in model.read([504, 338, 253, 1194], 4)]
    model.rewind(3)
    assert model.tokens == (*tokens, 504)
    assert close(model.step(338), rows[1])
    model.rewind(2)
    assert close(model.extend([504, 338, 253, 1194]), rows[3])
    model.rewind(0)
    # Read in several passes: the batch of the model here holds 64 tokens.
    long = list(range(300, 500))
    everything = model.start([*long, 1000]).copy()
    model.start(long[:1])
    rows = model.read([*long[1:], 1000], 50)
    assert len(rows) == 50
    assert close(rows[-1], everything)
    for count in (-1, 999):
        with pytest.raises(DecodingError, match="cannot forget"):
            model.rewind(count)


def test_what_cannot_be_read_is_refused(model, prompt):
    tokens = prompt("Hello")
    model.start(tokens)
    with pytest.raises(DecodingError, match="context of 1024 tokens is full"):
        model.extend(range(300, 1400))
    assert model.tokens == tuple(tokens)
    for count, rows in ((0, 1), (3, 4), (100, 65)):
        with pytest.raises(DecodingError, match="rows of scores cannot come"):
            model.read(list(range(300, 300 + count)), rows)
    with pytest.raises(DecodingError, match="llama_decode returned"):
        model.step(10**9)
    assert model.tokens == ()
    assert model.start(tokens).shape == (model.vocabulary_size,)


def test_the_batch_outlives_no_model(llama):
    from formgate.adapters.llama_cpp import LlamaCppModel

    for _ in range(3):
        LlamaCppModel(llama).start([1, 300])
        gc.collect()


@pytest.mark.parametrize("sampler", [None, Multinomial(seed=1)])
def test_jumps_and_drafts_end_in_the_same_language(model, llama, vocabulary, prompt, sampler):
    from formgate.adapters.llama_cpp import tokenize

    engine = formgate.compile(
        r"Name: [A-Z][a-z]{2,8}; age: [1-9][0-9]; name again: [A-Za-z]{3,9}\.", vocabulary
    )
    tokens = prompt("Invent a person.")
    plain = constrained_decode(model, engine, tokens, max_tokens=60, sampler=sampler)
    jumped = jump_decode(
        model,
        engine,
        tokens,
        max_tokens=60,
        sampler=sampler,
        tokenize=lambda text: tokenize(llama, vocabulary, text),
        draft_tokens=4,
    )
    for result in (plain, jumped):
        assert result.complete
        assert engine.accepts(result.text)
    assert jumped.passes < len(plain.tokens)
    assert jumped.jumped > 0


def test_free_decoding_is_what_the_model_would_write(model, vocabulary, prompt, llama):
    tokens = prompt("What is the capital of France?")
    free = UnconstrainedEngine(vocabulary, len(vocabulary))
    result = jump_decode(model, free, tokens, max_tokens=12, draft_tokens=4)
    assert "Paris" in result.text
    assert result.text == constrained_decode(model, free, tokens, max_tokens=12).text
    theirs = llama.create_completion(tokens, max_tokens=12, temperature=0)["choices"][0]["text"]
    assert result.text.startswith(theirs[:20])
