"""Vocabularies: the exact bytes of every token id, from every kind of tokenizer.

One module a source; each returns a ``TokenTable`` (bytes or None by id, stop ids, special tokens)
and imports neither numpy nor the tokenizer's own package. What cannot be exact is refused.
``Vocabulary`` hands a table to the native core and is loaded when first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from formgate.core.vocabulary._objects import read_table
from formgate.core.vocabulary._table import TokenTable

if TYPE_CHECKING:
    from formgate.core.vocabulary._base import Vocabulary

__all__ = ["TokenTable", "Vocabulary", "read_table"]


def __getattr__(name: str) -> object:
    """Load ``Vocabulary``, and with it the native core, when it is first asked for."""
    if name == "Vocabulary":
        from formgate.core.vocabulary._base import Vocabulary  # noqa: PLC0415 (the native core)

        globals()[name] = Vocabulary
        return Vocabulary
    message = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(message)
