"""vLLM: a backend of structured outputs, and a logits processor for faithful sampling.

The backend takes one of vLLM's slots when ``FORMGATE_VLLM_BACKEND`` says so (see
``docs/how-to/vllm.md``); the entry point ``vllm.general_plugins`` does that in each process. The
logits processor is named at start-up: ``--logits-processors
formgate.adapters.vllm:FormgateLogitsProcessor``.

Both are imported when first asked for, since each imports parts of vLLM.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from formgate.adapters._vllm_plugin import register

if TYPE_CHECKING:
    from formgate.adapters._vllm_backend import FormgateBackend, FormgateGrammar, install
    from formgate.adapters._vllm_logits import FormgateLogitsProcessor

__all__ = [
    "FormgateBackend",
    "FormgateGrammar",
    "FormgateLogitsProcessor",
    "install",
    "register",
]

_MODULES = {
    "FormgateBackend": "_vllm_backend",
    "FormgateGrammar": "_vllm_backend",
    "FormgateLogitsProcessor": "_vllm_logits",
    "install": "_vllm_backend",
}


def __getattr__(name: str) -> object:
    """Import a public name when it is first asked for."""
    if name in _MODULES:
        return getattr(import_module(f"formgate.adapters.{_MODULES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
