"""Servers of OpenAI's protocol, against a small one on 127.0.0.1 that the tests start."""

from __future__ import annotations

import contextlib
import json
import math
import re
from collections import Counter
from typing import ClassVar

import pytest
from fake_server import FakeServer

import formgate
from formgate import FormgateError, UnsupportedConstraint, Vocabulary
from formgate.adapters.openai_servers import OpenAIServer, ServerError

BYTES = [bytes([byte]) for byte in range(256)]
PAIRS = [bytes([a, b]) for a in range(33, 126) for b in range(33, 47)]
TOKENS = [*BYTES, *PAIRS, b"19", b"no", None]
STOP = len(TOKENS) - 1
VOCABULARY = Vocabulary(TOKENS, stop_ids=[STOP])


@pytest.fixture
def fake():
    server = FakeServer(TOKENS, STOP)
    yield server
    server.close()


@pytest.fixture
def connect(fake):
    """Makes clients that are closed in the end."""
    with contextlib.ExitStack() as stack:

        def make(url=None, model="m", **options):
            return stack.enter_context(OpenAIServer(url or fake.url, model, **options))

        yield make


@pytest.fixture
def vllm(connect):
    return connect(kind="vllm", vocabulary=VOCABULARY)


class TestSteps:
    def test_greedy_takes_the_best_allowed_token(self, fake, vllm):
        engine = formgate.compile("[0-9]{4}-[01][0-9]", VOCABULARY)
        answer = vllm.generate("the year", engine, temperature=0)
        assert re.fullmatch(r"\d{4}-[01]\d", answer.text)
        assert answer.complete
        assert answer.guarantee.method == "step"
        assert answer.guarantee.distribution == "masked"
        ids, state = list(b"the year"), engine.start()
        for token in answer.tokens:
            scores = fake.scores(ids)
            assert token == max(engine.allowed_tokens(state).to_list(), key=scores.__getitem__)
            state, ids = engine.advance(state, token), [*ids, token]

    def test_tokens_without_an_alternative_cost_no_request(self, fake, vllm):
        answer = vllm.generate(list(b"x"), ["hello", "help"], method="step")
        assert answer.text in ("hello", "help")
        bodies = [body for _, body in fake.requests]
        assert answer.requests == len(bodies)
        assert all(len(body["allowed_token_ids"]) > 1 for body in bodies)
        assert len(bodies) < len(answer.tokens)

    def test_prompts(self, fake, vllm):
        chat = [{"role": "user", "content": "hi"}]
        for prompt in ("hi", chat, list(b"hi")):
            fake.requests.clear()
            vllm.generate(prompt, ["a", "b"], seed=3)
            assert fake.requests[-1][1]["prompt"] == list(b"hi")
        assert {path for path, _ in fake.requests} == {"/v1/completions"}

    @pytest.mark.parametrize("limit", [1024, 2, None])
    def test_the_masked_distribution(self, fake, vllm, limit, connect):
        """Named ids or, where there are too many, rejected draws: the same law."""
        fake.max_allowed_ids = 10**9 if limit is None else limit
        server = connect(
            kind="vllm",
            vocabulary=VOCABULARY,
            max_allowed_ids=limit,
            max_rejections=100_000,
        )
        engine = formgate.compile("[0-9]", VOCABULARY)
        digits = engine.allowed_tokens(engine.start()).to_list()
        fake.boost = dict.fromkeys(digits, 4.0)
        scores = fake.scores(list(b"q"))
        total = sum(math.exp(scores[token]) for token in digits)
        count = 400
        drawn = Counter(
            server.generate(list(b"q"), engine, seed=7919 * i).tokens[0] for i in range(count)
        )
        assert set(drawn) <= set(digits)
        # Pearson's statistic against the exact distribution; 9 degrees of freedom.
        expected = {token: count * math.exp(scores[token]) / total for token in digits}
        statistic = sum((drawn[t] - expected[t]) ** 2 / expected[t] for t in digits)
        assert statistic < 33.7  # once in 10,000

    def test_more_ids_than_the_server_takes(self, fake, vllm):
        engine = formgate.compile(r"[!-~]{1,6}\n", VOCABULARY)
        assert len(engine.allowed_tokens(engine.start())) > 1024
        for temperature in (0, 0.7, 1.0):
            fake.requests.clear()
            answer = vllm.generate("x", engine, temperature=temperature, seed=1)
            assert re.fullmatch(r"[!-~]{1,6}\n", answer.text)
            wide = [body for _, body in fake.requests if "allowed_token_ids" not in body]
            assert len(wide) > 1
            if temperature == 0:
                ids, state = list(b"x"), engine.start()
                for token in answer.tokens:
                    scores = fake.scores(ids)
                    allowed = engine.allowed_tokens(state).to_list()
                    assert token == max(allowed, key=scores.__getitem__)
                    state, ids = engine.advance(state, token), [*ids, token]

    def test_giving_up(self, fake, vllm):
        fake.boost = dict.fromkeys(range(128, 256), 60.0)
        engine = formgate.compile(r"[!-~]{1,6}\n", VOCABULARY)
        with pytest.raises(ServerError, match="none of 256 drawn without the mask"):
            vllm.generate("x", engine, seed=1)
        with pytest.raises(ServerError, match="none is among the 20 likeliest"):
            vllm.generate("x", engine, temperature=0)

    def test_cut_off(self, vllm):
        answer = vllm.generate("x", "[0-9]{4}", max_tokens=2)
        assert not answer.complete
        assert len(answer.tokens) == 2
        with pytest.raises(FormgateError, match="incomplete"):
            _ = answer.value
        assert vllm.generate("x", ["a"], max_tokens=1).complete

    def test_values(self, vllm):
        answer = vllm.generate("x", {"const": [1, None]}, method="step", max_tokens=999)
        assert answer.value == [1, None]

    def test_a_server_that_does_not_know_the_fields(self, fake, vllm):
        fake.knows_fields = False
        with pytest.raises(ServerError, match="return_token_ids"):
            vllm.generate("x", "[0-9]{4}")
        fake.knows_fields = None  # names the token, but does not mask
        with pytest.raises(ServerError, match="does not know this field"):
            vllm.generate("x", "[0-9]{99}")

    @pytest.mark.parametrize(
        "reply",
        [
            {},
            {"choices": []},
            {"choices": [7]},
            {"choices": [{"token_ids": ["a"]}]},
            {"choices": [{"token_ids": [1, 2]}]},
            {"choices": [{"token_ids": [True]}]},
            {"choices": [{"token_ids": [48]}] * 2},
        ],
    )
    def test_answers_that_cannot_be_used(self, fake, vllm, reply):
        fake.replies = [(200, json.dumps(reply).encode())]
        with pytest.raises(ServerError):
            vllm.generate(list(b"x"), "[0-9]{4}")

    def test_what_stepping_needs(self, fake, connect):
        plain = connect(kind="llama_cpp", vocabulary=VOCABULARY)
        with pytest.raises(UnsupportedConstraint, match="takes no list of allowed tokens"):
            plain.generate("x", "a", method="step")
        blind = connect(kind="vllm")
        with pytest.raises(UnsupportedConstraint, match="without vocabulary="):
            blind.generate("x", "a", method="step")
        full = connect(kind="vllm", vocabulary=VOCABULARY)
        with pytest.raises(UnsupportedConstraint, match="top_p would cut"):
            full.generate("x", "a", method="step", top_p=0.9)


SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}


class TestDelegation:
    @pytest.mark.parametrize(
        "case",
        [
            ("openai", SCHEMA, None, ("response_format", "json_schema", "schema", SCHEMA)),
            ("vllm", SCHEMA, None, ("structured_outputs", "json", SCHEMA)),
            ("vllm", json.dumps(SCHEMA), "json_schema", ("structured_outputs", "json", SCHEMA)),
            ("vllm", "[0-9]+", "regex", ("structured_outputs", "regex", "[0-9]+")),
            ("vllm", ["a", "b"], None, ("structured_outputs", "choice", ["a", "b"])),
            ("vllm", 'root ::= "a"', "gbnf", ("structured_outputs", "grammar", 'root ::= "a"')),
            ("sglang", SCHEMA, None, ("json_schema", json.dumps(SCHEMA))),
            ("sglang", "[0-9]+", "regex", ("regex", "[0-9]+")),
            ("sglang", ["a.", "b"], None, ("regex", r"(a\.|b)")),
            ("sglang", 'root ::= "a"', "gbnf", ("ebnf", 'root ::= "a"')),
            ("llama_cpp", SCHEMA, None, ("json_schema", SCHEMA)),
            ("llama_cpp", 'root ::= "a"', "gbnf", ("grammar", 'root ::= "a"')),
        ],
    )
    def test_the_fields_of_each_kind(self, fake, connect, case):
        kind, source, format_name, field = case
        good = {"regex": "1", "gbnf": "a", None: '{"a": 1}', "json_schema": '{"a": 1}'}[format_name]
        if isinstance(source, list):
            good = source[0]
        fake.texts = [(good, "stop")]
        server = connect(kind=kind)
        answer = server.generate("hi", source, format=format_name, top_p=0.5, seed=4)
        assert answer.text == good
        assert answer.complete
        assert answer.guarantee.method == "delegate"
        assert answer.guarantee.enforced_by == "server"
        [(path, body)] = fake.requests
        assert path == "/v1/completions"
        assert body["prompt"] == "hi"
        assert (body["top_p"], body["seed"], body["temperature"]) == (0.5, 4, 1.0)
        *keys, value = field
        for key in keys:
            body = body[key]
        assert body == value

    def test_choices_as_a_grammar_of_llama_cpp(self, fake, connect):
        """The grammar says the same, as our own reader of that language has it."""
        choices = ['say "hi"', "back\\slash", "new\nline", "tab\t\x01\u2028", "é😀"]
        fake.texts = [(choices[2], "stop")]
        server = connect(kind="llama_cpp")
        assert server.generate("x", choices).text == choices[2]
        [(_, body)] = fake.requests
        engine = formgate.compile(body["grammar"], VOCABULARY, format="gbnf")
        assert all(engine.accepts(choice) for choice in choices)
        assert not engine.accepts("other")

    def test_a_chat(self, fake, connect):
        chat = [{"role": "user", "content": "hi"}]
        for kind in ("openai", "sglang"):
            fake.requests.clear()
            fake.texts = [('{"a": 2}', "stop")]
            server = connect(kind=kind, api_key="secret")
            assert server.generate(chat, SCHEMA).value == {"a": 2}
            [(path, body)] = fake.requests
            assert path == "/v1/chat/completions"
            assert body["messages"] == chat
            assert body["response_format"]["type"] == "json_schema"
            assert fake.headers[-1]["Authorization"] == "Bearer secret"

    def test_a_model_class(self, fake, connect):
        pydantic = pytest.importorskip("pydantic")

        class Point(pydantic.BaseModel):
            x: int

        fake.texts = [('{"x": 2}', "stop")]
        assert connect().generate("x", Point).value == Point(x=2)
        assert fake.requests[0][1]["response_format"]["json_schema"]["schema"]["type"] == "object"

    def test_what_comes_back_is_checked(self, fake, connect):
        server = connect(kind="vllm")
        fake.texts = [("12x", "stop")]
        with pytest.raises(ServerError, match="not in the language: '12x'") as caught:
            server.generate("x", "[0-9]+")
        assert caught.value.text == "12x"
        fake.texts = [('{"a"', "length")]
        answer = server.generate("x", SCHEMA)
        assert not answer.complete

    @pytest.mark.parametrize(
        ("text", "value"),
        [
            ('{"a":1}', {"a": 1}),
            (' \n\n{ \t"a"\r\n\r\n:' + " " * 200 + "1\n\n}\n", {"a": 1}),
            ('{"b": "x  \\" \n".', None),
            ('{"b":  "x   \\"  y", "a" : 3}', {"a": 3, "b": 'x   "  y'}),
            ('{"a": 1 2}', None),
            ('{"a": 1, "a": 1}', None),
            ('{"a": "1"}', None),
        ],
    )
    def test_json_in_any_order_and_white_space(self, fake, connect, text, value):
        schema = {**SCHEMA, "properties": {**SCHEMA["properties"], "b": {"type": "string"}}}
        server = connect(kind="vllm")
        fake.texts = [(text, "stop")]
        if value is None:
            with pytest.raises(ServerError, match="not in the language"):
                server.generate("x", schema)
        else:
            answer = server.generate("x", schema)
            assert answer.text == text
            assert answer.value == value == json.loads(text)

    def test_what_has_no_field(self, fake, connect):
        server = connect()
        with pytest.raises(UnsupportedConstraint, match=r"'openai' has no field for .*'regex'"):
            server.generate("x", "[0-9]+", method="delegate")
        with pytest.raises(UnsupportedConstraint, match="an engine cannot be sent"):
            server.generate("x", formgate.compile("a", VOCABULARY), method="delegate")
        server = connect(kind="vllm")
        with pytest.raises(UnsupportedConstraint, match="has flags"):
            server.generate("x", re.compile("a", re.IGNORECASE), method="delegate")


class TestResampling:
    def test_until_one_is_in_the_language(self, fake, connect):
        fake.texts = [("maybe", "stop"), ("12", "length"), (None, "stop"), ("123", "stop")]
        server = connect()
        chat = [{"role": "user", "content": "hi"}]
        answer = server.generate(chat, "[0-9]+", seed=10)  # no field for a regex here
        assert answer.text == "123"
        assert answer.requests == 4
        assert answer.guarantee.distribution == "conditional"
        assert [body["seed"] for _, body in fake.requests] == [10, 11, 12, 13]

    def test_giving_up(self, fake, connect):
        fake.texts = [("maybe", "stop")] * 9
        server = connect()
        with pytest.raises(ServerError, match=r"none of 4 texts .*'maybe'"):
            server.generate("x", "[0-9]+", max_attempts=4)
        with pytest.raises(ServerError, match="none of 1 texts"):  # all greedy ones are alike
            server.generate("x", "[0-9]+", max_attempts=4, temperature=0)


class TestAnswersWithoutText:
    CHAT: ClassVar = [{"role": "user", "content": "Do it"}]

    def answer(self, message, reason="stop"):
        body = {"choices": [{"message": message, "finish_reason": reason}]}
        return 200, json.dumps(body).encode()

    def test_a_refusal_is_told(self, fake, connect):
        refusal = {"content": None, "refusal": "I would rather not"}
        fake.replies = [self.answer(refusal)]
        with pytest.raises(ServerError, match="refuses to answer: 'I would rather not'"):
            connect(kind="openai").generate(self.CHAT, {"type": "object"}, method="delegate")
        fake.replies = [self.answer(refusal), self.answer({"content": "a"})]
        server = connect(kind="openai")
        assert server.generate(self.CHAT, ["a"], method="resample").requests == 2
        fake.replies = [self.answer(refusal)]
        with pytest.raises(ServerError, match="I would rather not"):
            server.generate(self.CHAT, ["a"], method="resample", max_attempts=1)

    def test_a_call_of_a_tool_is_no_text(self, fake, connect):
        fake.replies = [self.answer({"content": None, "tool_calls": []}, "tool_calls")]
        with pytest.raises(ServerError, match="no text; it ended with 'tool_calls'"):
            connect(kind="openai").generate(self.CHAT, {"type": "object"}, method="delegate")

    def test_lone_surrogates_are_outside_of_every_language(self, fake, connect):
        fake.replies = [self.answer({"content": "\ud800"}), self.answer({"content": "a"})]
        server = connect(kind="openai")
        assert server.generate(self.CHAT, ".*", format="regex", method="resample").text == "a"


