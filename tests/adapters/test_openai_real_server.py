"""A real vLLM server, where one is named: steps and delegation, judged by ``re`` and ``json``.

Start one on a small model (``python -m vllm.entrypoints.openai.api_server --model FOLDER ...``) and
set FORMGATE_VLLM_URL to its address (ending in ``/v1``), FORMGATE_VLLM_NAME to the model's name
there and FORMGATE_VLLM_MODEL to its folder.
"""

from __future__ import annotations

import contextlib
import json
import os
import re

import pytest

import formgate
from formgate import Vocabulary
from formgate.adapters.openai_servers import OpenAIServer

URL = os.environ.get("FORMGATE_VLLM_URL")
pytestmark = pytest.mark.skipif(URL is None, reason="FORMGATE_VLLM_URL names no server")


@pytest.fixture(scope="module")
def vocabulary():
    return Vocabulary.from_file(os.environ["FORMGATE_VLLM_MODEL"])


@pytest.fixture
def connect(vocabulary):
    """Makes a client; with few ids at a time, tokens are drawn without a mask."""
    name = os.environ["FORMGATE_VLLM_NAME"]
    with contextlib.ExitStack() as stack:

        def make(max_allowed_ids=1024):
            client = OpenAIServer(
                URL,
                name,
                kind="vllm",
                vocabulary=vocabulary,
                max_allowed_ids=max_allowed_ids,
                max_rejections=20_000,
            )
            return stack.enter_context(client)

        yield make


@pytest.fixture
def server(connect):
    return connect()


@pytest.mark.parametrize(("limit", "seeds"), [(1024, 3), (5, 1)])
def test_steps(connect, limit, seeds):
    server = connect(limit)
    for seed in range(seeds):
        answer = server.generate("the year", r"[0-9]{4}-[01][0-9]", method="step", seed=seed)
        assert re.fullmatch(r"\d{4}-[01]\d", answer.text)
        assert answer.complete
        assert answer.guarantee.distribution == "masked"
        assert answer.requests >= 2


def test_greedy_steps_are_the_best_allowed_tokens(server):
    """The same text as with the masks that the server itself makes for a list of choices."""
    choices = ["red", "green", "redder", "greener", "blue", "été"]
    for prompt in ("the year", "yes", "name: Ada", "x"):
        steps = server.generate(prompt, choices, method="step", temperature=0)
        told = server.generate(prompt, choices, method="delegate", temperature=0)
        assert steps.text == told.text
        assert steps.text in choices


def test_stop_tokens_are_seen(server):
    engine = formgate.compile("[ab]{0,30}", Vocabulary.from_file(os.environ["FORMGATE_VLLM_MODEL"]))
    lengths = set()
    for seed in range(4):
        answer = server.generate("x", engine, seed=seed, max_tokens=60)
        assert answer.complete
        assert re.fullmatch("[ab]{0,30}", answer.text)
        lengths.add(len(answer.text))
    assert len(lengths) > 1


def test_delegation(server):
    answer = server.generate("x", "[0-9]{3}", format="regex", method="delegate")
    assert re.fullmatch(r"\d{3}", answer.text)
    schema = {"type": "object", "properties": {"a": {"type": "boolean"}}, "required": ["a"]}
    schema["additionalProperties"] = False
    answer = server.generate("x", schema, method="delegate", max_tokens=120)
    assert not answer.complete or isinstance(json.loads(answer.text)["a"], bool)
