"""A small server on 127.0.0.1 that speaks OpenAI's protocol as vLLM does.

Its model scores tokens by a hash of the last two of them. It masks by ``allowed_token_ids``, of
which it takes 1,024, draws ``n`` choices with seeds that count up, and names likeliest tokens by
their ids. For tests of delegation it writes texts from a list instead.
"""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np


class FakeServer:
    def __init__(self, tokens, stop):
        self.tokens, self.stop = tokens, stop
        self.requests: list[tuple[str, dict]] = []
        self.headers: list[dict] = []
        self.texts: list[tuple[str | None, str]] = []  # to be written, with their finish reasons
        self.replies: list[tuple[int, bytes]] = []  # raw answers that come before all else
        self.max_allowed_ids = 1024
        self.boost: dict[int, float] = {}
        self.knows_fields = True
        self.drops = 0
        handler = type("Handler", (_Handler,), {"fake": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()

    def close(self):
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def scores(self, ids):
        """Log-probabilities of the next token."""
        seed = hash(tuple(ids[-2:])) & 0xFFFFFFFF
        scores = np.random.default_rng(seed).normal(size=len(self.tokens)) * 2
        for token, value in self.boost.items():
            scores[token] += value
        return scores - np.log(np.exp(scores).sum())

    def answer(self, path, body):
        self.requests.append((path, body))
        if self.replies:
            return self.replies.pop(0)
        if path == "/tokenize":
            text = body.get("prompt") or "".join(m["content"] for m in body["messages"])
            return 200, {"tokens": list(text.encode())}
        if self.texts:
            text, reason = self.texts.pop(0)
            if path == "/v1/chat/completions":
                return 200, {"choices": [{"message": {"content": text}, "finish_reason": reason}]}
            return 200, {"choices": [{"text": text, "finish_reason": reason}]}
        if path != "/v1/completions" or body.get("max_tokens") != 1 or not body["ignore_eos"]:
            return 404, {"error": {"message": f"cannot answer {path}"}}
        return self.step(body)

    def step(self, body):
        allowed = body.get("allowed_token_ids") if self.knows_fields else None
        if allowed is not None and len(allowed) > self.max_allowed_ids:
            return 400, {"error": {"message": "too many allowed_token_ids"}}
        raw = self.scores(body["prompt"])
        choices = []
        for index in range(body["n"]):
            masked = raw.copy()
            if allowed is not None:
                masked[:] = -np.inf
                masked[allowed] = raw[allowed]
            if body["temperature"] == 0:
                token = int(masked.argmax())
            else:
                weights = np.exp((masked - masked.max()) / body["temperature"])
                seed = None if body.get("seed") is None else body["seed"] + index
                rng = np.random.default_rng(seed)
                token = int(rng.choice(len(weights), p=weights / weights.sum()))
            choice = {"index": index, "text": "", "finish_reason": "length"}
            if (body.get("return_token_ids") and self.knows_fields) or self.knows_fields is None:
                choice["token_ids"] = [token]
            if body.get("logprobs"):
                assert body["return_tokens_as_token_ids"]
                top = np.argsort(-raw)[: body["logprobs"]].tolist()
                # The chosen token comes too, as vLLM has it.
                tops = {f"token_id:{t}": float(raw[t]) for t in {*top, token}}
                choice["logprobs"] = {"top_logprobs": [tops]}
            choices.append(choice)
        return 200, {"choices": choices}


class _Handler(BaseHTTPRequestHandler):
    fake: FakeServer
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.fake.headers.append(dict(self.headers))
        if self.fake.drops:
            self.fake.drops -= 1
            self.close_connection = True
            return
        status, answer = self.fake.answer(self.path, body)
        data = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass
