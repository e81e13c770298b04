"""The logits callback for TensorRT-LLM, called as its executors call it.

TensorRT-LLM needs a GPU, and its package holds no Python before it is installed there; so the calls
are played: at every step ``(req_id, logits, token_ids, stream_ptr, client_id)``, in place, with all
tokens of the request so far, after a journey by pickle.
"""

from __future__ import annotations

import logging
import pickle
import re

import pytest

torch = pytest.importorskip("torch")

from formgate import FormgateError  # noqa: E402
from formgate.adapters.tensorrt_llm import FormgateLogitsProcessor  # noqa: E402
from formgate.core.decoding import DecodingError  # noqa: E402

DATE_RE = r"[0-9]{4}-[01][0-9]"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    pytest.importorskip("transformers")
    from tiny_tokenizer import make_tokenizer

    path = tmp_path_factory.mktemp("model")
    make_tokenizer().save_pretrained(path)
    return path


class Executor:
    """Plays TensorRT-LLM: requests in one batch, a step for each at a time."""

    def __init__(self, width, *, shape=(1, 1)):
        self.width, self.shape = width, shape
        self.generator = torch.Generator().manual_seed(0)

    def run(self, requests, stop, *, steps=40):
        """Requests are (processor, prompt); returns their outputs without the stop token."""
        tokens = {index: list(prompt) for index, (_, prompt) in enumerate(requests)}
        outputs = {}
        for _ in range(steps):
            for index, (processor, prompt) in enumerate(requests):
                if index in outputs:
                    continue
                logits = torch.randn(*self.shape, self.width, generator=self.generator)
                processor(1000 + index, logits, [tokens[index]], None, None)
                row = logits.view(-1, self.width)[0]
                token = int(torch.multinomial(row.softmax(-1), 1, generator=self.generator))
                if token == stop:
                    outputs[index] = tokens[index][len(prompt) :]
                else:
                    tokens[index].append(token)
        return [outputs[index] for index in range(len(requests))]


def text(processor, tokens):
    return b"".join(map(processor.engine.vocabulary.token_bytes, tokens)).decode()


@pytest.mark.parametrize("shape", [(1, 1), (1,)])
@pytest.mark.parametrize("travelled", [False, True])
def test_requests_side_by_side(folder, shape, travelled):
    dates = FormgateLogitsProcessor(DATE_RE, folder)
    words = FormgateLogitsProcessor(["yes", "no", "maybe"], folder)
    if travelled:
        dates, words = pickle.loads(pickle.dumps((dates, words)))  # noqa: S301 (own objects)
    width = len(words.engine.vocabulary) + 30  # the model's padding
    stop = words.engine.vocabulary.stop_ids[0]
    requests = [(dates, [70, 71]), (words, [80]), (dates, [70, 71, 72]), (words, [80])]
    outputs = Executor(width, shape=shape).run(requests, stop)
    assert re.fullmatch(DATE_RE, text(dates, outputs[0]))
    assert re.fullmatch(DATE_RE, text(dates, outputs[2]))
    assert text(words, outputs[1]) in ("yes", "no", "maybe")
    assert text(words, outputs[3]) in ("yes", "no", "maybe")


def test_scores_of_allowed_tokens_stay(folder):
    processor = FormgateLogitsProcessor(DATE_RE, folder)
    engine = processor.engine
    logits = torch.randn(1, 1, len(engine.vocabulary))
    before = logits.clone()
    processor(1, logits, [[70, 71]], None, None)
    allowed = engine.allowed_tokens(engine.start()).to_list()
    finite = torch.isfinite(logits[0, 0]).nonzero().view(-1).tolist()
    assert finite == allowed
    assert torch.equal(logits[0, 0, allowed], before[0, 0, allowed])


def test_beyond_the_end_scores_are_left_alone(folder):
    processor = FormgateLogitsProcessor(["a"], folder)
    engine = processor.engine
    first = engine.allowed_tokens(engine.start()).to_list()[0]
    stop = engine.vocabulary.stop_ids[0]
    for output in ([], [first], [first, stop]):
        logits = torch.zeros(1, 1, len(engine.vocabulary))
        processor(1, logits, [[70, *output]], None, None)
    assert torch.isfinite(logits).all()


def test_a_request_that_leaves_its_constraint_may_only_end(folder, caplog):
    processor = FormgateLogitsProcessor(DATE_RE, folder)
    size = len(processor.engine.vocabulary)
    processor(1, torch.zeros(1, 1, size), [[70]], None, None)
    logits = torch.zeros(1, 1, size)
    with caplog.at_level(logging.ERROR):
        processor(1, logits, [[70, 71]], None, None)
    assert "request 1 ends here: token 71 after 0 tokens" in caplog.text
    stops = torch.isfinite(logits[0, 0]).nonzero().view(-1).tolist()
    assert stops == list(processor.engine.vocabulary.stop_ids)


def test_what_does_not_fit(folder, tmp_path):
    processor = FormgateLogitsProcessor(DATE_RE, folder)
    size = len(processor.engine.vocabulary)
    with pytest.raises(DecodingError, match="2 beams"):
        processor(1, torch.zeros(2, 1, size), [[70], [70]], None, None)
    with pytest.raises(DecodingError, match="scores 100 token ids"):
        processor(1, torch.zeros(1, 1, 100), [[70]], None, None)
    with pytest.raises(FormgateError):
        FormgateLogitsProcessor("(a", folder)
    with pytest.raises(FormgateError):
        FormgateLogitsProcessor("a", tmp_path)
