"""What a language model writes under a grammar."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator

    from formgate.core._native import Engine
    from formgate.core.decoding import LoadedModel

__all__ = ["written"]

_MOST_TOKENS = 120
_PROMPTS = (
    "Write a short example of {name}.",
    "Give me {name}, only the text itself.",
    "An unusual but correct {name}:",
)


def written(
    model: LoadedModel, engine: Engine, name: str, count: int, chance: random.Random
) -> Iterator[bytes | None]:
    """Yield texts that a model writes; None for one that did not come to its end.

    Args:
        model: The model.
        engine: The grammar, compiled against the model's vocabulary.
        name: What to ask for.
        count: How many texts.
        chance: Where randomness comes from.
    """
    from formgate.core.decoding import Multinomial, constrained_decode  # noqa: PLC0415 (numpy)

    encode = model.encode if model.encode_chat is None else model.encode_chat
    for index in range(count):
        prompt = encode(_PROMPTS[index % len(_PROMPTS)].format(name=name))
        result = constrained_decode(
            model.model,
            engine,
            prompt,
            max_tokens=_MOST_TOKENS,
            sampler=Multinomial(temperature=1.0, seed=chance.randrange(2**31)),
            vocabulary=model.vocabulary,
        )
        yield result.text_bytes if result.complete else None
