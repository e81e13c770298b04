"""Vocabularies: the exact bytes of every token id, from every kind of tokenizer.

One module a source; each returns a ``TokenTable`` (bytes or None by id, stop ids, special tokens)
and imports neither numpy nor the tokenizer's own package. What cannot be exact is refused.
``Vocabulary`` hands a table to the native core. All are loaded when first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from formgate.core.vocabulary._base import Vocabulary, byte_vocabulary
    from formgate.core.vocabulary._objects import read_table
    from formgate.core.vocabulary._table import TokenTable

__all__ = ["TokenTable", "Vocabulary", "byte_vocabulary", "read_table"]

_HOMES = {
    "TokenTable": "_table",
    "Vocabulary": "_base",
    "byte_vocabulary": "_base",
    "read_table": "_objects",
}


def __getattr__(name: str) -> object:
    """Load a public name when it is first asked for: the native core, or the readers."""
    if name in _HOMES:
        value: object = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
        globals()[name] = value
        return value
    message = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(message)
