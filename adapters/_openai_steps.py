"""Exact decoding on a vLLM server, one request for each token that has an alternative.

The prompt travels as token ids and grows; with the server's prefix cache it is read once. The mask
travels as ``allowed_token_ids``, which vLLM applies before it draws. Its newer runner takes 1,024
ids at most; where more are allowed, tokens are drawn without the mask until one is allowed. What
comes of this follows the masked distribution (rejection sampling: von Neumann 1951), provided that
the draws are independent and nothing else cuts the distribution. It takes 1/Z draws on average,
Z being the allowed tokens' share, which is large where so many are allowed; but the number of draws
is bounded, and a bound that is reached is an error, not a guess.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from formgate.adapters._openai_http import ServerError
from formgate.core.decoding.errors import DecodingError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formgate.adapters._openai_http import JsonClient
    from formgate.core._native import Engine, TokenMask

__all__ = ["Stepper", "first_choice"]

_DRAWS = 8  # tokens drawn by one request where the mask cannot be sent
_LIKELIEST = 20  # as many as vLLM gives unless its --max-logprobs says otherwise


class Stepper:
    """Decodes one text.

    Args:
        client: Speaks to the server.
        model: The model's name there.
        engine: The constraint, for the model's vocabulary.
        temperature: 0 is greedy.
        seed: Of the first draw; the others count up from it.
        max_allowed_ids: How many ids the server takes; None for no limit.
        max_rejections: How many forbidden tokens are drawn in a row before giving up.

    Attributes:
        requests: How many requests were made.
    """

    def __init__(
        self,
        client: JsonClient,
        model: str,
        engine: Engine,
        *,
        temperature: float,
        seed: int | None,
        max_allowed_ids: int | None,
        max_rejections: int,
    ) -> None:
        self.requests = 0
        self._client = client
        self._model = model
        self._engine = engine
        self._temperature = temperature
        self._seed = seed
        self._max_allowed_ids = max_allowed_ids
        self._max_rejections = max_rejections

    def run(self, prompt: str | Sequence[Any], max_tokens: int) -> tuple[tuple[int, ...], bool]:
        """Return the output's tokens, and whether it is complete.

        Args:
            prompt: A text, a chat, or token ids.
            max_tokens: How long the output may become, the stop token not counted.

        Raises:
            ServerError: A request failed or its answer cannot be used; or the tokens that are
                allowed are too unlikely to be drawn where they are too many to be named.
        """
        engine = self._engine
        prompt_ids = self._tokenized(prompt)
        state = engine.start()
        tokens: list[int] = []
        stops = set(engine.vocabulary.stop_ids)
        while True:
            mask = engine.allowed_tokens(state)
            count = len(mask)
            if count <= len(stops) and stops.issuperset(mask.to_list()):
                return tuple(tokens), True
            if len(tokens) == max_tokens:
                return tuple(tokens), engine.is_accepting(state)
            token = mask.to_list()[0] if count == 1 else self._chosen(prompt_ids + tokens, mask)
            if token in stops:
                return tuple(tokens), True
            state = engine.advance(state, token)
            tokens.append(token)

    def _chosen(self, ids: list[int], mask: TokenMask) -> int:
        """Return the next token, one of several that are allowed."""
        if self._max_allowed_ids is None or len(mask) <= self._max_allowed_ids:
            [token] = self._drawn(ids, 1, {"allowed_token_ids": mask.to_list()})
            if token not in mask:
                raise ServerError(
                    f"the server chose token {token}, which is not among allowed_token_ids: it "
                    "does not know this field; use method='resample'"
                )
            return token
        if self._temperature == 0:
            return self._likeliest(ids, mask)
        for _ in range(0, self._max_rejections, _DRAWS):
            for token in self._drawn(ids, _DRAWS, {}):
                if token in mask:
                    return token
        raise ServerError(
            f"{len(mask)} tokens are allowed, more than the {self._max_allowed_ids} that the "
            f"server takes, and none of {self._max_rejections} drawn without the mask was among "
            "them: raise max_rejections, or use method='delegate'"
        )

    def _likeliest(self, ids: list[int], mask: TokenMask) -> int:
        """Return the likeliest of the allowed tokens, found among the likeliest of all."""
        fields = {"logprobs": _LIKELIEST, "return_tokens_as_token_ids": True}
        choice = first_choice(self._answer(ids, 1, fields))
        logprobs = choice.get("logprobs")
        tops = logprobs.get("top_logprobs") if isinstance(logprobs, dict) else None
        top = tops[0] if isinstance(tops, list) and tops else None
        found = []
        for name, logprob in top.items() if isinstance(top, dict) else ():
            prefix, _, number = str(name).rpartition(":")
            if prefix != "token_id" or not number.isdecimal() or not _is_number(logprob):
                raise ServerError(
                    f"the server names a token {name!r:.40}, not by its id: it does not know "
                    "return_tokens_as_token_ids"
                )
            found.append((-logprob, int(number)))
        for _, token in sorted(found):
            if token in mask:
                return token
        raise ServerError(
            f"{len(mask)} tokens are allowed, more than the {self._max_allowed_ids} that the "
            f"server takes, and none is among the {len(found)} likeliest: use a temperature above "
            "0, or method='delegate'"
        )

    def _drawn(self, ids: list[int], count: int, fields: dict[str, Any]) -> list[int]:
        """Return tokens drawn independently."""
        answer = self._answer(ids, count, fields)
        choices = answer.get("choices")
        tokens = []
        for choice in choices if isinstance(choices, list) else ():
            given = choice.get("token_ids") if isinstance(choice, dict) else None
            if not isinstance(given, list) or len(given) != 1 or type(given[0]) is not int:
                raise ServerError(
                    "the server's answer names no token id: stepping needs return_token_ids, which "
                    "vLLM has from 0.10.2"
                )
            tokens.append(given[0])
        if len(tokens) != count:
            raise ServerError(f"the server gave {len(tokens)} choices, not {count}")
        return tokens

    def _answer(self, ids: list[int], count: int, fields: dict[str, Any]) -> dict[str, Any]:
        """Ask for one token after ids, drawn ``count`` times."""
        body = {
            "model": self._model,
            "prompt": ids,
            "max_tokens": 1,
            "n": count,
            "temperature": self._temperature,
            "return_token_ids": True,
            # A stop token is then a token like any other.
            "ignore_eos": True,
            "skip_special_tokens": False,
            **fields,
        }
        if self._seed is not None:
            body["seed"] = self._seed
            self._seed += count  # the server counts up from it for each of the draws
        self.requests += 1
        return self._client.post("/completions", body)

    def _tokenized(self, prompt: str | Sequence[Any]) -> list[int]:
        """Return the prompt's token ids, as the server's tokenizer has them."""
        body: dict[str, Any] = {"model": self._model}
        if isinstance(prompt, str):
            body["prompt"] = prompt
        elif len(prompt) and isinstance(prompt[0], dict):
            body.update(messages=list(prompt), add_generation_prompt=True)
        else:
            return [int(token) for token in prompt]
        self.requests += 1
        tokens = self._client.post("//tokenize", body).get("tokens")
        if not isinstance(tokens, list) or any(type(token) is not int for token in tokens):
            raise ServerError("the server's answer to /tokenize holds no token ids")
        if not tokens:
            raise DecodingError("the prompt is empty: a server needs at least one token")
        return tokens


def first_choice(answer: dict[str, Any]) -> dict[str, Any]:
    """Return the first of an answer's choices.

    Raises:
        ServerError: There is none.
    """
    choices = answer.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        raise ServerError("the server's answer holds no choices")
    return choices[0]


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
