"""A random two-layer Llama with a byte-level tokenizer trained on the spot: seconds, no files."""

from __future__ import annotations

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from toy_engine import ToyEngine, ToyVocabulary
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

TEXT = [
    "the year 2024-01-31 yes no maybe",
    "dates like 1999-12-31 and 2000-02-29, phone 555-0101",
    "red green blue; redder greener bluer",
    "name: Ada age: 36 name: Bob age: 7",
    "été naïve façade",
]
PAD, STOP = "<pad>", "<stop>"


def make_tokenizer(size: int = 330) -> PreTrainedTokenizerFast:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=size,
        special_tokens=[PAD, STOP],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(TEXT, trainer)
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, pad_token=PAD, eos_token=STOP)


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


def byte_alphabet() -> dict[str, int]:
    """The characters that stand for bytes in byte-level vocabularies, as GPT-2 defined them."""
    shown = [*range(33, 127), *range(161, 173), *range(174, 256)]
    table = {chr(byte): byte for byte in shown}
    hidden = [byte for byte in range(256) if byte not in shown]
    return table | {chr(256 + index): byte for index, byte in enumerate(hidden)}


def toy_vocabulary(tokenizer, *, size: int | None = None) -> ToyVocabulary:
    alphabet = byte_alphabet()
    special = {tokenizer.pad_token_id, tokenizer.eos_token_id}
    names = tokenizer.convert_ids_to_tokens(range(len(tokenizer)))
    tokens = [
        None if token in special else bytes(alphabet[character] for character in name)
        for token, name in enumerate(names)
    ]
    tokens += [None] * ((size or len(tokens)) - len(tokens))
    return ToyVocabulary(tokens, [tokenizer.eos_token_id])


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
