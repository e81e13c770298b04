"""SGLang: a grammar backend, asked for by ``--grammar-backend formgate``.

The entry point ``sglang.srt.plugins`` offers the name in each process (see
``docs/how-to/sglang.md``). The classes are imported when first asked for, since that imports parts
of SGLang.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from formgate.adapters._sglang_plugin import register

if TYPE_CHECKING:
    from formgate.adapters._sglang_backend import FormgateGrammarBackend, FormgateGrammarObject

__all__ = ["FormgateGrammarBackend", "FormgateGrammarObject", "register"]


def __getattr__(name: str) -> object:
    """Import a public name when it is first asked for."""
    if name in ("FormgateGrammarBackend", "FormgateGrammarObject"):
        return getattr(import_module("formgate.adapters._sglang_backend"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
