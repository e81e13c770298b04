"""The logits processor in both of vLLM's interfaces: batches that move, slots that draft."""

from __future__ import annotations

import json
import random
import re
from types import SimpleNamespace

import fakes
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import formgate
from formgate import Matcher

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

SIZE = 352
PATTERNS = ("(abc ?)+", "[0-9]{2,4}", "(red|green)(, (red|green))*")


@pytest.fixture
def processor(fake_vllm):
    from formgate.adapters.vllm import FormgateLogitsProcessor

    return FormgateLogitsProcessor


@pytest.fixture(scope="module")
def vocabulary(tokenizer):
    return formgate.Vocabulary.from_tokenizer(tokenizer, size=SIZE)


def params(**extra):
    return fakes.SamplingParams(extra_args=extra or None)


def allowed(row):
    return set(torch.nonzero(torch.isfinite(row)).flatten().tolist())


class Sequence:
    """A request as a test sees it: its constraint as an engine of its own."""

    def __init__(self, pattern, vocabulary):
        self.params = params(formgate=pattern) if pattern else params()
        self.engine = formgate.compile(pattern, vocabulary) if pattern else None
        self.output = []

    def expected(self, drafts=()):
        if self.engine is None:
            return set(range(SIZE))
        matcher = Matcher(self.engine)
        for token in [*self.output, *drafts]:
            if matcher.is_terminated:
                break  # what follows is free
            if not matcher.accept(token):
                return None
        return set(range(SIZE)) if matcher.is_terminated else set(matcher.allowed_tokens().ids())


@given(seed=st.integers(0, 10**6))
@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_rows_of_a_moving_batch(processor, vocabulary, seed):
    """The older interface: requests come, go, move and swap; every row is as it must be."""
    rng = random.Random(seed)
    unit = processor(fakes.config(SIZE), torch.device("cpu"), False)
    assert not unit.is_argmax_invariant()
    rows = []
    for _ in range(12):
        removed, added, moved = [], [], []
        if rows and rng.random() < 0.3:
            index = rng.randrange(len(rows))
            removed.append(index)
            last = len(rows) - 1
            if index != last:  # the last fills the gap
                moved.append((last, index, fakes.MoveDirectionality.UNIDIRECTIONAL))
                rows[index] = rows[last]
            rows.pop()
        elif len(rows) < 5:
            fresh = Sequence(rng.choice([*PATTERNS, None]), vocabulary)
            if fresh.engine is not None and rng.random() < 0.4:  # one that was preempted
                matcher = Matcher(fresh.engine)
                token = rng.choice(matcher.allowed_tokens().to_list())
                fresh.output.append(token)
            added.append((len(rows), fresh.params, None, fresh.output))
            rows.append(fresh)
        if len(rows) > 1 and rng.random() < 0.4:
            a, b = rng.sample(range(len(rows)), 2)
            moved.append((a, b, fakes.MoveDirectionality.SWAP))
            rows[a], rows[b] = rows[b], rows[a]
        changed = removed or added or moved
        update = fakes.BatchUpdate(len(rows), removed, added, moved) if changed else None
        unit.update_state(update)
        if not rows:
            continue
        logits = torch.randn(len(rows), SIZE)
        before = logits.clone()
        assert unit.apply(logits) is logits
        for row, sequence in enumerate(rows):
            found = allowed(logits[row])
            assert found == sequence.expected()
            kept = list(found)
            assert logits[row, kept].equal(before[row, kept])  # the model's own scores
            sequence.output.append(rng.choice(sorted(found)))


def context(slots, local, inputs, places):
    return SimpleNamespace(
        expanded_idx_mapping=torch.tensor(slots),
        idx_mapping_np=np.array(sorted(set(slots))),
        expanded_local_pos=torch.tensor(local),
        input_ids=torch.tensor(inputs),
        pos=torch.tensor(places),
    )