class TestTransport:
    def test_errors_of_the_server(self, fake, connect):
        server = connect(api_key="secret")
        fake.replies = [(400, b'{"error": {"message": "no such model"}}')]
        with pytest.raises(ServerError, match=r"status 400: .*no such model") as caught:
            server.generate("x", ["a"], method="resample")
        assert caught.value.status == 400
        assert "secret" not in str(caught.value)
        for reply, what in (
            (b"<html>", "no JSON"),
            (b"[1]", "no object"),
            (b"[" * 9999, "no JSON"),
        ):
            fake.replies = [(200, reply)]
            with pytest.raises(ServerError, match=what):
                server.generate("x", ["a"], method="resample")

    def test_an_answer_that_is_too_long(self, fake, connect):
        server = connect(max_response_bytes=100)
        fake.texts = [("a" * 1000, "stop")]
        with pytest.raises(ServerError, match="more than 100 bytes"):
            server.generate("x", "a+", method="resample")
        fake.texts = [("a", "stop")]
        assert server.generate("x", "a+", method="resample").text == "a"

    def test_no_server(self, connect):
        with pytest.raises(ServerError, match="cannot be asked"):
            connect("http://127.0.0.1:9").generate("x", ["a"], method="resample")
        for url in ("127.0.0.1:8000", "ftp://x/", "http://"):
            with pytest.raises(ServerError, match="no address"):
                OpenAIServer(url, "m")

    def test_a_connection_that_the_server_closed(self, fake, connect):
        server = connect()
        fake.texts = [("a", "stop"), ("a", "stop")]
        server.generate("x", ["a"], method="resample")
        fake.drops = 1
        assert server.generate("x", ["a"], method="resample").text == "a"
        fake.drops = 2
        with pytest.raises(ServerError):
            server.generate("x", ["a"], method="resample")

    def test_a_slow_server(self, connect):
        import socket

        with socket.create_server(("127.0.0.1", 0)) as silent:
            port = silent.getsockname()[1]
            server = connect(f"http://127.0.0.1:{port}/v1", timeout_s=0.05)
            with pytest.raises(ServerError, match=r"no answer in 0\.05 s"):
                server.generate("x", ["a"], method="resample")

    @pytest.mark.parametrize("part", [b"HTTP/1.1 200 OK\r\n", b"X: y\r\n", b" "])
    def test_a_server_that_sends_byte_after_byte(self, connect, part):
        """Each wait is short, and there is no end of them."""
        import socket
        import threading

        ended = threading.Event()
        begin = b"" if part.startswith(b"HTTP") else b"HTTP/1.1 200 OK\r\n"
        head = b"Content-Length: 1000000\r\n\r\n" if part == b" " else b""

        def drip():
            connection, _ = slow.accept()
            with connection, contextlib.suppress(OSError):
                connection.sendall(begin + head)
                while not ended.wait(0.02):
                    connection.sendall(part[:1] if part.startswith(b"HTTP") else part)

        with socket.create_server(("127.0.0.1", 0)) as slow:
            thread = threading.Thread(target=drip)
            thread.start()
            server = connect(f"http://127.0.0.1:{slow.getsockname()[1]}/v1", timeout_s=0.3)
            with pytest.raises(ServerError, match=r"no answer in 0\.3 s|cannot be asked"):
                server.generate("x", ["a"], method="resample")
            ended.set()
            thread.join()

    def test_an_address_with_no_such_port(self):
        with pytest.raises(ServerError, match="no address: Port"):
            OpenAIServer("http://127.0.0.1:99999/v1", "m")

    def test_arguments(self, fake, connect):
        server = connect()
        for options, message in (
            ({"max_tokens": 0}, "max_tokens"),
            ({"max_attempts": 0}, "max_attempts"),
            ({"temperature": -1}, "temperature"),
            ({"method": "guess"}, "method"),
            ({"n": 3}, "n cannot be given"),
            ({"stream": True}, "stream cannot be given"),
        ):
            with pytest.raises(ValueError, match=message):
                server.generate("x", ["a"], **options)
        with pytest.raises(ValueError, match="kind"):
            connect(kind="other")
        with pytest.raises(ValueError, match="timeout_s"):
            connect(timeout_s=0)
