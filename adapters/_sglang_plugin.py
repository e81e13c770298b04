"""What SGLang calls in each of its processes: the entry point ``sglang.srt.plugins``.

SGLang has a registry of grammar backends. Registering a name costs two imports that SGLang has done
already, and changes nothing until ``--grammar-backend formgate`` asks for it.
"""

from __future__ import annotations

from typing import Any

__all__ = ["NAME", "register"]

NAME = "formgate"


def register() -> None:
    """Offer ``--grammar-backend formgate``; may be called any number of times."""
    from sglang.srt.arg_groups.choices import (  # noqa: PLC0415 (SGLang is there when it calls)
        GRAMMAR_BACKEND_CHOICES,
        add_grammar_backend_choices,
    )
    from sglang.srt.constrained.base_grammar_backend import (  # noqa: PLC0415 (as above)
        register_grammar_backend,
    )

    if NAME not in GRAMMAR_BACKEND_CHOICES:
        add_grammar_backend_choices([NAME])
    register_grammar_backend(NAME, _create)


def _create(
    server_args: Any, tokenizer: Any, vocab_size: int, eos_token_ids: set[int] | None = None
) -> Any:
    """Return the backend, importing it when SGLang first needs it."""
    from formgate.adapters._sglang_backend import create  # noqa: PLC0415

    return create(server_args, tokenizer, vocab_size, eos_token_ids)
