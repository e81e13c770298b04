"""Adapters to inference back ends; each loads its back end when it is first used.

The module that an adapter stands in may also offer ``load_language_model(path, *, device, threads,
progress)``, which returns a model for ``formgate.core.decoding`` and its tokenizer: the command
line finds it there.
"""

from __future__ import annotations

__all__: list[str] = []