@given(seed=st.integers(0, 10**6), drafts=st.integers(0, 3))
@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_slots_with_drafts(processor, vocabulary, seed, drafts):
    """The newer interface: tokens on the device, one row for each draft, slots used again."""
    rng = random.Random(seed)
    states = SimpleNamespace(
        prompt_len=SimpleNamespace(np=np.zeros(8, dtype=np.int32)),
        all_token_ids=SimpleNamespace(gpu=torch.zeros(8, 200, dtype=torch.int32)),
    )
    unit = processor(fakes.config(SIZE), states)
    slots = {}
    for _ in range(8):
        slot = rng.randrange(8)
        if rng.random() < 0.5 or not slots:
            fresh = Sequence(rng.choice([*PATTERNS, None]), vocabulary)
            assert unit.add_request(slot, fresh.params) == (fresh.engine is not None)
            states.prompt_len.np[slot] = length = rng.randrange(1, 5)
            states.all_token_ids.gpu[slot] = 77
            slots[slot] = fresh, length
            unit.apply_staged_writes()
        rows, expected = [], []
        for slot in rng.sample(sorted(slots), len(slots)):
            sequence, length = slots[slot]
            place = length + len(sequence.output) - 1
            history = states.all_token_ids.gpu[slot]
            rows.append((slot, 0, int(history[place]), place))
            expected.append(sequence.expected())
            drafted = []
            for offset in range(rng.randrange(drafts + 1)):
                likely = sorted(sequence.expected(drafted) or [0])
                drafted.append(rng.choice([rng.choice(likely), rng.randrange(SIZE)]))
                rows.append((slot, offset + 1, drafted[-1], place + offset + 1))
                expected.append(sequence.expected(drafted))
        logits = torch.randn(len(rows), SIZE)
        unit.apply(logits, context(*map(list, zip(*rows, strict=True))))
        for row, wanted in enumerate(expected):
            if wanted is not None:  # behind a refused draft nothing matters
                assert allowed(logits[row]) == wanted
        firsts = {slot: row for row, (slot, local, _, _) in enumerate(rows) if local == 0}
        for slot, (sequence, length) in slots.items():
            token = rng.choice(sorted(allowed(logits[firsts[slot]])))
            states.all_token_ids.gpu[slot, length + len(sequence.output)] = token
            sequence.output.append(token)


def test_kinds_and_stop_ids(processor, tokenizer):
    unit = processor(fakes.config(SIZE), torch.device("cpu"), False)
    schema = {"enum": ["x", 7]}
    given_ = [
        params(formgate=["red", "green"]),
        params(formgate=schema, formgate_kind="json"),
        params(formgate=json.dumps(schema), formgate_kind="json"),
        params(formgate_kind="json_object"),
    ]
    given_[0].all_stop_token_ids = {340}
    outputs = [[], [], [], []]
    added = [(row, each, None, outputs[row]) for row, each in enumerate(given_)]
    unit.update_state(fakes.BatchUpdate(4, [], added, []))
    logits = unit.apply(torch.zeros(4, SIZE))
    first = [{tokenizer.decode([token])[0] for token in allowed(row)} for row in logits]
    assert first == [{"r", "g"}, {'"', "7"}, {'"', "7"}, {"{"}]
    outputs[0] += tokenizer.encode("red")
    assert allowed(unit.apply(torch.zeros(4, SIZE))[0]) == {340}


@pytest.mark.parametrize(
    ("extra", "said"),
    [
        ({"formgate": "(a"}, "unterminated"),
        ({"formgate": "a", "formgate_typ": "regex"}, "'formgate_typ' has no meaning"),
        ({"formgate": "a", "formgate_kind": "sql"}, "formgate_kind is one of json"),
        ({"formgate_kind": "regex"}, "'formgate' is missing"),
        ({"formgate": {1, 2}, "formgate_kind": "json"}, "text of a constraint"),
        ({"formgate": [1]}, "every choice must be a string"),
    ],
)
def test_bad_requests_are_the_clients_errors(processor, extra, said):
    with pytest.raises(fakes.VLLMValidationError, match=re.escape(said)):
        processor.validate_params(params(**extra))


def test_other_requests_pass(processor):
    processor.validate_params(params())
    processor.validate_params(params(other=1))
    processor.validate_params(params(formgate="a"))
    both = params(formgate="a")
    both.structured_outputs = fakes.StructuredOutputsParams(regex="a")
    with pytest.raises(fakes.VLLMValidationError, match="either"):
        processor.validate_params(both)


@pytest.mark.parametrize("outputs", [[0], [-1]])
def test_tokens_of_another_hand_end_the_output(processor, tokenizer, caplog, outputs):
    """A token that the mask forbade, or one that is not known: the request does not run free."""
    unit = processor(fakes.config(SIZE), torch.device("cpu"), False)
    given_ = params(formgate="a+")
    given_.all_stop_token_ids = {tokenizer.eos_token_id}
    unit.update_state(fakes.BatchUpdate(1, [], [(0, given_, None, outputs)], []))
    logits = unit.apply(torch.zeros(1, SIZE))
    assert allowed(logits[0]) == {tokenizer.eos_token_id}
    assert "not allowed" in caplog.text or "output ends here" in caplog.text


def test_what_this_vocabulary_cannot_do_ends_the_output(processor, tokenizer, caplog):
    unit = processor(fakes.config(SIZE), torch.device("cpu"), False)
    token = {"format": {"type": "token", "token": "<|unknown|>"}}
    given_ = params(formgate=token, formgate_kind="structural_tag")
    given_.all_stop_token_ids = {tokenizer.eos_token_id}
    processor.validate_params(given_)
    unit.update_state(fakes.BatchUpdate(1, [], [(0, given_, None, [])], []))
    assert allowed(unit.apply(torch.zeros(1, SIZE))[0]) == {tokenizer.eos_token_id}
    assert "does not compile" in caplog.text
