"""The processor called by hand: masks on every type of row, and what it refuses."""

from __future__ import annotations

import math

import numpy as np
import pytest
from toy_engine import Automaton, ToyEngine, ToyVocabulary

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from formgate.adapters import _torch_masks  # noqa: E402
from formgate.adapters.transformers import FormgateLogitsProcessor  # noqa: E402
from formgate.core.decoding import DecodingError  # noqa: E402

STOP = 256
SIZE = 300
VOCABULARY = ToyVocabulary([*(bytes([b]) for b in range(256)), *[None] * (SIZE - 256)], [STOP])
WORDS = Automaton.of_strings(["ab", "abc", "b"])
A, B, C = b"abc"


def make(automaton=WORDS, **options):
    return FormgateLogitsProcessor(ToyEngine(automaton, VOCABULARY), **options)


def call(processor, rows, scores=None, width=SIZE, dtype=torch.float32):
    ids = torch.tensor(rows)
    if scores is None:
        scores = torch.randn(len(ids), width).to(dtype)
    return processor(ids, scores)


def allowed(row):
    return set(torch.isfinite(row).nonzero().flatten().tolist())


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16, torch.float64])
@pytest.mark.parametrize("width", [SIZE, 320, 333])
@pytest.mark.parametrize("path", ["native", "torch"])
def test_masks(dtype, width, path, monkeypatch):
    if path == "torch":
        monkeypatch.setattr(_torch_masks, "_NATIVE_TYPES", ())
    processor = make()
    for rows, expected in [
        ([[9, 9], [9, 8]], [{A, B}, {A, B}]),
        ([[9, 9, A], [9, 8, B]], [{B}, {STOP}]),
        ([[9, 9, A, B], [9, 8, B, STOP]], [{C, STOP}, {STOP}]),
        ([[9, 9, A, B, STOP], [9, 8, B, STOP, 0]], [{STOP}, {0}]),
    ]:
        scores = torch.randn(2, width).to(dtype)
        before = scores.clone()
        after = call(processor, rows, scores)
        assert torch.equal(scores, before)
        assert after.dtype == dtype
        for index, ids in enumerate(expected):
            assert allowed(after[index]) == ids
            if not ids <= {0, STOP} or rows[index][-1] not in (0, STOP):
                kept = sorted(ids)
                assert torch.equal(after[index, kept], before[index, kept])


def test_in_place():
    scores = torch.randn(1, SIZE)
    assert call(make(in_place=True), [[9]], scores) is scores
    assert allowed(scores[0]) == {A, B}


def test_scores_that_are_a_slice_of_something_larger():
    whole = torch.randn(2, 5, SIZE)
    for in_place in (False, True):
        after = call(make(in_place=in_place), [[9], [9]], whole[:, 3, :])
        assert [allowed(row) for row in after] == [{A, B}] * 2
    assert torch.isfinite(whole[:, [0, 1, 2, 4]]).all()
    assert [allowed(row) for row in whole[:, 3]] == [{A, B}] * 2


def test_in_inference_mode_and_with_gradients():
    with torch.inference_mode():
        assert allowed(call(make(), [[9]])[0]) == {A, B}
    scores = torch.randn(1, SIZE, requires_grad=True)
    after = call(make(), [[9]], scores * 2)
    assert allowed(after[0]) == {A, B}


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_closed_rows_leave_something_to_sample_and_nothing_to_prefer(dtype):
    processor = make()
    for row in ([9], [9, B], [9, B, STOP], [9, B, STOP, 4]):
        after = call(processor, [row], dtype=dtype)
    assert float(after.max()) < (-1e4 if dtype == torch.float16 else -1e18)
    for temperature in (1e-3, 1.0, 50.0):
        weights = (after.float() / temperature).softmax(-1)
        assert torch.isfinite(weights).all()
        assert float(weights.sum()) == pytest.approx(1)


def test_rows_with_illegal_histories_never_raise():
    processor = make()
    call(processor, [[9], [9], [9]])
    call(processor, [[9, C], [9, B], [9, STOP]])
    after = call(processor, [[9, C, 5], [9, B, STOP], [9, STOP, STOP]])
    assert [allowed(row) for row in after] == [{5}, {STOP}, {STOP}]
    after = call(processor, [[9, STOP, STOP, 1], [9, C, 5, 299], [9, B, STOP, 5]])
    assert all(len(allowed(row)) == 1 for row in after)


