"""A byte-level tokenizer trained on the spot, and its vocabulary read in another way than ours."""

from __future__ import annotations

from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from toy_engine import ToyVocabulary
from transformers import PreTrainedTokenizerFast

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
