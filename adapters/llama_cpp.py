"""llama.cpp through llama-cpp-python: a logits processor, samplers, and a decode loop of our own.

``generate`` is the short way: it masks, jumps over forced text and drafts, on llama.cpp's own
memory. ``FormgateLogitsProcessor`` constrains the package's own generation, ``MaskSampler`` a
``llama_sampler`` chain of one's own.
"""

from __future__ import annotations

from formgate.adapters._generated import GeneratedText
from formgate.adapters._llama_cpp_generate import generate, load_language_model, prompt_tokens
from formgate.adapters._llama_cpp_model import LlamaCppModel, tokenize, vocabulary_of
from formgate.adapters._llama_cpp_processor import FormgateLogitsProcessor
from formgate.adapters._llama_cpp_samplers import MaskSampler, SamplerChain

__all__ = [
    "FormgateLogitsProcessor",
    "GeneratedText",
    "LlamaCppModel",
    "MaskSampler",
    "SamplerChain",
    "generate",
    "load_language_model",
    "prompt_tokens",
    "tokenize",
    "vocabulary_of",
]