def test_one_engine_for_each_prompt_and_several_rows_for_each():
    engines = [ToyEngine(Automaton.of_strings([text]), VOCABULARY) for text in ("a", "b", "c")]
    processor = FormgateLogitsProcessor(engines)
    after = call(processor, [[9]] * 6)
    assert [allowed(row) for row in after] == [{A}, {A}, {B}, {B}, {C}, {C}]
    with pytest.raises(DecodingError, match=r"4 rows cannot be shared out among 3 engines"):
        call(processor, [[9]] * 4)


def test_prompt_length_given():
    processor = make(prompt_length=1)
    assert allowed(call(processor, [[9, A]])[0]) == {B}
    assert allowed(call(processor, [[9, A, B]])[0]) == {C, STOP}
    assert allowed(call(processor, [[7, A, B, C]])[0]) == {STOP}
    each = make(prompt_length=[1, 2])
    assert [allowed(row) for row in call(each, [[9, A], [9, 9]])] == [{B}, {A, B}]
    with pytest.raises(DecodingError, match="prompt_length is 3, but the rows have 2"):
        call(make(prompt_length=3), [[9, 9]])
    with pytest.raises(DecodingError, match="row 1: the tokens after prompt_length already break"):
        call(make(prompt_length=1), [[9, A], [9, C]])


@pytest.mark.parametrize(
    "row",
    [
        [9, 9],  # the same prompt again
        [9, 7],
        [9],
        [8, 9, A],
        [8, 9, A, B, C, 7],
    ],
)
def test_new_generations_are_recognised(row):
    processor = make()
    assert allowed(call(processor, [[9, 9]])[0]) == {A, B}
    assert allowed(call(processor, [[9, 9, A]])[0]) == {B}
    assert allowed(call(processor, [row])[0]) == {A, B}
    assert allowed(call(processor, [[*row, A]])[0]) == {B}
    assert [allowed(each) for each in call(processor, [row] * 2)] == [{A, B}] * 2  # a batch


@pytest.mark.parametrize(
    "row",
    [
        [9, 9, A, B, STOP, 7, 7],  # a further turn of a chat
        [9, 9, A],  # a prompt that is the first one with its first tokens of output
        [9, 9, A, B, B],
        [9, 9, B],
        [9, 9, 7],
    ],
)
@pytest.mark.parametrize("between", [None, [5, 5]])
def test_a_second_generation_that_could_be_the_first_is_an_error(row, between):
    processor = make()
    for seen in ([9, 9], [9, 9, A], [9, 9, A, B]):
        call(processor, [seen])
    if between is not None:
        call(processor, [between])
    with pytest.raises(DecodingError, match=r"unclear where their output starts: call reset\(\)"):
        call(processor, [row])
    processor.reset()
    assert allowed(call(processor, [row])[0]) == {A, B}


def test_a_prompt_one_token_longer_after_a_single_call():
    processor = make()
    call(processor, [[9, 9]])
    with pytest.raises(DecodingError, match="outside the language"):
        call(processor, [[9, 9, 7]])


def test_drafts():
    processor = make(drafts=True)
    for tokens, expected in (
        ([], {A, B}),
        ([A], {B}),
        ([A, B], {C, STOP}),
        ([], {A, B}),
        ([A], {B}),
        ([B], {STOP}),  # the draft was not taken
        ([B, STOP], {STOP}),
    ):
        assert allowed(call(processor, [[9, 9, *tokens]])[0]) == expected
    for row in ([9, 9, A, B, C], [9, 7]):
        fresh = make(drafts=True)
        call(fresh, [[9, 9]])
        with pytest.raises(DecodingError, match=r"call reset\(\)"):
            call(fresh, [row])


def test_scores_that_do_not_fit():
    with pytest.raises(DecodingError, match=r"scores 299 token ids.*has 300.*size=299"):
        call(make(), [[9]], width=299)
    with pytest.raises(DecodingError, match="2 token histories came with 3 rows"):
        call(make(), [[9], [9]], torch.randn(3, SIZE))
    with pytest.raises(DecodingError, match="continuous batching"):
        make()(torch.tensor([9, 9]), torch.randn(2, SIZE))


