"""A random two-layer Llama with a byte-level tokenizer trained on the spot: seconds, no files."""

from __future__ import annotations

import torch
from tiny_tokenizer import make_tokenizer, toy_vocabulary
from toy_engine import ToyEngine
from transformers import LlamaConfig, LlamaForCausalLM

__all__ = ["Setup", "make_model", "make_tokenizer", "toy_vocabulary"]


def make_model(tokenizer, seed: int, *, size: int | None = None) -> LlamaForCausalLM:
    torch.manual_seed(seed)
    config = LlamaConfig(
        vocab_size=size or len(tokenizer),
        hidden_size=32,
        intermediate_size=48,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=1,
        max_position_embeddings=256,
        pad_token_id=tokenizer.pad_token_id,
        eos_token_id=tokenizer.eos_token_id,
        bos_token_id=None,
        initializer_range=0.5,
    )
    model = LlamaForCausalLM(config).eval()
    model.generation_config.pad_token_id = tokenizer.pad_token_id
    model.generation_config.eos_token_id = tokenizer.eos_token_id
    return model


class Setup:
    """Model, tokenizer and vocabulary, and what the tests do with them."""

    def __init__(self, seed: int = 0) -> None:
        self.tokenizer = make_tokenizer()
        self.model = make_model(self.tokenizer, seed)
        self.assistant = make_model(self.tokenizer, seed + 1)
        self.vocabulary = toy_vocabulary(self.tokenizer)

    def engine(self, automaton) -> ToyEngine:
        return ToyEngine(automaton, self.vocabulary)

    def inputs(self, *prompts: str):
        self.tokenizer.padding_side = "left"
        return self.tokenizer(list(prompts), return_tensors="pt", padding=len(prompts) > 1)

    def text(self, row) -> tuple[str, bool]:
        """Text of a row of generated ids before its stop token, and whether it has one."""
        data = b""
        for token in row.tolist():
            if token == self.tokenizer.eos_token_id:
                return data.decode(), True
            if token == self.tokenizer.pad_token_id:
                break
            data += self.vocabulary.token_bytes(token)
        return data.decode(), False

    def texts(self, output, inputs) -> list[str]:
        """Texts of all rows; each must have ended with a stop token."""
        sequences = getattr(output, "sequences", output)
        found = [self.text(row) for row in sequences[:, inputs["input_ids"].shape[1] :]]
        assert all(ended for _, ended in found), found
        return [text for text, _ in found]