def test_what_other_processors_leave_is_checked():
    scores = torch.randn(1, SIZE)
    scores[0, [A, B]] = -math.inf
    with pytest.raises(DecodingError, match="row 0: every token that the constraint allows"):
        call(make(), [[9]], scores)
    scores[0, A] = math.nan
    with pytest.raises(DecodingError, match="NaN"):
        call(make(), [[9]], scores)
    scores[0, A] = 1.0
    scores[0, 0] = math.nan  # forbidden anyway
    assert allowed(call(make(), [[9]], scores)[0]) == {A}


def test_a_beam_with_nothing_left_is_dropped_where_beams_are_known():
    scores = torch.randn(2, SIZE)
    scores[0, [A, B]] = -math.inf
    processor = make(num_beams=2)
    call(processor, [[9], [9]])
    after = call(
        processor,
        [[9, A], [9, B]],
        torch.full((2, SIZE), -math.inf).index_fill_(1, torch.tensor([STOP]), 0.0),
    )
    assert float(after[0].max()) < -1e18
    assert allowed(after[1]) == {STOP}
    assert float(after[1, STOP]) == 0.0


def test_copies_of_a_beam_are_closed_within_their_prompt():
    processor = make(num_beams=2)
    after = call(processor, [[9], [9], [9], [9]])
    assert [float(row.max()) > -1e18 for row in after] == [True, False, True, False]
    after = call(processor, [[9, A], [9, B], [9, A], [9, A]])
    assert [float(row.max()) > -1e18 for row in after] == [True, True, True, False]
    after = call(processor, [[9, A, B], [9, B, STOP], [9, A, B], [9, A, B]])
    assert [allowed(row) for row in after[[0, 2]]] == [{C, STOP}, {C, STOP}]
    assert float(after[3].max()) < -1e18


def test_arguments_out_of_range():
    with pytest.raises(ValueError, match="list of engines is empty"):
        FormgateLogitsProcessor([])
    with pytest.raises(ValueError, match="num_beams"):
        make(num_beams=0)
    with pytest.raises(ValueError, match="prompt_length must not be negative"):
        make(prompt_length=-1)
    engine = ToyEngine(WORDS, VOCABULARY)
    with pytest.raises(ValueError, match="3 entries for 2 engines"):
        FormgateLogitsProcessor([engine, engine], prompt_length=[1, 2, 3])


def test_native_states_are_masked_in_one_call(byte_vocabulary):
    from formgate import GrammarBuilder

    builder = GrammarBuilder()
    builder.start(builder.strings(["ab", "abc", "b"]))
    engine = builder.build().compile(byte_vocabulary)
    for width in (257, 300):
        processor = FormgateLogitsProcessor(engine)
        scores = torch.randn(3, width, dtype=torch.bfloat16)
        before = scores.clone()
        after = call(processor, [[9], [8], [9]], scores)
        assert [allowed(row) for row in after] == [{A, B}] * 3
        after = call(processor, [[9, A], [8, B], [9, C]], before)
        assert [allowed(row) for row in after] == [{B}, {STOP}, {C}]
        assert np.isfinite(float(after[0, B]))


@pytest.mark.parametrize("wrong", [None, "a", 3, [None]])
def test_only_engines_are_taken(wrong):
    with pytest.raises(TypeError, match="is not an engine"):
        FormgateLogitsProcessor(wrong)


@pytest.mark.parametrize("wrong", ["3", True, [1.5], [True]])
def test_prompt_lengths_are_whole_numbers(wrong):
    with pytest.raises(TypeError, match="prompt_length"):
        make(prompt_length=wrong)


def test_scores_must_be_fractions_and_no_rows_are_fine():
    with pytest.raises(DecodingError, match="floating-point"):
        call(make(), [[1, 2]], torch.zeros(1, SIZE, dtype=torch.int64))
    empty = torch.zeros(0, SIZE)
    assert make()(torch.zeros(0, 3, dtype=torch.int64), empty) is empty
